#ifndef UNTORN_TESTS_POSIX_SYS_RESOURCE_H
#define UNTORN_TESTS_POSIX_SYS_RESOURCE_H
#include <unistd.h>
struct rlimit {
    unsigned long rlim_cur, rlim_max;
};
enum { RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_STACK };
static inline int setrlimit(int what, const struct rlimit *limit)
{
    (void)what, (void)limit;
    harness_skip("needs limits of a process");
}
static inline int getrlimit(int what, struct rlimit *limit)
{
    (void)what;
    return setrlimit(what, limit);
}

struct rusage {
    long ru_maxrss, ru_minflt;
};
enum { RUSAGE_SELF };
static inline int getrusage(int who, struct rusage *usage)
{
    (void)who, (void)usage;
    harness_skip("needs the figures of a process");
}
#endif
