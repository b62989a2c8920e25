#include "harness.h"

#include "base/pathtext.h"
#include "file/interpose.h"
#include "file/setting.h"
#include "file/stage.h"

static struct setting setting;
static struct stage stage = STAGE_CLOSED;

static int begin(bool open_mode)
{
    return stage_begin(&stage, &setting.state, setting.place.name, open_mode);
}

static const char *path_of_stage(void)
{
    static char path[STATE_PATH_SIZE + 64];
    snprintf(path, sizeof path, ".untorn/stage/%s", stage.name);
    return path;
}

static int stages(void)
{
    return count_entries(".untorn/stage", "");
}

static bool can_lock(const char *path)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, path, OS_READ, 0, &file), 0);
    bool locked = os_lock(file, OS_LOCK_EXCLUSIVE) == 0;
    os_close(file);
    return locked;
}

/* [STAGE-1] */
TEST(a_stage_has_an_unguessable_name_and_is_locked_while_it_lives)
{
    char first[LIMIT_NAME + 1];
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK(path_is_own_entry(stage.name, "f"));
    CHECK(!can_lock(path_of_stage()));
    CHECK(stage_is_named(&stage));
    strcpy(first, stage.name);
    stage_close(&stage);
    CHECK_INT(stages(), 0);
    CHECK_INT(begin(false), 0);
    CHECK(strcmp(first, stage.name) != 0);
    stage_close(&stage);
    setting_close(&setting);
}

static int begin_locked(uint64_t number, unsigned mode)
{
    return stage_begin_locked(&stage, &setting.state, setting.place.name, number, mode, false);
}

/* [STAGE-4] */
TEST(a_stage_under_the_lock_is_named_after_it_and_takes_the_place_of_a_dead_one)
{
    static const char path[] = ".untorn/stage/f.00000000000abcde";
    setting_open(&setting, "f");
    for (int i = 0; i < 3; i++) {
        CHECK_INT(begin_locked(0xabcde, 0644), 0);
        CHECK(exists(path));
        CHECK_INT(stages(), 1);
        CHECK_INT(mode_of(path), 0644);
        CHECK(stage_is_named(&stage));
        if (i == 1)
            stage.named = false; /* as if its maker had died */
        stage_close(&stage);
        CHECK_INT(stages(), i == 1);
    }
    setting_close(&setting);
    remove_tree(".untorn/stage");
    setting_open(&setting, "f");
    CHECK_INT(begin_locked(0xabcde, 0600), 0);
    CHECK_INT(mode_of(path), 0600);
    stage_close(&stage);
    setting_close(&setting);
}

/* [STAGE-4] */
TEST(what_is_not_ours_to_remove_stays_in_the_way_of_a_stage)
{
    static const char path[] = ".untorn/stage/f.00000000000abcde";
    os_fd file = OS_NONE;
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    stage_close(&stage);
    put("elsewhere", "theirs");
    CHECK_INT(symlink("../../elsewhere", path), 0);
    CHECK_INT(begin_locked(0xabcde, 0600), -EEXIST);
    CHECK_TEXT(text_of("elsewhere"), "theirs");
    CHECK_INT(unlink(path), 0);
    put(path, "of a writer that lives");
    CHECK_INT(os_open(OS_NONE, path, OS_READ, 0, &file), 0);
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(begin_locked(0xabcde, 0600), -EEXIST);
    CHECK(exists(path));
    os_close(file);
    setting_close(&setting);
}

/* [STAGE-4] */
TEST(a_failure_to_stage_under_the_lock_leaves_nothing)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    stage_close(&stage);
    fail(CALL_OPEN, "/stage/f.", 1, ENOSPC);
    CHECK_INT(begin_locked(7, 0600), -ENOSPC);
    forget_rules();
    fail(CALL_OPEN, "/stage/f.", 1, EACCES); /* another user is just making the folder */
    CHECK_INT(begin_locked(7, 0600), 0);
    stage_close(&stage);
    forget_rules();
    setting_close(&setting);
    remove_tree(".untorn/stage");
    setting_open(&setting, "f");
    fail(CALL_MKDIR, "/.untorn/s", 1, ENOSPC);
    CHECK_INT(begin_locked(7, 0600), -ENOSPC);
    forget_rules();
    setting_close(&setting);
}

static void sweep_it(void *context)
{
    (void)context;
    CHECK_INT(unlink(only_entry(".untorn/stage", "f.")), 0);
}

/* [STAGE-1] */
TEST(a_stage_that_is_swept_before_it_is_locked_is_made_again)
{
    setting_open(&setting, "f");
    at(CALL_FLOCK, "/stage/f.", 1, sweep_it, NULL);
    CHECK_INT(begin(false), 0);
    CHECK(stage_is_named(&stage));
    CHECK_INT(stages(), 1);
    stage_close(&stage);
    setting_close(&setting);
}

static os_fd sweeper = OS_NONE;

