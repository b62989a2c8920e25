/* Undoing a commit of several files. */
#include "history/together.h"

#include <untorn.h>

#include "txn/commits.h"

static struct untorn_error error;

struct part {
    const char *path, *text; /* NULL: removed */
};

static int commit(const struct part *parts, size_t count)
{
    struct untorn_transaction *transaction = NULL;
    struct untorn_options options = {.keep = 4};
    int rc = untorn_transaction_begin(&options, &transaction, &error);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = parts[i].text ? untorn_transaction_put(transaction, parts[i].path, parts[i].text,
                                                    strlen(parts[i].text), NULL, &error)
                           : untorn_transaction_remove(transaction, parts[i].path, NULL, &error);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, &error);
    untorn_transaction_free(transaction);
    return rc;
}

#define COMMIT(...)                                                                                \
    CHECK_INT(commit((const struct part[]){__VA_ARGS__},                                           \
                     sizeof((const struct part[]){__VA_ARGS__}) / sizeof(struct part)),            \
              0)

static char undone[1024];

static void note(void *context, const char *path)
{
    (void)context;
    const char *slash = strrchr(path, '/');
    strcat(strcat(undone, slash ? slash + 1 : path), " ");
}

static int undo(const char *path)
{
    undone[0] = '\0';
    return untorn_undo(path, note, NULL, NULL, &error);
}

static void check(const char *a, const char *b)
{
    const char *expected[] = {a, b}, *paths[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        if (expected[i])
            CHECK_TEXT(text_of(paths[i]), expected[i]);
        else
            CHECK(!exists(paths[i]));
    }
}

/* [TOGETHER-1] */
TEST(files_that_were_committed_together_are_undone_together)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    for (int i = 0; i < 2; i++) {
        CHECK_INT(undo(i ? "a" : "b"), 0);
        check("a1", "b1");
        CHECK_TEXT(undone, "a b ");
        CHECK_INT(undo(i ? "b" : "a"), 0); /* and forth */
        check("a2", "b2");
    }
}

TEST(what_a_commit_made_goes_and_what_it_removed_comes_back)
{
    put("a", "a1");
    COMMIT({"a", NULL}, {"b", "b1"});
    check(NULL, "b1");
    CHECK_INT(undo("b"), 0);
    check("a1", NULL);
    CHECK_INT(undo("a"), 0);
    check(NULL, "b1");
    CHECK_INT(undo("a"), 0);
    check("a1", NULL);
    CHECK_INT(undo("b"), 0);
    check(NULL, "b1");
}

TEST(a_removed_member_comes_back_with_its_mode)
{
    put("a", "a1");
    put("b", "b1");
    CHECK_INT(chmod("b", 0600), 0);
    COMMIT({"a", "a2"}, {"b", NULL});
    CHECK_INT(undo("a"), 0);
    check("a1", "b1");
    CHECK_INT(mode_of("b"), 0600);
}

/* [RESTORE-1] */
TEST(nothing_is_undone_where_another_user_would_get_what_he_might_not_read)
{
    need_root();
    put("a", "secret");
    put("b", "b1");
    CHECK_INT(chmod("a", 0600), 0);
    COMMIT({"a", "known"}, {"b", "b2"});
    put("planted", "known");
    CHECK_INT(chown("planted", ALICE, CREW), 0);
    CHECK_INT(rename("planted", "a"), 0);
    CHECK_INT(undo("b"), -UNTORN_DENIED);
    CHECK_TEXT(error.path, full_path("a"));
    check("known", "b2");
    CHECK_INT(chown("a", 0, 0), 0);
    CHECK_INT(undo("b"), 0);
    check("secret", "b1");
}

static void check_alice_s(const char *path)
{
    char value[8] = "";
    struct stat status = stat_of(path);
    CHECK_INT(status.st_uid, ALICE);
    CHECK_INT(status.st_gid, CREW);
    CHECK_INT(mode_of(path), 0640);
    CHECK_INT(getxattr(path, "user.k", value, sizeof value), 1);
    CHECK_TEXT(value, "v");
}

