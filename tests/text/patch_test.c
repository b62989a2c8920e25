#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/parsed.h"
#include "text/patch.h"
#include "text/suites.h"

/* ---- a document without text: only its tree ---- */

static struct {
    struct parsed parsed;
    struct untorn_node *root;
    int changes;
    enum untorn_edit_kind last_kind; /* of the last change, and the last step of its path */
    enum step_kind last_step;
    bool copies; /* makes a new tree at each change, as a document does */
} document;

static struct untorn_error error;

static const struct untorn_node *root_of(void *context)
{
    (void)context;
    return document.root;
}

static int put(const struct keypath *path, enum untorn_edit_kind kind, struct untorn_node *value,
               struct found *found)
{
    const struct step *step = path->count ? &path->steps[path->count - 1] : NULL;
    if (!step) {
        CHECK(kind == UNTORN_SET);
        document.root = value;
        return 0;
    }
    if (kind == UNTORN_RENAME) {
        CHECK(found->node && !node_member(found->parent, value->text, value->size));
        return node_rename(&document.parsed.arena, found->node, value->text, value->size) ? 0 : -1;
    }
    if (kind == UNTORN_UNSET) {
        CHECK(found->node);
        node_remove(found->node);
    } else if (kind == UNTORN_SET && found->node) {
        node_replace(found->node, value);
    } else if (kind == UNTORN_SET) {
        CHECK_INT(found->matched, path->count - 1); /* one step is missing, no parent */
        CHECK(found->parent->kind == UNTORN_OBJECT);
        if (!node_put_member(&document.parsed.arena, found->parent, step->key, step->key_size,
                             value))
            return -1;
    } else {
        CHECK(kind == UNTORN_INSERT && found->parent->kind == UNTORN_ARRAY);
        CHECK(step->kind == STEP_APPEND || (step->kind == STEP_INDEX && found->node));
        size_t index = found->append ? found->parent->count : (size_t)step->index;
        CHECK(node_put_element(found->parent, index, value));
    }
    return 0;
}

/* The old tree is gone, as in a document that is scanned anew: whoever keeps a node of it reads
 * freed memory. */
static int renew(void)
{
    struct arena fresh = {0};
    struct untorn_node *copy = node_copy(&fresh, document.root);
    if (!copy) {
        arena_free(&fresh);
        return -1;
    }
    arena_free(&document.parsed.arena);
    document.parsed.arena = fresh;
    document.root = copy;
    return 0;
}

static int change(void *context, enum untorn_edit_kind kind, const struct keypath *path,
                  const struct untorn_node *value, struct untorn_error *reterr)
{
    struct found found;
    struct untorn_node *copy = NULL;
    (void)context;
    CHECK_INT(value != NULL, kind != UNTORN_UNSET);
    document.changes++;
    document.last_kind = kind;
    document.last_step = path->count ? path->steps[path->count - 1].kind : STEP_KEY;
    if (value && !(copy = node_copy(&document.parsed.arena, value)))
        return error_fail(reterr, UNTORN_NO_MEMORY, NULL);
    int rc = keypath_find(path, document.root, &found, reterr);
    if (rc < 0)
        return rc;
    if (put(path, kind, copy, &found) < 0 || (document.copies && renew() < 0))
        return error_fail(reterr, UNTORN_NO_MEMORY, NULL);
    return 0;
}

static const struct patch_target target = {root_of, change, NULL};

static void load(const char *json, size_t size)
{
    struct flaw flaw;
    bool copies = document.copies;
    parsed_free(&document.parsed);
    memset(&document, 0, sizeof document);
    document.copies = copies;
    CHECK_INT(parse_json(json, size, UNTORN_JSON, &document.parsed, &flaw), 0);
    document.root = document.parsed.root;
}

static void check_document(const char *json)
{
    struct parsed expected;
    struct flaw flaw;
    CHECK_INT(parse_json(json, strlen(json), UNTORN_JSON, &expected, &flaw), 0);
    if (!node_equal(document.root, expected.root))
        CHECK_TEXT("another document", json);
    parsed_free(&expected);
}

static int patch_text(const char *json, const char *patch)
{
    load(json, strlen(json));
    error_begin(&error, &error, NULL);
    return patch_json(patch, strlen(patch), &target, &error);
}

