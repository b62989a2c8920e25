/* Keys, and the rules about defining tables.
 *
 * A table is defined once: by its header, by its braces, or by the dotted keys under one header.
 * A longer header may name it on the way before and afterwards, unless it has braces. A dotted key
 * may go through tables that nothing but dotted keys and longer headers made.
 */
#include "text/toml_scan.h"

/* ---- reading ---- */

static bool is_bare(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

static bool take_quoted(struct toml_scan *scan, struct toml_part *part)
{
    struct toml_string string;
    if (!toml_string(scan, false, &string))
        return false;
    part->key = toml_decode(scan, &string, &part->key_size);
    return part->key != NULL;
}

static bool take_part(struct toml_scan *scan, struct toml_part *part)
{
    const char *start = scan->at;
    part->raw = start;
    if (toml_is(scan, '"') || toml_is(scan, '\'')) {
        if (!take_quoted(scan, part))
            return false;
        part->raw_size = (size_t)(scan->at - start);
        return true;
    }
    const char *at = start, *end = scan->end;
    while (at < end && is_bare(*at))
        at++;
    scan->at = at;
    part->raw_size = part->key_size = (size_t)(at - start);
    if (at == start)
        return toml_fail(scan, at, "expected a key");
    part->key = toml_keep(scan, start, at);
    return part->key != NULL;
}

bool toml_key(struct toml_scan *scan)
{
    scan->part_count = 0;
    for (;;) {
        if (scan->part_count == TOML_DEPTH)
            return toml_fail(scan, scan->at, TOML_TOO_DEEP);
        if (!take_part(scan, &scan->parts[scan->part_count++]))
            return false;
        toml_skip_blanks(scan);
        if (!toml_take(scan, '.'))
            return true;
        toml_skip_blanks(scan);
    }
}

/* ---- defining ---- */

static struct untorn_node *fail_part(struct toml_scan *scan, const struct toml_part *part,
                                     const char *what)
{
    (void)toml_fail(scan, part->raw, what);
    return NULL;
}

/* Not entered yet. */
static struct untorn_node *link_part(struct toml_scan *scan, struct untorn_node *table,
                                     const struct toml_part *part, enum untorn_kind kind,
                                     enum node_origin origin)
{
    struct arena *arena = &scan->parsed->arena;
    struct untorn_node *node = node_link(arena, table, part->key, part->key_size, kind);
    if (!node) {
        (void)toml_no_memory(scan);
        return NULL;
    }
    node->origin = origin;
    node->key_raw = part->raw;
    node->raw_format = scan->parsed->format;
    return node;
}

static struct untorn_node *add(struct toml_scan *scan, struct untorn_node *table,
                               const struct toml_part *part, enum untorn_kind kind,
                               enum node_origin origin)
{
    struct untorn_node *node = link_part(scan, table, part, kind, origin);
    if (!node || node_enter(&scan->parsed->arena, node))
        return node;
    (void)toml_no_memory(scan);
    return NULL;
}

static const char *why_closed(const struct untorn_node *node)
{
    if (node->kind == UNTORN_ARRAY)
        return node->origin == NODE_TABLES ? "an array of tables is only extended by [[...]]"
                                           : "this array is complete, nothing is added to it";
    if (node->kind != UNTORN_OBJECT)
        return "this key is there already, and is no table";
    return node->origin == NODE_INLINE ? "this inline table is complete, nothing is added to it"
                                       : "this table has a header, dotted keys do not add to it";
}

/* The table that a part of a dotted key names, which is not its last. */
static struct untorn_node *enter_dotted(struct toml_scan *scan, struct untorn_node *table,
                                        const struct toml_part *part, bool in_braces)
{
    struct untorn_node *next = node_member(table, part->key, part->key_size);
    if (!next)
        return add(scan, table, part, UNTORN_OBJECT, in_braces ? NODE_INLINE : NODE_DOTTED);
    bool open =
        next->kind == UNTORN_OBJECT &&
        (in_braces ? !next->raw : next->origin == NODE_DOTTED || next->origin == NODE_IMPLIED);
    if (!open)
        return fail_part(scan, part, why_closed(next));
    if (next->origin == NODE_IMPLIED)
        next->origin = NODE_DOTTED;
    return next;
}

/* Whether the key that was just read does not lead too deep. */
static bool fits(struct toml_scan *scan)
{
    size_t level = scan->depth > 0 ? scan->levels[scan->depth - 1] : scan->level;
    size_t most = TOML_DEPTH - level + 1; /* parts: the last one may be a scalar */
    scan->around = level + scan->part_count - 1;
    return scan->part_count <= most || fail_part(scan, &scan->parts[most], TOML_TOO_DEEP);
}

bool toml_enter(struct toml_scan *scan)
{
    struct untorn_node *node = scan->linked;
    scan->linked = NULL;
    if (node && !node_enter(&scan->parsed->arena, node))
        return toml_no_memory(scan);
    return !node || !node->repeated || toml_fail(scan, node->key_raw, "this key is there already");
}

struct untorn_node *toml_assign(struct toml_scan *scan, struct untorn_node *table)
{
    if (!toml_enter(scan) || !fits(scan))
        return NULL;
    bool in_braces = table->origin == NODE_INLINE;
    const struct toml_part *last = &scan->parts[scan->part_count - 1];
    for (const struct toml_part *part = scan->parts; part < last && table; part++)
        table = enter_dotted(scan, table, part, in_braces);
    scan->linked = table ? link_part(scan, table, last, UNTORN_NULL, NODE_ORDINARY) : NULL;
    return scan->linked;
}

/* The table that a part of a header names, which is not its last. */
static struct untorn_node *enter_header(struct toml_scan *scan, struct untorn_node *table,
                                        const struct toml_part *part)
{
    struct untorn_node *next = node_member(table, part->key, part->key_size);
    if (!next)
        return add(scan, table, part, UNTORN_OBJECT, NODE_IMPLIED);
    if (next->origin == NODE_TABLES)
        return next->last;
    if (next->kind != UNTORN_OBJECT || next->origin == NODE_INLINE)
        return fail_part(scan, part, why_closed(next));
    return next;
}

static struct untorn_node *open_table(struct toml_scan *scan, struct untorn_node *table,
                                      const struct toml_part *part)
{
    struct untorn_node *old = node_member(table, part->key, part->key_size);
    if (!old)
        return add(scan, table, part, UNTORN_OBJECT, NODE_HEADER);
    if (old->origin != NODE_IMPLIED)
        return fail_part(scan, part,
                         old->kind == UNTORN_OBJECT ? "this table is there already"
                                                    : "this key is there already, and is no table");
    old->origin = NODE_HEADER;
    return old;
}

/* No key leads into an element when the next has begun: if all that was made since lies in it, the
 * memory is used again. */
static void forget_element(struct toml_scan *scan, struct untorn_node *array)
{
    if (scan->element && scan->element == array->last) {
        array->first = array->last = NULL;
        array->count = 0;
        arena_rewind(&scan->parsed->arena, scan->mark);
    }
    scan->mark = arena_mark(&scan->parsed->arena);
}

static bool lies_in(const struct untorn_node *node, const struct untorn_node *ancestor)
{
    while (node && node != ancestor)
        node = node->parent;
    return node != NULL;
}

static struct untorn_node *open_element(struct toml_scan *scan, struct untorn_node *table,
                                        const struct toml_part *part)
{
    struct untorn_node *array = node_member(table, part->key, part->key_size);
    if (array && array->origin != NODE_TABLES)
        return fail_part(scan, part, "this key is there already, and is no array of tables");
    if (!array)
        array = add(scan, table, part, UNTORN_ARRAY, NODE_TABLES);
    if (!array)
        return NULL;
    if (!scan->keeps)
        forget_element(scan, array);
    struct untorn_node *element = node_add(&scan->parsed->arena, array, NULL, 0, UNTORN_OBJECT);
    if (!element) {
        (void)toml_no_memory(scan);
        return NULL;
    }
    scan->element = element;
    element->origin = NODE_ELEMENT;
    element->raw_format = scan->parsed->format;
    return element;
}

static size_t level_of(const struct untorn_node *node)
{
    size_t level = 0;
    for (; node; node = node->parent)
        level++;
    return level;
}

struct untorn_node *toml_open(struct toml_scan *scan, bool element)
{
    if (!toml_enter(scan))
        return NULL;
    struct untorn_node *table = scan->parsed->root;
    const struct toml_part *last = &scan->parts[scan->part_count - 1];
    for (const struct toml_part *part = scan->parts; part < last && table; part++)
        table = enter_header(scan, table, part);
    if (!table)
        return NULL;
    struct untorn_node *opened =
        element ? open_element(scan, table, last) : open_table(scan, table, last);
    if (scan->element && !lies_in(opened, scan->element))
        scan->element = NULL;
    scan->level = level_of(opened);
    return scan->level > TOML_DEPTH ? fail_part(scan, last, TOML_TOO_DEEP) : opened;
}
