/* untorn/history.h: the previous version is back. */
#include <untorn/history.h>

#include "file/target.h"
#include "file/upward.h"
#include "history/look.h"
#include "history/restore.h"
#include "history/together.h"
#include "txn/view.h"

/* What an undo would bring back: a version of this file alone, or a commit of several. */
struct undoing {
    struct version version;
    bool under_way; /* nothing yet: it is in the middle of a commit */
    bool together;
    struct record record;
};

/* Whether a commit that somebody left, or is at work on, names the file. */
static bool is_under_way(struct look *look)
{
    struct view view;
    bool named = view_open(&look->place, &look->state, NULL, &view) == 0 &&
                 view.verdict != VIEW_CLEAR && view.verdict != VIEW_FOREIGN &&
                 slot_find(&view.slot, look->place.name);
    view_close(&view);
    return named;
}

/* What is undone is the commit, and not a half of it: whoever locks the file has it finished. */
static int finish_commit(const char *path, const struct untorn_options *options,
                         struct untorn_error *error)
{
    struct untorn_options own = options ? *options : (struct untorn_options){0};
    struct target target;
    own.parents = false;
    int rc = target_open(&target, path, &own, error);
    if (rc != 0)
        return rc;
    do
        rc = target_acquire(&target, OS_LOCK_EXCLUSIVE, error);
    while (rc == AGAIN && (rc = target_reopen(&target, error)) == 0);
    target_close(&target);
    return rc == 0 ? AGAIN : rc;
}

static int find(const char *path, const struct untorn_options *options, struct undoing *undoing,
                struct untorn_error *error)
{
    struct version_found found = {.file = OS_NONE};
    struct untorn_error unseen;
    struct look look;
    int rc = look_open(&look, path, options, error);
    undoing->under_way = rc == 0 && is_under_way(&look);
    if (rc == 0 && !undoing->under_way) {
        error_begin(&unseen, NULL, path);
        int none = look_at(&look, 1, &found, &unseen);
        rc = together_find(&look, path, none ? NULL : &found, options, &undoing->record, error);
        undoing->together = rc == 1;
        undoing->version = found.version;
        if (rc == 1)
            rc = 0;
        else if (rc == 0 && none) {
            *error = unseen;
            rc = none;
        }
        os_close(found.file);
    }
    look_close(&look);
    return rc;
}

static int undo_once(const char *path, untorn_undone_function *function, void *context,
                     const struct untorn_options *options, struct untorn_error *error)
{
    struct undoing undoing = {0};
    int rc = find(path, options, &undoing, error);
    if (rc == 0 && undoing.under_way)
        rc = finish_commit(path, options, error);
    else if (rc == 0 && undoing.together)
        rc = together_undo(&undoing.record, function, context, options, error);
    else if (rc == 0) {
        rc = restore_version(path, 1, &undoing.version, options, error);
        if (rc >= 0 && function)
            function(context, path);
    }
    record_free(&undoing.record);
    return rc;
}

/* Version 1 of a file that is undone alone. */
static int preview_alone(const char *path, untorn_undoing_function *function, void *context,
                         const struct untorn_options *options, struct untorn_error *error)
{
    const struct untorn_hash *wanted = options ? options->if_match : NULL;
    struct untorn_content version;
    struct untorn_hash now;
    int rc = untorn_version_read(path, 1, options, &version, error);
    if (rc == 0 && wanted) {
        rc = untorn_hash_file(path, options, &now, error);
        if (rc == -UNTORN_MISSING || (rc == 0 && !untorn_hash_equal(wanted, &now)))
            rc = error_fail(error, UNTORN_CHANGED, NULL);
    }
    if (rc == 0)
        function(context, path, &version);
    untorn_content_free(&version);
    return rc;
}

int untorn_undo_preview(const char *path, untorn_undoing_function *function, void *context,
                        const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct undoing undoing = {0};
    int rc = find(path, options, &undoing, error);
    if (rc == 0 && undoing.under_way) {
        error_detail(error,
                     "a commit of several files that names it is to be finished first; untorn "
                     "check --repair does that");
        rc = error_fail(error, UNTORN_NO_VERSION, NULL);
    } else if (rc == 0 && undoing.together)
        rc = together_preview(&undoing.record, function, context, options, error);
    else if (rc == 0)
        rc = preview_alone(path, function, context, options, error);
    record_free(&undoing.record);
    return rc;
}

int untorn_undo(const char *path, untorn_undone_function *function, void *context,
                const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    int rc = upward_refuse(path, options, error);
    if (rc != 0)
        return rc;
    for (int i = 0; i < LIMIT_RESTARTS; i++) {
        rc = undo_once(path, function, context, options, error);
        if (rc != AGAIN)
            return rc;
        error_begin(error, NULL, path);
    }
    return error_fail(error, UNTORN_RESTLESS, NULL);
}
