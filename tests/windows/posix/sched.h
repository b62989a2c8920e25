#ifndef UNTORN_TESTS_POSIX_SCHED_H
#define UNTORN_TESTS_POSIX_SCHED_H
#include_next <sched.h>
enum { CLONE_NEWNS = 1, CLONE_NEWPID = 2, CLONE_NEWUSER = 4 };
static inline int unshare(int what)
{
    (void)what;
    return -1;
}
#endif
