#include "draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    char part[PATH_MAX];
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
static bool find_directory(const char *file, char directory[PATH_MAX])
{
    char resolved[PATH_MAX], text[PATH_MAX];
    const char *path = realpath(file, resolved) ? resolved : file, *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    if (length >= PATH_MAX)
        return false;
    snprintf(text, sizeof text, "%.*s", length ? length : 1, length ? path : ".");
    return realpath(text, directory) != NULL;
}

/* untorn's own folder there: `.untorn`, or in a directory like /tmp `.untorn-UID`. */
static bool find_own_folder(const char *directory, char folder[PATH_MAX])
{
    const char *slash = strcmp(directory, "/") == 0 ? "" : "/";
    int length = snprintf(folder, PATH_MAX, "%s%s.untorn", directory, slash);
    if (length < PATH_MAX && is_safe_path(folder))
        return true;
    length =
        snprintf(folder, PATH_MAX, "%s%s.untorn-%lu", directory, slash, (unsigned long)geteuid());
    return length < PATH_MAX && is_safe_path(folder);
}

static int make_directory(struct draft *draft, const char *file)
{
    char directory[PATH_MAX], folder[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    int length = PATH_MAX;
    if (find_directory(file, directory) && find_own_folder(directory, folder))
        length = snprintf(draft->directory, PATH_MAX, "%s/draft-XXXXXX", folder);
    if (length < PATH_MAX && mkdtemp(draft->directory))
        return 0;
    length = snprintf(draft->directory, PATH_MAX, "%s/untorn-XXXXXX",
                      temporary && *temporary ? temporary : "/tmp");
    if (length >= PATH_MAX)
        return ENAMETOOLONG;
    return mkdtemp(draft->directory) ? 0 : errno;
}

/* ---- what ---- */

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t count = write(fd, data, size);
        if (count < 0 && errno != EINTR)
            return errno;
        data += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return 0;
}

static int make_file(const struct draft *draft, const void *data, size_t size)
{
    int fd = open(draft->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    int error = write_all(fd, data, size);
    return close(fd) != 0 && error == 0 ? errno : error;
}

int draft_make(struct draft *ret_draft, const char *file, const void *data, size_t size)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    int error = make_directory(ret_draft, file);
    if (error != 0) {
        ret_draft->directory[0] = '\0';
        return error;
    }
    int length = snprintf(ret_draft->path, PATH_MAX, "%s/%s", ret_draft->directory, name);
    error = length < PATH_MAX ? make_file(ret_draft, data, size) : ENAMETOOLONG;
    if (error != 0)
        draft_remove(ret_draft);
    return error;
}

int draft_read(const struct draft *draft, struct bytes *content)
{
    int fd = open(draft->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = bytes_read_all(content, fd);
    close(fd);
    return error;
}

void draft_remove(struct draft *draft)
{
    DIR *listing = draft->directory[0] ? opendir(draft->directory) : NULL;
    if (!listing)
        return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        (void)unlinkat(dirfd(listing), entry->d_name, 0); /* a directory stays, and keeps it */
    closedir(listing);
    (void)rmdir(draft->directory);
    draft->directory[0] = '\0';
}
