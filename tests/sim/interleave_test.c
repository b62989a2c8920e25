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
        int64_t got = os_read_at(lock, &then, sizeof then, 0);
        os_close(lock);
        if (got == (int64_t)sizeof then && os_clock_ns() - then >= 2000000)
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

TEST(a_lost_update_without_a_lock_needs_one_preemption)
{
    struct sim_interleaving asked = {.name = "no lock",
                                     .processes = {add_without_lock, add_without_lock},
                                     .quiet = true};
    CHECK_INT(interleave(asked).bad, 0);
    asked.preemptions = 1;
    CHECK(interleave(asked).bad > 0);
    asked.preemptions = SIM_UNLIMITED;
    CHECK(interleave(asked).bad > 0);
}

TEST(a_lock_loses_nothing_also_among_three_with_a_kill)
{
    struct sim_interleaving asked = {.name = "lock",
                                     .processes = {add_under_lock, add_under_lock},
                                     .preemptions = SIM_UNLIMITED,
                                     .kills = 2};
    CHECK_INT(interleave(asked).bad, 0);
    asked.processes[2] = add_under_lock;
    asked.kills = 1;
    CHECK_INT(interleave(asked).bad, 0);
}

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
}

TEST(untorn_update_2)
{
    struct sim_interleaving asked = {.name = "two updates",
                                     .processes = {add_by_untorn, add_by_untorn},
                                     .preemptions = 0};
    for (int i = 0; i < 3; i++) {
    asked.preemptions = i;
    CHECK_INT(interleave(asked).bad, 0);
    }
    asked.kills = 1;
    CHECK_INT(interleave(asked).bad, 0);
    asked.kills = 0;
    for (int i = 3; i < 9; i++) {
    asked.preemptions = i;
    CHECK_INT(interleave(asked).bad, 0);
    }
}

TEST(untorn_update_3)
{
    struct sim_interleaving asked = {.name = "three updates",
                                     .processes = {add_by_untorn, add_by_untorn, add_by_untorn},
                                     .preemptions = 0};
    for (int i = 0; i < 3; i++) {
    asked.preemptions = i;
    CHECK_INT(interleave(asked).bad, 0);
    }
    asked.preemptions = 1;
    asked.kills = 1;
    CHECK_INT(interleave(asked).bad, 0);
}

TEST(x)
{
    struct sim_interleaving asked = {.name = "lock of the list",
                                     .processes = {add_under_lock_of_the_list, add_under_lock_of_the_list, add_under_lock_of_the_list},
                                     .preemptions = 2};
    CHECK(interleave(asked).bad > 0);
    asked = (struct sim_interleaving){.name = "lock removed",
                                     .processes = {add_and_remove_the_lock, add_and_remove_the_lock, add_and_remove_the_lock},
                                     .preemptions = 2, .quiet = true};
    CHECK(interleave(asked).bad > 0);
    asked = (struct sim_interleaving){.name = "old locks broken",
                                     .processes = {add_and_break_old_locks, add_and_break_old_locks},
                                     .preemptions = 2, .hurries = 2, .quiet = true};
    CHECK(interleave(asked).bad > 0);
    asked = (struct sim_interleaving){.name = "second look",
                                     .processes = {add_if_it_is_still_the_same, add_if_it_is_still_the_same},
                                     .preemptions = 1, .quiet = true};
    CHECK(interleave(asked).bad > 0);
}
