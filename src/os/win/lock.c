/* The system's lock, and the mutex around the library's one global.
 *
 * A lock of Windows keeps others from the bytes themselves, so it is taken on a byte far behind
 * any content: the record of who has it can be read. It belongs to one handle; a process that
 * inherited the handle does not have it. The system lets go of it when the process ends. */
#include "os/win/win.h"

#include <errno.h>

static const OVERLAPPED place = {.Offset = 0, .OffsetHigh = 0x40000000};

int os_lock(os_fd fd, enum os_lock lock)
{
    OVERLAPPED at = place;
    /* There is no change from shared to exclusive; and what is not locked cannot be unlocked. */
    while (UnlockFileEx(win_handle(fd), 0, 1, 0, &at))
        at = place;
    if (lock == OS_UNLOCK)
        return 0;
    DWORD how = LOCKFILE_FAIL_IMMEDIATELY;
    if (lock == OS_LOCK_EXCLUSIVE)
        how |= LOCKFILE_EXCLUSIVE_LOCK;
    at = place;
    if (LockFileEx(win_handle(fd), how, 0, 1, 0, &at))
        return 0;
    DWORD code = GetLastError();
    return code == ERROR_IO_PENDING ? -EWOULDBLOCK : win_failure(code);
}

bool os_lock_is_inherited(void)
{
    return false;
}

static SRWLOCK guard = SRWLOCK_INIT;

/* Nothing forks here. */
void os_guard_enter(const struct os_global *global)
{
    (void)global;
    AcquireSRWLockExclusive(&guard);
}

void os_guard_leave(void)
{
    ReleaseSRWLockExclusive(&guard);
}
