/* untorn/document.h: documents in memory, and their values. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "heap.h"
#include "text/api.h"

static struct untorn_error error;
static struct untorn_document *document;

static void open_text(enum untorn_format format, const char *text)
{
    untorn_document_free(document);
    CHECK_INT(untorn_document_parse(text, strlen(text), format, &document, &error), 0);
    CHECK_INT(error.status, UNTORN_OK);
}

static const struct untorn_node *at(const char *key)
{
    const struct untorn_node *node = untorn_document_find(document, key, &error);
    CHECK(node);
    return node;
}

/* ---- reading ---- */

static const char sample[] = "name = \"a\\u0000b\"\n"
                             "port = 0x1F90\n"
                             "rate = 1.5e0\n"
                             "on = true\n"
                             "day = 1979-05-27\n"
                             "big = +inf\n"
                             "[[server]]\n"
                             "host = 'x'\n"
                             "[[server]]\n"
                             "tags = ['a', 'b']\n";

TEST(scalars_are_read_by_their_kind)
{
    bool boolean = false;
    int64_t integer = 0;
    double number = 0;
    open_text(UNTORN_TOML, sample);
    CHECK(untorn_node_boolean(at("on"), &boolean) && boolean);
    CHECK(untorn_node_integer(at("port"), &integer));
    CHECK_INT(integer, 8080);
    CHECK(untorn_node_double(at("port"), &number) && number == 8080.0);
    CHECK(untorn_node_double(at("rate"), &number) && number == 1.5);
    CHECK(untorn_node_double(at("big"), &number) && number > 1e308);
    CHECK(!untorn_node_integer(at("rate"), &integer));
    CHECK(!untorn_node_boolean(at("port"), &boolean));
    CHECK(!untorn_node_integer(at("on"), &integer));
    CHECK(!untorn_node_double(at("day"), &number));
    CHECK(!untorn_node_double(at("server"), &number));
    CHECK_INT(untorn_node_kind(at("day")), UNTORN_DATE_LOCAL);
    CHECK_INT(untorn_node_kind(at("server")), UNTORN_ARRAY);
}

TEST(an_integer_that_does_not_fit_is_none)
{
    int64_t integer;
    double number;
    open_text(UNTORN_JSON, "{\"a\": 9223372036854775808}");
    CHECK(!untorn_node_integer(at("a"), &integer));
    CHECK(untorn_node_double(at("a"), &number) && number == 9223372036854775808.0);
}

TEST(texts_are_decoded_and_spellings_kept)
{
    size_t size;
    open_text(UNTORN_TOML, sample);
    const char *text = untorn_node_text(at("name"), &size);
    CHECK_BYTES(text, size + 1, "a\0b", 4);
    CHECK_TEXT(untorn_node_text(at("port"), NULL), "0x1F90");
    CHECK_TEXT(untorn_node_text(at("day"), &size), "1979-05-27");
    CHECK_INT(size, 10);
    CHECK(!untorn_node_text(at("server"), &size));
    CHECK_INT(size, 0);
    open_text(UNTORN_JSON, "{\"a\": null}");
    CHECK_TEXT(untorn_node_text(at("a"), NULL), "null");
}

TEST(children_are_in_the_order_of_the_text)
{
    size_t size;
    open_text(UNTORN_JSON, "{\"b\": 1, \"a\\u0000\": [true, null]}");
    const struct untorn_node *root = untorn_document_root(document);
    CHECK_INT(untorn_node_count(root), 2);
    const struct untorn_node *node = untorn_node_first(root);
    CHECK_TEXT(untorn_node_key(node, NULL), "b");
    CHECK(!untorn_node_first(node));
    CHECK_INT(untorn_node_count(node), 0);
    node = untorn_node_next(node);
    CHECK_BYTES(untorn_node_key(node, &size), 3, "a\0", 3);
    CHECK_INT(size, 2);
    CHECK(!untorn_node_next(node));
    CHECK(!untorn_node_key(untorn_node_first(node), &size));
    CHECK_INT(size, 0);
    CHECK(!untorn_node_next(root));
    CHECK(untorn_node_member(root, "a\0", 2) == node);
    CHECK(!untorn_node_member(root, "a", 1));
    CHECK(!untorn_node_member(node, "b", 1));
}

