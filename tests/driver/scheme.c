#include "scheme.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <untorn.h>

enum { NAME = 600, LARGEST_LIST = 1 << 20, STALE_NS = 2000000, ATTEMPTS = 100000 };

static __thread char list[LARGEST_LIST + TOKEN_SIZE + 1];

/* ---- untorn ---- */

static int add_token(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct job *job = context;
    size_t size = old == NULL ? 0 : old->size;
    if (size > LARGEST_LIST)
        return 1;
    if (size > 0)
        memcpy(list, old->data, size);
    job->history->operations[job->number].read_count = (long)(size / TOKEN_SIZE);
    snprintf(list + size, TOKEN_SIZE + 1, "%08ld\n", job->number);
    return untorn_change_set(change, list, size + TOKEN_SIZE);
}

static void tell(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "%s\n", untorn_describe(error, text, sizeof text));
}

static enum outcome by_library(struct job *job)
{
    struct untorn_options options = {
        .wait_ms = 60000, .lock_file = job->lock_file, .keep_inode = job->in_place};
    struct untorn_error error;
    int rc = untorn_update(job->file, add_token, job, &options, &error);
    if (rc < 0)
        tell(&error);
    return rc == 0 ? ACKNOWLEDGED : rc < 0 ? FAILED : UNSETTLED;
}

static enum outcome by_command(struct job *job)
{
    char number[16];
    snprintf(number, sizeof number, "%ld", job->number);
    pid_t pid = fork();
    if (pid == 0) {
        if (job->lock_file != NULL)
            execl(job->command, "untorn", "update", job->file, "--wait", "60", "--lock-file",
                  job->lock_file, "--", job->self, "--add-token", number, (char *)NULL);
        else
            execl(job->command, "untorn", "update", job->file, "--wait", "60", "--", job->self,
                  "--add-token", number, (char *)NULL);
        _exit(127);
    }
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return UNSETTLED;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 7)
        return UNSETTLED;
    return WEXITSTATUS(status) == 0 ? ACKNOWLEDGED : FAILED;
}

int scheme_add_token(long number)
{
    size_t size = fread(list, 1, LARGEST_LIST, stdin);
    snprintf(list + size, TOKEN_SIZE + 1, "%08ld\n", number);
    size += TOKEN_SIZE;
    return fwrite(list, 1, size, stdout) == size && fflush(stdout) == 0 ? 0 : 1;
}

/* ---- what people write by hand ---- */

