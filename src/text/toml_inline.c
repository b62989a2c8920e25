#include <string.h>

#include "text/toml_box.h"
#include "text/toml_scan.h"

/* A node below brackets that has no spelling was made by dotted keys: { a.b = 1 } makes a. Then it
 * is in several entries, one for each value below it. */
struct place {
    struct toml_box box;
    bool *in; /* for each entry: the node is in it */
    size_t first, last;
};

static const struct untorn_node *box_around(const struct untorn_node *node)
{
    while (!node->raw)
        node = node->parent;
    return node;
}

/* The next value with a spelling, of all below `top`. */
static const struct untorn_node *next_spelled(const struct untorn_node *at,
                                              const struct untorn_node *top)
{
    do {
        if (!at->raw && at->first) {
            at = at->first;
            continue;
        }
        while (at != top && !at->next)
            at = at->parent;
        if (at == top)
            return NULL;
        at = at->next;
    } while (!at->raw);
    return at;
}

static const struct untorn_node *first_spelled(const struct untorn_node *top)
{
    return top->raw ? top : next_spelled(top, top);
}

/* In which entries of its parent's brackets it is. */
static int find_place(struct toml_plan *plan, const struct untorn_node *node,
                      struct place *ret_place)
{
    struct toml_box *box = &ret_place->box;
    int rc = box_open(plan, box_around(node->parent), box);
    ret_place->in = rc == 0 ? arena_take(&plan->plan->arena, box->count) : NULL;
    if (!ret_place->in)
        return -UNTORN_NO_MEMORY;
    memset(ret_place->in, 0, box->count);
    for (const struct untorn_node *at = first_spelled(node); at; at = next_spelled(at, node))
        ret_place->in[box_entry_of(plan, box, at)] = true;
    ret_place->first = box->count;
    for (size_t i = 0; i < box->count; i++) {
        if (!ret_place->in[i])
            continue;
        ret_place->last = i;
        ret_place->first = ret_place->first < i ? ret_place->first : i;
    }
    return 0;
}

/* The key of an entry, and which part of it names a table or value below the brackets. */
struct key {
    struct span parts[TOML_DEPTH];
    size_t count, part;
    struct span equals;
};

static void read_key(const struct toml_plan *plan, const struct place *place, size_t entry,
                     const struct untorn_node *node, struct key *ret_key)
{
    size_t level = 0;
    for (; !node->parent->raw; node = node->parent)
        level++;
    ret_key->count = box_entry_parts(plan, &place->box.entries[entry], ret_key->parts, TOML_DEPTH,
                                     &ret_key->equals);
    ret_key->part = level;
}

/* ---- the changes ---- */

/* The first entry ends its key with the node, the others go. */
int toml_inline_replace(struct toml_plan *plan, const struct untorn_node *node,
                        const struct untorn_node *value)
{
    struct place place;
    struct key key;
    struct buffer text = {0};
    int rc = find_place(plan, node, &place);
    if (rc != 0)
        return rc;
    read_key(plan, &place, place.first, node, &key);
    toml_add_span(plan, &text, key.equals);
    rc = toml_add_value(&text, value, toml_shape_near(node->parent, node));
    if (rc != 0) {
        buffer_free(&text);
        return rc;
    }
    rc = toml_splice(
        plan, (struct span){key.parts[key.part].end, place.box.entries[place.first].end}, &text);
    place.in[place.first] = false;
    return rc == 0 ? box_remove(plan, &place.box, place.in) : rc;
}

int toml_inline_remove(struct toml_plan *plan, const struct untorn_node *node)
{
    static const struct untorn_node empty_table = {.kind = UNTORN_OBJECT};
    if (!node->parent->raw && node->parent->count == 1)
        return toml_inline_replace(plan, node->parent, &empty_table);
    struct place place;
    int rc = find_place(plan, node, &place);
    return rc == 0 ? box_remove(plan, &place.box, place.in) : rc;
}

/* The new entry looks like the one it comes behind. */
static int add_entry(struct toml_plan *plan, const struct change *change,
                     const struct toml_box *box, struct span prefix, size_t index)
{
    struct buffer text = {0};
    struct span equals = {0};
    if (box->count > 0)
        (void)box_entry_parts(plan, &box->entries[index > 0 ? index - 1 : 0], NULL, 0, &equals);
    toml_add_span(plan, &text, prefix);
    toml_add_key(plan, &text, change->key, change->key_size, toml_key_near(plan, change->node));
    toml_add_equals(plan, &text, equals);
    int rc =
        toml_add_value(&text, change->value, toml_shape_near(change->node, change->node->last));
    if (rc == 0)
        return box_insert(plan, box, index, &text);
    buffer_free(&text);
    return rc;
}

int toml_inline_add(struct toml_plan *plan, const struct change *change)
{
    if (change->node->raw) {
        struct toml_box box;
        int rc = box_open(plan, change->node, &box);
        return rc == 0 ? add_entry(plan, change, &box, (struct span){0}, box.count) : rc;
    }
    struct place place;
    struct key key;
    int rc = find_place(plan, change->node, &place);
    if (rc != 0)
        return rc;
    read_key(plan, &place, place.last, change->node, &key);
    struct span prefix = {key.parts[0].start, key.parts[key.part + 1].start};
    return add_entry(plan, change, &place.box, prefix, place.last + 1);
}

int toml_inline_insert(struct toml_plan *plan, const struct change *change)
{
    struct toml_box box;
    struct buffer text = {0};
    const struct untorn_node *near =
        node_element(change->node, change->index > 0 ? change->index - 1 : 0);
    struct toml_shape shape = toml_shape_near(change->node, near);
    int rc = box_open(plan, change->node, &box);
    if (rc == 0 && change->index > box.count)
        rc = -UNTORN_TYPE;
    if (rc == 0)
        rc = toml_add_value(&text, change->value, shape);
    if (rc == 0)
        return box_insert(plan, &box, change->index, &text);
    buffer_free(&text);
    return rc;
}

int toml_inline_rename(struct toml_plan *plan, const struct change *change)
{
    struct place place;
    struct key key;
    int rc = find_place(plan, change->node, &place);
    for (size_t i = 0; rc == 0 && i < place.box.count; i++) {
        if (!place.in[i])
            continue;
        read_key(plan, &place, i, change->node, &key);
        struct buffer text = {0};
        toml_add_key(plan, &text, change->key, change->key_size, key.parts[key.part]);
        rc = toml_splice(plan, key.parts[key.part], &text);
    }
    return rc;
}
