/* --dry-run of the verbs that replace a file: show the difference, change nothing, lock nothing. */
#ifndef CLI_DRYRUN_H
#define CLI_DRYRUN_H

#include "outcome.h"

/* Prints what would change if `data` became the content of outcome->path. The outcome is what
 * --if-match, --exclusive and the file's own state would make of it. */
void dry_run_show(struct outcome *outcome, const char *data, size_t size);

#endif
