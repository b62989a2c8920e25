/* A version being made: a file of ours, later renamed onto the user's name.
 *
 *   STAGE-1  A stage is created exclusively, under an unguessable name, and its creator holds a
 *            kernel lock on it for as long as it lives; whoever can take that lock knows that the
 *            creator is dead. (Created but not yet locked, it may be swept: the creator looks after
 *            locking whether the name still is its inode, and else makes another.)
 *   STAGE-2  A stage is never wider than 0600, unless it is for a new file without a mode of its
 *            own: then the kernel applies the umask to 0666, which is its final mode.
 *   STAGE-3  A failed flush is final: the stage is discarded, never flushed again.
 */
#ifndef UNTORN_FILE_STAGE_H
#define UNTORN_FILE_STAGE_H

#include "file/state.h"

struct stage {
    os_fd folder; /* its own: a stage outlives the state it was begun in */
    os_fd file;
    char name[LIMIT_NAME + 1];
    bool named;     /* the name is ours to remove */
    bool open_mode; /* made with 0666 less the umask */
    uint64_t size;
    struct os_stat stat;
};

#define STAGE_CLOSED                                                                               \
    {                                                                                              \
        .folder = OS_NONE, .file = OS_NONE                                                         \
    }

/* All return 0 or a negative errno value. -ENOENT: our folder was removed; start over. */

int stage_begin(struct stage *stage, struct state *state, const char *name, bool open_mode);
int stage_write(struct stage *stage, const void *data, size_t size);

/* The same content in a new stage, where the old one was removed or has the wrong mode. `state` may
 * be another than before. The old one is gone in any case. */
int stage_renew(struct stage *stage, struct state *state, const char *name, bool open_mode);

/* Whether the name still is this stage: our folder may have been removed. */
bool stage_is_named(const struct stage *stage);

/* Removes the stage unless its name has been given away. Accepts a closed stage. */
void stage_close(struct stage *stage);

#endif
