/* Names in a directory: looking at them, making, renaming, removing and listing them. */
#include "os/unix/unix.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

static enum os_kind kind_of(unsigned mode)
{
    if (S_ISREG(mode))
        return OS_REGULAR;
    if (S_ISDIR(mode))
        return OS_DIRECTORY;
    return S_ISLNK(mode) ? OS_SYMLINK : OS_OTHER;
}

#ifdef __linux__

#include <sys/syscall.h>
#include <sys/sysmacros.h>

static uint64_t nanoseconds(struct statx_timestamp time)
{
    return (uint64_t)time.tv_sec * 1000000000u + time.tv_nsec;
}

int os_stat(os_fd at, const char *name, struct os_stat *ret_stat)
{
    unsigned mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID | STATX_INO |
                    STATX_SIZE | STATX_BTIME;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name ? 0 : AT_EMPTY_PATH);
    struct statx x;
    if (statx(unix_at(at), name ? name : "", flags, mask, &x) < 0)
        return -errno;
    *ret_stat = (struct os_stat){
        .kind = kind_of(x.stx_mode),
        .device = makedev(x.stx_dev_major, x.stx_dev_minor),
        .inode = x.stx_ino,
        .size = x.stx_size,
        .mode = x.stx_mode & 07777,
        .links = x.stx_nlink,
        .owner = x.stx_uid,
        .group = x.stx_gid,
        .mount_root = (x.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
        .immutable = (x.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0,
        .born = x.stx_mask & STATX_BTIME ? nanoseconds(x.stx_btime) : 0,
    };
    return 0;
}

int os_look(const char *path, struct os_version *ret_version)
{
    struct statx x;
    unsigned mask = STATX_INO | STATX_SIZE | STATX_BTIME | STATX_CTIME;
    if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT, mask, &x) < 0)
        return -errno;
    *ret_version = (struct os_version){
        .device = makedev(x.stx_dev_major, x.stx_dev_minor),
        .inode = x.stx_ino,
        .born = x.stx_mask & STATX_BTIME ? nanoseconds(x.stx_btime) : 0,
        .size = x.stx_size,
        .changed = nanoseconds(x.stx_ctime),
    };
    return 0;
}

#else

int os_stat(os_fd at, const char *name, struct os_stat *ret_stat)
{
    struct stat s;
    int rc = name ? fstatat(unix_at(at), name, &s, AT_SYMLINK_NOFOLLOW) : fstat((int)at, &s);
    if (rc < 0)
        return -errno;
    *ret_stat = (struct os_stat){
        .kind = kind_of(s.st_mode),
        .device = (uint64_t)s.st_dev,
        .inode = (uint64_t)s.st_ino,
        .size = (uint64_t)s.st_size,
        .mode = s.st_mode & 07777,
        .links = (uint32_t)s.st_nlink,
        .owner = s.st_uid,
        .group = s.st_gid,
        .immutable = (s.st_flags & (UF_IMMUTABLE | UF_APPEND | SF_IMMUTABLE | SF_APPEND)) != 0,
        .born = (uint64_t)s.st_birthtimespec.tv_sec * 1000000000u +
                (uint64_t)s.st_birthtimespec.tv_nsec,
    };
    return 0;
}

int os_look(const char *path, struct os_version *ret_version)
{
    struct stat s;
    if (stat(path, &s) < 0)
        return -errno;
    *ret_version = (struct os_version){
        .device = (uint64_t)s.st_dev,
        .inode = (uint64_t)s.st_ino,
        .born = (uint64_t)s.st_birthtimespec.tv_sec * 1000000000u +
                (uint64_t)s.st_birthtimespec.tv_nsec,
        .size = (uint64_t)s.st_size,
        .changed = (uint64_t)s.st_ctimespec.tv_sec * 1000000000u + (uint64_t)s.st_ctimespec.tv_nsec,
    };
    return 0;
}

#endif

int os_read_link(os_fd dir, const char *name, char *text, size_t size)
{
    ssize_t n = readlinkat(unix_at(dir), name, text, size);
    if (n < 0)
        return -errno;
    if ((size_t)n >= size)
        return -ENAMETOOLONG;
    text[n] = '\0';
    return 0;
}

int os_make_dir(os_fd dir, const char *name, unsigned mode)
{
    return unix_result(mkdirat(unix_at(dir), name, (mode_t)mode));
}

/* A single name in an open directory. */
struct spot {
    int dir;
    const char *name;
    bool opened;
};

/* Where the last name of a path below `at` lies. No call that changes a name can be told to follow
 * no link on the way, so the folder is opened, which can. A single name costs nothing. */
static int enter(os_fd at, const char *path, struct spot *ret_spot)
{
#ifdef O_PATH
    int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif
    char folder[4 * (LIMIT_NAME + 1)];
    const char *slash = strrchr(path, '/');
    *ret_spot = (struct spot){unix_at(at), path, false};
    if (!slash)
        return 0;
    size_t size = (size_t)(slash - path);
    if (size >= sizeof folder)
        return -ENAMETOOLONG;
    memcpy(folder, path, size);
    folder[size] = '\0';
    int dir = unix_open_below(unix_at(at), folder, flags, 0);
    if (dir < 0)
        return -errno;
    *ret_spot = (struct spot){dir, slash + 1, true};
    return 0;
}

static void leave(const struct spot *spot)
{
    if (spot->opened)
        close(spot->dir);
}

