#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text/parsed.h"
#include "text/suites.h"
#include "text/write.h"

static const struct untorn_style plain = {0};

static struct parsed parsed_text(const char *text, enum untorn_format format)
{
    struct parsed parsed;
    struct flaw flaw;
    if (parse(text, strlen(text), format, &parsed, &flaw) < 0) {
        fprintf(stderr, "%s\n", text);
        CHECK_TEXT(flaw.what, "no flaw");
    }
    return parsed;
}

/* As a value; NULL if TOML cannot hold it. */
static const char *value_of(const char *text, enum untorn_format format)
{
    static struct buffer buffer;
    struct parsed parsed = parsed_text(text, format);
    buffer_free(&buffer);
    const struct untorn_node *node = format == UNTORN_JSON ? parsed.root : parsed.root->first;
    bool fits = write_toml_value(&buffer, node);
    CHECK(!buffer.failed);
    parsed_free(&parsed);
    return fits ? buffer.data : NULL;
}

static const char *value(const char *json)
{
    return value_of(json, UNTORN_JSON);
}

/* As a document. */
static const char *document(const char *json, const struct untorn_style *style)
{
    static struct buffer buffer;
    struct parsed parsed = parsed_text(json, UNTORN_JSON);
    buffer_free(&buffer);
    bool fits = write_toml(&buffer, parsed.root, style);
    CHECK(!buffer.failed);
    parsed_free(&parsed);
    return fits ? buffer.data : NULL;
}

/* ---- values ---- */

