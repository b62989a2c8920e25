/* txn/standing.h: whole, mixed or edited. */
#include "harness.h"

#include <sys/wait.h>

#include <untorn.h>

#include "file/interpose.h"
#include "txn/planted.h"
#include "txn/record.h"
#include "txn/standing.h"

static struct untorn_error error;
static struct untorn_content contents[8];
static const char *const abc[] = {"a", "b", "c"};

static int read_set(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        untorn_content_free(&contents[i]);
    return untorn_read_set(paths, count, NULL, contents, &error);
}

static void check_whole(void)
{
    CHECK_INT(read_set(abc, 3), 0);
    CHECK_INT(error.flags & UNTORN_FLAG_EDITED, 0);
}

static void check_edited(void)
{
    CHECK_INT(read_set(abc, 3), 0);
    CHECK(error.flags & UNTORN_FLAG_EDITED);
}

static void check_mixed(const char *old)
{
    char detail[UNTORN_DETAIL_SIZE];
    CHECK_INT(read_set(abc, 3), -UNTORN_MIXED);
    snprintf(detail, sizeof detail, "from before the last commit: %s", old);
    CHECK_TEXT(error.detail, detail);
    CHECK_INT(strncmp(error.path, old, strlen(error.path)), 0);
    for (int i = 0; i < 3; i++)
        CHECK_INT(contents[i].data != NULL, exists(abc[i]));
}

static struct record_member member(const char *directory, const char *name, const char *before,
                                   const char *after)
{
    struct record_member result = {
        .directory = directory, .name = name, .was = before != NULL, .is = after != NULL};
    if (before)
        result.before = untorn_hash(before, strlen(before));
    if (after)
        result.after = untorn_hash(after, strlen(after));
    return result;
}

static void write_record(unsigned char id, struct record_member *members, size_t count)
{
    struct setting setting = {0};
    setting_open(&setting, "a");
    struct record record = {.id = {id}, .sequence = id, .count = count, .members = members};
    CHECK_INT(record_write(&setting.state, setting.place.dir, &record, 0644), 0);
    setting_close(&setting);
}

/* NULL is no file. */
static void put_all(const char *a, const char *b, const char *c)
{
    const char *const texts[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (texts[i])
            put(abc[i], texts[i]);
        else
            (void)remove(abc[i]);
    }
}

/* The commit of a1 b1 c1 over a0 b0 c0. */
static void commit_three(void)
{
    static char here[4096];
    CHECK(getcwd(here, sizeof here));
    struct record_member members[] = {member(here, "a", "a0", "a1"), member(here, "b", "b0", "b1"),
                                      member(here, "c", "c0", "c1")};
    write_record(1, members, 3);
    put_all("a1", "b1", "c1");
}

static void publish(const char *name, const char *text)
{
    put("new", text);
    CHECK_INT(rename("new", name), 0);
}

static void commit_pair(unsigned char id, const char *one, const char *before, const char *after,
                        const char *other, const char *other_before, const char *other_after)
{
    static char here[4096];
    CHECK(getcwd(here, sizeof here));
    struct record_member members[] = {member(here, one, before, after),
                                      member(here, other, other_before, other_after)};
    publish(one, after);
    publish(other, other_after);
    write_record(id, members, 2);
}

/* [STANDING-1] */
TEST(a_set_is_whole_mixed_or_edited)
{
    put_all("x", "y", "z");
    check_whole(); /* nothing is known */
    commit_three();
    check_whole();
    put("a", "a0");
    check_mixed("a");
    put("c", "c0");
    check_mixed("a, c");
    put("b", "b0");
    check_whole(); /* all of them are from before it */
    put_all("a0", "edited", "c0");
    check_edited();
    put_all("a1", "edited", "c1");
    check_edited();
    put_all("a1", "edited", "c0");
    check_mixed("c");
    CHECK(error.flags & UNTORN_FLAG_EDITED);
    put_all("a1", "b1", NULL);
    check_edited();
}

TEST(a_backup_that_was_moved_back_is_old_too)
{
    commit_three();
    put("backup", "b0");
    CHECK_INT(rename("backup", "b"), 0);
    check_mixed("b");
}

TEST(created_and_removed_members_can_be_old)
{
    static char here[4096];
    CHECK(getcwd(here, sizeof here));
    struct record_member members[] = {member(here, "a", NULL, "a1"), member(here, "b", "b0", NULL),
                                      member(here, "c", "c0", "c1")};
    write_record(1, members, 3);
    put_all("a1", NULL, "c1");
    check_whole();
    put_all(NULL, NULL, "c1");
    check_mixed("a");
    put_all("a1", "b0", "c1");
    check_mixed("b");
    put_all(NULL, "b0", "c0");
    check_whole();
}

