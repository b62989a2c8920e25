/* A container that becomes another keeps what both have. */
#include "text/difference.h"

#include <stdio.h>

#include "heap.h"
#include "text/edits.h"

/* ---- arrays ---- */

#define ONE_TO_FOUR                                                                                \
    "{\n  \"a\": [ // all\n    1, // one\n    // two\n    2,\n    3, 4 // four\n    // end\n"      \
    "  ]\n}\n"

TEST(equal_elements_keep_their_comments)
{
    CHECK_TEXT(JSONC(ONE_TO_FOUR, SET_JSON("a", "[1, 2, 3, 4, 5]")),
               "{\n  \"a\": [ // all\n    1, // one\n    // two\n    2,\n    3, 4, // four\n    5\n"
               "    // end\n  ]\n}\n");
    CHECK_TEXT(JSONC(ONE_TO_FOUR, SET_JSON("a", "[0, 1, 2, 3, 4]")),
               "{\n  \"a\": [ // all\n    0,\n    1, // one\n    // two\n    2,\n    3, 4 // four\n"
               "    // end\n  ]\n}\n");
    CHECK_TEXT(JSONC(ONE_TO_FOUR, SET_JSON("a", "[1, 3, 9, 4]")),
               "{\n  \"a\": [ // all\n    1, // one\n    3, 9, 4 // four\n    // end\n  ]\n}\n");
    CHECK_TEXT(JSONC(ONE_TO_FOUR, SET_JSON("a", "[2]")),
               "{\n  \"a\": [ // all\n    // two\n    2\n    // end\n  ]\n}\n");
    CHECK_TEXT(TOML("a = [ # all\n  1, # one\n  # two\n  2,\n  3,\n]\n", SET_TOML("a", "[1,3,4]")),
               "a = [ # all\n  1, # one\n  3,\n  4,\n]\n");
    CHECK_TEXT(TOML("a = [ # all\n  1, # one\n  # two\n  2,\n  3,\n]\n", SET_JSON("a", "[2, 3]")),
               "a = [ # all\n  # two\n  2,\n  3,\n]\n");
}

TEST(equal_elements_keep_their_spelling)
{
    CHECK_TEXT(JSON("{\"a\": [1.50, \"\\u00e9\",\n 3e0]}", SET_JSON("a", "[1.5, \"é\", 3.0, 4]")),
               "{\"a\": [1.50, \"\\u00e9\",\n 3e0,\n 4]}");
    CHECK_TEXT(TOML("a = [0xff, 'x',\n  1_000]\n", SET_JSON("a", "[255, \"y\", 1000]")),
               "a = [0xff, 'y',\n  1_000]\n");
}

TEST(a_comment_does_not_come_to_stand_at_something_else)
{
    static const char text[] = "deps = [\n  \"click>=8\", # 9 drops it\n  # until 3.12\n"
                               "  \"tomli\",\n  \"rich\",\n]\n";
    CHECK_TEXT(EDIT(UNTORN_TOML, text, SET_JSON("deps", "[\"click>=9\", \"httpx\", \"rich\"]")),
               "deps = [\n  \"click>=9\", # 9 drops it\n  \"httpx\",\n  \"rich\",\n]\n");
    CHECK_TEXT(EDIT(UNTORN_TOML, text, SET_JSON("deps", "[\"a\", \"b\", \"tomli<2\", \"rich\"]")),
               "deps = [\n  \"a\",\n  \"b\",\n  # until 3.12\n  \"tomli<2\",\n  \"rich\",\n]\n");
}

TEST(as_many_others_take_the_places_of_the_old_ones)
{
    CHECK_TEXT(JSONC("{\"a\": [\n  1, // one\n  2 // two\n]}", SET_JSON("a", "[1, 7]")),
               "{\"a\": [\n  1, // one\n  7 // two\n]}");
    CHECK_TEXT(JSONC("{\"a\": [\n  1, // one\n  2, // two\n  3\n]}", SET_JSON("a", "[1, 8, 9, 3]")),
               "{\"a\": [\n  1, // one\n  8,\n  9,\n  3\n]}");
}

