#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#define ON_OPEN                                                                                    \
    {                                                                                              \
        EIO, EMFILE, ENOSPC, EACCES, EROFS, EINTR                                                  \
    }
#define ON_STAT                                                                                    \
    {                                                                                              \
        EACCES, EIO, ENOMEM                                                                        \
    }
#define ON_READ                                                                                    \
    {                                                                                              \
        EIO, EINTR                                                                                 \
    }
#define ON_WRITE                                                                                   \
    {                                                                                              \
        ENOSPC, EIO, EDQUOT, EFBIG, EINTR                                                          \
    }
#define ON_FLUSH                                                                                   \
    {                                                                                              \
        EIO, ENOSPC, EDQUOT, EINVAL, EINTR                                                         \
    }
#define ON_RENAME                                                                                  \
    {                                                                                              \
        EBUSY, EXDEV, EACCES, ENOSPC, EIO, EINVAL, EPERM                                           \
    }
#define ON_LINK                                                                                    \
    {                                                                                              \
        EPERM, EMLINK, EXDEV, ENOSPC, EIO                                                          \
    }
#define ON_REMOVE                                                                                  \
    {                                                                                              \
        EACCES, EBUSY, EIO, ENOSPC, EROFS                                                          \
    }
#define ON_MKDIR                                                                                   \
    {                                                                                              \
        EACCES, ENOSPC, EIO, EROFS, EMLINK                                                         \
    }
#define ON_RESIZE                                                                                  \
    {                                                                                              \
        EIO, ENOSPC, EPERM, EINTR                                                                  \
    }
#define ON_META                                                                                    \
    {                                                                                              \
        EPERM, EIO, EROFS, ENOSPC                                                                  \
    }
#define ON_GET_META                                                                                \
    {                                                                                              \
        EOPNOTSUPP, EIO, EPERM                                                                     \
    }
#define ON_SET_META                                                                                \
    {                                                                                              \
        EPERM, EOPNOTSUPP, ENOSPC, EIO                                                             \
    }

#define CALL(name, kind, ...)                                                                      \
    {                                                                                              \
        SYS_##name, #name, kind, __VA_ARGS__                                                       \
    }

