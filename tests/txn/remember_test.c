/* The records that a commit leaves in its directories. */
#include "txn/remember.h"

#include "file/setting.h"
#include "txn/commits.h"
#include "txn/record.h"

static struct untorn_error error;

static void make_two(void)
{
    make_dir("x", 0755);
    make_dir("y", 0755);
    put("x/a", "old a");
    put("y/b", "old b");
}

/* How many members the only record below `directory` ("x") names. */
static size_t remembered(const char *directory)
{
    char path[64];
    struct setting setting = {0};
    struct record_list list;
    snprintf(path, sizeof path, "%s/f", directory);
    setting_open(&setting, path);
    CHECK_INT(record_load(&setting.state, setting.place.dir, &list), 0);
    CHECK(list.count <= 1);
    size_t count = list.count ? list.records[0].count : 0;
    record_free_list(&list);
    setting_close(&setting);
    return count;
}

/* [REMEMBER-1] */
TEST(every_directory_that_took_part_has_the_record)
{
    make_two();
    make_dir("z", 0755);
    put("z/c", "as it is");
    const struct step steps[] = {PUT("x/a", "new a"),
                                 PUT("y/b", "new b"),
                                 PUT_AS("z/c", "as it is", .if_changed = true),
                                 {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(remembered("x"), 3);
    CHECK_INT(remembered("y"), 3);
    CHECK_INT(remembered("z"), 0); /* nothing changed there, and no slot says when */
}

/* [REMEMBER-1] */
TEST(a_very_large_commit_is_remembered_in_one_place)
{
    enum { MANY = LIMIT_REMEMBERED / 2 };
    struct untorn_options options = {.level = UNTORN_CACHE};
    struct untorn_transaction *save;
    char path[64];
    make_two();
    CHECK_INT(untorn_transaction_begin(&options, &save, &error), 0);
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "x/%d", i);
        CHECK_INT(untorn_transaction_put(save, path, "new", 3, NULL, &error), 0);
    }
    CHECK_INT(untorn_transaction_put(save, "y/b", "new b", 5, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    untorn_transaction_free(save);
    size_t here = remembered("x"), there = remembered("y");
    CHECK_INT(here + there, MANY + 1);
    CHECK(here == 0 || there == 0);
}

/* [RECORD-3] Also of a commit that was recovered. */
TEST(nobody_reads_a_record_who_may_not_read_all_its_files)
{
    const struct step both[] = {PUT("x/a", "new a"), PUT("y/b", "new b"), {0}};
    const struct step again[] = {PUT("x/a", "newer a"), PUT("y/b", "newer b"), {0}};
    make_two();
    CHECK_INT(chmod("y/b", 0600), 0);
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(mode_of(only_entry("x/.untorn/set", "")), 0600);
        CHECK_INT(mode_of(only_entry("y/.untorn/set", "")), 0600);
        if (i == 0)
            die_at(again, CALL_RENAME, "/b", 1);
        CHECK_INT(untorn_write("x/another", "", 0, NULL, &error), 0);
        struct untorn_check repair = {.repair = true};
        size_t left;
        CHECK_INT(untorn_check("x", &repair, NULL, &left, &error), 0);
    }
    CHECK_TEXT(text_of("y/b"), "newer b");
}

/* [REMEMBER-4] [RECORD-3] */
TEST(a_commit_that_changes_no_content_leaves_the_record_of_the_one_before_it)
{
    const struct step both[] = {PUT("x/a", "new a"), PUT("y/b", "new b"), {0}};
    const struct step closed[] = {
        PUT_AS("x/a", "new a", .mode = 0600), PUT_AS("y/b", "newer b", .mode = 0600), {0}};
    make_two();
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    CHECK_INT(system("cp -r y/.untorn/set before"), 0);
    CHECK_INT(mode_of(only_entry("x/.untorn/set", "")), 0644);
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    CHECK_INT(count_entries("y/.untorn/set", ""), 2);
    CHECK_INT(system("cmp before/* y/.untorn/set/$(ls before)"), 0);
    const struct step narrowed[] = {
        PUT_AS("x/a", "new a", .mode = 0640), PUT_AS("y/b", "new b", .mode = 0640), {0}};
    CHECK_INT(commit_steps(narrowed, NULL, &error), 0);
    CHECK_INT(system("test -z \"$(find x/.untorn/set y/.untorn/set -type f -perm /7)\""), 0);
    CHECK_INT(commit_steps(closed, NULL, &error), 0);
    CHECK_INT(count_entries("x/.untorn/set", ""), 3);
    CHECK_INT(system("test -z \"$(find x/.untorn/set y/.untorn/set -type f ! -perm 600)\""), 0);
}

/* [REMEMBER-2] The other directory is away: what is finished without it is only a part. */
TEST(a_part_of_a_commit_is_not_remembered)
{
    const struct step both[] = {PUT("x/a", "new a"), PUT("y/b", "new b"), {0}};
    make_two();
    die_at(both, CALL_RENAME, "/a", 1);
    CHECK_INT(rename("y", "away"), 0);
    struct untorn_check repair = {.repair = true};
    size_t left;
    CHECK_INT(untorn_check("x", &repair, NULL, &left, &error), 0);
    CHECK_TEXT(text_of("x/a"), "new a");
    CHECK_INT(remembered("x"), 0);
}
