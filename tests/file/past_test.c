/* Keeping the version that is being replaced. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/past.h"
#include "file/replace.h"
#include "file/support.h"

#define TARGET "d/target"
#define HISTORY "d/.untorn/history/target"

static struct untorn_error error;
static struct untorn_options options;

static int save(const char *text)
{
    return untorn_write(TARGET, text, strlen(text), &options, &error);
}

static void save_all(const char *texts)
{
    for (; *texts; texts++)
        CHECK_INT(untorn_write(TARGET, texts, 1, &options, &error), 0);
}

static void begin_with(const char *text)
{
    make_dir("d", 0755);
    if (text)
        put(TARGET, text);
}

static int newest_first(const void *one, const void *other)
{
    return -strcmp(*(char *const *)one, *(char *const *)other);
}

/* The contents of all versions, newest first, a space between. Borrowed until the next call. */
static const char *versions(void)
{
    static char result[4096];
    char names[32][VERSION_NAME_SIZE], *sorted[32], path[400];
    int count = 0;
    DIR *listing = opendir(HISTORY);
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        CHECK(count < 32 && strlen(entry->d_name) < VERSION_NAME_SIZE);
        sorted[count] = strcpy(names[count], entry->d_name);
        count++;
    }
    if (listing)
        closedir(listing);
    qsort(sorted, (size_t)count, sizeof *sorted, newest_first);
    result[0] = '\0';
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, HISTORY "/%s", sorted[i]);
        strcat(strcat(result, i ? " " : ""), text_of(path));
        CHECK(stat_of(path).st_ino != stat_of(TARGET).st_ino); /* [VERSIONS-2] */
        CHECK_INT(stat_of(path).st_nlink, 1);
    }
    return result;
}

static int stages(void)
{
    return count_entries("d/.untorn/stage", "");
}

/* ---- what is kept ---- */

TEST(the_version_that_is_replaced_is_kept_with_its_inode_mode_and_time)
{
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1234567}};
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0640), 0);
    CHECK_INT(utimensat(AT_FDCWD, TARGET, times, 0), 0);
    ino_t inode = stat_of(TARGET).st_ino;
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(versions(), "old");
    struct stat kept = stat_of(only_entry(HISTORY, ""));
    CHECK_INT(kept.st_ino, inode);
    CHECK_INT(kept.st_mode & 07777, 0640);
    CHECK_INT(kept.st_mtime, 1234567);
    CHECK_INT(stages(), 0);
}

TEST(one_version_is_kept_unless_more_are_asked_for)
{
    begin_with(NULL);
    save_all("abcd");
    CHECK_TEXT(versions(), "c");
    options.keep = 3;
    save_all("efg");
    CHECK_TEXT(versions(), "f e d");
    save_all("h");
    CHECK_TEXT(versions(), "g f e");
    options.keep = 2;
    save_all("i");
    CHECK_TEXT(versions(), "h g");
    options.keep = 1 << 30; /* no more than LIMIT_KEPT, but that is many */
    save_all("jklmnop");
    CHECK_TEXT(versions(), "o n m l k j i h g");
}

/* [PAST-3] */
TEST(a_content_that_comes_back_moves_to_the_front)
{
    begin_with(NULL);
    options.keep = 8;
    save_all("abcabcad");
    CHECK_TEXT(versions(), "a c b");
}

/* [PAST-3] */
TEST(the_same_content_again_is_no_version)
{
    begin_with("old");
    CHECK_INT(save("new"), 0);
    CHECK_INT(save("new"), 0);
    options.if_changed = true;
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_TEXT(versions(), "old");
    CHECK_INT(save("wen"), 0); /* as long */
    CHECK_TEXT(versions(), "new");
}

TEST(at_level_cache_versions_are_kept_only_if_asked_for)
{
    begin_with("old");
    options.level = UNTORN_CACHE;
    CHECK_INT(save("new"), 0);
    CHECK(!exists("d/.untorn/history"));
    options.keep = 2;
    CHECK_INT(save("newer"), 0);
    CHECK_INT(save("newest"), 0);
    CHECK_TEXT(versions(), "newer new");
    options.keep = 0; /* which leaves alone those that are there */
    CHECK_INT(save("last"), 0);
    CHECK_TEXT(versions(), "newer new");
}

