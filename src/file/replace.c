#include "file/replace.h"
#include "base/pathtext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/batch.h"
#include "file/inplace.h"
#include "file/io.h"
#include "file/quarantine.h"

bool replace_wants_open_mode(const struct untorn_options *options, bool is_file)
{
    return !is_file && options->mode == 0;
}

static bool is_file(const struct target *target)
{
    return target->exists && target->stat.kind == OS_REGULAR;
}

/* One that comes back has a mode, and its stage shows nobody more than that. */
static bool wants_open_mode(const struct target *target)
{
    return !target->meta_of && replace_wants_open_mode(target->options, is_file(target));
}

/* ---- conditions ---- */

static int check_match(struct target *target, struct untorn_error *error)
{
    char text[UNTORN_HASH_TEXT_SIZE];
    if (!is_file(target)) {
        error_detail(error, "it does not exist");
        return error_fail(error, UNTORN_CHANGED, NULL);
    }
    int rc =
        target->readable ? io_hash(target->hold, 0, target->stat.size, &target->hash) : -EACCES;
    target->hash_known = rc == 0;
    if (rc < 0)
        return error_os(error, rc, "read it to compare");
    if (untorn_hash_equal(&target->hash, target->options->if_match))
        return 0;
    error_detail(error, "its content has the hash %s", untorn_hash_format(&target->hash, text));
    return error_fail(error, UNTORN_CHANGED, NULL);
}

/* 0 go on; 1 nothing to do; below 0 refused. */
static int check_conditions(struct target *target, const struct stage *stage,
                            struct untorn_error *error)
{
    const struct untorn_options *options = target->options;
    if (options->exclusive && target->exists)
        return error_fail(error, UNTORN_EXISTS, NULL);
    if (options->if_match) {
        int rc = check_match(target, error);
        if (rc != 0)
            return rc;
    }
    if (target->exists && target->stat.immutable) {
        error_detail(error, "it is marked immutable or append-only (see lsattr, chattr)");
        return error_fail(error, UNTORN_DENIED, NULL);
    }
    bool mode_fits = options->mode == 0 || options->mode == target->stat.mode;
    if (!options->if_changed || !target->exists || !target->readable || !mode_fits ||
        target->stat.size != stage->size)
        return 0;
    bool same;
    int rc = io_same(target->hold, stage->file, stage->size, &same);
    if (rc < 0)
        return error_os(error, rc, "read it to compare");
    return same ? 1 : 0;
}

/* ---- flushing ---- */

int replace_flush_name(struct target *target, struct untorn_error *error)
{
    if (target->options->level != UNTORN_DURABLE)
        return 0;
    int rc = os_flush_dir(target->place.dir);
    if (rc == -EINVAL) {
        error->flags |= UNTORN_FLAG_NO_DIR_FLUSH;
        return 0;
    }
    if (rc < 0) /* [REPLACE-3] */
        return error_unsettled(error, UNTORN_UNSETTLED_FLUSH, rc, "flush the directory");
    return 0;
}

int replace_confirm(struct target *target, struct untorn_error *error)
{
    int rc = replace_erase(target, error);
    error->flags |= UNTORN_FLAG_UNCHANGED;
    return rc == 0 ? replace_flush_visible(target, error) : rc;
}

int replace_erase(struct target *target, struct untorn_error *error)
{
    return target->options->keep < 0 ? past_erase(target, error) : 0;
}

int replace_flush_visible(struct target *target, struct untorn_error *error)
{
    if (target->options->level == UNTORN_CACHE || !target->exists)
        return 0;
    int rc = target->readable ? os_flush(target->hold) : 0;
    if (rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_FLUSH, rc, "flush what is there");
    return replace_flush_name(target, error);
}

