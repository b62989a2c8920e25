#include <string.h>

#include "text/format.h"
#include "text/toml_plan.h"

/* ---- how values are written here [PLAN-2] ---- */

static bool is_triple(const struct untorn_node *node)
{
    const char *raw = node->raw;
    return node->raw_size >= 6 && raw[1] == raw[0] && raw[2] == raw[0];
}

/* The blank or not behind the first comma of a container; false if there is no comma. */
static bool knows_commas(const struct untorn_node *container, bool *ret_close)
{
    const struct untorn_node *second = container->first ? container->first->next : NULL;
    if (!container->raw || !second)
        return false;
    const char *start = second->key ? second->key_raw : second->raw;
    *ret_close = start && start[-1] == ',';
    return start != NULL;
}

/* What a container says about braces and commas, and the members of one about equals signs. */
static bool knows_braces(const struct untorn_node *container, bool *ret_tight)
{
    if (!container->raw || container->kind != UNTORN_OBJECT || !container->first)
        return false;
    *ret_tight = container->raw[1] != ' ' && container->raw[1] != '\t' &&
                 container->raw[1] != '\r' && container->raw[1] != '\n';
    return true;
}

struct toml_shape toml_shape_near(const struct untorn_node *parent, const struct untorn_node *near)
{
    struct toml_shape shape = {0};
    bool equals = false;
    bool braces = knows_braces(parent, &shape.tight);
    bool commas = knows_commas(parent, &shape.close_commas);
    for (size_t left = TOML_NEAR; near && left > 0; near = near->previous, left--) {
        if (!near->raw)
            continue;
        if (!shape.quoted && near->kind == UNTORN_STRING) {
            shape.quoted = true;
            shape.literal = *near->raw == '\'' && !is_triple(near);
        }
        if (!equals && near->key_raw) {
            equals = true;
            shape.close_equals = near->key_raw[node_key_raw_size(near)] == '=';
        }
        braces = braces || knows_braces(near, &shape.tight);
        commas = commas || knows_commas(near, &shape.close_commas);
    }
    if (!braces)
        shape.tight = shape.close_equals;
    return shape;
}

struct toml_shape toml_shape_of(const struct untorn_node *old)
{
    struct toml_shape shape = toml_shape_near(old->parent, old);
    const char *newline = memchr(old->raw, '\n', old->raw_size);
    if (old->kind == UNTORN_STRING && is_triple(old) && newline) {
        shape.lines = *old->raw;
        shape.crlf = newline[-1] == '\r';
        shape.opening = old->raw[3] == '\n' ? "\n" : strncmp(old->raw + 3, "\r\n", 2) ? "" : "\r\n";
    }
    return shape;
}

/* ---- strings ---- */

static bool is_control(char byte)
{
    return (unsigned char)byte < ' ' || byte == 0x7f;
}

/* Whether 'literal' quotes can hold it, or with `lines` three of them. */
static bool fits_literal(const struct untorn_node *string, bool lines)
{
    for (size_t i = 0; i < string->size; i++) {
        char byte = string->text[i];
        bool newline = byte == '\n' || (byte == '\r' && string->text[i + 1] == '\n');
        if (byte == '\'' || (is_control(byte) && byte != '\t' && !(lines && newline)))
            return false;
    }
    return true;
}

static void add_quoted(struct buffer *buffer, const char *quotes, const char *opening,
                       const struct untorn_node *string)
{
    buffer_text(buffer, quotes);
    buffer_text(buffer, opening);
    buffer_add(buffer, string->text, string->size);
    buffer_text(buffer, quotes);
}

