/* txn/view.h: what a commit means for those who only read. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "txn/planted.h"
#include "txn/view.h"

static struct untorn_error error;

/* "-" if there is no such file; what went wrong, in words, for anything else. Borrowed. */
static const char *content_of(const char *path)
{
    static char text[1 << 16];
    struct untorn_content content;
    int rc = untorn_read(path, NULL, &content, &error);
    if (rc == 0)
        snprintf(text, sizeof text, "%s", content.data);
    else
        strcpy(text, rc == -UNTORN_MISSING ? "-" : untorn_status_name(rc));
    untorn_content_free(&content);
    return text;
}

/* A commit that replaces a, creates b and removes c. */
static struct plant *plant_three(void)
{
    put("a", "old a");
    put("c", "old c");
    struct plant *plant = plant_begin("a");
    plant_first(plant);
    plant_member(plant, "a", "new a");
    plant_member(plant, "b", "new b");
    plant_member(plant, "c", NULL);
    return plant;
}

static void check_three(const char *a, const char *b, const char *c)
{
    CHECK_TEXT(content_of("a"), a);
    CHECK_TEXT(content_of("b"), b);
    CHECK_TEXT(content_of("c"), c);
}

static void check_old(void)
{
    check_three("old a", "-", "old c");
}

static void check_new(void)
{
    check_three("new a", "new b", "-");
}

/* [VIEW-1] */
TEST(every_member_is_new_from_the_moment_one_of_them_is)
{
    struct plant *plant = plant_three();
    CHECK_INT(remove("first"), 0);
    check_old();
    plant_write(plant, SLOT_COMMITTED, 0600);
    check_old(); /* it may still be withdrawn */
    CHECK_TEXT(content_of("first"), "-");
    put("first", "1");
    check_new();
    put("new", "new a");
    CHECK_INT(rename("new", "a"), 0);
    check_new();
    put("b", "new b");
    CHECK_INT(remove("c"), 0);
    check_new();
    CHECK_INT(slot_file_set(&plant->file, &plant->slot, SLOT_DONE), 0);
    check_new();
    plant_die(plant);
    check_new();
}

/* [VIEW-1] After a power loss it may be any of them. */
TEST(whichever_member_has_changed_makes_all_of_them_new)
{
    put("a", "old a");
    put("b", "old b");
    put("c", "old c");
    struct plant *plant = plant_begin("a");
    plant_member(plant, "a", "new a");
    plant_member(plant, "b", "new b");
    plant_member(plant, "c", NULL);
    plant_member(plant, "d", "new d");
    plant_write(plant, SLOT_COMMITTED, 0600);
    check_three("old a", "old b", "old c");
    put("d", "new d");
    check_three("new a", "new b", "-");
    CHECK_INT(remove("d"), 0);
    check_three("old a", "old b", "old c");
    CHECK_INT(rename("c", "kept"), 0);
    check_three("new a", "new b", "-");
    CHECK_INT(rename("kept", "c"), 0);
    put("a", "his a"); /* in the same file: that is no sign of the commit */
    check_three("his a", "old b", "old c");
    put("a", "old a");
    put("new", "new b");
    CHECK_INT(rename("new", "b"), 0);
    check_three("new a", "new b", "-");
}

TEST(a_commit_that_is_done_or_given_up_says_nothing)
{
    struct plant *plant = plant_three();
    for (int state = SLOT_IDLE; state <= SLOT_DONE; state++) {
        plant_write(plant, (enum slot_state)state, 0600);
        if (state == SLOT_IDLE || state == SLOT_DONE)
            check_old();
    }
}

TEST(reading_what_a_dead_commit_left_changes_nothing)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    check_new();
    CHECK_TEXT(text_of("a"), "old a");
    CHECK(!exists("b"));
    CHECK_TEXT(text_of("c"), "old c");
    CHECK_INT(count_entries(".untorn", ""), 3); /* .gitignore, format, journal */
}

