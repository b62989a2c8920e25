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
#include <stdint.h>

#include "bytes.h"
#include "system.h"

struct draft {
    char directory[CLI_PATH]; /* empty: there is none */
    char path[CLI_PATH];
    system_stream hold; /* as long as it is open the draft is not listed */
};

/* 0 or an errno value; then there is none. */
int draft_make(struct draft *ret_draft, const char *file, const void *data, size_t size);

/* What the editor made of it, also if it wrote another file under the name. */
int draft_read(const struct draft *draft, struct bytes *content);

/* With what the editor left beside it. */
void draft_remove(struct draft *draft);

typedef void draft_function(void *context, const char *name, const char *path, uint64_t size);

/* Calls `found` with each file in this user's drafts beside the files of a directory, "dir/" or
 * empty for the working directory, that nobody is at: kept, or left by one who was killed. */
void drafts_find(const char *directory, draft_function *found, void *context);

#endif