/* Between three "basic" quotes: newlines stand for themselves. */
static void add_lines(struct buffer *buffer, const char *opening, const struct untorn_node *string)
{
    size_t quotes = 0; /* one behind the other */
    buffer_text(buffer, "\"\"\"");
    buffer_text(buffer, opening);
    for (size_t i = 0; i < string->size; i++) {
        char byte = string->text[i];
        quotes = byte == '"' ? quotes + 1 : 0;
        if (byte == '\\' || (byte == '"' && (quotes == 3 || i + 1 == string->size))) {
            buffer_text(buffer, "\\");
            quotes = 0;
        }
        bool newline = byte == '\n' || (byte == '\r' && string->text[i + 1] == '\n');
        if (is_control(byte) && byte != '\t' && !newline)
            buffer_escape(buffer, (unsigned char)byte);
        else
            buffer_add(buffer, &byte, 1);
    }
    buffer_text(buffer, "\"\"\"");
}

/* Whether it has newlines, all as the lines of the text have them: a file has one kind of ends. */
static bool has_lines(const struct untorn_node *string, bool crlf)
{
    const char *at = string->text, *end = at + string->size;
    size_t lines = 0;
    for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++, lines++)
        if ((at > string->text && at[-1] == '\r') != crlf)
            return false;
    return lines > 0;
}

/* One that has no spelling in TOML; false: as usual. */
static bool add_string(struct buffer *buffer, const struct untorn_node *string,
                       struct toml_shape shape)
{
    bool lines = shape.lines && has_lines(string, shape.crlf);
    if (!lines) {
        if (!shape.literal || !fits_literal(string, false))
            return false;
        add_quoted(buffer, "'", "", string);
        return true;
    }
    bool empty_line = *string->text == '\n' || *string->text == '\r';
    const char *newline = shape.crlf ? "\r\n" : "\n";
    const char *opening = empty_line && !*shape.opening ? newline : shape.opening;
    if (shape.lines == '\'' && fits_literal(string, true))
        add_quoted(buffer, "\'\'\'", opening, string);
    else
        add_lines(buffer, opening, string);
    return true;
}

/* ---- values ---- */

static bool has_spelling(const struct untorn_node *value)
{
    return value->raw && format_is_toml(value->raw_format);
}

bool toml_is_spelled(const struct untorn_node *value)
{
    return node_is_container(value) && has_spelling(value);
}

/* A scalar, or what opens a container. */
static bool add_start(struct buffer *buffer, const struct untorn_node *node,
                      struct toml_shape shape)
{
    if (node->kind == UNTORN_STRING && !has_spelling(node) && add_string(buffer, node, shape))
        return true;
    if (!node->first)
        return write_toml_value(buffer, node);
    if (node->kind == UNTORN_ARRAY)
        buffer_text(buffer, "[");
    else
        buffer_text(buffer, shape.tight ? "{" : "{ ");
    return true;
}

static void add_end(struct buffer *buffer, const struct untorn_node *container,
                    struct toml_shape shape)
{
    if (container->kind == UNTORN_ARRAY)
        buffer_text(buffer, "]");
    else
        buffer_text(buffer, shape.tight ? "}" : " }");
}

/* On one line, all containers in brackets. */
static bool add_inline(struct buffer *buffer, const struct untorn_node *top,
                       struct toml_shape shape)
{
    const struct untorn_node *at = top;
    while (add_start(buffer, at, shape)) {
        if (at->first) {
            at = at->first;
        } else {
            for (; at != top && !at->next; at = at->parent)
                add_end(buffer, at->parent, shape);
            if (at == top)
                return true;
            buffer_text(buffer, shape.close_commas ? "," : ", ");
            at = at->next;
        }
        shape.lines = '\0'; /* only as the value itself */
        if (at->parent->kind == UNTORN_OBJECT) {
            if (at->repeated)
                return false;
            write_toml_key(buffer, at->key, at->key_size);
            buffer_text(buffer, shape.close_equals ? "=" : " = ");
        }
    }
    return false;
}

int toml_add_value(struct buffer *buffer, const struct untorn_node *value, struct toml_shape shape)
{
    if (toml_is_spelled(value))
        buffer_add(buffer, value->raw, value->raw_size);
    else if (!add_inline(buffer, value, shape))
        return -UNTORN_TYPE;
    return buffer->failed ? -UNTORN_NO_MEMORY : 0;
}
