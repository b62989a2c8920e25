/* Making an earlier version the current one. */
#include "history/restore.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

#define HISTORY ".untorn/history/f"

static struct untorn_error error;
static struct untorn_options options;

static void save(const char *text)
{
    struct untorn_options keeping = {.keep = 8};
    CHECK_INT(untorn_write("f", text, strlen(text), &keeping, &error), 0);
}

/* The versions, newest first, a space between. */
static const char *versions(void)
{
    static char result[1024];
    struct untorn_content content;
    result[0] = '\0';
    for (unsigned number = 1; untorn_version_read("f", number, NULL, &content, NULL) == 0;
         number++) {
        strcat(strcat(result, number > 1 ? " " : ""), content.data);
        untorn_content_free(&content);
    }
    return result;
}

static int restore(unsigned number)
{
    return untorn_restore("f", number, &options, &error);
}

TEST(a_version_becomes_the_current_one_and_the_current_one_version_1)
{
    save("one");
    save("two");
    save("three");
    CHECK_INT(chmod("f", 0640), 0);
    CHECK_INT(restore(2), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of("f"), "one");
    CHECK_INT(mode_of("f"), 0640);
    CHECK_TEXT(versions(), "three two"); /* as many as before */
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(a_restore_leaves_as_many_versions_as_there_were_unless_told_otherwise)
{
    for (const char *text = "abcdef"; *text; text++)
        save((char[]){*text, '\0'});
    options.level = UNTORN_CACHE; /* where nothing is kept by default */
    CHECK_INT(restore(3), 0);
    CHECK_TEXT(text_of("f"), "c");
    CHECK_TEXT(versions(), "f e d b a");
    options.keep = 2;
    CHECK_INT(restore(1), 0);
    CHECK_TEXT(text_of("f"), "f");
    CHECK_TEXT(versions(), "c e");
    options.keep = UNTORN_KEEP_NONE;
    CHECK_INT(restore(1), 0);
    CHECK_TEXT(text_of("f"), "c");
    CHECK_TEXT(versions(), "");
    CHECK_INT(restore_keep(&options, 5), UNTORN_KEEP_NONE);
    options.keep = 0;
    CHECK_INT(restore_keep(&options, 0), 1);
    CHECK_INT(restore_keep(&options, 1 << 20), LIMIT_KEPT);
}

/* [PAST-10] */
TEST(where_none_is_kept_the_version_that_comes_back_goes_when_it_is_there)
{
    save("one");
    save("two");
    save("three");
    options.keep = UNTORN_KEEP_NONE;
    fail(CALL_RENAME, "/f", 1, EIO);
    CHECK_INT(restore(2), -UNTORN_IO);
    forget_rules();
    CHECK_TEXT(text_of("f"), "three");
    CHECK_TEXT(versions(), "one");
    CHECK_INT(restore(1), 0);
    CHECK_TEXT(text_of("f"), "one");
    CHECK(!exists(HISTORY));
}

TEST(what_was_restored_shares_nothing_with_its_version)
{
    save("one");
    save("two");
    options.keep = 4;
    CHECK_INT(restore(1), 0);
    int file = open("f", O_WRONLY | O_TRUNC);
    CHECK_INT(write(file, "scribble", 8), 8);
    close(file);
    CHECK_TEXT(versions(), "two one");
}

TEST(a_removed_file_comes_back_with_its_mode)
{
    need_root();
    save("one");
    CHECK_INT(chmod("f", 0640), 0);
    CHECK_INT(chown("f", ALICE, CREW), 0);
    CHECK_INT(chmod("f", 0640), 0);
    save("two");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(restore(1), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_TEXT(text_of("f"), "one");
    CHECK_INT(mode_of("f"), 0640);
    CHECK_INT(stat_of("f").st_uid, ALICE);
    CHECK_INT(stat_of("f").st_gid, CREW);
}

/* [RESTORE-1] */
TEST(a_version_is_not_given_to_another_user_who_might_not_read_it)
{
    need_root();
    save("secret");
    CHECK_INT(chmod("f", 0600), 0);
    save("two");
    put("planted", "planted");
    CHECK_INT(chown("planted", ALICE, CREW), 0);
    CHECK_INT(chmod("planted", 0600), 0);
    CHECK_INT(rename("planted", "f"), 0);
    CHECK_INT(restore(1), -UNTORN_DENIED);
    CHECK_TEXT(text_of("f"), "planted");
    CHECK_INT(untorn_undo("f", NULL, NULL, NULL, &error), -UNTORN_DENIED);
    CHECK_TEXT(text_of("f"), "planted");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(restore(1), 0);
    CHECK_TEXT(text_of("f"), "secret");
    CHECK_INT(mode_of("f"), 0600);
    CHECK_INT(stat_of("f").st_uid, 0);
}

TEST(a_version_that_another_user_might_read_as_well_is_given_to_him)
{
    need_root();
    static const unsigned modes[] = {0644, 0640};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        save("one");
        CHECK_INT(chown("f", 0, CREW), 0);
        CHECK_INT(chmod("f", modes[i]), 0);
        save("two");
        CHECK_INT(chown("f", ALICE, CREW), 0);
        CHECK_INT(restore(1), 0);
        CHECK_TEXT(text_of("f"), "one");
        CHECK_INT(unlink("f"), 0);
        remove_tree(".untorn");
    }
}

static void look_at_stage(void *context)
{
    *(unsigned *)context = mode_of(only_entry(".untorn/stage", "f."));
}

TEST(a_removed_file_that_was_closed_is_closed_while_it_comes_back)
{
    unsigned mode = 0;
    umask(022);
    save("one");
    save("two");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(chmod(only_entry(HISTORY, ""), 0600), 0);
    at(CALL_WRITE, "/stage/f.", 1, look_at_stage, &mode);
    CHECK_INT(restore(1), 0);
    forget_rules();
    CHECK_INT(mode, 0600);
    CHECK_INT(mode_of("f"), 0600);
}

TEST(a_removed_file_comes_back_with_its_mode_where_it_is_made_in_place)
{
    char elsewhere[64];
    snprintf(elsewhere, sizeof elsewhere, "/dev/shm/untorn-test.%d", getpid());
    if (access("/dev/shm", W_OK) < 0 || stat_of(".").st_dev == stat_of("/dev/shm").st_dev)
        SKIP("needs two file systems");
    options.state_dir = elsewhere;
    umask(022);
    put("f", "one");
    CHECK_INT(chmod("f", 0600), 0);
    int saved = untorn_write("f", "two", 3, &options, &error);
    CHECK_INT(unlink("f"), 0);
    int restored = restore(1);
    remove_tree(elsewhere);
    CHECK_INT(saved, 0);
    CHECK_INT(restored, 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED | UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(text_of("f"), "one");
    CHECK_INT(mode_of("f"), 0600);
}

TEST(what_is_there_already_is_unchanged)
{
    save("one");
    save("two");
    put("f", "one");
    CHECK_INT(restore(1), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_TEXT(versions(), "one");
}

TEST(a_version_that_is_not_there_or_not_whole_is_not_restored)
{
    CHECK_INT(restore(1), -UNTORN_NO_VERSION);
    CHECK(!exists("f"));
    save("one");
    CHECK_INT(restore(1), -UNTORN_NO_VERSION);
    save("two");
    CHECK_INT(restore(0), -UNTORN_NO_VERSION);
    CHECK_INT(restore(2), -UNTORN_NO_VERSION);
    put(only_entry(HISTORY, ""), "changed");
    CHECK_INT(restore(1), -UNTORN_DAMAGED);
    CHECK_TEXT(text_of("f"), "two");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(a_condition_is_kept)
{
    struct untorn_hash hash = untorn_hash("one", 3);
    save("one");
    save("two");
    options.if_match = &hash;
    CHECK_INT(restore(1), -UNTORN_CHANGED);
    CHECK_TEXT(text_of("f"), "two");
    hash = untorn_hash("two", 3);
    CHECK_INT(restore(1), 0);
    CHECK_TEXT(text_of("f"), "one");
}

static void replace_file(void *context)
{
    put("foreign", context);
    CHECK_INT(rename("foreign", "f"), 0);
}

static void write_another(void *context)
{
    (void)context;
    put("g", "x");
    CHECK_INT(rename("g", "f"), 0);
}

TEST(a_file_that_changes_meanwhile_makes_it_start_over)
{
    save("one");
    save("two");
    at(CALL_FSYNC, "/stage/f.", 1, replace_file, "foreign");
    CHECK_INT(restore(1), 0);
    forget_rules();
    CHECK_TEXT(text_of("f"), "one");
    CHECK_TEXT(versions(), "foreign");
}

/* As the number-th that was kept is named. */
static struct version kept(unsigned number)
{
    struct version version = {0};
    DIR *listing = opendir(".untorn/history/f");
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (version_parse(entry->d_name, &version) && version.sequence >> 32 == number)
            break;
    if (listing)
        closedir(listing);
    CHECK_INT(version.sequence >> 32, number);
    return version;
}

TEST(a_version_other_than_the_expected_one_is_not_restored)
{
    save("one");
    save("two");
    save("three");
    struct version expected = kept(1);
    error_begin(&error, NULL, "f");
    CHECK_INT(restore_version("f", 1, &expected, NULL, &error), AGAIN);
    CHECK_TEXT(text_of("f"), "three");
    CHECK_INT(restore_version("f", 2, &expected, NULL, &error), 0);
    CHECK_TEXT(text_of("f"), "one");
    at(CALL_FSYNC, "/stage/f.", 1, write_another, NULL);
    expected = kept(3);
    CHECK_INT(restore_version("f", 1, &expected, NULL, &error), AGAIN); /* the caller looks again */
}

TEST(failures_on_the_way_leave_the_file_alone)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {
        {CALL_OPEN, "/stage/f.", ENOSPC, UNTORN_NO_SPACE},
        {CALL_WRITE, "/stage/f.", ENOSPC, UNTORN_NO_SPACE},
        {CALL_FSYNC, "/stage/f.", EIO, UNTORN_IO},
        {CALL_READ, "/history/f/", EIO, UNTORN_IO},
        {CALL_OPEN, "/history/f/", EMFILE, UNTORN_FAILED},
        {CALL_OPEN, "/history/f/", EACCES, UNTORN_DENIED},
    };
    save("one");
    save("two");
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fail(faults[i].call, faults[i].path, 1, faults[i].code);
        CHECK_INT(restore(1), -(int)faults[i].status);
        forget_rules();
        CHECK_TEXT(text_of("f"), "two");
        CHECK_TEXT(versions(), "one");
        CHECK_INT(count_entries(".untorn/stage", ""), 0);
        CHECK_INT(open_descriptors(), before);
    }
}
