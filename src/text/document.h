/* Edits as users say them, done to a text and proven before they are used.
 *
 * Each edit is looked up (keypath.h), its value read, planned (plan.h) and spliced. The new text is
 * scanned, and must hold exactly the data that the same edit makes of the old data. One scalar
 * replaced by another goes a quicker way with a proof of its own (quick.h); a container that is to
 * become another is changed where they differ (difference.h).
 *
 *   DOCUMENT-1  A text that was edited is a document of its format.
 *   DOCUMENT-2  Its data is the old data with the edit done to it: node_equal. Else the edit fails
 *               with -UNTORN_MISPLANNED and the old text stays.
 *   DOCUMENT-3  Of several edits all are done or none.
 */
#ifndef UNTORN_TEXT_DOCUMENT_H
#define UNTORN_TEXT_DOCUMENT_H

#include "base/error.h"
#include "text/editing.h"
#include "text/keypath.h"
#include "text/parsed.h"

/* *ret_text is new (malloc) and terminated; NULL on failure. */
int document_edit(const char *text, size_t size, enum untorn_format format,
                  const struct untorn_edit *edits, size_t count, char **ret_text, size_t *ret_size,
                  struct untorn_error *error);

/* The same for who asks; `asking` may be NULL. */
int document_edit_asking(const char *text, size_t size, enum untorn_format format,
                         const struct untorn_edit *edits, size_t count, struct asking *asking,
                         char **ret_text, size_t *ret_size, struct untorn_error *error);

/* The same with another planner than the format's own: what a planner that errs would come to. */
int document_edit_planned(const char *text, size_t size, enum untorn_format format, planner *plan,
                          const struct untorn_edit *edits, size_t count, char **ret_text,
                          size_t *ret_size, struct untorn_error *error);

/* The same of a text that was scanned already, and its tree is as before when the call returns. The
 * new text and its tree are to be freed; both are zero where nothing has changed. */
int document_edit_parsed(struct parsed *parsed, const struct untorn_edit *edits, size_t count,
                         char **ret_text, struct parsed *ret_parsed, struct untorn_error *error);

/* One edit of a text that is being edited, where its key was looked up already: not a patch. */
int document_apply(struct editing *editing, const struct untorn_edit *edit,
                   const struct keypath *path, struct untorn_error *error);

/* keypath_find for an UNTORN_ENSURE: -UNTORN_INVALID also for what is always behind the last
 * element, and so never there. */
int document_find(const struct keypath *path, const struct untorn_node *root,
                  struct found *ret_found, struct untorn_error *error);

/* Scans, and puts a flaw into words: -UNTORN_DAMAGED with line, column and an excerpt. */
int document_parse(const char *text, size_t size, enum untorn_format format,
                   struct parsed *ret_parsed, struct untorn_error *error);

/* A file of that format with nothing in it: "{}\n", or no byte at all. */
const char *document_empty(enum untorn_format format);

#endif
