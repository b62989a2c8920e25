/* Reading the value of an edit, and what a format can hold. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "text/json.h"
#include "text/value.h"
#include "text/write.h"

static struct untorn_error error;
static struct value value;
static struct parsed document;

/* What a plain value becomes in the place of `old`, as "KIND TEXT"; or the name of the status. */
static const char *read_in(enum untorn_format format, const char *old, const char *text,
                           size_t size, enum untorn_syntax syntax)
{
    static char said[4096];
    struct untorn_edit edit = {.value = text, .value_size = size, .syntax = syntax};
    struct flaw flaw;
    const struct untorn_node *node = NULL;
    value_free(&value);
    parsed_free(&document);
    if (old) {
        CHECK_INT(parse(old, strlen(old), format, &document, &flaw), 0);
        node = document.root->first;
    }
    error_begin(&error, NULL, NULL);
    int rc = value_read(&edit, node, "key", format, &value, &error);
    CHECK_INT(error.status, -rc);
    if (rc != 0)
        return untorn_status_name(rc);
    CHECK(value.node && !value.node->parent);
    snprintf(said, sizeof said, "%s: %s", value_kind_words(value.node->kind),
             node_is_container(value.node) ? value.node->raw : value.node->text);
    return said;
}

static const char *plain(enum untorn_format format, const char *old, const char *text)
{
    return read_in(format, old, text, strlen(text), UNTORN_PLAIN);
}

static const char *spelled(enum untorn_format format, const char *text, enum untorn_syntax syntax)
{
    return read_in(format, NULL, text, strlen(text), syntax);
}

TEST(a_new_plain_value_is_what_it_spells)
{
    static const char *const cases[][2] = {
        {"true", "a boolean: true"},
        {"false", "a boolean: false"},
        {"0", "an integer: 0"},
        {"-12", "an integer: -12"},
        {"1.50", "a float: 1.50"},
        {"1E+2", "a float: 1E+2"},
        {"", "a string: "},
        {"null", "a string: null"},
        {"True", "a string: True"},
        {"+1", "a string: +1"},
        {"0x10", "a string: 0x10"},
        {"01", "a string: 01"},
        {"1_000", "a string: 1_000"},
        {".5", "a string: .5"},
        {"1 ", "a string: 1 "},
        {"inf", "a string: inf"},
        {"[1]", "a string: [1]"},
        {"\"a\"", "a string: \"a\""},
        {"1.2.3", "a string: 1.2.3"},
        {"\xc3\xa9", "a string: \xc3\xa9"},
        {"2020-01-01", "a string: 2020-01-01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_TEXT(plain(UNTORN_JSON, NULL, cases[i][0]), cases[i][1]);
        CHECK_TEXT(plain(UNTORN_TOML, NULL, cases[i][0]), cases[i][1]);
        CHECK_TEXT(plain(UNTORN_JSON, "[null]", cases[i][0]), cases[i][1]);
    }
}

TEST(a_plain_value_takes_the_type_of_what_it_replaces)
{
    static const char *const cases[][3] = {
        {"[\"a\"]", "8080", "a string: 8080"},
        {"[\"a\"]", "true", "a string: true"},
        {"[\"\"]", "", "a string: "},
        {"[1]", "8080", "an integer: 8080"},
        {"[1]", "-0", "an integer: -0"},
        {"[1]", "1.5", "a float: 1.5"},
        {"[1.5]", "2.50", "a float: 2.50"},
        {"[1.5]", "3", "an integer: 3"},
        {"[true]", "false", "a boolean: false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(plain(UNTORN_JSON, cases[i][0], cases[i][1]), cases[i][2]);
}

TEST(a_plain_value_of_another_type_is_refused)
{
    static const char *const cases[][2] = {
        {"[1]", "abc"}, {"[1]", "true"}, {"[1]", ""},     {"[1]", "1 "},
        {"[1]", "0x1"}, {"[1.5]", "x"},  {"[true]", "1"}, {"[true]", "no"},
        {"[true]", ""}, {"[[]]", "1"},   {"[{}]", "{}"},  {"[1]", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(plain(UNTORN_JSON, cases[i][0], cases[i][1]), "TYPE");
}

TEST(the_refusal_says_what_is_there_and_what_to_type)
{
    CHECK_TEXT(plain(UNTORN_JSON, "[1]", "abc"), "TYPE");
    CHECK(strstr(error.detail, "key is an integer"));
    CHECK(strstr(error.detail, "'abc'"));
    CHECK(strstr(error.detail, "--string"));
    CHECK(!strstr(error.detail, "--toml"));
    CHECK_TEXT(plain(UNTORN_TOML, "a = {}", "abc"), "TYPE");
    CHECK(strstr(error.detail, "--toml"));
}

TEST(a_float_of_toml_stays_a_float)
{
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1.5", "3"), "a float: 3.0");
    CHECK_TEXT(plain(UNTORN_TOML, "a = inf", "-7"), "a float: -7.0");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1.5", "2e3"), "a float: 2e3");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1", "3"), "an integer: 3");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 0x10", "3"), "an integer: 3");
}

TEST(a_plain_number_may_be_spelled_as_toml_spells_it)
{
    CHECK_TEXT(plain(UNTORN_TOML, "a = 0xff", "0x12"), "an integer: 0x12");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1", "40_000"), "an integer: 40_000");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1.5", "-inf"), "a float: -inf");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1", "nan"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1", "2 # x"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1", "2\nb = 3"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = true", "'x'"), "TYPE");
    CHECK_TEXT(plain(UNTORN_JSON, "[1]", "40_000"), "TYPE");
}

