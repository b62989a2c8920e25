/* untorn/probe.h: what a directory's file system gives, tried out. */
#include "harness.h"

#include <sys/file.h>

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static struct untorn_probe probe;

static int try_out(const char *path)
{
    memset(&probe, 0xff, sizeof probe);
    return untorn_probe(path, &probe, &error);
}

static void check_zeroed(void)
{
    struct untorn_probe zero;
    memset(&zero, 0, sizeof zero);
    CHECK(memcmp(&probe, &zero, sizeof zero) == 0);
}

TEST(an_ordinary_directory_gives_what_we_need_and_stays_clean)
{
    int before = open_descriptors();
    CHECK_INT(try_out("."), 0);
    CHECK(probe.filesystem[0]);
    CHECK(probe.writable);
    CHECK(probe.lock);
    CHECK(probe.replace);
    CHECK(probe.hard_link);
    CHECK_INT(count_entries(".", ""), 0);
    CHECK_INT(open_descriptors(), before);
}

TEST(memory_is_told_from_a_disk)
{
    CHECK_INT(try_out("/dev/shm"), 0);
    CHECK_TEXT(probe.filesystem, "tmpfs");
    CHECK(!probe.full_flush);
    CHECK(!probe.network);
    CHECK(!probe.case_insensitive);
}

TEST(what_is_no_directory_is_told)
{
    put("f", "");
    CHECK_INT(try_out("missing"), -UNTORN_MISSING);
    check_zeroed();
    CHECK(try_out("f") < 0);
    check_zeroed();
    CHECK_INT(untorn_probe("missing", &probe, NULL), -UNTORN_MISSING);
}

static void try_closed(void *context)
{
    (void)context;
    CHECK_INT(try_out("d"), 0);
    CHECK(!probe.writable);
    CHECK(probe.filesystem[0]);
}

TEST(a_directory_that_cannot_be_written_is_reported_as_such)
{
    need_root();
    make_dir("d", 0755);
    in_child_as(ALICE, ALICE, try_closed, NULL);
}

TEST(a_read_only_file_system_is_reported_as_not_writable)
{
    fail(CALL_MKDIR, "untorn-probe", 1, EROFS);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.writable);
}

TEST(a_network_mount_is_reported)
{
    pretended_filesystem = NFS;
    CHECK_INT(try_out("."), 0);
    CHECK(probe.network);
    CHECK_TEXT(probe.filesystem, "nfs");
}

TEST(each_thing_that_is_missing_is_missing_alone)
{
    fail_always(CALL_FLOCK, "untorn-probe", ENOLCK);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.lock && probe.replace && probe.hard_link);
    forget_rules();
    fail_always(CALL_LINK, "untorn-probe", EPERM);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.hard_link && probe.lock && probe.replace);
    forget_rules();
    fail(CALL_FSYNC, "untorn-probe", 2, EINVAL);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.directory_flush && probe.replace);
    forget_rules();
    fail_always(CALL_SETXATTR, "untorn-probe", ENOTSUP);
    fail_always(CALL_GETXATTR, "untorn-probe", ENOTSUP);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.extended_attributes && !probe.acl && probe.replace);
    forget_rules();
    fail(CALL_RENAME, "untorn-probe", 1, EINVAL);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.exchange && probe.create_no_replace && probe.replace);
    forget_rules();
    fail_always(CALL_RENAME, "untorn-probe", EINVAL);
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.exchange && !probe.replace);
    CHECK_INT(count_entries(".", ""), 0);
}

/* The second name has been found by the first: as on a file system that folds case. */
static void make_other_case(void *context)
{
    (void)context;
    char path[8192];
    snprintf(path, sizeof path, "%s/case", only_entry(".", "untorn-probe"));
    put(path, "");
}

TEST(what_a_killed_probe_left_is_cleared_up)
{
    char name[64], path[80];
    snprintf(name, sizeof name, ".untorn-probe-%u", geteuid());
    make_dir(name, 0700);
    snprintf(path, sizeof path, "%s/a", name);
    put(path, "left");
    CHECK_INT(try_out("."), 0);
    CHECK(probe.writable && probe.lock && probe.replace);
    CHECK_INT(count_entries(".", ""), 0);
}

TEST(a_probe_leaves_another_that_runs_alone)
{
    char name[64];
    snprintf(name, sizeof name, ".untorn-probe-%u", geteuid());
    make_dir(name, 0700);
    int theirs = open(name, O_RDONLY);
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    CHECK_INT(try_out("."), 0);
    CHECK(probe.writable && probe.lock && probe.replace);
    CHECK_INT(count_entries(".", ""), 1);
    fail(CALL_ENTROPY, "", 1, EIO);
    CHECK_INT(try_out("."), -UNTORN_IO);
    CHECK_INT(count_entries(".", ""), 1);
    close(theirs);
}

static void try_beside_a_trap(void *context)
{
    (void)context;
    CHECK_INT(try_out("d"), 0);
    CHECK(probe.writable);
}

TEST(a_folder_that_somebody_else_made_for_us_is_left_alone)
{
    need_root();
    make_dir("d", 0777);
    make_dir("d/.untorn-probe-12345", 0777);
    put("d/.untorn-probe-12345/a", "theirs");
    in_child_as(ALICE, ALICE, try_beside_a_trap, NULL);
    CHECK_TEXT(text_of("d/.untorn-probe-12345/a"), "theirs");
    CHECK_INT(count_entries("d", ""), 1);
}

TEST(folded_case_is_noticed)
{
    CHECK_INT(try_out("."), 0);
    CHECK(!probe.case_insensitive);
    at(CALL_STAT, "/case", 1, make_other_case, NULL);
    CHECK_INT(try_out("."), 0);
    CHECK(probe.case_insensitive);
    CHECK_INT(count_entries(".", ""), 0);
}

TEST(a_trial_that_fails_is_told_and_leaves_nothing)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {{CALL_WRITE, "untorn-probe", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_FSYNC, "untorn-probe", EIO, UNTORN_IO},
                  {CALL_MKDIR, "untorn-probe", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_OPEN, "untorn-probe", EMFILE, UNTORN_FAILED},
                  {CALL_STATFS, "", EIO, UNTORN_IO}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fail(faults[i].call, faults[i].path, 1, faults[i].code);
        CHECK_INT(try_out("."), -(int)faults[i].status);
        CHECK_INT(error.status, faults[i].status);
        forget_rules();
        check_zeroed();
        CHECK_INT(count_entries(".", ""), 0);
    }
}
