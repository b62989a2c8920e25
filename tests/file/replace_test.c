/* The protocol of replacing one file: what holds at each step, and what a failure at each leaves.
 */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/replace.h"
#include "file/support.h"

#define TARGET "d/target" /* so that "/d/target" is the file and nothing of ours */
#define STAGE "/stage/target."
#define KEPT_STAGE "/history/target/" /* where it is to take the old version's place */

static struct untorn_error error;
static struct untorn_options options;

/* What keeping the old version adds is shown by past_test.c. */
static void without_history(void)
{
    options.keep = UNTORN_KEEP_NONE;
}

static int save(const char *text)
{
    return untorn_write(TARGET, text, strlen(text), &options, &error);
}

static void begin_with(const char *text)
{
    make_dir("d", 0755);
    if (text)
        put(TARGET, text);
}

static int stages(void)
{
    return count_entries("d/.untorn/stage", "");
}

/* ---- what holds at each step ---- */

static int looks, olds;

static void check_whole(void *context)
{
    const char *text = text_of(TARGET);
    (void)context;
    looks++;
    CHECK(strcmp(text, "the old version") == 0 || strcmp(text, "the new version") == 0);
    CHECK(olds == looks - 1 || strcmp(text, "the new version") == 0); /* and never back */
    olds += strcmp(text, "the old version") == 0;
}

/* [REPLACE-1] */
TEST(at_every_call_the_name_is_the_whole_old_or_the_whole_new_version)
{
    begin_with("the old version");
    for (int call = 0; call < CALL_COUNT; call++)
        always_at((enum call)call, "", check_whole, NULL);
    CHECK_INT(save("the new version"), 0);
    CHECK(olds > 10);
    CHECK(looks > olds);
}

static const struct rule *stage_flushes;

static void check_ready(void *context)
{
    const char *stage = only_entry("d/.untorn/stage", "target.");
    char value[8] = "";
    (void)context;
    CHECK_INT(stage_flushes->seen, 1);
    CHECK_TEXT(text_of(stage), "new");
    CHECK_INT(mode_of(stage), 0640);
    CHECK_INT(getxattr(stage, "user.note", value, sizeof value), 4);
    CHECK_TEXT(text_of(TARGET), "old");
}

/* [REPLACE-2] [REPLACE-5] */
TEST(content_and_metadata_are_given_and_flushed_before_the_rename)
{
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0640), 0);
    if (setxattr(TARGET, "user.note", "keep", 4, 0) < 0)
        SKIP("this file system has no extended attributes");
    without_history();
    stage_flushes = watch(CALL_FSYNC, STAGE);
    at(CALL_RENAME, "/d/target", 1, check_ready, NULL);
    CHECK_INT(save("new"), 0);
    CHECK_INT(rules[CALL_RENAME][0].seen, 1);
    CHECK_INT(stage_flushes->seen, 1);
    CHECK_INT(mode_of(TARGET), 0640);
}

static void change_nothing_more(void *context)
{
    (void)context;
    fail_always(CALL_CHMOD, "", EPERM);
    fail_always(CALL_CHOWN, "", EPERM);
    fail_always(CALL_SETXATTR, "", EPERM);
}

/* [REPLACE-5] */
TEST(nothing_is_given_after_the_rename)
{
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0640), 0);
    at(CALL_RENAME, "/d/target", 1, change_nothing_more, NULL);
    CHECK_INT(save("new"), 0);
    CHECK_INT(rules[CALL_CHMOD][0].seen, 0);
    CHECK_INT(rules[CALL_CHOWN][0].seen, 0);
    CHECK_INT(rules[CALL_SETXATTR][0].seen, 0);
}

static void check_levels(enum untorn_level level, int of_stage, int in_all)
{
    forget_rules();
    options.level = level;
    stage_flushes = watch(CALL_FSYNC, options.keep < 0 ? STAGE : KEPT_STAGE);
    const struct rule *all = watch(CALL_FSYNC, "");
    CHECK_INT(save(of_stage + in_all == 3 ? "new" : "newer"), 0);
    CHECK_INT(stage_flushes->seen, of_stage);
    CHECK_INT(all->seen, in_all);
}

