/* run: budget 20
 *
 * What judges after a power loss finds fault with what must not be there: a control for each rule,
 * made by hand where no file system leaves it. */
#include "block/judge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <untorn.h>

#include "harness.h"

static struct work work_of(const char *scenario)
{
    struct work work = {.scenario = scenario_find(scenario), .seed = 7, .updates = 4};
    CHECK(work.scenario != NULL);
    return work;
}

static struct expected after(const struct work *work, const char *const *marks)
{
    struct expected expected;
    expected_begin(&expected);
    for (; *marks != NULL; marks++)
        expected_mark(&expected, work, *marks);
    return expected;
}

#define AFTER(work, ...) after(work, (const char *const[]){__VA_ARGS__, NULL})

/* Every update up to this one, begun and done. */
static struct expected all_done(const struct work *work, unsigned count)
{
    struct expected expected;
    char text[32];
    expected_begin(&expected);
    for (unsigned update = 1; update <= count; update++) {
        snprintf(text, sizeof text, "begin 0 %u", update);
        expected_mark(&expected, work, text);
        snprintf(text, sizeof text, "done 0 %u", update);
        expected_mark(&expected, work, text);
    }
    return expected;
}

/* Prepared, and the first `count` updates done. */
static struct work done(const char *scenario, unsigned count)
{
    struct work work = work_of(scenario);
    scenario_prepare(&work);
    for (unsigned update = 1; update <= count; update++)
        CHECK_INT(scenario_act(&work, 0, update), 0);
    return work;
}

static void put(const char *path, const char *text)
{
    struct blob blob = {strdup(text), strlen(text)};
    blob_write(".", path, &blob, 0644);
    blob_free(&blob);
}

static void check_good(const struct work *work, struct expected expected)
{
    const char *problem = judge(work, &expected, JUDGE_ALL);
    CHECK_TEXT(problem ? problem : "good", "good");
}

static void check_bad(const struct work *work, struct expected expected, const char *word)
{
    const char *problem = judge(work, &expected, JUDGE_ALL);
    CHECK(problem != NULL);
    if (strstr(problem, word) == NULL)
        CHECK_TEXT(problem, word);
}

TEST(what_was_done_is_good_for_every_scenario)
{
    static const char *const names[] = {"replace",
                                        "stream",
                                        "in-place",
                                        "link",
                                        "undo",
                                        "append",
                                        "append-text",
                                        "set",
                                        "set-two-folders",
                                        "set-removing",
                                        "undo-set",
                                        "edit",
                                        "ensure",
                                        "replace-keep-none"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (unsigned count = 0; count <= 4; count++) {
            char place[32];
            snprintf(place, sizeof place, "%u-%u", i, count);
            CHECK(mkdir(place, 0755) == 0 && chdir(place) == 0);
            struct work work = done(names[i], count);
            check_good(&work, all_done(&work, count));
            CHECK(chdir("..") == 0);
        }
    }
}

TEST(an_acknowledged_update_that_is_lost_is_told)
{
    struct work work = done("replace", 1);
    check_bad(&work, AFTER(&work, "done 0 1", "begin 0 2", "done 0 2"), "is of update 1");
    work = done("append", 1);
    check_bad(&work, AFTER(&work, "done 0 2"), "acknowledged are not there");
    work = done("ensure", 1);
    check_bad(&work, AFTER(&work, "begin 0 2", "done 0 2"), "of process 0");
}

TEST(an_update_that_failed_or_was_not_begun_must_not_be_there)
{
    struct work work = done("replace", 2);
    check_bad(&work, AFTER(&work, "done 0 1", "begin 0 2", "failed 0 2"), "is of update 2");
    check_bad(&work, AFTER(&work, "done 0 1"), "is of update 2");
}

TEST(what_is_in_flight_may_be_there_or_not)
{
    struct work work = done("set", 2);
    check_good(&work, AFTER(&work, "done 0 1", "begin 0 2"));
    work = done("set", 2);
    check_good(&work, AFTER(&work, "done 0 1", "begin 0 2", "unsettled 0 2"));
    work = done("set", 2);
    check_good(&work, AFTER(&work, "done 0 2", "begin 0 3"));
}

TEST(a_level_that_promises_less_may_lose_but_not_tear)
{
    struct work work = done("replace-ordered", 1);
    check_good(&work, AFTER(&work, "done 0 1", "done 0 2"));
    put("d/f", "torn");
    check_bad(&work, AFTER(&work, "done 0 1", "done 0 2"), "no version");
}

