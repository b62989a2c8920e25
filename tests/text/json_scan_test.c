#include "harness.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/json_portable.h"
#include "text/json_scan.h"

struct engine {
    void (*begin)(struct json_scanner *scanner, enum untorn_format format);
    void (*feed)(struct json_scanner *scanner, const char *text, size_t size, bool last);
    enum json_token (*next)(struct json_scanner *scanner);
    enum json_token (*rest)(struct json_scanner *scanner);
    const char *(*text)(const struct json_scanner *scanner);
};

static const struct engine usual = {json_scan_begin, json_scan_feed, json_scan_next, json_scan_rest,
                                    json_token_text};
static const struct engine portable = {portable_begin, portable_feed, portable_next, portable_rest,
                                       portable_text};

/* ---- what a scan gave ---- */

struct row {
    enum json_token token;
    uint64_t start, end;
    size_t depth;
    bool escaped, integer;
};

enum { MOST_ROWS = 4000 };

struct record {
    struct row rows[MOST_ROWS];
    size_t count;
    struct flaw flaw; /* if the last row is JSON_WRONG */
};

static void note(struct record *record, const struct json_scanner *scanner, enum json_token token)
{
    CHECK(record->count < MOST_ROWS);
    struct row *row = &record->rows[record->count++];
    bool text = token == JSON_KEY || token == JSON_STRING;
    *row = (struct row){.token = token, .depth = scanner->depth};
    if (token < JSON_DONE) {
        row->start = scanner->start;
        row->end = scanner->end;
    }
    row->escaped = text && scanner->escaped;
    row->integer = token == JSON_NUMBER && scanner->integer;
    record->flaw = scanner->flaw;
}

/* A buffer of exactly that size, so that a sanitizer sees a byte too many. */
static char *exact(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    CHECK(copy);
    if (size > 0)
        memcpy(copy, text, size);
    return copy;
}

static void check_text(const struct engine *engine, const struct json_scanner *scanner,
                       const char *text)
{
    const char *token = engine->text(scanner);
    CHECK(token || scanner->skips);
    if (token)
        CHECK_BYTES(token, scanner->end - scanner->start, text + scanner->start,
                    scanner->end - scanner->start);
}

/* The first piece has `first` bytes, each later one adds `step`. */
static void scan(const struct engine *engine, const char *text, size_t size,
                 enum untorn_format format, size_t first, size_t step, bool skips,
                 struct record *record)
{
    struct json_scanner scanner;
    size_t have = first < size ? first : size;
    char *piece = exact(text, have);
    enum json_token token;
    record->count = 0;
    engine->begin(&scanner, format);
    scanner.skips = skips;
    engine->feed(&scanner, piece, have, have == size && step == 0);
    while ((token = engine->next(&scanner)) != JSON_DONE && token != JSON_WRONG) {
        if (token != JSON_MORE) {
            check_text(engine, &scanner, text);
            note(record, &scanner, token);
            continue;
        }
        CHECK(scanner.keep <= have);
        bool last = have == size;
        have = size - have > step ? have + step : size;
        free(piece);
        piece = exact(text + scanner.keep, have - scanner.keep);
        engine->feed(&scanner, piece, have - scanner.keep, last);
    }
    note(record, &scanner, token);
    CHECK_INT(engine->next(&scanner), token); /* it stays so */
    free(piece);
}

static void scan_whole(const char *text, size_t size, enum untorn_format format,
                       struct record *record)
{
    scan(&usual, text, size, format, size, 0, false, record);
}

static bool same(const struct record *a, const struct record *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct row *x = &a->rows[i], *y = &b->rows[i];
        if (x->token != y->token || x->start != y->start || x->end != y->end ||
            x->depth != y->depth || x->escaped != y->escaped || x->integer != y->integer)
            return false;
    }
    return a->rows[a->count - 1].token != JSON_WRONG ||
           (a->flaw.position == b->flaw.position && a->flaw.at_end == b->flaw.at_end &&
            strcmp(a->flaw.what, b->flaw.what) == 0);
}

static bool is_valid(const char *text, size_t size, enum untorn_format format)
{
    struct json_scanner scanner;
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text, size, true);
    return json_scan_rest(&scanner) == JSON_DONE;
}

static void check_valid(const char *text, enum untorn_format format)
{
    if (!is_valid(text, strlen(text), format))
        CHECK_TEXT(text, "a valid text");
}

