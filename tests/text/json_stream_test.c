/* One edit or one value of a text that is too large to hold. That the bytes are those of the
 * general way for every kind of document: json_stream_properties_test.c. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap.h"
#include "text/document.h"
#include "text/edits.h"
#include "text/stream_runs.h"
#include "text/write.h"

#define ONE(...) (&(const struct untorn_edit)__VA_ARGS__)

/* In pieces of every size; with one buffer for all of it, and the smallest. */
static int both_with(const char *text, const struct untorn_edit *edit, size_t least)
{
    struct stream_text whole = {text, strlen(text), UNTORN_JSONC};
    int rc = 0, other;
    for (size_t piece = 1; piece <= whole.size + 1; piece++) {
        struct stream_run run = {
            .piece = piece, .room = piece % 2 ? 1 : 0, .whole = least + piece % 3};
        other = stream_compare(&whole, edit, &run, NULL);
        CHECK(piece == 1 || rc == other);
        rc = other;
    }
    return rc;
}

static int both(const char *text, const struct untorn_edit *edit)
{
    return both_with(text, edit, 0);
}

/* With what is near the place: a container is laid out like that. */
static int both_near(const char *text, const struct untorn_edit *edit)
{
    return both_with(text, edit, 40);
}

static const char sample[] = "{ // first\n"
                             "  \"name\": \"a \\u00e9 \\\"b\\\"\",\n"
                             "  \"list\": [1, {\"deep\": [true, null]}, [], \"x\"],\n"
                             "  \"esc\\u0061ped\": 1.50,\n"
                             "  \"\": {\"a\": -0, \"b\": {}},\n"
                             "  /* of more */ \"more\": [1, 2, 3, 4, 5, 6, 7, 8, 9],\n"
                             "  \"last\": false /* end */\n"
                             "}\n";

