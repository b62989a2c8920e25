/* run: plain
 *
 * Several simulated processes of which one meets a call that fails: every call, in every order; and
 * a program that says "done" though its flush has failed is caught where the power goes. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "os/sim/interleave.h"

enum { FIRST = 1, SECOND = 2 }; /* of the processes, as a fault counts them */

static struct sim_interleavings fail_each(struct sim_interleaving asked,
                                          const struct sim_fault *faults, size_t count)
{
    struct sim_interleavings report;
    sim_interleave_faults(&asked, faults, count, &report);
    sim_print_interleavings(&asked, &report);
    return report;
}

/* ---- which calls ---- */

static void setup(void *context)
{
    (void)context;
    sim_put("/d/list", "");
    sim_make_dir("/d/0");
    sim_make_dir("/d/1");
}

/* Tells which of its two calls failed. */
static void look_twice(void *context, int number)
{
    struct os_stat stat;
    (void)context;
    for (int i = 0; i < 2; i++)
        if (os_stat(OS_NONE, "d/list", &stat) < 0)
            sim_ack(2 * number + i);
}

/* `context`: how many calls of the first process fail at most. */
static const char *verify_first_alone(void *context)
{
    if (sim_acked(2) || sim_acked(3))
        return "a call of another process failed";
    return sim_acked(0) + sim_acked(1) > *(int *)context ? "more calls failed than should" : NULL;
}

static const char *accept(void *context)
{
    (void)context;
    return NULL;
}

/* Two processes of two calls have 70 orders, see interleave_test.c; the last number is that at
 * which no call fails any more. */
TEST(each_call_of_a_process_fails_in_every_order)
{
    int most = 1;
    struct sim_fault fault = {.error = EIO, .process = FIRST};
    struct sim_interleaving asked = {.name = "each call",
                                     .setup = setup,
                                     .processes = {look_twice, look_twice},
                                     .verify = verify_first_alone,
                                     .context = &most,
                                     .preemptions = SIM_UNLIMITED,
                                     .every_order = true};
    struct sim_interleavings report = fail_each(asked, &fault, 1);
    CHECK_INT(report.bad, 0);
    CHECK_INT(report.faulty, 2 * 70);
    CHECK_INT(report.schedules, 3 * 70);
    most = 2;
    fault.forever = true;
    report = fail_each(asked, &fault, 1);
    CHECK_INT(report.bad, 0);
    CHECK_INT(report.faulty, 2 * 70);
    most = 1;
    asked.quiet = true;
    CHECK(fail_each(asked, &fault, 1).bad > 0); /* both fail, if the first does */
    fault = (struct sim_fault){.error = EIO};
    asked.verify = accept;
    CHECK_INT(fail_each(asked, &fault, 1).faulty, 4 * 70);
    fault.verbs = SIM_ONLY(SIM_FLUSH);
    CHECK_INT(fail_each(asked, &fault, 1).faulty, 0);
}

TEST(one_fault_is_met_in_the_schedules_that_are_asked_for)
{
    struct sim_interleavings report;
    struct sim_interleaving asked = {.name = "one fault",
                                     .setup = setup,
                                     .processes = {look_twice, look_twice},
                                     .verify = accept,
                                     .preemptions = SIM_UNLIMITED,
                                     .fault = {.at = 2, .error = EIO, .process = SECOND},
                                     .every_order = true};
    sim_interleave(&asked, &report);
    CHECK_INT(report.faulty, 70);
    CHECK_INT(report.schedules, 70);
}

/* [INTERLEAVE-1] */
TEST(merging_loses_no_outcome_of_faults)
{
    static const struct sim_fault faults[] = {
        {.error = EIO}, {.error = EIO, .forever = true}, {.error = EIO, .process = SECOND}};
    struct sim_interleaving asked = {.name = "merged",
                                     .setup = setup,
                                     .processes = {look_twice, look_twice},
                                     .verify = accept,
                                     .preemptions = SIM_UNLIMITED,
                                     .kills = 1};
    struct sim_interleavings merged = fail_each(asked, faults, 3), every;
    asked.name = "every order";
    asked.every_order = true;
    every = fail_each(asked, faults, 3);
    CHECK(merged.schedules < every.schedules);
    CHECK_INT(merged.outcomes, every.outcomes);
}

/* ---- who heeds a failure, and who does not ---- */

