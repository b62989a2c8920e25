/* Memory that simulated processes share, one process at a time. */
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "os/sim/sim.h"

enum { SIZE = 8192 };

static struct os_area make(void)
{
    struct os_area area = {0};
    CHECK_INT(os_area_make(SIZE, &area), 0);
    return area;
}

static int join(const struct os_area *of, int process, struct os_area *ret_area)
{
    return os_area_join(1000 + process, of->handle, of->number, of->size, ret_area);
}

/* The status of a child process in which the word is looked at. */
static bool can_look_at(const volatile uint32_t *word)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit((int)(*word & 0));
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(an_area_is_zeroed_and_seen_by_all_who_join_it_each_at_a_place_of_its_own)
{
    struct os_area one = make(), other;
    uint32_t *word = one.memory, *same;
    CHECK_INT(one.size, SIZE);
    for (int i = 0; i < SIZE / 4; i++)
        CHECK_INT(os_load(word + i), 0);
    os_store(word + 5, 7);
    sim_process(1);
    CHECK_INT(join(&one, 0, &other), 0);
    CHECK(other.memory != one.memory);
    CHECK_INT(other.number, one.number);
    CHECK_INT(other.size, SIZE);
    same = other.memory;
    CHECK_INT(os_load(same + 5), 7);
    CHECK(!os_swap(same + 5, 8, 9));
    CHECK(os_swap(same + 5, 7, 9));
    sim_process(0);
    CHECK_INT(os_load(word + 5), 9);
    CHECK_TEXT(sim_misuse(), NULL);
}

TEST(an_area_can_be_joined_through_everyone_who_has_it)
{
    struct os_area one = make(), other, third;
    sim_process(1);
    CHECK_INT(join(&one, 0, &other), 0);
    sim_process_kill(0);
    sim_process(2);
    CHECK_INT(join(&one, 0, &third), -ENOENT);
    CHECK_INT(join(&other, 1, &third), 0);
}

TEST(no_area_is_joined_by_a_wrong_number_size_process_or_user)
{
    struct os_area one = make(), other;
    sim_process(1);
    CHECK_INT(os_area_join(1000, one.handle, one.number + 1, SIZE, &other), -ENOENT);
    CHECK_INT(os_area_join(1000, one.handle, one.number, SIZE - 1, &other), -ENOENT);
    CHECK_INT(os_area_join(1000, one.handle + 1, one.number, SIZE, &other), -ENOENT);
    CHECK_INT(os_area_join(1001, one.handle, one.number, SIZE, &other), -ENOENT);
    CHECK_INT(os_area_join(7, one.handle, one.number, SIZE, &other), -ENOENT);
    sim_process_user(5, 5);
    CHECK_INT(join(&one, 0, &other), -ENOENT);
    sim_process_user(0, 0);
    CHECK_INT(join(&one, 0, &other), 0);
}

TEST(an_area_ends_with_the_last_process_that_has_it)
{
    struct os_area one = make(), other, third;
    sim_process(1);
    CHECK_INT(join(&one, 0, &other), 0);
    sim_process_kill(0);
    os_store(other.memory, 3);
    struct os_area left = other;
    os_area_leave(&other);
    CHECK(!other.memory);
    os_area_leave(&other); /* an empty one */
    CHECK_INT(join(&left, 1, &third), -ENOENT);
    struct os_area fresh = make();
    CHECK(fresh.number != left.number);
    CHECK_INT(os_load(fresh.memory), 0);
    CHECK_TEXT(sim_misuse(), NULL);
}

TEST(who_left_an_area_cannot_look_at_it_any_more)
{
    struct os_area one = make(), other;
    const uint32_t *word = one.memory;
    sim_process(1);
    CHECK_INT(join(&one, 0, &other), 0);
    CHECK(can_look_at(word));
    CHECK(can_look_at(other.memory));
    sim_process(0);
    os_area_leave(&one);
    CHECK(!can_look_at(word));
    CHECK(can_look_at(other.memory));
    sim_process_kill(1);
    CHECK(!can_look_at(other.memory));
}

TEST(what_is_joined_twice_is_left_twice)
{
    struct os_area one = make(), again;
    CHECK_INT(join(&one, 0, &again), 0);
    CHECK(again.handle != one.handle);
    os_area_leave(&one);
    os_store(again.memory, 1);
    os_area_leave(&again);
    CHECK_TEXT(sim_misuse(), NULL);
    again.memory = &again;
    os_area_leave(&again);
    CHECK(sim_misuse() != NULL);
}

TEST(waiting_alone_takes_the_time_it_was_given_unless_the_word_is_another)
{
    struct os_area one = make();
    uint32_t *word = one.memory;
    uint64_t before = os_clock_ns();
    os_wait(word, 0, 5000000);
    CHECK(os_clock_ns() - before >= 5000000);
    before = os_clock_ns();
    os_wait(word, 1, 5000000);
    CHECK(os_clock_ns() - before < 1000000);
    os_wake(word);
}

TEST(making_and_joining_can_fail_and_a_machine_may_have_no_areas)
{
    struct os_area one = make(), other;
    sim_fail(&(struct sim_fault){.at = 1, .error = EMFILE, .verbs = SIM_ONLY(SIM_AREA_MAKE)});
    CHECK_INT(os_area_make(SIZE, &other), -EMFILE);
    sim_fail(&(struct sim_fault){.at = 1, .error = EACCES, .verbs = SIM_ONLY(SIM_AREA_JOIN)});
    CHECK_INT(join(&one, 0, &other), -EACCES);
    CHECK_INT(join(&one, 0, &other), 0);
    CHECK_INT(sim_calls_of(SIM_AREA_MAKE), 2);
    sim_start(&(struct sim_options){.no_areas = true});
    CHECK_INT(os_area_make(SIZE, &other), -ENOSYS);
}

/* ---- a crash ---- */

static void put_file(void *context)
{
    (void)context;
    sim_put("/a", "x");
}

static struct os_area last;

static void make_and_write(void *context)
{
    os_fd file;
    (void)context;
    last = make();
    os_store(last.memory, 1);
    CHECK_INT(os_open(OS_NONE, "a", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_write_at(file, "y", 1, 0), 1);
    CHECK_INT(os_close(file), 0);
}

static const char *nothing_is_left(void *context)
{
    struct os_area joined;
    (void)context;
    if (sim_alive())
        return NULL;
    return join(&last, 0, &joined) == -ENOENT ? NULL : "an area outlived the machine";
}

TEST(after_a_crash_no_area_is_left)
{
    struct sim_scenario scenario = {.name = "areas and a crash",
                                    .setup = put_file,
                                    .workload = make_and_write,
                                    .verify = nothing_is_left,
                                    .profiles = SIM_ALL_GATES};
    struct sim_report report;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
    CHECK(report.distinct > 1);
}
