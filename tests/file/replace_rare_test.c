/* Ends of a replace that hardly any system shows: each call fails, and what is known of the file
 * turns out to be otherwise. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/replace.h"
#include "file/support.h"
#include "leave.h"

#define TARGET "d/target"
#define STAGE "/stage/target."

static struct untorn_error error;
static struct untorn_options options;

static int save(const char *text)
{
    return untorn_write(TARGET, text, strlen(text), &options, &error);
}

static void begin_with(const char *text)
{
    if (exists("d"))
        remove_tree("d");
    make_dir("d", 0755);
    if (text)
        put(TARGET, text);
}

static int stages(void)
{
    return count_entries("d/.untorn/stage", "");
}

/* ---- what stays as it is ---- */

TEST(versions_that_cannot_be_erased_are_told)
{
    begin_with("older");
    CHECK_INT(save("old"), 0);
    options.keep = UNTORN_KEEP_NONE;
    options.if_changed = true;
    fail(CALL_UNLINK, "/history/target/", 1, EIO);
    CHECK_INT(save("old"), -UNTORN_IO);
    forget_rules();
    CHECK_INT(save("old"), 0);
    CHECK(error.flags & UNTORN_FLAG_UNCHANGED);
    CHECK_INT(count_entries("d/.untorn/history", ""), 0);
}

