/* The proof: a planner that errs changes nothing. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/editing.h"

static struct untorn_error error;

static const struct untorn_edit set_b = {
    .kind = UNTORN_SET, .key = "b", .value = "5", .value_size = 1};

/* What the planner under test puts in place of which bytes of {"a": 1, "b": 2}. */
static struct splice lie;

static int plan_lie(const struct parsed *parsed, const struct change *change, struct plan *ret_plan)
{
    (void)parsed, (void)change;
    return plan_add(ret_plan, lie.at, lie.text, lie.size) ? 0 : -UNTORN_NO_MEMORY;
}

static int plan_nothing(const struct parsed *parsed, const struct change *change,
                        struct plan *ret_plan)
{
    (void)parsed, (void)change, (void)ret_plan;
    return 0;
}

static int plan_null(const struct parsed *parsed, const struct change *change,
                     struct plan *ret_plan)
{
    (void)parsed, (void)change, (void)ret_plan;
    return -UNTORN_TYPE;
}

static const char text[] = "{\"a\": 1, \"b\": 2}";
static char *result;

static int edit_by(planner *plan)
{
    size_t size;
    free(result);
    error_begin(&error, NULL, NULL);
    return document_edit_planned(text, sizeof text - 1, UNTORN_JSON, plan, &set_b, 1, &result,
                                 &size, &error);
}

static int edit_with(size_t start, size_t end, const char *by)
{
    lie = (struct splice){{start, end}, by, strlen(by)};
    return edit_by(plan_lie);
}

/* The control of the controls: the same way with the right splice is accepted. */
TEST(a_planner_that_is_right_is_believed)
{
    CHECK_INT(edit_with(14, 15, "5"), 0);
    CHECK_TEXT(result, "{\"a\": 1, \"b\": 5}");
    CHECK_INT(edit_with(14, 15, " 5 "), 0);
    CHECK_TEXT(result, "{\"a\": 1, \"b\":  5 }");
}

/* [DOCUMENT-1] */
TEST(a_text_that_would_not_parse_is_never_given_out)
{
    CHECK_INT(edit_with(14, 15, ""), -UNTORN_MISPLANNED);
    CHECK(!result);
    CHECK(strstr(error.detail, "would not parse, line 1, column 15"));
    CHECK_INT(edit_with(14, 16, "5"), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(0, 1, ""), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(14, 15, "\xff"), -UNTORN_MISPLANNED);
}

/* [DOCUMENT-2] */
TEST(a_text_with_other_data_is_never_given_out)
{
    CHECK_INT(edit_with(14, 15, "6"), -UNTORN_MISPLANNED);
    CHECK(!result);
    CHECK(strstr(error.detail, "other data"));
    CHECK_INT(edit_with(14, 15, "5.0"), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(14, 15, "\"5\""), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(6, 7, "5"), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(7, 15, ", \"b\": 5, \"c\": 1"), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(1, 15, "\"b\": 5"), -UNTORN_MISPLANNED);
    CHECK_INT(edit_with(14, 15, "5, \"b\": 5"), -UNTORN_MISPLANNED);
}

TEST(a_plan_without_a_splice_is_no_edit)
{
    CHECK_INT(edit_by(plan_nothing), -UNTORN_MISPLANNED);
    CHECK(!result);
}

TEST(what_a_planner_refuses_is_refused)
{
    CHECK_INT(edit_by(plan_null), -UNTORN_TYPE);
    CHECK_INT(error.status, UNTORN_TYPE);
    CHECK(error.detail[0]);
}

static const struct untorn_node *member(const struct editing *editing, const char *key)
{
    return node_member(editing->parsed.root, key, strlen(key));
}

