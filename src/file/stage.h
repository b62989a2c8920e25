/* A version being made: a file of ours, later renamed onto the user's name.
 *
 *   STAGE-1  A stage is created exclusively, under an unguessable name, and its creator holds a
 *            kernel lock on it for as long as it lives; whoever can take that lock knows that the
 *            creator is dead. (Created but not yet locked, it may be swept: the creator looks after
 *            locking whether the name still is its inode, and else makes another.)
 *   STAGE-2  A stage is never wider than 0600, but where it is for a new file without a mode of its
 *            own: then the kernel applies the umask to 0666, which is its final mode; or where it
 *            replaces a file of ours that has no ACL and lets its group do no more than anybody:
 *            then it may have that file's mode from the start.
 *   STAGE-3  A failed flush is final: the stage is discarded, never flushed again.
 *   STAGE-4  A stage made under the name's lock is named after the number of the lock file's inode.
 *            Its maker holds that lock, and with it the inode, for as long as it lives, so that no
 *            two living processes make the same name: what the next holder of the lock finds under
 *            it was left by a dead one, and is removed without a listing to find it. Such a stage
 *            has no lock of its own: a sweeper who holds the name's lock while its maker does too,
 *            on another inode, takes it from one that is about to start over. [LOCK-2]
 */
#ifndef UNTORN_FILE_STAGE_H
#define UNTORN_FILE_STAGE_H

#include "file/state.h"

struct stage {
    os_fd folder; /* where `name` begins: the stage's own, for it outlives the state it was begun
                     in, or the state's parent for one that was made under the lock */
    bool borrowed;
    os_fd file;
    char name[STATE_PATH_SIZE];
    bool named;      /* the name is ours to remove */
    bool open_mode;  /* made with 0666 less the umask */
    bool final_mode; /* made with the mode of a file that has nothing else to be given */
    uint64_t size;
    uint64_t inode; /* its own, once that was looked at; else 0 */
};

#define STAGE_CLOSED                                                                               \
    {                                                                                              \
        .folder = OS_NONE, .file = OS_NONE                                                         \
    }

/* All return 0 or a negative errno value. -ENOENT: our folder was removed; start over. */

int stage_begin(struct stage *stage, struct state *state, const char *name, bool open_mode);

/* The same under the lock of `name`, whose lock_stage_number is `number`. Must be closed before the
 * state. `mode` is what it is made with, less the umask. -EEXIST: something is in the way that is
 * not ours to remove. */
int stage_begin_locked(struct stage *stage, struct state *state, const char *name, uint64_t number,
                       unsigned mode, bool open_mode);

/* Removes what a dead holder of the lock left under the name that stage_begin_locked would give:
 * for who makes its stage elsewhere. */
void stage_sweep_locked(const struct state *state, const char *name, uint64_t number);

/* Gives a stage below the state's parent that name: what has it is a dead one's. */
int stage_move_locked(struct stage *stage, struct state *state, const char *name, uint64_t number);

int stage_write(struct stage *stage, const void *data, size_t size);

/* The same content in a new stage, where the old one was removed or has the wrong mode. `state` may
 * be another than before. The old one is gone in any case. */
int stage_renew(struct stage *stage, struct state *state, const char *name, bool open_mode);

/* Whether the name still is this stage: our folder may have been removed. */
bool stage_is_named(const struct stage *stage);

/* Many stages at once: `stage_lend` makes one name its file below the state's parent, without a
 * handle of its own, as one made under the lock does; `stage_rest` closes the file, and
 * `stage_wake` opens it again: -ENOENT if the name is no longer it. */
void stage_lend(struct stage *stage, const struct state *state);
int stage_rest(struct stage *stage);
int stage_wake(struct stage *stage);

/* What it is called in the folder. Borrowed. */
const char *stage_entry(const struct stage *stage);

/* Removes the stage unless its name has been given away. Accepts a closed stage. */
void stage_close(struct stage *stage);

#endif
