#include "harness.h"

#include <untorn/write.h>

#include "file/interpose.h"
#include "file/support.h"
#include "file/target.h"

static struct untorn_options options;
static struct untorn_error error;
static struct target target;

static void open_target(const char *path)
{
    error_begin(&error, NULL, path);
    CHECK_INT(target_open(&target, path, &options, &error), 0);
}

static int lock_target(void)
{
    return target_lock(&target, OS_LOCK_EXCLUSIVE, &error);
}

TEST(a_target_is_looked_at_under_the_lock)
{
    put("f", "text");
    open_target("f");
    CHECK_INT(lock_target(), 0);
    CHECK(target.exists);
    CHECK(target.readable);
    CHECK_INT(target.stat.size, 4);
    CHECK_INT(target.stat.inode, stat_of("f").st_ino);
    CHECK(target_is_current(&target));
    target_close(&target);
    target_close(&target);
}

TEST(a_missing_file_is_current_until_somebody_makes_it)
{
    open_target("f");
    CHECK_INT(lock_target(), 0);
    CHECK(!target.exists);
    CHECK(target_is_current(&target));
    put("f", "");
    CHECK(!target_is_current(&target));
    target_close(&target);
}

/* [LOCK-2] */
TEST(a_file_is_current_until_it_is_replaced_or_removed_or_the_lock_is)
{
    put("f", "");
    put("new", "");
    open_target("f");
    CHECK_INT(lock_target(), 0);
    CHECK_INT(rename("new", "f"), 0);
    CHECK(!target_is_current(&target));
    CHECK_INT(target_reopen(&target, &error), 0);
    CHECK_INT(lock_target(), 0);
    CHECK(target_is_current(&target));
    CHECK_INT(unlink("f"), 0);
    CHECK(!target_is_current(&target));
    put("f", "");
    CHECK(!target_is_current(&target)); /* the old inode is held, so this is another */
    CHECK_INT(target_reopen(&target, &error), 0);
    CHECK_INT(lock_target(), 0);
    remove_tree(".untorn");
    CHECK(!target_is_current(&target));
    target_close(&target);
}

TEST(opening_anew_follows_the_path_anew)
{
    put("a", "first");
    put("b", "the second");
    CHECK_INT(symlink("a", "link"), 0);
    open_target("link");
    CHECK_INT(lock_target(), 0);
    CHECK_INT(target.stat.size, 5);
    CHECK_INT(unlink("link"), 0);
    CHECK_INT(symlink("b", "link"), 0);
    CHECK_INT(target_reopen(&target, &error), 0);
    CHECK_INT(lock_target(), 0);
    CHECK_INT(target.stat.size, 10);
    CHECK_TEXT(target.place.name, "b");
    target_close(&target);
}

TEST(a_name_that_became_a_link_is_resolved_anew)
{
    put("f", "");
    put("real", "real");
    open_target("f");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(symlink("real", "f"), 0);
    CHECK_INT(lock_target(), AGAIN);
    CHECK_INT(target_reopen(&target, &error), 0);
    CHECK_INT(lock_target(), 0);
    CHECK_TEXT(target.place.name, "real");
    target_close(&target);
}

TEST(a_link_that_is_to_be_replaced_is_the_target_itself)
{
    put("real", "real");
    CHECK_INT(symlink("real", "link"), 0);
    options.symlink = UNTORN_REPLACE_LINK;
    open_target("link");
    CHECK_INT(lock_target(), 0);
    CHECK(target.exists);
    CHECK(!target.readable);
    CHECK_INT(target.stat.kind, OS_SYMLINK);
    CHECK(target_is_current(&target));
    target_close(&target);
}

TEST(a_name_that_became_something_else_is_told)
{
    open_target("f");
    make_dir("f", 0700);
    CHECK_INT(lock_target(), -UNTORN_NOT_A_FILE);
    CHECK_TEXT(error.detail, "it is a directory");
    CHECK_INT(rmdir("f"), 0);
    CHECK_INT(mkfifo("f", 0600), 0);
    CHECK_INT(lock_target(), -UNTORN_NOT_A_FILE);
    target_close(&target);
}

