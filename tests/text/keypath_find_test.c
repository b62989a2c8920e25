#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/keypath.h"
#include "text/parsed.h"

static struct arena arena;
static struct untorn_error error;
static struct found found;

static struct untorn_node *tree(const char *json)
{
    static struct parsed parsed;
    struct flaw flaw;
    parsed_free(&parsed);
    CHECK_INT(parse_json(json, strlen(json), UNTORN_JSON, &parsed, &flaw), 0);
    return parsed.root;
}

static int find(const struct untorn_node *root, const char *key)
{
    struct keypath path;
    error_begin(&error, &error, NULL);
    CHECK_INT(keypath_parse(key, &arena, &path, &error), 0);
    return keypath_find(&path, root, &found, &error);
}

static int find_segments(const struct untorn_node *root, size_t count, const char *const *segments)
{
    struct keypath path;
    error_begin(&error, &error, NULL);
    CHECK_INT(keypath_segments(segments, count, &arena, &path, &error), 0);
    return keypath_find(&path, root, &found, &error);
}

/* The spelling of the value that a key leads to. */
static const char *at(const struct untorn_node *root, const char *key)
{
    if (find(root, key) != 0)
        CHECK_TEXT(error.detail, key);
    if (!found.node)
        CHECK_TEXT(key, "a key that is there");
    static char text[200];
    CHECK(found.node->raw_size < sizeof text);
    memcpy(text, found.node->raw, found.node->raw_size);
    text[found.node->raw_size] = '\0';
    return text;
}

static void check_refused(const struct untorn_node *root, const char *key,
                          enum untorn_status status, const char *sentence)
{
    CHECK_INT(find(root, key), -(int)status);
    CHECK_INT(error.status, status);
    CHECK_TEXT(error.detail, sentence);
    CHECK(!found.node);
}

/* ---- found ---- */

TEST(steps_lead_to_values)
{
    const struct untorn_node *root =
        tree("{\"a\":{\"b\":[10,{\"c\":20},[30,40]]},\"0\":50,\"-\":60,\"\":70}");
    CHECK_TEXT(at(root, "a.b[0]"), "10");
    CHECK_TEXT(at(root, "a.b[1].c"), "20");
    CHECK_TEXT(at(root, "a.b[2][1]"), "40");
    CHECK_TEXT(at(root, "a.b[-1][-2]"), "30");
    CHECK_TEXT(at(root, "a.b[-3]"), "10");
    CHECK_TEXT(at(root, "/a/b/2/0"), "30");
    CHECK_TEXT(at(root, "/0"), "50");
    CHECK_TEXT(at(root, "0"), "50");
    CHECK_TEXT(at(root, "/-"), "60");
    CHECK_TEXT(at(root, "/"), "70");
    CHECK_TEXT(at(root, "\"\""), "70");
}

TEST(what_is_found_comes_with_its_parent_and_all_steps)
{
    struct untorn_node *root = tree("{\"a\":[1]}");
    CHECK_INT(find(root, "a[0]"), 0);
    CHECK(found.node == root->first->first);
    CHECK(found.parent == root->first);
    CHECK_INT(found.matched, 2);
    CHECK(!found.append);
}

TEST(no_steps_are_the_root)
{
    struct untorn_node *root = tree("1");
    CHECK_INT(find_segments(root, 0, NULL), 0);
    CHECK(found.node == root);
    CHECK(!found.parent);
    CHECK_INT(found.matched, 0);
}

TEST(the_root_may_be_an_array)
{
    const struct untorn_node *root = tree("[{\"x\":1},2]");
    CHECK_TEXT(at(root, "[0].x"), "1");
    CHECK_TEXT(at(root, "[-1]"), "2");
    CHECK_TEXT(at(root, "/1"), "2");
}