/* [REPLACE-2] [REPLACE-3] */
TEST(each_level_flushes_what_it_promises_and_no_more)
{
    begin_with("old");
    CHECK_INT(save("older"), 0); /* the folder for its versions is made, and flushed once */
    for (int keep = UNTORN_KEEP_NONE; keep <= 8; keep += 3) {
        options.keep = keep;
        check_levels(UNTORN_DURABLE, 1, 2 + (keep == UNTORN_KEEP_NONE)); /* erased durably */
        check_levels(UNTORN_ORDERED, 1, 1);
        check_levels(UNTORN_CACHE, 0, 0);
        options.level = UNTORN_DURABLE;
        options.keep = 0;
        CHECK_INT(save("in between"), 0);
    }
}

static void check_visible(void *context)
{
    (void)context;
    CHECK_TEXT(text_of(TARGET), "new");
}

/* [REPLACE-3] */
TEST(the_directory_is_flushed_after_the_rename_and_its_failure_is_not_settled)
{
    begin_with("old");
    without_history();
    at(CALL_FSYNC, "/d", 2, check_visible, NULL);
    fail(CALL_FSYNC, "/d", 2, EIO);
    CHECK_INT(save("new"), UNTORN_UNSETTLED_FLUSH);
    CHECK_INT(error.status, UNTORN_UNSETTLED_FLUSH);
    CHECK_INT(error.os_error, EIO);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_INT(stages(), 0);
}

TEST(a_file_system_that_cannot_flush_a_directory_is_flagged_and_strict_refuses)
{
    begin_with("old");
    without_history();
    fail(CALL_FSYNC, "/d", 2, EINVAL);
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_NO_DIR_FLUSH);
    forget_rules();
    options.strict = true;
    fail(CALL_FSYNC, "/d", 1, EINVAL);
    CHECK_INT(save("newer"), -UNTORN_UNSUPPORTED);
    fail(CALL_FSYNC, "/d", 1, EIO);
    CHECK_INT(save("newer"), -UNTORN_IO);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_INT(stages(), 0);
    forget_rules();
    CHECK_INT(save("newer"), 0);
}

/* [REPLACE-4] [STAGE-3] */
static void check_every_failure(const char *stage)
{
    const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {
        {CALL_WRITE, stage, ENOSPC, UNTORN_NO_SPACE},
        {CALL_FSYNC, stage, EIO, UNTORN_IO},
        {CALL_FSYNC, stage, ENOSPC, UNTORN_NO_SPACE},
        {CALL_CHMOD, stage, EIO, UNTORN_IO},
        {CALL_RENAME, "/d/target", EIO, UNTORN_IO},
        {CALL_RENAME, "/d/target", ENOSPC, UNTORN_NO_SPACE},
        {CALL_RENAME, "/d/target", EACCES, UNTORN_DENIED},
        {CALL_RENAME, "/d/target", EISDIR, UNTORN_NOT_A_FILE},
        {CALL_OPEN, "/d/target", EMFILE, UNTORN_FAILED},
        {CALL_FLOCK, "/lock/target", ENOLCK, UNTORN_FAILED},
        /* Last, for a version that cannot be kept is no failure. */
        {CALL_OPEN, stage, ENOSPC, UNTORN_NO_SPACE},
    };
    put(TARGET, "old");
    int before = open_descriptors();
    size_t count = sizeof faults / sizeof *faults - (options.keep == 0);
    for (size_t i = 0; i < count; i++) {
        fail(faults[i].call, faults[i].path, 1, faults[i].code);
        const struct rule *flushes = watch(CALL_FSYNC, stage);
        CHECK_INT(save("new"), -(int)faults[i].status);
        CHECK_INT(error.status, faults[i].status);
        CHECK(flushes->seen <= 1);
        forget_rules();
        CHECK_TEXT(text_of(TARGET), "old");
        CHECK_INT(stages(), 0);
        CHECK_INT(open_descriptors(), before);
    }
    CHECK_INT(save("new"), 0);
}

