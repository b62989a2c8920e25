#include "txn/seat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "txn/witness.h"

/* ---- the list ---- */

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static char *path_of(os_fd dir)
{
    char path[LIMIT_PATH];
    return os_dir_path(dir, path, sizeof path) == 0 ? copy_text(path) : NULL;
}

static void free_seat(struct seat *seat)
{
    slot_free(&seat->slot);
    slot_file_close(&seat->file);
    state_close(&seat->state);
    place_close(&seat->place);
    free(seat->state_dir);
    free(seat->path);
    free(seat);
}

void seats_close(struct seats *seats)
{
    for (size_t i = 0; i < seats->count; i++)
        free_seat(seats->list[i]);
    free(seats->list);
    *seats = (struct seats){0};
}

static struct seat *find(const struct seats *seats, const struct place *place,
                         const struct state *state)
{
    for (size_t i = 0; i < seats->count; i++) {
        struct seat *seat = seats->list[i];
        if (os_same_file(&seat->place.dir_stat, &place->dir_stat) &&
            os_same_file(&seat->state.stat, &state->stat))
            return seat;
    }
    return NULL;
}

static struct seat *add(struct seats *seats, struct place *place, struct state *state)
{
    struct seat **list = realloc(seats->list, (seats->count + 1) * sizeof *list);
    if (list)
        seats->list = list;
    struct seat *seat = list ? calloc(1, sizeof *seat) : NULL;
    if (!seat)
        return NULL;
    seat->place = *place;
    seat->state = *state;
    if (!state->outside)
        seat->state.parent = seat->place.dir;
    seat->owner = place->exists ? place->target.owner : os_user();
    seat->place.name[0] = '\0';
    seat->file = (struct slot_file)SLOT_FILE_CLOSED;
    *place = (struct place)PLACE_CLOSED; /* both are the seat's now */
    *state = (struct state)STATE_CLOSED;
    seats->list[seats->count++] = seat;
    seat->path = path_of(seat->place.dir);
    seat->state_dir = seat->state.outside ? path_of(seat->state.parent) : NULL;
    return seat->path && (seat->state_dir || !seat->state.outside) ? seat : NULL;
}

struct seat *seats_take(struct seats *seats, struct place *place, struct state *state)
{
    struct seat *seat = find(seats, place, state);
    if (!seat)
        seat = add(seats, place, state);
    state_close(state);
    place_close(place);
    return seat;
}

/* ---- seats that a slot names ---- */

static int open_place(const struct slot_directory *directory, os_fd at, const char *path,
                      struct place *place)
{
    *place = (struct place)PLACE_CLOSED;
    int rc = os_open_dir(at, path, false, &place->dir);
    if (rc == 0)
        rc = os_stat(place->dir, NULL, &place->dir_stat);
    if (rc == 0 && (place->dir_stat.inode != directory->inode || /* [SEAT-1] */
                    place->dir_stat.born != directory->born))
        rc = -ENOENT;
    if (rc < 0)
        place_close(place);
    place->exists = true; /* of what user the folder is, where that matters */
    place->target.owner = directory->owner;
    return rc;
}

int seats_open(struct seats *seats, const struct slot_directory *directory, const struct seat *from,
               struct seat **ret_seat)
{
    struct untorn_options options = {.state_dir = directory->state_dir ? directory->state_dir : ""};
    struct untorn_error unseen;
    struct state state;
    struct place place;
    int rc = open_place(directory, from->place.dir, directory->relative, &place);
    if (rc < 0)
        rc = open_place(directory, OS_NONE, directory->path, &place);
    if (rc < 0)
        return rc;
    error_begin(&unseen, NULL, directory->path);
    rc = state_open(&place, &options, STATE_IF_PRESENT, &state, &unseen);
    if (rc != 0) {
        place_close(&place);
        return -EACCES;
    }
    *ret_seat = seats_take(seats, &place, &state);
    return *ret_seat ? 0 : -ENOMEM;
}

/* "../b" leads from "/x/a" to "/x/b". */
static char *relative_path(const char *from, const char *to)
{
    size_t same = 0, up = 0;
    for (size_t i = 0; from[i] == to[i] || !from[i] || !to[i]; i++) {
        if ((from[i] == '/' || !from[i]) && (to[i] == '/' || !to[i]))
            same = i;
        if (!from[i] || !to[i])
            break;
    }
    for (const char *at = from + same; *at; at++)
        up += *at == '/' && at[1];
    const char *rest = to + same + strspn(to + same, "/");
    char *text = malloc(3 * up + strlen(rest) + 3);
    if (!text)
        return NULL;
    char *end = path_add(text, up || *rest ? "" : ".");
    for (size_t i = 0; i < up; i++)
        end = path_add(end, "../");
    path_add(end, rest);
    return text;
}

