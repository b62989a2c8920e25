#include "edit_scheme.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "edit_combine.h"
#include "place.h"

enum {
    PATH_ROOM = EDIT_NAME + 32,
    STALE_NS = 2000000,
    ATTEMPTS = 100000,
    COMMAND_ONE_IN = 8,
    WORDS = 24
};

/* ---- the library ---- */

struct function_context {
    const struct edit_job *job;
    const struct edit_update *update;
    int rc;
};

static int apply_function(void *context, const struct untorn_content *old,
                          struct untorn_change *change)
{
    struct function_context *function = context;
    char *text;
    size_t size;
    function->rc =
        old ? edit_text(function->job, function->update, old->data, old->size, &text, &size)
            : -UNTORN_MISSING;
    if (function->rc == 0)
        untorn_change_give(change, text, size);
    return function->rc;
}

static void say_error(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "%s\n", untorn_describe(error, text, sizeof text));
}

static int by_library(const struct edit_job *job)
{
    struct edit_update update;
    struct untorn_error error;
    edit_update_make(&update, job);
    int rc;
    if (job->kind == EDIT_FUNCTION) {
        struct function_context context = {job, &update, 0};
        rc = untorn_update(job->path, apply_function, &context, &job->options, &error);
    } else {
        rc = untorn_edit(job->path, update.edits, update.count, NULL, &job->options, &error);
    }
    if (rc < 0 && rc != -UNTORN_LOCKED && rc != edit_expected_status(job->kind))
        say_error(&error);
    return rc;
}

/* ---- the command ---- */

struct words {
    const char *list[WORDS];
    size_t count;
    char wait[16];
};

static void say(struct words *words, const char *word)
{
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
}

static void say_all(struct words *words, const struct edit_job *job,
                    const struct edit_update *update)
{
    static const char *const levels[] = {"durable", "ordered", "cache"};
    bool patch = update->edits[0].kind == UNTORN_JSON_PATCH;
    say(words, "untorn");
    say(words, patch ? "apply" : "set");
    say(words, job->path);
    say(words, "--level");
    say(words, levels[job->options.level]);
    say(words, "--wait");
    snprintf(words->wait, sizeof words->wait, "%g",
             job->options.wait_ms > 0 ? job->options.wait_ms / 1000.0 : 0);
    say(words, words->wait);
    if (job->options.if_match) {
        say(words, "--if-match");
        say(words, "00000000000000000000000000000000");
    }
    if (patch)
        say(words, "--json-patch");
    else if (job->kind == EDIT_BAD_VALUE)
        say(words, "--json");
    else if (job->kind != EDIT_BAD_TYPE)
        say(words, "--string");
    for (size_t i = 0; i < update->count; i++) {
        if (!patch)
            say(words, update->edits[i].key);
        say(words, update->edits[i].value);
    }
}

static int status_of_exit(int code, enum edit_kind kind)
{
    int expected = edit_expected_status(kind);
    if (code == untorn_status_exit_code(UNTORN_LOCKED))
        return -UNTORN_LOCKED;
    if (code == untorn_status_exit_code(UNTORN_UNSETTLED_FLUSH))
        return UNTORN_UNSETTLED_FLUSH;
    return code == untorn_status_exit_code(expected) ? expected : -UNTORN_FAILED;
}

/* What has no words of its own on the command line is a patch there. */
static int by_command(const struct edit_job *given)
{
    struct edit_job job = *given;
    struct edit_update update;
    struct words words = {0};
    if (job.kind == EDIT_FUNCTION || job.kind == EDIT_MADE_AND_UNSET)
        job.kind = EDIT_PATCH;
    else if (job.kind == EDIT_BAD_KEY)
        job.kind = EDIT_BAD_TEST;
    edit_operations(job.shared, job.file)[job.number].kind = (int)job.kind;
    edit_update_make(&update, &job);
    say_all(&words, &job, &update);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        execv(job.shared->orders.untorn, (char **)(void *)words.list);
        _exit(126);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 126)
        _exit(124);
    return status_of_exit(WEXITSTATUS(status), job.kind);
}

/* Programs and commands side by side. */
static int by_both(const struct edit_job *job)
{
    return job->number % COMMAND_ONE_IN == 0 ? by_command(job) : by_library(job);
}

