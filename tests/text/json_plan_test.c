#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap.h"
#include "text/json_changes.h"

/* ---- replacing ---- */

TEST(only_the_value_is_replaced)
{
    SET("{ \"a\" :1 , \"b\":2}", "/a", "3", "{ \"a\" :3 , \"b\":2}");
    SET("{\"a\": /* x */ 1 /* y */}", "/a", "null", "{\"a\": /* x */ null /* y */}");
    SET("[\n\t1, // one\n]", "/0", "\"x\"", "[\n\t\"x\", // one\n]");
    SET(" 1 // root\n", "", "2", " 2 // root\n");
    SET("\xef\xbb\xbf{\"a\": 1}", "/a", "2", "\xef\xbb\xbf{\"a\": 2}");
}

TEST(a_scalar_keeps_the_spelling_it_came_with)
{
    SET("[0]", "/0", "1.50e+07", "[1.50e+07]");
    SET("[0]", "/0", "\"\\u00e9\\/\"", "[\"\\u00e9\\/\"]");
    SET("[0]", "/0", "12345678901234567890123", "[12345678901234567890123]");
}

TEST(a_container_that_replaces_takes_the_indentation_of_the_document)
{
    SET("{\n  \"x\": \"y\"\n}", "/x", "{\"k\": [1, {}]}",
        "{\n  \"x\": {\n    \"k\": [\n      1,\n      {}\n    ]\n  }\n}");
    SET("{\n\t\"x\": \"y\"\n}", "/x", "{\"k\": 1}", "{\n\t\"x\": {\n\t\t\"k\": 1\n\t}\n}");
    SET("{\n    \"x\": \"y\"\n}", "/x", "[1]", "{\n    \"x\": [\n        1\n    ]\n}");
    SET("{\r\n \"x\":1\r\n}\r\n", "/x", "[1]", "{\r\n \"x\":[\r\n  1\r\n ]\r\n}\r\n");
    SET("{\n\"x\": 1\n}", "/x", "[1]", "{\n\"x\": [\n1\n]\n}");
}

TEST(a_container_that_replaces_stays_on_the_line_of_what_it_is_in_or_was)
{
    SET("{\"a\": 1}", "/a", "{\"b\":[1,2]}", "{\"a\": {\"b\": [1, 2]}}");
    SET("{\"a\":1}", "/a", "{\"b\": [1, 2]}", "{\"a\":{\"b\":[1,2]}}");
    SET("{\n  \"x\": [1, 2]\n}", "/x/0", "{\"a\":1}", "{\n  \"x\": [{\"a\": 1}, 2]\n}");
    SET("{\n  \"x\": [1, 2]\n}", "/x", "[3,4,5]", "{\n  \"x\": [3, 4, 5]\n}");
    SET("{\n  \"x\": [ 1, 2 ]\n}", "/x", "[3,4,5]", "{\n  \"x\": [ 3, 4, 5 ]\n}");
    SET("{\n  \"x\": []\n}", "/x", "[3]", "{\n  \"x\": [\n    3\n  ]\n}");
}

TEST(what_is_inside_a_container_that_replaces_is_laid_out_as_it_was)
{
    SET("{\n  \"x\": [\n    [1,2],\n    [3,4]\n  ]\n}", "/x", "[[5, 6], [7, 8], [9, 0]]",
        "{\n  \"x\": [\n    [5,6],\n    [7,8],\n    [9,0]\n  ]\n}");
}

/* Who plans on a text from which parts were cut must know whether these matter. */
TEST(a_plan_is_unsure_if_what_is_replaced_was_cut)
{
    struct json_text text = json_text_of("{\"a\": [1, 2], \"b\": 3}", 21, UNTORN_JSON);
    struct json_text value = json_text_of("[3]", 3, UNTORN_JSON);
    struct untorn_node *old = text.parsed.root->first;
    struct change change = {.kind = CHANGE_REPLACE, .node = old, .value = value.parsed.root};
    for (size_t i = 0; i < 4; i++) {
        struct plan plan;
        old->cut = i == 1;
        old->last->cut = i > 1;
        change.value = i == 3 ? value.parsed.root->first : value.parsed.root;
        CHECK_INT(plan_json(&text.parsed, &change, &plan), 0);
        CHECK_INT(plan.unsure, i == 1 || i == 2);
        plan_free(&plan);
    }
    json_text_free(&value);
    json_text_free(&text);
}

