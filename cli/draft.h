/* A copy of a file that a person edits: in a directory of its own, for this user alone, under the
 * file's own name, so that an editor knows what it is.
 *
 * It lies beside untorn's own files, on the disk of the file it is of. Where somebody else could
 * put another directory into the way there, and have a privileged user's editor write into that,
 * it lies in $TMPDIR or /tmp instead; on Windows always in the user's own folder for such things.
 */
#ifndef CLI_DRAFT_H
#define CLI_DRAFT_H

#include <stddef.h>

#include "bytes.h"

struct draft {
    char directory[CLI_PATH]; /* empty: there is none */
    char path[CLI_PATH];
};

/* 0 or an errno value; then there is none. */
int draft_make(struct draft *ret_draft, const char *file, const void *data, size_t size);

/* What the editor made of it, also if it wrote another file under the name. */
int draft_read(const struct draft *draft, struct bytes *content);

/* With what the editor left beside it. */
void draft_remove(struct draft *draft);

#endif
