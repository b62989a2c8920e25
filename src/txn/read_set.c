/* untorn/transaction.h: reading several files at once. */
#include <untorn/transaction.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "txn/standing.h"

/* Names the old ones, as far as there is room. */
static int fail_mixed(const struct snapshot *snapshot, const enum set_standing *standings,
                      struct untorn_error *error)
{
    char names[UNTORN_DETAIL_SIZE - 64] = "";
    size_t used = 0, left_out = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        if (standings[i] != STANDING_OLD)
            continue;
        const char *path = snapshot->files[i].path;
        if (used == 0)
            snprintf(error->path, sizeof error->path, "%s", path);
        if (used + strlen(path) + 3 > sizeof names)
            left_out++;
        else
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", path);
    }
    if (left_out)
        error_detail(error, "from before the last commit: %s and %zu more", names, left_out);
    else
        error_detail(error, "from before the last commit: %s", names);
    return error_fail(error, UNTORN_MIXED, NULL);
}

/* AGAIN: what was read is no longer so, or its directory is gone by now. */
static int compare(const struct snapshot *snapshot, struct untorn_error *error)
{
    enum set_standing *standings = calloc(snapshot->count + 1, sizeof *standings);
    bool mixed = false;
    int rc = standings ? standing_judge(snapshot, standings) : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < snapshot->count; i++) {
        mixed |= standings[i] == STANDING_OLD;
        if (standings[i] == STANDING_EDITED)
            error->flags |= UNTORN_FLAG_EDITED;
    }
    if (mixed)
        rc = fail_mixed(snapshot, standings, error);
    free(standings);
    if (rc == -ESTALE)
        return AGAIN;
    return rc < 0 && !mixed ? error_os(error, rc, "look at its last commit") : rc;
}

int untorn_read_set(const char *const *paths, size_t count, const struct untorn_options *options,
                    struct untorn_content *ret_contents, struct untorn_error *reterr)
{
    struct untorn_error local;
    struct untorn_error *error = error_begin(reterr, &local, count ? paths[0] : NULL);
    struct snapshot snapshot = {0};
    memset(ret_contents, 0, count * sizeof *ret_contents);
    int rc = AGAIN;
    for (int i = 0; rc == AGAIN && i < LIMIT_TRIES; i++) {
        if (i > 0)
            snapshot_free(&snapshot);
        rc = snapshot_take(&snapshot, paths, count, options, error);
        if (rc != 0)
            return rc;
        rc = compare(&snapshot, error);
    }
    if (rc == AGAIN)
        rc = 0; /* they were so at one moment; what was before that nobody can tell */
    for (size_t i = 0; (rc == 0 || rc == -UNTORN_MIXED) && i < count; i++) {
        ret_contents[i] = snapshot.files[i].content;
        memset(&snapshot.files[i].content, 0, sizeof snapshot.files[i].content);
    }
    snapshot_free(&snapshot);
    return rc;
}
