/* Content that does not parse is not replaced or removed before a copy of it is kept aside.
 *
 *   QUARANTINE-1  A regular file that is known by its name to be a document, has content, and is
 *                 not a document, is replaced or removed only after kept/ has a copy of its
 *                 bytes; at the levels that flush, durably. If there can be no copy the file stays.
 *                 What cannot be read is not known to be damaged, and could never be replaced
 *                 otherwise.
 *   QUARANTINE-2  It is a copy, never a second name of the file: a program that rewrites the file
 *                 with open("w") leaves the copy alone.
 *   QUARANTINE-3  The same content is kept once, and of each name at most LIMIT_DAMAGED.
 *
 * What it costs: a file whose name says nothing costs nothing, and neither does one that an edit
 * has just parsed (target.old_is_whole). Of any other the old version is read and scanned once, at
 * about 1 GB/s: JSON in a small buffer, TOML in memory. Beyond LIMIT_SCANNED only its ends are
 * looked at, where a crash shows: NUL bytes, and JSON that does not close.
 */
#ifndef UNTORN_FILE_QUARANTINE_H
#define UNTORN_FILE_QUARANTINE_H

#include "file/stage.h"
#include "file/target.h"

/* With the target locked and looked at, before `stage` replaces it, or with NULL before it is
 * removed. UNTORN_FLAG_QUARANTINED if a
 * copy is kept. 0, AGAIN, or below 0: the file must stay. */
int quarantine_old(struct target *target, const struct stage *stage, struct untorn_error *error);

#endif