int replace_take_back(struct target *target, os_fd made)
{
    struct os_stat ours, named;
    const struct place *place = &target->place;
    int rc = os_stat(made, NULL, &ours);
    if (rc == 0)
        rc = os_stat(place->dir, place->name, &named);
    if (rc == 0 && (ours.size > 0 || !os_same_file(&ours, &named)))
        return 0;
    if (rc == 0)
        rc = os_remove(place->dir, place->name, false);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    if (target->options->level == UNTORN_CACHE)
        return 0;
    rc = os_flush_dir(target->place.dir);
    return rc == -EINVAL ? 0 : rc;
}

/* A file system that cannot flush a directory is found out before anything changes. */
static int check_strict(struct target *target, struct untorn_error *error)
{
    if (!target->options->strict || target->options->level != UNTORN_DURABLE)
        return 0;
    int rc = os_flush_dir(target->place.dir);
    if (rc == 0)
        return 0;
    error_detail(error, "it cannot flush a directory");
    return rc == -EINVAL ? error_fail(error, UNTORN_UNSUPPORTED, NULL)
                         : error_os(error, rc, "flush the directory");
}

/* ---- the rename path ---- */

/* Whether the stage was made with all that the file has: then there is nothing to give. */
static bool has_meta(struct replacement *replacement)
{
    const struct target *target = replacement->target;
    const struct stage *stage = replacement->stage;
    struct os_stat *own = &replacement->staged;
    unsigned mode = target->options->mode ? target->options->mode : target->stat.mode;
    return stage->final_mode && os_stat(stage->file, NULL, own) == 0 && own->mode == mode &&
           own->owner == target->stat.owner && own->group == target->stat.group &&
           os_is_plain(stage->file);
}

/* [REPLACE-5] Where the owner cannot be given the file must keep its inode. */
static int give_meta(struct replacement *replacement, struct untorn_error *error)
{
    struct target *target = replacement->target;
    struct stage *stage = replacement->stage;
    unsigned result = 0, mode = target->options->mode;
    replacement->needs_nothing = has_meta(replacement);
    if (replacement->needs_nothing)
        return 0;
    int rc = is_file(target)   ? os_copy_meta(target->hold, stage->file, mode, &result)
             : target->meta_of ? os_copy_meta(*target->meta_of, stage->file, 0, &result)
                               : os_new_meta(target->place.dir, stage->file, mode);
    if (rc < 0)
        return error_os(error, rc, "give the new version the old one's owner and mode");
    replacement->in_place = is_file(target) && (result & OS_META_OWNER_DENIED) != 0;
    if (result & OS_META_LOST) {
        error->flags |= UNTORN_FLAG_META_LOST;
        if (target->options->strict) {
            error_detail(error, "an extended attribute cannot be kept");
            return error_fail(error, UNTORN_UNSUPPORTED, NULL);
        }
    }
    return 0;
}

enum { UNKNOWN = AGAIN - 1 }; /* whether a rename took place */

/* Some file systems report failure for a rename that took place (NFS: a repeated request). Returns
 * `failure` if it did not, 0 if it did. */
static int look_after(const struct target *target, const struct stage *stage, int failure)
{
    struct os_stat now, own = {.device = target->place.dir_stat.device, .inode = stage->inode};
    int rc = stage->file == OS_NONE ? 0 : os_stat(stage->file, NULL, &own);
    if (rc == 0)
        rc = os_stat(target->place.dir, target->place.name, &now);
    if (rc < 0 && rc != -ENOENT)
        return UNKNOWN;
    if (rc == 0 && os_same_file(&now, &own))
        return 0;
    return failure == -ENOTRECOVERABLE ? UNKNOWN : failure;
}

/* Whether the old version may leave by the stage's name, for who holds the name's lock to remove:
 * docs/decisions/0025. Not at the other levels, whose flush has cost that already; nor in a commit
 * of several files, whose journal takes what has the stage's name for what is to come. */
static bool leaves_by_stage(const struct replacement *replacement)
{
    const struct target *target = replacement->target;
    return replacement->alone && is_file(target) && target->options->level == UNTORN_CACHE &&
           target->stat.owner == os_user();
}

