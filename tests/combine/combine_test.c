/* Many edit one file: whoever has the lock makes what the others wait for, once.
 * run: budget 20, timeout 120 */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cursor.h"
#include "combine/waiting.h"
#include "file/interpose.h"
#include "file/target.h"

#define LOCK ".untorn/lock/a.json"

struct worker {
    const char *key, *value;
    struct untorn_options options;
    int expected;          /* what untorn_edit is to return */
    void (*prepare)(void); /* in its process, before; or NULL */
    pid_t pid;
};

static void work(void *context)
{
    const struct worker *worker = context;
    struct untorn_error error;
    if (worker->prepare)
        worker->prepare();
    CHECK_INT(set_key("a.json", worker->key, worker->value, &worker->options, &error),
              worker->expected);
}

/* One after the other, so that the first is who leads. */
static void start(struct worker *workers, int count, struct lock *lock)
{
    int before = waiting_at(lock);
    for (int i = 0; i < count; i++) {
        workers[i].pid = start_child(work, &workers[i]);
        wait_for(lock, before + i + 1);
    }
}

static void finish(const struct worker *workers, int count)
{
    for (int i = 0; i < count; i++)
        finish_child(workers[i].pid);
}

/* Lets go of the lock so that the first gets it, and ends, before the others wake. As end_of. */
static int let_first(const struct worker *workers, int count, struct untorn_lock *held)
{
    for (int i = 1; i < count; i++)
        CHECK_INT(kill(workers[i].pid, SIGSTOP), 0);
    untorn_unlock(held);
    int status = end_of(workers[0].pid);
    for (int i = 1; i < count; i++)
        CHECK_INT(kill(workers[i].pid, SIGCONT), 0);
    return status;
}

static struct untorn_lock *hold(void)
{
    struct untorn_lock *held = NULL;
    CHECK_INT(untorn_lock("a.json", UNTORN_LOCK_EXCLUSIVE, NULL, &held, NULL), 0);
    return held;
}

TEST(those_who_wait_are_served_together)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f"};
    struct worker workers[6] = {0};
    put("a.json", "{}\n");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    for (int i = 0; i < 6; i++)
        workers[i] = (struct worker){.key = keys[i], .value = "1"};
    start(workers, 6, &lock);
    untorn_unlock(held);
    finish(workers, 6);
    for (int i = 0; i < 6; i++)
        CHECK(strstr(text_of("a.json"), keys[i]));
    CHECK_INT(batches(&lock), 1);
    CHECK_INT(count_entries(".untorn/stage", "a.json"), 0);
    lock_file_close(&lock);
}

/* [COMBINE-3] */
TEST(what_fails_fails_alone_and_says_why)
{
    struct worker workers[] = {{.key = "b", .value = "1"},
                               {.key = "a", .value = "text", .expected = -UNTORN_TYPE},
                               {.key = "..", .value = "1", .expected = -UNTORN_INVALID},
                               {.key = "c", .value = "1"}};
    put("a.json", "{\"a\": 1}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 4, &lock);
    untorn_unlock(held);
    finish(workers, 4);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1, \"b\": 1, \"c\": 1}");
    lock_file_close(&lock);
}

TEST(those_of_another_kind_do_it_themselves)
{
    struct worker workers[] = {{.key = "a", .value = "1"},
                               {.key = "b", .value = "1", .options = {.keep = 3}},
                               {.key = "c", .value = "1", .options = {.level = UNTORN_CACHE}}};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 3, &lock);
    untorn_unlock(held);
    finish(workers, 3);
    CHECK(strstr(text_of("a.json"), "\"b\": 1"));
    CHECK(strstr(text_of("a.json"), "\"c\": 1"));
    CHECK_INT(count_used(&lock), 0);
    lock_file_close(&lock);
}

static void out_of_space(void)
{
    fail_always(CALL_WRITE, "/history/", ENOSPC);
    fail_always(CALL_WRITE, "/stage/", ENOSPC);
}