TEST(objects_are_known_by_their_first_member)
{
    static const char text[] = "{\n  \"keys\": [\n    // copy\n    {\"key\": \"c\", \"when\": 1},\n"
                               "    // paste\n    {\"key\": \"v\", \"when\": 2}\n  ]\n}\n";
    CHECK_TEXT(
        EDIT(UNTORN_JSONC, text,
             SET_JSON("keys", "[{\"key\": \"x\"}, {\"key\": \"c\", \"when\": 3}, "
                              "{\"when\": 5, \"key\": \"v\"}]")),
        "{\n  \"keys\": [\n    {\"key\": \"x\"},\n    // copy\n    {\"key\": \"c\", \"when\": 3},\n"
        "    // paste\n    {\"key\": \"v\", \"when\": 5}\n  ]\n}\n");
    CHECK_TEXT(TOML("[[p]]\nname = \"a\" # first\nv = 1\n\n# about b\n[[p]]\nname = \"b\"\nv = 1\n",
                    SET_JSON("p", "[{\"name\": \"b\", \"v\": 2}]")),
               "# about b\n[[p]]\nname = \"b\"\nv = 2\n");
    CHECK_TEXT(TOML("[[p]]\nname = \"a\" # first\nv = 1\n\n# about b\n[[p]]\nname = \"b\"\nv = 1\n",
                    SET_JSON("p", "[{\"name\": \"a\", \"v\": 1}, {\"name\": \"c\"}, "
                                  "{\"name\": \"b\", \"v\": 1}]")),
               "[[p]]\nname = \"a\" # first\nv = 1\n\n[[p]]\nname = \"c\"\n\n# about b\n[[p]]\n"
               "name = \"b\"\nv = 1\n");
}

/* ---- objects ---- */

TEST(members_that_stay_keep_their_comments)
{
    CHECK_TEXT(
        JSONC("{\n  \"o\": {\n    // a\n    \"a\": 1, // one\n    \"b\": 2,\n    \"c\": {\"d\": 1 "
              "/* d */, \"e\": 2}\n  }\n}\n",
              SET_JSON("o", "{\"a\": 9, \"c\": {\"d\": 1, \"f\": 3}, \"z\": 0}")),
        "{\n  \"o\": {\n    // a\n    \"a\": 9, // one\n    \"c\": {\"d\": 1 /* d */, \"f\": 3},\n"
        "    \"z\": 0\n  }\n}\n");
    CHECK_TEXT(
        TOML("# about a\na.b = 1 # one\na.c = 2\nz = 1\n", SET_JSON("a", "{\"b\": 1, \"d\": 3}")),
        "# about a\na.b = 1 # one\na.d = 3\nz = 1\n");
    CHECK_TEXT(TOML("[t.s] # s\nx = 1 # x\ny = [\n  1, # one\n]\n\n[u]\n",
                    SET_JSON("t", "{\"s\": {\"x\": 1, \"y\": [1, 2]}}")),
               "[t.s] # s\nx = 1 # x\ny = [\n  1, # one\n  2,\n]\n\n[u]\n");
    CHECK_TEXT(TOML("t = { a = 1, b = 2 } # t\n", SET_JSON("t", "{\"b\": 2, \"c\": 3}")),
               "t = { b = 2, c = 3 } # t\n");
}

TEST(the_root_is_no_exception)
{
    CHECK_TEXT(
        JSONC("// top\n{\n  \"a\": 1, // one\n  \"b\": 2\n}\n",
              PATCH("[{\"op\": \"replace\", \"path\": \"\", \"value\": {\"a\": 1, \"c\": 3}}]")),
        "// top\n{\n  \"a\": 1, // one\n  \"c\": 3\n}\n");
    CHECK_TEXT(
        TOML("# top\na = 1 # one\n\n# t\n[t]\nx = 1\n",
             PATCH("[{\"op\": \"replace\", \"path\": \"\", \"value\": {\"t\": {\"x\": 1}, \"c\": "
                   "3}}]")),
        "c = 3\n\n# t\n[t]\nx = 1\n");
}

TEST(a_merge_patch_keeps_what_stays_of_an_array)
{
    CHECK_TEXT(JSONC("{\"a\": [\n  \"x\", // the first\n  \"y\"\n]}",
                     MERGE("{\"a\": [\"x\", \"z\", \"y\"]}")),
               "{\"a\": [\n  \"x\", // the first\n  \"z\",\n  \"y\"\n]}");
}

/* ---- as a whole ---- */

TEST(what_has_nothing_in_common_is_replaced_as_a_whole)
{
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", SET_JSON("a", "[3, 4, 5]")), "{\"a\": [3, 4, 5]}");
    CHECK_TEXT(JSON("{\"a\": {\"b\": 1}}", SET_JSON("a", "{\"c\": [2]}")), "{\"a\": {\"c\": [2]}}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", SET_JSON("a", "[]")), "{\"a\": []}");
    CHECK_TEXT(TOML("[[a]]\nx = 1\n", SET_JSON("a", "[1, 2]")), "a = [1, 2]\n");
}