static void check_flaw(const char *text, enum untorn_format format, size_t position,
                       const char *what)
{
    struct json_scanner scanner;
    size_t size = strlen(text);
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text, size, true);
    if (json_scan_rest(&scanner) != JSON_WRONG)
        CHECK_TEXT(text, "an invalid text");
    CHECK_TEXT(scanner.flaw.what, what);
    CHECK_INT(scanner.flaw.position, position);
    CHECK_INT(scanner.flaw.at_end, position == size); /* [SCAN-4] */
}

/* ---- documents that have everything ---- */

static const char rich_json[] =
    "\xef\xbb\xbf{\n  \"name\" : \"a string that is longer than one block of sixteen bytes\",\r\n"
    "\t\"\\u00e9\\\"key\": [1, -2.50e+10, 0, 12345678901234567890, true,false , null],\n"
    "  \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and plain text behind it, then \xe6\x88\x91\xe8"
    "\x83\xbd\xe5\x90\x9e\xe4\xb8\x8b\xe7\x8e\xbb\xe7\x92\x83\": {},\"\":[],\n"
    "                                    \"deep\":[[{\"x\":[\"\\\\\\/\\b\\ud83d\\ude00\"]}]]\n}\n";

static const char rich_jsonc[] =
    "// first \xc3\xa9\n{ /* a * b ** / c */ \"a\"/**/:/***/[1,/*x*/2 // end\r\n , // \xf0\x9f\x98"
    "\x80\n],\n  \"long comment\": /* \xe6\x88\x91\xe8\x83\xbd\xe5\x90\x9e\xe4\xb8\x8b longer than "
    "a block */ {\"b\":{},},\n}// the end";

static const char *const others[] = {
    "0",          "-1.5E-3",     "\"\"",
    "[]",         " {} ",        "[[],[],[{}]]",
    "true",       "[1,]",        "{\"a\":}",
    "[1 2]",      "nul",         "tRue",
    "[01]",       "[1.]",        "[1e]",
    "[-]",        "[-a]",        "\"\\x\"",
    "[,]",        "{,}",         "{\"a\"1}",
    "\"a\tb\"",   "\"\\u12g4\"", "/",
    "[1/]",       "[/*",         "[/* *",
    "// x",       "1 // \xff",   "[1,,]",
    "\"\xff",     "\"\xc3(\"",   "1 1",
    "{\"a\":1]",  "[}",          "'a'",
    "",           "\xef\xbb",    "\xff\xfe",
    "\"\xe2\x82", "1/* \xe2",    "[\"abcdefghijklmnop\xed\xa0\x80\"]",
    "[1,2,3",     "{\"a\":1,}",  "\"\\",
    "\"\\u0",     "[tru]",       "[\"a\"  \n\n  \v 1]",
};

enum { OTHER_COUNT = sizeof others / sizeof *others };

typedef void each_document(const char *text, size_t size, enum untorn_format format);

static void for_each(each_document *use)
{
    for (int mode = 0; mode < 2; mode++) {
        enum untorn_format format = mode ? UNTORN_JSONC : UNTORN_JSON;
        use(rich_json, sizeof rich_json - 1, format);
        use(rich_jsonc, sizeof rich_jsonc - 1, format);
        for (size_t i = 0; i < OTHER_COUNT; i++)
            use(others[i], strlen(others[i]), format);
    }
}

/* ---- tokens ---- */

TEST(tokens_come_in_order_with_their_places)
{
    static struct record record;
    static const char text[] = " {\"a\": [1, \"b\\n\", true], \"c\": {}, \"d\": -2.5}";
    static const struct row expected[] = {
        {JSON_OBJECT_BEGIN, 1, 2, 1, 0, 0},   {JSON_KEY, 2, 5, 1, 0, 0},
        {JSON_ARRAY_BEGIN, 7, 8, 2, 0, 0},    {JSON_NUMBER, 8, 9, 2, 0, 1},
        {JSON_STRING, 11, 16, 2, 1, 0},       {JSON_TRUE, 18, 22, 2, 0, 0},
        {JSON_ARRAY_END, 22, 23, 1, 0, 0},    {JSON_KEY, 25, 28, 1, 0, 0},
        {JSON_OBJECT_BEGIN, 30, 31, 2, 0, 0}, {JSON_OBJECT_END, 31, 32, 1, 0, 0},
        {JSON_KEY, 34, 37, 1, 0, 0},          {JSON_NUMBER, 39, 43, 1, 0, 0},
        {JSON_OBJECT_END, 43, 44, 0, 0, 0},   {JSON_DONE, 0, 0, 0, 0, 0},
    };
    scan_whole(text, sizeof text - 1, UNTORN_JSON, &record);
    CHECK_INT(record.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < record.count; i++) {
        CHECK_INT(record.rows[i].token, expected[i].token);
        CHECK_INT(record.rows[i].start, expected[i].start);
        CHECK_INT(record.rows[i].end, expected[i].end);
        CHECK_INT(record.rows[i].depth, expected[i].depth);
        CHECK_INT(record.rows[i].escaped, expected[i].escaped);
        CHECK_INT(record.rows[i].integer, expected[i].integer);
    }
}

