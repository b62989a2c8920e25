/* What holds for every change of every document, whatever it looks like. That the data is right is
 * checked of every change, by json_text_change. */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json_changes.h"
#include "text/suites.h"

/* ---- all changes of a document ---- */

/* One of them, by where it is rather than by node: so it can be made to a twin as well. */
struct step {
    enum change_kind kind;
    size_t node;  /* in the order of the walk */
    size_t index; /* of an insertion */
    const char *value;
};

static struct untorn_node *nth_node(const struct json_text *text, size_t number)
{
    struct untorn_node *node = text->parsed.root;
    while (node && number-- > 0)
        node = json_next_node(node);
    return node;
}

static void take_step(struct json_text *text, const struct step *step)
{
    struct json_text value = {0};
    struct change change = {.kind = step->kind, .index = step->index};
    change.node = nth_node(text, step->node);
    CHECK(change.node);
    change.key = "a new key";
    change.key_size = strlen(change.key);
    if (step->value) {
        value = json_text_of(step->value, strlen(step->value), UNTORN_JSON);
        change.value = value.parsed.root;
    }
    json_text_change(text, &change);
    json_text_free(&value);
}

typedef void step_check(const struct json_text *before, const struct step *step);

static void with_values(const struct json_text *text, struct step step, step_check *check)
{
    static const char *const values[] = {"\"new\"", "{\"x\": [1, {}]}"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        step.value = values[i];
        check(text, &step);
    }
}

static void for_each_step(const struct json_text *text, step_check *check)
{
    size_t number = 0;
    for (const struct untorn_node *node = text->parsed.root; node; node = json_next_node(node)) {
        struct step step = {.kind = CHANGE_REPLACE, .node = number++};
        with_values(text, step, check);
        if (node->kind == UNTORN_OBJECT) {
            step.kind = CHANGE_ADD;
            with_values(text, step, check);
        }
        step.kind = CHANGE_INSERT;
        for (; node->kind == UNTORN_ARRAY && step.index <= node->count; step.index++)
            with_values(text, step, check);
        step.kind = CHANGE_REMOVE;
        if (node->parent)
            check(text, &step);
        step.kind = CHANGE_RENAME;
        if (node->key)
            check(text, &step);
    }
}

static struct json_text copy_of(const struct json_text *text)
{
    return json_text_of(text->text, text->size, text->parsed.format);
}

static void check_same(const struct json_text *text, const struct json_text *expected)
{
    CHECK_BYTES(text->text, text->size, expected->text, expected->size);
}

/* ---- the properties ---- */

static bool is_insertion(const struct step *step)
{
    return step->kind == CHANGE_ADD || step->kind == CHANGE_INSERT;
}

/* Nothing tells {} from { } once there was something in it. */
static bool is_restorable(const struct untorn_node *container)
{
    const char *newline = memchr(container->raw, '\n', container->raw_size);
    bool comment = memchr(container->raw, '/', container->raw_size) != NULL;
    return container->count > 0 || container->raw_size == 2 || (comment && newline);
}

static void check_restored(const struct json_text *before, const struct step *step)
{
    if (!is_insertion(step) || !is_restorable(nth_node(before, step->node)))
        return;
    struct json_text text = copy_of(before);
    take_step(&text, step);
    const struct untorn_node *added = nth_node(&text, step->node);
    added = step->kind == CHANGE_ADD ? added->last : node_element(added, step->index);
    struct change change = {.kind = CHANGE_REMOVE, .node = added};
    json_text_change(&text, &change);
    check_same(&text, before);
    json_text_free(&text);
}

static void check_bytes_outside(const struct json_text *before, const struct step *step)
{
    const struct untorn_node *node = nth_node(before, step->node);
    const char *start = step->kind == CHANGE_RENAME ? node->key_raw : node->raw;
    size_t size = step->kind == CHANGE_RENAME ? node_key_raw_size(node) : node->raw_size;
    if (step->kind != CHANGE_REPLACE && step->kind != CHANGE_RENAME)
        return;
    struct json_text text = copy_of(before);
    take_step(&text, step);
    size_t front = (size_t)(start - before->text), back = before->size - front - size;
    CHECK(text.size >= front + back);
    CHECK_BYTES(text.text, front, before->text, front);
    CHECK_BYTES(text.text + text.size - back, back, start + size, back);
    json_text_free(&text);
}

