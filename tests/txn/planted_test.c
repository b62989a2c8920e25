/* Slots that no commit of ours left here: planted, copied, torn, of other versions. Whatever a
 * slot says, no file is harmed that its maker could not have changed anyway. */
#include "harness.h"

#include <untorn.h>

#include "txn/commits.h"
#include "txn/planted.h"

static struct untorn_error error;

static void repair(const char *path)
{
    size_t still_open;
    struct untorn_check what = {.repair = true};
    CHECK_INT(untorn_check(path, &what, NULL, &still_open, &error), 0);
}

/* All that a user does in a directory. */
static void use_directory(void)
{
    struct untorn_options fast = {.level = UNTORN_CACHE};
    struct untorn_content content;
    CHECK_INT(untorn_read("a", NULL, &content, &error), 0);
    CHECK_TEXT(content.data, "old a");
    untorn_content_free(&content);
    CHECK_INT(untorn_write("other", "x", 1, &fast, &error), 0);
    fast.if_changed = true; /* it is locked and looked at, and stays */
    CHECK_INT(untorn_write("a", "old a", 5, &fast, &error), 0);
    repair(".");
    CHECK_TEXT(text_of("a"), "old a");
    CHECK_TEXT(text_of("c"), "old c");
    CHECK(!exists("b"));
}

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

/* [SLOT-1] */
TEST(no_slot_with_a_flipped_bit_or_a_missing_end_is_applied)
{
    char good[4096], bad[4096];
    work_in_memory();
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    ssize_t size = get_bytes(PLANT_SLOT, good, sizeof good);
    for (ssize_t i = 0; i < size; i++) {
        memcpy(bad, good, (size_t)size);
        bad[i] ^= (char)(1 << i % 8);
        put_bytes(PLANT_SLOT, bad, (size_t)size);
        use_directory();
        put_bytes(PLANT_SLOT, good, (size_t)i);
        use_directory();
    }
    put_bytes(PLANT_SLOT, good, (size_t)size); /* the control */
    repair(".");
    CHECK_TEXT(text_of("a"), "new a");
    CHECK_TEXT(text_of("b"), "new b");
    CHECK(!exists("c"));
}

/* Changes `size` bytes of the header, with a check that fits. */
static void patch_head(size_t at_byte, const void *bytes, size_t size)
{
    unsigned char head[SLOT_HEAD];
    int file = open(PLANT_SLOT, O_RDWR);
    CHECK_INT(pread(file, head, sizeof head, 0), sizeof head);
    memcpy(head + at_byte, bytes, size);
    struct untorn_hash hash = untorn_hash(head, 496);
    memcpy(head + 496, hash.bytes, 16);
    CHECK_INT(pwrite(file, head, sizeof head, 0), sizeof head);
    close(file);
}

TEST(a_slot_of_another_version_is_not_applied)
{
    static const unsigned char versions[] = {0, 3, 255};
    struct plant *plant = plant_three();
    for (size_t i = 0; i < sizeof versions; i++) {
        plant_write(plant, SLOT_COMMITTED, 0600);
        patch_head(16, &versions[i], 1);
        plant_die(plant);
        use_directory();
        CHECK_INT(remove(PLANT_SLOT), 0);
        plant = plant_three();
    }
}

TEST(a_slot_with_numbers_that_make_no_sense_is_not_applied)
{
    static const struct {
        size_t at;
        uint64_t value;
        size_t size;
    } patches[] = {
        {20, 4, 4},           /* a state that there is not */
        {64, 1, 8},           /* a body without room for the records */
        {64, UINT64_MAX, 8},  /* one that is larger than anything */
        {72, UINT64_MAX, 8},  /* records that are */
        {72, 0, 8},           /* none */
        {96, UINT32_MAX, 4},  /* more members than there are */
        {96, 1, 4},           /* fewer */
        {100, UINT32_MAX, 4}, /* more directories */
        {104, 1, 4},          /* a participant without a coordinator */
        {300, 1, 1},          /* something where nothing is */
    };
    work_in_memory();
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        struct plant *plant = plant_three();
        plant_write(plant, SLOT_COMMITTED, 0600);
        patch_head(patches[i].at, &patches[i].value, patches[i].size);
        plant_die(plant);
        use_directory();
        CHECK_INT(remove(PLANT_SLOT), 0);
    }
}

