#include "txn/recover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/kept.h"
#include "file/past.h"
#include "txn/finish.h"
#include "txn/group.h"
#include "txn/remember.h"

/* One member, to be finished or left. */
struct part {
    struct seat *seat;
    const struct slot_member *member;
    struct untorn_options options;
    struct target target;
};

/* How the commit stands in another of its coordinator's directories. */
struct there {
    struct seat *seat; /* NULL: out of reach */
    enum {
        THERE_DONE,
        THERE_WAITS, /* for its end */
        THERE_AWAY,  /* out of reach, or left out */
        THERE_LOST,  /* its journal is gone [RECOVER-8] */
    } how;
};

struct recovery {
    struct seats seats; /* the first is where it was met */
    struct seat *home;
    struct seat *coordinator; /* NULL while it is in doubt */
    bool commits;             /* else it never counted */
    bool vouched;             /* by the coordinator; else only by the members in home [SEAT-3] */
    struct there *there;      /* for each of the coordinator's directories */
    struct part **parts;
    struct target **targets; /* of those that are to be locked, in that order */
    size_t count;
    char id_text[SLOT_ID_TEXT];
    uint64_t deadline;
    struct untorn_error *error;
};

/* ---- who takes part ---- */

static int fail_doubt(struct recovery *recovery)
{
    const struct seat *home = recovery->home;
    bool reached = recovery->coordinator;
    error_detail(recovery->error,
                 "only %s%s knows whether it counts; bring that %s back, or give the commit "
                 "up: untorn check --repair --abandon %s/%s",
                 reached ? "the journal that was in " : "", home->slot.directories[0].path,
                 reached ? "journal" : "directory", home->path, home->slot.members[0].name);
    return error_fail(recovery->error, UNTORN_IN_DOUBT, NULL);
}

/* The other directories of the coordinator's slot: those that still have the commit before them. */
static int gather_participants(struct recovery *recovery)
{
    const struct slot *slot = &recovery->coordinator->slot;
    recovery->there = calloc(slot->directory_count + 1, sizeof *recovery->there);
    if (!recovery->there)
        return -ENOMEM;
    for (uint32_t i = 0; i < slot->directory_count; i++) {
        struct seat *seat = NULL;
        bool reached =
            seats_open(&recovery->seats, &slot->directories[i], recovery->coordinator, &seat) == 0;
        int rc = reached ? seat_read(seat) : -EACCES;
        int known = reached ? seat_has_its_journal(seat, &slot->directories[i]) : 0;
        if (rc == -ENOMEM)
            return rc;
        bool copied = rc == -EXDEV; /* [SEAT-3] */
        bool none = rc == -ENOENT || rc == -ENODATA || copied;
        bool waits = rc == 0 && seat_waits_for(seat, recovery->coordinator, i);
        if (waits)
            seat->takes_part = true;
        recovery->there[i].seat = seat;
        recovery->there[i].how = waits                            ? THERE_WAITS
                                 : known < 0 || (rc < 0 && !none) ? THERE_AWAY
                                 : known == 0 || copied           ? THERE_LOST
                                                                  : THERE_DONE;
    }
    return 0;
}

static int gather(struct recovery *recovery)
{
    struct seat *home = recovery->home;
    home->takes_part = recovery->commits = recovery->vouched = true;
    if (!home->slot.participant) {
        recovery->coordinator = home;
        return gather_participants(recovery);
    }
    enum decision decision =
        seat_decide(home, &recovery->seats, &recovery->coordinator, &recovery->vouched);
    if (decision == DECIDED_NOT)
        return fail_doubt(recovery);
    recovery->commits = decision == DECIDED_YES;
    struct seat *coordinator = recovery->coordinator;
    coordinator->is_asked = !recovery->commits;
    bool under_way = recovery->commits && slot_same_id(&coordinator->slot, &home->slot) &&
                     coordinator->slot.state == SLOT_COMMITTED;
    if (!under_way)
        return 0;
    coordinator->takes_part = true;
    return gather_participants(recovery);
}

/* ---- who is left out ---- */

bool recover_is_lasting(int rc)
{
    return rc == -UNTORN_DENIED || rc == -UNTORN_READ_ONLY || rc == -UNTORN_NO_STATE ||
           rc == -UNTORN_UNTRUSTED;
}