/* [STREAM-2] */
TEST(values_are_replaced)
{
    CHECK_INT(both(sample, ONE(SET("name", "new"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("name", "\"\\u00e9\\/\""))), 0);
    CHECK_INT(both(sample, ONE(SET("list[1].deep[1]", "7"))), 0);
    CHECK_INT(both(sample, ONE(SET("escaped", "1e3"))), 0);
    CHECK_INT(both(sample, ONE(SET("\"\".a", "1"))), 0);
    CHECK_INT(both(sample, ONE(SET("more[-1]", "1"))), 0);
    CHECK_INT(both(sample, ONE(SET("/list/1/deep/0", "false"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("list", "5"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("last", "{\"a\": [1, 2]}"))), 0);
    CHECK_INT(both("\xef\xbb\xbf{\"a\":1}", ONE(SET("a", "2"))), 0);
}

/* Only where they differ: in one place, in several. [SHORT-3] */
TEST(containers_become_others)
{
    CHECK_INT(both(sample, ONE(SET_JSON("more", "[1, 2, 3, 4, 0, 6, 7, 8, 9]"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("more", "[1, 2, 4, 5, 66, 7, 8, 99]"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("\"\"", "{\"c\": [1], \"b\": {\"x\": 1}}"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("list[1]", "{\"deep\": [null], \"new\": 1}"))), 0);
    CHECK_INT(both(sample, ONE(SET_JSON("list", "[{\"deep\": [[]]}, \"x\", \"y\"]"))), 0);
    CHECK_INT(both("{\"a\": 1,\r\n\"b\": [\r\n1,\r\n2\r\n], \"c\": 3}\r\n",
                   ONE(SET_JSON("b", "[0, 1, [], 2, {\"x\": 1}]"))),
              0);
}

/* Which of both kinds of ends of lines are more may change with each change. */
TEST(several_changes_where_lines_end_differently_are_left)
{
    static const char text[] = "{\n\"a\": [\r\n1,\r\n2],\n\"b\": 1}\n";
    CHECK_INT(both(text, ONE(SET_JSON("a", "[1, 3]"))), 0);
    CHECK_INT(both(text, ONE(SET_JSON("a", "[0, 1, 3]"))), JSON_STREAM_UNSUITED);
}

TEST(members_and_elements_are_added)
{
    CHECK_INT(both(sample, ONE(SET("new", "1"))), 0);
    CHECK_INT(both_near(sample, ONE(SET("list[1].new.way[0].down", "1"))), 0);
    CHECK_INT(both(sample, ONE(SET("\"\".b.c", "1"))), 0);
    CHECK_INT(both(sample, ONE(SET("more[+]", "1"))), 0);
    CHECK_INT(both(sample, ONE(SET("list[1].deep[+].x", "1"))), 0);
    CHECK_INT(both_near(sample, ONE(SET_JSON("list[+]", "{\"a\": [1]}"))), 0);
    CHECK_INT(both(sample, ONE(INSERT("more[4]", "1"))), 0);
    CHECK_INT(both(sample, ONE(INSERT("more[9]", "1"))), 0);
    CHECK_INT(both(sample, ONE(INSERT("more[-9]", "1"))), 0);
    CHECK_INT(both(sample, ONE(INSERT("/more/-", "1"))), 0);
    CHECK_INT(both("{}", ONE(SET("a", "1"))), 0);
}

TEST(members_and_elements_are_removed_and_renamed)
{
    CHECK_INT(both(sample, ONE(UNSET("name"))), 0);
    CHECK_INT(both(sample, ONE(UNSET("more"))), 0);
    CHECK_INT(both(sample, ONE(UNSET("more[4]"))), 0);
    CHECK_INT(both(sample, ONE(UNSET("last"))), 0);
    CHECK_INT(both(sample, ONE(UNSET("list[1].deep[0]"))), 0);
    CHECK_INT(both(sample, ONE(RENAME("escaped", "other"))), 0);
    CHECK_INT(both("{\"a\": 1}", ONE(UNSET("a"))), 0);
}

TEST(a_value_that_is_there_already_changes_nothing)
{
    CHECK_INT(both(sample, ONE(SET("list[0]", "1"))), JSON_STREAM_UNCHANGED);
    CHECK_INT(both(sample, ONE(SET("escaped", "1.5"))), JSON_STREAM_UNCHANGED);
    CHECK_INT(both(sample, ONE(RENAME("name", "name"))), JSON_STREAM_UNCHANGED);
}

/* The end of a line is the one that most lines have, also where they were left out. */
TEST(ends_of_lines_are_counted_in_the_whole_text)
{
    static const char text[] = "{\n\"a\": 1,\n\"b\": 2,\r\n\"c\": 3,\r\n\"d\": 4,\r\n\"e\": 5,\r\n"
                               "\"f\": 6,\r\n\"g\": 7,\n\"h\": 8\n}\n";
    CHECK_INT(both(text, ONE(SET("new", "1"))), 0);
}

TEST(what_the_edit_asks_wrongly_is_refused_with_the_same_words)
{
    CHECK_INT(both(sample, ONE(UNSET("missing"))), -UNTORN_NO_KEY);
    CHECK_INT(both(sample, ONE(UNSET("name.below"))), -UNTORN_NO_KEY);
    CHECK_INT(both(sample, ONE(SET("last", "12"))), -UNTORN_TYPE);
    CHECK_INT(both(sample, ONE(SET_JSON("last", "[1"))), -UNTORN_INVALID);
    CHECK_INT(both(sample, ONE(INSERT("name", "1"))), -UNTORN_INVALID);
    CHECK_INT(both(sample, ONE(SET("/a/b", "1"))), -UNTORN_NO_KEY);
    CHECK_INT(both("1", ONE(SET("a", "1"))), -UNTORN_NO_KEY);
}

/* [STREAM-1] */
TEST(what_is_no_plain_case_is_left_to_the_general_way)
{
    static const struct {
        const char *text;
        struct untorn_edit edit;
    } cases[] = {
        {sample, SET("a..b", "1")},
        {sample, SET("\"\\u0000a\"", "1")},
        {sample, MERGE("{}")},
        {sample, RENAME("name", "last")},
        {"{\"a\": 1, \"a\": 2}", SET("a", "3")},
        {"{\"a\": {\"b\": 1}, \"a.b\": 2}", SET("a.b", "3")},
        {"{\"a.b\": 2, \"a\": {\"b\": 1}}", SET("a.b", "3")},
        {"{\"a\\u002eb\": 2, \"a\": {\"b\": 1}}", SET("a.b", "3")},
        {"{\"a\": 1", SET("a", "3")},
        {"{\"a\": 1} x", SET("a", "3")},
        {"{\"a\": 1, \"b\": 01}", UNSET("a")},
        {"{\"a\": 1,\r\"b\": 1}", UNSET("a")},
        {"", SET("a", "3")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(both(cases[i].text, &cases[i].edit), JSON_STREAM_UNSUITED);
    /* A message would have the number of elements, and of these most were left out. */
    struct stream_text text = {sample, strlen(sample), UNTORN_JSONC};
    struct stream_run run = {.piece = 100, .whole = 1};
    CHECK_INT(stream_compare(&text, ONE(UNSET("more[9]")), &run, NULL), JSON_STREAM_UNSUITED);
    /* A container would look like one of these. */
    CHECK_INT(stream_compare(&text, ONE(SET("new.way", "1")), &run, NULL), JSON_STREAM_UNSUITED);
    run.whole = 1000;
    CHECK_INT(stream_compare(&text, ONE(UNSET("more[9]")), &run, NULL), -UNTORN_NO_KEY);
    CHECK_INT(stream_compare(&text, ONE(SET("new.way", "1")), &run, NULL), 0);
}

/* Of a container that is too large to be compared another of its kind may keep something. */
TEST(a_large_container_is_replaced_where_nothing_of_it_stays)
{
    enum { COUNT = 1000 };
    static char text[8 * COUNT], same[4 * COUNT];
    size_t size = 0;
    for (int i = 0; i < COUNT; i++)
        size += (size_t)sprintf(same + size, "%s%d", i ? "," : "[", i);
    strcpy(same + size, "]");
    sprintf(text, "{\"a\": %s}", same);
    struct stream_text whole = {text, strlen(text), UNTORN_JSON};
    struct stream_run run = {.piece = 100, .room = 100, .whole = 1};
    struct untorn_edit known = {.kind = UNTORN_SET,
                                .key = "a",
                                .value = same,
                                .value_size = size + 1,
                                .syntax = UNTORN_AS_JSON};
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "5")), &run, NULL), 0);
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "{\"b\": [1, 2]}")), &run, NULL), 0);
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "[]")), &run, NULL), 0);
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "[1, 2]")), &run, NULL),
              JSON_STREAM_UNSUITED);
    CHECK_INT(stream_compare(&whole, &known, &run, NULL), JSON_STREAM_UNSUITED);
    whole.format = UNTORN_JSONC; /* a comment may stay */
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "[]")), &run, NULL), JSON_STREAM_UNSUITED);
    run.whole = 100;
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "[1, 2]")), &run, NULL), 0);
    CHECK_INT(stream_compare(&whole, &known, &run, NULL), JSON_STREAM_UNCHANGED);
}

