/* What holds for every change of every TOML text, whatever it looks like. That the data is right is
 * checked of every change, by toml_text_change. Nothing else changes [PLAN-1], and comments go with
 * those who own them [PLAN-3]. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/suites.h"
#include "text/toml_changes.h"
#include "text/toml_lines.h"

/* ---- the texts ---- */

static const char *const own_texts[] = {
    "",
    "\n",
    "# only a comment\n",
    "# a comment\n\n# and another\n\n\n",
    "a = 1\n\n\n[t]\n\n\n[u]\n",
    "# top\na = 1\n\n# about t\n[t]\nx = 1\n",
    "# about t\n[t]\n# nothing yet\n\n# about u\n[u]\n",
    "[a.b]\nx = 1\n[a.c]\n",
    "[a.b.c]\n\n[d]\n\n[a.b]\ne.f = 1\ne.g = {h.i = 1, h.j = 2}\n\n[a.b.e.k]\n",
    "a.b = 1\nz = 2\na.c.d = 3 # three\n",
    "\"a\".b = 1\n'a' . c = 2\n",
    "[[a]]\nx = 1\n[a.b]\n[[a.c]]\n[[a.c]]\n\n[[a]]\n\n[t]\n[[a]]\n",
    "a = []\nb = {}\nc = [ ]\nd = [\n]\ne = [\n  # nothing\n]\n",
    "a = [1]\nb = [1,2]\nc = [ 1, 2, ]\nd = [1 , 2]\ne = [[1], [2, 3]]\n",
    "a = [\n    1, # one\n    # about two\n    2, # two\n\n    # the end\n]\n",
    "a = [\n    1, # one\n    2 # two\n]\n",
    "a = [ 1 # one\n    , 2 # two\n    , 3\n    ]\n",
    "a = [\"x\",\n     \"y\",\n     \"z\"]\n",
    "a = [\n  1, 2, 3, # three\n  4, 5\n]\n",
    "a = [1, 2, # two\n 3]\n",
    "a = [\n  1,\n  2  \n]\nb = [ 1\n  ,]\nc = [ 1\n  , 2 ]\n",
    "a = [ 1 ,2\t, ]\nb = [ 1\n , 2, ]\nc = [\n  1 # one\n  , 2\n  ,\n]\n",
    "a = {b = 1, c = {d = \"}\", e = ']'}, f = \"\"\"x, }\n\"\"\"}\n",
    "a = {\n  b = 1, # one\n  c.d = 2, # two\n  c.e = 3 # three\n}\n",
    "a = {\n  b = 1,\n  c = [],\n}\n",
    "  [t]\n    x   =  1\n    yyy =  2\n\n  [t.u]\n    z=1\n",
    "s = \"\"\"\n# no comment\n\n\"\"\" # one\nt = '''\n# x\n'''\n[v]\n",
    "[fruit]\napple.color = 1\napple.taste.sweet = true\n\n[fruit.apple.texture]\nsmooth = true\n",
};

/* ---- values ---- */

static struct parsed json_value(const char *text)
{
    struct parsed parsed;
    struct flaw flaw;
    CHECK_INT(parse_json(text, strlen(text), UNTORN_JSON, &parsed, &flaw), 0);
    return parsed;
}

static const char *const values[] = {
    "42",
    "\"text\"",
    "{}",
    "[]",
    "{\"x\": 1, \"y y\": {\"z\": [1, {}]}}",
    "{\"x\": {\"y\": {\"z\": true}}}",
    "[{\"p\": 1}, {}, {\"q\": {\"r\": [{\"s\": 1}]}}]",
};
enum { VALUES = sizeof values / sizeof *values };
static size_t values_step = 1; /* of many texts only some are tried */

/* ---- twins ---- */

typedef void text_check(const struct toml_text *text);

