/* Owner, mode, access control lists and extended attributes, on the real system. */
#include "harness.h"

#include "file/acl.h"
#include "file/interpose.h"
#include "file/support.h"
#include "os/os.h"

static os_fd open_at(const char *name, unsigned how)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, name, how, 0600, &file), 0);
    return file;
}

static os_fd open_dir(const char *path)
{
    os_fd dir = OS_NONE;
    CHECK_INT(os_open_dir(OS_NONE, path, false, &dir), 0);
    return dir;
}

static void own(const char *path, uid_t user, gid_t group, unsigned mode)
{
    CHECK_INT(chown(path, user, group), 0);
    CHECK_INT(chmod(path, mode), 0);
}

/* Gives "to" what "from" has; returns what could not be given. */
static unsigned copy_meta(unsigned mode)
{
    unsigned result = 99;
    os_fd from = open_at("from", OS_READ), to = open_at("to", OS_WRITE);
    CHECK_INT(os_copy_meta(from, to, mode, &result), 0);
    os_close(from);
    os_close(to);
    return result;
}

static void make_both(void)
{
    put("from", "");
    put("to", "");
    own("from", (uid_t)-1, (gid_t)-1, 0640);
    own("to", (uid_t)-1, (gid_t)-1, 0600);
}

static const char *attribute_of(const char *path, const char *attribute)
{
    static char value[256];
    ssize_t size = getxattr(path, attribute, value, sizeof value - 1);
    value[size < 0 ? 0 : size] = '\0';
    return size < 0 ? NULL : value;
}

static void set_attribute(const char *path, const char *attribute, const char *value)
{
    if (setxattr(path, attribute, value, strlen(value), 0) < 0)
        SKIP("this file system does not keep such an attribute");
}

TEST(owner_group_and_all_mode_bits_are_given)
{
    need_root();
    make_both();
    own("from", ALICE, CREW, 06755);
    CHECK_INT(copy_meta(0), 0);
    CHECK_INT(stat_of("to").st_uid, ALICE);
    CHECK_INT(stat_of("to").st_gid, CREW);
    CHECK_INT(mode_of("to"), 06755);
}

TEST(a_mode_replaces_the_permission_bits)
{
    make_both();
    CHECK_INT(copy_meta(0400), 0);
    CHECK_INT(mode_of("to"), 0400);
    own("to", (uid_t)-1, (gid_t)-1, 0600);
    CHECK_INT(copy_meta(0600), 0);
    CHECK_INT(mode_of("to"), 0600);
}

TEST(an_access_control_list_is_given_and_a_mode_drops_it)
{
    make_both();
    set_acl("from", ACL_OF_FILE, 6, BOB, 4, 0, 4, 0);
    CHECK_INT(copy_meta(0), 0);
    CHECK_TEXT(acl_of("to", ACL_OF_FILE), "1:6 2=12346:4 4:0 16:4 32:0");
    CHECK_INT(copy_meta(0600), 0);
    CHECK_TEXT(acl_of("to", ACL_OF_FILE), "");
    CHECK_INT(mode_of("to"), 0600);
}

TEST(an_access_control_list_is_removed_where_the_source_has_none)
{
    make_both();
    set_acl("to", ACL_OF_FILE, 6, BOB, 7, 7, 7, 7);
    CHECK_INT(copy_meta(0), 0);
    CHECK_TEXT(acl_of("to", ACL_OF_FILE), "");
    CHECK_INT(mode_of("to"), 0640);
}

TEST(extended_attributes_are_given)
{
    make_both();
    set_attribute("from", "user.one", "1");
    set_attribute("from", "user.empty", "");
    CHECK_INT(copy_meta(0), 0);
    CHECK_TEXT(attribute_of("to", "user.one"), "1");
    CHECK_TEXT(attribute_of("to", "user.empty"), "");
    CHECK_INT(copy_meta(0600), 0);
    CHECK_TEXT(attribute_of("to", "user.one"), "1");
}