TEST(until_the_rename_every_failure_leaves_the_old_version_and_no_stage)
{
    begin_with("older");
    CHECK_INT(chmod(TARGET, 0640), 0);
    without_history();
    check_every_failure(STAGE);
    options.keep = 0;
    CHECK_INT(save("old"), 0);
    check_every_failure(KEPT_STAGE);
}

/* [REPLACE-6] */
TEST(unchanged_is_said_after_what_is_visible_was_flushed)
{
    begin_with("same");
    options.if_changed = true;
    const struct rule *of_file = watch(CALL_FSYNC, "/d/target"), *all = watch(CALL_FSYNC, "");
    ino_t inode = stat_of(TARGET).st_ino;
    CHECK_INT(save("same"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(of_file->seen, 1);
    CHECK_INT(all->seen, 2);
    CHECK_INT(stat_of(TARGET).st_ino, inode);
    CHECK_INT(stages(), 0);
    forget_rules();
    fail(CALL_FSYNC, "/d/target", 1, EIO);
    CHECK_INT(save("same"), UNTORN_UNSETTLED_FLUSH);
    forget_rules();
    fail(CALL_FSYNC, "/d", 2, EIO);
    CHECK_INT(save("same"), UNTORN_UNSETTLED_FLUSH);
    forget_rules();
    options.level = UNTORN_CACHE;
    all = watch(CALL_FSYNC, "");
    CHECK_INT(save("same"), 0);
    CHECK_INT(all->seen, 0);
}

/* ---- somebody interferes between the look and the rename ---- */

static void replace_file(void *context)
{
    put("d/foreign", context);
    CHECK_INT(rename("d/foreign", TARGET), 0);
}

static void remove_file(void *context)
{
    (void)context;
    CHECK_INT(unlink(TARGET), 0);
}

static void make_file(void *context)
{
    put(TARGET, context);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree("d/.untorn");
}

static void replace_by_link(void *context)
{
    (void)context;
    put("d/real", "real");
    CHECK_INT(unlink(TARGET), 0);
    CHECK_INT(symlink("real", TARGET), 0);
}

static void replace_by_directory(void *context)
{
    (void)context;
    CHECK_INT(unlink(TARGET), 0);
    make_dir(TARGET, 0700);
}

/* [LOCK-2] */
TEST(what_changes_before_the_rename_makes_the_write_start_over)
{
    without_history();
    void (*const deeds[])(void *) = {replace_file, remove_file, remove_folder, replace_by_link};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        begin_with("old");
        CHECK_INT(chmod(TARGET, 0600), 0);
        at(CALL_FSYNC, STAGE, 1, deeds[i], "foreign");
        const struct rule *flushes = watch(CALL_FSYNC, "/stage/");
        CHECK_INT(save("new"), 0);
        CHECK(flushes->seen > 1);
        forget_rules();
        CHECK_TEXT(text_of(TARGET), "new");
        CHECK_INT(stages(), 0);
        remove_tree("d");
    }
}

/* [LOCK-2] */
TEST(conditions_are_looked_at_again_after_starting_over)
{
    without_history();
    struct untorn_hash hash = untorn_hash("old", 3);
    begin_with("old");
    options.if_match = &hash;
    at(CALL_FSYNC, STAGE, 1, replace_file, "foreign");
    CHECK_INT(save("new"), -UNTORN_CHANGED);
    CHECK_TEXT(text_of(TARGET), "foreign");
    forget_rules();
    options.if_match = NULL;
    options.exclusive = true;
    CHECK_INT(unlink(TARGET), 0);
    at(CALL_FSYNC, STAGE, 1, make_file, "theirs");
    CHECK_INT(save("new"), -UNTORN_EXISTS);
    CHECK_TEXT(text_of(TARGET), "theirs");
    CHECK_INT(stages(), 0);
}

TEST(a_directory_that_takes_the_name_is_told)
{
    without_history();
    begin_with("old");
    at(CALL_FSYNC, STAGE, 1, replace_by_directory, NULL);
    CHECK_INT(save("new"), -UNTORN_NOT_A_FILE);
    CHECK_INT(stages(), 0);
}

TEST(a_rename_that_may_have_left_nothing_is_not_settled)
{
    without_history();
    begin_with("old");
    fail(CALL_RENAME, TARGET, 1, ENOTRECOVERABLE);
    CHECK_INT(save("new"), UNTORN_UNSETTLED_FLUSH);
}

/* [LOCK-3] */
TEST(a_file_that_never_rests_is_given_up)
{
    without_history();
    begin_with("old");
    flushes_are_skipped = true;
    always_at(CALL_FSYNC, STAGE, replace_file, "foreign");
    CHECK_INT(save("new"), -UNTORN_RESTLESS);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "foreign");
    CHECK_INT(stages(), 0);
}