TEST(changes_follow_one_another_on_the_text_as_it_is_then)
{
    struct editing editing;
    struct arena arena = {0};
    struct untorn_node *value = node_add(&arena, NULL, NULL, 0, UNTORN_BOOLEAN);
    char *taken;
    size_t size;
    value->text = "true";
    value->size = 4;
    error_begin(&error, NULL, NULL);
    CHECK_INT(editing_begin(&editing, text, sizeof text - 1, UNTORN_JSON, NULL, &error), 0);
    struct change change = {.kind = CHANGE_REPLACE, .node = member(&editing, "a"), .value = value};
    CHECK_INT(editing_change(&editing, &change, &error), 0);
    change = (struct change){.kind = CHANGE_REMOVE, .node = member(&editing, "b")};
    CHECK_INT(editing_change(&editing, &change, &error), 0);
    change = (struct change){
        .kind = CHANGE_RENAME, .node = member(&editing, "a"), .key = "c", .key_size = 1};
    CHECK_INT(editing_change(&editing, &change, &error), 0);
    CHECK_INT(editing_take(&editing, &taken, &size, &error), 0);
    CHECK_BYTES(taken, size, "{\"c\": true}", 11);
    free(taken);
    editing_free(&editing);
    editing_free(&editing);
    arena_free(&arena);
}

/* A scalar in no tree. */
static struct untorn_node *scalar(struct arena *arena, enum untorn_kind kind, const char *spelled)
{
    struct untorn_node *value = node_add(arena, NULL, NULL, 0, kind);
    value->text = spelled;
    value->size = strlen(spelled);
    return value;
}

static int set(struct editing *editing, const char *key, struct untorn_node *value)
{
    struct change change = {.kind = CHANGE_REPLACE, .node = member(editing, key), .value = value};
    return editing_change(editing, &change, &error);
}

static void check_taken(struct editing *editing, const char *expected)
{
    char *taken;
    size_t size;
    CHECK_INT(editing_take(editing, &taken, &size, &error), 0);
    CHECK_BYTES(taken, size, expected, strlen(expected));
    free(taken);
    editing_free(editing);
}

TEST(scalars_are_in_the_tree_at_once_and_in_the_text_together)
{
    struct editing editing;
    struct arena arena = {0};
    error_begin(&error, NULL, NULL);
    CHECK_INT(editing_begin(&editing, text, sizeof text - 1, UNTORN_JSON, NULL, &error), 0);
    CHECK_INT(set(&editing, "b", scalar(&arena, UNTORN_STRING, "x\ny")), 0);
    CHECK_INT(set(&editing, "a", scalar(&arena, UNTORN_INTEGER, "77")), 0);
    CHECK(!editing.text && editing.parsed.text == text);
    CHECK_INT(editing.changes, 2);
    CHECK_INT(editing.last.count, 1);
    CHECK_INT(editing.last.splices[0].at.start, 6);
    CHECK_TEXT(member(&editing, "b")->text, "x\ny");
    arena_free(&arena); /* the values are not needed any more */
    check_taken(&editing, "{\"a\": 77, \"b\": \"x\\ny\"}");
}

TEST(a_scalar_that_is_changed_again_has_its_last_value)
{
    struct editing editing;
    struct arena arena = {0};
    error_begin(&error, NULL, NULL);
    CHECK_INT(editing_begin(&editing, text, sizeof text - 1, UNTORN_JSON, NULL, &error), 0);
    CHECK_INT(set(&editing, "b", scalar(&arena, UNTORN_NULL, "null")), 0);
    CHECK_INT(set(&editing, "b", scalar(&arena, UNTORN_INTEGER, "100")), 0);
    CHECK_INT(set(&editing, "b", scalar(&arena, UNTORN_INTEGER, "3")), 0);
    struct untorn_node *copy = node_copy(&arena, member(&editing, "b"));
    CHECK_TEXT(copy->text, "3");
    check_taken(&editing, "{\"a\": 1, \"b\": 3}");
    arena_free(&arena);
}