TEST(labels_and_capabilities_are_given_after_the_owner)
{
    /* Version 2, effective, and the right to bind low ports. */
    static const unsigned char capability[20] = {1, 0, 0, 2, 0, 4};
    char now[64];
    need_root();
    make_both();
    own("from", ALICE, CREW, 0755);
    set_attribute("from", "security.untorn", "label");
    CHECK_INT(setxattr("from", "security.capability", capability, sizeof capability, 0), 0);
    CHECK_INT(copy_meta(0), 0);
    CHECK_TEXT(attribute_of("to", "security.untorn"), "label");
    CHECK_INT(stat_of("to").st_uid, ALICE);
    ssize_t size = getxattr("to", "security.capability", now, sizeof now);
    CHECK_BYTES(now, (size_t)size, capability, sizeof capability);
}

TEST(what_the_kernel_computes_for_one_inode_is_not_copied)
{
    need_root();
    make_both();
    set_attribute("from", "security.ima", "\4\2");
    CHECK_INT(copy_meta(0), 0);
    CHECK(attribute_of("to", "security.ima") == NULL);
}

TEST(a_source_that_is_only_held_gives_its_attributes_too)
{
    unsigned result;
    make_both();
    set_attribute("from", "user.one", "1");
    set_acl("from", ACL_OF_FILE, 6, BOB, 4, 0, 4, 0);
    os_fd from = open_at("from", OS_HOLD), to = open_at("to", OS_WRITE);
    CHECK_INT(os_copy_meta(from, to, 0, &result), 0);
    CHECK_INT(result, 0);
    CHECK_TEXT(attribute_of("to", "user.one"), "1");
    CHECK_TEXT(acl_of("to", ACL_OF_FILE), "1:6 2=12346:4 4:0 16:4 32:0");
    os_close(from);
    os_close(to);
}

static void copy_as_alice(void *context)
{
    unsigned *expected = context;
    put("to", "");
    CHECK_INT(chmod("to", 0600), 0);
    CHECK_INT(copy_meta(0), expected[0]);
    CHECK_INT(mode_of("to"), expected[1]);
    CHECK_INT(stat_of("to").st_uid, ALICE);
    CHECK_INT(stat_of("to").st_gid, expected[2]);
}

TEST(where_the_owner_is_denied_the_group_and_the_rest_are_given)
{
    unsigned expected[] = {OS_META_OWNER_DENIED, 0664, CREW};
    need_root();
    CHECK_INT(chmod(".", 0777), 0);
    put("from", "");
    own("from", BOB, CREW, 06664);
    in_child_as(ALICE, CREW, copy_as_alice, expected);
}

TEST(where_the_group_is_denied_too_its_bits_are_dropped)
{
    unsigned expected[] = {OS_META_OWNER_DENIED, 0604, ALICE};
    need_root();
    CHECK_INT(chmod(".", 0777), 0);
    put("from", "");
    own("from", BOB, CREW, 0664);
    in_child_as(ALICE, ALICE, copy_as_alice, expected);
}

TEST(an_attribute_that_cannot_be_given_is_lost_and_said_so)
{
    unsigned expected[] = {OS_META_LOST, 0644, ALICE};
    need_root();
    CHECK_INT(chmod(".", 0777), 0);
    put("from", "");
    own("from", ALICE, ALICE, 0644);
    set_attribute("from", "security.untorn", "label");
    in_child_as(ALICE, ALICE, copy_as_alice, expected);
}

TEST(a_label_that_is_right_already_needs_no_privilege)
{
    make_both();
    set_attribute("from", "user.one", "1");
    set_attribute("to", "user.one", "1");
    fail_always(CALL_SETXATTR, "user.one", EPERM);
    CHECK_INT(copy_meta(0), 0);
    set_attribute("from", "user.one", "2");
    CHECK_INT(copy_meta(0), OS_META_LOST);
}

/* What a copy returns when one call of it fails. */
static int copy_failing(enum call call, const char *path, int code, unsigned *ret_result)
{
    os_fd from = open_at("from", OS_READ), to = open_at("to", OS_WRITE);
    fail_always(call, path, code);
    int rc = os_copy_meta(from, to, 0, ret_result);
    forget_rules();
    os_close(from);
    os_close(to);
    return rc;
}

