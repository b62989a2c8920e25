/* untorn/update.h: lock, re-read, the caller's function, replace. */
#include "file/update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/read.h"
#include "file/replace.h"
#include "file/upward.h"

void untorn_change_give(struct untorn_change *change, void *data, size_t size)
{
    free(change->data);
    change->data = data;
    change->size = size;
    change->set = true;
}

int untorn_change_set(struct untorn_change *change, const void *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return -UNTORN_NO_MEMORY;
    if (size > 0)
        memcpy(copy, data, size);
    untorn_change_give(change, copy, size);
    return 0;
}

static bool is_same(const struct untorn_content *old, bool exists,
                    const struct untorn_change *change)
{
    return exists && change->size == old->size &&
           (old->size == 0 || memcmp(change->data, old->data, old->size) == 0);
}

/* The same content may still have to have a mode, or to be a certain version. */
static bool needs_more_than_content(const struct target *target)
{
    const struct untorn_options *options = target->options;
    return options->if_match || (options->mode && options->mode != target->stat.mode);
}

int update_once(struct update *update, struct untorn_error *error)
{
    struct target *target = &update->target;
    struct untorn_content old = {0};
    struct untorn_change change = {0};
    bool is_file = target->exists && target->stat.kind == OS_REGULAR;
    int rc = 0;
    if (is_file) {
        rc = target->readable ? read_open_file(target->hold, &old) : -EACCES;
        if (rc < 0)
            return error_os(error, rc, "read it");
    }
    if (is_file && old.size != target->stat.size) { /* somebody writes it this very moment */
        untorn_content_free(&old);
        return AGAIN;
    }
    target->hash = old.hash;
    target->hash_known = is_file;
    int answer = update->function(update->context, is_file ? &old : NULL, &change);
    target->old_is_whole = change.old_is_whole;
    if (is_file) {
        (void)os_stat(target->hold, NULL, &target->stat); /* its mode may have changed meanwhile */
        target->stat.size = old.size;
    }
    if (answer != 0) {
        rc = error_fail(error, UNTORN_REFUSED, NULL);
        error->os_error = answer;
    } else if (change.set && !is_same(&old, is_file, &change)) {
        rc = replace_content(target, change.data, change.size, error);
    } else if (is_file && needs_more_than_content(target)) {
        rc = replace_content(target, old.data, old.size, error);
    } else {
        target_sweep(target); /* no stage is begun that would find what lies in its way */
        rc = target_is_current(target) ? replace_confirm(target, error) : AGAIN;
    }
    untorn_content_free(&old);
    free(change.data);
    return rc;
}

int untorn_update(const char *path, untorn_change_function *function, void *context,
                  const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options own = options ? *options : (struct untorn_options){0};
    struct update update = {.function = function, .context = context};
    own.if_changed = true;
    if (options && options->exclusive) {
        error_detail(error, "an update cannot be exclusive");
        return error_fail(error, UNTORN_INVALID, NULL);
    }
    struct joining joining = {.function = function, .context = context};
    int rc = 0;
    if (registry_next_transaction(NULL) && upward_join(path, &joining, options, &rc, error))
        return rc;
    rc = target_open(&update.target, path, &own, error);
    update.target.stages_under_lock = update.target.was_read = true;
    while (rc == 0) {
        rc = target_lock(&update.target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = update_once(&update, error);
        if (rc != AGAIN)
            break;
        rc = target_reopen(&update.target, error);
    }
    target_close(&update.target);
    return rc;
}
