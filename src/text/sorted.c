#include <string.h>

#include "text/write.h"

/* The order of the bytes of UTF-8 is that of the code points. */
static bool is_before(const struct untorn_node *a, const struct untorn_node *b)
{
    size_t size = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = size > 0 ? memcmp(a->key, b->key, size) : 0;
    return order < 0 || (order == 0 && a->key_size < b->key_size);
}

/* Cuts a list behind `count` members, and returns what follows. */
static struct untorn_node *cut(struct untorn_node *list, size_t count)
{
    while (list && --count > 0)
        list = list->next;
    if (!list)
        return NULL;
    struct untorn_node *rest = list->next;
    list->next = NULL;
    return rest;
}

/* Appends both lists, merged, at *end; returns the new end. Of equal keys `a` goes first. */
static struct untorn_node **merge(struct untorn_node **end, struct untorn_node *a,
                                  struct untorn_node *b)
{
    while (a || b) {
        struct untorn_node **from = !a || (b && is_before(b, a)) ? &b : &a;
        *end = *from;
        end = &(*end)->next;
        *from = *end;
    }
    return end;
}

static void sort_members(struct untorn_node *object)
{
    for (size_t run = 1; run < object->count; run *= 2) {
        struct untorn_node *rest = object->first, **end = &object->first;
        while (rest) {
            struct untorn_node *a = rest, *b = cut(a, run);
            rest = cut(b, run);
            end = merge(end, a, b);
        }
        *end = NULL;
    }
    struct untorn_node *previous = NULL;
    for (struct untorn_node *child = object->first; child; child = child->next) {
        child->previous = previous;
        previous = child;
    }
    object->last = previous;
}

/* The node behind `at` in a walk through all of `top`. */
static struct untorn_node *step(struct untorn_node *at, const struct untorn_node *top)
{
    if (at->first)
        return at->first;
    while (at != top && !at->next)
        at = at->parent;
    return at == top ? NULL : at->next;
}

struct untorn_node *sorted_copy(struct arena *arena, const struct untorn_node *node)
{
    struct untorn_node *copy = node_copy(arena, node);
    for (struct untorn_node *at = copy; at; at = step(at, copy))
        if (at->kind == UNTORN_OBJECT)
            sort_members(at);
    return copy;
}
