/* The explorer: what it notices, what it does once only, what it tells; and by several processes.
 */
#include "litmus.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void touch(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    put(dir, "X", OS_WRITE | OS_CREATE, 'n', 1, true);
    CHECK_INT(os_close(dir), 0);
}

static void touch_y(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    put(dir, "Y", OS_WRITE | OS_CREATE, 'n', 1, true);
    CHECK_INT(os_close(dir), 0);
}

static void leave_open(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
}

static void close_twice(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    (void)os_close(dir);
    (void)os_close(dir);
}

static void append_byte(void *context)
{
    (void)context;
    os_fd dir, file;
    struct os_stat stat;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "A", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_stat(file, NULL, &stat), 0);
    CHECK_INT(os_write_at(file, "x", 1, stat.size), 1);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_close(dir), 0);
}

static struct sim_report run_odd(void (*workload)(void *), void (*recover)(void *))
{
    struct sim_scenario scenario = {.name = "odd",
                                    .setup = litmus_setup,
                                    .workload = workload,
                                    .recover = recover,
                                    .verify = always_fine,
                                    .profiles = SIM_POSIX,
                                    .quiet = true};
    struct sim_report report;
    sim_explore(&scenario, &report);
    return report;
}

TEST(a_recovery_that_does_not_come_to_rest_is_noticed)
{
    struct sim_report report = run_odd(touch, append_byte);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "recovering twice") != NULL);
    CHECK_INT(run_odd(touch, touch).bad, 0);
}

static void write_much(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    put(dir, "A", OS_WRITE, 'n', 3, false);
    put(dir, "X", OS_WRITE | OS_CREATE, 'n', 1, true);
    CHECK_INT(os_close(dir), 0);
}

/* Whatever became of A, it leaves the same; but an empty X shows in what it leaves. */
static void write_a(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    put(dir, "A", OS_WRITE, 'r', 3, true);
    if (sim_exists("/d/X") && *sim_get("/d/X") == '\0')
        put(dir, "Y", OS_WRITE | OS_CREATE, 'n', 1, true);
    CHECK_INT(os_close(dir), 0);
}

static long ended_well, ended_badly;

static const char *never_y(void *context)
{
    (void)context;
    ended_well += !sim_exists("/d/Y");
    ended_badly += sim_exists("/d/Y");
    return sim_exists("/d/Y") ? "there is a Y" : NULL;
}

static const struct sim_scenario flawed = {
    .name = "a flaw",
    .setup = litmus_setup,
    .workload = write_much,
    .recover = write_a,
    .verify = never_y,
    .profiles = SIM_POSIX,
    .options = {.unit = UNIT},
    .quiet = true,
};

TEST(machines_that_a_recovery_leaves_alike_are_judged_once_unless_they_are_bad)
{
    struct sim_report report, all;
    struct sim_scenario scenario = flawed;
    sim_explore(&scenario, &report);
    long well = ended_well, badly = ended_badly;
    ended_well = ended_badly = 0;
    scenario.every_subset = true; /* judges all */
    sim_explore(&scenario, &all);
    CHECK(report.bad > 0 && badly >= report.bad);
    CHECK_INT(report.bad, all.bad);
    CHECK_INT(report.distinct, all.distinct);
    CHECK_INT(badly, ended_badly);
    CHECK(well < ended_well);
}

TEST(a_handle_left_open_and_one_closed_twice_are_noticed)
{
    CHECK(strstr(run_odd(leave_open, NULL).story, "still open") != NULL);
    CHECK(strstr(run_odd(close_twice, NULL).story, "misuse") != NULL);
    CHECK_INT(run_odd(touch, NULL).bad, 0);
}

static struct os_process worker;

static void remember_itself(void *context)
{
    os_self(&worker);
    touch(context);
}

static const char *compare_with_worker(void *context)
{
    struct os_process self;
    (void)context;
    os_self(&self);
    bool same_boot = strcmp(self.boot, worker.boot) == 0;
    if (sim_alive())
        return same_boot ? NULL : "another boot in one life";
    if (same_boot != (sim_profile() == SIM_PROFILE_KILL))
        return "the boot";
    return same_boot && self.start == worker.start ? "the process" : NULL;
}

TEST(after_a_kill_it_is_the_same_boot_and_another_process)
{
    struct sim_scenario scenario = {.name = "boots",
                                    .setup = litmus_setup,
                                    .workload = remember_itself,
                                    .recover = touch_y,
                                    .verify = compare_with_worker,
                                    .profiles = SIM_KILL | SIM_POSIX};
    struct sim_report report;
    sim_explore(&scenario, &report);
    CHECK_TEXT(report.story, "");
    CHECK(report.deeper > 0);
}