/* [SLOT-2] */
TEST(a_slot_that_names_another_place_is_not_applied_and_is_reported)
{
    static const char *const names[] = {"../x", "/etc/x",  "..",        ".",
                                        "d/x",  ".untorn", ".untorn-0", "../../x"};
    work_in_memory();
    make_dir("d", 0755);
    make_dir("d/d", 0755);
    put("x", "victim");
    put("d/d/x", "victim");
    CHECK_INT(chdir("d"), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct plant *plant = plant_three();
        struct slot_member *member = plant_member(plant, "planted", "planted");
        strcpy(member->name, names[i]);
        plant_write(plant, SLOT_COMMITTED, 0600);
        plant_die(plant);
        use_directory();
        CHECK(exists(PLANT_SLOT));
        CHECK_TEXT(text_of("../x"), "victim");
        CHECK_TEXT(text_of("d/x"), "victim");
        CHECK(!exists("../../x"));
        CHECK(!exists("/etc/x"));
        struct stat status;
        CHECK_INT(lstat(".untorn", &status), 0);
        CHECK(S_ISDIR(status.st_mode));
        size_t still_open;
        struct untorn_check what = {0};
        CHECK_INT(untorn_check(".", &what, NULL, &still_open, &error), 0);
        CHECK_INT(still_open, 1);
        what.repair = what.abandon = true;
        CHECK_INT(untorn_check(".", &what, NULL, &still_open, &error), 0);
        CHECK_INT(still_open, 0);
        CHECK(!exists(PLANT_SLOT));
        remove_tree(".untorn/kept");
    }
}

TEST(the_stage_of_a_member_cannot_be_a_file_elsewhere)
{
    put("victim", "victim");
    put("a", "old a");
    static const char *const stages[] = {"../../victim", "/etc/passwd", "..", "link"};
    for (size_t i = 0; i < 4; i++) {
        struct plant *plant = plant_begin("a");
        struct slot_member *member = plant_staged(plant, "a", "victim");
        if (i == 3 && !exists(".untorn/stage/link"))
            CHECK_INT(symlink("../../victim", ".untorn/stage/link"), 0);
        strcpy(member->stage, stages[i]);
        plant_write(plant, SLOT_COMMITTED, 0600);
        plant_die(plant);
        (void)untorn_write("a", "mine", 4, NULL, &error);
        CHECK_TEXT(text_of("victim"), "victim");
        CHECK(strcmp(text_of("a"), "victim") != 0);
        CHECK(S_ISREG(stat_of("a").st_mode));
        put("a", "old a");
        (void)remove(PLANT_SLOT);
    }
}

TEST(a_directory_that_was_copied_is_used_as_it_is)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    CHECK_INT(system("mkdir copy && cp -a a c .untorn copy/"), 0);
    CHECK_INT(chdir("copy"), 0);
    use_directory();
    CHECK(exists(PLANT_SLOT));
    CHECK_INT(chdir(".."), 0);
    repair(".");
    CHECK_TEXT(text_of("a"), "new a"); /* the original is finished */
    CHECK_TEXT(text_of("copy/a"), "old a");
}

/* The next commit there takes the place of a slot that is not ours. */
TEST(a_foreign_slot_does_not_keep_commits_out)
{
    struct plant *plant = plant_three();
    plant_write(plant, SLOT_COMMITTED, 0600);
    plant_die(plant);
    CHECK_INT(system("cp -a .untorn copy && rm -r .untorn && mv copy .untorn"), 0);
    struct untorn_transaction *save = NULL;
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "a", "1", 1, NULL, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "c", "2", 1, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    untorn_transaction_free(save);
    CHECK_TEXT(text_of("a"), "1");
    CHECK_TEXT(text_of("c"), "2");
    CHECK(!exists("b"));
}

/* ---- by another user ---- */

static void plant_as(void *context)
{
    struct plant *plant = plant_begin("open/a");
    plant_member(plant, "a", "planted");
    struct slot_member *created = plant_member(plant, "b", "planted");
    created->after.mode = 06755;
    created->after.owner = created->after.group = 0;
    plant_member(plant, "c", NULL);
    if (context)
        strcpy(created->name, context);
    plant_write(plant, SLOT_COMMITTED, 0644);
}

