/* Planning: one change of the data as replacements of stretches of the text.
 *
 * A planner gets the scanned text and a change of one place, already looked up, and says which
 * bytes to replace by what. It never looks at the data it would make: that is compared afterwards
 * (document.h). Rules for both formats:
 *
 *   PLAN-1  Bytes outside the replaced stretches are never looked at again: they stay.
 *   PLAN-2  What is added looks like its neighbours: indentation, blanks around the colon, the
 *           equals sign and behind commas, quotes, trailing comma, one line or many. A container on
 *           one line stays on one line. The end of a line is the one that most lines have.
 *   PLAN-3  A comment at the end of a line belongs to what stands on it; comment lines directly
 *           above, without a blank line between, belong to what follows; all others to the
 *           container. Who goes takes its comments with it, nobody else's.
 */
#ifndef UNTORN_TEXT_PLAN_H
#define UNTORN_TEXT_PLAN_H

#include "text/parsed.h"

struct splice {
    struct span at; /* of the old text */
    const char *text;
    size_t size;
};

/* In the order of the text, not overlapping. */
struct plan {
    struct splice *splices;
    size_t count, room;
    bool unsure; /* something that was cut (node.h) decided how it looks */
    struct arena arena;
};

enum change_kind {
    CHANGE_REPLACE, /* `node` becomes `value` */
    CHANGE_ADD,     /* `value` becomes the member `key` of the object `node`, which has none such */
    CHANGE_INSERT,  /* `value` becomes the element `index` of the array `node`, those from there on
                       move; `index` may be the count */
    CHANGE_REMOVE,  /* `node` goes */
    CHANGE_RENAME,  /* the member `node` gets the key `key` */
};

struct change {
    enum change_kind kind;
    const struct untorn_node *node;
    const char *key;
    size_t key_size;
    size_t index;
    const struct untorn_node *value; /* with `raw` in the document's own format it is spelled so */
};

/* 0; -UNTORN_TYPE if the format cannot hold the value (null in TOML); -UNTORN_NO_MEMORY. */
int plan_json(const struct parsed *parsed, const struct change *change, struct plan *ret_plan);
int plan_toml(const struct parsed *parsed, const struct change *change, struct plan *ret_plan);

/* Puts a replacement into its place among the others; `text` must live as long as the plan. */
bool plan_add(struct plan *plan, struct span at, const char *text, size_t size);

/* The same without looking for its place, for many: plan_sort brings them into order. */
bool plan_append(struct plan *plan, struct span at, const char *text, size_t size);
void plan_sort(struct plan *plan);

/* The new text: new (malloc), terminated; NULL: no memory. */
char *plan_apply(const struct plan *plan, const char *text, size_t size, size_t *ret_size);

/* Accepts a zeroed one. */
void plan_free(struct plan *plan);

#endif
