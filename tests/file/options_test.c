#include "harness.h"

#include <string.h>

#include "file/options.h"

TEST(no_options_are_the_defaults)
{
    struct owned_options owned;
    struct untorn_options zero = {0};
    CHECK(options_own(&owned, "a", NULL));
    CHECK_TEXT(owned.path, "a");
    CHECK_INT(owned.options.level, zero.level);
    CHECK_INT(owned.options.wait_ms, 0);
    CHECK(owned.options.state_dir == NULL);
    CHECK(owned.options.lock_file == NULL);
    CHECK(owned.options.if_match == NULL);
    options_free(&owned);
}

TEST(what_the_caller_gave_may_go_once_it_is_owned)
{
    struct owned_options owned;
    char path[] = "path", state_dir[] = "state", lock_file[] = "lock";
    struct untorn_hash hash = untorn_hash("x", 1), same = hash;
    struct untorn_options options = {.level = UNTORN_CACHE,
                                     .symlink = UNTORN_REFUSE_LINK,
                                     .wait_ms = 7,
                                     .mode = 0600,
                                     .if_match = &hash,
                                     .if_changed = true,
                                     .exclusive = true,
                                     .keep_inode = true,
                                     .parents = true,
                                     .strict = true,
                                     .state_dir = state_dir,
                                     .lock_file = lock_file};
    CHECK(options_own(&owned, path, &options));
    memset(path, 'z', 4);
    memset(state_dir, 'z', 5);
    memset(lock_file, 'z', 4);
    memset(&hash, 0, sizeof hash);
    memset(&options, 0xff, sizeof options);
    CHECK_TEXT(owned.path, "path");
    CHECK_TEXT(owned.options.state_dir, "state");
    CHECK_TEXT(owned.options.lock_file, "lock");
    CHECK(untorn_hash_equal(owned.options.if_match, &same));
    CHECK_INT(owned.options.level, UNTORN_CACHE);
    CHECK_INT(owned.options.symlink, UNTORN_REFUSE_LINK);
    CHECK_INT(owned.options.wait_ms, 7);
    CHECK_INT(owned.options.mode, 0600);
    CHECK(owned.options.if_changed && owned.options.exclusive && owned.options.keep_inode);
    CHECK(owned.options.parents && owned.options.strict);
    options_free(&owned);
}

TEST(freeing_twice_is_legal)
{
    struct owned_options owned;
    CHECK(options_own(&owned, "a", NULL));
    options_free(&owned);
    options_free(&owned);
    CHECK(owned.path == NULL);
}

TEST(no_path_is_no_path)
{
    struct owned_options owned;
    CHECK(options_own(&owned, NULL, NULL));
    CHECK(owned.path == NULL);
    options_free(&owned);
}
