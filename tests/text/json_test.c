#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"
#include "text/suites.h"

static bool is_valid(const char *text)
{
    return json_is_valid(text, strlen(text), NULL);
}

static size_t wrong_at(const char *text)
{
    size_t position = (size_t)-1;
    CHECK(!json_is_valid(text, strlen(text), &position));
    return position;
}

static void check_all(const char *const *texts, size_t count, bool valid)
{
    for (size_t i = 0; i < count; i++)
        if (is_valid(texts[i]) != valid)
            CHECK_TEXT(texts[i], valid ? "a valid text" : "an invalid text");
}

#define CHECK_VALID(texts) check_all(texts, sizeof texts / sizeof *texts, true)
#define CHECK_INVALID(texts) check_all(texts, sizeof texts / sizeof *texts, false)

TEST(any_value_may_stand_alone)
{
    static const char *const texts[] = {
        "null", "true", "false", "0", "-0", "\"\"", "[]", "{}", "12.5e-3", " \t\r\n1 \t\r\n",
    };
    CHECK_VALID(texts);
}

TEST(nothing_is_not_a_value)
{
    static const char *const texts[] = {"", " ", "\n", "\xef\xbb\xbf", "//", "#"};
    CHECK_INVALID(texts);
    CHECK(!json_is_valid(NULL, 0, NULL));
}

TEST(words_are_exact)
{
    static const char *const texts[] = {
        "nul", "tru",      "fals",      "nulll",     "truee", "falsee", "True", "NULL",       "nan",
        "NaN", "Infinity", "-Infinity", "undefined", "t",     "f",      "n",    "true false",
    };
    CHECK_INVALID(texts);
}

TEST(numbers_are_as_the_grammar_has_them)
{
    static const char *const good[] = {
        "0",
        "-0",
        "10",
        "-1",
        "0.0",
        "0.5",
        "1e1",
        "1E1",
        "1e+1",
        "1e-1",
        "0e0",
        "1.5e300",
        "123456789012345678901234567890",
        "1e999999",
        "-1.0E-007",
    };
    static const char *const bad[] = {
        "01",  "-01", "00",  "-",   "+1", ".5", "5.",  "1.e1", "1e", "1e+",   "1e-",   "1E",
        "0x1", "1_0", "1,0", "--1", "1-", "1a", "- 1", "1 .5", "0e", "1.2.3", "1e1.5", "\xd9\xa1",
    };
    CHECK_VALID(good);
    CHECK_INVALID(bad);
}

TEST(strings_end_and_escape_as_they_should)
{
    static const char *const good[] = {
        "\"a\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0000\\uabCD\"",
        "\"\\ud800\"",
        "\"\x7f\"",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"/\"",
        "\"'\"",
    };
    static const char *const bad[] = {
        "\"",        "\"a",         "\"\\\"",      "\"\\",        "\"\\x41\"",   "\"\\u\"",
        "\"\\u12\"", "\"\\u123\"",  "\"\\u123g\"", "\"\\u 123\"", "\"\\U0041\"", "\"\\'\"",
        "\"\\0\"",   "\"\\a\"",     "\"\\\n\"",    "'a'",         "a\"",         "\"a\"\"b\"",
        "\"\\u00",   "\"\\ud83d\\", "\"\n\"",      "\"\t\"",      "\"\x01\"",    "\"\x1f\"",
    };
    CHECK_VALID(good);
    CHECK_INVALID(bad);
}

TEST(a_nul_byte_is_wrong_everywhere)
{
    CHECK(!json_is_valid("1\0", 2, NULL));
    CHECK(!json_is_valid("\0", 1, NULL));
    CHECK(!json_is_valid("\"\0\"", 3, NULL));
    CHECK(!json_is_valid("\"\\\0\"", 4, NULL));
    CHECK(!json_is_valid("\"\\u00\0"
                         "0\"",
                         8, NULL));
    CHECK(!json_is_valid("[1,\0]", 5, NULL));
    CHECK(!json_is_valid("{\"a\"\0:1}", 8, NULL));
}

TEST(strings_are_utf_8)
{
    static const char *const bad[] = {
        "\"\x80\"",
        "\"\xff\"",
        "\"\xc3\"",
        "\"\xc0\xaf\"",
        "\"\xe2\x82\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xf0\x9f\x98\"",
        "\"\xc3",
    };
    CHECK_INVALID(bad);
}

TEST(containers_are_separated_and_closed)
{
    static const char *const good[] = {
        "[1]",
        "[1,2]",
        "[ ]",
        "[\n1\n,\n2\n]",
        "{\"a\":1}",
        "{\"a\" : 1 , \"b\" : 2}",
        "{ }",
        "[[],{},[{}]]",
        "{\"\":\"\"}",
        "{\"a\":{\"a\":[{\"a\":null}]}}",
        "{\"a\":1,\"a\":2}",
    };
    static const char *const bad[] = {
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1,]",
        "[,]",
        "[,1]",
        "[1,,2]",
        "[1 2]",
        "[1}",
        "{]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{:1}",
        "{1:1}",
        "{a:1}",
        "{\"a\"1}",
        "{\"a\"::1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1",
        "{\"a\":",
        "{\"a\"",
        "[]]",
        "{}}",
        "[1]2",
        "{}[]",
        "[1]]",
        "{\"a\":1]",
        "[\"a\":1]",
        "{\"a\",1}",
        "[1;2]",
        "{null:1}",
        "{\"a\":1}{",
    };
    CHECK_VALID(good);
    CHECK_INVALID(bad);
}