TEST(the_examples_of_rfc_6901)
{
    const struct untorn_node *root =
        tree("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
             "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}");
    struct keypath whole;
    CHECK_INT(keypath_pointer("", 0, &arena, &whole, &error), 0);
    CHECK_INT(keypath_find(&whole, root, &found, &error), 0);
    CHECK(found.node == root);
    CHECK_TEXT(at(root, "/foo"), "[\"bar\",\"baz\"]");
    CHECK_TEXT(at(root, "/foo/0"), "\"bar\"");
    CHECK_TEXT(at(root, "/"), "0");
    CHECK_TEXT(at(root, "/a~1b"), "1");
    CHECK_TEXT(at(root, "/c%d"), "2");
    CHECK_TEXT(at(root, "/e^f"), "3");
    CHECK_TEXT(at(root, "/g|h"), "4");
    CHECK_TEXT(at(root, "/i\\j"), "5");
    CHECK_TEXT(at(root, "/k\"l"), "6");
    CHECK_TEXT(at(root, "/ "), "7");
    CHECK_TEXT(at(root, "/m~0n"), "8");
}

/* ---- not there, but could be ---- */

static void check_missing(const struct untorn_node *root, const char *key,
                          const struct untorn_node *parent, size_t matched, bool append)
{
    CHECK_INT(find(root, key), 0);
    CHECK(!found.node);
    CHECK(found.parent == parent);
    CHECK_INT(found.matched, matched);
    CHECK_INT(found.append, append);
}

TEST(what_is_missing_names_the_deepest_container_there_is)
{
    struct untorn_node *root = tree("{\"a\":{\"b\":[1]}}");
    check_missing(root, "x", root, 0, false);
    check_missing(root, "x.y.z", root, 0, false);
    check_missing(root, "x[+].z", root, 0, false);
    check_missing(root, "a.x", root->first, 1, false);
    check_missing(root, "/a/x", root->first, 1, false);
    CHECK_INT(find_segments(root, 3, (const char *const[]){"a", "x", "0"}), 0);
    CHECK_INT(found.matched, 1);
}

TEST(behind_the_last_is_never_there)
{
    struct untorn_node *root = tree("{\"a\":{\"b\":[1]}}"), *array = root->first->first;
    check_missing(root, "a.b[+]", array, 2, true);
    check_missing(root, "a.b[+].c.d", array, 2, true);
    check_missing(root, "/a/b/-", array, 2, true);
    CHECK_INT(find_segments(root, 3, (const char *const[]){"a", "b", "-"}), 0);
    CHECK(found.append);
}

/* ---- never there ---- */

TEST(an_element_beyond_the_end_is_refused)
{
    const struct untorn_node *root = tree("{\"a\":[1,2],\"one\":[1],\"none\":[]}");
    check_refused(root, "a[2]", UNTORN_NO_KEY,
                  "step 2, [2]: the array has 2 elements, counted from 0; [+] is behind the last");
    check_refused(root, "a[-3]", UNTORN_NO_KEY,
                  "step 2, [-3]: the array has 2 elements, counted from 0; [+] is behind the last");
    check_refused(root, "one[1]", UNTORN_NO_KEY,
                  "step 2, [1]: the array has 1 element, counted from 0; [+] is behind the last");
    check_refused(root, "/a/2", UNTORN_NO_KEY,
                  "step 2, \"2\": the array has 2 elements, counted from 0; \"-\" is behind the "
                  "last");
    check_refused(root, "none[-1].x", UNTORN_NO_KEY,
                  "step 2, [-1]: the array is empty; [+] puts the first into it");
    check_refused(root, "/a/99999999999999999999999999", UNTORN_NO_KEY,
                  "step 2, \"99999999999999999999999999\": the array has 2 elements, counted from "
                  "0; \"-\" is behind the last");
    CHECK_INT(find(root, "a[9223372036854775807]"), -UNTORN_NO_KEY);
    CHECK_INT(find(root, "a[-9223372036854775807]"), -UNTORN_NO_KEY);
    CHECK_INT(find(root, "/a/18446744073709551616"), -UNTORN_NO_KEY);
    CHECK_INT(find(root, "/a/18446744073709551617"), -UNTORN_NO_KEY);
}

TEST(a_missing_array_has_a_first_element_and_no_other)
{
    check_refused(tree("{}"), "a.b[1]", UNTORN_NO_KEY,
                  "step 3, [1]: there is no such array yet, a new one begins with [0] or [+]");
    check_refused(tree("[]"), "[+][-1]", UNTORN_NO_KEY,
                  "step 2, [-1]: there is no such array yet, a new one begins with [0] or [+]");
    CHECK_INT(find(tree("{}"), "a.b[0]"), 0);
    CHECK(!found.node);
}