static int merge_text(const char *json, const char *patch)
{
    load(json, strlen(json));
    error_begin(&error, &error, NULL);
    return patch_merge(patch, strlen(patch), &target, &error);
}

static void check_patched(const char *json, const char *patch, const char *expected)
{
    int rc = patch_text(json, patch);
    if (rc != 0)
        CHECK_TEXT(error.detail, "");
    CHECK_INT(rc, 0);
    check_document(expected);
}

static void check_refused(const char *json, const char *patch, enum untorn_status status,
                          const char *sentence)
{
    CHECK_INT(patch_text(json, patch), -(int)status);
    CHECK_INT(error.status, status);
    CHECK_TEXT(error.detail, sentence);
}

static void check_merged(const char *json, const char *patch, const char *expected)
{
    for (int copies = 0; copies < 2; copies++) {
        document.copies = copies;
        int rc = merge_text(json, patch);
        if (rc != 0)
            CHECK_TEXT(error.detail, "");
        CHECK_INT(rc, 0);
        check_document(expected);
    }
}

/* ---- JSON Patch ---- */

TEST(add_puts_members_and_elements)
{
    check_patched("{}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]", "{\"a\":1}");
    check_patched("{\"a\":0}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":[1]}]", "{\"a\":[1]}");
    check_patched("[1,3]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]", "[1,2,3]");
    check_patched("[1]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]", "[1,2]");
    check_patched("[1]", "[{\"op\":\"add\",\"path\":\"/-\",\"value\":2}]", "[1,2]");
    check_patched("{\"-\":1}", "[{\"op\":\"add\",\"path\":\"/-\",\"value\":2}]", "{\"-\":2}");
    check_patched("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[]}]", "[]");
    check_patched("{}", "[{\"op\":\"add\",\"path\":\"/a\\u0000b\",\"value\":null}]",
                  "{\"a\\u0000b\":null}");
}

TEST(an_element_goes_in_by_insert_and_a_member_by_set)
{
    CHECK_INT(patch_text("[1]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":2}]"), 0);
    CHECK_INT(document.last_kind, UNTORN_INSERT);
    CHECK_INT(document.last_step, STEP_INDEX);
    CHECK_INT(patch_text("[1]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]"), 0);
    CHECK_INT(document.last_kind, UNTORN_INSERT);
    CHECK_INT(document.last_step, STEP_APPEND);
    CHECK_INT(patch_text("{}", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":2}]"), 0);
    CHECK_INT(document.last_kind, UNTORN_SET);
    CHECK_INT(patch_text("[1]", "[{\"op\":\"replace\",\"path\":\"/0\",\"value\":2}]"), 0);
    CHECK_INT(document.last_kind, UNTORN_SET);
}

TEST(remove_and_replace_change_what_is_there)
{
    check_patched("{\"a\":[1,2]}", "[{\"op\":\"remove\",\"path\":\"/a/0\"}]", "{\"a\":[2]}");
    check_patched("{\"a\":1,\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", "{\"b\":2}");
    check_patched("[1,2]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":{}}]", "[1,{}]");
    check_patched("1", "[{\"op\":\"replace\",\"path\":\"\",\"value\":\"x\"}]", "\"x\"");
}

TEST(move_and_copy_take_the_value_before_they_change_anything)
{
    check_patched("[1,2,3]", "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/2\"}]", "[2,3,1]");
    check_patched("[1,2,3]", "[{\"op\":\"move\",\"from\":\"/2\",\"path\":\"/0\"}]", "[3,1,2]");
    check_patched("{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/a\"}]",
                  "{\"a\":1}");
    check_patched("{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"\"}]", "1");
    check_patched("{\"a\":{\"b\":1}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/c\"}]",
                  "{\"a\":{\"b\":1,\"c\":{\"b\":1}}}");
    check_patched("{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a/0\"}]",
                  "{\"a\":[{\"a\":[1]},1]}");
    check_patched("{\"ab\":1,\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/ab\",\"path\":\"/a/b\"}]",
                  "{\"a\":{\"b\":1}}");
}