TEST(only_a_number_without_fraction_and_exponent_is_an_integer)
{
    static const char *const texts[] = {"1", "-0", "123456789012345678901", "1.0", "1e2", "1E-2"};
    static struct record record;
    for (size_t i = 0; i < 6; i++) {
        scan_whole(texts[i], strlen(texts[i]), UNTORN_JSON, &record);
        CHECK_INT(record.rows[0].token, JSON_NUMBER);
        CHECK_INT(record.rows[0].integer, i < 3);
    }
}

TEST(a_number_ends_where_it_ends_however_long_its_parts_are)
{
    static struct record record;
    char text[100];
    for (int whole = 1; whole < 20; whole++)
        for (int fraction = 0; fraction < 20; fraction++)
            for (int form = 0; form < 4; form++) {
                int size = snprintf(text, sizeof text, "%s%.*s%s%.*s%s", form & 1 ? "-" : "", whole,
                                    "1234567890123456789", fraction ? "." : "", fraction,
                                    "0123456789012345678", form & 2 ? "e+1" : "");
                memset(text + size, ' ', 20);
                scan_whole(text, (size_t)size + 20, UNTORN_JSON, &record);
                CHECK_INT(record.count, 2);
                CHECK_INT(record.rows[0].end, size);
                CHECK_INT(record.rows[0].integer, !fraction && !(form & 2));
            }
}

TEST(a_container_is_skipped_up_to_its_end)
{
    static const char text[] = "[{\"a\":[[],{}]},7]";
    struct json_scanner scanner;
    json_scan_begin(&scanner, UNTORN_JSON);
    json_scan_feed(&scanner, text, sizeof text - 1, true);
    CHECK_INT(json_scan_next(&scanner), JSON_ARRAY_BEGIN);
    CHECK_INT(json_scan_next(&scanner), JSON_OBJECT_BEGIN);
    CHECK_INT(json_scan_skip(&scanner, scanner.depth), JSON_OBJECT_END);
    CHECK_INT(scanner.start, 13);
    CHECK_INT(json_scan_next(&scanner), JSON_NUMBER);
    CHECK_INT(scanner.start, 15);
    CHECK_INT(json_scan_skip(&scanner, 1), JSON_ARRAY_END);
    CHECK_INT(json_scan_next(&scanner), JSON_DONE);
}

TEST(a_skip_goes_on_after_the_end_of_a_piece)
{
    static const char text[] = "[{\"a\":[[],{}]},7]";
    for (size_t cut = 2; cut < sizeof text - 1; cut++) {
        struct json_scanner scanner;
        json_scan_begin(&scanner, UNTORN_JSON);
        json_scan_feed(&scanner, text, cut, false);
        CHECK_INT(json_scan_next(&scanner), JSON_ARRAY_BEGIN);
        CHECK_INT(json_scan_next(&scanner), JSON_OBJECT_BEGIN);
        size_t depth = scanner.depth;
        enum json_token token = json_scan_skip(&scanner, depth);
        if (token == JSON_MORE) {
            json_scan_feed(&scanner, text + scanner.keep, sizeof text - 1 - scanner.keep, true);
            token = json_scan_skip(&scanner, depth);
        }
        CHECK_INT(token, JSON_OBJECT_END);
        CHECK_INT(scanner.start, 13);
    }
}

/* ---- pieces ---- */

