/* txn/record.h: what the last commits were made of. */
#include "harness.h"

#include "file/interpose.h"
#include "file/setting.h"
#include "txn/record.h"

static struct setting setting;
static char here[4096];

static struct untorn_hash hash_of(const char *text)
{
    return untorn_hash(text, strlen(text));
}

static struct record_member replaced(const char *directory, const char *name, const char *before,
                                     const char *after)
{
    return (struct record_member){directory, name, true, true, hash_of(before), hash_of(after)};
}

static void begin(void)
{
    CHECK_INT(chmod(".", 0755), 0);
    CHECK(getcwd(here, sizeof here));
    setting_open(&setting, "a");
}

static int write_members(unsigned char id, struct record_member *members, size_t count)
{
    struct record record = {.id = {id}, .sequence = id, .count = count, .members = members};
    return record_write(&setting.state, setting.place.dir, &record, 0644);
}

static int write_pair(unsigned char id, const char *one, const char *other)
{
    struct record_member members[] = {
        replaced(here, one, "1", "2"),
        replaced(here, other, "3", "4"),
    };
    return write_members(id, members, 2);
}

static struct record_list load(void)
{
    struct record_list list;
    CHECK_INT(record_load(&setting.state, setting.place.dir, &list), 0);
    return list;
}

static size_t count_records(void)
{
    struct record_list list = load();
    size_t count = list.count;
    record_free_list(&list);
    return count;
}

TEST(a_record_that_was_written_is_found_by_its_commit)
{
    begin();
    struct record_member members[] = {
        replaced(here, "b", "1", "2"),
        {.directory = here, .name = "a", .is = true, .after = hash_of("new")},
        {.directory = "/elsewhere/x", .name = "c", .was = true, .before = hash_of("old")},
    };
    struct record record = {.id = "0123456789abcde", .sequence = 7, .count = 3, .members = members};
    CHECK_INT(record_write(&setting.state, setting.place.dir, &record, 0644), 0);
    struct record found;
    CHECK_INT(record_find(&setting.state, setting.place.dir, record.id, &found), 0);
    CHECK_BYTES(found.id, RECORD_ID, record.id, RECORD_ID);
    CHECK_INT(found.sequence, 7);
    CHECK(found.time > 1000000000);
    CHECK_INT(found.count, 3);
    CHECK_TEXT(found.members[0].directory, "/elsewhere/x");
    CHECK_TEXT(found.members[0].name, "c");
    CHECK(found.members[0].was && !found.members[0].is);
    CHECK_TEXT(found.members[1].directory, here);
    CHECK_TEXT(found.members[1].name, "a");
    CHECK(!found.members[1].was && found.members[1].is);
    CHECK_TEXT(found.members[2].name, "b");
    struct untorn_hash two = hash_of("2");
    CHECK(untorn_hash_equal(&found.members[2].after, &two));
    record_free(&found);
    record.id[0]++;
    CHECK_INT(record_find(&setting.state, setting.place.dir, record.id, &found), -ENOENT);
    record_free(&found);
}

TEST(the_next_commit_of_the_same_files_takes_the_place_of_the_record)
{
    begin();
    CHECK_INT(write_pair(1, "a", "b"), 0);
    CHECK_INT(write_pair(2, "b", "a"), 0);
    CHECK_INT(count_entries(".untorn/set", ""), 1);
    CHECK_INT(write_pair(3, "a", "c"), 0);
    CHECK_INT(write_pair(4, "ab", ""), 0); /* not a member twice, but another list */
    struct record_list list = load();
    CHECK_INT(list.count, 2); /* the last one has a name that nothing can have */
    CHECK_INT(list.records[0].id[0], 3);
    CHECK_INT(list.records[1].id[0], 2);
    record_free_list(&list);
    record_free_list(&list);
}

/* [REMEMBER-4] */
TEST(a_commit_that_changed_others_of_the_same_files_has_a_record_of_its_own)
{
    begin();
    struct record_member members[] = {replaced(here, "a", "2", "2"), replaced(here, "b", "4", "5")};
    CHECK_INT(write_pair(1, "a", "b"), 0);
    CHECK_INT(write_members(2, members, 2), 0);
    CHECK_INT(count_records(), 2);
    members[1] = replaced(here, "b", "5", "6");
    CHECK_INT(write_members(3, members, 2), 0);
    CHECK_INT(count_records(), 2);
}

