#include "file/interpose.h"
#include "file/support.h"

#include "file/remove.h"

static struct untorn_error error;
static struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
static struct target target;

static void lock_target(const char *path)
{
    CHECK_INT(target_open(&target, path, &options, &error), 0);
    CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
}

TEST(a_file_that_was_looked_at_is_removed)
{
    put("x", "old");
    lock_target("x");
    CHECK_INT(remove_prepare(&target, &error), 0);
    CHECK_INT(remove_publish(&target, &error), 0);
    CHECK(!exists("x"));
    target_close(&target);
}

TEST(one_that_is_another_file_by_now_stays)
{
    put("x", "old");
    put("other", "other");
    lock_target("x");
    CHECK_INT(remove_prepare(&target, &error), 0);
    CHECK_INT(rename("other", "x"), 0);
    CHECK_INT(remove_publish(&target, &error), AGAIN); /* [REMOVE-1] */
    CHECK_TEXT(text_of("x"), "other");
    CHECK_INT(unlink("x"), 0);
    CHECK_INT(remove_publish(&target, &error), AGAIN);
    target_close(&target);
}

TEST(what_is_missing_or_another_version_is_not_removed)
{
    struct untorn_hash hash = untorn_hash("expected", 8);
    lock_target("none");
    CHECK_INT(remove_prepare(&target, &error), -UNTORN_MISSING);
    target_close(&target);
    put("x", "old");
    options.if_match = &hash;
    lock_target("x");
    CHECK_INT(remove_prepare(&target, &error), -UNTORN_CHANGED);
    hash = untorn_hash("old", 3);
    CHECK_INT(remove_prepare(&target, &error), 0);
    target_close(&target);
}

TEST(a_mount_point_is_not_removed)
{
    private_mounts();
    put("x", "old");
    put("source", "source");
    CHECK_INT(mount("source", "x", NULL, MS_BIND, NULL), 0);
    lock_target("x");
    CHECK_INT(remove_prepare(&target, &error), -UNTORN_UNSUPPORTED);
    target_close(&target);
}

TEST(a_removal_that_the_system_refuses_fails)
{
    put("x", "old");
    lock_target("x");
    fail_always(CALL_UNLINK, "/x", EACCES);
    fail_always(CALL_RENAME, "/x", EACCES);
    CHECK(remove_publish(&target, &error) < 0);
    CHECK_TEXT(text_of("x"), "old");
    target_close(&target);
}

TEST(what_is_marked_immutable_is_not_removed)
{
    put("x", "old");
    lock_target("x");
    target.stat.immutable = true; /* as the system tells it of such a file */
    CHECK_INT(remove_prepare(&target, &error), -UNTORN_DENIED);
    CHECK(strstr(error.detail, "immutable"));
    target_close(&target);
}

TEST(one_whose_versions_lie_on_another_file_system_is_kept_as_a_copy)
{
    put("x", "old");
    CHECK_INT(chmod("x", 0640), 0);
    options.keep = 1;
    lock_target("x");
    fail(CALL_RENAME, "/history/x/0", 1, EXDEV);
    CHECK_INT(remove_prepare(&target, &error), 0);
    CHECK_INT(remove_publish(&target, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_HISTORY_COPIED);
    target_close(&target);
    forget_rules();
    CHECK(!exists("x"));
    CHECK_TEXT(text_of(only_entry(".untorn/history/x", "")), "old");
    CHECK_INT(mode_of(only_entry(".untorn/history/x", "")), 0640);
}
