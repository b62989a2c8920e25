#include <string.h>

#include "base/utf8.h"
#include "text/toml_scan.h"

bool toml_fail(struct toml_scan *scan, const char *where, const char *what)
{
    *scan->flaw = (struct flaw){
        .position = (uint64_t)(where - scan->text),
        .what = what,
        .at_end = where == scan->end,
    };
    return false;
}

bool toml_no_memory(struct toml_scan *scan)
{
    (void)toml_fail(scan, scan->at, "no memory");
    scan->flaw->at_end = false;
    scan->flaw->out_of_memory = true;
    return false;
}

/* ---- bytes that are not plain ---- */

static bool is_beyond_ascii(const struct toml_scan *scan)
{
    return scan->at < scan->end && (unsigned char)*scan->at >= 0x80;
}

static bool fail_utf8(struct toml_scan *scan)
{
    unsigned char lead = (unsigned char)*scan->at;
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2, left = (size_t)(scan->end - scan->at);
    bool cut = lead >= 0xc2 && lead <= 0xf4 && left < length;
    for (size_t i = 1; i < left && cut; i++)
        cut = ((unsigned char)scan->at[i] & 0xc0) == 0x80;
    return toml_fail(scan, cut ? scan->end : scan->at, "this is not UTF-8");
}

static bool skip_utf8(struct toml_scan *scan)
{
    while (is_beyond_ascii(scan)) {
        size_t length = utf8_length(scan->at, (size_t)(scan->end - scan->at));
        if (length == 0)
            return fail_utf8(scan);
        scan->at += length;
    }
    return true;
}

static bool take_newline(struct toml_scan *scan)
{
    if (toml_take(scan, '\n'))
        return true;
    const char *next = scan->at + 1;
    if (next == scan->end || *next != '\n')
        return toml_fail(scan, next == scan->end ? next : scan->at,
                         "a carriage return without a newline");
    scan->at += 2;
    return true;
}

static bool is_newline(const struct toml_scan *scan)
{
    return toml_is(scan, '\n') || toml_is(scan, '\r');
}

/* Over what stopped a run of plain text, other than a quote or an escape. */
static bool skip_special(struct toml_scan *scan, bool lines, const char *newline_flaw)
{
    if (is_beyond_ascii(scan))
        return skip_utf8(scan);
    if (toml_take(scan, '\t'))
        return true;
    if (!is_newline(scan))
        return toml_fail(scan, scan->at, "a control character");
    return lines ? take_newline(scan) : toml_fail(scan, scan->at, newline_flaw);
}

/* ---- between values ---- */

static bool skip_comment(struct toml_scan *scan)
{
    for (;;) {
        scan->at = toml_plain(scan->at, scan->end, '\n', '\n');
        if (scan->at == scan->end || is_newline(scan))
            return true;
        if (!skip_special(scan, false, NULL))
            return false;
    }
}

bool toml_end_line(struct toml_scan *scan)
{
    toml_skip_blanks(scan);
    if (toml_is(scan, '#') && !skip_comment(scan))
        return false;
    if (scan->at == scan->end)
        return true;
    if (!is_newline(scan))
        return toml_fail(scan, scan->at, "expected the end of the line");
    return take_newline(scan);
}

bool toml_skip_lines(struct toml_scan *scan)
{
    for (;;) {
        toml_skip_blanks(scan);
        if (!is_newline(scan) && !toml_is(scan, '#'))
            return true;
        if (!toml_end_line(scan))
            return false;
    }
}

/* ---- strings ---- */

