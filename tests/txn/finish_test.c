/* One member of an unfinished commit: how it stands, and how it is made new. */
#include "leave.h"
#include "txn/commits.h"
#include "txn/finish.h"
#include "txn/planted.h"

static struct untorn_error error;

static int touch(const char *path)
{
    return untorn_update(path, leave, NULL, NULL, &error);
}

/* ---- how it stands ---- */

static struct target target;
static struct slot_member member;

static void look(const char *path)
{
    target = (struct target){.hold = OS_NONE, .readable = true};
    target.exists = os_stat(OS_NONE, path, &target.stat) == 0;
    if (target.exists && target.stat.kind == OS_REGULAR)
        CHECK_INT(os_open(OS_NONE, path, OS_READ, 0, &target.hold), 0);
}

/* The member is `text` now, and is to become "new". */
static void begin(enum slot_kind kind, const char *text)
{
    member = (struct slot_member){.kind = kind, .name = "a"};
    if (text) {
        put("a", text);
        look("a");
        member.before.hashed = true;
        member.before.inode = target.stat.inode;
        member.before.born = target.stat.born;
        member.before.size = target.stat.size;
        member.before.hash = untorn_hash(text, strlen(text));
    }
    member.after.size = 3;
    member.after.hash = untorn_hash("new", 3);
}

static enum standing judge(void)
{
    enum standing standing;
    CHECK_INT(finish_judge(&target, &member, &standing), 0);
    return standing;
}

/* [FINISH-1] */
TEST(what_is_to_be_replaced_stands_before_after_or_else)
{
    begin(SLOT_REPLACE, "old");
    CHECK_INT(judge(), STANDS_BEFORE);
    member.before.born++;
    CHECK_INT(judge(), STANDS_ELSE);
    member.before.born--;
    member.before.inode++;
    CHECK_INT(judge(), STANDS_ELSE);
    put("a", "new");
    look("a");
    CHECK_INT(judge(), STANDS_AFTER);
    look("nothing");
    CHECK_INT(judge(), STANDS_ELSE);
}

TEST(what_was_not_read_is_known_by_its_size)
{
    begin(SLOT_REPLACE, "old");
    member.before.hashed = false;
    put("a", "odd");
    CHECK_INT(judge(), STANDS_BEFORE);
    put("a", "older");
    look("a");
    CHECK_INT(judge(), STANDS_ELSE);
}

TEST(what_is_to_be_made_stands_before_while_nothing_is_there)
{
    begin(SLOT_CREATE, NULL);
    look("a");
    CHECK_INT(judge(), STANDS_BEFORE);
    put("a", "new");
    look("a");
    CHECK_INT(judge(), STANDS_AFTER);
    put("a", "odd");
    CHECK_INT(judge(), STANDS_ELSE);
}

TEST(what_is_to_be_removed_stands_after_when_nothing_is_there)
{
    begin(SLOT_REMOVE, "old");
    CHECK_INT(judge(), STANDS_BEFORE);
    look("nothing");
    CHECK_INT(judge(), STANDS_AFTER);
    put("a", "odd");
    look("a");
    CHECK_INT(judge(), STANDS_ELSE);
}

TEST(what_is_no_file_or_shrinks_has_neither_content)
{
    begin(SLOT_REPLACE, "old");
    target.stat.kind = OS_SYMLINK;
    CHECK_INT(judge(), STANDS_ELSE);
    member.before.hashed = false;
    CHECK_INT(judge(), STANDS_BEFORE); /* the link itself is replaced */
    target.stat.kind = OS_DIRECTORY;
    CHECK_INT(judge(), STANDS_ELSE);
    member.before.hashed = true;
    look("a");
    CHECK_INT(truncate("a", 1), 0); /* behind our back */
    CHECK_INT(judge(), STANDS_ELSE);
}

TEST(what_may_not_be_read_cannot_be_judged)
{
    enum standing standing;
    begin(SLOT_REPLACE, "old");
    target.readable = false;
    CHECK_INT(finish_judge(&target, &member, &standing), -EACCES);
    member.before.inode++;
    CHECK_INT(finish_judge(&target, &member, &standing), -EACCES);
}

/* ---- where the new version comes from ---- */

static const char stage[] = ".untorn/stage/y.0123456789abcdef";

/* y gets "new y": from the slot, or from its stage. */
static void leave_commit(bool staged)
{
    if (exists(".untorn"))
        remove_tree(".untorn");
    put("x", "old x");
    put("y", "old y");
    struct plant *plant = plant_begin("x");
    plant_member(plant, "x", "new x");
    (void)(staged ? plant_staged : plant_member)(plant, "y", "new y");
    plant_write(plant, SLOT_COMMITTED, 0644);
    plant_die(plant);
}

static void shorten(void *context)
{
    CHECK_INT(truncate(context, 1), 0);
}

