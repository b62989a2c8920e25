#include "text/toml_plan.h"

/* What is nested deeper than that is not written with dots, but with braces. */
enum { DOTS = 16 };

/* ---- where sections go ---- */

/* Behind everything, in a text without statements; a comment there stays on its own. */
static uint64_t end_of_comments(const struct toml_lines *lines, bool *ret_blank)
{
    uint64_t place = lines->begin;
    for (uint64_t line = place; line < lines->end; line = lines_next(lines, line))
        if (lines_is_comment(lines, line))
            place = lines_next(lines, line);
    *ret_blank = place > lines->begin;
    return place;
}

/* Behind a section, but before comments that stand alone: they may be about what follows. One blank
 * line before, if there is one between it and what follows. */
static uint64_t place_behind(const struct toml_lines *lines, size_t last, bool *ret_blank)
{
    if (last == NO_STATEMENT)
        return end_of_comments(lines, ret_blank);
    uint64_t place = lines_tail(lines, last);
    if (place < lines->end)
        *ret_blank = lines_is_blank(lines, place);
    else
        *ret_blank = place > lines_behind(lines, last) || lines_separate_tables(lines);
    return place;
}

/* Before a header. One blank line behind, if there is one before. */
static uint64_t place_before(const struct toml_lines *lines, size_t header, bool *ret_blank)
{
    uint64_t place = lines_owned(lines, header);
    *ret_blank = place == lines->begin ? lines_separate_tables(lines)
                                       : lines_is_blank(lines, lines_above(lines, place));
    return place;
}

/* ---- adding ---- */

/* A line; `prefix` is the beginning of its key. */
static int add_line(struct toml_plan *plan, const struct toml_look *look, struct span prefix,
                    const struct toml_member *member)
{
    struct buffer *out = &plan->coming;
    const struct untorn_node *value = member->value;
    toml_add_indent(plan, out, look, false, 0);
    size_t start = out->size;
    toml_add_span(plan, out, prefix);
    toml_add_key(plan, out, member->key, member->key_size, look->key);
    size_t left = member->dotted || prefix.end > prefix.start ? DOTS : 0;
    for (; left > 0 && value->kind == UNTORN_OBJECT && value->count == 1 && !toml_is_spelled(value);
         left--) {
        value = value->first;
        buffer_text(out, ".");
        toml_add_key(plan, out, value->key, value->key_size, look->key);
    }
    buffer_align(out, start, look->column);
    toml_add_equals(plan, out, look->equals);
    int rc = toml_add_value(out, value, look->shape);
    toml_add_eol(plan, out);
    return rc;
}

/* Into the root, which has no assignment yet: before the first header. */
static int add_first_of_root(struct toml_plan *plan, const struct toml_member *member)
{
    const struct toml_lines *lines = &plan->lines;
    bool blank = false;
    if (lines->count > 0)
        plan->place = place_before(lines, 0, &blank);
    else
        plan->place = end_of_comments(lines, &blank);
    if (lines->count == 0 && blank)
        toml_add_eol(plan, &plan->coming);
    struct toml_look look = toml_body_look(plan, NO_STATEMENT);
    int rc = add_line(plan, &look, (struct span){0}, member);
    if (lines->count > 0 && !plan->gone[0] && (blank || plan->place == lines->begin))
        toml_add_eol(plan, &plan->coming);
    return rc;
}

static int add_to_body(struct toml_plan *plan, const struct toml_member *member, size_t header)
{
    size_t last = toml_last_assignment(plan, header);
    if (last == NO_STATEMENT && header == NO_STATEMENT)
        return add_first_of_root(plan, member);
    struct toml_look look = toml_body_look(plan, header);
    look.column = last == NO_STATEMENT ? 0 : toml_column(plan, last);
    plan->place = lines_behind(&plan->lines, last == NO_STATEMENT ? header : last);
    return add_line(plan, &look, (struct span){0}, member);
}

/* Into a table that is only named on the way: it gets a header before the first of those. */
static int add_to_implied(struct toml_plan *plan, const struct toml_member *member)
{
    size_t part, first = toml_first_through(plan, member->table, false, &part);
    bool blank;
    plan->place = place_before(&plan->lines, first, &blank);
    struct toml_look look = toml_body_look(plan, first);
    toml_add_span(plan, &plan->coming, look.header);
    buffer_text(&plan->coming, "[");
    toml_add_path(plan, &plan->coming, member->table);
    buffer_text(&plan->coming, "]");
    toml_add_eol(plan, &plan->coming);
    int rc = add_line(plan, &look, (struct span){0}, member);
    if (blank && !plan->gone[first])
        toml_add_eol(plan, &plan->coming);
    return rc;
}