/* Not even what stands for a string is taken for one. */
TEST(a_string_that_was_cut_is_not_compared)
{
    enum { LONG = 1000 };
    struct buffer text = {0};
    buffer_text(&text, "{\"a\": {\"b\": \"");
    buffer_repeat(&text, 's', LONG);
    buffer_text(&text, "\"}}");
    struct stream_text whole = {text.data, text.size, UNTORN_JSON};
    struct stream_run run = {.piece = 100, .whole = 1};
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "{\"b\": \"0\", \"c\": 1}")), &run, NULL),
              JSON_STREAM_UNSUITED);
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("c", "{\"b\": 1}")), &run, NULL),
              JSON_STREAM_UNSUITED);
    CHECK_INT(stream_compare(&whole, ONE(SET("a.c", "1")), &run, NULL), 0);
    buffer_free(&text);
}

/* A control of the comparison itself. */
TEST(a_text_that_differs_is_noticed)
{
    struct stream_text text = {sample, strlen(sample), UNTORN_JSONC};
    struct stream_run run = {.piece = 100, .spoils = true};
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stdout);
        (void)stream_compare(&text, ONE(SET("new", "1")), &run, NULL);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(WEXITSTATUS(status), HARNESS_FAILED);
}

/* ---- failures ---- */

TEST(a_failure_of_reading_or_writing_is_told)
{
    struct stream_text text = {sample, strlen(sample), UNTORN_JSONC};
    struct untorn_edit edit = SET("name", "new");
    char *out;
    size_t size;
    struct stream_run run = {.piece = 1000, .write_error = -ENOSPC};
    CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), -UNTORN_NO_SPACE);
    run = (struct stream_run){.piece = 8, .room = 8, .whole = 1, .write_error = -ENOSPC};
    CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), -UNTORN_NO_SPACE);
    edit = (struct untorn_edit)SET("new", "1");
    CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), -UNTORN_NO_SPACE);
    CHECK_INT(error.status, UNTORN_NO_SPACE);
    run.write_error = 0;
    CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), 0);
    free(out);
    size_t reads = run.reads;
    run.read_error = -EIO;
    for (run.error_at = 0; run.error_at < reads; run.error_at++) {
        size_t at = run.error_at;
        CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), -UNTORN_IO);
        run.error_at = at;
    }
    CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), 0);
    free(out);
}

