#include "os/win/replace.h"

#include <errno.h>

static int move(const struct win_replacer *call, const wchar_t *from, const wchar_t *to)
{
    return call->move(from, to, MOVEFILE_WRITE_THROUGH) ? 0 : win_last_failure();
}

/* After the old one went and the new one did not come: whoever has the new one open may keep it for
 * long, so the old one comes back. If somebody is in the way of that too, whichever can. */
static int give_the_name(const struct win_replacer *call, const wchar_t *old, const wchar_t *new,
                         const wchar_t *spare)
{
    for (int i = 0;; i++) {
        if (move(call, spare, old) == 0)
            return -EBUSY;
        int rc = move(call, new, old);
        if (rc == 0)
            return 0;
        if (rc == -EEXIST) /* it never went */
            return -EBUSY;
        if (!win_pause(i))
            return -ENOTRECOVERABLE;
    }
}

/* Both failures of the second step are taken for either of what they say: that the old file is at
 * `spare`, and that it has its name. */
int win_replace(const struct win_replacer *call, const wchar_t *old, const wchar_t *new,
                const wchar_t *spare)
{
    if (call->replace(old, new, spare, REPLACEFILE_IGNORE_MERGE_ERRORS, NULL, NULL))
        return 0;
    switch (GetLastError()) {
    case ERROR_UNABLE_TO_REMOVE_REPLACED:
        return -EBUSY;
    case ERROR_UNABLE_TO_MOVE_REPLACEMENT:
    case ERROR_UNABLE_TO_MOVE_REPLACEMENT_2:
        return give_the_name(call, old, new, spare);
    default:
        return win_last_failure();
    }
}