static void begin_with_alice_s(void)
{
    need_root();
    put("a", "a1");
    put("b", "b1");
    CHECK_INT(chown("b", ALICE, CREW), 0);
    CHECK_INT(chmod("b", 0640), 0);
    if (setxattr("b", "user.k", "v", 1, 0) != 0)
        SKIP("needs extended attributes");
    COMMIT({"a", "a2"}, {"b", NULL});
}

TEST(a_removed_member_comes_back_with_its_owner_group_and_attributes)
{
    begin_with_alice_s();
    CHECK_INT(undo("a"), 0);
    check("a1", "b1");
    check_alice_s("b");
}

static void undo_and_die(void *context)
{
    at(CALL_RENAME, "/b", 1, die, NULL);
    CHECK_INT(untorn_undo(context, NULL, NULL, NULL, NULL), 0);
}

TEST(so_it_does_if_another_finishes_the_undo)
{
    begin_with_alice_s();
    CHECK_INT(end_of(start_child(undo_and_die, "a")), -SIGKILL);
    CHECK(!exists("b"));
    CHECK_INT(untorn_write("a", "next", 4, NULL, &error), 0);
    check("next", "b1");
    check_alice_s("b");
}

/* [FINISH-6] */
TEST(so_it_does_in_a_directory_that_has_its_own_group)
{
    need_root();
    make_dir("d", 0755);
    CHECK_INT(chdir("d"), 0);
    begin_with_alice_s();
    CHECK_INT(chown(".", 0, BOB), 0);
    CHECK_INT(chmod(".", 02755), 0);
    CHECK_INT(end_of(start_child(undo_and_die, "a")), -SIGKILL);
    CHECK_INT(untorn_write("a", "next", 4, NULL, &error), 0);
    check("next", "b1");
    check_alice_s("b");
}

/* [TOGETHER-2] */
TEST(nothing_is_undone_if_one_of_the_files_was_changed_since)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    put("b", "changed by another program");
    CHECK_INT(undo("a"), -UNTORN_CHANGED);
    CHECK_TEXT(undone, "");
    check("a2", "changed by another program");
    CHECK_INT(unlink("b"), 0);
    CHECK_INT(undo("a"), -UNTORN_CHANGED);
    check("a2", NULL);
}

/* [TOGETHER-2] */
TEST(nothing_is_undone_if_a_removed_or_created_file_came_or_went)
{
    put("a", "a1");
    COMMIT({"a", NULL}, {"b", "b1"});
    put("a", "another");
    CHECK_INT(undo("b"), -UNTORN_CHANGED);
    check("another", "b1");
    CHECK_INT(unlink("a"), 0);
    CHECK_INT(unlink("b"), 0);
    CHECK_INT(undo("a"), -UNTORN_CHANGED);
}

TEST(a_file_that_was_changed_alone_since_is_undone_alone)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    CHECK_INT(untorn_write("a", "a3", 2, NULL, &error), 0);
    CHECK_INT(undo("a"), 0);
    check("a2", "b2");
    CHECK_TEXT(undone, "a ");
}

/* [TOGETHER-2] */
TEST(nothing_is_undone_if_an_earlier_version_is_no_longer_kept)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    CHECK_INT(unlink(only_entry(".untorn/history/b", "")), 0);
    CHECK_INT(undo("a"), -UNTORN_NO_VERSION);
    check("a2", "b2");
    CHECK_INT(untorn_restore("a", 1, NULL, &error), 0);
    check("a1", "b2");
}

static void is_not_undone(void *context)
{
    (void)context;
    CHECK_INT(undo("a"), -UNTORN_DENIED);
    check("a2", "b2");
}

/* [PAST-9] [TXN-8] */
TEST(nothing_is_undone_if_what_a_file_is_now_cannot_be_kept)
{
    need_root();
    make_dir("d", 0755);
    CHECK_INT(chdir("d"), 0);
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    CHECK_INT(system("chown -R 12345:12345 . && chown 0:0 .untorn/history/b"), 0);
    in_child_as(ALICE, ALICE, is_not_undone, NULL);
    CHECK_INT(system("chown 12345:12345 .untorn/history/b"), 0);
    CHECK_INT(undo("a"), 0);
    check("a1", "b1");
}