/* The member at fault need not be the caller's file. Returns `rc`. */
static int blame(struct recovery *recovery, const struct seat *seat,
                 const struct slot_member *member, int rc)
{
    struct untorn_error *error = recovery->error;
    char path[LIMIT_PATH + LIMIT_NAME + 2], detail[UNTORN_DETAIL_SIZE];
    if (rc >= 0 || rc == AGAIN)
        return rc;
    snprintf(path, sizeof path, "%s/%s", seat->path, member->name);
    snprintf(detail, sizeof detail, "%s", error->detail);
    error_name(error, path);
    error_detail(
        error, "%s%san interrupted commit is to be finished first%s", detail, *detail ? "; " : "",
        recover_is_lasting(rc) ? ", or given up: untorn check --repair --abandon with this file"
                               : "");
    return rc;
}

static struct part *part_of(const struct recovery *recovery, const struct target *target)
{
    size_t i = 0;
    while (&recovery->parts[i]->target != target)
        i++;
    return recovery->parts[i];
}

/* What cannot be done in another directory, and not only just now, is left to who can do it there:
 * as if that were away. [RECOVER-9] */
static int leave_out(struct recovery *recovery, struct seat *seat, const struct slot_member *member,
                     int rc, const struct untorn_error *before)
{
    const struct slot *commit = &recovery->coordinator->slot;
    unsigned flags = recovery->error->flags;
    if (seat == recovery->home || !recover_is_lasting(rc))
        return blame(recovery, seat, member, rc);
    seat->takes_part = false;
    seat->is_asked = seat == recovery->coordinator; /* its yes is to stay */
    for (uint32_t i = 0; i < commit->directory_count; i++)
        if (recovery->there[i].seat == seat)
            recovery->there[i].how = THERE_AWAY;
    *recovery->error = *before;
    recovery->error->flags |= flags;
    return 0;
}

/* ---- locks ---- */

static int open_part(struct recovery *recovery, struct seat *seat, const struct slot_member *member)
{
    struct part *part = calloc(1, sizeof *part);
    if (!part)
        return error_fail(recovery->error, UNTORN_NO_MEMORY, NULL);
    part->seat = seat;
    part->member = member;
    part->options = (struct untorn_options){
        .symlink = UNTORN_REPLACE_LINK, .keep = seat->slot.keep, .state_dir = seat->state_dir};
    int rc = target_open_in(&part->target, &seat->place, &seat->state, member->name, &part->options,
                            recovery->error);
    if (rc != 0) {
        free(part);
        return rc;
    }
    part->target.recovering = part->target.stages_under_lock = true;
    part->target.set = recovery->id_text;
    part->target.stage_stays = !member->inlined;
    part->target.new_hash = member->kind == SLOT_REMOVE ? NULL : &member->after.hash;
    part->target.deadline = recovery->deadline;
    recovery->parts[recovery->count++] = part;
    return 0;
}

static int allocate_parts(struct recovery *recovery)
{
    size_t count = 1;
    for (size_t i = 0; i < recovery->seats.count; i++)
        if (recovery->seats.list[i]->takes_part)
            count += recovery->seats.list[i]->slot.member_count;
    recovery->count = 0;
    recovery->parts = calloc(count, sizeof *recovery->parts);
    recovery->targets = calloc(count, sizeof *recovery->targets);
    return recovery->parts && recovery->targets ? 0 : -ENOMEM;
}

static int open_parts_of(struct recovery *recovery, struct seat *seat)
{
    struct untorn_error before = *recovery->error;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && seat->takes_part && i < seat->slot.member_count; i++) {
        rc = open_part(recovery, seat, &seat->slot.members[i]);
        if (rc != 0)
            rc = leave_out(recovery, seat, &seat->slot.members[i], rc, &before);
    }
    return rc;
}

static int open_parts(struct recovery *recovery)
{
    int rc = allocate_parts(recovery);
    if (rc < 0)
        return error_fail(recovery->error, UNTORN_NO_MEMORY, NULL);
    for (size_t i = 0; rc == 0 && i < recovery->seats.count; i++)
        rc = open_parts_of(recovery, recovery->seats.list[i]);
    return rc;
}

