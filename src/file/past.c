#include "file/past.h"

#include <errno.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/upward.h"

/* How many versions are to stay. UNTORN_KEEP_NONE: also those that are there go. */
static int wanted(const struct untorn_options *options)
{
    if (options->keep < 0)
        return UNTORN_KEEP_NONE;
    if (options->keep == 0)
        return options->level == UNTORN_CACHE ? 0 : 1;
    return options->keep < LIMIT_KEPT ? options->keep : LIMIT_KEPT;
}

static bool is_file(const struct target *target)
{
    return target->exists && target->stat.kind == OS_REGULAR;
}

bool past_is_wanted(const struct target *target)
{
    return wanted(target->options) > 0 && is_file(target);
}

/* What the result may be read, written and executed by; no version by more. [PAST-4] */
static unsigned open_to(const struct target *target)
{
    return target->options->mode ? target->options->mode : target->stat.mode;
}

static bool is_narrowed(const struct target *target)
{
    return is_file(target) && (target->stat.mode & ~open_to(target) & 0777) != 0;
}

/* [PAST-9], or asked for. */
static bool must_keep(const struct target *target)
{
    return target->keeps || (target->options->strict && target->options->keep > 0);
}

/* That it could not be kept is told, and is a failure only for who insists on it, or where a flush
 * failed: nothing has changed yet. */
static int lose(struct past *past, const struct target *target, int rc, struct untorn_error *error)
{
    past_close(past);
    if (rc == -ENOENT || rc == -ESTALE)
        return AGAIN; /* our folder was removed, or the file cut while it was read */
    if (rc == -ENOMEM)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (rc < -VERSIONS_UNFLUSHED)
        return error_os(error, rc + VERSIONS_UNFLUSHED, "flush the earlier version");
    if (must_keep(target))
        return error_os(error, rc, "keep the earlier version");
    error->flags |= UNTORN_FLAG_HISTORY_LOST;
    return 0;
}

/* ---- what is to be kept ---- */

static int is_same(const struct target *target, os_fd file, uint64_t size, bool *ret_same)
{
    *ret_same = false;
    if (target->differs || !target->readable || target->stat.size != size)
        return 0;
    return io_same(target->hold, file, size, ret_same);
}

static int find_hash(struct target *target)
{
    if (target->hash_known)
        return 0;
    int rc =
        target->readable ? io_hash(target->hold, 0, target->stat.size, &target->hash) : -EACCES;
    target->hash_known = rc == 0;
    return rc;
}

/* What of our folder's own openness is left to a folder with versions of a file: those for whom one
 * of them is closed do not list it. [PAST-7] */
static unsigned folder_mode(const struct past *past, const struct target *target, uint32_t group)
{
    unsigned mode = target->stat.mode & open_to(target), all = target->state.wanted_mode & 0777;
    for (size_t i = 0; i < past->versions.count; i++)
        mode &= past->versions.list[i].mode;
    bool for_group = (mode & 040) && (group == target->stat.group || (mode & 004));
    return all & (0700 | (for_group ? 070 : 0) | (mode & 004 ? 007 : 0));
}

/* Another's folder is left alone: closed, it would be so to the owner of the file. And so is an ACL
 * by which others work here, if the group's bits can stay. */
static void fit_folder(struct past *past, struct target *target)
{
    struct os_stat now;
    os_fd folder = past->versions.folder, history;
    if (!is_file(target) || os_stat(folder, NULL, &now) < 0 || now.owner != target->stat.owner)
        return;
    unsigned mode = folder_mode(past, target, now.group);
    if ((mode & ~now.mode & 0777) &&
        state_folder(&target->state, FOLDER_HISTORY, false, &history) == 0)
        (void)os_share(folder, history, NULL); /* else it stays closed */
    else if ((now.mode & 0777) == mode ||
             ((now.mode & 070) == (mode & 070) && !os_is_plain(folder)))
        return;
    past->narrowed = os_narrow(folder, mode | 07000) == 0 && (now.mode & ~mode & 0777) != 0;
}

/* Opens the folder and clears it up; what stays is in past->versions. */
static int open_versions(struct past *past, struct target *target)
{
    int rc = versions_open(&past->versions, &target->state, target->place.name, true);
    if (rc < 0)
        return rc;
    past->open = true;
    versions_sweep(&past->versions, &target->stat);
    fit_folder(past, target);
    return versions_next(&past->versions, &past->next);
}

