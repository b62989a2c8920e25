/* untorn/read.h: a file, whole. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/read.h"
#include "file/support.h"

static struct untorn_error error;
static struct untorn_content content;

static int load(const char *path)
{
    memset(&content, 0xff, sizeof content);
    return untorn_read(path, NULL, &content, &error);
}

static void check_load_fails(const char *path, enum untorn_status status)
{
    CHECK_INT(load(path), -(int)status);
    CHECK_INT(error.status, status);
    CHECK(content.data == NULL);
    CHECK_INT(content.size, 0);
    untorn_content_free(&content);
}

TEST(a_file_is_read_whole_with_its_hash_and_a_final_nul)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 100000};
    static char data[100000];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(data, 'a' + (int)i, sizes[i]);
        put_bytes("f", data, sizes[i]);
        CHECK_INT(load("f"), 0);
        CHECK_BYTES(content.data, content.size, data, sizes[i]);
        CHECK_INT(content.data[content.size], '\0');
        struct untorn_hash hash = untorn_hash(data, sizes[i]);
        CHECK(untorn_hash_equal(&hash, &content.hash));
        untorn_content_free(&content);
        CHECK(content.data == NULL);
        untorn_content_free(&content);
    }
    untorn_content_free(NULL);
}

TEST(missing_empty_and_no_file_are_different_answers)
{
    put("empty", "");
    make_dir("d", 0700);
    CHECK_INT(mkfifo("fifo", 0600), 0);
    CHECK_INT(load("empty"), 0);
    CHECK_INT(content.size, 0);
    CHECK_TEXT(content.data, "");
    untorn_content_free(&content);
    check_load_fails("missing", UNTORN_MISSING);
    check_load_fails("missing/f", UNTORN_MISSING);
    check_load_fails("d", UNTORN_NOT_A_FILE);
    check_load_fails("fifo", UNTORN_NOT_A_FILE);
    check_load_fails("", UNTORN_INVALID);
    CHECK_INT(count_entries(".", ".untorn"), 0);
}

TEST(reading_creates_nothing_and_waits_for_no_writer)
{
    put("f", "text");
    struct untorn_lock *lock = NULL;
    CHECK_INT(load("f"), 0);
    untorn_content_free(&content);
    CHECK_INT(count_entries(".", ""), 1);
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    const struct rule *locks = watch(CALL_FLOCK, "");
    CHECK_INT(load("f"), 0);
    untorn_content_free(&content);
    CHECK_INT(locks->seen, 0);
    untorn_unlock(lock);
}

TEST(links_are_followed_unless_they_are_refused)
{
    struct untorn_options options = {.symlink = UNTORN_REFUSE_LINK};
    put("f", "text");
    CHECK_INT(symlink("f", "link"), 0);
    CHECK_INT(symlink("nowhere", "dangling"), 0);
    CHECK_INT(load("link"), 0);
    untorn_content_free(&content);
    check_load_fails("dangling", UNTORN_MISSING);
    CHECK_INT(untorn_read("link", &options, &content, &error), -UNTORN_LINK_REFUSED);
    options.symlink = UNTORN_REPLACE_LINK; /* means nothing to a reader */
    CHECK_INT(untorn_read("link", &options, &content, NULL), 0);
    untorn_content_free(&content);
}

static void grow(void *context)
{
    static int times;
    if (++times > 5)
        return;
    int file = open("f", O_WRONLY | O_APPEND);
    CHECK_INT(write(file, context, strlen(context)), strlen(context));
    close(file);
}

TEST(a_file_that_grows_while_it_is_read_is_read_to_its_end)
{
    static char more[10000];
    memset(more, 'm', sizeof more - 1);
    put("f", "begin");
    always_at(CALL_READ, "/f", grow, more);
    CHECK_INT(load("f"), 0);
    CHECK(content.size >= 5 + sizeof more - 1);
    CHECK_INT((content.size - 5) % (sizeof more - 1), 0);
    CHECK_INT(content.size, stat_of("f").st_size);
    untorn_content_free(&content);
}

static void shrink(void *context)
{
    (void)context;
    CHECK_INT(truncate("f", 3), 0);
}

TEST(a_file_that_shrinks_before_it_is_read_is_read_as_it_is)
{
    put("f", "a long text");
    at(CALL_READ, "/f", 1, shrink, NULL);
    CHECK_INT(load("f"), 0);
    CHECK_TEXT(content.data, "a l");
    untorn_content_free(&content);
}

static void replace(void *context)
{
    put("new", context);
    CHECK_INT(rename("new", "f"), 0);
}

TEST(a_file_that_is_replaced_while_it_is_read_is_read_in_one_version)
{
    put("f", "old version");
    at(CALL_READ, "/f", 1, replace, "new");
    CHECK_INT(load("f"), 0);
    CHECK_TEXT(content.data, "old version");
    untorn_content_free(&content);
    CHECK_INT(load("f"), 0);
    CHECK_TEXT(content.data, "new");
    untorn_content_free(&content);
}

static void become_link(void *context)
{
    (void)context;
    put("real", "behind the link");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(symlink("real", "f"), 0);
}

static void become_directory(void *context)
{
    (void)context;
    CHECK_INT(unlink("f"), 0);
    make_dir("f", 0700);
}

TEST(a_name_that_becomes_something_else_meanwhile_is_looked_at_again)
{
    put("f", "old");
    at(CALL_OPEN, "/f", 1, become_link, NULL);
    CHECK_INT(load("f"), 0);
    CHECK_TEXT(content.data, "behind the link");
    untorn_content_free(&content);
    forget_rules();
    CHECK_INT(unlink("f"), 0);
    put("f", "old");
    at(CALL_OPEN, "/f", 1, become_directory, NULL);
    check_load_fails("f", UNTORN_NOT_A_FILE);
}