static void prepare_open(void)
{
    need_root();
    make_dir("open", 0777);
    put("open/a", "root's");
    put("open/c", "root's");
    CHECK_INT(chmod("open/a", 0644), 0);
    CHECK_INT(chmod("open/c", 0644), 0);
}

TEST(what_another_user_planted_gives_him_nothing_that_he_had_not)
{
    prepare_open();
    in_child_as(ALICE, CREW, plant_as, NULL);
    CHECK_INT(untorn_write("open/b", "mine", 4, NULL, &error), 0);
    CHECK_INT(untorn_write("open/a", "still mine", 10, NULL, &error), 0);
    repair("open");
    CHECK_TEXT(text_of("open/a"), "still mine");
    CHECK(!exists("open/c")); /* that he could have removed himself */
    CHECK_INT(stat_of("open/a").st_uid, 0);
    CHECK_INT(mode_of("open/a"), 0644);
    struct stat created = stat_of("open/b");
    CHECK(created.st_uid == ALICE || strcmp(text_of("open/b"), "planted") != 0);
    CHECK_INT(created.st_mode & 06000, 0);
}

TEST(what_another_user_planted_reaches_no_other_place)
{
    static const char *const names[] = {"../x", "/etc/untorn-planted", ".untorn", "..",
                                        "a/../../x"};
    prepare_open();
    put("x", "root's");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        in_child_as(ALICE, CREW, plant_as, (void *)names[i]);
        CHECK_INT(untorn_write("open/other", "mine", 4, NULL, &error), 0);
        CHECK_INT(untorn_write("open/c", "mine", 4, NULL, &error), 0);
        repair("open");
        CHECK_TEXT(text_of("x"), "root's");
        CHECK_TEXT(text_of("open/a"), "root's");
        CHECK_TEXT(text_of("open/c"), "mine");
        CHECK(!exists("/etc/untorn-planted"));
        remove_tree("open/.untorn");
    }
}

static void stage_as(void *context)
{
    (void)context;
    struct plant *plant = plant_begin("open/a");
    struct slot_member *member = plant_staged(plant, "new", "secret");
    CHECK_INT(remove("open/.untorn/stage/new.0123456789abcdef"), 0);
    CHECK_INT(symlink("/etc/shadow", "open/.untorn/stage/new.0123456789abcdef"), 0);
    member->inlined = false;
    plant_write(plant, SLOT_COMMITTED, 0644);
}

TEST(a_planted_stage_does_not_lead_to_what_only_root_may_read)
{
    prepare_open();
    in_child_as(ALICE, CREW, stage_as, NULL);
    (void)untorn_write("open/new", "mine", 4, NULL, &error);
    repair("open");
    CHECK(!exists("open/new") || strcmp(text_of("open/new"), "mine") == 0);
    CHECK(exists("/etc/shadow") || !exists("/etc/passwd"));
}

/* Says in "e" that it is part of the commit of "a" and "b", as the directory "b" is. */
static void plant_impostor(const struct slot *of)
{
    make_dir("e", 0755);
    struct plant *asked = plant_begin("a/x"), *plant = plant_begin("e/g");
    memcpy(plant->slot.id, of->id, SLOT_ID);
    plant->slot.participant = true;
    plant->slot.index = of->index;
    plant_directory(plant, asked);
    plant_member(plant, "g", "planted");
    plant_write(plant, SLOT_PREPARED, 0644);
    plant_die(plant);
    plant_die(asked);
}

/* [SEAT-2] */
TEST(a_decision_is_believed_and_dropped_only_for_the_directory_it_was_kept_for)
{
    const struct step apart[] = {PUT("a/x", "new x"), PUT("b/y", "new y"), {0}};
    make_dir("a", 0755);
    make_dir("b", 0755);
    put("a/x", "old x");
    put("b/y", "old y");
    die_at(apart, CALL_RENAME, "b/y", 1);
    CHECK_INT(rename("b", "away"), 0);
    repair("a");
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 1);
    struct slot slot = slot_of("away/");
    plant_impostor(&slot);
    CHECK_INT(untorn_write("e/g", "own", 3, NULL, &error), 0);
    CHECK_TEXT(text_of("e/g"), "own");
    CHECK_INT(count_entries("e/.untorn/history", "g"), 0); /* it was nothing before */
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 1);
    CHECK_INT(rename("away", "b"), 0);
    repair("b");
    CHECK_TEXT(text_of("a/x"), "new x");
    CHECK_TEXT(text_of("b/y"), "new y");
    CHECK_INT(count_entries("a/.untorn/journal", ".0"), 0);
}