/* [STREAM-1] One byte is another when the text is read again. */
TEST(a_text_that_changes_meanwhile_is_noticed)
{
    struct stream_text text = {sample, strlen(sample), UNTORN_JSONC};
    struct untorn_edit edit = UNSET("name");
    char later[sizeof sample], *out;
    size_t size, stale = 0;
    struct stream_run run = {.piece = 1000, .whole = 1, .later = later, .careful = true};
    memcpy(later, sample, sizeof sample);
    CHECK_INT(stream_run(&text, &edit, &run, &out, &size, &error), 0);
    free(out);
    for (size_t i = 0; i < text.size; i++) {
        later[i] = '\x01';
        int rc = stream_run(&text, &edit, &run, &out, &size, &error);
        CHECK(rc != 0 && rc != JSON_STREAM_UNCHANGED); /* once a comment swallows the key */
        stale += rc == JSON_STREAM_STALE;
        later[i] = sample[i];
    }
    CHECK(stale > text.size / 2);
}

/* Leaves what it cannot do for want of memory, and nothing behind. */
static struct untorn_edit walked;

static bool edit_once(void)
{
    struct stream_text text = {sample, strlen(sample), UNTORN_JSONC};
    struct stream_run run = {.piece = 100, .room = 1, .whole = 12};
    char *out;
    size_t size;
    int rc = stream_run(&text, &walked, &run, &out, &size, &error);
    CHECK(rc == 0 || rc == JSON_STREAM_UNSUITED || rc == -UNTORN_NO_MEMORY);
    bool done = rc == 0 && out;
    free(out);
    return done;
}

TEST(without_memory_nothing_is_left_behind)
{
    walked = (struct untorn_edit)SET("list[1].new", "1");
    CHECK(heap_walk(edit_once) > 10);
    walked = (struct untorn_edit)SET_JSON("list[1]", "{\"deep\": [null], \"new\": 1}");
    CHECK(heap_walk(edit_once) > 10);
}

/* ---- large texts ---- */

static struct buffer records(size_t size)
{
    struct buffer text = {0};
    char record[128];
    buffer_text(&text, "{\n  \"first\": 1,\n  \"text\": [\"");
    buffer_repeat(&text, 's', size);
    buffer_text(&text, "\"\n  ],\n  \"records\": [\n");
    for (unsigned i = 0; text.size < 2 * size; i++) {
        snprintf(record, sizeof record, "    {\"a\": [1, 2, %u], \"b\": \"text\"},\n", i);
        buffer_text(&text, record);
    }
    buffer_text(&text, "    null\n  ],\n  \"end\": {\"k\": 1}\n}\n");
    return text;
}

/* All is read once, and a little twice; but if the place is larger than the buffer, what comes
 * behind it too. */