static void check_left_alone(const char *text)
{
    CHECK_INT(touch("x"), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_TEXT(text_of("x"), "new x");
    CHECK_TEXT(text_of("y"), text);
    CHECK(!is_active(""));
    forget_rules();
}

/* [FINISH-2] */
TEST(a_stage_that_is_not_what_the_slot_says_is_not_used)
{
    leave_commit(true);
    put(stage, "odd y"); /* of the same size */
    check_left_alone("old y");
    leave_commit(true);
    CHECK_INT(unlink(stage), 0);
    check_left_alone("old y");
    leave_commit(true);
    CHECK_INT(unlink(stage), 0);
    CHECK_INT(symlink("../../x", stage), 0);
    check_left_alone("old y");
    leave_commit(true);
    CHECK_INT(unlink(stage), 0);
    CHECK_INT(mkfifo(stage, 0600), 0);
    check_left_alone("old y");
    leave_commit(true);
    at(CALL_READ, "/stage/y", 1, shorten, (void *)stage);
    check_left_alone("old y");
}

TEST(a_member_without_bytes_and_without_a_stage_stays)
{
    put("x", "old x");
    put("y", "old y");
    struct plant *plant = plant_begin("x");
    plant_member(plant, "x", "new x");
    plant_member(plant, "y", "new y")->inlined = false;
    plant_write(plant, SLOT_COMMITTED, 0644);
    plant_die(plant);
    check_left_alone("old y");
}

/* [FINISH-1] */
TEST(what_somebody_changed_and_was_to_be_removed_stays)
{
    put("x", "old x");
    put("y", "old y");
    struct plant *plant = plant_begin("x");
    plant_member(plant, "x", "new x");
    plant_member(plant, "y", NULL);
    plant_write(plant, SLOT_COMMITTED, 0644);
    plant_die(plant);
    put("y", "by hand");
    check_left_alone("by hand");
    CHECK_INT(count_entries(".untorn/kept", ""), 0);
}

TEST(of_a_conflict_whose_stage_is_gone_nothing_is_kept)
{
    leave_commit(true);
    put("y", "by hand");
    CHECK_INT(unlink(stage), 0);
    check_left_alone("by hand");
    CHECK_INT(count_entries(".untorn/kept", ""), 0);
}

TEST(a_conflict_that_cannot_be_kept_ends_nothing)
{
    leave_commit(false);
    put("y", "by hand");
    fail(CALL_OPEN, "/kept", 1, ENOSPC);
    CHECK_INT(touch("x"), -UNTORN_NO_SPACE);
    CHECK(is_active(""));
    forget_rules();
    fail(CALL_OPEN, "/stage/y", 1, ENOSPC); /* before that it is staged */
    CHECK_INT(touch("x"), -UNTORN_NO_SPACE);
    forget_rules();
    fail_always(CALL_OPEN, "/stage/y", EACCES);
    CHECK_INT(touch("x"), -UNTORN_DENIED);
    CHECK(is_active(""));
    forget_rules();
    fail(CALL_OPEN, "/stage/y", 1, ENOENT); /* our folder is removed and made that moment */
    fail(CALL_OPEN, "/stage/y", 2, ENOENT);
    check_left_alone("by hand");
    CHECK_TEXT(text_of(only_entry(".untorn/kept", "conflict-y")), "new y");
}

/* [FINISH-4] */
TEST(a_stage_of_the_file_s_owner_becomes_the_file_and_one_of_a_third_is_copied)
{
    need_root();
    for (int i = 0; i < 2; i++) {
        leave_commit(true);
        ino_t inode = stat_of(stage).st_ino;
        CHECK_INT(chown("y", ALICE, ALICE), 0);
        CHECK_INT(chown(stage, i ? BOB : ALICE, ALICE), 0);
        CHECK_INT(touch("x"), 0);
        CHECK_TEXT(text_of("y"), "new y");
        CHECK_INT(stat_of("y").st_uid, ALICE);
        CHECK((stat_of("y").st_ino == inode) == (i == 0));
        CHECK_INT(chown("y", 0, 0), 0);
    }
}

TEST(a_folder_that_is_removed_just_then_is_made_again)
{
    leave_commit(false);
    fail(CALL_OPEN, "/stage/y", 1, ENOENT);
    CHECK_INT(touch("x"), 0);
    CHECK_TEXT(text_of("y"), "new y");
}

TEST(a_member_that_never_rests_is_given_up)
{
    leave_commit(false);
    fail_always(CALL_OPEN, "/stage/y", ENOENT);
    CHECK(touch("x") != 0);
    forget_rules();
    CHECK_INT(touch("x"), 0);
    CHECK_TEXT(text_of("y"), "new y");
}

/* ---- whose it is ---- */

/* A commit by ALICE of y, which belongs to `owner`, and of a new file; root or another finishes. */
static void alices_commit(void *context)
{
    struct plant *plant = plant_begin("d/y");
    (void)context;
    plant_member(plant, "y", "new y")->after.mode = 0640;
    plant_member(plant, "n", "new n")->after.mode = 04755;
    plant_write(plant, SLOT_COMMITTED, 0644);
}

static void leave_alices_commit(uid_t owner, unsigned mode)
{
    need_root();
    if (exists("d"))
        remove_tree("d");
    make_dir("d", 0777);
    put("d/y", "old y");
    CHECK_INT(chown("d/y", owner, CREW), 0);
    CHECK_INT(chmod("d/y", mode), 0);
    in_child_as(ALICE, CREW, alices_commit, NULL);
}

static void finishes(void *context)
{
    (void)context;
    CHECK_INT(touch("d/y"), 0);
}

TEST(a_mode_is_for_the_owner_to_decide)
{
    leave_alices_commit(ALICE, 0600);
    CHECK_INT(touch("d/y"), 0);
    CHECK_TEXT(text_of("d/y"), "new y");
    CHECK_INT(mode_of("d/y"), 0640); /* his file */
    CHECK_INT(mode_of("d/n"), 0755); /* his new one, but no bits that change who runs it */
    CHECK_INT(stat_of("d/n").st_uid, ALICE);
    leave_alices_commit(BOB, 0666);
    CHECK_INT(touch("d/y"), 0);
    CHECK_TEXT(text_of("d/y"), "new y");
    CHECK_INT(mode_of("d/y"), 0666); /* another's */
    leave_alices_commit(ALICE, 0640);
    in_child_as(ALICE, CREW, finishes, NULL);
    CHECK_TEXT(text_of("d/y"), "new y");
    CHECK_INT(mode_of("d/n"), 04755); /* his own commit */
}

TEST(a_new_file_that_cannot_be_given_its_owner_is_not_put_in_place)
{
    leave_alices_commit(ALICE, 0640);
    for (int nth = 1; nth <= 2; nth++) { /* as a new file, and as ALICE's */
        fail(CALL_CHMOD, "/stage/n", nth, EIO);
        CHECK_INT(touch("d/y"), -UNTORN_IO);
        CHECK(!exists("d/n"));
        forget_rules();
    }
    CHECK_INT(touch("d/y"), 0);
    CHECK_INT(stat_of("d/n").st_uid, ALICE);
}

/* ---- the group of a new file [FINISH-6] ---- */

struct maker {
    uid_t user;
    gid_t group;
    struct death death;
};

static void become_and_die(void *context)
{
    struct maker *maker = context;
    become(maker->user, maker->group);
    commit_and_die(&maker->death);
}

/* Somebody of that group makes d/n, 0640, and dies. Its bytes are in the slot, or in a stage. */
static void leave_new(uid_t user, gid_t group, const char *text)
{
    umask(022);
    if (exists("d"))
        remove_tree("d");
    make_dir("d", 0755);
    CHECK_INT(chown("d", user, group), 0);
    const struct step steps[] = {
        PUT_AS("d/m", "m", .mode = 0640), PUT_AS("d/n", text, .mode = 0640), {0}};
    struct maker maker = {user, group, {steps, NULL, CALL_RENAME, "/n", 1}};
    CHECK_INT(end_of(start_child(become_and_die, &maker)), -SIGKILL);
    CHECK(!exists("d/n"));
    CHECK_INT(chown("d", user, BOB), 0);
    CHECK_INT(chmod("d", 02755), 0); /* from now on it has a group for all that is new in it */
}

static void finish(void *context)
{
    (void)context;
    CHECK_INT(touch("d/m"), 0);
}

TEST(a_new_file_has_the_group_that_its_maker_gave_it)
{
    need_root();
    static char large[100 * 1024];
    memset(large, 'L', sizeof large - 1);
    const char *const texts[] = {"n", large};
    for (int i = 0; i < 2; i++) {
        leave_new(0, CREW, texts[i]);
        finish(NULL);
        CHECK_INT(stat_of("d/n").st_gid, CREW);
        CHECK_INT(stat_of("d/n").st_uid, 0);
        CHECK_INT(mode_of("d/n"), 0640);
        leave_new(ALICE, CREW, texts[i]);
        in_child_as(ALICE, CREW, finish, NULL);
        CHECK_INT(stat_of("d/n").st_gid, CREW);
        CHECK_INT(stat_of("d/n").st_uid, ALICE);
        CHECK_INT(mode_of("d/n"), 0640);
    }
    leave_new(ALICE, CREW, large); /* her stage says that she could */
    finish(NULL);
    CHECK_INT(stat_of("d/n").st_gid, CREW);
    CHECK_INT(stat_of("d/n").st_uid, ALICE);
    CHECK_INT(mode_of("d/n"), 0640);
}

/* What only the slot says of a group, its maker may not be in. */
TEST(root_gives_no_file_a_group_because_another_says_so)
{
    need_root();
    leave_new(ALICE, CREW, "n");
    finish(NULL);
    CHECK_INT(stat_of("d/n").st_gid, BOB);
    CHECK_INT(stat_of("d/n").st_uid, ALICE);
}

/* Nor does a maker who left the group since. */
TEST(a_group_that_cannot_be_given_leaves_nobody_else_the_rights_of_it)
{
    need_root();
    leave_new(ALICE, CREW, "n");
    in_child_as(ALICE, ALICE, finish, NULL);
    CHECK(stat_of("d/n").st_gid != CREW);
    CHECK_INT(mode_of("d/n"), 0600);
}
