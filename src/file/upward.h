/* What this layer asks of the layers above it. It names the questions; they are answered there,
 * as os/os.h is answered by one of its implementations.
 */
#ifndef UNTORN_FILE_UPWARD_H
#define UNTORN_FILE_UPWARD_H

#include <untorn/read.h>
#include <untorn/update.h>

#include "file/target.h"

/* The target is locked, exclusively or shared, and an overwrite in place of it is finished. If a
 * commit of several files that a dead process left names it: gives the lock back, finishes or
 * discards the commit under all locks it needs, and returns AGAIN. Also makes sure, at the levels
 * that flush, that a commit that is done cannot come back by a power loss after what follows. 0:
 * the file may be used; also if we may not read the journal, for it may be about the private files
 * of somebody else and nothing of ours. Answered in txn/settle.c. */
int upward_settle(struct target *target, struct untorn_error *error);

/* For readers without a lock: what a commit that counts but is not finished makes of the file.
 * 0: nothing, read the file. 1: *ret_content is that. -ENOENT: it is removed. -ESTALE: look again.
 * Answered in txn/view.c. */
int upward_read(const struct place *place, struct state *state, struct untorn_content *ret_content);

/* Whether the file, `size` bytes that are about to be replaced, is a document that does not parse:
 * then it is kept aside first. 1 it is, 0 it is not, -ENOMEM. Answered in store/damage.c. */
int upward_is_damaged(const struct target *target, uint64_t size);

/* The locked file is closed from now on to some who could read it: it grants no more than `mode`.
 * So is what is remembered of its commits. Answered in txn/narrow.c. */
void upward_narrow(struct target *target, unsigned mode);

/* While this thread has a transaction open (registry_next_transaction) of which the file is a
 * member, a write or update of it joins that: true, and *ret_rc is what the call returns. A write
 * gives data, or a file that holds it, an update a function. Answered in txn/join.c. */
struct joining {
    const void *data;
    size_t size;
    const os_fd *file;                /* or NULL */
    untorn_change_function *function; /* or NULL */
    void *context;
};
bool upward_join(const char *path, const struct joining *joining,
                 const struct untorn_options *options, int *ret_rc, struct untorn_error *error);

/* For what can be no part of a transaction: 0, or -UNTORN_INVALID where the file is such a member,
 * for then its commit would take back what the call is to do. */
int upward_refuse(const char *path, const struct untorn_options *options,
                  struct untorn_error *error);

#endif