static char *replace_newlines(const char *data, size_t size, size_t *ret_size)
{
    char *twin = malloc(2 * size + 1);
    CHECK(twin);
    *ret_size = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\n' && (i == 0 || data[i - 1] != '\r'))
            twin[(*ret_size)++] = '\r';
        twin[(*ret_size)++] = data[i];
    }
    return twin;
}

static void check_bytes(const char *data, size_t size, text_check *check)
{
    struct toml_text text = toml_text_of(data, size);
    check(&text);
    toml_text_free(&text);
}

enum twin { LIKE_IT, OTHER_NEWLINES, MARKED, UNENDED, TWINS };

/* The text, with other ends of lines, with a byte order mark, or without the last newline. */
static void check_twin(const char *data, size_t size, enum twin kind, text_check *check)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t twin_size = size;
    char *twin = NULL;
    if (kind == OTHER_NEWLINES) {
        twin = replace_newlines(data, size, &twin_size);
    } else if (kind == MARKED && !(size >= 3 && memcmp(data, mark, 3) == 0)) {
        twin_size = size + 3;
        twin = malloc(twin_size);
        CHECK(twin);
        memcpy(twin, mark, 3);
        memcpy(twin + 3, data, size);
    } else if (kind == UNENDED && size > 0 && data[size - 1] == '\n') {
        twin_size = size - 1 - (size > 1 && data[size - 2] == '\r');
    }
    check_bytes(twin ? twin : data, twin_size, check);
    free(twin);
}

static void check_twins(const char *data, size_t size, text_check *check)
{
    for (int kind = LIKE_IT; kind < TWINS; kind++)
        check_twin(data, size, (enum twin)kind, check);
}

static void check_own(text_check *check)
{
    for (size_t i = 0; i < sizeof own_texts / sizeof *own_texts; i++)
        check_twins(own_texts[i], strlen(own_texts[i]), check);
}

/* The valid files of toml-test, in the list of TOML 1.1. Of each another twin; all of them where
 * there is time. */
static void check_suite(text_check *check)
{
    size_t size, count = 0;
    values_step = getenv("UNTORN_LONG") ? 1 : 3;
    char *list = suite_read("toml-test/tests/files-toml-1.1.0", &size);
    if (!list)
        suite_missing("toml-test");
    for (char *name = strtok(list, "\r\n"); name; name = strtok(NULL, "\r\n")) {
        size_t length = strlen(name);
        if (strncmp(name, "valid/", 6) != 0 || strcmp(name + length - 5, ".toml") != 0)
            continue;
        char file[512];
        snprintf(file, sizeof file, "toml-test/tests/%s", name);
        char *data = suite_read(file, &size);
        CHECK(data);
        fprintf(stderr, "%s\n", name);
        if (getenv("UNTORN_LONG"))
            check_twins(data, size, check);
        else
            check_twin(data, size, (enum twin)(count % TWINS), check);
        free(data);
        count++;
    }
    free(list);
    CHECK(count > 200);
}

/* ---- comments ---- */

/* Behind the string that begins here. */
static const char *skip_string(const char *at)
{
    char quote = *at, close[4] = {quote, quote, quote, '\0'};
    bool triple = strncmp(at, close, 3) == 0;
    if (!triple)
        close[1] = '\0';
    at += triple ? 3 : 1;
    while (strncmp(at, close, strlen(close)) != 0)
        at += *at == '\\' && quote == '"' ? 2 : 1;
    at += triple ? 3 : 1;
    while (triple && *at == quote)
        at++;
    return at;
}

/* The next comment in a text without NUL; NULL. */
static const char *next_comment(const char *at, size_t *ret_size)
{
    while (*at && *at != '#')
        at = *at == '"' || *at == '\'' ? skip_string(at) : at + 1;
    *ret_size = strcspn(at, "\r\n");
    return *at ? at : NULL;
}

