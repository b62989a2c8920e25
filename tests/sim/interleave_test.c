/* run: plain, budget 30
 *
 * Several simulated processes in every order: known ways of losing an update are found, each with
 * the few bounds that it needs, and the right ones hold. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "file/registry.h"
#include "os/os.h"
#include "os/sim/interleave.h"

/* ---- a list in a file, to which each process adds its letter ---- */

static void setup(void *context)
{
    (void)context;
    sim_put("/d/list", "");
    sim_put("/d/lock", "");
}

/* Each acknowledged letter once, others at most once; processes are 0 and on. */
static const char *verify(void *context)
{
    const char *list = sim_get("/d/list");
    (void)context;
    if (!list)
        return "the list is gone";
    for (int i = 0; i < 4; i++) {
        const char *first = strchr(list, 'a' + i);
        if (sim_acked(i) && !first)
            return "an acknowledged letter is lost";
        if (first && strchr(first + 1, 'a' + i))
            return "a letter is there twice";
    }
    return NULL;
}

static os_fd open_dir(void)
{
    os_fd dir = OS_NONE;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    return dir;
}

static size_t read_list(os_fd dir, char *text, size_t size)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(dir, "list", OS_READ, 0, &file), 0);
    int64_t length = os_read_at(file, text, size, 0);
    CHECK(length >= 0);
    os_close(file);
    return (size_t)length;
}

/* The whole list anew, by a file of its own and a rename. */
static void replace_list(os_fd dir, const char *text, size_t size, int number)
{
    char name[] = {'t', (char)('0' + number), '\0'};
    os_fd file = OS_NONE;
    CHECK_INT(os_open(dir, name, OS_WRITE | OS_CREATE, 0600, &file), 0);
    CHECK_INT(os_write_at(file, text, size, 0), size);
    os_close(file);
    CHECK_INT(os_rename(dir, name, dir, "list", OS_REPLACE), 0);
}

static void add_letter(os_fd dir, int number)
{
    char text[16];
    size_t size = read_list(dir, text, sizeof text);
    text[size] = (char)('a' + number);
    replace_list(dir, text, size + 1, number);
    sim_ack(number);
}

static void add_without_lock(void *context, int number)
{
    (void)context;
    os_fd dir = open_dir();
    add_letter(dir, number);
    os_close(dir);
}

static os_fd lock_name(os_fd dir, const char *name)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(dir, name, OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    while (os_lock(file, OS_LOCK_EXCLUSIVE) == -EWOULDBLOCK)
        os_sleep_ns(500000);
    return file;
}

static void add_under_lock(void *context, int number)
{
    (void)context;
    os_fd dir = open_dir(), lock = lock_name(dir, "lock");
    add_letter(dir, number);
    os_close(lock);
    os_close(dir);
}

static void add_under_lock_of_the_list(void *context, int number)
{
    (void)context;
    os_fd dir = open_dir(), lock = lock_name(dir, "list");
    add_letter(dir, number);
    os_close(lock);
    os_close(dir);
}

static void add_and_remove_the_lock(void *context, int number)
{
    (void)context;
    os_fd dir = open_dir(), lock = lock_name(dir, "lock");
    add_letter(dir, number);
    (void)os_remove(dir, "lock", false);
    os_close(lock);
    os_close(dir);
}

/* A lock file that exists or not, and is broken when it is two milliseconds old. */
static void add_and_break_old_locks(void *context, int number)
{
    os_fd dir = open_dir(), lock = OS_NONE;
    uint64_t then = 0, now = 0;
    (void)context;
    while (os_open(dir, "made", OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0600, &lock) == -EEXIST) {
        os_sleep_ns(1000000);
        if (os_open(dir, "made", OS_READ, 0, &lock) < 0)
            continue;
        if (os_read_at(lock, &then, sizeof then, 0) == 0)
            then = 0;
        os_close(lock);
        if (os_clock_ns() - then >= 2000000)
            (void)os_remove(dir, "made", false);
    }
    now = os_clock_ns();
    (void)os_write_at(lock, &now, sizeof now, 0);
    os_close(lock);
    add_letter(dir, number);
    (void)os_remove(dir, "made", false);
    os_close(dir);
}

