/* The steps of who waits and of who serves, each in the situations that it may meet.
 * run: budget 20, timeout 120 */
#include "harness.h"

#ifdef _WIN32
TEST(steps_of_combining)
{
    SKIP("no memory is shared yet");
}
#else

#include <pthread.h>

#include "combine/disturbed.h"
#include "combine/waiting.h"
#include "file/interpose.h"
#include "heap.h"

#include "combine/combine.c"

#define LOCK ".untorn/lock/a.json"

static struct combining *combining;
static struct request own_request;
static struct untorn_error error;

static void publish_request(const char *key, enum untorn_format format, enum untorn_level level)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = key, .value = "1", .value_size = 1};
    struct request request = {.edits = &edit, .count = 1, .format = format, .level = level};
    char text[AREA_TEXT];
    size_t size = request_write(&request, text, sizeof text);
    CHECK(size > 0);
    CHECK(area_publish(area(combining), text, size) >= 0);
}

/* As who edits a.json is when it has opened all, and has memory to share. */
static void begin(void)
{
    static struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = "own", .value = "1", .value_size = 1};
    own_request = (struct request){.edits = &edit, .count = 1, .format = UNTORN_JSON};
    put("a.json", "{}");
    combining = calloc(1, sizeof *combining);
    CHECK(combining);
    combining->slot = -1;
    combining->size = request_write(&own_request, combining->text, sizeof combining->text);
    combining->edits =
        (struct edits){&own_request, &combining->own_answer, NULL, 0, put_answer, combining};
    combining->update.function = edits_make;
    combining->update.context = &combining->edits;
    error_begin(&error, NULL, "a.json");
    struct target *target = &combining->update.target;
    CHECK_INT(target_open(target, "a.json", &combining->options, &error), 0);
    target->stages_under_lock = target->was_read = true;
    target->deadline = os_clock_ns() + 1000000000;
    combining->shared = area_open(&target->lock, true);
    CHECK(combining->shared);
}

static struct lock *own_lock(void)
{
    return &combining->update.target.lock;
}

static void end(void)
{
    CHECK(!disturbance.due);
    target_close(&combining->update.target);
    leave_area(combining);
    free(combining->edits.guests);
    free(combining);
}

static void fill(void)
{
    while (area_publish(area(combining), "", 0) >= 0)
        continue;
}

/* What somebody makes of our update who has the lock. */
static void take_own(void)
{
    CHECK(area_take(area(combining), combining->slot, 1));
}

static void answer_own(void *context)
{
    struct untorn_error answer = {.status = UNTORN_OK};
    (void)context;
    take_own();
    area_prepare(area(combining), combining->slot, &answer);
    area_release(area(combining), combining->slot, AREA_DONE);
}

/* ---- waiting ---- */

/* [COMBINE-6] */
TEST(where_no_slot_is_to_be_had_the_lock_alone_decides)
{
    begin();
    CHECK(begin_queue(combining, own_lock())); /* in the memory that is there */
    CHECK(withdraw(combining));
    fill();
    CHECK(!begin_queue(combining, own_lock()));
    end();
    remove_tree(".untorn");
    begin();
    leave_area(combining);
    fail(CALL_CHMOD, "memfd:untorn", 1, EIO);
    CHECK_INT(os_write_at(own_lock()->own->fd, "", 1, owner_area_place()), 1);
    CHECK(!begin_queue(combining, own_lock()));
    end();
}

static void nobody_leads(void *context)
{
    area_unlead(context);
}

TEST(a_queue_is_joined_where_somebody_leads)
{
    begin();
    int leader = area_publish(area(combining), "", 0);
    CHECK(area_leads(area(combining), leader));
    CHECK(join_queue(combining, own_lock())); /* in the memory that is there */
    CHECK(withdraw(combining));
    struct area *memory = area(combining);
    CHECK(area_leads(memory, leader));
    leave_area(combining);
    CHECK(area_leads(memory, leader));
    CHECK(join_queue(combining, own_lock())); /* in what it finds again */
    CHECK(withdraw(combining));
    leave_area(combining);
    CHECK(area_leads(memory, leader));
    at(CALL_READ, LOCK, 1, nobody_leads, memory);
    CHECK(!join_queue(combining, own_lock()));
    forget_rules();
    leave_area(combining);
    CHECK(area_leads(memory, leader));
    combining->shared = area_open(own_lock(), false);
    fill();
    leave_area(combining);
    CHECK(area_leads(memory, leader));
    CHECK(!join_queue(combining, own_lock()));
    leave_area(combining);
    CHECK(area_leads(memory, leader));
    CHECK_INT(os_write_at(own_lock()->own->fd, "", 1, owner_area_place()), 1);
    CHECK(!join_queue(combining, own_lock())); /* it is noted no more */
    end();
}