/* What is left of the text stays in its order: nothing but what was asked for comes or goes. */
static bool is_part_of(const struct json_text *part, const struct json_text *whole)
{
    size_t at = 0;
    for (size_t i = 0; i < whole->size && at < part->size; i++)
        at += whole->text[i] == part->text[at];
    return at == part->size;
}

static void check_order(const struct json_text *before, const struct step *step)
{
    struct json_text text = copy_of(before);
    take_step(&text, step);
    if (step->kind == CHANGE_REMOVE)
        CHECK(is_part_of(&text, before));
    else if (is_insertion(step) && is_restorable(nth_node(before, step->node)))
        CHECK(is_part_of(before, &text));
    json_text_free(&text);
}

static void check_own_values(const struct json_text *before)
{
    for (const struct untorn_node *node = before->parsed.root; node; node = json_next_node(node)) {
        struct json_text text = copy_of(before);
        struct change change = {.kind = CHANGE_REPLACE, .value = node};
        change.node = json_same_place(text.parsed.root, node);
        if (!node_is_container(node)) {
            json_text_change(&text, &change);
            check_same(&text, before);
        }
        json_text_free(&text);
    }
}

/* ---- twins ---- */

typedef struct json_text twin_of(const struct json_text *text);

static struct json_text with_mark(const struct json_text *text)
{
    struct json_text twin = {0};
    char *data = malloc(text->size + 3);
    CHECK(data);
    memcpy(data, "\xef\xbb\xbf", 3);
    memcpy(data + 3, text->text, text->size);
    twin = json_text_of(data, text->size + 3, text->parsed.format);
    free(data);
    return twin;
}

static struct json_text with_returns(const struct json_text *text)
{
    char *data = malloc(2 * text->size + 1);
    size_t size = 0;
    CHECK(data);
    for (size_t i = 0; i < text->size; i++) {
        if (text->text[i] == '\n')
            data[size++] = '\r';
        data[size++] = text->text[i];
    }
    struct json_text twin = json_text_of(data, size, text->parsed.format);
    free(data);
    return twin;
}

static struct json_text with_last_line(const struct json_text *text)
{
    char *data = malloc(text->size + 1);
    CHECK(data);
    memcpy(data, text->text, text->size);
    data[text->size] = '\n';
    struct json_text twin = json_text_of(data, text->size + 1, text->parsed.format);
    free(data);
    return twin;
}

static void check_twin(const struct json_text *before, const struct step *step, twin_of *twin_of_it)
{
    struct json_text text = copy_of(before), twin = twin_of_it(before);
    take_step(&text, step);
    take_step(&twin, step);
    struct json_text expected = twin_of_it(&text);
    check_same(&twin, &expected);
    json_text_free(&text);
    json_text_free(&twin);
    json_text_free(&expected);
}

static void check_twins(const struct json_text *before, const struct step *step)
{
    bool has_mark = before->size >= 3 && memcmp(before->text, "\xef\xbb\xbf", 3) == 0;
    bool has_lines = strchr(before->text, '\n'), has_returns = strchr(before->text, '\r');
    if (!has_mark)
        check_twin(before, step, with_mark);
    if (has_lines && !has_returns) /* with none, there is no majority of lines */
        check_twin(before, step, with_returns);
    if (has_lines && !has_returns)
        check_twin(before, step, with_last_line);
}

/* ---- documents ---- */

