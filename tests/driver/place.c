#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16 };

_Noreturn void place_die(const char *what, const char *name)
{
    fprintf(stderr, "driver: %s: %s: %s\n", name, what, strerror(errno));
    exit(125);
}

static int open_in(const char *directory, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return open(path, flags | O_CLOEXEC, mode);
}

struct blob blob_read(const char *directory, const char *name)
{
    struct blob blob = {NULL, 0};
    struct stat about;
    int fd = open_in(directory, name, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT)
        return blob;
    if (fd < 0 || fstat(fd, &about) != 0)
        place_die("cannot read", name);
    blob.data = malloc((size_t)about.st_size + 1);
    if (blob.data == NULL)
        place_die("no memory", name);
    while (blob.size < (size_t)about.st_size) {
        ssize_t got = read(fd, blob.data + blob.size, (size_t)about.st_size - blob.size);
        if (got <= 0)
            break;
        blob.size += (size_t)got;
    }
    blob.data[blob.size] = 0;
    close(fd);
    return blob;
}

void blob_write(const char *directory, const char *name, const struct blob *blob, mode_t mode)
{
    int fd = open_in(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, blob->data, blob->size) != (ssize_t)blob->size ||
        fchmod(fd, mode) != 0 || close(fd) != 0)
        place_die("cannot write", name);
}

bool blob_equal(const struct blob *a, const struct blob *b)
{
    if (a->data == NULL || b->data == NULL)
        return a->data == b->data;
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

struct blob blob_join(const struct blob *a, const struct blob *b)
{
    struct blob both = {malloc(a->size + b->size + 1), a->size + b->size};
    if (both.data == NULL)
        place_die("no memory", "join");
    if (a->size > 0)
        memcpy(both.data, a->data, a->size);
    memcpy(both.data + a->size, b->data, b->size);
    both.data[both.size] = 0;
    return both;
}

void blob_free(struct blob *blob)
{
    free(blob->data);
    *blob = (struct blob){NULL, 0};
}

void place_make(const char *path)
{
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        place_die("cannot make the directory", path);
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

void place_remove(const char *path)
{
    if (nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        place_die("cannot remove", path);
}

/* nftw hands nothing through: where its visitor copies from and to. */
static const char *copy_from, *copy_to;

static int copy_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    char to[PATH_MAX], link[PATH_MAX] = "";
    (void)type, (void)where;
    snprintf(to, sizeof to, "%s%s", copy_to, path + strlen(copy_from));
    if (S_ISDIR(about->st_mode))
        return mkdir(to, 0700) != 0 || chmod(to, about->st_mode & 07777) != 0;
    if (S_ISLNK(about->st_mode))
        return readlink(path, link, sizeof link - 1) < 0 || symlink(link, to) != 0;
    struct blob blob = blob_read("/", path + 1);
    blob_write("/", to + 1, &blob, about->st_mode & 07777);
    blob_free(&blob);
    return 0;
}

void place_copy(const char *from, const char *to)
{
    copy_from = from;
    copy_to = to;
    if (nftw(from, copy_one, OPEN_FOLDERS, FTW_PHYS) != 0)
        place_die("cannot copy", from);
}

/* nftw hands nothing through: what its visitor writes to. */
static FILE *snapshot_file;

static int snapshot_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)type, (void)where;
    fprintf(snapshot_file, "%s %o %u:%u %lld %llu %lld.%09ld\n", path, (unsigned)about->st_mode,
            (unsigned)about->st_uid, (unsigned)about->st_gid, (long long)about->st_size,
            (unsigned long long)about->st_ino, (long long)about->st_mtim.tv_sec,
            about->st_mtim.tv_nsec);
    return 0;
}

char *place_snapshot(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    snapshot_file = open_memstream(&text, &size);
    if (snapshot_file == NULL || nftw(path, snapshot_one, OPEN_FOLDERS, FTW_PHYS) != 0)
        place_die("cannot list", path);
    fclose(snapshot_file);
    return text;
}

static const char *tidy_root, *tidy_allowed;
static char *tidy_problem;
static size_t tidy_size;

static bool is_allowed(const char *path)
{
    if (strstr(path, "/stage/") != NULL)
        return false;
    const char *own = strstr(path, "/.untorn");
    if (own != NULL) {
        own += strlen("/.untorn");
        own += *own == '-' ? 1 + strspn(own + 1, "0123456789") : 0;
        return *own == 0 || *own == '/';
    }
    if (strcmp(path, tidy_root) == 0)
        return true;
    const char *name = path + strlen(tidy_root) + 1;
    size_t length = strlen(name);
    for (const char *item = tidy_allowed; item != NULL; item = strchr(item, ' ')) {
        if (*item == ' ')
            item++;
        size_t size = strcspn(item, " ");
        if (size > 0 && item[size - 1] == '/' && strncmp(item, name, size) == 0)
            return true;
        if (size == 1 && *item == '*')
            return true;
        if (strncmp(item, name, length) == 0 && (item[length] == 0 || item[length] == ' '))
            return true;
    }
    return false;
}

static int tidy_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    if (is_allowed(path))
        return 0;
    snprintf(tidy_problem, tidy_size, "left over: %s", path + strlen(tidy_root) + 1);
    return 1;
}

bool place_is_tidy(const char *path, const char *allowed, char *problem, size_t size)
{
    tidy_root = path;
    tidy_allowed = allowed;
    tidy_problem = problem;
    tidy_size = size;
    return nftw(path, tidy_one, OPEN_FOLDERS, FTW_PHYS) == 0;
}