TEST(who_is_called_and_taken_at_once_waits_for_its_answer)
{
    begin();
    CHECK(publish(combining));
    area_call_next(area(combining), true);
    disturb(NULL, AREA_DONE);
    CHECK_INT(wait_in_slot(combining), ANSWERED);
    end();
}

TEST(who_is_called_steps_back_if_others_ask_for_it)
{
    begin();
    CHECK(publish(combining));
    area_call_next(area(combining), true);
    uint64_t before = os_clock_ns();
    CHECK_INT(wait_in_slot(combining), 0);
    CHECK(os_clock_ns() - before >= LIMIT_YIELD_NS);
    CHECK(combining->leads);
    end();
}

/* [COMBINE-5] */
TEST(what_cannot_be_taken_back_is_answered_or_given_up)
{
    begin();
    CHECK(withdraw(combining)); /* there is nothing */
    CHECK(publish(combining));
    take_own();
    CHECK(!withdraw(combining));
    CHECK_INT(look_for_answer(combining, false), LOCK_WAIT_ON);
    CHECK_INT(look_for_answer(combining, true), NOT_KNOWN);
    CHECK_INT(combining->slot, -1);
    CHECK(publish(combining));
    take_own();
    area_release(area(combining), combining->slot, AREA_RETURNED);
    CHECK_INT(look_for_answer(combining, true), 0);
    CHECK_INT(combining->slot, -1);
    CHECK(publish(combining));
    CHECK_INT(look_for_answer(combining, true), LOCK_WAIT_ON); /* neither taken nor answered */
    answer_own(NULL);
    CHECK_INT(look_for_answer(combining, true), ANSWERED);
    end();
}

static void *answer_later(void *context)
{
    os_sleep_ns(5000000);
    area_release(area(combining), combining->slot, AREA_DONE);
    return context;
}

/* [COMBINE-5] */
TEST(who_leaves_waits_for_what_is_taken)
{
    pthread_t thread;
    begin();
    CHECK(publish(combining));
    CHECK_INT(leave_slot(combining), 0);
    CHECK(publish(combining));
    take_own();
    CHECK_INT(pthread_create(&thread, NULL, answer_later, NULL), 0);
    CHECK_INT(leave_slot(combining), ANSWERED);
    CHECK_INT(pthread_join(thread, NULL), 0);
    end();
}

/* ---- holding the lock ---- */

static int answer_of_dead(int flush)
{
    struct batch batch;
    struct untorn_error told = {0};
    CHECK(publish(combining));
    CHECK_INT(batch_begin(&batch, own_lock()->own->fd), 0);
    CHECK(area_take(area(combining), combining->slot, batch.number));
    CHECK_INT(batch_end(&batch, BATCH_DONE), 0);
    if (flush)
        fail(CALL_FSYNC, "", 1, flush);
    settle_dead(combining);
    forget_rules();
    int rc = area_answer(area(combining), combining->slot, &told);
    combining->slot = -1;
    return rc;
}

/* [COMBINE-2] */
TEST(what_a_dead_one_did_is_done_once_it_is_flushed)
{
    begin();
    CHECK_INT(answer_of_dead(0), 0);
    CHECK_INT(answer_of_dead(EINVAL), 0); /* a file system that cannot */
    CHECK_INT(answer_of_dead(EIO), UNTORN_UNSETTLED_FLUSH);
    end();
}

TEST(guests_of_another_format_are_left_to_themselves)
{
    begin();
    combining->options.level = UNTORN_CACHE;
    publish_request("a", UNTORN_TOML, UNTORN_CACHE);
    publish_request("b", UNTORN_JSON, UNTORN_DURABLE);
    publish_request("c", UNTORN_JSON, UNTORN_CACHE);
    take_guests(combining);
    CHECK_INT(combining->edits.count, 2);
    CHECK_INT(area_state(area(combining), 0), AREA_RETURNED);
    CHECK_INT(combining->options.level, UNTORN_DURABLE); /* [COMBINE-2] */
    end_batch(combining, AGAIN, &error);
    CHECK(area_waits(area(combining), 1)); /* they are served when all begins anew */
    CHECK_INT(combining->options.level, UNTORN_DURABLE);
    combining->batch = (struct batch){0};
    take_guests(combining);
    CHECK_INT(combining->edits.count, 2);
    end_batch(combining, 0, &error);
    CHECK_INT(area_state(area(combining), 2), AREA_DONE);
    end();
}

