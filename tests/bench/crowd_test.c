/* What is made of many writers' answers; and what one of them says. */
#include "../../bench/crowd.c"

#include <string.h>

#include "harness.h"

static int complaints[2] = {-1, -1};

/* In place of the one of the bench: what failed goes to the test. */
void pairs_must(bool succeeded, const char *what)
{
    if (succeeded)
        return;
    dprintf(complaints[1], "%s", what);
    _exit(1);
}

/* A writer that is a script: $0 is its number, $1 its updates, $start when to begin. */
static const char *const *writer(const char *answer)
{
    static char script[512];
    static const char *command[] = {"/bin/sh", "-c", script, NULL};
    snprintf(script, sizeof script, "echo ready; read start; %s", answer);
    return command;
}

/* The first is done after one second, the next after two ... without taking any time. */
#define IN_TURN "echo $1 $((start + 1000000 * ($0 + 1))) $1; "

TEST(the_rate_is_that_of_all_updates_until_the_last_writer_is_done)
{
    struct crowd crowd;
    crowd_run(writer(IN_TURN "echo 10 20 30"), 4, 3, &crowd);
    CHECK_INT((long)crowd.updates, 12);
    CHECK_INT((long)(crowd.rate * 1000 + 0.5), 3000); /* in four seconds */
}

TEST(whoever_is_done_first_may_be_any_of_them)
{
    struct crowd crowd;
    crowd_run(writer("echo $1 $((start + 1000000 * (4 - $0))) $1; echo 10 20 30"), 4, 3, &crowd);
    CHECK_INT((long)(crowd.rate * 1000 + 0.5), 3000);
}

TEST(latencies_are_of_the_updates_of_all_writers)
{
    struct crowd crowd;
    crowd_run(writer(IN_TURN "echo $((10 * $0 + 1)) $((10 * $0 + 2))"), 3, 2, &crowd);
    CHECK_INT((long)crowd.p50_us, 12); /* 1 2 11 12 21 22 */
    CHECK_INT((long)crowd.p99_us, 22);
}

TEST(what_each_was_last_told_is_known)
{
    struct crowd crowd;
    crowd_run(writer("echo $((7 + $0)) $((start + 1)) 1 5"), 2, 1, &crowd);
    CHECK_INT(crowd.last[0], 7);
    CHECK_INT(crowd.last[1], 8);
}

/* What the program that measures complains of; nothing: it succeeds. */
static const char *complaint_about(const char *answer)
{
    static char text[128];
    struct crowd crowd;
    int status = 0;
    memset(text, 0, sizeof text);
    CHECK(pipe(complaints) == 0);
    pid_t child = fork();
    if (child == 0) {
        crowd_run(writer(answer), 2, 2, &crowd);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    close(complaints[1]);
    CHECK(read(complaints[0], text, sizeof text - 1) >= 0);
    close(complaints[0]);
    CHECK_INT(status != 0, text[0] != '\0');
    return text;
}

TEST(a_writer_that_does_not_make_all_its_updates_is_a_failure)
{
    CHECK_TEXT(complaint_about(IN_TURN "echo 1 1"), "");
    CHECK_TEXT(complaint_about("echo 1 $((start + 9)) $(($1 - $0)); echo 1 1"),
               "one of the writers: all of its updates");
    CHECK_TEXT(complaint_about(IN_TURN "echo 1"), "a time");
}

TEST(a_writer_that_fails_or_says_nothing_is_a_failure)
{
    CHECK_TEXT(complaint_about("exit 0"), "one of the writers");
    CHECK_TEXT(complaint_about(IN_TURN "echo 1 1; exit $0"), "one of the writers");
}

TEST(a_writer_that_was_done_before_the_start_is_a_failure)
{
    CHECK_TEXT(complaint_about("echo 2 $start 2; echo 1 1"), "an end after the start");
}

/* ---- one of them ---- */

static long values[4];
static int count_of_values;

static void note(int number, long value)
{
    CHECK_INT(number, 5);
    values[count_of_values++ % 4] = value;
}

TEST(one_of_them_makes_its_updates_and_says_when_it_was_done)
{
    long last, end;
    size_t count;
    char ready[8];
    CHECK(freopen("said", "w+", stdout) != NULL);
    FILE *told = fopen("told", "w");
    int64_t before = now_us();
    fprintf(told, "%" PRId64 "\n", before + 1000);
    fclose(told);
    CHECK(freopen("told", "r", stdin) != NULL);
    crowd_work(5, 3, note);
    int64_t after = now_us();
    CHECK_INT(count_of_values, 3);
    CHECK(values[0] == 1 && values[1] == 2 && values[2] == 3);
    rewind(stdout);
    CHECK(scanf("%*s") == EOF); /* it took nothing but its start */
    CHECK(fscanf(stdout, "%7s %ld %ld %zu", ready, &last, &end, &count) == 4);
    CHECK_TEXT(ready, "ready");
    CHECK(last == 3 && count == 3);
    CHECK(end >= before + 1000 && end <= after);
}
