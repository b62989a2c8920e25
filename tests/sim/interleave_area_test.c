/* run: plain
 *
 * Several simulated processes that share memory, in every order. */
#include "harness.h"

#include <errno.h>
#include <string.h>

#include "os/os.h"
#include "os/sim/interleave.h"

enum { SIZE = 4096, TRIES = 10 };
enum { COUNTER, READY, BELL, LOCKED, PAYLOAD };

static void setup(void *context)
{
    (void)context;
    sim_make_dir("/d");
}

/* Process 0 makes the area and writes down how to join it. NULL: it is gone, or was killed. */
static uint32_t *enter(int number, struct os_area *area)
{
    os_fd file = OS_NONE;
    if (number == 0) {
        CHECK_INT(os_area_make(SIZE, area), 0);
        CHECK_INT(os_open(OS_NONE, "d/new", OS_WRITE | OS_CREATE, 0600, &file), 0);
        CHECK_INT(os_write_at(file, area, sizeof *area, 0), sizeof *area);
        os_close(file);
        CHECK_INT(os_rename(OS_NONE, "d/new", OS_NONE, "d/area", OS_REPLACE), 0);
        return area->memory;
    }
    struct os_area seen;
    for (int i = 0; os_open(OS_NONE, "d/area", OS_READ, 0, &file) < 0; i++) {
        if (i == TRIES)
            return NULL;
        os_sleep_ns(1000000);
    }
    CHECK_INT(os_read_at(file, &seen, sizeof seen, 0), sizeof seen);
    os_close(file);
    if (os_area_join(1000, seen.handle, seen.number, seen.size, area) < 0)
        return NULL;
    return area->memory;
}

/* Until the others have come and gone, so that the area stays. */
static void stay(int number)
{
    if (number == 0)
        os_sleep_ns(100000000);
}

static struct sim_interleavings interleave(struct sim_interleaving asked)
{
    static struct sim_interleavings report;
    asked.setup = setup;
    sim_interleave(&asked, &report);
    sim_print_interleavings(&asked, &report);
    CHECK(!report.limited);
    CHECK_INT(report.cut, 0);
    return report;
}

/* ---- a counter ---- */

static void count_by_store(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    uint32_t value = os_load(&words[COUNTER]) + 1;
    os_store(&words[COUNTER], value);
    sim_ack((int)value);
    stay(number);
}

static void count_by_swap(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area), value;
    (void)context;
    if (!words)
        return;
    do
        value = os_load(&words[COUNTER]);
    while (!os_swap(&words[COUNTER], value, value + 1));
    sim_ack((int)value + 1);
    stay(number);
}

static const char *all_are_counted(void *context)
{
    const int *count = context;
    for (int i = 1; i <= *count; i++)
        if (!sim_acked(i))
            return "two processes counted the same";
    return NULL;
}

TEST(a_counter_that_is_loaded_and_stored_loses_counts_and_one_that_is_swapped_does_not)
{
    int count = 2;
    struct sim_interleaving asked = {.name = "counter by store",
                                     .processes = {count_by_store, count_by_store},
                                     .verify = all_are_counted,
                                     .context = &count,
                                     .preemptions = 1,
                                     .quiet = true};
    struct sim_interleavings report = interleave(asked);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "word 0 of area 1: load gives 0") != NULL);
    asked.name = "counter by swap";
    asked.quiet = false;
    asked.preemptions = SIM_UNLIMITED;
    asked.processes[0] = asked.processes[1] = count_by_swap;
    CHECK_INT(interleave(asked).bad, 0);
    asked.processes[2] = count_by_swap;
    count = 3;
    CHECK_INT(interleave(asked).bad, 0);
}

/* ---- a lock without sleep ---- */

static void count_under_spin_lock(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    while (!os_swap(&words[LOCKED], 0, 1))
        continue;
    words[PAYLOAD]++; /* no step: nobody comes between */
    sim_ack((int)words[PAYLOAD]);
    os_store(&words[LOCKED], 0);
    stay(number);
}

TEST(who_spins_lets_the_others_go_on)
{
    int count = 2;
    struct sim_interleaving asked = {.name = "spin lock",
                                     .processes = {count_under_spin_lock, count_under_spin_lock},
                                     .verify = all_are_counted,
                                     .context = &count,
                                     .preemptions = 2};
    CHECK_INT(interleave(asked).bad, 0);
}

/* ---- waiting ---- */

static const uint64_t for_long = 3600000000000;

static void ring(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    os_store(&words[READY], 1);
    os_store(&words[BELL], 1);
    os_wake(&words[BELL]);
    stay(number);
}

static void wait_too_late(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    while (words && os_load(&words[READY]) == 0)
        os_wait(&words[BELL], os_load(&words[BELL]), for_long);
}

static void wait_well(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    uint32_t bell = os_load(&words[BELL]);
    while (os_load(&words[READY]) == 0) {
        os_wait(&words[BELL], bell, for_long);
        bell = os_load(&words[BELL]);
    }
    sim_ack(number);
}

static const char *accept(void *context)
{
    (void)context;
    return NULL;
}

TEST(a_wake_up_that_is_lost_is_found)
{
    struct sim_interleaving asked = {.name = "lost wake-up",
                                     .processes = {ring, wait_too_late},
                                     .verify = accept,
                                     .preemptions = 2,
                                     .patience = 1000000000,
                                     .quiet = true};
    struct sim_interleavings report = interleave(asked);
    CHECK(report.bad > 0);
    CHECK(report.bad < report.schedules);
    CHECK(strstr(report.story, "everybody waits") != NULL);
    asked.name = "no lost wake-up";
    asked.quiet = false;
    asked.preemptions = SIM_UNLIMITED;
    asked.processes[1] = asked.processes[2] = wait_well;
    CHECK_INT(interleave(asked).bad, 0);
}

