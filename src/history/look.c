#include "history/look.h"

#include <errno.h>

int look_open(struct look *look, const char *path, const struct untorn_options *options,
              struct untorn_error *error)
{
    struct untorn_options reading = {0};
    *look =
        (struct look){.place = PLACE_CLOSED, .state = STATE_CLOSED, .versions = VERSIONS_CLOSED};
    if (options) {
        reading.symlink =
            options->symlink == UNTORN_REFUSE_LINK ? UNTORN_REFUSE_LINK : UNTORN_FOLLOW;
        reading.state_dir = options->state_dir;
    }
    int rc = place_resolve(path, &reading, &look->place, error);
    if (rc == 0)
        rc = state_open(&look->place, &reading, STATE_IF_USABLE, &look->state, error);
    if (rc != 0)
        return rc;
    look->live_stat = look->place.target;
    look->live = look->place.exists ? &look->live_stat : NULL;
    int os_rc = versions_open(&look->versions, &look->state, look->place.name, false);
    if (os_rc == -ENOENT)
        return look->live ? 0 : error_fail(error, UNTORN_MISSING, NULL);
    return os_rc < 0 ? error_os(error, os_rc, "look for its earlier versions") : 0;
}

int look_at(const struct look *look, unsigned number, struct version_found *ret_found,
            struct untorn_error *error)
{
    int rc = number > 0 ? versions_at(&look->versions, look->live, number, ret_found) : -ENOENT;
    if (rc == 0)
        return 0;
    if (rc != -ENOENT)
        return error_os(error, rc, "read an earlier version");
    return look_fail(&look->versions, number, error);
}

int look_fail(const struct versions *versions, unsigned number, struct untorn_error *error)
{
    if (versions->count > 0)
        error_detail(error, "there is no version %u; untorn log shows those there are", number);
    else
        error_detail(error, "none is kept; the first will be when the file is replaced");
    return error_fail(error, UNTORN_NO_VERSION, NULL);
}

void look_close(struct look *look)
{
    versions_close(&look->versions);
    state_close(&look->state);
    place_close(&look->place);
}
