/* What a commit that is finished asks of whoever next uses one of its files. [RECOVER-6] */
#include "base/pathtext.h"
#include "txn/commits.h"
#include "txn/planted.h"

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

static bool slot_has(const char *text)
{
    char bytes[8192];
    int file = open(".untorn/journal/slot", O_RDONLY);
    ssize_t n = read(file, bytes, sizeof bytes);
    close(file);
    return n > 0 && memmem(bytes, (size_t)n, text, strlen(text));
}

TEST(where_no_version_is_to_stay_neither_do_bytes_behind_a_commit_of_other_files)
{
    char longer[4096];
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    snprintf(longer, sizeof longer, "%4000s", "secret");
    const struct step with_secret[] = {PUT("s", longer), PUT("x", "new x"), {0}};
    CHECK_INT(commit_steps(with_secret, NULL, &error), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK(slot_has("secret"));
    CHECK_INT(untorn_write("s", "clean", 5, &options, &error), 0);
    CHECK(!slot_has("secret"));
    CHECK_INT(slot_of("").state, SLOT_IDLE);
}

TEST(where_no_version_is_to_stay_neither_do_bytes_in_the_slot_at_level_cache)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE, .level = UNTORN_CACHE};
    const struct step with_secret[] = {PUT("s", "secret"), PUT("x", "new x"), {0}};
    CHECK_INT(commit_steps(with_secret, NULL, &error), 0);
    CHECK_INT(untorn_write("s", "clean", 5, &options, &error), 0);
    CHECK(!slot_has("secret"));
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

static void writes_it(void *context)
{
    CHECK_INT(untorn_write(context, "hers", 4, NULL, NULL), 0);
}

/* [FINISH-5] The owner of a file goes on without a commit that is not hers to apply. */
TEST(what_another_has_staged_for_a_file_is_kept_before_it_is_written)
{
    static char large[100 * 1024 + 1];
    memset(large, 'L', sizeof large - 1);
    const struct step steps[] = {PUT("d/x", "new x"), PUT("d/y", large), {0}};
    need_root();
    for (int closed = 0; closed < 2; closed++) {
        make_dir("d", 0777);
        put("d/x", "old x");
        put("d/y", "old y");
        CHECK_INT(chown("d/y", ALICE, ALICE), 0);
        die_at(steps, CALL_RENAME, "d/y", 1);
        CHECK_INT(chown("d/.untorn/journal/slot", BOB, BOB), 0);
        if (closed)
            CHECK_INT(system("chown 0:0 d/.untorn/stage/y.* && chmod 600 d/.untorn/stage/y.*"), 0);
        in_child_as(ALICE, ALICE, writes_it, "d/y");
        CHECK_TEXT(text_of("d/y"), "hers");
        CHECK_INT(stat_of(only_entry("d/.untorn/kept", "conflict-y")).st_size, 102400);
        in_child_as(ALICE, ALICE, writes_it, "d/y");
        CHECK_INT(count_entries("d/.untorn/kept", ""), 1);
        remove_tree("d");
    }
}

/* A slot that somebody planted takes no living writer's stage away. */
TEST(what_is_being_made_is_not_kept_for_being_named)
{
    struct untorn_writer *writer;
    need_root();
    make_dir("d", 0777);
    put("d/y", "old y");
    CHECK_INT(untorn_writer_begin("d/y", NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "streamed", 8, &error), 0);
    struct plant *plant = plant_begin("d/y");
    struct slot_member *member = plant_staged(plant, "y", "planted");
    CHECK_INT(unlink(only_entry("d/.untorn/stage", "y.0123456789abcdef")), 0);
    snprintf(member->stage, sizeof member->stage, "%s",
             path_last(only_entry("d/.untorn/stage", "y.")));
    plant_write(plant, SLOT_COMMITTED, 0644);
    plant_die(plant);
    CHECK_INT(chown("d/" PLANT_SLOT, BOB, BOB), 0);
    CHECK_INT(chown("d/y", ALICE, ALICE), 0);
    CHECK_INT(untorn_write("d/y", "between", 7, NULL, &error), 0);
    CHECK_INT(count_entries("d/.untorn/kept", ""), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_TEXT(text_of("d/y"), "streamed");
    untorn_writer_free(writer);
}
