/* Adding to the end of a file; what a record is here: a line in brackets. The kinds of records are
 * tested in tests/store/append_test.c. */
#include "harness.h"

#include <untorn.h>

#include "file/append.h"
#include "file/interpose.h"
#include "file/support.h"

#define LOG "d/log" /* so that "/d/log" is the log and nothing of ours */
#define KEPT "d/.untorn/kept"

static struct untorn_error error;
static struct untorn_options options;

static void make_place(void)
{
    if (!exists("d"))
        make_dir("d", 0755);
}

static void set_log(const char *text)
{
    make_place();
    put(LOG, text);
}

static bool in_brackets(const char *line, size_t size)
{
    return size >= 2 && line[0] == '[' && line[size - 1] == ']';
}

static int add(const char *text)
{
    make_place();
    error_begin(&error, NULL, LOG);
    return append_records(LOG, text, strlen(text), in_brackets, &options, &error);
}

static int add_text(const char *text)
{
    make_place();
    error_begin(&error, NULL, LOG);
    return append_records(LOG, text, strlen(text), NULL, &options, &error);
}

static int kept(void)
{
    return count_entries(KEPT, "");
}

TEST(records_are_added_at_the_end)
{
    set_log("[1]\n");
    ino_t inode = stat_of(LOG).st_ino;
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_INT(add("[3]\n[4]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n[3]\n[4]\n");
    CHECK_INT(stat_of(LOG).st_ino, inode);
}

TEST(a_missing_log_is_made)
{
    umask(022);
    CHECK_INT(add("[1]\n"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_INT(mode_of(LOG), 0644);
    CHECK_INT(unlink(LOG), 0);
    options.mode = 0640;
    CHECK_INT(add("[1]\n"), 0);
    CHECK_INT(mode_of(LOG), 0640);
    options.mode = 0600;
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_INT(mode_of(LOG), 0640);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n");
}

/* [APPEND-2] */
TEST(a_last_line_without_its_newline_gains_it)
{
    set_log("[1]\n[2]");
    CHECK_INT(add("[3]\n"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_TAIL_ENDED);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n[3]\n");
    CHECK_INT(kept(), 0);
    set_log("[only]");
    CHECK_INT(add("[3]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[only]\n[3]\n");
}

/* [APPEND-1] [APPEND-2] */
TEST(any_text_without_its_newline_gains_it_and_nothing_is_cut)
{
    set_log("[1]\n[torn");
    CHECK_INT(add_text("next\n"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_TAIL_ENDED);
    CHECK_TEXT(text_of(LOG), "[1]\n[torn\nnext\n");
    CHECK_INT(kept(), 0);
}

/* [APPEND-1] */
TEST(a_torn_record_is_kept_aside_and_cut)
{
    set_log("[1]\n[2]\n[to");
    CHECK_INT(add("[3]\n"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_TAIL_KEPT);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n[3]\n");
    const char *entry = only_entry(KEPT, "tail-log.");
    CHECK_TEXT(text_of(entry), "[to");
    CHECK_TEXT(error.detail, entry + 2); /* relative to the directory */
}

/* [APPEND-1] */
TEST(the_same_torn_record_is_kept_once)
{
    for (int i = 0; i < 3; i++) {
        set_log("[1]\n[to");
        CHECK_INT(add("[3]\n"), 0);
    }
    CHECK_INT(kept(), 1);
    set_log("[1]\n[other");
    CHECK_INT(add("[3]\n"), 0);
    CHECK_INT(kept(), 2);
}

static const struct rule *keeping, *naming;

static void check_kept_durably(void *context)
{
    (void)context;
    CHECK_TEXT(text_of(only_entry(KEPT, "tail-log.")), "[to");
    CHECK_INT(keeping->seen, 1);
    CHECK(naming->seen >= 3);
    CHECK_TEXT(text_of(LOG), "[1]\n[to");
}

/* [APPEND-1] */
TEST(a_torn_record_is_kept_durably_before_it_is_cut)
{
    set_log("[1]\n[to");
    keeping = watch(CALL_FSYNC, "/kept/tail-log.");
    naming = watch(CALL_FSYNC, "");
    at(CALL_TRUNCATE, "/d/log", 1, check_kept_durably, NULL);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(rules[CALL_TRUNCATE][0].seen, 1);
}

static const struct rule *cutting;

static void check_cut_durably(void *context)
{
    (void)context;
    CHECK_INT(stat_of(LOG).st_size, 4);
    CHECK_INT(cutting->seen, 1);
}

/* What was there before our first append may be anybody's, and not be flushed. [APPEND-4] */
static void set_flushed_log(const char *text)
{
    set_log("");
    CHECK_INT(add(text), 0);
}

/* Else a block of it could come back under the record that takes its place. */
TEST(a_torn_record_is_cut_durably_before_anything_is_added)
{
    set_log("[1]\n[to");
    cutting = watch(CALL_FSYNC, "/d/log");
    at(CALL_WRITE, "/d/log", 1, check_cut_durably, NULL);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(cutting->seen, 2);
}

TEST(a_file_that_is_one_torn_record_is_kept_whole)
{
    set_log("torn from the beginning");
    CHECK_INT(add("[1]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n");
    CHECK_TEXT(text_of(only_entry(KEPT, "tail-")), "torn from the beginning");
}

TEST(a_torn_record_longer_than_any_buffer_is_found)
{
    static char text[30000];
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "[1]\n[", 5);
    set_log(text);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n");
    CHECK_INT(stat_of(only_entry(KEPT, "tail-")).st_size, sizeof text - 1 - 4);
    memset(text, 'x', sizeof text - 1);
    text[0] = '[';
    text[sizeof text - 2] = ']';
    set_log(text);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(stat_of(LOG).st_size, sizeof text - 1 + 5);
}

TEST(an_empty_file_and_empty_lines_are_nothing_to_mend)
{
    set_log("");
    CHECK_INT(add("[1]\n"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of(LOG), "[1]\n");
    set_log("[1]\n\n");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n\n[2]\n");
}

TEST(blocks_that_never_reached_the_disk_are_a_torn_record)
{
    make_place();
    put_bytes(LOG, "[1]\n\0\0\0\0", 8);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n");
    put_bytes(LOG, "[1]\n[a\0\0]\n", 10);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n");
    CHECK_INT(kept(), 2);
}

TEST(what_is_wrong_further_up_is_not_our_doing)
{
    set_log("garbage\n[1]\nnot a record\n");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of(LOG), "garbage\n[1]\nnot a record\n[2]\n");
}

/* ---- failures [APPEND-3] ---- */

/* [APPEND-3] */
TEST(a_write_that_fails_half_way_is_cut_back)
{
    set_log("[1]\n[2]");
    for (int i = 0; i < 2; i++) {
        fail(CALL_WRITE, "/d/log", 1, i ? ENOSPC : EIO);
        CHECK_INT(add("[3]\n"), i ? -UNTORN_NO_SPACE : -UNTORN_IO);
        forget_rules();
        CHECK_TEXT(text_of(LOG), "[1]\n[2]");
    }
}

static void half_write(void *context)
{
    int file = open(LOG, O_WRONLY | O_APPEND);
    CHECK_INT(write(file, context, strlen(context)), strlen(context));
    close(file);
}

/* [APPEND-3] */
TEST(what_was_written_before_the_failure_is_cut)
{
    set_log("[1]\n");
    at(CALL_WRITE, "/d/log", 1, half_write, "[3");
    fail(CALL_WRITE, "/d/log", 1, ENOSPC);
    const struct rule *flushes = watch(CALL_FSYNC, "/d/log");
    CHECK_INT(add("[3]\n"), -UNTORN_NO_SPACE);
    CHECK_TEXT(text_of(LOG), "[1]\n");
    CHECK(flushes->seen > 0);
}

/* [APPEND-3] */
TEST(what_somebody_else_added_meanwhile_is_not_cut)
{
    set_log("[1]\n");
    at(CALL_WRITE, "/d/log", 1, half_write, "[somebody else was here]\n");
    fail(CALL_WRITE, "/d/log", 1, ENOSPC);
    CHECK_INT(add("[3]\n"), UNTORN_UNSETTLED_IN_PLACE);
    CHECK_TEXT(text_of(LOG), "[1]\n[somebody else was here]\n");
}

/* [APPEND-3] */
TEST(a_failure_that_cannot_be_cut_back_is_not_settled)
{
    set_log("[1]\n");
    at(CALL_WRITE, "/d/log", 1, half_write, "[3");
    fail(CALL_WRITE, "/d/log", 1, ENOSPC);
    fail(CALL_TRUNCATE, "/d/log", 1, EIO);
    CHECK_INT(add("[3]\n"), UNTORN_UNSETTLED_IN_PLACE);
    forget_rules();
    CHECK_INT(add("[3]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[3]\n");
}

/* [APPEND-3] */
TEST(a_log_that_was_made_for_a_record_that_failed_goes_again)
{
    fail(CALL_WRITE, "/d/log", 1, ENOSPC);
    CHECK_INT(add("[1]\n"), -UNTORN_NO_SPACE);
    CHECK(!exists(LOG));
    forget_rules();
    fail(CALL_WRITE, "/d/log", 1, ENOSPC);
    fail(CALL_UNLINK, "/d/log", 1, EIO);
    CHECK_INT(add("[1]\n"), UNTORN_UNSETTLED_IN_PLACE);
}

static void replace(void *context)
{
    put("new", context);
    CHECK_INT(rename("new", LOG), 0);
}

/* [APPEND-3] */
TEST(what_somebody_else_put_in_the_place_of_a_log_that_was_made_stays)
{
    at(CALL_WRITE, "/d/log", 1, replace, "[foreign]\n");
    fail(CALL_WRITE, "/d/log", 1, ENOSPC);
    CHECK(add("[1]\n") != 0);
    CHECK_TEXT(text_of(LOG), "[foreign]\n");
}

TEST(a_flush_that_fails_is_not_settled)
{
    set_flushed_log("[1]\n");
    fail(CALL_FSYNC, "/d/log", 1, EIO);
    CHECK_INT(add("[2]\n"), UNTORN_UNSETTLED_FLUSH);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n");
}

/* [APPEND-4] */
TEST(what_was_added_before_and_may_not_be_flushed_is_flushed_first)
{
    set_log("[1]\n");
    const struct rule *flushes = watch(CALL_FSYNC, "/d/log");
    fail(CALL_FSYNC, "/d/log", 1, EIO);
    CHECK_INT(add("[2]\n"), -UNTORN_IO);
    CHECK_TEXT(text_of(LOG), "[1]\n");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(flushes->seen, 3);
    CHECK_INT(add("[3]\n"), 0);
    CHECK_INT(flushes->seen, 4);
    options.level = UNTORN_CACHE;
    CHECK_INT(add("[4]\n"), 0);
    CHECK_INT(flushes->seen, 4);
    options.level = UNTORN_DURABLE;
    CHECK_INT(add("[5]\n"), 0);
    CHECK_INT(flushes->seen, 6);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n[3]\n[4]\n[5]\n");
}

TEST(under_a_lock_of_others_nothing_is_known_of_earlier_records)
{
    set_flushed_log("[1]\n");
    put("d/foreign", "");
    options.lock_file = "d/foreign";
    const struct rule *flushes = watch(CALL_FSYNC, "/d/log");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(flushes->seen, 2);
    CHECK_TEXT(text_of("d/foreign"), "");
}

TEST(a_new_log_is_flushed_with_its_name)
{
    fail(CALL_FSYNC, "/d", 2, EIO);
    CHECK_INT(add("[1]\n"), UNTORN_UNSETTLED_FLUSH);
    CHECK_TEXT(text_of(LOG), "[1]\n");
}

TEST(levels_flush_what_they_promise)
{
    set_flushed_log("[1]\n");
    const struct rule *flushes = watch(CALL_FSYNC, "/d/log");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(flushes->seen, 1);
    options.level = UNTORN_CACHE;
    CHECK_INT(add("[3]\n"), 0);
    CHECK_INT(flushes->seen, 1);
}

TEST(a_torn_record_that_cannot_be_kept_is_not_cut)
{
    static const struct {
        enum call call;
        const char *path;
        int nth;
    } faults[] = {{CALL_WRITE, "/kept/", 1},    {CALL_FSYNC, "/kept/tail", 1},
                  {CALL_TRUNCATE, "/d/log", 1}, {CALL_READ, "/d/log", 1},
                  {CALL_READ, "/d/log", 2},     {CALL_READ, "/d/log", 3},
                  {CALL_STAT, "/d/log", 1},     {CALL_STAT, "/d/log", 2},
                  {CALL_STAT, "/d/log", 3},     {CALL_STAT, "/d/log", 4}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        set_log("[1]\n[to");
        fail(faults[i].call, faults[i].path, faults[i].nth, EIO);
        CHECK_INT(add("[2]\n"), -UNTORN_IO);
        forget_rules();
        CHECK_TEXT(text_of(LOG), "[1]\n[to");
    }
}

/* ---- somebody interferes ---- */

static void create(void *context)
{
    set_log(context);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree("d/.untorn");
}

/* [LOCK-2] */
TEST(a_log_that_is_replaced_or_made_meanwhile_is_opened_again)
{
    set_log("[1]\n");
    at(CALL_READ, "/d/log", 1, replace, "[foreign]\n");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[foreign]\n[2]\n");
    forget_rules();
    at(CALL_OPEN, "/d/log", 2, replace, "[another]\n");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[another]\n[2]\n");
    forget_rules();
    CHECK_INT(unlink(LOG), 0);
    at(CALL_OPEN, "/d/log", 2, create, "[made]\n");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[made]\n[2]\n");
    forget_rules();
    at(CALL_READ, "/d/log", 1, remove_folder, NULL);
    CHECK_INT(add("[3]\n"), 0);
}

TEST(a_torn_record_that_grows_meanwhile_is_looked_at_again)
{
    set_log("[1]\n[2");
    at(CALL_FSYNC, "/kept/tail", 1, half_write, "]");
    CHECK_INT(add("[3]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[2]\n[3]\n");
}

TEST(our_folder_that_goes_while_a_record_is_kept_is_made_again)
{
    set_log("[1]\n[to");
    at(CALL_OPEN, "/kept/tail", 1, remove_folder, NULL);
    CHECK_INT(add("[3]\n"), 0);
    CHECK_TEXT(text_of(LOG), "[1]\n[3]\n");
    CHECK_TEXT(text_of(only_entry(KEPT, "tail-")), "[to");
}

/* ---- options ---- */

TEST(links_are_followed_or_refused)
{
    make_place();
    put("real", "[1]\n");
    CHECK_INT(symlink("../real", LOG), 0);
    CHECK_INT(add("[2]\n"), 0);
    CHECK_TEXT(text_of("real"), "[1]\n[2]\n");
    options.symlink = UNTORN_REFUSE_LINK;
    CHECK_INT(add("[2]\n"), -UNTORN_LINK_REFUSED);
}

TEST(a_link_cannot_be_replaced_by_adding_to_it_and_that_is_said)
{
    make_place();
    put("real", "[1]\n");
    CHECK_INT(symlink("../real", LOG), 0);
    options.symlink = UNTORN_REPLACE_LINK;
    int rc = add("[2]\n");
    CHECK(rc != -UNTORN_RESTLESS);
}

TEST(what_cannot_be_added_to_is_told)
{
    make_place();
    make_dir(LOG, 0700);
    CHECK_INT(add("[1]\n"), -UNTORN_NOT_A_FILE);
    CHECK_INT(rmdir(LOG), 0);
    CHECK_INT(symlink("missing/log", "dangling"), 0);
    error_begin(&error, NULL, "dangling");
    CHECK_INT(append_records("dangling", "[1]\n", 4, NULL, &options, &error), -UNTORN_MISSING);
    options.parents = true;
    CHECK_INT(append_records("dangling", "[1]\n", 4, NULL, &options, &error), 0);
    CHECK_TEXT(text_of("missing/log"), "[1]\n");
}

static void add_as_alice(void *context)
{
    (void)context;
    CHECK_INT(append_records(LOG, "[2]\n", 4, in_brackets, &options, &error), -UNTORN_DENIED);
}

TEST(a_log_that_may_not_be_written_is_denied)
{
    need_root();
    make_dir("d", 0777);
    set_log("[1]\n");
    CHECK_INT(chmod(LOG, 0644), 0);
    error_begin(&error, NULL, LOG);
    in_child_as(ALICE, ALICE, add_as_alice, NULL);
    CHECK_TEXT(text_of(LOG), "[1]\n");
}

TEST(no_descriptor_is_left_open)
{
    int before = open_descriptors();
    set_log("[1]\n[to");
    CHECK_INT(add("[2]\n"), 0);
    CHECK_INT(add("[2]\n"), 0);
    fail(CALL_WRITE, "/d/log", 1, EIO);
    CHECK(add("[2]\n") < 0);
    CHECK_INT(open_descriptors(), before);
}
