#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"
#include "win/inside.h"

static enum system_kind kind_of(const struct os_stat *stat)
{
    switch (stat->kind) {
    case OS_REGULAR:
        return SYSTEM_FILE;
    case OS_DIRECTORY:
        return SYSTEM_DIRECTORY;
    case OS_SYMLINK:
        return SYSTEM_LINK;
    default:
        return SYSTEM_OTHER;
    }
}

/* What a path leads to, to be looked at. */
static int open_target(const char *path, os_fd *ret_target)
{
    static wchar_t full[WIN_PATH];
    int rc = win_full_path(OS_NONE, path, full);
    if (rc < 0)
        return rc;
    HANDLE handle = CreateFileW(full, FILE_READ_ATTRIBUTES, WIN_SHARE, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return win_last_failure();
    *ret_target = (os_fd)handle;
    return 0;
}

static int look_at_target(const char *path, struct os_stat *ret_stat)
{
    os_fd target = OS_NONE;
    int rc = open_target(path, &target);
    if (rc < 0)
        return rc;
    rc = os_stat(target, NULL, ret_stat);
    os_close(target);
    return rc;
}

enum system_kind system_kind(const char *path, bool follow, uint64_t *ret_size)
{
    struct os_stat stat;
    int rc = follow ? look_at_target(path, &stat) : os_stat(OS_NONE, path, &stat);
    if (rc < 0)
        return rc == -ENOENT ? SYSTEM_NOTHING : SYSTEM_UNKNOWN;
    if (ret_size)
        *ret_size = stat.size;
    return kind_of(&stat);
}

bool system_is_separator(char c)
{
    return c == '/' || c == '\\';
}

char *system_resolve(const char *path)
{
    char resolved[CLI_PATH];
    os_fd target = OS_NONE;
    if (open_target(path, &target) < 0)
        return NULL;
    int rc = os_dir_path(target, resolved, sizeof resolved);
    os_close(target);
    return rc < 0 ? NULL : strdup(resolved);
}

bool system_here(char path[CLI_PATH])
{
    os_fd here;
    if (os_open_dir(OS_NONE, ".", false, &here) < 0)
        return false;
    int rc = os_dir_path(here, path, CLI_PATH);
    os_close(here);
    return rc == 0;
}

/* /C:/a is the library's; people write C:/a. */
const char *system_usual(const char *path)
{
    return path[0] == '/' && path[1] && path[2] == ':' ? path + 1 : path;
}

struct listing {
    os_fd dir;
    void (*visit)(void *context, const char *name, enum system_kind kind);
    void *context;
};

static int visit_name(void *context, const char *name)
{
    const struct listing *listing = context;
    struct os_stat stat;
    if (os_stat(listing->dir, name, &stat) == 0) /* else it is gone already */
        listing->visit(listing->context, name, kind_of(&stat));
    return 0;
}

int system_list(const char *path, bool follow,
                void (*visit)(void *context, const char *name, enum system_kind kind),
                void *context)
{
    struct listing listing = {.visit = visit, .context = context};
    if (!follow && system_kind(path, false, NULL) == SYSTEM_LINK)
        return ENOTDIR;
    int rc = os_open_dir(OS_NONE, path, false, &listing.dir);
    if (rc < 0)
        return -rc;
    rc = os_list(listing.dir, visit_name, &listing);
    os_close(listing.dir);
    return -rc;
}