TEST(a_plan_for_an_empty_one_is_sure_unless_there_may_be_a_comment)
{
    for (int i = 0; i < 2; i++) {
        enum untorn_format format = i ? UNTORN_JSONC : UNTORN_JSON;
        struct json_text text = json_text_of("{\"a\": [1, 2], \"b\": 3}", 21, format);
        struct json_text value = json_text_of("[]", 2, UNTORN_JSON);
        struct untorn_node *old = text.parsed.root->first;
        struct change change = {.kind = CHANGE_REPLACE, .node = old, .value = value.parsed.root};
        struct plan plan;
        old->cut = true;
        CHECK_INT(plan_json(&text.parsed, &change, &plan), 0);
        CHECK_INT(plan.unsure, i == 1);
        plan_free(&plan);
        json_text_free(&value);
        json_text_free(&text);
    }
}

TEST(the_root_can_be_replaced)
{
    SET("// top\ntrue\n// end\n", "", "{\"a\": 1}", "// top\n{\n  \"a\": 1\n}\n// end\n");
    SET("[1,2]\n", "", "{\"a\": 1, \"b\": 2}", "{\"a\":1,\"b\":2}\n");
    SET("{\n    \"a\": 1\n}", "", "[1]", "[\n    1\n]");
    SET("{}", "", "[]", "[]");
}

/* ---- renaming ---- */

TEST(only_the_key_is_renamed)
{
    RENAME("{\n  \"a\" /* x */: 1, // one\n}", "/a", "b", "{\n  \"b\" /* x */: 1, // one\n}");
    RENAME("{\"a\": 1}", "/a", "\"\n", "{\"\\\"\\n\": 1}");
}

TEST(what_makes_no_sense_is_refused)
{
    struct json_text text = json_text_of("[1]", 3, UNTORN_JSON);
    struct plan plan;
    struct change change = {.kind = CHANGE_REMOVE, .node = text.parsed.root};
    CHECK_INT(plan_json(&text.parsed, &change, &plan), -UNTORN_TYPE);
    change = (struct change){.kind = CHANGE_RENAME, .node = text.parsed.root->first, .key = "a"};
    CHECK_INT(plan_json(&text.parsed, &change, &plan), -UNTORN_TYPE);
    plan_free(&plan);
    json_text_free(&text);
}

/* Adding a key that is there already is not what CHANGE_ADD is for: the text has it twice then. */
TEST(a_plan_that_gives_other_data_is_noticed)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(close(STDOUT_FILENO) == 0); /* the failure is meant */
        ADD("{\"a\": 1}", "", "a", "2", "{\"a\": 1, \"a\": 2}");
        _exit(0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) != 0);
}

/* ---- every allocation fails in turn ---- */

static struct {
    struct json_text text;
    struct change change;
} planned;

static bool plan_and_apply(void)
{
    struct plan plan;
    size_t size;
    int rc = plan_json(&planned.text.parsed, &planned.change, &plan);
    char *result = rc == 0 ? plan_apply(&plan, planned.text.text, planned.text.size, &size) : NULL;
    bool done = result != NULL;
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    plan_free(&plan);
    free(result);
    return done;
}

static void walk(enum change_kind kind, const char *pointer)
{
    static const char source[] = "{\r\n  \"a\": [1, 2], // a\r\n  \"b\": {},\r\n  \"c\": [1]\r\n}";
    static const char new_value[] = "{\"x\": [1, \"a string\", {\"y\": null}]}";
    struct json_text value = json_text_of(new_value, strlen(new_value), UNTORN_JSON);
    planned.text = json_text_of(source, strlen(source), UNTORN_JSONC);
    planned.change = (struct change){.kind = kind, .key = "new", .key_size = 3};
    planned.change.node = json_text_find(&planned.text, pointer);
    planned.change.value = value.parsed.root;
    CHECK(planned.change.node);
    CHECK(heap_walk(plan_and_apply) > 2);
    json_text_free(&planned.text);
    json_text_free(&value);
}

TEST(a_plan_survives_every_failed_allocation)
{
    walk(CHANGE_REPLACE, "/a");
    walk(CHANGE_REPLACE, "/b");
    walk(CHANGE_ADD, "");
    walk(CHANGE_ADD, "/b");
    walk(CHANGE_INSERT, "/a");
    walk(CHANGE_INSERT, "/c");
    walk(CHANGE_REMOVE, "/a");
    walk(CHANGE_REMOVE, "/c");
    walk(CHANGE_RENAME, "/a");
}
