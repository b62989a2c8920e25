#include "here.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

const char *path_from_here(const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length > 0 && strncmp(path, here, length) == 0 && path[length] == '/';
    return below ? path + length + 1 : path;
}
