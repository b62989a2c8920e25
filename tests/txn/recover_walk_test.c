/* Whatever a recovery asks of the system or of memory fails in turn: the files are old or new, and
 * the next use finishes what is left. */
#include "heap.h"
#include "leave.h"
#include "txn/commits.h"
#include "txn/planted.h"
#include "txn/recover.h"

static struct untorn_error error;

static int touch_within(const char *path, int wait_ms)
{
    const struct untorn_options options = {.wait_ms = wait_ms};
    return untorn_update(path, leave, NULL, &options, &error);
}

static int touch(const char *path)
{
    return touch_within(path, 0);
}

static void clear(void)
{
    static const char *const trees[] = {"a", "b"};
    forget_rules();
    for (int i = 0; i < 2; i++)
        if (exists(trees[i]))
            remove_tree(trees[i]);
    make_dir("a", 0755);
    make_dir("b", 0755);
}

/* Committed, and nothing of it is in place: x from the slot, s from its stage, n is new, r goes. */
static void leave_in_one(void)
{
    clear();
    put("a/x", "old x");
    put("a/s", "old s");
    put("a/r", "old r");
    struct plant *plant = plant_begin("a/x");
    plant_member(plant, "x", "new x");
    plant_staged(plant, "s", "new s");
    plant_member(plant, "n", "new n");
    plant_member(plant, "r", NULL);
    plant_write(plant, SLOT_COMMITTED, 0644);
    plant_die(plant);
}

static void leave_in_two_as(enum slot_state coordinators)
{
    clear();
    put("a/x", "old x");
    put("b/y", "old y");
    struct plant *coordinator = plant_begin("a/x"), *participant = plant_begin("b/y");
    plant_member(coordinator, "x", "new x");
    plant_staged(participant, "y", "new y");
    plant_pair(coordinator, participant);
    plant_write(participant, SLOT_PREPARED, 0644);
    plant_write(coordinator, coordinators, 0644);
    plant_die(coordinator);
    plant_die(participant);
}

static void leave_in_two(void)
{
    leave_in_two_as(SLOT_COMMITTED);
}

static void leave_uncommitted(void)
{
    leave_in_two_as(SLOT_IDLE);
}

static bool is(const char *path, const char *text)
{
    const char *now = text_of(path);
    return text ? now && strcmp(now, text) == 0 : !now;
}

static void check_one(bool is_done)
{
    CHECK(is("a/x", "new x") || (!is_done && is("a/x", "old x")));
    CHECK(is("a/s", "new s") || (!is_done && is("a/s", "old s")));
    CHECK(is("a/n", "new n") || (!is_done && is("a/n", NULL)));
    CHECK(is("a/r", NULL) || (!is_done && is("a/r", "old r")));
    if (is_done)
        CHECK(!is_active("a/"));
}

static void check_two(bool is_done)
{
    CHECK(is("a/x", "new x") || (!is_done && is("a/x", "old x")));
    CHECK(is("b/y", "new y") || (!is_done && is("b/y", "old y")));
    if (is_done)
        CHECK(!is_active("b/"));
}

static void check_uncommitted(bool is_done)
{
    CHECK(is("a/x", "old x"));
    CHECK(is("b/y", "old y"));
    if (is_done)
        CHECK(!is_active("b/"));
}

struct scene {
    void (*leave)(void);
    const char *path;  /* what is used next */
    const char *other; /* and then: who was out of reach gets its answer later [RECOVER-3] */
    void (*check)(bool is_done);
};
static const struct scene scenes[] = {{leave_in_one, "a/x", "a/s", check_one},
                                      {leave_in_two, "a/x", "b/y", check_two},
                                      {leave_in_two, "b/y", "a/x", check_two},
                                      {leave_uncommitted, "b/y", "a/x", check_uncommitted}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void use_again(const struct scene *scene)
{
    scene->check(false);
    CHECK_INT(touch(scene->path), 0);
    CHECK_INT(touch(scene->other), 0);
    scene->check(true);
    CHECK_INT(count_entries("a/.untorn/kept", "") + count_entries("b/.untorn/kept", ""), 0);
}

/* [FINISH-3] [RECOVER-2] */
static void fail_each(enum call call, int code)
{
    for (int i = 0; i < SCENES; i++) {
        bool met = true;
        for (int nth = 1; met; nth++) {
            scenes[i].leave();
            int before = open_descriptors();
            fail(call, "", nth, code);
            /* Who could not let go of a lock waits for itself, and that is all the waiting here. */
            (void)touch_within(scenes[i].path, 100);
            met = rules[call][0].seen >= nth;
            forget_rules();
            CHECK_INT(open_descriptors(), before);
            use_again(&scenes[i]);
        }
    }
}

static void begin(void)
{
    work_in_memory();
    flushes_are_skipped = true;
    for (int i = 0; i < SCENES; i++) { /* the controls */
        scenes[i].leave();
        use_again(&scenes[i]);
    }
}

#define FAILS(name_, call_, code_)                                                                 \
    TEST(name_)                                                                                    \
    {                                                                                              \
        begin();                                                                                   \
        fail_each(call_, code_);                                                                   \
    }
FAILS(an_open_that_fails, CALL_OPEN, EMFILE)
FAILS(a_look_that_fails, CALL_STAT, EIO)
FAILS(a_read_that_fails, CALL_READ, EIO)
FAILS(a_write_that_fails, CALL_WRITE, ENOSPC)
FAILS(a_rename_that_fails, CALL_RENAME, EIO)
FAILS(a_removal_that_fails, CALL_UNLINK, EIO)
FAILS(a_flush_that_fails, CALL_FSYNC, EIO)
FAILS(a_flush_that_there_is_not, CALL_FSYNC, EINVAL)
FAILS(a_mode_that_cannot_be_given, CALL_CHMOD, EIO)
FAILS(a_lock_that_cannot_be_had, CALL_FLOCK, ENOLCK)

TEST(memory_that_there_is_not)
{
    heap_needed();
    begin();
    for (int i = 0; i < SCENES; i++) {
        bool failed = true;
        for (int n = 1; failed; n++) {
            scenes[i].leave();
            int before = open_descriptors();
            long live = heap.live;
            heap_fail(n);
            int rc = touch(scenes[i].path);
            failed = heap_failed();
            CHECK(rc >= 0 || error.status == UNTORN_NO_MEMORY || error.status == UNTORN_IN_DOUBT ||
                  error.status == UNTORN_UNFINISHED);
            CHECK_INT(heap.live, live);
            CHECK_INT(open_descriptors(), before);
            use_again(&scenes[i]);
        }
    }
}

/* [RECOVER-9] */
TEST(without_memory_no_answer_is_left_for_others)
{
    struct setting setting = {0};
    bool failed = true;
    heap_needed();
    leave_in_two();
    setting_open(&setting, "a/x");
    int before = open_descriptors();
    for (int n = 1; failed; n++) {
        long live = heap.live;
        heap_fail(n);
        int rc = recover_leave_answers(&setting.place, &setting.state);
        failed = heap_failed();
        CHECK(rc == 0 || rc == -ENOMEM);
        CHECK(failed || rc == 0);
        CHECK_INT(heap.live, live);
    }
    CHECK_INT(open_descriptors(), before);
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 1);
    setting_close(&setting);
}
