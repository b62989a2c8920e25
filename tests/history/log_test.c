/* untorn_log and untorn_version_read. */
#include "harness.h"

#include <untorn.h>

#include "base/pathtext.h"
#include "file/replace.h"
#include "file/support.h"
#include "file/target.h"

#define HISTORY ".untorn/history/f"

static struct untorn_error error;

static void save(const char *text)
{
    struct untorn_options options = {.keep = 8};
    CHECK_INT(untorn_write("f", text, strlen(text), &options, &error), 0);
}

struct seen {
    unsigned count, stop_after;
    struct untorn_version versions[8];
    char set[40];
};

static int see(void *context, const struct untorn_version *version)
{
    struct seen *seen = context;
    CHECK(seen->count < 8);
    seen->versions[seen->count++] = *version;
    if (version->set)
        snprintf(seen->set, sizeof seen->set, "%s", version->set);
    return seen->count == seen->stop_after;
}

static struct seen seen;

static int log_all(void)
{
    seen = (struct seen){0};
    return untorn_log("f", see, &seen, NULL, &error);
}

static int read_version(unsigned number, const char *expected)
{
    struct untorn_content content;
    int rc = untorn_version_read("f", number, NULL, &content, &error);
    if (rc == 0) {
        CHECK_TEXT(content.data, expected);
        struct untorn_hash hash = untorn_hash(expected, strlen(expected));
        CHECK(untorn_hash_equal(&content.hash, &hash));
    } else
        CHECK(content.data == NULL);
    untorn_content_free(&content);
    return rc;
}

TEST(versions_are_told_from_the_newest_to_the_oldest)
{
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1234567}};
    save("one");
    CHECK_INT(utimensat(AT_FDCWD, "f", times, 0), 0);
    save("second");
    save("the third");
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 2);
    CHECK_INT(seen.versions[0].number, 1);
    CHECK_INT(seen.versions[0].size, 6);
    CHECK(seen.versions[0].whole);
    CHECK(seen.versions[0].set == NULL);
    CHECK_INT(seen.versions[1].number, 2);
    CHECK_INT(seen.versions[1].size, 3);
    CHECK_INT(seen.versions[1].time, 1234567);
    struct untorn_hash hash = untorn_hash("one", 3);
    CHECK(untorn_hash_equal(&seen.versions[1].hash, &hash));
    CHECK_INT(read_version(1, "second"), 0);
    CHECK_INT(read_version(2, "one"), 0);
    CHECK_INT(read_version(3, ""), -UNTORN_NO_VERSION);
    CHECK_INT(read_version(0, ""), -UNTORN_NO_VERSION);
}

TEST(the_listing_ends_when_the_function_says_so)
{
    save("one");
    save("two");
    save("three");
    seen = (struct seen){.stop_after = 1};
    CHECK_INT(untorn_log("f", see, &seen, NULL, &error), 0);
    CHECK_INT(seen.count, 1);
}

TEST(no_versions_are_no_failure_and_no_file_is_one)
{
    CHECK_INT(log_all(), -UNTORN_MISSING);
    CHECK_INT(read_version(1, ""), -UNTORN_MISSING);
    put("f", "text");
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 0);
    CHECK(!exists(".untorn"));
    save("new");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 1);
    CHECK_INT(unlink(only_entry(HISTORY, "")), 0);
    CHECK_INT(log_all(), -UNTORN_MISSING);
}

TEST(a_version_that_somebody_changed_is_told_and_not_given)
{
    char text[UNTORN_TEXT_SIZE];
    save("one");
    save("two");
    put(only_entry(HISTORY, ""), "changed");
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 1);
    CHECK(!seen.versions[0].whole);
    CHECK_INT(read_version(1, ""), -UNTORN_DAMAGED);
    CHECK(strstr(untorn_describe(&error, text, sizeof text), "changed this version"));
}

TEST(what_a_dead_writer_left_is_not_told)
{
    save("one");
    save("two");
    put(HISTORY "/0000000000000009.2b82de3f35f8b030a3ab113f7dbef2cf.0000000000000001", "litter");
    put(HISTORY "/something else", "of somebody else");
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 1);
    CHECK_INT(read_version(1, "one"), 0);
    CHECK_INT(read_version(2, ""), -UNTORN_NO_VERSION);
}

TEST(a_copied_tree_keeps_its_versions)
{
    save("one");
    save("two");
    CHECK_INT(system("mkdir copy && cp -r f .untorn copy"), 0);
    CHECK_INT(chdir("copy"), 0);
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 1);
    CHECK(seen.versions[0].whole);
    CHECK_INT(read_version(1, "one"), 0);
    save("three");
    CHECK_INT(read_version(1, "two"), 0);
    CHECK_INT(read_version(2, "one"), 0);
}

TEST(the_commit_that_replaced_a_version_is_named)
{
    struct target target;
    struct untorn_options options = {0};
    save("one");
    CHECK_INT(target_open(&target, "f", &options, &error), 0);
    CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
    target.set = "0123456789abcdef0123456789abcdef";
    CHECK_INT(replace_content(&target, "two", 3, &error), 0);
    target_close(&target);
    CHECK_INT(log_all(), 0);
    CHECK_TEXT(seen.set, "0123456789abcdef0123456789abcdef");
}

static void log_as_other(void *context)
{
    (void)context;
    CHECK_INT(log_all(), 0);
    CHECK_INT(seen.count, 1);
    CHECK(!seen.versions[0].whole);
    CHECK_INT(seen.versions[0].size, 3);
    CHECK_INT(read_version(1, ""), -UNTORN_DENIED);
}

TEST(a_version_that_one_may_not_read_is_denied)
{
    need_root();
    save("one");
    save("two");
    CHECK_INT(chmod(only_entry(HISTORY, ""), 0600), 0);
    in_child_as(ALICE, ALICE, log_as_other, NULL);
}
