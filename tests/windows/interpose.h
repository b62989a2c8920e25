/* In the stead of tests/file/interpose.h: nothing can be put between the library and Windows by
 * defining the calls again, so that a test that asks for it is skipped. */
#ifndef UNTORN_TESTS_FILE_INTERPOSE_H
#define UNTORN_TESTS_FILE_INTERPOSE_H

#include <stdbool.h>
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
    const char *path;
    int first, last, code, seen;
};
static struct rule rules[CALL_COUNT][8];

enum { NFS = 0x6969 };
static long pretended_filesystem;
static int no_openat2;
static bool flushes_are_skipped, inside_hook;

#define NEEDS_CALLS                                                                                \
    {                                                                                              \
        (void)pretended_filesystem, (void)no_openat2, (void)rules, (void)flushes_are_skipped,      \
            (void)inside_hook;                                                                     \
        harness_skip("needs to stand between the library and the system");                         \
    }
static inline struct rule *new_rule(enum call call, const char *path, int first, int last)
{
    (void)call, (void)path, (void)first, (void)last;
    NEEDS_CALLS
}
static inline void fail(enum call call, const char *path, int nth, int code)
{
    (void)call, (void)path, (void)nth, (void)code;
    NEEDS_CALLS
}
static inline void fail_always(enum call call, const char *path, int code)
{
    (void)call, (void)path, (void)code;
    NEEDS_CALLS
}
static inline void at(enum call call, const char *path, int nth, void (*hook)(void *context),
                      void *context)
{
    (void)call, (void)path, (void)nth, (void)hook, (void)context;
    NEEDS_CALLS
}
static inline void always_at(enum call call, const char *path, void (*hook)(void *context),
                             void *context)
{
    (void)call, (void)path, (void)hook, (void)context;
    NEEDS_CALLS
}
static inline const struct rule *watch(enum call call, const char *path)
{
    (void)call, (void)path;
    NEEDS_CALLS
}
static inline void forget_rules(void)
{
}

#endif
