#include "history/restore.h"

#include <errno.h>

#include <untorn/history.h>

#include "file/io.h"
#include "file/replace.h"
#include "file/upward.h"
#include "history/look.h"

int restore_keep(const struct untorn_options *options, size_t count)
{
    if (options->keep != 0)
        return options->keep;
    return count == 0 ? 1 : count < LIMIT_KEPT ? (int)count : LIMIT_KEPT;
}

static bool is_expected(const struct version *version, const struct version *expected)
{
    return !expected || (version->sequence == expected->sequence &&
                         untorn_hash_equal(&version->hash, &expected->hash));
}

/* The content into the stage, compared with its hash on the way. */
static int copy_into(const struct version_found *found, struct stage *stage,
                     struct untorn_error *error)
{
    struct hash_stream stream;
    hash_begin(&stream);
    int rc = io_copy(found->file, 0, stage->file, 0, found->stat.size, &stream);
    if (rc < 0 && rc != -ESTALE)
        return error_os(error, rc, "copy the earlier version");
    struct untorn_hash hash = hash_end(&stream);
    stage->size = found->stat.size;
    if (rc == 0 && untorn_hash_equal(&hash, &found->version.hash))
        return 0;
    error_detail(error, "somebody changed this version after it was kept");
    return error_fail(error, UNTORN_DAMAGED, NULL);
}

static int stage_and_replace(struct target *target, const struct version_found *found,
                             struct untorn_error *error)
{
    struct stage stage;
    int rc = replace_begin(target, &stage);
    if (rc < 0)
        return rc == -ENOENT ? AGAIN : error_os(error, rc, "stage the new version");
    rc = copy_into(found, &stage, error);
    if (rc == 0)
        rc = replace_commit(target, &stage, error);
    stage_close(&stage);
    return rc;
}

static int replace_by(struct target *target, const struct version_found *found,
                      struct untorn_error *error)
{
    target->meta_of = &found->file; /* a removed file comes back with what it had */
    target->new_hash = &found->version.hash;
    int rc = stage_and_replace(target, found, error);
    target->meta_of = NULL;
    target->new_hash = NULL;
    return rc;
}

static int fail_find(int rc, const struct versions *versions, unsigned number,
                     struct untorn_error *error)
{
    return rc == -ENOENT ? look_fail(versions, number, error)
                         : error_os(error, rc, "look for its earlier versions");
}

/* By the mode that the version had as the user's file. */
static bool may_read(const struct os_stat *file, const struct os_stat *version)
{
    return file->owner == version->owner || file->owner == 0 || (version->mode & 004) ||
           ((version->mode & 040) && file->group == version->group);
}

int restore_check_owner(const struct os_stat *file, const struct os_stat *version,
                        struct untorn_error *error)
{
    if (may_read(file, version))
        return 0;
    error_detail(error, "the file belongs to another user now, who might not read that version; "
                        "where there is none it comes back with the owner that it had");
    return error_fail(error, UNTORN_DENIED, NULL);
}

/* With the lock held and the file looked at. */
static int restore_once(struct target *target, struct untorn_options *options, unsigned number,
                        const struct version *expected, struct untorn_error *error)
{
    struct version_found found = {.file = OS_NONE};
    struct versions versions;
    int rc = versions_open(&versions, &target->state, target->place.name, false);
    if (rc == 0)
        rc = number == 0
                 ? -ENOENT
                 : versions_at(&versions, target->exists ? &target->stat : NULL, number, &found);
    if (rc < 0)
        rc = fail_find(rc, &versions, number, error);
    else if (!is_expected(&found.version, expected))
        rc = AGAIN;
    else if (found.file == OS_NONE)
        rc = error_os(error, -EACCES, "read an earlier version");
    else if (target->exists)
        rc = restore_check_owner(&target->stat, &found.stat, error);
    if (rc == 0) {
        options->keep = restore_keep(options, versions.count);
        rc = replace_by(target, &found, error);
    }
    os_close(found.file);
    versions_close(&versions);
    return rc;
}

int restore_version(const char *path, unsigned number, const struct version *expected,
                    const struct untorn_options *options, struct untorn_error *error)
{
    struct untorn_options given = options ? *options : (struct untorn_options){0}, own;
    struct target target;
    given.if_changed = true;
    given.exclusive = given.keep_inode = given.parents = false;
    given.mode = 0;
    own = given;
    int rc = upward_refuse(path, &own, error);
    if (rc == 0)
        rc = target_open(&target, path, &own, error);
    if (rc != 0)
        return rc;
    target.stages_under_lock = target.keeps = true;
    do {
        own = given;
        rc = target_lock(&target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = restore_once(&target, &own, number, expected, error);
        if (rc == AGAIN && expected)
            break; /* what is to be restored may be another by now */
    } while (rc == AGAIN && (rc = target_reopen(&target, error)) == 0);
    target_close(&target);
    return rc;
}

int untorn_restore(const char *path, unsigned number, const struct untorn_options *options,
                   struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    return restore_version(path, number, NULL, options, error);
}