TEST(keep_none_erases_what_is_there)
{
    begin_with(NULL);
    options.keep = 4;
    save_all("abcd");
    options.keep = UNTORN_KEEP_NONE;
    save_all("e");
    CHECK(!exists(HISTORY));
    options.keep = 0;
    save_all("fg");
    CHECK_TEXT(versions(), "f");
    options.keep = UNTORN_KEEP_NONE;
    options.if_changed = true; /* also with a write that changes nothing */
    save_all("g");
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK(!exists(HISTORY));
}

TEST(versions_that_cannot_be_erased_are_a_failure)
{
    begin_with("old");
    CHECK_INT(save("new"), 0);
    options.keep = UNTORN_KEEP_NONE;
    fail(CALL_UNLINK, "/history/target/", 1, EACCES);
    CHECK_INT(save("newer"), -UNTORN_DENIED);
    CHECK_TEXT(error.step, "erase its earlier versions");
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_INT(stages(), 0);
}

TEST(a_link_that_is_replaced_is_no_version)
{
    begin_with(NULL);
    put("d/real", "real");
    CHECK_INT(symlink("real", TARGET), 0);
    options.symlink = UNTORN_REPLACE_LINK;
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, 0);
    CHECK(!exists("d/.untorn/history"));
    CHECK_TEXT(text_of("d/real"), "real");
}

TEST(a_file_with_a_long_name_has_versions_too)
{
    char path[300] = "d/", folder[400];
    begin_with(NULL);
    memset(path + 2, 'n', 255);
    put(path, "old");
    CHECK_INT(untorn_write(path, "new", 3, &options, &error), 0);
    snprintf(folder, sizeof folder, "d/.untorn/history/%s", path + 2);
    CHECK_TEXT(text_of(only_entry(folder, "")), "old");
}

static int append_x(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[100];
    (void)context;
    snprintf(text, sizeof text, "%sx", old->data);
    return untorn_change_set(change, text, strlen(text));
}

TEST(updates_and_streams_keep_versions_without_reading_them_again)
{
    struct untorn_writer *writer = NULL;
    begin_with("old");
    const struct rule *reads = watch(CALL_READ, "/d/target");
    CHECK_INT(untorn_update(TARGET, append_x, NULL, &options, &error), 0);
    CHECK_INT(reads->seen, 2); /* the content, and that there is no more */
    CHECK_TEXT(versions(), "old");
    forget_rules();
    CHECK_INT(untorn_writer_begin(TARGET, &options, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "streamed", 8, &error), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_TEXT(versions(), "oldx");
    CHECK_INT(stages(), 0);
}

TEST(what_is_appended_to_has_no_version)
{
    begin_with("old\n");
    CHECK_INT(untorn_append(TARGET, "new\n", 4, UNTORN_RECORDS_TEXT, &options, &error), 0);
    CHECK(!exists("d/.untorn/history"));
}

/* ---- how it is kept ---- */

static void check_swap(void *context)
{
    (void)context;
    CHECK_TEXT(text_of(TARGET), "old");
    CHECK_TEXT(text_of(only_entry(HISTORY, "")), "new");
    CHECK_INT(stages(), 0);
}

/* [PAST-6] */
TEST(the_new_version_swaps_with_the_old_one)
{
    begin_with("old");
    CHECK_INT(untorn_write("d/other", "x", 1, NULL, NULL), 0);
    at(CALL_RENAME, "/d/target", 1, check_swap, NULL);
    CHECK_INT(save("new"), 0);
    CHECK_INT(rules[CALL_RENAME][0].seen, 1);
    CHECK_TEXT(versions(), "old");
}

/* "Exchange" is the only rename onto the user's name that is refused. */
static void no_exchange(void)
{
    fail(CALL_RENAME, "/d/target", 1, EINVAL);
}

/* A foreign program that opens the file for writing must not reach into history. */
static void scribble(void)
{
    int file = open(TARGET, O_WRONLY | O_TRUNC);
    CHECK_INT(write(file, "scribble", 8), 8);
    CHECK_INT(close(file), 0);
}

/* [VERSIONS-2] */
TEST(a_version_survives_a_program_that_rewrites_the_file)
{
    begin_with("old");
    CHECK_INT(save("new"), 0);
    scribble();
    CHECK_TEXT(versions(), "old");
    no_exchange();
    CHECK_INT(save("newer"), 0);
    forget_rules();
    scribble();
    CHECK_TEXT(versions(), "scribble");
}

TEST(a_file_with_another_name_is_copied)
{
    begin_with("old");
    CHECK_INT(link(TARGET, "d/other name"), 0);
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_HISTORY_COPIED);
    put("d/other name", "changed");
    CHECK_TEXT(versions(), "old");
    CHECK_INT(stages(), 0);
    CHECK_INT(save("newer"), 0); /* no longer */
    CHECK_INT(error.flags, 0);
}