/* At the folder that its slot lies in. -ENOENT if there is none. */
static int look_at_journal(const struct seat *seat, struct os_stat *ret_stat)
{
    char path[STATE_PATH_SIZE];
    *ret_stat = (struct os_stat){0};
    if (!seat->state.present)
        return -ENOENT;
    state_path(&seat->state, FOLDER_JOURNAL, "", path);
    return os_stat(seat->state.parent, path, ret_stat);
}

int seat_has_its_journal(const struct seat *seat, const struct slot_directory *directory)
{
    struct os_stat now;
    if (directory->journal_inode == 0 && directory->journal_born == 0)
        return 1;
    int rc = look_at_journal(seat, &now);
    if (rc < 0)
        return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
    return now.inode == directory->journal_inode && now.born == directory->journal_born;
}

int seat_describe(const struct seat *seat, const struct seat *from,
                  struct slot_directory *ret_directory)
{
    struct os_stat journal;
    if (look_at_journal(seat, &journal) < 0)
        journal = (struct os_stat){0}; /* not known: then nobody doubts it */
    *ret_directory = (struct slot_directory){
        .inode = seat->place.dir_stat.inode,
        .born = seat->place.dir_stat.born,
        .journal_inode = journal.inode,
        .journal_born = journal.born,
        .owner = seat->owner,
        .path = copy_text(seat->path),
        .relative = relative_path(from->path, seat->path),
        .state_dir = seat->state_dir ? copy_text(seat->state_dir) : NULL,
    };
    return ret_directory->path && ret_directory->relative &&
                   (ret_directory->state_dir || !seat->state_dir)
               ? 0
               : -ENOMEM;
}

/* ---- slots ---- */

int seat_read(struct seat *seat)
{
    if (seat->was_read)
        return seat->found;
    seat->was_read = true;
    seat->found = slot_file_open(&seat->state, &seat->file);
    if (seat->found == 0)
        seat->found =
            slot_read(seat->file.fd, &seat->file.stat, &seat->place.dir_stat, &seat->slot);
    return seat->found;
}

static int compare(const void *left, const void *right)
{
    const struct os_stat *a = &(*(struct seat *const *)left)->file.stat;
    const struct os_stat *b = &(*(struct seat *const *)right)->file.stat;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode < b->inode ? -1 : a->inode > b->inode;
}

int seats_lock(struct seats *seats, uint64_t deadline)
{
    struct seat **order = malloc((seats->count + 1) * sizeof *order);
    int rc = order ? 0 : -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; rc == 0 && i < seats->count; i++)
        if ((seats->list[i]->takes_part || seats->list[i]->is_asked) &&
            seats->list[i]->file.fd != OS_NONE)
            order[count++] = seats->list[i];
    if (rc == 0)
        qsort(order, count, sizeof *order, compare);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = slot_file_lock(&order[i]->file, &order[i]->state, deadline);
    free(order);
    return rc;
}

/* ---- decisions ---- */

/* Room for an id, an index, an inode and a birth. */
enum { DECISION_SIZE = SLOT_ID_TEXT + 11 + 17 + 17 };

/* As older versions named it: for whoever has that index. */
static char *older_entry(const struct slot *commit, uint32_t index, char entry[DECISION_SIZE])
{
    slot_id_text(commit->id, entry);
    return entry + SLOT_ID_TEXT - 1 +
           snprintf(entry + SLOT_ID_TEXT - 1, 12, ".%u", (unsigned)index);
}

/* [SEAT-2] */
static void decision_entry(const struct slot *commit, uint32_t index, uint64_t inode, uint64_t born,
                           char entry[DECISION_SIZE])
{
    char *end = path_add(older_entry(commit, index, entry), ".");
    path_digits(inode, end);
    path_digits(born, path_add(end + 16, "."));
}

static void entry_for(const struct seat *participant, char entry[DECISION_SIZE])
{
    const struct os_stat *stat = &participant->place.dir_stat;
    decision_entry(&participant->slot, participant->slot.index, stat->inode, stat->born, entry);
}

static int is_kept(struct seat *coordinator, const char *entry)
{
    struct os_stat stat;
    char path[STATE_PATH_SIZE];
    state_path(&coordinator->state, FOLDER_JOURNAL, entry, path);
    int rc = os_stat(coordinator->state.parent, path, &stat);
    if (rc < 0)
        return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
    return stat.kind == OS_REGULAR;
}

int seat_has_decision(struct seat *coordinator, const struct seat *participant)
{
    char entry[DECISION_SIZE];
    if (!coordinator->state.present)
        return 0;
    entry_for(participant, entry);
    int rc = is_kept(coordinator, entry);
    if (rc != 0)
        return rc;
    older_entry(&participant->slot, participant->slot.index, entry);
    return is_kept(coordinator, entry);
}

/* That the file is there counts; its text is for people. One that lies there is not written into,
 * nor opened to others: it may be somebody's. */