static void cut_everywhere(const char *text, size_t size, enum untorn_format format)
{
    static struct record whole, pieces;
    scan_whole(text, size, format, &whole);
    for (size_t first = 0; first <= size; first++) {
        scan(&usual, text, size, format, first, size + 1, false, &pieces);
        CHECK(same(&whole, &pieces)); /* [SCAN-3] */
        scan(&portable, text, size, format, first, size + 1, true, &pieces);
        CHECK(same(&whole, &pieces));
    }
}

TEST(where_a_text_is_cut_does_not_matter)
{
    for_each(cut_everywhere);
}

static void cut_small(const char *text, size_t size, enum untorn_format format)
{
    static struct record whole, pieces;
    scan_whole(text, size, format, &whole);
    for (size_t step = 1; step < 40; step += step < 4 ? 1 : 7)
        for (int skips = 0; skips < 2; skips++) {
            scan(&usual, text, size, format, step, step, skips, &pieces);
            CHECK(same(&whole, &pieces)); /* [SCAN-3] */
        }
}

TEST(a_text_may_come_in_many_small_pieces)
{
    for_each(cut_small);
}

TEST(a_record_that_differs_is_not_the_same)
{
    static struct record a, b;
    scan_whole("[1,2]", 5, UNTORN_JSON, &a);
    scan_whole("[1, 2]", 6, UNTORN_JSON, &b);
    CHECK(!same(&a, &b));
    scan_whole("[1,2", 4, UNTORN_JSON, &b);
    CHECK(!same(&a, &b));
}