TEST(a_link_that_stays_has_nothing_to_flush)
{
    begin_with(NULL);
    CHECK_INT(symlink("nowhere", TARGET), 0);
    options.symlink = UNTORN_REPLACE_LINK;
    CHECK_INT(untorn_update(TARGET, leave, NULL, &options, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_UNCHANGED);
    CHECK(S_ISLNK(stat_of(TARGET).st_mode));
}

/* ---- a file that was made and is taken back ---- */

static struct target target;

static os_fd made_file(void)
{
    os_fd file;
    options = (struct untorn_options){0};
    error_begin(&error, NULL, TARGET);
    CHECK_INT(target_open(&target, TARGET, &options, &error), 0);
    CHECK_INT(os_open(OS_NONE, TARGET, OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    return file;
}

TEST(only_our_own_empty_file_is_taken_back)
{
    begin_with(NULL);
    os_fd file = made_file();
    CHECK_INT(replace_take_back(&target, file), 0);
    CHECK(!exists(TARGET));
    CHECK_INT(replace_take_back(&target, file), 0); /* it is gone */
    put(TARGET, "");
    CHECK_INT(replace_take_back(&target, file), 0);
    CHECK(exists(TARGET)); /* another's */
    target_close(&target);
    os_close(file);
    CHECK_INT(unlink(TARGET), 0);
    file = made_file();
    put(TARGET, "somebody wrote into it");
    CHECK_INT(replace_take_back(&target, file), 0);
    CHECK(exists(TARGET));
    put(TARGET, "");
    fail(CALL_STAT, "/d/target", 1, EIO);
    CHECK_INT(replace_take_back(&target, file), -EIO);
    forget_rules();
    fail(CALL_UNLINK, "/d/target", 1, EACCES);
    CHECK_INT(replace_take_back(&target, file), -EACCES);
    forget_rules();
    fail(CALL_FSYNC, "/d", 1, EINVAL);
    CHECK_INT(replace_take_back(&target, file), 0);
    forget_rules();
    put(TARGET, "");
    options.level = UNTORN_CACHE;
    os_close(file);
    CHECK_INT(os_open(OS_NONE, TARGET, OS_READ, 0, &file), 0);
    const struct rule *flushes = watch(CALL_FSYNC, "");
    CHECK_INT(replace_take_back(&target, file), 0);
    CHECK_INT(flushes->seen, 0);
    target_close(&target);
    os_close(file);
}

/* ---- whose it is ---- */

/* A stage with the file's own mode needs nothing more, unless the file has changed hands since, or
 * the stage got entries of an access list from the folder that it was made in. */
TEST(a_stage_that_is_not_as_it_was_to_be_is_given_all_again)
{
    struct stage stage;
    for (int i = 0; i < 2; i++) {
        begin_with("old");
        options = (struct untorn_options){.keep = UNTORN_KEEP_NONE};
        error_begin(&error, NULL, TARGET);
        CHECK_INT(target_open(&target, TARGET, &options, &error), 0);
        target.stages_under_lock = true;
        CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
        CHECK_INT(target_look(&target, &error), 0);
        CHECK_INT(replace_begin(&target, &stage), 0);
        CHECK_INT(stage_write(&stage, "new", 3), 0);
        if (!stage.final_mode)
            SKIP("files have attributes of their own here");
        if (i == 0)
            target.stat.owner++;
        else
            fail(CALL_LISTXATTR, STAGE, 1, EIO);
        const struct rule *looks = watch(CALL_STAT, STAGE);
        struct replacement replacement = {.target = &target, .stage = &stage};
        CHECK_INT(replace_prepare(&replacement, &error), 0);
        CHECK(!replacement.needs_nothing);
        CHECK(looks->seen > 0);
        forget_rules();
        stage_close(&stage);
        target_close(&target);
    }
}

/* ---- of several files, which are closed until their turn comes ---- */

static struct stage resting;

static void prepare(struct replacement *replacement)
{
    begin_with("old");
    options = (struct untorn_options){.keep = UNTORN_KEEP_NONE};
    error_begin(&error, NULL, TARGET);
    CHECK_INT(target_open(&target, TARGET, &options, &error), 0);
    target.stages_under_lock = true;
    CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
    CHECK_INT(target_look(&target, &error), 0);
    CHECK_INT(replace_begin(&target, &resting), 0);
    CHECK_INT(stage_write(&resting, "new", 3), 0);
    *replacement = (struct replacement){.target = &target, .stage = &resting};
    CHECK_INT(replace_prepare(replacement, &error), 0);
    CHECK_INT(stage_rest(&resting), 0);
    target_rest(&target);
}

static void end_with(const char *text)
{
    forget_rules();
    CHECK_TEXT(text_of(TARGET), text);
    stage_close(&resting);
    target_close(&target);
}

static void replace_file(void *context)
{
    put("d/foreign", context);
    CHECK_INT(rename("d/foreign", TARGET), 0);
}

TEST(what_rests_is_found_again_or_told_to_be_gone)
{
    struct replacement replacement;
    prepare(&replacement);
    fail(CALL_RENAME, "/d/target", 1, EIO);
    CHECK_INT(replace_publish(&replacement, &error), -UNTORN_IO); /* it did not take place */
    end_with("old");
    prepare(&replacement);
    fail(CALL_RENAME, "/d/target", 1, EBUSY);
    CHECK_INT(replace_publish(&replacement, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    end_with("new");
    prepare(&replacement);
    fail(CALL_RENAME, "/d/target", 1, EBUSY);
    fail(CALL_OPEN, STAGE, 1, EMFILE);
    CHECK_INT(replace_publish(&replacement, &error), -UNTORN_FAILED);
    end_with("old");
    prepare(&replacement);
    fail(CALL_RENAME, "/d/target", 1, EBUSY);
    fail(CALL_OPEN, STAGE, 1, ENOENT);
    CHECK_INT(replace_publish(&replacement, &error), AGAIN);
    end_with("old");
    prepare(&replacement);
    fail(CALL_RENAME, "/d/target", 1, EBUSY);
    at(CALL_RENAME, "/d/target", 1, replace_file, "foreign");
    CHECK_INT(replace_publish(&replacement, &error), AGAIN);
    end_with("foreign");
}

/* ---- whose it is, at cache ---- */

TEST(at_cache_the_file_of_another_does_not_leave_by_the_stage)
{
    need_root();
    begin_with("old");
    CHECK_INT(chown(TARGET, ALICE, ALICE), 0);
    options.level = UNTORN_CACHE;
    options.keep = UNTORN_KEEP_NONE;
    const struct rule *removals = watch(CALL_UNLINK, STAGE);
    CHECK_INT(save("new"), 0);
    CHECK_INT(removals->seen, 0);
    CHECK_INT(stat_of(TARGET).st_uid, ALICE);
}

/* ---- renames that fail ---- */

TEST(a_rename_that_is_refused_leaves_the_old_version)
{
    static const struct {
        int code;
        enum untorn_status status;
    } refusals[] = {{EINVAL, UNTORN_FAILED},
                    {ENOTDIR, UNTORN_NOT_A_FILE},
                    {EPERM, UNTORN_DENIED},
                    {EROFS, UNTORN_READ_ONLY}};
    options.keep = UNTORN_KEEP_NONE;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        begin_with("old");
        fail(CALL_RENAME, "/d/target", 1, refusals[i].code);
        CHECK(save("new") < 0);
        if (refusals[i].status != UNTORN_READ_ONLY)
            CHECK_INT(error.status, refusals[i].status);
        CHECK_TEXT(text_of(TARGET), "old");
        CHECK_INT(stages(), 0);
        forget_rules();
    }
}

TEST(a_folder_that_is_gone_when_the_stage_is_renewed_means_starting_over)
{
    struct untorn_writer *writer = NULL;
    begin_with(NULL);
    CHECK_INT(untorn_writer_begin(TARGET, NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    put(TARGET, "old");
    fail(CALL_OPEN, STAGE, 1, ENOENT);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of(TARGET), "new");
}

TEST(a_version_that_must_be_kept_and_cannot_be_stops_it)
{
    begin_with("older");
    CHECK_INT(save("old"), 0);
    options.strict = true;
    options.keep = 3;
    fail(CALL_RENAME, "/d/target", 1, EINVAL); /* the two cannot change places */
    fail_always(CALL_LINK, "/history/", EIO);
    int rc = save("new");
    forget_rules();
    CHECK(rc < 0);
    CHECK_TEXT(text_of(TARGET), "old");
    options.strict = false;
    CHECK_INT(save("new"), 0);
}

/* Its stage was made before the lock was taken, under a name of its own, which it gets back. */
TEST(a_stream_is_put_in_place_also_where_names_cannot_be_swapped)
{
    struct untorn_writer *writer = NULL;
    begin_with("old");
    CHECK_INT(untorn_writer_begin(TARGET, NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    fail(CALL_RENAME, "/d/target", 1, EINVAL);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_INT(rules[CALL_RENAME][0].seen, 2); /* it did not have to start over */
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(text_of(only_entry("d/.untorn/history/target", "")), "old");
    CHECK_INT(stages(), 0);
}

/* ---- a new file that can only be written in place ---- */

static bool fail_at(enum call call, int nth, int code)
{
    begin_with(NULL);
    put("d/other", "x");
    CHECK_INT(untorn_write("d/other", "y", 1, NULL, &error), 0);
    fail_always(CALL_RENAME, "/d/target", EXDEV);
    struct rule *rule = new_rule(call, call == CALL_FSYNC ? "/d" : "/d/target", nth, nth);
    rule->code = code;
    int rc = save("new");
    bool met = rule->seen >= nth;
    forget_rules();
    CHECK(rc != 0 || strcmp(text_of(TARGET), "new") == 0);
    CHECK(rc >= 0 || !exists(TARGET) || stat_of(TARGET).st_size == 0);
    CHECK_INT(save("next"), 0);
    CHECK_TEXT(text_of(TARGET), "next");
    return met;
}

TEST(a_file_that_is_made_in_place_is_whole_or_not_there)
{
    static const struct {
        enum call call;
        int code;
    } faults[] = {{CALL_OPEN, EMFILE}, {CALL_OPEN, EEXIST}, {CALL_STAT, EIO},
                  {CALL_CHMOD, EIO},   {CALL_WRITE, EIO},   {CALL_FSYNC, EIO},
                  {CALL_UNLINK, EIO},  {CALL_FSYNC, EINVAL}};
    options.mode = 0640;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int nth = 1; fail_at(faults[i].call, nth, faults[i].code); nth++)
            CHECK(nth < 100);
}