static void add_if_it_is_still_the_same(void *context, int number)
{
    char text[16];
    struct os_stat before, after;
    (void)context;
    os_fd dir = open_dir();
    size_t size;
    do {
        CHECK_INT(os_stat(dir, "list", &before), 0);
        size = read_list(dir, text, sizeof text);
        text[size] = (char)('a' + number);
        CHECK_INT(os_stat(dir, "list", &after), 0);
    } while (!os_same_file(&before, &after));
    replace_list(dir, text, size + 1, number);
    sim_ack(number);
    os_close(dir);
}

static struct sim_interleavings interleave(struct sim_interleaving asked)
{
    static struct sim_interleavings report;
    asked.setup = asked.setup ? asked.setup : setup;
    asked.verify = asked.verify ? asked.verify : verify;
    asked.options.unit = 512;
    sim_interleave(&asked, &report);
    sim_print_interleavings(&asked, &report);
    CHECK(!report.limited);
    CHECK_INT(report.cut, 0);
    return report;
}

/* ---- the search itself ---- */

static const char *accept(void *context)
{
    (void)context;
    return NULL;
}

static void look_twice(void *context, int number)
{
    struct os_stat stat;
    (void)context, (void)number;
    for (int i = 0; i < 2; i++)
        CHECK_INT(os_stat(OS_NONE, "d/list", &stat), 0);
}

/* A process of two calls has four parts: up to the first, up to the second, up to its end, and
 * that. [INTERLEAVE-1] */
TEST(without_merging_there_are_as_many_schedules_as_orders)
{
    struct sim_interleaving asked = {.name = "every order of two looks",
                                     .processes = {look_twice},
                                     .verify = accept,
                                     .preemptions = SIM_UNLIMITED,
                                     .every_order = true};
    CHECK_INT(interleave(asked).schedules, 1);
    asked.processes[1] = look_twice;
    CHECK_INT(interleave(asked).schedules, 70); /* 8! / 4! / 4! */
    asked.processes[2] = look_twice;
    CHECK_INT(interleave(asked).schedules, 34650); /* 12! / 4! / 4! / 4! */
    asked.preemptions = 0;
    CHECK_INT(interleave(asked).schedules, 6);
}

/* [INTERLEAVE-2] */
TEST(a_process_is_killed_before_each_of_its_calls)
{
    struct sim_interleaving asked = {.name = "killed",
                                     .processes = {look_twice},
                                     .verify = accept,
                                     .kills = 1,
                                     .every_order = true};
    struct sim_interleavings report = interleave(asked);
    CHECK_INT(report.schedules, 4);
    CHECK_INT(report.killed, 3);
    asked.every_order = false; /* a look changes nothing: one death is like another */
    report = interleave(asked);
    CHECK_INT(report.killed, 1);
}

static void compare(struct sim_interleaving asked)
{
    asked.name = "merged";
    asked.quiet = true;
    struct sim_interleavings merged = interleave(asked), every;
    asked.name = "every order";
    asked.every_order = true;
    every = interleave(asked);
    CHECK(merged.schedules < every.schedules);
    CHECK_INT(merged.outcomes, every.outcomes);
    CHECK_INT(merged.bad > 0, every.bad > 0);
}

/* [INTERLEAVE-1] */
TEST(merging_loses_no_outcome)
{
    sim_program *const programs[] = {add_without_lock, add_under_lock, add_and_remove_the_lock,
                                     add_if_it_is_still_the_same, add_and_break_old_locks};
    for (int i = 0; i < 5; i++) {
        sim_program *program = programs[i];
        compare((struct sim_interleaving){.processes = {program, program}, .preemptions = 4});
        compare((struct sim_interleaving){
            .processes = {program, program}, .preemptions = 2, .kills = 1, .hurries = 1});
        compare(
            (struct sim_interleaving){.processes = {program, program, program}, .preemptions = 1});
    }
}

/* ---- programs of random calls, which at their end tell what they came to know ---- */

static uint64_t known_with(uint64_t known, uint64_t more)
{
    known = (known ^ more) * 0x9fb21c651e98df25ull;
    return known ^ known >> 32;
}

