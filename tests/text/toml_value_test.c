#include "harness.h"
#include "text/toml_support.h"

#include <stdlib.h>
#include <string.h>

TEST(arrays_hold_anything_over_several_lines)
{
    CHECK_TEXT(
        toml_data("a = []\nb = [ ]\nc = [1,2]\nd = [ 1 , 'x', [ ], {}, 1.5, true, 07:32:00,]"),
        "{a=[], b=[], c=[i:1, i:2], "
        "d=[i:1, s:x, [], {}, f:1.5, b:true, t:07:32:00]}");
    CHECK_TEXT(toml_data("a = [ # one\n\n  1 # two\n  , # three\r\n\t2\n  # four\n]\nb = [\n]"),
               "{a=[i:1, i:2], b=[]}");
}

TEST(arrays_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "a = [",       "a = [1",    "a = [1,",     "a = [,]",  "a = [,1]",
        "a = [1,,2]",  "a = [1 2]", "a = [1}",     "a = ]",    "a = [1]]",
        "a = [1] 2",   "a = [1;2]", "a = [b = 1]", "a = [b]",  "a = [1\n2]",
        "a = [1, # ]", "a = [1\n",  "[a = [1]]",   "a = [1],", "a = []b = 1",
    };
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data("a = [1 2]"), "7: expected a comma or ']'");
    CHECK_TEXT(toml_data("a = [1,,2]"), "7: expected a value");
    CHECK_TEXT(toml_data("a = [1, # x"), "11: expected a value (end)");
    CHECK_TEXT(toml_data("a = [1\n"), "7: expected a comma or ']' (end)");
}

TEST(inline_tables_hold_assignments)
{
    CHECK_TEXT(toml_data("a = {}\nb = { }\nc = {x=1,y . z=2}\nd = [{ x = {y = [{}]} }]"),
               "{a={}, b={}, c={x=i:1, y={z=i:2}}, d=[{x={y=[{}]}}]}");
    CHECK_TEXT(toml_data_1_0("a = {b = [\n1, # x\n2\n], c = '''\n\n'''}"),
               "{a={b=[i:1, i:2], c=s:\\x0a}}");
}

TEST(inline_tables_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "a = {",        "a = {b",       "a = {b =",      "a = {b = 1",        "a = {b = 1,",
        "a = {,}",      "a = {b}",      "a = {b = 1,,}", "a = {b = 1 c = 2}", "a = {b = 1]",
        "a = {b\n= 1}", "a = {b =\n1}", "a = {b = 1}}",  "a = {1}",           "a = {[b]}",
        "a = {b: 1}",   "a = {b = 1;}", "a = {, b = 1}", "a = {b.\nc = 1}",
    };
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data("a = {b = 1 c = 2}"), "11: expected a comma or '}'");
    CHECK_TEXT(toml_data("a = {b = 1"), "10: expected a comma or '}' (end)");
    CHECK_TEXT(toml_data("a = {b}"), "6: expected '='");
}

TEST(inline_tables_over_several_lines_came_with_1_1)
{
    static const char *const newer[] = {
        "a = {\n}",      "a = {b = 1,}",
        "a = {b = 1\n}", "a = {\r\nb = 1,\r\nc = 2\r\n}",
        "a = { # x\n}",  "a = {b = 1 # x\n, c = 2 # y\n}",
        "a = [{\n}]",
    };
    TOML_NEWER(newer);
    CHECK_TEXT(toml_data("a = { # one\n\tb = 1, # two\n\n\t# three\n\tc = {d = 2,},\n}\ne = 3"),
               "{a={b=i:1, c={d=i:2}}, e=i:3}");
    CHECK_TEXT(toml_data_1_0("a = {\n}"), "5: a newline in an inline table needs TOML 1.1");
    CHECK_TEXT(toml_data_1_0("a = {b = 1 # x\n}"),
               "11: a comment in an inline table needs TOML 1.1");
    CHECK_TEXT(toml_data_1_0("a = {b = 1, }"), "12: a comma before '}' needs TOML 1.1");
}

TEST(what_is_inside_a_level_is_forgotten_when_it_is_left)
{
    static const char *const good[] = {"a = [{b = [1, {}]}, [{}], 2]", "a = {b = [{}], c = {}}"};
    static const char *const bad[] = {"a = [{b = 1}, c = 2]", "a = {b = [1], 2}", "a = {b = [1}]"};
    TOML_VALID(good);
    TOML_INVALID(bad);
}

static char *nested(size_t depth, const char *open, const char *close)
{
    char *text = malloc(depth * (strlen(open) + strlen(close)) + 16);
    CHECK(text);
    strcpy(text, "a = ");
    char *at = text + 4;
    for (size_t i = 0; i < depth; i++, at += strlen(open))
        strcpy(at, open);
    *at++ = '1';
    *at = '\0';
    for (size_t i = 0; i < depth; i++, at += strlen(close))
        strcpy(at, close);
    return text;
}

TEST(brackets_are_levels_too_of_which_there_are_at_most_128)
{
    static const char *const pairs[][2] = {{"[", "]"}, {"{a=", "}"}, {"[{a=", "}]"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t levels = i == 2 ? 2 : 1;
        char *text = nested(127 / levels, pairs[i][0], pairs[i][1]);
        const char *const good[] = {text};
        TOML_VALID(good);
        free(text);
        text = nested(127 / levels + 1, pairs[i][0], pairs[i][1]);
        const char *const bad[] = {text};
        TOML_INVALID(bad);
        free(text);
    }
    char *text = nested(1000000, "[", "]");
    CHECK_TEXT(toml_data(text), "131: nested deeper than 128 levels");
    free(text);
}

TEST(a_value_knows_its_spelling)
{
    static const struct {
        const char *text, *raw;
    } cases[] = {
        {"a = 1 # x\n", "1"},
        {"a=\"x\\n\"", "\"x\\n\""},
        {"a = '''\nx''' \n", "'''\nx'''"},
        {"a = [ 1,\n 2 ] # x", "[ 1,\n 2 ]"},
        {"a = { b = 1, } \n", "{ b = 1, }"},
        {"a = 1979-05-27 07:32:00\n", "1979-05-27 07:32:00"},
        {"a = 1979-05-27 # x\n", "1979-05-27"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed parsed;
        struct flaw flaw;
        CHECK_INT(
            toml_scan_exact(cases[i].text, strlen(cases[i].text), UNTORN_TOML, &parsed, &flaw), 0);
        const struct untorn_node *node = parsed.root->first;
        CHECK_BYTES(node->raw, node->raw_size, cases[i].raw, strlen(cases[i].raw));
        CHECK_INT(node->raw_format, UNTORN_TOML);
        struct span span = parsed_span(&parsed, node);
        CHECK_INT(span.start, strstr(cases[i].text, cases[i].raw) - cases[i].text);
        CHECK_INT(span.end - span.start, strlen(cases[i].raw));
        toml_free_exact(&parsed);
    }
}

TEST(the_format_that_was_asked_for_is_noted_everywhere)
{
    struct parsed parsed;
    struct flaw flaw;
    const char text[] = "[a]\nb = [{c.d = 1}]";
    CHECK_INT(toml_scan_exact(text, sizeof text - 1, UNTORN_TOML_1_0, &parsed, &flaw), 0);
    for (const struct untorn_node *node = parsed.root; node; node = node->first)
        CHECK_INT(node->raw_format, UNTORN_TOML_1_0);
    toml_free_exact(&parsed);
}