/* [COMBINE-4] */
TEST(where_nobody_can_be_served_they_wait_on)
{
    begin();
    publish_request("a", UNTORN_JSON, UNTORN_DURABLE);
    fail(CALL_READ, LOCK, 1, EIO);
    fail(CALL_WRITE, LOCK, 1, EIO);
    take_guests(combining);
    forget_rules();
    CHECK_INT(combining->edits.count, 0);
    CHECK(area_waits(area(combining), 0));
    heap_needed();
    free(combining->edits.guests);
    combining->edits.guests = NULL;
    heap_fail(1);
    take_guests(combining);
    CHECK(heap_failed());
    CHECK_INT(combining->edits.count, 0);
    disturb(NULL, AREA_FREE); /* it is withdrawn that moment */
    take_guests(combining);
    CHECK_INT(combining->edits.count, 0);
    end();
}

/* [COMBINE-2] */
TEST(what_is_not_settled_is_told_to_all_whose_edits_were_made)
{
    struct untorn_error told = {0};
    begin();
    publish_request("a", UNTORN_JSON, UNTORN_DURABLE);
    publish_request("b", UNTORN_JSON, UNTORN_DURABLE);
    take_guests(combining);
    CHECK_INT(combining->edits.count, 2);
    error_begin(&combining->edits.guests[0].answer, NULL, NULL);
    error_begin(&combining->edits.guests[1].answer, NULL, NULL);
    (void)error_fail(&combining->edits.guests[1].answer, UNTORN_TYPE, NULL);
    put_answer(combining, &combining->edits.guests[0]);
    put_answer(combining, &combining->edits.guests[1]);
    (void)error_unsettled(&error, UNTORN_UNSETTLED_FLUSH, -EIO, NULL);
    end_batch(combining, UNTORN_UNSETTLED_FLUSH, &error);
    CHECK_INT(area_answer(area(combining), 0, &told), UNTORN_UNSETTLED_FLUSH);
    CHECK_INT(area_answer(area(combining), 1, &told), -UNTORN_TYPE);
    end();
}

static void fail_flushes(void *context)
{
    (void)context;
    fail_always(CALL_FSYNC, "", EIO);
}

/* What a holder is told that made a guest's edit, too, if the directory cannot be flushed. */
static int make_without_flush(const char *own_key)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = own_key, .value = "1", .value_size = 1};
    begin();
    own_request.edits = &edit;
    publish_request("guest", UNTORN_JSON, UNTORN_DURABLE);
    at(CALL_RENAME, "/a.json", 1, fail_flushes, NULL);
    int rc = result(combining, work(combining, &error), &error);
    forget_rules();
    CHECK(strstr(text_of("a.json"), "guest"));
    end();
    return rc;
}

/* [COMBINE-2] [COMBINE-3] */
TEST(what_is_not_settled_is_told_to_the_holder_unless_its_own_edit_failed)
{
    CHECK_INT(make_without_flush("own"), UNTORN_UNSETTLED_FLUSH);
    CHECK_INT(make_without_flush(".."), -UNTORN_INVALID);
}

