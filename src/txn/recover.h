/* Finishing, or giving up, a commit of several files that a dead process left.
 *
 * Whoever holds the lock of a file that an active slot names knows that the maker of that slot is
 * dead or gave up: alive, it would hold this lock. So does whoever holds the slot's lock. What a
 * crash at each step of a commit (txn/commit.h) leaves, and what is made of it:
 *
 *   before the slots            stages that the next writer of each name sweeps
 *   some slots PREPARED         the coordinator does not know the commit: it is taken back, and no
 *                               file is touched
 *   the coordinator's torn      the same
 *   the coordinator COMMITTED   every member that is as it was is made new, wherever it lies
 *   some members renamed        the same for the others
 *   some slots DONE             members there are durably new: nothing is done there any more
 *   all slots DONE              nothing; but before a member changes again DONE is made durable
 *
 *   RECOVER-1  No member changes while an active slot names it, but through recovery.
 *   RECOVER-2  Recovery holds the locks of all members in reach and of all slots in reach, and what
 *              it does is decided by what the slots say then.
 *   RECOVER-3  A slot becomes DONE only after its directory, and for the coordinator every
 *              directory, was flushed; a directory that is away, or whose slot is, has the decision
 *              kept for it in a durable file of its own.
 *   RECOVER-4  A participant without its id in the coordinator's slot, and without a decision kept
 *              there, is given up: it was never committed, or it is durably finished. That the
 *              coordinator says so is durable before. Where its journal is gone, or is a copy, its
 *              silence is no answer. [SEAT-3]
 *   RECOVER-5  In doubt (the coordinator's directory cannot be reached, or is another one, or its
 *              journal is gone and the members here do not tell) nothing is changed.
 *   RECOVER-6  At the levels that flush, a file changes only when no power loss can bring a slot
 *              back that is active and names it. So a member of a DONE slot changes only after DONE
 *              is durable; and where a slot is seen that may not be on the disk at all [SLOT-7],
 *              any file of its directory only after that is: what was there before it may be what
 *              the last commit of this file left.
 *   RECOVER-7  Recovery changes a member only after the coordinator's slot was written once more
 *              and flushed, or where it may not be written flushed alone: its maker may have been
 *              killed before his flush returned, and then only the running system knows of the
 *              commit.
 *   RECOVER-8  Where a directory is in reach and its folder journal/ is no longer the one that took
 *              part, or the slot in it is a copy [SEAT-3], nobody can say what was to become of its
 *              files. The rest is finished all the same: it counts; the outcome says so, and so
 *              does a note that is kept in every directory that is finished.
 *   RECOVER-9  Nobody who can learn that a commit counts is kept from his own files by what he
 *              cannot do elsewhere: a directory whose files he may not lock or change is left as if
 *              it were away, the coordinator's with its slot, which goes on to say yes. In his own
 *              directory he is told which file it is, and can give the commit up there; the others
 *              get their answer before.
 */
#ifndef UNTORN_TXN_RECOVER_H
#define UNTORN_TXN_RECOVER_H

#include "file/target.h"

/* Finishes, or gives up, what the slot of that directory says is under way. The caller holds no
 * lock that it took for this. 0: nothing is under way any more. AGAIN: it changed meanwhile. */
int recover_directory(const struct place *place, const struct state *state, uint64_t deadline,
                      struct untorn_error *error);

/* Whether what failed so would fail again, for want of a right. [RECOVER-9] */
bool recover_is_lasting(int rc);

/* The commit that the slot of that directory, which the caller has locked, says is under way is
 * about to be given up there: where it counts, those that wait for its answer have it kept, durable
 * as it is before. [RECOVER-7] [RECOVER-9] 0 or a negative errno value. */
int recover_leave_answers(const struct place *place, const struct state *state);

/* Before a single member changes: what its slot says is durable. [RECOVER-6] Under the target's
 * lock. AGAIN: start over. In txn/settle.c, with upward_settle. */
int recover_settle_slot(struct target *target, struct untorn_error *error);

#endif
