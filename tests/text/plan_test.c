#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "text/plan.h"

static void add(struct plan *plan, uint64_t start, uint64_t end, const char *text)
{
    struct span at = {start, end};
    CHECK(plan_add(plan, at, text, strlen(text)));
}

static void check(struct plan *plan, const char *text, const char *expected)
{
    size_t size;
    char *result = plan_apply(plan, text, strlen(text), &size);
    CHECK(result);
    CHECK_TEXT(result, expected);
    CHECK_INT(size, strlen(expected));
    free(result);
    plan_free(plan);
}

TEST(a_plan_of_nothing_leaves_the_text_as_it_is)
{
    struct plan plan = {0};
    check(&plan, "abc", "abc");
    check(&plan, "", "");
}

/* [PLAN-1] */
TEST(stretches_are_replaced_and_the_rest_stays)
{
    struct plan plan = {0};
    add(&plan, 1, 2, "XYZ");
    add(&plan, 3, 5, "");
    add(&plan, 6, 6, "+");
    check(&plan, "abcdef", "aXYZcf+");
}

TEST(replacements_come_into_the_order_of_the_text)
{
    struct plan plan = {0};
    add(&plan, 5, 6, "5");
    add(&plan, 0, 1, "0");
    add(&plan, 3, 4, "3");
    check(&plan, "abcdef", "0bc3e5");
}

TEST(many_are_appended_and_sorted_once)
{
    struct plan plan = {0};
    plan_sort(&plan);
    for (uint64_t i = 6; i-- > 0;) {
        struct span at = {i, i + 1};
        CHECK(plan_append(&plan, at, &"543210"[5 - i], 1));
    }
    plan_sort(&plan);
    check(&plan, "abcdef", "012345");
}

TEST(those_at_one_place_stay_in_the_order_in_which_they_came)
{
    struct plan plan = {0};
    add(&plan, 1, 1, "1");
    add(&plan, 1, 1, "2");
    add(&plan, 0, 0, "0");
    add(&plan, 1, 2, "3");
    check(&plan, "abc", "0a123c");
}

TEST(a_plan_may_have_many_replacements)
{
    enum { COUNT = 1000 };
    static char text[COUNT + 1], expected[2 * COUNT + 1];
    struct plan plan = {0};
    memset(text, 'a', COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        add(&plan, i, i, "b");
        memcpy(expected + 2 * i, "ba", 2);
    }
    check(&plan, text, expected);
}

TEST(everything_can_go_and_everything_can_be_new)
{
    struct plan plan = {0};
    add(&plan, 0, 3, "");
    check(&plan, "abc", "");
    add(&plan, 0, 0, "abc");
    check(&plan, "", "abc");
}

TEST(bytes_of_any_value_are_kept)
{
    struct plan plan = {0};
    struct span at = {1, 2};
    size_t size;
    CHECK(plan_add(&plan, at, "\0\xff", 2));
    char *result = plan_apply(&plan, "a\0b\0", 4, &size);
    CHECK(result);
    CHECK_BYTES(result, size + 1,
                "a\0\xff"
                "b\0\0",
                6);
    free(result);
    plan_free(&plan);
}

TEST(a_size_that_no_memory_has_is_refused)
{
    struct plan plan = {0};
    struct span at = {0, 0};
    size_t size;
    CHECK(plan_add(&plan, at, "", SIZE_MAX - 1));
    CHECK(!plan_apply(&plan, "abc", 3, &size));
    plan_free(&plan);
}

TEST(a_plan_can_be_freed_twice)
{
    struct plan plan = {0};
    plan_free(&plan);
    add(&plan, 0, 0, "a");
    CHECK(arena_take(&plan.arena, 10));
    plan_free(&plan);
    plan_free(&plan);
    CHECK(!plan.splices && plan.count == 0);
}