TEST(nothing_is_below_a_scalar)
{
    const struct untorn_node *root = tree("{\"a\":\"x\",\"n\":null}");
    check_refused(root, "a.b", UNTORN_NO_KEY, "step 2, \"b\": there is nothing below a string");
    check_refused(root, "a[0]", UNTORN_NO_KEY, "step 2, [0]: there is nothing below a string");
    check_refused(root, "n[+]", UNTORN_NO_KEY, "step 2, [+]: there is nothing below null");
    check_refused(root, "/a/b/c", UNTORN_NO_KEY, "step 2, \"b\": there is nothing below a string");
}

TEST(a_pointer_makes_no_parents_and_says_what_does)
{
    const struct untorn_node *root = tree("{\"a\":[]}");
    check_refused(root, "/x/y", UNTORN_NO_KEY,
                  "step 1, \"x\": it is not there, and a JSON Pointer makes no parents: a dotted "
                  "key does, and so does -k");
    CHECK_INT(find(root, "/a/-/y"), -UNTORN_NO_KEY);
    CHECK_INT(find(root, "/x"), 0);
    CHECK_INT(find(root, "x.y"), 0);
}

/* ---- of another kind ---- */

TEST(an_object_has_no_elements)
{
    const struct untorn_node *root = tree("{\"a\":{\"0\":1}}");
    check_refused(root, "a[0]", UNTORN_TYPE,
                  "step 2, [0]: an object has keys, not numbers: if 0 is a key, type .\"0\"");
    check_refused(root, "a[+]", UNTORN_TYPE,
                  "step 2, [+]: only an array has something behind the last, this is an object: "
                  "type a key");
    CHECK_TEXT(at(root, "a.\"0\""), "1");
}

TEST(an_array_has_no_keys)
{
    const struct untorn_node *root = tree("{\"a\":[1,2]}");
    check_refused(root, "a.b", UNTORN_TYPE,
                  "step 2, \"b\": this is an array, it has no keys: type [N] for an element, or "
                  "[+] for behind the last");
    check_refused(root, "a.0", UNTORN_TYPE,
                  "step 2, \"0\": this is an array, its elements are in brackets: [0]");
    check_refused(root, "a.\"\"", UNTORN_TYPE,
                  "step 2, \"\": this is an array, it has no keys: type [N] for an element, or [+] "
                  "for behind the last");
    check_refused(root, "/a/b", UNTORN_TYPE,
                  "step 2, \"b\": this is an array, it has no keys: type its number for an "
                  "element, or \"-\" for behind the last");
    CHECK_INT(find(root, "/a/1e0"), -UNTORN_TYPE);
    CHECK_INT(find(root, "/a/-1"), -UNTORN_TYPE);
    CHECK_INT(find(root, "/a/+1"), -UNTORN_TYPE);
    CHECK_INT(find(root, "/a/ 1"), -UNTORN_TYPE);
    CHECK_INT(find(root, "/a/"), -UNTORN_TYPE);
}

TEST(leading_zeros_are_refused)
{
    const struct untorn_node *root = tree("{\"a\":[1,2]}");
    check_refused(root, "/a/01", UNTORN_TYPE,
                  "step 2, \"01\": this is an array, and its elements have no leading zeros");
    CHECK_INT(find(root, "/a/00"), -UNTORN_TYPE);
    CHECK_TEXT(at(root, "/a/0"), "1");
}

/* ---- more than one place ---- */

TEST(a_key_that_is_there_twice_is_ambiguous)
{
    const struct untorn_node *root = tree("{\"a\":{\"b\":1},\"a\":{\"b\":2},\"c\":{\"d\":1}}");
    static const char sentence[] = "step 1, \"a\": this key is there more than once in the same "
                                   "object: remove all but one";
    check_refused(root, "a", UNTORN_AMBIGUOUS, sentence);
    check_refused(root, "a.b", UNTORN_AMBIGUOUS, sentence);
    check_refused(root, "/a/b", UNTORN_AMBIGUOUS, sentence);
    CHECK_TEXT(at(root, "c.d"), "1");
}