/* A guest waits, and the file turns out to be one that is only overwritten. */
TEST(what_is_overwritten_in_place_is_done_alone)
{
    begin();
    publish_request("guest", UNTORN_JSON, UNTORN_DURABLE);
    fail_always(CALL_RENAME, "/a.json", EBUSY);
    CHECK_INT(work(combining, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(text_of("a.json"), "{\n  \"own\": 1\n}");
    CHECK_INT(area_state(area(combining), 0), AREA_RETURNED);
    end();
}

TEST(what_is_known_to_be_overwritten_is_done_alone_too)
{
    begin();
    publish_request("guest", UNTORN_JSON, UNTORN_DURABLE);
    combining->options.keep_inode = true;
    CHECK_INT(work(combining, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(text_of("a.json"), "{\n  \"own\": 1\n}");
    CHECK_INT(area_state(area(combining), 0), AREA_RETURNED);
    end();
}

/* ---- every call fails ---- */

/* [COMBINE-1] What the guest is told is so. */
static bool fail_at(enum call call, int nth, int code)
{
    struct untorn_error told = {0};
    begin();
    publish_request("guest", UNTORN_JSON, UNTORN_DURABLE);
    fail(call, "", nth, code);
    int rc = work(combining, &error);
    bool met = rules[call][0].seen >= nth;
    forget_rules();
    const char *text = text_of("a.json");
    enum area_state state = area_state(area(combining), 0);
    CHECK(strstr(text, "\"own\"") || rc != 0);
    CHECK(!strstr(text, "\"own\"") || rc >= 0);
    if (state == AREA_DONE)
        CHECK_INT(strstr(text, "\"guest\"") != NULL, area_answer(area(combining), 0, &told) >= 0);
    else
        CHECK(!strstr(text, "\"guest\""));
    end();
    remove_tree(".untorn");
    return met;
}

TEST(a_fault_at_any_call_is_told_as_it_is)
{
    static const struct {
        enum call call;
        int code;
    } faults[] = {{CALL_STAT, EIO},     {CALL_READ, EIO},   {CALL_WRITE, ENOSPC},
                  {CALL_OPEN, EMFILE},  {CALL_FSYNC, EIO},  {CALL_RENAME, EIO},
                  {CALL_FLOCK, ENOLCK}, {CALL_UNLINK, EIO}, {CALL_CHMOD, EIO}};
    work_in_memory();
    flushes_are_skipped = true;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int nth = 1; fail_at(faults[i].call, nth, faults[i].code); nth++)
            CHECK(nth < 200);
}

/* ---- beginning anew, and ending ---- */

static void remove_folder(void *context)
{
    if (context)
        answer_own(NULL);
    remove_tree(".untorn");
}

static void remove_folder_and_open_nothing(void *context)
{
    remove_folder(context);
    fail_always(CALL_OPEN, "", EMFILE);
}

TEST(who_has_to_begin_anew_does_not_do_what_was_done)
{
    begin();
    CHECK(publish(combining));
    at(CALL_FLOCK, LOCK, 1, remove_folder, "answered");
    CHECK_INT(work(combining, &error), ANSWERED);
    CHECK_TEXT(text_of("a.json"), "{}");
    end();
    begin();
    forget_rules();
    at(CALL_FLOCK, LOCK, 1, remove_folder_and_open_nothing, NULL);
    CHECK(work(combining, &error) < 0);
    forget_rules();
    end();
    begin();
    at(CALL_FLOCK, LOCK, 1, remove_folder, NULL);
    CHECK_INT(work(combining, &error), 0);
    CHECK_TEXT(text_of("a.json"), "{\n  \"own\": 1\n}");
    end();
}

/* [AREA-6] */
TEST(who_has_waited_at_another_lock_leaves_that_queue)
{
    begin();
    CHECK_INT(check_queue(combining), 0);
    CHECK(combining->shared);
    own_lock()->depth = 1;
    CHECK_INT(check_queue(combining), 0); /* it has not waited */
    CHECK(!combining->shared);
    combining->shared = area_open(own_lock(), true);
    CHECK(publish(combining));
    answer_own(NULL);
    CHECK_INT(check_queue(combining), ANSWERED);
    own_lock()->depth = 0;
    end();
}

static void find_and_answer(void *context)
{
    struct untorn_error answer = {.status = UNTORN_OK, .flags = UNTORN_FLAG_UNCHANGED};
    struct lock lock = lock_file_open(LOCK);
    struct shared_area *shared = area_open(&lock, false);
    CHECK(shared);
    CHECK(area_take(area_of(shared), 0, 1));
    area_prepare(area_of(shared), 0, &answer);
    area_release(area_of(shared), 0, AREA_DONE);
    registry_drop_area(shared);
    lock_file_close(&lock);
    (void)context;
}

/* [COMBINE-5] */
TEST(a_lock_that_fails_leaves_nothing_of_ours_behind)
{
    put("a.json", "{}");
    CHECK_INT(set_key("a.json", "x", "1", NULL, &error), 0);
    int held = open(LOCK, O_RDWR);
    CHECK_INT(os_lock(fd_of(held), OS_LOCK_EXCLUSIVE), 0);
    fail(CALL_FLOCK, LOCK, 2, ENOLCK);
    CHECK_INT(set_key("a.json", "own", "1", NULL, &error), -UNTORN_FAILED);
    forget_rules();
    struct lock lock = lock_file_open(LOCK);
    CHECK_INT(count_used(&lock), 0);
    at(CALL_FLOCK, LOCK, 2, find_and_answer, NULL);
    fail(CALL_FLOCK, LOCK, 2, ENOLCK);
    CHECK_INT(set_key("a.json", "own", "1", NULL, &error), 0); /* it was answered */
    CHECK(!error.step);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    forget_rules();
    CHECK_INT(count_used(&lock), 0);
    lock_file_close(&lock);
    close(held);
}

/* ---- what is not combined ---- */

TEST(some_options_ask_for_the_lock_itself)
{
    struct untorn_hash hash;
    const struct untorn_options options[] = {{.symlink = UNTORN_REPLACE_LINK},
                                             {.wait_ms = UNTORN_TRY_ONCE},
                                             {.mode = 0600},
                                             {.if_match = &hash},
                                             {.keep_inode = true},
                                             {.strict = true},
                                             {.lock_file = "the-lock"},
                                             {.wait_ms = 1000}};
    enum { COUNT = sizeof options / sizeof *options };
    begin();
    publish_request("guest", UNTORN_JSON, UNTORN_DURABLE);
    for (int i = 0; i < COUNT - 1; i++) {
        put("a.json", "{}");
        hash = untorn_hash("{}", 2);
        CHECK_INT(set_key("a.json", "k", "1", &options[i], &error), 0);
        CHECK_TEXT(text_of("a.json"), "{\n  \"k\": 1\n}");
        CHECK(!can_be_combined(&options[i]));
        CHECK(area_waits(area(combining), 0)); /* it serves nobody */
    }
    CHECK(can_be_combined(&options[COUNT - 1]));
    CHECK_INT(set_key("a.json", "k", "2", &options[COUNT - 1], &error), 0);
    CHECK_TEXT(text_of("a.json"), "{\n  \"k\": 2,\n  \"guest\": 1\n}");
    end();
}

TEST(on_a_network_mount_nobody_waits_in_memory)
{
    pretended_filesystem = NFS;
    put("a.json", "{}");
    CHECK_INT(set_key("a.json", "k", "1", NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_NETWORK);
    struct untorn_options options = {.wait_ms = 30};
    int held = open(LOCK, O_RDWR);
    CHECK_INT(os_lock(fd_of(held), OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(set_key("a.json", "k", "2", &options, &error), -UNTORN_LOCKED);
    struct lock lock = lock_file_open(LOCK);
    CHECK(!area_open(&lock, false));
    lock_file_close(&lock);
    close(held);
}

TEST(a_lock_that_was_passed_on_to_us_is_not_waited_for)
{
    char value[200];
    size_t used = 0;
    begin();
    int leader = area_publish(area(combining), "", 0);
    CHECK(area_leads(area(combining), leader));
    int held = open(LOCK, O_RDWR);
    CHECK_INT(os_lock(fd_of(held), OS_LOCK_EXCLUSIVE), 0);
    CHECK(
        inherit_add(value, sizeof value, &used, held, &combining->shared->lock, OS_LOCK_EXCLUSIVE));
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
    CHECK_INT(set_key("a.json", "k", "1", NULL, &error), 0);
    CHECK_INT(area_used(area(combining)), 1); /* it took no slot */
    unsetenv(UNTORN_LOCK_VARIABLE);
    close(held);
    fill(); /* nor does who finds none free */
    CHECK_INT(set_key("a.json", "k", "2", NULL, &error), 0);
    end();
}

TEST(a_large_file_is_left_to_the_caller)
{
    struct untorn_options options = {0}, link = {.symlink = UNTORN_REPLACE_LINK};
    begin();
    own_request.smaller_than = 2;
    CHECK_INT(combine_edit("a.json", &own_request, &options, &error), COMBINE_TOO_LARGE);
    own_request.smaller_than = 3;
    CHECK_INT(combine_edit("a.json", &own_request, &options, &error), 0);
    CHECK_INT(symlink("a.json", "link.json"), 0);
    own_request.smaller_than = 1;
    error_begin(&error, NULL, "link.json");
    (void)combine_edit("link.json", &own_request, &link, &error); /* a link is not large */
    CHECK(error.status != UNTORN_TOO_LARGE);
    end();
}

#endif