static void make_at_the_rename(void *context)
{
    (void)context;
    put(TARGET, "theirs");
}

/* [LOCK-2] */
TEST(a_file_made_in_the_very_moment_of_the_rename_is_not_replaced_unseen)
{
    struct untorn_hash hash = untorn_hash("old", 3);
    begin_with(NULL);
    at(CALL_RENAME, "/d/target", 1, make_at_the_rename, NULL);
    options.exclusive = true;
    CHECK_INT(save("new"), -UNTORN_EXISTS);
    CHECK_TEXT(text_of(TARGET), "theirs");
    options.exclusive = false;
    options.if_match = &hash;
    CHECK_INT(save("new"), -UNTORN_CHANGED);
}

/* ---- at cache: the old version leaves by the stage's name ---- */

static void check_swapped(void *context)
{
    (void)context;
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_INT(stages(), 1);
}

TEST(at_cache_the_old_version_leaves_by_a_swap_and_is_removed)
{
    begin_with("old");
    options.level = UNTORN_CACHE;
    at(CALL_UNLINK, STAGE, 1, check_swapped, NULL);
    const struct rule *renames = watch(CALL_RENAME, "/d/target");
    CHECK_INT(save("new"), 0);
    CHECK_INT(rules[CALL_UNLINK][0].seen, 1);
    CHECK_INT(renames->seen, 1);
    CHECK_INT(stages(), 0);
    forget_rules();
    fail(CALL_RENAME, "/d/target", 1, EINVAL); /* names cannot be swapped */
    CHECK_INT(save("newer"), 0);
    CHECK_TEXT(text_of(TARGET), "newer");
    CHECK_INT(stages(), 0);
}

/* [REPLACE-8] */
TEST(what_takes_the_name_in_the_very_moment_of_the_swap_is_put_back)
{
    struct untorn_hash hash = untorn_hash("old", 3);
    begin_with("old");
    options.level = UNTORN_CACHE;
    at(CALL_RENAME, "/d/target", 1, replace_file, "foreign");
    options.if_match = &hash;
    CHECK_INT(save("new"), -UNTORN_CHANGED);
    CHECK_TEXT(text_of(TARGET), "foreign");
    forget_rules();
    options.if_match = NULL;
    at(CALL_RENAME, "/d/target", 1, replace_by_directory, NULL);
    CHECK_INT(save("new"), -UNTORN_NOT_A_FILE);
    CHECK_INT(stat_of(TARGET).st_mode & S_IFMT, S_IFDIR);
    CHECK_INT(stages(), 0);
}

static void hide_what_comes_out(void *context)
{
    (void)context;
    fail(CALL_STAT, STAGE, 1, EIO);
}