static bool read_list(const struct job *job, size_t *ret_size)
{
    *ret_size = 0;
    int fd = open(job->file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t got = read(fd, list, LARGEST_LIST);
    close(fd);
    *ret_size = got < 0 ? 0 : (size_t)got;
    return got >= 0;
}

static bool read_through(const struct job *job, size_t *ret_size)
{
    struct untorn_content content;
    struct untorn_error error;
    int rc = untorn_read(job->file, NULL, &content, &error);
    *ret_size = rc == 0 && content.size <= LARGEST_LIST ? content.size : 0;
    if (*ret_size > 0)
        memcpy(list, content.data, *ret_size);
    untorn_content_free(&content);
    if (rc != 0 && rc != -UNTORN_MISSING)
        tell(&error);
    return rc == 0 || rc == -UNTORN_MISSING;
}

bool scheme_read(const struct job *job, const char **ret_data, size_t *ret_size)
{
    *ret_data = list;
    return job->in_place ? read_through(job, ret_size) : read_list(job, ret_size);
}

/* A stage of its own, whole, and then the rename: nothing is torn, whatever else is wrong. */
static bool replace(struct job *job, size_t size)
{
    char stage[NAME];
    snprintf(stage, sizeof stage, "%s.%ld", job->file, job->number);
    int fd = open(stage, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    snprintf(list + size, TOKEN_SIZE + 1, "%08ld\n", job->number);
    bool written = write(fd, list, size + TOKEN_SIZE) == (ssize_t)(size + TOKEN_SIZE);
    close(fd);
    return written && rename(stage, job->file) == 0;
}

static bool change(struct job *job)
{
    size_t size;
    if (!read_list(job, &size))
        return false;
    job->history->operations[job->number].read_count = (long)(size / TOKEN_SIZE);
    return replace(job, size);
}

static int lock_path(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Right: a lock file of its own that nobody ever removes. Shows that the judge lets the right
 * thing pass. */
static enum outcome by_separate_lock(struct job *job)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s.lock", job->file);
    int fd = lock_path(path);
    bool done = fd >= 0 && change(job);
    close(fd);
    return done ? ACKNOWLEDGED : FAILED;
}

/* Broken: the lock belongs to an inode that the rename throws away. */
static enum outcome by_lock_on_the_data(struct job *job)
{
    int fd = lock_path(job->file);
    bool done = fd >= 0 && change(job);
    close(fd);
    return done ? ACKNOWLEDGED : FAILED;
}

/* Broken: whoever waited holds a lock on a file that has no name any more. */
static enum outcome by_unlinked_lock(struct job *job)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s.lock", job->file);
    int fd = lock_path(path);
    bool done = fd >= 0 && change(job);
    unlink(path);
    close(fd);
    return done ? ACKNOWLEDGED : FAILED;
}

/* Broken: what was true after locking need not be true at the rename, when others may remove the
 * folder of the lock at any time. */
static enum outcome by_one_check(struct job *job)
{
    int fd = -1;
    for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
        struct stat held, named;
        (void)mkdir(".untorn", 0700);
        fd = lock_path(".untorn/lock");
        if (fd >= 0 && (fstat(fd, &held) != 0 || stat(".untorn/lock", &named) != 0 ||
                        held.st_ino != named.st_ino)) {
            close(fd);
            fd = -1;
        }
    }
    bool done = fd >= 0 && change(job);
    close(fd);
    return done ? ACKNOWLEDGED : FAILED;
}

/* Broken: between the second look and the rename there is time. */
static enum outcome by_second_look(struct job *job)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        struct stat before = {0}, after = {0};
        size_t size;
        (void)stat(job->file, &before);
        if (!read_list(job, &size))
            return FAILED;
        (void)stat(job->file, &after);
        if (before.st_ino != after.st_ino || before.st_size != after.st_size)
            continue;
        job->history->operations[job->number].read_count = (long)(size / TOKEN_SIZE);
        return replace(job, size) ? ACKNOWLEDGED : FAILED;
    }
    return FAILED;
}

static bool is_stale(const char *path)
{
    struct stat about;
    struct timespec time;
    if (stat(path, &about) != 0)
        return false;
    clock_gettime(CLOCK_REALTIME, &time);
    long long age = (long long)(time.tv_sec - about.st_mtim.tv_sec) * 1000000000 +
                    (time.tv_nsec - about.st_mtim.tv_nsec);
    return age > STALE_NS;
}

/* Broken: a holder that was slow is taken for dead. */
static enum outcome by_stale_lock(struct job *job)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s.lock", job->file);
    for (int i = 0; i < ATTEMPTS; i++) {
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0) {
            close(fd);
            bool done = change(job);
            unlink(path);
            return done ? ACKNOWLEDGED : FAILED;
        }
        if (is_stale(path))
            unlink(path);
        else
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    return FAILED;
}

const struct scheme all_schemes[] = {
    {"library", true, by_library},
    {"command", true, by_command},
    {"separate-lock", false, by_separate_lock},
    {"lock-on-the-data", false, by_lock_on_the_data},
    {"unlinked-lock", false, by_unlinked_lock},
    {"second-look", false, by_second_look},
    {"one-check", false, by_one_check},
    {"stale-lock", false, by_stale_lock},
};

const size_t all_schemes_count = sizeof all_schemes / sizeof all_schemes[0];