TEST(a_dotted_key_that_is_also_one_key_is_ambiguous)
{
    const struct untorn_node *root = tree("{\"a.b\":1,\"a\":{\"b\":2}}");
    check_refused(root, "a.b", UNTORN_AMBIGUOUS,
                  "step 1, \"a\": there is one key with the whole name 'a.b': type it in quotes, "
                  "\"a.b\", or say with -k that each part is a key of its own");
    CHECK_TEXT(at(root, "\"a.b\""), "1");
    CHECK_TEXT(at(root, "a.\"b\""), "2");
    CHECK_TEXT(at(root, "/a/b"), "2");
    CHECK_TEXT(at(root, "/a.b"), "1");
    CHECK_INT(find_segments(root, 2, (const char *const[]){"a", "b"}), 0);
    CHECK_TEXT(found.node->text, "2");
}

TEST(one_key_alone_is_ambiguous_too_for_it_may_be_meant)
{
    CHECK_INT(find(tree("{\"editor.fontSize\":12}"), "editor.fontSize"), -UNTORN_AMBIGUOUS);
    CHECK_INT(find(tree("{\"x\":{\"a.b\":1}}"), "x.a.b"), -UNTORN_AMBIGUOUS);
    CHECK(strstr(error.detail, "step 2, \"a\""));
}

TEST(one_key_may_be_a_part_of_what_is_typed)
{
    CHECK_INT(find(tree("{\"a.b\":{\"c\":1}}"), "a.b.c"), -UNTORN_AMBIGUOUS);
    CHECK_INT(find(tree("{\"a.b\":{\"c\":1}}"), "a.b.\"c\""), -UNTORN_AMBIGUOUS);
    CHECK_INT(find(tree("{\"a[0]\":1,\"a\":[2]}"), "a[0]"), -UNTORN_AMBIGUOUS);
    CHECK_INT(find(tree("{\"a.b\":{\"c\":1}}"), ".a.b"), -UNTORN_AMBIGUOUS);
}

TEST(other_keys_with_dots_do_not_matter)
{
    const struct untorn_node *root =
        tree("{\"a.bc\":1,\"a.\":2,\"a.b.c.d\":3,\"a.b.\":4,\"x.a.b\":5,\"a\":{\"b\":{\"c\":6}}}");
    CHECK_TEXT(at(root, "a.b.c"), "6");
    CHECK_TEXT(at(root, "a.b"), "{\"c\":6}");
    CHECK_TEXT(at(root, "a . b . c"), "6");
}

/* ---- cost ---- */

TEST(a_long_key_in_a_wide_object_costs_no_square)
{
    enum { PARTS = 100000 };
    static char text[2 * PARTS + 1];
    struct untorn_node *root = node_add(&arena, NULL, NULL, 0, UNTORN_OBJECT);
    for (size_t i = 0; i < PARTS; i++)
        memcpy(text + 2 * i, "a.", 2);
    text[2 * PARTS - 1] = '\0';
    for (size_t i = 0; i < 2000; i++) { /* prefixes of it that end with a dot: none is meant */
        size_t size = 2 * i + 2;
        CHECK(node_add(&arena, root, text, size, UNTORN_NULL));
    }
    CHECK_INT(find(root, text), 0);
    CHECK(!found.node);
}

/* ---- the path of a node ---- */

static struct untorn_node *member(struct untorn_node *parent, const char *key, size_t size)
{
    struct untorn_node *node = node_add(&arena, parent, key, size, UNTORN_OBJECT);
    CHECK(node);
    return node;
}

TEST(a_path_is_typed_as_people_would)
{
    struct untorn_node *root = tree("{\"servers\":[{\"a.b\":{\"x\":[[1]]},\"m~n/o\":2}]}");
    struct untorn_node *server = root->first->first, *deep = server->first->first->first->first;
    CHECK_TEXT(keypath_of_node(root, false, &arena), "");
    CHECK_TEXT(keypath_of_node(root, true, &arena), "");
    CHECK_TEXT(keypath_of_node(deep, false, &arena), "servers[0].\"a.b\".x[0][0]");
    CHECK_TEXT(keypath_of_node(deep, true, &arena), "/servers/0/a.b/x/0/0");
    CHECK_TEXT(keypath_of_node(server->last, false, &arena), "servers[0].\"m~n/o\"");
    CHECK_TEXT(keypath_of_node(server->last, true, &arena), "/servers/0/m~0n~1o");
    root = tree("[1,{\"x\":2}]");
    CHECK_TEXT(keypath_of_node(root->last->first, false, &arena), "[1].x");
}

