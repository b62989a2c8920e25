/* untorn/check.h: looking for what dead writers left, and finishing it. */
#include <untorn/check.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/inplace.h"
#include "file/io.h"
#include "file/kept.h"
#include "file/sweep.h"

struct check {
    const struct untorn_check *what;
    struct untorn_options options;
    struct place place; /* of a file, or of a directory: then the name is empty */
    struct state state;
    size_t open;
    size_t looked;
    struct untorn_error *error;
    int worst; /* first failure of a repair */
};

static void report(struct check *check, enum untorn_finding_kind kind, const char *name,
                   enum folder folder, const char *entry, uint64_t size, bool repaired)
{
    char kept[2 * LIMIT_NAME + 32];
    snprintf(kept, sizeof kept, "%s/%s/%s", check->state.name, state_folder_name(folder), entry);
    struct untorn_finding finding = {
        .kind = kind, .name = name, .kept = kept, .size = size, .repaired = repaired};
    if (check->place.name[0]) /* `name` may be what stands for a long one */
        finding.name = check->place.name;
    check->open += !repaired;
    if (check->what->found)
        check->what->found(check->what->context, &finding);
}

/* `name` is that of a file, or where it was too long for our `room` what stands for it. */
static bool concerns(const struct check *check, const char *name, size_t room)
{
    char own_name[LIMIT_NAME + 1];
    path_own_name(check->place.name, room, own_name);
    return !check->place.name[0] || strcmp(own_name, name) == 0;
}

/* Locks `name` in this directory, which finishes and sweeps whatever is there of it. */
static bool settle(struct check *check, const char *name)
{
    struct untorn_error local;
    struct lock lock = LOCK_CLOSED;
    struct place place = check->place; /* the directory's handle stays the check's */
    error_begin(&local, NULL, name);
    snprintf(place.name, sizeof place.name, "%s", name);
    int rc = lock_open(&lock, &place, &check->state, &check->options, &local);
    if (rc == 0)
        rc = lock_acquire(&lock, OS_LOCK_EXCLUSIVE, lock_deadline(&check->options), &local);
    if (rc == 0)
        rc = inplace_recover(&place, &check->state, &local);
    if (rc == 0)
        sweep_stages(&check->state, name, NULL);
    lock_close(&lock);
    if (rc != 0 && rc != AGAIN && check->worst == 0) {
        *check->error = local;
        check->worst = rc;
    }
    return rc == 0;
}

static uint64_t size_of(os_fd folder, const char *entry)
{
    struct os_stat stat;
    return os_stat(folder, entry, &stat) == 0 ? stat.size : 0;
}

static bool is_gone(os_fd folder, const char *entry)
{
    struct os_stat stat;
    return os_stat(folder, entry, &stat) == -ENOENT;
}

/* Whether the entry is a stage under the lock of `name`, and somebody holds that. [STAGE-4] */
static bool is_being_made(const struct check *check, const char *name, const char *entry)
{
    char own_name[LIMIT_NAME + 1], path[STATE_PATH_SIZE], digits[17];
    struct os_stat stat;
    os_fd file = OS_NONE;
    path_own_name(check->place.name[0] ? check->place.name : name, 0, own_name);
    state_path(&check->state, FOLDER_LOCK, own_name, path);
    if (io_open_own(check->state.parent, path, OS_READ, &file, &stat) < 0)
        return false;
    path_digits(stat.inode, digits);
    bool held = path_ends_with(entry, digits) && os_lock(file, OS_LOCK_SHARED) == -EWOULDBLOCK;
    os_close(file);
    return held;
}

static int visit_stage(void *context, const char *entry)
{
    struct check *check = context;
    char name[LIMIT_NAME + 1];
    os_fd folder = check->state.folders[FOLDER_STAGE];
    if (++check->looked > LIMIT_LISTING)
        return 1;
    if (!path_entry_name(entry, name) || !concerns(check, name, LIMIT_SUFFIX))
        return 0;
    int dead = sweep_is_dead(folder, entry);
    if (dead <= 0 || is_being_made(check, name, entry))
        return dead < 0 ? dead : 0;
    uint64_t size = size_of(folder, entry);
    if (check->what->repair)
        settle(check, check->place.name[0] ? check->place.name : name);
    bool repaired = check->what->repair && is_gone(folder, entry);
    report(check, UNTORN_FOUND_STAGE, name, FOLDER_STAGE, entry, size, repaired);
    return 0;
}

