/* Owner, mode, ACL and extended attributes. */
#include "os/unix/unix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#ifdef __APPLE__
#include <copyfile.h>
#include <sys/acl.h>
#endif

static int give_owner(int file, uint32_t owner, uint32_t group, const struct os_stat *now)
{
    uid_t uid = now->owner == owner ? (uid_t)-1 : (uid_t)owner;
    gid_t gid = now->group == group ? (gid_t)-1 : (gid_t)group;
    if (uid == (uid_t)-1 && gid == (gid_t)-1)
        return 0;
    return unix_result(fchown(file, uid, gid));
}

#ifdef __APPLE__

static int copy_attributes(os_fd from, os_fd to, bool with_acl, unsigned *ret_result)
{
    copyfile_flags_t what = COPYFILE_XATTR | (with_acl ? COPYFILE_ACL : 0);
    if (fcopyfile((int)from, (int)to, NULL, what) == 0)
        return 0;
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO)
        return -errno;
    *ret_result |= OS_META_LOST;
    return 0;
}

void os_attributes(os_fd file, bool *ret_attributes, bool *ret_acl)
{
    *ret_attributes = fsetxattr((int)file, "org.untorn.probe", "1", 1, 0, 0) == 0;
    *ret_acl = fpathconf((int)file, _PC_EXTENDED_SECURITY_NP) == 1;
}

bool os_is_plain(os_fd file)
{
    (void)file;
    return false; /* not worth finding out: whoever asks then does it the long way */
}

static int remove_acl(os_fd file)
{
    acl_t none = acl_init(0);
    int rc = none ? unix_result(acl_set_fd((int)file, none)) : -ENOMEM;
    if (none)
        acl_free(none);
    return rc == -ENOTSUP ? 0 : rc;
}

static int take_default_acl(os_fd dir, os_fd file)
{
    (void)dir, (void)file; /* inherited entries come from the folder the file was made in */
    return 0;
}

static void share_acl(os_fd made, os_fd parent, bool is_dir, unsigned mode)
{
    (void)is_dir, (void)mode;
    (void)fcopyfile((int)parent, (int)made, NULL, COPYFILE_ACL); /* as far as permitted */
}

#else

static const char acl_access[] = "system.posix_acl_access";
static const char acl_default[] = "system.posix_acl_default";
static const char capability[] = "security.capability";

void os_attributes(os_fd file, bool *ret_attributes, bool *ret_acl)
{
    char acl[1024];
    /* Not an empty one: that would mean to remove it on 9p. */
    *ret_attributes = fsetxattr((int)file, "user.untorn.probe", "1", 1, 0) == 0;
    *ret_acl = fgetxattr((int)file, acl_access, acl, sizeof acl) >= 0 || errno != ENOTSUP;
}

bool os_is_plain(os_fd file)
{
    ssize_t size = flistxattr((int)file, NULL, 0);
    return size == 0 || (size < 0 && errno == ENOTSUP);
}

/* An O_PATH handle has no attribute calls of its own: the name under /proc stands for it. */
static const char *proc_name(os_fd fd, char text[40])
{
    snprintf(text, 40, "/proc/self/fd/%d", (int)fd);
    return text;
}

/* All names, each ended by NUL. *ret_list is new; 0 names need none. */
static ssize_t list_attributes(os_fd fd, char **ret_list)
{
    char name[40];
    proc_name(fd, name);
    *ret_list = NULL;
    ssize_t size = flistxattr((int)fd, NULL, 0);
    bool by_name = size < 0 && errno == EBADF;
    if (by_name)
        size = listxattr(name, NULL, 0);
    if (size <= 0)
        return size < 0 && errno == ENOTSUP ? 0 : size;
    *ret_list = malloc((size_t)size);
    if (!*ret_list) {
        errno = ENOMEM;
        return -1;
    }
    return by_name ? listxattr(name, *ret_list, (size_t)size)
                   : flistxattr((int)fd, *ret_list, (size_t)size);
}

