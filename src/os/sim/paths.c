/* What a path looks like. */
#include "base/pathtext.h"

#include <string.h>

const char path_separators[] = "/";

size_t path_root_size(const char *path)
{
    return path[0] == '/';
}

bool path_begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}
