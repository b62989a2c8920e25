#include "file/remove.h"

#include <errno.h>

#include "file/io.h"
#include "file/past.h"
#include "file/quarantine.h"

static int check_match(struct target *target, struct untorn_error *error)
{
    char text[UNTORN_HASH_TEXT_SIZE];
    struct untorn_hash hash;
    int rc = target->readable ? io_hash(target->hold, 0, target->stat.size, &hash) : -EACCES;
    if (rc < 0)
        return error_os(error, rc, "read it to compare");
    if (untorn_hash_equal(&hash, target->options->if_match))
        return 0;
    error_detail(error, "its content has the hash %s", untorn_hash_format(&hash, text));
    return error_fail(error, UNTORN_CHANGED, NULL);
}

int remove_prepare(struct target *target, struct untorn_error *error)
{
    if (!target->exists)
        return error_fail(error, UNTORN_MISSING, NULL);
    if (target->stat.immutable) {
        error_detail(error, "it is marked immutable or append-only (see lsattr, chattr)");
        return error_fail(error, UNTORN_DENIED, NULL);
    }
    if (target->stat.mount_root) {
        error_detail(error, "it is a mount point, which cannot be removed");
        return error_fail(error, UNTORN_UNSUPPORTED, NULL);
    }
    int rc = place_check_marked(&target->place, error);
    if (rc == 0 && target->options->if_match)
        rc = check_match(target, error);
    return rc == 0 ? quarantine_old(target, NULL, error) : rc; /* [QUARANTINE-1] */
}

int remove_publish(struct target *target, struct untorn_error *error)
{
    return past_keep_removed(target, error); /* [REMOVE-1] */
}
