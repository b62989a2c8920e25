/* Names in a directory, on the real system. */
#include "harness.h"

#include "file/interpose.h"
#include "file/support.h"
#include "os/os.h"

static os_fd here(void)
{
    os_fd dir = OS_NONE;
    CHECK_INT(os_open_dir(OS_NONE, ".", false, &dir), 0);
    return dir;
}

static bool is_refused(int rc)
{
    return rc == -ELOOP || rc == -ENOTDIR;
}

TEST(a_name_is_looked_at_without_following_it)
{
    os_fd dir = here();
    struct os_stat stat;
    put("file", "12345");
    make_dir("dir", 0750);
    CHECK_INT(symlink("file", "link"), 0);
    CHECK_INT(mkfifo("fifo", 0600), 0);
    CHECK_INT(os_stat(dir, "file", &stat), 0);
    CHECK_INT(stat.kind, OS_REGULAR);
    CHECK_INT(stat.size, 5);
    CHECK_INT(os_stat(dir, "dir", &stat), 0);
    CHECK_INT(stat.kind, OS_DIRECTORY);
    CHECK_INT(stat.mode, 0750);
    CHECK_INT(os_stat(dir, "link", &stat), 0);
    CHECK_INT(stat.kind, OS_SYMLINK);
    CHECK_INT(os_stat(dir, "fifo", &stat), 0);
    CHECK_INT(stat.kind, OS_OTHER);
    CHECK_INT(os_stat(dir, "missing", &stat), -ENOENT);
    CHECK_INT(os_stat(dir, "file/x", &stat), -ENOTDIR);
    os_close(dir);
}

TEST(what_is_told_of_a_file_is_what_the_system_tells)
{
    os_fd dir = here();
    struct os_stat ours;
    put("f", "abc");
    CHECK_INT(chmod("f", 02640), 0);
    CHECK_INT(link("f", "g"), 0);
    struct stat theirs = stat_of("f");
    CHECK_INT(os_stat(dir, "f", &ours), 0);
    CHECK_INT(ours.device, theirs.st_dev);
    CHECK_INT(ours.inode, theirs.st_ino);
    CHECK_INT(ours.size, theirs.st_size);
    CHECK_INT(ours.mode, theirs.st_mode & 07777);
    CHECK_INT(ours.links, 2);
    CHECK_INT(ours.owner, theirs.st_uid);
    CHECK_INT(ours.group, theirs.st_gid);
    CHECK(!ours.mount_root);
    CHECK(!ours.immutable);
    os_close(dir);
}

TEST(a_handle_is_looked_at_itself)
{
    os_fd dir = here(), file;
    struct os_stat by_name, by_handle;
    put("f", "");
    CHECK_INT(os_open(dir, "f", OS_READ, 0, &file), 0);
    CHECK_INT(os_stat(dir, "f", &by_name), 0);
    CHECK_INT(os_stat(file, NULL, &by_handle), 0);
    CHECK(os_same_file(&by_name, &by_handle));
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(os_stat(file, NULL, &by_handle), 0);
    CHECK_INT(by_handle.links, 0);
    os_close(file);
    os_close(dir);
    CHECK_INT(os_stat(file, NULL, &by_handle), -EBADF);
}

TEST(a_mount_point_is_told_apart)
{
    struct os_stat stat;
    put("f", "");
    put("g", "");
    private_mounts();
    os_fd dir = here();
    CHECK_INT(mount("g", "f", NULL, MS_BIND, NULL), 0);
    CHECK_INT(os_stat(dir, "f", &stat), 0);
    CHECK(stat.mount_root);
    CHECK_INT(os_stat(dir, "g", &stat), 0);
    CHECK(!stat.mount_root);
    CHECK_INT(umount("f"), 0);
    os_close(dir);
}