TEST(a_commit_that_is_no_longer_known_is_told)
{
    char text[UNTORN_TEXT_SIZE];
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    remove_tree(".untorn/set");
    remove_tree(".untorn/journal");
    CHECK_INT(undo("a"), -UNTORN_NO_VERSION);
    CHECK(strstr(untorn_describe(&error, text, sizeof text), "untorn restore"));
    check("a2", "b2");
}

TEST(files_in_several_directories_are_undone_from_each_of_them)
{
    make_dir("one", 0755);
    make_dir("two", 0755);
    put("one/a", "a1");
    put("two/b", "b1");
    COMMIT({"one/a", "a2"}, {"two/b", "b2"}, {"two/c", "c2"});
    static const char *const from[] = {"one/a", "two/b", "two/c"};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(undo(from[i]), 0);
        CHECK_TEXT(text_of("one/a"), "a1");
        CHECK_TEXT(text_of("two/b"), "b1");
        CHECK(!exists("two/c"));
        CHECK_INT(undo(from[i]), 0);
        CHECK_TEXT(text_of("one/a"), "a2");
        CHECK_TEXT(text_of("two/b"), "b2");
        CHECK_TEXT(text_of("two/c"), "c2");
    }
}

TEST(the_versions_of_other_commits_stay)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    COMMIT({"a", "a3"}, {"b", "b3"});
    CHECK_INT(undo("a"), 0);
    check("a2", "b2");
    CHECK_INT(count_entries(".untorn/history/a", ""), 2);
    CHECK_INT(undo("b"), 0);
    check("a3", "b3");
}

/* [REMEMBER-4] */
TEST(a_commit_that_is_repeated_leaves_the_first_one_to_be_undone)
{
    put("a", "a1");
    put("b", "b1");
    for (int i = 0; i < 3; i++)
        COMMIT({"a", "a2"}, {"b", "b2"});
    CHECK_INT(undo("a"), 0);
    check("a1", "b1");
    CHECK_TEXT(undone, "a b ");
    CHECK_INT(undo("b"), 0);
    check("a2", "b2");
}

/* [REMEMBER-4] */
TEST(what_a_commit_created_is_undone_after_it_was_repeated)
{
    make_dir("one", 0755);
    make_dir("two", 0755);
    for (int i = 0; i < 2; i++)
        COMMIT({"one/a", "a1"}, {"two/b", "b1"});
    CHECK_INT(undo("two/b"), 0);
    CHECK(!exists("one/a") && !exists("two/b"));
}

/* [REMEMBER-1] [REMEMBER-4] As that of a very large commit, the record is in one directory only. */
TEST(a_commit_that_is_remembered_elsewhere_is_undone_after_it_was_repeated)
{
    make_dir("one", 0755);
    make_dir("two", 0755);
    put("one/a", "a1");
    put("two/b", "b1");
    for (int i = 0; i < 2; i++)
        COMMIT({"one/a", "a2"}, {"two/b", "b2"});
    remove_tree("two/.untorn/set");
    CHECK_INT(undo("two/b"), 0);
    CHECK_TEXT(text_of("one/a"), "a1");
    CHECK_TEXT(text_of("two/b"), "b1");
}

/* [REMEMBER-4] What changed since is told, and it is not forgotten what it was committed with. */
TEST(a_commit_that_changes_only_some_of_the_files_leaves_the_earlier_one_known)
{
    for (int created = 0; created < 2; created++) {
        if (!created) {
            put("a", "a1");
            put("b", "b1");
        }
        COMMIT({"a", "a2"}, {"b", "b2"});
        COMMIT({"a", "a2"}, {"b", "b3"});
        CHECK_INT(undo("a"), -UNTORN_CHANGED);
        CHECK(strstr(error.path, "/b"));
        check("a2", "b3");
        CHECK_INT(undo("b"), 0);
        CHECK_TEXT(undone, "b ");
        check("a2", "b2");
        remove_tree(".untorn");
        CHECK_INT(unlink("a") | unlink("b"), 0);
    }
}

