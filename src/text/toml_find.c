#include "text/toml_plan.h"

bool toml_part_of(const struct toml_statement *statement, const struct untorn_node *node,
                  size_t *ret_part)
{
    const struct untorn_node *at = statement->node;
    for (size_t i = statement->part_count; i > 0; i--) {
        bool element = at->origin == NODE_ELEMENT && at->parent->origin == NODE_TABLES;
        *ret_part = i - 1;
        if (at == node || (element && at->parent == node))
            return true;
        at = element ? at->parent->parent : at->parent;
    }
    return false;
}

size_t toml_header_of(const struct toml_plan *plan, const struct untorn_node *table)
{
    for (size_t i = 0; i < plan->lines.count; i++) {
        const struct toml_statement *statement = &plan->lines.statements[i];
        if (statement->kind != TOML_ASSIGNMENT && statement->table == table)
            return i;
    }
    return NO_STATEMENT;
}

size_t toml_first_through(const struct toml_plan *plan, const struct untorn_node *node,
                          bool assignment, size_t *ret_part)
{
    for (size_t i = 0; i < plan->lines.count; i++) {
        const struct toml_statement *statement = &plan->lines.statements[i];
        if ((statement->kind == TOML_ASSIGNMENT) == assignment &&
            toml_part_of(statement, node, ret_part))
            return i;
    }
    return NO_STATEMENT;
}

size_t toml_last_of(const struct toml_plan *plan, const struct untorn_node *table)
{
    bool inside = table->origin == NODE_ROOT;
    size_t last = NO_STATEMENT;
    for (size_t i = 0; i < plan->lines.count; i++) {
        const struct toml_statement *statement = &plan->lines.statements[i];
        if (statement->kind != TOML_ASSIGNMENT)
            inside = toml_is_below(statement->table, table);
        last = inside ? i : last;
    }
    return last;
}

/* Whether they are elements of one array. */
static bool are_elements(const struct untorn_node *one, const struct untorn_node *other)
{
    return one->origin == NODE_ELEMENT && other->origin == NODE_ELEMENT &&
           one->parent == other->parent;
}

bool toml_is_alike(const struct toml_plan *plan, size_t one, size_t other)
{
    const struct toml_statement *statements = plan->lines.statements;
    return one == other || are_elements(statements[one].table, statements[other].table);
}

size_t toml_model_below(const struct toml_plan *plan, const struct untorn_node *table)
{
    const struct toml_statement *statements = plan->lines.statements;
    size_t sibling = NO_STATEMENT, cousin = NO_STATEMENT, below = NO_STATEMENT;
    for (size_t i = 0; i < plan->lines.count; i++) {
        const struct untorn_node *node = statements[i].table;
        if (statements[i].kind == TOML_ASSIGNMENT || node == table)
            continue;
        if (toml_is_below(node, table))
            below = i;
        if (node->origin == NODE_ELEMENT)
            node = node->parent;
        if (node->parent == table)
            sibling = i;
        else if (are_elements(node->parent, table))
            cousin = i;
    }
    if (sibling != NO_STATEMENT || cousin != NO_STATEMENT)
        return sibling != NO_STATEMENT ? sibling : cousin;
    size_t own = toml_header_of(plan, table);
    return own != NO_STATEMENT ? own : below;
}

void toml_add_path(const struct toml_plan *plan, struct buffer *path,
                   const struct untorn_node *table)
{
    size_t part, header = toml_first_through(plan, table, false, &part);
    if (header == NO_STATEMENT)
        return;
    const struct span *parts = plan->lines.statements[header].parts;
    toml_add_span(plan, path, (struct span){parts[0].start, parts[part].end});
}
