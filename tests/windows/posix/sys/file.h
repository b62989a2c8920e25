#ifndef UNTORN_TESTS_POSIX_SYS_FILE_H
#define UNTORN_TESTS_POSIX_SYS_FILE_H
#include <unistd.h>
enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8 };
static inline int flock(int file, int how)
{
    (void)file, (void)how;
    harness_skip("needs flock");
}
#endif
