/* A process is killed in the middle of a commit; the next ones find what it left. */
#include "leave.h"
#include "txn/commits.h"
#include "txn/planted.h"
#include "txn/recover.h"

static struct untorn_error error;

static const struct step two[] = {PUT("x", "new x"), PUT("y", "new y"), {0}};
static const struct step apart[] = {PUT("a/x", "new x"), PUT("b/y", "new y"), {0}};

static void begin_two(void)
{
    put("x", "old x");
    put("y", "old y");
}

static void begin_apart(void)
{
    make_dir("a", 0755);
    make_dir("b", 0755);
    put("a/x", "old x");
    put("b/y", "old y");
}

static int touch(const char *path)
{
    return untorn_update(path, leave, NULL, NULL, &error);
}

TEST(what_was_committed_is_finished_by_the_next_use_of_any_member)
{
    for (int i = 0; i < 2; i++) {
        begin_two();
        die_at(two, CALL_RENAME, "/y", 1);
        CHECK_TEXT(text_of("x"), "new x");
        CHECK_TEXT(text_of("y"), "old y");
        CHECK_INT(slot_of("").state, SLOT_COMMITTED);
        CHECK_INT(touch(i ? "x" : "y"), 0); /* [RECOVER-1] */
        CHECK(error.flags & UNTORN_FLAG_RECOVERED);
        CHECK_TEXT(text_of("x"), "new x");
        CHECK_TEXT(text_of("y"), "new y");
        CHECK(!is_active(""));
        CHECK_INT(count_entries(".untorn/stage", ""), 0);
        CHECK_INT(touch("y"), 0);
        CHECK(!(error.flags & UNTORN_FLAG_RECOVERED));
    }
}

TEST(what_was_not_committed_never_was)
{
    begin_two();
    die_at(two, CALL_WRITE, "/slot", 1);
    CHECK_INT(touch("x"), 0);
    CHECK_INT(touch("y"), 0);
    CHECK_TEXT(text_of("x"), "old x");
    CHECK_TEXT(text_of("y"), "old y");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(a_write_of_another_file_does_not_wait_for_an_unfinished_commit)
{
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    CHECK_INT(untorn_write("z", "z", 1, NULL, &error), 0);
    CHECK(!(error.flags & UNTORN_FLAG_RECOVERED));
    CHECK_TEXT(text_of("y"), "old y");
}

TEST(a_lock_finishes_the_commit_first)
{
    struct untorn_lock *lock;
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    CHECK_INT(untorn_lock("y", UNTORN_LOCK_SHARED, NULL, &lock, &error), 0);
    CHECK_TEXT(text_of("y"), "new y");
    untorn_unlock(lock);
}

TEST(a_commit_of_other_files_finishes_what_lies_in_its_slot)
{
    const struct step others[] = {PUT("v", "1"), PUT("w", "2"), {0}};
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    CHECK_INT(commit_steps(others, NULL, &error), 0);
    CHECK_TEXT(text_of("y"), "new y");
    CHECK_TEXT(text_of("w"), "2");
}

TEST(a_commit_over_two_directories_is_finished_from_either)
{
    for (int i = 0; i < 2; i++) {
        begin_apart();
        die_at(apart, CALL_RENAME, "b/y", 1);
        CHECK_TEXT(text_of("a/x"), "new x");
        CHECK_INT(slot_of("b/").state, SLOT_PREPARED);
        CHECK_INT(touch(i ? "a/x" : "b/y"), 0);
        CHECK_TEXT(text_of("b/y"), "new y");
        CHECK(!is_active("a/"));
        remove_tree("a");
        remove_tree("b");
    }
}

TEST(a_participant_whose_coordinator_never_committed_is_given_up)
{
    begin_apart();
    die_at(apart, CALL_WRITE, "a/.untorn/journal/slot", 2); /* the first only grounds it */
    CHECK_INT(slot_of("b/").state, SLOT_PREPARED);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "old y");
    CHECK_TEXT(text_of("a/x"), "old x");
    CHECK_INT(slot_of("b/").state, SLOT_IDLE); /* [RECOVER-4] */
    CHECK_INT(count_entries("b/.untorn/stage", ""), 0);
}