static int put_decision(struct seat *coordinator, os_fd folder, const char *entry,
                        const char *directory)
{
    os_fd file = OS_NONE;
    int rc = io_open_own(folder, entry, OS_WRITE | OS_CREATE | OS_EXCLUSIVE, &file, NULL);
    if (rc == 0)
        rc = io_write(file, directory, strlen(directory), 0);
    if (rc == 0)
        rc = os_new_meta(coordinator->place.dir, file, coordinator->file.stat.mode & 0644);
    if (rc == 0)
        rc = os_flush(file); /* UNNOTICED: see above */
    os_close(file);
    return rc == -EEXIST && is_kept(coordinator, entry) == 1 ? 0 : rc;
}

int seat_keep_decision(struct seat *coordinator, uint32_t index)
{
    char entry[DECISION_SIZE];
    const struct slot_directory *directory = &coordinator->slot.directories[index];
    os_fd folder;
    decision_entry(&coordinator->slot, index, directory->inode, directory->born, entry);
    int rc = state_folder(&coordinator->state, FOLDER_JOURNAL, false, &folder);
    if (rc == 0)
        rc = put_decision(coordinator, folder, entry, directory->path);
    return rc < 0 ? rc : state_flush_names(&coordinator->state, FOLDER_JOURNAL);
}

void seat_drop_decision(struct seat *coordinator, const struct seat *participant)
{
    char entry[DECISION_SIZE], path[STATE_PATH_SIZE];
    entry_for(participant, entry);
    state_path(&coordinator->state, FOLDER_JOURNAL, entry, path);
    /* One that stays is of no harm: its participant no longer asks. So does that of an older
     * version: it does not say whose it is. */
    (void)os_remove(coordinator->state.parent, path, false);
}

/* The coordinator must know the participant: nobody hangs on to another's commit. */
static bool lists(const struct slot *coordinator, const struct seat *seat)
{
    if (coordinator->participant || seat->slot.index >= coordinator->directory_count)
        return false;
    const struct slot_directory *directory = &coordinator->directories[seat->slot.index];
    return directory->inode == seat->place.dir_stat.inode &&
           directory->born == seat->place.dir_stat.born;
}

/* [SEAT-4] In a sticky directory each owner of files has a seat. */
bool seat_waits_for(const struct seat *seat, const struct seat *coordinator, uint32_t index)
{
    const struct slot *slot = &seat->slot;
    const struct os_stat *stat = &coordinator->place.dir_stat;
    bool sticky = stat->mode & 01000;
    return slot->state == SLOT_PREPARED && slot->participant && slot->index == index &&
           slot_same_id(slot, &coordinator->slot) && slot->directories[0].inode == stat->inode &&
           slot->directories[0].born == stat->born &&
           (!sticky || slot->directories[0].owner == coordinator->owner);
}

/* [SEAT-3] 1: it counts. 0: nobody can say. Or a negative errno value. */
static int ask_members(struct seat *seat)
{
    struct place place = seat->place;
    bool any_before = false, any_made = false;
    for (uint32_t i = 0; i < seat->slot.member_count; i++) {
        const struct slot_member *member = &seat->slot.members[i];
        strcpy(place.name, member->name);
        int before = witness_is_before(member, &place, &seat->state);
        int made = before == 0 ? witness_is_made(member, &place) : 0;
        if (before < 0 || made < 0)
            return before < 0 ? before : made;
        any_before |= before == 1;
        any_made |= made == 1;
    }
    return any_made || !any_before; /* without one that is before, no file is changed by that */
}

enum decision seat_decide(struct seat *seat, struct seats *seats, struct seat **ret_coordinator,
                          bool *ret_vouched)
{
    struct seat *coordinator;
    *ret_coordinator = NULL;
    *ret_vouched = true;
    if (seats_open(seats, &seat->slot.directories[0], seat, &coordinator) < 0)
        return DECIDED_NOT;
    int rc = seat_read(coordinator);
    bool same = rc == 0 && slot_same_id(&coordinator->slot, &seat->slot);
    bool copied = rc == -EXDEV, read = rc == 0 || rc == -ENOENT || rc == -ENODATA || copied;
    *ret_coordinator = coordinator;
    if (same && coordinator->slot.state == SLOT_COMMITTED && lists(&coordinator->slot, seat))
        return DECIDED_YES;
    rc = seat_has_decision(coordinator, seat);
    if (rc == 1)
        return DECIDED_YES;
    if (!read)
        *ret_coordinator = NULL;
    if (rc < 0 || !read)
        return DECIDED_NOT;
    rc = copied ? 0 : seat_has_its_journal(coordinator, &seat->slot.directories[0]);
    if (rc != 0)
        return rc < 0 ? DECIDED_NOT : DECIDED_NO;
    *ret_vouched = false;
    rc = ask_members(seat);
    if (rc == 0 && seat->slot.level == UNTORN_CACHE) /* a power loss may have taken the journal */
        return DECIDED_NO;
    return rc == 1 ? DECIDED_YES : DECIDED_NOT;
}
