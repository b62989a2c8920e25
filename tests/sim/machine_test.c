/* The simulated machine without crashes: it answers as a Unix kernel does. */
#include "harness.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "os/os.h"
#include "os/sim/sim.h"

TEST(memory_is_real)
{
    char *pages = pages_take(2 * PAGES_LARGE), *text = pages_malloc(100);
    CHECK(pages && text);
    CHECK_INT((uintptr_t)pages % PAGES_LARGE, 0);
    CHECK_INT(pages[2 * PAGES_LARGE - 1], 0);
    pages_give_back(pages, 2 * PAGES_LARGE);
    free(text);
}

static os_fd root(void)
{
    os_fd dir = OS_NONE;
    CHECK_INT(os_open_dir(OS_NONE, "/", false, &dir), 0);
    return dir;
}

static os_fd begin(void)
{
    sim_start(NULL);
    return root();
}

static os_fd make(os_fd dir, const char *name)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(dir, name, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0666, &file), 0);
    return file;
}

static struct os_stat stat_of(os_fd at, const char *name)
{
    struct os_stat stat;
    CHECK_INT(os_stat(at, name, &stat), 0);
    return stat;
}

static void set_mode(const char *path, uint32_t mode, uint32_t owner)
{
    struct sim_attributes attributes = sim_attributes(path);
    attributes.mode = mode;
    attributes.owner = owner;
    sim_set_attributes(path, &attributes);
}

/* ---- content ---- */

TEST(bytes_are_read_as_they_were_written_and_holes_are_zeros)
{
    os_fd dir = begin(), file = make(dir, "a");
    char data[16] = "";
    CHECK_INT(os_write_at(file, "xy", 2, 5000), 2);
    CHECK_INT(stat_of(file, NULL).size, 5002);
    CHECK_INT(os_read_at(file, data, sizeof data, 4998), 4);
    CHECK_BYTES(data, 4, "\0\0xy", 4);
    CHECK_INT(os_read_at(file, data, sizeof data, 5002), 0);
}

TEST(what_was_cut_off_does_not_come_back)
{
    os_fd dir = begin(), file = make(dir, "a");
    char data[8] = "";
    CHECK_INT(os_write_at(file, "secret", 6, 0), 6);
    CHECK_INT(os_resize(file, 2), 0);
    CHECK_INT(os_resize(file, 6), 0);
    CHECK_INT(os_read_at(file, data, 6, 0), 6);
    CHECK_BYTES(data, 6, "se\0\0\0\0", 6);
}

TEST(a_removed_file_lives_on_in_its_handles)
{
    os_fd dir = begin(), file = make(dir, "a");
    char data[4] = "";
    CHECK_INT(os_write_at(file, "abc", 3, 0), 3);
    CHECK_INT(os_remove(dir, "a", false), 0);
    CHECK_INT(os_read_at(file, data, 3, 0), 3);
    CHECK_TEXT(data, "abc");
    CHECK_INT(stat_of(file, NULL).links, 0);
}

/* ---- inode numbers ---- */

TEST(a_number_is_reused_as_soon_as_nobody_holds_the_file)
{
    os_fd dir = begin(), file = make(dir, "a"), hold = OS_NONE;
    uint64_t number = stat_of(dir, "a").inode;
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_open(dir, "a", OS_HOLD, 0, &hold), 0);
    CHECK_INT(os_remove(dir, "a", false), 0);
    CHECK(stat_of(make(dir, "b"), NULL).inode != number);
    CHECK_INT(os_close(hold), 0);
    CHECK(stat_of(make(dir, "c"), NULL).inode == number);
}

TEST(a_number_is_not_reused_before_a_restart_if_asked_so)
{
    sim_start(&(struct sim_options){.reuse = SIM_REUSE_AFTER_RESTART});
    os_fd dir = root(), file = make(dir, "a");
    uint64_t number = stat_of(dir, "a").inode;
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_remove(dir, "a", false), 0);
    CHECK(stat_of(make(dir, "b"), NULL).inode != number);
}