/* ...but not the comments of the container. */
TEST(comments_of_the_container_stay_in_any_case)
{
    CHECK_TEXT(JSONC("{\"a\": [ // all\n  1, // one\n  2\n]}", SET_JSON("a", "[3]")),
               "{\"a\": [ // all\n  3\n]}");
    CHECK_TEXT(JSONC("{\"a\": [ // all\n  1 // one\n]}", SET_JSON("a", "[]")),
               "{\"a\": [ // all\n]}");
    CHECK_TEXT(JSONC("{\"a\": { // all\n  \"b\": 1 // one\n}}", SET_JSON("a", "{\"c\": 2}")),
               "{\"a\": { // all\n  \"c\": 2\n}}");
    CHECK_TEXT(TOML("a = [ # all\n  1, # one\n]\n", SET_JSON("a", "[2, 3]")),
               "a = [ # all\n  2,\n  3,\n]\n");
}

TEST(a_value_on_lines_of_its_own_or_for_one_line_stays_as_spelled)
{
    CHECK_TEXT(TOML("a = [1, 2]\n", SET_TOML("a", "[ 1,2,3 ]")), "a = [ 1,2,3 ]\n");
    CHECK_TEXT(TOML("a = [\n  1, # one\n]\n", SET_TOML("a", "[\n    1,\n    2, # two\n]")),
               "a = [\n    1,\n    2, # two\n]\n");
}

TEST(a_key_that_is_there_twice_is_replaced_with_its_object)
{
    CHECK_TEXT(JSON("{\"o\": {\"a\": 1, \"a\": 2}}", SET_JSON("o", "{\"a\": 3}")),
               "{\"o\": {\"a\": 3}}");
    CHECK_TEXT(JSON("{\"o\": {\"a\": 1}}", SET_JSON("o", "{\"a\": 3, \"a\": 4}")),
               "{\"o\": {\"a\": 3, \"a\": 4}}");
}

/* ---- how much work it may be ---- */

static struct {
    struct parsed parsed, value;
    char text[2][8 * 20000];
} big;

/* Arrays of many numbers, of which the second has one more in front of each. */
static bool finds(size_t count)
{
    struct flaw flaw;
    struct difference difference;
    strcpy(big.text[0], "[0");
    strcpy(big.text[1], "[0");
    char *ends[] = {big.text[0] + 2, big.text[1] + 2};
    for (size_t i = 1; i < count; i++) {
        ends[0] += sprintf(ends[0], ",%zu", i);
        ends[1] += sprintf(ends[1], ",0,%zu", i);
    }
    for (size_t i = 0; i < 2; i++)
        strcpy(ends[i], "]");
    CHECK_INT(parse(big.text[0], strlen(big.text[0]), UNTORN_JSON, &big.parsed, &flaw), 0);
    CHECK_INT(parse(big.text[1], strlen(big.text[1]), UNTORN_JSON, &big.value, &flaw), 0);
    bool found = difference_find(&big.parsed, big.parsed.root, big.value.root, &difference);
    CHECK_INT(difference.failed, 0);
    difference_free(&difference);
    parsed_free(&big.parsed);
    parsed_free(&big.value);
    return found;
}

TEST(what_would_take_too_long_is_replaced_as_a_whole)
{
    CHECK(finds(100));
    CHECK(!finds(20000));
}

/* ---- every allocation fails in turn ---- */

static bool edit_without_memory(void)
{
    static const struct untorn_edit edits[] = {
        SET_JSON("a", "[{\"n\": 1, \"x\": [1, 3]}, 5, {\"n\": 2}]")};
    static const char text[] = "{\"a\": [{\"n\": 1, \"x\": [1, 2, 3]}, {\"n\": 2, \"y\": {}}]}";
    char *result;
    size_t size;
    error_begin(&error, NULL, NULL);
    int rc = document_edit_planned(text, sizeof text - 1, UNTORN_JSON, NULL, edits, 1, &result,
                                   &size, &error);
    if (rc != 0) {
        CHECK_INT(rc, -UNTORN_NO_MEMORY);
        CHECK(!result);
        return false;
    }
    CHECK_TEXT(result, "{\"a\": [{\"n\": 1, \"x\": [1, 3]}, 5, {\"n\": 2}]}");
    free(result);
    return true;
}

TEST(without_memory_it_says_so)
{
    CHECK(heap_walk(edit_without_memory) > 10);
}
