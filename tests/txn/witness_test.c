/* A commit is interrupted, and then the folder of one of its directories is removed: the journal
 * that would know is gone, and the files themselves are asked. */
#include "txn/apart.h"
#include "txn/planted.h"
#include "txn/witness.h"

static size_t open_findings(const char *path, bool abandon)
{
    struct untorn_check check = {.repair = abandon, .abandon = abandon};
    size_t open;
    CHECK_INT(untorn_check(path, &check, NULL, &open, &error), 0);
    return open;
}

static void commit_beside(const char *one, const char *other)
{
    const struct step steps[] = {PUT(one, "1"), PUT(other, "2"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
}

/* [SEAT-3] */
TEST(one_new_file_proves_the_commit_where_the_coordinators_journal_is_gone)
{
    for (int i = 0; i < 2; i++) {
        begin_again();
        die_at(apart, CALL_RENAME, "b/z", 1);
        CHECK_TEXT(text_of("b/y"), "new y");
        remove_tree("a/.untorn");
        if (i == 1) /* another commit has made one anew */
            commit_beside("a/v", "a/w");
        CHECK_TEXT(text_read("b/z"), "new z");
        CHECK_INT(touch("b/z"), 0);
        CHECK_TEXT(text_of("b/z"), "new z");
        CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
        CHECK(!is_active("b/"));
        const char *note = text_of(only_entry("b/.untorn/kept", "lost-")); /* [RECOVER-8] */
        CHECK(strstr(note, full_path("a")) != NULL);
        CHECK_INT(open_findings("b", false), 1);
        CHECK_INT(open_findings("b", true), 0);
        CHECK_INT(touch("b/z"), 0);
        CHECK(!(error.flags & UNTORN_FLAG_JOURNAL_LOST));
    }
}

TEST(without_a_new_file_it_is_in_doubt_until_it_is_given_up)
{
    for (int i = 0; i < 2; i++) {
        begin_again();
        die_at(apart, CALL_RENAME, "b/y", 1);
        remove_tree("a/.untorn");
        if (i == 1)
            commit_beside("a/v", "a/w");
        CHECK_TEXT(text_read("b/y"), "old y");
        CHECK_INT(touch("b/y"), -UNTORN_IN_DOUBT);
        CHECK(strstr(error.detail, "journal") != NULL);
        CHECK_TEXT(text_of("b/y"), "old y");
        CHECK_INT(open_findings("b", true), 0);
        CHECK_INT(touch("b/y"), 0);
        CHECK_TEXT(text_of("b/y"), "old y");
    }
}

/* A file that is gone proves nothing: anybody may have removed it. */
TEST(a_removed_file_is_no_proof)
{
    const struct step steps[] = {PUT("a/x", "new x"), REMOVE("b/y"), PUT("b/z", "new z"), {0}};
    begin_apart();
    die_at(steps, CALL_RENAME, "a/x", 1);
    CHECK_INT(unlink("b/y"), 0);
    remove_tree("a/.untorn");
    CHECK_INT(touch("b/z"), -UNTORN_IN_DOUBT);
    CHECK_TEXT(text_of("b/z"), "old z");
}

/* But elsewhere there may be something. */
TEST(where_all_files_are_new_nothing_is_done_and_it_is_told)
{
    const struct step steps[] = {PUT("a/x", "new x"), REMOVE("b/y"), PUT("b/z", "new z"), {0}};
    begin_apart();
    die_at(steps, CALL_WRITE, "b/.untorn/journal/slot", 3); /* zeros, PREPARED, DONE */
    remove_tree("a/.untorn");
    CHECK_INT(touch("b/z"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
    CHECK(!exists("b/y") && !is_active("b/"));
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST); /* [RECOVER-8] */
}

static void recover_b_alone(void *context)
{
    (void)context;
    at(CALL_RENAME, "a/x", 1, die, NULL);
    CHECK_INT(touch("b/y"), 0);
}

/* The recovery was killed as well. */
TEST(a_half_that_was_finished_before_the_journal_was_removed_is_told)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    CHECK_INT(end_of(start_child(recover_b_alone, NULL)), -SIGKILL);
    remove_tree("a/.untorn");
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("a/x"), "old x");
    CHECK_TEXT(text_of("b/z"), "new z");
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
    CHECK_INT(open_findings("b", false), 1);
}

/* [FINISH-5] The stages may be the only copies. */
TEST(where_all_files_were_changed_since_the_new_versions_are_kept_aside)
{
    static char large[100 * 1024 + 1];
    memset(large, 'L', sizeof large - 1);
    const struct step steps[] = {PUT("a/x", "new"), PUT("b/y", large), PUT("b/z", large), {0}};
    for (int i = 0; i < 2; i++) {
        begin_again();
        die_at(steps, CALL_RENAME, i == 0 ? "b/y" : "b/z", 1);
        if (i == 0)
            put("b/y", "by hand");
        put("b/z", "by hand");
        remove_tree("a/.untorn");
        CHECK_INT(touch("b/z"), 0);
        CHECK_TEXT(text_of("b/z"), "by hand");
        CHECK_INT(count_entries("b/.untorn/kept", "conflict-"), i == 0 ? 2 : 1);
        CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
        CHECK(!is_active("b/"));
    }
}

/* [SLOT-5] A slot is made anew where another user commits, and this is no reason for doubt. */
TEST(a_slot_that_was_made_anew_still_says_no)
{
    begin_apart();
    die_at(apart, CALL_WRITE, "a/.untorn/journal/slot", 2); /* the first only grounds it */
    CHECK_INT(slot_of("b/").state, SLOT_PREPARED);
    CHECK_INT(unlink("a/.untorn/journal/slot"), 0);
    commit_beside("a/v", "a/w");
    put("b/z", "new z"); /* nor does it prove anything */
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "old y");
    CHECK_INT(error.flags & UNTORN_FLAG_JOURNAL_LOST, 0);
}

