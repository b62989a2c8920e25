/* Undoing a commit of several files. */
#include "history/together.h"

#include <untorn.h>

#include "file/support.h"

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
