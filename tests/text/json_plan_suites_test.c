/* Edits that other projects test, with the texts they expect. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json_changes.h"
#include "text/suites.h"

/* ---- the parts of a case ---- */

static const struct untorn_node *member(const struct untorn_node *object, const char *key)
{
    return node_member(object, key, strlen(key));
}

/* The member's text; NULL: there is no such member. */
static const char *text_of(const struct untorn_node *object, const char *key)
{
    const struct untorn_node *node = member(object, key);
    return node ? node->text : NULL;
}

struct path {
    struct {
        const char *text;
        size_t size;
    } steps[8];
    size_t count;
};

static void add_step(struct path *path, const char *text, size_t size)
{
    CHECK(path->count < sizeof path->steps / sizeof *path->steps);
    path->steps[path->count].text = text;
    path->steps[path->count++].size = size;
}

static struct path path_of_array(const struct untorn_node *array)
{
    struct path path = {.count = 0};
    for (const struct untorn_node *step = array->first; step; step = step->next)
        add_step(&path, step->text, step->size);
    return path;
}

/* None of the cases has an escape. */
static struct path path_of_pointer(const char *pointer)
{
    struct path path = {.count = 0};
    for (; *pointer == '/'; pointer += strcspn(pointer + 1, "/") + 1)
        add_step(&path, pointer + 1, strcspn(pointer + 1, "/"));
    return path;
}

static struct untorn_node *go(struct untorn_node *node, const struct path *path, size_t *at)
{
    for (*at = 0; *at < path->count; (*at)++) {
        const char *step = path->steps[*at].text;
        struct untorn_node *next = node->kind == UNTORN_OBJECT
                                       ? node_member(node, step, path->steps[*at].size)
                                       : node_element(node, strtoul(step, NULL, 10));
        if (!next || (node->kind == UNTORN_ARRAY && (*step == '-')))
            break;
        node = next;
    }
    return node;
}

/* ---- edits as the suites mean them ---- */

/* The value below the steps of the path that are not there yet. */
static struct untorn_node *wrapped(struct arena *arena, const struct untorn_node *value,
                                   const struct path *path, size_t from)
{
    struct untorn_node *inner = node_copy(arena, value);
    for (size_t i = path->count; inner && i-- > from;) {
        bool index = path->steps[i].text[0] == '0';
        struct untorn_node *outer =
            node_add(arena, NULL, NULL, 0, index ? UNTORN_ARRAY : UNTORN_OBJECT);
        CHECK(outer);
        CHECK(index
                  ? node_put_element(outer, 0, inner)
                  : node_put_member(arena, outer, path->steps[i].text, path->steps[i].size, inner));
        inner = outer;
    }
    CHECK(inner);
    return inner;
}

/* Replaces what is there, unless an element is to be inserted; adds what is not, behind the last
 * element if the index is beyond it. */
static void set(struct json_text *text, const struct path *path, const struct untorn_node *value,
                bool insert)
{
    struct arena arena = {0};
    size_t at;
    struct untorn_node *node = go(text->parsed.root, path, &at);
    struct change change = {.kind = CHANGE_REPLACE, .node = node};
    if (at < path->count) {
        change.kind = node->kind == UNTORN_ARRAY ? CHANGE_INSERT : CHANGE_ADD;
        change.index = node->count;
        change.key = path->steps[at].text;
        change.key_size = path->steps[at++].size;
    } else if (insert && node->parent && node->parent->kind == UNTORN_ARRAY) {
        change = (struct change){
            .kind = CHANGE_INSERT, .node = node->parent, .index = node_position(node)};
    }
    change.value = wrapped(&arena, value, path, at);
    json_text_change(text, &change);
    arena_free(&arena);
}

static void unset(struct json_text *text, const struct path *path)
{
    size_t at;
    struct change change = {.kind = CHANGE_REMOVE, .node = go(text->parsed.root, path, &at)};
    CHECK_INT(at, path->count);
    json_text_change(text, &change);
}

/* ---- suites ---- */

/* Cases in which another text is expected from us, by their place in the suite. */
struct exception {
    size_t number;
    const char *reason;
};

static const char *reason_for(const struct exception *exceptions, size_t number)
{
    for (; exceptions->reason; exceptions++)
        if (exceptions->number == number)
            return exceptions->reason;
    return NULL;
}

/* An exception that is none any more is a failure too. */
static void compare(const struct json_text *text, const char *expected, const char *reason)
{
    if (!reason)
        CHECK_TEXT(text->text, expected);
    else if (strcmp(text->text, expected) == 0)
        CHECK_TEXT(reason, "not needed: the text is as expected");
}

static struct json_text read_suite(const char *file)
{
    size_t size;
    char *data = suite_read(file, &size);
    if (!data)
        suite_missing(file);
    struct json_text suite = json_text_of(data, size, UNTORN_JSON);
    free(data);
    return suite;
}

/* ---- node-jsonc-parser ---- */

static const struct exception node_exceptions[] = {
    {13, "a member is added behind the last, not at an index"},
    {14, "a member is added behind the last, not at an index"},
    {17, "blanks at the end of a line are not the edit's business, and stay"},
    {18, "nothing is not a document"},
    {19, "a comment is not a document"},
    {20, "an object of which nothing is left is {}, as an array is []"},
    {26, "an array on one line stays on one line"},
    {37, "the array has a trailing comma, and keeps one"},
    {39, "an array on one line stays on one line"},
    {40, "blanks around colon and comma are as in the document"},
    {0, NULL},
};