TEST(a_shorter_record_leaves_nothing_of_a_longer_one)
{
    begin();
    CHECK_INT(write_pair(1, "a", "b"), 0);
    put_bytes(only_entry(".untorn/set", ""), (char[9999]){0}, 9999);
    CHECK_INT(count_records(), 0);
    CHECK_INT(write_pair(2, "a", "b"), 0);
    CHECK_INT(count_records(), 1);
}

TEST(no_folder_is_no_record_and_is_not_made)
{
    begin();
    CHECK_INT(count_records(), 0);
    CHECK(!exists(".untorn/set"));
}

TEST(at_most_64_commits_are_remembered_and_the_oldest_go)
{
    flushes_are_skipped = true;
    begin();
    for (int i = 1; i <= 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        CHECK_INT(write_pair((unsigned char)i, "a", name), 0);
        CHECK(count_entries(".untorn/set", "") <= 64);
    }
    struct record_list list = load();
    CHECK(list.count >= 48);
    for (size_t i = 0; i < list.count; i++)
        CHECK_INT(list.records[i].id[0], 200 - i);
    record_free_list(&list);
}

TEST(a_tree_that_was_moved_or_copied_keeps_its_records)
{
    char moved[4200];
    make_dir("old", 0755);
    make_dir("old/x", 0755);
    make_dir("old/y", 0755);
    setting_open(&setting, "old/x/a");
    snprintf(here, sizeof here, "%s", full_path("old/x"));
    char beside[4200];
    snprintf(beside, sizeof beside, "%s", full_path("old/y"));
    struct record_member members[] = {replaced(here, "a", "1", "2"),
                                      replaced(beside, "b", "3", "4"),
                                      replaced("/", "r", "5", "6")};
    CHECK_INT(write_members(1, members, 3), 0);
    setting_close(&setting);
    CHECK_INT(rename("old", "new"), 0);
    setting_open(&setting, "new/x/a");
    struct record_list list = load();
    CHECK_INT(list.count, 1);
    CHECK_TEXT(list.records[0].members[0].directory, "/");
    snprintf(moved, sizeof moved, "%s", full_path("new/x"));
    CHECK_TEXT(list.records[0].members[1].directory, moved);
    snprintf(moved, sizeof moved, "%s", full_path("new/y"));
    CHECK_TEXT(list.records[0].members[2].directory, moved);
    record_free_list(&list);
}

TEST(directories_come_back_as_they_were)
{
    static const char *const paths[] = {"/", "/a", "/a/b", "/a/b/c", "/ab", "/b", "/a/..x", "/a/."};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 7; j++) {
            struct record_member member = replaced(paths[j], "n", "1", "2");
            struct record record = {.count = 1, .members = &member}, again;
            size_t size;
            unsigned char *data = record_encode(&record, paths[i], &size);
            CHECK(data);
            CHECK_INT(record_decode(data, size, paths[i], &again), 0);
            CHECK_TEXT(again.members[0].directory, paths[j]);
            record_free(&again);
            free(data);
        }
    }
    struct record_member member = replaced("relative", "n", "1", "2");
    struct record record = {.count = 1, .members = &member};
    size_t size;
    CHECK(!record_encode(&record, "/a", &size));
}

/* Of a whole record, with a check that fits whatever was done to it. */
static void check_refused(const unsigned char *good, size_t size, size_t at, unsigned char value)
{
    unsigned char data[1024];
    struct record record;
    memcpy(data, good, size);
    data[at] = value;
    struct untorn_hash check = untorn_hash(data, size - 16);
    memcpy(data + size - 16, check.bytes, 16);
    CHECK_INT(record_decode(data, size, "/d", &record), -ENODATA);
    CHECK(!record.members);
}