static int hex_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* How many hexadecimal digits follow the letter of an escape. */
static size_t digits_of(char letter)
{
    return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

static uint32_t code_of(const char *digits, size_t count)
{
    uint32_t code = 0;
    for (size_t i = 0; i < count; i++)
        code = code << 4 | (uint32_t)hex_value(digits[i]);
    return code;
}

static bool skip_code(struct toml_scan *scan, const char *escape, size_t count)
{
    for (size_t i = 0; i < count; i++, scan->at++)
        if (scan->at == scan->end || hex_value(*scan->at) < 0)
            return toml_fail(scan, scan->at, "expected a hexadecimal digit");
    uint32_t code = code_of(scan->at - count, count);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return toml_fail(scan, escape, "no character has this number");
    return true;
}

/* A backslash at the end of a line, which joins it with the next text. */
static bool skip_joint(struct toml_scan *scan, const char *escape)
{
    toml_skip_blanks(scan);
    if (!is_newline(scan))
        return toml_fail(scan, scan->at == scan->end ? scan->at : escape,
                         "a backslash before a blank must be the last of its line");
    while (is_newline(scan)) {
        if (!take_newline(scan))
            return false;
        toml_skip_blanks(scan);
    }
    return true;
}

static bool skip_escape(struct toml_scan *scan, bool lines)
{
    const char *escape = scan->at++;
    if (scan->at == scan->end)
        return toml_fail(scan, scan->at, "a string is not closed");
    char letter = *scan->at;
    if (lines && (letter == ' ' || letter == '\t' || is_newline(scan)))
        return skip_joint(scan, escape);
    if (letter == '\0' || !strchr("btnfr\"\\uUex", letter))
        return toml_fail(scan, escape, "there is no such escape");
    if (scan->strict && (letter == 'e' || letter == 'x'))
        return toml_fail(scan, escape, "this escape needs TOML 1.1");
    scan->at++;
    return skip_code(scan, escape, digits_of(letter));
}

/* At a quote: whether it and the next two end the string. Two more before them belong to it. */
static bool ends_lines(struct toml_scan *scan, char quote, const char **ret_end)
{
    size_t count = 0;
    while (count < 5 && scan->end - scan->at > (ptrdiff_t)count && scan->at[count] == quote)
        count++;
    scan->at += count;
    *ret_end = scan->at - 3;
    return count >= 3;
}

static bool skip_body(struct toml_scan *scan, char quote, bool lines, struct toml_string *string)
{
    char escape = quote == '"' ? '\\' : quote;
    for (;;) {
        scan->at = toml_plain(scan->at, scan->end, quote, escape);
        if (scan->at == scan->end)
            return toml_fail(scan, scan->at, "a string is not closed");
        if (*scan->at == quote && !lines) {
            string->end = scan->at++;
            return true;
        }
        if (*scan->at == quote) {
            if (ends_lines(scan, quote, &string->end))
                return true;
        } else if (*scan->at == escape) {
            string->escaped = true;
            if (!skip_escape(scan, lines))
                return false;
        } else if (!skip_special(scan, lines, "a newline in a one-line string")) {
            return false;
        }
    }
}

bool toml_string(struct toml_scan *scan, bool lines, struct toml_string *ret_string)
{
    char quote = *scan->at++;
    lines = lines && scan->end - scan->at >= 2 && scan->at[0] == quote && scan->at[1] == quote;
    if (lines) {
        scan->at += 2;
        if (is_newline(scan) && !take_newline(scan)) /* one right behind the quotes is left out */
            return false;
    }
    *ret_string = (struct toml_string){.start = scan->at};
    return skip_body(scan, quote, lines, ret_string);
}

/* ---- what strings mean ---- */

static size_t put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(leads[length] | code);
    return length;
}

/* The escape behind the backslash at `*at`, which was checked. */
static size_t put_escape(char *to, const char **at, const char *end)
{
    static const char letters[] = "btnfre\"\\", meanings[] = "\b\t\n\f\r\033\"\\";
    char letter = *(*at)++;
    size_t digits = digits_of(letter);
    if (digits > 0) {
        *at += digits;
        return put_utf8(to, code_of(*at - digits, digits));
    }
    const char *found = strchr(letters, letter);
    if (found) {
        *to = meanings[found - letters];
        return 1;
    }
    while (*at < end && (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r'))
        (*at)++;
    return 0;
}

/* In its own place; the new size. */
static size_t decode(char *text, size_t size)
{
    const char *at = text, *end = text + size;
    char *to = text;
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape ? escape : end) - at);
        memmove(to, at, plain);
        to += plain;
        at += plain + (escape != NULL);
        if (escape)
            to += put_escape(to, &at, end);
    }
    *to = '\0';
    return (size_t)(to - text);
}

const char *toml_decode(struct toml_scan *scan, const struct toml_string *string, size_t *ret_size)
{
    *ret_size = (size_t)(string->end - string->start);
    if (!string->escaped)
        return toml_keep(scan, string->start, string->end);
    char *text = arena_copy(&scan->parsed->arena, string->start, *ret_size);
    if (text)
        *ret_size = decode(text, *ret_size);
    else
        (void)toml_no_memory(scan);
    return text;
}
