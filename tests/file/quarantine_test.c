/* [QUARANTINE-1] to [QUARANTINE-3], through the public calls. */
#include "harness.h"

#include <untorn.h>

#include "base/limits.h"
#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static const struct untorn_options no_flush = {.level = UNTORN_CACHE};

static int save_with(const char *path, const char *text, const struct untorn_options *options)
{
    return untorn_write(path, text, strlen(text), options, &error);
}

static void save(const char *path, const char *text)
{
    CHECK_INT(save_with(path, text, &no_flush), 0);
}

static const char *kept_text(void)
{
    return text_of(only_entry(".untorn/kept", "damaged-"));
}

/* [QUARANTINE-1] */
TEST(damaged_content_is_kept_before_it_is_replaced)
{
    umask(0);
    put("a.json", "{\"a\": 1");
    save("a.json", "{}");
    CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
    CHECK_TEXT(text_of("a.json"), "{}");
    CHECK_TEXT(kept_text(), "{\"a\": 1");
    const char *entry = only_entry(".untorn/kept", "damaged-a.json.");
    CHECK_INT(mode_of(entry), 0600);
}

static int remove_with(const char *path, const struct untorn_options *options)
{
    struct untorn_transaction *transaction = NULL;
    int rc = untorn_transaction_begin(options, &transaction, &error);
    if (rc == 0)
        rc = untorn_transaction_remove(transaction, path, NULL, &error);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, &error);
    untorn_transaction_free(transaction);
    return rc;
}

