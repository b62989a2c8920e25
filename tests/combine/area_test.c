/* The slots in which updates wait. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>

#include "combine/waiting.h"

static struct lock lock;
static struct shared_area *shared;
static struct area *area;

static void begin(void)
{
    lock = lock_file_open("lock");
    CHECK(!area_open(&lock, false));
    shared = area_open(&lock, true);
    CHECK(shared);
    area = area_of(shared);
}

static void end(void)
{
    registry_drop_area(shared);
    lock_file_close(&lock);
}

static struct untorn_error answer_of(int status, const char *detail)
{
    struct untorn_error answer = {.status = status, .flags = 2, .position = 17, .os_error = 5};
    strcpy(answer.detail, detail);
    return answer;
}

/* [AREA-1] */
TEST(an_update_is_taken_and_answered)
{
    char text[AREA_TEXT];
    struct untorn_error error = {0}, answer = answer_of(UNTORN_TYPE, "why");
    begin();
    int slot = area_publish(area, "request", 7);
    CHECK(slot >= 0);
    CHECK(area_waits(area, slot));
    CHECK_INT(area_batch(area, slot), -1);
    CHECK(area_take(area, slot, 12));
    CHECK(!area_take(area, slot, 13));
    CHECK_INT(area_batch(area, slot), 12); /* [AREA-2] */
    CHECK_INT(area_text(area, slot, text), 7);
    CHECK_BYTES(text, 7, "request", 7);
    CHECK(!area_withdraw(area, slot)); /* [AREA-4] */
    area_prepare(area, slot, &answer);
    area_add_flags(area, slot, 8);
    area_release(area, slot, AREA_DONE);
    CHECK_INT(area_state(area, slot), AREA_DONE);
    area_wait(area, slot, UINT64_MAX); /* nothing to wait for */
    CHECK_INT(area_answer(area, slot, &error), -UNTORN_TYPE);
    CHECK_INT(error.status, UNTORN_TYPE);
    CHECK_INT(error.flags, 10);
    CHECK_INT(error.position, 17);
    CHECK_TEXT(error.detail, "why");
    CHECK_INT(area_state(area, slot), AREA_FREE);
    end();
}

TEST(a_number_is_known_by_its_remainder)
{
    begin();
    int slot = area_publish(area, "", 0);
    CHECK(area_take(area, slot, 5 + 3ull * BATCH_NUMBERS));
    CHECK_INT(area_batch(area, slot), 5);
    area_release(area, slot, AREA_PUBLISHED);
    CHECK(area_take(area, slot, BATCH_NUMBERS - 1));
    CHECK_INT(area_batch(area, slot), BATCH_NUMBERS - 1);
    end();
}

TEST(what_is_not_settled_is_told_as_such)
{
    struct untorn_error error = {0}, answer = answer_of(UNTORN_UNSETTLED_COMBINED, "");
    begin();
    int slot = area_publish(area, "", 0);
    CHECK(area_take(area, slot, 1));
    area_prepare(area, slot, &answer);
    area_release(area, slot, AREA_DONE);
    CHECK_INT(area_answer(area, slot, &error), UNTORN_UNSETTLED_COMBINED);
    answer.status = 77; /* no status */
    slot = area_publish(area, "", 0);
    CHECK(area_take(area, slot, 1));
    area_prepare(area, slot, &answer);
    area_release(area, slot, AREA_DONE);
    CHECK_INT(area_answer(area, slot, &error), -UNTORN_FAILED);
    end();
}

/* [AREA-4] */
TEST(an_owner_takes_back_or_gives_up)
{
    begin();
    int slot = area_publish(area, "", 0);
    CHECK(!area_abandon(area, slot));
    CHECK(area_withdraw(area, slot));
    CHECK_INT(area_state(area, slot), AREA_FREE);
    slot = area_publish(area, "", 0);
    CHECK(area_take(area, slot, 4));
    CHECK(area_abandon(area, slot));
    CHECK(!area_abandon(area, slot));
    CHECK_INT(area_batch(area, slot), 4);
    area_release(area, slot, AREA_DONE);
    CHECK_INT(area_state(area, slot), AREA_FREE);
    end();
}

/* [AREA-5] */
TEST(one_leads_and_one_is_called)
{
    begin();
    CHECK(!area_is_busy(area));
    int a = area_publish(area, "", 0), b = area_publish(area, "", 0);
    CHECK(area_leads(area, a));
    CHECK(area_leads(area, a));
    CHECK(!area_leads(area, b));
    CHECK(area_is_busy(area));
    area_call_next(area, true);
    CHECK_INT(area_state(area, a), AREA_CALLED);
    CHECK_INT(area_state(area, b), AREA_PUBLISHED);
    CHECK(area_takes_yield(area));
    CHECK(!area_takes_yield(area));
    CHECK(area_withdraw(area, a));
    area_stop_leading(area, a);
    area_call_next(area, false);
    CHECK_INT(area_state(area, b), AREA_CALLED);
    CHECK(!area_takes_yield(area));
    CHECK(area_take(area, b, 1));
    area_release(area, b, AREA_DONE);
    area_call_next(area, false); /* who led is answered, and nobody waits */
    CHECK(!area_is_busy(area));
    int c = area_publish(area, "", 0);
    CHECK(area_leads(area, c));
    area_unlead(area);
    CHECK(!area_is_busy(area));
    end();
}

