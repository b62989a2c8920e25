#include <string.h>

#include "base/utf8.h"
#include "text/number.h"
#include "text/write.h"

/* ---- strings and keys ---- */

static bool is_control(char byte)
{
    return (unsigned char)byte < ' ' || byte == 0x7f;
}

static bool is_utf8(const char *text, size_t size)
{
    for (size_t at = 0, length; at < size; at += length)
        if ((length = utf8_length(text + at, size - at)) == 0)
            return false;
    return true;
}

static bool is_ascii(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* The length of the character at `text` if it stands for itself in "basic" quotes, else 0. */
static size_t plain_length(const char *text, size_t size, bool ascii)
{
    if ((unsigned char)*text < 0x80)
        return !is_control(*text) && *text != '"' && *text != '\\';
    return ascii ? 0 : utf8_length(text, size);
}

/* The character at `text` as an escape; returns its length. */
static size_t add_escaped(struct buffer *buffer, const char *text, size_t size)
{
    static const char specials[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = *text ? strchr(specials, *text) : NULL;
    if (found) {
        char escape[2] = {'\\', letters[found - specials]};
        buffer_add(buffer, escape, sizeof escape);
        return 1;
    }
    uint32_t code;
    size_t length = character_at(text, size, &code);
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    buffer_escape(buffer, surrogate ? 0xfffd : code);
    return length;
}

static void add_basic(struct buffer *buffer, const char *text, size_t size, bool ascii)
{
    buffer_add(buffer, "\"", 1);
    for (size_t at = 0; at < size;) {
        size_t end = at, length = 0;
        while (end < size && (length = plain_length(text + end, size - end, ascii)) > 0)
            end += length;
        buffer_add(buffer, text + at, end - at);
        at = end;
        if (at < size)
            at += add_escaped(buffer, text + at, size - at);
    }
    buffer_add(buffer, "\"", 1);
}

/* Whether 'literal' quotes can hold it, and "basic" ones only with escapes. */
static bool is_better_literal(const char *text, size_t size, bool ascii)
{
    bool escapes = false;
    for (size_t i = 0; i < size; i++) {
        if (is_control(text[i]) || text[i] == '\'')
            return false;
        escapes |= text[i] == '"' || text[i] == '\\';
    }
    return escapes && (ascii ? is_ascii(text, size) : is_utf8(text, size));
}

static void add_string(struct buffer *buffer, const char *text, size_t size, bool ascii)
{
    if (!is_better_literal(text, size, ascii)) {
        add_basic(buffer, text, size, ascii);
        return;
    }
    buffer_add(buffer, "'", 1);
    buffer_add(buffer, text, size);
    buffer_add(buffer, "'", 1);
}

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

static void add_key(struct buffer *buffer, const char *key, size_t size, bool ascii)
{
    if (is_bare(key, size))
        buffer_add(buffer, key, size);
    else
        add_basic(buffer, key, size, ascii);
}

void write_toml_string(struct buffer *buffer, const char *text, size_t size)
{
    add_string(buffer, text, size, false);
}

void write_toml_key(struct buffer *buffer, const char *key, size_t size)
{
    add_key(buffer, key, size, false);
}

/* ---- values on one line; false: TOML cannot hold it ---- */

static bool add_number(struct buffer *buffer, const struct untorn_node *node)
{
    struct decimal decimal;
    int64_t integer;
    double value;
    bool valid = node->kind == UNTORN_INTEGER ? number_integer(node->text, node->size, &integer)
                                              : number_double(node->text, node->size, &value);
    if (!valid)
        return false;
    buffer_add(buffer, node->text, node->size);
    if (node->kind == UNTORN_FLOAT && number_decimal(node->text, node->size, &decimal) &&
        !decimal.fractional)
        buffer_text(buffer, ".0"); /* so that it stays a float */
    return true;
}

static bool keeps_spelling(const struct untorn_node *node, bool ascii)
{
    return node->raw && (node->raw_format == UNTORN_TOML || node->raw_format == UNTORN_TOML_1_0) &&
           !(ascii && !is_ascii(node->raw, node->raw_size));
}

static bool add_scalar(struct buffer *buffer, const struct untorn_node *node, bool ascii)
{
    if (node->kind == UNTORN_NULL)
        return false;
    if (keeps_spelling(node, ascii)) {
        buffer_add(buffer, node->raw, node->raw_size);
        return true;
    }
    if (node->kind == UNTORN_INTEGER || node->kind == UNTORN_FLOAT)
        return add_number(buffer, node);
    if (node->kind == UNTORN_STRING)
        add_string(buffer, node->text, node->size, ascii);
    else
        buffer_add(buffer, node->text, node->size);
    return node->kind != UNTORN_STRING || is_utf8(node->text, node->size);
}

static bool add_member_key(struct buffer *buffer, const struct untorn_node *node, bool ascii)
{
    add_key(buffer, node->key, node->key_size, ascii);
    return !node->repeated && is_utf8(node->key, node->key_size);
}

/* A scalar, an empty container, or the bracket that opens one. */
static bool add_start(struct buffer *buffer, const struct untorn_node *node, bool ascii)
{
    if (!node_is_container(node))
        return add_scalar(buffer, node, ascii);
    if (node->kind == UNTORN_OBJECT)
        buffer_text(buffer, node->first ? "{ " : "{}");
    else
        buffer_text(buffer, node->first ? "[" : "[]");
    return true;
}

/* What stands before the value of an item. */
static bool begin_item(struct buffer *buffer, const struct untorn_node *node, bool ascii)
{
    if (node->parent->kind != UNTORN_OBJECT)
        return true;
    bool fits = add_member_key(buffer, node, ascii);
    buffer_text(buffer, " = ");
    return fits;
}

static bool add_value(struct buffer *buffer, const struct untorn_node *top, bool ascii)
{
    const struct untorn_node *at = top;
    while (add_start(buffer, at, ascii)) {
        if (at->first) {
            at = at->first;
        } else {
            for (; at != top && !at->next; at = at->parent)
                buffer_text(buffer, at->parent->kind == UNTORN_OBJECT ? " }" : "]");
            if (at == top)
                return true;
            buffer_text(buffer, ", ");
            at = at->next;
        }
        if (!begin_item(buffer, at, ascii))
            return false;
    }
    return false;
}

bool write_toml_value(struct buffer *buffer, const struct untorn_node *node)
{
    return add_value(buffer, node, false);
}

/* ---- whole documents ----
 *
 * A section is what has headers: a table with members, or an array of tables. In each table all
 * else comes first, since what follows a header belongs to that.
 */

struct sections {
    struct buffer *buffer;
    const struct untorn_style *style;
    size_t start;          /* where in the buffer the document begins */
    struct buffer path;    /* of the table at hand, as it stands in headers */
    struct buffer scratch; /* a key of it, to be measured */
};

static bool is_array_of_tables(const struct untorn_node *node)
{
    if (node->kind != UNTORN_ARRAY)
        return false;
    for (const struct untorn_node *child = node->first; child; child = child->next)
        if (child->kind != UNTORN_OBJECT)
            return false;
    return node->first != NULL;
}

/* `node` is a member of a table, or an element of an array of tables. */
static bool is_section(const struct untorn_node *node)
{
    if (node->parent->kind == UNTORN_ARRAY)
        return true;
    return node->kind == UNTORN_OBJECT ? node->first != NULL : is_array_of_tables(node);
}

static const struct untorn_node *first_section(const struct untorn_node *sibling)
{
    while (sibling && !is_section(sibling))
        sibling = sibling->next;
    return sibling;
}

static void add_line_end(const struct sections *sections)
{
    buffer_text(sections->buffer, sections->style->crlf ? "\r\n" : "\n");
}

static bool add_assignments(const struct sections *sections, const struct untorn_node *table)
{
    bool ascii = sections->style->ascii, fits = true;
    for (const struct untorn_node *child = table->first; child && fits; child = child->next) {
        if (is_section(child))
            continue;
        fits =
            begin_item(sections->buffer, child, ascii) && add_value(sections->buffer, child, ascii);
        add_line_end(sections);
    }
    return fits;
}

static void add_header(const struct sections *sections, bool element)
{
    if (sections->buffer->size > sections->start)
        add_line_end(sections);
    buffer_text(sections->buffer, element ? "[[" : "[");
    buffer_add(sections->buffer, sections->path.data, sections->path.size);
    buffer_text(sections->buffer, element ? "]]" : "]");
    add_line_end(sections);
}

/* A table that only holds sections is implied by their headers. */
static bool needs_header(const struct untorn_node *table)
{
    for (const struct untorn_node *child = table->first; child; child = child->next)
        if (!is_section(child))
            return true;
    return table->parent->kind == UNTORN_ARRAY;
}

static bool enter(struct sections *sections, const struct untorn_node *node)
{
    if (node->parent->kind == UNTORN_OBJECT) {
        if (sections->path.size > 0)
            buffer_text(&sections->path, ".");
        if (!add_member_key(&sections->path, node, sections->style->ascii))
            return false;
    }
    sections->buffer->failed |= sections->path.failed;
    if (node->kind == UNTORN_ARRAY || sections->buffer->failed)
        return true;
    if (needs_header(node))
        add_header(sections, node->parent->kind == UNTORN_ARRAY);
    return add_assignments(sections, node);
}

static void leave(struct sections *sections, const struct untorn_node *node)
{
    if (node->parent->kind != UNTORN_OBJECT)
        return;
    sections->scratch.size = 0;
    add_key(&sections->scratch, node->key, node->key_size, sections->style->ascii);
    sections->buffer->failed |= sections->scratch.failed;
    if (sections->buffer->failed)
        return;
    sections->path.size -= sections->scratch.size;
    sections->path.size -= sections->path.size > 0; /* the dot */
}

static bool add_sections(struct sections *sections, const struct untorn_node *root)
{
    const struct untorn_node *at = root;
    bool fits = add_assignments(sections, root);
    while (fits && !sections->buffer->failed) {
        const struct untorn_node *next = first_section(at->first);
        while (!next && at != root) {
            next = first_section(at->next);
            leave(sections, at);
            at = at->parent;
        }
        if (!next)
            break;
        at = next;
        fits = enter(sections, at);
    }
    return fits;
}

bool write_toml(struct buffer *buffer, const struct untorn_node *root,
                const struct untorn_style *style)
{
    if (root->kind != UNTORN_OBJECT)
        return false;
    struct arena arena = {0};
    struct sections sections = {.buffer = buffer, .style = style, .start = buffer->size};
    bool fits = true;
    buffer_add(buffer, "", 0);
    if (style->sorted)
        root = sorted_copy(&arena, root);
    if (root)
        fits = add_sections(&sections, root);
    else
        buffer->failed = true;
    buffer_free(&sections.path);
    buffer_free(&sections.scratch);
    arena_free(&arena);
    return fits;
}