static void is_refused_for(const char *path, const char *other)
{
    char text[UNTORN_TEXT_SIZE], advice[64];
    snprintf(advice, sizeof advice, "/%s first", other);
    CHECK_INT(undo(path), -UNTORN_CHANGED);
    CHECK_TEXT(undone, "");
    CHECK(strstr(untorn_describe(&error, text, sizeof text), advice));
    CHECK_INT(untorn_undo_preview(path, NULL, NULL, NULL, &error), -UNTORN_CHANGED);
    CHECK(strstr(untorn_describe(&error, text, sizeof text), advice));
}

static void begin_with_three(void)
{
    put("a", "a0");
    put("b", "b0");
    put("c", "c0");
    COMMIT({"a", "a1"}, {"b", "b1"});
}

/* [TOGETHER-4] */
TEST(nothing_is_undone_that_a_later_commit_was_made_with)
{
    begin_with_three();
    COMMIT({"b", "b1"}, {"c", "c2"}, {"d", "d2"});
    is_refused_for("a", "c");
    check("a1", "b1");
    CHECK_INT(undo("c"), 0); /* as it was told to */
    CHECK_TEXT(text_of("c"), "c0");
    CHECK_INT(undo("a"), 0);
    check("a0", "b0");
}

/* [TOGETHER-4] */
TEST(nor_what_a_later_commit_came_back_to)
{
    begin_with_three();
    COMMIT({"b", "b2"}, {"c", "c2"});
    COMMIT({"b", "b1"}, {"c", "c3"});
    is_refused_for("a", "c");
    check("a1", "b1");
    CHECK_INT(untorn_write("c", "another", 7, NULL, &error), 0);
    CHECK_INT(undo("a"), 0); /* they fit no longer anyway */
    check("a0", "b0");
}

/* [TOGETHER-4] As that of a very large commit, the later record may be in its own directory only.
 */
TEST(nor_what_a_commit_in_other_directories_was_made_with)
{
    make_dir("one", 0755);
    make_dir("two", 0755);
    put("one/a", "a0");
    put("one/b", "b0");
    COMMIT({"one/a", "a1"}, {"one/b", "b1"});
    CHECK_INT(rename("one/.untorn/set", "one/earlier"), 0);
    COMMIT({"two/c", "c2"}, {"one/b", "b1"});
    remove_tree("one/.untorn/set");
    CHECK_INT(rename("one/earlier", "one/.untorn/set"), 0);
    is_refused_for("one/a", "two/c");
    COMMIT({"two/c", "c3"}, {"one/b", "b1"});
    is_refused_for("one/a", "two/c");
}

/* [TOGETHER-4] A commit that was itself taken back asks nothing, nor does one that changed no other
 * file. */
TEST(commits_are_undone_one_after_the_other_and_so_they_come_back)
{
    begin_with_three();
    COMMIT({"b", "b2"}, {"c", "c2"});
    COMMIT({"b", "b2"}, {"c", "c2"}, {"a", "a1"});
    for (int i = 0; i < 2; i++) {
        CHECK_INT(undo("a"), -UNTORN_CHANGED);
        CHECK_INT(undo("c"), 0);
        check("a1", "b1");
        CHECK_INT(undo("a"), 0);
        check("a0", "b0");
        CHECK_INT(undo("a"), 0);
        check("a1", "b1");
        CHECK_INT(undo("c"), 0);
        check("a1", "b2");
        CHECK_TEXT(text_of("c"), "c2");
    }
}

static void commit_later(void *context)
{
    (void)context;
    const struct step both[] = {PUT("b", "b1"), PUT("c", "c2"), {0}};
    CHECK_INT(commit_steps(both, NULL, NULL), 0);
}

static void commit_in_between(void *context)
{
    (void)context;
    CHECK_INT(end_of(start_child(commit_later, NULL)), 0);
}

