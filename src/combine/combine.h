/* Edits of one file by many processes at once: whoever holds the lock makes all that wait.
 *
 * One who finds the lock free takes it, as untorn_update does. One who finds it taken leaves its
 * edits in shared memory (area.h) and waits; the next who gets the lock to edit the file takes all
 * that is there, makes one new version of it, replaces the file once, and answers each. So of a
 * thousand updates a few dozen wait for the disk.
 *
 * The holder's steps, and what those who wait find should it die after each:
 *
 *   1 what a dead one took is judged    the same is judged again
 *   2 a number is noted   [BATCH-1]     nothing is taken
 *   3 updates are taken, edits made,    "not done": each is given back to its owner
 *     answers put down, stage flushed
 *   4 the stage is noted  [BATCH-2]     the same
 *   5 renamed                           "done": the directory is flushed, each gets its answer
 *   6 directory flushed, noted "done"   the same
 *   7 each slot says done               the same for those that do not yet
 *   8 lock released, all woken          they wake by themselves after a while
 *
 *   COMBINE-1  An update is made at most once: what is taken under a number is given back only if
 *              that was not done, and its owner takes back only what is not taken.
 *   COMBINE-2  "Done" is said after the version with the update is durable, by its level. That a
 *              flush failed is put down for all before the batch is noted; of one who dies between
 *              the failure and that, nobody can learn it.
 *   COMBINE-3  An update that fails does so alone: the others are made as if it were not there.
 *   COMBINE-4  What the holder cannot do (no space, no memory, no permission), another may: then
 *              nothing has changed, and each does its own.
 *   COMBINE-5  Who waits for longer than it wanted takes its update back, or else learns what came
 *              of it, or is told that this is not known: it is never left in doubt unknowingly.
 *   COMBINE-6  The lock decides, the memory only helps: with none, each takes the lock itself.
 *   COMBINE-7  Inside a lock that the caller holds itself only its own edits are made.
 */
#ifndef UNTORN_COMBINE_COMBINE_H
#define UNTORN_COMBINE_COMBINE_H

#include "base/error.h"
#include "combine/request.h"

/* As untorn_edit. `request->level` and `request->keep` are those of the options. COMBINE_TOO_LARGE
 * with nothing done, of a file that has `request->smaller_than` bytes or more, if that is not 0. */
enum { COMBINE_TOO_LARGE = 4 };
int combine_edit(const char *path, const struct request *request,
                 const struct untorn_options *options, struct untorn_error *error);

#endif