/* [PAST-6] The upper half counts; the lower one is the holder's own, as the name of a stage is
 * [STAGE-4]: after somebody removed our folder two processes may each hold "the" lock, and neither
 * must swap in what the other has staged. */
static uint64_t next_sequence(const struct past *past, const struct target *target)
{
    uint64_t number = lock_stage_number(&target->lock);
    uint32_t own = (uint32_t)(number ^ number >> 32);
    if (number == 0)
        (void)os_random(&own, sizeof own);
    return (uint64_t)past->next << 32 | own;
}

static void name_next(struct past *past, const struct target *target)
{
    past->own = (struct version){
        .sequence = next_sequence(past, target),
        .hash = target->hash,
        .inode = target->stat.inode,
        .mode = target->stat.mode,
    };
    if (target->set)
        strncpy(past->own.set, target->set, VERSION_SET);
}

/* A second name may be a stage that a power loss left, and that was swept since we looked. */
static bool has_other_names(const struct target *target)
{
    struct os_stat now;
    return target->stat.links > 1 && (os_stat(target->hold, NULL, &now) < 0 || now.links > 1);
}

static int flush_entry(const struct past *past, const struct target *target)
{
    if (target->options->level == UNTORN_CACHE)
        return 0;
    int rc = os_flush_dir(past->versions.folder);
    return rc < 0 && rc != -EINVAL ? rc - VERSIONS_UNFLUSHED : 0;
}

/* ---- keeping none ---- */

/* All but those with that content, unless it is NULL. */
static int erase(struct target *target, const struct untorn_hash *spared,
                 struct untorn_error *error)
{
    struct versions versions;
    char own_name[LIMIT_NAME + 1];
    os_fd history;
    int rc = versions_open(&versions, &target->state, target->place.name, false);
    if (rc == -ENOENT)
        return 0;
    for (size_t i = 0; rc == 0 && i < versions.count; i++) {
        if (spared && untorn_hash_equal(&versions.list[i].hash, spared))
            continue;
        rc = version_remove(&versions, &versions.list[i]);
        rc = rc == -ENOENT ? 0 : rc;
    }
    if (rc == 0 && versions.count > 0 && target->options->level == UNTORN_DURABLE) {
        rc = os_flush_dir(versions.folder);
        rc = rc == -EINVAL ? 0 : rc;
    }
    versions_close(&versions);
    if (rc == 0 && state_folder(&target->state, FOLDER_HISTORY, false, &history) == 0) {
        path_own_name(target->place.name, 0, own_name);
        (void)os_remove(history, own_name, true); /* somebody may have put something else there */
    }
    return rc < 0 ? error_os(error, rc, "erase its earlier versions") : 0;
}

/* [PAST-10] */
static const struct untorn_hash *goes_last(const struct target *target)
{
    return target->set ? NULL : target->new_hash;
}

/* ---- as a copy ---- */

/* Content, owner, mode and time, flushed by the level. */
static int fill_copy(struct target *target, struct stage *copy)
{
    struct hash_stream hash;
    unsigned result;
    hash_begin(&hash);
    int rc = target->readable ? io_copy(target->hold, 0, copy->file, 0, target->stat.size, &hash)
                              : -EACCES;
    if (rc == 0) {
        target->hash = hash_end(&hash);
        target->hash_known = true;
        rc = os_copy_meta(target->hold, copy->file, 0, &result);
    }
    if (rc == 0)
        rc = os_copy_time(target->hold, copy->file);
    if (rc < 0 || target->options->level == UNTORN_CACHE)
        return rc;
    rc = os_flush(copy->file);
    return rc < 0 ? rc - VERSIONS_UNFLUSHED : 0;
}

/* Under its name only when it is whole; until then it is a stage like any other. */
static int enter_copy(struct past *past, struct target *target)
{
    char name[VERSION_NAME_SIZE];
    struct stage copy;
    struct os_stat stat;
    lock_note_stages(&target->lock, true);
    int rc = stage_begin(&copy, &target->state, target->place.name, false);
    if (rc < 0)
        return rc;
    rc = fill_copy(target, &copy);
    if (rc == 0)
        rc = os_stat(copy.file, NULL, &stat);
    if (rc == 0) {
        name_next(past, target);
        past->own.inode = stat.inode;
        version_name(&past->own, name);
        rc = os_rename(copy.folder, copy.name, past->versions.folder, name, OS_REPLACE);
    }
    if (rc == 0) {
        copy.named = false;
        past->entered = true;
        rc = flush_entry(past, target);
    }
    stage_close(&copy);
    return rc;
}