/* ---- by hand ---- */

static void write_whole(const char *path, const char *text, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, text, size) != (ssize_t)size)
        place_die("cannot write", path);
    close(fd);
}

/* For everybody to see while it is written. */
static void write_torn(const char *path, const char *text, size_t size)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    size_t half = size / 2;
    if (fd < 0 || write(fd, text, half) != (ssize_t)half)
        place_die("cannot write", path);
    edit_nap(500);
    if (write(fd, text + half, size - half) != (ssize_t)(size - half))
        place_die("cannot write", path);
    close(fd);
}

static int apply_once(const struct edit_job *job, const char *stage)
{
    enum edit_fault fault = job->misbehave ? job->shared->orders.fault : FAULT_NONE;
    struct edit_update update;
    edit_update_make(&update, job);
    if (fault == FAULT_HALF && job->kind == EDIT_SEVERAL)
        update.count = 1;
    struct blob old = blob_read(".", job->name);
    char *text = NULL;
    size_t size = 0;
    int rc = job->options.if_match
                 ? -UNTORN_CHANGED
                 : edit_text(job, &update, old.data ? old.data : "", old.size, &text, &size);
    if (rc == 0 && fault == FAULT_TEAR) {
        write_torn(job->name, text, size);
    } else if (rc == 0) {
        write_whole(stage, text, size);
        if (fault == FAULT_LITTER && link(stage, "left.stage") != 0 && errno != EEXIST)
            place_die("cannot link", stage);
        if (rename(stage, job->name) != 0)
            rc = -UNTORN_FAILED;
    }
    free(text);
    blob_free(&old);
    return rc;
}

static int own_stage(const struct edit_job *job)
{
    char stage[PATH_ROOM];
    snprintf(stage, sizeof stage, "%s.%ld.stage", job->name, job->number);
    return apply_once(job, stage);
}

/* -1: not obtained in the time of the job. */
static int lock_path(const struct edit_job *job, const char *path)
{
    uint64_t begun = history_now();
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        place_die("cannot open", path);
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((int64_t)(history_now() - begun) > job->options.wait_ms * (int64_t)1000000) {
            close(fd);
            return -1;
        }
        edit_nap(100);
    }
    return fd;
}

static const char *lock_name(const struct edit_job *job, char name[PATH_ROOM])
{
    snprintf(name, PATH_ROOM, "%s.lock", job->name);
    return name;
}

/* An update that was acknowledged and waits for the worker's next one. */
static __thread struct edit_job put_aside;

static int apply_in_lock(const struct edit_job *job)
{
    char stage[PATH_ROOM];
    snprintf(stage, sizeof stage, "%s.stage", job->name);
    int rc = apply_once(job, stage);
    if (put_aside.shared && strcmp(put_aside.name, job->name) == 0) {
        (void)apply_once(&put_aside, stage);
        put_aside.shared = NULL;
    }
    if (job->misbehave && job->shared->orders.fault == FAULT_TWICE && rc == 0)
        rc = apply_once(job, stage);
    return rc;
}

/* What the negative controls do instead of the update; true if they do. */
static bool misbehave(const struct edit_job *job, int *rc)
{
    switch (job->misbehave ? job->shared->orders.fault : FAULT_NONE) {
    case FAULT_FORGET:
        *rc = 0;
        return true;
    case FAULT_SWAP:
        put_aside = *job;
        put_aside.misbehave = false;
        *rc = 0;
        return true;
    case FAULT_SHARED_FATE:
        *rc = -UNTORN_TYPE;
        return true;
    case FAULT_IMPATIENT:
        *rc = -UNTORN_LOCKED;
        return true;
    case FAULT_HANG:
        for (;;)
            pause();
    case FAULT_CRASH:
        raise(SIGTERM);
        return true;
    default:
        return false;
    }
}

