#include "store/config/view.h"

/* [MERGE-1] */
static struct view seen(const struct untorn_node *const nodes[LAYERS])
{
    struct view view = {.top = -1};
    for (int i = LAYERS - 1; i >= 0; i--) {
        if (!nodes[i])
            continue;
        bool is_table = nodes[i]->kind == UNTORN_OBJECT;
        if (view.top >= 0 && !is_table)
            break;
        view.nodes[i] = nodes[i];
        if (view.top < 0)
            view.top = i;
        if (!is_table)
            break;
    }
    return view;
}

struct view view_root(const struct layers *layers)
{
    const struct untorn_node *nodes[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        nodes[i] = layers->layers[i].root;
    return seen(nodes);
}

struct view view_member(const struct view *view, const char *key, size_t size)
{
    const struct untorn_node *nodes[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        nodes[i] = view->nodes[i] ? node_member(view->nodes[i], key, size) : NULL;
    return seen(nodes);
}

bool view_is_table(const struct view *view)
{
    return view->top >= 0 && view->nodes[view->top]->kind == UNTORN_OBJECT;
}

bool view_is_empty_table(const struct view *view)
{
    if (!view_is_table(view))
        return false;
    for (int i = 0; i < LAYERS; i++)
        if (view->nodes[i] && view->nodes[i]->first)
            return false;
    return true;
}

static bool is_below(const struct view *view, const struct untorn_node *member, int layer)
{
    for (int i = 0; i < layer; i++)
        if (view->nodes[i] && node_member(view->nodes[i], member->key, member->key_size))
            return true;
    return false;
}

const struct untorn_node *view_next(const struct view *view, const struct untorn_node *member,
                                    int *layer)
{
    if (member)
        member = member->next;
    else
        member = view->nodes[*layer] ? view->nodes[*layer]->first : NULL;
    for (;;) {
        for (; member; member = member->next)
            if (!member->repeated && !is_below(view, member, *layer))
                return member;
        do {
            if (++*layer == LAYERS)
                return NULL;
        } while (!view->nodes[*layer]);
        member = view->nodes[*layer]->first;
    }
}