int past_begin_copy(struct past *past, struct target *target, os_fd replacement, uint64_t size,
                    struct untorn_error *error)
{
    bool same;
    past_close(past); /* it was to be kept by a swap */
    *past = (struct past)PAST_CLOSED;
    if (wanted(target->options) < 0)
        return erase(target, goes_last(target), error);
    if (!past_is_wanted(target))
        return 0;
    int rc = is_same(target, replacement, size, &same);
    if (rc == 0 && same)
        return 0; /* [PAST-3] */
    if (rc == 0)
        rc = open_versions(past, target);
    if (rc == 0)
        rc = enter_copy(past, target);
    return rc < 0 ? lose(past, target, rc, error) : 0;
}

/* Where a copy is not what everybody expects. */
static int enter_copy_and_tell(struct past *past, struct target *target, struct untorn_error *error)
{
    int rc = enter_copy(past, target);
    if (rc == 0)
        error->flags |= UNTORN_FLAG_HISTORY_COPIED;
    return rc;
}

/* ---- by a swap ---- */

static int put_stage(struct past *past, const struct target *target, struct stage *stage)
{
    char name[VERSION_NAME_SIZE];
    os_fd folder = past->versions.folder;
    version_name(&past->own, name);
    past->linked = target->stage_stays; /* [PAST-5] */
    int rc = past->linked ? os_link(stage->folder, stage->name, folder, name)
                          : os_rename(stage->folder, stage->name, folder, name, OS_REPLACE);
    past->staged = rc == 0;
    if (rc == 0 && !past->linked)
        stage->named = false;
    return rc;
}

static bool has_no_links(int rc)
{
    return rc == -EPERM || rc == -EMLINK || rc == -EXDEV || rc == -ENOTSUP || rc == -ENOSYS;
}

static int keep_by_swap(struct past *past, struct target *target, struct stage *stage,
                        struct untorn_error *error)
{
    int rc = open_versions(past, target);
    if (rc == 0 && has_other_names(target))
        return enter_copy_and_tell(past, target, error);
    if (rc == 0)
        rc = find_hash(target);
    if (rc < 0)
        return rc;
    name_next(past, target);
    rc = put_stage(past, target, stage);
    return past->linked && has_no_links(rc) ? enter_copy_and_tell(past, target, error) : rc;
}

/* A stage that two hosts may see is not made here: each would take the other's for litter. */
static bool can_stage(const struct target *target)
{
    return past_is_wanted(target) && target->readable && !target->stage_stays &&
           !target->options->exclusive && target->stat.links == 1 &&
           lock_stage_number(&target->lock) != 0;
}

/* Whether the new content differs and the conditions are met: else no folder is to be made for it.
 * What cannot be read is left to past_begin. */
static bool will_be_kept(struct target *target, const void *data, size_t size)
{
    const struct untorn_hash *expected = target->options->if_match;
    if (find_hash(target) < 0 || (expected && !untorn_hash_equal(&target->hash, expected)))
        return false;
    if (size != target->stat.size)
        return true;
    struct untorn_hash hash = untorn_hash(data, size);
    return !untorn_hash_equal(&hash, &target->hash); /* [PAST-3] */
}

/* [PAST-6] By its path: the stage may outlive the handle of the folder. */
static int make_stage(struct past *past, const struct target *target, unsigned mode,
                      struct stage *stage)
{
    char own_name[LIMIT_NAME + 1];
    *stage = (struct stage)STAGE_CLOSED;
    stage->folder = target->state.parent;
    stage->borrowed = true;
    path_own_name(target->place.name, 0, own_name);
    state_path(&target->state, FOLDER_HISTORY, own_name, stage->name);
    version_name(&past->own, path_add(stage->name + strlen(stage->name), "/"));
    int rc = io_open(stage->folder, stage->name, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE,
                     mode, &stage->file);
    stage->named = past->staged = past->made_there = rc == 0;
    return rc;
}

bool past_stage(struct past *past, struct target *target, const void *data, size_t size,
                unsigned mode, struct stage *ret_stage)
{
    if (!can_stage(target) || !will_be_kept(target, data, size))
        return false;
    int rc = open_versions(past, target);
    if (rc == 0) {
        name_next(past, target);
        stage_sweep_locked(&target->state, target->place.name, lock_stage_number(&target->lock));
        rc = make_stage(past, target, mode, ret_stage);
    }
    if (rc < 0) {
        past_close(past);
        past->failed = rc;
    }
    return rc == 0;
}

