#include "harness.h"

#include "file/interpose.h"
#include "file/place.h"
#include "file/support.h"

static struct untorn_options options;
static struct untorn_error error;
static struct place place;

static int resolve(const char *path)
{
    error_begin(&error, NULL, path);
    return place_resolve(path, &options, &place, &error);
}

/* Resolves to `name` in the directory that `directory` names, with `exists` saying whether. */
static void check_leads_to(const char *path, const char *directory, const char *name, bool there)
{
    struct stat expected;
    CHECK_INT(resolve(path), 0);
    CHECK_INT(stat(directory, &expected), 0);
    CHECK_INT(place.dir_stat.inode, expected.st_ino);
    CHECK_TEXT(place.name, name);
    CHECK_INT(place.exists, there);
    place_close(&place);
    CHECK_INT(place.dir, OS_NONE);
}

/* Fails with `status`, and leaves nothing open. */
static void check_fails(const char *path, enum untorn_status status)
{
    int before = open_descriptors();
    CHECK_INT(resolve(path), -(int)status);
    CHECK_INT(error.status, status);
    CHECK_INT(place.dir, OS_NONE);
    CHECK_INT(open_descriptors(), before);
}

static const char *repeat(const char *text, size_t count)
{
    static char result[1 << 14];
    result[0] = '\0';
    for (size_t i = 0; i < count; i++)
        strcat(result, text);
    return result;
}

TEST(a_path_leads_to_a_directory_and_a_name)
{
    char absolute[4096];
    put("f", "text");
    make_dir("d", 0700);
    put("d/f", "");
    check_leads_to("f", ".", "f", true);
    check_leads_to("./f", ".", "f", true);
    check_leads_to("d/f", "d", "f", true);
    check_leads_to("d/../f", ".", "f", true);
    check_leads_to("d//f", "d", "f", true);
    CHECK(realpath("d/f", absolute));
    check_leads_to(absolute, "d", "f", true);
}

TEST(what_has_the_name_is_told)
{
    put("f", "12345");
    CHECK_INT(resolve("f"), 0);
    CHECK_INT(place.target.kind, OS_REGULAR);
    CHECK_INT(place.target.size, 5);
    place_close(&place);
    place_close(&place);
}

TEST(a_missing_file_is_a_place_and_a_missing_directory_is_not)
{
    check_leads_to("missing", ".", "missing", false);
    check_fails("missing/f", UNTORN_MISSING);
    CHECK(strstr(error.detail, "missing"));
    CHECK(!strstr(error.detail, "--parents")); /* that is for the command to say */
    put("f", "");
    check_fails("f/g", UNTORN_MISSING);
}

TEST(links_are_followed_against_the_physical_directory_they_lie_in)
{
    make_dir("real", 0700);
    make_dir("real/inner", 0700);
    make_dir("other", 0700);
    put("real/target", "right");
    put("target", "wrong");
    CHECK_INT(symlink("../real/inner", "other/shortcut"), 0);
    CHECK_INT(symlink("../target", "real/inner/link"), 0);
    check_leads_to("other/shortcut/link", "real", "target", true);
    check_leads_to("other/shortcut/../target", "real", "target", true);
}

TEST(absolute_links_start_at_the_root)
{
    char text[4096];
    make_dir("real", 0700);
    put("real/target", "");
    CHECK(realpath("real/target", text));
    CHECK_INT(symlink(text, "link"), 0);
    check_leads_to("link", "real", "target", true);
}

TEST(a_link_to_nothing_leads_to_where_it_points)
{
    make_dir("real", 0700);
    CHECK_INT(symlink("real/coming", "link"), 0);
    CHECK_INT(symlink("gone/coming", "worse"), 0);
    check_leads_to("link", "real", "coming", false);
    check_fails("worse", UNTORN_MISSING);
}

