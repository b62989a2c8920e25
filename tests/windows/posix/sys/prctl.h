#ifndef UNTORN_TESTS_POSIX_SYS_PRCTL_H
#define UNTORN_TESTS_POSIX_SYS_PRCTL_H
enum { PR_SET_DUMPABLE, PR_SET_PDEATHSIG };
static inline int prctl(int what, ...)
{
    (void)what;
    return 0;
}
#endif