int past_unstage(struct past *past, struct target *target, struct stage *stage)
{
    if (!past->made_there)
        return 0;
    int rc = stage_move_locked(stage, &target->state, target->place.name,
                               lock_stage_number(&target->lock));
    if (rc == 0)
        past_close(past);
    return rc;
}

int past_begin(struct past *past, struct target *target, struct stage *stage,
               struct untorn_error *error)
{
    bool same = false;
    if (past->staged)
        return 0;
    if (past->failed)
        return lose(past, target, past->failed, error);
    *past = (struct past)PAST_CLOSED;
    if (wanted(target->options) < 0)
        return erase(target, goes_last(target), error);
    int rc = past_is_wanted(target) ? is_same(target, stage->file, stage->size, &same) : 0;
    if (rc == 0 && past_is_wanted(target) && !same)
        rc = keep_by_swap(past, target, stage, error);
    return rc < 0 ? lose(past, target, rc, error) : 0;
}

/* What a crash leaves of it is no version. [VERSIONS-1] */
static int try_entry(struct past *past, struct target *target)
{
    char name[VERSION_NAME_SIZE];
    os_fd file;
    int rc = find_hash(target);
    if (rc == 0)
        rc = open_versions(past, target);
    if (rc < 0)
        return rc;
    name_next(past, target);
    version_name(&past->own, name);
    rc = io_open(past->versions.folder, name, OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0600, &file);
    if (rc < 0)
        return rc;
    os_close(file);
    return os_remove(past->versions.folder, name, false);
}

int past_foresee(struct past *past, struct target *target, struct untorn_error *error)
{
    struct past trial = PAST_CLOSED;
    bool must = must_keep(target) && past_is_wanted(target);
    if (past->failed < -VERSIONS_UNFLUSHED || (past->failed && must))
        return lose(past, target, past->failed, error);
    if (!must || past->staged)
        return 0;
    int rc = try_entry(&trial, target);
    past_close(&trial);
    return rc < 0 ? lose(&trial, target, rc, error) : 0;
}

int past_swap(const struct past *past, const struct target *target)
{
    char name[VERSION_NAME_SIZE];
    version_name(&past->own, name);
    return os_rename(past->versions.folder, name, target->place.dir, target->place.name,
                     OS_EXCHANGE);
}

/* The stage under its own name again; where that fails it has none. */
static void take_stage_back(struct past *past, struct stage *stage)
{
    char name[VERSION_NAME_SIZE];
    if (!past->staged)
        return;
    version_name(&past->own, name);
    past->staged = false;
    if (past->made_there)
        return;
    if (!past->linked &&
        os_rename(past->versions.folder, name, stage->folder, stage->name, OS_REPLACE) == 0)
        stage->named = true;
    else
        (void)os_remove(past->versions.folder, name, false); /* else the next writer does */
}

/* ---- where names cannot be swapped ---- */

/* [VERSIONS-2] holds again as soon as the file is replaced; if it never is, the next writer sees
 * that the entry is the file itself. */
static int enter_second_name(struct past *past, const struct target *target)
{
    char name[VERSION_NAME_SIZE];
    version_name(&past->own, name);
    int rc = os_link(target->place.dir, target->place.name, past->versions.folder, name);
    if (rc < 0)
        return rc;
    past->entered = true;
    return flush_entry(past, target);
}

int past_fall_back(struct past *past, struct target *target, struct stage *stage,
                   struct untorn_error *error)
{
    take_stage_back(past, stage);
    past->own.sequence ^= (uint64_t)past->made_there << 31; /* its name is taken */
    int rc = enter_second_name(past, target);
    if (has_no_links(rc))
        rc = enter_copy_and_tell(past, target, error);
    if (rc < 0)
        past_give_up(past, stage);
    return rc < 0 ? lose(past, target, rc, error) : 0;
}

/* ---- the outcome ---- */

void past_done(struct past *past)
{
    past->kept = past->staged || past->entered;
    past->staged = false;
}

void past_give_up(struct past *past, struct stage *stage)
{
    take_stage_back(past, stage);
    if (past->entered)
        (void)version_remove(&past->versions, &past->own); /* else it is a version like the file */
    past_close(past);
}

void past_leave(struct past *past, struct stage *stage)
{
    if (past->staged && !past->linked)
        stage->named = false;
    past_close(past);
}

/* [PAST-4] A version that cannot be closed to others goes. When this runs, what is kept has no
 * other name by what we did: the file's own was taken from it by the swap or the rename. */
