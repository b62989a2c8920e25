#include "text/json.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

struct scan {
    const char *text;
    size_t size, at;
    size_t depth;
    uint8_t is_object[JSON_DEPTH / 8]; /* one bit for each level: no recursion, no allocation */
};

static char peek(const struct scan *scan)
{
    return scan->at < scan->size ? scan->text[scan->at] : '\0';
}

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->size && memchr(" \t\n\r", scan->text[scan->at], 4))
        scan->at++;
}

static bool take(struct scan *scan, char expected)
{
    if (scan->at >= scan->size || scan->text[scan->at] != expected)
        return false;
    scan->at++;
    return true;
}

static bool take_word(struct scan *scan, const char *word)
{
    size_t length = strlen(word);
    if (scan->size - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

static bool take_digits(struct scan *scan)
{
    size_t start = scan->at;
    while (peek(scan) >= '0' && peek(scan) <= '9')
        scan->at++;
    return scan->at > start;
}

static bool take_number(struct scan *scan)
{
    (void)take(scan, '-');
    if (!take(scan, '0') && !take_digits(scan))
        return false;
    if (take(scan, '.') && !take_digits(scan))
        return false;
    if (take(scan, 'e') || take(scan, 'E')) {
        if (!take(scan, '+'))
            (void)take(scan, '-');
        return take_digits(scan);
    }
    return true;
}

static bool take_escape(struct scan *scan)
{
    char c = peek(scan);
    scan->at++;
    if (c != 'u')
        return c != '\0' && strchr("\"\\/bfnrt", c) != NULL;
    for (int i = 0; i < 4; i++, scan->at++)
        if (peek(scan) == '\0' || !strchr("0123456789abcdefABCDEF", peek(scan)))
            return false;
    return true;
}

static bool take_string(struct scan *scan)
{
    if (!take(scan, '"'))
        return false;
    while (scan->at < scan->size) {
        unsigned char c = (unsigned char)scan->text[scan->at];
        if (c == '"') {
            scan->at++;
            return true;
        }
        if (c < 0x20)
            return false;
        if (c == '\\') {
            scan->at++;
            if (!take_escape(scan))
                return false;
            continue;
        }
        size_t length = utf8_length(scan->text + scan->at, scan->size - scan->at);
        if (length == 0)
            return false;
        scan->at += length;
    }
    return false;
}

static bool in_object(const struct scan *scan)
{
    size_t level = scan->depth - 1;
    return scan->is_object[level / 8] >> level % 8 & 1;
}

static bool enter(struct scan *scan, bool object)
{
    if (scan->depth >= JSON_DEPTH)
        return false;
    size_t level = scan->depth++;
    scan->is_object[level / 8] &= (uint8_t) ~(1u << level % 8);
    scan->is_object[level / 8] |= (uint8_t)((object ? 1u : 0u) << level % 8);
    scan->at++;
    return true;
}

static bool take_name(struct scan *scan)
{
    skip_blanks(scan);
    if (!take_string(scan))
        return false;
    skip_blanks(scan);
    return take(scan, ':');
}

/* A value up to its end, or up to the inside of a container that is not empty. *ret_done: the value
 * is complete. */
static bool take_value(struct scan *scan, bool *ret_done)
{
    skip_blanks(scan);
    char c = peek(scan);
    *ret_done = true;
    if (c == '{' || c == '[') {
        if (!enter(scan, c == '{'))
            return false;
        skip_blanks(scan);
        if (take(scan, c == '{' ? '}' : ']')) {
            scan->depth--;
            return true;
        }
        *ret_done = false;
        return c == '{' ? take_name(scan) : true;
    }
    if (c == '"')
        return take_string(scan);
    if (c == 't')
        return take_word(scan, "true");
    if (c == 'f')
        return take_word(scan, "false");
    if (c == 'n')
        return take_word(scan, "null");
    return take_number(scan);
}

/* After a complete value: closes containers until a comma asks for the next value, or the end. */
static bool take_after(struct scan *scan, bool *ret_more)
{
    *ret_more = false;
    while (scan->depth > 0) {
        skip_blanks(scan);
        if (take(scan, ',')) {
            *ret_more = true;
            return in_object(scan) ? take_name(scan) : true;
        }
        if (!take(scan, in_object(scan) ? '}' : ']'))
            return false;
        scan->depth--;
    }
    return true;
}

bool json_is_valid(const char *text, size_t size, size_t *ret_position)
{
    struct scan scan = {.text = text, .size = size};
    bool more = true, valid = true;
    while (valid && more) {
        bool done;
        valid = take_value(&scan, &done);
        if (valid && done)
            valid = take_after(&scan, &more);
    }
    skip_blanks(&scan);
    valid = valid && scan.at == size;
    if (ret_position)
        *ret_position = scan.at < size ? scan.at : size;
    return valid;
}
