#include "harness.h"

#include <string.h>

#include "heap.h"
#include "text/parsed.h"
#include "text/write.h"

static const struct untorn_style one_line = {.compact = true},
                                 tight = {.compact = true, .tight = true};

static const char *rewritten(const char *text, enum untorn_format format,
                             const struct untorn_style *style)
{
    static struct buffer buffer;
    struct parsed parsed;
    struct flaw flaw;
    if (parse(text, strlen(text), format, &parsed, &flaw) < 0)
        CHECK_TEXT(text, flaw.what);
    buffer_free(&buffer);
    write_json(&buffer, parsed.root, style, 0);
    CHECK(!buffer.failed);
    CHECK_INT(strlen(buffer.data), buffer.size);
    parsed_free(&parsed);
    return buffer.data;
}

static const char *json(const char *text, const struct untorn_style *style)
{
    return rewritten(text, UNTORN_JSON, style);
}

static const char *toml(const char *text, const struct untorn_style *style)
{
    return rewritten(text, UNTORN_TOML, style);
}

/* ---- layout ---- */

static const char sample[] = "{\"a\":[1,{\"b\":[]},[2]],\"c\":{},\"d\":{\"e\":null,\"f\":true}}";

TEST(a_zeroed_style_has_one_item_a_line_and_two_blanks)
{
    CHECK_TEXT(json(sample, &(struct untorn_style){0}), "{\n"
                                                        "  \"a\": [\n"
                                                        "    1,\n"
                                                        "    {\n"
                                                        "      \"b\": []\n"
                                                        "    },\n"
                                                        "    [\n"
                                                        "      2\n"
                                                        "    ]\n"
                                                        "  ],\n"
                                                        "  \"c\": {},\n"
                                                        "  \"d\": {\n"
                                                        "    \"e\": null,\n"
                                                        "    \"f\": true\n"
                                                        "  }\n"
                                                        "}");
}

TEST(indentation_is_as_wide_as_asked_for)
{
    CHECK_TEXT(json("[[1]]", &(struct untorn_style){.indent = 4}), "[\n    [\n        1\n    ]\n]");
    CHECK_TEXT(json("[[1]]", &(struct untorn_style){.indent = 1}), "[\n [\n  1\n ]\n]");
    CHECK_TEXT(json("[[1]]", &(struct untorn_style){.tabs = true, .indent = 4}),
               "[\n\t[\n\t\t1\n\t]\n]");
}

TEST(on_one_line_blanks_are_behind_commas_and_colons_or_nowhere)
{
    CHECK_TEXT(json(sample, &one_line),
               "{\"a\": [1, {\"b\": []}, [2]], \"c\": {}, \"d\": {\"e\": null, \"f\": true}}");
    CHECK_TEXT(json(sample, &tight), sample);
    CHECK_TEXT(json("[{\"a\":1}]", &(struct untorn_style){.tight = true}),
               "[\n  {\n    \"a\": 1\n  }\n]");
}

TEST(lines_end_as_asked_for)
{
    CHECK_TEXT(json("[1]", &(struct untorn_style){.newline = true}), "[\n  1\n]\n");
    CHECK_TEXT(json("[1]", &(struct untorn_style){.crlf = true}), "[\r\n  1\r\n]");
    CHECK_TEXT(json("[1]", &(struct untorn_style){.crlf = true, .newline = true}),
               "[\r\n  1\r\n]\r\n");
    CHECK_TEXT(json("1", &(struct untorn_style){.compact = true, .newline = true}), "1\n");
}

TEST(a_value_inside_another_is_indented_as_deep)
{
    struct parsed parsed;
    struct flaw flaw;
    struct buffer buffer = {0};
    CHECK_INT(parse_json("{\"a\":[1]}", 9, UNTORN_JSON, &parsed, &flaw), 0);
    write_json(&buffer, parsed.root, &(struct untorn_style){0}, 2);
    CHECK_TEXT(buffer.data, "{\n      \"a\": [\n        1\n      ]\n    }");
    buffer.size = 0;
    write_json(&buffer, parsed.root->first, &one_line, 2); /* a member: without its key */
    CHECK_TEXT(buffer.data, "[1]");
    buffer_free(&buffer);
    parsed_free(&parsed);
}

