/* The calls that the library makes to the system, counted, made to fail, or used as moments at
 * which somebody else does something.
 *
 *     fail(CALL_FSYNC, "/stage", 1, EIO);         the first flush of a stage fails, once
 *     fail_always(CALL_FSYNC, "", EIO);           every flush fails
 *     at(CALL_FLOCK, "/lock/", 1, replace, NULL); replace(NULL) runs just before that call
 *
 * The text selects by the path of what the call is about, the count is of selected calls from now.
 * Include it in one source of a program: it defines the calls themselves. Linux only.
 */
#ifdef _WIN32
#include "windows/interpose.h"
#endif
#ifndef UNTORN_TESTS_FILE_INTERPOSE_H
#define UNTORN_TESTS_FILE_INTERPOSE_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum call {
    CALL_OPEN,
    CALL_FSYNC,
    CALL_TRUNCATE,
    CALL_READ,
    CALL_WRITE,
    CALL_STAT,
    CALL_MKDIR,
    CALL_UNLINK,
    CALL_RENAME,
    CALL_LINK,
    CALL_FLOCK,
    CALL_CHMOD,
    CALL_CHOWN,
    CALL_FCNTL,
    CALL_STATFS,
    CALL_ENTROPY,
    CALL_GETXATTR,
    CALL_LISTXATTR,
    CALL_SETXATTR,
    CALL_REMOVEXATTR,
    CALL_SLEEP,
    CALL_CLOSE,
    CALL_COUNT
};

struct rule {
    const char *path; /* NULL: no rule */
    int first, last;  /* which of the selected calls; last 0: all from the first */
    int code;
    void (*hook)(void *context);
    void *context;
    int seen;
};

enum { RULES = 8 };
static struct rule rules[CALL_COUNT][RULES];
static bool inside_hook;

enum { NFS = 0x6969 };
static long pretended_filesystem; /* if not 0, what every file system says it is */
static int no_openat2;            /* if not 0, what a kernel or container without it answers */
static bool flushes_are_skipped;  /* for tests that are long enough without them */

static inline struct rule *new_rule(enum call call, const char *path, int first, int last)
{
    for (int i = 0; i < RULES; i++) {
        if (!rules[call][i].path) {
            rules[call][i] = (struct rule){.path = path, .first = first, .last = last};
            return &rules[call][i];
        }
    }
    return NULL;
}

static inline void fail(enum call call, const char *path, int nth, int code)
{
    new_rule(call, path, nth, nth)->code = code;
}

static inline void fail_always(enum call call, const char *path, int code)
{
    new_rule(call, path, 1, 0)->code = code;
}

static inline void at(enum call call, const char *path, int nth, void (*hook)(void *context),
                      void *context)
{
    struct rule *rule = new_rule(call, path, nth, nth);
    rule->context = context;
    rule->hook = hook;
}

static inline void always_at(enum call call, const char *path, void (*hook)(void *context),
                             void *context)
{
    struct rule *rule = new_rule(call, path, 1, 0);
    rule->context = context;
    rule->hook = hook;
}

/* Only counts; see calls_seen. */
static inline const struct rule *watch(enum call call, const char *path)
{
    return new_rule(call, path, 1, 0);
}

static inline void forget_rules(void)
{
    memset(rules, 0, sizeof rules);
}

static void path_of(int fd, const char *name, char *path, size_t size)
{
    char link[40];
    ssize_t used = 0;
    if (fd >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        used = syscall(SYS_readlink, link, path, size - 1);
    }
    used = used < 0 ? 0 : used;
    snprintf(path + used, size - (size_t)used, "%s%s", used && name ? "/" : "", name ? name : "");
}