/* [COMBINE-4] */
TEST(what_the_holder_cannot_do_the_others_can)
{
    struct worker workers[] = {
        {.key = "a", .value = "1", .expected = -UNTORN_NO_SPACE, .prepare = out_of_space},
        {.key = "b", .value = "1"},
        {.key = "c", .value = "1"}};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 3, &lock);
    CHECK_INT(let_first(workers, 3, held), 0);
    finish(workers + 1, 2);
    CHECK(!strstr(text_of("a.json"), "\"a\""));
    CHECK(strstr(text_of("a.json"), "\"b\": 1"));
    CHECK(strstr(text_of("a.json"), "\"c\": 1"));
    CHECK_INT(count_used(&lock), 0);
    lock_file_close(&lock);
}

/* [COMBINE-5] */
TEST(who_waits_too_long_takes_it_back)
{
    struct untorn_error error;
    struct untorn_options options = {.wait_ms = 50};
    struct worker worker = {
        .key = "a", .value = "1", .options = options, .expected = -UNTORN_LOCKED};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(&worker, 1, &lock);
    finish(&worker, 1);
    untorn_unlock(held);
    CHECK_INT(set_key("a.json", "b", "1", NULL, &error), 0);
    CHECK(!strstr(text_of("a.json"), "\"a\""));
    CHECK_INT(count_used(&lock), 0);
    lock_file_close(&lock);
}

static void stop(void *context)
{
    (void)context;
    raise(SIGSTOP);
}

static void stops_before_the_rename(void)
{
    at(CALL_RENAME, "/a.json", 1, stop, NULL);
}

/* [COMBINE-5] */
TEST(who_waits_too_long_for_what_is_taken_is_told_so)
{
    int status;
    struct worker workers[] = {{.key = "a", .value = "1", .prepare = stops_before_the_rename},
                               {.key = "b",
                                .value = "1",
                                .options = {.wait_ms = 500},
                                .expected = UNTORN_UNSETTLED_COMBINED}};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 2, &lock);
    untorn_unlock(held);
    CHECK_INT(waitpid(workers[0].pid, &status, WUNTRACED), workers[0].pid);
    CHECK(WIFSTOPPED(status));
    finish_child(workers[1].pid);
    CHECK_TEXT(text_of("a.json"), "{}");
    CHECK_INT(kill(workers[0].pid, SIGCONT), 0);
    finish_child(workers[0].pid);
    CHECK(strstr(text_of("a.json"), "\"b\": 1")); /* it was made after all */
    CHECK_INT(count_used(&lock), 0);
    lock_file_close(&lock);
}

/* ---- a holder that dies ---- */

static struct {
    bool armed; /* the lock is to be had */
    int calls_left;
} * fate; /* shared with the children */

static void count_down(void *context)
{
    (void)context;
    if (fate->armed && --fate->calls_left == 0)
        raise(SIGKILL);
}

static void dies(void)
{
    for (int call = 0; call < CALL_COUNT; call++)
        if (call != CALL_SLEEP)
            always_at((enum call)call, "", count_down, NULL);
    flushes_are_skipped = true;
}