static void read_a_secret(void *context)
{
    (void)context;
    check_load_fails("secret", UNTORN_DENIED);
}

TEST(what_may_not_be_read_is_denied)
{
    need_root();
    put("secret", "secret");
    CHECK_INT(chmod("secret", 0600), 0);
    in_child_as(ALICE, ALICE, read_a_secret, NULL);
}

static void read_what_is_open(void *context)
{
    CHECK_INT(load("d/f"), 0);
    CHECK_TEXT(content.data, context);
    untorn_content_free(&content);
}

TEST(who_may_only_read_can_read_what_untorn_wrote)
{
    struct untorn_options in_place = {.keep_inode = true};
    need_root();
    umask(022);
    make_dir("d", 0755);
    CHECK_INT(untorn_write("d/f", "one", 3, NULL, &error), 0);
    in_child_as(ALICE, ALICE, read_what_is_open, "one");
    CHECK_INT(untorn_write("d/f", "two", 3, &in_place, &error), 0);
    in_child_as(ALICE, ALICE, read_what_is_open, "two");
    CHECK_INT(chmod("d/.untorn", 0700), 0);
    in_child_as(ALICE, ALICE, read_what_is_open, "two");
}

TEST(a_system_that_fails_is_told)
{
    put("f", "text");
    fail(CALL_READ, "/f", 1, EIO);
    check_load_fails("f", UNTORN_IO);
    fail(CALL_OPEN, "/f", 1, EMFILE);
    check_load_fails("f", UNTORN_FAILED);
    fail(CALL_STAT, "/f", 2, EIO);
    check_load_fails("f", UNTORN_IO);
}

TEST(a_file_beyond_all_limits_is_too_large)
{
    int file = open("f", O_WRONLY | O_CREAT, 0600);
    if (ftruncate(file, (off_t)1 << 40) < 0)
        SKIP("this file system has no files of a terabyte");
    close(file);
    CHECK(load("f") < 0);
    CHECK(content.data == NULL);
    CHECK_INT(unlink("f"), 0);
}

TEST(an_open_file_is_read_from_its_beginning)
{
    os_fd file = OS_NONE;
    put("f", "text");
    CHECK_INT(os_open(OS_NONE, "f", OS_READ, 0, &file), 0);
    CHECK_INT(read_open_file(file, &content), 0);
    CHECK_TEXT(content.data, "text");
    untorn_content_free(&content);
    os_close(file);
    CHECK_INT(read_open_file(file, &content), -EBADF);
    CHECK(content.data == NULL);
}

static int calls;

/* The first byte; with `context` only at the second call. */
static int read_first(void *context, os_fd file, uint64_t size)
{
    static char byte;
    CHECK_INT(size, 4);
    CHECK_INT(os_read_at(file, &byte, 1, 0), 1);
    CHECK_INT(byte, 't');
    return calls++ == 0 && context ? -ESTALE : 0;
}

static int refuse(void *context, os_fd file, uint64_t size)
{
    (void)context, (void)file, (void)size;
    return -EIO;
}

TEST(a_function_reads_as_much_as_it_needs)
{
    put("f", "text");
    CHECK_INT(read_by("f", NULL, read_first, NULL, &error), 0);
    CHECK_INT(calls, 1);
    calls = 0;
    CHECK_INT(read_by("f", NULL, read_first, "again", &error), 0);
    CHECK_INT(calls, 2);
    CHECK_INT(read_by("f", NULL, refuse, NULL, &error), -UNTORN_IO);
    CHECK_INT(read_by("missing", NULL, refuse, NULL, &error), -UNTORN_MISSING);
    CHECK(!exists(".untorn"));
}

TEST(the_hash_of_a_file_is_that_of_its_bytes)
{
    struct untorn_hash hash, expected = untorn_hash("text", 4), untouched;
    put("f", "text");
    CHECK_INT(untorn_hash_file("f", NULL, &hash, &error), 0);
    CHECK(untorn_hash_equal(&hash, &expected));
    untouched = hash;
    CHECK_INT(untorn_hash_file("missing", NULL, &hash, &error), -UNTORN_MISSING);
    CHECK(untorn_hash_equal(&hash, &untouched));
}

TEST(no_descriptor_is_left_open)
{
    int before = open_descriptors();
    put("f", "text");
    CHECK_INT(untorn_write("f", "text", 4, NULL, &error), 0);
    CHECK_INT(load("f"), 0);
    untorn_content_free(&content);
    check_load_fails("missing", UNTORN_MISSING);
    CHECK_INT(open_descriptors(), before);
}

static void make_newer_folder(void *context)
{
    (void)context;
    if (exists(".untorn"))
        return;
    make_dir(".untorn", 0755);
    put(".untorn/format", "2\n");
}

TEST(a_folder_of_a_newer_format_that_comes_in_the_middle_of_a_read_is_noticed)
{
    put("f", "text");
    at(CALL_READ, "/f", 1, make_newer_folder, NULL);
    check_load_fails("f", UNTORN_NEWER_FORMAT);
}

TEST(a_newer_format_is_not_guessed_at)
{
    CHECK_INT(untorn_write("f", "text", 4, NULL, &error), 0);
    put(".untorn/format", "2\n");
    check_load_fails("f", UNTORN_NEWER_FORMAT);
}