static void remove_folder(void *context)
{
    (void)context;
    if (exists(".untorn"))
        remove_tree(".untorn");
}

/* [LOCK-3] */
TEST(a_folder_that_goes_again_and_again_is_given_up)
{
    int before = open_descriptors();
    error_begin(&error, NULL, "f");
    always_at(CALL_OPEN, "/lock/f", remove_folder, NULL);
    always_at(CALL_OPEN, "/.untorn/lock", remove_folder, NULL);
    CHECK_INT(target_open(&target, "f", &options, &error), -UNTORN_RESTLESS);
    CHECK(rules[CALL_OPEN][1].seen <= 2 * (LIMIT_RESTARTS + 1));
    forget_rules();
    target_close(&target);
    CHECK_INT(open_descriptors(), before);
}

TEST(a_target_that_cannot_be_opened_is_closed)
{
    int before = open_descriptors();
    error_begin(&error, NULL, "missing/f");
    CHECK_INT(target_open(&target, "missing/f", &options, &error), -UNTORN_MISSING);
    CHECK_INT(target.place.dir, OS_NONE);
    target_close(&target);
    CHECK_INT(open_descriptors(), before);
}

static void look_at_a_secret(void *context)
{
    (void)context;
    open_target("d/secret");
    CHECK_INT(lock_target(), 0);
    CHECK(target.exists);
    CHECK(!target.readable);
    CHECK_INT(target.stat.size, 6);
    CHECK(target_is_current(&target));
    target_close(&target);
}

TEST(a_file_that_may_not_be_read_is_held_all_the_same)
{
    need_root();
    make_dir("d", 0777);
    put("d/secret", "secret");
    CHECK_INT(chmod("d/secret", 0), 0);
    in_child_as(ALICE, ALICE, look_at_a_secret, NULL);
}

TEST(looking_that_fails_is_told)
{
    put("f", "");
    open_target("f");
    fail(CALL_OPEN, "/f", 1, EMFILE);
    CHECK_INT(lock_target(), -UNTORN_FAILED);
    target_close(&target);
}

TEST(a_shared_lock_only_looks)
{
    CHECK_INT(untorn_write("f", "text", 4, NULL, NULL), 0);
    put(".untorn/stage/f.0123456789abcdef", "left");
    open_target("f");
    CHECK_INT(target_lock(&target, OS_LOCK_SHARED, &error), 0);
    CHECK(exists(".untorn/stage/f.0123456789abcdef"));
    target_close(&target);
}

TEST(a_target_that_rests_is_found_again_if_it_is_the_same_file)
{
    put("f", "text");
    put("other", "text");
    open_target("f");
    CHECK_INT(lock_target(), 0);
    int before = open_descriptors();
    target_rest(&target);
    CHECK(open_descriptors() < before);
    CHECK_INT(target_wake(&target), 0);
    CHECK_INT(target_wake(&target), 0);
    CHECK(target_is_current(&target));
    target_rest(&target);
    CHECK_INT(rename("other", "f"), 0);
    CHECK_INT(target_wake(&target), -ESTALE);
    target_rest(&target);
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(target_wake(&target), -ESTALE);
    CHECK_INT(target_look(&target, &error), 0);
    CHECK(!target.exists);
    CHECK_INT(target_wake(&target), 0);
    target_close(&target);
}

TEST(a_target_in_an_open_directory_borrows_its_handles)
{
    struct target inner;
    put("f", "f");
    put("g", "g");
    open_target("f");
    int before = open_descriptors();
    CHECK_INT(target_open_in(&inner, &target.place, &target.state, "g", &options, &error), 0);
    CHECK_INT(open_descriptors(), before + 1); /* the lock */
    CHECK_INT(target_lock(&inner, OS_LOCK_EXCLUSIVE, &error), 0);
    CHECK(inner.exists);
    target_close(&inner);
    CHECK_INT(open_descriptors(), before);
    CHECK_INT(lock_target(), 0);
    target_close(&target);
}