TEST(keys_are_sorted_if_asked_for)
{
    struct untorn_style style = {.compact = true, .sorted = true};
    CHECK_TEXT(json("{\"b\":{\"d\":1,\"c\":2},\"a\":3}", &style),
               "{\"a\": 3, \"b\": {\"c\": 2, \"d\": 1}}");
    CHECK_TEXT(json("{\"b\":1,\"a\":3}", &one_line), "{\"b\": 1, \"a\": 3}");
}

TEST(repeated_keys_are_all_written)
{
    CHECK_TEXT(json("{\"a\":1,\"a\":2}", &tight), "{\"a\":1,\"a\":2}");
}

TEST(depth_costs_no_stack)
{
    enum { DEPTH = 300000 };
    struct arena arena = {0};
    struct buffer buffer = {0};
    struct untorn_node *root = node_add(&arena, NULL, NULL, 0, UNTORN_ARRAY), *at = root;
    for (int i = 1; i < DEPTH; i++)
        at = node_add(&arena, at, NULL, 0, UNTORN_ARRAY);
    CHECK(at != NULL);
    write_json(&buffer, root, &one_line, 0);
    CHECK_INT(buffer.size, 2 * DEPTH);
    CHECK_INT(strspn(buffer.data, "["), DEPTH);
    buffer_free(&buffer);
    arena_free(&arena);
}

/* ---- strings ---- */

static const char *string(const char *text, size_t size, bool ascii)
{
    static struct buffer buffer;
    buffer_free(&buffer);
    write_json_string(&buffer, text, size, ascii);
    return buffer.data;
}

#define STRING(text, ascii) string(text, sizeof(text) - 1, ascii)

TEST(strings_are_escaped_as_python_does)
{
    CHECK_TEXT(STRING("", false), "\"\"");
    CHECK_TEXT(STRING("plain / 'text'", false), "\"plain / 'text'\"");
    CHECK_TEXT(STRING("\"\\\b\f\n\r\t", false), "\"\\\"\\\\\\b\\f\\n\\r\\t\"");
    CHECK_TEXT(STRING("\0\x01\x1b\x1f", false), "\"\\u0000\\u0001\\u001b\\u001f\"");
    CHECK_TEXT(STRING("\x7f", false), "\"\x7f\"");
    CHECK_TEXT(STRING("\x7f", true), "\"\\u007f\"");
    CHECK_TEXT(STRING("\xc3\xa9\xe2\x80\xa8", false), "\"\xc3\xa9\xe2\x80\xa8\"");
    CHECK_TEXT(STRING("a\xc3\xa9z", true), "\"a\\u00e9z\"");
    CHECK_TEXT(STRING("\xf0\x9f\x98\x80", true), "\"\\ud83d\\ude00\"");
    CHECK_TEXT(STRING("\xf4\x8f\xbf\xbf", true), "\"\\udbff\\udfff\"");
    CHECK_TEXT(STRING("\xf0\x90\x80\x80", true), "\"\\ud800\\udc00\"");
}

TEST(what_is_not_utf_8_never_comes_out_so)
{
    CHECK_TEXT(STRING("a\xffz", false), "\"a\\ufffdz\"");
    CHECK_TEXT(STRING("\xc3", true), "\"\\ufffd\"");
    CHECK_TEXT(STRING("\xed\xa0\xbdz", false), "\"\\ud83dz\"");
    CHECK_TEXT(STRING("\xed\xbf\xbf", true), "\"\\udfff\"");
}

