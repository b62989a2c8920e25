#include "text/place.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

enum {
    SHOWN = 72,    /* characters of a line */
    FEWEST = 8,    /* an excerpt of less says nothing */
    LARGEST = 6,   /* bytes for a character: itself, and what stands under it */
    OVERHEAD = 16, /* indentation, marks of a cut, caret, newline, NUL */
};

/* One that is not UTF-8 is a character of one byte. */
static size_t character_size(const char *at, const char *end)
{
    size_t size = utf8_length(at, (size_t)(end - at));
    return size > 0 ? size : 1;
}

static size_t mark_size(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

struct text_place text_place(const char *text, size_t size, uint64_t position)
{
    struct text_place place = {.line = 1, .column = 1};
    if (size == 0)
        return place;
    const char *end = text + size, *at = text + mark_size(text, size);
    const char *here = text + (position < size ? (size_t)position : size);
    const char *newline;
    while (at < here && (newline = memchr(at, '\n', (size_t)(here - at))) != NULL) {
        place.line++;
        at = newline + 1;
    }
    for (size_t step; at < here && (step = character_size(at, end)) <= (size_t)(here - at);
         at += step)
        place.column++;
    return place;
}

/* ---- excerpts ---- */

static bool is_line_end(const char *at, const char *end)
{
    return at == end || *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] == '\n'));
}

/* To the start of the character that reaches up to `at`. */
static const char *one_back(const char *at, const char *text)
{
    for (size_t size = 2; size <= 4 && size <= (size_t)(at - text); size++)
        if (utf8_length(at - size, size) == size)
            return at - size;
    return at - 1;
}

/* At most `count` characters, and not out of the line. */
static const char *go_back(const char *at, const char *text, size_t count)
{
    while (count-- > 0 && at > text && at[-1] != '\n')
        at = one_back(at, text);
    return at;
}

static const char *go_forward(const char *at, const char *end, size_t count)
{
    while (count-- > 0 && !is_line_end(at, end))
        at += character_size(at, end);
    return at;
}

/* The character that the position is in. Line ends are where the line ends. */
static const char *place_in(const char *text, const char *end, uint64_t position)
{
    const char *at = position < (uint64_t)(end - text) ? text + position : end;
    for (size_t back = 1; back < 4 && back <= (size_t)(at - text) && at < end; back++)
        if (utf8_length(at - back, (size_t)(end - (at - back))) > back)
            return at - back;
    return at > text && at < end && *at == '\n' && at[-1] == '\r' ? at - 1 : at;
}

static uint32_t code_of(const char *at, size_t size)
{
    uint32_t code = (unsigned char)at[0];
    if (size == 1)
        return code;
    code &= 0x7fu >> size;
    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((unsigned char)at[i] & 0x3fu);
    return code;
}

/* Whether a terminal would take it for something to do: C0, DEL, C1, ends of lines and changes of
 * the direction of writing; or what is no character. */
static bool is_unfit(const char *at, size_t size)
{
    uint32_t code = code_of(at, size);
    if (code < 0x20)
        return code != '\t';
    return (code >= 0x7f && code < 0xa0) || (size == 1 && code >= 0x80) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static char *put(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}

static char *put_characters(char *to, const char *at, const char *end)
{
    for (size_t size; at < end; at += size) {
        size = character_size(at, end);
        to = is_unfit(at, size) ? put(to, "?", 1) : put(to, at, size);
    }
    return to;
}

/* How many columns a terminal gives the character, for those that people write (Unicode's East
 * Asian Width; marks that stand on the character before them). */
static size_t width_of(uint32_t code)
{
    static const struct {
        uint32_t first, last;
        size_t width;
    } ranges[] = {
        {0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},
        {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
        {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
        {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].width;
    return 1;
}

size_t text_width(const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    size_t width = 0;
    for (size_t step; at < end; at += step) {
        step = character_size(at, end);
        width += width_of(code_of(at, step));
    }
    return width;
}

/* As many blanks as the characters are wide, tabs being tabs. */
static char *put_blanks(char *to, const char *at, const char *end)
{
    for (size_t size; at < end; at += size) {
        size = character_size(at, end);
        if (*at == '\t')
            *to++ = '\t';
        else
            to = put(to, "  ", width_of(code_of(at, size)));
    }
    return to;
}

void text_excerpt(const char *text, size_t size, uint64_t position, char *excerpt, size_t room)
{
    size_t shown = room > OVERHEAD ? (room - OVERHEAD) / LARGEST : 0;
    shown = shown < SHOWN ? shown : SHOWN;
    if (room > 0)
        *excerpt = '\0';
    if (shown < FEWEST)
        return;
    const char *end = text + size, *here = place_in(text, end, position);
    text += mark_size(text, size);
    here = here > text ? here : text;
    const char *start = go_back(here, text, shown), *stop = go_forward(start, end, shown);
    bool whole = (start == text || start[-1] == '\n') && is_line_end(stop, end);
    if (!whole) {
        start = go_back(here, text, shown / 3 * 2);
        stop = go_forward(start, end, shown);
    }
    if (start == stop)
        return; /* an empty line */
    bool cut = start > text && start[-1] != '\n';
    char *to = put(excerpt, "  ", 2);
    to = put(to, "...", cut ? 3 : 0);
    to = put_characters(to, start, stop);
    to = put(to, "...", is_line_end(stop, end) ? 0 : 3);
    to = put(to, "\n  ", 3);
    to = put(to, "   ", cut ? 3 : 0);
    to = put_blanks(to, start, here);
    (void)put(to, "^", 2); /* with its NUL */
}
