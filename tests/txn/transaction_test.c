#include "txn/commits.h"

#include <sys/resource.h>

static struct untorn_error error;

static int add_star(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[64];
    *(int *)context += 1;
    int size = snprintf(text, sizeof text, "%s*", old ? old->data : "none");
    return untorn_change_set(change, text, (size_t)size);
}

static int refuse(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 42;
}

TEST(files_of_one_commit_are_all_new_afterwards)
{
    const struct step steps[] = {PUT("x", "new x"), PUT("made", "new"), REMOVE("gone"), {0}};
    put("x", "old x");
    put("gone", "old");
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "new x");
    CHECK_TEXT(text_of("made"), "new");
    CHECK(!exists("gone"));
    CHECK(error.flags & UNTORN_FLAG_CREATED);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(slot_of("").state, SLOT_DONE);
}

TEST(members_may_lie_in_several_directories)
{
    make_dir("a", 0755);
    make_dir("b", 0755);
    const struct step steps[] = {PUT("a/x", "1"), PUT("b/x", "2"), PUT("y", "3"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_TEXT(text_of("a/x"), "1");
    CHECK_TEXT(text_of("b/x"), "2");
    CHECK_TEXT(text_of("y"), "3");
    CHECK_INT(slot_of("a/").directory_count, 2);
    CHECK(slot_of("b/").participant);
    CHECK_INT(slot_of("b/").state, SLOT_DONE);
}

TEST(until_the_commit_nothing_happens_and_after_an_abort_nothing_remains)
{
    struct untorn_transaction *save;
    put("x", "old");
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "x", "new", 3, NULL, &error), 0);
    CHECK(!exists(".untorn"));
    untorn_transaction_abort(save);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK_TEXT(text_of("x"), "old");
    untorn_transaction_free(save);
    untorn_transaction_free(NULL);
}

TEST(a_transaction_is_committed_once_and_used_anew_after_an_abort)
{
    struct untorn_transaction *save;
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "x", "1", 1, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), -UNTORN_INVALID);
    CHECK_INT(untorn_transaction_put(save, "x", "2", 1, NULL, &error), -UNTORN_INVALID);
    untorn_transaction_abort(save);
    CHECK_INT(untorn_transaction_put(save, "x", "3", 1, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK_TEXT(text_of("x"), "3");
    untorn_transaction_free(save);
}

TEST(a_put_forgets_what_was_before_it_and_a_change_goes_on_from_there)
{
    struct untorn_transaction *save;
    int calls = 0;
    put("x", "x");
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_change(save, "x", refuse, NULL, NULL, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "x", "put", 3, NULL, &error), 0);
    CHECK_INT(untorn_transaction_change(save, "x", add_star, &calls, NULL, &error), 0);
    CHECK_INT(untorn_transaction_change(save, "x", add_star, &calls, NULL, &error), 0);
    CHECK_INT(untorn_transaction_change(save, "y", add_star, &calls, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK_TEXT(text_of("x"), "put**");
    CHECK_TEXT(text_of("y"), "none*");
    CHECK_INT(calls, 3);
    untorn_transaction_free(save);
}

/* x is put with these options, and then changed with those. */
static int put_and_change(const struct untorn_options *first, const struct untorn_options *then)
{
    struct untorn_transaction *save;
    int calls = 0;
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "x", "put", 3, first, &error), 0);
    int rc = untorn_transaction_change(save, "x", add_star, &calls, then, &error);
    if (rc == 0)
        rc = untorn_transaction_commit(save, &error);
    untorn_transaction_free(save);
    return rc;
}

TEST(a_change_goes_on_under_the_conditions_that_were_before_it)
{
    struct untorn_hash old = untorn_hash("old", 3), other = untorn_hash("other", 5);
    const struct untorn_options plain = {0}, is_new = {.exclusive = true};
    const struct untorn_options is_old = {.if_match = &old}, is_other = {.if_match = &other};
    put("x", "old");
    CHECK_INT(put_and_change(&is_other, &plain), -UNTORN_CHANGED);
    CHECK_INT(put_and_change(&is_new, &plain), -UNTORN_EXISTS);
    CHECK_INT(put_and_change(&plain, &is_other), -UNTORN_CHANGED);
    CHECK_TEXT(text_of("x"), "old");
    CHECK_INT(put_and_change(&is_old, &plain), 0);
    CHECK_TEXT(text_of("x"), "put*");
}

