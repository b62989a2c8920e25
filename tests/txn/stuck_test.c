/* A commit counts, its process was killed, and who meets it cannot finish all of it: for another
 * user's directory, for a mark, for what took a file's name. Nobody is kept from his own files for
 * that. */
#include "txn/apart.h"
#include "txn/recover.h"

static void touches(void *context)
{
    CHECK_INT(touch(context), 0);
}

static void found(void *context, const struct untorn_finding *finding)
{
    struct untorn_finding *first = context;
    if (!first->kind)
        *first = *finding;
}

static int repair(const char *path, bool abandon, struct untorn_finding *ret_first)
{
    *ret_first = (struct untorn_finding){0};
    struct untorn_check check = {
        .repair = true, .abandon = abandon, .found = found, .context = ret_first};
    size_t open;
    return untorn_check(path, &check, NULL, &open, &error);
}

static void give(const char *directory, uid_t user)
{
    char command[128];
    snprintf(command, sizeof command, "chown -R %d:%d %s", (int)user, (int)user, directory);
    CHECK_INT(system(command), 0);
}

/* Root commits files of two users. */
static void die_with_files_of_two(enum call call, const char *path)
{
    need_root();
    begin_again();
    give("a", ALICE);
    give("b", BOB);
    die_at(apart, call, path, 1);
}

/* [RECOVER-3] Each finishes what is his, in either order; the answer waits for the other. */
TEST(who_may_not_lock_the_files_elsewhere_finishes_his_own)
{
    for (int i = 0; i < 2; i++) {
        die_with_files_of_two(CALL_RENAME, "a/x");
        in_child_as(i ? BOB : ALICE, i ? BOB : ALICE, touches, i ? "b/y" : "a/x");
        CHECK_TEXT(text_of("a/x"), i ? "old x" : "new x");
        CHECK_TEXT(text_of("b/y"), i ? "new y" : "old y");
        CHECK_TEXT(text_of("b/z"), i ? "new z" : "old z");
        CHECK(is_active("a/") == (i == 1) && is_active("b/") == (i == 0));
        in_child_as(i ? ALICE : BOB, i ? ALICE : BOB, touches, i ? "a/x" : "b/y");
        CHECK_TEXT(text_of("a/x"), "new x");
        CHECK_TEXT(text_of("b/z"), "new z");
        CHECK(!is_active("a/") && !is_active("b/"));
        /* That of a directory whose owner may not remove it stays. */
        CHECK_INT(count_entries("a/.untorn/journal", ".0"), i == 0);
    }
}

/* What the coordinator says is durable before the first file changes. [RECOVER-7] */
TEST(a_yes_that_cannot_be_written_again_is_flushed)
{
    die_with_files_of_two(CALL_RENAME, "a/x");
    fail_always(CALL_OPEN, "a/.untorn/lock/x", EACCES);
    fail(CALL_FSYNC, "a/.untorn/journal/slot", 1, EIO);
    CHECK_INT(touch("b/y"), -UNTORN_UNFINISHED);
    CHECK_TEXT(text_of("b/y"), "old y");
    forget_rules();
    fail_always(CALL_OPEN, "a/.untorn/lock/x", EACCES);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK_TEXT(text_of("a/x"), "old x");
    forget_rules();
    CHECK_INT(touch("a/x"), 0);
    CHECK_TEXT(text_of("a/x"), "new x");
}

/* [FINISH-1] */
TEST(a_member_that_became_a_directory_stays_one)
{
    const struct step steps[] = {PUT("a/x", "new x"), PUT("a/made", "new"), {0}};
    begin_apart();
    die_at(steps, CALL_RENAME, "a/made", 1);
    make_dir("a/made", 0755);
    CHECK_INT(touch("a/x"), 0);
    CHECK_TEXT(text_of("a/x"), "new x");
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_TEXT(text_of(only_entry("a/.untorn/kept", "conflict-made")), "new");
    CHECK(!is_active("a/"));
}

