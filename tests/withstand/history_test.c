/* The judge of the storms: each of its rules is shown a history that breaks only that one. */
#include "driver/history.h"

#include <string.h>

#include "harness.h"
/* The judge is part of the drivers, which other tests do not link. */
#include "driver/history.c"

static struct history *three_writes(void)
{
    struct history *history = history_make(16);
    for (long i = 0; i < 3; i++) {
        long number = history_begin(history, false, 0);
        history->operations[number].read_count = i;
        history_end(history, number, ACKNOWLEDGED);
    }
    return history;
}

static bool judged(struct history *history, const char *list, struct history_verdict *verdict)
{
    return history_judge(history, list, strlen(list), verdict);
}

#define LIST "00000000\n00000001\n00000002\n"

TEST(a_chain_of_acknowledged_writes_passes)
{
    struct history_verdict verdict;
    CHECK(judged(three_writes(), LIST, &verdict));
    CHECK_INT(verdict.acknowledged, 3);
}

TEST(a_lost_update_is_caught)
{
    struct history_verdict verdict;
    CHECK(!judged(three_writes(), "00000000\n00000001\n", &verdict));
    CHECK_INT(verdict.lost, 1);
}

TEST(an_update_that_was_applied_twice_is_caught)
{
    struct history_verdict verdict;
    CHECK(!judged(three_writes(), LIST "00000002\n", &verdict));
    CHECK_INT(verdict.doubled, 1);
}

TEST(a_token_that_nobody_wrote_is_caught)
{
    struct history_verdict verdict;
    CHECK(!judged(three_writes(), LIST "00000009\n", &verdict));
    CHECK_INT(verdict.phantoms, 1);
    CHECK(!judged(three_writes(), LIST "garbage!\n", &verdict));
    CHECK(!judged(three_writes(), LIST "0000", &verdict));
}

TEST(a_failed_write_that_was_applied_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    atomic_store(&history->operations[2].outcome, FAILED);
    CHECK(!judged(history, LIST, &verdict));
    CHECK_INT(verdict.phantoms, 1);
    CHECK(judged(history, "00000000\n00000001\n", &verdict));
}

TEST(a_write_in_doubt_may_be_there_or_not)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    atomic_store(&history->operations[2].outcome, BEGUN);
    CHECK(judged(history, LIST, &verdict));
    CHECK_INT(verdict.in_doubt_applied, 1);
    CHECK(judged(history, "00000000\n00000001\n", &verdict));
}

TEST(a_write_that_saw_another_predecessor_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    history->operations[2].read_count = 1;
    CHECK(!judged(history, LIST, &verdict));
    CHECK_INT(verdict.wrong_reads_from, 1);
}

TEST(a_function_that_saw_as_many_tokens_but_others_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    const char *seen = "00000000\n00000001\n", *other = "00000001\n00000000\n";
    history->operations[2].read_hash = history_hash(seen, strlen(seen));
    CHECK(judged(history, LIST, &verdict));
    history->operations[2].read_hash = history_hash(other, strlen(other));
    CHECK(!judged(history, LIST, &verdict));
    CHECK_INT(verdict.wrong_reads_from, 1);
}

TEST(an_order_against_time_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    history->operations[0].read_count = 1;
    history->operations[1].read_count = 0;
    CHECK(!judged(history, "00000001\n00000000\n00000002\n", &verdict));
    CHECK(verdict.out_of_order > 0);
}

static long read_of(struct history *history, const char *seen)
{
    long number = history_begin(history, true, 1);
    history->operations[number].read_count = (long)(strlen(seen) / TOKEN_SIZE);
    history->operations[number].read_hash = history_hash(seen, strlen(seen));
    history_end(history, number, ACKNOWLEDGED);
    return number;
}

TEST(a_read_of_the_whole_list_passes)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    read_of(history, LIST);
    CHECK(judged(history, LIST, &verdict));
    CHECK_INT(verdict.reads, 1);
}

TEST(a_read_that_is_no_beginning_of_the_list_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    read_of(history, "00000000\n00000002\n00000001\n");
    CHECK(!judged(history, LIST, &verdict));
    CHECK_INT(verdict.torn_reads, 1);
}

TEST(a_read_that_failed_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    atomic_store(&history->operations[read_of(history, LIST)].outcome, FAILED);
    CHECK(!judged(history, LIST, &verdict));
    CHECK_INT(verdict.failed_reads, 1);
}

TEST(a_read_that_misses_what_was_acknowledged_is_caught)
{
    struct history_verdict verdict;
    struct history *history = three_writes();
    read_of(history, "00000000\n");
    CHECK(!judged(history, LIST, &verdict));
    CHECK_INT(verdict.stale_reads, 1);
}