static void wait_once(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    os_wait(&words[READY], 0, UINT64_MAX);
    sim_ack(os_load(&words[READY]) == 1 ? 1 : 2);
}

static const char *it_was_ready(void *context)
{
    (void)context;
    return sim_acked(2) ? "the waiting ended too soon" : NULL;
}

static void ring_later(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    os_sleep_ns(1000000);
    os_store(&words[READY], 1);
    os_wake(&words[READY]);
    stay(number);
}

TEST(who_relies_on_having_been_woken_is_found_where_waiting_ends_for_no_reason)
{
    struct sim_interleaving asked = {.name = "for no reason",
                                     .processes = {ring_later, wait_once},
                                     .verify = it_was_ready,
                                     .preemptions = 2,
                                     .quiet = true};
    CHECK_INT(interleave(asked).bad, 0);
    asked.hurries = 1;
    struct sim_interleavings report = interleave(asked);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "waits no longer, for no reason") != NULL);
    asked.processes[1] = wait_well;
    asked.hurries = 2;
    CHECK_INT(interleave(asked).bad, 0);
}

static void wait_for_ever(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    while (words && os_load(&words[READY]) == 0)
        os_wait(&words[BELL], 0, UINT64_MAX);
    sim_ack(number);
}

TEST(who_waits_for_ever_is_found_without_a_limit_of_patience)
{
    struct sim_interleaving asked = {
        .name = "for ever", .processes = {wait_for_ever}, .verify = accept, .quiet = true};
    CHECK_INT(interleave(asked).bad, 1);
    asked.processes[0] = ring;
    asked.processes[1] = wait_for_ever;
    CHECK_INT(interleave(asked).bad, 0);
}

TEST(who_waits_for_a_process_that_was_killed_is_found)
{
    struct sim_interleaving asked = {.name = "nobody rings",
                                     .processes = {ring, wait_well},
                                     .verify = accept,
                                     .preemptions = 2,
                                     .kills = 1,
                                     .patience = 1000000000,
                                     .steps = 200,
                                     .quiet = true};
    static struct sim_interleavings report;
    asked.setup = setup;
    sim_interleave(&asked, &report);
    sim_print_interleavings(&asked, &report);
    CHECK(report.bad > 0);
}

/* ---- what is written and read without steps ---- */

static void keep(void *context, int number)
{
    struct os_area area;
    (void)context;
    (void)enter(number, &area);
    stay(number);
}

/* What it writes depends on what another has done; then it is gone. */
static uint32_t letter(void)
{
    struct os_stat stat;
    return os_stat(OS_NONE, "d/mark", &stat) == 0 ? 2 : 1;
}

static void make_and_remove_mark(void)
{
    os_fd file;
    CHECK_INT(os_open(OS_NONE, "d/mark", OS_WRITE | OS_CREATE, 0600, &file), 0);
    os_close(file);
    CHECK_INT(os_remove(OS_NONE, "d/mark", false), 0);
}

/* When it is told nothing is left of the letter but what the process knows. */
static void tell_later(uint32_t taken)
{
    struct os_stat stat;
    (void)os_stat(OS_NONE, "d/area", &stat);
    sim_ack((int)taken);
}

static void post(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    words[PAYLOAD] = letter();
    os_store(&words[READY], 1);
}

static void take(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area), taken = 0;
    (void)context;
    if (!words)
        return;
    make_and_remove_mark();
    if (os_load(&words[READY]) != 0) {
        taken = words[PAYLOAD];
        words[PAYLOAD] = 0;
    }
    tell_later(taken);
}

static os_fd lock(void)
{
    os_fd file;
    CHECK_INT(os_open(OS_NONE, "d/lock", OS_READ | OS_CREATE, 0600, &file), 0);
    while (os_lock(file, OS_LOCK_EXCLUSIVE) < 0)
        os_sleep_ns(1000000);
    return file;
}

static void post_under_lock(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    os_fd file = lock();
    words[PAYLOAD] = letter();
    os_close(file);
}

static void take_under_lock(void *context, int number)
{
    struct os_area area;
    uint32_t *words = enter(number, &area);
    (void)context;
    if (!words)
        return;
    make_and_remove_mark();
    os_fd file = lock();
    uint32_t taken = words[PAYLOAD];
    words[PAYLOAD] = 0;
    os_close(file);
    tell_later(taken);
}

static const char *two_is_not_taken(void *context)
{
    (void)context;
    return sim_acked(2) ? "the letter said 2" : NULL;
}

static void compare(sim_program *poster, sim_program *taker)
{
    struct sim_interleaving asked = {.name = "letters, merged",
                                     .processes = {keep, poster, taker},
                                     .verify = two_is_not_taken,
                                     .preemptions = 2,
                                     .quiet = true};
    struct sim_interleavings merged = interleave(asked), every;
    asked.name = "letters, every order";
    asked.every_order = true;
    every = interleave(asked);
    CHECK(merged.bad > 0);
    CHECK(merged.schedules < every.schedules);
    CHECK_INT(merged.outcomes, every.outcomes);
}

/* [INTERLEAVE-1] */
TEST(merging_tells_apart_what_was_written_before_a_word)
{
    compare(post, take);
}

TEST(merging_tells_apart_what_was_written_under_a_lock)
{
    compare(post_under_lock, take_under_lock);
}