TEST(a_move_in_the_same_object_to_a_free_name_is_a_renaming)
{
    check_patched("{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/c\"}]",
                  "{\"c\":1,\"b\":2}");
    CHECK(document.changes == 1 && document.last_kind == UNTORN_RENAME);
    check_patched("{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]",
                  "{\"b\":1}");
    CHECK(document.changes == 2);
    check_patched("[1,2]", "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/1\"}]", "[2,1]");
    CHECK(document.changes == 2);
}

TEST(a_move_to_where_it_is_changes_nothing)
{
    CHECK_INT(patch_text("{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]"), 0);
    CHECK_INT(document.changes, 0);
    CHECK_INT(patch_text("{\"a\":1}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"\"}]"), 0);
    CHECK_INT(document.changes, 0);
}

TEST(an_operation_sees_what_the_one_before_it_did)
{
    document.copies = true;
    check_patched("{}",
                  "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}},"
                  "{\"op\":\"add\",\"path\":\"/a/b\",\"value\":[]},"
                  "{\"op\":\"add\",\"path\":\"/a/b/-\",\"value\":{\"c\":1}},"
                  "{\"op\":\"copy\",\"from\":\"/a/b/0\",\"path\":\"/d\"},"
                  "{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/e\"},"
                  "{\"op\":\"test\",\"path\":\"/e/b/0\",\"value\":{\"c\":1}},"
                  "{\"op\":\"remove\",\"path\":\"/e/b\"}]",
                  "{\"d\":{\"c\":1},\"e\":{}}");
    CHECK_INT(document.changes, 6); /* the move is one */
}

TEST(a_value_brings_the_spelling_of_its_scalars_but_not_its_layout)
{
    CHECK_INT(patch_text("{}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{ \"b\" : 1.50 }}]"), 0);
    CHECK(!document.root->first->raw);
    CHECK_BYTES(document.root->first->first->raw, document.root->first->first->raw_size, "1.50", 4);
}

TEST(a_test_compares_values_not_spellings)
{
    check_patched("{\"a\":[1.0,\"\\u0061\"],\"b\":{\"x\":1,\"y\":2}}",
                  "[{\"op\":\"test\",\"path\":\"/a\",\"value\":[1,\"a\"]},"
                  "{\"op\":\"test\",\"path\":\"/b\",\"value\":{\"y\":2,\"x\":1.0}}]",
                  "{\"a\":[1.0,\"a\"],\"b\":{\"x\":1,\"y\":2}}");
    CHECK_INT(document.changes, 0);
}

/* ---- JSON Patch: what is refused, with its sentence ---- */

TEST(a_failed_test_has_a_status_of_its_own)
{
    check_refused("{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":\"1\"}]",
                  UNTORN_TEST_FAILED, "operation 0, test '/a': the value is another one");
    check_refused("{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]", UNTORN_TEST_FAILED,
                  "operation 0, test '/a': step 1, \"a\": there is no such key");
    check_refused("[]", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]", UNTORN_TEST_FAILED,
                  "operation 0, test '/a': step 1, \"a\": this is an array, it has no keys: type "
                  "its number for an element, or \"-\" for behind the last");
    check_refused("{\"a\":1,\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]",
                  UNTORN_AMBIGUOUS,
                  "operation 0, test '/a': step 1, \"a\": this key is there more than once in the "
                  "same object: remove all but one");
}

TEST(what_is_not_json_is_no_patch)
{
    CHECK_INT(patch_text("{}", "[\n{\"op\" 1}]"), -UNTORN_INVALID);
    CHECK(strstr(error.detail, "the patch is no JSON, line 2, column "));
    CHECK_INT(patch_text("{}", "["), -UNTORN_INVALID);
    CHECK_INT(patch_text("{}", ""), -UNTORN_INVALID);
    CHECK_INT(merge_text("{}", "{\"a\":}"), -UNTORN_INVALID);
    CHECK(strstr(error.detail, "the patch is no JSON, line 1, column 6"));
    CHECK_INT(patch_text("{}", "[] // comments are not JSON"), -UNTORN_INVALID);
}

TEST(a_json_patch_is_an_array_of_objects)
{
    check_refused("{}", "1", UNTORN_INVALID, "a JSON Patch is an array of operations");
    check_refused("{}", "{\"a\":1}", UNTORN_INVALID,
                  "a JSON Patch is an array of operations; this may be a merge patch");
    check_refused("{}", "[[]]", UNTORN_INVALID,
                  "operation 0: it must be an object: {\"op\": ..., \"path\": ...}");
}