TEST(keys_are_quoted_and_escaped_where_they_must_be)
{
    struct untorn_node *root = node_add(&arena, NULL, NULL, 0, UNTORN_OBJECT);
    CHECK_TEXT(keypath_of_node(member(root, "", 0), false, &arena), "\"\"");
    CHECK_TEXT(keypath_of_node(member(root, "A-z_0", 5), false, &arena), "A-z_0");
    CHECK_TEXT(keypath_of_node(member(root, "q\"\\", 3), false, &arena), "\"q\\\"\\\\\"");
    CHECK_TEXT(keypath_of_node(member(root, "\0\n\x7f", 3), false, &arena),
               "\"\\u0000\\u000A\\u007F\"");
    CHECK_TEXT(keypath_of_node(member(root, "\xc3\xa9", 2), false, &arena), "\"\xc3\xa9\"");
}

static uint32_t state = 1;

static uint32_t chance(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static struct untorn_node *random_child(struct arena *own, struct untorn_node *parent, bool pointer)
{
    static const char *const pieces[] = {"a",
                                         "0",
                                         ".",
                                         "\"",
                                         "'",
                                         "\\",
                                         "/",
                                         "~",
                                         "[",
                                         "]",
                                         " ",
                                         "\n",
                                         "+",
                                         "-",
                                         "\xc3\xa9",
                                         "\x7f",
                                         "*",
                                         "\t",
                                         "|",
                                         "",
                                         "#",
                                         "~1",
                                         "\xe2\x82\xac",
                                         "\x01"};
    char key[64];
    size_t size = 0;
    if (parent->kind == UNTORN_ARRAY) {
        for (uint32_t before = chance(3); before > 0; before--)
            CHECK(node_add(own, parent, NULL, 0, UNTORN_NULL));
        return node_add(own, parent, NULL, 0, chance(2) ? UNTORN_ARRAY : UNTORN_OBJECT);
    }
    for (uint32_t count = chance(6); count > 0; count--) {
        const char *piece = pieces[chance(sizeof pieces / sizeof *pieces)];
        memcpy(key + size, piece, strlen(piece));
        size += strlen(piece);
        if (!pointer && chance(20) == 0)
            key[size++] = '\0';
    }
    const char *copy = arena_copy(own, key, size);
    CHECK(copy);
    return node_add(own, parent, copy, size, chance(2) ? UNTORN_ARRAY : UNTORN_OBJECT);
}

static void check_way_back(bool pointer)
{
    for (int round = 0; round < 5000; round++) {
        struct arena own = {0};
        struct untorn_node *root =
            node_add(&own, NULL, NULL, 0, chance(2) ? UNTORN_ARRAY : UNTORN_OBJECT);
        struct untorn_node *node = root;
        for (uint32_t depth = 1 + chance(5); depth > 0; depth--)
            node = random_child(&own, node, pointer);
        const char *text = keypath_of_node(node, pointer, &own);
        struct keypath path;
        CHECK(text);
        CHECK_INT(keypath_parse(text, &own, &path, &error), 0);
        CHECK_INT(keypath_find(&path, root, &found, &error), 0);
        CHECK(found.node == node);
        arena_free(&own);
    }
}

TEST(a_dotted_path_leads_back_to_its_node_whatever_the_keys_are)
{
    check_way_back(false);
}

TEST(a_pointer_leads_back_to_its_node_whatever_the_keys_are)
{
    check_way_back(true);
}

TEST(without_memory_there_is_no_path)
{
    heap_needed();
    struct untorn_node *root = tree("{\"a\":1}");
    struct arena own = {0};
    heap_fail(1);
    CHECK(!keypath_of_node(root->first, false, &own));
    CHECK(heap_failed());
    CHECK_TEXT(keypath_of_node(root->first, false, &own), "a");
    arena_free(&own);
}