TEST(a_member_that_became_a_socket_stays_one)
{
    const struct step steps[] = {PUT("a/x", "new x"), PUT("a/made", "new"), {0}};
    begin_apart();
    die_at(steps, CALL_RENAME, "a/made", 1);
    CHECK_INT(mknod("a/made", S_IFSOCK | 0600, 0), 0);
    CHECK_INT(touch("a/x"), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_INT(untorn_write("a/made", "1", 1, NULL, &error), -UNTORN_NOT_A_FILE);
}

TEST(a_marked_file_elsewhere_keeps_nobody_from_his_own)
{
    for (int i = 0; i < 2; i++) {
        begin_again();
        die_at(apart, CALL_RENAME, "a/x", 1);
        fail(CALL_RENAME, i ? "a/x" : "b/y", 1, EPERM); /* and what is behind it stays as well */
        CHECK_INT(touch(i ? "b/y" : "a/x"), 0);
        CHECK_TEXT(text_of(i ? "b/z" : "a/x"), i ? "new z" : "new x");
        CHECK_TEXT(text_of(i ? "a/x" : "b/z"), i ? "old x" : "old z");
        CHECK(is_active(i ? "a/" : "b/") && !is_active(i ? "b/" : "a/"));
        forget_rules();
        CHECK_INT(touch(i ? "a/x" : "b/z"), 0); /* by which the rest is finished */
        CHECK_TEXT(text_of("a/x"), "new x");
        CHECK_TEXT(text_of("b/z"), "new z");
        CHECK(!is_active("a/") && !is_active("b/"));
        CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
        CHECK_INT(count_entries("a/.untorn/stage", "") + count_entries("b/.untorn/stage", ""), 0);
    }
}

/* Found when it is to be locked, and not when it is to be changed. */
TEST(a_file_elsewhere_that_cannot_be_looked_at_is_left_too)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_OPEN, "b/z", EACCES);
    CHECK_INT(touch("a/x"), 0);
    CHECK_TEXT(text_of("a/x"), "new x");
    CHECK_TEXT(text_of("b/y"), "old y");
    CHECK(!is_active("a/") && is_active("b/"));
    CHECK_INT(touch("b/y"), -UNTORN_DENIED);
    CHECK_TEXT(error.path, full_path("b/z"));
    forget_rules();
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
}