TEST(attributes_that_cannot_be_read_are_lost_and_said_so)
{
    unsigned result;
    make_both();
    set_attribute("from", "user.one", "1");
    CHECK_INT(copy_failing(CALL_LISTXATTR, "/from", EACCES, &result), 0);
    CHECK_INT(result, OS_META_LOST);
    CHECK_INT(copy_failing(CALL_LISTXATTR, "", ENOTSUP, &result), 0);
    CHECK_INT(result, 0);
    CHECK_INT(copy_failing(CALL_GETXATTR, "/from/user.one", EACCES, &result), 0);
    CHECK_INT(result, OS_META_LOST);
    CHECK_INT(copy_failing(CALL_GETXATTR, "/from/user.one", ENODATA, &result), 0);
    CHECK_INT(result, 0);
}

TEST(a_disk_that_is_full_or_broken_is_a_failure_and_not_a_loss)
{
    static const int codes[] = {ENOSPC, EDQUOT, EIO};
    unsigned result;
    make_both();
    set_acl("from", ACL_OF_FILE, 6, BOB, 4, 0, 4, 0);
    set_attribute("from", "user.one", "1");
    for (int i = 0; i < 3; i++) {
        CHECK_INT(copy_failing(CALL_SETXATTR, "acl_access", codes[i], &result), -codes[i]);
        CHECK_INT(copy_failing(CALL_SETXATTR, "user.one", codes[i], &result), -codes[i]);
    }
}

TEST(every_other_step_that_fails_is_told)
{
    unsigned result;
    make_both();
    own("from", (uid_t)-1, (gid_t)-1, 0644);
    CHECK_INT(copy_failing(CALL_STAT, "/from", EIO, &result), -EIO);
    CHECK_INT(copy_failing(CALL_STAT, "/to", EIO, &result), -EIO);
    CHECK_INT(copy_failing(CALL_CHMOD, "/to", EIO, &result), -EIO);
    set_acl("to", ACL_OF_FILE, 6, BOB, 7, 7, 7, 7);
    CHECK_INT(copy_failing(CALL_REMOVEXATTR, "/to", EPERM, &result), -EPERM);
    if (getuid() == 0) {
        own("from", ALICE, CREW, 0644);
        CHECK_INT(copy_failing(CALL_CHOWN, "/to", EIO, &result), -EIO);
    }
}

/* ---- new files ---- */

static void new_meta(unsigned mode)
{
    os_fd dir = open_dir("dir"), file = open_at("dir/sub/f", OS_WRITE);
    CHECK_INT(os_new_meta(dir, file, mode), 0);
    os_close(file);
    os_close(dir);
}

static void make_new(unsigned mode)
{
    make_dir("dir", 0755);
    make_dir("dir/sub", 0755);
    put("dir/sub/f", "");
    CHECK_INT(chmod("dir/sub/f", mode), 0);
}

TEST(a_new_file_keeps_what_the_umask_gave_it)
{
    make_new(0640);
    new_meta(0);
    CHECK_INT(mode_of("dir/sub/f"), 0640);
}

TEST(a_new_file_gets_exactly_the_mode_it_was_given)
{
    make_new(0600);
    new_meta(0644);
    CHECK_INT(mode_of("dir/sub/f"), 0644);
    new_meta(0644);
    CHECK_INT(mode_of("dir/sub/f"), 0644);
}

TEST(a_new_file_gets_the_group_of_a_set_group_id_directory)
{
    need_root();
    make_new(0664);
    own("dir", 0, CREW, 02775);
    new_meta(0);
    CHECK_INT(stat_of("dir/sub/f").st_gid, CREW);
    CHECK_INT(mode_of("dir/sub/f"), 0664);
}

static void take_a_group_that_is_not_mine(void *context)
{
    (void)context;
    new_meta(0640);
    CHECK_INT(stat_of("dir/sub/f").st_gid, ALICE);
    CHECK_INT(mode_of("dir/sub/f"), 0640);
}