/* [TOGETHER-4] */
TEST(a_commit_that_comes_just_before_the_locks_of_the_undo_counts)
{
    begin_with_three();
    at(CALL_FLOCK, "/lock/", 1, commit_in_between, NULL);
    CHECK_INT(undo("a"), -UNTORN_CHANGED);
    check("a1", "b1");
    CHECK_TEXT(text_of("c"), "c2");
}

/* [REMEMBER-2] */
TEST(a_commit_that_was_killed_and_recovered_is_undone_together_too)
{
    make_dir("one", 0755);
    make_dir("two", 0755);
    put("one/a", "a1");
    put("two/b", "b1");
    const struct step both[] = {PUT("one/a", "a2"), PUT("two/b", "b2"), {0}};
    die_at(both, CALL_RENAME, "/b", 1);
    struct untorn_check repair = {.repair = true};
    size_t left;
    CHECK_INT(untorn_check("two", &repair, NULL, &left, &error), 0);
    CHECK_INT(left, 0);
    CHECK_TEXT(text_of("one/a"), "a2");
    CHECK_TEXT(text_of("two/b"), "b2");
    CHECK_INT(undo("two/b"), 0);
    CHECK_TEXT(undone, "a b ");
    CHECK_TEXT(text_of("one/a"), "a1");
    CHECK_TEXT(text_of("two/b"), "b1");
}

TEST(an_undo_right_after_a_commit_was_killed_finishes_that_first)
{
    static const char *const from[] = {"a", "b"};
    const struct step both[] = {PUT("a", "a2"), PUT("b", "b2"), {0}};
    for (int i = 0; i < 2; i++) {
        put("a", "a1");
        put("b", "b1");
        die_at(both, CALL_RENAME, "/b", 1);
        check("a2", "b1");
        CHECK_INT(untorn_undo_preview(from[i], NULL, NULL, NULL, &error), -UNTORN_NO_VERSION);
        CHECK(strstr(error.detail, "check --repair"));
        CHECK_INT(undo(from[i]), 0);
        CHECK_TEXT(undone, "a b ");
        check("a1", "b1");
    }
}

static char shown[1024];

static void note_shown(void *context, const char *path, const struct untorn_content *content)
{
    const char *slash = strrchr(path, '/');
    size_t used = strlen(shown);
    (void)context;
    snprintf(shown + used, sizeof shown - used, "%s=%.*s ", slash ? slash + 1 : path,
             content ? (int)content->size : 4, content ? content->data : "gone");
}

static int preview(const char *path)
{
    shown[0] = '\0';
    return untorn_undo_preview(path, note_shown, NULL, NULL, &error);
}

TEST(a_preview_shows_every_file_and_changes_none)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", NULL}, {"b", "b2"}, {"c", "c2"});
    static const char *const from[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(preview(from[i]), 0);
        CHECK_TEXT(shown, "a=a1 b=b1 c=gone ");
    }
    check(NULL, "b2");
    CHECK_TEXT(text_of("c"), "c2");
}

/* [TOGETHER-2] */
TEST(a_preview_of_what_cannot_be_undone_shows_nothing)
{
    put("a", "a1");
    put("b", "b1");
    COMMIT({"a", "a2"}, {"b", "b2"});
    put("b", "changed by another program");
    CHECK_INT(preview("a"), -UNTORN_CHANGED);
    CHECK_TEXT(shown, "");
    put("b", "b2");
    CHECK_INT(unlink(only_entry(".untorn/history/b", "")), 0);
    CHECK_INT(preview("a"), -UNTORN_NO_VERSION);
    CHECK_TEXT(shown, "");
    CHECK(strstr(error.path, "/b"));
}

/* [TOGETHER-2] */
TEST(a_condition_is_about_the_file_that_was_named)
{
    struct untorn_hash old, new;
    struct untorn_options options = {.if_match = &old};
    put("a", "a1");
    put("b", "b1");
    CHECK_INT(untorn_hash_file("a", NULL, &old, &error), 0);
    COMMIT({"a", "a2"}, {"b", "b2"});
    CHECK_INT(untorn_hash_file("a", NULL, &new, &error), 0);
    CHECK_INT(untorn_undo("a", NULL, NULL, &options, &error), -UNTORN_CHANGED);
    check("a2", "b2");
    options.if_match = &new;
    CHECK_INT(untorn_undo("b", NULL, NULL, &options, &error), -UNTORN_CHANGED);
    CHECK_INT(untorn_undo("a", NULL, NULL, &options, &error), 0);
    check("a1", "b1");
}

