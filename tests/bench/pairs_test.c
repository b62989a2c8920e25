/* The arithmetic behind the tables of the bench. */
#include "../../bench/pairs.c"

#include "harness.h"

enum { MANY = 300 };

static struct pairs_times times[MANY];

/* Pairs that drift by a third, `theirs` and `again` being a fixed part of `ours`. */
static void fill(double theirs, double again)
{
    for (int i = 0; i < MANY; i++) {
        double ours = 100 + i / 9.0;
        times[i] = (struct pairs_times){ours, ours * theirs, ours * again};
    }
}

static long in_thousandths(double value)
{
    return lround(value * 1000);
}

TEST(a_ratio_is_the_same_however_the_machine_drifts)
{
    fill(0.5, 1);
    struct pairs_result result = pairs_summarise(times, MANY, PAIRS_RATIO);
    CHECK_INT(in_thousandths(result.value), 2000);
    CHECK_INT(in_thousandths(result.low), 2000);
    CHECK_INT(in_thousandths(result.high), 2000);
    CHECK_INT((long)result.count, MANY);
}

TEST(a_few_stalls_do_not_move_the_result)
{
    fill(1, 1);
    for (int i = 0; i < MANY / 10; i++)
        times[i * 10].ours *= 1000;
    struct pairs_result result = pairs_summarise(times, MANY, PAIRS_RATIO);
    CHECK_INT(in_thousandths(result.value), 1000);
    CHECK_INT(in_thousandths(result.control), 1000);
}

TEST(quartiles_lie_between_the_nearest_measurements)
{
    for (int i = 0; i < 6; i++)
        times[i] = (struct pairs_times){(6 - i) * 10, 1, 1}; /* 60 50 40 30 20 10 */
    struct pairs_result result = pairs_summarise(times, 6, PAIRS_TIME);
    CHECK_INT(in_thousandths(result.low), 22500);
    CHECK_INT(in_thousandths(result.value), 35000);
    CHECK_INT(in_thousandths(result.high), 47500);
}

TEST(a_single_pair_is_its_own_median)
{
    times[0] = (struct pairs_times){30, 10, 30};
    struct pairs_result result = pairs_summarise(times, 1, PAIRS_DIFFERENCE);
    CHECK_INT(in_thousandths(result.value), 20000);
    CHECK_INT(in_thousandths(result.low), 20000);
    CHECK_INT(in_thousandths(result.high), 20000);
}

TEST(each_unit_compares_in_its_own_way)
{
    fill(0.5, 1);
    CHECK(pairs_summarise(times, 1, PAIRS_RATIO).value == 2);
    CHECK(pairs_summarise(times, 1, PAIRS_DIFFERENCE).value == 50);
    CHECK(pairs_summarise(times, 1, PAIRS_TIME).value == 100);
    CHECK(pairs_summarise(times, 1, PAIRS_TIME).theirs == 50);
}

TEST(ours_against_ours_must_be_one_within_two_percent)
{
    fill(0.5, 1.019);
    struct pairs_result result = pairs_summarise(times, MANY, PAIRS_RATIO);
    CHECK(pairs_is_steady(&result));
    fill(0.5, 1.03);
    result = pairs_summarise(times, MANY, PAIRS_RATIO);
    CHECK(!pairs_is_steady(&result));
    fill(0.5, 0.97);
    result = pairs_summarise(times, MANY, PAIRS_RATIO);
    CHECK(!pairs_is_steady(&result));
}

static char calls[64];

static void call_ours(void)
{
    strcat(calls, "o");
}

static void call_theirs(void)
{
    strcat(calls, "t");
}

TEST(every_order_of_the_two_and_the_control_comes_up)
{
    static const struct pairs_row row = {.ours = call_ours, .theirs = call_theirs};
    for (unsigned turn = 0; turn < 6; turn++)
        measure_pair(&row, 1, turn, &times[turn]);
    CHECK_TEXT(calls, "ototoooototootoooto" + 0);
}