/* It may be free in a moment. */
TEST(a_file_elsewhere_that_is_locked_is_named_and_waited_for)
{
    struct untorn_options once = {.wait_ms = UNTORN_TRY_ONCE};
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    int lock = open("b/.untorn/lock/z", O_RDWR);
    CHECK_INT(os_lock(fd_of(lock), OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(untorn_update("a/x", leave, NULL, &once, &error), -UNTORN_LOCKED);
    CHECK_TEXT(error.path, full_path("b/z"));
    CHECK(strstr(error.detail, "abandon") == NULL);
    close(lock);
    CHECK_TEXT(text_of("a/x"), "old x");
    CHECK_INT(touch("a/x"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
}

TEST(a_commit_that_meets_it_names_the_same_file)
{
    const struct step others[] = {PUT("b/y", "newer"), PUT("b/v", "newer"), {0}};
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    fail_always(CALL_RENAME, "b/z", EPERM);
    CHECK_INT(commit_steps(others, NULL, &error), -UNTORN_DENIED);
    CHECK_TEXT(error.path, full_path("b/z"));
}

TEST(only_for_want_of_a_right_is_anything_left)
{
    static const int lasting[] = {UNTORN_DENIED, UNTORN_READ_ONLY, UNTORN_NO_STATE,
                                  UNTORN_UNTRUSTED};
    static const int passing[] = {UNTORN_NO_SPACE, UNTORN_IO, UNTORN_LOCKED, UNTORN_NO_MEMORY};
    for (int i = 0; i < 4; i++) {
        CHECK(recover_is_lasting(-lasting[i]));
        CHECK(!recover_is_lasting(-passing[i]));
    }
}

/* The next commit there closed the slot to them. */
TEST(an_answer_that_is_kept_is_found_although_the_slot_cannot_be_read)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail(CALL_RENAME, "b/y", 1, EPERM);
    CHECK_INT(touch("a/x"), 0);
    forget_rules();
    fail_always(CALL_OPEN, "a/.untorn/journal/slot", EACCES);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
}

static void read_meanwhile(void *context)
{
    (void)context;
    fail_always(CALL_OPEN, "b/.untorn/journal/slot", EACCES);
    CHECK_TEXT(text_read("a/x"), "old x"); /* it may be withdrawn */
}

/* [VIEW-1] What was seen of a dead one's commit stays so. */
TEST(who_may_not_read_the_slot_of_a_directory_that_is_finished_sees_the_commit)
{
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    CHECK_TEXT(text_read("a/x"), "old x");
    fail_always(CALL_OPEN, "b/.untorn/journal/slot", EACCES);
    CHECK_TEXT(text_read("a/x"), "new x");
    forget_rules();
    begin_again();
    at(CALL_RENAME, "a/x", 1, read_meanwhile, NULL);
    CHECK_INT(commit_steps(apart, NULL, &error), 0);
}

/* Whoever could not write his slot makes it anew. Its maker may have opened it, to write what is
 * believed of us. */
TEST(a_slot_is_not_made_anew_with_others_free_to_write_it)
{
    die_with_files_of_two(CALL_RENAME, "a/x");
    CHECK_INT(chown("a/.untorn/journal/slot", 0, CREW), 0);
    CHECK_INT(chmod("a/.untorn/journal/slot", 0646), 0);
    in_child_as(ALICE, CREW, touches, "a/x");
    CHECK_INT(stat_of("a/.untorn/journal/slot").st_uid, ALICE);
    CHECK_INT(mode_of("a/.untorn/journal/slot"), 0644);
}

/* A tree that was restored: the slots are copies, and say DONE. [SEAT-3] */
TEST(a_commit_in_a_restored_tree_that_never_counted_is_taken_back)
{
    const struct step again[] = {PUT("a/x", "newer x"), PUT("b/y", "newer y"), {0}};
    begin_apart();
    CHECK_INT(commit_steps(apart, NULL, &error), 0);
    restore_slot("a");
    restore_slot("b");
    die_at(again, CALL_FSYNC, "b/.untorn/journal/slot", 3); /* the copy, zeros, PREPARED */
    CHECK_INT(slot_of("b/").state, SLOT_PREPARED);
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
    CHECK_INT(touch("b/y"), 0);
    CHECK(!(error.flags & UNTORN_FLAG_JOURNAL_LOST));
    CHECK_TEXT(text_of("b/y"), "new y");
}

TEST(a_marked_file_here_is_named_and_the_commit_can_be_given_up)
{
    struct untorn_finding first;
    begin_apart();
    die_at(apart, CALL_RENAME, "b/y", 1);
    fail_always(CALL_RENAME, "b/z", EPERM);
    CHECK_INT(touch("b/y"), -UNTORN_DENIED);
    CHECK_TEXT(error.path, full_path("b/z"));
    CHECK(strstr(error.detail, "untorn check --repair --abandon") != NULL);
    CHECK_INT(repair("b", false, &first), -UNTORN_DENIED);
    CHECK(!first.repaired);
    CHECK_INT(repair("b", true, &first), 0);
    CHECK_INT(first.kind, UNTORN_FOUND_SET);
    CHECK(first.repaired && first.abandoned && !first.withdrawn);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/z"), "old z");
    forget_rules();
    CHECK_INT(count_entries("b/.untorn/kept", "givenup-"), 1);
}

/* It counts, whoever does not finish his part of it. */
TEST(who_gives_up_here_does_not_answer_no_for_others)
{
    struct untorn_finding first;
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_RENAME, "a/x", EPERM);
    fail_always(CALL_RENAME, "b/y", EPERM);
    CHECK_INT(repair("a/x", true, &first), 0);
    CHECK(first.repaired && first.abandoned);
    CHECK(!exists("a/.untorn/journal/slot"));
    forget_rules();
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK_TEXT(text_of("b/z"), "new z");
    CHECK_TEXT(text_of("a/x"), "old x");
}

/* Nor who gives up what a user committed who may no longer change a file of it. */
TEST(who_gives_up_what_is_foreign_does_not_answer_no_either)
{
    struct untorn_finding first;
    need_root();
    begin_apart();
    die_at(apart, CALL_RENAME, "b/z", 1);
    CHECK_INT(chown("a/.untorn/journal/slot", BOB, BOB), 0);
    CHECK_INT(repair("a/x", true, &first), 0);
    CHECK_INT(first.kind, UNTORN_FOUND_FOREIGN);
    CHECK(first.repaired);
    CHECK_INT(touch("b/z"), 0);
    CHECK_TEXT(text_of("b/z"), "new z");
}

TEST(an_answer_is_kept_for_those_alone_that_wait)
{
    struct untorn_finding first;
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_RENAME, "a/x", EPERM);
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK_INT(repair("a/x", true, &first), 0);
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
}

TEST(where_the_answer_cannot_be_kept_nothing_is_given_up)
{
    struct untorn_finding first;
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_RENAME, "a/x", EPERM);
    fail_always(CALL_RENAME, "b/y", EPERM);
    fail_always(CALL_OPEN, ".0.", ENOSPC);
    CHECK(repair("a/x", true, &first) < 0);
    CHECK(!first.repaired);
    CHECK(is_active("a/"));
}

/* It was moved away when it is to be read. */
TEST(what_cannot_be_read_again_is_not_given_up)
{
    struct untorn_finding first;
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_RENAME, "a/x", EPERM);
    const struct rule *opens = watch(CALL_OPEN, "a/.untorn/journal/slot");
    CHECK(repair("a/x", false, &first) < 0);
    int seen = opens->seen;
    fail(CALL_OPEN, "a/.untorn/journal/slot", seen, ENOENT); /* the last one was to look */
    CHECK(repair("a/x", true, &first) < 0);
    CHECK(!first.repaired);
    CHECK(is_active("a/"));
}

