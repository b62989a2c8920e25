/* What dead writers of single files left. The public call, which looks for what concerns several
 * files too, is in txn/check.c.
 */
#ifndef UNTORN_FILE_CHECK_H
#define UNTORN_FILE_CHECK_H

#include <untorn/check.h>

#include "base/error.h"
#include "file/place.h"
#include "file/state.h"

struct check {
    const struct untorn_check *what;
    struct untorn_options options;
    struct place place; /* of a file, or of a directory: then the name is empty */
    struct state state;
    size_t open;
    size_t looked;
    struct untorn_error *error;
    int worst;                                                 /* first failure of a repair */
    bool (*is_needed)(const void *context, const char *stage); /* a commit needs that entry */
    const void *needing;
    char spared[LIMIT_NAME + 1]; /* an entry of kept/ that this very call moved there */
    const char *directory;       /* untorn_finding.directory of what is reported; or NULL */
    bool withdrawn, abandoned;   /* the same */
};

/* Reports what is found in this layer, and repairs it where that is wanted. */
int check_files(struct check *check, struct untorn_error *error);

/* Counts a finding, and tells the caller. `entry` is where it lies, in `folder`. */
void check_report(struct check *check, enum untorn_finding_kind kind, const char *name,
                  enum folder folder, const char *entry, uint64_t size, bool repaired);

/* Locks `name` in this directory, which finishes and sweeps whatever is there of it. */
bool check_settle(struct check *check, const char *name);

#endif