TEST(what_was_not_written_so_is_refused)
{
    struct record_member members[] = {
        {.directory = "/d", .name = "nn", .is = true, .after = hash_of("x")},
        replaced("/d/ss", "mm", "1", "2")};
    struct record record = {.count = 2, .members = members}, again;
    size_t size;
    unsigned char *data = record_encode(&record, "/d", &size);
    CHECK_INT(record_decode(data, size, "/d", &again), 0);
    record_free(&again);
    size_t first = 64, second = 64 + 36 + 2, texts = second + 36;
    check_refused(data, size, 0, 'U');          /* magic */
    check_refused(data, size, 16, 2);           /* a newer version */
    check_refused(data, size, 20, 1);           /* fewer members than bytes */
    check_refused(data, size, 20, 3);           /* more */
    check_refused(data, size, 23, 255);         /* very many more */
    check_refused(data, size, 56, 0);           /* another size */
    check_refused(data, size, first, 6);        /* an unknown flag */
    check_refused(data, size, first + 4, 1);    /* a hash of what was not there */
    check_refused(data, size, first, 0);        /* the same, after */
    check_refused(data, size, first + 1, 200);  /* a name that goes beyond the end */
    check_refused(data, size, first + 3, 255);  /* a directory that does */
    check_refused(data, size, first + 36, '/'); /* a path as a name */
    check_refused(data, size, first + 37, 0);   /* a NUL in it */
    check_refused(data, size, texts + 2, '/');  /* an absolute directory */
    check_refused(data, size, texts + 3, '/');  /* one that ends in a slash */
    check_refused(data, size, texts + 2, 0);    /* a NUL in it */
    data[first + 36] = '.';
    check_refused(data, size, first + 37, '.'); /* ".." as a name */
    memcpy(data + first + 36, "nn", 2);
    data[texts + 2] = '.';
    check_refused(data, size, texts + 3, '/'); /* "./" */
    check_refused(data, size, texts + 3, '.'); /* out of order: ".." is before "" */
    free(data);
}

/* In a deep directory each takes a path more in memory than in the record. */
TEST(a_record_of_more_files_than_a_commit_can_have_is_refused)
{
    size_t count = LIMIT_MEMBERS + 1, size;
    struct record_member *members = calloc(count, sizeof *members);
    char *names = malloc(count * 8);
    for (size_t i = 0; i < count; i++) {
        sprintf(names + i * 8, "%05zx", i);
        members[i] = replaced("/d", names + i * 8, "1", "2");
    }
    for (size_t less = 0; less < 2; less++) {
        struct record record = {.count = count - less, .members = members}, again;
        unsigned char *data = record_encode(&record, "/d", &size);
        CHECK_INT(record_decode(data, size, "/d", &again), less ? 0 : -ENODATA);
        record_free(&again);
        free(data);
    }
    free(members);
    free(names);
}

TEST(every_byte_flipped_and_every_truncation_is_refused)
{
    struct record_member members[] = {replaced("/d", "a", "1", "2"), replaced("/d", "b", "3", "4")};
    struct record record = {.count = 2, .members = members}, again;
    size_t size;
    unsigned char *data = record_encode(&record, "/d", &size);
    for (size_t i = 0; i < size; i++) {
        CHECK_INT(record_decode(data, i, "/d", &again), -ENODATA);
        for (int bit = 0; bit < 8; bit++) {
            data[i] ^= (unsigned char)(1 << bit);
            CHECK_INT(record_decode(data, size, "/d", &again), -ENODATA);
            data[i] ^= (unsigned char)(1 << bit);
        }
    }
    CHECK_INT(record_decode(data, size, "/d", &again), 0);
    record_free(&again);
    free(data);
}

TEST(a_record_that_cannot_be_read_explains_nothing)
{
    begin();
    CHECK_INT(write_pair(1, "a", "b"), 0);
    CHECK_INT(write_pair(2, "a", "c"), 0);
    put(".untorn/set/litter", "untorn file set\n");
    CHECK_INT(symlink("litter", ".untorn/set/link"), 0);
    make_dir(".untorn/set/folder", 0755);
    struct record_list list = load();
    CHECK_INT(list.count, 2);
    record_free_list(&list);
}