TEST(a_large_member_is_read_from_its_stage)
{
    put("a", "old a");
    struct plant *plant = plant_begin("a");
    plant_first(plant);
    plant_staged(plant, "a", "new a");
    plant_staged(plant, "b", "new b");
    plant_write(plant, SLOT_COMMITTED, 0600);
    CHECK_TEXT(content_of("a"), "new a");
    CHECK_TEXT(content_of("b"), "new b");
    CHECK_INT(rename(".untorn/stage/a.0123456789abcdef", "a"), 0);
    CHECK_TEXT(content_of("a"), "new a");
}

/* [VIEW-2] */
TEST(a_stage_that_is_lost_or_wrong_is_never_given)
{
    put("a", "old a");
    struct plant *plant = plant_begin("a");
    plant_first(plant);
    plant_staged(plant, "a", "new a");
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    put(".untorn/stage/a.0123456789abcdef", "bad a");
    CHECK_TEXT(content_of("a"), "RESTLESS");
    CHECK_INT(remove(".untorn/stage/a.0123456789abcdef"), 0);
    CHECK_TEXT(content_of("a"), "old a");
}

static void publish(void *context)
{
    (void)context;
    put("published", "new a");
    CHECK_INT(rename("published", "a"), 0);
}

TEST(a_stage_that_a_living_writer_has_in_hand_is_waited_for)
{
    put("a", "old a");
    struct plant *plant = plant_begin("a");
    plant_first(plant);
    plant_staged(plant, "a", "new a");
    plant_write(plant, SLOT_COMMITTED, 0600); /* and the slot's lock is held */
    CHECK_INT(remove(".untorn/stage/a.0123456789abcdef"), 0);
    at(CALL_SLEEP, "", 3, publish, NULL);
    CHECK_TEXT(content_of("a"), "new a");
}

/* [VIEW-2] */
TEST(what_somebody_else_made_of_a_member_is_given_as_it_is)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    put("a", "his a"); /* in the same inode, of the same size */
    put("b", "his b");
    put("c", "his c");
    check_three("his a", "his b", "his c");
    CHECK_INT(remove("a"), 0);
    check_three("-", "his b", "his c");
}

TEST(the_same_content_in_another_file_is_somebody_else_s)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    put("copy", "old a");
    CHECK_INT(rename("copy", "a"), 0);
    CHECK_TEXT(content_of("a"), "old a");
}

TEST(a_torn_slot_is_no_commit)
{
    char good[4096], bad[4096];
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    ssize_t size = get_bytes(PLANT_SLOT, good, sizeof good);
    CHECK(size > SLOT_HEAD);
    for (ssize_t i = 0; i < size; i++) {
        memcpy(bad, good, (size_t)size);
        bad[i] ^= 0x10;
        put_bytes(PLANT_SLOT, bad, (size_t)size);
        check_old();
        put_bytes(PLANT_SLOT, good, (size_t)i);
        check_old();
    }
    put_bytes(PLANT_SLOT, good, (size_t)size);
    check_new();
}

TEST(what_lies_behind_a_slot_is_of_an_earlier_longer_one)
{
    char slot[4096 + 100] = {0};
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    ssize_t size = get_bytes(PLANT_SLOT, slot, 4096);
    put_bytes(PLANT_SLOT, slot, (size_t)size + 100);
    check_new();
}

TEST(a_slot_that_was_copied_here_is_not_believed)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    check_new();
    CHECK_INT(system("cp -a . ../copy && cd ../copy && cp -a .untorn restored && rm -r .untorn && "
                     "mv restored .untorn"),
              0);
    CHECK_INT(chdir("../copy"), 0);
    check_old();
    remove_tree(full_path(""));
}

