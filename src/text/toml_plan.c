#include "text/toml_plan.h"

#include <string.h>

int toml_splice(struct toml_plan *plan, struct span at, struct buffer *text)
{
    const char *copy = "";
    if (text->size > 0)
        copy = arena_copy(&plan->plan->arena, text->data, text->size);
    bool noted = !text->failed && copy && plan_append(plan->plan, at, copy, text->size);
    buffer_free(text);
    return noted ? 0 : -UNTORN_NO_MEMORY;
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
    plan_sort(ret_plan);
    buffer_free(&plan.coming);
    if (rc != 0)
        plan_free(ret_plan);
    return rc;
}