/* What is copied is what it is now, not what stands in the text still. */
TEST(a_changed_scalar_is_copied_without_its_old_spelling)
{
    struct editing editing;
    struct arena arena = {0};
    error_begin(&error, NULL, NULL);
    CHECK_INT(editing_begin(&editing, text, sizeof text - 1, UNTORN_JSON, NULL, &error), 0);
    CHECK_INT(set(&editing, "b", scalar(&arena, UNTORN_INTEGER, "3")), 0);
    CHECK(!editing.text);
    struct change change = {.kind = CHANGE_ADD,
                            .node = editing.parsed.root,
                            .key = "c",
                            .key_size = 1,
                            .value = node_copy(&arena, member(&editing, "b"))};
    CHECK(!change.value->raw);
    ((struct untorn_node *)change.value)->key = NULL;
    CHECK_INT(editing_change(&editing, &change, &error), 0);
    CHECK_INT(editing_settle(&editing, &error), 0);
    CHECK(editing.text && editing.changes == 2 && editing.last.count == 1);
    check_taken(&editing, "{\"a\": 1, \"b\": 3, \"c\": 3}");
    arena_free(&arena);
}

TEST(what_was_not_changed_is_taken_as_a_copy)
{
    struct editing editing;
    char *taken;
    size_t size;
    error_begin(&error, NULL, NULL);
    CHECK_INT(editing_begin(&editing, text, sizeof text - 1, UNTORN_JSON, NULL, &error), 0);
    CHECK_INT(editing_take(&editing, &taken, &size, &error), 0);
    CHECK(taken != text);
    CHECK_BYTES(taken, size, text, sizeof text - 1);
    CHECK_INT(taken[size], 0);
    free(taken);
    editing_free(&editing);
}

/* ---- a tree that belongs to somebody else ---- */

enum { MOST = 64 };

/* All that a change could leave behind: who is where, under which key, and found how. */
struct tree {
    struct untorn_node nodes[MOST];
    const struct untorn_node *found[MOST];
    size_t count;
};

static void remember(const struct untorn_node *root, struct tree *ret_tree)
{
    *ret_tree = (struct tree){0};
    const struct untorn_node *at = root;
    while (at) {
        size_t i = ret_tree->count++;
        CHECK(ret_tree->count < MOST);
        ret_tree->nodes[i] = *at;
        if (at->key)
            ret_tree->found[i] = node_member(at->parent, at->key, at->key_size);
        if (node_is_container(at))
            ret_tree->nodes[i].index = NULL; /* may have become larger */
        if (at->first) {
            at = at->first;
            continue;
        }
        while (at != root && !at->next)
            at = at->parent;
        at = at == root ? NULL : at->next;
    }
}

static void change_borrowed(const char *data, struct change change, planner *plan, int expected)
{
    struct parsed parsed;
    struct flaw flaw;
    struct editing editing;
    static struct tree before, after;
    struct arena arena = {0};
    struct untorn_node *value = node_add(&arena, NULL, NULL, 0, UNTORN_NULL);
    value->text = "null";
    value->size = 4;
    CHECK_INT(parse(data, strlen(data), UNTORN_JSON, &parsed, &flaw), 0);
    remember(parsed.root, &before);
    editing_borrow(&editing, &parsed);
    if (plan)
        editing.plan = plan;
    bool takes = change.kind == CHANGE_ADD || change.kind == CHANGE_INSERT;
    change.node = takes ? parsed.root : node_member(parsed.root, "b", 1);
    change.node = change.node ? change.node : parsed.root->first;
    change.value = change.kind == CHANGE_REMOVE || change.kind == CHANGE_RENAME ? NULL : value;
    error_begin(&error, NULL, NULL);
    CHECK_INT(editing_change(&editing, &change, &error), expected);
    editing_free(&editing);
    remember(parsed.root, &after);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    parsed_free(&parsed);
    arena_free(&arena);
}

