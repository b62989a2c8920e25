/* Locks that the program which started us passed on (environment variable UNTORN_LOCK).
 *
 * The value lists what was passed on: "FD:DEVICE:INODE:KIND" with commas between, KIND x or s. It
 * is a hint only: a lock counts as ours when the descriptor really is that file and the kernel
 * confirms that this opening holds the lock.
 */
#ifndef UNTORN_FILE_INHERIT_H
#define UNTORN_FILE_INHERIT_H

#include "os/os.h"

/* Whether `lock_file` is held through a descriptor we inherited. *ret_kind says how. */
bool inherit_holds(const struct os_stat *lock_file, enum os_lock *ret_kind);

/* Begins `value` with what was passed on to us, as far as it makes sense. false: no room. */
bool inherit_copy(char *value, size_t size, size_t *ret_used, size_t *ret_entries);

/* Adds one lock to `value`; `used` is its length. false: it does not fit. */
bool inherit_add(char *value, size_t size, size_t *used, os_fd fd, const struct os_stat *stat,
                 enum os_lock kind);

#endif