static void make_chain(int links)
{
    char from[16], to[16];
    put("l0", "");
    for (int i = 1; i <= links; i++) {
        snprintf(from, sizeof from, "l%d", i);
        snprintf(to, sizeof to, "l%d", i - 1);
        CHECK_INT(symlink(to, from), 0);
    }
}

TEST(a_chain_of_forty_links_is_followed_and_one_more_is_not)
{
    make_chain(LIMIT_LINKS + 1);
    check_leads_to("l40", ".", "l0", true);
    check_fails("l41", UNTORN_LINK_LOOP);
}

TEST(links_in_a_circle_are_told)
{
    CHECK_INT(symlink("b", "a"), 0);
    CHECK_INT(symlink("a", "b"), 0);
    CHECK_INT(symlink("self", "self"), 0);
    check_fails("a", UNTORN_LINK_LOOP);
    check_fails("self", UNTORN_LINK_LOOP);
    check_fails("self/f", UNTORN_LINK_LOOP);
}

TEST(a_link_can_be_refused_or_stand_for_itself)
{
    put("f", "");
    make_dir("d", 0700);
    CHECK_INT(symlink("../f", "d/link"), 0);
    CHECK_INT(symlink("d", "directory"), 0);
    options.symlink = UNTORN_REFUSE_LINK;
    check_fails("d/link", UNTORN_LINK_REFUSED);
    check_leads_to("f", ".", "f", true);
    check_leads_to("directory/g", "d", "g", false);
    options.symlink = UNTORN_REPLACE_LINK;
    CHECK_INT(resolve("d/link"), 0);
    CHECK_TEXT(place.name, "link");
    CHECK_INT(place.target.kind, OS_SYMLINK);
    place_close(&place);
}

TEST(what_is_no_regular_file_is_told_apart)
{
    make_dir("d", 0700);
    CHECK_INT(symlink("d", "link"), 0);
    CHECK_INT(mkfifo("fifo", 0600), 0);
    check_fails("d", UNTORN_NOT_A_FILE);
    CHECK_TEXT(error.detail, "it is a directory");
    check_fails("link", UNTORN_NOT_A_FILE);
    check_fails("fifo", UNTORN_NOT_A_FILE);
    CHECK_TEXT(error.detail, "it is a device, a pipe or a socket");
    check_fails("/dev/null", UNTORN_NOT_A_FILE);
    CHECK_TEXT(place_kind_text(OS_SYMLINK), "it is a symbolic link");
}

TEST(a_path_that_names_a_directory_is_told_apart_from_a_missing_file)
{
    static const char *const paths[] = {"new/", ".", "..", "/", "./.", "new/.."};
    make_dir("d", 0700);
    check_fails("d/", UNTORN_NOT_A_FILE);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        check_fails(paths[i], UNTORN_NOT_A_FILE);
        CHECK(strstr(error.detail, paths[i]));
    }
    CHECK_INT(symlink("d/", "link"), 0);
    check_fails("link", UNTORN_NOT_A_FILE);
}

TEST(an_empty_path_makes_no_sense)
{
    check_fails("", UNTORN_INVALID);
    CHECK_TEXT(error.detail, "the path is empty");
}