static void remove_and_create(void *context)
{
    (void)context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_remove(dir, "A", false), 0);
    put(dir, "X", OS_WRITE | OS_CREATE, 'n', 1, true);
    CHECK_INT(os_close(dir), 0);
}

TEST(no_disk_holds_two_files_of_one_inode_number)
{
    CHECK(run_odd(remove_and_create, NULL).left_out > 0);
    CHECK_INT(run_odd(touch, NULL).left_out, 0);
}

static const char *never_x(void *context)
{
    (void)context;
    return sim_exists("/d/X") ? "there is an X" : NULL;
}

TEST(a_bad_state_is_told_step_by_step)
{
    struct sim_scenario scenario = {.name = "a story",
                                    .setup = litmus_setup,
                                    .workload = touch,
                                    .verify = never_x,
                                    .profiles = SIM_POSIX,
                                    .quiet = true};
    struct sim_report report;
    sim_explore(&scenario, &report);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "BAD: there is an X") != NULL);
    CHECK(strstr(report.story, "open /d/X, create") != NULL);
    CHECK(strstr(report.story, "/d/A 644 1536 bytes \"ooo") != NULL);
}

static const char *never_x_after_a_crash(void *context)
{
    return sim_alive() ? NULL : never_x(context);
}

static void touch_much(void *context)
{
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    put(dir, "Z", OS_WRITE | OS_CREATE, 'n', 3, false);
    CHECK_INT(os_close(dir), 0);
    touch(context);
}

static struct sim_report explore_by(const char *workers, const struct sim_scenario *scenario)
{
    struct sim_report report;
    CHECK_INT(setenv("UNTORN_WORKERS", workers, 1), 0);
    sim_explore(scenario, &report);
    CHECK_INT(unsetenv("UNTORN_WORKERS"), 0);
    return report;
}

/* None is left out, and none is looked at twice: good ones, bad ones, those inside a recovery. */
TEST(several_processes_find_what_one_does)
{
    struct sim_scenario scenario = {.name = "by several",
                                    .setup = litmus_setup,
                                    .workload = touch_much,
                                    .recover = touch_y,
                                    .verify = never_x_after_a_crash,
                                    .profiles = SIM_KILL | SIM_POSIX,
                                    .quiet = true};
    for (int recovers = 0; recovers < 2; recovers++) {
        scenario.recover = recovers ? touch_y : NULL;
        struct sim_report one = explore_by("1", &scenario), three = explore_by("3", &scenario);
        CHECK(one.bad > 3 && one.distinct > one.bad);
        CHECK((one.deeper > 0) == (recovers == 1));
        CHECK_INT(three.crash_points, one.crash_points);
        CHECK_INT(three.states, one.states);
        CHECK_INT(three.distinct, one.distinct);
        CHECK_INT(three.deeper, one.deeper);
        CHECK_INT(three.bad, one.bad);
        CHECK(strstr(three.story, "BAD: there is an X") != NULL);
    }
}

static pid_t first_of_several;

static const char *only_the_first_lives(void *context)
{
    (void)context;
    if (getpid() != first_of_several)
        _exit(1);
    return NULL;
}

/* What it had taken upon itself nobody has looked at. */
TEST(several_processes_of_which_one_dies_are_not_believed)
{
    struct sim_scenario scenario = {.name = "one of several dies",
                                    .setup = litmus_setup,
                                    .workload = touch,
                                    .verify = only_the_first_lives,
                                    .profiles = SIM_POSIX};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        first_of_several = getpid();
        (void)close(STDERR_FILENO);
        explore_by("2", &scenario);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void story_of_x(struct sim_report *report)
{
    struct sim_scenario scenario = {.name = "a story to be told again",
                                    .setup = litmus_setup,
                                    .workload = touch,
                                    .recover = touch_y,
                                    .verify = never_x_after_a_crash,
                                    .profiles = SIM_POSIX,
                                    .quiet = !getenv("UNTORN_STATE")};
    sim_explore(&scenario, report);
    sim_print(&scenario, report);
}

/* The test runs itself: there it finds UNTORN_STATE, and that one state. */
TEST(a_story_ends_with_the_line_that_shows_it_again)
{
    static struct sim_report report;
    static char printed[2 * sizeof report.story];
    story_of_x(&report);
    if (getenv("UNTORN_STATE")) {
        CHECK_INT(report.bad, 1);
        return;
    }
    CHECK(report.bad > 1);
    char *end = report.story + strlen(report.story) - 1;
    CHECK(*end == '\n');
    *end = '\0';
    FILE *again = popen(strrchr(report.story, '\n') + 1, "r");
    CHECK(again != NULL);
    size_t size = fread(printed, 1, sizeof printed - 1, again);
    CHECK_INT(pclose(again), 0);
    CHECK(size > 0 && strstr(printed, report.story) != NULL);
    CHECK(strstr(printed, "1 passed, 0 failed") != NULL);
}
