/* Earlier versions as they lie on the disk: names, listing, and what is none. */
#include "file/versions.h"

#include "base/pathtext.h"
#include "file/setting.h"

#define FOLDER ".untorn/history/f/"

static struct setting setting;
static struct versions versions;

static struct version version_of(uint64_t sequence, const char *text, uint64_t inode)
{
    return (struct version){
        .sequence = sequence, .hash = untorn_hash(text, strlen(text)), .inode = inode};
}

/* An entry as it should be, or one that names another inode or content. Its name is borrowed. */
static const char *enter(uint64_t sequence, const char *named, const char *content, bool right)
{
    static char path[300];
    char name[VERSION_NAME_SIZE];
    put("made", content);
    struct version version = version_of(sequence, named, stat_of("made").st_ino + !right);
    version_name(&version, name);
    strcpy(path_add(path, FOLDER), name);
    CHECK_INT(rename("made", path), 0);
    return path;
}

static void open_versions(bool create)
{
    versions_close(&versions);
    CHECK_INT(versions_open(&versions, &setting.state, "f", create), 0);
}

static void begin(void)
{
    put("f", "live");
    setting_open(&setting, "f");
    versions = (struct versions)VERSIONS_CLOSED;
    open_versions(true);
}

static void end(void)
{
    versions_close(&versions);
    setting_close(&setting);
}

static struct os_stat live_stat(void)
{
    struct os_stat live;
    CHECK_INT(os_stat(setting.place.dir, "f", &live), 0);
    return live;
}

TEST(a_name_gives_back_what_it_was_made_from)
{
    char name[VERSION_NAME_SIZE];
    struct version version = version_of(0x123456789abcdef, "text", 0xfedcba9876543210), found;
    version_name(&version, name);
    CHECK_INT(strlen(name), 66);
    CHECK(version_parse(name, &found));
    CHECK_INT(found.sequence, version.sequence);
    CHECK_INT(found.inode, version.inode);
    CHECK(untorn_hash_equal(&found.hash, &version.hash));
    CHECK_TEXT(found.set, "");
    strcpy(version.set, "0123456789abcdef0123456789abcdef");
    version_name(&version, name);
    CHECK_INT(strlen(name), VERSION_NAME_SIZE - 1);
    CHECK(version_parse(name, &found));
    CHECK_TEXT(found.set, version.set);
}

TEST(a_name_that_is_not_ours_is_none)
{
    char name[VERSION_NAME_SIZE];
    struct version version = version_of(7, "text", 9), found;
    strcpy(version.set, "0123456789abcdef0123456789abcdef");
    version_name(&version, name);
    for (size_t i = 0; i < strlen(name); i++) {
        char changed[VERSION_NAME_SIZE];
        strcpy(changed, name);
        changed[i] = 'x';
        CHECK(!version_parse(changed, &found));
        changed[i] = 'A'; /* it would be looked for, and removed, under another name */
        CHECK(!version_parse(changed, &found));
        changed[i] = '\0';
        CHECK(!version_parse(changed, &found) || i == 66);
    }
    CHECK(version_parse(name, &found));
    CHECK(!version_parse("", &found));
}

TEST(versions_are_listed_from_the_newest_to_the_oldest_and_nothing_else)
{
    begin();
    enter(2, "two", "two", true);
    enter(10, "ten", "ten", true);
    enter(1, "one", "one", true);
    put(FOLDER "note", "of somebody else");
    open_versions(false);
    CHECK_INT(versions.count, 3);
    CHECK_INT(versions.list[0].sequence, 10);
    CHECK_INT(versions.list[1].sequence, 2);
    CHECK_INT(versions.list[2].sequence, 1);
    end();
}

TEST(looking_makes_nothing)
{
    put("f", "live");
    setting_open(&setting, "f");
    CHECK_INT(versions_open(&versions, &setting.state, "f", false), -ENOENT);
    CHECK(!exists(".untorn/history"));
    end();
}

TEST(a_long_name_has_a_folder_too)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    put(name, "live");
    setting_open(&setting, name);
    CHECK_INT(versions_open(&versions, &setting.state, name, true), 0);
    CHECK_INT(count_entries(".untorn/history", name), 1);
    end();
}

TEST(a_link_in_the_place_of_the_folder_is_not_followed)
{
    begin();
    versions_close(&versions);
    CHECK_INT(rmdir(".untorn/history/f"), 0);
    make_dir("elsewhere", 0755);
    CHECK_INT(symlink("../../elsewhere", ".untorn/history/f"), 0);
    CHECK(versions_open(&versions, &setting.state, "f", true) < 0);
    CHECK(versions_open(&versions, &setting.state, "f", false) < 0);
    end();
}

/* [VERSIONS-1] */
TEST(an_entry_with_neither_its_inode_nor_its_content_is_litter)
{
    char litter[300], copied[300], damaged[300];
    begin();
    strcpy(litter, enter(3, "old", "new", false));
    strcpy(copied, enter(2, "copied", "copied", false));
    strcpy(damaged, enter(1, "damaged", "changed by somebody", true));
    open_versions(false);
    struct os_stat live = live_stat();
    versions_sweep(&versions, &live);
    CHECK_INT(versions.count, 2);
    CHECK_INT(versions.list[0].sequence, 2);
    CHECK_INT(versions.list[1].sequence, 1);
    CHECK(!exists(litter));
    CHECK(!exists(copied)); /* named anew, after the inode it has */
    CHECK_TEXT(text_of(only_entry(FOLDER, "0000000000000002.")), "copied");
    CHECK_TEXT(text_of(damaged), "changed by somebody");
    end();
}

