#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system.h"

static enum system_kind kind_of(const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return SYSTEM_FILE;
    if (S_ISDIR(status->st_mode))
        return SYSTEM_DIRECTORY;
    return S_ISLNK(status->st_mode) ? SYSTEM_LINK : SYSTEM_OTHER;
}

enum system_kind system_kind(const char *path, bool follow, uint64_t *ret_size)
{
    struct stat status;
    if ((follow ? stat : lstat)(path, &status) != 0)
        return errno == ENOENT ? SYSTEM_NOTHING : SYSTEM_UNKNOWN;
    if (ret_size)
        *ret_size = (uint64_t)status.st_size;
    return kind_of(&status);
}

bool system_is_separator(char c)
{
    return c == '/';
}

char *system_resolve(const char *path)
{
    return realpath(path, NULL);
}

bool system_here(char path[CLI_PATH])
{
    return getcwd(path, CLI_PATH) != NULL;
}

const char *system_usual(const char *path)
{
    return path;
}

static void list(DIR *listing,
                 void (*visit)(void *context, const char *name, enum system_kind kind),
                 void *context)
{
    struct stat status;
    for (struct dirent *entry; errno = 0, (entry = readdir(listing)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
            fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) == 0) /* else it is gone */
            visit(context, name, kind_of(&status));
    }
}

int system_list(const char *path, bool follow,
                void (*visit)(void *context, const char *name, enum system_kind kind),
                void *context)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
    DIR *listing = fd >= 0 ? fdopendir(fd) : NULL;
    int error = errno;
    if (!listing) {
        if (fd >= 0)
            close(fd);
        return error;
    }
    list(listing, visit, context);
    error = errno;
    closedir(listing);
    return error;
}