static void skip_flushes(void)
{
    flushes_are_skipped = true;
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* Whether it died. The others are always answered, what is to be made is made once, and its own
 * update is there or not. */
static bool die_after(int calls, bool is_new)
{
    struct untorn_error error;
    struct worker workers[] = {
        {.key = is_new ? "a" : "l[+]", .value = "one", .prepare = dies},
        {.key = is_new ? "b" : "l[+]", .value = "two", .prepare = skip_flushes},
        {.key = is_new ? "c" : "l[+]", .value = "three", .prepare = skip_flushes},
        {.key = "n",
         .value = "text",
         .prepare = skip_flushes,
         .expected = is_new ? 0 : -UNTORN_TYPE}};
    if (exists(".untorn"))
        remove_tree(".untorn");
    unlink("a.json");
    if (!is_new)
        put("a.json", "{\"n\": 1, \"l\": []}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    fate->calls_left = calls;
    fate->armed = false;
    start(workers, 4, &lock);
    fate->armed = true;
    int status = let_first(workers, 4, held);
    CHECK(status == 0 || status == -SIGKILL);
    finish(workers + 1, 3);
    CHECK_INT(set_key("a.json", "d", "1", NULL, &error), 0);
    const char *text = text_of("a.json");
    CHECK_INT(count_text(text, "\"two\""), 1);
    CHECK_INT(count_text(text, "\"three\""), 1);
    CHECK(count_text(text, "\"one\"") == 1 || (status != 0 && !strstr(text, "\"one\"")));
    CHECK_INT(untorn_document_check(text, strlen(text), UNTORN_JSON, &error), 0);
    CHECK_INT(count_entries(".untorn/stage", "a.json"), 0);
    lock_file_close(&lock);
    return status != 0;
}

static void die_at_each_call(bool is_new)
{
    int calls = 1;
    flushes_are_skipped = true;
    fate = mmap(NULL, sizeof *fate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (calls < 400 && die_after(calls, is_new))
        calls++;
    CHECK(calls > 40 && calls < 400);
}

/* [COMBINE-1] [AREA-3] [REPLACE-7] */
TEST(a_holder_may_die_at_any_call)
{
    die_at_each_call(false);
}

TEST(a_holder_that_makes_the_file_may_die_at_any_call)
{
    die_at_each_call(true);
}

static void die_here(void *context)
{
    (void)context;
    raise(SIGKILL);
}

static void dies_before_the_rename(void)
{
    at(CALL_RENAME, "/a.json", 1, die_here, NULL);
}

static void dies_after_the_rename(void)
{
    at(CALL_FSYNC, "", 2, die_here, NULL); /* of the directory, behind that of the stage */
}

static void flushes_for_another(void *context)
{
    const struct rule *flushes = watch(CALL_FSYNC, ""), *renames = watch(CALL_RENAME, "/a.json");
    work(context);
    CHECK_INT(flushes->seen, 1);
    CHECK_INT(renames->seen, 0);
}

/* [COMBINE-2] */
TEST(what_a_dead_one_made_is_flushed_before_it_is_called_done)
{
    struct worker workers[] = {{.key = "a", .value = "1", .prepare = dies_after_the_rename},
                               {.key = "b", .value = "1"}};
    struct untorn_error error;
    put("a.json", "{}");
    CHECK_INT(set_key("a.json", "x", "1", NULL, &error), 0); /* all our folders are there */
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 1, &lock);
    workers[1].pid = start_child(flushes_for_another, &workers[1]);
    wait_for(&lock, 2);
    CHECK_INT(let_first(workers, 2, held), -SIGKILL);
    finish(workers + 1, 1);
    CHECK(strstr(text_of("a.json"), "\"b\": 1"));
    lock_file_close(&lock);
}

/* [BATCH-3] A program that knows nothing of locks replaces the file before anybody has looked. */
TEST(what_cannot_be_known_is_told_so)
{
    struct worker workers[] = {{.key = "a", .value = "1", .prepare = dies_before_the_rename},
                               {.key = "b", .value = "1", .expected = UNTORN_UNSETTLED_COMBINED}};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 2, &lock);
    CHECK_INT(kill(workers[1].pid, SIGSTOP), 0);
    untorn_unlock(held);
    CHECK_INT(end_of(workers[0].pid), -SIGKILL);
    put("other", "{\"x\": 1}");
    CHECK_INT(rename("other", "a.json"), 0);
    CHECK_INT(kill(workers[1].pid, SIGCONT), 0);
    finish_child(workers[1].pid);
    CHECK_TEXT(text_of("a.json"), "{\"x\": 1}");
    lock_file_close(&lock);
}

/* Our folder is removed, and with it what the dead one noted. */
TEST(without_our_folder_nobody_is_left_hanging)
{
    struct worker workers[] = {{.key = "a", .value = "1"}, {.key = "b", .value = "1"}};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 2, &lock);
    remove_tree(".untorn");
    untorn_unlock(held);
    finish(workers, 2);
    CHECK(strstr(text_of("a.json"), "\"a\": 1"));
    CHECK(strstr(text_of("a.json"), "\"b\": 1"));
    lock_file_close(&lock);
}

/* ---- who else there is ---- */

static void *edit_in_thread(void *context)
{
    struct untorn_error error;
    for (int i = 0; i < 20; i++)
        CHECK_INT(set_key("a.json", context, "1", NULL, &error), 0);
    return NULL;
}