/* The same of two; after a failure neither is to be left. */
static int enter_both(os_fd from_dir, const char *from, os_fd to_dir, const char *to,
                      struct spot *ret_from, struct spot *ret_to)
{
    int rc = enter(from_dir, from, ret_from);
    if (rc < 0)
        return rc;
    rc = enter(to_dir, to, ret_to);
    if (rc < 0)
        leave(ret_from);
    return rc;
}

int os_remove(os_fd dir, const char *name, bool directory)
{
    struct spot spot;
    int rc = enter(dir, name, &spot);
    if (rc < 0)
        return rc;
    rc = unix_result(unlinkat(spot.dir, spot.name, directory ? AT_REMOVEDIR : 0));
    leave(&spot);
    return rc;
}

/* Two steps, yet no name is ever without its file: a crash between them leaves both. */
static int link_then_remove(const struct spot *from, const struct spot *to)
{
    if (linkat(from->dir, from->name, to->dir, to->name, 0) < 0) {
        bool no_links = errno == EPERM || errno == ENOTSUP || errno == EMLINK || errno == ENOSYS;
        return no_links ? -EINVAL : -errno;
    }
    return unix_result(unlinkat(from->dir, from->name, 0));
}

static int rename_flagged(const struct spot *from, const struct spot *to, enum os_rename how)
{
#ifdef __linux__
    unsigned flags = how == OS_EXCHANGE ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    return unix_result(renameat2(from->dir, from->name, to->dir, to->name, flags));
#else
    unsigned flags = how == OS_EXCHANGE ? RENAME_SWAP : RENAME_EXCL;
    return unix_result(renameatx_np(from->dir, from->name, to->dir, to->name, flags));
#endif
}

static int rename_spot(const struct spot *from, const struct spot *to, enum os_rename how)
{
    if (how == OS_REPLACE)
        return unix_result(renameat(from->dir, from->name, to->dir, to->name));
    int rc = rename_flagged(from, to, how);
    /* NFS, 9p, FUSE and ZFS answer EINVAL to any flag; ask anew each time, because EINVAL can
     * also be about these very names. */
    if (rc != -EINVAL && rc != -ENOSYS && rc != -ENOTSUP)
        return rc;
    return how == OS_EXCHANGE ? -EINVAL : link_then_remove(from, to);
}

int os_rename(os_fd from_dir, const char *from, os_fd to_dir, const char *to, enum os_rename how)
{
    struct spot old, new;
    int rc = enter_both(from_dir, from, to_dir, to, &old, &new);
    if (rc < 0)
        return rc;
    rc = rename_spot(&old, &new, how);
    leave(&old);
    leave(&new);
    return rc;
}

int os_may_change(os_fd dir)
{
    return unix_result(faccessat((int)dir, ".", W_OK | X_OK, AT_EACCESS));
}

bool os_is_name(const char *name)
{
    (void)name;
    return true;
}

bool os_renames_open(void)
{
    return true;
}

void os_own_name(os_fd dir, char *name, size_t size)
{
    (void)dir, (void)name, (void)size; /* a file has the names that it was given */
}

int os_holders(os_fd dir, const char *name, char *text, size_t size)
{
    (void)dir, (void)name, (void)text, (void)size;
    return -ENOENT; /* nobody is in the way of a rename */
}

int os_link(os_fd from_dir, const char *from, os_fd to_dir, const char *to)
{
    struct spot old, new;
    int rc = enter_both(from_dir, from, to_dir, to, &old, &new);
    if (rc < 0)
        return rc;
    rc = unix_result(linkat(old.dir, old.name, new.dir, new.name, 0));
    leave(&old);
    leave(&new);
    return rc;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

#ifdef __linux__

/* The kernel's own call: a listing of one of our folders is part of every write, and opendir costs
 * four more calls and 32 KiB of heap. The layout is that of getdents64(2). */
int os_list(os_fd dir, int (*visit)(void *context, const char *name), void *context)
{
    enum { OFFSET = 8, LENGTH = 16, NAME = 19 };
    char buffer[4096];
    int64_t position = 0;
    for (;;) {
        /* `visit` may list the same handle. Of a directory that was removed meanwhile, and has no
         * names any more, ext4 takes no position (as of Linux 6.18, EINVAL). */
        if (lseek((int)dir, (off_t)position, SEEK_SET) < 0)
            return position != 0 && errno == EINVAL ? 0 : -errno;
        long n = syscall(SYS_getdents64, (int)dir, buffer, sizeof buffer);
        if (n <= 0)
            return n < 0 ? -errno : 0;
        for (long at = 0; at < n;) {
            uint16_t length;
            memcpy(&length, buffer + at + LENGTH, sizeof length);
            memcpy(&position, buffer + at + OFFSET, sizeof position);
            const char *name = buffer + at + NAME;
            int rc = is_dots(name) ? 0 : visit(context, name);
            if (rc != 0)
                return rc;
            at += length;
        }
    }
}

#else

int os_list(os_fd dir, int (*visit)(void *context, const char *name), void *context)
{
    /* An opening of its own: the position is not shared with other users of the handle. */
    int fd = openat((int)dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    DIR *listing = fdopendir(fd);
    if (!listing) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    int rc = 0;
    struct dirent *entry;
    for (errno = 0; rc == 0 && (entry = readdir(listing)) != NULL; errno = 0)
        rc = is_dots(entry->d_name) ? 0 : visit(context, entry->d_name);
    if (rc == 0)
        rc = -errno;
    closedir(listing);
    return rc;
}

#endif