TEST(scalars_of_json_are_scalars_of_toml)
{
    static const char *const same[] = {
        "true",
        "false",
        "0",
        "-0",
        "42",
        "-17",
        "1.5",
        "1e5",
        "1E5",
        "-0.0",
        "1.0e5",
        "1e+05",
        "\"a\"",
        "9223372036854775807",
        "-9223372036854775808",
        "1e400",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        CHECK_TEXT(value(same[i]), same[i]);
}

TEST(containers_are_on_one_line)
{
    CHECK_TEXT(value("[]"), "[]");
    CHECK_TEXT(value("{}"), "{}");
    CHECK_TEXT(value("[1,2,[3,[]]]"), "[1, 2, [3, []]]");
    CHECK_TEXT(value("{\"a\":1,\"b\":{\"c d\":[{}]},\"\":{\"x\":[]}}"),
               "{ a = 1, b = { \"c d\" = [{}] }, \"\" = { x = [] } }");
    CHECK_TEXT(value("[{\"a\":1},{\"b\":\"\\n\"}]"), "[{ a = 1 }, { b = \"\\n\" }]");
}

TEST(what_toml_cannot_hold_is_refused)
{
    static const char *const texts[] = {
        "null",
        "[null]",
        "[1,{\"a\":[null]}]",
        "{\"a\":null}",
        "9223372036854775808",
        "-9223372036854775809",
        "[123456789012345678901234567890]",
        "{\"a\":1,\"a\":2}",
        "[{\"b\":{\"a\":1,\"c\":2,\"a\":3}}]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (value(texts[i]))
            CHECK_TEXT(texts[i], "refused");
}

TEST(a_text_that_is_not_utf_8_is_refused)
{
    struct buffer buffer = {0};
    struct arena arena = {0};
    struct untorn_node *root = node_add(&arena, NULL, NULL, 0, UNTORN_OBJECT);
    struct untorn_node *member = node_add(&arena, root, "a", 1, UNTORN_STRING);
    CHECK(root && member);
    member->text = "\xed\xa0\x80";
    member->size = 3;
    CHECK(!write_toml_value(&buffer, root) && !write_toml(&buffer, root, &plain));
    member->size = 0;
    CHECK(write_toml_value(&buffer, root) && write_toml(&buffer, root, &plain));
    member->key = "\xff";
    CHECK(!write_toml_value(&buffer, root) && !write_toml(&buffer, root, &plain));
    buffer_free(&buffer);
    arena_free(&arena);
}

TEST(scalars_of_toml_keep_their_spelling)
{
    static const char *const texts[] = {
        "0xDEAD_beef",
        "1_000",
        "+5",
        "1e1_0",
        "+inf",
        "nan",
        "'a'",
        "\"\\u0041\"",
        "\"\"\"\na\"\"\"",
        "'''it's'''",
        "1979-05-27 07:32:00z",
        "07:32",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct buffer source = {0};
        buffer_text(&source, "a = ");
        buffer_text(&source, texts[i]);
        CHECK_TEXT(value_of(source.data, UNTORN_TOML), texts[i]);
        buffer_free(&source);
    }
    CHECK_TEXT(value_of("a = [\n  0x1, # one\n  {b.c = 'x'},\n]", UNTORN_TOML),
               "[0x1, { b = { c = 'x' } }]");
}

TEST(what_was_never_spelled_is_written_by_its_kind)
{
    static const struct {
        enum untorn_kind kind;
        const char *text, *expected;
    } cases[] = {
        {UNTORN_FLOAT, "12", "12.0"},
        {UNTORN_FLOAT, "-inf", "-inf"},
        {UNTORN_FLOAT, "1e5", "1e5"},
        {UNTORN_FLOAT, "word", NULL},
        {UNTORN_INTEGER, "0x10", "0x10"},
        {UNTORN_INTEGER, "1.5", NULL},
        {UNTORN_DATE_LOCAL, "1979-05-27", "1979-05-27"},
        {UNTORN_BOOLEAN, "true", "true"},
        {UNTORN_STRING, "1979-05-27", "\"1979-05-27\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer buffer = {0};
        struct untorn_node node = {.kind = cases[i].kind, .text = cases[i].text};
        node.size = strlen(node.text);
        CHECK_INT(write_toml_value(&buffer, &node), cases[i].expected != NULL);
        if (cases[i].expected)
            CHECK_TEXT(buffer.data, cases[i].expected);
        buffer_free(&buffer);
    }
}

/* ---- strings and keys ---- */

static const char *written(void (*write)(struct buffer *, const char *, size_t), const char *text,
                           size_t size)
{
    static struct buffer buffer;
    buffer_free(&buffer);
    write(&buffer, text, size);
    return buffer.data;
}

#define STRING(text) written(write_toml_string, text, sizeof(text) - 1)
#define KEY(text) written(write_toml_key, text, sizeof(text) - 1)

TEST(strings_are_basic_unless_literal_quotes_save_escapes)
{
    CHECK_TEXT(STRING(""), "\"\"");
    CHECK_TEXT(STRING("it's"), "\"it's\"");
    CHECK_TEXT(STRING("C:\\dir"), "'C:\\dir'");
    CHECK_TEXT(STRING("say \"hi\""), "'say \"hi\"'");
    CHECK_TEXT(STRING("it's \"it\""), "\"it's \\\"it\\\"\"");
    CHECK_TEXT(STRING("a\\\n"), "\"a\\\\\\n\"");
    CHECK_TEXT(STRING("a\\\tb"), "\"a\\\\\\tb\"");
    CHECK_TEXT(STRING("\b\t\n\f\r"), "\"\\b\\t\\n\\f\\r\"");
    CHECK_TEXT(STRING("\0\x1b\x7f"), "\"\\u0000\\u001b\\u007f\"");
    CHECK_TEXT(STRING("\xc3\xa9\\\xf0\x9f\x98\x80"), "'\xc3\xa9\\\xf0\x9f\x98\x80'");
    CHECK_TEXT(STRING("\xc3\xa9"), "\"\xc3\xa9\"");
    CHECK_TEXT(STRING("\xff\\"), "\"\\ufffd\\\\\"");
    CHECK_TEXT(STRING("\xed\xa0\x80"), "\"\\ufffd\"");
}

TEST(keys_are_bare_where_they_can_be)
{
    CHECK_TEXT(KEY("a"), "a");
    CHECK_TEXT(KEY("-_09azAZ"), "-_09azAZ");
    CHECK_TEXT(KEY("1234"), "1234");
    CHECK_TEXT(KEY(""), "\"\"");
    CHECK_TEXT(KEY("a.b"), "\"a.b\"");
    CHECK_TEXT(KEY("a b"), "\"a b\"");
    CHECK_TEXT(KEY("a\"\\\n"), "\"a\\\"\\\\\\n\"");
    CHECK_TEXT(KEY("\xc3\xa9"), "\"\xc3\xa9\"");
    CHECK_TEXT(KEY("a\0b"), "\"a\\u0000b\"");
}

/* ---- documents ---- */

TEST(scalars_come_first_then_tables_each_after_a_blank_line)
{
    CHECK_TEXT(
        document("{\"t\":{\"x\":1,\"u\":{\"y\":2},\"z\":3},\"a\":[1],\"v\":{\"w\":4}}", &plain),
        "a = [1]\n"
        "\n"
        "[t]\n"
        "x = 1\n"
        "z = 3\n"
        "\n"
        "[t.u]\n"
        "y = 2\n"
        "\n"
        "[v]\n"
        "w = 4\n");
}

TEST(arrays_of_objects_become_arrays_of_tables)
{
    CHECK_TEXT(
        document("{\"p\":[{\"n\":1,\"d\":{\"e\":2},\"s\":[{\"m\":3},{}]},{},{\"n\":4}]}", &plain),
        "[[p]]\n"
        "n = 1\n"
        "\n"
        "[p.d]\n"
        "e = 2\n"
        "\n"
        "[[p.s]]\n"
        "m = 3\n"
        "\n"
        "[[p.s]]\n"
        "\n"
        "[[p]]\n"
        "\n"
        "[[p]]\n"
        "n = 4\n");
}

TEST(mixed_and_empty_containers_stay_inline)
{
    CHECK_TEXT(document("{\"a\":[],\"b\":{},\"c\":[{\"x\":1},2],\"d\":[[{\"y\":1}]]}", &plain),
               "a = []\n"
               "b = {}\n"
               "c = [{ x = 1 }, 2]\n"
               "d = [[{ y = 1 }]]\n");
}

TEST(a_table_that_only_holds_tables_needs_no_header)
{
    CHECK_TEXT(document("{\"a\":{\"b\":{\"c\":1}}}", &plain), "[a.b]\nc = 1\n");
    CHECK_TEXT(document("{\"a\":{\"b\":{\"c\":{}}}}", &plain), "[a.b]\nc = {}\n");
    CHECK_TEXT(document("{\"a\":[{\"b\":{\"c\":1}}]}", &plain), "[[a]]\n\n[a.b]\nc = 1\n");
}

TEST(headers_quote_keys_and_find_back_to_the_shorter_path)
{
    CHECK_TEXT(document("{\"a.b\":{\"\":{\"x\":1},\"\\\"\":{\"y\":2}},\"c\":{\"z\":3}}", &plain),
               "[\"a.b\".\"\"]\nx = 1\n\n[\"a.b\".\"\\\"\"]\ny = 2\n\n[c]\nz = 3\n");
}

TEST(an_empty_object_is_an_empty_document)
{
    CHECK_TEXT(document("{}", &plain), "");
}

TEST(only_an_object_is_a_document)
{
    CHECK(document("[]", &plain) == NULL);
    CHECK(document("1", &plain) == NULL);
    CHECK(document("{\"a\":null}", &plain) == NULL);
    CHECK(document("{\"a\":{\"b\":[null]}}", &plain) == NULL);
    CHECK(document("{\"a\":[{\"b\":{\"c\":null}}]}", &plain) == NULL);
    CHECK(document("{\"a\":{\"x\":1},\"a\":{\"y\":1}}", &plain) == NULL);
    CHECK(document("{\"a\":{\"x\":18446744073709551616}}", &plain) == NULL);
}

TEST(style_decides_on_order_line_ends_and_ascii)
{
    CHECK_TEXT(document("{\"b\":{\"z\":1,\"y\":2},\"a\":{\"x\":3},\"c\":4}",
                        &(struct untorn_style){.sorted = true}),
               "c = 4\n\n[a]\nx = 3\n\n[b]\ny = 2\nz = 1\n");
    CHECK_TEXT(document("{\"a\":1,\"b\":{\"c\":2}}", &(struct untorn_style){.crlf = true}),
               "a = 1\r\n\r\n[b]\r\nc = 2\r\n");
    CHECK_TEXT(document("{\"\xc3\xa9\":{\"a\":[\"\xf0\x9f\x98\x80\\\\\"]}}",
                        &(struct untorn_style){.ascii = true}),
               "[\"\\u00e9\"]\na = [\"\\U0001f600\\\\\"]\n");
}

TEST(ascii_comes_before_the_spelling)
{
    struct parsed parsed = parsed_text("a = '\xc3\xa9'\nb = 'e'\n", UNTORN_TOML);
    struct buffer buffer = {0};
    CHECK(write_toml(&buffer, parsed.root, &(struct untorn_style){.ascii = true}));
    CHECK_TEXT(buffer.data, "a = \"\\u00e9\"\nb = 'e'\n");
    buffer_free(&buffer);
    parsed_free(&parsed);
}

TEST(a_document_goes_behind_what_the_buffer_holds)
{
    struct parsed parsed = parsed_text("{\"a\":{\"b\":1}}", UNTORN_JSON);
    struct buffer buffer = {0};
    buffer_text(&buffer, "# made\n");
    CHECK(write_toml(&buffer, parsed.root, &plain));
    CHECK_TEXT(buffer.data, "# made\n[a]\nb = 1\n");
    buffer_free(&buffer);
    parsed_free(&parsed);
}

TEST(depth_costs_no_stack)
{
    enum { DEPTH = 100000 };
    struct arena arena = {0};
    struct buffer buffer = {0};
    struct untorn_node *root = node_add(&arena, NULL, NULL, 0, UNTORN_OBJECT), *at = root;
    for (int i = 1; i < DEPTH; i++)
        at = node_add(&arena, at, "a", 1, UNTORN_OBJECT);
    CHECK(at != NULL);
    CHECK(write_toml(&buffer, root, &plain));
    CHECK_INT(buffer.size, 2 * (DEPTH - 2) + 1 + strlen("\na = {}\n"));
    CHECK(write_toml_value(&buffer, root));
    buffer_free(&buffer);
    arena_free(&arena);
}

/* ---- and back ---- */

static void forget_spelling(struct untorn_node *top)
{
    for (struct untorn_node *at = top;;) {
        at->raw = NULL;
        if (at->first) {
            at = at->first;
            continue;
        }
        while (at != top && !at->next)
            at = at->parent;
        if (at == top)
            return;
        at = at->next;
    }
}

/* As a document and as a value. */
static void check_reads_back(const struct untorn_node *root, const struct untorn_style *style,
                             enum untorn_format format)
{
    struct buffer buffer = {0};
    CHECK(write_toml(&buffer, root, style));
    struct parsed again = parsed_text(buffer.data, format);
    CHECK(node_equal(root, again.root));
    parsed_free(&again);
    buffer_free(&buffer);
    buffer_text(&buffer, "a = ");
    CHECK(write_toml_value(&buffer, root));
    again = parsed_text(buffer.data, format);
    CHECK(node_equal(root, again.root->first));
    parsed_free(&again);
    buffer_free(&buffer);
}

static void check_in_all_styles(const char *text, enum untorn_format from, enum untorn_format to)
{
    struct parsed parsed = parsed_text(text, from);
    for (unsigned bits = 0; bits < 16; bits++) {
        struct untorn_style style = {.sorted = bits & 1, .crlf = bits & 2, .ascii = bits & 4};
        struct untorn_node *copy = node_copy(&parsed.arena, parsed.root);
        CHECK(copy != NULL);
        if (bits & 8)
            forget_spelling(copy);
        check_reads_back(copy, &style, to);
    }
    parsed_free(&parsed);
}

TEST(what_is_written_reads_back_as_the_same_data)
{
    static const char *const texts[] = {
        "{}",
        "{\"\":\"\",\"a b\":{\"\":[1,2.5,true,\"x\"]}}",
        "{\"a\":[{\"b\":[{\"c\":[{}]}]},{\"b\":[]},{}],\"d\":[[{}]]}",
        "{\"s\":[\"\\u0000\\u007f\\\\\",\"\\\"\",\"'\\\"\",\"\\ud83d\\ude00\",\"\\r\\n\",\"'''\"]}",
        "{\"t\":{\"u\":{\"v\":{}}},\"w\":{\"x\":{\"y\":[{\"z\":1e5}]}},\"n\":-0}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_in_all_styles(texts[i], UNTORN_JSON, UNTORN_TOML_1_0);
}

static char *read_file(const char *name)
{
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "toml-test/tests/%s", name);
    return suite_read(path, &size);
}

/* How many files of the list were rewritten. */
static int rewrite_suite(const char *list, enum untorn_format format)
{
    int count = 0;
    char *names = read_file(list);
    if (!names)
        suite_missing("toml-test");
    for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
        size_t size = strlen(name);
        if (strncmp(name, "valid/", 6) != 0 || strcmp(name + size - 5, ".toml") != 0)
            continue;
        char *text = read_file(name);
        CHECK(text);
        check_in_all_styles(text, format, format);
        free(text);
        count++;
    }
    free(names);
    return count;
}

TEST(the_valid_files_of_the_test_suite_can_be_rewritten)
{
    CHECK(rewrite_suite("files-toml-1.0.0", UNTORN_TOML_1_0) > 200);
    CHECK(rewrite_suite("files-toml-1.1.0", UNTORN_TOML) > 200);
}

/* ---- no memory ---- */

static struct parsed large;

static bool write_large(void)
{
    struct buffer buffer = {0};
    CHECK(write_toml(&buffer, large.root, &(struct untorn_style){.sorted = true}));
    bool done = !buffer.failed;
    buffer_free(&buffer);
    return done;
}

TEST(for_want_of_memory_the_buffer_says_so)
{
    struct buffer text = {0};
    struct flaw flaw;
    buffer_text(&text, "{\"first\":{\"second\":{\"x\":1}}");
    for (int i = 0; i < 8; i++) {
        buffer_text(&text, ",\"a long key that makes the path longer than a small buffer is: ");
        buffer_repeat(&text, (char)('a' + i), 40);
        buffer_text(&text, "\":{\"b\":[{\"c d\":[1.5,\"x\"]},{}],\"e\":1}");
    }
    buffer_text(&text, "}");
    CHECK_INT(parse_json(text.data, text.size, UNTORN_JSON, &large, &flaw), 0);
    CHECK(heap_walk(write_large) > 5);
    parsed_free(&large);
    buffer_free(&text);
}