TEST(a_member_that_the_commit_left_as_it_was_is_never_old)
{
    static char here[4096];
    CHECK(getcwd(here, sizeof here));
    struct record_member members[] = {member(here, "a", "a0", "a1"), member(here, "b", "b0", "b0"),
                                      member(here, "c", "c0", "c1")};
    write_record(1, members, 3);
    put_all("a1", "b0", "c1");
    check_whole();
    put_all("a0", "b0", "c0");
    check_whole();
    put_all("a0", "b0", "c1");
    check_mixed("a");
}

TEST(a_file_is_compared_with_the_newest_commit_that_named_it)
{
    commit_three();
    commit_pair(2, "a", "a1", "a2", "b", "b1", "b0"); /* b goes back, and means it */
    check_whole();
    put("a", "a1");
    put("b", "b1");
    check_whole(); /* as the first commit left it */
    put("a", "a2");
    check_mixed("b");
    put("b", "b0");
    put("c", "c0");
    check_mixed("c"); /* it is older than what the others were before their last commit */
}

TEST(a_part_of_a_set_is_judged_too)
{
    commit_three();
    put("b", "b0");
    const char *const part[] = {"a", "b"};
    CHECK_INT(read_set(part, 2), -UNTORN_MIXED);
    const char *const alone[] = {"b"};
    CHECK_INT(read_set(alone, 1), 0);
    const char *const rest[] = {"a", "c"};
    CHECK_INT(read_set(rest, 2), 0);
}

TEST(a_set_in_two_directories_is_found_from_either)
{
    make_dir("x", 0755);
    make_dir("y", 0755);
    static char x[4200], y[4200];
    strcpy(x, full_path("x"));
    strcpy(y, full_path("y"));
    struct setting setting = {0};
    setting_open(&setting, "x/a");
    struct record_member members[] = {member(x, "a", "a0", "a1"), member(y, "b", "b0", "b1")};
    struct record record = {.id = {1}, .count = 2, .members = members};
    CHECK_INT(record_write(&setting.state, setting.place.dir, &record, 0644), 0);
    put("x/a", "a1");
    put("y/b", "b0");
    const char *const paths[] = {"y/b", "x/a"};
    CHECK_INT(read_set(paths, 2), -UNTORN_MIXED);
    CHECK_TEXT(error.path, "y/b");
    CHECK_INT(rename("x", "moved"), 0); /* then it is not known what they have in common */
    const char *const moved[] = {"y/b", "moved/a"};
    CHECK_INT(read_set(moved, 2), -UNTORN_MIXED); /* but its directory still says so */
    CHECK_INT(rename("y", "x"), 0);
    const char *const both[] = {"x/b", "moved/a"};
    CHECK_INT(read_set(both, 2), 0);
}

/* [RECORD-2] A power loss brought the record of the commit before back, or took it. */
TEST(the_slot_of_the_last_commit_stands_for_a_record_that_was_lost)
{
    put_all("a1", "b1", "c1");
    struct plant *plant = plant_begin("a");
    plant_member(plant, "a", "a0");
    plant_member(plant, "b", "b2");
    plant_write(plant, SLOT_DONE, 0600);
    commit_three();
    put_all("a0", "b2", "c1");
    check_whole(); /* by the record alone a would be old */
    put("b", "b1");
    check_mixed("b");
    remove_tree(".untorn/set");
    check_mixed("b");
    put("b", "b2");
    check_whole();
    commit_three();
    put_all("a1", "b1", "c1");
    check_whole();
    put("c", "c0");
    check_mixed("c"); /* the slot's commit never happened: it says nothing */
    remove_tree(".untorn/set");
    plant_die(plant);
    CHECK_INT(remove(PLANT_SLOT), 0);
    put("b", "b1");
    check_whole(); /* the control: nothing is known any more */
}

/* As it is named that is replaced as the number-th, with an inode that it has not. */
static void put_version(int number, const char *hashed, const char *content)
{
    char path[600], digits[UNTORN_HASH_TEXT_SIZE];
    struct untorn_hash hash = untorn_hash(hashed, strlen(hashed));
    snprintf(path, sizeof path, ".untorn/history/a/%016d.%s.0000000000000000", number,
             untorn_hash_format(&hash, digits));
    put(path, content);
}

