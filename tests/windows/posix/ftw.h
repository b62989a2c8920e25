/* nftw, as far as removing a tree needs it. */
#ifndef UNTORN_TESTS_POSIX_FTW_H
#define UNTORN_TESTS_POSIX_FTW_H
#include <dirent.h>
#include <unistd.h>
struct FTW {
    int base, level;
};
enum { FTW_DEPTH = 1, FTW_PHYS = 2, FTW_MOUNT = 4, FTW_F = 0, FTW_D = 1 };
int nftw(const char *path,
         int (*visit)(const char *path, const struct stat *status, int type, struct FTW *place),
         int handles, int flags);
#endif