TEST(an_unchangeable_file_is_told_apart)
{
    static const int marks[] = {FS_IMMUTABLE_FL, FS_APPEND_FL};
    os_fd dir = here();
    struct os_stat stat;
    put("f", "");
    for (int i = 0; i < 2; i++) {
        set_marks("f", marks[i]);
        int rc = os_stat(dir, "f", &stat);
        set_marks("f", 0);
        CHECK_INT(rc, 0);
        CHECK(stat.immutable);
    }
    CHECK_INT(os_stat(dir, "f", &stat), 0);
    CHECK(!stat.immutable);
    os_close(dir);
}

static void may_not_change(void *context)
{
    os_fd dir = here(), ours;
    (void)context;
    CHECK_INT(os_may_change(dir), -EACCES);
    CHECK_INT(os_open_dir(dir, "open", false, &ours), 0);
    CHECK_INT(os_may_change(ours), 0);
    os_close(ours);
    os_close(dir);
}

TEST(a_directory_says_whether_it_may_be_changed)
{
    os_fd dir = here();
    struct os_stat stat;
    CHECK_INT(os_may_change(dir), 0);
    need_root();
    make_dir("open", 0777);
    in_child_as(ALICE, ALICE, may_not_change, NULL);
    set_marks(".", FS_APPEND_FL);
    CHECK_INT(os_stat(dir, NULL, &stat), 0);
    int append_only = os_may_change(dir);
    set_marks(".", FS_IMMUTABLE_FL);
    int immutable = os_may_change(dir);
    set_marks(".", 0);
    CHECK(stat.immutable);
    CHECK_INT(append_only, 0);
    CHECK_INT(immutable, -EPERM);
    os_close(dir);
}

TEST(the_text_of_a_link_comes_whole_or_not_at_all)
{
    os_fd dir = here();
    char text[8];
    CHECK_INT(symlink("1234567", "seven"), 0);
    CHECK_INT(symlink("12345678", "eight"), 0);
    put("file", "");
    CHECK_INT(os_read_link(dir, "seven", text, sizeof text), 0);
    CHECK_TEXT(text, "1234567");
    CHECK_INT(os_read_link(dir, "eight", text, sizeof text), -ENAMETOOLONG);
    CHECK_INT(os_read_link(dir, "file", text, sizeof text), -EINVAL);
    CHECK_INT(os_read_link(dir, "missing", text, sizeof text), -ENOENT);
    os_close(dir);
}

TEST(directories_are_made_and_removed)
{
    os_fd dir = here();
    umask(022);
    CHECK_INT(os_make_dir(dir, "d", 0777), 0);
    CHECK_INT(mode_of("d"), 0755);
    CHECK_INT(os_make_dir(dir, "d", 0777), -EEXIST);
    CHECK_INT(os_remove(dir, "d", false), -EISDIR);
    put("d/f", "");
    CHECK_INT(os_remove(dir, "d", true), -ENOTEMPTY);
    CHECK_INT(unlink("d/f"), 0);
    CHECK_INT(os_remove(dir, "d", true), 0);
    CHECK_INT(os_remove(dir, "d", true), -ENOENT);
    os_close(dir);
}

TEST(a_removed_link_leaves_what_it_named)
{
    os_fd dir = here();
    put("f", "text");
    CHECK_INT(symlink("f", "link"), 0);
    CHECK_INT(os_remove(dir, "link", false), 0);
    CHECK(!exists("link"));
    CHECK_TEXT(text_of("f"), "text");
    CHECK_INT(os_remove(dir, "f", true), -ENOTDIR);
    os_close(dir);
}

TEST(a_rename_replaces_what_has_the_name)
{
    os_fd dir = here(), sub;
    make_dir("sub", 0700);
    CHECK_INT(os_open_dir(dir, "sub", true, &sub), 0);
    put("sub/new", "new");
    put("old", "old");
    CHECK_INT(os_rename(sub, "new", dir, "old", OS_REPLACE), 0);
    CHECK_TEXT(text_of("old"), "new");
    CHECK(!exists("sub/new"));
    CHECK_INT(os_rename(sub, "new", dir, "old", OS_REPLACE), -ENOENT);
    CHECK_INT(os_rename(dir, "old", dir, "sub", OS_REPLACE), -EISDIR);
    os_close(sub);
    os_close(dir);
}