TEST(something_else_in_the_place_of_the_slot_is_none)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    CHECK_INT(rename(PLANT_SLOT, "slot"), 0);
    CHECK_INT(symlink("../../slot", PLANT_SLOT), 0);
    check_old();
    CHECK_INT(remove(PLANT_SLOT), 0);
    CHECK_INT(link("slot", PLANT_SLOT), 0); /* a second name: it may be somebody's file */
    check_old();
    CHECK_INT(remove(PLANT_SLOT), 0);
    CHECK_INT(mkfifo(PLANT_SLOT, 0600), 0);
    check_old();
    CHECK_INT(remove(PLANT_SLOT), 0);
    make_dir(PLANT_SLOT, 0700);
    check_old();
    CHECK_INT(rmdir(PLANT_SLOT), 0);
    CHECK_INT(rename("slot", PLANT_SLOT), 0);
    check_new(); /* the control: it is the same file again */
    CHECK_INT(rename(".untorn/journal", ".untorn/elsewhere"), 0);
    CHECK_INT(symlink("elsewhere", ".untorn/journal"), 0);
    check_old();
}

/* ---- two directories ---- */

static struct plant *coordinator, *participant;

static void begin_pair(void)
{
    make_dir("x", 0755);
    make_dir("y", 0755);
    put("x/a", "old a");
    put("y/b", "old b");
    coordinator = plant_begin("x/a");
    participant = plant_begin("y/b");
}

static void plant_two(void)
{
    begin_pair();
    plant_first(coordinator);
    plant_member(coordinator, "a", "new a");
    plant_member(participant, "b", "new b");
    plant_pair(coordinator, participant);
    plant_write(participant, SLOT_PREPARED, 0600);
}

static void check_two(const char *a, const char *b)
{
    CHECK_TEXT(content_of("x/a"), a);
    CHECK_TEXT(content_of("y/b"), b);
}

/* [VIEW-1] In a directory that nobody reads here. */
TEST(a_change_in_one_directory_makes_the_members_in_all_of_them_new)
{
    begin_pair();
    plant_member(coordinator, "a", "new a");
    plant_member(participant, "b", "new b");
    plant_pair(coordinator, participant);
    plant_write(participant, SLOT_PREPARED, 0600);
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    check_two("old a", "old b");
    put("new", "new b");
    CHECK_INT(rename("y/b", "kept"), 0);
    CHECK_INT(rename("new", "y/b"), 0);
    check_two("new a", "new b");
    CHECK_INT(rename("kept", "y/b"), 0);
    check_two("old a", "old b");
    put("new", "new a");
    CHECK_INT(rename("new", "x/a"), 0);
    check_two("new a", "new b");
    CHECK_INT(slot_file_set(&participant->file, &participant->slot, SLOT_DONE), 0);
    check_two("new a", "old b");
}

/* [VIEW-1] */
TEST(a_participant_counts_when_its_coordinator_says_so)
{
    plant_two();
    check_two("old a", "old b");
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    check_two("new a", "new b");
    CHECK_INT(slot_file_set(&coordinator->file, &coordinator->slot, SLOT_DONE), 0);
    check_two("old a", "old b");
}

TEST(another_commit_of_the_coordinator_is_not_the_participant_s)
{
    plant_two();
    coordinator->slot.id[0]++;
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    check_two("new a", "old b");
}

TEST(a_coordinator_that_does_not_name_the_participant_is_not_its_own)
{
    plant_two();
    coordinator->directories[0].inode++;
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    check_two("new a", "old b");
}

TEST(a_torn_coordinator_is_no_commit)
{
    plant_two();
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    int file = open("x/" PLANT_SLOT, O_WRONLY);
    CHECK_INT(pwrite(file, "!", 1, SLOT_HEAD + 3), 1);
    close(file);
    check_two("old a", "old b");
}

TEST(in_doubt_a_member_is_given_as_it_is)
{
    plant_two();
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    CHECK_INT(rename("x", "away"), 0);
    CHECK_TEXT(content_of("y/b"), "old b");
    make_dir("x", 0755);
    CHECK_TEXT(content_of("y/b"), "old b");
    CHECK_INT(rmdir("x"), 0);
    CHECK_INT(rename("away", "x"), 0);
    CHECK_TEXT(content_of("y/b"), "new b");
}

