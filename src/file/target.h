/* Everything that is open for one file during one call: place, folder, lock, the file itself.
 *
 *     rc = target_open(&target, path, options, error);
 *     while (rc == 0) {
 *         rc = target_lock(&target, OS_LOCK_EXCLUSIVE, error);
 *         if (rc == 0)
 *             rc = ... the work, which ends with AGAIN if target_is_current says no ...
 *         if (rc != AGAIN)
 *             break;
 *         rc = target_reopen(&target, error);
 *     }
 *     target_close(&target);
 *
 * While the lock is held `hold` keeps the file's inode from being reused, so that comparing inodes
 * is comparing files.
 */
#ifndef UNTORN_FILE_TARGET_H
#define UNTORN_FILE_TARGET_H

#include "file/lock.h"

struct stage;

struct target {
    const char *path; /* borrowed */
    const struct untorn_options *options;
    struct place place;
    struct state state;
    struct lock lock;
    bool exists;         /* as seen under the lock */
    struct os_stat stat; /* of what has the name: a regular file, or a link to be replaced */
    os_fd hold;          /* it, open: for reading, or where that is denied just held */
    bool readable;       /* `hold` can be read */
    bool was_read;       /* the new version is made from the old: that must not change meanwhile */
    bool stages_under_lock; /* then nothing need be listed to find what lies in the way [STAGE-4] */
    const struct stage *own_stage; /* the caller's, not to be swept; or NULL. Borrowed */
    uint64_t deadline;
    int restarts;
};

/* Opens without locking; `options` must outlive the target. On failure the target is closed. */
int target_open(struct target *target, const char *path, const struct untorn_options *options,
                struct untorn_error *error);

/* Acquires, finishes what a dead writer left, sweeps behind it, looks at the file. Or AGAIN. */
int target_lock(struct target *target, enum os_lock kind, struct untorn_error *error);

/* After AGAIN: lets go of everything and opens it anew. -UNTORN_RESTLESS when it was too often. */
int target_reopen(struct target *target, struct untorn_error *error);

/* Removes what dead writers left, under the lock. [SWEEP-1] target_lock does it where needed. */
void target_sweep(struct target *target);

/* [LOCK-2] The lock's path names our lock and the user's name is what we saw; of what was read, as
 * long as it was: a program that knows nothing of locks may be appending to it. */
bool target_is_current(const struct target *target);

/* Accepts a closed target. */
void target_close(struct target *target);

#endif