/* Behind the last dotted key with the same beginning, and with that beginning. */
static int add_to_dotted(struct toml_plan *plan, const struct toml_member *member)
{
    const struct toml_lines *lines = &plan->lines;
    size_t part, at, best = NO_STATEMENT, best_part = 0;
    bool direct = false;
    for (size_t i = 0; i < lines->count; i++) {
        const struct toml_statement *statement = &lines->statements[i];
        if (statement->kind != TOML_ASSIGNMENT || plan->gone[i] ||
            !toml_part_of(statement, member->table, &part))
            continue;
        bool child = part + 2 == statement->part_count;
        if (direct && !child)
            continue;
        direct = child;
        best = i;
        best_part = part;
    }
    at = best == NO_STATEMENT ? toml_first_through(plan, member->table, true, &best_part) : best;
    const struct toml_statement *model = &lines->statements[at];
    struct toml_look look = {.indent = lines_indent(lines, at),
                             .equals = toml_equals(plan, model),
                             .column = toml_column(plan, at),
                             .key = toml_key_near(plan, member->table),
                             .shape = toml_shape_near(model->node->parent, model->node)};
    plan->place = lines_behind(lines, at);
    struct span prefix = {model->parts[0].start, model->parts[best_part + 1].start};
    return add_line(plan, &look, prefix, member);
}

int toml_add_member(struct toml_plan *plan, const struct toml_member *member)
{
    switch (member->table->origin) {
    case NODE_ROOT:
        return add_to_body(plan, member, NO_STATEMENT);
    case NODE_IMPLIED:
        return add_to_implied(plan, member);
    case NODE_DOTTED:
        return add_to_dotted(plan, member);
    default:
        return add_to_body(plan, member, toml_header_of(plan, member->table));
    }
}

/* Whether a child of a table has headers, and not braces or dotted keys. */
static bool has_header(const struct untorn_node *child)
{
    return child->origin == NODE_HEADER || child->origin == NODE_IMPLIED ||
           child->origin == NODE_TABLES;
}

/* How tables below this one are written: with headers, unless there are some and none is. */
static bool uses_headers(const struct untorn_node *table, bool *ret_dotted)
{
    bool other = false;
    *ret_dotted = false;
    if (table->origin == NODE_DOTTED)
        return false;
    for (const struct untorn_node *child = table->first; child; child = child->next) {
        if (has_header(child))
            return true;
        *ret_dotted |= child->origin == NODE_DOTTED;
        other |= child->origin == NODE_DOTTED || child->kind == UNTORN_OBJECT ||
                 toml_is_array_of_tables(child);
    }
    return !other;
}

/* Whether the header stands directly under an assignment. */
static bool is_close(const struct toml_lines *lines, size_t header)
{
    uint64_t line = lines_owned(lines, header);
    return header > 0 && lines->statements[header - 1].kind == TOML_ASSIGNMENT &&
           !lines_is_blank(lines, lines_above(lines, line));
}

/* A header directly under it would make it its own. */
static bool is_under_comment(const struct toml_lines *lines, uint64_t place)
{
    return place > lines->begin && lines_is_comment(lines, lines_above(lines, place));
}

static int add_sections(struct toml_plan *plan, const struct toml_member *member)
{
    struct toml_sections sections = {0};
    bool *blank = &sections.blank;
    plan->place = place_behind(&plan->lines, toml_last_of(plan, member->table), blank);
    size_t model = toml_model_below(plan, member->table);
    bool own = model != NO_STATEMENT && plan->lines.statements[model].table == member->table;
    sections.look = own ? toml_inner_look(plan, model) : toml_body_look(plan, model);
    bool inside = member->table->origin != NODE_ROOT && model != NO_STATEMENT && !own;
    if (inside && is_close(&plan->lines, model) && !is_under_comment(&plan->lines, plan->place))
        *blank = false;
    if (*blank)
        toml_add_eol(plan, &plan->coming);
    toml_add_path(plan, &sections.path, member->table);
    if (sections.path.size > 0)
        buffer_text(&sections.path, ".");
    toml_add_key(plan, &sections.path, member->key, member->key_size,
                 toml_key_near(plan, member->table));
    return toml_add_sections(plan, &plan->coming, &sections, member->value);
}

int toml_tables_add(struct toml_plan *plan, const struct change *change)
{
    struct toml_member member = {.table = change->node,
                                 .key = change->key,
                                 .key_size = change->key_size,
                                 .value = change->value};
    bool table = change->value->kind == UNTORN_OBJECT || toml_is_array_of_tables(change->value);
    bool headers = uses_headers(change->node, &member.dotted);
    int rc = table && headers && !toml_is_spelled(change->value) ? add_sections(plan, &member)
                                                                 : toml_add_member(plan, &member);
    return rc == 0 ? toml_apply(plan) : rc;
}

/* ---- inserting ---- */

int toml_tables_insert(struct toml_plan *plan, const struct change *change)
{
    const struct untorn_node *array = change->node;
    if (change->index > array->count)
        return -UNTORN_TYPE;
    if (change->value->kind != UNTORN_OBJECT)
        return toml_replace_tables(plan, array, change->index, false, change->value);
    const struct untorn_node *next = node_element(array, change->index);
    size_t model = toml_header_of(plan, next ? next : array->last);
    bool blank;
    if (next)
        plan->place = place_before(&plan->lines, model, &blank);
    else
        plan->place = place_behind(&plan->lines, toml_last_of(plan, array->last), &blank);
    if (blank && !next)
        toml_add_eol(plan, &plan->coming);
    struct toml_sections sections = {
        .look = toml_body_look(plan, model), .blank = blank, .element = true};
    toml_add_path(plan, &sections.path, array);
    int rc = toml_add_sections(plan, &plan->coming, &sections, change->value);
    if (blank && next)
        toml_add_eol(plan, &plan->coming);
    return rc == 0 ? toml_apply(plan) : rc;
}