/* A power loss may have taken the journal: nobody is kept waiting, but it is told. */
TEST(at_level_cache_it_is_given_up_and_told)
{
    struct untorn_options cache = {.level = UNTORN_CACHE};
    struct death death = {apart, &cache, CALL_RENAME, "b/y", 1};
    begin_apart();
    CHECK_INT(end_of(start_child(commit_and_die, &death)), -SIGKILL);
    CHECK_TEXT(text_of("a/x"), "new x");
    remove_tree("a/.untorn");
    CHECK_INT(touch("b/y"), 0);
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
    CHECK_TEXT(text_of("b/y"), "old y");
    CHECK_INT(open_findings("b/z", false), 1);
}

static void found(void *context, const struct untorn_finding *finding)
{
    bool *abandoned = context;
    CHECK(!finding->withdrawn);
    *abandoned |= finding->abandoned;
}

/* What was changed in the other directory nobody knows. */
TEST(what_is_given_up_without_the_journal_is_not_called_taken_back)
{
    bool abandoned = false;
    struct untorn_check repair = {.repair = true, .found = found, .context = &abandoned};
    struct untorn_options cache = {.level = UNTORN_CACHE};
    struct death death = {apart, &cache, CALL_RENAME, "b/y", 1};
    size_t open;
    begin_apart();
    CHECK_INT(end_of(start_child(commit_and_die, &death)), -SIGKILL);
    remove_tree("a/.untorn");
    CHECK_INT(untorn_check("b", &repair, NULL, &open, &error), 0);
    CHECK(abandoned);
}

