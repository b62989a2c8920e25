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