static void stop(void *context)
{
    (void)context;
    raise(SIGSTOP);
}

/* Another process finishes the commit, if it can, and begins one that it withdraws; and is killed
 * then. */
static void finish_and_withdraw_another(void *context)
{
    const struct step others[] = {PUT("a/x", "nex x"), PUT("b/y", "nex y"), {0}};
    struct untorn_options once = {.wait_ms = UNTORN_TRY_ONCE};
    inside_hook = false;
    forget_rules();
    if (untorn_update("a/x", leave, NULL, &once, &error) != 0)
        die(context);
    at(CALL_FSYNC, "a/.untorn/journal/slot", 1, stop, NULL);
    fail(CALL_FSYNC, "a/.untorn/journal/slot", 1, EIO);
    at(CALL_WRITE, "b/.untorn/journal/slot", 2, die, NULL);
    CHECK_INT(commit_steps(others, NULL, &error), 0);
}

static void run_another(void *context)
{
    pid_t *child = context;
    int status;
    *child = start_child(finish_and_withdraw_another, NULL);
    CHECK_INT(waitpid(*child, &status, WUNTRACED), *child);
    if (WIFSIGNALED(status))
        *child = 0; /* it may not */
}

/* One that is under way says that it counts before that is so: the slot stays what was looked at
 * while its answers are kept. */
TEST(no_answer_is_kept_of_another_commit_than_the_one_that_is_given_up)
{
    struct untorn_finding first;
    pid_t child = -1;
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_RENAME, "a/x", EPERM);
    const struct rule *opens = watch(CALL_OPEN, "a/.untorn/journal/slot");
    CHECK(repair("a/x", false, &first) < 0);
    at(CALL_OPEN, "a/.untorn/journal/slot", opens->seen, run_another, &child); /* to keep them */
    (void)repair("a/x", true, &first);
    CHECK(child >= 0);
    if (child > 0) {
        CHECK_INT(kill(child, SIGCONT), 0);
        CHECK_INT(end_of(child), -SIGKILL);
    }
    forget_rules();
    CHECK_INT(touch("b/y"), 0);
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK(first.repaired && first.abandoned);
    CHECK_TEXT(text_of("a/x"), "old x");
}

/* Its maker may have been killed before he flushed it. [RECOVER-7] */
TEST(an_answer_is_kept_only_of_what_is_durable)
{
    struct untorn_finding first;
    begin_apart();
    die_at(apart, CALL_RENAME, "a/x", 1);
    fail_always(CALL_OPEN, "a/x", EACCES);
    fail_always(CALL_OPEN, "b/y", EACCES);
    fail_always(CALL_FSYNC, "a/.untorn/journal/slot", EIO);
    CHECK(repair("a", true, &first) < 0);
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
    CHECK(!first.repaired && is_active("a/"));
}

/* Who may write the directory may remove what is in it, and did not need to own that. */
TEST(the_removal_of_anothers_file_is_finished_by_anybody)
{
    static const struct step steps[] = {PUT("a/x", "new x"), REMOVE("a/theirs"), {0}};
    static struct death death = {steps, NULL, CALL_RENAME, "a/x", 1};
    struct as_user as = {ALICE, ALICE, commit_and_die, &death};
    struct untorn_content content;
    need_root();
    begin_apart();
    put("a/theirs", "theirs");
    CHECK_INT(chown("a", ALICE, ALICE), 0);
    CHECK_INT(chown("a/x", ALICE, ALICE), 0);
    CHECK_INT(chown("a/theirs", BOB, BOB), 0);
    CHECK_INT(end_of(start_child(run_as_user, &as)), -SIGKILL);
    CHECK_INT(touch("a/x"), 0);
    CHECK_TEXT(text_of("a/x"), "new x");
    CHECK(!exists("a/theirs"));
    CHECK_INT(untorn_read("a/theirs", NULL, &content, &error), -UNTORN_MISSING);
}

TEST(what_recovery_does_to_other_files_is_not_said_of_this_one)
{
    const struct step steps[] = {
        PUT("a/made", "new"), PUT_AS("b/y", "new y", .keep_inode = true), PUT("b/z", "new z"), {0}};
    begin_apart();
    die_at(steps, CALL_RENAME, "a/made", 1);
    CHECK_INT(untorn_write("b/z", "mine", 4, NULL, &error), 0);
    CHECK_TEXT(text_of("a/made"), "new");
    CHECK_INT(error.flags, UNTORN_FLAG_RECOVERED);
}