/* *ret_value is new. */
static ssize_t get_attribute(os_fd fd, const char *attribute, char **ret_value)
{
    char name[40];
    proc_name(fd, name);
    *ret_value = NULL;
    ssize_t size = fgetxattr((int)fd, attribute, NULL, 0);
    bool by_name = size < 0 && errno == EBADF;
    if (by_name)
        size = getxattr(name, attribute, NULL, 0);
    if (size < 0)
        return size;
    *ret_value = malloc((size_t)size + 1);
    if (!*ret_value) {
        errno = ENOMEM;
        return -1;
    }
    return by_name ? getxattr(name, attribute, *ret_value, (size_t)size)
                   : fgetxattr((int)fd, attribute, *ret_value, (size_t)size);
}

/* What the kernel computes by itself, or what is about this inode only. */
static bool is_not_ours_to_copy(const char *attribute)
{
    return strcmp(attribute, "security.evm") == 0 || strcmp(attribute, "security.ima") == 0 ||
           strncmp(attribute, "btrfs.", 6) == 0;
}

/* Lost is what this file system or our rights do not allow; anything else is a failure. */
static int lost_or_failed(unsigned *ret_result)
{
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == ENOMEM)
        return -errno;
    *ret_result |= OS_META_LOST;
    return 0;
}

/* A label is usually right already, and setting it may need a privilege we lack. */
static bool has_value(os_fd fd, const char *attribute, const char *value, ssize_t size)
{
    char now[256];
    return fgetxattr((int)fd, attribute, now, sizeof now) == size &&
           memcmp(now, value, (size_t)size) == 0;
}

static int copy_one(os_fd from, os_fd to, const char *attribute, unsigned *ret_result)
{
    char *value;
    int rc = 0;
    ssize_t size = get_attribute(from, attribute, &value);
    if (size < 0)
        rc = errno == ENODATA ? 0 : lost_or_failed(ret_result);
    else if (!has_value(to, attribute, value, size) &&
             fsetxattr((int)to, attribute, value, (size_t)size, 0) < 0)
        rc = lost_or_failed(ret_result);
    free(value);
    return rc;
}

static bool has_attribute(const char *list, ssize_t size, const char *attribute)
{
    for (const char *name = list; name < list + size; name += strlen(name) + 1)
        if (strcmp(name, attribute) == 0)
            return true;
    return false;
}

/* The stage may have inherited one from the folder it was made in. */
static int remove_acl(os_fd file)
{
    char *list;
    ssize_t size = list_attributes(file, &list);
    int rc = 0;
    if (size > 0 && has_attribute(list, size, acl_access) &&
        fremovexattr((int)file, acl_access) < 0 && errno != ENODATA)
        rc = -errno;
    free(list);
    return rc;
}

