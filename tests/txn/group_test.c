#include "txn/commits.h"

#include "txn/group.h"

enum { COUNT = 5 };

static struct untorn_error error;
static struct untorn_options options;
static struct target all[COUNT];
static struct target *targets[COUNT];

static void open_targets(void)
{
    static const char *const names[COUNT] = {"e", "c", "a", "d", "b"};
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(target_open(&all[i], names[i], &options, &error), 0);
        targets[i] = &all[i];
    }
}

static void close_targets(void)
{
    for (int i = 0; i < COUNT; i++)
        target_close(&all[i]);
}

TEST(locks_are_taken_in_the_order_of_their_files)
{
    struct target *failed;
    open_targets();
    CHECK_INT(group_lock(targets, COUNT, &failed, &error), 0); /* [GROUP-1] */
    for (int i = 0; i < COUNT; i++)
        CHECK(all[i].lock.held);
    for (int i = 1; i < COUNT; i++)
        CHECK(targets[i - 1]->lock.own->stat.inode < targets[i]->lock.own->stat.inode);
    group_release(targets, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(!all[i].lock.held);
    close_targets();
}

static void hold(struct partner_context *partner)
{
    struct untorn_lock *lock;
    CHECK_INT(untorn_lock("c", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL), 0);
    partner_ready(partner);
    untorn_unlock(lock);
}

TEST(if_one_cannot_be_had_none_is_held_and_it_is_named)
{
    struct target *failed;
    options.wait_ms = 10;
    struct partner partner = partner_start(hold, NULL);
    open_targets();
    CHECK_INT(group_lock(targets, COUNT, &failed, &error), -UNTORN_LOCKED);
    CHECK_TEXT(failed->place.name, "c");
    for (int i = 0; i < COUNT; i++)
        CHECK(!all[i].lock.held);
    close_targets();
    partner_end(&partner);
}

TEST(a_lock_before_one_that_is_held_already_is_not_waited_for_long)
{
    struct target *failed;
    struct partner partner = partner_start(hold, NULL);
    open_targets();
    (void)group_sort(targets, COUNT, (struct target *[2]){0});
    int place = 0;
    while (targets[place] != &all[1])
        place++;
    if (place == COUNT - 1)
        SKIP("no lock file comes after that of the partner");
    CHECK_INT(target_lock(targets[COUNT - 1], OS_LOCK_EXCLUSIVE, &error), 0);
    uint64_t began = os_clock_ns();
    CHECK_INT(group_lock(&targets[place], 1, &failed, &error), -UNTORN_LOCKED); /* [GROUP-1] */
    CHECK(os_clock_ns() - began < 5000000000u);
    close_targets();
    partner_end(&partner);
}

TEST(two_targets_of_one_file_are_found)
{
    struct target one, other, *both[] = {&one, &other}, *twins[2];
    put("x", "");
    CHECK_INT(target_open(&one, "x", &options, &error), 0);
    CHECK_INT(target_open(&other, "./x", &options, &error), 0);
    CHECK(group_sort(both, 2, twins));
    CHECK(twins[0] != twins[1]);
    CHECK(!group_sort(both, 1, twins));
    target_close(&one);
    target_close(&other);
}

TEST(of_many_only_the_locks_stay_open)
{
    CHECK(!group_is_large(LIMIT_OPEN_MEMBERS));
    CHECK(group_is_large(LIMIT_OPEN_MEMBERS + 1));
}
