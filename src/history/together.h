/* Undoing a commit of several files: all of them go back in one commit, or none does.
 *
 *   TOGETHER-1  A file that was committed together with others is undone with them, provided that
 *               it still is what the commit made of it.
 *   TOGETHER-2  Nothing is undone unless every file of the commit still is what the commit made of
 *               it, and what it was before is kept whole.
 *   TOGETHER-3  Nothing is undone if the record of the commit was made by somebody who may not
 *               change one of its files himself: he may have made it up.
 *   TOGETHER-4  Nothing is undone by which a later commit would be in part: one of its files would
 *               go back, and another, which it changed, stay as it made it. Undone in turn, the
 *               later one first, both go back. A commit that is itself an undo (record_is_undo) is
 *               none of these: it took back what was later.
 */
#ifndef UNTORN_HISTORY_TOGETHER_H
#define UNTORN_HISTORY_TOGETHER_H

#include <untorn/history.h>

#include "history/look.h"
#include "txn/record.h"

/* The commit that made the file at `path` what it is. `previous` is its version 1, or NULL. 1 and
 * the record, which is to be freed; 0 if it was no commit of several files; or a failure. */
int together_find(struct look *look, const char *path, const struct version_found *previous,
                  const struct untorn_options *options, struct record *ret_record,
                  struct untorn_error *error);

/* As untorn_undo_preview. */
int together_preview(const struct record *record, untorn_undoing_function *function, void *context,
                     const struct untorn_options *options, struct untorn_error *error);

/* As untorn_undo. */
int together_undo(const struct record *record, untorn_undone_function *function, void *context,
                  const struct untorn_options *options, struct untorn_error *error);

#endif
