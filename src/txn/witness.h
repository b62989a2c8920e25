/* What the files of a commit say of it by themselves: each is as it was before, as the commit makes
 * it, or neither.
 *
 * For who holds no lock, and for who finds that the journal which would know is gone. [SEAT-3] All
 * return 1, 0, or a negative errno value: -ESTALE if it is being overwritten, look again. */
#ifndef UNTORN_TXN_WITNESS_H
#define UNTORN_TXN_WITNESS_H

#include "file/place.h"
#include "file/state.h"
#include "txn/slot.h"

/* Whether the place, which names the member, is verifiably the file that the commit replaces or
 * removes; of one that it creates, whether there is none. A member that is overwritten in place is
 * old also while that is under way. */
int witness_is_before(const struct slot_member *member, const struct place *place,
                      struct state *state);

/* Whether it is what the commit makes of it, and that proves the commit. That a file is gone does
 * not: anybody may have removed it. */
int witness_is_made(const struct slot_member *member, const struct place *place);

/* Whether all members of a slot that lies there are the files they were, by their inodes. */
int witness_is_untouched(const struct slot *slot, const struct place *directory,
                         struct state *state);

#endif