TEST(a_text_larger_than_the_buffer_goes_through)
{
    enum { SIZE = 1000000, LITTLE = 800000 };
    struct buffer buffer = records(SIZE);
    struct stream_text text = {buffer.data, buffer.size, UNTORN_JSON};
    static const struct {
        struct untorn_edit edit;
        bool once;
    } cases[] = {
        {SET("end.k", "2"), true},
        {SET("end.new", "2"), true},
        {SET("new", "2"), true},
        {UNSET("end"), true},
        {SET("first", "2"), true},
        {UNSET("records[0]"), true},
        {INSERT("records[3]", "2"), true},
        {SET("records[3].new", "2"), true},
        {SET("records[+]", "2"), true},
        {UNSET("records"), false},
        {SET("records[20].a[0]", "5"), true},
        {UNSET("first"), true},
        {SET_JSON("records", "[]"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stream_run run = {.piece = 100000};
        CHECK_INT(stream_compare(&text, &cases[i].edit, &run, NULL), 0);
        CHECK(!run.misguessed);
        CHECK_INT(run.read_most < text.size + LITTLE, cases[i].once);
        CHECK(run.read_most < 2 * text.size + LITTLE);
        run = (struct stream_run){.piece = 100000, .careful = true};
        CHECK_INT(stream_compare(&text, &cases[i].edit, &run, NULL), 0);
    }
    buffer_free(&buffer);
}

/* A container is laid out like one that stands near it: all that are near were read. */
TEST(a_container_is_added_to_very_many_members)
{
    enum { COUNT = 50000 };
    static const char *const last[] = {"1", "{\"x\": [1, 2]}", "[ 1 ]", "[\n    {}\n  ]"};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        struct buffer text = {0};
        buffer_text(&text, "{");
        for (int n = 0; n < COUNT; n++) {
            char member[64];
            snprintf(member, sizeof member, "\n  \"key-%d\": %d,", n, n);
            buffer_text(&text, member);
        }
        buffer_text(&text, "\n  \"last\": ");
        buffer_text(&text, last[i]);
        buffer_text(&text, ",\n  \"end\": 0\n}\n");
        struct stream_text whole = {text.data, text.size, UNTORN_JSON};
        struct stream_run run = {.piece = 100000};
        CHECK_INT(stream_compare(&whole, ONE(SET("new.way", "1")), &run, NULL), 0);
        CHECK(!run.misguessed);
        CHECK_INT(stream_compare(&whole, ONE(SET("new[0]", "1")), &run, NULL), 0);
        CHECK_INT(stream_compare(&whole, ONE(SET_JSON("new", "[{\"a\": [1]}]")), &run, NULL), 0);
        buffer_free(&text);
    }
}

/* Of a neighbour that is very large only is seen from outside how it is laid out. */
TEST(a_container_is_added_beside_a_large_one)
{
    enum { COUNT = 20000 };
    static const struct {
        const char *before, *between, *after, *end;
    } looks[] = {{"{\n  \"a\": {", "\n    ", "\n  }", "\n}\n"},
                 {"{\n  \"a\": { ", " ", " }", "\n}\n"},
                 {"{\n  \"a\": {", "", "}", "\n}\n"},
                 {"{\"a\":{", "", "}", "}"},
                 {"{\"b\": [1], \"c\": [], \"a\": {", " ", "}", "}"}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct buffer text = {0};
        buffer_text(&text, looks[i].before);
        for (int n = 0; n < COUNT; n++) {
            char member[64];
            snprintf(member, sizeof member, "%s%s\"key-%d\": [%d]", n ? "," : "", looks[i].between,
                     n, n);
            buffer_text(&text, member);
        }
        buffer_text(&text, looks[i].after);
        buffer_text(&text, looks[i].end);
        struct stream_text whole = {text.data, text.size, UNTORN_JSON};
        struct stream_run run = {.piece = 100000};
        CHECK_INT(stream_compare(&whole, ONE(SET("new.way", "1")), &run, NULL), 0);
        CHECK_INT(stream_compare(&whole, ONE(SET_JSON("new", "{\"a\": [1, 2]}")), &run, NULL), 0);
        CHECK_INT(stream_compare(&whole, ONE(SET_JSON("new", "[[1, {}]]")), &run, NULL), 0);
        CHECK_INT(stream_compare(&whole, ONE(SET("a.new.way", "1")), &run, NULL), 0);
        buffer_free(&text);
    }
}

/* Where each of many changes would take a scan of the large text, all is written anew: that the
 * short one is short does not matter. */
TEST(what_would_take_the_general_way_too_long_is_done_as_a_whole)
{
    enum { SIZE = 3000000, MANY = 120 };
    struct buffer text = {0};
    buffer_text(&text, "{\"a\": [ 0");
    for (int i = 0; i < MANY; i++)
        buffer_text(&text, " ,1");
    buffer_text(&text, "], \"text\": \"");
    buffer_repeat(&text, 's', SIZE);
    buffer_text(&text, "\"}\n");
    struct stream_text whole = {text.data, text.size, UNTORN_JSON};
    struct stream_run run = {.piece = 100000};
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "[0]")), &run, NULL), 0);
    CHECK_INT(stream_compare(&whole, ONE(SET_JSON("a", "[0, 1, 1]")), &run, NULL), 0);
    buffer_free(&text);
}