TEST(a_key_that_is_not_there_or_makes_no_sense_is_told)
{
    static const char *const segments[] = {"server", "1", "tags", "0"};
    open_text(UNTORN_TOML, sample);
    CHECK_TEXT(untorn_node_text(at("server[1].tags[-1]"), NULL), "b");
    CHECK_TEXT(untorn_node_text(at("/server/1/tags/0"), NULL), "a");
    CHECK(!untorn_document_find(document, "nothing", &error));
    CHECK_INT(error.status, UNTORN_NO_KEY);
    CHECK(strstr(error.detail, "nothing"));
    CHECK(!untorn_document_find(document, "server[+]", &error));
    CHECK_INT(error.status, UNTORN_NO_KEY);
    CHECK(!untorn_document_find(document, "server[*]", &error));
    CHECK_INT(error.status, UNTORN_INVALID);
    CHECK(!untorn_document_find(document, "name.x", NULL));
    CHECK_TEXT(untorn_node_text(untorn_document_find_segments(document, segments, 4, &error), NULL),
               "a");
    CHECK(untorn_document_find_segments(document, NULL, 0, &error) ==
          untorn_document_root(document));
    CHECK(!untorn_document_find_segments(document, segments + 1, 1, &error));
    CHECK_INT(error.status, UNTORN_NO_KEY);
}

static const char *span_of(const struct untorn_node *node)
{
    static char spelled[100];
    uint64_t offset, size;
    if (!untorn_node_span(node, &offset, &size))
        return "none";
    memcpy(spelled, untorn_document_text(document, NULL) + offset, (size_t)size);
    spelled[size] = '\0';
    return spelled;
}

TEST(a_span_is_where_the_spelling_is)
{
    open_text(UNTORN_TOML, sample);
    CHECK_TEXT(span_of(at("name")), "\"a\\u0000b\"");
    CHECK_TEXT(span_of(at("server[1].tags")), "['a', 'b']");
    CHECK_TEXT(span_of(at("server[1]")), "none");
    CHECK_TEXT(span_of(untorn_document_root(document)), "none");
    open_text(UNTORN_JSON, "\xef\xbb\xbf { \"a\" : [ 1 ] } ");
    CHECK_TEXT(span_of(at("a")), "[ 1 ]");
    CHECK_TEXT(span_of(untorn_document_root(document)), "{ \"a\" : [ 1 ] }");
}

TEST(the_bytes_are_copied_and_need_no_end)
{
    char bytes[] = {'[', '1', ']', 'x'};
    CHECK_INT(untorn_document_parse(bytes, 3, UNTORN_JSON, &document, &error), 0);
    memset(bytes, 'x', sizeof bytes);
    size_t size;
    CHECK_TEXT(untorn_document_text(document, &size), "[1]");
    CHECK_INT(size, 3);
    CHECK_INT(untorn_document_format(document), UNTORN_JSON);
    untorn_document_free(document);
    CHECK_INT(untorn_document_parse(NULL, 0, UNTORN_TOML, &document, &error), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "");
}

TEST(what_does_not_parse_gives_no_document)
{
    struct untorn_document *none = (struct untorn_document *)&error;
    CHECK_INT(untorn_document_parse("[1", 2, UNTORN_JSON, &none, &error), -UNTORN_DAMAGED);
    CHECK(!none);
    CHECK_INT(error.position, 2);
    CHECK_INT(untorn_document_parse("1", 1, UNTORN_FORMAT_UNKNOWN, &none, &error),
              -UNTORN_UNKNOWN_FORMAT);
    CHECK(!none);
    CHECK_INT(untorn_document_parse("[1", 2, UNTORN_JSON, &none, NULL), -UNTORN_DAMAGED);
    untorn_document_free(none);
}

/* ---- editing ---- */

static int set(const char *key, const char *value)
{
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = value, .value_size = strlen(value)};
    return untorn_document_edit(document, &edit, 1, &error);
}

TEST(an_edit_changes_text_and_values)
{
    open_text(UNTORN_JSON, "{\"a\": 1}");
    CHECK_INT(set("a", "2"), 0);
    CHECK_INT(set("b", "x"), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "{\"a\": 2, \"b\": \"x\"}");
    CHECK_TEXT(untorn_node_text(at("a"), NULL), "2");
    CHECK_TEXT(span_of(at("b")), "\"x\"");
}