/* [QUARANTINE-1] However few versions are to stay. */
TEST(damaged_content_is_kept_before_it_is_removed)
{
    const struct untorn_options how[] = {
        {.keep = UNTORN_KEEP_NONE}, {.level = UNTORN_CACHE}, {.keep = 1}};
    for (int i = 0; i < 3; i++) {
        put("a.json", "{\"a\": 1");
        CHECK_INT(remove_with("a.json", &how[i]), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
        CHECK(!exists("a.json"));
        CHECK_TEXT(kept_text(), "{\"a\": 1");
        remove_tree(".untorn");
    }
    put("a.json", "{}");
    CHECK_INT(remove_with("a.json", &how[0]), 0);
    CHECK_INT(error.flags, 0);
    CHECK(!exists(".untorn/kept"));
}

/* [QUARANTINE-1] */
TEST(damaged_content_that_cannot_be_kept_is_not_removed)
{
    put("a.json", "{\"a\": 1");
    fail_always(CALL_WRITE, "/kept/damaged-", ENOSPC);
    CHECK_INT(remove_with("a.json", &no_flush), -UNTORN_NO_SPACE);
    CHECK(strstr(error.step, "before it is removed"));
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1");
}

TEST(what_was_whole_is_not_kept)
{
    put("a.json", "{\"a\": 1}");
    put("a.toml", "");
    put("a.jsonc", "{} // c");
    make_dir(".vscode", 0700);
    put(".vscode/settings.json", "{} // c");
    save("a.json", "2");
    save("a.toml", "a = 1\n");
    save("a.jsonc", "{}");
    save(".vscode/settings.json", "{}");
    CHECK_INT(chdir(".vscode"), 0);
    put("settings.json", "{} // c");
    save("settings.json", "{}");
    CHECK_INT(chdir(".."), 0);
    CHECK_INT(error.flags, 0);
    CHECK(!exists(".untorn/kept") && !exists(".vscode/.untorn/kept"));
}

TEST(an_empty_file_and_one_of_another_kind_are_not_kept)
{
    put("a.json", "");
    put("a.txt", "{");
    put("a.jsonl", "{");
    save("a.json", "1");
    save("a.txt", "1");
    save("a.jsonl", "1");
    save("new.json", "[");
    CHECK(!exists(".untorn/kept"));
}

TEST(a_link_or_the_file_it_leads_to_may_tell_that_it_is_a_document)
{
    put("real", "{");
    CHECK_INT(symlink("real", "link.json"), 0);
    save("link.json", "{}");
    CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
    CHECK(exists(only_entry(".untorn/kept", "damaged-real.")));
    put("real.toml", "= 1");
    CHECK_INT(symlink("real.toml", "link"), 0);
    save("link", "");
    CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
}

/* [QUARANTINE-2] */
TEST(the_kept_version_stays_when_the_file_is_rewritten_in_place)
{
    put("a.json", "{\"a\"");
    save("a.json", "{}");
    put("a.json", "zzzz");
    CHECK_TEXT(kept_text(), "{\"a\"");
    CHECK_INT(stat_of(only_entry(".untorn/kept", "damaged-")).st_nlink, 1);
}

static void rewrite(void *text)
{
    put("a.json", text);
}

/* [QUARANTINE-2] */
TEST(the_kept_version_stays_when_the_file_is_rewritten_before_the_rename)
{
    static char other[] = "[[[[";
    put("a.json", "{\"a\"");
    at(CALL_RENAME, "/a.json", 1, rewrite, other);
    save("a.json", "{}");
    CHECK_TEXT(kept_text(), "{\"a\"");
}

/* [QUARANTINE-3] */
TEST(the_same_content_is_kept_once)
{
    for (int i = 0; i < 3; i++) {
        put("a.json", "{");
        save("a.json", "{}");
        CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
    }
    put("b.json", "{");
    save("b.json", "{}");
    CHECK_INT(count_entries(".untorn/kept", "damaged-a.json."), 1);
    CHECK_INT(count_entries(".untorn/kept", "damaged-"), 2);
}

/* [QUARANTINE-3] */
TEST(of_each_name_the_oldest_go)
{
    char text[16];
    put("b.json", "[");
    save("b.json", "{}");
    put(".untorn/kept/tail-a.json.0123456789abcdef", "a tail");
    put(".untorn/kept/damaged-a.json.x.0123456789abcdef", "of another name");
    for (int i = 0; i < LIMIT_DAMAGED + 3; i++) {
        snprintf(text, sizeof text, "{ %d", i);
        put("a.json", text);
        save("a.json", "{}");
        usleep(20000); /* some file systems tell no finer when a file was made */
    }
    CHECK_INT(count_entries(".untorn/kept", "damaged-a.json."), LIMIT_DAMAGED + 1);
    CHECK_INT(count_entries(".untorn/kept", "damaged-b.json."), 1);
    CHECK_INT(count_entries(".untorn/kept", "tail-"), 1);
    bool seen[LIMIT_DAMAGED + 3] = {false};
    DIR *listing = opendir(".untorn/kept");
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[400];
        snprintf(path, sizeof path, ".untorn/kept/%s", entry->d_name);
        if (strstr(entry->d_name, "damaged-a.json.") && !strstr(entry->d_name, ".x."))
            seen[atoi(text_of(path) + 2)] = true;
    }
    closedir(listing);
    for (int i = 0; i < LIMIT_DAMAGED + 3; i++)
        CHECK_INT(seen[i], i >= 3);
}

static void save_damaged(void *context)
{
    (void)context;
    put("d/a.json", "{\"a\": 1");
    CHECK_INT(save_with("d/a.json", "{}", NULL), 0);
    CHECK(error.flags & UNTORN_FLAG_QUARANTINED);
}

TEST(what_another_user_kept_does_not_stop_one_who_cannot_read_that)
{
    need_root();
    make_dir("d", 0777);
    put("d/a.json", "{\"a\": 1");
    CHECK_INT(chmod("d/a.json", 0666), 0);
    save("d/a.json", "{}");
    in_child_as(ALICE, CREW, save_damaged, NULL);
    in_child_as(ALICE, CREW, save_damaged, NULL); /* once */
    CHECK_INT(count_entries("d/.untorn/kept", "damaged-a.json."), 2);
}