TEST(what_an_operation_lacks_is_named_with_its_number)
{
    static const char good[] = "{\"op\":\"add\",\"path\":\"/x\",\"value\":1}";
    static const struct {
        const char *operation, *sentence;
    } cases[] = {
        {"{}", "operation 1: \"op\" is missing"},
        {"{\"op\":1}", "operation 1: \"op\" must be a string"},
        {"{\"op\":\"spam\"}",
         "operation 1: \"op\" is \"spam\", but must be add, remove, replace, move, copy or test"},
        {"{\"op\":\"add\\u0000\"}",
         "operation 1: \"op\" is \"add?\", but must be add, remove, replace, move, copy or test"},
        {"{\"op\":\"add\",\"op\":\"add\"}", "operation 1: \"op\" is there more than once"},
        {"{\"op\":\"add\",\"value\":1}", "operation 1, add: \"path\" is missing"},
        {"{\"op\":\"add\",\"path\":null}", "operation 1, add: \"path\" must be a string"},
        {"{\"op\":\"add\",\"path\":\"\",\"path\":\"\"}",
         "operation 1, add: \"path\" is there more than once"},
        {"{\"op\":\"add\",\"path\":\"/a\"}", "operation 1, add '/a': \"value\" is missing"},
        {"{\"op\":\"replace\",\"path\":\"/x\"}", "operation 1, replace '/x': \"value\" is missing"},
        {"{\"op\":\"test\",\"path\":\"/x\"}", "operation 1, test '/x': \"value\" is missing"},
        {"{\"op\":\"add\",\"path\":\"/a\",\"value\":1,\"value\":1}",
         "operation 1, add '/a': \"value\" is there more than once"},
        {"{\"op\":\"move\",\"path\":\"/a\"}", "operation 1, move '/a': \"from\" is missing"},
        {"{\"op\":\"copy\",\"path\":\"/a\",\"from\":[]}",
         "operation 1, copy '/a': \"from\" must be a string"},
        {"{\"op\":\"add\",\"path\":\"a\",\"value\":1}",
         "operation 1, add 'a': the key 'a', character 1: a JSON Pointer begins with /, or is "
         "empty for the whole document"},
        {"{\"op\":\"remove\",\"path\":\"/~2\"}",
         "operation 1, remove '/~2': the key '/~2', character 3: in a JSON Pointer ~ is written "
         "~0, and / inside a key ~1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char patch[300];
        snprintf(patch, sizeof patch, "[%s,%s]", good, cases[i].operation);
        check_refused("{}", patch, UNTORN_INVALID, cases[i].sentence);
        CHECK_INT(document.changes, 1);
    }
}

TEST(other_members_of_an_operation_mean_nothing)
{
    check_patched("{}", "[{\"x\":1,\"op\":\"add\",\"path\":\"/a\",\"value\":1,\"x\":2,\"from\":3}]",
                  "{\"a\":1}");
}

TEST(a_path_that_is_not_there_is_refused)
{
    check_refused("{\"a\":{}}", "[{\"op\":\"remove\",\"path\":\"/a/b\"}]", UNTORN_NO_KEY,
                  "operation 0, remove '/a/b': step 2, \"b\": there is no such key");
    check_refused("{}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":1}]", UNTORN_NO_KEY,
                  "operation 0, replace '/a': step 1, \"a\": there is no such key");
    check_refused("{}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", UNTORN_NO_KEY,
                  "operation 0, add '/a/b': step 1, \"a\": there is no such key");
    check_refused("{}", "[{\"op\":\"add\",\"path\":\"/a/b/c/d\",\"value\":1}]", UNTORN_NO_KEY,
                  "operation 0, add '/a/b/c/d': step 1, \"a\": there is no such key");
    check_refused("{}", "[{\"op\":\"copy\",\"path\":\"/a\",\"from\":\"/b\"}]", UNTORN_NO_KEY,
                  "operation 0, copy '/a': \"from\": step 1, \"b\": there is no such key");
    check_refused("{}", "[{\"op\":\"move\",\"path\":\"/a\",\"from\":\"/a\"}]", UNTORN_NO_KEY,
                  "operation 0, move '/a': \"from\": step 1, \"a\": there is no such key");
    check_refused("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", UNTORN_NO_KEY,
                  "operation 0, add '/a/b': what it is to be added to is neither an object nor an "
                  "array");
    CHECK_INT(document.changes, 0);
}