TEST(keys_are_strings_like_others)
{
    struct untorn_style style = {.compact = true, .ascii = true};
    CHECK_TEXT(json("{\"\\n\xc3\xa9\":\"\xc3\xa9\"}", &style), "{\"\\n\\u00e9\": \"\\u00e9\"}");
    CHECK_TEXT(json("{\"\":1}", &one_line), "{\"\": 1}");
}

/* ---- scalars ---- */

TEST(json_numbers_keep_their_spelling)
{
    static const char *const texts[] = {
        "0", "-0", "1.0", "1.50", "1E5", "1e+05", "-0.0", "123456789012345678901234567890", "1e999",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK_TEXT(json(texts[i], &one_line), texts[i]);
}

TEST(toml_numbers_become_json_numbers_or_else_strings)
{
    CHECK_TEXT(toml("a = [0x10, 0o17, 0b11, 1_000, +5, -7, -0, +0]", &tight),
               "{\"a\":[16,15,3,1000,5,-7,0,0]}");
    CHECK_TEXT(toml("a = [-9223372036854775808, 0x7fffffffffffffff]", &tight),
               "{\"a\":[-9223372036854775808,9223372036854775807]}");
    CHECK_TEXT(toml("a = [1.0, +1.5, 1_0.5_0, 1e1_0, +1E+06, -0.0]", &tight),
               "{\"a\":[1.0,1.5,10.50,1e10,1E+06,-0.0]}");
    CHECK_TEXT(toml("a = [inf, +inf, -inf, nan, +nan, -nan]", &tight),
               "{\"a\":[\"inf\",\"inf\",\"-inf\",\"nan\",\"nan\",\"-nan\"]}");
}

TEST(a_float_without_point_gets_one)
{
    struct untorn_node node = {.kind = UNTORN_FLOAT, .text = "+12", .size = 3};
    struct buffer buffer = {0};
    write_json(&buffer, &node, &one_line, 0);
    CHECK_TEXT(buffer.data, "12.0");
    buffer_free(&buffer);
}

TEST(dates_become_strings_as_they_are_spelled)
{
    CHECK_TEXT(toml("a = 1979-05-27 07:32:00z\nb = 1979-05-27\nc = 07:32:00.50\n", &tight),
               "{\"a\":\"1979-05-27 07:32:00z\",\"b\":\"1979-05-27\",\"c\":\"07:32:00.50\"}");
}

TEST(toml_tables_are_objects_and_arrays_of_tables_arrays)
{
    CHECK_TEXT(toml("a.b = 1\n[[c]]\nd = 'x'\n[[c]]\n[e.f]\ng = true\n", &tight),
               "{\"a\":{\"b\":1},\"c\":[{\"d\":\"x\"},{}],\"e\":{\"f\":{\"g\":true}}}");
}

/* ---- with types ---- */

TEST(tagged_scalars_say_their_type)
{
    struct untorn_style style = {.compact = true, .tagged = true};
    CHECK_TEXT(toml("a = 0xff", &style), "{\"a\": {\"type\": \"integer\", \"value\": \"255\"}}");
    CHECK_TEXT(toml("a = -0", &style), "{\"a\": {\"type\": \"integer\", \"value\": \"0\"}}");
    CHECK_TEXT(toml("a = 1_0.5", &style), "{\"a\": {\"type\": \"float\", \"value\": \"10.5\"}}");
    CHECK_TEXT(toml("a = +inf", &style), "{\"a\": {\"type\": \"float\", \"value\": \"inf\"}}");
    CHECK_TEXT(toml("a = -nan", &style), "{\"a\": {\"type\": \"float\", \"value\": \"-nan\"}}");
    CHECK_TEXT(toml("a = true", &style), "{\"a\": {\"type\": \"bool\", \"value\": \"true\"}}");
    CHECK_TEXT(toml("a = '\"'", &style), "{\"a\": {\"type\": \"string\", \"value\": \"\\\"\"}}");
    CHECK_TEXT(json("null", &style), "{\"type\": \"null\", \"value\": \"null\"}");
}

TEST(tagged_instants_are_as_rfc_3339_has_them)
{
    static const char *const cases[][3] = {
        {"1979-05-27 07:32:00z", "datetime", "1979-05-27T07:32:00Z"},
        {"1979-05-27t07:32-07:00", "datetime", "1979-05-27T07:32:00-07:00"},
        {"1979-05-27T07:32Z", "datetime", "1979-05-27T07:32:00Z"},
        {"1979-05-27T00:32:00.999+07:00", "datetime", "1979-05-27T00:32:00.999+07:00"},
        {"1979-05-27 07:32", "datetime-local", "1979-05-27T07:32:00"},
        {"1979-05-27", "date-local", "1979-05-27"},
        {"07:32:01.5", "time-local", "07:32:01.5"},
        {"07:32", "time-local", "07:32:00"},
    };
    struct untorn_style style = {.compact = true, .tight = true, .tagged = true};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer source = {0}, expected = {0};
        buffer_text(&source, "a = ");
        buffer_text(&source, cases[i][0]);
        buffer_text(&expected, "{\"a\":{\"type\":\"");
        buffer_text(&expected, cases[i][1]);
        buffer_text(&expected, "\",\"value\":\"");
        buffer_text(&expected, cases[i][2]);
        buffer_text(&expected, "\"}}");
        CHECK_TEXT(toml(source.data, &style), expected.data);
        buffer_free(&source);
        buffer_free(&expected);
    }
}