/* A commit that never counted: its coordinator is a directory of the same user with nothing in it.
 * What it staged is to be removed, out of a folder that is now a link. */
static void plant_link_as(void *context)
{
    struct plant *coordinator = plant_begin("hers/x"), *plant = plant_begin("open/a");
    plant_directory(plant, coordinator);
    plant->slot.participant = true;
    struct slot_member *member = plant_staged(plant, "new", "planted");
    strcpy(member->stage, "secret");
    plant_write(plant, SLOT_PREPARED, 0644);
    (void)context;
    CHECK_INT(rename("open/.untorn/stage", "open/.untorn/aside"), 0);
    CHECK_INT(symlink("../../closed", "open/.untorn/stage"), 0);
}

/* [STATE-4] */
TEST(a_planted_link_for_a_folder_of_ours_removes_nothing_elsewhere)
{
    prepare_open();
    make_dir("hers", 0777);
    make_dir("closed", 0700);
    put("closed/secret", "root's");
    in_child_as(ALICE, CREW, plant_link_as, NULL);
    size_t still_open;
    struct untorn_check what = {.repair = true};
    CHECK_INT(untorn_check("open", &what, NULL, &still_open, &error), -UNTORN_UNTRUSTED);
    CHECK_TEXT(text_of("closed/secret"), "root's");
    remove_tree("open/.untorn");
    in_child_as(ALICE, CREW, plant_link_as, NULL);
    CHECK_INT(untorn_append("open/g", "line\n", 5, UNTORN_RECORDS_BY_NAME, NULL, &error), 0);
    CHECK_TEXT(text_of("closed/secret"), "root's");
}

#define PLANTED_STAGE "open/.untorn/stage/%s.0123456789abcdef"

/* `name` is to become what a file of root's is, and that file is the stage: under a second name, or
 * moved there. */
static void plant_stage_of_root(const char *name, bool moved)
{
    char stage[128];
    struct plant *plant = plant_begin("open/a");
    plant_staged(plant, name, "root's");
    snprintf(stage, sizeof stage, PLANTED_STAGE, name);
    CHECK_INT(remove(stage), 0);
    CHECK_INT(moved ? rename("open/c", stage) : link("shared/victim", stage), 0);
    plant_write(plant, SLOT_COMMITTED, 0644);
}

static void link_stage_as(void *name)
{
    plant_stage_of_root(name, false);
}

static void move_stage_as(void *name)
{
    plant_stage_of_root(name, true);
}

static void make_victim(void)
{
    prepare_open();
    make_dir("shared", 0755);
    put("shared/victim", "root's");
    CHECK_INT(chown("shared/victim", 0, CREW), 0);
    CHECK_INT(chmod("shared/victim", 0664), 0);
    put("open/hers", "hers");
    CHECK_INT(chown("open/hers", ALICE, CREW), 0);
}

/* [FINISH-4] */
TEST(a_planted_stage_with_another_name_is_copied_and_not_given_away)
{
    static char *const names[] = {"hers", "new"};
    make_victim();
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        in_child_as(ALICE, CREW, link_stage_as, names[i]);
        repair("open");
        struct stat victim = stat_of("shared/victim");
        CHECK_INT(victim.st_uid, 0);
        CHECK_INT(victim.st_gid, CREW);
        CHECK_INT(victim.st_mode & 07777, 0664);
        CHECK_INT(victim.st_nlink, 1);
        snprintf(path, sizeof path, "open/%s", names[i]);
        CHECK_TEXT(text_of(path), "root's"); /* nothing is lost by it */
        CHECK_INT(stat_of(path).st_uid, ALICE);
        CHECK_INT(count_entries("open/.untorn/stage", ""), 0);
        remove_tree("open/.untorn");
    }
}

