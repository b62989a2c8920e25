#include "text/toml_lines.h"

#include <string.h>

static const char byte_order_mark[] = "\xef\xbb\xbf";
enum { MARK = sizeof byte_order_mark - 1 };

static void choose_eol(struct toml_lines *lines)
{
    size_t all = 0, crlf = 0;
    const char *at = lines->text + lines->begin, *end = lines->text + lines->end;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        all++;
        crlf += at > lines->text && at[-1] == '\r';
        at++;
    }
    bool windows = 2 * crlf > all;
    lines->eol = windows ? "\r\n" : "\n";
    lines->eol_size = windows ? 2 : 1;
}

void lines_begin(struct toml_lines *lines, const struct parsed *parsed)
{
    *lines = (struct toml_lines){
        .text = parsed->text ? parsed->text : "",
        .end = parsed->size,
        .statements = parsed->statements,
        .count = parsed->statement_count,
    };
    if (parsed->size >= MARK && memcmp(lines->text, byte_order_mark, MARK) == 0)
        lines->begin = MARK;
    lines->unended = lines->end > lines->begin && lines->text[lines->end - 1] != '\n';
    choose_eol(lines);
}

/* ---- lines ---- */

uint64_t lines_start(const struct toml_lines *lines, uint64_t position)
{
    while (position > lines->begin && lines->text[position - 1] != '\n')
        position--;
    return position;
}

uint64_t lines_next(const struct toml_lines *lines, uint64_t position)
{
    const char *found = memchr(lines->text + position, '\n', (size_t)(lines->end - position));
    return found ? (uint64_t)(found - lines->text) + 1 : lines->end;
}

uint64_t lines_above(const struct toml_lines *lines, uint64_t line)
{
    return lines_start(lines, line - 1);
}

/* The first byte of a line that is no blank; '\n' for none, '\0' where there is no line. */
static char first_byte(const struct toml_lines *lines, uint64_t line)
{
    if (line >= lines->end)
        return '\0';
    const char *at = lines->text + line, *end = lines->text + lines->end;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at < end ? *at : '\n';
}

bool lines_is_blank(const struct toml_lines *lines, uint64_t line)
{
    return first_byte(lines, line) == '\n';
}

bool lines_is_comment(const struct toml_lines *lines, uint64_t line)
{
    return first_byte(lines, line) == '#';
}

/* ---- statements ---- */

uint64_t lines_behind(const struct toml_lines *lines, size_t statement)
{
    return lines_next(lines, lines->statements[statement].text.end);
}

uint64_t lines_owned(const struct toml_lines *lines, size_t statement)
{
    /* A string on several lines may look like comments: not above the statement before. */
    uint64_t floor = statement > 0 ? lines_behind(lines, statement - 1) : lines->begin;
    uint64_t line = lines_start(lines, lines->statements[statement].text.start);
    while (line > floor) {
        uint64_t above = lines_above(lines, line);
        if (!lines_is_comment(lines, above))
            break;
        line = above;
    }
    return line;
}

uint64_t lines_tail(const struct toml_lines *lines, size_t statement)
{
    uint64_t line = lines_behind(lines, statement);
    uint64_t limit = statement + 1 < lines->count ? lines_owned(lines, statement + 1) : lines->end;
    while (line < limit && lines_is_comment(lines, line))
        line = lines_next(lines, line);
    return line;
}

struct span lines_indent(const struct toml_lines *lines, size_t statement)
{
    uint64_t start = lines->statements[statement].text.start;
    return (struct span){lines_start(lines, start), start};
}

bool lines_separate_tables(const struct toml_lines *lines)
{
    size_t separate = 0, close = 0;
    for (size_t i = 1; i < lines->count; i++) {
        if (lines->statements[i].kind == TOML_ASSIGNMENT)
            continue;
        if (lines_is_blank(lines, lines_above(lines, lines_owned(lines, i))))
            separate++;
        else
            close++;
    }
    return separate >= close;
}