/* ---- names ---- */

TEST(creating_exclusively_refuses_a_taken_name_and_a_dangling_link)
{
    os_fd dir = begin(), file;
    unsigned how = OS_WRITE | OS_CREATE | OS_EXCLUSIVE;
    sim_symlink("/link", "nowhere");
    make(dir, "a");
    CHECK_INT(os_open(dir, "a", how, 0600, &file), -EEXIST);
    CHECK_INT(os_open(dir, "link", how, 0600, &file), -EEXIST);
    CHECK_INT(os_make_dir(dir, "a", 0700), -EEXIST);
    CHECK_INT(os_link(dir, "a", dir, "link"), -EEXIST);
}

TEST(a_link_is_not_followed_by_a_name_but_by_a_path)
{
    os_fd dir = begin(), handle;
    char text[8];
    sim_make_dir("/real");
    sim_symlink("/link", "real");
    CHECK_INT(os_open(dir, "link", OS_READ, 0, &handle), -ELOOP);
    CHECK_INT(os_open_dir(dir, "link", true, &handle), -ELOOP);
    CHECK_INT(os_open_dir(dir, "link", false, &handle), 0);
    struct os_stat real = stat_of(dir, "real"), through = stat_of(handle, NULL);
    CHECK(os_same_file(&real, &through));
    CHECK_INT(os_read_link(dir, "link", text, sizeof text), 0);
    CHECK_TEXT(text, "real");
    CHECK_INT(os_read_link(dir, "link", text, 4), -ENAMETOOLONG);
    CHECK_INT(os_read_link(dir, "real", text, sizeof text), -EINVAL);
}

TEST(no_name_is_changed_through_a_link_on_the_way)
{
    os_fd dir = begin(), real;
    sim_make_dir("/real");
    sim_symlink("/link", "real");
    CHECK_INT(os_open_dir(dir, "real", true, &real), 0);
    make(real, "f");
    make(dir, "g");
    CHECK_INT(os_remove(dir, "link/f", false), -ELOOP);
    CHECK_INT(os_rename(dir, "link/f", dir, "h", OS_REPLACE), -ELOOP);
    CHECK_INT(os_rename(dir, "g", dir, "link/f", OS_EXCHANGE), -ELOOP);
    CHECK_INT(os_link(dir, "g", dir, "link/h"), -ELOOP);
    CHECK_INT(os_remove(dir, "real/f", false), 0);
}

TEST(a_circle_of_links_is_refused)
{
    os_fd dir = begin(), handle;
    sim_symlink("/one", "two");
    sim_symlink("/two", "one");
    CHECK_INT(os_open_dir(dir, "one/x", false, &handle), -ELOOP);
}

TEST(a_path_goes_up_and_down_also_across_a_mount)
{
    os_fd dir = begin(), handle;
    char path[64];
    sim_make_dir("/a/b");
    sim_mount("/a/b", &(struct sim_device){0});
    sim_make_dir("/a/b/c");
    CHECK_INT(os_open_dir(dir, "a/b/c/../../b/./c", false, &handle), 0);
    CHECK_INT(os_dir_path(handle, path, sizeof path), 0);
    CHECK_TEXT(path, "/a/b/c");
    CHECK_INT(os_open_dir(handle, "../../..", false, &handle), 0);
    CHECK_INT(os_dir_path(handle, path, sizeof path), 0);
    CHECK_TEXT(path, "/");
}

TEST(a_name_of_255_bytes_is_the_longest)
{
    char name[258];
    os_fd dir = begin(), file;
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    CHECK_INT(os_open(dir, name, OS_WRITE | OS_CREATE, 0600, &file), 0);
    name[255] = 'n';
    name[256] = '\0';
    CHECK_INT(os_open(dir, name, OS_WRITE | OS_CREATE, 0600, &file), -ENAMETOOLONG);
    CHECK_INT(os_make_dir(dir, name, 0700), -ENAMETOOLONG);
    CHECK_INT(os_open_dir(dir, name, false, &file), -ENAMETOOLONG);
}

