#include "harness.h"

#include <string.h>

#include "text/json_changes.h"

/* What is added looks like its neighbours: [PLAN-2] in all of this. */

/* ---- adding members ---- */

TEST(a_member_comes_behind_the_last_in_its_style)
{
    ADD("{\n  \"a\": 1\n}\n", "", "b", "2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    ADD("{\n\t\"a\":1,\n\t\"b\":2\n}", "", "c", "3", "{\n\t\"a\":1,\n\t\"b\":2,\n\t\"c\":3\n}");
    ADD("{\"a\":1}", "", "b", "2", "{\"a\":1,\"b\":2}");
    ADD("{\"a\": 1}", "", "b", "2", "{\"a\": 1, \"b\": 2}");
    ADD("{ \"a\" : 1 , \"b\" : 2 }", "", "c", "3", "{ \"a\" : 1 , \"b\" : 2 , \"c\" : 3 }");
    ADD("{\"a\": {\n  \"x\": 1\n}}", "", "b", "2", "{\"a\": {\n  \"x\": 1\n}, \"b\": 2}");
    ADD("{\n  \"a\": 1, \"b\": 2\n}", "", "c", "3", "{\n  \"a\": 1, \"b\": 2,\n  \"c\": 3\n}");
}

/* Adds a member "b" that is removed again. */
static void check_added(const char *before, const char *after)
{
    ADD(before, "", "b", "9", after);
    REMOVE(after, "/b", before);
}

TEST(a_column_that_all_neighbours_have_is_continued)
{
    check_added("{\n  \"a\"    : 1,\n  \"long\" : 2\n}",
                "{\n  \"a\"    : 1,\n  \"long\" : 2,\n  \"b\"    : 9\n}");
    check_added("{\n\t\"long\" :2,\n\n\t// one\n\t\"\xc3\xa4\"   :1, // x\n\t\"xyz\" :3,\n}",
                "{\n\t\"long\" :2,\n\n\t// one\n\t\"\xc3\xa4\"   :1, // x\n\t\"xyz\" :3,\n"
                "\t\"b\"   :9,\n}");
    ADD("{\n  \"a\"    : 1,\n  \"long\" : 2\n}", "", "longer", "{\"x\":1}",
        "{\n  \"a\"    : 1,\n  \"long\" : 2,\n  \"longer\" : {\n    \"x\" : 1\n  }\n}");
}

TEST(a_column_is_not_continued_where_it_is_none)
{
    check_added("{\n  \"a\"    : 1\n}", "{\n  \"a\"    : 1,\n  \"b\" : 9\n}");
    check_added("{\n  \"xy\"   : 1,\n  \"zw\"   : 1\n}",
                "{\n  \"xy\"   : 1,\n  \"zw\"   : 1,\n  \"b\" : 9\n}");
    check_added("{\n  \"a\" : 0,\n  \"c\"    : 1,\n  \"long\" : 2\n}",
                "{\n  \"a\" : 0,\n  \"c\"    : 1,\n  \"long\" : 2,\n  \"b\" : 9\n}");
    check_added("{\"a\"    : 1, \"long\" : 2}", "{\"a\"    : 1, \"long\" : 2, \"b\" : 9}");
    check_added("{\n  \"a\"    : 1,\n    \"lo\" : 2\n}",
                "{\n  \"a\"    : 1,\n    \"lo\" : 2,\n    \"b\" : 9\n}");
    check_added("{\n  \"a\":    1,\n  \"long\": 2\n}",
                "{\n  \"a\":    1,\n  \"long\": 2,\n  \"b\": 9\n}");
}

TEST(the_end_of_a_line_is_what_most_lines_have)
{
    ADD("{\r\n  \"a\": 1\r\n}\r\n", "", "b", "[]", "{\r\n  \"a\": 1,\r\n  \"b\": []\r\n}\r\n");
    ADD("{\n  \"a\": 1\r\n}\r\n", "", "b", "2", "{\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n");
    ADD("{\r\n  \"a\": 1\n}\n", "", "b", "2", "{\r\n  \"a\": 1,\n  \"b\": 2\n}\n");
}

TEST(the_comma_comes_before_the_comment_at_the_end_of_the_line)
{
    ADD("{\n  \"a\": 1 // one\n}", "", "b", "2", "{\n  \"a\": 1, // one\n  \"b\": 2\n}");
    ADD("{\n  \"a\": 1 /* one */\n}", "", "b", "2", "{\n  \"a\": 1, /* one */\n  \"b\": 2\n}");
    ADD("{\r\n \"a\": 1 // one\r\n}", "", "b", "2", "{\r\n \"a\": 1, // one\r\n \"b\": 2\r\n}");
    ADD("{\"a\": 1 // one\n}", "", "b", "2", "{\"a\": 1, // one\n  \"b\": 2\n}");
    ADD("{\"a\": 1 /* one */}", "", "b", "2", "{\"a\": 1 /* one */, \"b\": 2}");
}

TEST(a_comment_ends_at_a_carriage_return_alone_too)
{
    ADD("{\"a\": 1 // one\r}", "", "b", "2", "{\"a\": 1, // one\n  \"b\": 2\r}");
    ADD("{\"a\": 1, // one\r}", "", "b", "2", "{\"a\": 1, // one\n  \"b\": 2,\r}");
    ADD("{ // none\r}", "", "b", "2", "{ // none\n  \"b\": 2\r}");
    ADD("{ // none\r  // at all\r}", "", "b", "2", "{ // none\n  \"b\": 2\r  // at all\r}");
}

TEST(a_trailing_comma_is_kept_up)
{
    ADD("{\n  \"a\": 1, // one\n}", "", "b", "2", "{\n  \"a\": 1, // one\n  \"b\": 2,\n}");
    ADD("{\"a\": 1,}", "", "b", "2", "{\"a\": 1, \"b\": 2,}");
    ADD("{\"a\": 1, }", "", "b", "2", "{\"a\": 1, \"b\": 2, }");
    ADD("{\"a\": 1, // one\n}", "", "b", "2", "{\"a\": 1, // one\n  \"b\": 2,\n}");
    ADD("{\"a\": 1 // one\n,\n}", "", "b", "2", "{\"a\": 1 // one\n, \"b\": 2,\n}");
}

TEST(comments_on_the_line_of_a_trailing_comma_stay_where_they_are)
{
    ADD("{\"a\": 1 // one\n, // two\n}", "", "b", "2",
        "{\"a\": 1 // one\n, // two\n  \"b\": 2,\n}");
    ADD("{\"a\": {}\n,// last\n}", "", "b", "2", "{\"a\": {}\n,// last\n  \"b\": 2,\n}");
    REMOVE("{\"a\": {}\n,// last\n  \"b\": 2,\n}", "/b", "{\"a\": {}\n,// last\n}");
    ADD("{\n  \"a\": 1\n  , /* x */ // y\n}", "", "b", "[]",
        "{\n  \"a\": 1\n  , /* x */ // y\n  \"b\": [],\n}");
}

TEST(a_comment_behind_a_trailing_comma_stays_with_whom_it_belongs_to)
{
    static const char *const texts[][2] = {
        {"{\n  \"a\": 1, /* one\n  */ }", "{\n  \"a\": 1, /* one\n  */\n  \"b\": 2, }"},
        {"{\n  \"a\": 1, /* one */ }", "{\n  \"a\": 1, /* one */\n  \"b\": 2, }"},
        {"{\r\n \"a\": 1, /* one */}", "{\r\n \"a\": 1, /* one */\r\n \"b\": 2,}"},
        {"{\"a\": 1, /* one */ }", "{\"a\": 1, /* one */\n  \"b\": 2, }"},
        {"{\"a\": 1, /* one */\n}", "{\"a\": 1, /* one */\n  \"b\": 2,\n}"},
        {"{\"x\": 0, \"a\": 1 /* a */, /* one */ }",
         "{\"x\": 0, \"a\": 1 /* a */, /* one */\n  \"b\": 2, }"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ADD(texts[i][0], "", "b", "2", texts[i][1]);
        REMOVE(texts[i][1], "/b", texts[i][0]);
    }
}

TEST(commas_that_begin_lines_go_on_beginning_them)
{
    static const char text[] = "{ \"a\": 1\n, \"b\": 2 // two\n, \"c\": 3\n}";
    ADD(text, "", "d", "4", "{ \"a\": 1\n, \"b\": 2 // two\n, \"c\": 3\n, \"d\": 4\n}");
    REMOVE(text, "/a", "{ \"b\": 2 // two\n, \"c\": 3\n}");
    REMOVE(text, "/b", "{ \"a\": 1\n, \"c\": 3\n}");
    REMOVE(text, "/c", "{ \"a\": 1\n, \"b\": 2 // two\n}");
    INSERT("[ 1 // one\n, 2 // two\n]", "", 0, "0", "[ 0\n, 1 // one\n, 2 // two\n]");
    INSERT("[ 1 // one\n, 2 // two\n]", "", 1, "0", "[ 1 // one\n, 0\n, 2 // two\n]");
    INSERT("[ 1 // one\n, 2 // two\n]", "", 2, "0", "[ 1 // one\n, 2 // two\n, 0\n]");
}

TEST(comments_behind_the_last_member_stay_behind_the_new_one)
{
    ADD("{\n  \"a\": 1\n  // end\n}", "", "b", "2", "{\n  \"a\": 1,\n  \"b\": 2\n  // end\n}");
    ADD("{\n  \"a\": 1,\n\n  // end\n}", "", "b", "2",
        "{\n  \"a\": 1,\n  \"b\": 2,\n\n  // end\n}");
}

TEST(the_first_member_gets_a_line_unless_the_document_has_but_one)
{
    ADD("{}", "", "a", "1", "{\n  \"a\": 1\n}");
    ADD("{ }\n", "", "a", "{\"b\":1}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
    ADD("{\n}", "", "a", "1", "{\n  \"a\": 1\n}");
    ADD("{\r\n\r\n}", "", "a", "1", "{\r\n  \"a\": 1\r\n}");
    ADD("  {\n  }", "", "a", "1", "  {\n    \"a\": 1\n  }");
    ADD("{\n\t\"a\":{},\n\t\"b\":1\n}", "/a", "x", "1",
        "{\n\t\"a\":{\n\t\t\"x\":1\n\t},\n\t\"b\":1\n}");
    ADD("{\"a\":{}}", "/a", "x", "1", "{\"a\":{\"x\":1}}");
    ADD("{ \"a\": {} }", "/a", "x", "1", "{ \"a\": { \"x\": 1 } }");
    ADD("[{\"a\":1},{}]", "/1", "x", "[1,2]", "[{\"a\":1},{\"x\":[1,2]}]");
    ADD("\xef\xbb\xbf{}\n", "", "a", "1", "\xef\xbb\xbf{\n  \"a\": 1\n}\n");
    ADD("{\n  \"a\": [{}, {}]\n}", "/a/0", "x", "1", "{\n  \"a\": [{\"x\": 1}, {}]\n}");
}

TEST(an_object_of_comments_keeps_them_for_itself)
{
    ADD("{\n  // later\n}\n", "", "a", "1", "{\n  \"a\": 1\n  // later\n}\n");
    ADD("{ // here\n    // later\n}\n", "", "a", "1", "{ // here\n    \"a\": 1\n    // later\n}\n");
    ADD("{ // here\n}\n", "", "a", "1", "{ // here\n  \"a\": 1\n}\n");
    ADD("{ /* here */ }", "", "a", "[1, 2]", "{ /* here */ \"a\": [1, 2] }");
}

TEST(what_is_inside_is_laid_out_as_inside_its_neighbour)
{
    INSERT("[\n  {\n    \"files\": [ \"*.ts\" ],\n    \"rules\": { \"x\": 0 }\n  }\n]", "", 1,
           "{\"rules\": {\"y\": 1, \"z\": [2]}, \"files\": [\"*.js\"], \"other\": [[3]]}",
           "[\n  {\n    \"files\": [ \"*.ts\" ],\n    \"rules\": { \"x\": 0 }\n  },\n  {\n"
           "    \"rules\": { \"y\": 1, \"z\": [ 2 ] },\n    \"files\": [ \"*.js\" ],\n"
           "    \"other\": [\n      [\n        3\n      ]\n    ]\n  }\n]");
    INSERT("[\n  [\n    [1,2],\n    [3,4]\n  ]\n]", "", 1, "[[5, 6], [7, 8]]",
           "[\n  [\n    [1,2],\n    [3,4]\n  ],\n  [\n    [5,6],\n    [7,8]\n  ]\n]");
    ADD("{\n\t\"quotes\": [ \"error\", { \"avoid\": true } ],\n\t\"semi\": 0\n}", "", "indent",
        "[\"warn\", {\"allow\": [1]}]",
        "{\n\t\"quotes\": [ \"error\", { \"avoid\": true } ],\n\t\"semi\": 0,\n"
        "\t\"indent\": [ \"warn\", { \"allow\": [ 1 ] } ]\n}");
    ADD("{\n  \"a\": [1, 2],\n  \"b\": [\n    {}\n  ]\n}", "", "c", "[3, 4]",
        "{\n  \"a\": [1, 2],\n  \"b\": [\n    {}\n  ],\n  \"c\": [3, 4]\n}");
    ADD("{ \"a\": 1\n, \"b\": 2\n}", "", "c", "{\"x\": [1, 2]}",
        "{ \"a\": 1\n, \"b\": 2\n, \"c\": { \"x\": [ 1, 2 ] }\n}");
}

TEST(brackets_that_share_lines_go_on_doing_so)
{
    ADD("{\n  \"a\": [{\n    \"x\": 1\n  }, {\n    \"x\": 2\n  }]\n}", "", "b",
        "[{\"y\": [1], \"z\": 2}, {\"y\": [3]}]",
        "{\n  \"a\": [{\n    \"x\": 1\n  }, {\n    \"x\": 2\n  }],\n  \"b\": [{\n    \"y\": [\n"
        "      1\n    ],\n    \"z\": 2\n  }, {\n    \"y\": [\n      3\n    ]\n  }]\n}");
    INSERT("[\n  {\"Guide\": [\n    {\"Use\": 1},\n    {\"Ask\": 2}\n  ]}\n]", "", 1,
           "{\"More\": [{\"A\": 3}]}",
           "[\n  {\"Guide\": [\n    {\"Use\": 1},\n    {\"Ask\": 2}\n  ]},\n  {\"More\": [\n"
           "    {\"A\": 3}\n  ]}\n]");
}

TEST(what_is_added_is_laid_out_as_its_neighbour)
{
    INSERT("[\n  [1,2],\n  [3,4]\n]", "", 2, "[5, 6]", "[\n  [1,2],\n  [3,4],\n  [5,6]\n]");
    INSERT("[[1,2]]", "", 1, "[5, 6]", "[[1,2],[5,6]]");
    INSERT("[\n  {\"a\":1,\"b\":[2]}\n]", "", 0, "{\"c\": 3, \"d\": 4}",
           "[\n  {\"c\":3,\"d\":4},\n  {\"a\":1,\"b\":[2]}\n]");
    ADD("{\n  \"a\": {\"x\":1,\"y\":2}\n}", "", "b", "{\"z\": 1, \"w\": 2}",
        "{\n  \"a\": {\"x\":1,\"y\":2},\n  \"b\": {\"z\":1,\"w\":2}\n}");
    ADD("{\n  \"lib\": [\"dom\", \"es6\"],\n  \"strict\": true\n}", "", "types", "[\"node\"]",
        "{\n  \"lib\": [\"dom\", \"es6\"],\n  \"strict\": true,\n  \"types\": [\"node\"]\n}");
    ADD("{\n  \"lib\": [\"dom\", \"es6\"],\n  \"strict\": true\n}", "", "paths", "[[1], [2]]",
        "{\n  \"lib\": [\"dom\", \"es6\"],\n  \"strict\": true,\n  \"paths\": [\n    [\n      1\n"
        "    ],\n    [\n      2\n    ]\n  ]\n}");
    ADD("{\n  \"a\": { \"x\": 1 }\n}", "", "b", "{\"y\":[2]}",
        "{\n  \"a\": { \"x\": 1 },\n  \"b\": { \"y\": [2] }\n}");
    INSERT("[\n  { \"a\":1 }\n]", "", 0, "{\"b\": 2}", "[\n  { \"b\":2 },\n  { \"a\":1 }\n]");
    INSERT("[{\n  \"a\": 1\n}]", "", 1, "{\"b\": 2}", "[{\n  \"a\": 1\n}, {\n  \"b\": 2\n}]");
    INSERT("{\n  \"x\": [{\n    \"a\": 1\n  }]\n}", "/x", 1, "{\"b\": 2}",
           "{\n  \"x\": [{\n    \"a\": 1\n  }, {\n    \"b\": 2\n  }]\n}");
    INSERT("{\n  \"x\": [{\n    \"a\": 1\n  },]\n}", "/x", 1, "{\"b\": 2}",
           "{\n  \"x\": [{\n    \"a\": 1\n  }, {\n    \"b\": 2\n  },]\n}");
    ADD("{\n  \"a\": [\n    1\n  ]\n}", "", "b", "[2]",
        "{\n  \"a\": [\n    1\n  ],\n  \"b\": [\n    2\n  ]\n}");
    ADD("{\n  \"a\"    : 1\n}", "", "b", "2", "{\n  \"a\"    : 1,\n  \"b\" : 2\n}");
}

/* ---- inserting elements ---- */

TEST(an_element_goes_anywhere_on_its_line)
{
    INSERT("[1, 2]", "", 0, "9", "[9, 1, 2]");
    INSERT("[1, 2]", "", 1, "9", "[1, 9, 2]");
    INSERT("[1, 2]", "", 2, "9", "[1, 2, 9]");
    INSERT("[ 1,2 ]", "", 0, "9", "[ 9,1,2 ]");
    INSERT("[1]", "", 0, "9", "[9, 1]");
    INSERT("{\"a\":[1]}", "/a", 1, "9", "{\"a\":[1,9]}");
    INSERT("[1, /* two */ 2]", "", 1, "9", "[1, 9, /* two */ 2]");
    INSERT("[1 /* one */, 2]", "", 1, "9", "[1 /* one */, 9, 2]");
    INSERT("[1, 2,\n 3, 4]", "", 4, "9", "[1, 2,\n 3, 4, 9]");
    INSERT("[1,\n 2]", "", 0, "9", "[9,\n 1,\n 2]");
    INSERT("[1\n,\n2]", "", 1, "9", "[1\n,\n9\n,\n2]");
}

TEST(an_element_comes_before_the_comments_of_the_next)
{
    INSERT("[\n  // one\n  1,\n  // two\n  2\n]", "", 1, "9",
           "[\n  // one\n  1,\n  9,\n  // two\n  2\n]");
    INSERT("[\n  // one\n  1\n]", "", 0, "9", "[\n  9,\n  // one\n  1\n]");
    INSERT("[\n  1, // one\n\n  // two\n  2\n]", "", 1, "9",
           "[\n  1, // one\n\n  9,\n  // two\n  2\n]");
    INSERT("[\n  // one\n  1, 2\n]", "", 0, "9", "[\n  9,\n  // one\n  1, 2\n]");
    INSERT("[ // all\n  1\n]", "", 0, "9", "[ // all\n  9,\n  1\n]");
}

TEST(commas_at_the_start_of_lines_stay_there)
{
    INSERT("[ 1\n, 2\n]", "", 2, "9", "[ 1\n, 2\n, 9\n]");
    INSERT("[ 1 // one\n, 2\n]", "", 1, "9", "[ 1 // one\n, 9\n, 2\n]");
    INSERT("[ 1\n, 2\n]", "", 0, "9", "[ 9\n, 1\n, 2\n]");
}

/* It may be so long that it is not looked into: still what is beside it is on one line as it is. */
TEST(a_long_neighbour_shows_from_outside_how_to_lay_out)
{
    enum { LONG = 70000 };
    static char before[LONG + 100], after[LONG + 100];
    char *at = stpcpy(before, "[\n  [\"");
    memset(at, 'x', LONG);
    strcpy(at + LONG, "\", []]\n]");
    strcpy(after, before);
    strcpy(after + strlen(before) - 2, ",\n  [2, {\"a\": 3}]\n]");
    INSERT(before, "", 1, "[2,{\"a\":3}]", after);
}

/* Whether a plan to add the value depends on the elements that are marked, by their numbers. */
static bool is_unsure(const char *before, const char *value, size_t first_cut, size_t end_cut)
{
    struct json_text text = json_text_of(before, strlen(before), UNTORN_JSONC);
    struct json_text new = json_text_of(value, strlen(value), UNTORN_JSON);
    struct plan plan;
    struct change change = {.kind = CHANGE_INSERT,
                            .node = text.parsed.root,
                            .index = text.parsed.root->count,
                            .value = new.parsed.root};
    for (size_t i = first_cut; i < end_cut; i++)
        node_element(text.parsed.root, i)->cut = true;
    CHECK_INT(plan_json(&text.parsed, &change, &plan), 0);
    bool unsure = plan.unsure;
    plan_free(&plan);
    json_text_free(&new);
    json_text_free(&text);
    return unsure;
}

/* Who plans on a text from which parts were cut must know whether these matter. */
TEST(a_plan_says_whether_what_was_cut_decided_how_it_looks)
{
    static const char mixed[] = "[[1], 2, 2, {}, [3]]", none[] = "[[1], 2, 2, {}, 3]";
    CHECK(!is_unsure(mixed, "[4]", 1, 4));
    CHECK(!is_unsure(none, "4", 0, 5));
    CHECK(!is_unsure(none, "[4]", 0, 0));
    CHECK(is_unsure(none, "[4]", 1, 2));
    CHECK(is_unsure(mixed, "[4]", 4, 5));
    CHECK(!is_unsure("[[1], {\"a\": 1}, 7]", "[4]", 1, 2)); /* of another kind it is, cut or not */
    CHECK(is_unsure("[[1]]", "4", 0, 1));
    CHECK(!is_unsure("[[1]]", "4", 0, 0));
    CHECK(!is_unsure("[\n[1]]", "4", 0, 1));
    CHECK(!is_unsure("[[1,2]]", "4", 0, 1)); /* it has a comma */
    CHECK(!is_unsure("[\"a\"]", "4", 0, 1));
    CHECK(!is_unsure("[\"a\"]", "[4]", 0, 1));
    CHECK(!is_unsure("[7, [[], 1]]", "[[]]", 0, 1));
    CHECK(!is_unsure("[7, [[], 1]]", "[[], {}]", 0, 1));
    CHECK(is_unsure("[7, [[], 1]]", "[[], [{\"a\": 1}]]", 0, 1)); /* its colon may be as there */
    CHECK(!is_unsure("[7, [[], 1]]", "[[], [{\"a\": 1}]]", 0, 0));
    CHECK(!is_unsure("[7, [[], {\"b\": 2}]]", "[[], [{\"a\": 1}]]", 0, 1));
}