TEST(a_value_is_spelled_in_toml_1_0_unless_what_it_replaces_is_not)
{
    CHECK_TEXT(plain(UNTORN_TOML, "a = 08:15:00", "09:30"), "a local time: 09:30:00");
    CHECK(!value.node->raw);
    CHECK_TEXT(plain(UNTORN_TOML, "a = 08:15", "09:30"), "a local time: 09:30");
    CHECK(value.node->raw);
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1979-05-27T07:32:00Z", "1979-05-27 07:33-01:30"),
               "a date-time with offset: 1979-05-27 07:33:00-01:30");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 1979-05-27", "1979-05-28"), "a local date: 1979-05-28");
    CHECK_TEXT(spelled(UNTORN_TOML, "09:30", UNTORN_AS_TOML), "a local time: 09:30:00");
    CHECK_TEXT(spelled(UNTORN_TOML, "\"\\x41\"", UNTORN_AS_TOML), "a string: A");
    CHECK(!value.node->raw);
    CHECK_TEXT(spelled(UNTORN_TOML, "[0x1, # one\n]", UNTORN_AS_TOML), "an array: [0x1, # one\n]");
}

TEST(what_only_toml_1_1_reads_is_written_anew_with_all_below_it)
{
    struct buffer buffer = {0};
    static const char newer[] = "{a = [07:33, 0xff], 'b c'.d = {e = 1979-05-27T07:32},}";
    struct untorn_edit edit = {
        .value = newer, .value_size = strlen(newer), .syntax = UNTORN_AS_TOML};
    error_begin(&error, NULL, NULL);
    value_free(&value);
    CHECK_INT(value_read(&edit, NULL, "key", UNTORN_TOML, &value, &error), 0);
    CHECK(write_toml_value(&buffer, value.node));
    static const char wanted[] =
        "{ a = [07:33:00, 0xff], \"b c\" = { d = { e = 1979-05-27T07:32:00 } } }";
    CHECK_BYTES(buffer.data, buffer.size, wanted, strlen(wanted));
    buffer_free(&buffer);
}

TEST(a_plain_date_replaces_a_date_of_the_same_kind_only)
{
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01", "2021-12-31"), "a local date: 2021-12-31");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 10:00:00", "11:30:00"), "a local time: 11:30:00");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01T00:00:00Z", "2020-01-02T00:00:00+01:00"),
               "a date-time with offset: 2020-01-02T00:00:00+01:00");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01", "2021-12-31T00:00:00"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01", "2021-13-31"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01", "tomorrow"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01", "2021-01-01\nb = 1"), "TYPE");
    CHECK_TEXT(plain(UNTORN_TOML, "a = 2020-01-01", ""), "TYPE");
}