TEST(an_edit_that_fails_leaves_the_document_as_it_was)
{
    open_text(UNTORN_JSON, "{\"a\": 1}");
    struct untorn_edit edits[] = {
        {.kind = UNTORN_SET, .key = "a", .value = "2", .value_size = 1},
        {.kind = UNTORN_UNSET, .key = "nothing"},
    };
    CHECK_INT(untorn_document_edit(document, edits, 2, &error), -UNTORN_NO_KEY);
    CHECK_TEXT(untorn_document_text(document, NULL), "{\"a\": 1}");
    CHECK_TEXT(untorn_node_text(at("a"), NULL), "1");
    CHECK_INT(untorn_document_edit(document, edits, 1, NULL), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "{\"a\": 2}");
}

TEST(an_edit_that_changes_nothing_leaves_all_in_place)
{
    open_text(UNTORN_JSON, "{\"a\": 1}");
    const struct untorn_node *before = at("a");
    CHECK_INT(set("a", "1"), 0);
    CHECK(at("a") == before);
    CHECK_TEXT(span_of(before), "1");
}

TEST(spans_are_right_after_an_edit_that_fails)
{
    open_text(UNTORN_TOML, "# remark\na = 1\nb = 'x'\n");
    struct untorn_edit unset = {.kind = UNTORN_UNSET, .key = "nothing"};
    CHECK_INT(untorn_document_edit(document, &unset, 1, &error), -UNTORN_NO_KEY);
    CHECK_TEXT(span_of(at("b")), "'x'");
}

/* ---- making ---- */

static struct untorn_node *add(struct untorn_node *parent, const char *key, enum untorn_kind kind,
                               const char *text)
{
    return untorn_document_add(document, parent, key, key ? strlen(key) : 0, kind, text,
                               text ? strlen(text) : 0);
}

static struct untorn_node *begin(enum untorn_format format, enum untorn_kind root)
{
    untorn_document_free(document);
    CHECK_INT(untorn_document_new(format, &document, &error), 0);
    return add(NULL, NULL, root, NULL);
}

TEST(an_empty_document_is_an_empty_object)
{
    CHECK_INT(untorn_document_new(UNTORN_JSON, &document, &error), 0);
    CHECK_INT(untorn_node_kind(untorn_document_root(document)), UNTORN_OBJECT);
    CHECK_TEXT(untorn_document_text(document, NULL), "{}\n");
    untorn_document_free(document);
    CHECK_INT(untorn_document_new(UNTORN_TOML, &document, &error), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "");
    CHECK_INT(set("a", "1"), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "a = 1\n");
    untorn_document_free(document);
    CHECK_INT(untorn_document_new(UNTORN_FORMAT_UNKNOWN, &document, &error),
              -UNTORN_UNKNOWN_FORMAT);
    CHECK(!document);
}

TEST(a_document_is_made_value_by_value)
{
    struct untorn_node *root = begin(UNTORN_JSON, UNTORN_OBJECT);
    CHECK(add(root, "a", UNTORN_INTEGER, "12345678901234567890"));
    CHECK_TEXT(untorn_document_text(document, NULL), "{\n  \"a\": 12345678901234567890\n}\n");
    struct untorn_node *array = add(root, "b", UNTORN_ARRAY, NULL);
    CHECK(add(array, NULL, UNTORN_STRING, "x\"") && add(array, NULL, UNTORN_NULL, NULL));
    CHECK(add(array, NULL, UNTORN_BOOLEAN, "false") && add(array, NULL, UNTORN_FLOAT, "1.50"));
    CHECK(add(array, NULL, UNTORN_OBJECT, NULL));
    CHECK_TEXT(untorn_document_text(document, NULL),
               "{\n  \"a\": 12345678901234567890,\n  \"b\": [\n    \"x\\\"\",\n    null,\n"
               "    false,\n    1.50,\n    {}\n  ]\n}\n");
    CHECK_TEXT(untorn_node_text(at("b[0]"), NULL), "x\"");
    CHECK_TEXT(span_of(at("b[3]")), "none");
}