TEST(a_borrowed_tree_is_as_before_after_right_plans_and_wrong_ones)
{
    static const char *const objects[] = {
        "{\"b\": 1}",
        "{\"a\": 1, \"b\": [2], \"c\": {}}",
        "{\"b\": 1, \"a\": 2, \"b\": 3, \"c\": 4, \"b\": 5}",
        ("{\"a\":0,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":5,\"g\":6,\"h\":7,\"i\":8,\"j\":9,"
         "\"k\":10,\"l\":11,\"m\":12,\"n\":13,\"o\":14,\"p\":15,\"q\":16,\"r\":17,"
         "\"s\":18,\"b\":19}"),
    };
    static const struct change changes[] = {
        {.kind = CHANGE_REPLACE},
        {.kind = CHANGE_ADD, .key = "new", .key_size = 3},
        {.kind = CHANGE_REMOVE},
        {.kind = CHANGE_RENAME, .key = "new", .key_size = 3},
    };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        for (size_t j = 0; j < sizeof changes / sizeof *changes; j++) {
            change_borrowed(objects[i], changes[j], NULL, 0);
            change_borrowed(objects[i], changes[j], plan_nothing, -UNTORN_MISPLANNED);
        }
    for (size_t index = 0; index < 3; index++) {
        struct change insert = {.kind = CHANGE_INSERT, .index = index};
        change_borrowed("[1, 2]", insert, NULL, 0);
        change_borrowed("[1, 2]", insert, plan_nothing, -UNTORN_MISPLANNED);
    }
    change_borrowed("[1, 2]", changes[2], NULL, 0);
    change_borrowed("[1, 2]", changes[2], plan_nothing, -UNTORN_MISPLANNED);
}

TEST(what_has_changed_is_taken_with_its_tree)
{
    struct parsed parsed, taken;
    struct flaw flaw;
    struct editing editing;
    char *new_text;
    CHECK_INT(parse(text, sizeof text - 1, UNTORN_JSON, &parsed, &flaw), 0);
    editing_borrow(&editing, &parsed);
    CHECK_INT(editing_take_parsed(&editing, &new_text, &taken, &error), 0);
    CHECK(!new_text && !taken.root);
    struct change change = {.kind = CHANGE_REMOVE, .node = member(&editing, "a")};
    CHECK_INT(editing_change(&editing, &change, &error), 0);
    CHECK_INT(editing_take_parsed(&editing, &new_text, &taken, &error), 0);
    editing_free(&editing);
    CHECK_TEXT(new_text, "{\"b\": 2}");
    CHECK(taken.text == new_text && taken.root->count == 1);
    CHECK_TEXT(node_member(parsed.root, "a", 1)->text, "1");
    parsed_free(&taken);
    parsed_free(&parsed);
    free(new_text);
}

/* A scalar is changed in the tree before it is in the text: also when a second change follows, of
 * either kind, the lender has his tree back. */
TEST(a_scalar_of_a_borrowed_tree_is_as_before_also_when_another_change_follows)
{
    static struct tree before, after;
    for (int follows = 0; follows < 4; follows++) {
        struct parsed parsed, taken;
        struct flaw flaw;
        struct editing editing;
        char *new_text;
        struct untorn_node five = {.kind = UNTORN_INTEGER, .text = "5", .size = 1};
        CHECK_INT(parse(text, sizeof text - 1, UNTORN_JSON, &parsed, &flaw), 0);
        remember(parsed.root, &before);
        editing_borrow(&editing, &parsed);
        struct change change = {
            .kind = CHANGE_REPLACE, .node = member(&editing, "a"), .value = &five};
        CHECK_INT(editing_change(&editing, &change, &error), 0);
        CHECK_TEXT(member(&editing, "a")->text, "5");
        if (follows > 1) {
            change = (struct change){.kind = CHANGE_REMOVE, .node = member(&editing, "b")};
            editing.plan = follows == 2 ? plan_nothing : editing.plan;
            CHECK_INT(editing_change(&editing, &change, &error),
                      follows == 2 ? -UNTORN_MISPLANNED : 0);
        }
        if (follows % 2 == 1) {
            CHECK_INT(editing_take_parsed(&editing, &new_text, &taken, &error), 0);
            CHECK_TEXT(new_text, follows == 1 ? "{\"a\": 5, \"b\": 2}" : "{\"a\": 5}");
            parsed_free(&taken);
            free(new_text);
        }
        editing_free(&editing);
        remember(parsed.root, &after);
        CHECK(memcmp(&before, &after, sizeof before) == 0);
        parsed_free(&parsed);
    }
}
