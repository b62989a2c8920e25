#include <string.h>

#include "text/toml_box.h"

/* ---- going over the text, which is known to be valid ---- */

/* Behind the string that begins here. */
static uint64_t skip_string(const char *text, uint64_t at)
{
    char quote = text[at];
    bool triple = text[at + 1] == quote && text[at + 2] == quote;
    if (!triple && text[at + 1] == quote)
        return at + 2;
    at += triple ? 3 : 1;
    while (text[at] != quote || (triple && (text[at + 1] != quote || text[at + 2] != quote)))
        at += text[at] == '\\' && quote == '"' ? 2 : 1;
    if (!triple)
        return at + 1;
    for (at += 3; text[at] == quote;)
        at++; /* up to two quotes may stand before the last three */
    return at;
}

static uint64_t skip_comment(const char *text, uint64_t at)
{
    while (text[at] != '\n')
        at++;
    return at;
}

uint64_t box_skip_blanks(const char *text, uint64_t at)
{
    while (text[at] == ' ' || text[at] == '\t')
        at++;
    return at;
}

/* Over one entry, to behind its last byte. */
static uint64_t skip_entry(const char *text, uint64_t at)
{
    uint64_t end = at;
    for (size_t depth = 0;; end = at) {
        while (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')
            at++;
        char byte = text[at];
        if (byte == '#') {
            uint64_t behind = skip_comment(text, at);
            if (depth == 0)
                return end;
            at = behind;
        } else if (byte == '"' || byte == '\'') {
            at = skip_string(text, at);
        } else if (byte == '[' || byte == '{') {
            depth++;
            at++;
        } else if (depth == 0 && (byte == ',' || byte == ']' || byte == '}')) {
            return end;
        } else {
            depth -= byte == ']' || byte == '}';
            at++;
        }
    }
}

/* Over blanks, newlines and comments; whether there was a newline. */
static uint64_t skip_between(const char *text, uint64_t at, bool *newline)
{
    for (;;) {
        if (text[at] == '#')
            at = skip_comment(text, at);
        if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r' && text[at] != '\n')
            return at;
        *newline |= text[at++] == '\n';
    }
}

/* The entries, or with NULL only their number. */
static size_t find_entries(const char *text, struct toml_box *box, struct toml_entry *entries)
{
    size_t count = 0;
    uint64_t at = skip_between(text, box->open + 1, &box->lines);
    while (at < box->close) {
        struct toml_entry entry = {.start = at, .end = skip_entry(text, at)};
        at = skip_between(text, entry.end, &box->lines);
        if (text[at] == ',') {
            entry.comma = at;
            at = skip_between(text, at + 1, &box->lines);
        }
        if (entries)
            entries[count] = entry;
        count++;
    }
    return count;
}

int box_open(struct toml_plan *plan, const struct untorn_node *container, struct toml_box *ret_box)
{
    struct span span = parsed_span(plan->parsed, container);
    *ret_box = (struct toml_box){
        .open = span.start, .close = span.end - 1, .table = container->kind == UNTORN_OBJECT};
    ret_box->count = find_entries(plan->lines.text, ret_box, NULL);
    if (ret_box->count == 0)
        return 0;
    ret_box->entries = arena_take(&plan->plan->arena, ret_box->count * sizeof *ret_box->entries);
    if (!ret_box->entries)
        return -UNTORN_NO_MEMORY;
    (void)find_entries(plan->lines.text, ret_box, ret_box->entries);
    return 0;
}

size_t box_entry_of(const struct toml_plan *plan, const struct toml_box *box,
                    const struct untorn_node *node)
{
    uint64_t at = parsed_span(plan->parsed, node).start;
    size_t low = 0, high = box->count; /* the last that begins at or before it */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(box->entries[middle].start <= at ? &low : &high) = middle;
    }
    return low;
}

size_t box_entry_parts(const struct toml_plan *plan, const struct toml_entry *entry,
                       struct span *parts, size_t room, struct span *ret_equals)
{
    const char *text = plan->lines.text;
    uint64_t at = entry->start;
    for (size_t count = 0;;) {
        struct span part = {.start = at};
        if (text[at] == '"' || text[at] == '\'')
            at = skip_string(text, at);
        while (text[at] != '.' && text[at] != '=' && text[at] != ' ' && text[at] != '\t')
            at++;
        part.end = at;
        if (count < room)
            parts[count] = part;
        count++;
        at = box_skip_blanks(text, at);
        if (text[at] == '=') {
            *ret_equals = (struct span){part.end, box_skip_blanks(text, at + 1)};
            return count;
        }
        at = box_skip_blanks(text, at + 1);
    }
}

/* ---- lines between brackets ---- */

bool box_first_on_line(const char *text, uint64_t at, uint64_t floor)
{
    while (at > floor && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at--;
    return at > floor && text[at - 1] == '\n';
}

bool box_ends_line(const char *text, uint64_t at, bool *ret_comment, uint64_t *ret_end)
{
    at = box_skip_blanks(text, at);
    *ret_comment = text[at] == '#';
    if (*ret_comment)
        at = skip_comment(text, at);
    if (text[at] == '\n' && text[at - 1] == '\r')
        at--;
    *ret_end = at;
    return text[at] == '\n' || (text[at] == '\r' && text[at + 1] == '\n');
}

uint64_t box_behind_newline(const char *text, uint64_t at)
{
    return at + (text[at] == '\r') + 1;
}

bool box_holds(const char *text, uint64_t at, uint64_t end, char byte)
{
    return end > at && memchr(text + at, byte, (size_t)(end - at)) != NULL;
}

uint64_t box_floor(const struct toml_box *box, size_t index)
{
    return index == 0 ? box->open + 1 : box->entries[index - 1].comma + 1;
}

uint64_t box_owned(const struct toml_lines *lines, uint64_t at, uint64_t floor)
{
    uint64_t line = lines_start(lines, at);
    while (line > floor) {
        uint64_t above = lines_above(lines, line);
        if (above < floor || !lines_is_comment(lines, above))
            break;
        line = above;
    }
    return line;
}

bool box_comma_first(const char *text, const struct toml_box *box)
{
    if (!box->lines || box->count < 2)
        return false;
    const struct toml_entry *first = box->entries, *last = &first[box->count - 1];
    if (last->comma && !box_holds(text, last->end, last->comma, '\n'))
        return false;
    return box_first_on_line(text, first->comma, first->end) &&
           !box_holds(text, first->comma, first[1].start, '\n');
}