TEST(a_group_that_cannot_be_given_is_no_failure)
{
    need_root();
    make_new(0600);
    own("dir", 0, CREW, 02777);
    own("dir/sub/f", ALICE, ALICE, 0600);
    in_child_as(ALICE, ALICE, take_a_group_that_is_not_mine, NULL);
}

TEST(a_new_file_gets_the_default_list_without_execute)
{
    make_new(0644);
    set_acl("dir", ACL_OF_NEW_FILES, 7, BOB, 7, 5, 7, 5);
    new_meta(0);
    CHECK_TEXT(acl_of("dir/sub/f", ACL_OF_FILE), "1:6 2=12346:7 4:5 16:6 32:4");
    CHECK_INT(mode_of("dir/sub/f"), 0664);
}

TEST(a_default_list_without_a_mask_narrows_the_group)
{
    struct {
        uint32_t version;
        struct acl_line lines[3];
    } acl = {2, {{1, 7, UINT32_MAX}, {4, 7, UINT32_MAX}, {32, 5, UINT32_MAX}}};
    make_new(0644);
    if (setxattr("dir", ACL_OF_NEW_FILES, &acl, sizeof acl, 0) < 0)
        SKIP("this file system has no access control lists");
    new_meta(0);
    CHECK_INT(mode_of("dir/sub/f"), 0664);
    CHECK_TEXT(acl_of("dir/sub/f", ACL_OF_FILE), "");
}

TEST(a_default_list_that_cannot_be_read_or_given_is_a_failure)
{
    make_new(0644);
    set_acl("dir", ACL_OF_NEW_FILES, 7, BOB, 7, 5, 7, 5);
    os_fd dir = open_dir("dir"), file = open_at("dir/sub/f", OS_WRITE);
    fail(CALL_GETXATTR, "acl_default", 1, EIO);
    CHECK_INT(os_new_meta(dir, file, 0), -EIO);
    fail(CALL_SETXATTR, "acl_access", 1, ENOSPC);
    CHECK_INT(os_new_meta(dir, file, 0), -ENOSPC);
    fail(CALL_GETXATTR, "acl_default", 1, ENOTSUP);
    CHECK_INT(os_new_meta(dir, file, 0), 0);
    fail(CALL_STAT, "/dir", 1, EIO);
    CHECK_INT(os_new_meta(dir, file, 0), -EIO);
    os_close(file);
    os_close(dir);
}

static void give_away(void *context)
{
    os_fd file = open_at("f", OS_READ);
    (void)context;
    CHECK_INT(os_give(file, BOB, CREW, 0640), -EPERM);
    CHECK_INT(mode_of("f"), 06750);
    CHECK_INT(os_give(file, ALICE, CREW, 0640), 0);
    CHECK_INT(mode_of("f"), 0600);
    os_close(file);
}

TEST(a_file_is_given_to_a_user_and_a_group_with_a_mode)
{
    need_root();
    put("f", "");
    os_fd file = open_at("f", OS_READ);
    CHECK_INT(os_give(file, ALICE, BOB, 06750), 0);
    os_close(file);
    CHECK_INT(stat_of("f").st_uid, ALICE);
    CHECK_INT(stat_of("f").st_gid, BOB);
    CHECK_INT(mode_of("f"), 06750);
    in_child_as(ALICE, ALICE, give_away, NULL);
    CHECK_INT(stat_of("f").st_gid, BOB);
}

/* ---- files and folders of our own ---- */

static void share(const char *made, const char *parent, const uint32_t *private_owner)
{
    os_fd like = open_dir(parent), it = open_at(made, OS_READ);
    CHECK_INT(os_share(it, like, private_owner), 0);
    os_close(it);
    os_close(like);
}

TEST(a_folder_of_ours_is_as_open_as_its_parent)
{
    static const unsigned modes[][2] = {{0700, 0700},  {0755, 0755},   {0775, 0775}, {0777, 0777},
                                        {01777, 0777}, {02775, 02775}, {0555, 0755}, {0500, 0700}};
    make_dir("parent", 0700);
    make_dir("parent/ours", 0700);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(chmod("parent", modes[i][0]), 0);
        share("parent/ours", "parent", NULL);
        CHECK_INT(mode_of("parent/ours"), modes[i][1]);
    }
    CHECK_INT(chmod("parent", 0700), 0);
}