/* Each in a directory of its own: a flush that fails tells one process alone what it lost. */
static void save(int number, bool heeds)
{
    os_fd dir = OS_NONE, file = OS_NONE;
    int rc = os_open_dir(OS_NONE, number ? "/d/1" : "/d/0", false, &dir);
    if (rc == 0)
        rc = os_open(dir, "staged", OS_WRITE | OS_CREATE, 0600, &file);
    if (rc == 0 && os_write_at(file, "text", 4, 0) != 4)
        rc = -EIO;
    if (rc == 0)
        rc = heeds ? os_flush(file) : (os_flush(file), 0);
    if (rc == 0)
        rc = os_rename(dir, "staged", dir, "file", OS_REPLACE);
    if (rc == 0)
        rc = heeds ? os_flush_dir(dir) : (os_flush_dir(dir), 0);
    if (rc == 0)
        sim_ack(number);
    os_close(file);
    os_close(dir);
}

static void save_carefully(void *context, int number)
{
    (void)context;
    save(number, true);
}

static void save_carelessly(void *context, int number)
{
    (void)context;
    save(number, false);
}

static const char *verify_saved(void *context)
{
    (void)context;
    for (int number = 0; number < 2; number++) {
        const char *text = sim_get(number ? "/d/1/file" : "/d/0/file");
        if (sim_acked(number) && (!text || strcmp(text, "text") != 0))
            return "what was saved is lost";
    }
    return NULL;
}

/* How many bad states and schedules there are if calls of the first process fail. */
static long crash(sim_program *program, unsigned profiles, struct sim_fault fault,
                  struct sim_interleavings *ret_report)
{
    struct sim_report crashes;
    struct sim_scenario scenario = {
        .name = "saving", .verify = verify_saved, .profiles = profiles, .quiet = true};
    struct sim_interleaving asked = {.name = "saving",
                                     .setup = setup,
                                     .processes = {program, program},
                                     .verify = verify_saved,
                                     .preemptions = 1,
                                     .every_order = true,
                                     .crashes = &scenario,
                                     .crash_report = &crashes,
                                     .quiet = true};
    fault.process = FIRST;
    *ret_report = fail_each(asked, &fault, 1);
    sim_print(&scenario, &crashes);
    CHECK(ret_report->faulty > 0);
    if (crashes.bad > 0)
        CHECK(strstr(crashes.story, "Input/output error") != NULL);
    return ret_report->bad + crashes.bad;
}

TEST(who_says_done_though_its_flush_failed_is_caught)
{
    struct sim_interleavings report;
    struct sim_fault fault = {.error = EIO};
    CHECK_INT(crash(save_carefully, SIM_POSIX | SIM_KILL, fault, &report), 0);
    fault.forever = true;
    CHECK_INT(crash(save_carefully, SIM_POSIX | SIM_KILL, fault, &report), 0);
    fault.verbs = SIM_ONLY(SIM_FLUSH);
    CHECK(crash(save_carelessly, SIM_POSIX, fault, &report) > 0);
    CHECK_INT(crash(save_carelessly, SIM_KILL, fault, &report), 0);
    fault.verbs = SIM_ONLY(SIM_FLUSH_DIR);
    CHECK(crash(save_carelessly, SIM_POSIX, fault, &report) > 0);
}

/* No crash is needed to see that, and other processes may. */
TEST(content_that_a_failed_flush_takes_back_is_seen_by_the_living)
{
    struct sim_interleavings report, again;
    char words[1200];
    struct sim_fault fault = {
        .error = EIO, .effect = SIM_REVERTED, .verbs = SIM_ONLY(SIM_FLUSH), .process = FIRST};
    struct sim_interleaving asked = {.name = "taken back",
                                     .setup = setup,
                                     .processes = {save_carelessly, save_carelessly},
                                     .verify = verify_saved,
                                     .preemptions = 1,
                                     .quiet = true};
    report = fail_each(asked, &fault, 1);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "\"taken back: call 1 (of its kind) Input/output error\"") != NULL);
    snprintf(words, sizeof words, "taken back: call 1 (of its kind) Input/output error/%s",
             report.schedule);
    setenv("UNTORN_SCHEDULE", words, 1);
    again = fail_each(asked, &fault, 1);
    unsetenv("UNTORN_SCHEDULE");
    CHECK_TEXT(again.story, report.story);
    asked.processes[0] = save_carefully;
    CHECK_INT(fail_each(asked, &fault, 1).bad, 0);
}
