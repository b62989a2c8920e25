#include "file/transform.h"

#include <errno.h>

#include "file/io.h"
#include "file/replace.h"

/* Pages are written out while the rest is still being made, so that the flush finds little left. */
enum { BEHIND = 4 * 1024 * 1024 };

struct transform {
    struct target target;
    struct stage stage;
    uint64_t seen;    /* how far the old version was read without a gap */
    uint64_t started; /* how far the new one is on its way to the disk */
    bool hashing;     /* the old one is to be kept */
    struct hash_stream hash;
};

uint64_t transform_size(const struct transform *transform)
{
    return transform->target.stat.size;
}

void transform_old_is_whole(struct transform *transform)
{
    transform->target.old_is_whole = true;
}

void transform_differs(struct transform *transform)
{
    transform->target.differs = true;
}

int64_t transform_read(struct transform *transform, void *data, size_t size, uint64_t offset)
{
    int64_t n = io_read(transform->target.hold, data, size, offset);
    if (n <= 0 || offset > transform->seen || offset + (uint64_t)n <= transform->seen)
        return n;
    size_t known = (size_t)(transform->seen - offset);
    if (transform->hashing)
        hash_add(&transform->hash, (const char *)data + known, (size_t)n - known);
    transform->seen = offset + (uint64_t)n;
    return n;
}

int transform_write(struct transform *transform, const void *data, size_t size)
{
    struct stage *stage = &transform->stage;
    int rc = stage_write(stage, data, size);
    if (rc == 0 && transform->target.options->level != UNTORN_CACHE &&
        stage->size - transform->started >= BEHIND) {
        os_flush_soon(stage->file, transform->started, stage->size - transform->started);
        transform->started = stage->size;
    }
    return rc;
}

static int check_readable(const struct target *target, struct untorn_error *error)
{
    if (!target->exists || target->stat.kind != OS_REGULAR)
        return error_fail(error, UNTORN_MISSING, NULL);
    return target->readable ? 0 : error_os(error, -EACCES, "read it");
}

/* With the lock held and the file looked at. */
static int run_once(struct transform *transform, transform_function *function, void *context,
                    struct untorn_error *error)
{
    struct target *target = &transform->target;
    target->old_is_whole = target->differs = false;
    int rc = check_readable(target, error);
    if (rc != 0)
        return rc;
    int os_rc = replace_begin(target, &transform->stage);
    if (os_rc < 0)
        return os_rc == -ENOENT ? AGAIN : error_os(error, os_rc, "stage the new version");
    transform->seen = transform->started = 0;
    transform->hashing = past_is_wanted(target);
    hash_begin(&transform->hash);
    rc = function(context, transform, error);
    if (rc == TRANSFORM_STALE || (rc == 0 && transform->seen != target->stat.size))
        rc = AGAIN; /* it was cut or added to while it was read */
    if (rc == TRANSFORM_UNCHANGED)
        rc = target_is_current(target) ? replace_confirm(target, error) : AGAIN;
    else if (rc == 0) {
        target->hash = hash_end(&transform->hash);
        target->hash_known = transform->hashing;
        rc = replace_commit(target, &transform->stage, error);
    }
    stage_close(&transform->stage);
    return rc;
}

int transform_file(const char *path, transform_function *function, void *context,
                   const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options given = options ? *options : (struct untorn_options){0};
    struct transform transform;
    int rc = target_open(&transform.target, path, &given, error);
    if (rc != 0)
        return rc;
    transform.target.stages_under_lock = transform.target.was_read = true;
    do {
        rc = target_lock(&transform.target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = run_once(&transform, function, context, error);
    } while (rc == AGAIN && (rc = target_reopen(&transform.target, error)) == 0);
    target_close(&transform.target);
    return rc;
}