/* The comments of `after` are those of `before`, or with `fewer` some of them, in their order. */
static void check_comments(const struct toml_text *before, const struct toml_text *after,
                           bool fewer)
{
    size_t size, other_size = 0;
    const char *comment, *other = before->text;
    for (const char *at = after->text; (comment = next_comment(at, &size)) != NULL;
         at = comment + size) {
        bool same;
        do {
            other = next_comment(other + other_size, &other_size);
            if (!other)
                CHECK_TEXT(after->text, before->text);
            same = size == other_size && memcmp(comment, other, size) == 0;
        } while (fewer && !same);
        if (!same)
            CHECK_TEXT(after->text, before->text);
    }
    if (!fewer && next_comment(other + other_size, &other_size))
        CHECK_TEXT(after->text, before->text);
}

/* ---- whose they are ---- */

/* A statement with all that is its own: the comments above and the rest of its line. */
static struct span owned_span(const struct toml_lines *lines, size_t statement)
{
    uint64_t end = lines->statements[statement].text.end;
    while (end < lines->end && lines->text[end] != '\r' && lines->text[end] != '\n')
        end++;
    return (struct span){lines_owned(lines, statement), end};
}

static bool same_span(const struct toml_lines *a, struct span at, const struct toml_lines *b,
                      struct span other)
{
    size_t size = (size_t)(at.end - at.start);
    return other.end - other.start == size &&
           memcmp(a->text + at.start, b->text + other.start, size) == 0;
}

/* How many statements of `few` are among those of `many`, in the same order and with the same
 * comments; the first and last ones are compared with each other first. */
static size_t count_same(const struct toml_lines *few, const struct toml_lines *many)
{
    size_t first = 0, end = few->count, last = many->count;
    while (first < end && first < last &&
           same_span(few, owned_span(few, first), many, owned_span(many, first)))
        first++;
    while (end > first && last > first &&
           same_span(few, owned_span(few, end - 1), many, owned_span(many, last - 1))) {
        end--;
        last--;
    }
    size_t same = first + few->count - end;
    for (size_t i = first, next = first; i < end; i++) {
        size_t at = next;
        while (at < last && !same_span(few, owned_span(few, i), many, owned_span(many, at)))
            at++;
        same += at < last;
        next = at < last ? at + 1 : next;
    }
    return same;
}

static void check_owners(const struct toml_text *few, const struct toml_text *many, size_t but)
{
    struct toml_lines lines, others;
    lines_begin(&lines, &few->parsed);
    lines_begin(&others, &many->parsed);
    if (count_same(&lines, &others) + but < lines.count)
        CHECK_TEXT(few->text, many->text);
}

/* ---- the properties ---- */

/* A value that is set to its own spelling changes no byte. */
static void check_same(const struct toml_text *text)
{
    for (const struct untorn_node *node = text->parsed.root; node; node = toml_next_node(node)) {
        if (!node->raw)
            continue;
        struct change change = {.kind = CHANGE_REPLACE, .node = node, .value = node};
        struct plan plan;
        size_t size;
        CHECK_INT(plan_toml(&text->parsed, &change, &plan), 0);
        char *same = plan_apply(&plan, text->text, text->size, &size);
        CHECK_BYTES(same, size, text->text, text->size);
        free(same);
        plan_free(&plan);
    }
}

/* A value that is replaced changes its own spelling only. */
static void check_span(const struct toml_text *text)
{
    struct parsed value = json_value("12345");
    size_t number = 0;
    for (const struct untorn_node *node = text->parsed.root; node; node = toml_next_node(node)) {
        size_t at = number++;
        if (!node->raw)
            continue;
        struct toml_text changed = toml_text_copy(text);
        struct change change = {
            .kind = CHANGE_REPLACE, .node = toml_nth_node(&changed, at), .value = value.root};
        struct span span = parsed_span(&text->parsed, node);
        size_t behind = text->size - (size_t)span.end;
        toml_text_change(&changed, &change);
        CHECK_INT(changed.size, text->size - node->raw_size + 5);
        CHECK_BYTES(changed.text, span.start, text->text, span.start);
        CHECK_BYTES(changed.text + span.start, 5, "12345", 5);
        CHECK_BYTES(changed.text + span.start + 5, behind, text->text + span.end, behind);
        toml_text_free(&changed);
    }
    parsed_free(&value);
}

