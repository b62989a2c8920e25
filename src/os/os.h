/* The one seam to the operating system.
 *
 * Everything above this folder reaches files, locks, clocks and processes through these verbs and
 * through nothing else. There are three implementations, chosen when linking: unix/ (Linux and
 * macOS), win/, and sim/, an in-memory disk that runs the real code above it and can fail or crash
 * at every call. The verbs are named by intent; what a platform guarantees stands beside each.
 *
 * Conventions
 *   - A handle is an os_fd; OS_NONE is none. A name is a single name in an open directory: no
 *     slash, never followed if it is a symbolic link. Some verbs take a path, and say so.
 *   - Results: 0 or a count, or a negative errno value (-ENOENT). EINTR and short counts are
 *     handed up: the loops are above the seam so that they are tested.
 *   - Handles are closed on exec unless os_inherit says otherwise.
 *   - Nothing here allocates for the caller, prints, or keeps state between calls.
 */
#ifndef UNTORN_OS_H
#define UNTORN_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codes.h"

typedef intptr_t os_fd;
#define OS_NONE ((os_fd)-1)

enum os_kind { OS_REGULAR = 1, OS_DIRECTORY, OS_SYMLINK, OS_OTHER };

struct os_stat {
    enum os_kind kind;
    uint64_t device, inode; /* together: the same file or not, while somebody holds it open */
    uint64_t size;
    uint32_t mode; /* permission, set-id and sticky bits, 07777 */
    uint32_t links;
    uint32_t owner, group;
    bool mount_root; /* the name is itself a mount point: rename onto it fails with EBUSY */
    bool immutable;  /* marked unchangeable or append-only: rename onto it fails with EPERM */
    uint64_t born;   /* when the inode came to be, in nanoseconds; 0 unknown. Tells two files that
                        had one inode number after each other apart */
};