static void narrow(const struct past *past, const struct version *version, unsigned mode,
                   const struct target *target, struct untorn_error *error)
{
    char name[VERSION_NAME_SIZE];
    os_fd file = OS_NONE;
    struct os_stat own;
    bool too_open = (version->mode & ~mode & 0777) != 0;
    /* What an ACL says goes no further than the group's bits. */
    bool may_have_acl =
        (target->options->mode != 0 || past->acl_went) && (version->mode & 070) != 0;
    if (!too_open && !may_have_acl)
        return;
    version_name(version, name);
    int rc = io_open(past->versions.folder, name, OS_READ, 0, &file);
    if (rc == 0)
        rc = os_stat(file, NULL, &own);
    if (rc == 0 && own.links == 1 && (too_open || !os_is_plain(file)))
        rc = os_narrow(file, mode);
    os_close(file);
    if (rc < 0 && rc != -ENOENT && version_remove(&past->versions, version) == 0)
        error->flags |= UNTORN_FLAG_HISTORY_LOST;
}

/* Whether somebody may come to the versions by an ACL, and the file has none, or no more. What is
 * open to all is so without. */
static bool acl_went(const struct past *past, const struct target *target)
{
    return past->versions.count > 0 && (open_to(target) & 044) != 044 && target->readable &&
           target->hold != OS_NONE && !os_is_plain(past->versions.folder) &&
           os_is_plain(target->hold);
}

/* Whether a newer one has the same content. [PAST-3] */
static bool is_repeated(const struct past *past, size_t at)
{
    const struct version *list = past->versions.list;
    if (past->kept && untorn_hash_equal(&list[at].hash, &past->own.hash))
        return true;
    for (size_t i = 0; i < at; i++)
        if (untorn_hash_equal(&list[i].hash, &list[at].hash))
            return true;
    return false;
}

/* What the file has become again, if that is known and there are more than `left`. [PAST-8] */
static const struct untorn_hash *first_to_go(const struct past *past, const struct target *target,
                                             int left)
{
    int others = 0;
    for (size_t i = 0; target->new_hash && i < past->versions.count; i++)
        others += !is_repeated(past, i);
    return others > left ? target->new_hash : NULL;
}

/* [PAST-2] [PAST-3] */
static void prune(struct past *past, const struct target *target, unsigned mode,
                  struct untorn_error *error)
{
    const struct versions *versions = &past->versions;
    past->acl_went = acl_went(past, target);
    int left = wanted(target->options) - past->kept;
    bool all_stay = wanted(target->options) <= 0;
    const struct untorn_hash *first = all_stay ? NULL : first_to_go(past, target, left);
    if (past->kept)
        narrow(past, &past->own, mode, target, error);
    for (size_t i = 0; i < versions->count; i++) {
        const struct version *version = &versions->list[i];
        if (is_repeated(past, i) || (left <= 0 && !all_stay) ||
            (first && untorn_hash_equal(&version->hash, first)))
            (void)version_remove(versions, version); /* else the next writer does */
        else {
            narrow(past, version, mode, target, error);
            left--;
        }
    }
}

/* Of a file that was not there when it was looked at: what it was made with. */
static unsigned open_to_now(const struct target *target)
{
    struct os_stat now;
    if (target->exists || target->options->mode)
        return open_to(target);
    return os_stat(target->place.dir, target->place.name, &now) == 0 ? now.mode : 0777;
}

/* What is remembered of the file. Of a commit under way that is done for all files at once, and by
 * itself where it is recovered. */
static void narrow_records(struct target *target)
{
    if (!target->set || target->recovering)
        upward_narrow(target, open_to(target));
}

void past_prune(struct target *target, struct untorn_error *error)
{
    struct past past = PAST_CLOSED;
    past.open = versions_open(&past.versions, &target->state, target->place.name, false) == 0;
    if (past.open) {
        versions_sweep(&past.versions, NULL);
        prune(&past, target, open_to_now(target), error);
        if (is_narrowed(target)) /* [PAST-7] */
            fit_folder(&past, target);
    }
    if (is_narrowed(target))
        narrow_records(target);
    past_close(&past);
}

/* Whether the folder of its versions is open to who may not read the file: somebody closed that,
 * and no version was kept since. */