TEST(without_exchange_the_version_gets_a_second_name_first)
{
    begin_with("old");
    ino_t inode = stat_of(TARGET).st_ino;
    no_exchange();
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(versions(), "old");
    CHECK_INT(stat_of(only_entry(HISTORY, "")).st_ino, inode);
    CHECK_INT(stages(), 0);
}

TEST(without_exchange_and_hard_links_the_version_is_copied)
{
    static const int codes[] = {EPERM, EMLINK, EXDEV, ENOTSUP};
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1234567}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        begin_with("old");
        CHECK_INT(chmod(TARGET, 0640), 0);
        CHECK_INT(utimensat(AT_FDCWD, TARGET, times, 0), 0);
        no_exchange();
        fail_always(CALL_LINK, "", codes[i]);
        CHECK_INT(save("new"), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_HISTORY_COPIED);
        forget_rules();
        CHECK_TEXT(text_of(TARGET), "new");
        CHECK_TEXT(versions(), "old");
        CHECK_INT(mode_of(only_entry(HISTORY, "")), 0640);
        CHECK_INT(stat_of(only_entry(HISTORY, "")).st_mtime, 1234567);
        CHECK_INT(stages(), 0);
        remove_tree("d");
    }
}

TEST(what_is_overwritten_in_place_is_copied)
{
    begin_with("old");
    options.keep_inode = true;
    options.keep = 2;
    CHECK_INT(save("new"), 0);
    CHECK_INT(save("newer"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(versions(), "new old");
    CHECK_INT(stages(), 0);
}

TEST(an_overwrite_that_fails_keeps_no_version)
{
    begin_with("old");
    options.keep_inode = true;
    fail(CALL_WRITE, "/inplace/target", 1, ENOSPC);
    CHECK_INT(save("new"), -UNTORN_NO_SPACE);
    CHECK_TEXT(versions(), "");
    CHECK_INT(stages(), 0);
}

/* vfat has neither exchange nor hard links, nor owners: the real thing. */
TEST(on_a_file_system_without_any_of_that_versions_are_copied)
{
    private_mounts();
    make_dir("d", 0755);
    if (system("command -v mkfs.vfat >/dev/null && truncate -s 4M image && "
               "mkfs.vfat image >/dev/null 2>&1 && mount -o loop image d 2>/dev/null") != 0)
        SKIP("needs vfat, and a loop device to mount it with");
    options.keep = 2;
    CHECK_INT(save("a"), 0);
    CHECK_INT(save("b"), 0);
    CHECK_INT(save("c"), 0);
    CHECK(error.flags & UNTORN_FLAG_HISTORY_COPIED);
    CHECK_TEXT(text_of(TARGET), "c");
    CHECK_TEXT(versions(), "b a");
    CHECK_INT(umount("d"), 0);
}

/* ---- two who hold the lock ---- */

static void leave_at_once(void *context)
{
    (void)context;
    _exit(0);
}

/* Stages under a lock file of its own, and is gone before the swap. */
static void stage_theirs(void *context)
{
    (void)context;
    forget_rules();
    inside_hook = false; /* that is the parent's */
    at(CALL_RENAME, "/d/target", 1, leave_at_once, NULL);
    save("theirs");
    _exit(1);
}

/* As far as a removal of the whole folder has come when it has the lock. */
static void make_room_for_another(void *context)
{
    (void)context;
    CHECK_INT(system("rm -rf d/.untorn/lock"), 0);
    in_child(stage_theirs, NULL);
    CHECK_INT(count_entries(HISTORY, "."), 1);
}

/* [PAST-6] */
TEST(after_the_lock_was_removed_nobody_swaps_in_what_another_staged)
{
    begin_with("old");
    at(CALL_RENAME, "/d/target", 1, make_room_for_another, NULL);
    CHECK_INT(save("mine"), 0);
    CHECK_TEXT(text_of(TARGET), "mine");
    CHECK_TEXT(versions(), "old");
}

/* ---- failures ---- */

TEST(after_a_failed_flush_of_its_folder_the_write_fails)
{
    begin_with("old");
    fail_always(CALL_FSYNC, "/history", EIO);
    CHECK_INT(save("new"), -UNTORN_IO);
    CHECK_TEXT(text_of(TARGET), "old");
    forget_rules();
    CHECK_INT(stages(), 0);
    CHECK_TEXT(versions(), "");
    CHECK_INT(save("new"), 0);
    CHECK_TEXT(versions(), "old");
}

TEST(that_a_version_cannot_be_kept_does_not_stop_the_write)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
    } faults[] = {
        {CALL_MKDIR, "/history", ENOSPC},
        {CALL_MKDIR, "/history/target", EACCES},
        {CALL_READ, "/d/target", EIO},
        {CALL_OPEN, "/history/target/", EIO},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        begin_with("old");
        int before = open_descriptors();
        fail_always(faults[i].call, faults[i].path, faults[i].code);
        CHECK_INT(save("new"), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_HISTORY_LOST);
        CHECK_TEXT(text_of(TARGET), "new");
        put(TARGET, "old");
        options.strict = true;
        options.keep = 1;
        CHECK(save("new") < 0);
        CHECK_TEXT(error.step, "keep the earlier version");
        CHECK_TEXT(text_of(TARGET), "old");
        forget_rules();
        options = (struct untorn_options){0};
        CHECK_INT(stages(), 0);
        CHECK_INT(open_descriptors(), before);
        CHECK_TEXT(versions(), "");
        CHECK_INT(save("newer"), 0);
        CHECK_TEXT(versions(), "old");
        remove_tree("d");
    }
}

