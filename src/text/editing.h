/* A text that is being edited: each change is planned, spliced, and proven before it counts.
 *
 *     struct editing editing;
 *     rc = editing_begin(&editing, text, size, format, NULL, error);
 *     rc = editing_change(&editing, &change, error);    as often as needed
 *     editing_take(&editing, &new_text, &new_size);
 *     editing_free(&editing);
 *
 * After a change that failed the editing can only be freed.
 */
#ifndef UNTORN_TEXT_EDITING_H
#define UNTORN_TEXT_EDITING_H

#include "base/error.h"
#include "text/plan.h"

typedef int planner(const struct parsed *parsed, const struct change *change,
                    struct plan *ret_plan);

struct editing {
    planner *plan;
    struct parsed parsed; /* of the text as it is now */
    char *text;           /* that text, once something has changed; before, the one given */
};

/* `text` is borrowed until editing_free. `plan` is NULL for the format's own planner. */
int editing_begin(struct editing *ret_editing, const char *text, size_t size,
                  enum untorn_format format, planner *plan, struct untorn_error *error);

/* `change->node` is of editing->parsed, `change->value` in no tree. Both are used up: after 0 there
 * is a new tree, and nodes of the old one are gone. [DOCUMENT-1] [DOCUMENT-2] */
int editing_change(struct editing *editing, const struct change *change,
                   struct untorn_error *error);

/* The text as it is now: new, terminated. */
int editing_take(struct editing *editing, char **ret_text, size_t *ret_size,
                 struct untorn_error *error);

/* Accepts a zeroed one. */
void editing_free(struct editing *editing);

#endif