TEST(what_is_kept_begins_at_the_unfinished_token)
{
    static const struct {
        const char *text;
        uint64_t keep, keep_skipping;
    } cases[] = {
        {"[12", 1, 1},           {"[\"abc", 1, 5},  {"[\"ab\\u00", 1, 4}, {"[\"ab\xe2\x82", 1, 4},
        {"[1,   ", 6, 6},        {"{\"a\" ", 5, 5}, {"[ /* abc ", 9, 9},  {"[ /* abc *", 9, 9},
        {"[ // \xe2\x82", 5, 5}, {"[tru", 1, 1},    {"\xef\xbb", 0, 0},   {"[ /", 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int skips = 0; skips < 2; skips++) {
            struct json_scanner scanner;
            json_scan_begin(&scanner, UNTORN_JSONC);
            scanner.skips = skips;
            json_scan_feed(&scanner, cases[i].text, strlen(cases[i].text), false);
            CHECK_INT(json_scan_rest(&scanner), JSON_MORE);
            /* [SCAN-1] [SCAN-2] */
            CHECK_INT(scanner.keep, skips ? cases[i].keep_skipping : cases[i].keep);
        }
}

/* `size` bytes through a buffer of `room`, which must suffice. */
static enum json_token check_through(const char *text, size_t size, size_t room,
                                     enum untorn_format format)
{
    struct json_scanner scanner;
    char *buffer = malloc(room);
    size_t have = room < size ? room : size, done = have;
    enum json_token token;
    CHECK(buffer);
    memcpy(buffer, text, have);
    json_scan_begin(&scanner, format);
    scanner.skips = true;
    json_scan_feed(&scanner, buffer, have, false);
    while ((token = json_scan_rest(&scanner)) == JSON_MORE) {
        size_t left = (size_t)(done - scanner.keep), more = room - left;
        CHECK(left < room);
        memmove(buffer, buffer + have - left, left);
        more = more < size - done ? more : size - done;
        memcpy(buffer + left, text + done, more);
        have = left + more;
        done += more;
        json_scan_feed(&scanner, buffer, have, more == 0);
    }
    free(buffer);
    return token;
}

TEST(a_long_string_or_comment_needs_no_long_buffer)
{
    size_t size = 1000000;
    char *text = malloc(size);
    CHECK(text);
    for (size_t i = 0; i < size; i++)
        text[i] = "\xe6\x88\x91"[i % 3]; /* [SCAN-2] */
    text[0] = text[size - 1] = '"';
    text[1] = text[2] = 'x';
    memcpy(text + size - 4, "abc", 3);
    CHECK_INT(check_through(text, size, 32, UNTORN_JSON), JSON_DONE);
    text[size - 2] = '\xff';
    CHECK_INT(check_through(text, size, 32, UNTORN_JSON), JSON_WRONG);
    memcpy(text, "/* ", 3);
    memcpy(text + size - 4, "*/ 1", 4);
    CHECK_INT(check_through(text, size, 32, UNTORN_JSONC), JSON_DONE);
    free(text);
}

TEST(pieces_that_bring_nothing_change_nothing)
{
    struct json_scanner scanner;
    json_scan_begin(&scanner, UNTORN_JSON);
    for (int i = 0; i < 3; i++) {
        json_scan_feed(&scanner, NULL, 0, false);
        CHECK_INT(json_scan_next(&scanner), JSON_MORE);
        CHECK_INT(json_scan_next(&scanner), JSON_MORE);
    }
    json_scan_feed(&scanner, "[]", 2, false);
    CHECK_INT(json_scan_rest(&scanner), JSON_MORE);
    CHECK_INT(scanner.keep, 2);
    json_scan_feed(&scanner, NULL, 0, true);
    CHECK_INT(json_scan_next(&scanner), JSON_DONE);
}

/* ---- both implementations ---- */

static void compare_both(const char *text, size_t size, enum untorn_format format)
{
    static struct record a, b;
    scan(&usual, text, size, format, size, 0, false, &a);
    scan(&portable, text, size, format, size, 0, false, &b);
    CHECK(same(&a, &b));
}

static void compare_damaged(const char *text, size_t size, enum untorn_format format)
{
    static const char bytes[] = "\"\\\x01\x1f \n/*,:[]{}019-.eEtu\x7f\x80\x9f\xa0\xbf\xc1\xc3\xe0"
                                "\xed\xf0\xf4\xf5\xff";
    char *damaged = malloc(size + 1);
    CHECK(damaged);
    for (size_t at = 0; at < size; at++) {
        memcpy(damaged, text, at);
        memcpy(damaged + at, text + at + 1, size - at - 1);
        compare_both(damaged, size - 1, format);
        memcpy(damaged, text, size);
        for (size_t i = 0; i < sizeof bytes; i++) { /* the NUL too */
            damaged[at] = bytes[i];
            compare_both(damaged, size, format);
        }
    }
    free(damaged);
}

TEST(with_and_without_vectors_any_damage_is_judged_alike)
{
    for_each(compare_damaged);
}

TEST(with_and_without_vectors_nothing_depends_on_alignment)
{
    char text[sizeof rich_json + 64];
    for (size_t shift = 0; shift < 40; shift++) {
        memset(text, ' ', shift);
        memcpy(text + shift, rich_json + 3, sizeof rich_json - 4);
        size_t size = shift + sizeof rich_json - 4;
        CHECK(is_valid(text, size, UNTORN_JSON));
        compare_both(text, size, UNTORN_JSON);
        compare_damaged(text + shift, 60, UNTORN_JSON);
    }
}

/* ---- UTF-8 ---- */

/* Whether the four bytes, in a string behind `before` bytes, are taken for UTF-8. */
static bool is_taken(const struct engine *engine, const char four[4], size_t before)
{
    struct json_scanner scanner;
    char text[64];
    memset(text, 'x', sizeof text);
    text[0] = text[before + 24] = '"';
    memcpy(text + before, four, 4);
    engine->begin(&scanner, UNTORN_JSON);
    engine->feed(&scanner, text, before + 25, true);
    return engine->rest(&scanner) == JSON_DONE;
}

static bool is_utf8(const char four[4])
{
    for (size_t at = 0, length; at < 4; at += length) {
        char rest[4] = "xxxx"; /* what is behind the four */
        memcpy(rest, four + at, 4 - at);
        length = utf8_length(rest, 4);
        if (length == 0 || length > 4 - at)
            return false;
    }
    return true;
}

TEST(strings_are_utf_8_to_the_bit)
{
    static const char tails[] = "x\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc3\xff";
    for (int lead = 0x80; lead < 0x100; lead++)
        for (int second = 0x20; second < 0x100; second++)
            for (size_t tail = 0; tail < 11 * 11; tail++) {
                const char four[4] = {(char)lead, (char)second, tails[tail / 11], tails[tail % 11]};
                if (second == '"' || second == '\\')
                    continue;
                bool good = is_utf8(four);
                CHECK_INT(is_taken(&usual, four, 1 + tail % 17), good);
                CHECK_INT(is_taken(&portable, four, 1), good);
            }
}

TEST(a_wrong_character_far_into_a_string_is_found_where_it_begins)
{
    enum { SIZE = 200 };
    char text[SIZE];
    for (size_t at = 1; at < SIZE - 4; at++) {
        for (size_t i = 0; i < SIZE; i++)
            text[i] = "\xc3\xa9"[i % 2 == 0]; /* pairs from 1 on */
        text[0] = text[SIZE - 1] = '"';
        text[1] = text[2] = text[SIZE - 2] = 'x';
        text[at] = '\xff';
        struct json_scanner scanner;
        json_scan_begin(&scanner, UNTORN_JSON);
        json_scan_feed(&scanner, text, SIZE, true);
        CHECK_INT(json_scan_rest(&scanner), JSON_WRONG);
        /* In place of a second byte it makes the first one wrong, in place of a first itself. */
        CHECK_INT(scanner.flaw.position, at > 3 && at % 2 == 0 ? at - 1 : at);
        CHECK_TEXT(scanner.flaw.what, "this is not UTF-8");
    }
}

TEST(many_characters_before_a_wrong_one_are_not_looked_at_again_and_again)
{
    size_t size = 4000000; /* what is quadratic does not come back */
    char *text = malloc(size);
    CHECK(text);
    for (size_t i = 0; i < size; i++)
        text[i] = "\xc3\xa9 "[i % 3];
    text[0] = '"';
    text[1] = text[2] = 'x';
    text[size - 1] = '\xff';
    CHECK(!is_valid(text, size, UNTORN_JSON));
    free(text);
}

TEST(a_byte_order_mark_is_skipped_at_the_start_alone)
{
    static struct record record;
    scan_whole("\xef\xbb\xbf 1", 5, UNTORN_JSON, &record);
    CHECK_INT(record.rows[0].token, JSON_NUMBER);
    CHECK_INT(record.rows[0].start, 4);
    check_flaw(" \xef\xbb\xbf 1", UNTORN_JSON, 1, "expected a value");
    check_flaw("\xef\xbb\xbf\xef\xbb\xbf 1", UNTORN_JSON, 3, "expected a value");
    check_flaw("\xef\xbb\xbe", UNTORN_JSON, 0, "expected a value");
    check_flaw("\xef\xbb", UNTORN_JSON, 2, "the text ends inside a byte order mark");
    check_flaw("\xef\xbb\xbf", UNTORN_JSON, 3, "the text has no value");
    check_flaw("\xff\xfe{", UNTORN_JSON, 0, "this is not UTF-8, but perhaps UTF-16");
}

/* ---- flaws ---- */

static void check_prefixes(const char *text, size_t size, enum untorn_format format)
{
    struct json_scanner scanner;
    for (size_t cut = 0; cut < size; cut++) {
        char *prefix = exact(text, cut);
        json_scan_begin(&scanner, format);
        json_scan_feed(&scanner, prefix, cut, true);
        CHECK_INT(json_scan_rest(&scanner), JSON_WRONG);
        CHECK(scanner.flaw.at_end); /* [SCAN-4] */
        CHECK_INT(scanner.flaw.position, cut);
        free(prefix);
    }
}

TEST(what_stops_too_early_is_called_truncated)
{
    check_prefixes(rich_json, sizeof rich_json - 2, UNTORN_JSON); /* without the newline */
    check_prefixes(rich_jsonc, sizeof rich_jsonc - 1 - strlen("// the end"), UNTORN_JSONC);
    check_prefixes("\"abc\"", 5, UNTORN_JSON);
    check_prefixes("null", 4, UNTORN_JSON);
    CHECK(is_valid("12", 1, UNTORN_JSON)); /* a number alone may stop anywhere */
}

TEST(a_flaw_is_at_the_end_only_if_the_text_stops_there)
{
    static struct record record;
    size_t wrong = 0;
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        size_t size = strlen(others[i]);
        scan_whole(others[i], size, UNTORN_JSON, &record);
        if (record.rows[record.count - 1].token != JSON_WRONG)
            continue;
        wrong++;
        CHECK_INT(record.flaw.at_end, record.flaw.position == size); /* [SCAN-4] */
        CHECK(!record.flaw.out_of_memory);
    }
    CHECK(wrong > 30);
}

