/* What two processes do to one word at the same moment, and what a liar leaves in the memory. */
#include "harness.h"

#ifdef _WIN32
TEST(words_that_change_meanwhile)
{
    SKIP("no memory is shared yet");
}
#else

#include "combine/disturbed.h"
#include "combine/waiting.h"
#include "file/interpose.h"

#include "combine/area.c"

static struct lock lock;
static struct shared_area *shared;
static struct area *area;

static void begin(void)
{
    lock = lock_file_open("lock");
    shared = area_open(&lock, true);
    CHECK(shared);
    area = area_of(shared);
}

static void end(void)
{
    CHECK(!disturbance.due); /* it was met */
    registry_drop_area(shared);
    lock_file_close(&lock);
}

static uint32_t *word_of(int slot)
{
    return &area->slots[slot].word;
}

static void note(const struct lock *where, int64_t pid, int64_t handle, uint64_t number)
{
    unsigned char bytes[OWNER_AREA_SIZE] = {RECORD};
    cursor_put(bytes + 8, (uint64_t)pid, 8);
    cursor_put(bytes + 16, (uint64_t)handle, 8);
    cursor_put(bytes + 24, number, 8);
    CHECK_INT(io_write(where->own->fd, bytes, sizeof bytes, owner_area_place()), 0);
}

/* ---- two at the same moment ---- */

/* [AREA-1] */
TEST(a_slot_that_another_claims_is_left_to_it)
{
    begin();
    disturb(word_of(0), AREA_FILLING);
    CHECK_INT(area_publish(area, "", 0), 1);
    end();
}

TEST(of_two_who_use_a_new_slot_both_are_counted)
{
    begin();
    disturb(&area->used, 5);
    CHECK_INT(area_publish(area, "", 0), 0);
    CHECK_INT(area_used(area), 5);
    area->used = 0;
    CHECK(area_withdraw(area, 0));
    area->slots[0].word = AREA_FILLING;
    area->slots[1].word = AREA_FILLING;
    disturb(&area->used, 1);
    CHECK_INT(area_publish(area, "", 0), 2);
    CHECK_INT(area_used(area), 3); /* one that had the second slot was not done with it */
    end();
}

TEST(of_two_who_arrive_both_are_counted)
{
    begin();
    disturb(&area->arrivals, 7);
    CHECK_INT(area_publish(area, "", 0), 0);
    CHECK_INT(area->arrivals, 8);
    end();
}

TEST(the_holder_is_not_woken_before_all_it_waits_for_are_there)
{
    begin();
    area->goal = 2;
    CHECK_INT(area_publish(area, "", 0), 0);
    CHECK(!is_reached(area->arrivals, area->goal));
    CHECK_INT(area_publish(area, "", 0), 1);
    CHECK(is_reached(area->arrivals, area->goal));
    end();
}

/* [AREA-5] */
TEST(one_of_two_leads)
{
    begin();
    int slot = area_publish(area, "", 0);
    disturb(&area->leader, 3);
    CHECK(!area_leads(area, slot));
    CHECK_INT(area->leader, 3);
    end();
}

/* [AREA-4] */
TEST(what_is_answered_just_then_is_not_given_up)
{
    begin();
    int slot = area_publish(area, "", 0);
    CHECK(area_take(area, slot, 1));
    disturb(word_of(slot), AREA_DONE);
    CHECK(!area_abandon(area, slot));
    CHECK_INT(area_state(area, slot), AREA_DONE);
    end();
}

/* [AREA-1] */
TEST(what_is_withdrawn_just_then_is_not_taken)
{
    begin();
    int slot = area_publish(area, "", 0);
    disturb(word_of(slot), AREA_FREE);
    CHECK(!area_take(area, slot, 1));
    CHECK_INT(area_state(area, slot), AREA_FREE);
    end();
}

/* [AREA-4] */
TEST(what_is_given_up_just_then_is_free)
{
    begin();
    int slot = area_publish(area, "", 0);
    CHECK(area_take(area, slot, 9));
    disturb(word_of(slot), *word_of(slot) - AREA_TAKEN + AREA_ABANDONED);
    area_release(area, slot, AREA_DONE);
    CHECK_INT(area_state(area, slot), AREA_FREE);
    *word_of(slot) = AREA_FILLING; /* it is another's by now */
    area_release(area, slot, AREA_DONE);
    CHECK_INT(area_state(area, slot), AREA_FILLING);
    end();
}

TEST(who_withdraws_just_then_is_not_called)
{
    begin();
    int a = area_publish(area, "", 0), b = area_publish(area, "", 0);
    disturb(word_of(a), AREA_FREE);
    area_call_next(area, false);
    CHECK_INT(area_state(area, a), AREA_FREE);
    CHECK_INT(area_state(area, b), AREA_CALLED);
    CHECK_INT(area->leader, b + 1);
    end();
}

TEST(one_of_two_steps_back)
{
    begin();
    area->yield = 1;
    disturb(&area->yield, 0);
    CHECK(!area_takes_yield(area));
    end();
}

