#include "harness.h"

#include "file/interpose.h"
#include "file/io.h"
#include "file/support.h"

#include "base/limits.h"

static os_fd open_at(const char *name, unsigned how)
{
    os_fd file = OS_NONE;
    CHECK_INT(io_open(OS_NONE, name, how, 0600, &file), 0);
    return file;
}

static os_fd make(const char *name)
{
    return open_at(name, OS_READ | OS_WRITE | OS_CREATE);
}

TEST(all_bytes_are_written_and_read)
{
    char text[32] = "";
    os_fd file = make("f");
    CHECK_INT(io_write(file, "hello", 5, 3), 0);
    CHECK_INT(io_write(file, "abc", 3, 0), 0);
    CHECK_INT(io_read(file, text, sizeof text, 1), 7);
    CHECK_TEXT(text, "bchello");
    CHECK_INT(io_read(file, text, 2, 0), 2);
    CHECK_INT(io_read(file, text, sizeof text, 100), 0);
    CHECK_INT(io_write(file, NULL, 0, 0), 0);
    CHECK_INT(io_read(file, NULL, 0, 0), 0);
    os_close(file);
}

TEST(interruptions_are_gone_through)
{
    char text[8] = "";
    os_fd file = make("f");
    for (int i = 1; i <= 3; i++)
        fail(CALL_WRITE, "/f", i, EINTR);
    CHECK_INT(io_write(file, "text", 4, 0), 0);
    for (int i = 1; i <= 3; i++)
        fail(CALL_READ, "/f", i, EINTR);
    CHECK_INT(io_read(file, text, sizeof text, 0), 4);
    CHECK_TEXT(text, "text");
    os_close(file);
    forget_rules();
    fail(CALL_OPEN, "f", 1, EINTR);
    file = open_at("f", OS_READ);
    os_close(file);
}

TEST(interruptions_without_end_are_given_up)
{
    char text[8];
    os_fd file = make("f");
    fail_always(CALL_WRITE, "/f", EINTR);
    fail_always(CALL_READ, "/f", EINTR);
    CHECK_INT(io_write(file, "text", 4, 0), -EINTR);
    CHECK_INT(io_read(file, text, sizeof text, 0), -EINTR);
    fail_always(CALL_OPEN, "f", EINTR);
    os_fd again;
    CHECK_INT(io_open(OS_NONE, "f", OS_READ, 0, &again), -EINTR);
    os_close(file);
}

TEST(a_system_that_writes_nothing_is_an_error)
{
    os_fd file = make("f");
    struct rule *rule = new_rule(CALL_WRITE, "/f", 1, 0);
    rule->code = 0xffff;
    CHECK_INT(io_write(file, "text", 4, 0), -EIO);
    CHECK_INT(rule->seen, LIMIT_TRIES + 1);
    os_close(file);
}

TEST(the_first_failure_is_returned)
{
    char text[8];
    os_fd file = make("f");
    fail(CALL_WRITE, "/f", 1, ENOSPC);
    fail(CALL_READ, "/f", 1, EIO);
    CHECK_INT(io_write(file, "text", 4, 0), -ENOSPC);
    CHECK_INT(io_read(file, text, sizeof text, 0), -EIO);
    os_close(file);
}

static void fill(const char *name, size_t size, char *data)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i * 31 + i / 7919);
    put_bytes(name, data, size);
}

TEST(a_copy_takes_its_bytes_from_one_offset_to_another_and_hashes_them)
{
    static const size_t sizes[] = {
        0, 1, 100, LIMIT_CHUNK - 1, LIMIT_CHUNK, LIMIT_CHUNK + 1, 3 * LIMIT_CHUNK + 17};
    static char data[4 * LIMIT_CHUNK], copy[5 * LIMIT_CHUNK];
    fill("from", sizeof data, data);
    os_fd from = open_at("from", OS_READ), to = make("to");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static struct hash_stream hash;
        hash_begin(&hash);
        CHECK_INT(io_copy(from, 5, to, 9, sizes[i], &hash), 0);
        CHECK_INT(io_read(to, copy, sizes[i], 9), sizes[i]);
        CHECK_BYTES(copy, sizes[i], data + 5, sizes[i]);
        struct untorn_hash piecewise = hash_end(&hash), whole = untorn_hash(data + 5, sizes[i]);
        CHECK(untorn_hash_equal(&piecewise, &whole));
        CHECK_INT(io_hash(from, 5, sizes[i], &piecewise), 0);
        CHECK(untorn_hash_equal(&piecewise, &whole));
    }
    os_close(from);
    os_close(to);
}

