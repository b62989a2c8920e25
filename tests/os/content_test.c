/* Opening, closing and the bytes of a file, on the real system. */
#include "harness.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "file/interpose.h"
#include "file/support.h"
#include "os/os.h"

static os_fd here(void)
{
    os_fd dir = OS_NONE;
    CHECK_INT(os_open_dir(OS_NONE, ".", false, &dir), 0);
    return dir;
}

static os_fd open_file(os_fd dir, const char *name, unsigned how)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(dir, name, how, 0600, &file), 0);
    return file;
}

static bool is_closed_on_exec(os_fd fd)
{
    return (fcntl((int)fd, F_GETFD) & FD_CLOEXEC) != 0;
}

TEST(a_directory_is_opened_by_a_path_below_another)
{
    os_fd a = OS_NONE, c = OS_NONE;
    make_dir("a", 0700);
    make_dir("a/b", 0700);
    make_dir("a/b/c", 0700);
    CHECK_INT(os_open_dir(OS_NONE, "a", false, &a), 0);
    CHECK_INT(os_open_dir(a, "b/c", false, &c), 0);
    CHECK(is_closed_on_exec(a));
    os_close(a);
    os_close(c);
}

TEST(only_a_directory_opens_as_one)
{
    os_fd dir = OS_NONE;
    put("f", "");
    CHECK_INT(os_open_dir(OS_NONE, "f", false, &dir), -ENOTDIR);
    CHECK_INT(os_open_dir(OS_NONE, "missing", false, &dir), -ENOENT);
    CHECK_INT(os_open_dir(OS_NONE, "f/x", false, &dir), -ENOTDIR);
    CHECK_INT(dir, OS_NONE);
}

TEST(a_link_to_a_directory_is_followed_unless_told_not_to)
{
    os_fd dir = OS_NONE;
    make_dir("a", 0700);
    make_dir("a/b", 0700);
    CHECK_INT(symlink("a", "link"), 0);
    CHECK_INT(os_open_dir(OS_NONE, "link", false, &dir), 0);
    os_close(dir);
    int rc = os_open_dir(OS_NONE, "link", true, &dir);
    CHECK(rc == -ELOOP || rc == -ENOTDIR);
    CHECK_INT(os_open_dir(OS_NONE, "link/b", false, &dir), 0);
    os_close(dir);
    rc = os_open_dir(OS_NONE, "link/b", true, &dir);
    CHECK(rc == -ELOOP || rc == -ENOTDIR);
    CHECK_INT(os_open_dir(OS_NONE, "a/b", true, &dir), 0);
    os_close(dir);
}

TEST(a_file_is_made_only_when_asked_for)
{
    os_fd dir = here(), file = OS_NONE;
    CHECK_INT(os_open(dir, "f", OS_READ, 0, &file), -ENOENT);
    CHECK_INT(os_open(dir, "f", OS_WRITE, 0, &file), -ENOENT);
    umask(022);
    CHECK_INT(os_open(dir, "f", OS_WRITE | OS_CREATE, 0666, &file), 0);
    CHECK(is_closed_on_exec(file));
    CHECK_INT(mode_of("f"), 0644);
    os_close(file);
    file = open_file(dir, "f", OS_READ | OS_WRITE | OS_CREATE);
    os_close(file);
    os_close(dir);
}

TEST(exclusive_creation_refuses_any_name_that_is_taken)
{
    os_fd dir = here(), file = OS_NONE;
    unsigned how = OS_WRITE | OS_CREATE | OS_EXCLUSIVE;
    put("f", "");
    CHECK_INT(symlink("nowhere", "dangling"), 0);
    CHECK_INT(os_open(dir, "f", how, 0600, &file), -EEXIST);
    CHECK_INT(os_open(dir, "dangling", how, 0600, &file), -EEXIST);
    CHECK(!exists("nowhere"));
    os_close(dir);
}

TEST(a_link_is_never_followed_to_a_file)
{
    os_fd dir = here(), file = OS_NONE;
    put("f", "");
    CHECK_INT(symlink("f", "link"), 0);
    CHECK_INT(os_open(dir, "link", OS_READ, 0, &file), -ELOOP);
    CHECK_INT(os_open(dir, "link", OS_WRITE | OS_CREATE, 0600, &file), -ELOOP);
    os_close(dir);
}