/* [STANDING-2] */
TEST(what_untorn_put_back_alone_is_edited)
{
    commit_three();
    put("a", "a0");
    make_dir(".untorn/history", 0755);
    make_dir(".untorn/history/a", 0755);
    put_version(1, "a0", "a0");
    check_mixed("a"); /* that is what the commit replaced */
    put_version(3, "a1", "half of");
    check_mixed("a"); /* that is what a killed writer left, who replaced nothing */
    put_version(2, "a1", "a1");
    put(".untorn/history/a/litter", "x");
    check_edited();
}

TEST(as_many_old_ones_are_named_as_there_is_room)
{
    enum { MANY = 100 };
    static char here[4096], names[MANY][32];
    static struct record_member members[MANY];
    static const char *paths[MANY];
    static struct untorn_content many[MANY];
    CHECK(getcwd(here, sizeof here));
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "a-long-name-%d", i);
        members[i] = member(here, names[i], "0", "1");
        paths[i] = names[i];
        put(names[i], i ? "0" : "1");
    }
    write_record(1, members, MANY);
    CHECK_INT(untorn_read_set(paths, MANY, NULL, many, &error), -UNTORN_MIXED);
    CHECK(strstr(error.detail, "a-long-name-1, a-long-name-2"));
    CHECK(strstr(error.detail, " more"));
    CHECK(strlen(error.detail) < UNTORN_DETAIL_SIZE - 1);
}

static void commit_next(void *context)
{
    (void)context;
    commit_pair(2, "a", "a1", "a2", "b", "b1", "b2");
}

/* The next commit comes between reading and comparing. */
TEST(a_commit_that_comes_after_the_reading_makes_nothing_mixed)
{
    for (int i = 1; i < 40; i++) {
        commit_three();
        memset(rules, 0, sizeof rules);
        at(CALL_OPEN, "/.untorn", i, commit_next, NULL);
        CHECK_INT(read_set(abc, 3), 0);
        memset(rules, 0, sizeof rules);
        remove_tree(".untorn");
    }
}

static void commit_twice(void *context)
{
    (void)context;
    commit_pair(2, "a", "a1", "a2", "b", "b1", "b2");
    commit_pair(3, "a", "a2", "a3", "b", "b2", "b3");
}

static void commit_there_and_back(void *context)
{
    (void)context;
    commit_pair(2, "a", "a1", "a2", "b", "b1", "b2");
    commit_pair(3, "b", "b2", "b1", "c", "c1", "c2");
}

/* [STANDING-3] a was read before both commits, and b looks as the last of them made it. */
TEST(commits_that_come_after_the_reading_and_bring_a_file_back_make_nothing_mixed)
{
    for (int i = 1; i < 60; i++) {
        commit_three();
        memset(rules, 0, sizeof rules);
        at(CALL_OPEN, "/.untorn", i, commit_there_and_back, NULL);
        CHECK_INT(read_set(abc, 3), 0);
        memset(rules, 0, sizeof rules);
        remove_tree(".untorn");
    }
}

/* [STANDING-3] The record that is found is of the next commit, and knows nothing of what was read.
 */
TEST(a_commit_that_comes_after_the_reading_makes_nothing_edited)
{
    for (int i = 1; i < 40; i++) {
        commit_three();
        memset(rules, 0, sizeof rules);
        at(CALL_OPEN, "/.untorn", i, commit_twice, NULL);
        check_whole();
        memset(rules, 0, sizeof rules);
        remove_tree(".untorn");
    }
}

TEST(what_cannot_be_known_is_an_error)
{
    commit_three();
    put("a", "a0");
    fail(CALL_OPEN, ".untorn/set", 1, EIO);
    CHECK_INT(read_set(abc, 3), -UNTORN_IO);
    CHECK(!contents[0].data);
    check_mixed("a");
}

/* [RECORD-1] One that says that everything is wrong. */
TEST(no_file_changes_because_of_a_record)
{
    commit_three();
    put_all("a0", "edited", NULL);
    size_t still_open;
    struct untorn_check what = {.repair = true, .abandon = true};
    CHECK_INT(untorn_check(".", &what, NULL, &still_open, &error), 0);
    CHECK_INT(untorn_write("other", "x", 1, NULL, &error), 0);
    check_edited();
    CHECK_TEXT(text_of("a"), "a0");
    CHECK_TEXT(text_of("b"), "edited");
    CHECK(!exists("c"));
    CHECK_INT(count_entries(".untorn/set", ""), 1);
}

/* ---- with real commits ---- */

