/* untorn/probe.h: trying out what a directory's file system gives. */
#include <untorn/probe.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/pathtext.h"
#include "file/io.h"

/* Everything happens in one folder of its own, removed at the end. */
struct trial {
    os_fd dir;
    char name[LIMIT_NAME + 1];
    os_fd folder;
};

static const char *const trial_names[] = {"a", "b", "c", "CASE", "case"};

static int make_file(const struct trial *trial, const char *name, os_fd *ret_file)
{
    int rc =
        io_open(trial->folder, name, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0600, ret_file);
    return rc < 0 ? rc : io_write(*ret_file, name, strlen(name), 0);
}

static bool try_lock(const struct trial *trial)
{
    os_fd first = OS_NONE, second = OS_NONE;
    bool excludes = io_open(trial->folder, "a", OS_READ | OS_WRITE, 0, &first) == 0 &&
                    io_open(trial->folder, "a", OS_READ | OS_WRITE, 0, &second) == 0 &&
                    os_lock(first, OS_LOCK_EXCLUSIVE) == 0 &&
                    os_lock(second, OS_LOCK_EXCLUSIVE) == -EWOULDBLOCK;
    os_close(second);
    os_close(first);
    return excludes;
}

static bool try_case(const struct trial *trial)
{
    os_fd file = OS_NONE;
    struct os_stat stat;
    bool folds = make_file(trial, "CASE", &file) == 0 && os_stat(trial->folder, "case", &stat) == 0;
    os_close(file);
    return folds;
}

static void try_names(const struct trial *trial, struct untorn_probe *probe)
{
    os_fd folder = trial->folder;
    probe->exchange = os_rename(folder, "a", folder, "b", OS_EXCHANGE) == 0;
    probe->hard_link = os_link(folder, "a", folder, "c") == 0;
    probe->create_no_replace = os_rename(folder, "a", folder, "b", OS_NO_REPLACE) == -EEXIST;
    probe->replace = os_rename(folder, "a", folder, "b", OS_REPLACE) == 0;
    probe->directory_flush = os_flush_dir(folder) == 0;
    probe->case_insensitive = try_case(trial);
}

static int run(const struct trial *trial, struct untorn_probe *probe)
{
    os_fd a = OS_NONE, b = OS_NONE;
    int rc = make_file(trial, "a", &a);
    if (rc == 0)
        rc = make_file(trial, "b", &b);
    if (rc == 0)
        rc = os_flush(a);
    if (rc == 0) {
        probe->lock = try_lock(trial);
        os_attributes(a, &probe->extended_attributes, &probe->acl);
    }
    os_close(a);
    os_close(b);
    if (rc == 0)
        try_names(trial, probe);
    return rc;
}

static void remove_all(const struct trial *trial)
{
    for (size_t i = 0; i < sizeof trial_names / sizeof *trial_names; i++)
        (void)os_remove(trial->folder, trial_names[i], false); /* most are gone already */
}

static int open_trial(struct trial *trial)
{
    struct os_stat stat;
    int rc = os_open_dir(trial->dir, trial->name, true, &trial->folder);
    if (rc == 0)
        rc = os_stat(trial->folder, NULL, &stat);
    if (rc == 0 && stat.owner != os_user())
        rc = -EEXIST; /* somebody else's */
    if (rc == 0 && os_lock(trial->folder, OS_LOCK_EXCLUSIVE) == -EWOULDBLOCK)
        rc = -EEXIST; /* another probe runs */
    if (rc < 0) {
        os_close(trial->folder);
        trial->folder = OS_NONE;
    }
    return rc;
}

static int make_trial(struct trial *trial)
{
    int rc = os_make_dir(trial->dir, trial->name, 0700);
    if (rc == 0) {
        rc = open_trial(trial);
        if (rc < 0)
            (void)os_remove(trial->dir, trial->name, true);
    }
    return rc;
}

/* Always the same name, so that the next probe clears up behind one that was killed; another one
 * only while that is in use. */
static int begin(struct trial *trial)
{
    uint64_t random;
    char digits[17];
    snprintf(trial->name, sizeof trial->name, ".untorn-probe-%lu", (unsigned long)os_user());
    int rc = make_trial(trial);
    if (rc == -EEXIST && open_trial(trial) == 0) {
        remove_all(trial);
        return 0;
    }
    if (rc != -EEXIST)
        return rc;
    rc = os_random(&random, sizeof random);
    if (rc < 0)
        return rc;
    path_digits(random, digits);
    snprintf(trial->name, sizeof trial->name, ".untorn-probe.%s", digits);
    return make_trial(trial);
}

static void end(struct trial *trial)
{
    remove_all(trial);
    os_close(trial->folder);
    (void)os_remove(trial->dir, trial->name, true); /* what is left is empty, or not ours */
}

static int probe_directory(os_fd dir, struct untorn_probe *probe, struct untorn_error *error)
{
    struct os_capabilities capabilities;
    struct trial trial = {.dir = dir, .folder = OS_NONE};
    int rc = os_capabilities(dir, &capabilities);
    if (rc < 0)
        return error_os(error, rc, "ask for its file system");
    memcpy(probe->filesystem, capabilities.filesystem, sizeof probe->filesystem);
    probe->network = capabilities.network;
    probe->full_flush = capabilities.full_flush;
    rc = begin(&trial);
    if (rc == -EACCES || rc == -EROFS || rc == -EPERM || rc == -ENOENT) /* as in /proc */
        return 0;
    probe->writable = rc == 0;
    if (rc == 0) {
        rc = run(&trial, probe);
        end(&trial);
    }
    return rc < 0 ? error_os(error, rc, "try it out") : 0;
}

int untorn_probe(const char *directory, struct untorn_probe *ret_probe, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, directory);
    os_fd dir;
    memset(ret_probe, 0, sizeof *ret_probe);
    int rc = os_open_dir(OS_NONE, directory, false, &dir);
    if (rc < 0)
        return error_os(error, rc, "open the directory");
    rc = probe_directory(dir, ret_probe, error);
    os_close(dir);
    if (rc != 0)
        memset(ret_probe, 0, sizeof *ret_probe);
    return rc;
}