TEST(tagged_containers_are_laid_out_as_others)
{
    CHECK_TEXT(toml("a = [1, []]\n", &(struct untorn_style){.tagged = true}),
               "{\n"
               "  \"a\": [\n"
               "    {\"type\": \"integer\", \"value\": \"1\"},\n"
               "    []\n"
               "  ]\n"
               "}");
}

/* ---- and back ---- */

TEST(what_is_written_reads_back_as_the_same_data)
{
    static const char *const texts[] = {
        sample,
        "[\"\\u0000\\u001f\\ud83d\\ude00\\u00e9\\\"\\\\\"]",
        "{\"\":{\"\":[[[]],{}]}}",
        "[1,1.0,1e5,-0,true,false,null,\"\"]",
    };
    for (unsigned bits = 0; bits < 64; bits++) {
        struct untorn_style style = {.compact = bits & 1,
                                     .tabs = bits & 2,
                                     .sorted = bits & 4,
                                     .ascii = bits & 8,
                                     .crlf = bits & 16,
                                     .tight = bits & 32};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct parsed before, after;
            struct flaw flaw;
            const char *written = json(texts[i], &style);
            CHECK_INT(parse_json(texts[i], strlen(texts[i]), UNTORN_JSON, &before, &flaw), 0);
            CHECK_INT(parse_json(written, strlen(written), UNTORN_JSON, &after, &flaw), 0);
            CHECK(node_equal(before.root, after.root));
            parsed_free(&before);
            parsed_free(&after);
        }
    }
}

/* ---- no memory ---- */

static struct parsed large;

static bool write_large(void)
{
    struct buffer buffer = {0};
    struct untorn_style style = {.sorted = true, .ascii = true};
    write_json(&buffer, large.root, &style, 0);
    bool done = !buffer.failed;
    buffer_free(&buffer);
    return done;
}

TEST(for_want_of_memory_the_buffer_says_so)
{
    struct buffer text = {0};
    struct flaw flaw;
    buffer_text(&text, "[0");
    for (int i = 0; i < 300; i++)
        buffer_text(&text, ",{\"b\":\"\xc3\xa9\",\"a\":[1.5,null]}");
    buffer_text(&text, "]");
    CHECK_INT(parse_json(text.data, text.size, UNTORN_JSON, &large, &flaw), 0);
    CHECK(heap_walk(write_large) > 5);
    parsed_free(&large);
    buffer_free(&text);
}