TEST(a_rename_may_refuse_a_name_that_is_taken)
{
    os_fd dir = here();
    put("a", "a");
    put("b", "b");
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_NO_REPLACE), -EEXIST);
    CHECK_TEXT(text_of("a"), "a");
    CHECK_TEXT(text_of("b"), "b");
    CHECK_INT(os_rename(dir, "a", dir, "c", OS_NO_REPLACE), 0);
    CHECK_TEXT(text_of("c"), "a");
    CHECK(!exists("a"));
    os_close(dir);
}

TEST(two_names_can_be_swapped)
{
    os_fd dir = here();
    put("a", "a");
    put("b", "b");
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_EXCHANGE), 0);
    CHECK_TEXT(text_of("a"), "b");
    CHECK_TEXT(text_of("b"), "a");
    CHECK_INT(os_rename(dir, "a", dir, "missing", OS_EXCHANGE), -ENOENT);
    os_close(dir);
}

TEST(without_the_flag_a_link_and_a_removal_stand_in_for_it)
{
    static const int codes[] = {EINVAL, ENOSYS, ENOTSUP};
    os_fd dir = here();
    put("taken", "taken");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        put("a", "a");
        fail_always(CALL_RENAME, "", codes[i]);
        CHECK_INT(os_rename(dir, "a", dir, "taken", OS_NO_REPLACE), -EEXIST);
        CHECK_TEXT(text_of("taken"), "taken");
        CHECK_INT(os_rename(dir, "a", dir, "b", OS_NO_REPLACE), 0);
        CHECK_TEXT(text_of("b"), "a");
        CHECK(!exists("a"));
        CHECK_INT(os_rename(dir, "b", dir, "taken", OS_EXCHANGE), -EINVAL);
        CHECK_INT(unlink("b"), 0);
        forget_rules();
    }
    os_close(dir);
}

TEST(with_neither_flag_nor_links_a_rename_that_refuses_is_not_to_be_had)
{
    static const int codes[] = {EPERM, ENOTSUP, EMLINK, ENOSYS};
    os_fd dir = here();
    put("a", "a");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        fail_always(CALL_RENAME, "", EINVAL);
        fail_always(CALL_LINK, "", codes[i]);
        CHECK_INT(os_rename(dir, "a", dir, "b", OS_NO_REPLACE), -EINVAL);
        forget_rules();
    }
    fail_always(CALL_RENAME, "", EINVAL);
    fail_always(CALL_LINK, "", EIO);
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_NO_REPLACE), -EIO);
    CHECK_TEXT(text_of("a"), "a");
    os_close(dir);
}

TEST(a_second_name_is_the_same_file)
{
    os_fd dir = here();
    put("a", "a");
    put("taken", "");
    CHECK_INT(os_link(dir, "a", dir, "b"), 0);
    CHECK_INT(stat_of("a").st_ino, stat_of("b").st_ino);
    CHECK_INT(os_link(dir, "a", dir, "taken"), -EEXIST);
    CHECK_INT(os_link(dir, "missing", dir, "c"), -ENOENT);
    os_close(dir);
}

