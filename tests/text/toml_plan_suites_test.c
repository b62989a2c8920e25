/* Edits that went wrong elsewhere, and the reference edits of another editor. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/suites.h"
#include "text/toml_changes.h"

/* ---- reading cases ---- */

struct cases {
    char *text;
    struct parsed parsed;
};

static struct cases read_cases(const char *file)
{
    struct cases cases;
    struct flaw flaw;
    size_t size;
    cases.text = suite_read(file, &size);
    if (!cases.text)
        suite_missing(file);
    CHECK_INT(parse_json(cases.text, size, UNTORN_JSON, &cases.parsed, &flaw), 0);
    return cases;
}

static void free_cases(struct cases *cases)
{
    parsed_free(&cases->parsed);
    free(cases->text);
}

static const struct untorn_node *member(const struct untorn_node *object, const char *key)
{
    return node_member(object, key, strlen(key));
}

static const char *text_of(const struct untorn_node *object, const char *key)
{
    const struct untorn_node *found = member(object, key);
    return found ? found->text : "";
}

/* ---- doing what they say ---- */

enum { STEPS = 16 };

static size_t read_path(const struct untorn_node *path, const char **steps)
{
    size_t count = 0;
    for (const struct untorn_node *step = path->first; step; step = step->next) {
        CHECK(count < STEPS);
        steps[count++] = step->text;
    }
    return count;
}

static struct untorn_node *find(const struct toml_text *text, const char *const *steps,
                                size_t count)
{
    struct untorn_node *node = text->parsed.root;
    for (size_t i = 0; i < count && node; i++)
        node = node->kind == UNTORN_ARRAY ? node_element(node, strtoul(steps[i], NULL, 10))
                                          : node_member(node, steps[i], strlen(steps[i]));
    return node;
}

/* As [[path]]: the array is made if it is not there. */
static void append_table(struct toml_text *text, const char *const *steps, size_t count,
                         const struct untorn_node *value)
{
    struct untorn_node *array = find(text, steps, count);
    struct change change = {.kind = CHANGE_INSERT, .node = array, .value = value};
    if (array) {
        change.index = array->count;
        toml_text_change(text, &change);
        return;
    }
    struct arena arena = {0};
    struct untorn_node *whole = node_add(&arena, NULL, NULL, 0, UNTORN_ARRAY);
    CHECK(whole && node_put_element(whole, 0, node_copy(&arena, value)));
    toml_text_set(text, steps, count, whole);
    arena_free(&arena);
}

static void do_operation(struct toml_text *text, const struct untorn_node *operation)
{
    static const struct untorn_node empty = {.kind = UNTORN_OBJECT};
    const char *steps[STEPS], *name = text_of(operation, "op");
    size_t count = read_path(member(operation, "path"), steps);
    const struct untorn_node *value = member(operation, "value"), *index;
    struct change change = {.kind = CHANGE_REMOVE, .node = find(text, steps, count)};
    if (strncmp(name, "set", 3) == 0) {
        toml_text_set(text, steps, count, value);
    } else if (strcmp(name, "create_table") == 0) {
        toml_text_set(text, steps, count, &empty);
    } else if (strcmp(name, "append_table") == 0) {
        append_table(text, steps, count, value);
    } else if (strcmp(name, "remove") == 0) {
        toml_text_change(text, &change);
    } else {
        CHECK(strcmp(name, "insert") == 0 || strcmp(name, "append") == 0);
        index = member(operation, "index");
        change.kind = CHANGE_INSERT;
        change.value = value;
        change.index = index ? strtoul(index->text, NULL, 10) : change.node->count;
        toml_text_change(text, &change);
    }
}

static struct toml_text do_case(const struct untorn_node *one)
{
    const struct untorn_node *input = member(one, "input");
    struct toml_text text = toml_text_of(input->text, input->size);
    for (const struct untorn_node *operation = member(one, "ops")->first; operation;
         operation = operation->next)
        do_operation(&text, operation);
    return text;
}

/* ---- what went wrong elsewhere ---- */

static void check_probe(const struct untorn_node *probe)
{
    struct toml_text text = do_case(probe);
    const struct untorn_node *data = member(probe, "expect_data");
    if (data->kind != UNTORN_NULL && !node_alike(data, text.parsed.root))
        CHECK_TEXT(text_of(probe, "id"), "the data that is expected");
    for (const struct untorn_node *part = member(probe, "must_contain")->first; part;
         part = part->next)
        if (!strstr(text.text, part->text))
            CHECK_TEXT(text.text, part->text);
    for (const struct untorn_node *part = member(probe, "must_not_contain")->first; part;
         part = part->next)
        if (strstr(text.text, part->text))
            CHECK_TEXT(text_of(probe, "id"), "a text without what must not be there");
    toml_text_free(&text);
}