/* [REPLACE-8] AGAIN: it was another that came out, and is back. */
static int swap_and_remove(const struct target *target, const struct stage *stage)
{
    const struct place *place = &target->place;
    struct os_stat out;
    int rc = os_rename(stage->folder, stage->name, place->dir, place->name, OS_EXCHANGE);
    if (rc < 0)
        return rc;
    rc = os_stat(stage->folder, stage->name, &out);
    if (rc == 0 && os_still_same(&out, &target->stat))
        (void)os_remove(stage->folder, stage->name, false); /* else the next writer does */
    else if (rc == 0 &&
             os_rename(stage->folder, stage->name, place->dir, place->name, OS_EXCHANGE) == 0)
        return AGAIN;
    return 0;
}

/* Of both files, where the system does not put one in the place of the other while we have them
 * open. The lock and the directory's are ours: nobody of us replaces the file meanwhile. */
static int let_go(struct target *target, struct stage *stage)
{
    os_close(target->hold);
    target->hold = OS_NONE;
    return stage_rest(stage);
}

/* Step 6. [REPLACE-1] */
static int rename_stage(const struct replacement *replacement, const struct past *past)
{
    struct target *target = replacement->target;
    struct stage *stage = replacement->stage;
    os_fd dir = target->place.dir;
    enum os_rename how = target->exists ? OS_REPLACE : OS_NO_REPLACE;
    if (past->staged)
        return past_swap(past, target);
    int rc = leaves_by_stage(replacement) ? swap_and_remove(target, stage) : -EINVAL;
    if (rc != -EINVAL)
        return rc;
    rc = os_renames_open() ? 0 : let_go(target, stage); /* UNREACHED: false on Windows alone */
    if (rc == 0) /* UNREACHED: let_go can fail, on Windows alone */
        rc = os_rename(stage->folder, stage->name, dir, target->place.name, how);
    if (rc == -EINVAL && how == OS_NO_REPLACE) /* the check above stands in for it */
        rc = os_rename(stage->folder, stage->name, dir, target->place.name, OS_REPLACE);
    return rc;
}

/* Steps 5 and 6, inside the directory's own lock. Returns an errno value, AGAIN or UNKNOWN. */
static int check_and_rename(struct replacement *replacement, const struct past *past)
{
    const struct target *target = replacement->target;
    struct stage *stage = replacement->stage;
    os_fd dir = target->place.dir;
    int rc = AGAIN;
    lock_directory(dir);
    if (target_is_current(target)) {
        rc = rename_stage(replacement, past);
        if (rc < 0 && rc != AGAIN)
            rc = look_after(target, stage, rc);
        if (rc == 0 && !past->linked)
            stage->named = false;
    }
    (void)os_lock(dir, OS_UNLOCK); /* closing the directory would do it too */
    return rc;
}

static int fail_rename(const struct place *place, int rc, struct untorn_error *error)
{
    if (rc == AGAIN || rc == -ENOENT || rc == -EEXIST)
        return AGAIN;
    if (rc == UNKNOWN)
        return error_unsettled(error, UNTORN_UNSETTLED_FLUSH, -EIO, "put the new version in place");
    if (rc == -EISDIR || rc == -ENOTDIR) {
        error_detail(error, "%s", place_kind_text(OS_DIRECTORY));
        return error_fail(error, UNTORN_NOT_A_FILE, NULL);
    }
    return place_fail(place, rc, "put the new version in place", error);
}

/* With a state directory the user's own directory may be one that we cannot change. */
static bool is_job_for_in_place(const struct target *target, int rc)
{
    bool closed = rc == -EACCES || rc == -EPERM || rc == -EROFS;
    return rc == -EBUSY || rc == -EXDEV || (closed && target->state.outside);
}

/* ---- in place ---- */

