#include <string.h>

#include "text/toml_plan.h"

/* All pieces go, and an assignment comes. */
static int replace_by_assignment(struct toml_plan *plan, const struct untorn_node *node,
                                 const struct untorn_node *value)
{
    struct toml_member member = {
        .table = node->parent, .key = node->key, .key_size = node->key_size, .value = value};
    toml_mark_gone(plan, node);
    int rc = toml_add_member(plan, &member);
    return rc == 0 ? toml_apply(plan) : rc;
}

/* All pieces go, and sections come where the first was. */
static int replace_by_sections(struct toml_plan *plan, const struct untorn_node *node,
                               const struct untorn_node *value)
{
    size_t part, first = toml_first_through(plan, node, false, &part);
    struct toml_sections sections = {.look = toml_body_look(plan, first),
                                     .blank = lines_separate_tables(&plan->lines)};
    toml_add_path(plan, &sections.path, node);
    toml_mark_gone(plan, node);
    plan->place = lines_owned(&plan->lines, first);
    int rc = toml_add_sections(plan, &plan->coming, &sections, value);
    return rc == 0 ? toml_apply(plan) : rc;
}

/* A table with a header that becomes another table: what both have stays where it is. */
struct overlap {
    struct untorn_node *kept; /* an object with the keys of those */
    struct untorn_node *rest; /* what else the new table has */
};

static bool note_kept(struct toml_plan *plan, struct overlap *overlap,
                      const struct untorn_node *old)
{
    return node_add(&plan->plan->arena, overlap->kept, old->key, old->key_size, UNTORN_NULL) !=
           NULL;
}

static bool is_kept(const struct overlap *overlap, const struct untorn_node *member)
{
    return node_member(overlap->kept, member->key, member->key_size) != NULL;
}

/* A member that is there before and afterwards; one that has a spelling gets the new one. */
static int keep_member(struct toml_plan *plan, struct overlap *overlap,
                       const struct untorn_node *old, const struct untorn_node *value)
{
    bool same = node_equal(old, value);
    if (!same && !old->raw)
        return 0;
    if (!note_kept(plan, overlap, old))
        return -UNTORN_NO_MEMORY;
    if (same)
        return 0;
    struct buffer text = {0};
    int rc = toml_add_value(&text, value, toml_shape_of(old));
    if (rc == 0)
        return toml_splice(plan, parsed_span(plan->parsed, old), &text);
    buffer_free(&text);
    return rc;
}

static int find_overlap(struct toml_plan *plan, const struct untorn_node *table,
                        const struct untorn_node *value, struct overlap *ret_overlap)
{
    struct arena *arena = &plan->plan->arena;
    ret_overlap->kept = node_add(arena, NULL, NULL, 0, UNTORN_OBJECT);
    ret_overlap->rest = node_add(arena, NULL, NULL, 0, UNTORN_OBJECT);
    if (!ret_overlap->kept || !ret_overlap->rest)
        return -UNTORN_NO_MEMORY;
    int rc = 0;
    for (const struct untorn_node *old = table->first; old && rc == 0; old = old->next) {
        const struct untorn_node *member = node_member(value, old->key, old->key_size);
        if (member)
            rc = keep_member(plan, ret_overlap, old, member);
    }
    for (const struct untorn_node *member = value->first; member && rc == 0;
         member = member->next) {
        if (member->repeated)
            return -UNTORN_TYPE;
        if (is_kept(ret_overlap, member))
            continue;
        struct untorn_node *copy = node_copy(arena, member);
        if (!copy ||
            !node_put_member(arena, ret_overlap->rest, member->key, member->key_size, copy))
            rc = -UNTORN_NO_MEMORY;
    }
    return rc;
}

/* Marks all below the table but the members that are kept. */
static void mark_others(struct toml_plan *plan, const struct untorn_node *table,
                        const struct overlap *overlap)
{
    toml_mark_gone(plan, table);
    for (size_t i = 0; i < plan->lines.count; i++) {
        if (!plan->gone[i])
            continue;
        const struct untorn_node *member = plan->lines.statements[i].node;
        while (member != table && member->parent != table)
            member = member->parent;
        plan->gone[i] = member != table && !is_kept(overlap, member);
    }
}

static int replace_body(struct toml_plan *plan, const struct untorn_node *table,
                        const struct untorn_node *value)
{
    struct overlap overlap;
    int rc = find_overlap(plan, table, value, &overlap);
    if (rc != 0)
        return rc;
    size_t header = toml_header_of(plan, table);
    struct toml_sections sections = {.look = toml_body_look(plan, header),
                                     .blank = lines_separate_tables(&plan->lines),
                                     .opened = true};
    toml_add_path(plan, &sections.path, table);
    mark_others(plan, table, &overlap);
    size_t last = toml_last_assignment(plan, header);
    plan->place = lines_behind(&plan->lines, last == NO_STATEMENT ? header : last);
    rc = toml_add_sections(plan, &plan->coming, &sections, overlap.rest);
    return rc == 0 ? toml_apply(plan) : rc;
}