static const char *const documents[] = {
    "{}",
    "[]\n",
    "{\n}\n",
    "0",
    "{\"a\":1,\"b\":[1,2],\"c\":{\"d\":null}}",
    "{ \"a\" : 1 , \"b\" : [ 1 , 2 ] , \"c\" : { } }\n",
    "{\n  \"a\": 1,\n  \"b\": [1, 2, 3],\n  \"c\": {\n    \"d\": [\n      true\n    ]\n  }\n}\n",
    "{\n\t\"a\":1,\n\n\t\"b\":[],\n\t\"c\":{},\n\n\n\t\"d\":[\n\t\t{\"x\":1},\n\t\t{}\n\t]\n}",
    "[1,\n 2,\n 3]",
    "[\n 1, 2, 3,\n 4, 5, 6\n]\n",
    "[ 1\n, 2\n, { \"a\": 1\n  , \"b\": 2\n  }\n]\n",
    "[1\n,\n2\n,\n3]",
    "[{\n  \"a\": 1\n}, {\n  \"b\": 2\n}]\n",
    "{\n  \"a\": 1,  \n  \"b\": 2  \n  \n}  \n",
    "[1 ,2 , 3,4]",
    "[[[[]]],[[1]],{\"a\":[{}]}]",
    "{\n\"a\":{\n\"b\":[\n1,\n2\n]\n}\n}\n",
};

static const char *const with_comments[] = {
    "{\n  // a\n  \"a\": 1, // a\n  // b\n  \"b\": 2, /* b */ // b\n  // c\n  \"c\": 3 // c\n}\n",
    ("// top\n{ // all\n\n  // first\n\n  \"a\": [ // in\n    1, // 1\n    2 // 2\n  ], // a\n\n"
     "  // other\n\n  // b\n  \"b\": {}\n  // end\n}\n// bottom"),
    "{\n  \"a\": 1, // a\n  \"b\": [\n    1,\n    2,\n  ],\n}\n",
    "[1 /* 1 */, /* 2 */ 2 /* 2 */, 3 /* 3 */]",
    "[/* 1 */ 1, /* 2 */ 2, ]",
    "[1, 2,]",
    "[1, // 1\n 2, // 2\n 3 // 3\n]",
    "[ 1 // 1\n  // 2\n, 2 // 2\n, 3\n]",
    "{\n  // nothing yet\n}\n",
    "{ // nothing yet\n\n}\n",
    "[\n  // 1\n\n  // 2\n]\n",
    "{\"a\": /* a, b */ [ // {\n 1 ] /* ] */ }",
    "{\n  \"a\" /* k */ : /* v */ 1 /* , */, /* \"b\": 1, */\n  \"b\": 2\n}",
    "[\n  1, /* from\n        to */\n  2,\n  /* from\n     to */\n  3\n]",
    "{\n  \"a\": 1,\n\n\n  // b\n  \"b\": 2,\n\n\n  // end\n\n}\n",
};

static void for_each_document(step_check *check)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct json_text text = json_text_of(documents[i], strlen(documents[i]), UNTORN_JSON);
        for_each_step(&text, check);
        json_text_free(&text);
    }
    for (size_t i = 0; i < sizeof with_comments / sizeof *with_comments; i++) {
        struct json_text text =
            json_text_of(with_comments[i], strlen(with_comments[i]), UNTORN_JSONC);
        for_each_step(&text, check);
        json_text_free(&text);
    }
}

TEST(what_is_inserted_and_removed_again_leaves_no_trace)
{
    for_each_document(check_restored);
}

TEST(a_replacement_or_new_name_changes_no_other_byte)
{
    for_each_document(check_bytes_outside);
}

TEST(an_insertion_removes_nothing_and_a_removal_inserts_nothing)
{
    for_each_document(check_order);
}

TEST(a_byte_order_mark_other_ends_of_lines_and_a_last_line_make_no_difference)
{
    for_each_document(check_twins);
}

TEST(a_value_replaced_by_itself_changes_nothing)
{
    for (size_t i = 0; i < sizeof with_comments / sizeof *with_comments; i++) {
        struct json_text text =
            json_text_of(with_comments[i], strlen(with_comments[i]), UNTORN_JSONC);
        check_own_values(&text);
        json_text_free(&text);
    }
}

TEST(what_nothing_tells_apart_comes_back_in_its_short_form)
{
    static const struct step add = {.kind = CHANGE_ADD, .value = "1"},
                             take = {CHANGE_REMOVE, 1, 0, NULL};
    struct json_text text = json_text_of("{ }", 3, UNTORN_JSON);
    CHECK(!is_restorable(text.parsed.root));
    take_step(&text, &add);
    take_step(&text, &take);
    CHECK_TEXT(text.text, "{}");
    json_text_free(&text);
}