TEST(our_own_folder_is_no_place_for_a_file)
{
    static const char *const ours[] = {".untorn", ".untorn-0", "./.untorn", ".untorn-4294967295"};
    static const char *const others[] = {".untorn-", ".untorn-x", ".untorn-1x",
                                         ".untorns", "untorn",    ".untorn-1.json"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        check_fails(ours[i], UNTORN_NAME);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_leads_to(others[i], ".", others[i], false);
    CHECK_INT(symlink(".untorn", "link"), 0);
    check_fails("link", UNTORN_NAME);
}

TEST(a_name_is_as_long_as_the_file_system_takes_it)
{
    check_leads_to(repeat("n", 255), ".", repeat("n", 255), false);
    check_fails(repeat("n", 256), UNTORN_NAME);
    check_fails(repeat("d/", 2100), UNTORN_NOT_A_FILE);
    char path[8192];
    snprintf(path, sizeof path, "%sf", repeat("d/", 2100));
    check_fails(path, UNTORN_NAME);
    snprintf(path, sizeof path, "%sf", repeat("./", 2040));
    check_leads_to(path, ".", "f", false);
}

TEST(a_link_of_the_longest_text_is_followed)
{
    char text[8192];
    snprintf(text, sizeof text, "%sf", repeat("./", 2047));
    CHECK_INT(strlen(text), 4095);
    CHECK_INT(symlink(text, "link"), 0);
    check_leads_to("link", ".", "f", false);
}

TEST(missing_directories_are_made_when_asked_for)
{
    umask(027);
    options.parents = true;
    check_leads_to("a/b/c/f", "a/b/c", "f", false);
    CHECK_INT(mode_of("a"), 0750);
    CHECK_INT(mode_of("a/b/c"), 0750);
    check_leads_to("a/b/c/f", "a/b/c", "f", false);
    check_leads_to("x//y/../z/f", "x/z", "f", false);
    CHECK_INT(symlink("to/be/made", "link"), 0);
    check_leads_to("link", "to/be", "made", false);
}

TEST(directories_above_a_private_file_are_private)
{
    umask(0);
    options.parents = true;
    options.mode = 0600;
    check_leads_to("a/b/f", "a/b", "f", false);
    CHECK_INT(mode_of("a"), 0700);
    CHECK_INT(mode_of("a/b"), 0700);
    options.mode = 0640;
    check_leads_to("c/f", "c", "f", false);
    CHECK_INT(mode_of("c"), 0777);
}

TEST(made_directories_are_flushed_at_the_default_level_only)
{
    options.parents = true;
    const struct rule *flushes = watch(CALL_FSYNC, "");
    check_leads_to("a/b/f", "a/b", "f", false);
    CHECK_INT(flushes->seen, 2);
    check_leads_to("a/b/f", "a/b", "f", false);
    CHECK_INT(flushes->seen, 2);
    options.level = UNTORN_ORDERED;
    check_leads_to("c/d/f", "c/d", "f", false);
    CHECK_INT(flushes->seen, 2);
}

TEST(directories_that_cannot_be_made_are_told)
{
    options.parents = true;
    put("f", "");
    check_fails("f/d/g", UNTORN_MISSING);
    char path[1024];
    snprintf(path, sizeof path, "%s/f", repeat("n", 256));
    check_fails(path, UNTORN_NAME);
    snprintf(path, sizeof path, "new/%s/f", repeat("n", 256));
    check_fails(path, UNTORN_NAME);
    fail(CALL_MKDIR, "a", 1, ENOSPC);
    check_fails("a/f", UNTORN_NO_SPACE);
    fail(CALL_FSYNC, "", 1, EIO);
    check_fails("b/f", UNTORN_IO);
    fail(CALL_FSYNC, "", 1, EINVAL);
    check_leads_to("c/f", "c", "f", false);
}

static void take_the_name(void *context)
{
    CHECK_INT(mkdir(context, 0700), 0);
}

TEST(a_directory_that_somebody_else_makes_meanwhile_is_used)
{
    options.parents = true;
    at(CALL_MKDIR, "d", 1, take_the_name, "d");
    check_leads_to("d/f", "d", "f", false);
}

static void find_closed_doors(void *context)
{
    (void)context;
    check_fails("closed/f", UNTORN_DENIED);
    check_leads_to("open/f", "open", "f", true);
    options.parents = true;
    check_fails("open/new/f", UNTORN_DENIED);
}

TEST(a_directory_that_may_not_be_entered_is_denied)
{
    need_root();
    make_dir("closed", 0700);
    put("closed/f", "");
    make_dir("open", 0755);
    put("open/f", "");
    in_child_as(ALICE, ALICE, find_closed_doors, NULL);
}

static void follow_links_in_shared_places(void *context)
{
    (void)context;
    check_leads_to("shared/mine", ".", "f", true);
    check_leads_to("shared/owners", ".", "f", true);
    check_fails("shared/bobs", UNTORN_DENIED);
    check_leads_to("open/bobs", ".", "f", true);
    options.symlink = UNTORN_REPLACE_LINK;
    check_leads_to("shared/bobs", "shared", "bobs", true);
}

TEST(a_link_that_somebody_put_into_a_shared_directory_is_not_followed)
{
    need_root();
    put("f", "");
    make_dir("shared", 01777);
    make_dir("open", 0777);
    CHECK_INT(symlink("../f", "shared/mine"), 0);
    CHECK_INT(symlink("../f", "shared/bobs"), 0);
    CHECK_INT(symlink("../f", "shared/owners"), 0);
    CHECK_INT(symlink("../f", "open/bobs"), 0);
    CHECK_INT(lchown("shared/mine", ALICE, ALICE), 0);
    CHECK_INT(lchown("shared/bobs", BOB, BOB), 0);
    CHECK_INT(lchown("open/bobs", BOB, BOB), 0);
    in_child_as(ALICE, ALICE, follow_links_in_shared_places, NULL);
}

TEST(a_directory_above_may_be_swapped_once_the_place_is_known)
{
    struct os_stat now;
    make_dir("d", 0700);
    put("d/f", "mine");
    make_dir("other", 0700);
    put("other/f", "theirs");
    struct stat mine = stat_of("d/f");
    CHECK_INT(resolve("d/f"), 0);
    CHECK_INT(rename("d", "moved"), 0);
    CHECK_INT(symlink("other", "d"), 0);
    CHECK_INT(os_stat(place.dir, place.name, &now), 0);
    CHECK_INT(now.inode, mine.st_ino);
    place_close(&place);
}

TEST(a_system_that_fails_is_told)
{
    put("f", "");
    CHECK_INT(symlink("f", "link"), 0);
    fail(CALL_STAT, "/f", 1, EIO);
    check_fails("f", UNTORN_IO);
    fail(CALL_STAT, "", 2, EIO);
    check_fails("f", UNTORN_IO);
    fail(CALL_OPEN, "", 1, EMFILE);
    check_fails("f", UNTORN_FAILED);
    make_dir("d", 0700);
    CHECK_INT(symlink("../f", "d/link"), 0);
    for (int nth = 1; nth <= 2; nth++) {
        forget_rules();
        fail(CALL_STAT, "/d", nth, EIO);
        check_fails("d/link", UNTORN_IO);
    }
    forget_rules();
    options.parents = true;
    fail(CALL_OPEN, "", 2, EMFILE);
    check_fails("new/f", UNTORN_FAILED);
}

TEST(a_file_that_others_have_open_is_told_also_where_nobody_knows_who_they_are)
{
    put("f", "");
    CHECK_INT(resolve("f"), 0);
    CHECK_INT(place_fail(&place, -ETXTBSY, "put the new version in place", &error), -UNTORN_FAILED);
    CHECK_INT(error.os_error, ETXTBSY);
    CHECK_TEXT(error.step, "put the new version in place");
    CHECK_TEXT(error.detail, "");
    CHECK_INT(place_fail(&place, -EIO, NULL, &error), -UNTORN_IO);
    place_close(&place);
}

static void put_a_file_there(void *context)
{
    put("new", "1");
    CHECK_INT(rename("new", context), 0);
}

static void remove_it(void *context)
{
    CHECK_INT(remove(context), 0);
}

/* Between the look at the name and the question where it leads. */
TEST(a_link_that_gives_way_to_a_file_is_that_file)
{
    static char name[] = "link";
    for (int there = 0; there < 2; there++) {
        CHECK_INT(symlink("elsewhere", name), 0);
        forget_rules();
        at(CALL_STAT, "", 2, there ? put_a_file_there : remove_it, name);
        check_leads_to(name, ".", name, there);
        CHECK(!there == (remove(name) != 0));
    }
}