TEST(a_toml_document_is_made_too)
{
    struct untorn_node *root = begin(UNTORN_TOML, UNTORN_OBJECT);
    struct untorn_node *table = add(root, "t", UNTORN_OBJECT, NULL);
    CHECK(add(root, "n", UNTORN_INTEGER, "0x10"));
    CHECK(add(table, "day", UNTORN_DATE_LOCAL, "1979-05-27"));
    CHECK(add(table, "far", UNTORN_FLOAT, "-inf"));
    CHECK_TEXT(untorn_document_text(document, NULL),
               "n = 0x10\n\n[t]\nday = 1979-05-27\nfar = -inf\n");
    CHECK(!add(root, "x", UNTORN_NULL, NULL));
    CHECK(!add(root, "x", UNTORN_INTEGER, "9223372036854775808"));
}

TEST(what_does_not_fit_is_not_added)
{
    struct untorn_node *root = begin(UNTORN_JSON, UNTORN_OBJECT);
    struct untorn_node *one = add(root, "a", UNTORN_INTEGER, "1");
    CHECK(!add(root, "a", UNTORN_INTEGER, "2"));
    CHECK(!add(root, NULL, UNTORN_INTEGER, "2"));
    CHECK(!add(one, "x", UNTORN_INTEGER, "2"));
    CHECK(!add(NULL, NULL, UNTORN_OBJECT, NULL));
    CHECK(!add(root, "x", UNTORN_INTEGER, "1.5"));
    CHECK(!add(root, "x", UNTORN_FLOAT, "inf"));
    CHECK(!add(root, "x", UNTORN_DATE_LOCAL, "1979-05-27"));
    CHECK(!add(root, "x", UNTORN_STRING, "\xff"));
    CHECK(!add(root, "\xff", UNTORN_STRING, ""));
    CHECK(!add(root, "x", (enum untorn_kind)0, ""));
    CHECK(!add(root, "x", (enum untorn_kind)99, ""));
    struct untorn_node *array = add(root, "b", UNTORN_ARRAY, NULL);
    CHECK(!add(array, "x", UNTORN_INTEGER, "1"));
    CHECK_INT(untorn_node_count(root), 2);
    CHECK(!begin(UNTORN_TOML, UNTORN_ARRAY));
    CHECK(begin(UNTORN_JSON, UNTORN_INTEGER) == NULL);
    CHECK(untorn_document_add(document, NULL, NULL, 0, UNTORN_INTEGER, "5", 1));
    CHECK_TEXT(untorn_document_text(document, NULL), "5\n");
}

TEST(only_a_document_that_is_being_made_takes_values)
{
    struct untorn_node *root = begin(UNTORN_JSON, UNTORN_OBJECT);
    CHECK(add(root, "a", UNTORN_INTEGER, "1"));
    CHECK_INT(set("a", "2"), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "{\n  \"a\": 2\n}\n");
    CHECK(!add(NULL, NULL, UNTORN_OBJECT, NULL));
    open_text(UNTORN_JSON, "{}");
    CHECK(!add(NULL, NULL, UNTORN_OBJECT, NULL));
}

TEST(nothing_is_made_deeper_than_can_be_read)
{
    static const enum untorn_format formats[] = {UNTORN_JSON, UNTORN_TOML};
    for (size_t i = 0; i < 2; i++) {
        struct untorn_node *node = begin(formats[i], UNTORN_OBJECT), *last = NULL;
        for (int depth = 0; node && depth < 5000; depth++) {
            last = node;
            node = add(node, "a", UNTORN_OBJECT, NULL);
        }
        CHECK(!node);
        CHECK(!add(last, "b", UNTORN_ARRAY, NULL));
        size_t size;
        const char *text = untorn_document_text(document, &size);
        struct untorn_document *again;
        CHECK_INT(untorn_document_parse(text, size, formats[i], &again, &error), 0);
        untorn_document_free(again);
    }
}

/* ---- writing ---- */

static const char *written(const struct untorn_node *node, enum untorn_format format,
                           const struct untorn_style *style)
{
    static char *text;
    size_t size;
    free(text);
    int rc = untorn_node_write(node, format, style, &text, &size, &error);
    CHECK_INT(error.status, -rc);
    if (rc != 0) {
        CHECK(!text && size == 0);
        return untorn_status_name(rc);
    }
    CHECK_INT(strlen(text), size);
    return text;
}