TEST(threads_of_one_process_wait_in_slots_too)
{
    static const char *const keys[] = {"a", "b", "c", "d"};
    pthread_t threads[4];
    put("a.json", "{}");
    flushes_are_skipped = true;
    for (int i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, edit_in_thread, (void *)keys[i]), 0);
    for (int i = 0; i < 4; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK(strstr(text_of("a.json"), keys[i]));
}

/* [COMBINE-7] */
TEST(inside_a_lock_of_its_own_only_its_own_edits_are_made)
{
    struct untorn_error error;
    struct worker worker = {.key = "b", .value = "1"};
    put("a.json", "{\"x\": 0}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(&worker, 1, &lock);
    CHECK_INT(set_key("a.json", "a", "1", NULL, &error), 0);
    CHECK_TEXT(text_of("a.json"), "{\"x\": 0, \"a\": 1}");
    CHECK_INT(waiting_at(&lock), 1);
    untorn_unlock(held);
    finish(&worker, 1);
    CHECK_TEXT(text_of("a.json"), "{\"x\": 0, \"a\": 1, \"b\": 1}");
    lock_file_close(&lock);
}

static void edit_as_other(void *context)
{
    struct untorn_error error;
    (void)context;
    CHECK_INT(set_key("a.json", "b", "1", NULL, &error), 0);
}

/* [COMBINE-6] */
TEST(another_user_takes_the_lock_alone)
{
    struct worker worker = {.key = "a", .value = "1"};
    need_root();
    make_dir("d", 0777);
    CHECK_INT(chdir("d"), 0);
    put("a.json", "{}");
    CHECK_INT(chmod("a.json", 0666), 0);
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(&worker, 1, &lock);
    struct as_user as = {ALICE, ALICE, edit_as_other, NULL};
    pid_t other = start_child(run_as_user, &as);
    os_sleep_ns(50000000);
    CHECK_INT(waiting_at(&lock), 1);
    untorn_unlock(held);
    finish(&worker, 1);
    finish_child(other);
    CHECK(strstr(text_of("a.json"), "\"a\": 1"));
    CHECK(strstr(text_of("a.json"), "\"b\": 1"));
    lock_file_close(&lock);
}

static int add_to_list(void *context, const struct untorn_content *old,
                       struct untorn_change *change)
{
    (void)context;
    CHECK(old && strstr(old->data, "\"a\": 1")); /* what was combined before is seen */
    return untorn_change_set(change, "{\"f\": 1}", 8);
}

TEST(a_function_sees_what_was_combined)
{
    struct untorn_error error;
    struct worker workers[] = {{.key = "b", .value = "1"}, {.key = "a", .value = "1"}};
    put("a.json", "{}");
    struct untorn_lock *held = hold();
    struct lock lock = lock_file_open(LOCK);
    start(workers, 2, &lock);
    untorn_unlock(held);
    finish(workers, 2);
    CHECK_INT(untorn_update("a.json", add_to_list, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("a.json"), "{\"f\": 1}");
    lock_file_close(&lock);
}

/* Alone nothing is shared, and the lock file stays as short as it was. */
TEST(alone_nothing_is_shared)
{
    struct untorn_error error;
    put("a.json", "{}");
    for (int i = 0; i < 3; i++)
        CHECK_INT(set_key("a.json", "a", "1", NULL, &error), 0);
    CHECK(stat_of(LOCK).st_size <= OWNER_AREA);
}

/* ---- coming back ---- */

/* As if this process had waited for a.json in `directory` before, and others still did; one of them
 * leads, and does nothing. */
static struct shared_area *have_been_at(const char *directory)
{
    struct untorn_options options = {0};
    struct untorn_error error;
    struct target target;
    char path[64];
    snprintf(path, sizeof path, "%s/a.json", directory);
    CHECK_INT(target_open(&target, path, &options, error_begin(&error, NULL, path)), 0);
    struct shared_area *shared = area_open(&target.lock, true);
    CHECK(shared);
    target_close(&target);
    int slot = area_publish(area_of(shared), "", 0);
    CHECK(area_leads(area_of(shared), slot));
    return shared;
}

/* Edits it, and says whether it has waited with the one who leads before it did so itself. */
static bool waits(const struct shared_area *shared, const char *path,
                  const struct untorn_options *options)
{
    CHECK_INT(set_key(path, "k", "1", options, NULL), 0);
    return area_used(area_of(shared)) > 1;
}

static void check_left(struct shared_area *shared)
{
    int used = 0;
    for (int slot = 0; slot < AREA_SLOTS; slot++)
        used += area_state(area_of(shared), slot) != AREA_FREE;
    CHECK(used <= 1); /* the one who leads */
    registry_drop_area(shared);
}

TEST(who_comes_back_waits_where_it_has_been)
{
    CHECK_INT(mkdir("d", 0755), 0);
    CHECK_INT(mkdir("other", 0755), 0);
    CHECK_INT(symlink("d", "link"), 0);
    struct shared_area *shared = have_been_at("d");
    CHECK(!waits(shared, "other/a.json", NULL));
    CHECK(waits(shared, "link/a.json", NULL));
    CHECK_TEXT(text_of("d/a.json"), "{\n  \"k\": 1\n}\n");
    check_left(shared);
}

/* [AREA-6] */
TEST(who_comes_back_finds_what_the_path_is_now)
{
    CHECK_INT(mkdir("d", 0755), 0);
    struct shared_area *shared = have_been_at("d");
    CHECK_INT(rename("d", "was"), 0);
    CHECK_INT(mkdir("d", 0755), 0);
    CHECK(!waits(shared, "d/a.json", NULL));
    CHECK_TEXT(text_of("d/a.json"), "{\n  \"k\": 1\n}\n");
    CHECK(access("was/a.json", F_OK) < 0);
    check_left(shared);
}

TEST(who_comes_back_finds_the_lock_that_is_there_now)
{
    CHECK_INT(mkdir("d", 0755), 0);
    struct shared_area *shared = have_been_at("d");
    CHECK_INT(system("rm -rf d/.untorn"), 0);
    CHECK(waits(shared, "d/a.json", NULL));
    CHECK_TEXT(text_of("d/a.json"), "{\n  \"k\": 1\n}\n");
    CHECK(area_waits(area_of(shared), 0)); /* not ours to take, or to give back */
    check_left(shared);
}

TEST(who_comes_back_with_the_lock_in_its_hand_does_not_wait)
{
    struct untorn_lock *held;
    CHECK_INT(mkdir("d", 0755), 0);
    struct shared_area *shared = have_been_at("d");
    CHECK_INT(untorn_lock("d/a.json", UNTORN_LOCK_EXCLUSIVE, NULL, &held, NULL), 0);
    CHECK(!waits(shared, "d/a.json", NULL));
    untorn_unlock(held);
    check_left(shared);
}

TEST(who_comes_back_with_a_folder_elsewhere_has_not_been_there)
{
    struct untorn_options options = {.state_dir = "state"};
    CHECK_INT(mkdir("d", 0755), 0);
    struct shared_area *shared = have_been_at("d");
    CHECK(!waits(shared, "d/a.json", &options));
    check_left(shared);
}

/* The memory of one that is gone was noted, and others have made another since. */
TEST(who_comes_back_is_told_to_go_where_the_others_are)
{
    struct untorn_options options = {0};
    unsigned char record[OWNER_AREA_SIZE] = {'a'};
    os_fd lock;
    CHECK_INT(mkdir("d", 0755), 0);
    struct shared_area *shared = have_been_at("d");
    cursor_put(record + 8, (uint64_t)getpid(), 8);
    cursor_put(record + 24, shared->area.number + 1, 8);
    CHECK_INT(os_open(OS_NONE, "d/.untorn/lock/a.json", OS_READ | OS_WRITE, 0, &lock), 0);
    CHECK_INT(os_write_at(lock, record, sizeof record, owner_area_place()), sizeof record);
    os_close(lock);
    CHECK(waits(shared, "d/a.json", NULL));
    CHECK(!area_find("d/a.json", &options));
    registry_drop_area(shared);
}
