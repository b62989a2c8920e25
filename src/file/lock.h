/* The lock of one file: an flock on a lock file of its own that is never removed.
 *
 * A lock on the data file would die with its inode at the first rename, and a lock file that is
 * removed after use gives two owners. Somebody may still remove the whole folder at any time
 * (rm -rf, git clean), so that two processes can each hold "the" lock, on different inodes.
 *
 *   LOCK-1  Held means: the kernel granted the lock on an inode that the lock's path named after
 *           that. (A lock file that was replaced between opening and locking is opened again.)
 *   LOCK-2  Nothing is renamed onto the user's name unless, while holding the directory's own
 *           flock, the lock's path still names my inode and the user's name still is what I read.
 *           So of two processes that hold different inodes, the later one sees the earlier one's
 *           rename and starts over.
 *   LOCK-3  Every wait is bounded; without the lock nothing is written.
 *   LOCK-4  A lock ends with its last holder, by release or death, and never by age.
 *   LOCK-5  Who gets it exclusively first decides what a dead one did for others. [BATCH-3]
 *
 * The directory's flock is waited for only LIMIT_DIRECTORY_LOCK_NS: anyone who may read the
 * directory can hold it for ever, and without it LOCK-2 still holds but for one interleaving (the
 * folder is removed and another process runs from lock to check, all between my check and my
 * rename, a few microseconds).
 */
#ifndef UNTORN_FILE_LOCK_H
#define UNTORN_FILE_LOCK_H

#include "base/error.h"
#include "file/place.h"
#include "file/registry.h"
#include "file/state.h"

/* How somebody waits who need not have the lock himself: its holder may do the work for him.
 *
 * `turn` is asked before each try, and waits for a while where one has failed: 0 to try now,
 * anything else is what lock_acquire returns. `give_up` is asked when the time is over: 0 to fail
 * with -UNTORN_LOCKED, LOCK_WAIT_ON to be asked again LIMIT_TAKEN_NS later, anything else is
 * returned. */
struct lock;
struct lock_turns {
    int (*turn)(void *context, struct lock *lock, bool tried);
    int (*give_up)(void *context, struct lock *lock);
    void *context;
};
enum { LOCK_WAIT_ON = 1 };

struct lock {
    const struct place *place;      /* borrowed, must outlive the lock */
    struct state *state;            /* borrowed, must outlive the lock */
    struct place elsewhere;         /* of --lock-file */
    bool foreign;                   /* --lock-file: nothing is written into it */
    unsigned flags;                 /* enum untorn_flag, for every outcome under this lock */
    unsigned depth;                 /* locks of this file that were passed on to us */
    bool within_shared;             /* and the innermost of them is a shared one */
    bool litter;                    /* stages may lie about: hinted at, or nothing is known of it */
    bool nested;                    /* this thread held it already */
    bool area;                      /* others may wait in shared memory (combine/area.h) */
    bool silent;                    /* who waits does not ask the holder to step back */
    const struct lock_turns *turns; /* NULL: by looking again and again. Borrowed */
    enum folder folder;             /* of the lock file, unless it is foreign */
    os_fd at;                       /* borrowed: where `path` begins */
    char path[STATE_PATH_SIZE];
    char outer_path[STATE_PATH_SIZE]; /* depth > 0: the outermost lock file, at `outer_at` */
    os_fd outer_at;                   /* borrowed */
    struct os_stat outer;
    struct lock_file *own;  /* what this handle opened */
    struct lock_file *held; /* what it counts on while held, maybe another handle's */
};

#define LOCK_CLOSED                                                                                \
    {                                                                                              \
        .elsewhere = PLACE_CLOSED, .at = OS_NONE                                                   \
    }

/* Opens, without locking. */
int lock_open(struct lock *lock, const struct place *place, struct state *state,
              const struct untorn_options *options, struct untorn_error *error);

/* The moment until which a call may wait, by options->wait_ms. */
uint64_t lock_deadline(const struct untorn_options *options);

/* 0, AGAIN, -UNTORN_LOCKED (naming the holder), -UNTORN_DEADLOCK, ... */
int lock_acquire(struct lock *lock, enum os_lock kind, uint64_t deadline,
                 struct untorn_error *error);

/* Accepts a lock that is not held. */
void lock_release(struct lock *lock);

/* What a stage made under this lock is named after, or 0: the inode of the lock file, which nobody
 * else holds. [STAGE-4] 0 where others may hold it too: on another host, or another file that has
 * the same number. */
uint64_t lock_stage_number(const struct lock *lock);

/* Tells who holds the lock later whether stages lie about that were begun without it. */
void lock_note_stages(struct lock *lock, bool some);

/* Tells who holds the lock later whether all that was appended to the file is flushed, and asks
 * what was told: false where nothing was. [APPEND-4] */
void lock_note_appended(const struct lock *lock, bool flushed);
bool lock_appended_is_flushed(const struct lock *lock);

/* Releases; accepts a closed lock. */
void lock_close(struct lock *lock);

/* Whether the lock's path still names what we hold. [LOCK-2] */
bool lock_is_current(const struct lock *lock);

/* Takes the user's directory's own flock for the moment between check and rename, if it can be
 * had; unlock with os_lock. */
void lock_directory(os_fd dir);

#endif