/* [QUARANTINE-3] */
TEST(what_is_damaged_in_the_same_way_once_more_is_among_the_newest_again)
{
    char text[40];
    for (int i = 0; i <= LIMIT_DAMAGED + 1; i++) {
        snprintf(text, sizeof text, "{ %d", i == LIMIT_DAMAGED ? 0 : i);
        put("a.json", text);
        save("a.json", "{}");
        usleep(20000);
    }
    CHECK_INT(count_entries(".untorn/kept", "damaged-"), LIMIT_DAMAGED);
    put("a.json", "{ 0");
    int before = count_entries(".untorn/kept", "damaged-");
    fail_always(CALL_UNLINK, "/kept/", EIO); /* it would be kept anew */
    save("a.json", "{}");
    CHECK_INT(count_entries(".untorn/kept", "damaged-"), before);
}

TEST(a_half_written_copy_is_completed)
{
    put("a.json", "{\"a\": 1");
    save("a.json", "{}");
    char path[4096];
    strcpy(path, only_entry(".untorn/kept", "damaged-"));
    put(path, "{\"a");
    put("a.json", "{\"a\": 1");
    save("a.json", "{}");
    CHECK_TEXT(kept_text(), "{\"a\": 1");
    put(path, "{\"a\": 1 and more");
    put("a.json", "{\"a\": 1");
    save("a.json", "{}");
    CHECK_TEXT(kept_text(), "{\"a\": 1");
}

/* [QUARANTINE-1] */
TEST(without_a_copy_the_file_stays)
{
    static const struct {
        enum call call;
        int code;
        enum untorn_status status;
    } failures[] = {{CALL_OPEN, EACCES, UNTORN_DENIED},
                    {CALL_WRITE, ENOSPC, UNTORN_NO_SPACE},
                    {CALL_FSYNC, EIO, UNTORN_IO}};
    struct untorn_options durable = {0};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        put("a.json", "{\"a\"");
        fail_always(failures[i].call, "/kept/damaged-", failures[i].code);
        CHECK_INT(save_with("a.json", "{}", &durable), -(int)failures[i].status);
        CHECK(strstr(error.step, "keep its damaged content aside"));
        CHECK_TEXT(text_of("a.json"), "{\"a\"");
        CHECK_INT(count_entries(".untorn/stage", ""), 0);
        forget_rules();
    }
}

TEST(the_copy_is_flushed_at_the_levels_that_flush)
{
    struct untorn_options options = {.level = UNTORN_ORDERED};
    const struct rule *copies = watch(CALL_FSYNC, "/kept/damaged-");
    const struct rule *names = watch(CALL_FSYNC, "/.untorn/kept");
    put("a.json", "{");
    save("a.json", "{}");
    CHECK_INT(copies->seen, 0);
    put("a.json", "{"); /* kept already, but never flushed */
    CHECK_INT(save_with("a.json", "{}", &options), 0);
    CHECK_INT(copies->seen, 1);
    CHECK_INT(names->seen, 2);
}