TEST(what_a_member_is_now_is_told)
{
    struct untorn_hash one = hash_of("1"), two = hash_of("2"), three = hash_of("3");
    struct record_member member = replaced("/d", "a", "1", "2");
    CHECK_INT(record_match(&member, &one), RECORD_BEFORE);
    CHECK_INT(record_match(&member, &two), RECORD_AFTER);
    CHECK_INT(record_match(&member, &three), RECORD_NEITHER);
    CHECK_INT(record_match(&member, NULL), RECORD_NEITHER);
    member.was = false;
    CHECK_INT(record_match(&member, NULL), RECORD_BEFORE);
    CHECK_INT(record_match(&member, &one), RECORD_NEITHER);
    member.is = false;
    CHECK_INT(record_match(&member, NULL), RECORD_SAME);
    member.was = true;
    CHECK_INT(record_match(&member, NULL), RECORD_AFTER);
    member = replaced("/d", "a", "1", "1");
    CHECK_INT(record_match(&member, &one), RECORD_SAME);
    CHECK_INT(record_match(&member, &two), RECORD_NEITHER);
}

/* [RECORD-3] */
TEST(a_record_is_as_open_as_the_least_open_member)
{
    begin();
    struct record_member member = replaced(here, "a", "1", "2");
    struct record record = {.count = 1, .members = &member};
    static const unsigned modes[][2] = {{0644, 0644}, {0600, 0600}, {0640, 0640},
                                        {0666, 0644}, {0444, 0644}, {0755, 0644}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(record_write(&setting.state, setting.place.dir, &record, modes[i][0]), 0);
        CHECK_INT(mode_of(only_entry(".untorn/set", "")), modes[i][1]);
        CHECK_INT(count_records(), 1);
    }
}

static void write_as_other(void *context)
{
    (void)context;
    setting_open(&setting, "shared/a");
    snprintf(here, sizeof here, "%s", full_path("shared"));
    struct record_member member = replaced(here, "a", "1", "2");
    struct record record = {.id = {9}, .count = 1, .members = &member};
    CHECK_INT(record_write(&setting.state, setting.place.dir, &record, 0600), 0);
}

TEST(a_record_of_another_user_is_made_anew)
{
    need_root();
    make_dir("shared", 0777);
    in_child_as(ALICE, CREW, write_as_other, NULL);
    in_child_as(BOB, CREW, write_as_other, NULL);
    CHECK_INT(stat_of(only_entry("shared/.untorn/set", "")).st_uid, BOB);
    write_as_other(NULL); /* who may write that of anybody */
    CHECK_INT(stat_of(only_entry("shared/.untorn/set", "")).st_uid, 0);
}

static void meddle(void *context)
{
    (void)context;
    CHECK_INT(write_pair(2, "a", "b"), 0);
}

/* [RECORD-2] */
TEST(a_record_that_is_being_written_is_read_again)
{
    begin();
    CHECK_INT(write_pair(1, "a", "b"), 0);
    const char *path = only_entry(".untorn/set", "");
    char byte = 'x';
    int file = open(path, O_WRONLY);
    CHECK_INT(pwrite(file, &byte, 1, 70), 1);
    close(file);
    at(CALL_OPEN, path, 2, meddle, NULL);
    struct record_list list = load();
    CHECK_INT(list.count, 1);
    CHECK_INT(list.records[0].id[0], 2);
    record_free_list(&list);
}

TEST(a_record_that_cannot_be_written_is_an_error_value_and_leaves_none_half)
{
    begin();
    CHECK_INT(write_pair(1, "a", "b"), 0);
    fail(CALL_WRITE, "/set/", 1, ENOSPC);
    CHECK_INT(write_pair(2, "a", "b"), -ENOSPC);
    CHECK_INT(count_records(), 1);
    CHECK_INT(chmod(".untorn/set", 0500), 0);
    if (getuid() != 0)
        CHECK_INT(write_pair(3, "a", "c"), -EACCES);
    fail(CALL_MKDIR, "set", 1, EROFS);
    remove_tree(".untorn/set");
    setting_close(&setting);
    setting_open(&setting, "a");
    CHECK_INT(write_pair(4, "a", "c"), -EROFS);
}

TEST(the_id_of_an_undo_is_told_from_any_other)
{
    unsigned char id[RECORD_ID] = "0123456789abcde", zero[RECORD_ID] = {0};
    CHECK(!record_is_undo(id) && !record_is_undo(zero));
    record_mark_undo(id);
    CHECK(record_is_undo(id));
    CHECK(memcmp(id, "01234567", 8) == 0);
    id[RECORD_ID - 1] ^= 1;
    CHECK(!record_is_undo(id));
}