TEST(a_planted_stage_of_another_user_is_copied_and_not_given_away)
{
    struct stat file;
    make_victim();
    int held = open("open/c", O_RDONLY);
    in_child_as(ALICE, CREW, move_stage_as, "hers");
    repair("open");
    CHECK_INT(fstat(held, &file), 0);
    CHECK_INT(file.st_uid, 0);
    CHECK(file.st_ino != stat_of("open/hers").st_ino);
    CHECK_TEXT(text_of("open/hers"), "root's");
    CHECK_INT(stat_of("open/hers").st_uid, ALICE);
    close(held);
}

/* She says in a directory of her own that the commit counts that root did not come to. */
static void plant_yes_as(void *context)
{
    struct plant *asked = plant_begin("b/y"), *plant = plant_begin("hers/x");
    memcpy(plant->slot.id, ((const struct slot *)context)->id, SLOT_ID);
    plant_directory(plant, asked);
    plant_member(plant, "x", "planted");
    plant_write(plant, SLOT_COMMITTED, 0644);
}

/* Whom a participant does not name does not finish it. [SEAT-4] */
TEST(nobody_is_a_coordinator_whom_the_participant_does_not_name)
{
    const struct step apart[] = {PUT("a/x", "new x"), PUT("b/y", "new y"), {0}};
    need_root();
    make_dir("a", 0755);
    make_dir("b", 0755);
    make_dir("hers", 0777);
    put("a/x", "old x");
    put("b/y", "old y");
    die_at(apart, CALL_FSYNC, "b/.untorn/journal/slot", 2);
    struct slot slot = slot_of("b/");
    CHECK_INT(slot.state, SLOT_PREPARED);
    in_child_as(ALICE, CREW, plant_yes_as, &slot);
    repair("hers");
    CHECK_TEXT(text_of("b/y"), "old y");
    repair("b");
    CHECK_TEXT(text_of("a/x"), "old x");
    CHECK_TEXT(text_of("b/y"), "old y");
}

static void spoil_slot(void *context)
{
    (void)context;
    CHECK_INT(truncate("open/.untorn/journal/slot", 0), 0);
}

static void use_while_it_is_spoilt(void *nth)
{
    at(CALL_READ, "open/.untorn/journal/slot", *(int *)nth, spoil_slot, NULL);
    (void)untorn_write("open/a", "mine", 4, NULL, &error);
}

/* Its slot is its coordinator's as well, and somebody may change it while it is asked. */
TEST(a_directory_that_names_itself_as_its_coordinator_is_of_no_harm)
{
    for (int i = 1; i < 16; i++) {
        make_dir("open", 0777);
        put("open/a", "old a");
        struct plant *plant = plant_begin("open/a"), *same = plant_begin("open/a");
        plant->slot.participant = true;
        plant_directory(plant, same);
        plant_member(plant, "a", "planted");
        plant_write(plant, SLOT_PREPARED, 0644);
        plant_die(plant);
        plant_die(same);
        in_child(use_while_it_is_spoilt, &i);
        CHECK_INT(untorn_write("open/a", "mine", 4, NULL, &error), 0);
        CHECK_TEXT(text_of("open/a"), "mine");
        remove_tree("open");
    }
}

/* The pair of which the coordinator takes part itself; and again, with more directories. */
static void plant_one_that_grows(void)
{
    struct plant *a = plant_begin("a/x"), *b = plant_begin("b/y"), *self = plant_begin("a/x");
    plant_pair(a, b);
    plant_member(a, "x", "new x");
    plant_member(b, "y", "new y");
    while (a->slot.directory_count < PLANT_MOST)
        plant_directory(a, self);
    plant_write(a, SLOT_COMMITTED, 0644);
    CHECK_INT(system("cp a/.untorn/journal/slot longer"), 0);
    a->slot.directory_count = 2;
    plant_write(a, SLOT_COMMITTED, 0644);
    plant_write(b, SLOT_PREPARED, 0644);
    plant_die(a);
    plant_die(b);
    plant_die(self);
}

static void let_it_grow(void *context)
{
    (void)context;
    CHECK_INT(system("cat longer >a/.untorn/journal/slot"), 0);
}

