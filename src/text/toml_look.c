#include <string.h>

#include "text/place.h"
#include "text/toml_plan.h"

/* ---- finding what to look like [PLAN-2] ---- */

static bool is_bare(const char *key, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char byte = key[i];
        if (!(byte >= 'a' && byte <= 'z') && !(byte >= 'A' && byte <= 'Z') &&
            !(byte >= '0' && byte <= '9') && byte != '_' && byte != '-')
            return false;
    }
    return size > 0;
}

/* The statements under a header, or of the root: from *ret_first to before *ret_end. */
static void body_of(const struct toml_plan *plan, size_t header, size_t *ret_first, size_t *ret_end)
{
    size_t end = *ret_first = header == NO_STATEMENT ? 0 : header + 1;
    while (end < plan->lines.count && plan->lines.statements[end].kind == TOML_ASSIGNMENT)
        end++;
    *ret_end = end;
}

size_t toml_last_assignment(const struct toml_plan *plan, size_t header)
{
    size_t first, end;
    body_of(plan, header, &first, &end);
    while (end > first && plan->gone[end - 1])
        end--;
    return end > first ? end - 1 : NO_STATEMENT;
}

struct span toml_equals(const struct toml_plan *plan, const struct toml_statement *statement)
{
    struct span value = parsed_span(plan->parsed, statement->node);
    return (struct span){statement->parts[statement->part_count - 1].end, value.start};
}

static bool is_quoted(const struct untorn_node *node)
{
    return node->key_raw && (*node->key_raw == '"' || *node->key_raw == '\'');
}

struct span toml_key_near(const struct toml_plan *plan, const struct untorn_node *table)
{
    const struct untorn_node *model = NULL, *child = table->last;
    bool all = true;
    for (size_t left = TOML_NEAR; child && left > 0; child = child->previous, left--) {
        all &= is_quoted(child);
        if (!model && is_quoted(child))
            model = child;
    }
    if (!model || (!all && is_bare(model->key, model->key_size)))
        return (struct span){0};
    uint64_t start = (uint64_t)(model->key_raw - plan->parsed->text);
    return (struct span){start, start + node_key_raw_size(model)};
}

/* Strings as under other headers near: those before, else those behind. */
static bool is_literal_near(const struct toml_plan *plan, size_t assignment)
{
    const struct toml_statement *statements = plan->lines.statements;
    size_t count = plan->lines.count, end = count - assignment;
    for (size_t i = 1; i < TOML_NEAR && i <= assignment; i++)
        if (statements[assignment - i].node->kind == UNTORN_STRING)
            return *statements[assignment - i].node->raw == '\'';
    for (size_t i = 1; i < TOML_NEAR && i < end; i++)
        if (statements[assignment + i].node->kind == UNTORN_STRING)
            return *statements[assignment + i].node->raw == '\'';
    return false;
}

static void look_like(const struct toml_plan *plan, size_t assignment, struct toml_look *look)
{
    const struct toml_statement *statement = &plan->lines.statements[assignment];
    look->equals = toml_equals(plan, statement);
    look->key = toml_key_near(plan, statement->node->parent);
    look->shape = toml_shape_near(statement->node->parent, statement->node);
    if (!look->shape.quoted)
        look->shape.literal = is_literal_near(plan, assignment);
}

/* The assignment nearest to the header: the last before it, else the first behind. */
static size_t nearest(const struct toml_plan *plan, size_t header)
{
    const struct toml_lines *lines = &plan->lines;
    size_t at = header == NO_STATEMENT ? 0 : header;
    while (at > 0)
        if (lines->statements[--at].kind == TOML_ASSIGNMENT)
            return at;
    for (at = header == NO_STATEMENT ? 0 : header; at < lines->count; at++)
        if (lines->statements[at].kind == TOML_ASSIGNMENT)
            return at;
    return NO_STATEMENT;
}