const struct call all_calls[] = {
    CALL(openat, CALL_PATH_1, ON_OPEN),
    CALL(openat2, CALL_PATH_1, ON_OPEN),
    CALL(close, CALL_HANDLE, {EIO, ENOSPC, EINTR}),
    CALL(read, CALL_HANDLE, ON_READ),
    CALL(pread64, CALL_HANDLE, ON_READ),
    CALL(readv, CALL_HANDLE, ON_READ),
    CALL(preadv, CALL_HANDLE, ON_READ),
    CALL(preadv2, CALL_HANDLE, ON_READ),
    CALL(write, CALL_HANDLE, ON_WRITE),
    CALL(pwrite64, CALL_HANDLE, ON_WRITE),
    CALL(writev, CALL_HANDLE, ON_WRITE),
    CALL(pwritev, CALL_HANDLE, ON_WRITE),
    CALL(pwritev2, CALL_HANDLE, ON_WRITE),
    CALL(copy_file_range, CALL_HANDLE, {EXDEV, EIO, ENOSPC, EOPNOTSUPP}),
    CALL(sendfile, CALL_HANDLE, {EIO, ENOSPC, EINVAL}),
    CALL(fsync, CALL_HANDLE, ON_FLUSH),
    CALL(fdatasync, CALL_HANDLE, ON_FLUSH),
    CALL(sync_file_range, CALL_HANDLE, {EIO, ENOSPC}),
    CALL(syncfs, CALL_HANDLE, {EIO, ENOSPC}),
    CALL(renameat, CALL_PATH_1, ON_RENAME),
    CALL(renameat2, CALL_PATH_1, ON_RENAME),
    CALL(linkat, CALL_PATH_1, ON_LINK),
    CALL(symlinkat, CALL_PATH_0, ON_LINK),
    CALL(unlinkat, CALL_PATH_1, ON_REMOVE),
    CALL(mkdirat, CALL_PATH_1, ON_MKDIR),
    CALL(truncate, CALL_PATH_0, ON_RESIZE),
    CALL(ftruncate, CALL_HANDLE, ON_RESIZE),
    CALL(fallocate, CALL_HANDLE, {ENOSPC, EOPNOTSUPP, EIO, EINTR}),
    CALL(fchmod, CALL_HANDLE, ON_META),
    CALL(fchmodat, CALL_PATH_1, ON_META),
    CALL(fchown, CALL_HANDLE, ON_META),
    CALL(fchownat, CALL_PATH_1, ON_META),
    CALL(utimensat, CALL_PATH_1, ON_META),
    CALL(getxattr, CALL_PATH_0, ON_GET_META),
    CALL(lgetxattr, CALL_PATH_0, ON_GET_META),
    CALL(fgetxattr, CALL_HANDLE, ON_GET_META),
    CALL(listxattr, CALL_PATH_0, ON_GET_META),
    CALL(llistxattr, CALL_PATH_0, ON_GET_META),
    CALL(flistxattr, CALL_HANDLE, ON_GET_META),
    CALL(setxattr, CALL_PATH_0, ON_SET_META),
    CALL(lsetxattr, CALL_PATH_0, ON_SET_META),
    CALL(fsetxattr, CALL_HANDLE, ON_SET_META),
    CALL(removexattr, CALL_PATH_0, ON_SET_META),
    CALL(lremovexattr, CALL_PATH_0, ON_SET_META),
    CALL(fremovexattr, CALL_HANDLE, ON_SET_META),
    CALL(flock, CALL_HANDLE, {EWOULDBLOCK, EINTR, ENOLCK, EIO}),
    CALL(fcntl, CALL_HANDLE, {EMFILE}),
    CALL(dup, CALL_HANDLE, {EMFILE}),
    CALL(ioctl, CALL_HANDLE, {ENOTTY, EOPNOTSUPP, EIO}),
    CALL(fstat, CALL_HANDLE, ON_STAT),
    CALL(newfstatat, CALL_PATH_1, ON_STAT),
    CALL(statx, CALL_PATH_1, ON_STAT),
    CALL(statfs, CALL_PATH_0, {EIO, ENOSYS}),
    CALL(fstatfs, CALL_HANDLE, {EIO, ENOSYS}),
    CALL(faccessat, CALL_PATH_1, {EACCES, EIO, EROFS}),
    CALL(faccessat2, CALL_PATH_1, {EACCES, EIO, EROFS}),
    CALL(readlinkat, CALL_PATH_1, {EACCES, EIO}),
    CALL(getdents64, CALL_HANDLE, {EIO, ENOMEM}),
    CALL(getrandom, CALL_PLAIN, {ENOSYS}),
    CALL(getcwd, CALL_PLAIN, {ENOENT, EACCES}),
    CALL(umask, CALL_PLAIN, {0}),
    CALL(mknodat, CALL_PATH_1, ON_OPEN),
#ifdef SYS_open /* the older calls, which newer processors have not */
    CALL(open, CALL_PATH_0, ON_OPEN),
    CALL(creat, CALL_PATH_0, ON_OPEN),
    CALL(rename, CALL_PATH_0, ON_RENAME),
    CALL(link, CALL_PATH_0, ON_LINK),
    CALL(symlink, CALL_PATH_0, ON_LINK),
    CALL(unlink, CALL_PATH_0, ON_REMOVE),
    CALL(rmdir, CALL_PATH_0, ON_REMOVE),
    CALL(mkdir, CALL_PATH_0, ON_MKDIR),
    CALL(chmod, CALL_PATH_0, ON_META),
    CALL(chown, CALL_PATH_0, ON_META),
    CALL(stat, CALL_PATH_0, ON_STAT),
    CALL(lstat, CALL_PATH_0, ON_STAT),
    CALL(access, CALL_PATH_0, {EACCES, EIO, EROFS}),
    CALL(readlink, CALL_PATH_0, {EACCES, EIO}),
    CALL(mknod, CALL_PATH_0, ON_OPEN),
#endif
};