/* ---- records that somebody else made ---- */

enum { SOMEBODY = 4321 };

/* Says that the two files were created together. */
static void plant_record(const char *own, const char *other, uint64_t sequence)
{
    char directories[2][4096], path[4200];
    const char *paths[] = {own, other};
    struct record_member members[2] = {{0}};
    struct record record = {.sequence = sequence, .time = 1, .count = 2, .members = members};
    size_t size;
    for (int i = 0; i < 2; i++) {
        snprintf(directories[i], sizeof *directories, "%s/%.*s", getcwd(path, sizeof path),
                 (int)strcspn(paths[i], "/"), paths[i]);
        members[i].directory = directories[i];
        members[i].name = strchr(paths[i], '/') + 1;
        members[i].is = true;
        members[i].after = untorn_hash(text_of(paths[i]), strlen(text_of(paths[i])));
    }
    unsigned char *data = record_encode(&record, directories[0], &size);
    snprintf(path, sizeof path, "%s/.untorn/set", directories[0]);
    if (!exists(path))
        make_dir(path, 0755);
    strcat(path, "/00000000000000000000000000000000");
    put_bytes(path, data, size);
    CHECK_INT(chown(path, SOMEBODY, SOMEBODY), 0);
    free(data);
}

/* [TOGETHER-3] */
TEST(a_planted_record_undoes_nothing_that_its_maker_may_not_change)
{
    need_root();
    make_dir("his", 0755);
    make_dir("mine", 0755);
    CHECK_INT(untorn_write("his/a", "a1", 2, NULL, &error), 0);
    put("mine/b", "b1");
    CHECK_INT(chown("his", SOMEBODY, SOMEBODY), 0);
    CHECK_INT(chown("his/a", SOMEBODY, SOMEBODY), 0);
    plant_record("his/a", "mine/b", 1);
    CHECK_INT(undo("his/a"), -UNTORN_NO_VERSION);
    CHECK(strstr(error.path, "mine/b") != NULL);
    CHECK_TEXT(text_of("his/a"), "a1");
    CHECK_TEXT(text_of("mine/b"), "b1");
}

/* [TOGETHER-3] [TOGETHER-4] */
TEST(nor_does_it_keep_others_from_an_undo)
{
    need_root();
    make_dir("mine", 0755);
    make_dir("his", 0755);
    put("mine/a", "a1");
    put("mine/b", "b1");
    put("his/c", "c1");
    COMMIT({"mine/a", "a2"}, {"mine/b", "b2"});
    plant_record("mine/b", "his/c", UINT64_MAX);
    CHECK_INT(undo("mine/a"), 0);
    CHECK_TEXT(text_of("mine/b"), "b1");
}

/* [TOGETHER-3] */
TEST(a_record_of_another_user_counts_for_the_files_that_he_may_change)
{
    need_root();
    make_dir("one", 0755);
    make_dir("two", 0755);
    put("one/a", "a1");
    COMMIT({"one/a", "a2"}, {"two/b", "b2"});
    CHECK_INT(chown(only_entry("one/.untorn/set", ""), SOMEBODY, SOMEBODY), 0);
    CHECK_INT(chown("one/a", SOMEBODY, SOMEBODY), 0);
    CHECK_INT(undo("one/a"), -UNTORN_NO_VERSION);
    CHECK_TEXT(text_of("one/a"), "a2");
    CHECK_TEXT(text_of("two/b"), "b2");
    CHECK_INT(chown("two/b", SOMEBODY, SOMEBODY), 0);
    CHECK_INT(undo("one/a"), 0);
    CHECK_TEXT(text_of("one/a"), "a1");
    CHECK(!exists("two/b"));
}