TEST(a_file_cannot_be_expected_to_be_two_versions)
{
    struct untorn_hash old = untorn_hash("old", 3), other = untorn_hash("other", 5);
    const struct untorn_options is_new = {.exclusive = true};
    const struct untorn_options is_old = {.if_match = &old}, is_other = {.if_match = &other};
    put("x", "old");
    CHECK_INT(put_and_change(&is_other, &is_old), -UNTORN_CHANGED);
    CHECK_INT(put_and_change(&is_old, &is_other), -UNTORN_CHANGED);
    CHECK_INT(put_and_change(&is_new, &is_old), -UNTORN_CHANGED);
    CHECK_INT(put_and_change(&is_old, &is_new), -UNTORN_CHANGED);
    CHECK_TEXT(text_of("x"), "old");
    CHECK_INT(put_and_change(&is_old, &is_old), 0);
}

TEST(a_change_goes_on_as_private_as_what_was_before_it)
{
    const struct untorn_options plain = {0}, private = {.mode = 0600}, open = {.mode = 0644};
    CHECK_INT(put_and_change(&private, &plain), 0);
    CHECK_INT(mode_of("x"), 0600);
    CHECK_INT(put_and_change(&private, &open), 0);
    CHECK_INT(mode_of("x"), 0644);
}

TEST(a_put_forgets_the_conditions_that_were_before_it)
{
    struct untorn_hash other = untorn_hash("other", 5);
    struct untorn_options options = {.if_match = &other};
    struct untorn_transaction *save;
    put("x", "old");
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "x", "1", 1, &options, &error), 0);
    options.if_match = NULL;
    CHECK_INT(untorn_transaction_put(save, "x", "2", 1, &options, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK_TEXT(text_of("x"), "2");
    untorn_transaction_free(save);
}

TEST(a_function_that_refuses_leaves_all_members_as_they_were)
{
    struct untorn_transaction *save;
    put("x", "x");
    put("y", "y");
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "x", "new", 3, NULL, &error), 0);
    CHECK_INT(untorn_transaction_change(save, "y", refuse, NULL, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), -UNTORN_REFUSED);
    CHECK_INT(error.os_error, 42);
    CHECK_TEXT(error.path, "y");
    CHECK_TEXT(text_of("x"), "x");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    untorn_transaction_free(save);
}

TEST(a_condition_that_is_not_met_is_told_of_its_member_and_nothing_changes)
{
    struct untorn_hash other = untorn_hash("other", 5);
    const struct step missing[] = {PUT("x", "new"), REMOVE("nothing"), {0}};
    const struct step taken[] = {PUT("x", "new"), PUT_AS("y", "new", .exclusive = true), {0}};
    const struct step changed[] = {PUT("x", "new"), PUT_AS("y", "new", .if_match = &other), {0}};
    put("x", "old");
    put("y", "old");
    CHECK_INT(commit_steps(missing, NULL, &error), -UNTORN_MISSING);
    CHECK_TEXT(error.path, "nothing");
    CHECK_INT(commit_steps(taken, NULL, &error), -UNTORN_EXISTS);
    CHECK_TEXT(error.path, "y");
    CHECK_INT(commit_steps(changed, NULL, &error), -UNTORN_CHANGED);
    CHECK_TEXT(error.path, "y");
    CHECK_TEXT(text_of("x"), "old");
    CHECK_TEXT(text_of("y"), "old");
}

TEST(two_paths_of_one_file_are_refused_and_both_are_named)
{
    const struct step steps[] = {PUT("x", "1"), PUT("link", "2"), {0}};
    put("x", "old");
    CHECK_INT(symlink("x", "link"), 0);
    CHECK_INT(commit_steps(steps, NULL, &error), -UNTORN_INVALID);
    const char *other = strcmp(error.path, "x") == 0 ? "link" : "x";
    CHECK(strstr(error.detail, other) != NULL);
    CHECK_TEXT(text_of("x"), "old");
}