TEST(a_file_that_cannot_be_looked_at_is_no_reason_to_give_up)
{
    struct untorn_options cache = {.level = UNTORN_CACHE};
    struct death death = {apart, &cache, CALL_RENAME, "b/z", 1};
    begin_apart();
    CHECK_INT(end_of(start_child(commit_and_die, &death)), -SIGKILL);
    CHECK_TEXT(text_of("b/y"), "new y");
    remove_tree("a/.untorn");
    fail(CALL_OPEN, "b/y", 1, EIO);
    CHECK_INT(touch("b/z"), -UNTORN_IN_DOUBT);
    forget_rules();
    CHECK_INT(touch("b/z"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
}

TEST(a_note_that_cannot_be_written_keeps_nobody_from_finishing)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    remove_tree("b/.untorn");
    fail(CALL_OPEN, "kept/lost-", 1, EACCES);
    CHECK_INT(touch("a/x"), 0);
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
    CHECK(!is_active("a/"));
}

TEST(every_directory_that_was_finished_tells_of_the_one_that_was_not)
{
    const struct step steps[] = {PUT("a/x", "new"), PUT("b/y", "new"), PUT("c/z", "new"), {0}};
    begin_apart();
    make_dir("c", 0755);
    die_at(steps, CALL_RENAME, "b/y", 1);
    remove_tree("c/.untorn");
    CHECK_INT(open_findings("b", false), 1);
    struct untorn_check repair = {.repair = true};
    size_t open;
    CHECK_INT(untorn_check("b", &repair, NULL, &open, &error), 0);
    CHECK_TEXT(text_of("b/y"), "new");
    CHECK_INT(open, 1);
    CHECK_INT(open_findings("a/x", false), 1);
}

static void remove_journal_of_a(void *context)
{
    (void)context;
    remove_tree("a/.untorn");
}

/* [RECOVER-2] It counts either way, but not by the same word. */
TEST(a_journal_that_is_removed_before_the_slots_are_locked_is_told)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/z", 1);
    at(CALL_FLOCK, "b/.untorn/journal/slot", 1, remove_journal_of_a, NULL);
    CHECK_INT(touch("b/z"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
}

TEST(a_name_with_control_characters_spoils_no_note)
{
    const struct step steps[] = {PUT("a\001c/x", "new x"), PUT("b/y", "new y"), {0}};
    begin_apart();
    make_dir("a\001c", 0755);
    die_at(steps, CALL_RENAME, "b/y", 1);
    remove_tree("b/.untorn");
    CHECK_INT(touch("a\001c/x"), 0);
    const char *note = text_of(only_entry("a\001c/.untorn/kept", "lost-"));
    CHECK(strchr(note, 1) == NULL && strstr(note, "a?c") != NULL);
}

/* Somebody restored it file by file, and the folder is the same: a copy says nothing. [SEAT-3] */
TEST(a_coordinators_slot_that_is_a_copy_is_no_answer)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/z", 1);
    restore_slot("a");
    CHECK_INT(touch("b/z"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
    begin_again();
    die_at(apart, CALL_RENAME, "b/y", 1);
    restore_slot("a");
    CHECK_INT(touch("b/z"), -UNTORN_IN_DOUBT);
}

/* [RECOVER-8] */
TEST(a_participants_slot_that_is_a_copy_is_told)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    restore_slot("b");
    CHECK_INT(touch("a/x"), 0);
    CHECK_TEXT(text_of("a/x"), "new x");
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
    CHECK_INT(open_findings("a", false), 1);
}

/* One that counts is not given up because it cannot be finished just now. */
TEST(what_counts_is_not_abandoned)
{
    struct untorn_check abandon = {.repair = true, .abandon = true};
    size_t open;
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    fail(CALL_FSYNC, "a/.untorn/journal/slot", 1, EIO);
    CHECK_INT(untorn_check("b", &abandon, NULL, &open, &error), UNTORN_UNSETTLED_SET);
    CHECK_INT(open, 2);
    CHECK(is_active("b/"));
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
}

/* [RECOVER-8] */
TEST(a_participant_whose_journal_is_gone_is_told)
{
    for (int i = 0; i < 2; i++) {
        begin_again();
        die_at(apart, CALL_RENAME, "b/y", 1);
        remove_tree("b/.untorn");
        if (i == 1)
            commit_beside("b/v", "b/w");
        CHECK_INT(touch("a/x"), 0);
        CHECK(error.flags & UNTORN_FLAG_RECOVERED);
        CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
        CHECK_TEXT(text_of("b/y"), "old y");
        const char *note = text_of(only_entry("a/.untorn/kept", "lost-"));
        CHECK(strstr(note, full_path("b")) != NULL);
        CHECK_INT(open_findings("a", false), 1);
        CHECK_INT(open_findings("a/x", true), 0);
    }
}

/* Another disk was mounted there, say. */
TEST(a_journal_that_comes_back_hears_that_it_counts)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(rename("b/.untorn", "b/away"), 0);
    CHECK_INT(touch("a/x"), 0);
    CHECK(error.flags & UNTORN_FLAG_JOURNAL_LOST);
    commit_beside("a/v", "a/w");
    CHECK_INT(rename("b/away", "b/.untorn"), 0);
    CHECK_INT(touch("b/y"), 0); /* [RECOVER-3] */
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK_TEXT(text_of("b/z"), "new z");
    CHECK(!(error.flags & UNTORN_FLAG_JOURNAL_LOST));
}

TEST(a_participant_that_is_finished_is_not_told_of)
{
    begin_apart();
    die_at(apart, CALL_WRITE, "a/.untorn/journal/slot", 3); /* zeros, COMMITTED, DONE */
    CHECK_INT(slot_of("a/").state, SLOT_COMMITTED);
    CHECK_INT(slot_of("b/").state, SLOT_DONE);
    CHECK_INT(unlink("b/.untorn/journal/slot"), 0); /* as where another user commits */
    commit_beside("b/v", "b/w");
    CHECK_INT(touch("a/x"), 0);
    CHECK(error.flags & UNTORN_FLAG_RECOVERED);
    CHECK(!(error.flags & UNTORN_FLAG_JOURNAL_LOST));
    CHECK_INT(open_findings("a", false), 0);
}

/* [SLOT-1] The folder was moved, with the slot in it. */
TEST(a_slot_of_another_directory_is_never_applied)
{
    const struct step steps[] = {PUT("a/x", "new x"), PUT("a/made", "new"), {0}};
    begin_apart();
    die_at(steps, CALL_RENAME, "a/x", 1);
    make_dir("c", 0755);
    CHECK_INT(rename("a/.untorn", "c/.untorn"), 0);
    CHECK_INT(touch("c/made"), 0);
    CHECK(!exists("c/made"));
    CHECK_INT(open_findings("c", false), 1);
    CHECK_INT(rename("c/.untorn", "a/.untorn"), 0);
    CHECK_INT(touch("a/made"), 0);
    CHECK_TEXT(text_of("a/made"), "new");
}