/* [VERSIONS-2] */
TEST(a_second_name_of_the_file_itself_is_litter)
{
    char name[VERSION_NAME_SIZE], path[300];
    begin();
    struct version version = version_of(1, "live", stat_of("f").st_ino);
    version_name(&version, name);
    strcpy(path_add(path, FOLDER), name);
    CHECK_INT(link("f", path), 0);
    open_versions(false);
    struct os_stat live = live_stat();
    versions_sweep(&versions, &live);
    CHECK_INT(versions.count, 0);
    CHECK(!exists(path));
    CHECK_TEXT(text_of("f"), "live");
    end();
}

TEST(a_version_is_found_by_its_number_which_litter_does_not_count_in)
{
    struct version_found found;
    begin();
    enter(4, "four", "four", true);
    enter(3, "litter", "of a crash", false);
    enter(2, "two", "two", true);
    enter(1, "one", "not one", true);
    open_versions(false);
    struct os_stat live = live_stat();
    for (unsigned number = 1; number <= 3; number++) {
        static const uint64_t sequences[] = {4, 2, 1};
        CHECK_INT(versions_at(&versions, &live, number, &found), 0);
        CHECK_INT(found.version.sequence, sequences[number - 1]);
        CHECK_INT(found.verdict, number == 3 ? VERSION_DAMAGED : VERSION_WHOLE);
        CHECK_INT(os_close(found.file), 0);
    }
    CHECK_INT(versions_at(&versions, &live, 4, &found), -ENOENT);
    end();
}

static void look_as_other(void *context)
{
    struct version_found found;
    (void)context;
    CHECK_INT(versions_at(&versions, NULL, 1, &found), 0);
    CHECK_INT(found.verdict, VERSION_DAMAGED);
    CHECK_INT(found.file, OS_NONE);
    CHECK_INT(found.stat.size, 6);
    CHECK_INT(versions_at(&versions, NULL, 2, &found), 0);
    CHECK_INT(found.verdict, VERSION_WHOLE);
    os_close(found.file);
}

TEST(a_version_that_is_denied_to_us_counts_but_is_not_whole)
{
    need_root();
    begin();
    CHECK_INT(chmod(enter(2, "secret", "secret", true), 0600), 0);
    enter(1, "public", "public", true);
    open_versions(false);
    in_child_as(ALICE, ALICE, look_as_other, NULL);
    end();
}

/* [VERSIONS-3] is shown by tests/crash/history_test.c. */
TEST(a_removed_version_is_gone)
{
    begin();
    const char *path = enter(1, "one", "one", true);
    open_versions(false);
    CHECK_INT(version_remove(&versions, &versions.list[0]), 0);
    CHECK(!exists(path));
    CHECK_INT(version_remove(&versions, &versions.list[0]), -ENOENT);
    end();
}

TEST(the_newest_whole_version_of_a_content_is_found)
{
    struct untorn_hash one = untorn_hash("one", 3), none = untorn_hash("none", 4);
    struct os_stat stat;
    os_fd file;
    begin();
    enter(1, "one", "one", true);
    enter(2, "one", "one", true);
    ino_t wanted = stat_of(only_entry(".untorn/history/f", "0000000000000002.")).st_ino;
    enter(3, "one", "changed", true);
    enter(4, "one", "litter", false);
    enter(5, "other", "other", true);
    open_versions(false);
    CHECK_INT(versions_find(&versions, &one, &file), 0);
    CHECK_INT(os_stat(file, NULL, &stat), 0);
    CHECK_INT(stat.inode, wanted);
    os_close(file);
    CHECK_INT(versions_find(&versions, &none, &file), -ENOENT);
    CHECK_INT(file, OS_NONE);
    end();
}

static void check_next(const uint64_t *numbers, size_t count, const uint64_t *wanted)
{
    uint32_t next;
    begin();
    for (size_t i = 0; i < count; i++) {
        const char text[] = {(char)('a' + i), '\0'};
        enter(numbers[i], text, text, true);
    }
    open_versions(false);
    CHECK_INT(versions_next(&versions, &next), 0);
    CHECK_INT(next, (wanted[count - 1] >> 32) + 1);
    open_versions(false);
    CHECK_INT(versions.count, count);
    for (size_t i = 0; i < count; i++) {
        const char text[] = {(char)('a' + i), '\0'};
        struct untorn_hash hash = untorn_hash(text, 1);
        CHECK_INT(versions.list[count - 1 - i].sequence, wanted[i]);
        CHECK(untorn_hash_equal(&versions.list[count - 1 - i].hash, &hash));
    }
    end();
    remove_tree(".untorn");
}

/* [VERSIONS-4] */
TEST(there_is_always_a_next_number_and_the_order_stays)
{
    static const uint64_t high[] = {5, 0x7fffffffffffffff}, top[] = {UINT64_MAX},
                          top_wanted[] = {0x1ffffffff},
                          mixed[] = {3, 4, 0x200000001, 0xffffffff00000000, UINT64_MAX},
                          mixed_wanted[] = {3, 4, 0x100000001, 0x200000000, 0x3ffffffff};
    check_next(high, 2, high);
    check_next(top, 1, top_wanted);
    check_next(mixed, 5, mixed_wanted);
}