/* A path is one of ours, and what others made of a folder of ours leads nowhere. */
TEST(no_name_is_changed_through_a_link_on_the_way)
{
    static const int codes[] = {0, ENOSYS, EPERM};
    os_fd dir = here();
    make_dir("real", 0755);
    make_dir("real/sub", 0755);
    CHECK_INT(symlink("real", "link"), 0);
    CHECK_INT(symlink("../real/sub", "real/link"), 0);
    put("real/f", "f");
    put("real/sub/f", "f");
    put("g", "g");
    static const char *const paths[] = {"link/f", "real/link/f", "link/sub/f"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        no_openat2 = codes[i];
        for (size_t j = 0; j < sizeof paths / sizeof *paths; j++) {
            const char *path = paths[j];
            CHECK(is_refused(os_remove(dir, path, false)));
            CHECK(is_refused(os_rename(dir, path, dir, "h", OS_REPLACE)));
            CHECK(is_refused(os_rename(dir, "g", dir, path, OS_REPLACE)));
            CHECK(is_refused(os_rename(dir, "g", dir, path, OS_NO_REPLACE)));
            CHECK(is_refused(os_rename(dir, "g", dir, path, OS_EXCHANGE)));
            CHECK(is_refused(os_link(dir, path, dir, "h")));
            CHECK(is_refused(os_link(dir, "g", dir, path)));
        }
    }
    CHECK(is_refused(os_remove(dir, "link/sub", true)));
    no_openat2 = 0;
    CHECK_TEXT(text_of("real/f"), "f");
    CHECK_TEXT(text_of("real/sub/f"), "f");
    CHECK_TEXT(text_of("g"), "g");
    CHECK(!exists("h"));
    os_close(dir);
}

TEST(a_path_below_a_directory_is_changed_like_a_name)
{
    static const int codes[] = {0, ENOSYS};
    os_fd dir = here();
    make_dir("a", 0755);
    make_dir("a/b", 0755);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        no_openat2 = codes[i];
        put("f", "f");
        CHECK_INT(os_rename(dir, "f", dir, "a/b/f", OS_REPLACE), 0);
        CHECK_INT(os_link(dir, "a/b/f", dir, "a/g"), 0);
        CHECK_INT(os_rename(dir, "a/g", dir, "a/b/f", OS_NO_REPLACE), -EEXIST);
        CHECK_INT(os_remove(dir, "a/b/f", false), 0);
        CHECK_INT(os_remove(dir, "a/b/f", false), -ENOENT);
        CHECK_INT(os_remove(dir, "a/c/f", false), -ENOENT);
        CHECK_INT(os_remove(dir, "a/g/f", false), -ENOTDIR);
        CHECK_TEXT(text_of("a/g"), "f");
        CHECK_INT(os_remove(dir, "a/g", false), 0);
    }
    no_openat2 = 0;
    CHECK_INT(os_remove(dir, "a/b", true), 0);
    os_close(dir);
}

TEST(a_path_that_is_too_long_for_one_of_ours_is_refused)
{
    char path[2048];
    os_fd dir = here();
    memset(path, 'x', sizeof path);
    for (size_t i = 100; i < sizeof path; i += 100)
        path[i] = '/';
    path[sizeof path - 1] = '\0';
    CHECK_INT(os_remove(dir, path, false), -ENAMETOOLONG);
    CHECK_INT(os_rename(dir, path, dir, "g", OS_REPLACE), -ENAMETOOLONG);
    CHECK_INT(os_link(dir, path, dir, "g"), -ENAMETOOLONG);
    os_close(dir);
}

struct listing {
    int seen[2000];
    int count, others, stop_after;
};

static int visit(void *context, const char *name)
{
    struct listing *listing = context;
    int number;
    if (sscanf(name, "a-rather-long-name-%d", &number) == 1)
        listing->seen[number]++;
    else
        listing->others++;
    return ++listing->count == listing->stop_after ? 42 : 0;
}

static void make_many(int count)
{
    char name[64];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "a-rather-long-name-%d", i);
        put(name, "");
    }
}

TEST(a_listing_shows_every_name_once_and_no_dots)
{
    os_fd dir = here();
    struct listing listing = {0};
    CHECK_INT(os_list(dir, visit, &listing), 0);
    CHECK_INT(listing.count, 0);
    make_many(1000);
    for (int round = 0; round < 2; round++) {
        memset(&listing, 0, sizeof listing);
        CHECK_INT(os_list(dir, visit, &listing), 0);
        CHECK_INT(listing.others, 0);
        for (int i = 0; i < 1000; i++)
            CHECK_INT(listing.seen[i], 1);
    }
    os_close(dir);
}