TEST(a_value_is_written_as_a_text_of_its_own)
{
    struct untorn_style compact = {.compact = true}, newline = {.newline = true};
    open_text(UNTORN_TOML, "a = 0x10\n[t]\nx = [1, 2]\nday = 1979-05-27\n");
    CHECK_TEXT(written(at("t.x"), UNTORN_JSON, &compact), "[1, 2]");
    CHECK_TEXT(written(at("a"), UNTORN_JSON, &newline), "16\n");
    CHECK_TEXT(written(at("t"), UNTORN_JSON, &compact), "{\"x\": [1, 2], \"day\": \"1979-05-27\"}");
    CHECK_TEXT(written(at("t.x"), UNTORN_JSON, NULL), "[\n  1,\n  2\n]");
    CHECK_TEXT(written(at("t"), UNTORN_TOML, NULL), "x = [1, 2]\nday = 1979-05-27\n");
}

TEST(toml_writes_an_object_only_and_no_null)
{
    open_text(UNTORN_JSON, "{\"a\": {\"b\": 1}, \"c\": [1], \"d\": {\"e\": null}, \"f\": {}}");
    CHECK_TEXT(written(at("a"), UNTORN_TOML, NULL), "b = 1\n");
    CHECK_TEXT(written(at("f"), UNTORN_TOML, NULL), "");
    CHECK_TEXT(written(at("c"), UNTORN_TOML, NULL), "TYPE");
    CHECK(strstr(error.detail, "an array"));
    CHECK_TEXT(written(at("d"), UNTORN_TOML, NULL), "TYPE");
    CHECK(strstr(error.detail, "null"));
    CHECK_TEXT(written(at("d"), UNTORN_FORMAT_UNKNOWN, NULL), "UNKNOWN_FORMAT");
    open_text(UNTORN_JSON, "{\"a\": {\"b\": 1, \"b\": 2}, \"c\": {\"x\": 9223372036854775808}}");
    CHECK_TEXT(written(at("a"), UNTORN_TOML, NULL), "TYPE");
    CHECK_TEXT(written(at("c"), UNTORN_TOML, NULL), "TYPE");
}

TEST(freeing_nothing_is_legal)
{
    untorn_document_free(NULL);
}

/* ---- memory ---- */

static bool made_all(struct untorn_node *root)
{
    char key[16] = "k";
    struct untorn_node *array = add(root, "list", UNTORN_ARRAY, NULL);
    bool made = array && add(array, NULL, UNTORN_DATE_LOCAL, "1979-05-27");
    for (int i = 0; made && i < 40; i++) { /* so many that they are indexed */
        snprintf(key + 1, sizeof key - 1, "%d", i);
        made = add(root, key, UNTORN_STRING, "x") != NULL;
    }
    return made;
}

/* Whatever failed, the document is whole and can be written. */
static bool make_and_write(void)
{
    char *text = NULL;
    document = NULL;
    if (untorn_document_new(UNTORN_TOML, &document, &error) != 0)
        return false;
    struct untorn_node *root = add(NULL, NULL, UNTORN_OBJECT, NULL);
    bool made = root && made_all(root);
    bool written_too = untorn_document_text(document, NULL) != NULL;
    written_too &= untorn_node_write(untorn_document_root(document), UNTORN_JSON, NULL, &text, NULL,
                                     &error) == 0;
    free(text);
    untorn_document_free(document);
    return made && written_too;
}

static bool parse_find_and_edit(void)
{
    static const char *const segments[] = {"server", "0"};
    /* A single set would go the quick way, and if memory runs out there, the general one. */
    const struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = "on", .value = "false", .value_size = 5};
    const struct untorn_edit edits[] = {edit, edit};
    document = NULL;
    bool done =
        untorn_document_parse(sample, sizeof sample - 1, UNTORN_TOML, &document, &error) == 0;
    done = done && untorn_document_find(document, "server[1].tags", &error);
    done = done && untorn_document_find_segments(document, segments, 2, &error);
    done = done && untorn_document_edit(document, edits, 2, &error) == 0;
    CHECK_INT(error.status, done ? UNTORN_OK : UNTORN_NO_MEMORY);
    untorn_document_free(document);
    return done;
}

TEST(documents_survive_every_failed_allocation)
{
    CHECK(heap_walk(make_and_write) > 5);
    CHECK(heap_walk(parse_find_and_edit) > 5);
}