TEST(a_swap_that_fails_leaves_the_old_version_and_no_trace)
{
    static const struct {
        int code;
        enum untorn_status status;
    } faults[] = {{EIO, UNTORN_IO}, {EACCES, UNTORN_DENIED}, {ENOSPC, UNTORN_NO_SPACE}};
    begin_with("old");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fail(CALL_RENAME, "/d/target", 1, faults[i].code);
        CHECK_INT(save("new"), -(int)faults[i].status);
        CHECK_TEXT(text_of(TARGET), "old");
        CHECK_TEXT(versions(), "");
        CHECK_INT(stages(), 0);
        forget_rules();
    }
}

static void swap_really(void *context)
{
    char entry[400];
    (void)context;
    strcpy(entry, only_entry(HISTORY, ""));
    CHECK_INT(renameat2(AT_FDCWD, entry, AT_FDCWD, TARGET, RENAME_EXCHANGE), 0);
}

TEST(a_swap_that_took_place_although_it_failed_is_done)
{
    begin_with("old");
    CHECK_INT(untorn_write("d/other", "x", 1, NULL, NULL), 0);
    at(CALL_RENAME, "/d/target", 1, swap_really, NULL);
    fail(CALL_RENAME, "/d/target", 1, EIO);
    CHECK_INT(save("new"), 0);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(versions(), "old");
}

static void fail_all_looks(void *context)
{
    struct rule *rule = context;
    rule->code = EIO;
    swap_really(NULL);
}

/* The entry may be the old version by now: it must not be taken for the stage. */
TEST(after_a_swap_whose_outcome_cannot_be_learnt_nothing_is_removed)
{
    begin_with("old");
    fail(CALL_RENAME, "/d/target", 1, EIO);
    struct rule *rule = new_rule(CALL_STAT, "/d/target", 1, 0);
    at(CALL_RENAME, "/d/target", 1, fail_all_looks, rule);
    CHECK_INT(save("new"), UNTORN_UNSETTLED_FLUSH);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(versions(), "old");
}

static void replace_file(void *context)
{
    put("d/foreign", context);
    CHECK_INT(rename("d/foreign", TARGET), 0);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree("d/.untorn");
}

/* [LOCK-2] */
TEST(what_changes_before_the_swap_makes_the_write_start_over)
{
    begin_with("old");
    CHECK_INT(save("new"), 0);
    at(CALL_FSYNC, "/history/target/", 1, replace_file, "foreign");
    CHECK_INT(save("newer"), 0);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "newer");
    CHECK_TEXT(versions(), "foreign");
    at(CALL_RENAME, "/d/target", 1, remove_folder, NULL);
    CHECK_INT(save("newest"), 0);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "newest");
    CHECK_TEXT(versions(), "newer");
    CHECK_INT(stages(), 0);
}