static void check_back(const struct toml_text *before, struct toml_text *changed,
                       const struct change *back, bool exactly)
{
    toml_text_change(changed, back);
    if (exactly)
        CHECK_BYTES(changed->text, changed->size, before->text, before->size);
}

/* What is added only adds bytes, and is removed without a trace. A table that was only named by
 * longer headers keeps the header that it got. */
static void check_adding(const struct toml_text *text)
{
    for (size_t i = 0; i < VALUES; i += values_step) {
        struct parsed value = json_value(values[i]);
        size_t number = 0;
        for (const struct untorn_node *node = text->parsed.root; node;
             node = toml_next_node(node), number++) {
            if (node->kind != UNTORN_OBJECT)
                continue;
            struct toml_text changed = toml_text_copy(text);
            struct change change = {.kind = CHANGE_ADD,
                                    .node = toml_nth_node(&changed, number),
                                    .key = "new key",
                                    .key_size = 7,
                                    .value = value.root};
            toml_text_change(&changed, &change);
            CHECK(changed.inserted);
            CHECK(changed.splices == 1 || node->origin == NODE_INLINE);
            check_comments(text, &changed, false);
            check_owners(text, &changed, node->origin == NODE_INLINE);
            struct untorn_node *table = toml_nth_node(&changed, 0);
            struct change back = {.kind = CHANGE_REMOVE};
            for (; table; table = toml_next_node(table))
                if (table->key && strcmp(table->key, "new key") == 0)
                    back.node = table;
            check_back(text, &changed, &back, node->origin != NODE_IMPLIED);
            toml_text_free(&changed);
        }
        parsed_free(&value);
    }
}

static void check_inserting(const struct toml_text *text)
{
    for (size_t i = 0; i < VALUES; i += values_step) {
        struct parsed value = json_value(values[i]);
        size_t number = 0;
        for (const struct untorn_node *node = text->parsed.root; node;
             node = toml_next_node(node), number++) {
            for (size_t index = 0; node->kind == UNTORN_ARRAY && index <= node->count; index++) {
                struct toml_text changed = toml_text_copy(text);
                struct change change = {.kind = CHANGE_INSERT,
                                        .node = toml_nth_node(&changed, number),
                                        .index = index,
                                        .value = value.root};
                bool tables = node->origin == NODE_TABLES;
                bool converts = tables && value.root->kind != UNTORN_OBJECT;
                toml_text_change(&changed, &change);
                CHECK(changed.inserted || converts);
                check_comments(text, &changed, converts);
                if (!converts)
                    check_owners(text, &changed, !tables);
                if (!converts) {
                    struct change back = {.kind = CHANGE_REMOVE,
                                          .node =
                                              node_element(toml_nth_node(&changed, number), index)};
                    check_back(text, &changed, &back, true);
                }
                toml_text_free(&changed);
            }
        }
        parsed_free(&value);
    }
}

/* Whatever is removed, replaced or renamed: only that. */
static void check_others(const struct toml_text *text)
{
    size_t number = 0;
    for (const struct untorn_node *node = text->parsed.root; node;
         node = toml_next_node(node), number++) {
        struct toml_text changed = toml_text_copy(text);
        struct change change = {.kind = CHANGE_REMOVE, .node = toml_nth_node(&changed, number)};
        if (node->parent)
            toml_text_change(&changed, &change);
        check_comments(text, &changed, true);
        check_owners(&changed, text, 2); /* a table that stays may need a line or two instead */
        toml_text_free(&changed);
        for (size_t i = 0; i < VALUES; i += values_step) {
            struct parsed value = json_value(values[i]);
            changed = toml_text_copy(text);
            change = (struct change){.kind = CHANGE_REPLACE,
                                     .node = toml_nth_node(&changed, number),
                                     .value = value.root};
            if (node->parent || value.root->kind == UNTORN_OBJECT)
                toml_text_change(&changed, &change);
            check_comments(text, &changed, true);
            toml_text_free(&changed);
            parsed_free(&value);
        }
        if (!node->key)
            continue;
        changed = toml_text_copy(text);
        change = (struct change){.kind = CHANGE_RENAME,
                                 .node = toml_nth_node(&changed, number),
                                 .key = "new name",
                                 .key_size = 8};
        toml_text_change(&changed, &change);
        check_comments(text, &changed, false);
        toml_text_free(&changed);
    }
}

