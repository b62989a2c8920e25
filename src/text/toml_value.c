#include "text/toml_scan.h"

static bool take_string(struct toml_scan *scan, struct untorn_node *node)
{
    struct toml_string string;
    if (!toml_string(scan, true, &string))
        return false;
    node->kind = UNTORN_STRING;
    if (!scan->keeps)
        return true;
    node->text = toml_decode(scan, &string, &node->size);
    return node->text != NULL;
}

static bool take_other(struct toml_scan *scan, struct untorn_node *node)
{
    const char *start = scan->at;
    bool word = *start == 't' || *start == 'f';
    if (!(word ? toml_boolean(scan, &node->kind) : toml_number(scan, &node->kind)))
        return false;
    node->text = toml_keep(scan, start, scan->at);
    node->size = (size_t)(scan->at - start);
    return node->text != NULL;
}

static bool take_scalar(struct toml_scan *scan, struct untorn_node *node)
{
    const char *start = scan->at;
    bool quoted = *start == '"' || *start == '\'';
    if (!(quoted ? take_string(scan, node) : take_other(scan, node)))
        return false;
    node_spell(node, start, (size_t)(scan->at - start), scan->parsed->format);
    return true;
}

/* ---- arrays and inline tables ---- */

static bool open_container(struct toml_scan *scan, struct untorn_node *node)
{
    if (scan->around == TOML_DEPTH)
        return toml_fail(scan, scan->at, TOML_TOO_DEEP);
    node->kind = *scan->at == '[' ? UNTORN_ARRAY : UNTORN_OBJECT;
    node->origin = NODE_INLINE;
    node->raw = scan->at++;
    scan->levels[scan->depth] = scan->around + 1;
    scan->open[scan->depth++] = node;
    return true;
}

static void close_container(struct toml_scan *scan)
{
    struct untorn_node *node = scan->open[--scan->depth];
    scan->at++;
    node_spell(node, node->raw, (size_t)(scan->at - node->raw), scan->parsed->format);
    if (!scan->keeps && node->kind == UNTORN_ARRAY) { /* not all of it was kept: then nothing is */
        node->first = node->last = NULL;
        node->count = 0;
    }
}

/* Over what may stand between the values of a container. */
static bool skip_between(struct toml_scan *scan, bool one_line)
{
    if (!one_line)
        return toml_skip_lines(scan);
    toml_skip_blanks(scan);
    if (toml_is(scan, '\n') || toml_is(scan, '\r') || toml_is(scan, '#'))
        return toml_fail(scan, scan->at,
                         *scan->at == '#' ? "a comment in an inline table needs TOML 1.1"
                                          : "a newline in an inline table needs TOML 1.1");
    return true;
}

static bool skip_comma(struct toml_scan *scan, char close, bool one_line)
{
    if (toml_is(scan, close))
        return true;
    if (!toml_take(scan, ','))
        return toml_fail(scan, scan->at,
                         close == ']' ? "expected a comma or ']'" : "expected a comma or '}'");
    if (!skip_between(scan, one_line))
        return false;
    if (one_line && toml_is(scan, close))
        return toml_fail(scan, scan->at, "a comma before '}' needs TOML 1.1");
    return true;
}

static struct untorn_node *add_element(struct toml_scan *scan, struct untorn_node *array)
{
    scan->around = scan->levels[scan->depth - 1];
    if (!scan->keeps && !toml_is(scan, '[') && !toml_is(scan, '{')) {
        array->count++;
        return &scan->scalar;
    }
    struct untorn_node *node = node_add(&scan->parsed->arena, array, NULL, 0, UNTORN_NULL);
    if (node)
        node->raw_format = scan->parsed->format;
    else
        (void)toml_no_memory(scan);
    return node;
}

static struct untorn_node *add_member(struct toml_scan *scan, struct untorn_node *object)
{
    if (!toml_key(scan))
        return NULL;
    if (!toml_take(scan, '=')) {
        (void)toml_fail(scan, scan->at, "expected '='");
        return NULL;
    }
    toml_skip_blanks(scan);
    return toml_assign(scan, object);
}

/* Goes on in the innermost container: *ret_node is its next child, whose value begins here, or NULL
 * if the container was closed. */
static bool go_on(struct toml_scan *scan, struct untorn_node **ret_node)
{
    struct untorn_node *container = scan->open[scan->depth - 1];
    bool object = container->kind == UNTORN_OBJECT, one_line = object && scan->strict;
    char close = object ? '}' : ']';
    *ret_node = NULL;
    if (!skip_between(scan, one_line) ||
        (container->count > 0 && !skip_comma(scan, close, one_line)))
        return false;
    if (toml_is(scan, close)) {
        close_container(scan);
        return true;
    }
    *ret_node = object ? add_member(scan, container) : add_element(scan, container);
    return *ret_node != NULL;
}

/* A scalar as a whole; of a container, the bracket. */
static bool begin(struct toml_scan *scan, struct untorn_node *node)
{
    if (scan->at == scan->end)
        return toml_fail(scan, scan->at, "expected a value");
    bool container = *scan->at == '[' || *scan->at == '{';
    return container ? open_container(scan, node) : take_scalar(scan, node);
}

bool toml_value(struct toml_scan *scan, struct untorn_node *node)
{
    for (;;) {
        if (!begin(scan, node))
            return false;
        do {
            if (scan->depth == 0)
                return true;
            if (!go_on(scan, &node))
                return false;
        } while (!node);
    }
}