static void take_it_in_hand(void *context)
{
    (void)context;
    CHECK_INT(os_open(OS_NONE, only_entry(".untorn/stage", "f."), OS_READ, 0, &sweeper), 0);
    CHECK_INT(os_lock(sweeper, OS_LOCK_EXCLUSIVE), 0);
}

/* [STAGE-1] */
TEST(a_stage_that_a_sweeper_has_in_hand_is_left_to_it)
{
    setting_open(&setting, "f");
    at(CALL_FLOCK, "/stage/f.", 1, take_it_in_hand, NULL);
    CHECK_INT(begin(false), 0);
    CHECK(stage_is_named(&stage));
    CHECK_INT(stages(), 2);
    stage_close(&stage);
    CHECK_INT(stages(), 1);
    os_close(sweeper);
    setting_close(&setting);
}

/* [STAGE-2] */
TEST(a_stage_is_private_whatever_the_umask)
{
    umask(0);
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(mode_of(path_of_stage()), 0600);
    stage_close(&stage);
    setting_close(&setting);
}

/* [STAGE-2] */
TEST(a_stage_for_a_new_file_has_what_the_umask_leaves)
{
    umask(027);
    setting_open(&setting, "f");
    CHECK_INT(begin(true), 0);
    CHECK_INT(mode_of(path_of_stage()), 0640);
    CHECK(stage.open_mode);
    stage_close(&stage);
    setting_close(&setting);
}

TEST(what_is_written_follows_what_was_written)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(stage_write(&stage, "hello ", 6), 0);
    CHECK_INT(stage_write(&stage, NULL, 0), 0);
    CHECK_INT(stage_write(&stage, "world", 5), 0);
    CHECK_INT(stage.size, 11);
    CHECK_TEXT(text_of(path_of_stage()), "hello world");
    stage_close(&stage);
    setting_close(&setting);
}

TEST(a_write_that_fails_does_not_count)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(stage_write(&stage, "hello", 5), 0);
    fail(CALL_WRITE, "/stage/", 1, ENOSPC);
    CHECK_INT(stage_write(&stage, "world", 5), -ENOSPC);
    CHECK_INT(stage.size, 5);
    stage.size = LIMIT_CONTENT - 2;
    CHECK_INT(stage_write(&stage, "abc", 3), -EFBIG);
    stage_close(&stage);
    setting_close(&setting);
}

TEST(a_stage_outlives_the_state_it_was_begun_in)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    state_close(&setting.state);
    CHECK_INT(stage_write(&stage, "text", 4), 0);
    CHECK(stage_is_named(&stage));
    stage_close(&stage);
    CHECK_INT(stages(), 0);
    place_close(&setting.place);
}

TEST(renewing_keeps_the_content_and_changes_the_rest)
{
    umask(022);
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(stage_write(&stage, "text", 4), 0);
    CHECK_INT(stage_renew(&stage, &setting.state, "f", true), 0);
    CHECK_INT(stages(), 1);
    CHECK_INT(mode_of(path_of_stage()), 0644);
    CHECK_TEXT(text_of(path_of_stage()), "text");
    CHECK_INT(stage_write(&stage, " more", 5), 0);
    CHECK_TEXT(text_of(path_of_stage()), "text more");
    CHECK_INT(stage.size, 9);
    stage_close(&stage);
    setting_close(&setting);
}

TEST(a_stage_whose_folder_was_removed_is_renewed_in_a_new_one)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(stage_write(&stage, "text", 4), 0);
    remove_tree(".untorn");
    CHECK(!stage_is_named(&stage));
    setting_close(&setting);
    setting_open(&setting, "f");
    CHECK_INT(stage_renew(&stage, &setting.state, "f", false), 0);
    CHECK(stage_is_named(&stage));
    CHECK_TEXT(text_of(path_of_stage()), "text");
    stage_close(&stage);
    setting_close(&setting);
}

TEST(a_renewal_that_fails_leaves_no_second_stage)
{
    int before = open_descriptors();
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(stage_write(&stage, "text", 4), 0);
    fail(CALL_READ, "/stage/", 1, EIO);
    CHECK_INT(stage_renew(&stage, &setting.state, "f", true), -EIO);
    CHECK(stages() <= 1);
    stage_close(&stage);
    CHECK_INT(stages(), 0);
    setting_close(&setting);
    CHECK_INT(open_descriptors(), before);
}

TEST(a_stage_that_was_given_away_is_not_removed)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(rename(path_of_stage(), "f"), 0);
    CHECK(!stage_is_named(&stage));
    stage.named = false;
    stage_close(&stage);
    stage_close(&stage);
    CHECK(exists("f"));
    setting_close(&setting);
}

TEST(our_folder_that_was_removed_is_told)
{
    int before = open_descriptors();
    setting_open(&setting, "f");
    remove_tree(".untorn");
    CHECK_INT(begin(false), -ENOENT);
    setting_close(&setting);
    CHECK_INT(open_descriptors(), before);
}