TEST(a_writer_whose_stage_was_in_history_when_it_started_over_commits)
{
    struct untorn_writer *writer = NULL;
    begin_with("old");
    CHECK_INT(untorn_writer_begin(TARGET, NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    at(CALL_RENAME, "/history/target/", 1, replace_file, "foreign");
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(versions(), "foreign");
    CHECK_INT(stages(), 0);
}

/* [PAST-2] */
TEST(no_version_goes_before_the_directory_was_flushed)
{
    begin_with("older");
    CHECK_INT(save("old"), 0);
    fail(CALL_FSYNC, "/d", 2, EIO); /* the first is that of the stage */
    CHECK_INT(save("new"), UNTORN_UNSETTLED_FLUSH);
    forget_rules();
    CHECK_TEXT(versions(), "old older");
    CHECK_INT(save("newer"), 0);
    CHECK_TEXT(versions(), "new");
}

/* What a killed writer leaves between its two steps. */
TEST(the_next_writer_removes_what_a_dead_one_left)
{
    begin_with("older");
    options.keep = 3;
    CHECK_INT(save("old"), 0);
    struct version version = {.sequence = 9, .hash = untorn_hash("old", 3), .inode = 1};
    char name[VERSION_NAME_SIZE], path[400];
    version_name(&version, name);
    snprintf(path, sizeof path, HISTORY "/%s", name);
    put(path, "never came to be");
    scribble();
    CHECK_INT(save("new"), 0);
    CHECK_TEXT(versions(), "scribble older");
}

/* ---- access: [PAST-4] ---- */

/* The number-th that was kept; -1 if it is not there. */
static int mode_of_version(unsigned number)
{
    char prefix[9], path[600];
    int mode = -1;
    snprintf(prefix, sizeof prefix, "%08x", number);
    DIR *listing = opendir(HISTORY);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        snprintf(path, sizeof path, HISTORY "/%s", entry->d_name);
        if (strncmp(entry->d_name, prefix, 8) == 0)
            mode = (int)mode_of(path);
    }
    if (listing)
        closedir(listing);
    return mode;
}

TEST(a_narrower_mode_narrows_all_versions)
{
    begin_with(NULL);
    umask(022);
    options.keep = 3;
    save_all("abc");
    options.mode = 0600;
    save_all("d");
    CHECK_TEXT(versions(), "c b a");
    CHECK_INT(mode_of_version(1), 0600);
    CHECK_INT(mode_of_version(2), 0600);
    CHECK_INT(mode_of_version(3), 0600);
    options.mode = 0644; /* and a wider one opens none */
    save_all("e");
    CHECK_INT(mode_of_version(4), 0600);
    CHECK_INT(mode_of_version(2), 0600);
}

TEST(a_mode_that_was_narrowed_by_others_narrows_versions_too)
{
    begin_with(NULL);
    umask(022);
    options.keep = 3;
    save_all("ab");
    CHECK_INT(chmod(TARGET, 0600), 0);
    save_all("c");
    CHECK_INT(mode_of_version(1), 0600);
    CHECK_INT(mode_of_version(2), 0600);
}

TEST(a_narrower_mode_narrows_versions_where_nothing_is_kept)
{
    begin_with(NULL);
    umask(022);
    save_all("ab");
    options.mode = 0600; /* the same content */
    save_all("b");
    CHECK_INT(mode_of(only_entry(HISTORY, "")), 0600);
    CHECK_TEXT(versions(), "a");
    CHECK_INT(chmod(TARGET, 0644), 0);
    CHECK_INT(chmod(only_entry(HISTORY, ""), 0644), 0);
    options.level = UNTORN_CACHE;
    save_all("c");
    CHECK_INT(mode_of(only_entry(HISTORY, "")), 0600);
    CHECK_TEXT(versions(), "a");
}

TEST(a_version_that_cannot_be_narrowed_goes)
{
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0644), 0);
    options.mode = 0600;
    fail_always(CALL_CHMOD, "/history/target/", EPERM);
    CHECK_INT(save("new"), 0);
    CHECK(error.flags & UNTORN_FLAG_HISTORY_LOST);
    CHECK_TEXT(versions(), "");
}

static void write_by_group(void *context)
{
    (void)context;
    umask(002);
    CHECK_INT(save("bob's"), 0);
    CHECK_INT(error.flags & ~(unsigned)UNTORN_FLAG_IN_PLACE, 0);
}

TEST(users_who_share_a_directory_share_its_history)
{
    need_root();
    make_dir("d", 02775);
    CHECK_INT(chown("d", ALICE, CREW), 0);
    CHECK_INT(chmod("d", 02775), 0);
    put(TARGET, "root's");
    CHECK_INT(chown(TARGET, ALICE, CREW), 0);
    CHECK_INT(chmod(TARGET, 0664), 0);
    in_child_as(BOB, CREW, write_by_group, NULL);
    CHECK_TEXT(text_of(TARGET), "bob's");
    CHECK_TEXT(versions(), "root's");
    options.keep = 4;
    CHECK_INT(save("root's again"), 0);
    CHECK_TEXT(versions(), "bob's root's");
}