static void commit_texts(const char *a, const char *b, const char *c)
{
    const char *const texts[] = {a, b, c};
    struct untorn_transaction *save = NULL;
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    for (int i = 0; i < 3; i++)
        CHECK_INT(untorn_transaction_put(save, abc[i], texts[i], strlen(texts[i]), NULL, &error),
                  0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    untorn_transaction_free(save);
}

TEST(files_that_were_really_committed_are_judged_by_what_the_commit_left)
{
    commit_texts("a0", "b0", "c0");
    check_whole();
    commit_texts("a1", "b0", "c1"); /* b does not change */
    check_whole();
    put("a", "a0"); /* what cp does */
    check_mixed("a");
    publish("a", "a0"); /* what mv does */
    check_mixed("a");
    publish("a", "a1");
    check_whole();
    put("b", "changed");
    check_edited();
    commit_texts("a2", "b2", "c2");
    check_whole();
    CHECK_INT(untorn_write("a", "a1", 2, NULL, &error), 0); /* on purpose */
    check_edited();
    commit_texts("a3", "b3", "c3");
    check_whole();
    publish("c", "c2");
    check_mixed("c");
    remove_tree(".untorn/set"); /* as a power loss may */
    check_mixed("c");
}

static void die(void *context)
{
    (void)context;
    _exit(0);
}

static void commit_two(const char *one, const char *other, const char *text)
{
    struct untorn_transaction *save = NULL;
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, one, text, strlen(text), NULL, &error), 0);
    CHECK_INT(untorn_transaction_put(save, other, text, strlen(text), NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    untorn_transaction_free(save);
}

/* [REMEMBER-3] */
TEST(a_commit_that_was_killed_before_it_was_recorded_is_recorded_by_who_finishes_it)
{
    commit_texts("a0", "b0", "c0");
    commit_two("a", "b", "1");
    pid_t child = fork();
    if (child == 0) {
        at(CALL_OPEN, ".untorn/set", 1, die, NULL);
        commit_two("a", "b", "2");
        _exit(1); /* then it was never there */
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    CHECK_TEXT(text_of("a"), "2");
    commit_two("b", "c", "3"); /* its slot takes the place of the one before */
    check_whole();
}

struct pair {
    const char *paths[2];
    const char *text;
};

static void commit_paths(void *context)
{
    const struct pair *pair = context;
    struct untorn_transaction *save = NULL;
    CHECK_INT(untorn_transaction_begin(NULL, &save, NULL), 0);
    for (int i = 0; i < 2; i++)
        CHECK_INT(untorn_transaction_put(save, pair->paths[i], pair->text, strlen(pair->text), NULL,
                                         NULL),
                  0);
    CHECK_INT(untorn_transaction_commit(save, NULL), 0);
    untorn_transaction_free(save);
}

/* [STANDING-3] In the same second as the one before it, and not all of its records are there yet:
 * one directory's tell of it, another's do not. */
TEST(of_a_commit_after_the_reading_some_records_are_no_evidence)
{
    static const char *const all[] = {"one/c", "two/d", "two/e"};
    for (int i = 1; i < 60; i++) {
        struct pair first = {{"one/c", "two/d"}, "0"}, second = {{"two/d", "two/e"}, "1"};
        struct pair after = {{"one/c", "two/d"}, "2"};
        make_dir("one", 0755);
        make_dir("two", 0755);
        commit_paths(&first);
        commit_paths(&second);
        CHECK_INT(read_set(all, 3), 0);
        memset(rules, 0, sizeof rules);
        at(CALL_OPEN, "/.untorn", i, commit_paths, &after);
        CHECK_INT(read_set(all, 3), 0);
        memset(rules, 0, sizeof rules);
        remove_tree("one");
        remove_tree("two");
    }
}

/* As of a tree that is copied while a commit is interrupted: the slot is not believed, but says of
 * what commit the files are. Of one that is finished the record speaks. */
TEST(a_slot_that_was_copied_in_mid_commit_tells_a_mixture)
{
    static const enum slot_state states[] = {SLOT_COMMITTED, SLOT_PREPARED, SLOT_DONE};
    for (size_t i = 0; i < 3; i++) {
        put_all("a0", "b0", "c0");
        (void)remove(PLANT_SLOT);
        struct plant *plant = plant_begin("a");
        plant_member(plant, "a", "a1");
        plant_member(plant, "b", "b1");
        plant_write(plant, states[i], 0600);
        plant_die(plant);
        CHECK_INT(system("cp " PLANT_SLOT " copy && mv copy " PLANT_SLOT), 0);
        check_whole();
        publish("a", "a1");
        if (states[i] == SLOT_DONE)
            check_whole();
        else
            check_mixed("b");
        publish("b", "b1");
        check_whole();
    }
}