/* Plain attributes first, then labels; the ACL and capabilities have their own moments. */
static int copy_listed(os_fd from, os_fd to, const char *list, ssize_t size, unsigned *ret_result)
{
    for (int labels = 0; labels < 2; labels++) {
        for (const char *name = list; name < list + size; name += strlen(name) + 1) {
            bool label = strncmp(name, "security.", 9) == 0;
            if (label != (labels == 1) || strcmp(name, capability) == 0 ||
                strcmp(name, acl_access) == 0 || is_not_ours_to_copy(name))
                continue;
            int rc = copy_one(from, to, name, ret_result);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int copy_attributes(os_fd from, os_fd to, bool with_acl, unsigned *ret_result)
{
    char *list = NULL;
    int rc = remove_acl(to);
    ssize_t size = rc < 0 ? 0 : list_attributes(from, &list);
    if (size < 0)
        rc = lost_or_failed(ret_result);
    if (rc == 0 && size > 0) {
        if (with_acl && has_attribute(list, size, acl_access))
            rc = copy_one(from, to, acl_access, ret_result);
        if (rc == 0)
            rc = copy_listed(from, to, list, size, ret_result);
        if (rc == 0 && has_attribute(list, size, capability))
            rc = copy_one(from, to, capability, ret_result);
    }
    free(list);
    return rc;
}

/* The kernel's own format (acl(5), linux/posix_acl_xattr.h): a version, then entries. */
struct acl_entry {
    uint16_t tag, permissions;
    uint32_t id;
};
enum { ACL_HEAD = 4, TAG_USER_OBJ = 1, TAG_GROUP_OBJ = 4, TAG_MASK = 16, TAG_OTHER = 32 };

/* Narrows each class of `acl` to what `mode` allows it, as the kernel does at creation. */
static void narrow_acl(char *acl, ssize_t size, unsigned mode)
{
    bool masked = false;
    struct acl_entry entry;
    for (ssize_t at = ACL_HEAD; at + (ssize_t)sizeof entry <= size; at += (ssize_t)sizeof entry) {
        memcpy(&entry, acl + at, sizeof entry);
        masked |= entry.tag == TAG_MASK;
    }
    for (ssize_t at = ACL_HEAD; at + (ssize_t)sizeof entry <= size; at += (ssize_t)sizeof entry) {
        memcpy(&entry, acl + at, sizeof entry);
        if (entry.tag == TAG_USER_OBJ)
            entry.permissions &= mode >> 6 & 7;
        if (entry.tag == TAG_MASK || (entry.tag == TAG_GROUP_OBJ && !masked))
            entry.permissions &= mode >> 3 & 7;
        if (entry.tag == TAG_OTHER)
            entry.permissions &= mode & 7;
        memcpy(acl + at, &entry, sizeof entry);
    }
}

static int take_default_acl(os_fd dir, os_fd file)
{
    char *acl;
    int rc = 0;
    ssize_t size = get_attribute(dir, acl_default, &acl);
    if (size < 0)
        rc = errno == ENODATA || errno == ENOTSUP ? 0 : -errno;
    else {
        narrow_acl(acl, size, 0666);
        rc = unix_result(fsetxattr((int)file, acl_access, acl, (size_t)size, 0));
    }
    free(acl);
    return rc;
}

/* As far as permitted: who cannot use the folder for want of this is told so when he tries. */
static void share_acl(os_fd made, os_fd parent, bool is_dir, unsigned mode)
{
    char *acl;
    ssize_t size = get_attribute(parent, acl_access, &acl);
    if (size >= 0) {
        if (!is_dir)
            narrow_acl(acl, size, mode);
        (void)fsetxattr((int)made, acl_access, acl, (size_t)size, 0);
    }
    free(acl);
    /* A default ACL would decide the mode of stages; they get theirs by os_new_meta. */
    if (is_dir)
        (void)fremovexattr((int)made, acl_default);
}

#endif

int os_copy_meta(os_fd from, os_fd to, unsigned mode, unsigned *ret_result)
{
    struct os_stat source, target;
    *ret_result = 0;
    int rc = os_stat(from, NULL, &source);
    if (rc == 0)
        rc = os_stat(to, NULL, &target);
    if (rc < 0)
        return rc;
    unsigned wanted = mode ? mode : source.mode;
    rc = give_owner((int)to, source.owner, source.group, &target);
    if (rc == -EPERM) {
        *ret_result = OS_META_OWNER_DENIED;
        wanted &= 0777;
        rc = give_owner((int)to, target.owner, source.group, &target);
        if (rc == -EPERM)
            return unix_result(fchmod((int)to, (mode_t)(wanted & ~070u)));
    }
    if (rc == 0 &&
        (wanted != target.mode || source.owner != target.owner || source.group != target.group))
        rc = unix_result(fchmod((int)to, (mode_t)wanted));
    return rc < 0 ? rc : copy_attributes(from, to, mode == 0, ret_result);
}

int os_new_meta(os_fd dir, os_fd file, unsigned mode)
{
    struct os_stat parent, now;
    int rc = os_stat(dir, NULL, &parent);
    if (rc == 0)
        rc = os_stat(file, NULL, &now);
    if (rc < 0)
        return rc;
    /* Not being a member of the group is no reason to fail: the file then has our own. */
    if ((parent.mode & S_ISGID) && now.group != parent.group)
        (void)fchown((int)file, (uid_t)-1, (gid_t)parent.group);
    if (mode)
        return mode == now.mode ? 0 : unix_result(fchmod((int)file, (mode_t)mode));
    return take_default_acl(dir, file);
}

int os_give(os_fd file, uint32_t owner, uint32_t group, unsigned mode)
{
    struct os_stat now;
    int rc = os_stat(file, NULL, &now);
    if (rc == 0)
        rc = give_owner((int)file, owner, group, &now);
    if (rc == -EPERM && owner == now.owner) {
        mode &= ~070u;
        rc = 0;
    }
    return rc < 0 ? rc : unix_result(fchmod((int)file, (mode_t)mode));
}

bool os_makes_modes(void)
{
    return true;
}

int os_narrow(os_fd file, unsigned mode)
{
    struct os_stat now;
    int rc = os_stat(file, NULL, &now);
    if (rc == 0 && (now.mode & ~mode))
        rc = unix_result(fchmod((int)file, (mode_t)(now.mode & mode)));
    return rc < 0 ? rc : remove_acl(file);
}

static int get_time(int file, struct timespec *ret_time)
{
    struct stat status;
    if (fstat(file, &status) < 0)
        return -errno;
#ifdef __APPLE__
    *ret_time = status.st_mtimespec;
#else
    *ret_time = status.st_mtim;
#endif
    return 0;
}

int os_time(os_fd file, int64_t *ret_time)
{
    struct timespec modified = {0};
    int rc = get_time((int)file, &modified);
    if (rc == 0)
        *ret_time = modified.tv_sec * (int64_t)OS_SECOND + modified.tv_nsec;
    return rc;
}

int os_copy_time(os_fd from, os_fd to)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    int rc = get_time((int)from, &times[1]);
    return rc < 0 ? rc : unix_result(futimens((int)to, times));
}

int os_share(os_fd made, os_fd parent, const uint32_t *private_owner)
{
    struct os_stat like, now;
    int rc = os_stat(parent, NULL, &like);
    if (rc == 0)
        rc = os_stat(made, NULL, &now);
    if (rc < 0)
        return rc;
    bool is_dir = now.kind == OS_DIRECTORY;
    if (private_owner) {
        (void)give_owner((int)made, *private_owner, now.group, &now);
        if (is_dir)
            share_acl(made, made, true, 0);
        return unix_result(fchmod((int)made, is_dir ? 0700 : 0600));
    }
    if (give_owner((int)made, like.owner, like.group, &now) < 0)
        (void)give_owner((int)made, now.owner, like.group, &now);
    unsigned writers = like.mode & 0222;
    unsigned mode = is_dir ? (like.mode & 02777) | 0700 : writers | writers << 1 | 0600;
    rc = unix_result(fchmod((int)made, (mode_t)mode));
    share_acl(made, parent, is_dir, 0666);
    return rc;
}

int os_share_as(os_fd made, os_fd parent, unsigned mode, bool keeps_owner)
{
    struct os_stat like, now;
    int rc = os_stat(parent, NULL, &like);
    if (rc == 0)
        rc = os_stat(made, NULL, &now);
    if (rc == 0)
        rc = unix_result(fchmod((int)made, 0600));
    if (rc < 0)
        return rc;
    if (keeps_owner || give_owner((int)made, like.owner, like.group, &now) < 0)
        (void)give_owner((int)made, now.owner, like.group, &now);
    share_acl(made, parent, false, mode);
    return unix_result(fchmod((int)made, (mode_t)mode)); /* what the list made of it */
}