static int visit_journal(void *context, const char *entry)
{
    struct check *check = context;
    struct inplace_judgement journal;
    if (++check->looked > LIMIT_LISTING)
        return 1;
    int rc = inplace_judge(&check->place, &check->state, entry, &journal);
    if (rc < 0 || journal.verdict == INPLACE_CLEAR || !concerns(check, journal.name, 0))
        return rc;
    bool foreign = journal.verdict == INPLACE_FOREIGN, repaired = false;
    if (!foreign && check->what->repair)
        repaired = settle(check, journal.name);
    if (foreign && check->what->repair && check->what->abandon)
        repaired = os_remove(check->state.folders[FOLDER_INPLACE], entry, false) == 0;
    report(check, foreign ? UNTORN_FOUND_FOREIGN : UNTORN_FOUND_UNFINISHED, journal.name,
           FOLDER_INPLACE, entry, journal.size, repaired);
    return 0;
}

static int visit_kept(void *context, const char *entry)
{
    struct check *check = context;
    char name[LIMIT_NAME + 1];
    os_fd folder = check->state.folders[FOLDER_KEPT];
    const char *rest = strchr(entry, '-');
    if (++check->looked > LIMIT_LISTING)
        return 1;
    if (!rest || !path_entry_name(rest + 1, name) || !concerns(check, name, KEPT_ROOM))
        return 0;
    enum untorn_finding_kind kind = strncmp(entry, "tail-", 5) == 0      ? UNTORN_FOUND_TAIL
                                    : strncmp(entry, "foreign-", 8) == 0 ? UNTORN_FOUND_FOREIGN
                                                                         : UNTORN_FOUND_CONFLICT;
    uint64_t size = size_of(folder, entry);
    bool repaired =
        check->what->repair && check->what->abandon && os_remove(folder, entry, false) == 0;
    report(check, kind, name, FOLDER_KEPT, entry, size, repaired);
    return 0;
}

static int visit_folder(struct check *check, enum folder folder,
                        int (*visit)(void *context, const char *entry), struct untorn_error *error)
{
    os_fd handle;
    int rc = state_folder(&check->state, folder, false, &handle);
    if (rc == -ENOENT)
        return 0;
    check->looked = 0;
    if (rc == 0)
        rc = os_list(handle, visit, check);
    return rc < 0 ? error_os(error, rc, "look into the folder for its lock") : 0;
}

/* A directory as such, else the place of a file. */
static int find_place(struct check *check, const char *path, struct untorn_error *error)
{
    os_fd dir;
    if (os_open_dir(OS_NONE, path, false, &dir) < 0)
        return place_resolve(path, &check->options, &check->place, error);
    check->place.dir = dir;
    int rc = os_stat(dir, NULL, &check->place.dir_stat);
    return rc < 0 ? error_os(error, rc, "look at the directory") : 0;
}

int untorn_check(const char *path, const struct untorn_check *what,
                 const struct untorn_options *options, size_t *ret_open,
                 struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct check check = {
        .what = what, .place = PLACE_CLOSED, .state = STATE_CLOSED, .error = error};
    if (options)
        check.options = *options;
    check.options.parents = false;
    *ret_open = 0;
    int rc = find_place(&check, path, error);
    if (rc == 0)
        rc = state_open(&check.place, &check.options, STATE_IF_PRESENT, &check.state, error);
    if (rc == 0 && check.state.present) {
        rc = visit_folder(&check, FOLDER_INPLACE, visit_journal, error);
        if (rc == 0)
            rc = visit_folder(&check, FOLDER_STAGE, visit_stage, error);
        if (rc == 0)
            rc = visit_folder(&check, FOLDER_KEPT, visit_kept, error);
    }
    state_close(&check.state);
    place_close(&check.place);
    *ret_open = check.open;
    return rc != 0 ? rc : check.worst;
}