/* ---- the dead ---- */

static int64_t ended_pid(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK_INT(waitpid(child, NULL, 0), child);
    return child;
}

/* [AREA-1] */
TEST(only_what_a_dead_one_had_in_hand_is_used_again)
{
    static const enum area_state states[] = {AREA_FILLING, AREA_DONE, AREA_RETURNED};
    int64_t dead = ended_pid();
    begin();
    for (int i = 0; i < AREA_SLOTS; i++)
        CHECK_INT(area_publish(area, "", 0), i);
    CHECK_INT(area_publish(area, "", 0), -1); /* what is published is for the holder */
    for (int i = 0; i < 3; i++) {
        *word_of(i) = states[i];
        CHECK_INT(area_publish(area, "", 0), -1); /* its owner lives */
    }
    for (int i = 0; i < 3; i++) {
        *word_of(i) = states[i];
        area->slots[i].pid = dead;
        CHECK_INT(area_publish(area, "", 0), i);
    }
    *word_of(1) = AREA_DONE;
    area->slots[1].pid = dead;
    disturb(word_of(1), AREA_FILLING); /* another has found it too */
    CHECK_INT(area_publish(area, "", 0), -1);
    end();
}

/* ---- numbers that cannot be ---- */

TEST(numbers_out_of_range_are_bounded)
{
    begin();
    area->used = AREA_SLOTS + 72;
    CHECK_INT(area_used(area), AREA_SLOTS);
    area->expected = AREA_SLOTS + 1;
    area_gather(area); /* for nobody */
    CHECK_INT(area->goal, 0);
    area->leader = AREA_SLOTS + 1;
    area_call_next(area, false);
    CHECK(!area_is_busy(area));
    end();
}

/* The holder counts itself; one more is expected, and 0 is no goal. */
TEST(arrivals_may_pass_zero)
{
    begin();
    area->arrivals = UINT32_MAX;
    area->expected = 2;
    area->took = 1;
    area_gather(area);
    CHECK_INT(area->goal, 0);
    end();
}

/* ---- finding it ---- */

static void finds_none(void *context)
{
    struct lock own = lock_file_open("lock");
    (void)context;
    CHECK(!area_open(&own, false));
}

TEST(one_that_is_not_of_this_lock_is_not_taken)
{
    begin();
    uint64_t *const numbers[] = {&area->device, &area->inode, &area->born};
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            ++*numbers[i];
        else
            area->magic++;
        CHECK_INT(write_record(lock.own->fd, &shared->area), 0);
        in_child(finds_none, NULL);
        if (i < 3)
            --*numbers[i];
    }
    end();
}

TEST(what_no_process_noted_is_no_record)
{
    static const int64_t noted[][2] = {{-1, 3}, {1, -1}, {0, 0}};
    struct record record;
    begin();
    for (int i = 0; i < 3; i++) {
        note(&lock, noted[i][0], noted[i][1], 1);
        CHECK(!read_record(lock.own->fd, &record));
    }
    area_retire_if_replaced(shared, lock.own->fd); /* none is noted, so none replaced it */
    CHECK_INT(area->retired, 0);
    end();
}

static void fills_the_registry(void)
{
    for (int i = 0; i < AREA_SLOTS; i++) {
        struct os_stat other = {.inode = 1000 + (uint64_t)i};
        struct os_area memory;
        if (os_area_make(sizeof(struct area), &memory) < 0)
            SKIP("no more memory can be shared");
        if (!registry_keep_area(&memory, &other))
            return;
    }
}

TEST(without_memory_there_is_none)
{
    lock = lock_file_open("lock");
    fail(CALL_CHMOD, "memfd:untorn", 1, EIO);
    CHECK(!area_open(&lock, true));
    forget_rules();
    fail(CALL_WRITE, "/lock", 1, EIO);
    CHECK(!area_open(&lock, true)); /* nobody would find it */
    forget_rules();
    fills_the_registry();
    CHECK(!area_open(&lock, true));
    lock_file_close(&lock);
}

static void makes_and_ends(void *context)
{
    struct lock own = lock_file_open("lock");
    (void)context;
    CHECK(area_open(&own, true));
}

TEST(who_is_to_wait_makes_another_at_once_where_the_noted_one_is_gone)
{
    lock = lock_file_open("lock");
    in_child(makes_and_ends, NULL);
    shared = area_open(&lock, true);
    CHECK(shared);
    end();
}

TEST(a_path_that_leads_to_no_file_has_none)
{
    struct untorn_options options = {0};
    struct os_stat dir;
    begin();
    CHECK_INT(os_stat(OS_NONE, ".", &dir), 0);
    registry_note_home(shared, &dir, "a");
    CHECK(!area_find("", &options));
    CHECK(!area_find("gone/a", &options));
    struct shared_area *found = area_find("a", &options);
    CHECK(found == shared);
    registry_drop_area(found);
    end();
}

#endif
