#include "harness.h"

#include "text/json_changes.h"

/* Who goes takes its comments with it, nobody else's: [PLAN-3]. */

TEST(nothing_is_left_of_what_goes)
{
    REMOVE("[1, 2, 3]", "/2", "[1, 2]");
    REMOVE("[1, 2, 3]", "/1", "[1, 3]");
    REMOVE("[1, 2, 3]", "/0", "[2, 3]");
    REMOVE("[ 1 ]", "/0", "[]");
    REMOVE("[1,]", "/0", "[]");
    REMOVE("[1, 2, ]", "/1", "[1, ]");
    REMOVE("{\n  \"a\": 1\n}", "/a", "{}");
    REMOVE("{\n  \"a\": 1,\n  \"b\": 2\n}", "/b", "{\n  \"a\": 1\n}");
    REMOVE("{\n  \"a\": 1,\n  \"b\": 2\n}", "/a", "{\n  \"b\": 2\n}");
    REMOVE("{\n  \"a\": 1,\n  \"b\": 2,\n}", "/b", "{\n  \"a\": 1,\n}");
    REMOVE("{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", "/b", "{\r\n  \"a\": 1\r\n}");
    REMOVE("[\n  1, 2,\n  3\n]", "/1", "[\n  1,\n  3\n]");
    REMOVE("[\n  1, 2,\n  3\n]", "/0", "[\n  2,\n  3\n]");
}

TEST(comments_go_with_whom_they_belong_to)
{
    REMOVE("{\n  \"a\": 1, // a\n  // b\n  \"b\": 2, // b\n  // c\n  \"c\": 3 // c\n}", "/b",
           "{\n  \"a\": 1, // a\n  // c\n  \"c\": 3 // c\n}");
    REMOVE("{\n  \"a\": 1, // a\n  // b\n  \"b\": 2 // b\n}", "/b", "{\n  \"a\": 1 // a\n}");
    REMOVE("{\n  // a\n  \"a\": 1, // a\n  // b\n  \"b\": 2 // b\n}", "/a",
           "{\n  // b\n  \"b\": 2 // b\n}");
    REMOVE("[1 /* 1 */, /* 2 */ 2 /* 2 */, /* 3 */ 3]", "/1", "[1 /* 1 */, /* 3 */ 3]");
    REMOVE("[1 /* 1 */, 2]", "/1", "[1 /* 1 */]");
    REMOVE("[1, // 1\n 2]", "/1", "[1 // 1\n ]");
    REMOVE("[1, // 1\n 2, ]", "/1", "[1, // 1\n ]");
    REMOVE("[1, /* 1 */\n 2, ]", "/1", "[1, /* 1 */ ]");
    REMOVE("[\n  1, /* a\n     b */\n  2\n]", "/0", "[\n  2\n]");
}

TEST(comments_of_the_container_stay)
{
    REMOVE("{\n  // all\n\n  \"a\": 1,\n  \"b\": 2\n}", "/a", "{\n  // all\n\n  \"b\": 2\n}");
    REMOVE("{\n  \"a\": 1\n  // end\n}", "/a", "{\n  // end\n}");
    REMOVE("{ // all\n  \"a\": 1\n}", "/a", "{ // all\n}");
    REMOVE("{ // all\n  \"a\": 1 }", "/a", "{ // all\n  }");
    REMOVE("[\n  1,\n  // below\n\n  2\n]", "/0", "[\n  // below\n\n  2\n]");
    REMOVE("[\n  1,\n  // below\n\n  // two\n  2\n]", "/1", "[\n  1\n  // below\n]");
    REMOVE("[\n  1, // one\n  // below\n\n  2]", "/1", "[\n  1 // one\n  // below\n\n  ]");
}

TEST(blank_lines_between_groups_stay_single)
{
    REMOVE("[\n  1,\n\n  2,\n\n  3\n]", "/1", "[\n  1,\n\n  3\n]");
    REMOVE("[\n  1,\n  2,\n\n  3\n]", "/1", "[\n  1,\n\n  3\n]");
    REMOVE("[\n  1,\n\n  2,\n  3\n]", "/1", "[\n  1,\n\n  3\n]");
    REMOVE("[\n  1,\n\n  2\n]", "/1", "[\n  1\n]");
    REMOVE("[\n  1,\n\n  2,\n]", "/1", "[\n  1,\n]");
    REMOVE("[\n  1,\n\n  2\n]", "/0", "[\n  2\n]");
    REMOVE("[\n  1,\n\n  2,\n\n  // end\n]", "/1", "[\n  1,\n\n  // end\n]");
}

TEST(commas_at_the_start_of_lines_go_with_the_element_behind)
{
    REMOVE("[ 1\n, 2\n, 3\n]", "/0", "[ 2\n, 3\n]");
    REMOVE("[ 1\n, 2 // two\n, 3\n]", "/1", "[ 1\n, 3\n]");
    REMOVE("[ 1 // one\n, 2\n, 3\n]", "/2", "[ 1 // one\n, 2\n]");
    REMOVE("[ 1 // one\n, 2 ]", "/1", "[ 1 // one\n]");
    REMOVE("[ 1 // one\n  // two\n, 2\n]", "/0", "[ // two\n2\n]");
}

TEST(blanks_at_the_end_of_a_line_stay_with_the_line)
{
    ADD("{\"a\":1, \n}", "", "b", "2", "{\"a\":1,\"b\":2, \n}");
    REMOVE("{\"a\":1,\"b\":2, \n}", "/b", "{\"a\":1, \n}");
    REMOVE("{\"a\":1,\"b\":2,  \n\n}", "/b", "{\"a\":1,  \n\n}");
}