static void use_while_it_grows(void *nth)
{
    at(CALL_READ, "a/.untorn/journal/slot", *(int *)nth, let_it_grow, NULL);
    (void)untorn_write("b/y", "mine", 4, NULL, &error);
}

TEST(a_coordinator_that_names_itself_is_read_once)
{
    for (int i = 1; i < 16; i++) {
        make_dir("a", 0755);
        make_dir("b", 0755);
        put("a/x", "old x");
        put("b/y", "old y");
        plant_one_that_grows();
        in_child(use_while_it_grows, &i);
        CHECK_INT(untorn_write("b/y", "mine", 4, NULL, &error), 0);
        remove_tree("a");
        remove_tree("b");
    }
}

/* A file of root's that nobody may read, but move who may write the directory. */
static void make_secret(const char *text)
{
    prepare_open();
    put("open/secret", text);
    CHECK_INT(chmod("open/secret", 0600), 0);
}

/* As the new version of that file. She knows its hash: slots and records tell that. */
static void stage_secret_as(void *name)
{
    char stage[300];
    struct plant *plant = plant_begin("open/a");
    struct slot_member *member = plant_staged(plant, name, "secret");
    snprintf(stage, sizeof stage, "open/.untorn/stage/%s", member->stage);
    CHECK_INT(rename("open/secret", stage), 0);
    plant_write(plant, SLOT_COMMITTED, 0644);
}

TEST(a_planted_stage_that_its_planter_could_not_read_is_not_copied_for_him)
{
    make_secret("secret");
    in_child_as(ALICE, CREW, stage_secret_as, "new");
    repair("open");
    CHECK(!exists("open/new"));
    CHECK_INT(count_entries("open/.untorn/kept", "conflict-new"), 1); /* nothing is lost by it */
    CHECK_INT(mode_of(only_entry("open/.untorn/kept", "conflict-new")), 0600);
    CHECK_INT(untorn_write("open/new", "1", 1, NULL, &error), 0);
}

/* [FINISH-4] Nor does it become a file of the same owner that everybody may read. */
TEST(a_planted_stage_of_the_files_owner_is_not_shown_to_who_planted_it)
{
    make_secret("secret");
    put("open/shared", "old");
    CHECK_INT(chmod("open/shared", 0666), 0);
    in_child_as(ALICE, CREW, stage_secret_as, "shared");
    repair("open");
    CHECK_TEXT(text_of("open/shared"), "old");
    CHECK_INT(mode_of(only_entry("open/.untorn/kept", "conflict-shared")), 0600);
}

static void move_to_lock(void *context)
{
    (void)context;
    plant_begin("open/a");
    CHECK_INT(rename("open/secret", "open/.untorn/lock/new"), 0);
}

TEST(a_planted_lock_is_not_opened_to_others)
{
    char secret[9000];
    memset(secret, 's', sizeof secret);
    secret[sizeof secret - 1] = '\0';
    make_secret(secret);
    CHECK_INT(untorn_write("open/a", "1", 1, NULL, &error), 0);
    in_child_as(ALICE, CREW, move_to_lock, NULL);
    (void)untorn_write("open/new", "1", 1, NULL, &error);
    CHECK(!(mode_of("open/.untorn/lock/new") & 077));
}

static void plant_nothing(void *context)
{
    (void)context;
    plant_begin("open/a");
}

static void move_to_format(void *context)
{
    (void)context;
    CHECK_INT(remove("open/.untorn/format"), 0);
    CHECK_INT(rename("open/secret", "open/.untorn/format"), 0);
}

TEST(a_planted_format_is_not_opened_to_others)
{
    make_secret("secret");
    in_child_as(ALICE, CREW, plant_nothing, NULL);
    in_child_as(ALICE, CREW, move_to_format, NULL);
    (void)untorn_write("open/new", "1", 1, NULL, &error);
    CHECK(strcmp(text_of("open/.untorn/format"), "1\n") == 0 ||
          !(mode_of("open/.untorn/format") & 077));
}

static void move_to_folder(void *context)
{
    (void)context;
    CHECK_INT(rename("open/private", "open/.untorn"), 0);
}