static int see_name(void *context, const char *name)
{
    uint64_t *known = context;
    *known = known_with(*known, (unsigned char)name[0]);
    return 0;
}

static uint64_t look_at_content(uint64_t known)
{
    unsigned char bytes[8] = {0};
    os_fd file;
    int rc = os_open(OS_NONE, "d/list", OS_READ, 0, &file);
    if (rc < 0)
        return known_with(known, 1);
    known = known_with(known, (uint64_t)os_read_at(file, bytes, sizeof bytes, 0));
    os_close(file);
    for (size_t i = 0; i < sizeof bytes; i++)
        known = known_with(known, bytes[i]);
    return known;
}

static uint64_t look_at_others(uint64_t known, int number)
{
    struct os_process other;
    os_fd dir;
    os_self(&other);
    other.pid = 1000 + !number;
    other.start = number ? 1 : 1000002;
    known = known_with(known, os_is_alive(&other));
    CHECK_INT(os_open_dir(OS_NONE, "d", false, &dir), 0);
    CHECK_INT(os_list(dir, see_name, &known), 0);
    os_close(dir);
    return known;
}

static uint64_t change_content(uint64_t known, int number)
{
    os_fd file;
    int rc = os_open(OS_NONE, "d/list", OS_WRITE, 0, &file);
    if (rc == 0)
        rc = (int)os_write_at(file, number ? "xy" : "z", number ? 2 : 1, (uint64_t)number);
    if (rc > 0)
        rc = os_close(file);
    return known_with(known, (uint64_t)rc);
}

static uint64_t make_file(uint64_t known, const char *name)
{
    os_fd file;
    int rc = os_open(OS_NONE, name, OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0600, &file);
    if (rc == 0)
        os_close(file);
    return known_with(known, (uint64_t)rc);
}

static uint64_t try_lock(uint64_t known)
{
    os_fd file;
    CHECK_INT(os_open(OS_NONE, "d/lock", OS_READ, 0, &file), 0);
    return known_with(known, (uint64_t)os_lock(file, OS_LOCK_EXCLUSIVE));
}

static uint64_t do_something(unsigned what, int number, uint64_t known)
{
    struct os_stat stat = {0};
    switch (what) {
    case 0:
        return look_at_content(known);
    case 1:
        known = known_with(known, (uint64_t)os_stat(OS_NONE, "d/list", &stat));
        return known_with(known_with(known, stat.size), stat.inode);
    case 2:
        return look_at_others(known, number);
    case 3:
        return change_content(known, number);
    case 4:
        return make_file(known, number ? "d/x" : "d/y");
    case 5:
        return known_with(known,
                          (uint64_t)os_rename(OS_NONE, "d/x", OS_NONE, "d/list", OS_REPLACE));
    case 6:
        return known_with(known, (uint64_t)os_remove(OS_NONE, "d/y", false));
    case 7:
        return try_lock(known);
    default:
        os_sleep_ns((uint64_t)(1 + known % 3) * 1000000);
        return known_with(known, os_clock_ns());
    }
}

static void do_anything(void *context, int number)
{
    const uint64_t *seed = context;
    uint64_t choice = *seed * 2 + (uint64_t)number, known = 0;
    for (int i = 0; i < 4; i++) {
        choice = known_with(choice + 0x9e3779b97f4a7c15ull, 7);
        known = do_something((unsigned)(choice >> 40) % 9, number, known);
    }
    sim_ack((int)(known % 60));
}

/* [INTERLEAVE-1] */
TEST(merging_loses_no_outcome_of_random_programs)
{
    struct sim_interleavings all = {0}, alone = {0};
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct sim_interleaving asked = {.name = "random programs",
                                         .setup = setup,
                                         .processes = {do_anything, do_anything},
                                         .verify = accept,
                                         .context = &seed,
                                         .preemptions = seed % 2 ? SIM_UNLIMITED : 2,
                                         .kills = !(seed % 2),
                                         .hurries = seed % 3 == 0};
        static struct sim_interleavings merged, every;
        asked.limit = 4000; /* a program with more orders is left out */
        asked.every_order = true;
        sim_interleave(&asked, &every);
        asked.every_order = false;
        sim_interleave(&asked, &merged);
        if (every.limited)
            continue;
        CHECK_INT(merged.outcomes, every.outcomes);
        all.schedules += every.schedules;
        alone.schedules += merged.schedules;
    }
    printf("    %ld orders, %ld of them after merging\n", all.schedules, alone.schedules);
    CHECK(alone.schedules < all.schedules / 4);
}

