/* A new version made from the old one piece by piece, under the lock. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"
#include "file/transform.h"

static struct untorn_error error;
static int calls, answer;
static size_t piece = 3;

/* Every byte in upper case, "!" behind. */
static int shout(void *context, struct transform *transform, struct untorn_error *told)
{
    char data[64];
    int64_t n;
    (void)context, (void)told;
    calls++;
    for (uint64_t at = 0; (n = transform_read(transform, data, piece, at)) > 0; at += (uint64_t)n) {
        for (int64_t i = 0; i < n; i++)
            if (data[i] >= 'a' && data[i] <= 'z')
                data[i] = (char)(data[i] - 'a' + 'A');
        int rc = transform_write(transform, data, (size_t)n);
        if (rc < 0)
            return error_os(told, rc, "write the new version");
    }
    if (n < 0)
        return error_os(told, n, "read it");
    CHECK_INT(transform_write(transform, "!", 1), 0);
    return answer;
}

static int stale_once(void *context, struct transform *transform, struct untorn_error *told)
{
    int rc = shout(context, transform, told);
    return calls == 1 ? TRANSFORM_STALE : rc;
}

static int run(void)
{
    calls = 0;
    return transform_file("f", shout, NULL, NULL, &error);
}

static int stages(void)
{
    return count_entries(".untorn/stage", "");
}

TEST(the_new_version_is_made_from_the_old)
{
    put("f", "quiet words");
    CHECK_INT(chmod("f", 0640), 0);
    CHECK_INT(run(), 0);
    CHECK_INT(calls, 1);
    CHECK_TEXT(text_of("f"), "QUIET WORDS!");
    CHECK_INT(mode_of("f"), 0640);
    CHECK_INT(stages(), 0);
    put("f", "");
    CHECK_INT(run(), 0);
    CHECK_TEXT(text_of("f"), "!");
}

TEST(a_function_that_refuses_or_wants_no_change_changes_nothing)
{
    put("f", "quiet");
    ino_t inode = stat_of("f").st_ino;
    answer = TRANSFORM_UNCHANGED;
    CHECK_INT(run(), 0);
    CHECK_INT(error.flags & UNTORN_FLAG_UNCHANGED, UNTORN_FLAG_UNCHANGED);
    answer = -UNTORN_REFUSED;
    CHECK_INT(run(), -UNTORN_REFUSED);
    CHECK_TEXT(text_of("f"), "quiet");
    CHECK_INT(stat_of("f").st_ino, inode);
    CHECK_INT(stages(), 0);
}

TEST(a_missing_or_unreadable_file_is_told)
{
    CHECK_INT(run(), -UNTORN_MISSING);
    CHECK_INT(calls, 0);
    CHECK_INT(transform_file("missing/f", shout, NULL, NULL, NULL), -UNTORN_MISSING);
    put("f", "quiet");
    fail_always(CALL_OPEN, full_path("f"), EACCES);
    CHECK(run() < 0);
    CHECK_INT(calls, 0);
}

TEST(a_failure_leaves_the_old_version)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {{CALL_WRITE, "/stage/f.", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_OPEN, "/stage/f.", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_FSYNC, "/stage/f.", EIO, UNTORN_IO},
                  {CALL_READ, NULL, EIO, UNTORN_IO}};
    put("f", "quiet");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fail(faults[i].call, faults[i].path ? faults[i].path : full_path("f"), 1, faults[i].code);
        CHECK_INT(run(), -(int)faults[i].status);
        forget_rules();
        CHECK_TEXT(text_of("f"), "quiet");
        CHECK_INT(stages(), 0);
    }
}

static void add(void *context)
{
    int file = open("f", O_WRONLY | O_APPEND);
    CHECK_INT(write(file, context, 1), 1);
    close(file);
}

static void cut(void *context)
{
    (void)context;
    CHECK_INT(truncate("f", 4), 0);
}

static void replace_it(void *context)
{
    (void)context;
    put("g", "another");
    CHECK_INT(rename("g", "f"), 0);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

/* [LOCK-2] */
TEST(what_changes_meanwhile_makes_the_function_run_again)
{
    static const struct {
        void (*deed)(void *context);
        const char *result;
    } deeds[] = {
        {add, "QUIETX!"}, {cut, "QUIE!"}, {replace_it, "ANOTHER!"}, {remove_folder, "QUIET!"}};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        for (int moment = 0; moment < 2; moment++) {
            put("f", "quiet");
            if (moment == 0)
                at(CALL_READ, full_path("f"), 2, deeds[i].deed, "x");
            else
                at(CALL_FSYNC, "/stage/f.", 1, deeds[i].deed, "x");
            CHECK_INT(run(), 0);
            forget_rules();
            CHECK_TEXT(text_of("f"), deeds[i].result);
            CHECK_INT(calls, 2);
            CHECK_INT(stages(), 0);
        }
    }
}

TEST(a_function_that_noticed_a_change_runs_again)
{
    put("f", "quiet");
    CHECK_INT(transform_file("f", stale_once, NULL, NULL, &error), 0);
    CHECK_INT(calls, 2);
    CHECK_TEXT(text_of("f"), "QUIET!");
    CHECK_INT(stages(), 0);
}

/* Far more than is begun to be written out at a time. */
TEST(a_large_file_is_made_in_pieces)
{
    enum { SIZE = 9 * 1024 * 1024 };
    static char data[64 * 1024];
    memset(data, 'a', sizeof data);
    int file = open("f", O_WRONLY | O_CREAT, 0644);
    for (size_t at = 0; at < SIZE; at += sizeof data)
        CHECK_INT(write(file, data, sizeof data), sizeof data);
    close(file);
    piece = 64;
    CHECK_INT(run(), 0);
    CHECK_INT(stat_of("f").st_size, SIZE + 1);
    file = open("f", O_RDONLY);
    CHECK_INT(pread(file, data, 2, SIZE - 1), 2);
    close(file);
    CHECK_INT(memcmp(data, "A!", 2), 0);
}