TEST(a_planted_folder_is_not_opened_to_others)
{
    prepare_open();
    make_dir("open/private", 0700);
    put("open/private/secret", "secret");
    in_child_as(ALICE, CREW, move_to_folder, NULL);
    (void)untorn_write("open/new", "1", 1, NULL, &error);
    CHECK(!(mode_of("open/.untorn") & 077));
}

static void look_for_secret(void *context)
{
    char bytes[4096];
    (void)context;
    int file = open("a/.untorn/journal/slot", O_RDONLY);
    ssize_t n = file < 0 ? 0 : read(file, bytes, sizeof bytes);
    CHECK(n <= 0 || !memmem(bytes, (size_t)n, "secret", 6));
}

/* [SLOT-3] */
TEST(what_the_directorys_owner_may_not_read_is_not_in_a_slot_that_he_may)
{
    const struct step both[] = {PUT("a/s", "secret 1"), PUT("a/t", "secret 2"), {0}};
    need_root();
    make_dir("a", 0755);
    CHECK_INT(chown("a", ALICE, ALICE), 0);
    put("a/s", "old");
    put("a/t", "old");
    CHECK_INT(chmod("a/s", 0600), 0);
    CHECK_INT(chmod("a/t", 0600), 0);
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    CHECK_INT(stat_of("a/.untorn/journal/slot").st_uid, 0);
    in_child_as(ALICE, ALICE, look_for_secret, NULL);
}

TEST(what_root_commits_in_the_directory_of_a_user_is_finished)
{
    const struct step both[] = {PUT("a/s", "new s"), PUT("a/t", "new t"), {0}};
    need_root();
    make_dir("a", 0755);
    CHECK_INT(chown("a", ALICE, ALICE), 0);
    put("a/s", "old");
    put("a/t", "old");
    CHECK_INT(chmod("a/s", 0600), 0);
    CHECK_INT(chmod("a/t", 0600), 0);
    die_at(both, CALL_RENAME, "a/t", 1);
    repair("a");
    CHECK_TEXT(text_of("a/s"), "new s");
    CHECK_TEXT(text_of("a/t"), "new t");
}

static int count_open(const char *directory)
{
    char path[512];
    int count = 0;
    DIR *listing = opendir(directory);
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        count += open(path, O_RDWR) >= 0;
    }
    return count;
}

static void open_window_as(void *context)
{
    (void)context;
    _exit(count_open("open/.untorn/journal") + count_open("open/.untorn/set"));
}

static void open_window(void *context)
{
    struct as_user as = {ALICE, CREW, open_window_as, NULL};
    *(int *)context += end_of(start_child(run_as_user, &as));
}

/* Who has it open writes what is believed of us. */
TEST(nobody_else_may_write_a_slot_or_a_record_while_it_is_made)
{
    const struct step both[] = {PUT("open/a", "1"), PUT("open/c", "2"), {0}};
    int opened = 0;
    prepare_open();
    always_at(CALL_CHMOD, "", open_window, &opened);
    always_at(CALL_CHOWN, "", open_window, &opened);
    always_at(CALL_SETXATTR, "", open_window, &opened);
    always_at(CALL_WRITE, "", open_window, &opened);
    CHECK_INT(commit_steps(both, NULL, &error), 0);
    CHECK_INT(opened, 0);
}

static void plant_inplace_as(void *context)
{
    (void)context;
    plant_begin("open/a");
    make_dir("open/.untorn/inplace", 0777);
    put("open/.untorn/inplace/secret", "");
    CHECK_INT(chmod("open/.untorn/inplace/secret", 0666), 0);
}

/* [INPLACE-7] */
TEST(a_planted_journal_of_an_overwrite_is_not_written_into)
{
    struct untorn_options in_place = {.keep_inode = true};
    struct stat file;
    make_secret("secret");
    in_child_as(ALICE, CREW, plant_inplace_as, NULL);
    int hers = open("open/.untorn/inplace/secret", O_RDONLY);
    CHECK_INT(untorn_write("open/secret", "hidden", 6, &in_place, &error), 0);
    CHECK_TEXT(text_of("open/secret"), "hidden");
    CHECK_INT(fstat(hers, &file), 0);
    CHECK_INT(file.st_size, 0);
    close(hers);
}