const size_t all_calls_count = sizeof all_calls / sizeof all_calls[0];

const struct call *call_by_number(long number)
{
    for (size_t i = 0; i < all_calls_count; i++)
        if (all_calls[i].number == number)
            return &all_calls[i];
    return NULL;
}

const struct call *call_by_name(const char *name)
{
    for (size_t i = 0; i < all_calls_count; i++)
        if (strcmp(all_calls[i].name, name) == 0)
            return &all_calls[i];
    return NULL;
}

bool call_transfers(const struct call *call)
{
    return call->number == SYS_read || call->number == SYS_pread64 || call_writes(call);
}

bool call_writes(const struct call *call)
{
    return call->number == SYS_write || call->number == SYS_pwrite64;
}

bool call_flushes(const struct call *call)
{
    return call->number == SYS_fsync || call->number == SYS_fdatasync;
}

int call_error(const struct call *call, const uint64_t args[6], unsigned index)
{
    int error = index < CALL_ERRORS ? call->errors[index] : 0;
    /* Of what fcntl does only the making of a new handle can fail. */
    bool makes_handle = args[1] == F_DUPFD || args[1] == F_DUPFD_CLOEXEC;
    if (call->number == SYS_fcntl && !makes_handle)
        return 0;
    /* A full or read-only file system does not mind being looked at. */
    bool looks = call->number == SYS_openat && (args[2] & (O_CREAT | O_ACCMODE)) == 0;
    if (looks && (error == ENOSPC || error == EROFS))
        return EIO;
    /* What is open already is looked at without asking for permission. */
    bool is_open = call->number == SYS_fstat ||
                   (call->number == SYS_statx && (args[2] & AT_EMPTY_PATH) != 0) ||
                   (call->number == SYS_newfstatat && (args[3] & AT_EMPTY_PATH) != 0);
    if (is_open && error == EACCES)
        return EIO;
    return error;
}

bool call_listed(const char *list, const char *name)
{
    if (list == NULL || *list == 0)
        return true;
    size_t size = strlen(name);
    for (const char *item = list; item != NULL; item = strchr(item, ',')) {
        if (*item == ',')
            item++;
        if (strncmp(item, name, size) == 0 && (item[size] == 0 || item[size] == ','))
            return true;
    }
    return false;
}

static const struct {
    int number;
    const char *name;
} errors[] = {
#define ERROR(name)                                                                                \
    {                                                                                              \
        name, #name                                                                                \
    }
    ERROR(EACCES), ERROR(EBADF),  ERROR(EBUSY),   ERROR(EDQUOT),  ERROR(EEXIST),     ERROR(EFBIG),
    ERROR(EINTR),  ERROR(EINVAL), ERROR(EIO),     ERROR(EISDIR),  ERROR(ELOOP),      ERROR(EMFILE),
    ERROR(EMLINK), ERROR(ENOENT), ERROR(ENOLCK),  ERROR(ENOMEM),  ERROR(ENOSPC),     ERROR(ENOSYS),
    ERROR(ENOTTY), ERROR(EPERM),  ERROR(EPIPE),   ERROR(EROFS),   ERROR(EOPNOTSUPP), ERROR(ESTALE),
    ERROR(EXDEV),  ERROR(EAGAIN), ERROR(ENODATA), ERROR(ETXTBSY), ERROR(ENOTDIR),
#undef ERROR
};

int error_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(errors[i].name, name) == 0)
            return errors[i].number;
    return 0;
}

const char *error_name(int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].number == error)
            return errors[i].name;
    return NULL;
}