TEST(a_torn_file_is_told)
{
    struct work work = done("replace", 2);
    CHECK_INT(truncate("d/f", 50), 0);
    check_bad(&work, AFTER(&work, "done 0 2"), "no version");
    put("d/f", "");
    check_bad(&work, AFTER(&work, "done 0 2"), "no version");
    CHECK_INT(unlink("d/f"), 0);
    check_bad(&work, AFTER(&work, "done 0 2"), "gone");
}

TEST(a_mixed_set_is_told)
{
    struct work work = done("set", 2);
    struct blob old = scenario_content(&work, 1, 2);
    blob_write(".", "d/c", &old, 0644);
    blob_free(&old);
    check_bad(&work, AFTER(&work, "done 0 1", "begin 0 2"), "not of one commit");
    work = work_of("two-replaces");
    scenario_prepare(&work);
    struct blob new = scenario_content(&work, 1, 0);
    blob_write(".", "d/a", &new, 0644);
    blob_free(&new);
    check_bad(&work, AFTER(&work, "begin 0 1"), "mixed");
}

TEST(what_is_left_over_is_told)
{
    struct work work = done("replace", 1);
    put("d/f.tmp", "left");
    check_bad(&work, all_done(&work, 1), "left over: d/f.tmp");
    CHECK_INT(unlink("d/f.tmp"), 0);
    CHECK(system("mkdir -p d/.untorn/stage && echo x >d/.untorn/stage/strange") == 0);
    work = done("edit", 0); /* whose next call is not of this folder */
    check_bad(&work, AFTER(&work, NULL), "left over");
}

TEST(a_version_that_is_lost_or_changed_is_told)
{
    struct work work = done("replace", 2);
    CHECK(system("rm -r d/.untorn/history/f") == 0);
    check_bad(&work, all_done(&work, 2), "version 1 of d/f is not that before update 2");
    work = done("replace", 2);
    CHECK(system("for f in d/.untorn/history/f/*; do echo other >$f; done") == 0);
    check_bad(&work, all_done(&work, 2), "version");
    work = done("replace-keep-none", 2);
    CHECK_INT(untorn_write("d/f", "x", 1, NULL, NULL), 0);
    struct blob blob = scenario_content(&work, 2, 0);
    blob_write(".", "d/f", &blob, 0644);
    blob_free(&blob);
    check_bad(&work, all_done(&work, 2), "a version of d/f is kept");
}

TEST(a_log_that_is_damaged_is_told)
{
    struct work work = done("append", 2);
    struct blob blob = scenario_content(&work, 2, 0);
    blob.data[10] = 'X';
    blob_write(".", "d/log.jsonl", &blob, 0644);
    check_bad(&work, AFTER(&work, "done 0 2"), "acknowledged are not there");
    blob_free(&blob);
    blob = scenario_content(&work, 3, 0);
    blob_write(".", "d/log.jsonl", &blob, 0644);
    blob_free(&blob);
    check_bad(&work, AFTER(&work, "begin 0 2", "done 0 2"), "more than was ever added");
}

/* A torn record is cut by the next append, also if it is long. */
TEST(a_torn_record_at_the_end_of_a_log_is_good)
{
    struct work work = done("append", 1);
    struct blob whole = scenario_content(&work, 2, 0), before = scenario_content(&work, 1, 0);
    for (size_t size = before.size; size <= whole.size; size += 7) {
        struct blob torn = {whole.data, size};
        blob_write(".", "d/log.jsonl", &torn, 0644);
        check_good(&work, AFTER(&work, "done 0 1", "begin 0 2"));
        CHECK(system("rm -r d/.untorn") == 0);
    }
    blob_free(&whole);
    blob_free(&before);
}

TEST(a_document_of_a_crowd_that_is_not_whole_is_told)
{
    struct work work = done("ensure", 2);
    put("d/map.json", "{\"base\": true, \"p0_1\": ");
    check_bad(&work, AFTER(&work, "begin 0 2", "done 0 1"), "no version");
    put("d/map.json", "{\"base\": true, \"p0_2\": \"made by 0 as 2 of seed 7\"}");
    check_bad(&work, AFTER(&work, "begin 0 2"), "no version"); /* the second without the first */
    put("d/map.json", "{}");
    check_bad(&work, AFTER(&work, "begin 0 2"), "no version");
}