static void look_for_ever(void *context, int number)
{
    struct os_stat stat;
    (void)context, (void)number;
    while (os_stat(OS_NONE, "d/never", &stat) < 0)
        continue;
}

TEST(who_never_ends_is_cut_off_and_counted)
{
    struct sim_interleaving asked = {.name = "for ever",
                                     .setup = setup,
                                     .processes = {look_for_ever, look_twice},
                                     .verify = accept};
    static struct sim_interleavings report;
    sim_interleave(&asked, &report);
    sim_print_interleavings(&asked, &report);
    CHECK_INT(report.schedules, 0);
    CHECK(report.cut > 0);
    CHECK_INT(report.longest, 5001);
}

TEST(the_search_ends_at_its_limit_and_says_so)
{
    struct sim_interleaving asked = {.name = "limited",
                                     .setup = setup,
                                     .processes = {add_without_lock, add_without_lock},
                                     .verify = verify,
                                     .preemptions = 2,
                                     .limit = 10,
                                     .quiet = true};
    static struct sim_interleavings report;
    sim_interleave(&asked, &report);
    CHECK(report.limited);
    CHECK_INT(report.schedules + report.merged, 10);
    asked.limit = 0;
    asked.enough = 1;
    sim_interleave(&asked, &report);
    CHECK(!report.limited);
    CHECK_INT(report.bad, 1);
}

TEST(a_bad_schedule_is_told_and_runs_again_by_its_words)
{
    char words[1200];
    struct sim_interleaving asked = {.name = "again",
                                     .processes = {add_without_lock, add_without_lock},
                                     .preemptions = 2,
                                     .quiet = true};
    struct sim_interleavings first = interleave(asked), again;
    CHECK(strstr(first.story, "BAD: an acknowledged letter is lost\n") != NULL);
    CHECK(strstr(first.story, "1 preemptions, 0 kills") != NULL);
    CHECK(strstr(first.story, "  process 1:\n") != NULL);
    CHECK(strstr(first.story, "rename /d/t0 -> /d/list\n       acknowledged: 0\n") != NULL);
    snprintf(words, sizeof words, "again/%s", first.schedule);
    setenv("UNTORN_SCHEDULE", words, 1);
    again = interleave(asked);
    CHECK_INT(again.bad, 1);
    CHECK_TEXT(again.story, first.story);
    setenv("UNTORN_SCHEDULE", "again/", 1); /* nothing but what happens by itself */
    again = interleave(asked);
    CHECK_INT(again.bad, 0);
    CHECK(strstr(again.story, "GOOD: ") == again.story);
}

TEST(random_schedules_find_what_the_bounds_leave_out)
{
    struct sim_interleaving asked = {.name = "at random",
                                     .processes = {add_without_lock, add_without_lock},
                                     .random = 200,
                                     .kills = 1,
                                     .quiet = true};
    struct sim_interleavings report = interleave(asked);
    CHECK(report.bad > 0);
    CHECK(report.killed > 0);
    asked.processes[0] = asked.processes[1] = add_under_lock;
    CHECK_INT(interleave(asked).bad, 0);
}

/* ---- what belongs to a process ---- */

/* [INTERLEAVE-3] */
static void keep_to_itself(void *context, int number)
{
    static unsigned char drawn[2][2];
    struct os_process self;
    (void)context;
    registry_self(&self); /* remembered in the global */
    for (int i = 0; i < 2; i++) {
        unsigned char byte;
        errno = 100 + number;
        look_twice(NULL, number);
        CHECK_INT(errno, 100 + number);
        CHECK_INT(os_random(&byte, 1), 0);
        CHECK(drawn[number][i] == 0 || drawn[number][i] == byte);
        drawn[number][i] = byte;
        registry_self(&self);
        CHECK_INT(self.pid, 1000 + number);
    }
}

