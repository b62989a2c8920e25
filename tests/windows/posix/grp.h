#ifndef UNTORN_TESTS_POSIX_GRP_H
#define UNTORN_TESTS_POSIX_GRP_H
#include <stddef.h>
#include <unistd.h>
static inline int setgroups(size_t count, const gid_t *groups)
{
    (void)count, (void)groups;
    NEEDS_USERS
}
#endif