static bool is_left_open(const struct target *target)
{
    char own_name[LIMIT_NAME + 1], path[STATE_PATH_SIZE];
    struct os_stat folder;
    unsigned mode = open_to(target);
    if (!is_file(target) || (mode & 044) == 044)
        return false;
    path_own_name(target->place.name, 0, own_name);
    state_path(&target->state, FOLDER_HISTORY, own_name, path);
    return os_stat(target->state.parent, path, &folder) == 0 &&
           (((folder.mode & 007) && !(mode & 004)) || ((folder.mode & 070) && !(mode & 044)));
}

/* All stay. */
static void close_versions(struct target *target, struct untorn_error *error)
{
    struct past past = PAST_CLOSED;
    if (versions_open(&past.versions, &target->state, target->place.name, false) < 0)
        return;
    past.open = true;
    versions_sweep(&past.versions, NULL);
    past.acl_went = acl_went(&past, target);
    for (size_t i = 0; i < past.versions.count; i++)
        narrow(&past, &past.versions.list[i], open_to(target), target, error);
    fit_folder(&past, target);
    narrow_records(target);
    past_close(&past);
}

/* What has the content that the file has now goes with the next writer if it does not go here. */
static void erase_last(struct target *target)
{
    struct untorn_error unseen;
    error_begin(&unseen, NULL, NULL);
    if (wanted(target->options) < 0 && goes_last(target))
        (void)past_erase(target, &unseen);
}

void past_settle(struct past *past, struct target *target, struct untorn_error *error)
{
    erase_last(target);
    if (past->open) {
        prune(past, target, open_to(target), error);
        if (past->narrowed || is_narrowed(target))
            narrow_records(target);
    } else if (is_narrowed(target)) /* nothing was kept, but what is there is too open now */
        past_prune(target, error);
    else if (is_left_open(target))
        close_versions(target, error);
    past_close(past);
}

void past_close(struct past *past)
{
    if (past->open)
        versions_close(&past->versions);
    *past = (struct past)PAST_CLOSED;
}

/* ---- removing ---- */

int past_erase(struct target *target, struct untorn_error *error)
{
    return erase(target, NULL, error);
}

/* As past_begin, for a file that has no successor. */
static int begin_removal(struct past *past, struct target *target, struct untorn_error *error)
{
    *past = (struct past)PAST_CLOSED;
    if (wanted(target->options) < 0)
        return past_erase(target, error);
    if (!past_is_wanted(target))
        return 0;
    int rc = open_versions(past, target);
    if (rc == 0 && has_other_names(target))
        rc = enter_copy_and_tell(past, target, error);
    else if (rc == 0) {
        rc = find_hash(target);
        name_next(past, target);
    }
    return rc < 0 ? lose(past, target, rc, error) : 0;
}

/* Whether a removal that failed took place nevertheless: as with any rename. */
static int look_after(const struct target *target, int failure)
{
    struct os_stat now;
    int rc = os_stat(target->place.dir, target->place.name, &now);
    return rc == -ENOENT ? 0 : failure;
}

static int take_name(const struct past *past, const struct target *target)
{
    char name[VERSION_NAME_SIZE];
    os_fd dir = target->place.dir;
    int rc = AGAIN;
    lock_directory(dir);
    if (target_is_current(target)) {
        version_name(&past->own, name);
        rc = past->open && !past->entered
                 ? os_rename(dir, target->place.name, past->versions.folder, name, OS_REPLACE)
                 : os_remove(dir, target->place.name, false);
        if (rc < 0)
            rc = look_after(target, rc);
    }
    (void)os_lock(dir, OS_UNLOCK); /* closing the directory would do it too */
    return rc;
}

/* Where the versions lie on another file system they are copies. */
static int copy_removed(struct past *past, struct target *target, struct untorn_error *error)
{
    int rc = enter_copy_and_tell(past, target, error);
    return rc < 0 ? lose(past, target, rc, error) : 0;
}

int past_keep_removed(struct target *target, struct untorn_error *error)
{
    struct past past = PAST_CLOSED;
    int rc = begin_removal(&past, target, error);
    if (rc != 0)
        return rc;
    rc = take_name(&past, target);
    if (rc == -EXDEV && past.open && !past.entered) {
        rc = copy_removed(&past, target, error);
        if (rc != 0)
            return rc;
        rc = take_name(&past, target);
    }
    if (rc != 0 && past.entered)
        (void)version_remove(&past.versions, &past.own);
    past_close(&past);
    if (rc == AGAIN || rc == -ENOENT)
        return AGAIN;
    return rc < 0 ? place_fail(&target->place, rc, "remove it", error) : 0;
}