TEST(a_directory_with_something_in_it_is_not_removed)
{
    os_fd dir = begin();
    sim_put("/d/a", "");
    CHECK_INT(os_remove(dir, "d", true), -ENOTEMPTY);
    CHECK_INT(os_remove(dir, "d", false), -EISDIR);
    sim_remove("/d/a");
    CHECK_INT(os_remove(dir, "d", true), 0);
    make(dir, "file");
    CHECK_INT(os_remove(dir, "file", true), -ENOTDIR);
    CHECK_INT(os_remove(dir, "none", false), -ENOENT);
}

TEST(nothing_is_made_in_a_directory_that_was_removed)
{
    os_fd dir = begin(), inner, file;
    sim_make_dir("/d");
    CHECK_INT(os_open_dir(dir, "d", true, &inner), 0);
    CHECK_INT(os_remove(dir, "d", true), 0);
    CHECK_INT(os_open(inner, "a", OS_WRITE | OS_CREATE, 0600, &file), -ENOENT);
    CHECK_INT(os_make_dir(inner, "a", 0700), -ENOENT);
}

/* ---- renaming ---- */

TEST(a_rename_replaces_a_file_but_not_what_is_of_another_kind)
{
    os_fd dir = begin();
    sim_put("/a", "new");
    sim_put("/b", "old");
    sim_put("/full/x", "");
    sim_make_dir("/empty");
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_REPLACE), 0);
    CHECK_TEXT(sim_get("/b"), "new");
    CHECK(!sim_exists("/a"));
    CHECK_INT(os_rename(dir, "b", dir, "empty", OS_REPLACE), -EISDIR);
    CHECK_INT(os_rename(dir, "empty", dir, "b", OS_REPLACE), -ENOTDIR);
    CHECK_INT(os_rename(dir, "empty", dir, "full", OS_REPLACE), -ENOTEMPTY);
    CHECK_INT(os_rename(dir, "none", dir, "b", OS_REPLACE), -ENOENT);
    CHECK_INT(os_rename(dir, "b", dir, "none/b", OS_REPLACE), -ENOENT);
    CHECK_INT(os_link(dir, "b", dir, "none/b"), -ENOENT);
    CHECK_INT(os_rename(dir, "full", dir, "empty", OS_REPLACE), 0);
    CHECK(sim_exists("/empty/x"));
}

TEST(a_rename_of_a_directory_into_itself_is_refused)
{
    os_fd dir = begin(), inner;
    sim_make_dir("/a/b");
    CHECK_INT(os_open_dir(dir, "a/b", true, &inner), 0);
    CHECK_INT(os_rename(dir, "a", inner, "a", OS_REPLACE), -EINVAL);
}

TEST(a_rename_without_replacing_and_an_exchange)
{
    os_fd dir = begin();
    sim_put("/a", "one");
    sim_put("/b", "two");
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_NO_REPLACE), -EEXIST);
    CHECK_INT(os_rename(dir, "a", dir, "c", OS_EXCHANGE), -ENOENT);
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_EXCHANGE), 0);
    CHECK_TEXT(sim_get("/a"), "two");
    CHECK_TEXT(sim_get("/b"), "one");
    CHECK_INT(os_rename(dir, "a", dir, "c", OS_NO_REPLACE), 0);
    CHECK_TEXT(sim_get("/c"), "two");
}

TEST(a_rename_between_two_names_of_one_file_keeps_both)
{
    os_fd dir = begin();
    sim_put("/a", "x");
    CHECK_INT(os_link(dir, "a", dir, "b"), 0);
    CHECK_INT(stat_of(dir, "a").links, 2);
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_REPLACE), 0);
    CHECK(sim_exists("/a") && sim_exists("/b"));
}

