#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system.h"

/* ---- where ---- */

/* Whether nobody but us and root can rename what is in it. */
static bool is_safe_directory(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) &&
           (!(status.st_mode & (S_IWGRP | S_IWOTH)) || (status.st_mode & S_ISVTX));
}

/* The same of every directory on the way; `path` is absolute and without links. */
static bool is_safe_path(const char *path)
{
    char part[CLI_PATH];
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (!is_safe_directory(part))
            return false;
    }
    return is_safe_directory("/") && is_safe_directory(path);
}

/* The physical directory of the file, which need not exist. */
static bool find_directory(const char *file, char directory[CLI_PATH])
{
    char resolved[CLI_PATH], text[CLI_PATH];
    const char *path = realpath(file, resolved) ? resolved : file, *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    if (length >= CLI_PATH)
        return false;
    snprintf(text, sizeof text, "%.*s", length ? length : 1, length ? path : ".");
    return realpath(text, directory) != NULL;
}

/* untorn's own folder there: `.untorn`, or in a directory like /tmp `.untorn-UID`. */
static bool find_own_folder(const char *directory, char folder[CLI_PATH])
{
    const char *slash = strcmp(directory, "/") == 0 ? "" : "/";
    int length = snprintf(folder, CLI_PATH, "%s%s.untorn", directory, slash);
    if (length < CLI_PATH && is_safe_path(folder))
        return true;
    length =
        snprintf(folder, CLI_PATH, "%s%s.untorn-%lu", directory, slash, (unsigned long)geteuid());
    return length < CLI_PATH && is_safe_path(folder);
}

static int make_folder(const char *file, char folder[CLI_PATH])
{
    char directory[CLI_PATH], own[CLI_PATH];
    const char *temporary = getenv("TMPDIR");
    int length = CLI_PATH;
    if (find_directory(file, directory) && find_own_folder(directory, own))
        length = snprintf(folder, CLI_PATH, "%s/draft-XXXXXX", own);
    if (length < CLI_PATH && mkdtemp(folder))
        return 0;
    length = snprintf(folder, CLI_PATH, "%s/untorn-XXXXXX",
                      temporary && *temporary ? temporary : "/tmp");
    if (length >= CLI_PATH)
        return ENAMETOOLONG;
    return mkdtemp(folder) ? 0 : errno;
}

static int open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Where directories cannot be locked, as on NFS, it is listed also while somebody is at it. */
int system_make_folder(const char *file, char folder[CLI_PATH], system_stream *ret_hold)
{
    int error = make_folder(file, folder), fd = error == 0 ? open_folder(folder) : -1;
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB);
    *ret_hold = fd;
    return error;
}

/* ---- which ---- */

struct listing {
    char own[CLI_PATH]; /* the folder they lie in */
    void (*visit)(void *context, const char *folder);
    void *context;
};

static bool is_held(const char *folder)
{
    int fd = open_folder(folder);
    bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return held;
}

static void visit_entry(void *context, const char *name, enum system_kind kind)
{
    const struct listing *listing = context;
    char folder[CLI_PATH];
    int length = snprintf(folder, sizeof folder, "%s/%s", listing->own, name);
    if (kind == SYSTEM_DIRECTORY && strncmp(name, "draft-", 6) == 0 && length < CLI_PATH &&
        is_safe_directory(folder) && !is_held(folder))
        listing->visit(listing->context, folder);
}

void system_list_folders(const char *directory, void (*visit)(void *context, const char *folder),
                         void *context)
{
    struct listing listing = {.visit = visit, .context = context};
    char user[32] = "";
    for (int i = 0; i < 2; i++) {
        int length = snprintf(listing.own, CLI_PATH, "%s.untorn%s", directory, user);
        if (length < CLI_PATH)
            (void)system_list(listing.own, false, visit_entry, &listing); /* often there is none */
        snprintf(user, sizeof user, "-%lu", (unsigned long)geteuid());
    }
}

/* ---- what ---- */

int system_make_file(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = 0;
    if (fd < 0)
        return errno;
    int tries = 0; /* no system_write: a file, unlike a reader, is not waited for without end */
    for (const char *at = data; size > 0 && error == 0;) {
        ssize_t count = write(fd, at, size);
        bool again = count < 0 && errno == EINTR && ++tries < CLI_INTERRUPTIONS;
        error = count < 0 && !again ? errno : 0;
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return close(fd) != 0 && error == 0 ? errno : error;
}

void system_remove_folder(const char *folder)
{
    DIR *listing = opendir(folder);
    if (!listing)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        (void)unlinkat(dirfd(listing), entry->d_name, 0); /* a directory stays, and keeps it */
    closedir(listing);
    (void)rmdir(folder);
}
