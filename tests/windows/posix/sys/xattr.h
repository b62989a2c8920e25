#ifndef UNTORN_TESTS_POSIX_XATTR_H
#define UNTORN_TESTS_POSIX_XATTR_H
#include <unistd.h>
#define NEEDS_ATTRIBUTES                                                                           \
    {                                                                                              \
        harness_skip("needs extended attributes");                                                 \
    }
static inline int64_t getxattr(const char *path, const char *name, void *value, size_t size)
{
    (void)path, (void)name, (void)value, (void)size;
    NEEDS_ATTRIBUTES
}
#define lgetxattr getxattr
#define lsetxattr setxattr
static inline int removexattr(const char *path, const char *name)
{
    (void)path, (void)name;
    NEEDS_ATTRIBUTES
}
static inline int64_t listxattr(const char *path, char *list, size_t size)
{
    (void)path, (void)list, (void)size;
    NEEDS_ATTRIBUTES
}
#endif
