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
