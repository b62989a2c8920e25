/* The values of a document: one tree for every format, with the places they have in the text.
 *
 * Both scanners make it, the planners read the places off it, patches and the check of a plan
 * change it: node_* below do to the data what an edit does to the text.
 *
 * Nodes live in an arena and are never freed one by one. Texts and keys are decoded; `raw` is the
 * spelling in the source, borrowed from the text that was scanned, or NULL for a value that was
 * made otherwise.
 */
#ifndef UNTORN_TEXT_NODE_H
#define UNTORN_TEXT_NODE_H

#include <untorn/document.h>

#include "text/arena.h"

/* How a TOML table came to be; it decides what may be added to it, and how. */
enum node_origin {
    NODE_ORDINARY, /* a scalar, or anything in JSON */
    NODE_ROOT,
    NODE_IMPLIED, /* only named on the way by a longer header: [a.b] implies a */
    NODE_HEADER,  /* has a header [a.b] of its own */
    NODE_DOTTED,  /* made by a dotted key: a.b = 1 */
    NODE_INLINE,  /* { ... }, or inside one; [ ... ] */
    NODE_ELEMENT, /* one [[a.b]] */
    NODE_TABLES,  /* the array of all [[a.b]] */
};

/* A document has many of them: what only a scalar has lies where a container has something else. */
struct untorn_node {
    struct untorn_node *parent, *first, *previous, *next;
    union {
        struct untorn_node *last; /* of a container */
        const char *text;         /* a string decoded; any other scalar as spelled. Terminated */
    };
    union {
        struct node_index *index; /* of an object with many members; made when needed */
        size_t size;              /* of `text` */
    };
    size_t count; /* children */

    const char *key; /* decoded, terminated; NULL for the root and in arrays */
    size_t key_size;
    const char *key_raw; /* as spelled, quotes included. TOML: where the table was first named */

    const char *raw; /* as spelled: of a container from bracket to bracket. NULL for a TOML table
                        that has no brackets */
    size_t raw_size;
    enum untorn_kind kind;
    enum node_origin origin : 8; /* whole bytes, written without reading what is beside them */
    enum untorn_format raw_format : 8; /* what `raw` is spelled in */
    bool repeated; /* an earlier member of the same object has the same key (JSON allows it) */
    bool cut : 1; /* marked by who left out parts of the text: there was more here, or more in it */
    bool cut_long : 1;  /* and so much that it was longer than what json_style.h looks into */
    bool respelled : 1; /* a scalar that was changed since: `raw` still is where it stands */
};

/* Says how it is spelled, or as far as it has been read. */
static inline void node_spell(struct untorn_node *node, const char *raw, size_t size,
                              enum untorn_format format)
{
    node->raw = raw;
    node->raw_size = size;
    node->raw_format = format;
}

/* ---- making; all return NULL for want of memory ---- */

/* The arena is the one in which the parent lies: what an index outgrows is given back to it. */

/* A child behind the last of `parent`, or with NULL a root. Nothing is copied: key and text must
 * live as long as the arena. Sets `repeated`, in constant time on average. */
struct untorn_node *node_add(struct arena *arena, struct untorn_node *parent, const char *key,
                             size_t key_size, enum untorn_kind kind);

/* The same in two steps, for many: between them neither the parent nor the child's key is used. */
struct untorn_node *node_link(struct arena *arena, struct untorn_node *parent, const char *key,
                              size_t key_size, enum untorn_kind kind);
bool node_enter(struct arena *arena, struct untorn_node *child); /* false: no memory */

/* A copy with all below it, keys and texts too, not in any tree. `raw` is copied for scalars, but
 * for those that were respelled. */
struct untorn_node *node_copy(struct arena *arena, const struct untorn_node *node);

/* ---- looking ---- */

/* The member with that key, the last if there are several; NULL. */
struct untorn_node *node_member(const struct untorn_node *object, const char *key, size_t key_size);

/* The element; NULL beyond the end. */
struct untorn_node *node_element(const struct untorn_node *array, size_t index);

size_t node_position(const struct untorn_node *node); /* among its siblings, from 0 */

size_t node_key_raw_size(const struct untorn_node *node); /* of `key_raw`, which is not NULL */

/* Where it stands in the text: its key if it has one, else its own beginning; a table without
 * either begins where its first member does. NULL: nowhere. */
const char *node_place(const struct untorn_node *node);

bool node_is_container(const struct untorn_node *node);

/* Whether it is marked as cut and stands for what there was: neither a container nor a string, of
 * which a part is there. */
bool node_stands_for_others(const struct untorn_node *node);

/* Whether it, or one of its children, is marked as cut. */
bool node_is_cut(const struct untorn_node *node);

/* The same data: kinds alike, numbers of equal value and kind, strings of equal bytes, instants as
 * spelled but for T, t or blank, Z or z, seconds of 00 and trailing zeros of the fraction; members
 * in any order, elements in theirs. -0.0 is not 0.0, though as integers -0 is 0. Of a key that is
 * there more than once the first is compared with the first, the second with the second, wherever
 * they stand. */
bool node_equal(const struct untorn_node *a, const struct untorn_node *b);

/* The same as JSON Patch compares: 1 equals 1.0, and -0.0 equals 0.0. */
bool node_alike(const struct untorn_node *a, const struct untorn_node *b);

/* ---- changing the data; false for want of memory; the arena as above ---- */

/* `value` is not in any tree, and is afterwards. */
bool node_put_member(struct arena *arena, struct untorn_node *object, const char *key,
                     size_t key_size, struct untorn_node *value); /* replaces, or adds behind */
/* false also for an index beyond the end. */
bool node_put_element(struct untorn_node *array, size_t index, struct untorn_node *value);
void node_replace(struct untorn_node *old, struct untorn_node *value); /* takes its key and place */
void node_remove(struct untorn_node *node);
/* What was removed, before `next`, or with NULL behind the last. */
void node_put_back(struct untorn_node *node, struct untorn_node *parent, struct untorn_node *next);
bool node_rename(struct arena *arena, struct untorn_node *node, const char *key, size_t key_size);

#endif
