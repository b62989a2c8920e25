/* Shared by the files of this folder: feature macros and small conversions. Linux and macOS. */
#ifndef UNTORN_OS_UNIX_H
#define UNTORN_OS_UNIX_H

#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "os/os.h"

/* The working directory stands for "no directory given". */
static inline int unix_at(os_fd at)
{
    return at == OS_NONE ? AT_FDCWD : (int)at;
}

static inline int unix_result(int rc)
{
    return rc < 0 ? -errno : 0;
}

/* As openat, and no link is followed on the way nor, with O_NOFOLLOW, at the end. */
int unix_open_below(int at, const char *path, int flags, mode_t mode);

#endif
