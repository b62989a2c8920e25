/* What the tests take from POSIX and mingw has not. A test that needs what Windows has not at all
 * is skipped, by name, when it asks for it: so the suites are compiled and run unchanged. */
#ifndef UNTORN_TESTS_POSIX_UNISTD_H
#define UNTORN_TESTS_POSIX_UNISTD_H

/* Names that tests, or we, have otherwise. */
#define tell tell_of_mingw
#define read read_of_mingw
#define write write_of_mingw
#include <io.h>
#include_next <unistd.h>
#undef tell
#undef read
#undef write

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "os/os.h"

_Noreturn void harness_skip(const char *reason);

#define ino_t uint64_t /* which mingw cuts to 16 bits */
typedef int uid_t;
typedef int gid_t;

#define O_CLOEXEC _O_NOINHERIT
#define O_DIRECTORY 0
#define O_NOFOLLOW 0
#define O_NONBLOCK 0
#define O_PATH 0
#define AT_FDCWD (-100)
#define O_NOCTTY 0
#define SIGKILL 9
#define SIGSTOP 19
#define SIGCONT 18
#define SIGPIPE 13
#define SIGUSR1 10
#define SIGALRM 14
#define _SC_PAGESIZE 1
#define F_DUPFD 0
#define F_DUPFD_CLOEXEC 1030
#define F_GETFD 1
#define F_SETFD 2
#define FD_CLOEXEC 1
#define F_OK 0
#define RENAME_EXCHANGE 2
#define RENAME_NOREPLACE 1

/* Files are as they are, byte by byte. */
#define open(path, ...) open_binary(path, __VA_ARGS__, 0)
static inline int open_binary(const char *path, int flags, int mode, ...)
{
    return _open(path, flags | _O_BINARY, mode & 0600 ? _S_IREAD | _S_IWRITE : _S_IREAD);
}

/* With inode numbers, which mingw's has not. */
struct posix_stat {
    uint64_t st_dev, st_ino;
    unsigned st_mode, st_nlink;
    uid_t st_uid;
    gid_t st_gid;
    int64_t st_size, st_mtime;
    struct timespec st_mtim, st_ctim;
};
int posix_stat(const char *path, struct posix_stat *ret_stat);
int posix_fstat(int file, struct posix_stat *ret_stat);
#undef stat
#undef fstat
#define stat posix_stat
#define fstat posix_fstat

/* Sizes of memory, which mingw's cut to 32 bits. */
static inline ssize_t read(int file, void *data, size_t size)
{
    return _read(file, data, (unsigned)size);
}
static inline ssize_t write(int file, const void *data, size_t size)
{
    return _write(file, data, (unsigned)size);
}

#define pid_t int /* which mingw makes as wide as a pointer */
#define getpid() _getpid()
int usleep(unsigned microseconds);

/* Runs this program with --here NAME, in a directory. Its status, or -1. */
int posix_run_here(const char *name, const char *directory);

/* As the library writes it: /C:/a. */
char *posix_getcwd(char *path, size_t size);
#define getcwd posix_getcwd

/* How many handles this process has. */
int posix_open_handles(void);

#define system(command) (harness_skip("needs a shell of Unix"), 0)
#undef popen
#define popen(command, how) (harness_skip("needs a shell of Unix"), (FILE *)NULL)

int posix_rename(const char *from, const char *to);
int posix_remove(const char *path); /* a directory too */
#define rename posix_rename
#define remove posix_remove
#define rmdir posix_remove

#define mkdir(path, mode) ((void)(mode), _mkdir(path))
#define lstat(path, status) stat(path, status)
#define setenv(name, value, replace) _putenv_s(name, value)
#define unsetenv(name) _putenv_s(name, "")

static inline int symlink(const char *text, const char *path)
{
    (void)text, (void)path;
    harness_skip("needs symbolic links, which Wine does not make");
}

int link(const char *from, const char *to);

static inline int fcntl(int file, int command, ...)
{
    (void)file, (void)command;
    harness_skip("needs fcntl");
}

static inline long sysconf(int what)
{
    (void)what;
    return 4096;
}

static inline int kill(int pid, int number)
{
    (void)pid, (void)number;
    harness_skip("needs signals");
}

static inline int fork(void)
{
    harness_skip("needs fork");
}

static inline int mkfifo(const char *path, int mode)
{
    (void)path, (void)mode;
    harness_skip("needs a FIFO");
}

#define S_IFSOCK 0
static inline int mknod(const char *path, int mode, int device)
{
    (void)path, (void)mode, (void)device;
    harness_skip("needs a socket in the file system");
}

int gethostname(char *name, size_t size);
int64_t pread(int file, void *data, size_t size, int64_t offset);
int64_t pwrite(int file, const void *data, size_t size, int64_t offset);
char *realpath(const char *path, char *result);
void *memmem(const void *data, size_t size, const void *part, size_t part_size);
#define S_ISLNK(mode) 0
#define ftruncate(file, size) _chsize_s(file, size)
int posix_truncate(const char *path, int64_t size);
#define truncate(path, size) posix_truncate(path, size)

static inline char *stpcpy(char *to, const char *from)
{
    return strcpy(to, from) + strlen(from);
}

#define UTIME_OMIT (-2)
static inline int utimensat(int at, const char *path, const struct timespec times[2], int flags)
{
    (void)at, (void)path, (void)times, (void)flags;
    harness_skip("needs times that are set");
}

static inline int renameat2(int from_dir, const char *from, int to_dir, const char *to, int how)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to, (void)how;
    harness_skip("needs names that are swapped");
}

static inline int setxattr(const char *path, const char *name, const void *value, size_t size,
                           int flags)
{
    (void)path, (void)name, (void)value, (void)size, (void)flags;
    harness_skip("needs extended attributes");
}

static inline int pipe2(int ends[2], int flags)
{
    (void)ends, (void)flags;
    harness_skip("needs a second process that is forked");
}

static inline int pipe(int ends[2])
{
    return pipe2(ends, 0);
}

static inline uid_t getuid(void)
{
    return (uid_t)os_user();
}

static inline uid_t geteuid(void)
{
    return getuid();
}

static inline gid_t getgid(void)
{
    return 1; /* that of every file, as os_stat tells it */
}

#define NEEDS_USERS                                                                                \
    {                                                                                              \
        harness_skip("needs the users of Unix");                                                   \
    }
static inline int setresuid(uid_t a, uid_t b, uid_t c)
{
    (void)a, (void)b, (void)c;
    NEEDS_USERS
}
static inline int setresgid(gid_t a, gid_t b, gid_t c)
{
    (void)a, (void)b, (void)c;
    NEEDS_USERS
}
static inline int chown(const char *path, uid_t user, gid_t group)
{
    (void)path, (void)user, (void)group;
    NEEDS_USERS
}
static inline int fchown(int file, uid_t user, gid_t group)
{
    (void)file, (void)user, (void)group;
    NEEDS_USERS
}

static inline int lchown(const char *path, uid_t user, gid_t group)
{
    return chown(path, user, group);
}
static inline int seteuid(uid_t user)
{
    (void)user;
    NEEDS_USERS
}

static inline int alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}

#endif
