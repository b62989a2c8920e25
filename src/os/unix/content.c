/* Opening, closing and the bytes of a file. */
#include "os/unix/unix.h"

#include <string.h>

#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

/* The steps of unix_open_below one by one, for a system that cannot do them in one call. */
static int walk(int at, const char *path, int flags, mode_t mode)
{
    char name[256];
    int here = at;
    for (size_t size; path[size = strcspn(path, "/")] == '/'; path += size + 1) {
        if (size >= sizeof name) {
            errno = ENAMETOOLONG;
            break;
        }
        memcpy(name, path, size);
        name[size] = '\0';
        int next = openat(here, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int failure = errno;
        if (here != at)
            close(here);
        here = next;
        errno = failure;
        if (here < 0)
            return -1;
    }
    int fd = strchr(path, '/') ? -1 : openat(here, path, flags, mode);
    int failure = errno;
    if (here != at)
        close(here);
    errno = failure;
    return fd;
}

int unix_open_below(int at, const char *path, int flags, mode_t mode)
{
    if (!strchr(path, '/'))
        return openat(at, path, flags, mode);
#ifdef SYS_openat2
    struct open_how how = {.flags = (uint64_t)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = RESOLVE_NO_SYMLINKS};
    long fd = syscall(SYS_openat2, at, path, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) /* EPERM: a container's filter, maybe */
        return (int)fd;
#endif
    return walk(at, path, flags, mode);
}

int os_open_dir(os_fd at, const char *path, bool no_follow, os_fd *ret_dir)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int fd = -1;
    errno = EPERM;
    if (!no_follow) {
        fd = openat(unix_at(at), path, flags);
    } else {
        flags |= O_NOFOLLOW;
#ifdef O_NOATIME
        /* A folder of ours is listed often; its access time would be written back each time. Only
         * its owner may ask for that. */
        fd = unix_open_below(unix_at(at), path, flags | O_NOATIME, 0);
#endif
        if (fd < 0 && errno == EPERM)
            fd = unix_open_below(unix_at(at), path, flags, 0);
    }
    if (fd < 0)
        return -errno;
    *ret_dir = fd;
    return 0;
}

static int open_flags(unsigned how)
{
    int flags = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
    if (how & OS_HOLD) {
#ifdef O_PATH
        return O_PATH | O_CLOEXEC | O_NOFOLLOW;
#else
        return flags | O_EVTONLY; /* macOS: needs read permission, but no lock and no wait */
#endif
    }
    if ((how & OS_READ) && (how & OS_WRITE))
        flags |= O_RDWR;
    else
        flags |= (how & OS_WRITE) ? O_WRONLY : O_RDONLY;
    if (how & OS_CREATE)
        flags |= O_CREAT;
    if (how & OS_EXCLUSIVE)
        flags |= O_EXCL;
    return flags;
}

int os_open(os_fd dir, const char *name, unsigned how, unsigned mode, os_fd *ret_file)
{
    int fd = unix_open_below(unix_at(dir), name, open_flags(how), (mode_t)mode);
    if (fd < 0)
        return -errno;
    *ret_file = fd;
    return 0;
}

int os_close(os_fd fd)
{
    if (fd == OS_NONE)
        return 0;
    int rc = unix_result(close((int)fd));
    return rc == -EINTR ? 0 : rc; /* Linux: the descriptor is gone, nothing was lost by it */
}

int os_inherit(os_fd fd, bool inherit)
{
    return unix_result(fcntl((int)fd, F_SETFD, inherit ? 0 : FD_CLOEXEC));
}

int64_t os_read_at(os_fd file, void *data, size_t size, uint64_t offset)
{
    ssize_t n = pread((int)file, data, size, (off_t)offset);
    return n < 0 ? -errno : n;
}

int64_t os_write_at(os_fd file, const void *data, size_t size, uint64_t offset)
{
    ssize_t n = pwrite((int)file, data, size, (off_t)offset);
    return n < 0 ? -errno : n;
}

int os_resize(os_fd file, uint64_t size)
{
    return unix_result(ftruncate((int)file, (off_t)size));
}

int os_flush(os_fd file)
{
#ifdef F_FULLFSYNC
    /* Darwin's fsync(2): data may sit in the drive's cache, out of order; only this asks the drive
     * itself. Some file systems have no such thing and say so; then fsync is all there is. */
    if (fcntl((int)file, F_FULLFSYNC) == 0)
        return 0;
    if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY)
        return -errno;
#endif
    return unix_result(fsync((int)file));
}

int os_flush_content(os_fd file)
{
#ifdef __linux__
    return unix_result(fdatasync((int)file));
#else
    return os_flush(file);
#endif
}

void os_flush_soon(os_fd file, uint64_t offset, uint64_t size)
{
#ifdef __linux__
    (void)sync_file_range((int)file, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
#else
    (void)file, (void)offset, (void)size;
#endif
}

int os_flush_dir(os_fd dir)
{
    int rc = os_flush(dir);
    switch (rc) {
    case -EBADF:
    case -ENOTSUP:
    case -ENOSYS:
    case -EISDIR:
        return -EINVAL;
    default:
        return rc;
    }
}