TEST(it_is_kept_with_history_off_and_when_overwritten_in_place)
{
    struct untorn_options none = {.keep = UNTORN_KEEP_NONE}, in_place = {.keep_inode = true};
    put("a.json", "{");
    CHECK_INT(save_with("a.json", "{}", &none), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
    put("a.json", "[");
    CHECK_INT(save_with("a.json", "[]", &in_place), 0);
    CHECK(error.flags & UNTORN_FLAG_QUARANTINED);
    CHECK_INT(count_entries(".untorn/kept", "damaged-a.json."), 2);
}

static int mend(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old;
    return untorn_change_set(change, "{}", 2);
}

TEST(updates_and_streams_keep_it_too)
{
    struct untorn_writer *writer;
    put("a.json", "{");
    CHECK_INT(untorn_update("a.json", mend, NULL, &no_flush, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
    put("b.json", "{");
    CHECK_INT(untorn_writer_begin("b.json", &no_flush, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "{}", 2, &error), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_QUARANTINED);
    untorn_writer_free(writer);
    CHECK_INT(count_entries(".untorn/kept", "damaged-"), 2);
}

static int keep_as_it_is(void *context, const struct untorn_content *old,
                         struct untorn_change *change)
{
    (void)context;
    return untorn_change_set(change, old->data, old->size);
}

TEST(what_does_not_change_is_not_kept)
{
    struct untorn_options mode = {.level = UNTORN_CACHE, .mode = 0600};
    put("a.json", "{");
    CHECK_INT(untorn_update("a.json", keep_as_it_is, NULL, &mode, &error), 0);
    CHECK_INT(mode_of("a.json"), 0600);
    CHECK_INT(save_with("a.json", "{", &no_flush), 0);
    CHECK_INT(error.flags, 0);
    CHECK(!exists(".untorn/kept"));
}

static int reads_of_old(int (*save_new)(void))
{
    put("a.json", "{\"a\": 1}");
    const struct rule *reads = watch(CALL_READ, full_path("a.json"));
    CHECK_INT(save_new(), 0);
    int seen = reads->seen;
    forget_rules();
    return seen;
}

static int edit_new(void)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "a", .value = "22", .value_size = 2};
    return untorn_edit("a.json", &edit, 1, NULL, &no_flush, &error);
}

static int update_new(void)
{
    return untorn_update("a.json", mend, NULL, &no_flush, &error);
}

TEST(an_edit_does_not_have_the_old_version_scanned_again)
{
    int by_edit = reads_of_old(edit_new);
    CHECK(by_edit > 0);
    CHECK(reads_of_old(update_new) > by_edit); /* the control */
}

static void cut(void *context)
{
    (void)context;
    put("a.json", "[");
}

TEST(a_file_that_is_cut_while_it_is_copied_is_looked_at_again)
{
    put("a.json", "{\"a\": 1, \"b\": 2");
    at(CALL_OPEN, "/kept/damaged-", 1, cut, NULL);
    save("a.json", "{}");
    CHECK_TEXT(text_of("a.json"), "{}");
    bool found = false;
    DIR *listing = opendir(".untorn/kept");
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[400];
        snprintf(path, sizeof path, ".untorn/kept/%s", entry->d_name);
        found = found || (entry->d_name[0] == 'd' && strcmp(text_of(path), "[") == 0);
    }
    closedir(listing);
    CHECK(found);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

TEST(a_folder_that_is_removed_meanwhile_is_made_anew)
{
    put("a.json", "{");
    at(CALL_OPEN, "/kept", 1, remove_folder, NULL);
    save("a.json", "{}");
    CHECK_TEXT(kept_text(), "{");
}

static void count_finding(void *context, const struct untorn_finding *finding)
{
    CHECK_INT(finding->kind, UNTORN_FOUND_DAMAGED);
    CHECK_TEXT(finding->name, "a.json");
    CHECK_INT(finding->size, 1);
    *(int *)context += 1;
}

TEST(check_finds_it_and_gives_it_up_when_told_to)
{
    int found = 0;
    size_t open;
    struct untorn_check check = {.found = count_finding, .context = &found};
    put("a.json", "{");
    save("a.json", "{}");
    CHECK_INT(untorn_check(".", &check, NULL, &open, &error), 0);
    CHECK_INT(open, 1);
    CHECK_INT(untorn_check("a.json", &check, NULL, &open, &error), 0);
    CHECK_INT(found, 2);
    check.repair = true;
    CHECK_INT(untorn_check("a.json", &check, NULL, &open, &error), 0);
    CHECK_INT(open, 1);
    check.abandon = true;
    CHECK_INT(untorn_check("a.json", &check, NULL, &open, &error), 0);
    CHECK_INT(open, 0);
    CHECK_INT(count_entries(".untorn/kept", ""), 0);
}

TEST(a_name_that_is_too_long_for_ours_is_kept_by_its_hash)
{
    char name[256], digits[16];
    memset(name, 'n', 250);
    strcpy(name + 250, ".json");
    for (int i = 0; i < LIMIT_DAMAGED + 1; i++) {
        snprintf(digits, sizeof digits, "[%d", i);
        put(name, digits);
        save(name, "{}");
    }
    CHECK_INT(count_entries(".untorn/kept", "damaged-%"), LIMIT_DAMAGED);
}