/* [REPLACE-8] */
TEST(what_cannot_be_removed_or_put_back_is_left_to_the_next_writer)
{
    begin_with("old");
    options.level = UNTORN_CACHE;
    fail(CALL_UNLINK, STAGE, 1, EIO);
    CHECK_INT(save("new"), 0);
    CHECK_INT(stages(), 1);
    forget_rules();
    CHECK_INT(save("newer"), 0);
    CHECK_INT(stages(), 0);
    at(CALL_RENAME, "/d/target", 1, replace_file, "foreign");
    fail(CALL_RENAME, "/d/target", 2, EIO);
    CHECK_INT(save("newest"), 0);
    CHECK_TEXT(text_of(TARGET), "newest");
    forget_rules();
    CHECK_INT(save("last"), 0);
    CHECK_INT(stages(), 0);
    at(CALL_RENAME, "/d/target", 1, hide_what_comes_out, NULL);
    CHECK_INT(save("really"), 0);
    CHECK_TEXT(text_of(TARGET), "really");
    CHECK_INT(stages(), 1);
    forget_rules();
    CHECK_INT(save("the end"), 0);
    CHECK_INT(stages(), 0);
}

/* [STAGE-2] */
TEST(a_file_that_came_or_went_since_the_begin_decides_the_mode)
{
    struct untorn_writer *writer = NULL;
    umask(022);
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0600), 0);
    CHECK_INT(untorn_writer_begin(TARGET, NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    CHECK_INT(unlink(TARGET), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    untorn_writer_free(writer);
    CHECK_INT(mode_of(TARGET), 0644);
    CHECK_INT(unlink(TARGET), 0);
    CHECK_INT(untorn_writer_begin(TARGET, NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    put(TARGET, "secret");
    CHECK_INT(chmod(TARGET, 0600), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_INT(mode_of(TARGET), 0600);
    CHECK_TEXT(text_of(TARGET), "new");
}

TEST(a_stage_that_cannot_be_renewed_leaves_the_old_version)
{
    struct untorn_writer *writer = NULL;
    begin_with(NULL);
    CHECK_INT(untorn_writer_begin(TARGET, NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    put(TARGET, "old");
    fail(CALL_OPEN, STAGE, 1, ENOSPC);
    CHECK_INT(untorn_writer_commit(writer, &error), -UNTORN_NO_SPACE);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of(TARGET), "old");
    CHECK_INT(stages(), 0);
}

/* ---- renames that are not what they seem ---- */

static void fail_all_looks(void *context)
{
    struct rule *rule = context;
    rule->code = EIO;
}

static void rename_really(void *context)
{
    (void)context;
    CHECK_INT(rename(only_entry("d/.untorn/stage", "target."), TARGET), 0);
}

TEST(a_rename_that_took_place_although_it_failed_is_done)
{
    begin_with("old");
    without_history();
    at(CALL_RENAME, "/d/target", 1, rename_really, NULL);
    fail(CALL_RENAME, "/d/target", 1, EIO);
    CHECK_INT(save("new"), 0);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_INT(stages(), 0);
}

TEST(a_rename_whose_outcome_cannot_be_learnt_is_not_settled)
{
    begin_with("old");
    fail(CALL_RENAME, "/d/target", 1, EIO);
    struct rule *rule = new_rule(CALL_STAT, "/d/target", 1, 0);
    at(CALL_RENAME, "/d/target", 1, fail_all_looks, rule);
    CHECK_INT(save("new"), UNTORN_UNSETTLED_FLUSH);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "old");
}

TEST(without_a_rename_that_refuses_the_check_stands_in_for_it)
{
    begin_with(NULL);
    fail(CALL_RENAME, "/d/target", 1, EINVAL);
    fail_always(CALL_LINK, "/d/target", EPERM);
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_TEXT(text_of(TARGET), "new");
}

TEST(where_rename_cannot_serve_the_file_is_overwritten_in_place)
{
    static const int codes[] = {EBUSY, EXDEV};
    begin_with("old");
    ino_t inode = stat_of(TARGET).st_ino;
    for (int i = 0; i < 2; i++) {
        fail(CALL_RENAME, "/d/target", 1, codes[i]);
        CHECK_INT(save(i ? "newer" : "new"), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE);
        forget_rules();
    }
    CHECK_TEXT(text_of(TARGET), "newer");
    CHECK_INT(stat_of(TARGET).st_ino, inode);
    options.strict = true;
    fail(CALL_RENAME, "/d/target", 1, EBUSY);
    CHECK_INT(save("x"), -UNTORN_UNSUPPORTED);
    CHECK_TEXT(text_of(TARGET), "newer");
}

/* ---- conditions ---- */

TEST(a_condition_that_cannot_be_checked_is_a_failure)
{
    without_history();
    struct untorn_hash hash = untorn_hash("old", 3);
    begin_with("old");
    options.if_match = &hash;
    fail(CALL_READ, "/d/target", 1, EIO);
    CHECK_INT(save("new"), -UNTORN_IO);
    options.if_match = NULL;
    options.if_changed = true;
    fail(CALL_READ, "/d/target", 1, EIO);
    CHECK_INT(save("new"), -UNTORN_IO);
    forget_rules();
    fail(CALL_READ, STAGE, 1, EIO);
    CHECK_INT(save("new"), -UNTORN_IO);
    CHECK_TEXT(text_of(TARGET), "old");
}

static void save_unread(void *context)
{
    struct untorn_hash hash = untorn_hash("old", 3);
    (void)context;
    options.if_match = &hash;
    CHECK_INT(save("new"), -UNTORN_DENIED);
    options.if_match = NULL;
    options.if_changed = true;
    CHECK_INT(save("old"), 0);
    CHECK(!(error.flags & UNTORN_FLAG_UNCHANGED));
}

TEST(what_may_not_be_read_cannot_match_and_counts_as_changed)
{
    need_root();
    begin_with("old");
    CHECK_INT(chown("d", ALICE, ALICE), 0);
    CHECK_INT(chown(TARGET, ALICE, ALICE), 0);
    CHECK_INT(chmod(TARGET, 0200), 0);
    in_child_as(ALICE, ALICE, save_unread, NULL);
    CHECK_INT(mode_of(TARGET), 0200);
}

TEST(an_unchangeable_file_is_told_before_anything_is_tried)
{
    static const int marks[] = {FS_IMMUTABLE_FL, FS_APPEND_FL};
    begin_with("old");
    for (int i = 0; i < 2; i++) {
        set_marks(TARGET, marks[i]);
        int rc = save("new");
        options.keep_inode = true;
        int in_place = save("new");
        options.keep_inode = false;
        set_marks(TARGET, 0);
        CHECK_INT(rc, -UNTORN_DENIED);
        CHECK(strstr(error.detail, "immutable"));
        CHECK_INT(in_place, -UNTORN_DENIED);
    }
    CHECK_TEXT(text_of(TARGET), "old");
}

TEST(an_attribute_that_is_lost_is_flagged_and_strict_refuses)
{
    begin_with("old");
    if (setxattr(TARGET, "user.note", "keep", 4, 0) < 0)
        SKIP("this file system has no extended attributes");
    fail_always(CALL_SETXATTR, "user.note", EPERM);
    options.strict = true;
    CHECK_INT(save("new"), -UNTORN_UNSUPPORTED);
    CHECK_TEXT(text_of(TARGET), "old");
    options.strict = false;
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_META_LOST);
}

TEST(a_stage_gets_its_mode_from_the_umask_only_for_what_is_no_file_yet)
{
    struct untorn_options plain = {0}, private = {.mode = 0600};
    CHECK(replace_wants_open_mode(&plain, false));
    CHECK(!replace_wants_open_mode(&plain, true));
    CHECK(!replace_wants_open_mode(&private, false));
    CHECK(!replace_wants_open_mode(&private, true));
}