/* What was read without the lock must still be so. [RECOVER-2] */
static int look_again(struct recovery *recovery)
{
    for (size_t i = 0; i < recovery->seats.count; i++) {
        struct seat *seat = recovery->seats.list[i];
        struct slot now;
        if (!seat->takes_part)
            continue;
        int rc = slot_read_head(seat->file.fd, &now);
        if (rc < 0 || now.state != seat->slot.state || now.sequence != seat->slot.sequence ||
            !slot_same_id(&now, &seat->slot))
            return AGAIN;
    }
    struct seats again = {0};
    struct seat *coordinator;
    bool vouched;
    if (!recovery->home->slot.participant)
        return 0;
    enum decision decision = seat_decide(recovery->home, &again, &coordinator, &vouched);
    seats_close(&again);
    bool same =
        decision == (recovery->commits ? DECIDED_YES : DECIDED_NO) && vouched == recovery->vouched;
    return same ? 0 : AGAIN;
}

static size_t list_targets(struct recovery *recovery)
{
    size_t count = 0;
    for (size_t i = 0; i < recovery->count; i++)
        if (recovery->parts[i]->seat->takes_part)
            recovery->targets[count++] = &recovery->parts[i]->target;
    return count;
}

/* Each time round one directory less. */
static int lock_parts(struct recovery *recovery)
{
    struct untorn_error before = *recovery->error;
    struct target *failed = NULL;
    for (;;) {
        int rc = group_lock(recovery->targets, list_targets(recovery), &failed, recovery->error);
        if (rc == 0)
            return 0;
        struct part *part = part_of(recovery, failed);
        rc = leave_out(recovery, part->seat, part->member, rc, &before);
        if (rc != 0)
            return rc;
    }
}

static int lock_all(struct recovery *recovery)
{
    int rc = lock_parts(recovery);
    if (rc != 0)
        return rc;
    rc = seats_lock(&recovery->seats, recovery->deadline);
    if (rc == -ESTALE)
        return AGAIN;
    if (rc == -EWOULDBLOCK) {
        error_detail(recovery->error, "a commit of several files is under way in its directory");
        return error_fail(recovery->error, UNTORN_LOCKED, NULL);
    }
    return rc < 0 ? error_os(recovery->error, rc, "lock the journal") : look_again(recovery);
}

/* ---- finishing ---- */

/* The name is whatever the slot says; it leads nowhere else. [SLOT-2] [STATE-4] */
static void remove_stage(struct part *part)
{
    char path[STATE_PATH_SIZE];
    if (!*part->member->stage)
        return;
    state_path(&part->target.state, FOLDER_STAGE, part->member->stage, path);
    int rc = os_remove(part->target.state.parent, path, false);
    if (rc < 0 && rc != -ENOENT)
        target_sweep(&part->target); /* once more, and what stays is left to the next writer */
}

/* Of what is done to it, what concerns the commit and not the file is told. */
enum {
    TOLD = UNTORN_FLAG_RECOVERED | UNTORN_FLAG_CONFLICT_KEPT | UNTORN_FLAG_JOURNAL_LOST |
           UNTORN_FLAG_NO_DIR_FLUSH | UNTORN_FLAG_NETWORK,
};

static int finish_part(struct recovery *recovery, struct part *part)
{
    struct target *target = &part->target;
    unsigned flags = recovery->error->flags;
    int rc = AGAIN;
    for (int i = 0; rc == AGAIN && i < LIMIT_TRIES; i++) {
        rc = target_look(target, recovery->error);
        if (rc != 0)
            continue;
        rc = slot_file_is_trusted(&part->seat->file, &part->seat->place, part->member,
                                  target->exists ? &target->stat : NULL)
                 ? finish_member(target, &part->options, part->seat, part->member, recovery->error)
                 : finish_keep_aside(target, part->seat, part->member,
                                     "is not for who committed it to change", recovery->error);
    }
    target_rest(target);
    recovery->error->flags = flags | (recovery->error->flags & TOLD);
    return rc;
}

/* One after the other: where one cannot be done, those of its directory behind it are not. */
static int finish_parts(struct recovery *recovery)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < recovery->count; i++) {
        struct part *part = recovery->parts[i];
        struct untorn_error before = *recovery->error;
        if (part->seat->takes_part)
            rc = finish_part(recovery, part);
        if (rc != 0)
            rc = leave_out(recovery, part->seat, part->member, rc, &before);
    }
    return rc;
}

static int flush_directory(struct recovery *recovery, struct seat *seat)
{
    int rc = os_flush_dir(seat->place.dir);
    if (rc == -EINVAL) {
        recovery->error->flags |= UNTORN_FLAG_NO_DIR_FLUSH;
        return 0;
    }
    return rc < 0 ? error_unsettled(recovery->error, UNTORN_UNSETTLED_SET, rc,
                                    "flush the directory of an unfinished commit")
                  : 0;
}

