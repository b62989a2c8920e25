/* What a commit costs, what it leaves in its slot, and what it does when something gets in its way:
 * txn/commit.c, promise.c, publish.c, member.c, group.c, finish.c, seat.c, slotfile.c. */
#include "txn/commits.h"

#include <sched.h>

#include "base/limits.h"

static struct untorn_error error;

static const struct step two[] = {PUT("x", "new x"), PUT("y", "new y"), {0}};
static const struct step four[] = {PUT("w", "1"), PUT("x", "2"), PUT("y", "3"), PUT("z", "4"), {0}};

static void begin_two(void)
{
    put("x", "old x");
    put("y", "old y");
}

static void check_two(const char *x, const char *y)
{
    CHECK_TEXT(text_of("x"), x);
    CHECK_TEXT(text_of("y"), y);
}

/* ---- costs ---- */

TEST(four_files_cost_six_flushes)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    CHECK_INT(commit_steps(four, &options, &error), 0);
    const struct rule *flushes = watch(CALL_FSYNC, "");
    CHECK_INT(commit_steps(four, &options, &error), 0);
    CHECK_INT(flushes->seen, 6); /* four stages, the slot, the directory */
}

TEST(at_level_cache_nothing_is_flushed)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    const struct rule *flushes = watch(CALL_FSYNC, "");
    CHECK_INT(commit_steps(four, &options, &error), 0);
    CHECK_INT(flushes->seen, 0);
}

/* ---- what members of one directory share ---- */

