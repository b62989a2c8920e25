/* untorn/check.h: what commits of several files left. */
#include "harness.h"

#include <untorn.h>

#include "file/found.h"
#include "file/interpose.h"
#include "txn/commits.h"
#include "txn/planted.h"
#include "txn/record.h"

static void check_found(int index, enum untorn_finding_kind kind, const char *name, bool repaired)
{
    CHECK(index < count);
    CHECK_INT(found[index].kind, kind);
    CHECK_TEXT(found[index].name, name);
    CHECK_INT(found[index].repaired, repaired);
}

/* A commit that replaces a, creates b and removes c. */
static struct plant *plant_three(void)
{
    put("a", "old a");
    put("c", "old c");
    struct plant *plant = plant_begin("a");
    plant_member(plant, "a", "new a");
    plant_member(plant, "b", "new b");
    plant_member(plant, "c", NULL);
    return plant;
}

static void check_files(const char *a, const char *b, const char *c)
{
    CHECK_TEXT(text_of("a") ? text_of("a") : "-", a);
    CHECK_TEXT(text_of("b") ? text_of("b") : "-", b);
    CHECK_TEXT(text_of("c") ? text_of("c") : "-", c);
}

TEST(a_commit_that_stopped_is_found_for_each_of_its_files)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 0); /* its writer lives */
    plant_die(plant);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 3);
    check_found(0, UNTORN_FOUND_SET, "a", false);
    check_found(1, UNTORN_FOUND_SET, "b", false);
    check_found(2, UNTORN_FOUND_SET, "c", false);
    CHECK_TEXT(found[0].kept, ".untorn/journal/slot");
    CHECK_INT(found[0].size, 5);
    CHECK_INT(still_open, 3);
    CHECK_INT(check("b", false, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_SET, "b", false);
    CHECK_INT(check("other", false, false), 0);
    CHECK_INT(count, 0);
    check_files("old a", "-", "old c");
}

TEST(repair_finishes_a_commit_that_counts)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    CHECK_INT(check("a", true, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_SET, "a", true);
    CHECK_INT(still_open, 0);
    check_files("new a", "new b", "-");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 0);
}

TEST(a_commit_that_is_done_is_no_finding)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_DONE, 0600);
    plant_die(plant);
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(count, 0);
    check_files("old a", "-", "old c");
}

TEST(the_stage_of_a_commit_is_not_one_that_was_never_finished)
{
    put("a", "old a");
    struct plant *plant = plant_begin("a");
    plant_staged(plant, "a", "new a");
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    put(".untorn/stage/a.fedcba9876543210", "litter");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 2);
    check_found(0, UNTORN_FOUND_SET, "a", false);
    check_found(1, UNTORN_FOUND_STAGE, "a", false);
    CHECK_TEXT(found[1].kept, ".untorn/stage/a.fedcba9876543210");
    CHECK_INT(check(".", true, false), 0);
    CHECK_INT(still_open, 0);
    CHECK_TEXT(text_of("a"), "new a");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

/* ---- two directories ---- */

static struct plant *coordinator, *participant;

static void plant_two(enum slot_state state)
{
    make_dir("x", 0755);
    make_dir("y", 0755);
    put("x/a", "old a");
    put("y/b", "old b");
    coordinator = plant_begin("x/a");
    participant = plant_begin("y/b");
    plant_member(coordinator, "a", "new a");
    plant_staged(participant, "b", "new b");
    plant_pair(coordinator, participant);
    plant_write(participant, SLOT_PREPARED, 0600);
    if (state)
        plant_write(coordinator, state, 0600);
    plant_die(participant);
    plant_die(coordinator);
}

