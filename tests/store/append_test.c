/* untorn/append.h: what a record is, by the kind of file. */
#include "harness.h"

#include <untorn.h>

#include "file/support.h"

static struct untorn_error error;

static int add(const char *path, const char *text, enum untorn_records records)
{
    return untorn_append(path, text, strlen(text), records, NULL, &error);
}

TEST(a_missing_final_newline_is_added)
{
    CHECK_INT(add("log", "one", UNTORN_RECORDS_TEXT), 0);
    CHECK_INT(add("log", "two\n", UNTORN_RECORDS_TEXT), 0);
    CHECK_INT(add("log", "three\nfour", UNTORN_RECORDS_TEXT), 0);
    CHECK_TEXT(text_of("log"), "one\ntwo\nthree\nfour\n");
}

TEST(adding_nothing_does_nothing)
{
    CHECK_INT(untorn_append("log", NULL, 0, UNTORN_RECORDS_BY_NAME, NULL, &error), 0);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_INT(count_entries(".", ""), 0);
}

TEST(the_name_says_what_a_record_is)
{
    static const char *const json[] = {"a.jsonl", "a.ndjson", ".jsonl", "a.b.jsonl"};
    static const char *const text[] = {"a.log", "jsonl", "a.json", "a.jsonl.txt", "a.JSONL"};
    for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
        CHECK_INT(add(json[i], "not json", UNTORN_RECORDS_BY_NAME), -UNTORN_DAMAGED);
        CHECK(!exists(json[i]));
        CHECK_INT(add(json[i], "{\"a\":1}", UNTORN_RECORDS_BY_NAME), 0);
    }
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        CHECK_INT(add(text[i], "not json", UNTORN_RECORDS_BY_NAME), 0);
}

TEST(the_caller_may_say_what_a_record_is)
{
    CHECK_INT(add("a.jsonl", "not json", UNTORN_RECORDS_TEXT), 0);
    CHECK_INT(add("a.log", "not json", UNTORN_RECORDS_JSON), -UNTORN_DAMAGED);
    CHECK_INT(add("a.log", "[1,2]", UNTORN_RECORDS_JSON), 0);
    CHECK_TEXT(text_of("a.log"), "[1,2]\n");
}

TEST(what_is_no_json_is_told_with_line_and_byte)
{
    put("a.jsonl", "{}\n");
    CHECK_INT(add("a.jsonl", "{\"a\":1}\n[1,\n3\n", UNTORN_RECORDS_BY_NAME), -UNTORN_DAMAGED);
    CHECK_INT(error.status, UNTORN_DAMAGED);
    CHECK(strstr(error.detail, "line 2"));
    CHECK_INT(error.position, 11);
    CHECK_INT(add("a.jsonl", "{\"a\":}", UNTORN_RECORDS_BY_NAME), -UNTORN_DAMAGED);
    CHECK(strstr(error.detail, "line 1"));
    CHECK_INT(error.position, 5);
    CHECK_TEXT(text_of("a.jsonl"), "{}\n");
    CHECK(!exists(".untorn"));
}

TEST(empty_lines_and_carriage_returns_are_let_through)
{
    CHECK_INT(add("a.jsonl", "1\n\n\"two\"\r\n", UNTORN_RECORDS_BY_NAME), 0);
    CHECK_TEXT(text_of("a.jsonl"), "1\n\n\"two\"\r\n");
}

/* [APPEND-1] */
TEST(a_torn_json_record_is_kept_once_and_cut)
{
    put("a.jsonl", "{\"n\":1}\n{\"n\":2,\"te");
    CHECK_INT(add("a.jsonl", "{\"n\":3}\n", UNTORN_RECORDS_BY_NAME), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_TAIL_KEPT);
    CHECK_TEXT(text_of("a.jsonl"), "{\"n\":1}\n{\"n\":3}\n");
    CHECK_TEXT(text_of(only_entry(".untorn/kept", "tail-a.jsonl.")), "{\"n\":2,\"te");
}

/* [APPEND-1] */
TEST(every_torn_record_is_told_from_every_whole_one)
{
    static const char record[] = "{\"n\":[1,2.5],\"s\":\"a\\u00e9b\"}";
    char text[128];
    for (size_t size = 1; size < sizeof record; size++) {
        bool whole = size == sizeof record - 1;
        snprintf(text, sizeof text, "0\n%.*s", (int)size, record);
        put("a.jsonl", text);
        CHECK_INT(add("a.jsonl", "9", UNTORN_RECORDS_BY_NAME), 0);
        CHECK_INT(error.flags, whole ? UNTORN_FLAG_TAIL_ENDED : UNTORN_FLAG_TAIL_KEPT);
        snprintf(text, sizeof text, "0\n%s9\n",
                 whole ? "{\"n\":[1,2.5],\"s\":\"a\\u00e9b\"}\n" : "");
        CHECK_TEXT(text_of("a.jsonl"), text);
    }
}

/* [APPEND-2] */
TEST(a_text_tail_only_gains_its_newline)
{
    put("a.log", "line\n{\"torn");
    CHECK_INT(add("a.log", "next", UNTORN_RECORDS_BY_NAME), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_TAIL_ENDED);
    CHECK_TEXT(text_of("a.log"), "line\n{\"torn\nnext\n");
}

TEST(options_are_passed_on)
{
    struct untorn_options options = {.mode = 0600, .parents = true};
    CHECK_INT(untorn_append("d/a.log", "x", 1, UNTORN_RECORDS_BY_NAME, &options, &error), 0);
    CHECK_INT(mode_of("d/a.log"), 0600);
    CHECK_INT(untorn_append("missing/a.log", "x", 1, UNTORN_RECORDS_TEXT, NULL, NULL),
              -UNTORN_MISSING);
}

TEST(a_line_longer_than_any_buffer_is_checked)
{
    enum { SIZE = 300000 };
    static char line[SIZE + 1];
    memset(line, 'x', SIZE);
    line[0] = line[SIZE - 1] = '"';
    CHECK_INT(add("a.jsonl", line, UNTORN_RECORDS_BY_NAME), 0);
    CHECK_INT(stat_of("a.jsonl").st_size, SIZE + 1);
    CHECK_INT(truncate("a.jsonl", SIZE - 5), 0);
    CHECK_INT(add("a.jsonl", "1", UNTORN_RECORDS_BY_NAME), 0);
    CHECK_TEXT(text_of("a.jsonl"), "1\n");
}