static void check_before(const char *text, size_t size, enum untorn_format format)
{
    static struct record record;
    char *damaged = malloc(size + 1);
    CHECK(damaged);
    for (size_t at = 0; at < size; at++)
        for (size_t i = 0; i < 4; i++) {
            memcpy(damaged, text, size);
            damaged[at] = "\\\xc3/]"[i];
            scan_whole(damaged, size, format, &record);
            if (record.rows[record.count - 1].token == JSON_DONE)
                continue;
            scan_whole(damaged, record.flaw.position, format, &record); /* [SCAN-4] */
            CHECK(record.rows[record.count - 1].token == JSON_DONE || record.flaw.at_end);
        }
    free(damaged);
}

TEST(what_is_before_a_flaw_begins_a_document)
{
    for_each(check_before);
}

TEST(a_flaw_says_what_and_where)
{
    static const struct {
        const char *text;
        size_t position;
        const char *what;
    } cases[] = {
        {"", 0, "the text is empty"},
        {" \n", 2, "the text has no value"},
        {"x", 0, "expected a value"},
        {"'a'", 0, "a string stands in double quotes"},
        {"[1,x]", 3, "expected a value"},
        {"[,1]", 1, "expected a value"},
        {"[1 2]", 3, "expected a comma or ]"},
        {"[1}", 2, "expected a comma or ]"},
        {"{\"a\":1 \"b\":2}", 7, "expected a comma or }"},
        {"{\"a\":1]", 6, "expected a comma or }"},
        {"{a:1}", 1, "expected a key in double quotes, or }"},
        {"{\"a\":1,b:1}", 7, "expected a key in double quotes"},
        {"{\"a\" 1}", 5, "expected a colon"},
        {"{\"a\":}", 5, "expected a value"},
        {"[1,]", 3, "JSON has no comma before a closing bracket (JSONC has)"},
        {"{\"a\":1, }", 8, "JSON has no comma before a closing bracket (JSONC has)"},
        {"[1,}", 3, "expected a value"},
        {"1 2", 2, "expected nothing more: a document is one value"},
        {"[] // x", 3, "JSON has no comments (JSONC has)"},
        {"[01]", 2, "a number has no zero in front"},
        {"[-012]", 3, "a number has no zero in front"},
        {"[1.x]", 3, "expected a digit"},
        {"[1e+x]", 4, "expected a digit"},
        {"[-x]", 2, "expected a digit"},
        {"[+1]", 1, "expected a value"},
        {"[nil]", 2, "expected true, false or null"},
        {"[tru]", 4, "expected true, false or null"},
        {"[\"\\q\"]", 3, "JSON has no such escape (\\\\ is a backslash)"},
        {"[\"\\u12x4\"]", 6, "expected four hexadecimal digits"},
        {"[\"a\tb\"]", 3, "a control character: spell it \\n, \\t, \\u001b"},
        {"[\"a\xff\"]", 3, "this is not UTF-8"},
        {"[\"a", 3, "the text ends inside a string"},
        {"[\"a\\", 4, "the text ends inside a string"},
        {"[\"\xe2\x82", 4, "the text ends inside a character"},
        {"[1", 2, "the text ends inside an array"},
        {"{\"a\"", 4, "the text ends inside an object"},
        {"{\"a\":", 5, "the text ends inside an object"},
        {"-", 1, "the text ends inside a number"},
        {"[1.", 3, "the text ends inside a number"},
        {"tr", 2, "the text ends inside a word"},
        {"[\v]", 1, "expected a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_flaw(cases[i].text, UNTORN_JSON, cases[i].position, cases[i].what);
}

/* ---- JSONC ---- */

TEST(comments_stand_wherever_blanks_may)
{
    static const char *const tokens[] = {"{",     "\"a\"", ":", "[",     "1", ",", "true", ",",
                                         "\"x\"", "]",     ",", "\"b\"", ":", "{", "}",    "}"};
    static const char *const comments[] = {"//\n", "// a\r", "/**/", "/* \" { */ // b\n", "/*/*/"};
    enum { COUNT = sizeof tokens / sizeof *tokens };
    for (size_t place = 0; place <= COUNT; place++)
        for (size_t comment = 0; comment < 5; comment++) {
            char text[200] = "";
            size_t at = 0;
            for (size_t i = 0; i <= COUNT; i++) {
                if (i < place)
                    at += strlen(tokens[i]);
                if (i == place)
                    strcat(text, comments[comment]);
                strcat(text, i < COUNT ? tokens[i] : "");
            }
            check_valid(text, UNTORN_JSONC);
            check_flaw(text, UNTORN_JSON, at, "JSON has no comments (JSONC has)");
        }
}

TEST(a_comment_does_not_divide_a_token)
{
    check_flaw("tr/**/ue", UNTORN_JSONC, 2, "expected true, false or null");
    check_flaw("1/**/2", UNTORN_JSONC, 5, "expected nothing more: a document is one value");
    check_flaw("1./**/2", UNTORN_JSONC, 2, "expected a digit");
    check_valid("\"/* not a comment\"", UNTORN_JSONC);
    check_valid("\"//\"", UNTORN_JSON);
}

TEST(comments_end_and_are_utf_8)
{
    check_valid("1 // no newline", UNTORN_JSONC);
    check_valid("// a\n1", UNTORN_JSONC);
    check_valid("/* \xc3\xa9\xf0\x9f\x98\x80 ***/1", UNTORN_JSONC);
    check_valid("/* \x01\t */1", UNTORN_JSONC);
    check_valid("[1 /*\xc3\xa9*/ ]                                ", UNTORN_JSONC);
    check_flaw("[1 /*\xc3\xa9*/ x                                ", UNTORN_JSONC, 10,
               "expected a comma or ]");
    check_flaw("[1 //\xc3\xa9\n x                                ", UNTORN_JSONC, 9,
               "expected a comma or ]");
    check_flaw("1 /* ", UNTORN_JSONC, 5, "the text ends inside a comment");
    check_flaw("1 /* *", UNTORN_JSONC, 6, "the text ends inside a comment");
    check_flaw("1 /*/", UNTORN_JSONC, 5, "the text ends inside a comment");
    check_flaw("1 /", UNTORN_JSONC, 3, "the text ends inside a comment");
    check_flaw("1 / 2", UNTORN_JSONC, 3, "expected // or /* for a comment");
    check_flaw("1 # 2", UNTORN_JSONC, 2, "expected nothing more: a document is one value");
    check_flaw("// a", UNTORN_JSONC, 4, "the text has no value");
    check_flaw("1 // \xff", UNTORN_JSONC, 5, "this is not UTF-8");
    check_flaw("1 /* \xed\xa0\x80 */", UNTORN_JSONC, 5, "this is not UTF-8");
    check_flaw("1 // \xe2\x82", UNTORN_JSONC, 7, "the text ends inside a character");
    check_flaw("/* */ */ 1", UNTORN_JSONC, 6, "expected a value");
}

TEST(one_comma_may_stand_behind_the_last)
{
    static const char *const good[] = {"[1,]", "{\"a\":1,}", "[[],]", "[1 , /* */ ] // x"};
    for (size_t i = 0; i < 4; i++)
        check_valid(good[i], UNTORN_JSONC);
    check_flaw("[,]", UNTORN_JSONC, 1, "expected a value");
    check_flaw("{,}", UNTORN_JSONC, 1, "expected a key in double quotes, or }");
    check_flaw("[1,,]", UNTORN_JSONC, 3, "expected a value");
    check_flaw("{\"a\":1,,}", UNTORN_JSONC, 7, "expected a key in double quotes");
    check_flaw("{\"a\":1,]", UNTORN_JSONC, 7, "expected a key in double quotes");
    check_flaw("[1,}", UNTORN_JSONC, 3, "expected a value");
    check_flaw("{\"a\":,}", UNTORN_JSONC, 5, "expected a value");
    check_flaw("1,", UNTORN_JSONC, 1, "expected nothing more: a document is one value");
}

/* ---- depth ---- */

TEST(brackets_nest_a_thousand_deep_and_no_deeper)
{
    enum { SIZE = 250000 };
    char *text = malloc(SIZE);
    struct json_scanner scanner;
    CHECK(text);
    memset(text, '[', JSON_DEPTH);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    CHECK(is_valid(text, 2 * JSON_DEPTH, UNTORN_JSON));
    memset(text, '[', SIZE);
    json_scan_begin(&scanner, UNTORN_JSON);
    json_scan_feed(&scanner, text, SIZE, true);
    CHECK_INT(json_scan_rest(&scanner), JSON_WRONG);
    CHECK_INT(scanner.flaw.position, JSON_DEPTH);
    CHECK_TEXT(scanner.flaw.what, "this is nested deeper than 1000 levels");
    CHECK_INT(JSON_DEPTH, 1000);
    free(text);
}
