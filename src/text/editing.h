/* A text that is being edited: each change is planned, spliced, and proven before it counts.
 *
 * Scalars that only get another spelling do not get in each other's way: they are changed in the
 * tree at once, and in the text together, when something else is changed or the text is taken. So
 * a thousand of them cost one scan.
 *
 *     struct editing editing;
 *     rc = editing_begin(&editing, text, size, format, NULL, error);
 *     rc = editing_change(&editing, &change, error);    as often as needed
 *     editing_take(&editing, &new_text, &new_size, error);
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

/* Who wants to know what an UNTORN_ENSURE met: the value that is there, or with `made` the one that
 * is about to be. `edit` is its number. What is told counts only if all of it succeeds. */
struct asking {
    void (*tell)(void *context, size_t edit, const struct untorn_node *node, bool made);
    void *context;
    size_t edit;
};

struct editing {
    planner *plan;
    struct parsed parsed;  /* of the text as it is now, but for the scalars below */
    struct parsed *lent;   /* the same as its owner has it, until something has changed; or NULL */
    char *text;            /* that text, once something has changed; before, the one given */
    struct arena used;     /* of the text before: the next is scanned into the same memory */
    struct plan scalars;   /* changed in the tree, and not yet in the text; in any order */
    struct noted *noted;   /* of a lent tree: what those scalars were before, the latest first */
    size_t changes;        /* made so far */
    struct plan last;      /* of the last of them: what it replaces in the text before it */
    struct asking *asking; /* or NULL */
};

/* `text` is borrowed until editing_free. `plan` is NULL for the format's own planner. */
int editing_begin(struct editing *ret_editing, const char *text, size_t size,
                  enum untorn_format format, planner *plan, struct untorn_error *error);

/* The same with a text that was scanned already. The tree is changed now and then, and is as before
 * after editing_take_parsed and editing_free. */
void editing_borrow(struct editing *ret_editing, struct parsed *parsed);

/* `change->node` is of editing->parsed, `change->value` in no tree. Both are used up: after 0 there
 * may be a new tree, and then nodes of the old one are gone. That a scalar was spelled wrong is
 * noticed with the next change or when the text is taken. [DOCUMENT-1] [DOCUMENT-2] */
int editing_change(struct editing *editing, const struct change *change,
                   struct untorn_error *error);

/* Brings all changes into the text; then editing->text is it, or NULL if nothing has changed. */
int editing_settle(struct editing *editing, struct untorn_error *error);

/* The text as it is now: new, terminated. */
int editing_take(struct editing *editing, char **ret_text, size_t *ret_size,
                 struct untorn_error *error);

/* If something has changed, the text and its tree, both to be freed; else both are zero. */
int editing_take_parsed(struct editing *editing, char **ret_text, struct parsed *ret_parsed,
                        struct untorn_error *error);

/* Accepts a zeroed one. */
void editing_free(struct editing *editing);

#endif