/* ---- a long row of changes ---- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static struct untorn_node *any_node(const struct toml_text *text, uint32_t *random)
{
    size_t count = 0;
    for (const struct untorn_node *node = text->parsed.root; node; node = toml_next_node(node))
        count++;
    return toml_nth_node(text, next_random(random) % count);
}

/* Some change of some node, or none. */
static bool choose_change(const struct toml_text *text, const struct untorn_node *value,
                          char key[8], uint32_t *random, struct change *ret_change)
{
    struct untorn_node *node = any_node(text, random);
    struct change change = {.kind = (enum change_kind)(next_random(random) % 5),
                            .node = node,
                            .key = key,
                            .key_size = 2,
                            .value = value};
    snprintf(key, 8, "%c%c", "abcd "[next_random(random) % 5], "xyz"[next_random(random) % 3]);
    *ret_change = change;
    bool taken = node->parent && node_member(node->parent, key, 2);
    if (change.kind == CHANGE_INSERT && node->kind == UNTORN_ARRAY)
        ret_change->index = next_random(random) % (node->count + 1);
    return (change.kind == CHANGE_REPLACE && node->parent) ||
           (change.kind == CHANGE_ADD && node->kind == UNTORN_OBJECT &&
            !node_member(node, key, 2)) ||
           (change.kind == CHANGE_INSERT && node->kind == UNTORN_ARRAY) ||
           (change.kind == CHANGE_REMOVE && node->parent) ||
           (change.kind == CHANGE_RENAME && node->key && !taken);
}

static void check_row(const struct toml_text *text)
{
    uint32_t random = (uint32_t)text->size;
    struct toml_text changed = toml_text_copy(text);
    for (int i = 0; i < 60 && changed.size < 4000; i++) {
        struct parsed value = json_value(values[next_random(&random) % VALUES]);
        struct change change;
        char key[8];
        if (choose_change(&changed, value.root, key, &random, &change))
            toml_text_change(&changed, &change);
        parsed_free(&value);
    }
    toml_text_free(&changed);
}

TEST(a_value_set_to_its_own_spelling_changes_nothing)
{
    check_own(check_same);
}

TEST(a_new_value_changes_its_spelling_only)
{
    check_own(check_span);
}

TEST(what_is_added_only_adds_and_is_removed_without_a_trace)
{
    check_own(check_adding);
}

TEST(what_is_inserted_only_adds_and_is_removed_without_a_trace)
{
    check_own(check_inserting);
}

TEST(whatever_is_removed_replaced_or_renamed_the_data_is_right)
{
    check_own(check_others);
}

TEST(changes_one_after_the_other_stay_right)
{
    check_own(check_row);
}

TEST(files_of_the_suite_in_a_long_row)
{
    check_suite(check_row);
}

TEST(files_of_the_suite_same_spelling)
{
    check_suite(check_same);
}

TEST(files_of_the_suite_new_values)
{
    check_suite(check_span);
}

TEST(files_of_the_suite_adding)
{
    check_suite(check_adding);
}

TEST(files_of_the_suite_inserting)
{
    check_suite(check_inserting);
}

TEST(files_of_the_suite_removing_replacing_and_renaming)
{
    check_suite(check_others);
}