TEST(elements_are_named_exactly)
{
    check_refused("[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":1}]", UNTORN_NO_KEY,
                  "operation 0, add '/2': step 1, \"2\": the array has 1 element, counted from 0; "
                  "\"-\" is behind the last");
    check_refused("[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":1}]", UNTORN_TYPE,
                  "operation 0, add '/01': step 1, \"01\": this is an array, and its elements have "
                  "no leading zeros");
    check_refused("[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]", UNTORN_NO_KEY,
                  "operation 0, remove '/-': \"-\" is behind the last element, where only add puts "
                  "something");
    CHECK_INT(patch_text("[1]", "[{\"op\":\"replace\",\"path\":\"/-\",\"value\":1}]"),
              -UNTORN_NO_KEY);
    CHECK_INT(patch_text("[1]", "[{\"op\":\"test\",\"path\":\"/-\",\"value\":1}]"),
              -UNTORN_TEST_FAILED);
    CHECK_INT(patch_text("[1]", "[{\"op\":\"add\",\"path\":\"/-1\",\"value\":1}]"), -UNTORN_TYPE);
    CHECK_INT(patch_text("[[1]]", "[{\"op\":\"add\",\"path\":\"/-/0\",\"value\":1}]"),
              -UNTORN_NO_KEY);
}

TEST(a_value_is_not_moved_into_itself_and_the_root_not_removed)
{
    check_refused("{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]",
                  UNTORN_INVALID, "operation 0, move '/a/b': a value cannot be moved into itself");
    check_refused("{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/b\"}]", UNTORN_INVALID,
                  "operation 0, move '/b': a value cannot be moved into itself");
    check_refused("{\"a\":{}}", "[{\"op\":\"remove\",\"path\":\"\"}]", UNTORN_INVALID,
                  "operation 0, remove '': the whole document cannot be removed");
}

TEST(a_repeated_key_is_ambiguous_for_a_patch)
{
    CHECK_INT(patch_text("{\"a\":1,\"a\":2}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]"),
              -UNTORN_AMBIGUOUS);
    CHECK_TEXT(error.detail, "operation 0, add '/a': step 1, \"a\": this key is there more than "
                             "once in the same object: remove all but one");
    CHECK_INT(merge_text("{\"a\":1,\"a\":2}", "{\"a\":3}"), -UNTORN_AMBIGUOUS);
    CHECK_TEXT(
        error.detail,
        "the member '/a': it is there more than once in the same object: remove all but one");
    CHECK_INT(merge_text("{\"a\":1,\"a\":2,\"b\":1}", "{\"b\":3}"), 0);
}

TEST(long_paths_are_cut_in_messages)
{
    static char patch[9000];
    char *at = patch + snprintf(patch, sizeof patch, "[{\"op\":\"remove\",\"path\":\"/");
    memset(at, 'k', 8000);
    memcpy(at + 8000, "\"}]", 4);
    CHECK_INT(patch_text("{}", patch), -UNTORN_NO_KEY);
    CHECK(strstr(error.detail, "operation 0, remove '/kkk"));
    CHECK(strstr(error.detail, "there is no such key"));
}

static int refuse_change(void *context, enum untorn_edit_kind kind, const struct keypath *path,
                         const struct untorn_node *value, struct untorn_error *reterr)
{
    (void)context, (void)kind, (void)path, (void)value;
    error_detail(reterr, "no");
    return error_fail(reterr, UNTORN_TYPE, NULL);
}

TEST(what_the_document_refuses_is_said_with_the_operation)
{
    static const struct patch_target refusing = {root_of, refuse_change, NULL};
    static const char patch[] = "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]";
    static const char merge[] = "{\"a\":{\"b\":1}}";
    load("{\"a\":{}}", 8);
    CHECK_INT(patch_json(patch, strlen(patch), &refusing, &error), -UNTORN_TYPE);
    CHECK_TEXT(error.detail, "operation 0, add '/a': no");
    CHECK_INT(patch_merge(merge, strlen(merge), &refusing, &error), -UNTORN_TYPE);
    CHECK_TEXT(error.detail, "the member '/a/b': no");
}