/* The first dotted key that leads through the node ends there, the other pieces go. */
static int replace_dotted(struct toml_plan *plan, const struct untorn_node *node,
                          const struct untorn_node *value)
{
    size_t part, first = toml_first_through(plan, node, true, &part);
    const struct toml_statement *statement = &plan->lines.statements[first];
    struct buffer text = {0};
    toml_add_span(plan, &text, toml_equals(plan, statement));
    int rc = toml_add_value(&text, value, toml_shape_near(node->parent, node));
    if (rc != 0) {
        buffer_free(&text);
        return rc;
    }
    toml_mark_gone(plan, node);
    plan->gone[first] = false;
    rc = toml_splice(plan, (struct span){statement->parts[part].end, statement->text.end}, &text);
    return rc == 0 ? toml_apply(plan) : rc;
}

static bool holds_comment(const struct toml_lines *lines, uint64_t at, uint64_t end)
{
    return end > at && memchr(lines->text + at, '#', (size_t)(end - at)) != NULL;
}

/* Whether comments would go that are not the element's; one in a value counts as well, and so does
 * what looks like one in a string on several lines. */
static bool loses_comments(const struct toml_plan *plan, const struct untorn_node *array,
                           const struct untorn_node *element)
{
    const struct toml_lines *lines = &plan->lines;
    bool inside = false;
    for (size_t i = 0; i < lines->count; i++) {
        const struct toml_statement *statement = &lines->statements[i];
        if (statement->kind != TOML_ASSIGNMENT)
            inside = toml_is_below(statement->table, array) &&
                     !(element && toml_is_below(statement->table, element));
        if (!inside)
            continue;
        struct span text = statement->text;
        uint64_t line = lines_start(lines, text.start), behind = lines_behind(lines, i);
        bool several = memchr(lines->text + text.start, '\n', (size_t)(text.end - text.start));
        if (lines_owned(lines, i) < line || lines_tail(lines, i) > behind ||
            holds_comment(lines, text.end, behind) ||
            (several && holds_comment(lines, text.start, text.end)))
            return true;
    }
    return false;
}

int toml_replace_tables(struct toml_plan *plan, const struct untorn_node *array, size_t index,
                        bool instead, const struct untorn_node *value)
{
    struct arena *arena = &plan->plan->arena;
    if (loses_comments(plan, array, instead ? node_element(array, index) : NULL))
        return -UNTORN_TYPE;
    struct untorn_node *whole = node_copy(arena, array), *element = node_copy(arena, value);
    if (!whole || !element)
        return -UNTORN_NO_MEMORY;
    if (instead)
        node_replace(node_element(whole, index), element);
    else if (!node_put_element(whole, index, element))
        return -UNTORN_TYPE;
    return replace_by_assignment(plan, array, whole);
}

int toml_tables_replace(struct toml_plan *plan, const struct untorn_node *node,
                        const struct untorn_node *value)
{
    bool object = value->kind == UNTORN_OBJECT;
    if (node->origin == NODE_DOTTED)
        return replace_dotted(plan, node, value);
    if (object && (node->origin == NODE_HEADER || node->origin == NODE_ELEMENT))
        return replace_body(plan, node, value);
    if (node->origin == NODE_ELEMENT)
        return toml_replace_tables(plan, node->parent, node_position(node), true, value);
    if ((object || toml_is_array_of_tables(value)) && !toml_is_spelled(value))
        return replace_by_sections(plan, node, value);
    return replace_by_assignment(plan, node, value);
}

/* ---- removing ---- */

static const struct untorn_node empty_table = {.kind = UNTORN_OBJECT};
static const struct untorn_node empty_array = {.kind = UNTORN_ARRAY};

/* The last dotted key below the table goes, the table stays: a.b = 1 becomes a = {}. */
static int empty_dotted(struct toml_plan *plan, const struct untorn_node *table)
{
    size_t part, first = toml_first_through(plan, table, true, &part);
    const struct toml_statement *statement = &plan->lines.statements[first];
    toml_mark_gone(plan, table);
    plan->place = lines_owned(&plan->lines, first);
    toml_add_span(plan, &plan->coming, lines_indent(&plan->lines, first));
    toml_add_span(plan, &plan->coming,
                  (struct span){statement->parts[0].start, statement->parts[part].end});
    toml_add_equals(plan, &plan->coming, toml_equals(plan, statement));
    buffer_text(&plan->coming, "{}");
    toml_add_eol(plan, &plan->coming);
    return toml_apply(plan);
}

int toml_tables_remove(struct toml_plan *plan, const struct untorn_node *node)
{
    const struct untorn_node *parent = node->parent;
    if (parent->count == 1) {
        if (parent->origin == NODE_DOTTED)
            return empty_dotted(plan, parent);
        if (parent->origin == NODE_IMPLIED)
            return replace_by_sections(plan, parent, &empty_table);
        if (parent->origin == NODE_TABLES)
            return replace_by_assignment(plan, parent, &empty_array);
    }
    toml_mark_gone(plan, node);
    return toml_apply(plan);
}

/* ---- renaming ---- */

int toml_tables_rename(struct toml_plan *plan, const struct change *change)
{
    int rc = 0;
    for (size_t i = 0; i < plan->lines.count && rc == 0; i++) {
        const struct toml_statement *statement = &plan->lines.statements[i];
        size_t part;
        if (!toml_part_of(statement, change->node, &part))
            continue;
        struct buffer text = {0};
        toml_add_key(plan, &text, change->key, change->key_size, statement->parts[part]);
        rc = toml_splice(plan, statement->parts[part], &text);
    }
    return rc;
}
