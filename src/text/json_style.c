#include "text/json_style.h"

#include <string.h>

#include "text/json_gap.h"

static const struct json_indent two_blanks = {"  ", 2, 0}, one_blank = {" ", 1, 0},
                                nothing = {"", 0, 0};

/* ---- the text around a place ---- */

struct json_indent json_indent_at(const struct parsed *parsed, size_t at)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *text = parsed->text;
    size_t line = at;
    while (line > 0 && text[line - 1] != '\n' && text[line - 1] != '\r')
        line--;
    if (line == 0 && at >= 3 && memcmp(text, mark, 3) == 0)
        line = 3;
    return (struct json_indent){text + line, json_on(parsed, line, at) - line, 0};
}

const char *json_newline(const struct parsed *parsed)
{
    const char *at = parsed->text, *end = at + parsed->size;
    size_t lines = 0, with_return = 0;
    if (parsed->newline)
        return parsed->newline;
    for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        lines++;
        with_return += at > parsed->text && at[-1] == '\r';
    }
    return with_return > lines / 2 ? "\r\n" : "\n";
}

bool json_is_on_one_line(const struct untorn_node *model)
{
    return model && model->count > 0 && !memchr(model->raw, '\n', model->raw_size);
}

enum untorn_kind json_padding(const struct untorn_node *model, enum untorn_kind kind)
{
    if (!model || model->kind != kind || !json_is_on_one_line(model))
        return 0;
    return model->raw[1] == ' ' || model->raw[1] == '\t' ? kind : 0;
}

/* Containers of one kind, with containers in both or in none. */
bool json_is_model(const struct untorn_node *model, const struct untorn_node *value)
{
    if (model->kind != value->kind || model->count == 0 || value->count == 0)
        return false;
    return node_is_container(model->first) == node_is_container(value->first);
}

/* Children that are looked at. */
enum { NEAR = 32 };

bool json_is_long(const struct untorn_node *container)
{
    return container->cut_long || container->raw_size > JSON_LONGEST_MODEL;
}

const struct untorn_node *json_child_like(const struct untorn_node *model,
                                          const struct untorn_node *like)
{
    const struct untorn_node *child = NULL;
    if (like->key && model->kind == UNTORN_OBJECT)
        child = node_member(model, like->key, like->key_size);
    if (child && child->kind == like->kind && child->count > 0)
        return child;
    size_t left = NEAR;
    for (child = model->first; child && left > 0; child = child->next, left--)
        if (json_is_model(child, like))
            return child;
    return NULL;
}

/* ---- one level of indentation ---- */

/* What the line of `inner` has more than the line of `outer`, in which it stands. */
static struct json_indent difference(const struct parsed *parsed, const struct untorn_node *inner,
                                     const struct untorn_node *outer)
{
    struct json_indent more = json_indent_at(parsed, json_start(parsed, inner));
    struct json_indent less = json_indent_at(parsed, json_start(parsed, outer));
    if (more.size < less.size || memcmp(more.text, less.text, less.size) != 0)
        return two_blanks;
    return (struct json_indent){more.text + less.size, more.size - less.size, 0};
}

/* Of the innermost place that has a line of its own, or whose first neighbour has. */
static struct json_indent find_unit(const struct parsed *parsed,
                                    const struct untorn_node *container)
{
    const struct untorn_node *inner = container->first;
    for (const struct untorn_node *outer = container; outer; inner = outer, outer = outer->parent) {
        if (inner && !json_starts_line(parsed, json_start(parsed, inner)))
            inner = outer->first;
        if (inner && json_starts_line(parsed, json_start(parsed, inner)))
            return difference(parsed, inner, outer);
    }
    return two_blanks;
}

/* ---- colon and comma ---- */

/* false: no member, or more between key and value than the colon and blanks. */
static bool read_colon(const struct parsed *parsed, const struct untorn_node *member, char colon[4])
{
    if (!member || !member->key_raw)
        return false;
    const char *text = parsed->text;
    size_t start = (size_t)(member->key_raw - text) + node_key_raw_size(member);
    size_t end = (size_t)(member->raw - text), at = json_on(parsed, start, end);
    if (text[at] != ':' || json_on(parsed, at + 1, end) != end)
        return false;
    if (at > start) /* more than one blank is meant to align: not taken over */
        *colon++ = text[start];
    *colon++ = ':';
    if (end > at + 1)
        *colon++ = text[at + 1];
    *colon = '\0';
    return true;
}

/* Its own, or that of its first member. */
static bool read_colon_at(const struct parsed *parsed, const struct untorn_node *node,
                          char colon[4])
{
    return node && (read_colon(parsed, node, colon) || read_colon(parsed, node->first, colon));
}