TEST(what_went_wrong_elsewhere_does_not_here)
{
    struct cases cases = read_cases("bug-probes/probes.json");
    int count = 0;
    for (const struct untorn_node *one = cases.parsed.root->first; one; one = one->next) {
        if (strcmp(text_of(one, "format"), "toml") != 0)
            continue;
        fprintf(stderr, "%s\n", text_of(one, "id"));
        check_probe(one);
        count++;
    }
    CHECK_INT(count, 25);
    free_cases(&cases);
}

/* ---- the reference edits ---- */

/* Where the outcome is not the reference's, and why. `part` is what must be there instead. */
struct difference {
    const char *test, *reason, *part;
};

static const struct difference differences[] = {
    {"test_insert_leaf_table", "a new table is indented as its sibling is",
     "\n\n        [servers.beta]\n        ip = \"10.0.0.2\"\n        dc = \"eqdc10\"\n\n"},
    {"test_inserted_leaf_table_goes_after_last_sibling",
     "as its sibling, and no blank line where the tables have none",
     "[dependencies.opencl]\n        [dependencies.newthing]\n        [dev-dependencies]"},
    {"test_insert_nonleaf_table", "a new table is indented as the one before",
     "[other.table]\n\n        [servers]\n\n        [servers.alpha]\n        ip = "},
    {"test_insert_array", "a new table is indented as the one before",
     "\n\n        [[bin]]\n        hello = \"world\"\n\n        [[bin]]"},
    {"test_insert_values", "a new header is indented as the one behind",
     "\n        [tbl]\n        key1 = \"value1\"\n        key2 = 42\n"},
    {"test_insert_key_with_quotes", "a new table is indented as the one before",
     "        [target.'cfg(target_os = \"linux\")'.dependencies]\n        name = \"dep\""},
    {"test_remove_nonleaf_table", "the blank line before the next table's comment stays",
     "\n\n        # comment 2\n        [b] # comment 2.1\n"},
    {"test_insert_into_inline_table", "what is there is not written anew",
     "{a=2,  c = 3,  b = 42}\n        b = { hello = \"world\" }"},
    {"inline_table_to_table_with_comment", "a table in braces stays in braces",
     "# hello i'm a comment\nfoo = { bar = 1, baz = 2 }\n"},
    {"inline_table_to_array_of_tables_with_comment", "an array in brackets stays in brackets",
     "# hello i'm a comment\nfoo = [{ bar = 1, baz = 2 }]\n"},
    {"array_of_tables_replace", "the comment above the header stays",
     "# tropical\n[[fruit]]\nname = \"cherry\"\n"},
    {"test_insert_dotted_into_std_table", "dots are written where others are",
     "[nixpkgs]\n\n[nixpkgs.src]\ngit = "},
};

static const struct difference *difference_of(const char *test)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (strcmp(differences[i].test, test) == 0)
            return &differences[i];
    return NULL;
}

/* But for the newline at the end, which is not added where there was none. */
static bool is_reference(const struct toml_text *text, const struct untorn_node *reference)
{
    size_t size = reference->size;
    if (size > 0 && text->size > 0 && text->text[text->size - 1] != '\n')
        size -= reference->text[size - 1] == '\n';
    return text->size == size && memcmp(text->text, reference->text, size) == 0;
}

TEST(edits_are_as_the_reference_or_differ_with_a_reason)
{
    struct cases cases = read_cases("toml_edit-edits/edit_cases.json");
    int count = 0;
    for (const struct untorn_node *one = cases.parsed.root->first; one; one = one->next, count++) {
        struct toml_text text = do_case(one);
        const struct difference *difference = difference_of(text_of(one, "test"));
        fprintf(stderr, "%s: %s\n%s---\n", text_of(one, "test"),
                difference ? difference->reason : "as the reference", text.text);
        if (!difference)
            CHECK(is_reference(&text, member(one, "toml_edit_output")));
        else
            CHECK(!is_reference(&text, member(one, "toml_edit_output")) &&
                  strstr(text.text, difference->part));
        toml_text_free(&text);
    }
    CHECK_INT(count, 21);
    free_cases(&cases);
}
