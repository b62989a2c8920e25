/* Hold the lock of a file across work of your own.
 *
 *     struct untorn_lock *lock = NULL;
 *     if (untorn_lock("state.json", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error) == 0) {
 *         ... read, think, call a service, untorn_write("state.json", ...) ...
 *     }
 *     untorn_unlock(lock);
 *
 * It is the same lock that write, update and append take: inside it they simply nest. A kernel
 * lock (flock) on a file of its own: it ends with its holder, whatever happens to that; nothing
 * goes stale. Threads of one process exclude each other as processes do. After a fork the child
 * holds nothing (the parent still does).
 *
 * To lock often, keep a handle: untorn_lock_open once, then untorn_lock_acquire and
 * untorn_lock_release, which cost a few microseconds.
 *
 * Options: symlink, wait_ms, parents, strict, state_dir, lock_file.
 */
#ifndef UNTORN_LOCK_H
#define UNTORN_LOCK_H

#include <stddef.h>
#include <stdint.h>

#include <untorn/error.h>
#include <untorn/options.h>

enum untorn_lock_kind {
    UNTORN_LOCK_EXCLUSIVE = 0,
    UNTORN_LOCK_SHARED = 1, /* with other shared ones; writing inside it is UNTORN_DEADLOCK */
};

struct untorn_lock;

UNTORN_BEGIN_C

/* *ret_lock is new and held; NULL on failure. UNTORN_LOCKED: error.detail names the holder. */
UNTORN_API int untorn_lock(const char *path, enum untorn_lock_kind kind,
                           const struct untorn_options *options, struct untorn_lock **ret_lock,
                           struct untorn_error *reterr);

/* Releases and frees. Accepts NULL. From the thread that acquired it. */
UNTORN_API void untorn_unlock(struct untorn_lock *lock);

/* A handle that is not held yet. */
UNTORN_API int untorn_lock_open(const char *path, const struct untorn_options *options,
                                struct untorn_lock **ret_lock, struct untorn_error *reterr);
UNTORN_API int untorn_lock_acquire(struct untorn_lock *lock, enum untorn_lock_kind kind,
                                   struct untorn_error *reterr);
UNTORN_API void untorn_lock_release(struct untorn_lock *lock);

/* All of `count` paths, in one order that all processes share, so that two callers with
 * overlapping lists never wait for each other in a circle. ret_locks[i] belongs to paths[i];
 * all are NULL on failure. Two paths of one file: the lock nests. */
UNTORN_API int untorn_lock_all(const char *const *paths, size_t count, enum untorn_lock_kind kind,
                               const struct untorn_options *options, struct untorn_lock **ret_locks,
                               struct untorn_error *reterr);

/* For starting a program under the lock: lets a child process inherit it and writes the value
 * for its environment variable UNTORN_LOCK, by which untorn calls in the child know that they are
 * inside. The lock then ends when its last holder is gone. Returns 0, or -UNTORN_TOO_LARGE. */
UNTORN_API int untorn_lock_pass_on(struct untorn_lock *const *locks, size_t count, char *value,
                                   size_t size);
#define UNTORN_LOCK_VARIABLE "UNTORN_LOCK"

/* Who holds the lock. For people: by the time you read it, it may be someone else. */
struct untorn_holder {
    bool held;
    bool shared;       /* held by readers; the rest is then empty */
    bool alive;        /* the process below still runs; else something it started holds the lock */
    int64_t pid;       /* 0 if unknown */
    int64_t since;     /* seconds since 1970, 0 if unknown */
    char host[256];    /* empty if unknown */
    char command[256]; /* shortened */
};

/* Creates nothing. */
UNTORN_API int untorn_who(const char *path, const struct untorn_options *options,
                          struct untorn_holder *ret_holder, struct untorn_error *reterr);

UNTORN_END_C

#endif