/* A new file whose stage lies on another file system: made empty, then written like any other. Its
 * first moment is an empty file; a crash in it is finished or found empty. */
static int make_empty(struct target *target, struct untorn_error *error)
{
    const struct untorn_options *options = target->options;
    unsigned mode = options->mode ? options->mode & 0600 : target->meta_of ? 0600 : 0666, unused;
    int rc = io_open(target->place.dir, target->place.name,
                     OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE, mode, &target->hold);
    if (rc == -EEXIST)
        return AGAIN;
    if (rc == 0)
        rc = target->meta_of ? os_copy_meta(*target->meta_of, target->hold, 0, &unused)
                             : os_new_meta(target->place.dir, target->hold, options->mode);
    if (rc == 0)
        rc = os_stat(target->hold, NULL, &target->stat);
    if (rc == 0 && options->level != UNTORN_CACHE) { /* before a journal names it */
        rc = os_flush_dir(target->place.dir);
        rc = rc == -EINVAL ? 0 : rc;
    }
    return rc < 0 ? error_os(error, rc, "make it") : 0;
}

/* The empty file goes again if nothing came of it. */
static int create_in_place(struct target *target, struct stage *stage, struct untorn_error *error)
{
    int rc = make_empty(target, error);
    if (rc == 0)
        rc = inplace_write(&target->lock, &target->stat, stage->file, stage->size, target->options,
                           error);
    if (rc < 0 && target->hold != OS_NONE && replace_take_back(target, target->hold) < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, 0, "take it back");
    return rc;
}

static int overwrite_in_place(struct target *target, struct stage *stage, struct past *past,
                              struct untorn_error *error)
{
    int rc = past_begin_copy(past, target, stage->file, stage->size, error);
    if (rc == 0)
        rc = inplace_write(&target->lock, &target->stat, stage->file, stage->size, target->options,
                           error);
    if (rc < 0)
        past_give_up(past, stage);
    else
        past_done(past);
    return rc;
}

static int refuse_in_place(const struct target *target, struct untorn_error *error)
{
    if (!target->options->strict || target->options->keep_inode)
        return 0;
    error_detail(error, "the file cannot be replaced, only overwritten in place");
    return error_fail(error, UNTORN_UNSUPPORTED, NULL);
}

static int commit_in_place(struct target *target, struct stage *stage, struct past *past,
                           struct untorn_error *error)
{
    int rc = refuse_in_place(target, error);
    if (rc != 0)
        return rc;
    rc = stage_wake(stage);
    if (rc == 0 && target->exists)
        rc = target_wake(target);
    if (rc == -ESTALE || rc == -ENOENT)
        return AGAIN;
    if (rc < 0)
        return error_os(error, rc, "open it again");
    if (!target->exists)
        return create_in_place(target, stage, error);
    return overwrite_in_place(target, stage, past, error);
}

static bool must_be_in_place(const struct target *target)
{
    return is_file(target) &&
           (target->options->keep_inode || target->stat.mount_root ||
            (target->state.outside && target->state.stat.device != target->stat.device));
}

/* ---- the parts ---- */

int replace_prepare(struct replacement *replacement, struct untorn_error *error)
{
    struct target *target = replacement->target;
    struct stage *stage = replacement->stage;
    bool open_mode = wants_open_mode(target);
    replacement->in_place = must_be_in_place(target);
    int rc = check_conditions(target, stage, error);
    if (rc == 0)
        rc = check_strict(target, error);
    if (rc != 0)
        return rc;
    if (stage->open_mode != open_mode) { /* [STAGE-2] the file came or went since we began */
        rc = stage_renew(stage, &target->state, target->place.name, open_mode);
        if (rc < 0)
            return rc == -ENOENT ? AGAIN : error_os(error, rc, "stage the new version");
    }
    if (!replacement->in_place)
        rc = give_meta(replacement, error);
    return rc == 0 ? quarantine_old(target, stage, error) : rc;
}