TEST(errno_random_bytes_and_the_global_belong_to_one_process)
{
    struct sim_interleaving asked = {.name = "apart",
                                     .processes = {keep_to_itself, keep_to_itself},
                                     .verify = accept,
                                     .preemptions = 3,
                                     .every_order = true};
    CHECK(interleave(asked).schedules > 100);
}

static void allocate_much(void *context, int number)
{
    (void)context;
    char *memory = malloc(20 << 20), *more = realloc(memory, 21 << 20);
    CHECK(memory && more);
    more[0] = (char)number;
    look_twice(NULL, number);
    free(more);
}

/* Several times the address space there is for it. [INTERLEAVE-2] */
TEST(what_a_killed_process_allocated_is_gone_with_it)
{
    struct sim_interleaving asked = {.name = "memory",
                                     .processes = {allocate_much, allocate_much},
                                     .verify = accept,
                                     .preemptions = 1,
                                     .kills = 2,
                                     .every_order = true};
    CHECK(interleave(asked).schedules > 60);
}

static void sleep_for(void *context, int number)
{
    uint64_t before = os_clock_ns(), duration = (uint64_t)(3 - number) * 1000000;
    (void)context;
    os_sleep_ns(duration);
    CHECK_INT(os_clock_ns() - before, duration);
    sim_ack(number);
    sim_ack(10 + (sim_acked(0) ? 0 : 1)); /* 11: this one came before process 0 */
}

static const char *came_in_order(void *context)
{
    (void)context;
    return sim_acked(11) ? NULL : "the longest sleep ended first";
}

/* [INTERLEAVE-4] */
TEST(sleepers_go_on_in_the_order_of_their_times)
{
    struct sim_interleaving asked = {.name = "sleep",
                                     .processes = {sleep_for, sleep_for, sleep_for},
                                     .verify = came_in_order,
                                     .preemptions = SIM_UNLIMITED};
    CHECK_INT(interleave(asked).bad, 0);
    asked.patience = 100000;
    asked.quiet = true;
    struct sim_interleavings report = interleave(asked);
    CHECK_INT(report.bad, report.schedules);
    CHECK(strstr(report.story, "everybody waits") != NULL);
}

/* ---- ways to lose an update, and ways not to ---- */

TEST(a_lost_update_without_a_lock_needs_one_preemption)
{
    struct sim_interleaving asked = {
        .name = "no lock", .processes = {add_without_lock, add_without_lock}, .quiet = true};
    CHECK_INT(interleave(asked).bad, 0);
    asked.preemptions = 1;
    CHECK(interleave(asked).bad > 0);
}

TEST(a_lock_on_the_file_that_is_replaced_loses_updates_of_three)
{
    sim_program *const program = add_under_lock_of_the_list;
    struct sim_interleaving asked = {.name = "lock of the list",
                                     .processes = {program, program},
                                     .preemptions = SIM_UNLIMITED,
                                     .quiet = true};
    CHECK_INT(interleave(asked).bad, 0);
    asked.processes[2] = program;
    asked.preemptions = 2;
    CHECK(interleave(asked).bad > 0);
}

TEST(a_lock_file_that_is_removed_loses_updates_of_three)
{
    sim_program *const program = add_and_remove_the_lock;
    struct sim_interleaving asked = {.name = "lock removed",
                                     .processes = {program, program, program},
                                     .preemptions = 2,
                                     .quiet = true};
    CHECK(interleave(asked).bad > 0);
}

TEST(a_lock_that_is_broken_by_age_loses_updates_of_the_slow_and_after_a_kill)
{
    sim_program *const program = add_and_break_old_locks;
    struct sim_interleaving asked = {.name = "old locks broken",
                                     .processes = {program, program},
                                     .preemptions = 2,
                                     .quiet = true};
    CHECK_INT(interleave(asked).bad, 0);
    asked.hurries = 2;
    CHECK(interleave(asked).bad > 0);
    asked.hurries = 0;
    asked.kills = 1;
    asked.processes[2] = program;
    CHECK(interleave(asked).bad > 0);
}

