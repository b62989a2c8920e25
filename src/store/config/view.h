/* All layers at once, seen at one key.
 *
 *     struct view view = view_root(&layers);
 *     view = view_member(&view, "server", 6);
 *
 *   MERGE-1  What is seen at a key is the value of the highest layer that has it; if that is a
 *           table, together with the tables below it down to the first value that is none. So the
 *           merged whole and each key by itself cannot differ: both are made of view_member.
 */
#ifndef UNTORN_STORE_CONFIG_VIEW_H
#define UNTORN_STORE_CONFIG_VIEW_H

#include "store/config/layers.h"

struct view {
    const struct untorn_node *nodes[LAYERS]; /* tables, or one value at `top`; NULL: not seen */
    int top;                                 /* the highest that is seen; -1: none */
};

struct view view_root(const struct layers *layers);

/* Of a table. */
struct view view_member(const struct view *view, const char *key, size_t size);

bool view_is_table(const struct view *view);

/* A table that no layer has a member in. */
bool view_is_empty_table(const struct view *view);

/* The members in the order of the layers, each once: the one behind `member` of the layer *layer,
 * from NULL and 0 on. NULL: no more. */
const struct untorn_node *view_next(const struct view *view, const struct untorn_node *member,
                                    int *layer);

#endif