TEST(comments_and_byte_order_marks_are_not_json)
{
    static const char *const bad[] = {"1//", "1 /* */", "[1 // a\n]", "#\n1", "\xef\xbb\xbf{}"};
    CHECK_INVALID(bad);
}

static char *nested(size_t depth, const char *open, const char *close, size_t *ret_size)
{
    size_t opening = strlen(open), closing = strlen(close), at = 0;
    char *text = malloc(depth * (opening + closing) + 2);
    CHECK(text);
    for (size_t i = 0; i < depth; i++, at += opening)
        memcpy(text + at, open, opening);
    text[at++] = '1';
    for (size_t i = 0; i < depth; i++, at += closing)
        memcpy(text + at, close, closing);
    *ret_size = at;
    return text;
}

TEST(nesting_goes_as_deep_as_promised_and_no_deeper)
{
    static const char *const pairs[][2] = {{"[", "]"}, {"{\"a\":", "}"}, {"[{\"a\":[", "]}]"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t levels = i == 2 ? 3 : 1, size;
        char *text = nested(JSON_DEPTH / levels, pairs[i][0], pairs[i][1], &size);
        CHECK(json_is_valid(text, size, NULL));
        CHECK(!json_is_valid(text, size - 1, NULL));
        free(text);
        text = nested(JSON_DEPTH / levels + 1, pairs[i][0], pairs[i][1], &size);
        CHECK(!json_is_valid(text, size, NULL));
        free(text);
    }
}

TEST(a_million_brackets_need_no_memory)
{
    size_t size = 1000000;
    char *text = malloc(size);
    CHECK(text);
    memset(text, '[', size);
    CHECK(!json_is_valid(text, size, NULL));
    free(text);
}

TEST(what_is_inside_a_level_is_forgotten_when_it_is_left)
{
    static const char *const good[] = {"[{},[1,2],{\"a\":[]},3]", "{\"a\":[1,{}],\"b\":{}}"};
    static const char *const bad[] = {"[{},[1,2],\"a\":3]", "{\"a\":[1,{}],2}", "{\"a\":{},[]}"};
    CHECK_VALID(good);
    CHECK_INVALID(bad);
}

TEST(the_position_is_where_it_goes_wrong)
{
    CHECK_INT(wrong_at(""), 0);
    CHECK_INT(wrong_at("x"), 0);
    CHECK_INT(wrong_at("[1,x]"), 3);
    CHECK_INT(wrong_at("{\"a\":1 x"), 7);
    CHECK_INT(wrong_at("1 2"), 2);
    CHECK_INT(wrong_at("\"abc"), 4);
    CHECK_INT(wrong_at("[1,2"), 4);
    CHECK_INT(wrong_at("\"a\xff\""), 2);
    CHECK_INT(wrong_at("\"\\"), 2);
    CHECK_INT(wrong_at("\"\\u12"), 5);
}

TEST(the_position_of_what_is_right_is_its_end)
{
    size_t position = 0;
    CHECK(json_is_valid("{} ", 3, &position));
    CHECK_INT(position, 3);
}

TEST(every_truncation_of_an_object_is_invalid_and_nothing_is_read_past_it)
{
    static const char whole[] =
        "{\"a\":[1.5e+3,true,null],\"\\u00e9\":{\"b\":\"\xf0\x9f\x98\x80\"},\"c\":false}";
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a byte too many */
        CHECK(exact);
        memcpy(exact, whole, size);
        size_t position;
        CHECK(!json_is_valid(exact, size, &position));
        CHECK(position <= size);
        free(exact);
    }
    CHECK(is_valid(whole));
}

/* ---- JSONTestSuite: a folder of files named by what a parser must say to them ---- */

static bool file_is_valid(const char *name)
{
    char path[512];
    size_t size;
    snprintf(path, sizeof path, "JSONTestSuite/test_parsing/%s", name);
    char *data = suite_read(path, &size);
    CHECK(data);
    bool valid = json_is_valid(data, size, NULL);
    free(data);
    return valid;
}

/* How many files begin with `kind`; each must be judged as `valid` says, if that is not -1. */
static int run_suite(char kind, int valid)
{
    DIR *listing = opendir(suite_path("JSONTestSuite/test_parsing"));
    if (!listing)
        suite_missing("JSONTestSuite");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] != kind || entry->d_name[1] != '_')
            continue;
        count++;
        if (file_is_valid(entry->d_name) == !valid && valid >= 0)
            CHECK_TEXT(entry->d_name, valid ? "a valid file" : "an invalid file");
    }
    closedir(listing);
    return count;
}

TEST(all_that_the_test_suite_calls_valid_is_valid)
{
    CHECK(run_suite('y', 1) > 90);
}

TEST(all_that_the_test_suite_calls_invalid_is_invalid)
{
    CHECK(run_suite('n', 0) > 180);
}

TEST(what_the_test_suite_leaves_open_is_answered)
{
    CHECK(run_suite('i', -1) > 30);
}