static inline bool os_same_file(const struct os_stat *a, const struct os_stat *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/* Also of a file that nobody has held open meanwhile. */
static inline bool os_still_same(const struct os_stat *now, const struct os_stat *then)
{
    return os_same_file(now, then) && now->born == then->born;
}

/* ---- opening ---- */

/* Opens a directory for listing, flushing and as the place of names. `at` may be OS_NONE for the
 * working directory. `path` may have several components; links in it are followed, except that
 * with `no_follow` any link gives ELOOP or ENOTDIR. */
int os_open_dir(os_fd at, const char *path, bool no_follow, os_fd *ret_dir);

enum os_how {
    OS_READ = 1,
    OS_WRITE = 2,
    OS_CREATE = 4,    /* make it if missing, with `mode` less the umask */
    OS_EXCLUSIVE = 8, /* with OS_CREATE: EEXIST if the name is taken, also by a dangling link */
    OS_HOLD = 16,     /* neither read nor write: only keep the inode from being reused, where the
                         platform has that (Linux); needs no permission on the file */
};

/* `name` may be a path below `dir`. Never follows a link, not even on the way (ELOOP or ENOTDIR),
 * never blocks on a FIFO, never becomes the controlling terminal. */
int os_open(os_fd dir, const char *name, unsigned how, unsigned mode, os_fd *ret_file);

/* The handle is gone whatever is returned. An error means that written data may be lost (NFS
 * reports a full disk here). Accepts OS_NONE. */
int os_close(os_fd fd);

/* Lets programs we start inherit the handle, or stops that. */
int os_inherit(os_fd fd, bool inherit);

/* ---- content ---- */

int64_t os_read_at(os_fd file, void *data, size_t size, uint64_t offset);
int64_t os_write_at(os_fd file, const void *data, size_t size, uint64_t offset);
int os_resize(os_fd file, uint64_t size);

/* Success means: content, size, mode, owner and attributes of this file, as they were when the
 * call began, survive a power loss. It says nothing about names. macOS: F_FULLFSYNC, and fsync
 * where the file system has no such thing. After a failure what was written may be lost although
 * reading shows it, and a second flush lies: never retry. */
int os_flush(os_fd file);

/* The same of content and size alone: what overwrites bytes that were flushed before need not be
 * noted in the file system's own journal. */
int os_flush_content(os_fd file);

/* A hint that these bytes will be flushed: the system may begin at once. Promises nothing. */
void os_flush_soon(os_fd file, uint64_t offset, uint64_t size);

/* Success means: the names made, removed and renamed in this directory survive a power loss.
 * EINVAL: this file system cannot do that (other codes that mean the same are turned into it). */
int os_flush_dir(os_fd dir);

/* ---- names ---- */

/* Whether a file can be called that. Windows takes some names for something else than they say: a
 * stream, a device, a name without its last dot. */
bool os_is_name(const char *name);

/* Puts the name that a file itself has in the place of another for it, if there is room. Windows
 * has short ones: SETTIN~1.JSO. */
void os_own_name(os_fd dir, char *name, size_t size);

/* Of the name, not following a link; of the handle itself if `name` is NULL. In a path below `at`,
 * or any path if that is OS_NONE, links on the way are followed: it is to be compared with what was
 * opened, or asked whether opening is worth while, and changes nothing. Asks for no time of change:
 * a kernel with multigrain timestamps makes later flushes of a file dearer once they were read. */
int os_stat(os_fd at, const char *name, struct os_stat *ret_stat);

/* What tells that the content behind a path may be another than before. All numbers, no gaps. */
struct os_version {
    uint64_t device, inode, born, size;
    uint64_t changed; /* when it last changed, in nanoseconds since 1970, as fine as the file system
                         keeps it: two changes that are close together may have one time */
};

/* Links are followed. For who looks often and writes seldom: it asks for a time, see os_stat. */
int os_look(const char *path, struct os_version *ret_version);

/* The text of a symbolic link, terminated. ENAMETOOLONG if it does not fit. */
int os_read_link(os_fd dir, const char *name, char *text, size_t size);

int os_make_dir(os_fd dir, const char *name, unsigned mode);

/* A file, a link, or with `directory` an empty directory. `name` may be a path below `dir`. No link
 * is followed on the way: ELOOP or ENOTDIR. A path costs Unix two calls more than a name. */
int os_remove(os_fd dir, const char *name, bool directory);

enum os_rename {
    OS_REPLACE,    /* an existing file gives way in the same step: always one or the other */
    OS_NO_REPLACE, /* EEXIST if the name is taken */
    OS_EXCHANGE,   /* both names exist and swap */
};

/* Both names may be paths below their directories, as for os_remove.
 * Atomic for whoever looks at the names, and across a crash. OS_NO_REPLACE falls back to a hard
 * link and a removal where the file system lacks it; EINVAL if it has neither, or no exchange.
 * After a failure both names are what they were; ENOTRECOVERABLE, on Windows alone: the second may
 * be missing. */
int os_rename(os_fd from_dir, const char *from, os_fd to_dir, const char *to, enum os_rename how);

/* Whether names can be made in a directory and taken from it, as far as that is up to the
 * directory: 0, -EACCES, -EPERM where it is marked unchangeable, -EROFS. Windows: not asked, 0. */
int os_may_change(os_fd dir);

/* Whether a file can replace another while we have it open. Windows: not everywhere. */
bool os_renames_open(void);

/* The programs that have a file open, in words, as far as the system tells. -ENOENT: it does not.
 * Asked where a file could not be replaced because of that, which is so on Windows only. */
int os_holders(os_fd dir, const char *name, char *text, size_t size);

/* A second name. The names as for os_rename. EPERM, EMLINK or EXDEV where there can be none. */
int os_link(os_fd from_dir, const char *from, os_fd to_dir, const char *to);

/* Calls `visit` for each name but . and .. until it returns non-zero, and returns that.
 * The directory may change meanwhile; a name that stays is seen. */
int os_list(os_fd dir, int (*visit)(void *context, const char *name), void *context);

/* ---- locks ---- */

enum os_lock { OS_UNLOCK, OS_LOCK_SHARED, OS_LOCK_EXCLUSIVE };

/* Tries at once: EWOULDBLOCK if somebody else holds it. Belongs to this opening of the file (and
 * to what inherited the handle); ends when the last such handle is closed, also by death. Works
 * on files and directories opened for reading. Unix: flock(2), so flock(1) and Python's filelock
 * take part. */
int os_lock(os_fd fd, enum os_lock lock);

/* Whether a process that inherited the handle has its lock too. Windows: no, the lock stays with
 * the process that took it. */
bool os_lock_is_inherited(void);

/* ---- metadata ---- */

enum os_meta_result {
    OS_META_OWNER_DENIED = 1, /* owner or group could not be given */
    OS_META_LOST = 2,         /* an extended attribute could not be given */
};

/* Gives `to` what `from` has, in this order: owner and group, mode, ACL (removed where `from` has
 * none), other extended attributes, security label, capabilities last (changing owner or content
 * clears them). `mode` replaces the permission bits and drops the ACL, unless it is 0. Where the
 * owner is denied the group is still tried and the rest given; where the group is denied too, the
 * bits for the group are dropped, so that nobody else gains access. */
int os_copy_meta(os_fd from, os_fd to, unsigned mode, unsigned *ret_result);

/* Gives the new file `file`, made in a sub-folder with 0666 less the umask, what the kernel would
 * have given it in `dir`: the group of a set-group-id directory, the default ACL. With `mode` not
 * 0 the permission bits become exactly that. */
int os_new_meta(os_fd dir, os_fd file, unsigned mode);

/* Gives a file to a user and a group, and then the mode, as exactly that. Where the group alone is
 * denied the file keeps what it has, and nobody gets the bits for the group; otherwise -EPERM. */
int os_give(os_fd file, uint32_t owner, uint32_t group, unsigned mode);

/* Whether os_open makes a file with just the mode it is asked for. Windows: no, for this user alone
 * or as open as its folder passes on; and no bits can be added to that. */
bool os_makes_modes(void);

/* Takes the permission bits away that are not in `mode`, and the ACL. */
int os_narrow(os_fd file, unsigned mode);

/* When the content of a file last changed, in nanoseconds since 1970, as fine as the file system
 * keeps it. Not to be asked of a file that is yet to be changed: see os_stat. */
int os_time(os_fd file, int64_t *ret_time);
enum { OS_SECOND = 1000000000 }; /* nanoseconds */

/* Gives `to` that time of `from`. */
int os_copy_time(os_fd from, os_fd to);

/* Makes a file or folder of our own, just created by us, usable by exactly those who may write
 * `parent`: its group, its ACL, as far as permitted its owner, and its mode (a file gets read and
 * write where the parent has write). With `private_owner` for that user alone, and owned by him
 * as far as permitted. */
int os_share(os_fd made, os_fd parent, const uint32_t *private_owner);

/* The same of a file that others are not to write, or not all of them: it has exactly `mode`, at no
 * moment more. With `keeps_owner` it stays ours. */
int os_share_as(os_fd made, os_fd parent, unsigned mode, bool keeps_owner);

/* Whether the file has neither an ACL nor extended attributes. */
bool os_is_plain(os_fd file);

/* Whether a file here can have extended attributes, and an ACL. */
void os_attributes(os_fd file, bool *ret_attributes, bool *ret_acl);

/* ---- memory shared by the processes of one user ---- */

/* Zeroed memory that only processes of this effective user can reach and that nobody can shrink or
 * grow. It is gone with the last process that has it. */
struct os_area {
    void *memory; /* NULL: none */
    size_t size;
    os_fd handle;
    uint64_t number; /* of the memory itself: the same for all who have it */
};

/* -ENOSYS where the platform has no such thing. */
int os_area_make(size_t size, struct os_area *ret_area);

/* The one that the process `pid` has under its `handle`: -ENOENT if there is none, or not of that
 * number and size, or not of this user. */
int os_area_join(int64_t pid, os_fd handle, uint64_t number, size_t size, struct os_area *ret_area);

/* Accepts an empty one. */
void os_area_leave(struct os_area *area);

/* One word of it; every process sees all of these in one order. */
uint32_t os_load(const uint32_t *word);
void os_store(uint32_t *word, uint32_t value);
bool os_swap(uint32_t *word, uint32_t from, uint32_t to); /* false: it was not `from` */

/* Returns when *word is not `value`, after os_wake, after `duration`, or for no reason. */
void os_wait(const uint32_t *word, uint32_t value, uint64_t duration_ns);
void os_wake(uint32_t *word); /* all who wait */

/* ---- facts ---- */

struct os_capabilities {
    char filesystem[32];
    bool network;    /* other hosts may reach these files */
    bool full_flush; /* os_flush reaches the medium */
};
int os_capabilities(os_fd dir, struct os_capabilities *ret_capabilities);

/* The physical path of an open directory, absolute, without links. */
int os_dir_path(os_fd dir, char *path, size_t size);

struct os_process {
    int64_t pid;
    uint64_t start; /* when it started, in a unit of the platform's own; 0 unknown */
    char boot[40];  /* identifies this run of the system; empty if unknown */
    char host[256];
    char command[256]; /* control characters replaced */
};

uint32_t os_user(void); /* effective, now: it may change while we run */

void os_self(struct os_process *ret_self);

/* Whether the process of that pid, start and boot runs on this host now. */
bool os_is_alive(const struct os_process *process);

uint64_t os_clock_ns(void);  /* monotonic */
int64_t os_wall_clock(void); /* seconds since 1970 */
void os_sleep_ns(uint64_t duration);
int os_random(void *data, size_t size);

/* A variable of the environment; NULL if it is not set. Borrowed until the next call of this
 * thread. Windows: in UTF-8, which getenv does not give. */
const char *os_variable(const char *name);

/* The folder for the configuration of this user that the platform has apart from the home
 * directory. -ENOENT: none. Windows: the roaming application data. */
int os_config_folder(char *path, size_t size);

/* The library's one global, the lock registry, and what the child of a fork does with it. */
struct os_global {
    void *memory; /* zeroed when a process starts */
    size_t size;
    void (*after_fork)(void);
};

/* The mutex around it. `after_fork` runs in the child of a fork, with the mutex free again; it is
 * remembered at the first call. */
void os_guard_enter(const struct os_global *global);
void os_guard_leave(void);

#endif