/* ---- merge patch ---- */

TEST(a_merge_sets_members_and_null_removes_them)
{
    check_merged("{\"a\":1,\"b\":{\"c\":2,\"d\":3},\"e\":4}",
                 "{\"a\":9,\"b\":{\"c\":null,\"x\":[null]},\"new\":\"\"}",
                 "{\"a\":9,\"b\":{\"d\":3,\"x\":[null]},\"e\":4,\"new\":\"\"}");
    check_merged("{\"a\":{\"b\":{\"c\":1}},\"z\":1}",
                 "{\"a\":{\"b\":{\"c\":2,\"d\":3},\"e\":4},\"z\":2,\"y\":{\"x\":5}}",
                 "{\"a\":{\"b\":{\"c\":2,\"d\":3},\"e\":4},\"z\":2,\"y\":{\"x\":5}}");
    check_merged("{\"a\":[1,2]}", "{\"a\":{\"0\":3}}", "{\"a\":{\"0\":3}}");
    check_merged("{\"a.b\":1,\"a\":{\"b\":2}}", "{\"a.b\":3}", "{\"a.b\":3,\"a\":{\"b\":2}}");
}

TEST(what_is_new_comes_without_its_nulls_in_one_change)
{
    check_merged("{}",
                 "{\"a\":{\"b\":null,\"c\":{\"d\":null,\"e\":{}},\"f\":[{\"g\":null}],\"h\":1}}",
                 "{\"a\":{\"c\":{\"e\":{}},\"f\":[{\"g\":null}],\"h\":1}}");
    CHECK_INT(document.changes, 1);
    check_merged("{\"a\":1}", "{\"a\":{\"b\":{\"c\":null}}}", "{\"a\":{\"b\":{}}}");
    CHECK_INT(document.changes, 1);
    check_merged("[1]", "{\"a\":{\"b\":null},\"c\":1}", "{\"a\":{},\"c\":1}");
    check_merged("{}", "{\"a\":{\"b\":{\"c\":{}}},\"d\":{\"e\":1}}",
                 "{\"a\":{\"b\":{\"c\":{}}},\"d\":{\"e\":1}}");
}

TEST(a_merge_patch_that_is_no_object_replaces_everything)
{
    check_merged("{\"a\":1}", "[1,null]", "[1,null]");
    check_merged("{\"a\":1}", "null", "null");
    check_merged("1", "\"x\"", "\"x\"");
}

TEST(what_is_so_already_is_not_changed)
{
    check_merged("{\"a\":[1.50,{\"b\":\"\\u0061\"}],\"c\":{\"d\":1},\"e\":{\"f\":1}}",
                 "{\"a\":[1.5,{\"b\":\"a\"}],\"c\":{\"d\":1},\"x\":null,\"e\":{}}",
                 "{\"a\":[1.50,{\"b\":\"a\"}],\"c\":{\"d\":1},\"e\":{\"f\":1}}");
    CHECK_INT(document.changes, 0);
}

TEST(a_merge_patch_says_each_thing_once)
{
    CHECK_INT(merge_text("{}", "{\"a\":{\"b\":1,\"b\":2}}"), -UNTORN_INVALID);
    CHECK_TEXT(error.detail,
               "the member '/a/b': it is there more than once in the same object of the patch");
    CHECK_INT(document.changes, 0);
}

TEST(a_deep_merge_needs_no_deep_stack)
{
    enum { DEPTH = 500 };
    static char json[DEPTH * 8 + 8], patch[DEPTH * 8 + 8];
    size_t used = 0;
    for (int i = 0; i < DEPTH; i++)
        used += (size_t)snprintf(json + used, sizeof json - used, "{\"a\":");
    json[used++] = '1';
    memset(json + used, '}', DEPTH);
    memcpy(patch, json, sizeof patch);
    patch[strlen(patch) - DEPTH - 1] = '2';
    check_merged(json, patch, patch);
    check_merged("{}", patch, patch);
}

/* ---- memory ---- */

