/* What a path looks like. */
#include "base/pathtext.h"

#include <string.h>

const char path_separators[] = "/\\";

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static size_t drive_size(const char *path)
{
    bool letter = (path[0] | 32) >= 'a' && (path[0] | 32) <= 'z';
    return letter && path[1] == ':' && is_separator(path[2]) ? 3 : 0;
}

size_t path_root_size(const char *path)
{
    if (!is_separator(path[0]))
        return drive_size(path);
    if (!is_separator(path[1]))
        return 1 + drive_size(path + 1);
    size_t size = 2;
    for (int names = 0; names < 2; names++) { /* the server, the share */
        size += strcspn(path + size, path_separators);
        size += is_separator(path[size]);
    }
    return size;
}

bool path_begins(const char *name, const char *start)
{
    return _strnicmp(name, start, strlen(start)) == 0;
}
