#include "harness.h"

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
    ADD("{\"a\": 1 // one\n, // two\n}", "", "b", "2", "{\"a\": 1 // one\n, \"b\": 2, // two\n}");
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

TEST(what_is_added_is_laid_out_as_its_neighbour)
{
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