TEST(a_file_of_ours_is_for_those_who_may_write_the_parent)
{
    static const unsigned modes[][2] = {{0700, 0600}, {0755, 0600},  {0775, 0660}, {0777, 0666},
                                        {0757, 0606}, {02775, 0660}, {0555, 0600}};
    make_dir("parent", 0700);
    put("parent/ours", "");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(chmod("parent", modes[i][0]), 0);
        share("parent/ours", "parent", NULL);
        CHECK_INT(mode_of("parent/ours"), modes[i][1]);
    }
    CHECK_INT(chmod("parent", 0700), 0);
}

TEST(what_is_ours_belongs_to_the_parents_owner_and_group)
{
    need_root();
    make_dir("parent", 0770);
    make_dir("parent/ours", 0700);
    put("parent/file", "");
    CHECK_INT(chown("parent", ALICE, CREW), 0);
    share("parent/ours", "parent", NULL);
    share("parent/file", "parent", NULL);
    CHECK_INT(stat_of("parent/ours").st_uid, ALICE);
    CHECK_INT(stat_of("parent/ours").st_gid, CREW);
    CHECK_INT(stat_of("parent/file").st_uid, ALICE);
    CHECK_INT(mode_of("parent/file"), 0660);
}

static void share_what_is_mine(void *context)
{
    (void)context;
    share("parent/ours", "parent", NULL);
    CHECK_INT(stat_of("parent/ours").st_uid, ALICE);
    CHECK_INT(stat_of("parent/ours").st_gid, CREW);
    CHECK_INT(mode_of("parent/ours"), 0770);
}

TEST(where_the_owner_cannot_be_given_the_group_is)
{
    need_root();
    make_dir("parent", 0770);
    make_dir("parent/ours", 0700);
    CHECK_INT(chown("parent", BOB, CREW), 0);
    CHECK_INT(chown("parent/ours", ALICE, ALICE), 0);
    in_child_as(ALICE, CREW, share_what_is_mine, NULL);
}

TEST(the_list_of_the_parent_is_shared_and_its_default_is_not)
{
    make_dir("parent", 0770);
    set_acl("parent", ACL_OF_FILE, 7, BOB, 7, 0, 7, 0);
    set_acl("parent", ACL_OF_NEW_FILES, 7, BOB, 7, 0, 7, 0);
    make_dir("parent/ours", 0700);
    put("parent/file", "");
    share("parent/ours", "parent", NULL);
    share("parent/file", "parent", NULL);
    CHECK_TEXT(acl_of("parent/ours", ACL_OF_FILE), "1:7 2=12346:7 4:0 16:7 32:0");
    CHECK_TEXT(acl_of("parent/ours", ACL_OF_NEW_FILES), "");
    CHECK_TEXT(acl_of("parent/file", ACL_OF_FILE), "1:6 2=12346:7 4:0 16:6 32:0");
}

TEST(what_is_private_is_for_one_user_alone)
{
    uint32_t alice = ALICE, me = getuid();
    make_dir("parent", 01777);
    set_acl("parent", ACL_OF_NEW_FILES, 7, BOB, 7, 7, 7, 7);
    make_dir("parent/ours", 0777);
    put("parent/file", "");
    share("parent/ours", "parent", &me);
    share("parent/file", "parent", &me);
    CHECK_INT(mode_of("parent/ours"), 0700);
    CHECK_INT(mode_of("parent/file"), 0600);
    CHECK_TEXT(acl_of("parent/ours", ACL_OF_NEW_FILES), "");
    if (getuid() == 0) {
        share("parent/ours", "parent", &alice);
        CHECK_INT(stat_of("parent/ours").st_uid, ALICE);
    }
}

