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

struct batch;
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
    bool old_is_whole;   /* whoever makes the new version has parsed the old one */
    bool differs;        /* what replaces it is known to be something else */
    bool stages_under_lock; /* then nothing need be listed to find what lies in the way [STAGE-4] */
    bool hash_known;        /* `hash` is that of the content of `hold` */
    struct untorn_hash hash;
    const struct untorn_hash *new_hash; /* of what replaces it, where that is known; or NULL.
                                           Borrowed */
    const os_fd
        *meta_of;     /* of a file that does not exist: owner and mode are this one's. Or NULL */
    const char *set;  /* 32 digits that name the commit of several files this is part of, or NULL */
    bool keeps;       /* it is not replaced if what it is now cannot be kept [PAST-9] */
    bool stage_stays; /* the stage of a new version is the only copy of it [PAST-5] */
    bool recovering;  /* for who finishes a commit: nothing but an overwrite in place is settled */
    bool repairs;     /* for who is here only to finish what others left: that is his outcome */
    const struct stage *own_stage;  /* the caller's, not to be swept; or NULL. Borrowed */
    const struct lock_turns *turns; /* how to wait for the lock; or NULL. Borrowed */
    struct batch *batch;            /* others' updates are in the new version; or NULL. Borrowed */
    uint64_t deadline;
    int restarts;
};

/* Opens without locking; `options` must outlive the target. On failure the target is closed. */
int target_open(struct target *target, const char *path, const struct untorn_options *options,
                struct untorn_error *error);

/* The same for the file `name` of a directory that is open already: its handles are borrowed, and
 * must outlive the target. A link that has the name is itself the target. After AGAIN the target is
 * not to be reopened. */
int target_open_in(struct target *target, const struct place *directory, const struct state *state,
                   const char *name, const struct untorn_options *options,
                   struct untorn_error *error);

/* The same for a name that was looked at just now. */
int target_open_found(struct target *target, const struct place *found, const struct state *state,
                      const struct untorn_options *options, struct untorn_error *error);

/* Acquires, and finishes a commit of several files that a dead writer left. Or AGAIN. */
int target_acquire(struct target *target, enum os_lock kind, struct untorn_error *error);

/* Acquires, finishes what a dead writer left, sweeps behind it, looks at the file. Or AGAIN. */
int target_lock(struct target *target, enum os_lock kind, struct untorn_error *error);

/* Looks at the file again, under the lock. Or AGAIN, where the name became a link. */
int target_look(struct target *target, struct untorn_error *error);

/* After AGAIN: lets go of everything and opens it anew. -UNTORN_RESTLESS when it was too often. */
int target_reopen(struct target *target, struct untorn_error *error);

/* Removes what dead writers left, under the lock. [SWEEP-1] target_lock does it where needed. */
void target_sweep(struct target *target);

/* [LOCK-2] The lock's path names our lock and the user's name is what we saw; of what was read, as
 * long as it was: a program that knows nothing of locks may be appending to it. */
bool target_is_current(const struct target *target);

/* Many targets at once: closes all but the lock, opens the file again. -ESTALE if it is no longer
 * the file that was looked at. Otherwise 0 or a negative errno value. */
void target_rest(struct target *target);
int target_wake(struct target *target);

/* Accepts a closed target. */
void target_close(struct target *target);

#endif
