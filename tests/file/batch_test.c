/* What a dead holder did for others: noted in the lock file, decided by the next. */
#include "harness.h"

#include <untorn.h>

#include "file/batch.h"
#include "file/support.h"

static os_fd open_lock(void)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, "lock", OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    return file;
}

static struct os_stat look(const char *name)
{
    struct os_stat stat;
    CHECK_INT(os_stat(OS_NONE, name, &stat), 0);
    return stat;
}

static enum batch_verdict decided(os_fd lock, const struct batch *batch)
{
    CHECK_INT(batch_decide(lock, OS_NONE, "name"), 0);
    return batch_verdict(lock, (uint32_t)(batch->number % BATCH_NUMBERS));
}

static bool is_open(os_fd lock)
{
    unsigned char bytes[BATCH_SIZE];
    int64_t n = os_read_at(lock, bytes, sizeof bytes, BATCH_PLACE);
    return n > 0 && batch_is_open(bytes, (size_t)n);
}

/* [BATCH-1] [BATCH-4] */
TEST(a_number_is_noted_at_once_and_given_once)
{
    os_fd lock = open_lock();
    struct batch batch;
    uint64_t last = 0;
    for (int i = 0; i < BATCH_OUTCOMES + 3; i++) {
        CHECK(!is_open(lock));
        CHECK_INT(batch_begin(&batch, lock), 0);
        CHECK(batch.number > last);
        CHECK(is_open(lock));
        CHECK_INT(batch_verdict(lock, (uint32_t)batch.number), BATCH_OPEN);
        last = batch.number;
        CHECK_INT(batch_end(&batch, i % 2 ? BATCH_DONE : BATCH_NOT_DONE), 0);
        CHECK_INT(batch_verdict(lock, (uint32_t)last), i % 2 ? BATCH_DONE : BATCH_NOT_DONE);
    }
    for (uint32_t ago = 0; ago < BATCH_OUTCOMES; ago++) /* [BATCH-5] */
        CHECK_INT(batch_verdict(lock, (uint32_t)last - ago),
                  ago % 2 == 0 ? BATCH_NOT_DONE : BATCH_DONE);
    CHECK_INT(batch_verdict(lock, (uint32_t)last - BATCH_OUTCOMES), BATCH_UNKNOWN);
    CHECK_INT(batch_verdict(lock, (uint32_t)last + 1), BATCH_UNKNOWN);
    CHECK_INT(batch_end(&(struct batch){0}, BATCH_DONE), 0);
    os_close(lock);
}

/* [BATCH-3] */
TEST(without_a_promise_it_was_not_done)
{
    os_fd lock = open_lock();
    struct batch batch;
    put("name", "old");
    CHECK_INT(batch_begin(&batch, lock), 0);
    CHECK_INT(decided(lock, &batch), BATCH_NOT_DONE);
    CHECK(!is_open(lock));
    os_close(lock);
}

static enum batch_verdict promised(bool old, void (*meanwhile)(void))
{
    os_fd lock = open_lock();
    struct batch batch;
    if (old)
        put("name", "old");
    put("new", "new");
    struct os_stat was = {0}, will = look("new");
    if (old)
        was = look("name");
    CHECK_INT(batch_begin(&batch, lock), 0);
    CHECK_INT(batch_promise(&batch, &will, old ? &was : NULL), 0); /* [BATCH-2] */
    meanwhile();
    enum batch_verdict verdict = decided(lock, &batch);
    unlink("name");
    unlink("new");
    unlink("kept");
    os_close(lock);
    return verdict;
}

static void nothing(void)
{
}

static void renamed(void)
{
    CHECK_INT(rename("new", "name"), 0);
}

static void replaced_by_a_stranger(void)
{
    put("other", "other");
    CHECK_INT(rename("other", "name"), 0);
}

/* The old version is kept, so that its number is not given away. */
static void replaced_after_it_was_done(void)
{
    CHECK_INT(link("name", "kept"), 0);
    renamed();
    replaced_by_a_stranger();
}

static void removed(void)
{
    unlink("name");
}

TEST(a_promise_is_decided_by_what_has_the_name)
{
    CHECK_INT(promised(true, nothing), BATCH_NOT_DONE);
    CHECK_INT(promised(true, renamed), BATCH_DONE);
    CHECK_INT(promised(false, nothing), BATCH_NOT_DONE);
    CHECK_INT(promised(false, renamed), BATCH_DONE);
    CHECK_INT(promised(true, replaced_by_a_stranger), BATCH_UNKNOWN);
    CHECK_INT(promised(true, replaced_after_it_was_done), BATCH_UNKNOWN);
    CHECK_INT(promised(true, removed), BATCH_UNKNOWN);
}

/* [LOCK-5] */
TEST(every_exclusive_holder_decides)
{
    os_fd lock = OS_NONE;
    struct untorn_lock *held;
    struct batch batch;
    CHECK_INT(untorn_write("name", "old", 3, NULL, NULL), 0);
    CHECK_INT(os_open(OS_NONE, ".untorn/lock/name", OS_READ | OS_WRITE, 0, &lock), 0);
    CHECK_INT(batch_begin(&batch, lock), 0);
    CHECK_INT(untorn_lock("name", UNTORN_LOCK_SHARED, NULL, &held, NULL), 0);
    untorn_unlock(held);
    CHECK(is_open(lock));
    CHECK_INT(untorn_write("name", "new", 3, NULL, NULL), 0);
    CHECK(!is_open(lock));
    CHECK_INT(batch_verdict(lock, (uint32_t)batch.number), BATCH_NOT_DONE);
    CHECK_INT(batch_begin(&batch, lock), 0);
    CHECK_INT(untorn_lock("name", UNTORN_LOCK_EXCLUSIVE, NULL, &held, NULL), 0);
    CHECK(!is_open(lock));
    untorn_unlock(held);
    os_close(lock);
}

TEST(what_somebody_planted_does_no_harm)
{
    unsigned char bytes[BATCH_SIZE];
    struct batch batch;
    os_fd lock = open_lock();
    put("name", "old");
    for (int i = 0; i < 256; i++) {
        memset(bytes, i, sizeof bytes);
        CHECK_INT(os_write_at(lock, bytes, sizeof bytes, BATCH_PLACE), sizeof bytes);
        CHECK_INT(batch_decide(lock, OS_NONE, "name"), 0);
        CHECK_INT(batch_begin(&batch, lock), 0);
        CHECK(batch.number > 0 && is_open(lock));
        CHECK_INT(decided(lock, &batch), BATCH_NOT_DONE);
    }
    os_close(lock);
}
