#include "harness.h"

#include <string.h>

#include "text/json_changes.h"
#include "text/json_style.h"

static struct json_text text_of(const char *text)
{
    return json_text_of(text, strlen(text), UNTORN_JSONC);
}

static void check_style(const char *source, const char *pointer, const char *unit,
                        const char *colon, const char *comma)
{
    struct json_text text = text_of(source);
    struct json_style style = json_style_in(&text.parsed, json_text_find(&text, pointer));
    CHECK_BYTES(style.unit.text, style.unit.size, unit, strlen(unit));
    CHECK_TEXT(style.colon, colon);
    CHECK_BYTES(style.comma.text, style.comma.size, comma, strlen(comma));
    json_text_free(&text);
}

TEST(a_level_is_what_the_nearest_line_has_more_than_the_one_around_it)
{
    check_style("{\n   \"a\": {}\n}", "/a", "   ", ": ", " ");
    check_style("{\n\t\"a\": [\n\t  [1, {}]\n\t]\n}", "/a/0/1", "  ", ": ", " ");
    check_style("{\n\t\"a\": [1]\n}", "", "\t", ": ", " ");
    check_style("{\n\"a\": 1\n}", "", "", ": ", " ");
    check_style("{\n\t\"a\": 1, \"b\": {}\n}", "/b", "\t", ": ", " ");
    check_style("{\n\t\"a\": 1, \"b\": [{}]\n}", "/b/0", "\t", ": ", " ");
}

TEST(a_level_is_two_blanks_where_nothing_shows_one)
{
    check_style("{}", "", "  ", ": ", " ");
    check_style("[[1]]", "/0", "  ", ": ", " ");
    check_style("    {\n  \"a\": 1\n}", "", "  ", ": ", " ");
}

TEST(the_colon_is_the_nearest_one)
{
    check_style("{\"a\" : {\"b\": 1}}", "/a", "  ", ": ", " ");
    check_style("{\"a\" : {}}", "/a", "  ", " : ", " ");
    check_style("{\"a\":{}}", "/a", "  ", ":", "");
    check_style("[{\"a\" :1},{}]", "/1", "  ", " :", "");
    check_style("{\"a\"   :\t\t1}", "", "  ", " :\t", " ");
    check_style("{\"a\": 1, \"b\":\n1}", "", "  ", ": ", " ");
    check_style("{\"a\": /* x */ {\"b\":1}, \"c\"/**/:2}", "", "  ", ": ", " ");
}

TEST(the_comma_is_the_nearest_one_with_something_behind_it)
{
    check_style("[[1],  [2]]", "/0", "  ", ": ", "  ");
    check_style("[[1,2], [3]]", "/0", "  ", ":", "");
    check_style("[\n  [1],\n  2\n]", "/0", "  ", ": ", " ");
}

TEST(most_lines_say_how_a_line_ends)
{
    static const struct {
        const char *text, *newline;
    } cases[] = {{"{}", "\n"},       {"{\n}", "\n"},           {"{\r\n}", "\r\n"},
                 {"{\r\n}\n", "\n"}, {"{\r\n\n}\r\n", "\r\n"}, {"{\r\r\r}", "\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_text text = text_of(cases[i].text);
        CHECK_TEXT(json_newline(&text.parsed), cases[i].newline);
        json_text_free(&text);
    }
}

TEST(the_indentation_of_a_line_begins_behind_the_byte_order_mark)
{
    struct json_text text = text_of("\xef\xbb\xbf  {\n \t\"a\": 1\n}");
    struct json_indent first = json_indent_at(&text.parsed, 5);
    struct json_indent second = json_indent_at(&text.parsed, 12);
    CHECK_BYTES(first.text, first.size, "  ", 2);
    CHECK_BYTES(second.text, second.size, " \t", 2);
    json_text_free(&text);
}

static void check_written(const char *source, const struct json_layout *layout,
                          const char *expected)
{
    struct json_text text = text_of(source), place = text_of("{\n\t\"a\" :1\n}");
    struct json_style style = json_style_in(&place.parsed, NULL);
    struct buffer buffer = {0};
    json_add_value(&buffer, text.parsed.root, &style, layout);
    CHECK(!buffer.failed);
    CHECK_TEXT(buffer.data, expected);
    buffer_free(&buffer);
    json_text_free(&text);
    json_text_free(&place);
}

TEST(a_value_is_written_as_it_is_laid_out)
{
    static const char value[] = "{\"a\": [1, \"[:,]\\\"{\", [], {}], \"b\": {\"c\": null}}";
    struct json_layout layout = {.one_line = true};
    check_written(value, &layout, "{\"a\" :[1,\"[:,]\\\"{\",[],{}],\"b\" :{\"c\" :null}}");
    layout.padded = UNTORN_OBJECT;
    check_written(value, &layout, "{ \"a\" :[1,\"[:,]\\\"{\",[],{}],\"b\" :{ \"c\" :null } }");
    layout.padded = UNTORN_ARRAY;
    check_written("[[1],{\"a\": 1},[]]", &layout, "[ [ 1 ],{\"a\" :1},[] ]");
    layout = (struct json_layout){.indent = {"  ", 2, 1}};
    check_written("[[1],{},\"\"]", &layout,
                  "[\n  \t\t[\n  \t\t\t1\n  \t\t],\n  \t\t{},\n  \t\t\"\"\n  \t]");
}

TEST(padding_is_seen_only_in_containers_of_the_kind_on_one_line)
{
    struct json_text text = text_of("[[ 1 ],[1],[\n1],[ ],{ \"a\":1}]");
    const struct untorn_node *node = text.parsed.root->first;
    CHECK_INT(json_padding(node, UNTORN_ARRAY), UNTORN_ARRAY);
    CHECK_INT(json_padding(node, UNTORN_OBJECT), 0);
    CHECK_INT(json_padding(node->next, UNTORN_ARRAY), 0);
    CHECK_INT(json_padding(node->next->next, UNTORN_ARRAY), 0);
    CHECK_INT(json_padding(node->next->next->next, UNTORN_ARRAY), 0);
    CHECK_INT(json_padding(text.parsed.root->last, UNTORN_OBJECT), UNTORN_OBJECT);
    CHECK_INT(json_padding(NULL, UNTORN_OBJECT), 0);
    json_text_free(&text);
}
