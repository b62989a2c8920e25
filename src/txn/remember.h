/* The records of a commit (txn/record.h), written when all its members are in place.
 *
 *   REMEMBER-1  Every directory that took part has the record, so that each of them tells what the
 *               files were committed with: with its own slot's number, by which it tells which
 *               commit was the last. Of a commit so large that this would be LIMIT_REMEMBERED
 *               members, only the coordinator's directory has it.
 *   REMEMBER-2  A record names all members that the commit changed, or is not written: by one that
 *               lacks some, a part of the commit could be taken back.
 *   REMEMBER-3  It is written before the slots are DONE: a commit that is killed before it has its
 *               record gets it from whoever finishes it.
 *   REMEMBER-4  A commit takes the place of an earlier one's record only if it changed the same
 *               files, one that changed the content of none only of another such: what made a file
 *               what it is stays known, and can be undone, however often it is committed again. It
 *               has a record nevertheless, which says that its files are to be as they are.
 */
#ifndef UNTORN_TXN_REMEMBER_H
#define UNTORN_TXN_REMEMBER_H

#include "txn/commit.h"

/* Both under the locks of all slots. What cannot be written is not: the commit counts without it.
 */
void remember_commit(struct commit *commit);

/* A commit that a dead process left, and that is finished now. */
void remember_recovered(struct seats *seats, const struct seat *coordinator);

#endif