static void run_node_case(const struct untorn_node *record, const char *reason)
{
    const struct untorn_node *content = member(record, "content");
    struct parsed parsed;
    struct flaw flaw;
    if (parse_json(content->text, content->size, UNTORN_JSONC, &parsed, &flaw) != 0) {
        CHECK(reason);
        return;
    }
    parsed_free(&parsed);
    struct json_text text = json_text_of(content->text, content->size, UNTORN_JSONC);
    struct path path = path_of_array(member(record, "path"));
    if (strcmp(text_of(record, "op"), "remove") == 0)
        unset(&text, &path);
    else
        set(&text, &path, member(record, "value"), member(record, "isArrayInsertion"));
    compare(&text, text_of(record, "expected"), reason);
    json_text_free(&text);
}

TEST(edits_of_node_jsonc_parser_give_the_text_it_expects)
{
    struct json_text suite = read_suite("node-jsonc-parser-edits/edit_cases.json");
    size_t number = 0;
    for (const struct untorn_node *record = suite.parsed.root->first; record; record = record->next)
        run_node_case(record, reason_for(node_exceptions, number++));
    CHECK_INT(number, 42);
    json_text_free(&suite);
}

/* ---- hujson ---- */

#define BLANKS "what is added has blanks as its neighbours have them"
#define BELOW "a comment below an element, with a blank line behind it, is the container's"
#define OF_PATCH "comments of the patch are not the document's"
static const struct exception hujson_exceptions[] = {
    {0, BLANKS},  {1, BLANKS}, {5, BLANKS}, {6, BLANKS},    {9, BLANKS},    {10, BLANKS},
    {15, BLANKS}, {46, BELOW}, {47, BELOW}, {48, OF_PATCH}, {49, OF_PATCH}, {0, NULL},
};

static void move_or_copy(struct json_text *text, const struct untorn_node *operation,
                         const struct path *to)
{
    struct arena arena = {0};
    struct path from = path_of_pointer(text_of(operation, "from"));
    size_t at;
    struct untorn_node *value = node_copy(&arena, go(text->parsed.root, &from, &at));
    CHECK(value && at == from.count);
    if (strcmp(text_of(operation, "op"), "move") == 0)
        unset(text, &from);
    set(text, to, value, true);
    arena_free(&arena);
}

static void run_operation(struct json_text *text, const struct untorn_node *operation)
{
    const char *name = text_of(operation, "op");
    struct path path = path_of_pointer(text_of(operation, "path"));
    if (strcmp(name, "remove") == 0)
        unset(text, &path);
    else if (strcmp(name, "add") == 0 || strcmp(name, "replace") == 0)
        set(text, &path, member(operation, "value"), *name == 'a');
    else
        move_or_copy(text, operation, &path);
}

static void run_hujson_case(const struct untorn_node *record, const char *reason)
{
    const struct untorn_node *in = member(record, "in"), *patch_text = member(record, "patch");
    struct json_text text = json_text_of(in->text, in->size, UNTORN_JSONC);
    struct json_text patch = json_text_of(patch_text->text, patch_text->size, UNTORN_JSONC);
    for (const struct untorn_node *operation = patch.parsed.root->first; operation;
         operation = operation->next)
        run_operation(&text, operation);
    compare(&text, text_of(record, "want"), reason);
    json_text_free(&patch);
    json_text_free(&text);
}

TEST(patches_of_hujson_give_the_text_it_expects)
{
    struct json_text suite = read_suite("hujson-patch/patch_cases.json");
    size_t number = 0, run = 0;
    for (const struct untorn_node *record = suite.parsed.root->first; record;
         record = record->next, number++) {
        if (!member(record, "want") || member(record, "error"))
            continue;
        run_hujson_case(record, reason_for(hujson_exceptions, number));
        run++;
    }
    CHECK_INT(run, 25);
    json_text_free(&suite);
}

/* ---- probes ---- */

static void run_probe_step(struct json_text *text, const struct untorn_node *operation)
{
    const char *name = text_of(operation, "op");
    struct path path = path_of_array(member(operation, "path"));
    const struct untorn_node *value = member(operation, "value");
    if (strcmp(name, "remove") == 0) {
        unset(text, &path);
        return;
    }
    if (strcmp(name, "append") == 0)
        add_step(&path, "-", 1);
    if (strcmp(name, "insert") == 0)
        add_step(&path, text_of(operation, "index"), strlen(text_of(operation, "index")));
    set(text, &path, value, strcmp(name, "insert") == 0);
}

static void check_words(const struct json_text *text, const struct untorn_node *words, bool there)
{
    for (const struct untorn_node *word = words->first; word; word = word->next)
        if ((strstr(text->text, word->text) != NULL) != there)
            CHECK_TEXT(text->text, word->text);
}

static void run_probe(const struct untorn_node *record)
{
    const struct untorn_node *input = member(record, "input"), *data;
    bool comments = strcmp(text_of(record, "format"), "jsonc") == 0;
    struct json_text text =
        json_text_of(input->text, input->size, comments ? UNTORN_JSONC : UNTORN_JSON);
    for (const struct untorn_node *operation = member(record, "ops")->first; operation;
         operation = operation->next)
        run_probe_step(&text, operation);
    check_words(&text, member(record, "must_contain"), true);
    check_words(&text, member(record, "must_not_contain"), false);
    data = member(record, "expect_data");
    CHECK(data->kind == UNTORN_NULL || node_equal(text.parsed.root, data));
    json_text_free(&text);
}

TEST(the_bugs_that_were_seen_elsewhere_are_not_here)
{
    struct json_text suite = read_suite("bug-probes/probes.json");
    int count = 0;
    for (const struct untorn_node *record = suite.parsed.root->first; record;
         record = record->next) {
        if (strncmp(text_of(record, "format"), "json", 4) != 0)
            continue;
        run_probe(record);
        count++;
    }
    CHECK_INT(count, 17);
    json_text_free(&suite);
}
