/* The insides of strings, by blocks as byte for byte. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "text/json_inside.h"
#include "text/json_scan.h"

/* Strings of several blocks, full of what does not stand for itself. */
static const char strings[] =
    "[\"\\n\\u00e9 \\\\ \xc3\xa9 plain \\\\\\\\\\\\\\ud83d\\ude00\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
    "\xf0\x9f\x98\x80\xf0\x9f\x98\x80 \\\"quoted\\\" \\/\\b\\f\\t\\r\xe2\x82\xac\xe2\x82\xac\xe2"
    "\x82\xac\xe2\x82\xac\xe2\x82\xac\\u20AC\\u20ac\\uABCD\\u0000\\u0000\\u0000\\u0000\\u0000 then "
    "sixty-four and more that stand for themselves, up to the end of it all \\\\\", \"\xc3\xa9 "
    "without a backslash, \xc3\xa9, for long, up to the \xc3\xa9nd\", \"\\\\\", \"\xc3"
    "\xa9 with one "
    "backslash, \xc3\xa9, here: \\n and nothing more of the kind, up to the end\"]";

static const char bytes[] = "\"\\\x1fux0g\x80\xc3\xed\xf4";

/* ---- by blocks ---- */

static size_t escape_size(const char *at, const char *end)
{
    if (end - at < 2 || !at[1] || !strchr("\"\\/bfnrtu", at[1]))
        return 0;
    if (at[1] != 'u')
        return 2;
    for (int i = 2; i < 6; i++)
        if (end - at <= i || json_hex_digit(at[i]) > 15)
            return 0;
    return 6;
}

/* The next place between two characters; `at` if the character there is wrong, or ends it all. */
static const char *step(const char *at, const char *end)
{
    if (*at == '"' || (unsigned char)*at < ' ')
        return at;
    return *at == '\\' ? at + escape_size(at, end) : skip_character(at, end);
}

/* Whether it stops at such a place, and no earlier than it must. */
static void check_inside(const char *text, size_t size)
{
    const char *end = text + size, *blocks_end = text + size / BLOCK_SIZE * BLOCK_SIZE;
    bool escaped = false;
    const char *stop = skip_inside(text, end, &escaped), *at = text, *before = text;
    while (at < stop) {
        at = step(before = at, end);
        CHECK(at > before);
    }
    CHECK(at == stop);
    bool over = memchr(text, '\\', (size_t)(stop - text)) != NULL;
    CHECK(escaped == over || (escaped && stop < end && *stop == '\\'));
    while (at < end && step(at, end) > at)
        at = step(at, end);
    if (at >= blocks_end)
        CHECK(blocks_end - stop < 6); /* less than a character or escape */
    else if (*at == '"')
        CHECK(stop == at);
    else /* wrong: not in the block in which it is seen */
        CHECK(at - stop < 2 * BLOCK_SIZE);
}

/* The next place inside of one of the strings; NULL: there is none. */
static const char *next_inside(const char *at)
{
    at = step(at, strings + sizeof strings - 1);
    if (*at != '"')
        return at;
    return at[1] == ',' ? at + strlen("\", \"") : NULL;
}

TEST(it_stops_at_the_quote_or_between_two_characters)
{
    for (const char *at = strings + 2; at; at = next_inside(at))
        for (const char *end = at; end < strings + sizeof strings; end++)
            check_inside(at, (size_t)(end - at));
}

TEST(it_takes_nothing_that_is_wrong)
{
    char text[sizeof strings];
    for (size_t at = 2; at < sizeof text - 1; at++)
        for (size_t i = 0; i < sizeof bytes; i++) { /* the NUL too */
            memcpy(text, strings, sizeof text);
            text[at] = bytes[i];
            check_inside(text + 2, sizeof text - 3);
        }
}

/* ---- by the scanner ---- */

struct row {
    enum json_token token;
    uint64_t start, end, flaw;
    bool escaped;
};

enum { MOST_ROWS = 50 };

/* Each piece brings `step_size` bytes more. */
static size_t scan(const char *text, size_t size, size_t step_size, struct row *rows)
{
    struct json_scanner scanner;
    size_t count = 0, have = step_size < size ? step_size : size;
    enum json_token token;
    json_scan_begin(&scanner, UNTORN_JSON);
    json_scan_feed(&scanner, text, have, have == size);
    do {
        token = json_scan_next(&scanner);
        if (token == JSON_MORE) {
            have = size - have > step_size ? have + step_size : size;
            json_scan_feed(&scanner, text + scanner.keep, have - scanner.keep, have == size);
            continue;
        }
        CHECK(count < MOST_ROWS);
        rows[count++] = (struct row){.token = token,
                                     .start = scanner.start,
                                     .end = scanner.end,
                                     .flaw = token == JSON_WRONG ? scanner.flaw.position : 0,
                                     .escaped = token == JSON_STRING && scanner.escaped};
    } while (token != JSON_DONE && token != JSON_WRONG);
    return count;
}

/* In pieces that are shorter than a block, and so byte for byte. */
static void check_pieces(const char *text, size_t size)
{
    struct row whole[MOST_ROWS], pieces[MOST_ROWS];
    size_t count = scan(text, size, size, whole), last = count - 1;
    CHECK_INT(scan(text, size, 20, pieces), count);
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(pieces[i].token, whole[i].token);
        CHECK(i == last || (pieces[i].start == whole[i].start && pieces[i].end == whole[i].end));
        CHECK_INT(pieces[i].escaped, whole[i].escaped);
        CHECK_INT(pieces[i].flaw, whole[i].flaw);
    }
}

TEST(long_strings_are_the_same_in_one_and_in_many_pieces)
{
    char text[sizeof strings];
    check_pieces(strings, sizeof strings - 1);
    for (size_t at = 0; at < sizeof text - 1; at++)
        for (size_t i = 0; i < sizeof bytes; i++) {
            memcpy(text, strings, sizeof text);
            text[at] = bytes[i];
            check_pieces(text, sizeof text - 1);
        }
}