/* A slot that we may not write gives way to an empty one. [SLOT-5] */
static int put_away(struct seat *seat, bool committed)
{
    if (seat->file.writable)
        return committed ? slot_file_set(&seat->file, &seat->slot, SLOT_DONE)
                         : slot_file_drop(&seat->file, &seat->slot);
    struct slot_access access = {
        .mode = seat->file.stat.mode & 0644, /* its maker may have opened it for himself */
        .owner = seat->state.stat.owner,
    };
    int rc = slot_file_renew(&seat->file, &seat->state, &access);
    return rc < 0 ? rc : state_flush_names(&seat->state, FOLDER_JOURNAL);
}

/* [RECOVER-3] Those that are away have their answer before the coordinator forgets it. That those
 * that are here come before it only saves them a question: their members are in place. */
static int end_slots(struct recovery *recovery)
{
    struct seat *coordinator = recovery->coordinator, *home = recovery->home;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < recovery->seats.count; i++) {
        struct seat *seat = recovery->seats.list[i];
        if (seat->takes_part && seat != coordinator)
            rc = put_away(seat, true);
    }
    if (coordinator->takes_part) {
        for (uint32_t i = 0; rc == 0 && i < coordinator->slot.directory_count; i++)
            if (recovery->there[i].how == THERE_AWAY || recovery->there[i].how == THERE_LOST)
                rc = seat_keep_decision(coordinator, i);
        return rc < 0 ? rc : put_away(coordinator, true);
    }
    /* Should PREPARED come back after this it hears no, and gives nothing up: its members are. */
    if (rc == 0)
        seat_drop_decision(coordinator, home);
    return rc;
}

/* What cannot be noted is told by the outcome alone: it must not keep the commit from its end. */
static void note_lost(struct recovery *recovery, struct seat *seat, const char *directory)
{
    char text[3 * LIMIT_PATH], entry[LIMIT_NAME + 1];
    snprintf(text, sizeof text,
             "The commit %s of several files was interrupted.\n"
             "It was %s in %s.\n"
             "It had files in %s, too.\n"
             "The journal there was gone: nobody knows whether those files are from before it.\n",
             recovery->id_text, recovery->commits ? "finished" : "given up", seat->path, directory);
    for (char *at = text; *at; at++)
        if (*at != '\n' && (unsigned char)*at < ' ')
            *at = '?';
    (void)kept_note(&seat->state, "lost", seat->slot.members[0].name, text, entry);
    recovery->error->flags |= UNTORN_FLAG_JOURNAL_LOST;
}

/* [RECOVER-8] In every directory of the commit, for each is asked by itself. */
static void note_all_lost(struct recovery *recovery)
{
    const struct slot *commit = &recovery->coordinator->slot;
    const struct slot_directory *asked = recovery->home->slot.directories;
    for (size_t i = 0; i < recovery->seats.count; i++) {
        struct seat *seat = recovery->seats.list[i];
        if (seat->takes_part && !recovery->vouched)
            note_lost(recovery, seat, asked[0].path);
        for (uint32_t j = 0; seat->takes_part && recovery->there && j < commit->directory_count;
             j++)
            if (recovery->there[j].how == THERE_LOST)
                note_lost(recovery, seat, commit->directories[j].path);
    }
}

/* [RECOVER-7] One that is finished, or kept its decision, was durable. */
static int make_yes_durable(struct recovery *recovery)
{
    struct seat *coordinator = recovery->coordinator;
    bool under_way = coordinator->takes_part || coordinator->is_asked;
    int rc = under_way ? slot_file_settle(&coordinator->file) : 0;
    return rc < 0 ? error_unsettled(recovery->error, UNTORN_UNSETTLED_SET, rc,
                                    "flush the journal of an unfinished commit")
                  : 0;
}

/* What was left out needs its stages yet. */
static void clear_part(struct recovery *recovery, struct part *part)
{
    if (!part->seat->takes_part)
        return;
    remove_stage(part);
    past_prune(&part->target, recovery->error);
    target_rest(&part->target);
}