/* [RECOVER-7] */
TEST(a_commit_is_carried_out_only_after_it_was_made_durable)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail(CALL_WRITE, "a/.untorn/journal/slot", 1, EIO);
    CHECK_INT(touch("b/y"), -UNTORN_UNFINISHED); /* it has not begun */
    fail(CALL_FSYNC, "a/.untorn/journal/slot", 1, EIO);
    CHECK_INT(touch("b/y"), -UNTORN_UNFINISHED); /* it has not begun */
    forget_rules();
    CHECK_TEXT(text_of("a/x"), "old x");
    CHECK_TEXT(text_of("b/y"), "old y");
    const struct rule *flushes = watch(CALL_FSYNC, "a/.untorn/journal/slot");
    CHECK_INT(touch("b/y"), 0);
    CHECK_INT(flushes->seen, 1);
    CHECK_TEXT(text_of("a/x"), "new x");
    CHECK_TEXT(text_of("b/y"), "new y");
}

TEST(without_the_coordinators_directory_it_is_in_doubt_and_nothing_changes)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(rename("a", "elsewhere"), 0);
    CHECK_INT(touch("b/y"), -UNTORN_IN_DOUBT); /* [RECOVER-5] */
    CHECK(strstr(error.detail, "/a knows") != NULL);
    CHECK_INT(untorn_write("b/y", "mine", 4, NULL, &error), -UNTORN_IN_DOUBT);
    CHECK_TEXT(text_of("b/y"), "old y");
    CHECK_INT(untorn_write("b/other", "mine", 4, NULL, &error), 0);
    CHECK_INT(rename("elsewhere", "a"), 0);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
}

TEST(another_directory_of_the_same_name_is_not_the_coordinators)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(rename("a", "elsewhere"), 0);
    make_dir("a", 0755);
    CHECK_INT(touch("b/y"), -UNTORN_IN_DOUBT); /* [SEAT-1] */
}

TEST(directories_that_were_moved_together_find_each_other)
{
    make_dir("top", 0755);
    CHECK_INT(chdir("top"), 0);
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(chdir(".."), 0);
    CHECK_INT(rename("top", "moved"), 0);
    CHECK_INT(touch("moved/b/y"), 0);
    CHECK_TEXT(text_of("moved/b/y"), "new y");
}

TEST(a_decision_is_kept_for_a_participant_that_is_away)
{
    const struct step later[] = {PUT("a/x", "later"), PUT("a/z", "later"), {0}};
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(rename("b", "away"), 0);
    CHECK_INT(touch("a/x"), 0);
    CHECK(!is_active("a/")); /* [RECOVER-3] */
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 1);
    CHECK_INT(commit_steps(later, NULL, &error), 0); /* the slot is free again */
    CHECK_INT(rename("away", "b"), 0);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK_TEXT(text_of("a/x"), "later");
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
}

TEST(a_member_that_somebody_changed_stays_and_the_new_version_is_kept_aside)
{
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    put("y", "by hand");
    CHECK_INT(touch("x"), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT); /* [FINISH-1] */
    CHECK_TEXT(text_of("y"), "by hand");
    CHECK_TEXT(text_of(only_entry(".untorn/kept", "conflict-y")), "new y");
    CHECK(!is_active(""));
    CHECK_INT(untorn_write("y", "next", 4, NULL, &error), 0);
}