/* What is not there yet has no mark. */
static int check_folder(const struct target *target, enum folder kind, const char *name,
                        struct untorn_error *error)
{
    char path[STATE_PATH_SIZE];
    struct os_stat folder;
    state_path(&target->state, kind, name, path);
    if (os_stat(target->state.parent, path, &folder) < 0 || !folder.immutable)
        return 0;
    error_detail(error, "%s is marked immutable or append-only (see lsattr, chattr)", path);
    return error_fail(error, UNTORN_DENIED, NULL);
}

/* The new version cannot leave a folder that somebody marked: that of the versions, by the swap, or
 * that of the stages before. */
static int check_folders(const struct target *target, const struct past *past,
                         struct untorn_error *error)
{
    char own_name[LIMIT_NAME + 1];
    path_own_name(target->place.name, 0, own_name);
    int rc = past && past->made_there ? 0 : check_folder(target, FOLDER_STAGE, "", error);
    if (rc == 0 && past_is_wanted(target))
        rc = check_folder(target, FOLDER_HISTORY, own_name, error);
    return rc;
}

int replace_foresee(struct replacement *replacement, bool beside, struct untorn_error *error)
{
    struct target *target = replacement->target;
    const struct past *past = replacement->past;
    int denied = place_foresee(&target->place, target->exists ? &target->stat : NULL,
                               beside && !target->state.outside);
    bool in_place =
        replacement->in_place || (is_file(target) && denied && is_job_for_in_place(target, denied));
    if (in_place) {
        int rc = refuse_in_place(target, error);
        return rc == 0 ? inplace_foresee(&target->lock, &target->stat, target->options, error) : rc;
    }
    if (denied)
        return place_fail_foreseen(&target->place, denied, "put the new version in place", error);
    return check_folders(target, past, error);
}

int replace_flush(struct replacement *replacement, struct untorn_error *error)
{
    if (replacement->in_place || replacement->target->options->level == UNTORN_CACHE)
        return 0;
    int rc = os_flush(replacement->stage->file);                      /* [REPLACE-2] */
    return rc < 0 ? error_os(error, rc, "flush the new version") : 0; /* [STAGE-3] */
}

static int publish_by_rename(struct replacement *replacement, struct past *past,
                             struct untorn_error *error)
{
    struct target *target = replacement->target;
    struct stage *stage = replacement->stage;
    int rc = past_begin(past, target, stage, error);
    if (rc != 0)
        return rc;
    rc = check_and_rename(replacement, past);
    if (rc == -EINVAL && past->staged) {
        rc = past_fall_back(past, target, stage, error);
        if (rc != 0)
            return rc;
        rc = check_and_rename(replacement, past);
    }
    if (rc == 0)
        past_done(past);
    else if (rc == UNKNOWN)
        past_leave(past, stage);
    else
        past_give_up(past, stage);
    replacement->in_place = is_job_for_in_place(target, rc) && (is_file(target) || rc == -EXDEV);
    return rc < 0 && !replacement->in_place ? fail_rename(&replacement->target->place, rc, error)
                                            : 0;
}

/* What was kept is in *past, to be settled. */
static int publish(struct replacement *replacement, struct past *past, struct untorn_error *error)
{
    int rc = replacement->in_place ? 0 : publish_by_rename(replacement, past, error);
    if (rc == 0 && replacement->in_place && replacement->target->batch)
        return REPLACE_ALONE;
    if (rc == 0 && replacement->in_place)
        rc = commit_in_place(replacement->target, replacement->stage, past, error);
    if (rc >= 0 && !replacement->target->exists)
        error->flags |= UNTORN_FLAG_CREATED;
    return rc;
}

int replace_publish(struct replacement *replacement, struct untorn_error *error)
{
    struct past own = PAST_CLOSED;
    int rc = publish(replacement, replacement->past ? replacement->past : &own, error);
    past_close(&own);
    return rc;
}

