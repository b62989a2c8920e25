/* The slot of a directory as a file: found, locked, made, written.
 *
 *   SLOT-4  At most one commit, or one recovery, works with a slot: whoever writes it holds the
 *           kernel's lock on an inode that the slot's path named after that. It is taken after all
 *           locks of members, several in the order of (device, inode), and ends with its holder.
 *   SLOT-5  A slot is replaced by another file only while it is not active, and what is committed
 *           through the new one is so only after the new name is durable.
 *   SLOT-6  At the levels that flush, a slot says something only where a flush has covered zeros
 *           before: it is grounded. On ext4 a block whose first write failed takes later ones, and
 *           a flush says that all is well, but after a crash it holds zeros. So nobody need know
 *           whether a flush of a slot failed before he can trust his own.
 *   SLOT-7  What a slot says is seen before it is durable. IDLE is so once it is seen, or nothing
 *           active was before it; DONE of a commit that flushes replaced nothing but what that
 *           commit flushed. All else is loose: a power loss may bring back what the slot said
 *           before, of other files. Active: its maker may not have flushed it yet. Torn: the same.
 *           DONE of a commit that does not flush, and DONE of one that was taken back, which
 *           therefore says that it does not.
 *
 * A slot belongs to a struct state: in a sticky directory each owner of files has one, and with a
 * state directory it lies there.
 */
#ifndef UNTORN_TXN_SLOTFILE_H
#define UNTORN_TXN_SLOTFILE_H

#include "file/registry.h"
#include "file/state.h"
#include "txn/slot.h"

struct slot_file {
    os_fd fd;
    struct os_stat stat;
    bool writable, outside;   /* the latter: in a state directory */
    struct lock_file *locked; /* has `fd`, which a child of a fork is not to keep; or NULL */
};

#define SLOT_FILE_CLOSED                                                                           \
    {                                                                                              \
        .fd = OS_NONE                                                                              \
    }

/* All return 0 or a negative errno value. */

/* For writing too where that is allowed. -ENOENT if there is none that is ours; -EACCES if we may
 * not read it. */
int slot_file_open(struct state *state, struct slot_file *ret_file);

/* Accepts a closed one. Ends the lock. */
void slot_file_close(struct slot_file *file);

/* [SLOT-4] -EWOULDBLOCK at the deadline; -ESTALE if the path names another file now. */
int slot_file_lock(struct slot_file *file, struct state *state, uint64_t deadline);

/* Who may use it. Of root a slot stays, or it is the owner's of the folder. */
struct slot_access {
    unsigned mode;
    uint32_t owner;
};

/* Makes an empty one, locked; what has the name, if anything, is `file`, locked by us
 * and not active, and goes. -ESTALE if somebody was faster. [SLOT-5] */
int slot_file_renew(struct slot_file *file, struct state *state, const struct slot_access *access);

/* Whether we may write it and it is as open as that: else it is to be renewed. [SLOT-3] */
bool slot_file_fits(const struct slot_file *file, const struct slot_access *access);

/* Whether the maker of the slot is somebody who may do that to the file anyway: `target` is what
 * has the member's name, or NULL. For any other file of ours, `made`: who may change the file. */
bool slot_file_is_trusted(const struct slot_file *file, const struct place *directory,
                          const struct slot_member *member, const struct os_stat *target);
bool slot_maker_is_trusted(const struct os_stat *made, const struct place *directory,
                           const struct os_stat *target);

/* Makes room for `size` bytes, all zero and durable, but not the name. What the slot said before,
 * which is not active, is gone, and if it was DONE that was made durable first. [SLOT-6] */
int slot_file_ground(struct slot_file *file, uint64_t size);

/* Writes all of it, or only another state; no flush. */
int slot_file_write(struct slot_file *file, struct slot *slot);
int slot_file_set(struct slot_file *file, struct slot *slot, enum slot_state state);

/* It was never committed: says no more, as DONE that is loose [SLOT-7]; no flush. */
int slot_file_drop(struct slot_file *file, struct slot *slot);

/* What the slot says, locked, is durable after this. Where it may be written it is, once more:
 * where a flush has failed the next one alone would write nothing. */
int slot_file_settle(struct slot_file *file);

/* Nothing of earlier commits is left behind the first `size` bytes; no flush. */
int slot_file_trim(struct slot_file *file, uint64_t size);

#endif