TEST(nothing_is_renamed_or_linked_to_another_device)
{
    os_fd dir = begin(), other;
    sim_put("/a", "x");
    sim_make_dir("/other");
    sim_mount("/other", &(struct sim_device){0});
    CHECK_INT(os_open_dir(dir, "other", true, &other), 0);
    CHECK(stat_of(other, NULL).device != stat_of(dir, NULL).device);
    CHECK(stat_of(other, NULL).mount_root);
    CHECK_INT(os_rename(dir, "a", other, "a", OS_REPLACE), -EXDEV);
    CHECK_INT(os_link(dir, "a", other, "a"), -EXDEV);
    CHECK_INT(os_remove(dir, "other", true), -EBUSY);
}

TEST(a_file_that_is_a_mount_point_is_busy_and_an_immutable_one_is_denied)
{
    os_fd dir = begin(), file;
    sim_put("/a", "x");
    sim_put("/mounted", "x");
    sim_put("/fixed", "x");
    struct sim_attributes attributes = sim_attributes("/mounted");
    attributes.mount_root = true;
    sim_set_attributes("/mounted", &attributes);
    attributes.mount_root = false;
    attributes.immutable = true;
    sim_set_attributes("/fixed", &attributes);
    CHECK_INT(os_rename(dir, "a", dir, "mounted", OS_REPLACE), -EBUSY);
    CHECK_INT(os_remove(dir, "mounted", false), -EBUSY);
    CHECK_INT(os_open(dir, "mounted", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_rename(dir, "a", dir, "fixed", OS_REPLACE), -EPERM);
    CHECK_INT(os_open(dir, "fixed", OS_WRITE, 0, &file), -EPERM);
    CHECK(stat_of(dir, "mounted").mount_root && stat_of(dir, "fixed").immutable);
}

TEST(a_device_lacks_what_it_is_told_to_lack)
{
    os_fd dir = begin(), other, file;
    sim_make_dir("/other");
    sim_mount("/other", &(struct sim_device){.no_directory_flush = true,
                                             .no_exchange = true,
                                             .no_hard_link = true,
                                             .no_no_replace = true});
    sim_put("/other/a", "x");
    sim_put("/other/b", "x");
    CHECK_INT(os_open_dir(dir, "other", true, &other), 0);
    CHECK_INT(os_flush_dir(other), -EINVAL);
    CHECK_INT(os_rename(other, "a", other, "b", OS_EXCHANGE), -EINVAL);
    CHECK_INT(os_rename(other, "a", other, "c", OS_NO_REPLACE), -EINVAL);
    CHECK_INT(os_link(other, "a", other, "c"), -EPERM);
    sim_start(NULL);
    sim_make_dir("/other");
    sim_mount("/other", &(struct sim_device){.read_only = true, .network = true});
    struct os_capabilities capabilities;
    CHECK_INT(os_open_dir(OS_NONE, "/other", true, &other), 0);
    CHECK_INT(os_open(other, "a", OS_WRITE | OS_CREATE, 0600, &file), -EROFS);
    CHECK_INT(os_capabilities(other, &capabilities), 0);
    CHECK(capabilities.network);
}

/* ---- listing ---- */

static char listed[256];

static int note_name(void *context, const char *name)
{
    os_fd *dir = context;
    strcat(strcat(listed, name), " ");
    if (dir && strcmp(name, "b") == 0) {
        (void)os_remove(*dir, "c", false);
        (void)os_close(make(*dir, "later"));
    }
    return strcmp(name, "stop") == 0 ? 7 : 0;
}

TEST(a_listing_shows_what_stays_and_may_show_what_comes_or_goes)
{
    os_fd dir = begin();
    sim_put("/a", "");
    sim_put("/b", "");
    sim_put("/c", "");
    listed[0] = '\0';
    CHECK_INT(os_list(dir, note_name, &dir), 0);
    CHECK(strstr(listed, "a ") && strstr(listed, "b "));
    CHECK(strstr(listed, "later "));
    CHECK(!strstr(listed, ". "));
    sim_put("/stop", "");
    CHECK_INT(os_list(dir, note_name, NULL), 7);
}

/* ---- locks ---- */

TEST(a_lock_belongs_to_an_opening_and_excludes_every_other)
{
    os_fd dir = begin(), one = make(dir, "a"), other;
    CHECK_INT(os_open(dir, "a", OS_READ, 0, &other), 0);
    CHECK_INT(os_lock(one, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_lock(one, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_lock(other, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    CHECK_INT(os_lock(other, OS_LOCK_SHARED), -EWOULDBLOCK);
    CHECK_INT(os_lock(one, OS_UNLOCK), 0);
    CHECK_INT(os_lock(other, OS_LOCK_SHARED), 0);
    CHECK_INT(os_lock(one, OS_LOCK_SHARED), 0);
    CHECK_INT(os_close(one), 0);
    CHECK_INT(os_lock(other, OS_LOCK_EXCLUSIVE), 0);
}

TEST(a_refused_conversion_has_lost_the_lock_it_had)
{
    os_fd dir = begin(), one = make(dir, "a"), other, third;
    CHECK_INT(os_open(dir, "a", OS_READ, 0, &other), 0);
    CHECK_INT(os_open(dir, "a", OS_READ, 0, &third), 0);
    CHECK_INT(os_lock(one, OS_LOCK_SHARED), 0);
    CHECK_INT(os_lock(other, OS_LOCK_SHARED), 0);
    CHECK_INT(os_lock(one, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    CHECK_INT(os_close(other), 0);
    CHECK_INT(os_lock(third, OS_LOCK_EXCLUSIVE), 0);
}

TEST(a_directory_can_be_locked_and_a_removed_file_keeps_its_lock)
{
    os_fd dir = begin(), again, file = make(dir, "a");
    CHECK_INT(os_open_dir(OS_NONE, "/", false, &again), 0);
    CHECK_INT(os_lock(dir, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_lock(again, OS_LOCK_SHARED), -EWOULDBLOCK);
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_remove(dir, "a", false), 0);
    CHECK_INT(os_lock(make(dir, "a"), OS_LOCK_EXCLUSIVE), 0);
}

TEST(a_lock_ends_when_its_process_is_killed_unless_a_child_inherited_it)
{
    os_fd dir = begin(), mine;
    CHECK_INT(os_open(dir, "a", OS_WRITE | OS_CREATE, 0600, &mine), 0);
    sim_process(1);
    os_fd theirs, kept;
    CHECK_INT(os_open(root(), "a", OS_WRITE, 0, &theirs), 0);
    CHECK_INT(os_lock(theirs, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_open(root(), "b", OS_WRITE | OS_CREATE, 0600, &kept), 0);
    CHECK_INT(os_lock(kept, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_inherit(kept, true), 0);
    sim_process_spawn(2);
    sim_process(0);
    CHECK_INT(os_lock(mine, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    sim_process_kill(1);
    CHECK_INT(os_lock(mine, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_open(dir, "b", OS_WRITE, 0, &mine), 0);
    CHECK_INT(os_lock(mine, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    sim_process(2);
    CHECK_INT(sim_open_handles(), 1);
    CHECK_INT(os_lock(kept, OS_UNLOCK), 0);
    sim_process(0);
    CHECK_INT(os_lock(mine, OS_LOCK_EXCLUSIVE), 0);
}

TEST(the_child_of_a_fork_shares_every_opening)
{
    os_fd dir = begin(), file = make(dir, "a"), other;
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    sim_process_fork(1);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_open(dir, "a", OS_READ, 0, &other), 0);
    CHECK_INT(os_lock(other, OS_LOCK_SHARED), -EWOULDBLOCK);
    sim_process(1);
    CHECK_INT(os_close(file), 0);
    sim_process(0);
    CHECK_INT(os_lock(other, OS_LOCK_SHARED), 0);
    CHECK_TEXT(sim_misuse(), NULL);
}

/* ---- permissions ---- */

TEST(a_user_may_only_what_the_mode_says)
{
    os_fd dir = begin(), file;
    sim_put("/open/public", "x");
    sim_put("/open/private", "x");
    sim_put("/closed/a", "x");
    set_mode("/open", 0755, 0);
    set_mode("/open/private", 0600, 0);
    set_mode("/closed", 0700, 0);
    sim_process_user(1000, 1000);
    CHECK_INT(os_open_dir(dir, "closed", true, &file), -EACCES);
    CHECK_INT(os_open_dir(dir, "open", true, &dir), 0);
    CHECK_INT(os_open(dir, "public", OS_READ, 0, &file), 0);
    CHECK_INT(os_open(dir, "public", OS_WRITE, 0, &file), -EACCES);
    CHECK_INT(os_open(dir, "private", OS_READ, 0, &file), -EACCES);
    CHECK_INT(os_open(dir, "private", OS_HOLD, 0, &file), 0);
    CHECK_INT(os_open(dir, "new", OS_WRITE | OS_CREATE, 0600, &file), -EACCES);
    CHECK_INT(os_remove(dir, "public", false), -EACCES);
}

TEST(in_a_sticky_directory_only_the_owner_removes_and_renames)
{
    os_fd dir = begin(), tmp;
    sim_put("/tmp/theirs", "x");
    sim_put("/tmp/ours", "x");
    set_mode("/tmp", 01777, 0);
    set_mode("/tmp/theirs", 0666, 2000);
    set_mode("/tmp/ours", 0666, 1000);
    CHECK_INT(os_open_dir(dir, "tmp", true, &tmp), 0);
    sim_process_user(1000, 1000);
    CHECK_INT(os_remove(tmp, "theirs", false), -EPERM);
    CHECK_INT(os_rename(tmp, "ours", tmp, "theirs", OS_REPLACE), -EPERM);
    CHECK_INT(os_rename(tmp, "theirs", tmp, "mine", OS_NO_REPLACE), -EPERM);
    CHECK_INT(os_rename(tmp, "ours", tmp, "mine", OS_NO_REPLACE), 0);
    sim_process_user(0, 0);
    CHECK_INT(os_remove(tmp, "theirs", false), 0);
}

TEST(only_root_gives_a_file_away)
{
    unsigned result = 0;
    os_fd dir = begin(), from = make(dir, "a"), to;
    set_mode("/a", 0640, 2000);
    set_mode("/", 0777, 0);
    sim_process_user(1000, 1000);
    to = make(dir, "b");
    CHECK_INT(os_copy_meta(from, to, 0, &result), 0);
    CHECK_INT(result, OS_META_OWNER_DENIED);
    CHECK_INT(sim_attributes("/b").mode, 0644);
    sim_process_user(0, 0);
    CHECK_INT(os_copy_meta(from, to, 0, &result), 0);
    CHECK_INT(result, 0);
    CHECK_INT(sim_attributes("/b").owner, 2000);
    CHECK_INT(sim_attributes("/b").mode, 0640);
}

TEST(narrowing_takes_bits_and_the_acl_away)
{
    int64_t time = 0;
    os_fd dir = begin(), file = make(dir, "a");
    struct sim_attributes meta = sim_attributes("/a");
    meta.mode = 0664;
    strcpy(meta.acl, "u:9");
    sim_set_attributes("/a", &meta);
    CHECK_INT(os_narrow(file, 0640), 0);
    CHECK_INT(sim_attributes("/a").mode, 0640);
    CHECK_TEXT(sim_attributes("/a").acl, "");
    sim_process_user(1000, 1000);
    CHECK_INT(os_narrow(file, 0600), -EPERM);
    CHECK_INT(os_time(file, &time), 0);
    CHECK_INT(time, os_wall_clock() * OS_SECOND);
    CHECK_INT(os_copy_time(file, file), 0);
}

TEST(a_new_file_gets_the_mask_the_group_and_the_default_acl_of_its_directory)
{
    os_fd dir = begin(), folder, file;
    sim_make_dir("/shared");
    struct sim_attributes attributes = {.mode = 02775, .group = 50, .default_acl = "g:staff"};
    sim_set_attributes("/shared", &attributes);
    sim_process_mask(027);
    CHECK_INT(os_open_dir(dir, "shared", true, &folder), 0);
    file = make(dir, "a");
    CHECK_INT(sim_attributes("/a").mode, 0640);
    CHECK_INT(os_new_meta(folder, file, 0), 0);
    CHECK_INT(sim_attributes("/a").group, 50);
    CHECK_TEXT(sim_attributes("/a").acl, "g:staff");
    CHECK_INT(os_share(file, folder, NULL), 0);
    CHECK_INT(sim_attributes("/a").mode, 0660);
    CHECK_INT(os_share(file, folder, &(uint32_t){7}), 0);
    CHECK_INT(sim_attributes("/a").mode, 0600);
    CHECK_INT(sim_attributes("/a").owner, 7);
}

/* ---- faults and misuse ---- */

TEST(a_fault_hits_the_call_it_was_aimed_at_once_or_for_ever)
{
    os_fd dir = begin(), file = make(dir, "a");
    sim_fail(&(struct sim_fault){.at = 2, .error = EIO, .verbs = SIM_ONLY(SIM_WRITE_AT)});
    CHECK_INT(os_write_at(file, "a", 1, 0), 1);
    CHECK_INT(os_flush(file), 0);
    CHECK_INT(os_write_at(file, "a", 1, 0), -EIO);
    CHECK_INT(os_write_at(file, "a", 1, 0), 1);
    CHECK(sim_fault_fired());
    sim_fail(&(struct sim_fault){.at = 1, .error = ENOSPC, .forever = true});
    CHECK_INT(os_write_at(file, "a", 1, 0), -ENOSPC);
    CHECK_INT(os_flush_dir(dir), -ENOSPC);
    sim_fail(NULL);
    CHECK_INT(os_flush_dir(dir), 0);
}

TEST(a_write_stops_short_or_fails_half_done)
{
    os_fd dir = begin(), file = make(dir, "a");
    unsigned writes = SIM_ONLY(SIM_WRITE_AT);
    sim_fail(&(struct sim_fault){.at = 1, .effect = SIM_SHORT, .verbs = writes});
    CHECK_INT(os_write_at(file, "abcdef", 6, 0), 3);
    CHECK_TEXT(sim_get("/a"), "abc");
    sim_fail(&(struct sim_fault){.at = 1, .error = EIO, .effect = SIM_HALF_DONE, .verbs = writes});
    CHECK_INT(os_write_at(file, "123456", 6, 0), -EIO);
    CHECK_TEXT(sim_get("/a"), "123");
    sim_fail(&(struct sim_fault){.at = 1, .error = EIO, .effect = SIM_DONE_ANYWAY});
    CHECK_INT(os_rename(dir, "a", dir, "b", OS_REPLACE), -EIO);
    CHECK_TEXT(sim_get("/b"), "123");
}

TEST(a_failed_flush_can_take_back_what_was_visible)
{
    os_fd dir = begin(), file = make(dir, "a");
    CHECK_INT(os_write_at(file, "old", 3, 0), 3);
    CHECK_INT(os_flush(file), 0);
    CHECK_INT(os_write_at(file, "newer", 5, 0), 5);
    sim_fail(&(struct sim_fault){.at = 1, .error = EIO, .effect = SIM_REVERTED});
    CHECK_INT(os_flush(file), -EIO);
    CHECK_TEXT(sim_get("/a"), "old");
}

TEST(a_path_leads_below_a_directory_and_through_no_link)
{
    os_fd dir = begin(), file = OS_NONE;
    struct os_stat stat;
    CHECK_INT(os_make_dir(dir, "d", 0755), 0);
    CHECK_INT(os_open(dir, "d/a", OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0600, &file), 0);
    os_close(file);
    CHECK_INT(os_open(dir, "d/a", OS_READ, 0, &file), 0);
    os_close(file);
    CHECK_INT(os_stat(dir, "d/a", &stat), 0);
    CHECK_INT(os_stat(dir, "d/b", &stat), -ENOENT);
    CHECK_INT(os_open(dir, "e/a", OS_READ, 0, &file), -ENOENT);
    CHECK_INT(os_open(dir, "d/a/b", OS_READ, 0, &file), -ENOTDIR);
    sim_symlink("/l", "d");
    CHECK_INT(os_open(dir, "l/a", OS_READ, 0, &file), -ELOOP);
    CHECK_INT(os_open_dir(dir, "l", true, &file), -ELOOP);
    CHECK_INT(os_stat(dir, "l/a", &stat), 0);
    CHECK_INT(os_rename(dir, "d/a", dir, "b", OS_REPLACE), 0);
    CHECK_INT(os_stat(dir, "b", &stat), 0);
    CHECK_INT(os_remove(dir, "d/a", false), -ENOENT);
    CHECK_TEXT(sim_misuse(), NULL);
}

TEST(a_look_follows_links_and_is_never_of_long_ago)
{
    os_fd dir = begin(), file = make(dir, "a");
    struct os_version version;
    sim_symlink("/l", "a");
    CHECK_INT(os_look("/l", &version), 0);
    struct os_stat stat = stat_of(dir, "a");
    CHECK_INT(version.inode, stat.inode);
    CHECK_INT(version.device, stat.device);
    CHECK_INT(version.born, stat.born);
    CHECK_INT(version.size, 0);
    CHECK_INT(version.changed / 1000000000u, os_wall_clock());
    CHECK_INT(os_look("/missing", &version), -ENOENT);
    os_close(file);
    CHECK_TEXT(sim_misuse(), NULL);
}

TEST(a_closed_handle_and_an_absolute_name_are_noticed)
{
    os_fd dir = begin(), file = make(dir, "a");
    CHECK_INT(os_close(OS_NONE), 0);
    CHECK_INT(os_close(file), 0);
    CHECK_TEXT(sim_misuse(), NULL);
    CHECK_INT(os_close(file), -EBADF);
    CHECK(strstr(sim_misuse(), "not open") != NULL);
    sim_start(NULL);
    CHECK_INT(os_open(root(), "/a", OS_READ, 0, &file), -EBADF);
    CHECK(strstr(sim_misuse(), "slash") != NULL);
    sim_start(NULL);
    CHECK_INT(os_flush_dir(dir), -EBADF); /* of the machine before */
    CHECK(sim_misuse() != NULL);
}

/* ---- time and processes ---- */

static int interruptions;

static void interrupt(void *context, int call)
{
    (void)context, (void)call;
    interruptions++;
    sim_process(1);
    sim_put("/meanwhile", "x");
    (void)os_close(root());
}

TEST(what_others_do_meanwhile_comes_before_each_call_and_each_sleep)
{
    os_fd dir = begin();
    interruptions = 0;
    sim_set_meanwhile(interrupt, NULL);
    struct os_stat stat;
    CHECK_INT(os_stat(dir, "meanwhile", &stat), 0);
    uint64_t before = os_clock_ns();
    os_sleep_ns(1000000);
    CHECK(os_clock_ns() >= before + 1000000);
    CHECK_INT(interruptions, 2);
}

TEST(a_process_is_alive_until_it_is_killed_and_not_after_its_number_came_again)
{
    struct os_process self;
    begin();
    sim_process(3);
    os_self(&self);
    CHECK(os_is_alive(&self));
    sim_process(0);
    sim_process_kill(3);
    CHECK(!os_is_alive(&self));
    os_sleep_ns(1000000);
    sim_process(3);
    CHECK(!os_is_alive(&self));
}

TEST(random_bytes_come_from_the_seed)
{
    uint64_t one, again, other;
    sim_start(&(struct sim_options){.seed = 1});
    CHECK_INT(os_random(&one, sizeof one), 0);
    sim_start(&(struct sim_options){.seed = 1});
    CHECK_INT(os_random(&again, sizeof again), 0);
    sim_start(&(struct sim_options){.seed = 2});
    CHECK_INT(os_random(&other, sizeof other), 0);
    CHECK(one == again);
    CHECK(one != other);
}
