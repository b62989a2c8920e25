#include <string.h>

#include "base/utf8.h"
#include "text/number.h"
#include "text/write.h"

/* ---- strings ---- */

/* A byte of ASCII that cannot stand for itself. */
static void add_special(struct buffer *buffer, unsigned char byte)
{
    static const char specials[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte ? strchr(specials, byte) : NULL;
    if (!found) {
        buffer_escape(buffer, byte);
        return;
    }
    char text[2] = {'\\', letters[found - specials]};
    buffer_add(buffer, text, sizeof text);
}

/* One character beyond ASCII as escapes; returns its length. */
static size_t add_escaped(struct buffer *buffer, const char *text, size_t size)
{
    uint32_t code;
    size_t length = character_at(text, size, &code);
    if (code > 0xffff) {
        buffer_escape(buffer, 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + (code & 0x3ff);
    }
    buffer_escape(buffer, code);
    return length;
}

/* The length of the character at `text` if it stands for itself, else 0. */
static size_t plain_length(const char *text, size_t size, bool ascii)
{
    unsigned char byte = (unsigned char)*text;
    if (byte < 0x80)
        return byte >= ' ' && byte != '"' && byte != '\\' && !(ascii && byte == 0x7f);
    return ascii ? 0 : utf8_length(text, size);
}

void write_json_string(struct buffer *buffer, const char *text, size_t size, bool ascii)
{
    buffer_add(buffer, "\"", 1);
    for (size_t at = 0; at < size;) {
        size_t end = at, length = 0;
        while (end < size && (length = plain_length(text + end, size - end, ascii)) > 0)
            end += length;
        buffer_add(buffer, text + at, end - at);
        at = end;
        if (at == size)
            break;
        if ((unsigned char)text[at] >= 0x80)
            at += add_escaped(buffer, text + at, size - at);
        else
            add_special(buffer, (unsigned char)text[at++]);
    }
    buffer_add(buffer, "\"", 1);
}

/* ---- scalars ---- */

static void add_decimal(struct buffer *buffer, int64_t value)
{
    char digits[20], *end = digits + sizeof digits, *at = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        *--at = '-';
    buffer_add(buffer, at, (size_t)(end - at));
}

/* As TOML spells it, without what only TOML allows. */
static void add_without_extras(struct buffer *buffer, const char *text, size_t size)
{
    for (size_t at = size > 0 && text[0] == '+'; at < size;) {
        const char *underscore = memchr(text + at, '_', size - at);
        size_t end = underscore ? (size_t)(underscore - text) : size;
        buffer_add(buffer, text + at, end - at);
        at = end + 1;
    }
}

/* false: it has no form in JSON, as inf has none. */
static bool add_number(struct buffer *buffer, const struct untorn_node *node)
{
    struct decimal decimal;
    int64_t value;
    bool toml = node->raw_format == UNTORN_TOML || node->raw_format == UNTORN_TOML_1_0;
    bool has_decimal = number_decimal(node->text, node->size, &decimal);
    /* TOML's integers are known by their value: its -0 is 0. JSON's keep their spelling. */
    if (node->kind == UNTORN_INTEGER && (toml || !has_decimal) &&
        number_integer(node->text, node->size, &value)) {
        add_decimal(buffer, value);
        return true;
    }
    if (!has_decimal)
        return false;
    add_without_extras(buffer, node->text, node->size);
    if (node->kind == UNTORN_FLOAT && !decimal.fractional)
        buffer_text(buffer, ".0"); /* so that it stays a float */
    return true;
}

static void add_scalar(struct buffer *buffer, const struct untorn_node *node, bool ascii)
{
    bool number = node->kind == UNTORN_INTEGER || node->kind == UNTORN_FLOAT;
    if (node->kind == UNTORN_NULL) {
        buffer_text(buffer, "null");
    } else if (node->kind == UNTORN_BOOLEAN) {
        buffer_add(buffer, node->text, node->size);
    } else if (!number || !add_number(buffer, node)) {
        size_t plus = number && node->size > 0 && node->text[0] == '+';
        write_json_string(buffer, node->text + plus, node->size - plus, ascii);
    }
}

/* ---- scalars with their types ---- */

static const char *const type_names[] = {
    [UNTORN_NULL] = "null",
    [UNTORN_BOOLEAN] = "bool",
    [UNTORN_INTEGER] = "integer",
    [UNTORN_FLOAT] = "float",
    [UNTORN_STRING] = "string",
    [UNTORN_DATETIME] = "datetime",
    [UNTORN_DATETIME_LOCAL] = "datetime-local",
    [UNTORN_DATE_LOCAL] = "date-local",
    [UNTORN_TIME_LOCAL] = "time-local",
};

/* An instant as RFC 3339 has it: T and Z, and with seconds. */
static void add_instant(struct buffer *buffer, const struct untorn_node *node)
{
    unsigned colons = 0;
    for (size_t i = 0; i < node->size; i++) {
        char byte = node->text[i];
        byte = byte == 't' || byte == ' ' ? 'T' : byte == 'z' ? 'Z' : byte;
        bool zone = byte == 'Z' || byte == '+' || (byte == '-' && colons > 0);
        if (zone && colons == 1)
            buffer_text(buffer, ":00");
        colons += zone ? 2 : byte == ':'; /* none of the zone's counts */
        buffer_add(buffer, &byte, 1);
    }
    if (colons == 1)
        buffer_text(buffer, ":00");
}

static void add_untyped(struct buffer *buffer, const struct untorn_node *node)
{
    if (node->kind >= UNTORN_DATETIME)
        add_instant(buffer, node);
    else if (node->kind == UNTORN_NULL || node->kind == UNTORN_BOOLEAN)
        add_scalar(buffer, node, false);
    else if (!add_number(buffer, node))
        add_without_extras(buffer, node->text, node->size);
}

static void add_tagged(struct buffer *buffer, const struct untorn_node *node,
                       const struct untorn_style *style)
{
    bool tight = style->compact && style->tight;
    buffer_text(buffer, tight ? "{\"type\":\"" : "{\"type\": \"");
    buffer_text(buffer, type_names[node->kind]);
    buffer_text(buffer, tight ? "\",\"value\":" : "\", \"value\": ");
    if (node->kind == UNTORN_STRING) {
        add_scalar(buffer, node, style->ascii);
    } else {
        buffer_text(buffer, "\"");
        add_untyped(buffer, node);
        buffer_text(buffer, "\"");
    }
    buffer_text(buffer, "}");
}

/* ---- containers ---- */

static void add_line_end(struct buffer *buffer, const struct untorn_style *style)
{
    buffer_text(buffer, style->crlf ? "\r\n" : "\n");
}

/* Goes to the line of the next item, or of the bracket behind the last. */
static void add_break(struct buffer *buffer, const struct untorn_style *style, size_t depth)
{
    if (style->compact)
        return;
    add_line_end(buffer, style);
    size_t indent = style->indent ? style->indent : 2;
    buffer_repeat(buffer, style->tabs ? '\t' : ' ', style->tabs ? depth : depth * indent);
}

/* What stands before an item's value. */
static void begin_item(struct buffer *buffer, const struct untorn_node *node,
                       const struct untorn_style *style, size_t depth)
{
    add_break(buffer, style, depth);
    if (node->parent->kind != UNTORN_OBJECT)
        return;
    write_json_string(buffer, node->key, node->key_size, style->ascii);
    buffer_text(buffer, style->compact && style->tight ? ":" : ": ");
}

/* A scalar, an empty container, or the bracket that opens one. */
static void add_start(struct buffer *buffer, const struct untorn_node *node,
                      const struct untorn_style *style)
{
    if (node->kind == UNTORN_OBJECT)
        buffer_text(buffer, node->first ? "{" : "{}");
    else if (node->kind == UNTORN_ARRAY)
        buffer_text(buffer, node->first ? "[" : "[]");
    else if (style->tagged)
        add_tagged(buffer, node, style);
    else
        add_scalar(buffer, node, style->ascii);
}

static void add_tree(struct buffer *buffer, const struct untorn_node *top,
                     const struct untorn_style *style, size_t depth)
{
    const struct untorn_node *at = top;
    for (;;) {
        add_start(buffer, at, style);
        if (at->first) {
            at = at->first;
            begin_item(buffer, at, style, ++depth);
            continue;
        }
        while (at != top && !at->next) {
            at = at->parent;
            add_break(buffer, style, --depth);
            buffer_text(buffer, at->kind == UNTORN_OBJECT ? "}" : "]");
        }
        if (at == top)
            return;
        at = at->next;
        buffer_text(buffer, style->compact && !style->tight ? ", " : ",");
        begin_item(buffer, at, style, depth);
    }
}

void write_json(struct buffer *buffer, const struct untorn_node *node,
                const struct untorn_style *style, size_t depth)
{
    struct arena arena = {0};
    if (style->sorted)
        node = sorted_copy(&arena, node);
    if (node)
        add_tree(buffer, node, style, depth);
    else
        buffer->failed = true;
    if (style->newline)
        add_line_end(buffer, style);
    arena_free(&arena);
}
