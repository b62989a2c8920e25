/* The locks of many files, taken in the one order that all processes share.
 *
 *   GROUP-1  Locks are waited for in the order of (device, inode) of the lock files. One that comes
 *            before a lock which this thread held already is waited for only
 *            LIMIT_OUT_OF_ORDER_NS: processes that wait for each other in a circle do not do so
 *            for long.
 */
#ifndef UNTORN_TXN_GROUP_H
#define UNTORN_TXN_GROUP_H

#include "file/target.h"

/* Puts them into that order; two that are the same file, if there are any, into *ret_twins. */
bool group_sort(struct target **targets, size_t count, struct target *ret_twins[2]);

/* target_lock, exclusively, of each; of many only the lock is kept open (target_rest). *ret_failed
 * is the one at fault. On failure, and AGAIN, none is held. `targets` gets sorted. */
int group_lock(struct target **targets, size_t count, struct target **ret_failed,
               struct untorn_error *error);

/* Of one that is to be locked while others are held: the wait of [GROUP-1]. */
void group_limit_wait(struct target *target);

void group_release(struct target **targets, size_t count);

/* Whether so many members are not all to be kept open. */
bool group_is_large(size_t count);

#endif