static void *publish_later(void *context)
{
    os_sleep_ns(5000000);
    CHECK(area_publish(area, context, 0) >= 0);
    return NULL;
}

TEST(the_holder_waits_for_those_it_has_served_but_not_for_ever)
{
    pthread_t thread;
    begin();
    area_gather(area); /* nobody was here */
    area_note_batch(area, 3, 1000);
    uint64_t before = os_clock_ns();
    area_gather(area);
    CHECK(os_clock_ns() - before >= 1000);
    area_note_batch(area, 3, UINT64_MAX);
    int slot = area_publish(area, "", 0);
    before = os_clock_ns();
    area_gather(area); /* one is missing */
    CHECK(os_clock_ns() - before >= LIMIT_GATHER_NS);
    CHECK(area_publish(area, "", 0) >= 0);
    area_gather(area);
    CHECK(area_withdraw(area, slot));
    CHECK_INT(pthread_create(&thread, NULL, publish_later, ""), 0);
    while (!area_waits(area, slot))
        area_gather(area);
    CHECK_INT(pthread_join(thread, NULL), 0);
    end();
}

static void die(void *context)
{
    (void)context;
    lock = lock_file_open("lock"); /* what was open before the fork is closed here */
    shared = area_open(&lock, false);
    for (int i = 0; i < AREA_SLOTS; i++)
        CHECK(area_publish(area_of(shared), "", 0) >= 0);
    for (int i = 0; i < AREA_SLOTS; i++)
        if (area_take(area_of(shared), i, 1))
            area_release(area_of(shared), i, i % 2 ? AREA_DONE : AREA_RETURNED);
    CHECK_INT(area_publish(area_of(shared), "", 0), -1); /* their owner lives */
    raise(SIGKILL);
}

TEST(what_the_dead_left_is_used_again)
{
    begin();
    CHECK_INT(end_of(start_child(die, NULL)), -SIGKILL);
    CHECK_INT(count_used(&lock), AREA_SLOTS);
    CHECK(area_publish(area, "", 0) >= 0);
    CHECK_INT(area_publish(area, "", AREA_TEXT + 1), -1);
    end();
}

static void opens_the_same(void *context)
{
    struct lock own = lock_file_open("lock");
    struct shared_area *other = area_open(&own, true);
    CHECK(other);
    CHECK_INT(other->area.number, *(uint64_t *)context);
}

TEST(all_find_the_one_that_is_noted)
{
    begin();
    in_child(opens_the_same, &shared->area.number);
    struct shared_area *again = area_open(&lock, true);
    CHECK(again == shared); /* kept mapped */
    registry_drop_area(again);
    end();
}

static void makes_and_ends(void *context)
{
    struct lock own = lock_file_open("lock");
    (void)context;
    CHECK(area_open(&own, true));
}

TEST(one_whose_makers_are_gone_is_made_anew)
{
    lock = lock_file_open("lock");
    in_child(makes_and_ends, NULL);
    CHECK(!area_open(&lock, false));
    CHECK(area_open(&lock, true));
    lock_file_close(&lock);
}

TEST(that_of_another_lock_is_not_taken)
{
    char record[OWNER_AREA_SIZE];
    begin();
    struct lock other = lock_file_open("other");
    CHECK_INT(os_read_at(lock.own->fd, record, sizeof record, owner_area_place()), sizeof record);
    CHECK_INT(os_write_at(other.own->fd, record, sizeof record, owner_area_place()), sizeof record);
    CHECK(!area_open(&other, false));
    lock_file_close(&other);
    end();
}

TEST(whatever_is_noted_does_no_harm)
{
    char record[OWNER_AREA_SIZE];
    begin();
    for (int i = 0; i < 256; i++) {
        memset(record, i, sizeof record);
        CHECK_INT(os_write_at(lock.own->fd, record, sizeof record, owner_area_place()),
                  sizeof record);
        CHECK(!area_open(&lock, false));
        record[0] = 'a';
        CHECK_INT(os_write_at(lock.own->fd, record, sizeof record, owner_area_place()),
                  sizeof record);
        CHECK(!area_open(&lock, false));
    }
    end();
}

/* What a process of the same user may scribble into it. */
TEST(whatever_is_in_it_is_bounded)
{
    char text[AREA_TEXT];
    begin();
    for (int i = 0; i < 256; i++) {
        memset((char *)shared->area.memory + 64, i, shared->area.size - 64);
        for (int slot = 0; slot < AREA_SLOTS; slot++) {
            struct untorn_error error = {0};
            (void)area_waits(area, slot);
            (void)area_batch(area, slot);
            CHECK(area_text(area, slot, text) <= AREA_TEXT);
            (void)area_answer(area, slot, &error);
            CHECK(strlen(error.detail) < sizeof error.detail);
        }
        area_call_next(area, false);
    }
    end();
}