static void check_every_allocation(bool merge, const char *json, const char *patch)
{
    long before = heap.live;
    int failures = 0, rc;
    do {
        load(json, strlen(json));
        error_begin(&error, &error, NULL);
        heap_fail(failures + 1);
        rc = merge ? patch_merge(patch, strlen(patch), &target, &error)
                   : patch_json(patch, strlen(patch), &target, &error);
        bool failed = heap_failed();
        parsed_free(&document.parsed);
        CHECK_INT(heap.live, before);
        CHECK_INT(rc, failed ? -UNTORN_NO_MEMORY : 0);
        CHECK_INT(error.status, failed ? UNTORN_NO_MEMORY : UNTORN_OK);
        failures += failed;
    } while (rc != 0);
    CHECK(failures >= 5);
}

TEST(without_memory_a_patch_says_so_and_leaks_nothing)
{
    heap_needed();
    static char json[40000], patch[100000];
    size_t used = (size_t)snprintf(json, sizeof json, "{\"a\":[");
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(json + used, sizeof json - used, "{\"k%d\":\"%0100d\"},", i, i);
    memcpy(json + used - 1, "]}", 3);
    snprintf(patch, sizeof patch,
             "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
             "{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/c\"},"
             "{\"op\":\"add\",\"path\":\"/d\",\"value\":%s}]",
             json);
    check_every_allocation(false, json, patch);
    snprintf(patch, sizeof patch, "{\"n\":%s,\"a\":%s}", json, json);
    check_every_allocation(true, json, patch);
}

/* ---- the suites ---- */

static void read_suite(const char *name, struct parsed *parsed)
{
    static char *data; /* the tree points into it */
    size_t size;
    free(data);
    data = suite_read(name, &size);
    if (!data)
        suite_missing(name);
    struct flaw flaw;
    CHECK_INT(parse_json(data, size, UNTORN_JSON, parsed, &flaw), 0);
}

static const struct untorn_node *member_of(const struct untorn_node *node, const char *key)
{
    return node_member(node, key, strlen(key));
}

static void check_record(const struct untorn_node *record, const struct untorn_node *doc,
                         const struct untorn_node *patch, const struct untorn_node *expected,
                         bool merge)
{
    load(doc->raw, doc->raw_size);
    error_begin(&error, &error, NULL);
    int rc = merge ? patch_merge(patch->raw, patch->raw_size, &target, &error)
                   : patch_json(patch->raw, patch->raw_size, &target, &error);
    bool as_said =
        expected ? rc == 0 && node_alike(document.root, expected) : rc < 0 && error.detail[0];
    char said[1000];
    if (as_said)
        return;
    snprintf(said, sizeof said, "%.*s", (int)record->raw_size, record->raw);
    CHECK_TEXT(said, error.detail);
}

/* How many records were run: not those that are disabled, or say nothing to expect. */
static int run_patch_suite(const char *name, int *ret_errors)
{
    struct parsed suite;
    int count = 0;
    read_suite(name, &suite);
    for (const struct untorn_node *record = suite.root->first; record; record = record->next) {
        const struct untorn_node *expected = member_of(record, "expected");
        if (member_of(record, "disabled") || (!expected && !member_of(record, "error")))
            continue;
        check_record(record, member_of(record, "doc"), member_of(record, "patch"), expected, false);
        *ret_errors += !expected;
        count++;
    }
    parsed_free(&suite);
    return count;
}

TEST(all_records_of_json_patch_tests_come_out_as_they_say)
{
    for (int copies = 0; copies < 2; copies++) {
        int errors = 0;
        document.copies = copies;
        int count = run_patch_suite("json-patch-tests/tests.json", &errors);
        count += run_patch_suite("json-patch-tests/spec_tests.json", &errors);
        CHECK(count >= 108);
        CHECK(errors >= 34);
    }
}

TEST(the_appendix_of_rfc_7396_comes_out_as_it_says)
{
    struct parsed suite;
    int count = 0;
    read_suite("rfc7396-merge-patch/rfc7396-test-cases.json", &suite);
    for (const struct untorn_node *record = suite.root->first; record; record = record->next)
        for (const struct untorn_node *test = member_of(record, "cases")->first; test;
             test = test->next, count++)
            check_record(test, member_of(record, "given"), member_of(test, "patch"),
                         member_of(test, "result"), true);
    CHECK(count >= 15);
    parsed_free(&suite);
}