TEST(a_second_look_before_the_rename_is_no_lock)
{
    sim_program *const program = add_if_it_is_still_the_same;
    struct sim_interleaving asked = {
        .name = "second look", .processes = {program, program}, .preemptions = 1, .quiet = true};
    CHECK(interleave(asked).bad > 0);
}

TEST(a_lock_beside_the_file_loses_nothing_in_any_order_with_two_kills)
{
    struct sim_interleaving asked = {.name = "lock",
                                     .processes = {add_under_lock, add_under_lock, add_under_lock},
                                     .preemptions = SIM_UNLIMITED,
                                     .kills = 2};
    CHECK_INT(interleave(asked).bad, 0);
}

/* ---- untorn_update ---- */

static int update_list(void *context, const struct untorn_content *old,
                       struct untorn_change *change)
{
    const int *number = context;
    char text[16];
    memcpy(text, old->data, old->size);
    text[old->size] = (char)('a' + *number);
    return untorn_change_set(change, text, old->size + 1);
}

static void add_by_untorn(void *context, int number)
{
    (void)context;
    if (untorn_update("/d/list", update_list, &number, NULL, NULL) == 0)
        sim_ack(number);
    else
        sim_ack(10);
}

static void setup_used(void *context)
{
    (void)context;
    sim_make_dir("/d");
    CHECK_INT(untorn_write("/d/list", "z", 1, NULL, NULL), 0);
}

static const char *verify_and_go_on(void *context)
{
    int next = 3;
    const char *verdict = verify(context);
    if (verdict)
        return verdict;
    if (sim_acked(10))
        return "an update fails";
    if (untorn_update("/d/list", update_list, &next, NULL, NULL) != 0)
        return "the next update fails";
    return strstr(sim_tree("/d"), "/stage/list") ? "a stage is left over" : NULL;
}

static struct sim_interleaving updates(const char *name, int count)
{
    struct sim_interleaving asked = {
        .name = name, .setup = setup_used, .verify = verify_and_go_on, .preemptions = 2};
    for (int i = 0; i < count; i++)
        asked.processes[i] = add_by_untorn;
    return asked;
}

static bool is_long(void)
{
    return getenv("UNTORN_LONG") != NULL;
}

TEST(two_updates_lose_nothing_in_any_order_with_two_kills)
{
    struct sim_interleaving asked = updates("two updates", 2);
    asked.preemptions = SIM_UNLIMITED;
    asked.kills = 2;
    CHECK_INT(interleave(asked).bad, 0);
    asked.hurries = 1;
    CHECK_INT(interleave(asked).bad, 0);
}

TEST(three_updates_lose_nothing_within_two_preemptions_and_a_kill)
{
    struct sim_interleaving asked = updates("three updates", 3);
    asked.kills = 1;
    asked.preemptions = is_long() ? SIM_UNLIMITED : 2;
    CHECK_INT(interleave(asked).bad, 0);
}

TEST(the_first_updates_of_a_directory_lose_nothing)
{
    struct sim_interleaving asked = updates("two first updates", 2);
    asked.setup = setup;
    asked.kills = 1;
    asked.preemptions = is_long() ? 4 : 2;
    CHECK_INT(interleave(asked).bad, 0);
    asked = updates("three first updates", 3);
    asked.setup = setup;
    asked.kills = is_long();
    CHECK_INT(interleave(asked).bad, 0);
}

TEST(three_updates_lose_nothing_in_random_orders_with_two_kills)
{
    struct sim_interleaving asked = updates("three updates at random", 3);
    asked.preemptions = 0;
    asked.kills = 2;
    asked.hurries = 3;
    asked.options.seed = 1;
    asked.random = is_long() ? 1000000 : 20000;
    CHECK_INT(interleave(asked).bad, 0);
}

TEST(updates_on_a_machine_whose_locks_lie_are_caught)
{
    struct sim_interleaving asked = updates("locks that lie", 2);
    asked.broken = SIM_LOCK_LIES;
    asked.quiet = true;
    CHECK(interleave(asked).bad > 0);
}