/* Right, unless ordered otherwise: a lock file that nobody ever removes. */
static int by_separate_lock(const struct edit_job *job)
{
    char path[PATH_ROOM];
    int rc = 0;
    uint64_t begun = history_now();
    if (misbehave(job, &rc))
        return rc;
    int fd = lock_path(job, lock_name(job, path));
    if (fd < 0)
        return -UNTORN_LOCKED;
    rc = apply_in_lock(job);
    close(fd);
    if (job->misbehave && job->shared->orders.fault == FAULT_NEEDLESS)
        return UNTORN_UNSETTLED_FLUSH;
    if (job->misbehave && job->shared->orders.fault == FAULT_LATE) {
        while ((int64_t)(history_now() - begun) < job->options.wait_ms * (int64_t)1000000)
            edit_nap(100);
        return -UNTORN_LOCKED;
    }
    return rc;
}

/* Broken: the lock belongs to an inode that the rename throws away. */
static int by_lock_on_the_data(const struct edit_job *job)
{
    int fd = lock_path(job, job->name);
    int rc = fd < 0 ? -UNTORN_LOCKED : own_stage(job);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Broken: whoever waited holds a lock on a file that has no name any more. */
static int by_unlinked_lock(const struct edit_job *job)
{
    char path[PATH_ROOM];
    int fd = lock_path(job, lock_name(job, path));
    if (fd < 0)
        return -UNTORN_LOCKED;
    int rc = own_stage(job);
    unlink(path);
    close(fd);
    return rc;
}

/* Broken: between the second look and the rename there is time. */
static int by_second_look(const struct edit_job *job)
{
    struct stat before, after;
    do {
        if (stat(job->name, &before) != 0)
            return -UNTORN_MISSING;
        edit_nap(20);
        if (stat(job->name, &after) != 0)
            return -UNTORN_MISSING;
    } while (before.st_ino != after.st_ino);
    return own_stage(job);
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
static int by_stale_lock(const struct edit_job *job)
{
    char path[PATH_ROOM];
    lock_name(job, path);
    for (int i = 0; i < ATTEMPTS; i++) {
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0) {
            close(fd);
            int rc = own_stage(job);
            unlink(path);
            return rc;
        }
        if (is_stale(path))
            unlink(path);
        else
            edit_nap(20);
    }
    return -UNTORN_FAILED;
}

/* ---- all of them ---- */

const struct edit_scheme edit_schemes[] = {
    {"library", by_library, false, true},
    {"command", by_command, true, true},
    {"both", by_both, true, true},
    {"combine", edit_combine, false, false},
    {"separate-lock", by_separate_lock, false, false},
    {"lock-on-the-data", by_lock_on_the_data, false, false},
    {"unlinked-lock", by_unlinked_lock, false, false},
    {"second-look", by_second_look, false, false},
    {"stale-lock", by_stale_lock, false, false},
    {NULL, NULL, false, false},
};

int edit_scheme_by_name(const char *name)
{
    for (int i = 0; edit_schemes[i].name; i++)
        if (strcmp(edit_schemes[i].name, name) == 0)
            return i;
    return -1;
}

int edit_scheme_update(const struct edit_job *job)
{
    return edit_schemes[job->shared->orders.scheme].update(job);
}

/* Every other read of the library's files is by the library. */
static struct blob read_now(const struct edit_job *job)
{
    struct untorn_content content;
    struct untorn_error error;
    if (edit_schemes[job->shared->orders.scheme].update != by_library || job->number % 2 == 0)
        return blob_read(".", job->name);
    if (untorn_read(job->name, NULL, &content, &error) != 0) {
        say_error(&error);
        return (struct blob){NULL, 0};
    }
    struct blob seen = {content.data, content.size};
    struct blob copy = blob_join(&seen, &(struct blob){"", 0});
    untorn_content_free(&content);
    return copy;
}

bool edit_scheme_read(const struct edit_job *job, struct edit_list *ret)
{
    /* What a reader that misbehaves has seen before. */
    static struct blob old;
    static char old_name[EDIT_NAME];
    bool show_old = job->misbehave && strcmp(old_name, job->name) == 0;
    struct blob now = show_old ? old : read_now(job);
    bool good =
        now.data && edit_list_read(job->shared, job->file, job->name, now.data, now.size, ret);
    if (show_old)
        return good;
    blob_free(&old);
    old = now;
    snprintf(old_name, sizeof old_name, "%s", job->name);
    return good;
}
