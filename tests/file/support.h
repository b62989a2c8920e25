/* Files, processes and users for tests, in the test's own working directory.
 *
 * Header only, so that the tests of several folders share it.
 */
#ifndef UNTORN_TESTS_FILE_SUPPORT_H
#define UNTORN_TESTS_FILE_SUPPORT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "os/os.h"

enum { ALICE = 12345, BOB = 12346, CREW = 12350 }; /* users and a group that nobody has */

/* ---- files ---- */

/* In the same inode if there is one. Not through O_TRUNC, for which ext4 waits at the close. */
static inline void put_bytes(const char *path, const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    CHECK(file >= 0);
    CHECK_INT(write(file, data, size), size);
    CHECK_INT(ftruncate(file, (off_t)size), 0);
    CHECK_INT(close(file), 0);
}

static inline void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

/* The size of the content, which is terminated; -1 if there is no such file. */
static inline ssize_t get_bytes(const char *path, char *data, size_t room)
{
    int file = open(path, O_RDONLY);
    if (file < 0)
        return -1;
    ssize_t size = read(file, data, room - 1);
    CHECK(size >= 0 && (size_t)size < room - 1);
    data[size] = '\0';
    close(file);
    return size;
}

/* Borrowed until the second next call; NULL if there is no such file. */
static inline const char *text_of(const char *path)
{
    static char texts[2][1 << 16];
    static int next;
    char *text = texts[next++ % 2];
    return get_bytes(path, text, sizeof texts[0]) < 0 ? NULL : text;
}

static inline struct stat stat_of(const char *path)
{
    struct stat status;
    CHECK_INT(lstat(path, &status), 0);
    return status;
}

static inline bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static inline unsigned mode_of(const char *path)
{
    return stat_of(path).st_mode & 07777;
}

/* How many entries of a directory contain `text`; 0 too if there is no such directory. */
static inline int count_entries(const char *path, const char *text)
{
    DIR *listing = opendir(path);
    int count = 0;
    if (!listing)
        return 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 strstr(entry->d_name, text) != NULL;
    closedir(listing);
    return count;
}

/* "PATH/ENTRY" of the only entry that contains `text`. Borrowed until the next call. */
static inline const char *only_entry(const char *path, const char *text)
{
    static char result[4096];
    CHECK_INT(count_entries(path, text), 1);
    DIR *listing = opendir(path);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strstr(entry->d_name, text))
            snprintf(result, sizeof result, "%s/%s", path, entry->d_name);
    closedir(listing);
    return result;
}

static inline int remove_one(const char *path, const struct stat *status, int type,
                             struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    int rc = nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
#ifdef _WIN32
    if (rc != 0)
        SKIP("needs to remove files that are open");
#endif
    CHECK_INT(rc, 0);
}

/* "WORKING-DIRECTORY/NAME". Borrowed until the next call. */
static inline const char *full_path(const char *name)
{
    static char path[4096];
    CHECK(getcwd(path, sizeof path / 2));
    strcat(strcat(path, "/"), name);
    return path;
}

static inline void make_dir(const char *path, unsigned mode)
{
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_INT(chmod(path, mode), 0);
}

/* How many descriptors this process has open. */
static inline int open_descriptors(void)
{
#ifdef _WIN32
    return posix_open_handles();
#else
    return count_entries("/proc/self/fd", "");
#endif
}

/* As the library has it. */
static inline os_fd fd_of(int file)
{
#ifdef _WIN32
    return (os_fd)_get_osfhandle(file);
#else
    return file;
#endif
}

/* ---- processes ---- */

static inline pid_t start_child(void (*run)(void *context), void *context)
{
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        run(context);
        exit(0);
    }
    return child;
}

static inline int end_of(pid_t child)
{
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A check that fails in the child has printed its line already. */
static inline void finish_child(pid_t child)
{
    int status = end_of(child);
    if (status == HARNESS_FAILED)
        _exit(HARNESS_FAILED);
    CHECK_INT(status, 0);
}

static inline void in_child(void (*run)(void *context), void *context)
{
    finish_child(start_child(run, context));
}

struct as_user {
    uid_t user;
    gid_t group;
    void (*run)(void *context);
    void *context;
};

/* The saved ids stay root's, so that the process can end as root and leave what it measured. */
static inline void become(uid_t user, gid_t group)
{
    CHECK_INT(setgroups(1, &group), 0);
    CHECK_INT(setresgid(group, group, 0), 0);
    CHECK_INT(setresuid(user, user, 0), 0);
    CHECK_INT(prctl(PR_SET_DUMPABLE, 1), 0);
}

static inline void run_as_user(void *context)
{
    struct as_user *as = context;
    become(as->user, as->group);
    as->run(as->context);
    CHECK_INT(setresuid(0, 0, 0), 0);
    CHECK_INT(setresgid(0, 0, 0), 0);
}

/* In a child process. Only for root: else the test is skipped. */
static inline void in_child_as(uid_t user, gid_t group, void (*run)(void *context), void *context)
{
    struct as_user as = {user, group, run, context};
    in_child(run_as_user, &as);
}

static inline void need_root(void)
{
    if (getuid() != 0)
        SKIP("needs root, to become other users");
    CHECK_INT(chmod(".", 0755), 0); /* the harness made it for root alone */
}

/* Mounts of this process and its children alone, gone when they end. */
static inline void private_mounts(void)
{
    if (getuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        SKIP("needs the right to mount");
}

/* For tests of so many files that a disk would take seconds: goes on in a directory in memory, or
 * without the right to mount where it is. */
static inline void work_in_memory(void)
{
    if (getuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return;
    make_dir("memory", 0700);
    if (mount("none", "memory", "tmpfs", 0, "mode=0755") == 0)
        CHECK_INT(chdir("memory"), 0);
}

/* FS_IMMUTABLE_FL, FS_APPEND_FL or 0, as chattr(1) sets them. */
static inline void set_marks(const char *path, long marks)
{
    int file = open(path, O_RDONLY), rc = ioctl(file, FS_IOC_SETFLAGS, &marks);
    close(file);
    if (rc < 0)
        SKIP("needs the right to mark files unchangeable, and a file system that can");
}

/* ---- a second process that meets the first at agreed points ---- */

struct partner {
    pid_t pid;
    int to, from;
};

/* `run` calls partner_ready once, when the first process may go on; that returns when partner_end
 * is called, and ends the process quietly if the test has failed meanwhile. */
struct partner_context {
    int to, from;
    void *context;
};

static inline void partner_ready(struct partner_context *partner)
{
    char byte = 'r';
    CHECK_INT(write(partner->to, &byte, 1), 1);
    if (read(partner->from, &byte, 1) != 1)
        _exit(1);
}

static inline struct partner partner_start(void (*run)(struct partner_context *partner),
                                           void *context)
{
    int there[2], back[2];
    CHECK_INT(pipe2(there, O_CLOEXEC), 0);
    CHECK_INT(pipe2(back, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(there[1]);
        close(back[0]);
        struct partner_context partner = {back[1], there[0], context};
        run(&partner);
        exit(0);
    }
    close(there[0]);
    close(back[1]);
    char byte;
    CHECK_INT(read(back[0], &byte, 1), 1);
    return (struct partner){child, there[1], back[0]};
}

static inline void partner_end(struct partner *partner)
{
    CHECK_INT(write(partner->to, "e", 1), 1);
    finish_child(partner->pid);
    close(partner->to);
    close(partner->from);
}

#endif