/* Each has a lock of its own, so that they are found only by looking at them. */
TEST(two_links_of_one_file_are_refused_too)
{
    const struct step steps[] = {PUT("x", "1"), PUT("y", "3"), PUT("link", "2"), {0}};
    const struct step one[] = {PUT("x", "1"), PUT("y", "3"), {0}};
    put("x", "old");
    put("y", "old");
    CHECK_INT(link("x", "link"), 0);
    CHECK_INT(commit_steps(steps, NULL, &error), -UNTORN_INVALID);
    const char *other = strcmp(error.path, "x") == 0 ? "link" : "x";
    CHECK(strstr(error.detail, other) != NULL);
    CHECK_TEXT(text_of("y"), "old");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(commit_steps(one, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "1");
    CHECK_TEXT(text_of("link"), "old");
}

TEST(what_would_not_change_is_left_alone)
{
    const struct step steps[] = {
        PUT_AS("x", "same", .if_changed = true), PUT_AS("y", "same", .if_changed = true), {0}};
    const struct step one[] = {PUT_AS("x", "same", .if_changed = true), PUT("y", "new"), {0}};
    put("x", "same");
    put("y", "same");
    ino_t inode = stat_of("x").st_ino;
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_UNCHANGED);
    CHECK_INT(commit_steps(one, NULL, &error), 0);
    CHECK(!(error.flags & UNTORN_FLAG_UNCHANGED));
    CHECK(stat_of("x").st_ino == inode);
    CHECK_TEXT(text_of("y"), "new");
    CHECK(!exists(".untorn/journal/slot")); /* [TXN-7] */
}

TEST(a_thousand_members_fit_into_the_usual_number_of_descriptors)
{
    enum { COUNT = 1000 };
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    struct rlimit limit = {1024, 1024};
    struct untorn_transaction *save;
    char name[32];
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
    flushes_are_skipped = true;
    for (int round = 0; round < 2; round++) {
        CHECK_INT(untorn_transaction_begin(&options, &save, &error), 0);
        for (int i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "file%d", i);
            CHECK_INT(untorn_transaction_put(save, name, round ? "second" : "first", 5, NULL, NULL),
                      0);
        }
        CHECK_INT(untorn_transaction_commit(save, &error), 0);
        untorn_transaction_free(save);
    }
    CHECK_TEXT(text_of("file0"), "secon");
    CHECK_TEXT(text_of("file999"), "secon");
    CHECK_INT(count_entries(".", "file"), COUNT);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(no_descriptor_is_left_open)
{
    const struct step steps[] = {PUT("x", "1"), PUT("y", "2"), {0}};
    const struct step fails[] = {PUT("x", "1"), REMOVE("none"), {0}};
    int before = open_descriptors();
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(commit_steps(fails, NULL, &error), -UNTORN_MISSING);
    CHECK_INT(open_descriptors(), before);
}

TEST(a_state_directory_holds_the_slot_too)
{
    const struct step steps[] = {PUT("d/x", "1"), PUT("d/y", "2"), {0}};
    struct untorn_options options = {.state_dir = "state"};
    make_dir("d", 0755);
    CHECK_INT(commit_steps(steps, &options, &error), 0);
    CHECK_TEXT(text_of("d/y"), "2");
    CHECK(!exists("d/.untorn"));
}

TEST(in_a_sticky_directory_files_of_two_users_are_committed_together)
{
    const struct step steps[] = {PUT("t/x", "1"), PUT("t/y", "2"), {0}};
    need_root();
    make_dir("t", 01777);
    put("t/x", "old");
    put("t/y", "old");
    CHECK_INT(chown("t/y", ALICE, ALICE), 0);
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_TEXT(text_of("t/x"), "1");
    CHECK_TEXT(text_of("t/y"), "2");
    CHECK_INT(stat_of("t/y").st_uid, ALICE);
    CHECK(exists("t/.untorn-12345/journal/slot"));
}

TEST(owner_and_mode_are_kept)
{
    const struct step steps[] = {PUT_AS("x", "1", .mode = 0600), PUT("y", "2"), {0}};
    put("x", "old");
    put("y", "old");
    CHECK_INT(chmod("y", 0640), 0);
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(mode_of("x"), 0600);
    CHECK_INT(mode_of("y"), 0640);
}

/* [PAST-4] Such a file has no mode of its own before the commit. */
TEST(a_file_that_is_made_again_leaves_its_versions_as_open_as_it_is)
{
    static const char *const texts[] = {"one", NULL, "two"};
    for (int i = 0; i < 3; i++) {
        struct untorn_transaction *transaction = NULL;
        CHECK_INT(untorn_transaction_begin(NULL, &transaction, &error), 0);
        CHECK_INT(untorn_transaction_put(transaction, "b", i % 2 ? "x" : "y", 1, NULL, &error), 0);
        CHECK_INT(texts[i] ? untorn_transaction_put(transaction, "a", texts[i], 3, NULL, &error)
                           : untorn_transaction_remove(transaction, "a", NULL, &error),
                  0);
        CHECK_INT(untorn_transaction_commit(transaction, &error), 0);
        untorn_transaction_free(transaction);
    }
    CHECK_INT(mode_of("a"), 0644);
    CHECK_INT(mode_of(only_entry(".untorn/history/a", "")), 0644);
}