/* Whether the call is to fail; errno is set. */
static bool intercept(enum call call, int fd, const char *name)
{
    char path[8192];
    bool ruled = false, fails = false;
    for (int i = 0; i < RULES; i++)
        ruled = ruled || rules[call][i].path;
    if (!ruled || inside_hook)
        return false;
    int saved = errno;
    path_of(fd, name, path, sizeof path);
    for (int i = 0; i < RULES; i++) {
        struct rule *rule = &rules[call][i];
        if (!rule->path || !strstr(path, rule->path))
            continue;
        rule->seen++;
        if (rule->seen < rule->first || (rule->last && rule->seen > rule->last))
            continue;
        if (rule->hook) {
            inside_hook = true;
            rule->hook(rule->context);
            inside_hook = false;
        }
        if (rule->code) {
            fails = true;
            saved = rule->code;
        }
    }
    errno = saved;
    return fails;
}

#define CALLS(name_) __asm__(#name_)

int real_openat(int dir, const char *name, int flags, ...) CALLS(openat64);
int real_openat(int dir, const char *name, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (intercept(CALL_OPEN, dir, name))
        return -1;
    return (int)syscall(SYS_openat, dir, name, flags, mode);
}

/* openat2 has no function of its own. */
long real_syscall(long number, ...) CALLS(syscall);
long real_syscall(long number, ...)
{
    static long (*next)(long, ...);
    long given[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        given[i] = va_arg(arguments, long);
    va_end(arguments);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_openat2 && no_openat2) {
        errno = no_openat2;
        return -1;
    }
    if (number == SYS_openat2 && intercept(CALL_OPEN, (int)given[0], (const char *)given[1]))
        return -1;
    return next(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

int real_openat_2(int dir, const char *name, int flags) CALLS(__openat64_2);
int real_openat_2(int dir, const char *name, int flags)
{
    return real_openat(dir, name, flags);
}

int real_close(int fd) CALLS(close);
int real_close(int fd)
{
    bool fails = intercept(CALL_CLOSE, fd, NULL);
    int code = errno;
    int rc = (int)syscall(SYS_close, fd);
    if (!fails)
        return rc;
    errno = code;
    return -1;
}

int real_fsync(int fd) CALLS(fsync);
int real_fsync(int fd)
{
    if (intercept(CALL_FSYNC, fd, NULL))
        return -1;
    return flushes_are_skipped ? 0 : (int)syscall(SYS_fsync, fd);
}

int real_fdatasync(int fd) CALLS(fdatasync);
int real_fdatasync(int fd)
{
    if (intercept(CALL_FSYNC, fd, NULL))
        return -1;
    return flushes_are_skipped ? 0 : (int)syscall(SYS_fdatasync, fd);
}

int real_ftruncate(int fd, off_t size) CALLS(ftruncate64);
int real_ftruncate(int fd, off_t size)
{
    return intercept(CALL_TRUNCATE, fd, NULL) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

ssize_t real_pread(int fd, void *data, size_t size, off_t offset) CALLS(pread64);
ssize_t real_pread(int fd, void *data, size_t size, off_t offset)
{
    return intercept(CALL_READ, fd, NULL) ? -1 : syscall(SYS_pread64, fd, data, size, offset);
}

/* The code 0xffff stands for "nothing was written". */
ssize_t real_pwrite(int fd, const void *data, size_t size, off_t offset) CALLS(pwrite64);
ssize_t real_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    if (intercept(CALL_WRITE, fd, NULL))
        return errno == 0xffff ? 0 : -1;
    return syscall(SYS_pwrite64, fd, data, size, offset);
}

int real_statx(int dir, const char *name, int flags, unsigned mask, struct statx *x) CALLS(statx);
int real_statx(int dir, const char *name, int flags, unsigned mask, struct statx *x)
{
    if (intercept(CALL_STAT, dir, *name ? name : NULL))
        return -1;
    return (int)syscall(SYS_statx, dir, name, flags, mask, x);
}

int real_mkdirat(int dir, const char *name, mode_t mode) CALLS(mkdirat);
int real_mkdirat(int dir, const char *name, mode_t mode)
{
    return intercept(CALL_MKDIR, dir, name) ? -1 : (int)syscall(SYS_mkdirat, dir, name, mode);
}

int real_unlinkat(int dir, const char *name, int flags) CALLS(unlinkat);
int real_unlinkat(int dir, const char *name, int flags)
{
    return intercept(CALL_UNLINK, dir, name) ? -1 : (int)syscall(SYS_unlinkat, dir, name, flags);
}

int real_renameat(int from, const char *old, int to, const char *new) CALLS(renameat);
int real_renameat(int from, const char *old, int to, const char *new)
{
    if (intercept(CALL_RENAME, to, new))
        return -1;
    return (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int real_renameat2(int from, const char *old, int to, const char *new, unsigned how)
    CALLS(renameat2);
int real_renameat2(int from, const char *old, int to, const char *new, unsigned how)
{
    if (intercept(CALL_RENAME, to, new))
        return -1;
    return (int)syscall(SYS_renameat2, from, old, to, new, how);
}

int real_linkat(int from, const char *old, int to, const char *new, int flags) CALLS(linkat);
int real_linkat(int from, const char *old, int to, const char *new, int flags)
{
    if (intercept(CALL_LINK, to, new))
        return -1;
    return (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int real_flock(int fd, int operation) CALLS(flock);
int real_flock(int fd, int operation)
{
    return intercept(CALL_FLOCK, fd, NULL) ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int real_fchmod(int fd, mode_t mode) CALLS(fchmod);
int real_fchmod(int fd, mode_t mode)
{
    return intercept(CALL_CHMOD, fd, NULL) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int real_fchown(int fd, uid_t owner, gid_t group) CALLS(fchown);
int real_fchown(int fd, uid_t owner, gid_t group)
{
    return intercept(CALL_CHOWN, fd, NULL) ? -1 : (int)syscall(SYS_fchown, fd, owner, group);
}

int real_fcntl(int fd, int command, ...) CALLS(fcntl64);
int real_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return intercept(CALL_FCNTL, fd, NULL) ? -1 : (int)syscall(SYS_fcntl, fd, command, argument);
}

int real_fstatfs(int fd, struct statfs *s) CALLS(fstatfs64);
int real_fstatfs(int fd, struct statfs *s)
{
    if (intercept(CALL_STATFS, fd, NULL))
        return -1;
    int rc = (int)syscall(SYS_fstatfs, fd, s);
    if (rc == 0 && pretended_filesystem)
        s->f_type = pretended_filesystem;
    return rc;
}

int real_getentropy(void *data, size_t size) CALLS(getentropy);
int real_getentropy(void *data, size_t size)
{
    if (intercept(CALL_ENTROPY, -1, NULL))
        return -1;
    return syscall(SYS_getrandom, data, size, 0) == (long)size ? 0 : -1;
}

ssize_t real_fgetxattr(int fd, const char *name, void *value, size_t size) CALLS(fgetxattr);
ssize_t real_fgetxattr(int fd, const char *name, void *value, size_t size)
{
    if (intercept(CALL_GETXATTR, fd, name))
        return -1;
    return syscall(SYS_fgetxattr, fd, name, value, size);
}

ssize_t real_flistxattr(int fd, char *list, size_t size) CALLS(flistxattr);
ssize_t real_flistxattr(int fd, char *list, size_t size)
{
    return intercept(CALL_LISTXATTR, fd, NULL) ? -1 : syscall(SYS_flistxattr, fd, list, size);
}

int real_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
    CALLS(fsetxattr);
int real_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
    if (intercept(CALL_SETXATTR, fd, name))
        return -1;
    return (int)syscall(SYS_fsetxattr, fd, name, value, size, flags);
}

int real_fremovexattr(int fd, const char *name) CALLS(fremovexattr);
int real_fremovexattr(int fd, const char *name)
{
    if (intercept(CALL_REMOVEXATTR, fd, name))
        return -1;
    return (int)syscall(SYS_fremovexattr, fd, name);
}

int real_nanosleep(const struct timespec *pause, struct timespec *rest) CALLS(nanosleep);
int real_nanosleep(const struct timespec *pause, struct timespec *rest)
{
    if (intercept(CALL_SLEEP, -1, ""))
        return -1;
    return (int)syscall(SYS_nanosleep, pause, rest);
}

#endif
