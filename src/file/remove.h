/* Removing one file, as a member of a set: the counterpart of replace_publish.
 *
 *   REMOVE-1  The name goes only while it is, under the directory's own lock, what was looked at
 *             under the file's lock. [LOCK-2]
 */
#ifndef UNTORN_FILE_REMOVE_H
#define UNTORN_FILE_REMOVE_H

#include "file/target.h"

/* Whether the locked file may be removed: it exists and matches the options' conditions, and if it
 * is damaged a copy is kept. 0, AGAIN or a failure. */
int remove_prepare(struct target *target, struct untorn_error *error);

/* Removes the name; by options->keep the file becomes a version (file/past.h). AGAIN: it is no
 * longer the file that was looked at, nothing changed. That the name is gone is made durable by the
 * caller (replace_flush_name); then past_prune. */
int remove_publish(struct target *target, struct untorn_error *error);

#endif
