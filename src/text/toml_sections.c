#include <string.h>

#include "text/toml_plan.h"

/* What is nested deeper is written inline. */
enum { LEVELS = 16 };

bool toml_is_array_of_tables(const struct untorn_node *value)
{
    if (value->kind != UNTORN_ARRAY)
        return false;
    for (const struct untorn_node *child = value->first; child; child = child->next)
        if (child->kind != UNTORN_OBJECT)
            return false;
    return value->first != NULL;
}

/* Whether a child gets headers of its own. */
static bool is_section(const struct untorn_node *node)
{
    if (node->parent->kind == UNTORN_ARRAY)
        return true;
    if (toml_is_spelled(node))
        return false;
    return node->kind == UNTORN_OBJECT ? node->first != NULL : toml_is_array_of_tables(node);
}

static const struct untorn_node *first_section(const struct untorn_node *sibling)
{
    while (sibling && !is_section(sibling))
        sibling = sibling->next;
    return sibling;
}

/* A walk through all sections below the top. */
struct walk {
    const struct toml_plan *plan;
    struct buffer *buffer;
    struct toml_sections *sections;
    const struct untorn_node *top;
    size_t lengths[LEVELS]; /* of the path, at each level above */
    size_t depth;
    size_t start; /* of the sections in the buffer */
};

/* How many tables below the top it is. */
static size_t levels_below(const struct walk *walk, const struct untorn_node *table)
{
    size_t levels = 0;
    for (; table != walk->top; table = table->parent)
        levels += table->parent->kind == UNTORN_OBJECT;
    return levels;
}

static void add_header(struct walk *walk, const struct untorn_node *table, bool element)
{
    const struct toml_sections *sections = walk->sections;
    size_t inside = levels_below(walk, table);
    bool blank = sections->blank && !(inside > 0 && sections->look.close);
    if (blank && (walk->buffer->size > walk->start || sections->opened))
        toml_add_eol(walk->plan, walk->buffer);
    toml_add_indent(walk->plan, walk->buffer, &sections->look, true, inside);
    buffer_text(walk->buffer, element ? "[[" : "[");
    buffer_add(walk->buffer, sections->path.data, sections->path.size);
    buffer_text(walk->buffer, element ? "]]" : "]");
    toml_add_eol(walk->plan, walk->buffer);
}

static int add_assignment(struct walk *walk, const struct untorn_node *member)
{
    const struct toml_look *look = &walk->sections->look;
    toml_add_indent(walk->plan, walk->buffer, look, false, levels_below(walk, member->parent));
    toml_add_key(walk->plan, walk->buffer, member->key, member->key_size, look->key);
    toml_add_equals(walk->plan, walk->buffer, look->equals);
    int rc = toml_add_value(walk->buffer, member, look->shape);
    toml_add_eol(walk->plan, walk->buffer);
    return rc;
}

/* A table that only holds sections is implied by their headers. */
static bool needs_header(const struct walk *walk, const struct untorn_node *table)
{
    if (!table->first || walk->depth == LEVELS)
        return true;
    for (const struct untorn_node *child = table->first; child; child = child->next)
        if (!is_section(child))
            return true;
    return false;
}

static int add_table(struct walk *walk, const struct untorn_node *table)
{
    bool top = table == walk->top;
    bool element = top ? walk->sections->element : table->parent->kind == UNTORN_ARRAY;
    if (!(top && walk->sections->opened) && (element || needs_header(walk, table)))
        add_header(walk, table, element);
    int rc = 0;
    for (const struct untorn_node *child = table->first; child && rc == 0; child = child->next)
        if (child->repeated)
            rc = -UNTORN_TYPE;
        else if (walk->depth == LEVELS || !is_section(child))
            rc = add_assignment(walk, child);
    return rc;
}

static void enter(struct walk *walk, const struct untorn_node *section)
{
    struct buffer *path = &walk->sections->path;
    if (section->parent->kind == UNTORN_ARRAY)
        return;
    buffer_text(path, ".");
    toml_add_key(walk->plan, path, section->key, section->key_size, (struct span){0});
}

static void cut_path(struct walk *walk, size_t size)
{
    struct buffer *path = &walk->sections->path;
    if (path->size > size) {
        path->size = size;
        path->data[size] = '\0';
    }
}

/* NULL when all have been met. */
static const struct untorn_node *step(struct walk *walk, const struct untorn_node *node)
{
    const struct untorn_node *next = walk->depth < LEVELS ? first_section(node->first) : NULL;
    if (next) {
        walk->lengths[walk->depth++] = walk->sections->path.size;
        enter(walk, next);
        return next;
    }
    for (; node != walk->top; node = node->parent) {
        cut_path(walk, walk->lengths[walk->depth - 1]);
        next = first_section(node->next);
        if (next) {
            enter(walk, next);
            return next;
        }
        walk->depth--;
    }
    return NULL;
}

int toml_add_sections(const struct toml_plan *plan, struct buffer *buffer,
                      struct toml_sections *sections, const struct untorn_node *value)
{
    struct walk walk = {
        .plan = plan, .buffer = buffer, .sections = sections, .top = value, .start = buffer->size};
    int rc = 0;
    for (const struct untorn_node *at = value; at && rc == 0; at = step(&walk, at))
        if (at->kind == UNTORN_OBJECT)
            rc = add_table(&walk, at);
    buffer->failed |= sections->path.failed;
    buffer_free(&sections->path);
    return rc;
}