static int finish(struct recovery *recovery)
{
    int rc = make_yes_durable(recovery);
    if (rc == 0)
        rc = finish_parts(recovery);
    for (size_t i = 0; rc == 0 && i < recovery->seats.count; i++)
        if (recovery->seats.list[i]->takes_part)
            rc = flush_directory(recovery, recovery->seats.list[i]);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < recovery->count; i++)
        clear_part(recovery, recovery->parts[i]);
    if (recovery->coordinator->takes_part)
        remember_recovered(&recovery->seats, recovery->coordinator);
    note_all_lost(recovery);
    rc = end_slots(recovery);
    if (rc < 0)
        return error_unsettled(recovery->error, UNTORN_UNSETTLED_SET, rc,
                               "end an unfinished commit");
    recovery->error->flags |= UNTORN_FLAG_RECOVERED;
    return 0;
}

/* The coordinator's slot may say no although the disk says yes: a commit was withdrawn, and the
 * flush of that failed, or it was half written. Where it is of another commit by now it is not ours
 * to write. [SEAT-1] */
static int make_no_durable(const struct recovery *recovery)
{
    struct seat *asked = recovery->coordinator;
    if (recovery->home->slot.level == UNTORN_CACHE || asked->file.fd == OS_NONE)
        return 0;
    struct slot now;
    int rc = slot_read_head(asked->file.fd, &now);
    bool ours = rc == -ENODATA || (rc == 0 && slot_same_id(&now, &recovery->home->slot));
    return ours ? slot_file_settle(&asked->file) : os_flush(asked->file.fd);
}

/* [RECOVER-4] */
static int give_up(struct recovery *recovery)
{
    int rc = make_no_durable(recovery);
    if (rc < 0)
        return error_os(recovery->error, rc, "end a commit that never counted");
    for (size_t i = 0; i < recovery->count; i++)
        remove_stage(recovery->parts[i]);
    note_all_lost(recovery);
    rc = put_away(recovery->home, false);
    return rc < 0 ? error_os(recovery->error, rc, "end a commit that never counted") : 0;
}

static int run(struct recovery *recovery)
{
    int rc = seat_read(recovery->home);
    if (rc == -ENOENT || rc == -ENODATA || rc == -EXDEV)
        return 0;
    if (rc < 0)
        return error_os(recovery->error, rc, "read the journal");
    if (!slot_is_active(&recovery->home->slot))
        return 0;
    slot_id_text(recovery->home->slot.id, recovery->id_text);
    rc = gather(recovery);
    if (rc == -ENOMEM)
        return error_fail(recovery->error, UNTORN_NO_MEMORY, NULL);
    if (rc == 0)
        rc = open_parts(recovery);
    if (rc == 0)
        rc = lock_all(recovery);
    if (rc == 0)
        rc = recovery->commits ? finish(recovery) : give_up(recovery);
    return rc;
}

static void begin(struct recovery *recovery, const struct place *place, const struct state *state)
{
    struct place own_place = *place;
    struct state own_state;
    own_place.borrowed = true;
    state_borrow(state, &own_state);
    recovery->home = seats_take(&recovery->seats, &own_place, &own_state);
}

static void end(struct recovery *recovery)
{
    for (size_t i = 0; i < recovery->count; i++) {
        target_close(&recovery->parts[i]->target);
        free(recovery->parts[i]);
    }
    seats_close(&recovery->seats);
    free(recovery->parts);
    free(recovery->targets);
    free(recovery->there);
}

/* One that was finished meanwhile does not ask: what is kept for it then is of no harm. */
int recover_leave_answers(const struct place *place, const struct state *state)
{
    struct recovery recovery = {0};
    begin(&recovery, place, state);
    int rc = recovery.home ? seat_read(recovery.home) : -ENOMEM;
    bool asked = rc == 0 && !recovery.home->slot.participant;
    recovery.coordinator = recovery.home;
    if (asked)
        rc = slot_file_settle(&recovery.home->file);
    if (asked && rc == 0)
        rc = gather_participants(&recovery);
    for (uint32_t i = 0; asked && rc == 0 && i < recovery.home->slot.directory_count; i++)
        if (recovery.there[i].how != THERE_DONE)
            rc = seat_keep_decision(recovery.home, i);
    end(&recovery);
    return rc;
}

int recover_directory(const struct place *place, const struct state *state, uint64_t deadline,
                      struct untorn_error *error)
{
    struct recovery recovery = {.deadline = deadline, .error = error};
    begin(&recovery, place, state);
    int rc = recovery.home ? run(&recovery) : error_fail(error, UNTORN_NO_MEMORY, NULL);
    end(&recovery);
    return rc;
}
