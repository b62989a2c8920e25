/* What a commit that is finished asks of whoever next uses one of its files. [RECOVER-6] */
#include "txn/commits.h"

static struct untorn_error error;
static const struct step two[] = {PUT("x", "new x"), PUT("y", "new y"), {0}};
static const struct rule *writes;
static int writes_before_flush;

static void note_flush(void *context)
{
    (void)context;
    writes_before_flush = writes->seen;
}

/* A page whose flush failed once is clean: flushed again it would not be written. */
TEST(before_a_file_of_it_changes_its_slot_is_written_again_and_flushed)
{
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_INT(slot_of("").state, SLOT_DONE);
    writes = watch(CALL_WRITE, "/slot");
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    at(CALL_FSYNC, "/slot", 1, note_flush, NULL);
    CHECK_INT(untorn_write("x", "x", 1, NULL, &error), 0);
    CHECK_INT(flushes->seen, 1);
    CHECK_INT(writes_before_flush, 1);
    CHECK_INT(slot_of("").state, SLOT_IDLE);
    CHECK_INT(untorn_write("x", "again", 5, NULL, &error), 0);
    CHECK_INT(flushes->seen, 1); /* once is enough */
}

TEST(a_file_that_was_not_part_of_it_asks_for_nothing)
{
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(untorn_write("z", "z", 1, NULL, &error), 0);
    CHECK_INT(flushes->seen, 0);
    CHECK_INT(slot_of("").state, SLOT_DONE);
}

TEST(who_only_looks_asks_for_nothing)
{
    struct untorn_lock *lock;
    struct untorn_content content;
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    writes = watch(CALL_WRITE, "/slot");
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(untorn_lock("x", UNTORN_LOCK_SHARED, NULL, &lock, &error), 0);
    CHECK_INT(untorn_read("x", NULL, &content, &error), 0);
    untorn_content_free(&content);
    untorn_unlock(lock);
    CHECK_INT(flushes->seen + writes->seen, 0);
    CHECK_INT(slot_of("").state, SLOT_DONE);
}

TEST(at_level_cache_nothing_is_flushed)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(untorn_write("x", "x", 1, &options, &error), 0);
    CHECK_INT(flushes->seen, 0);
}

TEST(a_flush_that_fails_leaves_the_file_as_it_was)
{
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    fail(CALL_FSYNC, "/slot", 1, EIO);
    CHECK_INT(untorn_write("x", "x", 1, NULL, &error), -UNTORN_IO);
    CHECK_TEXT(text_of("x"), "new x");
    CHECK_INT(slot_of("").state, SLOT_DONE);
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(untorn_write("x", "x", 1, NULL, &error), 0);
    CHECK_INT(flushes->seen, 1);
}