TEST(bytes_that_changed_places_are_noticed)
{
    struct json_text whole = json_text_of("[1, 2, 3]", 9, UNTORN_JSON);
    struct json_text part = json_text_of("[1, 3]", 6, UNTORN_JSON);
    struct json_text other = json_text_of("[3, 1]", 6, UNTORN_JSON);
    CHECK(is_part_of(&part, &whole) && !is_part_of(&other, &whole) && !is_part_of(&whole, &part));
    json_text_free(&whole);
    json_text_free(&part);
    json_text_free(&other);
}

/* ---- documents that nobody would write ---- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static size_t append(char *text, size_t size, const char *more)
{
    size_t length = strlen(more);
    memcpy(text + size, more, length);
    return size + length;
}

static size_t append_gap(char *text, size_t size, uint32_t *state)
{
    static const char *const pieces[] = {
        "",      "",   "",     " ",         "\n",      "\n  ",        "\n\n ",
        "\r\n ", "\r", "/**/", " /* x */ ", " // y\n", " \n// z\r\n",
    };
    for (uint32_t left = next_random(state) % 3; left > 0; left--)
        size = append(text, size, pieces[next_random(state) % (sizeof pieces / sizeof *pieces)]);
    return size;
}

/* An array or object of at most four elements, with anything between them. */
static size_t append_container(char *text, size_t size, uint32_t *state, bool inner)
{
    static const char *const keys[] = {"\"a\":", "\"b\" : ", "\"c\":\n", "\"d\"/**/: "};
    bool object = next_random(state) % 2;
    uint32_t count = next_random(state) % 5;
    size = append(text, size, object ? "{" : "[");
    size = append_gap(text, size, state);
    for (uint32_t i = 0; i < count; i++) {
        size = append(text, size, object ? keys[i & 3] : "");
        if (inner && next_random(state) % 3 == 0)
            size = append_container(text, size, state, false);
        else
            size = append(text, size, next_random(state) % 2 ? "1" : "\"//,\"");
        size = append_gap(text, size, state);
        if (i + 1 < count || next_random(state) % 4 == 0) {
            size = append(text, size, ",");
            size = append_gap(text, size, state);
        }
    }
    return append(text, size, object ? "}" : "]");
}

static void check_data(const struct json_text *before, const struct step *step)
{
    struct json_text text = copy_of(before);
    take_step(&text, step);
    json_text_free(&text);
}

TEST(whatever_stands_between_elements_the_data_is_right)
{
    uint32_t state = 1;
    for (int i = 0; i < 3000; i++) {
        static char text[4096];
        size_t size = append_gap(text, 0, &state);
        size = append_container(text, size, &state, true);
        size = append_gap(text, size, &state);
        struct json_text document = json_text_of(text, size, UNTORN_JSONC);
        for_each_step(&document, check_data);
        json_text_free(&document);
    }
}

/* ---- the valid files of JSONTestSuite ---- */

static int for_each_valid_file(step_check *check)
{
    char folder[2048];
    const char *path = suite_path("JSONTestSuite/test_parsing");
    DIR *listing = opendir(path);
    if (!listing)
        suite_missing("JSONTestSuite");
    snprintf(folder, sizeof folder, "%s", path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char file[4096];
        size_t size;
        if (strncmp(entry->d_name, "y_", 2) != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        char *data = suite_read_path(file, &size);
        CHECK(data);
        struct json_text text = json_text_of(data, size, UNTORN_JSON);
        for_each_step(&text, check);
        json_text_free(&text);
        free(data);
        count++;
    }
    closedir(listing);
    return count;
}

TEST(the_valid_files_of_the_test_suite_can_be_restored_too)
{
    CHECK(for_each_valid_file(check_restored) > 90);
}

TEST(the_valid_files_of_the_test_suite_keep_all_other_bytes)
{
    CHECK(for_each_valid_file(check_bytes_outside) > 90);
}

TEST(the_valid_files_of_the_test_suite_have_twins_too)
{
    CHECK(for_each_valid_file(check_twins) > 90);
}