TEST(a_source_that_ends_early_is_an_error)
{
    struct untorn_hash hash;
    put("from", "12345");
    os_fd from = open_at("from", OS_READ), to = make("to");
    CHECK_INT(io_copy(from, 0, to, 0, 6, NULL), -ESTALE);
    CHECK_INT(io_copy(from, 5, to, 0, 1, NULL), -ESTALE);
    CHECK_INT(io_hash(from, 0, 6, &hash), -ESTALE);
    CHECK_INT(io_copy(from, 0, to, 0, 5, NULL), 0);
    os_close(from);
    os_close(to);
}

TEST(files_are_the_same_or_not)
{
    static char large[40000];
    bool same = false;
    put_bytes("a", large, sizeof large);
    put_bytes("b", large, sizeof large);
    large[sizeof large - 1] = 'x';
    put_bytes("c", large, sizeof large);
    os_fd a = open_at("a", OS_READ), b = open_at("b", OS_READ), c = open_at("c", OS_READ);
    CHECK_INT(io_same(a, b, sizeof large, &same), 0);
    CHECK(same);
    CHECK_INT(io_same(a, c, sizeof large, &same), 0);
    CHECK(!same);
    CHECK_INT(io_same(a, c, sizeof large - 1, &same), 0);
    CHECK(same);
    CHECK_INT(ftruncate(open("b", O_WRONLY), 10), 0);
    CHECK_INT(io_same(a, b, sizeof large, &same), 0);
    CHECK(!same);
    fail(CALL_READ, "/c", 1, EIO);
    CHECK_INT(io_same(a, c, sizeof large, &same), -EIO);
    os_close(a);
    os_close(b);
    os_close(c);
}

TEST(a_copy_that_fails_says_why)
{
    put("from", "12345");
    os_fd from = open_at("from", OS_READ), to = make("to");
    fail(CALL_READ, "/from", 1, EIO);
    CHECK_INT(io_copy(from, 0, to, 0, 5, NULL), -EIO);
    fail(CALL_WRITE, "/to", 1, ENOSPC);
    CHECK_INT(io_copy(from, 0, to, 0, 5, NULL), -ENOSPC);
    os_close(from);
    os_close(to);
}

TEST(a_file_of_our_own_is_made_private_and_opened_again)
{
    struct os_stat stat;
    os_fd file = OS_NONE;
    umask(0);
    CHECK_INT(io_open_own(OS_NONE, "f", OS_READ, &file, &stat), -ENOENT);
    CHECK_INT(io_open_own(OS_NONE, "f", OS_WRITE | OS_CREATE, &file, &stat), 0);
    CHECK_INT(mode_of("f"), 0600);
    CHECK_INT(stat.inode, stat_of("f").st_ino);
    os_close(file);
    CHECK_INT(io_open_own(OS_NONE, "f", OS_READ | OS_WRITE, &file, NULL), 0);
    os_close(file);
}

TEST(a_file_with_a_second_name_is_not_our_own)
{
    os_fd file = OS_NONE;
    int before = open_descriptors();
    put("somebodys", "content");
    CHECK_INT(link("somebodys", "f"), 0);
    CHECK_INT(io_open_own(OS_NONE, "f", OS_WRITE | OS_CREATE, &file, NULL), -EMLINK);
    CHECK_INT(mkfifo("fifo", 0600), 0);
    CHECK_INT(io_open_own(OS_NONE, "fifo", OS_READ, &file, NULL), -EMLINK);
    CHECK_INT(symlink("somebodys", "link"), 0);
    CHECK_INT(io_open_own(OS_NONE, "link", OS_WRITE | OS_CREATE, &file, NULL), -EMLINK);
    make_dir("folder", 0700);
    CHECK_INT(io_open_own(OS_NONE, "folder", OS_WRITE, &file, NULL), -EMLINK);
    CHECK_INT(io_open_own(OS_NONE, "folder", OS_READ, &file, NULL), -EMLINK);
    CHECK_INT(file, OS_NONE);
    fail(CALL_STAT, "/somebodys", 1, EIO);
    CHECK_INT(io_open_own(OS_NONE, "somebodys", OS_READ, &file, NULL), -EIO);
    CHECK_INT(open_descriptors(), before);
    CHECK_TEXT(text_of("somebodys"), "content");
}
