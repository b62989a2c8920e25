/* Adding to the end of a file, under its lock.
 *
 *   APPEND-1  What was there stays, byte for byte, except a torn last record, which is durably kept
 *             aside before it is cut.
 *   APPEND-2  A record never begins on a line that another began: a last line without its newline
 *             gains it first.
 *   APPEND-3  After a failure the file is durably cut back to where it ended, if nobody else has
 *             added to it meanwhile; where that fails too, the answer is "not settled".
 *   APPEND-4  At the levels that flush, nothing is added behind what is not flushed: who added that
 *             may have been killed. Else a power loss could tear a record that is not the last.
 *
 * After a crash the file ends with a part of what was to be added, which the next append repairs.
 */
#ifndef UNTORN_FILE_APPEND_H
#define UNTORN_FILE_APPEND_H

#include <stdbool.h>
#include <stddef.h>

#include <untorn/options.h>

#include "base/error.h"

/* Whether one line, without its newline, is a whole record. */
typedef bool append_is_whole(const char *line, size_t size);

/* `data` ends with a newline. `is_whole` NULL: every line is whole. */
int append_records(const char *path, const void *data, size_t size, append_is_whole *is_whole,
                   const struct untorn_options *options, struct untorn_error *error);

#endif