/* What a statement is indented more than another; false if it is not. */
static bool indent_behind(const struct toml_plan *plan, size_t outer, size_t inner,
                          struct span *ret_more)
{
    const struct toml_lines *lines = &plan->lines;
    struct span base = lines_indent(lines, outer), indent = lines_indent(lines, inner);
    uint64_t size = base.end - base.start;
    if (indent.end - indent.start < size ||
        memcmp(lines->text + indent.start, lines->text + base.start, (size_t)size) != 0)
        return false;
    *ret_more = (struct span){indent.start + size, indent.end};
    return true;
}

/* By how much assignments are indented more than the header they stand under; false: they stand
 * under none. */
static bool extra_indent(const struct toml_plan *plan, size_t assignment, struct span *ret_extra)
{
    size_t header = assignment;
    while (header > 0 && plan->lines.statements[header].kind == TOML_ASSIGNMENT)
        header--;
    if (plan->lines.statements[header].kind == TOML_ASSIGNMENT)
        return false;
    if (!indent_behind(plan, header, assignment, ret_extra))
        *ret_extra = (struct span){0};
    return true;
}

/* Whether the second header, the next behind the first, is of a table directly inside. */
static bool is_inside(const struct toml_plan *plan, size_t outer, size_t inner)
{
    const struct toml_statement *statements = plan->lines.statements;
    return outer != NO_STATEMENT &&
           statements[inner].part_count == statements[outer].part_count + 1 &&
           toml_is_below(statements[inner].table, statements[outer].table);
}

/* How the header of a table looks beside that of the one it is in: as below the header or one like
 * it, else as the last before has it, else the first behind. */
static void look_inside(const struct toml_plan *plan, size_t header, struct toml_look *look)
{
    const struct toml_lines *lines = &plan->lines;
    bool known = false, alike = false;
    size_t outer = NO_STATEMENT;
    for (size_t i = 0; i < lines->count; i++) {
        struct span level;
        if (lines->statements[i].kind == TOML_ASSIGNMENT)
            continue;
        bool pair = is_inside(plan, outer, i) && indent_behind(plan, outer, i, &level);
        bool near = pair && toml_is_alike(plan, outer, header);
        if (near || (pair && !alike && (!known || i <= header))) {
            look->level = level;
            look->close = near && !lines_is_blank(lines, lines_above(lines, lines_owned(lines, i)));
        }
        known |= pair;
        alike |= near;
        outer = i;
    }
}

struct toml_look toml_body_look(const struct toml_plan *plan, size_t header)
{
    struct toml_look look = {0};
    if (plan->lines.count == 0)
        return look;
    look.header = look.indent = lines_indent(&plan->lines, header == NO_STATEMENT ? 0 : header);
    if (header != NO_STATEMENT)
        look_inside(plan, header, &look);
    size_t own = toml_last_assignment(plan, header);
    size_t model = own == NO_STATEMENT ? nearest(plan, header) : own;
    if (model != NO_STATEMENT)
        look_like(plan, model, &look);
    if (own != NO_STATEMENT)
        look.indent = lines_indent(&plan->lines, own);
    else if (header != NO_STATEMENT &&
             (model == NO_STATEMENT || !extra_indent(plan, model, &look.extra)))
        look.extra = look.level; /* nothing shows it, but who indents the one indents the other */
    return look;
}

struct toml_look toml_inner_look(const struct toml_plan *plan, size_t header)
{
    struct toml_look look = toml_body_look(plan, header);
    look.levels = 1;
    return look;
}

/* ---- columns ---- */

/* Whether no blank line and no header stands between two assignments, this and the one before. */
static bool is_close(const struct toml_lines *lines, size_t assignment)
{
    const struct toml_statement *statements = lines->statements;
    return statements[assignment - 1].kind == TOML_ASSIGNMENT &&
           statements[assignment].kind == TOML_ASSIGNMENT &&
           lines_owned(lines, assignment) == lines_behind(lines, assignment - 1);
}

static bool has_same_indent(const struct toml_lines *lines, size_t one, size_t other)
{
    struct span first = lines_indent(lines, one), second = lines_indent(lines, other);
    return first.end - first.start == second.end - second.start &&
           memcmp(lines->text + first.start, lines->text + second.start,
                  (size_t)(first.end - first.start)) == 0;
}

