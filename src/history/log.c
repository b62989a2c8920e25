/* untorn/history.h: what earlier versions there are, and what is in them. */
#include <untorn/history.h>

#include <errno.h>
#include <string.h>

#include "file/read.h"
#include "history/look.h"

static int show(const struct version_found *found, unsigned number,
                untorn_version_function *function, void *context)
{
    struct untorn_version version = {
        .number = number,
        .size = found->stat.size,
        .hash = found->version.hash,
        .whole = found->verdict == VERSION_WHOLE,
        .set = found->version.set[0] ? found->version.set : NULL,
    };
    int64_t changed = 0;
    if (found->file != OS_NONE)
        (void)os_time(found->file, &changed); /* else 0: it is only shown */
    version.time = changed / OS_SECOND;
    return function(context, &version);
}

int untorn_log(const char *path, untorn_version_function *function, void *context,
               const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct version_found found;
    struct look look;
    int rc = look_open(&look, path, options, error), os_rc = 0, ended = 0;
    for (unsigned number = 1; rc == 0 && os_rc == 0 && ended == 0; number++) {
        os_rc = versions_at(&look.versions, look.live, number, &found);
        if (os_rc == 0) {
            ended = show(&found, number, function, context);
            os_close(found.file);
        }
        if (os_rc == -ENOENT && number == 1 && !look.live)
            rc = error_fail(error, UNTORN_MISSING, NULL);
        else if (os_rc < 0 && os_rc != -ENOENT)
            rc = error_os(error, os_rc, "read an earlier version");
    }
    look_close(&look);
    return rc;
}

/* Of an open version: the bytes, if they are what they were. */
static int read_found(const struct version_found *found, struct untorn_content *ret_content,
                      struct untorn_error *error)
{
    int rc = found->file == OS_NONE ? -EACCES : read_open_file(found->file, ret_content);
    if (rc < 0)
        return error_os(error, rc, "read an earlier version");
    if (untorn_hash_equal(&ret_content->hash, &found->version.hash))
        return 0;
    untorn_content_free(ret_content);
    error_detail(error, "somebody changed this version after it was kept");
    return error_fail(error, UNTORN_DAMAGED, NULL);
}

int untorn_version_read(const char *path, unsigned number, const struct untorn_options *options,
                        struct untorn_content *ret_content, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct version_found found;
    struct look look;
    memset(ret_content, 0, sizeof *ret_content);
    int rc = look_open(&look, path, options, error);
    if (rc == 0)
        rc = look_at(&look, number, &found, error);
    if (rc == 0) {
        rc = read_found(&found, ret_content, error);
        os_close(found.file);
    }
    look_close(&look);
    return rc;
}
