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
    return (long)(value * 1000 + 0.5);
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

TEST(times_are_the_ratio_the_other_way_round)
{
    fill(20, 1);
    struct pairs_result result = pairs_summarise(times, MANY, PAIRS_TIMES);
    CHECK_INT(in_thousandths(result.value), 20000);
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

/* A clock that only the two sides move. */
static double time_now;
static char calls[64];

static double fake_clock(bool computes)
{
    return time_now + (computes ? 1000 * time_now : 0);
}

static void note(char call)
{
    size_t used = strlen(calls);
    if (used + 1 < sizeof calls)
        calls[used] = call;
}

static void call_ours(void)
{
    note('o');
    time_now += 3;
}

static void call_theirs(void)
{
    note('t');
    time_now += 2;
}

static const struct pairs_row fake = {.ours = call_ours, .theirs = call_theirs};

TEST(what_only_computes_is_measured_by_another_clock)
{
    struct pairs_row computing = fake;
    computing.computes = true;
    now = fake_clock;
    measure_pair(&computing, 1, 0, &times[0]);
    CHECK(times[0].ours == 3003 && times[0].theirs == 2002);
}

TEST(the_two_and_the_control_come_in_every_order)
{
    now = fake_clock;
    for (unsigned turn = 0; turn < 6; turn++)
        measure_pair(&fake, 1, turn, &times[turn]);
    CHECK_TEXT(calls, "oto"
                      "too"
                      "oot"
                      "oto"
                      "too"
                      "oot");
}

TEST(each_time_goes_to_its_side_in_every_order)
{
    now = fake_clock;
    for (unsigned turn = 0; turn < 6; turn++) {
        measure_pair(&fake, 1, turn, &times[turn]);
        CHECK(times[turn].ours == 3 && times[turn].again == 3);
        CHECK(times[turn].theirs == 2);
    }
}

TEST(a_batch_gives_the_time_of_one_call)
{
    now = fake_clock;
    measure_pair(&fake, 5, 0, &times[0]);
    CHECK_TEXT(calls, "ooooo"
                      "ttttt"
                      "ooooo");
    CHECK(times[0].ours == 3 && times[0].theirs == 2);
}

/* The first and the second call of a pair differ, for so many runs. */
static int restless_runs, calls_of_ours;

static void settle(void)
{
    bool restless = calls_of_ours++ < 2 * (6 + restless_runs * PAIRS_COUNT);
    time_now += restless ? 1 + calls_of_ours % 2 : 3;
}

static const struct pairs_row settling = {.ours = settle, .theirs = call_theirs};

static struct pairs_result measure_after(int runs, unsigned *ret_runs)
{
    now = fake_clock;
    restless_runs = runs;
    return measure(&settling, ret_runs);
}

TEST(a_row_is_measured_again_until_ours_against_ours_is_one)
{
    unsigned runs;
    struct pairs_result result = measure_after(2, &runs);
    CHECK_INT(runs, 3);
    CHECK(pairs_is_steady(&result));
    CHECK(result.value == 1.5);
}

TEST(a_row_that_never_settles_is_given_up_and_marked)
{
    unsigned runs;
    struct pairs_result result = measure_after(PAIRS_RUNS, &runs);
    CHECK_INT(runs, PAIRS_RUNS);
    CHECK(!pairs_is_steady(&result));
}