/* ---- other users ---- */

static void check_new_as(void *context)
{
    (void)context;
    check_new();
}

static void check_old_as(void *context)
{
    (void)context;
    check_old();
}

/* [VIEW-4] */
TEST(a_reader_who_may_write_nothing_sees_the_commit)
{
    need_root();
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0644);
    plant_die(plant);
    CHECK_INT(chmod(".", 0555), 0);
    in_child_as(ALICE, CREW, check_new_as, NULL);
    private_mounts();
    make_dir("/tmp/view-test", 0700);
    CHECK_INT(mount(".", "/tmp/view-test", NULL, MS_BIND, NULL), 0);
    CHECK_INT(mount(NULL, "/tmp/view-test", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
    CHECK_INT(chdir("/tmp/view-test"), 0);
    check_new();
    CHECK_INT(open("e", O_CREAT | O_WRONLY, 0600), -1);
    CHECK_INT(errno, EROFS);
    CHECK_INT(chdir("/"), 0);
    CHECK_INT(umount("/tmp/view-test"), 0);
    CHECK_INT(rmdir("/tmp/view-test"), 0);
}

TEST(a_reader_who_may_not_read_the_slot_reads_the_files_as_they_are)
{
    need_root();
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    in_child_as(ALICE, CREW, check_old_as, NULL);
    check_new();
}

static void check_a_old(void *context)
{
    (void)context;
    CHECK_TEXT(content_of("x/a"), "old a");
}

/* [VIEW-1] Nothing of the commit can be seen, as far as he can look. */
TEST(a_participant_that_may_not_be_looked_at_is_no_sign_that_it_has_begun)
{
    need_root();
    begin_pair();
    plant_member(coordinator, "a", "new a");
    plant_member(participant, "b", "new b");
    plant_pair(coordinator, participant);
    plant_write(participant, SLOT_PREPARED, 0600);
    plant_write(coordinator, SLOT_COMMITTED, 0644);
    in_child_as(ALICE, CREW, check_a_old, NULL);
    CHECK_INT(chmod("y/.untorn/journal/slot", 0644), 0);
    in_child_as(ALICE, CREW, check_a_old, NULL);
    put("new", "new b");
    CHECK_INT(rename("new", "y/b"), 0); /* it has begun */
    CHECK_TEXT(content_of("x/a"), "new a");
}

/* [VIEW-2] The inode may have been given to another file. */
TEST(a_file_that_was_born_at_another_time_is_not_the_one_that_is_replaced)
{
    struct plant *plant = plant_three();
    plant->members[1].before.born++;
    plant_write(plant, SLOT_COMMITTED, 0600);
    check_three("old a", "new b", "-");
}

TEST(a_slot_of_somebody_who_may_not_change_the_file_is_not_believed)
{
    plant_by_stranger("b");
    CHECK_TEXT(content_of("open/a"), "root's");
    CHECK_TEXT(content_of("open/b"), "planted"); /* anybody may create files here */
    CHECK_INT(chmod("open/a", 0666), 0);
    CHECK_TEXT(content_of("open/a"), "planted"); /* and now write this one */
}

/* ---- while it is being written ---- */

static void next_commit(void *context)
{
    struct plant *plant = context;
    put("new", "new a");
    CHECK_INT(rename("new", "a"), 0);
    CHECK_INT(slot_file_set(&plant->file, &plant->slot, SLOT_DONE), 0);
    plant->slot.sequence++;
    plant->slot.id[0]++;
    plant->slot.member_count = 1;
    plant_member(plant, "a", "bad a"); /* as long as the other: not told by its size */
    unsigned char *data;
    size_t size;
    CHECK_INT(slot_encode(&plant->slot, &data, &size), 0);
    CHECK_INT(pwrite((int)plant->file.fd, data + SLOT_HEAD, size - SLOT_HEAD, SLOT_HEAD),
              size - SLOT_HEAD); /* its header comes next */
    free(data);
}

/* [VIEW-3] At every call to read the slot another commit comes. */
TEST(a_slot_that_changes_while_it_is_read_is_read_again)
{
    for (int call = 1; call <= 8; call++) {
        put("a", "old a");
        if (exists(".untorn"))
            remove_tree(".untorn");
        struct plant *plant = plant_begin("a");
        plant_first(plant);
        plant_member(plant, "a", "new a");
        plant_write(plant, SLOT_COMMITTED, 0600);
        memset(rules, 0, sizeof rules);
        at(CALL_READ, "/journal/slot", call, next_commit, plant);
        const char *text = content_of("a");
        CHECK_TEXT(text, "new a");
        plant_die(plant);
    }
}

/* ---- in place ---- */

static void die(void *context)
{
    (void)context;
    _exit(9);
}

static void overwrite_and_die(void *context)
{
    struct untorn_options in_place = {.keep_inode = true};
    at(CALL_TRUNCATE, context, 1, die, NULL);
    (void)untorn_write("a", "new and longer", 14, &in_place, &error);
    _exit(0);
}

TEST(a_member_that_is_being_overwritten_in_place_is_new_with_the_others)
{
    put("a", "old a");
    put("b", "old b");
    CHECK_INT(end_of(start_child(overwrite_and_die, (void *)full_path("a"))), 9);
    CHECK_TEXT(content_of("a"), "old a"); /* the journal of the overwrite says so */
    struct plant *plant = plant_begin("a");
    plant_first(plant);
    struct slot_member *member = plant_member(plant, "a", "new and longer");
    member->in_place = true;
    member->before.hash = untorn_hash("old a", 5);
    plant_member(plant, "b", "new b");
    plant_write(plant, SLOT_COMMITTED, 0600);
    CHECK_TEXT(content_of("a"), "new and longer");
    CHECK_TEXT(content_of("b"), "new b");
    member->before.hash = untorn_hash("other", 5); /* an overwrite of another time */
    plant_write(plant, SLOT_COMMITTED, 0600);
    CHECK_TEXT(content_of("a"), "old a");
}

TEST(a_member_to_be_overwritten_in_place_is_new_before_that_begins)
{
    put("a", "old a");
    struct plant *plant = plant_begin("a");
    plant_first(plant);
    plant_member(plant, "a", "new a")->in_place = true;
    plant_write(plant, SLOT_COMMITTED, 0600);
    CHECK_TEXT(content_of("a"), "new a");
    put("a", "new a");
    CHECK_TEXT(content_of("a"), "new a");
}

TEST(a_member_that_is_being_overwritten_in_place_is_no_sign_until_that_is_done)
{
    put("a", "old a");
    put("b", "old b");
    CHECK_INT(end_of(start_child(overwrite_and_die, (void *)full_path("a"))), 9);
    struct plant *plant = plant_begin("a");
    struct slot_member *member = plant_member(plant, "a", "new and longer");
    member->in_place = true;
    member->before.hash = untorn_hash("old a", 5);
    plant_member(plant, "b", "new b");
    plant_write(plant, SLOT_COMMITTED, 0600);
    CHECK_TEXT(content_of("a"), "old a");
    CHECK_TEXT(content_of("b"), "old b");
    CHECK_INT(remove(".untorn/inplace/a"), 0);
    put("a", "new and longer");
    CHECK_TEXT(content_of("a"), "new and longer");
    CHECK_TEXT(content_of("b"), "new b");
}

TEST(no_slot_costs_one_call_and_leaves_nothing_open)
{
    CHECK_INT(untorn_write("a", "a", 1, NULL, &error), 0);
    int before = open_descriptors();
    CHECK_TEXT(content_of("a"), "a");
    CHECK_INT(open_descriptors(), before);
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    before = open_descriptors();
    check_new();
    CHECK_INT(open_descriptors(), before);
}