/* 0: no blank before the equals sign, or a tab. */
static size_t column_of(const struct toml_plan *plan, size_t assignment, size_t *ret_key)
{
    const struct toml_statement *statement = &plan->lines.statements[assignment];
    const char *key = plan->lines.text + statement->parts[0].start;
    const char *end = plan->lines.text + toml_equals(plan, statement).start;
    size_t blanks = strspn(end, " ");
    *ret_key = text_width(key, (size_t)(end - key));
    return blanks > 0 && end[blanks] == '=' ? *ret_key + blanks : 0;
}

size_t toml_column(const struct toml_plan *plan, size_t assignment)
{
    const struct toml_lines *lines = &plan->lines;
    size_t at = assignment, column = 0, width = 0;
    bool differ = false;
    while (at > 0 && is_close(lines, at))
        at--;
    do {
        size_t key, here = column_of(plan, at, &key);
        if (plan->gone[at])
            continue;
        if (here == 0 || (column > 0 && here != column) || !has_same_indent(lines, at, assignment))
            return 0;
        differ |= column > 0 && key != width;
        column = here;
        width = key;
    } while (++at < lines->count && is_close(lines, at));
    return differ ? column - 1 : 0; /* the last blank is the one of toml_add_equals */
}

/* ---- writing ---- */

void toml_add_span(const struct toml_plan *plan, struct buffer *buffer, struct span span)
{
    buffer_add(buffer, plan->lines.text + span.start, (size_t)(span.end - span.start));
}

void toml_add_eol(const struct toml_plan *plan, struct buffer *buffer)
{
    buffer_add(buffer, plan->lines.eol, plan->lines.eol_size);
}

void toml_add_indent(const struct toml_plan *plan, struct buffer *buffer,
                     const struct toml_look *look, bool header, size_t inside)
{
    toml_add_span(plan, buffer, header ? look->header : look->indent);
    for (size_t i = 0; i < look->levels + inside; i++)
        toml_add_span(plan, buffer, look->level);
    if (!header)
        toml_add_span(plan, buffer, look->extra);
}

static bool is_literal(const char *key, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)key[i] < ' ' || key[i] == 0x7f || key[i] == '\'')
            return false;
    return true;
}

static bool needs_escapes(const char *key, size_t size)
{
    return size > 0 && (memchr(key, '"', size) || memchr(key, '\\', size));
}

static void add_quoted(struct buffer *buffer, const char *quote, const char *key, size_t size)
{
    buffer_text(buffer, quote);
    buffer_add(buffer, key, size);
    buffer_text(buffer, quote);
}

/* Quotes that the other key would not need are how keys look here. */
void toml_add_key(const struct toml_plan *plan, struct buffer *buffer, const char *key, size_t size,
                  struct span like)
{
    const char *model = plan->lines.text + like.start;
    size_t length = (size_t)(like.end - like.start);
    bool bare = is_bare(key, size), literal = is_literal(key, size);
    bool quoted = length > 2 && (*model == '"' || *model == '\'');
    bool needless = quoted && is_bare(model + 1, length - 2);
    if (bare && needless)
        add_quoted(buffer, *model == '"' ? "\"" : "'", key, size);
    else if (!bare && literal && ((quoted && *model == '\'') || needs_escapes(key, size)))
        add_quoted(buffer, "'", key, size);
    else
        write_toml_key(buffer, key, size);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* One blank where the other has any: of more it is the key that says how many. */
void toml_add_equals(const struct toml_plan *plan, struct buffer *buffer, struct span like)
{
    const char *text = plan->lines.text;
    bool unknown = like.end == like.start;
    if (unknown || is_blank(text[like.start]))
        buffer_text(buffer, " ");
    buffer_text(buffer, "=");
    if (unknown || is_blank(text[like.end - 1]))
        buffer_text(buffer, " ");
}
