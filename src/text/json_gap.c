#include "text/json_gap.h"

size_t json_start(const struct parsed *parsed, const struct untorn_node *node)
{
    return (size_t)((node->key_raw ? node->key_raw : node->raw) - parsed->text);
}

size_t json_end(const struct parsed *parsed, const struct untorn_node *node)
{
    return (size_t)(node->raw - parsed->text) + node->raw_size;
}

size_t json_back(const struct parsed *parsed, size_t at, size_t limit)
{
    while (at > limit && (parsed->text[at - 1] == ' ' || parsed->text[at - 1] == '\t'))
        at--;
    return at;
}

size_t json_on(const struct parsed *parsed, size_t at, size_t limit)
{
    while (at < limit && (parsed->text[at] == ' ' || parsed->text[at] == '\t'))
        at++;
    return at;
}

bool json_line_ends(const struct parsed *parsed, size_t at)
{
    const char *text = parsed->text;
    return at < parsed->size && (text[at] == '\n' || text[at] == '\r');
}

size_t json_line_end(const struct parsed *parsed, size_t at)
{
    size_t on = json_on(parsed, at, parsed->size);
    return json_line_ends(parsed, on) ? on : at;
}

bool json_starts_line(const struct parsed *parsed, size_t at)
{
    at = json_back(parsed, at, 0);
    return at > 0 && json_is_newline(parsed->text, at - 1);
}

bool json_is_newline(const char *text, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && text[at + 1] != '\n');
}

/* ---- reading a gap from left to right ---- */

enum { NOWHERE = 0 }; /* no comment begins at the first byte of a text that has a gap before it */

/* What is known at some place in a gap. */
struct reading {
    struct json_gap gap;
    bool first_line; /* no line has ended yet */
    bool empty;      /* nothing on this line yet */
    bool comma_here; /* the comma is on this line */

    /* On the first line: */
    size_t first_comment, last_end;        /* of all comments */
    bool last_is_line;                     /* the last one is a line comment */
    size_t end_before_comma, behind_comma; /* the last before the comma, the first behind it */

    /* On later lines, comments that the right element gets if nothing comes between: */
    size_t pending;
    size_t above; /* those before the comma, if that is on the element's own line */
};

static size_t comment_end(const char *text, size_t at, size_t end)
{
    if (text[at + 1] == '*') {
        for (at += 4; at < end && !(text[at - 2] == '*' && text[at - 1] == '/');)
            at++;
        return at;
    }
    while (at < end && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

static void read_comment(struct reading *reading, size_t at, size_t end, bool line)
{
    reading->empty = false;
    if (!reading->first_line) {
        if (reading->pending == NOWHERE)
            reading->pending = at;
        if (reading->comma_here)
            reading->gap.comma_tail = end;
        return;
    }
    reading->last_end = end;
    reading->last_is_line = line;
    if (reading->first_comment == NOWHERE)
        reading->first_comment = at;
    if (reading->gap.has_comma && reading->behind_comma == NOWHERE)
        reading->behind_comma = at;
}

static void read_comma(struct reading *reading, size_t at)
{
    reading->gap.has_comma = true;
    reading->gap.comma = at;
    reading->gap.line_before = reading->gap.lines;
    reading->end_before_comma = reading->last_end;
    reading->above = reading->pending;
    reading->pending = NOWHERE;
    reading->empty = false;
    reading->comma_here = true;
}

static void leave_to_container(struct reading *reading, size_t *comments)
{
    reading->gap.others = reading->gap.others || *comments != NOWHERE;
    *comments = NOWHERE;
}

static void read_newline(struct reading *reading)
{
    struct json_gap *gap = &reading->gap;
    gap->lines = true;
    gap->line_after = gap->has_comma;
    if (reading->first_line) {
        reading->first_line = false;
        if (reading->first_comment != NOWHERE) {
            gap->tail = reading->last_end;
            gap->tail_is_line = reading->last_is_line;
            gap->others = gap->opens;
        }
    } else if (reading->empty || reading->comma_here) {
        leave_to_container(reading, &reading->pending);
    }
    if (gap->has_comma)
        leave_to_container(reading, &reading->above);
    reading->empty = true;
    reading->comma_here = false;
}

/* All on one line: what is before the comma belongs to the left, what is behind it to the right. */
static void finish_line(struct reading *reading)
{
    struct json_gap *gap = &reading->gap;
    if (gap->opens && gap->closes) {
        gap->others = reading->first_comment != NOWHERE;
    } else if (gap->closes && reading->last_end != NOWHERE) {
        gap->tail = reading->last_end;
    } else if (gap->opens && reading->first_comment != NOWHERE) {
        gap->head = reading->first_comment;
    } else if (!gap->opens && !gap->closes) {
        if (reading->end_before_comma != NOWHERE)
            gap->tail = reading->end_before_comma;
        if (reading->behind_comma != NOWHERE)
            gap->head = reading->behind_comma;
    }
}

static void finish_lines(struct reading *reading)
{
    struct json_gap *gap = &reading->gap;
    if (gap->closes) {
        leave_to_container(reading, &reading->pending);
        leave_to_container(reading, &reading->above);
        return;
    }
    if (reading->pending != NOWHERE)
        gap->head = reading->pending;
    gap->comma_first = gap->line_before && !gap->line_after;
    if (gap->comma_first)
        gap->unit = reading->above != NOWHERE ? reading->above : gap->comma;
}

static struct json_gap read_gap(const char *text, struct json_gap gap)
{
    struct reading reading = {.gap = gap, .first_line = true};
    for (size_t at = gap.start; at < gap.end; at++) {
        if (json_is_newline(text, at)) {
            read_newline(&reading);
        } else if (text[at] == ',') {
            read_comma(&reading, at);
        } else if (text[at] == '/') {
            size_t end = comment_end(text, at, gap.end);
            read_comment(&reading, at, end, text[at + 1] == '/');
            at = end - 1;
        }
    }
    if (reading.first_line)
        finish_line(&reading);
    else
        finish_lines(&reading);
    return reading.gap;
}

struct json_gap json_gap_between(const struct parsed *parsed, const struct untorn_node *container,
                                 const struct untorn_node *left, const struct untorn_node *right)
{
    size_t bracket = (size_t)(container->raw - parsed->text);
    size_t start = left ? json_end(parsed, left) : bracket + 1;
    size_t end = right ? json_start(parsed, right) : bracket + container->raw_size - 1;
    return read_gap(parsed->text, (struct json_gap){.start = start,
                                                    .end = end,
                                                    .opens = !left,
                                                    .closes = !right,
                                                    .tail = start,
                                                    .head = end});
}