TEST(repair_in_one_directory_finishes_the_other)
{
    plant_two(SLOT_COMMITTED);
    CHECK_INT(check("y", true, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_SET, "b", true);
    CHECK(!found[0].withdrawn);
    CHECK_TEXT(text_of("y/b"), "new b");
    CHECK_TEXT(text_of("x/a"), "new a");
}

/* [TXN-4] Only that it is done was not on the disk yet. */
TEST(repair_of_what_is_done_does_not_say_that_it_was_taken_back)
{
    plant_two(SLOT_DONE);
    put("y/new", "new b");
    CHECK_INT(rename("y/new", "y/b"), 0);
    CHECK_INT(check("y", true, false), 0);
    check_found(0, UNTORN_FOUND_SET, "b", true);
    CHECK(!found[0].withdrawn);
    CHECK_TEXT(text_of("y/b"), "new b");
}

TEST(repair_discards_what_never_counted)
{
    plant_two(SLOT_IDLE);
    CHECK_INT(check("y", false, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_SET, "b", false);
    CHECK(found[0].withdrawn);
    CHECK_INT(check("y", true, false), 0);
    check_found(0, UNTORN_FOUND_SET, "b", true);
    CHECK(found[0].withdrawn);
    CHECK_TEXT(text_of("y/b"), "old b");
    CHECK_INT(count_entries("y/.untorn/stage", ""), 0);
}

TEST(in_doubt_only_abandon_gives_it_up_and_even_that_keeps_it_aside)
{
    plant_two(SLOT_COMMITTED);
    CHECK_INT(rename("x", "away"), 0);
    CHECK_INT(check("y", false, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_IN_DOUBT, "b", false);
    CHECK_TEXT(found[0].directory, full_path("x"));
    CHECK_INT(untorn_write("y/b", "mine", 4, NULL, &error), -UNTORN_IN_DOUBT);
    CHECK(strstr(error.detail, "/x"));
    CHECK_INT(check("y", true, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_IN_DOUBT, "b", false);
    CHECK(exists("y/.untorn/stage/b.0123456789abcdef"));
    CHECK_INT(check("y", true, true), 0);
    CHECK_INT(count, 2);
    check_found(0, UNTORN_FOUND_IN_DOUBT, "b", true);
    check_found(1, UNTORN_FOUND_STAGE, "b", true);
    CHECK_INT(check("y", false, false), 0);
    CHECK_INT(still_open, 0);
    CHECK_TEXT(text_of("y/b"), "old b");
    CHECK_INT(untorn_write("y/b", "mine", 4, NULL, &error), 0);
    CHECK_INT(count_entries("y/.untorn/kept", "givenup-b."), 1);
    CHECK_INT(rename("away", "x"), 0); /* it comes back, and is finished without the other */
    CHECK_INT(untorn_write("x/c", "c", 1, NULL, &error), 0);
    CHECK_INT(check("x", true, false), 0);
    CHECK_TEXT(text_of("x/a"), "new a");
    CHECK_TEXT(text_of("y/b"), "mine");
}

/* ---- what is not ours ---- */

TEST(a_copied_slot_is_foreign_and_set_aside_where_that_is_asked_for)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    CHECK_INT(system("cp -a .untorn copy && rm -r .untorn && mv copy .untorn"), 0);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_FOREIGN, "a", false);
    CHECK_INT(check("c", false, false), 0);
    check_found(0, UNTORN_FOUND_FOREIGN, "c", false);
    CHECK_INT(check("d", false, false), 0);
    CHECK_INT(count, 0);
    CHECK_INT(check(".", true, false), 0);
    check_found(0, UNTORN_FOUND_FOREIGN, "a", false);
    CHECK(exists(PLANT_SLOT));
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_FOREIGN, "a", true);
    CHECK(!exists(PLANT_SLOT));
    check_files("old a", "-", "old c");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 0); /* it is kept, but nothing is left to decide */
    CHECK_INT(check(".", true, false), 0);
    CHECK_INT(count, 0);
    CHECK_INT(count_entries(".untorn/kept", "givenup-a."), 1);
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_FOREIGN, "a", true);
    CHECK_INT(strncmp(found[0].kept, ".untorn/kept/givenup-a.", 23), 0);
    CHECK_INT(count_entries(".untorn/kept", ""), 0);
}

TEST(a_slot_of_somebody_who_may_not_change_the_file_is_foreign)
{
    plant_by_stranger(NULL);
    for (int repair = 0; repair < 2; repair++) {
        CHECK_INT(check("open", repair, false), 0);
        CHECK_INT(count, 1);
        check_found(0, UNTORN_FOUND_FOREIGN, "a", false);
    }
    CHECK_INT(check("open", true, true), 0);
    check_found(0, UNTORN_FOUND_FOREIGN, "a", true);
    CHECK_INT(count_entries("open/.untorn/kept", "givenup-a."), 1);
    CHECK_TEXT(text_of("open/a"), "root's");
}

/* ---- mixed ---- */

static struct record_member member(const char *directory, const char *name)
{
    return (struct record_member){directory,          name, true, true, untorn_hash("0", 1),
                                  untorn_hash("1", 1)};
}