TEST(a_string_is_its_bytes_and_they_are_utf_8)
{
    CHECK_TEXT(spelled(UNTORN_JSON, "true", UNTORN_AS_STRING), "a string: true");
    CHECK_TEXT(read_in(UNTORN_JSON, NULL, "a\0b", 3, UNTORN_AS_STRING), "a string: a");
    CHECK_BYTES(value.node->text, value.node->size, "a\0b", 3);
    CHECK_TEXT(spelled(UNTORN_JSON, "\xff", UNTORN_AS_STRING), "INVALID");
    CHECK_TEXT(spelled(UNTORN_TOML, "\xed\xa0\x80", UNTORN_PLAIN), "INVALID");
    CHECK(strstr(error.detail, "UTF-8"));
    CHECK_TEXT(read_in(UNTORN_JSON, NULL, NULL, 0, UNTORN_AS_STRING), "a string: ");
}

TEST(a_json_value_is_scanned)
{
    CHECK_TEXT(spelled(UNTORN_JSON, " {\"a\": [1]}", UNTORN_AS_JSON), "an object: {\"a\": [1]}");
    CHECK_TEXT(spelled(UNTORN_TOML, "\"a\\n\"", UNTORN_AS_JSON), "a string: a\n");
    CHECK_TEXT(spelled(UNTORN_JSON, "{\"a\": ,}", UNTORN_AS_JSON), "INVALID");
    CHECK(strstr(error.detail, "not JSON, line 1, column 7"));
    CHECK_TEXT(spelled(UNTORN_JSON, "", UNTORN_AS_JSON), "INVALID");
    CHECK_TEXT(spelled(UNTORN_JSON, "1 2", UNTORN_AS_JSON), "INVALID");
    CHECK_TEXT(spelled(UNTORN_JSON, "[1,]", UNTORN_AS_JSON), "INVALID");
    CHECK_TEXT(spelled(UNTORN_JSONC, "[1,]", UNTORN_AS_JSON), "an array: [1,]");
}

TEST(a_toml_value_is_scanned_and_is_one_value)
{
    CHECK_TEXT(spelled(UNTORN_TOML, " 0x10 ", UNTORN_AS_TOML), "an integer: 0x10");
    CHECK_TEXT(spelled(UNTORN_TOML, "1979-05-27", UNTORN_AS_TOML), "a local date: 1979-05-27");
    CHECK_TEXT(spelled(UNTORN_JSON, "'a'", UNTORN_AS_TOML), "a string: a");
    CHECK_TEXT(spelled(UNTORN_TOML, "[1,\n2,\n]", UNTORN_AS_TOML), "an array: [1,\n2,\n]");
    static const char *const wrong[] = {
        "", "1 2", "1 # comment", "1\ny = 2", "1\n[t]", "abc", "{a = 1", "1\n# c", "= 1",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_TEXT(spelled(UNTORN_TOML, wrong[i], UNTORN_AS_TOML), "INVALID");
    CHECK_TEXT(spelled(UNTORN_TOML, "abc", UNTORN_AS_TOML), "INVALID");
    CHECK(strstr(error.detail, "not TOML, line 1, column 1"));
}

TEST(an_unknown_syntax_is_refused)
{
    CHECK_TEXT(spelled(UNTORN_JSON, "1", (enum untorn_syntax)9), "INVALID");
}

static const char *fits(enum untorn_format format, const char *text, enum untorn_syntax syntax,
                        size_t depth)
{
    const char *said = spelled(UNTORN_FORMAT_UNKNOWN, text, syntax);
    if (!value.node)
        return said;
    return untorn_status_name(value_fits(value.node, format, depth, &error));
}

TEST(toml_holds_no_null_no_long_integer_and_no_key_twice)
{
    static const char *const unfit[] = {
        "null",
        "[1,[null]]",
        "{\"a\":{\"b\":null}}",
        "9223372036854775808",

        "{\"a\":1,\"a\":2}",
        "[{},{\"a\":[],\"b\":[null,1]}]",
    };
    static const char *const fit[] = {
        "1", "[]", "{}", "9223372036854775807", "\"\\u0000\"", "{\"a\":{\"a\":1}}", "1e999"};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        CHECK_TEXT(fits(UNTORN_TOML, unfit[i], UNTORN_AS_JSON, 0), "TYPE");
        CHECK(error.detail[0]);
        CHECK_TEXT(fits(UNTORN_JSON, unfit[i], UNTORN_AS_JSON, 0), "OK");
    }
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        CHECK_TEXT(fits(UNTORN_TOML_1_0, fit[i], UNTORN_AS_JSON, 0), "OK");
}