/* [REPLACE-7] */
static int promise(const struct replacement *replacement, struct untorn_error *error)
{
    const struct target *target = replacement->target;
    struct os_stat own;
    if (!target->batch)
        return 0;
    if (replacement->in_place)
        return REPLACE_ALONE;
    int rc = os_stat(replacement->stage->file, NULL, &own);
    if (rc == 0)
        rc = batch_promise(target->batch, &own, target->exists ? &target->stat : NULL);
    return rc < 0 ? error_os(error, rc, "note what is to become of it") : 0;
}

/* `past` is open where the stage was begun through it, else closed; then it is closed. */
static int commit(struct target *target, struct stage *stage, struct past *past,
                  struct untorn_error *error)
{
    struct replacement replacement = {.target = target, .stage = stage, .alone = true};
    int rc = replace_prepare(&replacement, error);
    if (rc == REPLACE_UNCHANGED) {
        past_close(past);
        return replace_confirm(target, error);
    }
    if (rc == 0)
        rc = replace_flush(&replacement, error);
    if (rc == 0)
        rc = promise(&replacement, error);
    if (rc == 0)
        rc = publish(&replacement, past, error);
    if (rc == 0)
        rc = replace_flush_name(target, error);
    if (rc == 0)
        past_settle(past, target, error);
    past_close(past);
    return rc;
}

int replace_commit(struct target *target, struct stage *stage, struct untorn_error *error)
{
    struct past past = PAST_CLOSED;
    return commit(target, stage, &past, error);
}

/* What a stage for `target` may be made with: the file's own mode, if that shows nobody more than
 * the file does. [STAGE-2] */
static unsigned stage_mode(const struct target *target, bool *ret_final)
{
    unsigned mode = target->options->mode ? target->options->mode : target->stat.mode;
    *ret_final = false;
    if (!is_file(target))
        return wants_open_mode(target) ? 0666 : 0600;
    bool group_gains = (mode >> 3 & ~mode & 7) != 0;
    *ret_final = os_makes_modes() && /* UNREACHED: false on Windows alone */
                 !group_gains && mode <= 0777 && target->readable &&
                 target->stat.owner == os_user() && os_is_plain(target->hold);
    return *ret_final ? mode : 0600;
}

/* Under the name that only this lock gives [STAGE-4]; else like one that is begun without it. */
int replace_begin(struct target *target, struct stage *ret_stage)
{
    const char *name = target->place.name;
    bool open_mode = wants_open_mode(target), final;
    uint64_t number = lock_stage_number(&target->lock);
    unsigned mode = stage_mode(target, &final);
    int rc = -EEXIST;
    if (number)
        rc = stage_begin_locked(ret_stage, &target->state, name, number, mode, open_mode);
    ret_stage->final_mode = final;
    if (rc != -EEXIST)
        return rc;
    lock_note_stages(&target->lock, true);
    return stage_begin(ret_stage, &target->state, name, open_mode);
}

int replace_begin_content(struct target *target, const void *data, size_t size, struct past *past,
                          struct stage *ret_stage)
{
    bool final;
    unsigned mode = stage_mode(target, &final);
    if (must_be_in_place(target) || !past_stage(past, target, data, size, mode, ret_stage))
        return replace_begin(target, ret_stage);
    ret_stage->final_mode = final;
    return 0;
}

int replace_content(struct target *target, const void *data, size_t size,
                    struct untorn_error *error)
{
    struct past past = PAST_CLOSED;
    struct stage stage;
    int rc = replace_begin_content(target, data, size, &past, &stage);
    if (rc == 0)
        rc = stage_write(&stage, data, size);
    if (rc < 0)
        rc = rc == -ENOENT ? AGAIN : error_os(error, rc, "stage the new version");
    else
        rc = commit(target, &stage, &past, error);
    past_close(&past);
    stage_close(&stage);
    return rc;
}