TEST(a_file_beside_a_link_is_the_one_beside_it_and_not_beside_where_it_leads)
{
    CHECK_INT(mkdir("elsewhere", 0755), 0);
    put("elsewhere/x", "old");
    put("elsewhere/y", "another y");
    CHECK_INT(symlink("elsewhere/x", "link"), 0);
    const struct step steps[] = {PUT("link", "new x"), PUT("y", "new y"), PUT("z", "new z"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_TEXT(text_of("elsewhere/x"), "new x");
    CHECK_TEXT(text_of("elsewhere/y"), "another y");
    CHECK_TEXT(text_of("y"), "new y");
    CHECK_TEXT(text_of("z"), "new z");
}

TEST(a_link_beside_a_file_is_followed)
{
    CHECK_INT(mkdir("elsewhere", 0755), 0);
    put("elsewhere/x", "old");
    CHECK_INT(symlink("elsewhere/x", "link"), 0);
    const struct step steps[] = {PUT("y", "new y"), PUT("link", "new x"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_TEXT(text_of("elsewhere/x"), "new x");
    CHECK_TEXT(text_of("y"), "new y");
}

TEST(what_is_no_file_or_ours_is_refused_beside_a_file_too)
{
    CHECK_INT(mkdir("folder", 0755), 0);
    const struct step steps[] = {PUT("y", "new y"), PUT("folder", "new"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), -UNTORN_NOT_A_FILE);
    const struct step ours[] = {PUT("y", "new y"), PUT(".untorn", "new"), {0}};
    CHECK_INT(commit_steps(ours, NULL, &error), -UNTORN_NAME);
    CHECK(!exists("y"));
}

/* Each in the folder of its owner, where nobody can remove the files of others. */
TEST(in_a_sticky_directory_files_of_two_owners_have_two_slots)
{
    need_root();
    begin_two();
    CHECK_INT(chmod(".", 01777), 0);
    CHECK_INT(chown("y", ALICE, CREW), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    check_two("new x", "new y");
    CHECK(exists(".untorn-0/journal/slot"));
    CHECK(exists(".untorn-12345/journal/slot"));
}

/* ---- where the new versions are staged ---- */

static const char *slot_id(void)
{
    static char text[SLOT_ID_TEXT];
    struct slot slot = slot_of("");
    slot_id_text(slot.id, text);
    return text;
}

static void look_at_stages(void *context)
{
    (void)context;
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(count_entries(".untorn/history/x", ""), 1);
    CHECK_INT(count_entries(".untorn/history/y", ""), 1);
}

TEST(what_the_slot_holds_is_staged_in_history)
{
    begin_two();
    at(CALL_FSYNC, "/slot", 1, look_at_stages, NULL);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_INT(count_entries(".untorn/history/x", slot_id()), 1);
}

static void look_at_secret(void *context)
{
    (void)context;
    CHECK_INT(count_entries(".untorn/stage", "y."), 1);
    CHECK_INT(count_entries(".untorn/history/x", ""), 1);
    CHECK_INT(count_entries(".untorn/history/y", ""), 0);
}

/* [TXN-2] */
TEST(what_it_does_not_hold_has_its_name_in_stage_before_the_slot_says_so)
{
    begin_two();
    CHECK_INT(chmod(".", 0755), 0);
    CHECK_INT(chmod("y", 0600), 0);
    at(CALL_FSYNC, "/slot", 1, look_at_secret, NULL);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    check_two("new x", "new y");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(count_entries(".untorn/history/y", slot_id()), 1);
}

/* [TXN-7] */
TEST(the_version_of_one_file_alone_names_no_commit)
{
    begin_two();
    const struct step steps[] = {PUT("x", "new x"), PUT_AS("y", "old y", .if_changed = true), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    check_two("new x", "old y");
    const char *entry = strrchr(only_entry(".untorn/history/x", ""), '/') + 1;
    CHECK_INT(strlen(entry), 16 + 1 + 32 + 1 + 16);
}

/* ---- what others may read in the slot ---- */

static bool slot_holds(const char *text)
{
    static char data[1 << 20];
    ssize_t size = get_bytes(".untorn/journal/slot", data, sizeof data);
    CHECK(size > 0);
    return memmem(data, (size_t)size, text, strlen(text)) != NULL;
}

TEST(the_slot_holds_the_bytes_of_small_members)
{
    CHECK_INT(chmod(".", 0755), 0);
    begin_two();
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_INT(mode_of(".untorn/journal/slot"), 0644);
    CHECK(slot_holds("new x"));
}

TEST(bytes_of_a_secret_are_not_in_a_slot_that_others_can_read)
{
    const struct step steps[] = {PUT("x", "open x"), PUT_AS("y", "secret y", .mode = 0600), {0}};
    CHECK_INT(chmod(".", 0755), 0);
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK(slot_holds("open x")); /* [SLOT-3] */
    CHECK(!slot_holds("secret y"));
    CHECK_TEXT(text_of("y"), "secret y");
}

TEST(where_all_members_are_secret_the_slot_is_too)
{
    const struct step steps[] = {
        PUT_AS("x", "secret x", .mode = 0600), PUT_AS("y", "secret y", .mode = 0600), {0}};
    CHECK_INT(chmod(".", 0755), 0);
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(mode_of(".untorn/journal/slot"), 0600);
    CHECK(slot_holds("secret x"));
    const struct step open[] = {PUT("v", "1"), PUT("w", "2"), {0}};
    CHECK_INT(commit_steps(open, NULL, &error), 0);
    CHECK_INT(mode_of(".untorn/journal/slot"), 0644);
    CHECK(!slot_holds("secret x")); /* what it held is not widened */
}

/* [SLOT-3] Who reads the slot as one of its group may not be of the group that reads the file. */
TEST(bytes_for_another_group_are_not_in_a_slot_that_this_group_can_read)
{
    need_root();
    begin_two();
    CHECK_INT(chmod(".", 0750), 0);
    CHECK_INT(chmod("x", 0640), 0);
    CHECK_INT(chmod("y", 0640), 0);
    CHECK_INT(chown("y", 0, CREW), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_INT(mode_of(".untorn/journal/slot"), 0640);
    CHECK(slot_holds("new x") && !slot_holds("new y"));
    CHECK_INT(chmod("y", 0644), 0); /* and now for everybody */
    const struct step again[] = {PUT("x", "newer x"), PUT("y", "newer y"), {0}};
    CHECK_INT(commit_steps(again, NULL, &error), 0);
    CHECK(slot_holds("newer x") && slot_holds("newer y"));
}

/* [RECORD-3] It says which files changed together: for those who may read them all. */
TEST(what_is_remembered_is_closed_to_a_group_that_may_not_read_all_files)
{
    need_root();
    begin_two();
    CHECK_INT(chmod(".", 0750), 0);
    CHECK_INT(chmod("x", 0640), 0);
    CHECK_INT(chmod("y", 0640), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK_INT(mode_of(only_entry(".untorn/set", "")), 0640);
    CHECK_INT(chown("y", 0, CREW), 0);
    const struct step again[] = {PUT("x", "newer x"), PUT("y", "newer y"), {0}};
    CHECK_INT(commit_steps(again, NULL, &error), 0);
    CHECK_INT(mode_of(only_entry(".untorn/set", "")), 0600);
}

TEST(what_is_larger_than_the_limit_is_staged_and_not_in_the_slot)
{
    static char at_limit[LIMIT_INLINE + 1], above[LIMIT_INLINE + 2];
    memset(at_limit, 'a', LIMIT_INLINE);
    memset(above, 'b', LIMIT_INLINE + 1);
    const struct step steps[] = {PUT("x", at_limit), PUT("y", above), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK(slot_holds("aaaaaaaaaaaaaaaa"));
    CHECK(!slot_holds("bbbbbbbbbbbbbbbb"));
}

/* Also of two commits in the same second. */
TEST(the_sequence_goes_up_with_every_commit)
{
    uint64_t last = 0;
    for (char digit = '1'; digit <= '5'; digit++) {
        const char text[] = {digit, '\0'};
        const struct step steps[] = {PUT("x", text), PUT("y", text), {0}};
        CHECK_INT(commit_steps(steps, NULL, &error), 0);
        CHECK(slot_of("").sequence > last);
        last = slot_of("").sequence;
    }
}

/* ---- failures ---- */

TEST(a_stage_that_cannot_be_flushed_leaves_all_as_it_was)
{
    begin_two();
    fail(CALL_FSYNC, "/history/y/", 1, EIO);
    CHECK_INT(commit_steps(two, NULL, &error), -UNTORN_IO);
    CHECK_TEXT(error.path, "y");
    check_two("old x", "old y");
    CHECK_INT(count_entries(".untorn/history/x", ""), 0);
    CHECK_INT(count_entries(".untorn/history/y", ""), 0);
}

/* [VERSIONS-3] */
TEST(a_folder_of_versions_that_cannot_be_flushed_leaves_all_as_it_was)
{
    begin_two();
    fail(CALL_FSYNC, "/history", 1, EIO);
    CHECK_INT(commit_steps(two, NULL, &error), -UNTORN_IO);
    check_two("old x", "old y");
    CHECK(!exists(".untorn/journal/slot")); /* it was told before anything was promised */
}

TEST(a_slot_that_cannot_be_flushed_is_withdrawn)
{
    begin_two();
    fail(CALL_FSYNC, "/slot", 1, EIO);
    CHECK_INT(commit_steps(two, NULL, &error), -UNTORN_IO); /* [TXN-1] */
    check_two("old x", "old y");
    CHECK(!is_active(""));
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    check_two("new x", "new y");
}

/* [TXN-1] One file that changes alone, or two. */
TEST(versions_of_a_file_that_stays_that_cannot_be_erased_leave_all_as_it_was)
{
    struct untorn_options none = {.keep = UNTORN_KEEP_NONE};
    for (int alone = 0; alone < 2; alone++) {
        const struct step steps[] = {PUT("x", "new x"),
                                     PUT_AS("y", "old y", .if_changed = true),
                                     PUT_AS("z", alone ? "old z" : "new z", .if_changed = true),
                                     {0}};
        begin_two();
        put("y", "older y");
        put("z", "old z");
        CHECK_INT(untorn_write("y", "old y", 5, NULL, &error), 0);
        fail(CALL_UNLINK, "/history/y/", 1, EACCES);
        CHECK_INT(commit_steps(steps, &none, &error), -UNTORN_DENIED);
        CHECK_TEXT(error.path, "y");
        forget_rules();
        check_two("old x", "old y");
        CHECK_TEXT(text_of("z"), "old z");
        CHECK_INT(commit_steps(steps, &none, &error), 0);
        CHECK(!(error.flags & UNTORN_FLAG_UNCHANGED));
        check_two("new x", "old y");
        CHECK(!exists(".untorn/history/y"));
    }
}

TEST(a_file_that_stays_and_cannot_be_flushed_is_told_as_not_settled)
{
    const struct step steps[] = {PUT("x", "new x"), PUT_AS("y", "old y", .if_changed = true), {0}};
    begin_two();
    fail(CALL_FSYNC, "/y", 1, EIO);
    CHECK_INT(commit_steps(steps, NULL, &error), UNTORN_UNSETTLED_FLUSH);
    CHECK_TEXT(error.path, "y");
    check_two("new x", "old y");
}

TEST(a_commit_that_cannot_be_withdrawn_is_not_settled)
{
    begin_two();
    new_rule(CALL_FSYNC, "/slot", 2, 0)->code = EIO; /* once it is grounded, always */
    CHECK_INT(commit_steps(two, NULL, &error), UNTORN_UNSETTLED_SET);
    forget_rules();
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(untorn_write("x", "next", 4, NULL, &error), 0);
    CHECK_INT(flushes->seen, 1); /* it is made certain before x changes */
}

/* ---- what cannot succeed is found out before it counts [TXN-8] ---- */

/* A directory of everybody with Alice's file x and Bob's file y. */
static void begin_of_two_users(unsigned mode)
{
    need_root();
    make_dir("d", 0777);
    CHECK_INT(chdir("d"), 0);
    begin_two();
    CHECK_INT(chown("x", ALICE, ALICE), 0);
    CHECK_INT(chown("y", BOB, BOB), 0);
    CHECK_INT(chmod("y", mode), 0);
}

struct refusal {
    const struct step *steps;
    struct untorn_options options;
    enum untorn_status status;
};

static void is_refused(void *context)
{
    const struct refusal *refusal = context;
    CHECK_INT(commit_steps(refusal->steps, &refusal->options, &error), -(int)refusal->status);
    CHECK_TEXT(error.path, "y");
    check_two("old x", "old y");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(untorn_write("x", "old x", 5, NULL, &error), 0); /* nothing is in her way */
}

static const char *large_text(void)
{
    static char text[100 * 1024 + 1];
    memset(text, 'L', sizeof text - 1);
    return text;
}

TEST(a_member_that_may_not_be_overwritten_fails_the_commit)
{
    begin_of_two_users(0644);
    struct refusal small = {two, {0}, UNTORN_DENIED};
    in_child_as(ALICE, ALICE, is_refused, &small);
    const struct step steps[] = {PUT("x", "new x"), PUT("y", large_text()), {0}};
    struct refusal staged = {steps, {0}, UNTORN_DENIED};
    in_child_as(ALICE, ALICE, is_refused, &staged);
}

TEST(a_member_whose_mode_is_not_ours_to_change_fails_the_commit)
{
    begin_of_two_users(0666);
    const struct step steps[] = {PUT("x", "new x"), PUT_AS("y", "new y", .mode = 0600), {0}};
    struct refusal refusal = {steps, {0}, UNTORN_DENIED};
    in_child_as(ALICE, ALICE, is_refused, &refusal);
}

TEST(a_member_that_can_only_be_overwritten_fails_a_strict_commit)
{
    begin_of_two_users(0666);
    struct refusal refusal = {two, {.strict = true}, UNTORN_UNSUPPORTED};
    in_child_as(ALICE, ALICE, is_refused, &refusal);
}

static void is_done(void *context)
{
    CHECK_INT(commit_steps(context, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
}

TEST(a_member_that_may_be_overwritten_is)
{
    begin_of_two_users(0666);
    in_child_as(ALICE, ALICE, is_done, (void *)two);
    check_two("new x", "new y");
    CHECK_INT(stat_of("y").st_uid, BOB);
}

TEST(a_version_that_must_be_kept_and_cannot_be_fails_the_commit)
{
    const struct step staged[] = {PUT("x", "new x"), PUT("y", large_text()), {0}};
    const struct step gone[] = {PUT("x", "new x"), REMOVE("y"), {0}};
    const struct step in_place[] = {PUT("x", "new x"), PUT_AS("y", "y", .keep_inode = true), {0}};
    const struct step *const all[] = {two, staged, gone, in_place};
    struct untorn_options strict = {.strict = true, .keep = 1};
    begin_two();
    make_dir(".untorn", 0755);
    make_dir(".untorn/history", 0755);
    put(".untorn/history/y", "in the way");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK(commit_steps(all[i], &strict, &error) < 0);
        CHECK_TEXT(error.path, "y");
        check_two("old x", "old y");
    }
    /* What is to stay has no version, and who does not insist goes on. */
    const struct step same[] = {PUT("x", "newer x"), PUT("y", "old y"), {0}};
    CHECK_INT(commit_steps(same, &strict, &error), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_HISTORY_LOST);
    check_two("new x", "new y");
}

TEST(that_a_version_can_be_kept_is_tried_without_a_trace)
{
    const struct step steps[] = {PUT("x", "new x"), PUT("y", large_text()), {0}};
    struct untorn_options strict = {.strict = true, .keep = 2};
    begin_two();
    CHECK_INT(commit_steps(steps, &strict, &error), 0);
    CHECK_INT(count_entries(".untorn/history/y", ""), 1);
    fail(CALL_OPEN, "/history/y/", 1, ENOSPC);
    const struct step again[] = {PUT("x", "newer x"), PUT("y", large_text() + 1), {0}};
    CHECK_INT(commit_steps(again, &strict, &error), -UNTORN_NO_SPACE);
    CHECK_TEXT(text_of("x"), "new x");
}

TEST(a_member_that_is_marked_fails_the_commit)
{
    static const int marks[] = {FS_IMMUTABLE_FL, FS_APPEND_FL};
    const struct step staged[] = {PUT("x", "new x"), PUT("y", large_text()), {0}};
    const struct step gone[] = {PUT("x", "new x"), REMOVE("y"), {0}};
    const struct step in_place[] = {PUT("x", "new x"), PUT_AS("y", "y", .keep_inode = true), {0}};
    const struct step *const all[] = {two, staged, gone, in_place};
    begin_two();
    for (int i = 0; i < 8; i++) {
        set_marks("y", marks[i / 4]);
        int rc = commit_steps(all[i % 4], NULL, &error);
        set_marks("y", 0);
        CHECK_INT(rc, -UNTORN_DENIED);
        check_two("old x", "old y");
    }
}

/* With a state directory a file there can be overwritten all the same. */
TEST(a_directory_that_is_marked_fails_the_commit)
{
    const struct step steps[] = {PUT("x", "new x"), PUT("d/y", "new y"), {0}};
    const struct step other[] = {PUT("x", "newer x"), PUT("d/y", "newer y"), {0}};
    struct untorn_options outside = {.state_dir = "state"};
    make_dir("d", 0755);
    make_dir("state", 0700);
    put("x", "old x");
    put("d/y", "old y");
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    set_marks("d", FS_IMMUTABLE_FL);
    int beside = commit_steps(other, NULL, &error);
    bool named = strcmp(error.path, "d/y") == 0;
    int elsewhere = commit_steps(other, &outside, &error);
    set_marks("d", 0);
    CHECK_INT(beside, -UNTORN_DENIED); /* [TXN-8] */
    CHECK(named);
    CHECK_INT(elsewhere, 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(text_of("d/y"), "newer y");
}

TEST(a_folder_of_versions_that_is_marked_fails_the_commit)
{
    const struct step again[] = {PUT("x", "newer x"), PUT("y", "newer y"), {0}};
    const struct step staged[] = {PUT("x", "newer x"), PUT("y", large_text()), {0}};
    begin_two();
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    for (int i = 0; i < 2; i++) {
        set_marks(".untorn/history/y", FS_APPEND_FL);
        int rc = commit_steps(i ? staged : again, NULL, &error);
        set_marks(".untorn/history/y", 0);
        CHECK_INT(rc, -UNTORN_DENIED); /* [TXN-8] */
        CHECK(strstr(error.detail, "history/y"));
        check_two("new x", "new y");
    }
    CHECK_INT(commit_steps(again, NULL, &error), 0);
    check_two("newer x", "newer y");
}

TEST(a_folder_of_stages_that_is_marked_fails_the_commit)
{
    const struct step staged[] = {PUT("x", "newer x"), PUT("y", large_text()), {0}};
    struct untorn_options keep_none = {.keep = UNTORN_KEEP_NONE};
    begin_two();
    CHECK_INT(commit_steps(two, &keep_none, &error), 0);
    set_marks(".untorn/stage", FS_APPEND_FL);
    int rc = commit_steps(staged, &keep_none, &error);
    set_marks(".untorn/stage", 0);
    CHECK_INT(rc, -UNTORN_DENIED); /* [TXN-8] */
    CHECK(strstr(error.detail, "stage"));
    check_two("new x", "new y");
    CHECK_INT(commit_steps(staged, &keep_none, &error), 0);
    CHECK_TEXT(text_of("x"), "newer x");
}

/* ---- what gets in the way later ---- */

TEST(if_the_first_member_cannot_be_put_in_place_the_commit_fails)
{
    begin_two();
    fail_always(CALL_RENAME, "/x", EIO);
    CHECK_INT(commit_steps(two, NULL, &error), -UNTORN_IO); /* [TXN-5] */
    check_two("old x", "old y");
    CHECK(!is_active(""));
}

TEST(if_a_later_one_cannot_the_commit_is_not_settled_and_the_next_call_does_it)
{
    begin_two();
    fail_always(CALL_RENAME, "/y", EIO);
    CHECK_INT(commit_steps(two, NULL, &error), UNTORN_UNSETTLED_SET); /* [TXN-5] */
    CHECK_TEXT(error.path, "y");
    check_two("new x", "old y");
    forget_rules();
    CHECK_INT(untorn_write("x", "next x", 6, NULL, &error), 0);
    check_two("next x", "new y");
}

TEST(the_stage_of_a_large_member_that_is_not_in_place_yet_stays)
{
    static char large[100 * 1024 + 1];
    memset(large, 'L', sizeof large - 1);
    const struct step steps[] = {PUT("x", "new x"), PUT("y", large), {0}};
    begin_two();
    fail_always(CALL_RENAME, "/y", EIO);
    fail_always(CALL_LINK, "/y", EIO);
    CHECK_INT(commit_steps(steps, NULL, &error), UNTORN_UNSETTLED_SET);
    CHECK_INT(count_entries(".untorn/stage", "y."), 1); /* [TXN-2] */
    forget_rules();
    CHECK_INT(untorn_write("x", "next x", 6, NULL, &error), 0);
    CHECK_INT(stat_of("y").st_size, 100 * 1024);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

static void fail_directory(void *context)
{
    (void)context;
    fail(CALL_FSYNC, "", 1, EIO);
}

TEST(a_directory_that_cannot_be_flushed_is_not_settled_and_the_slot_stays)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    begin_two();
    at(CALL_RENAME, "/y", 1, fail_directory, NULL);
    CHECK_INT(commit_steps(two, &options, &error), UNTORN_UNSETTLED_SET);
    check_two("new x", "new y");
    CHECK(is_active("")); /* [TXN-3] */
}

/* ---- others at work ---- */

static void replace_y(void *context)
{
    put("other", "by another program");
    CHECK_INT(rename("other", context), 0);
}

TEST(a_member_that_changes_before_the_commit_point_is_looked_at_anew)
{
    begin_two();
    at(CALL_OPEN, "/stage/y", 1, replace_y, "y");
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    check_two("new x", "new y");
}

TEST(a_member_that_changes_after_the_commit_point_is_kept_and_so_is_the_new_version)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    begin_two();
    at(CALL_RENAME, "/x", 1, replace_y, "y");
    CHECK_INT(commit_steps(two, &options, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT); /* [TXN-6] */
    check_two("new x", "by another program");
    CHECK_TEXT(text_of(only_entry(".untorn/kept", "conflict-y")), "new y");
    CHECK(!is_active(""));
}

static void replace_y_and_watch(void *context)
{
    replace_y("y");
    *(const struct rule **)context = watch(CALL_FLOCK, "/lock/y");
}

/* Who waits for it would take it, find the commit, and wait for the locks of the others. [GROUP-1]
 */
TEST(the_lock_of_a_member_that_changes_after_the_commit_point_stays_held)
{
    const struct rule *locks = NULL;
    begin_two();
    at(CALL_RENAME, "/x", 1, replace_y_and_watch, &locks);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    check_two("new x", "by another program");
    CHECK(locks->seen <= 1); /* its release at the end */
}

TEST(so_it_is_with_a_large_member)
{
    static char large[100 * 1024 + 1];
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    memset(large, 'L', sizeof large - 1);
    const struct step steps[] = {PUT("x", "new x"), PUT("y", large), {0}};
    begin_two();
    at(CALL_RENAME, "/x", 1, replace_y, "y");
    CHECK_INT(commit_steps(steps, &options, &error), 0);
    check_two("new x", "by another program");
    CHECK_INT(stat_of(only_entry(".untorn/kept", "conflict-y")).st_size, 100 * 1024);
}

static void remove_state(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

TEST(a_commit_gets_to_its_end_though_our_folder_is_removed_at_any_moment)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    static const enum call moments[] = {CALL_RENAME, CALL_RENAME, CALL_FSYNC, CALL_FSYNC};
    static const char *const paths[] = {"/x", "/y", "/slot", "/stage/x"};
    for (int i = 0; i < 4; i++) {
        begin_two();
        at(moments[i], paths[i], 1, remove_state, NULL);
        CHECK_INT(commit_steps(two, &options, &error), 0);
        check_two("new x", "new y");
        forget_rules();
    }
}

TEST(a_bind_mounted_member_is_overwritten_in_place)
{
    private_mounts();
    begin_two();
    put("source", "old y");
    CHECK_INT(mount("source", "y", NULL, MS_BIND, NULL), 0);
    CHECK_INT(commit_steps(two, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    check_two("new x", "new y");
    CHECK_TEXT(text_of("source"), "new y");
}

/* ---- many at once ---- */

enum { ROUNDS = 40, WRITERS = 4 };

static int add_token(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char *text = malloc((old ? old->size : 0) + 32);
    CHECK(text);
    int size = sprintf(text, "%s%s\n", old ? old->data : "", (const char *)context);
    untorn_change_give(change, text, (size_t)size);
    return 0;
}

/* Each adds its tokens to both files, in one order or the other; now and then to one alone. */
static void add_tokens(void *context)
{
    int writer = *(int *)context;
    char token[32];
    flushes_are_skipped = true;
    for (int i = 0; i < ROUNDS; i++) {
        struct untorn_options options = {.wait_ms = 60000, .keep = UNTORN_KEEP_NONE};
        struct untorn_transaction *save;
        snprintf(token, sizeof token, "%d.%d", writer, i);
        CHECK_INT(untorn_transaction_begin(&options, &save, NULL), 0);
        for (int j = 0; j < 2; j++)
            CHECK_INT(untorn_transaction_change(save, (writer + j) % 2 ? "a/x" : "b/x", add_token,
                                                token, NULL, NULL),
                      0);
        CHECK_INT(untorn_transaction_commit(save, NULL), 0);
        untorn_transaction_free(save);
    }
}

TEST(no_update_of_overlapping_sets_is_lost)
{
    pid_t children[WRITERS];
    int numbers[WRITERS];
    char token[32];
    make_dir("a", 0755);
    make_dir("b", 0755);
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = i;
        children[i] = start_child(add_tokens, &numbers[i]);
    }
    for (int i = 0; i < WRITERS; i++)
        finish_child(children[i]);
    CHECK_TEXT(text_of("a/x"), text_of("b/x"));
    for (int i = 0; i < WRITERS; i++) {
        for (int j = 0; j < ROUNDS; j++) {
            snprintf(token, sizeof token, "%d.%d\n", i, j);
            CHECK(strstr(text_of("a/x"), token) != NULL);
        }
    }
}

/* The same while processes die anywhere: what is in one file is in the other. */
TEST(sets_stay_whole_though_writers_are_killed)
{
    make_dir("a", 0755);
    make_dir("b", 0755);
    for (int i = 0; i < 60; i++) {
        int number = i;
        pid_t child = start_child(add_tokens, &number);
        usleep((useconds_t)(2000 + (i * 7919) % 23000));
        kill(child, SIGKILL);
        (void)end_of(child);
        const char *path = i % 2 ? "a/x" : "b/x";
        CHECK_INT(untorn_update(path, add_token, "single", NULL, &error), 0);
        path = i % 2 ? "b/x" : "a/x";
        CHECK_INT(untorn_update(path, add_token, "single", NULL, &error), 0);
        CHECK_TEXT(text_of("a/x"), text_of("b/x"));
    }
    CHECK_INT(count_entries("a/.untorn/kept", ""), 0);
}