TEST(a_listing_ends_when_the_visitor_says_so)
{
    os_fd dir = here();
    struct listing listing = {.stop_after = 3};
    make_many(10);
    CHECK_INT(os_list(dir, visit, &listing), 42);
    CHECK_INT(listing.count, 3);
    os_close(dir);
}

struct nested {
    os_fd dir;
    struct listing outer, inner;
};

static int visit_within(void *context, const char *name)
{
    struct nested *nested = context;
    memset(&nested->inner, 0, sizeof nested->inner);
    CHECK_INT(os_list(nested->dir, visit, &nested->inner), 0);
    CHECK_INT(nested->inner.count, 150);
    return visit(&nested->outer, name);
}

/* A visitor may use the same handle: clearing up behind one entry lists the folder again. */
TEST(a_listing_inside_a_listing_does_not_end_the_outer_one)
{
    struct nested nested = {.dir = here()};
    make_many(150);
    CHECK_INT(os_list(nested.dir, visit_within, &nested), 0);
    CHECK_INT(nested.outer.count, 150);
    os_close(nested.dir);
}

static int visit_and_remove(void *context, const char *name)
{
    os_fd *dir = context;
    return os_remove(*dir, name, false);
}

TEST(names_may_be_removed_while_they_are_listed)
{
    os_fd dir = here();
    make_many(500);
    CHECK_INT(os_list(dir, visit_and_remove, &dir), 0);
    CHECK_INT(count_entries(".", ""), 0);
    os_close(dir);
}

static int visit_and_remove_all(void *context, const char *name)
{
    (void)name;
    remove_tree(context);
    return 0;
}

/* By another process, after it has given names: ext4 takes no position of it any more. */
TEST(a_listing_of_what_is_removed_meanwhile_ends)
{
    static char gone[] = "gone";
    os_fd dir;
    make_dir(gone, 0700);
    put("gone/a", "");
    CHECK_INT(os_open_dir(OS_NONE, gone, false, &dir), 0);
    CHECK_INT(os_list(dir, visit_and_remove_all, gone), 0);
    os_close(dir);
}

TEST(what_is_no_directory_cannot_be_listed)
{
    struct listing listing = {0};
    os_fd dir = here(), file;
    put("f", "");
    CHECK_INT(os_open(dir, "f", OS_READ, 0, &file), 0);
    CHECK_INT(os_list(file, visit, &listing), -ENOTDIR);
    os_close(file);
    os_close(dir);
    CHECK_INT(os_list(dir, visit, &listing), -EBADF);
}

/* What a cache may rely on: whatever changes the content changes one of the numbers. */
TEST(a_look_follows_links_and_tells_every_version_apart)
{
    struct os_version first, second;
    put("file", "12345");
    CHECK_INT(symlink("file", "link"), 0);
    CHECK_INT(os_look("link", &first), 0);
    CHECK_INT(os_look("file", &second), 0);
    CHECK_INT(memcmp(&first, &second, sizeof first), 0);
    CHECK_INT(first.inode, stat_of("file").st_ino);
    CHECK_INT(first.size, 5);
    CHECK_INT(first.changed / 1000000000u, stat_of("file").st_ctim.tv_sec);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    put("file", "54321"); /* in place, of the same size */
    CHECK_INT(os_look("link", &second), 0);
    CHECK(first.changed < second.changed);
    put("new", "54321");
    CHECK_INT(rename("new", "file"), 0);
    CHECK_INT(os_look("link", &first), 0);
    CHECK(first.inode != second.inode);
    CHECK_INT(unlink("file"), 0);
    CHECK_INT(os_look("link", &first), -ENOENT);
}
