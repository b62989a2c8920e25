/* Failures of Windows as errno values. */
#include "os/win/win.h"

#include <errno.h>

static const struct {
    DWORD code;
    int error;
} failures[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_NO_MORE_FILES, ENOENT},
    {ERROR_DELETE_PENDING, ENOENT},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_PRIVILEGE_NOT_HELD, EPERM},
    {ERROR_SHARING_VIOLATION, EBUSY},
    {ERROR_USER_MAPPED_FILE, EBUSY},
    {ERROR_BUSY, EBUSY},
    {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_TOO_MANY_LINKS, EMLINK},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {1295, EDQUOT}, /* ERROR_DISK_QUOTA_EXCEEDED */
    {ERROR_NOT_ENOUGH_QUOTA, ENOMEM},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_NO_SYSTEM_RESOURCES, ENOMEM},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_FILE_TOO_LARGE, EFBIG},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG},
    {ERROR_INVALID_NAME, EINVAL},
    {ERROR_BAD_PATHNAME, EINVAL},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_INVALID_FUNCTION, EINVAL},
    {ERROR_NOT_SUPPORTED, ENOTSUP},
    {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS},
    {ERROR_NEGATIVE_SEEK, EINVAL},
    {ERROR_OPERATION_ABORTED, EINTR},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_PIPE_NOT_CONNECTED, EPIPE},
    {ERROR_BAD_EXE_FORMAT, ENOEXEC},
    {216, ENOEXEC}, /* for another kind of machine */
};

int win_failure(DWORD code)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (failures[i].code == code)
            return -failures[i].error;
    return -EIO;
}

int win_last_failure(void)
{
    return win_failure(GetLastError());
}

/* Those whose meaning the general table loses. */
int win_status(NTSTATUS status)
{
    enum {
        FILE_IS_A_DIRECTORY = (int)0xC00000BA,
        NOT_A_DIRECTORY = (int)0xC0000103,
        NOT_IMPLEMENTED = (int)0xC0000002,
        INVALID_INFO_CLASS = (int)0xC0000003,
        DELETE_PENDING = (int)0xC0000056,
        CANNOT_DELETE = (int)0xC0000121,
    };
    if (status >= 0)
        return 0;
    switch ((int)status) {
    case FILE_IS_A_DIRECTORY:
        return -EISDIR;
    case NOT_A_DIRECTORY:
        return -ENOTDIR;
    case NOT_IMPLEMENTED:
    case INVALID_INFO_CLASS:
        return -ENOSYS;
    case DELETE_PENDING:
        return -ENOENT;
    case CANNOT_DELETE:
        return -EACCES;
    default:
        return win_failure(RtlNtStatusToDosError(status));
    }
}

/* Pauses differ, so that two who wait for each other do not meet again. */
bool win_pause(int number)
{
    LARGE_INTEGER now;
    if (number >= WIN_RETRIES)
        return false;
    QueryPerformanceCounter(&now);
    Sleep(1 + (DWORD)now.LowPart % (DWORD)(1 + number));
    return true;
}
