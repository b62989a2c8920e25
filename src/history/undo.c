/* untorn/history.h: the previous version is back. */
#include <untorn/history.h>

#include "history/look.h"
#include "history/restore.h"
#include "history/together.h"

/* What an undo would bring back: a version of this file alone, or a commit of several. */
struct undoing {
    struct version version;
    bool together;
    struct record record;
};

static int find(const char *path, const struct untorn_options *options, struct undoing *undoing,
                struct untorn_error *error)
{
    struct version_found found = {.file = OS_NONE};
    struct untorn_error unseen;
    struct look look;
    int rc = look_open(&look, path, options, error);
    if (rc == 0) {
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
    if (rc == 0 && undoing.together)
        rc = together_undo(&undoing.record, function, context, options, error);
    else if (rc == 0) {
        rc = restore_version(path, 1, &undoing.version, options, error);
        if (rc >= 0 && function)
            function(context, path);
    }
    record_free(&undoing.record);
    return rc;
}

int untorn_undo(const char *path, untorn_undone_function *function, void *context,
                const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    for (int i = 0; i < LIMIT_RESTARTS; i++) {
        int rc = undo_once(path, function, context, options, error);
        if (rc != AGAIN)
            return rc;
        error_begin(error, NULL, path);
    }
    return error_fail(error, UNTORN_RESTLESS, NULL);
}