TEST(sharing_that_fails_is_told)
{
    make_dir("parent", 0755);
    make_dir("parent/ours", 0700);
    os_fd parent = open_dir("parent"), ours = open_dir("parent/ours");
    fail(CALL_CHMOD, "/ours", 1, EPERM);
    CHECK_INT(os_share(ours, parent, NULL), -EPERM);
    fail(CALL_STAT, "/parent", 1, EIO);
    CHECK_INT(os_share(ours, parent, NULL), -EIO);
    os_close(ours);
    os_close(parent);
}

/* ---- what a file system can keep ---- */

TEST(attributes_are_tried_out)
{
    bool attributes = false, acl = false;
    put("f", "");
    os_fd file = open_at("f", OS_READ | OS_WRITE);
    os_attributes(file, &attributes, &acl);
    CHECK_INT(attributes, setxattr("f", "user.x", "", 0, 0) == 0);
    fail_always(CALL_SETXATTR, "/f", ENOTSUP);
    fail(CALL_GETXATTR, "/f", 1, ENOTSUP);
    os_attributes(file, &attributes, &acl);
    CHECK(!attributes);
    CHECK(!acl);
    fail(CALL_GETXATTR, "/f", 1, ENODATA);
    os_attributes(file, &attributes, &acl);
    CHECK(acl);
    os_close(file);
}

TEST(a_plain_file_has_neither_list_nor_attributes)
{
    os_fd file = OS_NONE;
    put("f", "x");
    CHECK_INT(os_open(OS_NONE, "f", OS_READ, 0, &file), 0);
    CHECK(os_is_plain(file));
    if (setxattr("f", "user.note", "x", 1, 0) < 0)
        SKIP("this file system has no extended attributes");
    CHECK(!os_is_plain(file));
    CHECK_INT(removexattr("f", "user.note"), 0);
    CHECK(os_is_plain(file));
    fail(CALL_LISTXATTR, "/f", 1, EIO);
    CHECK(!os_is_plain(file));
    fail(CALL_LISTXATTR, "/f", 1, ENOTSUP);
    CHECK(os_is_plain(file));
    os_close(file);
}

static void narrow(const char *path, unsigned mode)
{
    os_fd file = open_at(path, OS_READ);
    CHECK_INT(os_narrow(file, mode), 0);
    os_close(file);
}

TEST(narrowing_takes_bits_and_the_list_away_and_gives_none)
{
    make_both();
    own("from", (uid_t)-1, (gid_t)-1, 0664);
    narrow("from", 0640);
    CHECK_INT(mode_of("from"), 0640);
    narrow("from", 0777);
    CHECK_INT(mode_of("from"), 0640);
    set_acl("from", ACL_OF_FILE, 6, BOB, 6, 0, 6, 0);
    narrow("from", 0660);
    CHECK_TEXT(acl_of("from", ACL_OF_FILE), "");
    CHECK_INT(mode_of("from") & ~0660u, 0);
}

TEST(narrowing_that_fails_is_told)
{
    make_both();
    os_fd file = open_at("from", OS_READ);
    fail(CALL_CHMOD, "/from", 1, EPERM);
    CHECK_INT(os_narrow(file, 0600), -EPERM);
    fail(CALL_STAT, "/from", 1, EIO);
    CHECK_INT(os_narrow(file, 0600), -EIO);
    os_close(file);
}

TEST(the_time_of_a_file_is_read_and_given)
{
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1234567, .tv_nsec = 500}};
    int64_t time = 0;
    make_both();
    CHECK_INT(utimensat(AT_FDCWD, "from", times, 0), 0);
    os_fd from = open_at("from", OS_READ), to = open_at("to", OS_WRITE);
    CHECK_INT(os_time(from, &time), 0);
    CHECK_INT(time, 1234567000000500);
    CHECK_INT(os_copy_time(from, to), 0);
    CHECK_INT(stat_of("to").st_mtime, 1234567);
    CHECK(stat_of("to").st_atime != 1000);
    os_close(from);
    os_close(to);
    CHECK_INT(os_time(from, &time), -EBADF);
    CHECK_INT(os_copy_time(from, to), -EBADF);
}
