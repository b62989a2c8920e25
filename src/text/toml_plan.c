#include "text/toml_plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- splices ---- */

static bool make_room(struct toml_plan *plan)
{
    if (plan->splice_count < plan->splice_room)
        return true;
    size_t room = plan->splice_room ? 2 * plan->splice_room : 8;
    struct splice *splices = arena_take(&plan->plan->arena, room * sizeof *splices);
    if (!splices)
        return false;
    if (plan->splice_count > 0)
        memcpy(splices, plan->splices, plan->splice_count * sizeof *splices);
    plan->splices = splices;
    plan->splice_room = room;
    return true;
}

int toml_splice(struct toml_plan *plan, struct span at, struct buffer *text)
{
    const char *copy = "";
    if (text->size > 0)
        copy = arena_copy(&plan->plan->arena, text->data, text->size);
    bool noted = !text->failed && copy && make_room(plan);
    if (noted)
        plan->splices[plan->splice_count++] = (struct splice){at, copy, text->size};
    buffer_free(text);
    return noted ? 0 : -UNTORN_NO_MEMORY;
}

static int compare_places(const void *a, const void *b)
{
    const struct span *one = &((const struct splice *)a)->at;
    const struct span *other = &((const struct splice *)b)->at;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return (one->end > other->end) - (one->end < other->end);
}

/* In the order of the text, so that each is put behind the last. */
static int hand_over(struct toml_plan *plan)
{
    if (plan->splice_count > 0)
        qsort(plan->splices, plan->splice_count, sizeof *plan->splices, compare_places);
    for (size_t i = 0; i < plan->splice_count; i++) {
        const struct splice *splice = &plan->splices[i];
        if (!plan_add(plan->plan, splice->at, splice->text, splice->size))
            return -UNTORN_NO_MEMORY;
    }
    return 0;
}

/* ---- changes ---- */

/* The array or inline table in whose brackets the node is, or NULL. */
static const struct untorn_node *brackets_around(const struct untorn_node *node)
{
    do
        node = node->parent;
    while (node && !node->raw);
    return node;
}

/* Everything is written anew. */
static int replace_root(struct toml_plan *plan, const struct untorn_node *value)
{
    struct untorn_style style = {.newline = !plan->lines.unended,
                                 .crlf = plan->lines.eol_size == 2};
    struct buffer text = {0};
    if (value->kind != UNTORN_OBJECT || !write_toml(&text, value, &style)) {
        int rc = text.failed ? -UNTORN_NO_MEMORY : -UNTORN_TYPE;
        buffer_free(&text);
        return rc;
    }
    return toml_splice(plan, (struct span){plan->lines.begin, plan->lines.end}, &text);
}

/* What has a spelling of its own is replaced where it stands. */
static int replace_spelling(struct toml_plan *plan, const struct untorn_node *node,
                            const struct untorn_node *value)
{
    struct buffer text = {0};
    int rc = toml_add_value(&text, value, toml_shape_of(node));
    if (rc == 0)
        return toml_splice(plan, parsed_span(plan->parsed, node), &text);
    buffer_free(&text);
    return rc;
}

static int replace(struct toml_plan *plan, const struct change *change)
{
    const struct untorn_node *node = change->node;
    if (!node->parent)
        return replace_root(plan, change->value);
    if (node->raw)
        return replace_spelling(plan, node, change->value);
    if (brackets_around(node))
        return toml_inline_replace(plan, node, change->value);
    return toml_tables_replace(plan, node, change->value);
}

static int dispatch(struct toml_plan *plan, const struct change *change)
{
    const struct untorn_node *node = change->node;
    bool inside = brackets_around(node) != NULL;
    switch (change->kind) {
    case CHANGE_REPLACE:
        return replace(plan, change);
    case CHANGE_ADD:
        return node->raw || inside ? toml_inline_add(plan, change) : toml_tables_add(plan, change);
    case CHANGE_INSERT:
        return node->raw ? toml_inline_insert(plan, change) : toml_tables_insert(plan, change);
    case CHANGE_REMOVE:
        if (!node->parent)
            return -UNTORN_TYPE; /* there is always a root */
        return inside ? toml_inline_remove(plan, node) : toml_tables_remove(plan, node);
    case CHANGE_RENAME:
        return inside ? toml_inline_rename(plan, change) : toml_tables_rename(plan, change);
    }
    return -UNTORN_TYPE;
}

int plan_toml(const struct parsed *parsed, const struct change *change, struct plan *ret_plan)
{
    *ret_plan = (struct plan){0};
    struct toml_plan plan = {.parsed = parsed, .plan = ret_plan};
    lines_begin(&plan.lines, parsed);
    size_t count = plan.lines.count;
    plan.gone = arena_take(&ret_plan->arena, count * sizeof *plan.gone);
    if (!plan.gone && count > 0)
        return -UNTORN_NO_MEMORY;
    if (count > 0)
        memset(plan.gone, 0, count * sizeof *plan.gone);
    int rc = dispatch(&plan, change);
    if (rc == 0)
        rc = hand_over(&plan);
    buffer_free(&plan.coming);
    if (rc != 0)
        plan_free(ret_plan);
    return rc;
}