/* ---- removing ---- */

static int remove_file(const char *set)
{
    struct target target;
    CHECK_INT(target_open(&target, TARGET, &options, &error), 0);
    CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
    target.set = set;
    int rc = past_keep_removed(&target, &error);
    if (rc == 0)
        past_prune(&target, &error);
    target_close(&target);
    return rc;
}

TEST(a_removed_file_is_kept_as_a_version)
{
    begin_with(NULL);
    save_all("ab");
    ino_t inode = stat_of(TARGET).st_ino;
    error.flags = 0;
    CHECK_INT(remove_file(NULL), 0);
    CHECK(!exists(TARGET));
    CHECK_TEXT(text_of(only_entry(HISTORY, "")), "b");
    CHECK_INT(stat_of(only_entry(HISTORY, "")).st_ino, inode);
    CHECK_INT(error.flags, 0);
}

TEST(a_removed_file_with_another_name_is_copied)
{
    begin_with("old");
    CHECK_INT(link(TARGET, "d/other name"), 0);
    CHECK_INT(remove_file("0123456789abcdef0123456789abcdef"), 0);
    CHECK(!exists(TARGET));
    put("d/other name", "changed");
    CHECK_TEXT(text_of(only_entry(HISTORY, ".0123456789abcdef0123456789abcdef")), "old");
}

TEST(a_removed_file_is_gone_where_nothing_is_kept)
{
    begin_with(NULL);
    save_all("ab");
    options.keep = UNTORN_KEEP_NONE;
    CHECK_INT(remove_file(NULL), 0);
    CHECK(!exists(TARGET));
    CHECK(!exists(HISTORY));
}

TEST(a_removal_that_fails_leaves_the_file)
{
    begin_with("old");
    fail(CALL_RENAME, "/history/target/", 1, EIO);
    CHECK_INT(remove_file(NULL), -UNTORN_IO);
    CHECK_TEXT(text_of(TARGET), "old");
    CHECK_TEXT(versions(), "");
    at(CALL_FLOCK, "/d", 1, replace_file, "foreign"); /* after the look */
    forget_rules();
    at(CALL_READ, "/d/target", 1, replace_file, "foreign");
    CHECK_INT(remove_file(NULL), AGAIN);
    CHECK_TEXT(text_of(TARGET), "foreign");
}

/* ---- as part of a commit ---- */

static void check_both_names(void *context)
{
    (void)context;
    CHECK_INT(stages(), 1);
    CHECK_INT(stat_of(only_entry("d/.untorn/stage", "")).st_nlink, 2);
}

/* [PAST-5] */
TEST(a_part_of_a_commit_keeps_the_name_of_its_stage_until_the_swap)
{
    struct target target;
    begin_with("old");
    CHECK_INT(target_open(&target, TARGET, &options, &error), 0);
    CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
    target.set = "0123456789abcdef0123456789abcdef";
    target.stage_stays = true;
    at(CALL_RENAME, "/d/target", 1, check_both_names, NULL);
    CHECK_INT(replace_content(&target, "new", 3, &error), 0);
    CHECK_INT(rules[CALL_RENAME][0].seen, 1);
    CHECK_INT(stages(), 0);
    target_close(&target);
    CHECK_TEXT(text_of(only_entry(HISTORY, target.set)), "old");
    CHECK_TEXT(versions(), "old");
    CHECK_INT(stat_of(TARGET).st_nlink, 1);
}

/* [PAST-5] But not where its bytes are elsewhere too. */
TEST(a_part_of_a_commit_is_copied_where_there_are_no_second_names)
{
    for (int only = 0; only < 2; only++) {
        struct target target;
        begin_with("old");
        CHECK_INT(target_open(&target, TARGET, &options, &error), 0);
        CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
        target.set = "0123456789abcdef0123456789abcdef";
        target.stage_stays = only;
        fail_always(CALL_LINK, "", EPERM);
        CHECK_INT(replace_content(&target, "new", 3, &error), 0);
        CHECK_INT(error.flags, only ? UNTORN_FLAG_HISTORY_COPIED : 0);
        target_close(&target);
        CHECK_TEXT(versions(), "old");
        CHECK_INT(stages(), 0);
        forget_rules();
        remove_tree("d");
    }
}