/* false: there is no member near. */
static bool find_colon(const struct parsed *parsed, const struct untorn_node *container,
                       struct json_style *style)
{
    if (container->first && read_colon_at(parsed, container->last, style->colon))
        return true;
    for (const struct untorn_node *node = container; node; node = node->parent) {
        const struct untorn_node *other = node->previous ? node->previous : node->next;
        if (read_colon(parsed, node, style->colon))
            return true;
        style->colon_unsure |= other && node_stands_for_others(other);
        if (read_colon_at(parsed, other, style->colon))
            return true;
    }
    return false;
}

/* false: its first comma has no element behind it on its line, or it has none. */
static bool read_comma(const struct parsed *parsed, const struct untorn_node *container,
                       struct json_indent *ret_comma)
{
    if (container->count < 2)
        return false;
    const struct untorn_node *first = container->first;
    struct json_gap gap = json_gap_between(parsed, container, first, first->next);
    size_t behind = gap.comma + 1, end = json_on(parsed, behind, gap.end);
    *ret_comma = (struct json_indent){parsed->text + behind, end - behind, 0};
    return !gap.lines;
}

/* Its own, or that of what is around it. false: there is none near. */
static bool find_comma(const struct parsed *parsed, const struct untorn_node *container,
                       struct json_indent *ret_comma)
{
    for (const struct untorn_node *node = container; node; node = node->parent)
        if (read_comma(parsed, node, ret_comma))
            return true;
    return false;
}

/* One that has no comma of its own may have one in its first element, nearer than those around. */
static void look_inside(const struct parsed *parsed, const struct untorn_node *container,
                        struct json_style *style)
{
    struct json_indent comma;
    const struct untorn_node *first = container->first;
    style->unsure |= container->cut;
    if (!first || read_comma(parsed, container, &comma))
        return;
    style->unsure |= first->cut && node_is_container(first) && first->count < 2;
    if (read_comma(parsed, first, &comma))
        style->comma = comma;
}

struct json_style json_style_in(const struct parsed *parsed, const struct untorn_node *container)
{
    struct json_style style = {.colon = ": ", .comma = one_blank};
    const struct untorn_node *place = container ? container : parsed->root;
    style.unit = find_unit(parsed, place);
    bool colon = find_colon(parsed, place, &style);
    bool comma = find_comma(parsed, place, &style.comma);
    if (!comma) /* who saves the one blank saves the other */
        style.comma = colon && style.colon[strlen(style.colon) - 1] == ':' ? nothing : one_blank;
    if (comma && !colon && style.comma.size == 0)
        memcpy(style.colon, ":", sizeof ":");
    style.unsure = style.colon_unsure && !comma;
    look_inside(parsed, place, &style);
    return style;
}

static bool has_members(const struct untorn_node *value)
{
    const struct untorn_node *at = value;
    while (at->kind != UNTORN_OBJECT || at->count == 0) {
        const struct untorn_node *next = at->first;
        for (; !next && at != value; at = at->parent)
            next = at->next;
        if (!next)
            return false;
        at = next;
    }
    return true;
}

bool json_style_is_unsure(const struct json_style *style, const struct untorn_node *value)
{
    return style->unsure || (style->colon_unsure && has_members(value));
}

/* ---- writing ---- */

void json_add_indent(struct buffer *buffer, const struct json_style *style,
                     struct json_indent indent)
{
    buffer_add(buffer, indent.text, indent.size);
    for (size_t i = 0; i < indent.levels; i++)
        buffer_add(buffer, style->unit.text, style->unit.size);
}

/* A walk through the value, bracket by bracket. */
struct restyling {
    struct buffer *buffer;
    const struct json_style *style;
    const struct json_layout *layout;
    size_t depth;
    bool begun;                           /* the whole is open */
    const struct untorn_node *at, *child; /* the innermost that is open, and its last one closed */
    const struct untorn_node *model;      /* what that looks like, */
    size_t unmodelled;                    /* or what is so many levels further out; or NULL */
    size_t flat;                          /* levels that are on one line, though not all is */
};

/* Whether its brackets stand on the lines of its children: [{ and }], with lines between. */
static bool is_hugging(const struct untorn_node *model)
{
    const struct untorn_node *first = model->first, *last = model->last;
    if (model->count == 0 || json_is_on_one_line(model))
        return false;
    const char *start = first->key_raw ? first->key_raw : first->raw;
    const char *behind = last->raw + last->raw_size, *end = model->raw + model->raw_size;
    return !memchr(model->raw, '\n', (size_t)(start - model->raw)) &&
           !memchr(behind, '\n', (size_t)(end - behind));
}

/* What the innermost that is open looks like, or NULL. */
static const struct untorn_node *model_of(const struct restyling *restyling)
{
    return restyling->unmodelled == 0 ? restyling->model : NULL;
}