TEST(a_long_name_is_staged_under_its_hash)
{
    char name[LIMIT_NAME + 1];
    memset(name, 'n', LIMIT_NAME);
    for (int size = LIMIT_NAME - LIMIT_SUFFIX - 1; size <= LIMIT_NAME; size++) {
        name[size] = '\0';
        setting_open(&setting, name);
        CHECK_INT(begin(false), 0);
        CHECK_INT(stage.name[0], size + LIMIT_SUFFIX <= LIMIT_NAME ? 'n' : '%');
        CHECK(stage_is_named(&stage));
        stage_close(&stage);
        setting_close(&setting);
        name[size] = 'n';
    }
}

TEST(a_system_that_fails_is_told_and_nothing_is_left)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
    } faults[] = {{CALL_ENTROPY, "", ENOSYS},         {CALL_OPEN, "/stage/f.", ENOSPC},
                  {CALL_FLOCK, "/stage/f.", ENOLCK},  {CALL_STAT, "/stage/f.", EIO},
                  {CALL_MKDIR, "/.untorn/s", ENOSPC}, {CALL_OPEN, "/stage/f.", EMFILE}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        int before = open_descriptors();
        setting_open(&setting, "f");
        if (faults[i].call == CALL_MKDIR)
            remove_tree(".untorn/stage");
        fail(faults[i].call, faults[i].path, 1, faults[i].code);
        CHECK_INT(begin(false), -faults[i].code);
        CHECK_INT(stage.file, OS_NONE);
        forget_rules();
        CHECK_INT(stages(), 0);
        setting_close(&setting);
        CHECK_INT(open_descriptors(), before);
    }
}

/* [STAGE-4] */
TEST(who_makes_its_stage_elsewhere_sweeps_the_place_where_it_would_have_been)
{
    setting_open(&setting, "f");
    stage_sweep_locked(&setting.state, "f", 0xabcde); /* there is none */
    CHECK_INT(begin_locked(0xabcde, 0600), 0);
    stage.named = false; /* as if its maker had died */
    stage_close(&stage);
    CHECK_INT(stages(), 1);
    stage_sweep_locked(&setting.state, "f", 0xabcdf);
    CHECK_INT(stages(), 1);
    stage_sweep_locked(&setting.state, "f", 0xabcde);
    CHECK_INT(stages(), 0);
    setting_close(&setting);
}

/* [STAGE-4] */
TEST(a_stage_that_was_made_elsewhere_gets_the_name_that_the_lock_gives)
{
    static const char path[] = ".untorn/stage/f.00000000000abcde";
    setting_open(&setting, "f");
    for (int i = 0; i < 2; i++) {
        put(".untorn/elsewhere", "new");
        stage = (struct stage){.folder = setting.state.parent, .borrowed = true, .named = true};
        strcpy(stage.name, ".untorn/elsewhere");
        CHECK_INT(os_open(stage.folder, stage.name, OS_READ, 0, &stage.file), 0);
        CHECK_INT(stage_move_locked(&stage, &setting.state, "f", 0xabcde), 0); /* makes stage/ */
        CHECK(stage_is_named(&stage));
        CHECK_TEXT(text_of(path), "new");
        stage.named = i == 1; /* the first time as if its maker had died */
        stage_close(&stage);
        CHECK_INT(stages(), i == 0);
    }
    stage.folder = setting.state.parent;
    CHECK_INT(stage_move_locked(&stage, &setting.state, "f", 0xabcde), -ENOENT);
    setting_close(&setting);
}

TEST(names_that_are_always_taken_are_given_up)
{
    setting_open(&setting, "f");
    fail_always(CALL_OPEN, "/stage/f.", EEXIST);
    CHECK_INT(begin(false), -EEXIST);
    CHECK_INT(rules[CALL_OPEN][0].seen, LIMIT_TRIES);
    setting_close(&setting);
}

TEST(closing_a_closed_stage_is_legal)
{
    stage_close(&stage);
    stage_close(&stage);
}

TEST(a_stage_that_rests_is_found_again_under_its_name)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    CHECK_INT(stage_write(&stage, "text", 4), 0);
    stage_lend(&stage, &setting.state);
    stage_lend(&stage, &setting.state);
    CHECK(path_is_own_entry(stage_entry(&stage), "f"));
    CHECK_INT(stage_rest(&stage), 0);
    CHECK_INT(stage_rest(&stage), 0);
    CHECK_INT(stage_wake(&stage), 0);
    CHECK_INT(stage_wake(&stage), 0);
    CHECK(stage_is_named(&stage));
    stage_close(&stage);
    CHECK_INT(stages(), 0);
}

TEST(another_file_under_the_name_of_a_stage_that_rests_is_not_it)
{
    setting_open(&setting, "f");
    CHECK_INT(begin(false), 0);
    stage_lend(&stage, &setting.state);
    CHECK_INT(stage_rest(&stage), 0);
    put("other", "other");
    CHECK_INT(rename("other", stage.name), 0);
    CHECK_INT(stage_wake(&stage), -ENOENT);
    stage_close(&stage);
    CHECK_INT(stages(), 1); /* it is not ours to remove */
}