TEST(a_pipe_does_not_block_and_a_socket_does_not_open)
{
    os_fd dir = here(), file = OS_NONE;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    CHECK_INT(mkfifo("fifo", 0600), 0);
    CHECK_INT(os_open(dir, "fifo", OS_READ, 0, &file), 0);
    os_close(file);
    CHECK_INT(os_open(dir, "fifo", OS_WRITE, 0, &file), -ENXIO);
    int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK_INT(bind(socket_fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(os_open(dir, "socket", OS_READ, 0, &file), -ENXIO);
    close(socket_fd);
    os_close(dir);
}

TEST(reading_and_writing_need_to_be_asked_for)
{
    os_fd dir = here();
    char byte;
    put("f", "x");
    os_fd reading = open_file(dir, "f", OS_READ), writing = open_file(dir, "f", OS_WRITE);
    CHECK_INT(os_write_at(reading, "y", 1, 0), -EBADF);
    CHECK_INT(os_read_at(writing, &byte, 1, 0), -EBADF);
    CHECK_INT(os_read_at(reading, &byte, 1, 0), 1);
    CHECK_INT(os_write_at(writing, "y", 1, 0), 1);
    CHECK_TEXT(text_of("f"), "y");
    os_close(reading);
    os_close(writing);
    os_close(dir);
}

static void hold_what_cannot_be_read(void *context)
{
    os_fd dir = here(), file = OS_NONE;
    struct os_stat held;
    (void)context;
    CHECK_INT(os_open(dir, "secret", OS_READ, 0, &file), -EACCES);
    CHECK_INT(os_open(dir, "secret", OS_HOLD, 0, &file), 0);
    CHECK_INT(os_stat(file, NULL, &held), 0);
    CHECK_INT(held.size, 6);
    os_close(file);
    os_close(dir);
}

TEST(a_file_can_be_held_without_any_permission_on_it)
{
    need_root();
    put("secret", "secret");
    CHECK_INT(chmod("secret", 0), 0);
    in_child_as(ALICE, ALICE, hold_what_cannot_be_read, NULL);
}

TEST(a_held_file_keeps_its_inode_to_itself)
{
    os_fd dir = here(), file;
    struct os_stat held, now;
    put("f", "old");
    CHECK_INT(os_open(dir, "f", OS_HOLD, 0, &file), 0);
    CHECK_INT(os_stat(file, NULL, &held), 0);
    for (int i = 0; i < 20; i++) {
        CHECK_INT(unlink("f"), 0);
        put("f", "new");
        CHECK_INT(os_stat(dir, "f", &now), 0);
        CHECK(!os_same_file(&held, &now));
    }
    os_close(file);
    os_close(dir);
}

TEST(a_link_can_be_held_as_a_link)
{
    os_fd dir = here(), file;
    struct os_stat held;
    CHECK_INT(symlink("nowhere", "link"), 0);
    CHECK_INT(os_open(dir, "link", OS_HOLD, 0, &file), 0);
    CHECK_INT(os_stat(file, NULL, &held), 0);
    CHECK_INT(held.kind, OS_SYMLINK);
    os_close(file);
    os_close(dir);
}

TEST(closing_nothing_is_legal)
{
    CHECK_INT(os_close(OS_NONE), 0);
    CHECK_INT(os_close(12345), -EBADF);
}

TEST(an_interrupted_close_has_closed_and_another_failure_is_told)
{
    os_fd dir = here();
    put("f", "");
    os_fd file = open_file(dir, "f", OS_READ);
    int before = open_descriptors();
    fail(CALL_CLOSE, "/f", 1, EINTR);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(open_descriptors(), before - 1);
    forget_rules();
    file = open_file(dir, "f", OS_READ);
    fail(CALL_CLOSE, "/f", 1, ENOSPC);
    CHECK_INT(os_close(file), -ENOSPC);
    os_close(dir);
}

TEST(a_handle_is_inherited_only_while_that_is_allowed)
{
    os_fd dir = here();
    CHECK(is_closed_on_exec(dir));
    CHECK_INT(os_inherit(dir, true), 0);
    CHECK(!is_closed_on_exec(dir));
    CHECK_INT(os_inherit(dir, false), 0);
    CHECK(is_closed_on_exec(dir));
    os_close(dir);
    CHECK_INT(os_inherit(dir, true), -EBADF);
}

TEST(bytes_are_read_and_written_at_their_offsets)
{
    os_fd dir = here();
    char text[16] = "";
    os_fd file = open_file(dir, "f", OS_READ | OS_WRITE | OS_CREATE);
    CHECK_INT(os_write_at(file, "world", 5, 6), 5);
    CHECK_INT(os_write_at(file, "hello ", 6, 0), 6);
    CHECK_INT(os_read_at(file, text, sizeof text, 3), 8);
    CHECK_TEXT(text, "lo world");
    CHECK_INT(os_read_at(file, text, sizeof text, 11), 0);
    CHECK_INT(os_read_at(file, text, sizeof text, 1 << 20), 0);
    CHECK_INT(os_resize(file, 5), 0);
    CHECK_TEXT(text_of("f"), "hello");
    CHECK_INT(os_resize(file, 7), 0);
    CHECK_INT(stat_of("f").st_size, 7);
    CHECK_INT(os_read_at(file, text, sizeof text, 0), 7);
    CHECK_BYTES(text, 7, "hello\0\0", 7);
    os_close(file);
    CHECK_INT(os_resize(file, 0), -EBADF);
    CHECK_INT(os_read_at(dir, text, 1, 0), -EISDIR);
    os_close(dir);
}

TEST(files_and_directories_are_flushed)
{
    os_fd dir = here(), file = open_file(dir, "f", OS_WRITE | OS_CREATE);
    CHECK_INT(os_flush(file), 0);
    CHECK_INT(os_flush_dir(dir), 0);
    fail(CALL_FSYNC, "/f", 1, EIO);
    CHECK_INT(os_flush(file), -EIO);
    CHECK_INT(os_flush_content(file), 0);
    fail(CALL_FSYNC, "/f", 1, EIO);
    CHECK_INT(os_flush_content(file), -EIO);
    os_close(file);
    os_close(dir);
    CHECK_INT(os_flush(file), -EBADF);
    CHECK_INT(os_flush_content(file), -EBADF);
}

TEST(a_file_system_that_cannot_flush_a_directory_says_so_in_one_way)
{
    static const int codes[] = {EBADF, ENOTSUP, ENOSYS, EISDIR, EINVAL};
    os_fd dir = here();
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        fail(CALL_FSYNC, "", 1, codes[i]);
        CHECK_INT(os_flush_dir(dir), -EINVAL);
        forget_rules();
    }
    fail(CALL_FSYNC, "", 1, EIO);
    CHECK_INT(os_flush_dir(dir), -EIO);
    os_close(dir);
}

/* ---- paths below a directory ---- */

static void check_paths(void)
{
    os_fd dir = here(), file = OS_NONE;
    char name[300];
    CHECK_INT(os_open(dir, "a/b/f", OS_READ, 0, &file), 0);
    os_close(file);
    CHECK_INT(os_open(dir, "a/b/new", OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0640, &file), 0);
    os_close(file);
    CHECK_INT(mode_of("a/b/new"), 0640);
    CHECK_INT(unlink("a/b/new"), 0);
    CHECK_INT(os_open(dir, "a/link/f", OS_READ, 0, &file), -ELOOP);
    CHECK_INT(os_open(dir, "a/b/last", OS_READ, 0, &file), -ELOOP);
    CHECK_INT(os_open(dir, "a/missing/f", OS_READ, 0, &file), -ENOENT);
    CHECK_INT(os_open(dir, "a/b/f/f", OS_READ, 0, &file), -ENOTDIR);
    memset(name, 'n', 270);
    strcpy(name + 270, "/f");
    CHECK_INT(os_open(dir, name, OS_READ, 0, &file), -ENAMETOOLONG);
    CHECK_INT(os_open_dir(dir, "a/b", true, &file), 0);
    os_close(file);
    int rc = os_open_dir(dir, "a/link", true, &file);
    CHECK(rc == -ELOOP || rc == -ENOTDIR);
    os_close(dir);
}

/* A link on the way is ENOTDIR here. */
static void check_walked_paths(void)
{
    os_fd dir = here(), file = OS_NONE;
    CHECK_INT(os_open(dir, "a/b/f", OS_READ, 0, &file), 0);
    os_close(file);
    CHECK_INT(os_open(dir, "a/b/new", OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0640, &file), 0);
    os_close(file);
    CHECK_INT(unlink("a/b/new"), 0);
    int rc = os_open(dir, "a/link/f", OS_READ, 0, &file);
    CHECK(rc == -ELOOP || rc == -ENOTDIR);
    CHECK_INT(os_open(dir, "a/b/last", OS_READ, 0, &file), -ELOOP);
    CHECK_INT(os_open(dir, "a/missing/f", OS_READ, 0, &file), -ENOENT);
    char name[300];
    memset(name, 'n', 270);
    strcpy(name + 270, "/f");
    CHECK_INT(os_open(dir, name, OS_READ, 0, &file), -ENAMETOOLONG);
    CHECK_INT(os_open_dir(dir, "a/b", true, &file), 0);
    os_close(file);
    os_close(dir);
}

static void make_paths(void)
{
    umask(0);
    make_dir("a", 0755);
    make_dir("a/b", 0755);
    put("a/b/f", "x");
    CHECK_INT(symlink("b", "a/link"), 0);
    CHECK_INT(symlink("f", "a/b/last"), 0);
}

TEST(a_path_below_a_directory_leads_through_no_link)
{
    make_paths();
    check_paths();
}

TEST(a_path_is_walked_where_the_kernel_cannot_be_asked)
{
    make_paths();
    int before = open_descriptors();
    no_openat2 = ENOSYS;
    check_walked_paths();
    no_openat2 = EPERM;
    check_walked_paths();
    CHECK_INT(open_descriptors(), before);
}
