#include "here.h"

#include <stdbool.h>
#include <string.h>

#include "system.h"

const char *path_from_here(const char *path)
{
    char here[CLI_PATH];
    size_t length = system_here(here) ? strlen(here) : 0;
    bool below = length > 0 && strncmp(path, here, length) == 0 && path[length] == '/';
    return below ? path + length + 1 : system_usual(path);
}

size_t path_folder_size(const char *path)
{
    size_t size = strlen(path);
    while (size > 0 && !system_is_separator(path[size - 1]))
        size--;
    return size;
}