/* The innermost that is open has no lines of its own. */
static bool is_hugged(const struct restyling *restyling)
{
    const struct untorn_node *at = restyling->at, *model = model_of(restyling);
    return model && is_hugging(model) && at->first && node_is_container(at->first) &&
           at->first->count > 0;
}

static bool is_flat(const struct restyling *restyling)
{
    return restyling->layout->one_line || restyling->flat > 0 || is_hugged(restyling);
}

static void break_line(const struct restyling *restyling)
{
    struct json_indent indent = restyling->layout->indent;
    indent.levels += restyling->depth;
    buffer_add(restyling->buffer, "\n", 1);
    json_add_indent(restyling->buffer, restyling->style, indent);
}

/* The next container is open: finds it, and its model. */
static void open_container(struct restyling *restyling)
{
    if (!restyling->begun) {
        restyling->begun = true;
        restyling->depth += !is_hugged(restyling);
        return;
    }
    const struct untorn_node *child =
        restyling->child ? restyling->child->next : restyling->at->first;
    while (!node_is_container(child)) /* there is one: it is what was opened */
        child = child->next;
    restyling->at = child;
    restyling->child = NULL;
    const struct untorn_node *outer = model_of(restyling),
                             *model = outer ? json_child_like(outer, child) : NULL;
    if (model)
        restyling->model = model;
    else
        restyling->unmodelled++;
    restyling->flat += restyling->flat > 0 || (model && json_is_on_one_line(model));
    restyling->depth += !is_hugged(restyling);
}

static void close_container(struct restyling *restyling)
{
    restyling->child = restyling->at;
    restyling->at = restyling->at->parent;
    restyling->flat -= restyling->flat > 0;
    if (restyling->unmodelled > 0)
        restyling->unmodelled--;
    else if (restyling->model)
        restyling->model = restyling->model->parent;
}

static void pad(const struct restyling *restyling)
{
    const struct json_layout *layout = restyling->layout;
    const struct untorn_node *model = model_of(restyling);
    enum untorn_kind kind = restyling->at->kind;
    bool padded = kind == layout->padded || kind == layout->padded_too;
    if (model && json_is_on_one_line(model))
        padded = json_padding(model, kind) != 0;
    if (!is_flat(restyling))
        break_line(restyling);
    else if (padded)
        buffer_add(restyling->buffer, " ", 1);
}

static size_t token_end(const char *text, size_t size, size_t at)
{
    if (text[at] != '"') {
        size_t end = at + 1;
        while (end < size && !strchr("{}[],:", text[end]))
            end++;
        return end;
    }
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at + 1;
}

static void restyle_mark(struct restyling *restyling, const char *text, size_t at)
{
    struct buffer *buffer = restyling->buffer;
    switch (text[at]) {
    case '{':
    case '[':
        buffer_add(buffer, text + at, 1);
        open_container(restyling);
        if (text[at + 1] != '}' && text[at + 1] != ']')
            pad(restyling);
        break;
    case '}':
    case ']':
        restyling->depth -= !is_hugged(restyling); /* the bracket is a level further out */
        if (text[at - 1] != '{' && text[at - 1] != '[')
            pad(restyling);
        close_container(restyling);
        buffer_add(buffer, text + at, 1);
        break;
    case ':':
        buffer_text(buffer, restyling->style->colon);
        break;
    default:
        buffer_add(buffer, ",", 1);
        if (is_flat(restyling))
            json_add_indent(buffer, restyling->style, restyling->style->comma);
        else
            break_line(restyling);
    }
}

/* `text` is JSON without a blank between its tokens, and terminated. */
static void restyle(struct restyling *restyling, const char *text, size_t size)
{
    for (size_t at = 0, end; at < size; at = end) {
        end = at + 1;
        if (strchr("{}[],:", text[at])) {
            restyle_mark(restyling, text, at);
        } else {
            end = token_end(text, size, at);
            buffer_add(restyling->buffer, text + at, end - at);
        }
    }
}

void json_add_value(struct buffer *buffer, const struct untorn_node *value,
                    const struct json_style *style, const struct json_layout *layout)
{
    bool json = value->raw_format == UNTORN_JSON || value->raw_format == UNTORN_JSONC;
    if (!node_is_container(value) && value->raw && json) {
        buffer_add(buffer, value->raw, value->raw_size);
        return;
    }
    static const struct untorn_style tight = {.compact = true, .tight = true};
    struct buffer plain = {0};
    write_json(&plain, value, &tight, 0);
    struct restyling restyling = {.buffer = buffer, .style = style, .layout = layout, .at = value};
    if (layout->model && !json_is_long(layout->model))
        restyling.model = layout->model;
    if (plain.failed)
        buffer->failed = true;
    else
        restyle(&restyling, plain.data, plain.size);
    buffer_free(&plain);
}