TEST(json_holds_no_dates_and_no_infinity)
{
    static const char *const unfit[] = {"1979-05-27", "[10:00:00]", "inf", "{a = [-nan]}"};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        CHECK_TEXT(fits(UNTORN_JSON, unfit[i], UNTORN_AS_TOML, 0), "TYPE");
        CHECK(strstr(error.detail, "--string"));
        CHECK_TEXT(fits(UNTORN_TOML, unfit[i], UNTORN_AS_TOML, 0), "OK");
    }
    CHECK_TEXT(fits(UNTORN_JSON, "0x10", UNTORN_AS_TOML, 0), "OK");
}

TEST(what_would_be_nested_too_deep_does_not_fit)
{
    CHECK_TEXT(fits(UNTORN_JSON, "[[1],2]", UNTORN_AS_JSON, JSON_DEPTH - 2), "OK");
    CHECK_TEXT(fits(UNTORN_JSON, "[[1],2]", UNTORN_AS_JSON, JSON_DEPTH - 1), "TOO_LARGE");
    CHECK_TEXT(fits(UNTORN_JSON, "[[],[],[]]", UNTORN_AS_JSON, JSON_DEPTH - 2), "OK");
    CHECK_TEXT(fits(UNTORN_JSON, "1", UNTORN_AS_JSON, JSON_DEPTH), "OK");
    CHECK_TEXT(fits(UNTORN_TOML, "[[1],2]", UNTORN_AS_JSON, value_depth(UNTORN_TOML) - 1),
               "TOO_LARGE");
}

TEST(a_spelling_is_of_its_kind_or_not)
{
    static const struct {
        enum untorn_kind kind;
        const char *text;
        bool json, toml;
    } cases[] = {
        {UNTORN_NULL, "null", true, false},
        {UNTORN_NULL, "", false, false},
        {UNTORN_BOOLEAN, "true", true, true},
        {UNTORN_BOOLEAN, "True", false, false},
        {UNTORN_INTEGER, "12", true, true},
        {UNTORN_INTEGER, "1.0", false, false},
        {UNTORN_INTEGER, "0x10", false, true},
        {UNTORN_INTEGER, "9223372036854775808", true, false},
        {UNTORN_INTEGER, "", false, false},
        {UNTORN_FLOAT, "1.0", true, true},
        {UNTORN_FLOAT, "1", false, false},
        {UNTORN_FLOAT, "inf", false, true},
        {UNTORN_FLOAT, "1.0 # c", false, false},
        {UNTORN_STRING, "anything", true, true},
        {UNTORN_STRING, "\xff", false, false},
        {UNTORN_DATE_LOCAL, "1979-05-27", false, true},
        {UNTORN_TIME_LOCAL, "1979-05-27", false, false},
        {UNTORN_ARRAY, "[]", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        CHECK_INT(value_is_spelled(cases[i].kind, text, strlen(text), UNTORN_JSON), cases[i].json);
        CHECK_INT(value_is_spelled(cases[i].kind, text, strlen(text), UNTORN_TOML), cases[i].toml);
    }
}
