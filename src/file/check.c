#include "file/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/inplace.h"
#include "file/io.h"
#include "file/kept.h"
#include "file/sweep.h"
#include "file/target.h"

void check_report(struct check *check, enum untorn_finding_kind kind, const char *name,
                  enum folder folder, const char *entry, uint64_t size, bool repaired)
{
    char kept[2 * LIMIT_NAME + 32];
    snprintf(kept, sizeof kept, "%s/%s/%s", check->state.name, state_folder_name(folder), entry);
    struct untorn_finding finding = {.kind = kind,
                                     .name = name,
                                     .kept = kept,
                                     .size = size,
                                     .repaired = repaired,
                                     .directory = check->directory,
                                     .withdrawn = check->withdrawn,
                                     .abandoned = check->abandoned};
    /* `name` may be what stands for a long one; a mixed set is told by its old files. */
    if (check->place.name[0] && kind != UNTORN_FOUND_MIXED)
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

bool check_settle(struct check *check, const char *name)
{
    struct untorn_error local;
    struct target target;
    error_begin(&local, NULL, name);
    int rc = AGAIN;
    for (int i = 0; rc == AGAIN && i < LIMIT_RESTARTS; i++) {
        rc = target_open_in(&target, &check->place, &check->state, name, &check->options, &local);
        target.repairs = true;
        if (rc == 0)
            rc = target_lock(&target, OS_LOCK_EXCLUSIVE, &local);
        target_close(&target);
    }
    if (rc == AGAIN)
        rc = error_fail(&local, UNTORN_RESTLESS, NULL);
    if (rc != 0 && check->worst == 0) {
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
    if (!path_entry_name(entry, name) || !concerns(check, name, LIMIT_SUFFIX) ||
        check->is_needed(check->needing, entry))
        return 0;
    int dead = sweep_is_dead(folder, entry);
    if (dead <= 0 || is_being_made(check, name, entry))
        return dead < 0 ? dead : 0;
    uint64_t size = size_of(folder, entry);
    if (check->what->repair)
        check_settle(check, check->place.name[0] ? check->place.name : name);
    bool repaired = check->what->repair && is_gone(folder, entry);
    check_report(check, UNTORN_FOUND_STAGE, name, FOLDER_STAGE, entry, size, repaired);
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
        repaired = check_settle(check, journal.name);
    if (foreign && check->what->repair && check->what->abandon)
        repaired = os_remove(check->state.folders[FOLDER_INPLACE], entry, false) == 0;
    check_report(check, foreign ? UNTORN_FOUND_FOREIGN : UNTORN_FOUND_UNFINISHED, journal.name,
                 FOLDER_INPLACE, entry, journal.size, repaired);
    return 0;
}

/* A journal that an earlier call was told to give up: nothing is left to decide. It lies there as
 * evidence until the next time that something is given up. */
static bool is_given_up(const char *entry)
{
    return strncmp(entry, "givenup-", 8) == 0;
}

static enum untorn_finding_kind kept_kind(const char *entry)
{
    if (strncmp(entry, "tail-", 5) == 0)
        return UNTORN_FOUND_TAIL;
    if (strncmp(entry, "damaged-", 8) == 0)
        return UNTORN_FOUND_DAMAGED;
    if (strncmp(entry, "lost-", 5) == 0)
        return UNTORN_FOUND_LOST;
    return strncmp(entry, "foreign-", 8) == 0 || is_given_up(entry) ? UNTORN_FOUND_FOREIGN
                                                                    : UNTORN_FOUND_CONFLICT;
}

static int visit_kept(void *context, const char *entry)
{
    struct check *check = context;
    char name[LIMIT_NAME + 1];
    os_fd folder = check->state.folders[FOLDER_KEPT];
    const char *rest = strchr(entry, '-');
    if (++check->looked > LIMIT_LISTING)
        return 1;
    if (!rest || !path_entry_name(rest + 1, name) || strcmp(entry, check->spared) == 0 ||
        !(concerns(check, name, KEPT_ROOM) || kept_kind(entry) == UNTORN_FOUND_LOST))
        return 0; /* what was lost is of a commit, and told whichever of its files is asked for */
    uint64_t size = size_of(folder, entry);
    bool abandons = check->what->repair && check->what->abandon;
    if (!abandons && is_given_up(entry))
        return 0;
    bool repaired = abandons && os_remove(folder, entry, false) == 0;
    check_report(check, kept_kind(entry), name, FOLDER_KEPT, entry, size, repaired);
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

int check_files(struct check *check, struct untorn_error *error)
{
    int rc = visit_folder(check, FOLDER_INPLACE, visit_journal, error);
    if (rc == 0)
        rc = visit_folder(check, FOLDER_STAGE, visit_stage, error);
    return rc == 0 ? visit_folder(check, FOLDER_KEPT, visit_kept, error) : rc;
}