/* Most lines end in another way than those up to the place. */
TEST(a_guess_that_was_wrong_is_noticed)
{
    static const char text[] = "{\n\"a\": {\n\"b\": 1\n},\r\n\"c\": 2,\r\n\"d\": 3,\r\n\"e\": 4,"
                               "\r\n\"f\": 5\r\n}\r\n";
    struct stream_text whole = {text, strlen(text), UNTORN_JSON};
    struct stream_run run = {.piece = 1, .room = 30};
    CHECK_INT(stream_compare(&whole, ONE(SET("a.new", "1")), &run, NULL), 0);
    CHECK(run.misguessed);
}

/* ---- one value ---- */

static int64_t read_text(void *context, char *data, size_t size, uint64_t offset)
{
    const char *text = context;
    size_t left = strlen(text) - (size_t)offset;
    size = size < left ? size : left;
    memcpy(data, text + offset, size < 5 ? size : 5);
    return (int64_t)(size < 5 ? size : 5);
}

/* The value's text, or the name of the status. */
static const char *found(const char *text, const char *key)
{
    static char *value;
    size_t size;
    struct arena arena = {0};
    struct keypath path;
    struct json_stream_io io = {
        .read = read_text, .context = (char *)(uintptr_t)text, .room = 4, .whole = 1};
    error_begin(&error, NULL, NULL);
    CHECK_INT(keypath_parse(key, &arena, &path, &error), 0);
    free(value);
    int rc = json_stream_find(&path, UNTORN_JSONC, &io, &value, &size, &error);
    arena_free(&arena);
    CHECK((rc == 0) == (value != NULL));
    if (rc == 0)
        CHECK_INT(strlen(value), size);
    return rc == 0 ? value : rc < 0 ? untorn_status_name(rc) : "left";
}

TEST(a_value_is_found)
{
    CHECK_TEXT(found(sample, "name"), "\"a \\u00e9 \\\"b\\\"\"");
    CHECK_TEXT(found(sample, "list"), "[1, {\"deep\": [true, null]}, [], \"x\"]");
    CHECK_TEXT(found(sample, "list[1].deep[-1]"), "null");
    CHECK_TEXT(found(sample, "/more/4"), "5");
    CHECK_TEXT(found(sample, "missing"), "NO_KEY");
    CHECK_TEXT(error.detail, "missing");
    CHECK_TEXT(found(sample, "name.x"), "NO_KEY");
    CHECK(detail_says("there is nothing below a string"));
    CHECK_TEXT(found(sample, "more[10]"), "left");
    CHECK_TEXT(found("{\"a\": 1, \"a\": 2}", "a"), "left");
    CHECK_TEXT(found("{\"a\": 1, \"b\": }", "a"), "left");
}
