#ifndef UNTORN_TESTS_POSIX_IOCTL_H
#define UNTORN_TESTS_POSIX_IOCTL_H
#include <unistd.h>
enum { FS_IOC_SETFLAGS, FS_IMMUTABLE_FL = 16, FS_APPEND_FL = 32 };
static inline int ioctl(int file, unsigned long what, ...)
{
    (void)file, (void)what;
    return -1;
}
#endif