TEST(a_copied_slot_is_never_applied)
{
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    CHECK_INT(system("mkdir copy && cp -a x y .untorn copy/"), 0);
    CHECK_INT(untorn_update("copy/y", leave, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("copy/y"), "old y"); /* [SLOT-1] */
    const struct step steps[] = {PUT("copy/x", "1"), PUT("copy/y", "2"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(count_entries("copy/.untorn/kept", "foreign-slot"), 1);
}

TEST(a_slot_of_somebody_who_may_not_write_the_file_is_never_applied)
{
    need_root();
    make_dir("d", 0777);
    put("d/x", "old x");
    put("d/y", "old y");
    CHECK_INT(chown("d/x", ALICE, ALICE), 0);
    CHECK_INT(chown("d/y", ALICE, ALICE), 0);
    const struct step steps[] = {PUT("d/x", "new x"), PUT("d/y", "new y"), {0}};
    die_at(steps, CALL_RENAME, "d/y", 1);
    CHECK_INT(chown("d/.untorn/journal/slot", BOB, BOB), 0);
    CHECK_INT(touch("d/y"), 0);
    CHECK_TEXT(text_of("d/y"), "old y");
}

static void touches(void *context)
{
    CHECK_INT(touch(context), 0);
}

/* [FINISH-5] */
TEST(what_is_not_applied_is_kept_aside_before_its_stage_goes)
{
    static char large[100 * 1024 + 1];
    memset(large, 'L', sizeof large - 1);
    const struct step small[] = {PUT("x", "new x"), PUT("y", "new y"), {0}};
    const struct step staged[] = {PUT("x", "new x"), PUT("y", large), {0}};
    need_root();
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"in_slot", "in_stage", "closed"};
        static const char *const deaths[] = {"in_slot/y", "in_stage/y", "closed/y"};
        make_dir(names[i], 0777);
        CHECK_INT(chdir(names[i]), 0);
        begin_two();
        CHECK_INT(chown("x", BOB, BOB), 0);
        CHECK_INT(chown("y", ALICE, ALICE), 0);
        die_at(i == 0 ? small : staged, CALL_RENAME, deaths[i], 1);
        CHECK_INT(count_entries(".untorn/stage", "y."), i > 0);
        CHECK_INT(chown(".untorn/journal/slot", BOB, BOB), 0);
        if (i == 2) /* the stage is one that she may not read */
            CHECK_INT(system("chown 0:0 .untorn/stage/y.* && chmod 600 .untorn/stage/y.*"), 0);
        in_child_as(ALICE, ALICE, touches, "x");
        CHECK_TEXT(text_of("y"), "old y");
        CHECK_INT(stat_of(only_entry(".untorn/kept", "conflict-y")).st_size, i == 0 ? 5 : 102400);
        CHECK_INT(count_entries(".untorn/stage", ""), 0);
        CHECK_INT(chdir(".."), 0);
    }
}

TEST(a_new_file_belongs_to_who_committed_it_though_root_finishes_it)
{
    need_root();
    make_dir("d", 0755);
    CHECK_INT(chown("d", ALICE, ALICE), 0);
    static const struct step steps[] = {PUT("d/x", "new x"), PUT("d/y", "new y"), {0}};
    static struct death death = {steps, NULL, CALL_RENAME, "d/y", 1};
    struct as_user as = {ALICE, ALICE, commit_and_die, &death};
    CHECK_INT(end_of(start_child(run_as_user, &as)), -SIGKILL);
    CHECK_INT(touch("d/x"), 0);
    CHECK_TEXT(text_of("d/y"), "new y");
    CHECK_INT(stat_of("d/y").st_uid, ALICE);
}

TEST(removal_and_creation_are_finished_too)
{
    const struct step steps[] = {PUT("x", "new x"), PUT("made", "new"), REMOVE("y"), {0}};
    begin_two();
    die_at(steps, CALL_RENAME, "/made", 1);
    CHECK(exists("y"));
    CHECK_INT(touch("x"), 0);
    CHECK_TEXT(text_of("made"), "new");
    CHECK(!exists("y"));
}

static void damage_stage(void *context)
{
    (void)context;
    put(only_entry(".untorn/stage", "y."), "damaged");
}

TEST(a_stage_that_does_not_have_its_hash_is_not_used)
{
    static char large[100 * 1024 + 1];
    memset(large, 'L', sizeof large - 1);
    const struct step steps[] = {PUT("x", "new x"), PUT("y", large), {0}};
    begin_two();
    die_at(steps, CALL_RENAME, "/y", 1);
    damage_stage(NULL);
    CHECK_INT(touch("x"), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_TEXT(text_of("y"), "old y"); /* [FINISH-2] */
}

static void recover_and_die(void *context)
{
    const struct death *death = context;
    at(death->call, death->path, death->nth, die, NULL);
    CHECK_INT(touch("x"), 0);
}

/* [FINISH-3] */
TEST(a_recovery_that_is_killed_anywhere_is_done_again)
{
    static const enum call calls[] = {CALL_OPEN, CALL_RENAME, CALL_WRITE, CALL_FSYNC, CALL_FLOCK};
    int killed = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (int nth = 1; nth <= 3; nth++) {
            struct death death = {.call = calls[i], .path = ".untorn", .nth = nth};
            begin_two();
            die_at(two, CALL_RENAME, "/y", 1);
            killed += end_of(start_child(recover_and_die, &death)) == -SIGKILL;
            CHECK_INT(touch("y"), 0);
            CHECK_TEXT(text_of("x"), "new x");
            CHECK_TEXT(text_of("y"), "new y");
            CHECK_INT(count_entries(".untorn/kept", ""), 0);
        }
    }
    CHECK(killed >= 10);
}

TEST(a_large_member_is_finished_from_its_stage)
{
    enum { SIZE = 200 * 1024 };
    static char large[SIZE + 1];
    memset(large, 'L', SIZE);
    const struct step steps[] = {PUT("x", "new x"), PUT("y", large), {0}};
    begin_two();
    die_at(steps, CALL_RENAME, "/y", 1);
    CHECK(slot_of("").body_size < SIZE);
    CHECK_INT(touch("x"), 0);
    CHECK_INT(stat_of("y").st_size, SIZE);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(an_overwrite_in_place_is_finished_too)
{
    const struct step steps[] = {PUT("x", "new x"), PUT_AS("y", "new y", .keep_inode = true), {0}};
    begin_two();
    ino_t inode = stat_of("y").st_ino;
    die_at(steps, CALL_WRITE, "/inplace/y", 1);
    CHECK_INT(touch("x"), 0);
    CHECK_TEXT(text_of("y"), "new y");
    CHECK(stat_of("y").st_ino == inode);
    CHECK_INT(mode_of("y"), 0644);
}

TEST(before_a_member_changes_again_the_end_of_its_commit_is_flushed_once)
{
    begin_two();
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(untorn_write("z", "z", 1, NULL, &error), 0);
    CHECK_INT(flushes->seen, 0);
    CHECK_INT(untorn_write("x", "1", 1, NULL, &error), 0);
    CHECK_INT(flushes->seen, 1); /* [RECOVER-6] */
    CHECK_INT(slot_of("").state, SLOT_IDLE);
    CHECK_INT(untorn_write("x", "2", 1, NULL, &error), 0);
    CHECK_INT(flushes->seen, 1);
}

static void touch_x(void *context)
{
    CHECK_INT(touch(context), 0);
}

TEST(two_processes_may_finish_it_at_once)
{
    for (int i = 0; i < 10; i++) {
        begin_two();
        die_at(two, CALL_RENAME, "/y", 1);
        pid_t one = start_child(touch_x, "x"), other = start_child(touch_x, "y");
        finish_child(one); /* [RECOVER-2] */
        finish_child(other);
        CHECK_TEXT(text_of("x"), "new x");
        CHECK_TEXT(text_of("y"), "new y");
        CHECK(!exists(".untorn/kept"));
    }
}

TEST(who_holds_the_lock_of_a_member_can_have_the_commit_finished)
{
    struct untorn_lock *lock;
    begin_two();
    CHECK_INT(untorn_lock("y", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    CHECK_INT(untorn_write("y", "inside", 6, NULL, &error), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_TEXT(text_of("y"), "new y");
    untorn_unlock(lock);
}

static bool is_in_slot(const char *text)
{
    char command[256];
    snprintf(command, sizeof command, "grep -q '%s' .untorn/journal/slot", text);
    return system(command) == 0;
}

TEST(where_no_version_is_to_stay_the_last_commit_leaves_no_bytes_either)
{
    struct untorn_options none = {.keep = UNTORN_KEEP_NONE};
    const struct step secret[] = {PUT("x", "secret"), PUT("y", "new y"), {0}};
    for (int i = 0; i < 2; i++) {
        begin_two();
        CHECK_INT(commit_steps(secret, NULL, &error), 0);
        CHECK(is_in_slot("secret"));
        if (i == 1) { /* the slot is idle */
            CHECK_INT(untorn_write("x", "another", 7, NULL, &error), 0);
            CHECK(is_in_slot("secret"));
        }
        uint64_t sequence = slot_of("").sequence;
        CHECK_INT(untorn_write("x", "clean", 5, &none, &error), 0);
        CHECK(!is_in_slot("secret"));
        CHECK_INT(slot_of("").sequence, sequence);
        CHECK_INT(commit_steps(two, NULL, &error), 0);
        CHECK(slot_of("").sequence > sequence);
        CHECK_TEXT(text_of("x"), "new x");
        CHECK_TEXT(text_of("y"), "new y");
    }
}

TEST(a_commit_that_keeps_no_version_leaves_no_bytes_of_a_longer_one)
{
    const struct step longer[] = {PUT("x", "a long secret"), PUT("y", "a long secret too"), {0}};
    const struct step shorter[] = {PUT("x", "-"), PUT("y", "-"), {0}};
    struct untorn_options none = {.keep = UNTORN_KEEP_NONE};
    for (int i = 0; i < 2; i++) {
        CHECK_INT(commit_steps(longer, NULL, &error), 0);
        CHECK_INT(commit_steps(shorter, i ? &none : NULL, &error), 0);
        CHECK_INT(is_in_slot("secret"), i == 0);
    }
}

/* ---- what is met there instead of a commit, or happens meanwhile ---- */

static int recover_at(const char *path)
{
    struct setting setting = {0};
    setting_open(&setting, path);
    error_begin(&error, NULL, path);
    int rc = recover_directory(&setting.place, &setting.state, os_clock_ns(), &error);
    setting_close(&setting);
    return rc;
}

TEST(where_no_commit_is_under_way_nothing_is_done)
{
    begin_two();
    CHECK_INT(recover_at("x"), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_INT(recover_at("x"), 0); /* it is done */
    put(".untorn/journal/slot", "torn");
    CHECK_INT(recover_at("x"), 0);
    begin_two();
    remove_tree(".untorn");
    die_at(two, CALL_RENAME, "/y", 1);
    CHECK_INT(system("cp .untorn/journal/slot s && mv s .untorn/journal/slot"), 0);
    CHECK_INT(recover_at("x"), 0); /* [SLOT-1] */
    CHECK(!(error.flags & UNTORN_FLAG_RECOVERED));
    CHECK_TEXT(text_of("y"), "old y");
}

static void plant_in_b(bool other_commit)
{
    struct plant *plant = plant_begin("b/y");
    plant_member(plant, "y", "never");
    plant_directory(plant, plant);
    plant->slot.participant = true;
    if (other_commit)
        plant->slot.id[0]++;
    plant_write(plant, SLOT_PREPARED, 0644);
    plant_die(plant);
}

/* [RECOVER-2] */
TEST(a_participant_that_has_another_commit_or_none_before_it_does_not_take_part)
{
    for (int i = 0; i < 3; i++) {
        begin_apart();
        struct plant *a = plant_begin("a/x"), *b = plant_begin("b/y");
        plant_member(a, "x", "new x");
        plant_directory(a, b);
        plant_write(a, SLOT_COMMITTED, 0644);
        plant_die(a);
        plant_die(b);
        plant_in_b(i == 0);
        if (i == 1)
            put("b/.untorn/journal/slot", "torn");
        if (i == 2)
            CHECK_INT(system("cp b/.untorn/journal/slot s && mv s b/.untorn/journal/slot"), 0);
        CHECK_INT(touch("a/x"), 0);
        CHECK_TEXT(text_of("a/x"), "new x");
        CHECK_TEXT(text_of("b/y"), "old y");
        bool copied = i == 2; /* what the one that was there said nobody knows [SEAT-3] */
        CHECK_INT(count_entries("a/.untorn/journal", ".0"), copied);
        CHECK_INT(!!(error.flags & UNTORN_FLAG_JOURNAL_LOST), copied);
        remove_tree("a");
        remove_tree("b");
    }
}

/* Another commit of the same files takes the slot while we wait for it. */
static void change_slot(void *context)
{
    unsigned char head[SLOT_HEAD];
    struct slot slot = slot_of("");
    if (context)
        slot.id[0]++;
    else
        slot.sequence++;
    slot_encode_head(&slot, head);
    int file = open(".untorn/journal/slot", O_WRONLY);
    CHECK_INT(pwrite(file, head, sizeof head, 0), sizeof head);
    close(file);
}

/* [RECOVER-2] */
TEST(a_slot_that_changes_before_it_is_locked_is_read_again)
{
    for (int i = 0; i < 2; i++) {
        begin_two();
        die_at(two, CALL_RENAME, "/y", 1);
        at(CALL_FLOCK, "/slot", 1, change_slot, i ? "" : NULL);
        const struct rule *locks = watch(CALL_FLOCK, "/slot");
        CHECK_INT(touch("x"), 0);
        CHECK(locks->seen > 1);
        CHECK_TEXT(text_of("y"), "new y");
        forget_rules();
    }
}

TEST(a_slot_that_another_holds_is_not_waited_for_for_ever)
{
    struct untorn_options once = {.wait_ms = UNTORN_TRY_ONCE};
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    int file = open(".untorn/journal/slot", O_RDONLY);
    CHECK_INT(os_lock(fd_of(file), OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(untorn_update("x", leave, NULL, &once, &error), -UNTORN_LOCKED);
    CHECK(strstr(error.detail, "commit of several files"));
    close(file);
    CHECK_INT(touch("x"), 0);
    CHECK_TEXT(text_of("y"), "new y");
}

/* [SLOT-5] */
TEST(a_slot_that_may_not_be_written_gives_way_to_another)
{
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    fail(CALL_OPEN, "/slot", 1, EACCES);
    fail(CALL_UNLINK, "/slot", 1, EIO);
    CHECK_INT(recover_at("x"), UNTORN_UNSETTLED_SET);
    forget_rules();
    CHECK(is_active(""));
    fail(CALL_OPEN, "/slot", 1, EACCES);
    CHECK_INT(recover_at("x"), 0);
    forget_rules();
    CHECK_TEXT(text_of("y"), "new y");
    CHECK_INT(stat_of(".untorn/journal/slot").st_size, 0);
}

static void leave_decision(void)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(rename("b", "away"), 0);
    CHECK_INT(touch("a/x"), 0);
    CHECK_INT(rename("away", "b"), 0);
}

/* [RECOVER-3] */
TEST(a_decision_is_dropped_only_when_who_asked_for_it_is_done)
{
    leave_decision();
    fail(CALL_WRITE, "b/.untorn/journal/slot", 1, EIO);
    CHECK_INT(recover_at("b/y"), UNTORN_UNSETTLED_SET);
    forget_rules();
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 1);
    CHECK_INT(recover_at("b/y"), 0);
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
    remove_tree("a");
    remove_tree("b");
    leave_decision();
    fail(CALL_OPEN, "b/.untorn/journal/slot", 1, EACCES); /* then another takes its place */
    CHECK_INT(recover_at("b/y"), 0);
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
}

/* [RECOVER-5] It may be there: to give the commit up would undo half of it. */
TEST(a_decision_that_cannot_be_looked_for_is_in_doubt)
{
    char entry[4096];
    struct untorn_content content;
    leave_decision();
    snprintf(entry, sizeof entry, "%s", only_entry("a/.untorn/journal", ".0"));
    fail_always(CALL_STAT, entry, EIO);
    CHECK_INT(touch("b/y"), -UNTORN_IN_DOUBT);
    CHECK_INT(untorn_read("b/y", NULL, &content, &error), 0);
    CHECK_TEXT(content.data, "old y");
    untorn_content_free(&content);
    forget_rules();
    CHECK(is_active("b/"));
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
}

static void call_it_done(void *context)
{
    unsigned char head[SLOT_HEAD];
    struct slot slot = slot_of("");
    int file = open(".untorn/journal/slot", O_WRONLY);
    (void)context;
    slot.state = SLOT_DONE;
    slot_encode_head(&slot, head);
    CHECK_INT(pwrite(file, head, sizeof head, 0), sizeof head);
    close(file);
}

/* [RECOVER-2] */
TEST(a_commit_that_is_done_by_the_time_the_slot_is_locked_is_left_alone)
{
    begin_two();
    die_at(two, CALL_RENAME, "/y", 1);
    at(CALL_FLOCK, "/journal/slot", 1, call_it_done, NULL);
    CHECK_INT(touch("y"), 0);
    CHECK_INT(rules[CALL_FLOCK][0].seen >= 1, 1);
    CHECK(!is_active(""));
    CHECK_TEXT(text_of("y"), "old y");
}

static void move_a_away(void *context)
{
    (void)context;
    CHECK_INT(rename("a", "elsewhere"), 0);
}

/* [RECOVER-2] [RECOVER-5] What was said without the lock counts no more. */
TEST(a_coordinator_that_is_gone_when_the_slot_is_locked_leaves_it_in_doubt)
{
    begin_apart();
    die_at(apart, CALL_WRITE, "a/.untorn/journal/slot", 2);
    at(CALL_FLOCK, "b/.untorn/journal/slot", 1, move_a_away, NULL);
    CHECK_INT(touch("b/y"), -UNTORN_IN_DOUBT);
    CHECK(is_active("b/"));
    forget_rules();
    CHECK_INT(rename("elsewhere", "a"), 0);
    CHECK_INT(touch("b/y"), 0);
    CHECK(!is_active("b/"));
    CHECK_TEXT(text_of("b/y"), "old y");
}