static void write_record(const char *path, unsigned char id, struct record_member *members,
                         size_t how_many)
{
    struct setting setting = {0};
    setting_open(&setting, path);
    struct record record = {.id = {id}, .sequence = id, .count = how_many, .members = members};
    CHECK_INT(record_write(&setting.state, setting.place.dir, &record, 0644), 0);
    setting_close(&setting);
}

TEST(files_of_which_some_are_from_before_a_commit_are_found)
{
    static char here[4096], beside[4200];
    CHECK(getcwd(here, sizeof here));
    make_dir("d", 0755);
    strcpy(beside, full_path("d"));
    put("a", "1");
    put("b", "1");
    put("d/c", "1");
    struct record_member members[] = {member(here, "a"), member(here, "b"), member(beside, "c")};
    struct record_member fewer[] = {member(here, "a"), member(here, "b")};
    write_record("a", 1, members, 3);
    write_record("a", 2, fewer, 2);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 0);
    put("b", "0");
    put("d/c", "0");
    for (int repair = 0; repair < 2; repair++) {
        CHECK_INT(check(".", repair, repair), 0);
        CHECK_INT(count, 2);
        check_found(0, UNTORN_FOUND_MIXED, "b", false);
        check_found(1, UNTORN_FOUND_MIXED, full_path("d/c"), false);
        CHECK_INT(found[0].size, 1);
        CHECK_INT(strncmp(found[0].kept, ".untorn/set/", 12), 0);
        CHECK(exists(found[0].kept));
        CHECK_INT(still_open, 2);
        CHECK_TEXT(text_of("b"), "0");
    }
    static const char *const asked[] = {"b", "a"};
    for (int i = 0; i < 2; i++) { /* all of the set, whichever file is asked for */
        CHECK_INT(check(asked[i], false, false), 0);
        CHECK_INT(count, 2);
        check_found(0, UNTORN_FOUND_MIXED, "b", false);
        check_found(1, UNTORN_FOUND_MIXED, full_path("d/c"), false);
    }
    CHECK_INT(check("another", false, false), 0);
    CHECK_INT(count, 0);
    put("a", "edited");
    CHECK_INT(check("b", false, false), 0);
    CHECK_INT(count, 0);
}

static void check_mixed(const char *path, const char *old)
{
    CHECK_INT(check(path, false, false), 0);
    CHECK_INT(count, 1);
    check_found(0, UNTORN_FOUND_MIXED, old, false);
}

/* [REMEMBER-1] */
TEST(a_mixed_set_is_found_from_every_directory_and_every_file_of_it)
{
    make_dir("x", 0755);
    make_dir("y", 0755);
    put("x/a", "old a");
    put("y/b", "old b");
    const struct step both[] = {PUT("x/a", "new a"), PUT("y/b", "new b"), {0}};
    const struct step others[] = {PUT("x/c", "c"), PUT("x/d", "d"), {0}};
    const struct step more[] = {PUT("y/c", "c"), PUT("y/d", "d"), {0}};
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    CHECK_INT(commit_steps(others, NULL, &error), 0); /* the slots are theirs now */
    CHECK_INT(commit_steps(more, NULL, &error), 0);
    static const char *const all[] = {"x", "y", "x/a", "y/b"};
    for (int i = 0; i < 4; i++) {
        CHECK_INT(check(all[i], false, false), 0);
        CHECK_INT(count, 0);
    }
    put("y/b", "old b");
    for (int i = 0; i < 4; i++)
        check_mixed(all[i], all[i][0] == 'y' ? "b" : full_path("y/b"));
    CHECK_INT(check("x/c", false, false), 0);
    CHECK_INT(count, 0);
}

/* [REMEMBER-2] */
TEST(a_commit_that_was_recovered_is_remembered_too)
{
    plant_two(SLOT_COMMITTED);
    CHECK_INT(check("y", true, false), 0);
    put("x/a", "old a");
    check_mixed("y", full_path("x/a"));
    check_mixed("x", "a");
}

TEST(looking_makes_and_changes_nothing)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    CHECK_INT(system("find . -printf '%p %i %s %m %T@\\n' | sort > ../before"), 0);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(check(".", false, true), 0);
    CHECK_INT(system("find . -printf '%p %i %s %m %T@\\n' | sort | cmp - ../before"), 0);
    CHECK_INT(remove("../before"), 0);
}
