#include "harness.h"

#include "file/acl.h"
#include "file/interpose.h"
#include "file/state.h"
#include "file/support.h"

static struct untorn_options options;
static struct untorn_error error;
static struct place place = PLACE_CLOSED;
static struct state state = STATE_CLOSED;

static int open_state(const char *path, enum state_use use)
{
    error_begin(&error, NULL, path);
    CHECK_INT(place_resolve(path, &options, &place, &error), 0);
    return state_open(&place, &options, use, &state, &error);
}

static void close_state(void)
{
    state_close(&state);
    place_close(&place);
}

static void check_opens(const char *path)
{
    CHECK_INT(open_state(path, STATE_CREATE), 0);
    CHECK(state.present);
    close_state();
}

static void check_refused(const char *path, enum untorn_status status)
{
    CHECK_INT(open_state(path, STATE_CREATE), -(int)status);
    CHECK_INT(error.status, status);
    CHECK(!state.present);
    close_state();
}

/* A reader finds nothing, and nothing wrong with that. */
static void check_absent(const char *path)
{
    CHECK_INT(open_state(path, STATE_IF_USABLE), 0);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_TEXT(error.detail, "");
    CHECK(!state.present);
    close_state();
}

/* Whoever asks about the folder itself is told what is wrong with it, a reader is not. */
static void check_useless(const char *path, enum untorn_status status)
{
    CHECK_INT(open_state(path, STATE_IF_PRESENT), -(int)status);
    CHECK_INT(error.status, status);
    CHECK(!state.present);
    close_state();
    check_absent(path);
}

static void own(const char *path, uid_t user, gid_t group, unsigned mode)
{
    CHECK_INT(chown(path, user, group), 0);
    CHECK_INT(chmod(path, mode), 0);
}

TEST(the_folder_is_made_with_a_format_and_a_gitignore)
{
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    CHECK_TEXT(state.name, ".untorn");
    CHECK(!state.outside);
    CHECK_TEXT(text_of(".untorn/.gitignore"), "*\n");
    CHECK_TEXT(text_of(".untorn/format"), "1\n");
    CHECK_INT(count_entries(".", ""), 1);
    close_state();
    close_state();
    check_opens("f");
}

/* [STATE-3] */
TEST(opening_without_creating_makes_nothing)
{
    os_fd folder;
    check_absent("f");
    CHECK_INT(open_state("f", STATE_IF_PRESENT), 0);
    CHECK(!state.present);
    CHECK_INT(state_folder(&state, FOLDER_LOCK, true, &folder), -ENOENT);
    close_state();
    CHECK_INT(count_entries(".", ""), 0);
    make_dir(".untorn", 0700);
    for (int use = STATE_IF_PRESENT; use <= STATE_IF_USABLE; use++) {
        CHECK_INT(open_state("f", (enum state_use)use), 0);
        CHECK(state.present);
        CHECK_INT(state_folder(&state, FOLDER_LOCK, false, &folder), -ENOENT);
        CHECK_INT(count_entries(".untorn", ""), 0);
        close_state();
    }
}

TEST(a_folder_that_a_crash_left_half_made_is_completed)
{
    make_dir(".untorn", 0700);
    check_opens("f");
    CHECK_TEXT(text_of(".untorn/format"), "1\n");
    put(".untorn/format", "");
    CHECK_INT(unlink(".untorn/.gitignore"), 0);
    check_opens("f");
    CHECK_TEXT(text_of(".untorn/format"), "1\n");
    CHECK_TEXT(text_of(".untorn/.gitignore"), "*\n");
}

TEST(the_folder_is_as_open_as_the_directory_and_follows_it)
{
    static const unsigned modes[][2] = {
        {0700, 0600}, {0750, 0640}, {0755, 0644}, {0775, 0664}, {0777, 0666}};
    make_dir("d", 0700);
    umask(077);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(chmod("d", modes[i][0]), 0);
        check_opens("d/f");
        CHECK_INT(mode_of("d/.untorn"), modes[i][0]);
        remove_tree("d/.untorn");
        check_opens("d/f");
        CHECK_INT(mode_of("d/.untorn/format"), modes[i][1]);
    }
    CHECK_INT(chmod("d", 02775), 0);
    check_opens("d/f");
    CHECK_INT(mode_of("d/.untorn"), 02775);
}

TEST(all_folders_follow_a_directory_that_is_opened_to_others)
{
    os_fd folder;
    make_dir("d", 0755);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(open_state("d/f", STATE_CREATE), 0);
        CHECK_INT(state_folder(&state, FOLDER_LOCK, true, &folder), 0);
        CHECK_INT(state_folder(&state, FOLDER_STAGE, true, &folder), 0);
        close_state();
        CHECK_INT(chmod("d", 0777), 0);
    }
    CHECK_INT(mode_of("d/.untorn"), 0777);
    CHECK_INT(mode_of("d/.untorn/lock"), 0777);
    CHECK_INT(mode_of("d/.untorn/stage"), 0777);
}

TEST(the_folder_follows_a_directory_that_is_closed_to_others_again)
{
    make_dir("d", 0777);
    check_opens("d/f");
    CHECK_INT(chmod("d", 0755), 0);
    check_useless("d/f", UNTORN_UNTRUSTED);
    check_opens("d/f");
    CHECK_INT(mode_of("d/.untorn"), 0755);
}

TEST(the_folder_belongs_to_the_group_of_the_directory)
{
    need_root();
    make_dir("d", 0700);
    own("d", ALICE, CREW, 02770);
    check_opens("d/f");
    CHECK_INT(stat_of("d/.untorn").st_uid, ALICE);
    CHECK_INT(stat_of("d/.untorn").st_gid, CREW);
    CHECK_INT(mode_of("d/.untorn"), 02770);
}

TEST(the_folder_has_the_access_control_list_of_the_directory)
{
    make_dir("d", 0770);
    set_acl("d", ACL_OF_FILE, 7, BOB, 7, 0, 7, 0);
    check_opens("d/f");
    CHECK_TEXT(acl_of("d/.untorn", ACL_OF_FILE), "1:7 2=12346:7 4:0 16:7 32:0");
}

/* ---- trust [STATE-1] ---- */

/* [STATE-1] */
TEST(a_folder_that_is_no_directory_is_refused_and_readers_do_without_it)
{
    make_dir("elsewhere", 0700);
    CHECK_INT(symlink("elsewhere", ".untorn"), 0);
    check_refused("f", UNTORN_UNTRUSTED);
    CHECK(strstr(error.detail, ".untorn"));
    check_useless("f", UNTORN_UNTRUSTED);
    CHECK_INT(count_entries("elsewhere", ""), 0);
    CHECK_INT(unlink(".untorn"), 0);
    put(".untorn", "a file");
    check_refused("f", UNTORN_UNTRUSTED);
    check_useless("f", UNTORN_UNTRUSTED);
    CHECK_TEXT(text_of(".untorn"), "a file");
}

/* [STATE-1] */
TEST(a_folder_on_another_device_is_refused)
{
    make_dir(".untorn", 0700);
    private_mounts();
    CHECK_INT(mount("none", ".untorn", "tmpfs", 0, "mode=0700"), 0);
    check_refused("f", UNTORN_UNTRUSTED);
    check_useless("f", UNTORN_UNTRUSTED);
    CHECK_INT(umount(".untorn"), 0);
}

struct case_of_trust {
    uid_t parent_owner;
    unsigned parent_mode;
    uid_t folder_owner;
    unsigned folder_mode;
    bool trusted;
};

static void check_trust_as_alice(void *context)
{
    const struct case_of_trust *what = context;
    if (!what->trusted) {
        check_refused("d/f", UNTORN_UNTRUSTED);
        check_useless("d/f", UNTORN_UNTRUSTED);
        return;
    }
    CHECK_INT(open_state("d/f", STATE_IF_USABLE), 0);
    CHECK(state.present);
    close_state();
}

/* [STATE-1] */
TEST(whose_folder_is_used_depends_on_whose_directory_it_is)
{
    static const struct case_of_trust cases[] = {
        {ALICE, 0755, ALICE, 0755, true}, {ALICE, 0755, 0, 0755, true},
        {ALICE, 0755, BOB, 0755, false},  {BOB, 0755, BOB, 0755, true},
        {BOB, 0755, ALICE, 0755, true},   {BOB, 0755, 0, 0755, true},
        {0, 0755, BOB, 0755, false},      {0, 0755, 0, 0755, true},
        {ALICE, 0755, 0, 0777, false},    {ALICE, 0755, 0, 0757, false},
        {ALICE, 0777, BOB, 0777, true},   {0, 0777, BOB, 0755, true},
        {ALICE, 0775, BOB, 0775, true},
    };
    need_root();
    make_dir("d", 0755);
    make_dir("d/.untorn", 0755);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        own("d", cases[i].parent_owner, CREW, cases[i].parent_mode);
        own("d/.untorn", cases[i].folder_owner, CREW, cases[i].folder_mode);
        in_child_as(ALICE, ALICE, check_trust_as_alice, (void *)&cases[i]);
    }
}

static void open_in_sticky(void *context)
{
    (void)context;
    CHECK_INT(open_state("d/mine", STATE_CREATE), 0);
    CHECK_TEXT(state.name, ".untorn-12345");
    close_state();
    CHECK_INT(mode_of("d/.untorn-12345"), 0700);
    check_opens("d/new");
    check_refused("d/bobs", UNTORN_NO_STATE);
    CHECK(!exists("d/.untorn-12346"));
    check_absent("d/bobs");
}

TEST(in_a_sticky_directory_every_user_has_a_folder_of_his_own)
{
    need_root();
    make_dir("d", 01777);
    put("d/mine", "");
    own("d/mine", ALICE, ALICE, 0644);
    put("d/bobs", "");
    own("d/bobs", BOB, BOB, 0666);
    in_child_as(ALICE, ALICE, open_in_sticky, NULL);
    CHECK_INT(count_entries("d", ".untorn"), 1);
}

TEST(in_a_sticky_directory_root_makes_the_folder_for_the_owner_of_the_file)
{
    need_root();
    make_dir("d", 01777);
    put("d/f", "");
    own("d/f", ALICE, ALICE, 0644);
    check_opens("d/f");
    CHECK_INT(stat_of("d/.untorn-12345").st_uid, ALICE);
    CHECK_INT(mode_of("d/.untorn-12345"), 0700);
    check_opens("d/new");
    CHECK_INT(stat_of("d/.untorn-0").st_uid, 0);
}

static void find_it_planted(void *context)
{
    (void)context;
    check_refused("d/f", UNTORN_UNTRUSTED);
    check_useless("d/f", UNTORN_UNTRUSTED);
}

/* [STATE-1] */
TEST(a_folder_planted_in_a_sticky_directory_is_refused)
{
    need_root();
    make_dir("d", 01777);
    make_dir("d/.untorn-12345", 0777);
    own("d/.untorn-12345", BOB, BOB, 0777);
    in_child_as(ALICE, ALICE, find_it_planted, NULL);
    CHECK_INT(count_entries("d/.untorn-12345", ""), 0);
}

/* ---- format [STATE-2] ---- */

/* [STATE-2] */
TEST(a_newer_format_is_refused_and_nothing_is_touched)
{
    static const char *const formats[] = {"2\n", "10", "99999999999999999999999999", "-1", "2.0"};
    make_dir(".untorn", 0700);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        put(".untorn/format", formats[i]);
        check_refused("f", UNTORN_NEWER_FORMAT);
        CHECK(strstr(error.detail, ".untorn has format"));
        for (int use = STATE_IF_PRESENT; use <= STATE_IF_USABLE; use++) {
            CHECK_INT(open_state("f", (enum state_use)use), -UNTORN_NEWER_FORMAT);
            CHECK_INT(error.status, UNTORN_NEWER_FORMAT);
            close_state();
        }
        CHECK_TEXT(text_of(".untorn/format"), formats[i]);
        CHECK_INT(count_entries(".untorn", ""), 1);
    }
}

TEST(a_format_that_makes_no_sense_is_written_anew)
{
    check_opens("f");
    put(".untorn/format", "x");
    CHECK_INT(open_state("f", STATE_IF_PRESENT), 0);
    close_state();
    CHECK_TEXT(text_of(".untorn/format"), "x");
    check_opens("f");
    CHECK(strncmp(text_of(".untorn/format"), "1\n", 2) == 0);
}

TEST(a_format_file_that_is_not_ours_is_not_written_into)
{
    put("somebodys", "");
    make_dir(".untorn", 0700);
    CHECK_INT(link("somebodys", ".untorn/format"), 0);
    check_refused("f", UNTORN_UNTRUSTED);
    CHECK_TEXT(text_of("somebodys"), "");
    CHECK_INT(unlink(".untorn/format"), 0);
    CHECK_INT(symlink("../somebodys", ".untorn/format"), 0);
    CHECK(open_state("f", STATE_CREATE) < 0);
    close_state();
    CHECK_TEXT(text_of("somebodys"), "");
}

/* ---- a directory that cannot be written ---- */

static void find_no_place(void *context)
{
    (void)context;
    check_refused("d/f", UNTORN_NO_STATE);
    CHECK_INT(error.os_error, EACCES);
    check_absent("d/f");
}

TEST(without_a_place_for_the_folder_the_answer_names_the_way_out)
{
    char text[UNTORN_TEXT_SIZE];
    need_root();
    make_dir("d", 0755);
    put("d/f", "");
    CHECK_INT(chmod("d/f", 0666), 0);
    in_child_as(ALICE, ALICE, find_no_place, NULL);
    error_begin(&error, NULL, "d/f");
    error_fail(&error, UNTORN_NO_STATE, NULL);
    CHECK(strstr(untorn_describe(&error, text, sizeof text), "--state-dir"));
}

static void read_what_i_may(void *context)
{
    (void)context;
    CHECK_INT(open_state("d/f", STATE_IF_USABLE), 0);
    close_state();
}

TEST(who_may_only_read_the_directory_may_look_into_the_folder_or_do_without)
{
    need_root();
    make_dir("d", 0755);
    check_opens("d/f");
    in_child_as(ALICE, ALICE, read_what_i_may, NULL);
    CHECK_INT(chmod("d/.untorn", 0700), 0);
    in_child_as(ALICE, ALICE, read_what_i_may, NULL);
    CHECK_INT(chmod("d/.untorn", 0755), 0);
    CHECK_INT(chmod("d/.untorn/format", 0600), 0);
    in_child_as(ALICE, ALICE, read_what_i_may, NULL);
}

/* ---- a state directory ---- */

TEST(a_state_directory_is_made_and_keyed_by_the_physical_path)
{
    char first[LIMIT_NAME + 1];
    make_dir("d", 0700);
    make_dir("e", 0700);
    CHECK_INT(symlink("d", "link"), 0);
    options.state_dir = "state/deep";
    CHECK_INT(open_state("d/f", STATE_CREATE), 0);
    CHECK(state.outside);
    CHECK_INT(strlen(state.name), 32);
    strcpy(first, state.name);
    close_state();
    CHECK_INT(mode_of("state/deep"), 0700);
    CHECK_INT(count_entries("d", ""), 0);
    CHECK_INT(open_state("link/f", STATE_CREATE), 0);
    CHECK_TEXT(state.name, first);
    close_state();
    CHECK_INT(open_state("e/f", STATE_CREATE), 0);
    CHECK(strcmp(state.name, first) != 0);
    close_state();
}

TEST(the_environment_names_a_state_directory_and_the_option_goes_before_it)
{
    CHECK_INT(setenv("UNTORN_STATE_DIR", "from-environment", 1), 0);
    check_opens("f");
    CHECK(exists("from-environment"));
    CHECK(!exists(".untorn"));
    options.state_dir = "from-option";
    check_opens("f");
    CHECK(exists("from-option"));
    options.state_dir = NULL;
    CHECK_INT(setenv("UNTORN_STATE_DIR", "", 1), 0);
    check_opens("f");
    CHECK(exists(".untorn"));
}

TEST(a_state_directory_may_lie_on_another_file_system)
{
    char directory[64];
    if (stat_of(".").st_dev == stat_of("/dev/shm").st_dev)
        SKIP("needs two file systems");
    snprintf(directory, sizeof directory, "/dev/shm/untorn-test.%d", getpid());
    options.state_dir = directory;
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    bool outside = state.outside, elsewhere = state.stat.device != place.dir_stat.device;
    close_state();
    remove_tree(directory);
    CHECK(outside);
    CHECK(elsewhere);
}

/* [STATE-3] */
TEST(a_reader_makes_no_state_directory)
{
    options.state_dir = "state";
    check_absent("f");
    CHECK(!exists("state"));
}

TEST(in_a_sticky_state_directory_the_folder_is_private)
{
    make_dir("state", 01777);
    options.state_dir = "state";
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    CHECK_INT(strlen(state.name) > 33, 1);
    close_state();
    CHECK_INT(mode_of(only_entry("state", "-")), 0700);
}

static void find_state_closed(void *context)
{
    (void)context;
    options.state_dir = "closed/state";
    CHECK(open_state("f", STATE_CREATE) < 0);
    close_state();
    check_absent("f");
    options.state_dir = "other";
    CHECK(open_state("f", STATE_CREATE) < 0);
    close_state();
    check_absent("f");
}

TEST(a_state_directory_that_may_not_be_used_fails_writers_and_is_as_good_as_absent_for_readers)
{
    need_root();
    make_dir("closed", 0700);
    make_dir("other", 0755);
    put("f", "");
    in_child_as(ALICE, ALICE, find_state_closed, NULL);
}

TEST(nothing_is_kept_inside_our_own_folder_also_through_a_link)
{
    check_opens("f");
    make_dir(".untorn/inside", 0700);
    CHECK_INT(symlink(".untorn/inside", "link"), 0);
    check_refused("link/f", UNTORN_NAME);
    CHECK_INT(count_entries(".untorn/inside", ""), 0);
}

TEST(a_state_directory_that_is_a_file_is_not_a_missing_file)
{
    put("file", "");
    put("f", "");
    for (int use = STATE_CREATE; use <= STATE_IF_USABLE; use++) {
        options.state_dir = "file";
        CHECK(open_state("f", (enum state_use)use) != -UNTORN_MISSING);
        close_state();
        options.state_dir = "file/below";
        CHECK(open_state("f", (enum state_use)use) != -UNTORN_MISSING);
        close_state();
    }
}

/* ---- folders in it ---- */

TEST(folders_are_made_on_first_need_and_kept_open)
{
    os_fd first, again;
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    CHECK_INT(count_entries(".untorn", ""), 2);
    CHECK_INT(state_folder(&state, FOLDER_KEPT, false, &first), -ENOENT);
    for (int i = 0; i < FOLDER_COUNT; i++) {
        char path[64];
        CHECK_INT(state_folder(&state, (enum folder)i, true, &first), 0);
        CHECK_INT(state_folder(&state, (enum folder)i, false, &again), 0);
        CHECK_INT(first, again);
        snprintf(path, sizeof path, ".untorn/%s", state_folder_name((enum folder)i));
        CHECK(exists(path));
        CHECK_INT(mode_of(path), mode_of(".untorn"));
    }
    close_state();
}

TEST(a_folder_that_is_a_link_is_not_followed)
{
    os_fd folder;
    make_dir("elsewhere", 0700);
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    CHECK_INT(symlink("../elsewhere", ".untorn/lock"), 0);
    CHECK_INT(state_folder(&state, FOLDER_LOCK, true, &folder), -EMLINK);
    put(".untorn/stage", "");
    CHECK_INT(state_folder(&state, FOLDER_STAGE, true, &folder), -EMLINK);
    close_state();
    CHECK_INT(count_entries("elsewhere", ""), 0);
}

TEST(a_folder_that_took_the_place_of_ours_is_not_used)
{
    os_fd folder;
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    remove_tree(".untorn");
    CHECK_INT(state_folder(&state, FOLDER_LOCK, true, &folder), -ENOENT);
    close_state();
    for (int i = 0; i < 2; i++) {
        CHECK_INT(open_state("f", STATE_CREATE), 0);
        close_state();
    }
    CHECK_INT(open_state("f", STATE_CREATE), 0); /* known by now, and not opened */
    CHECK_INT(rename(".untorn", "aside"), 0);
    make_dir(".untorn", 0700);
    CHECK_INT(state_folder(&state, FOLDER_LOCK, true, &folder), -ENOENT);
    CHECK_INT(count_entries(".untorn", ""), 0);
    close_state();
}

TEST(names_are_flushed_up_to_the_users_directory)
{
    os_fd folder;
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    CHECK_INT(state_folder(&state, FOLDER_INPLACE, true, &folder), 0);
    const struct rule *all = watch(CALL_FSYNC, ""), *inner = watch(CALL_FSYNC, "/.untorn/inplace"),
                      *root = watch(CALL_FSYNC, "/.untorn");
    CHECK_INT(state_flush_names(&state, FOLDER_INPLACE), 0);
    CHECK_INT(all->seen, 3);
    CHECK_INT(inner->seen, 1);
    CHECK_INT(root->seen, 2);
    forget_rules();
    fail(CALL_FSYNC, "", 3, EIO);
    CHECK_INT(state_flush_names(&state, FOLDER_INPLACE), -EIO);
    fail_always(CALL_FSYNC, "", EINVAL);
    CHECK_INT(state_flush_names(&state, FOLDER_INPLACE), 0);
    close_state();
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

TEST(a_folder_that_is_removed_while_it_is_made_is_made_again_or_noticed)
{
    make_dir(".untorn", 0700);
    at(CALL_OPEN, "/.untorn", 1, remove_folder, NULL);
    CHECK_INT(open_state("f", STATE_CREATE), AGAIN);
    forget_rules();
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    close_state();
    remove_tree(".untorn");
    at(CALL_OPEN, "/.untorn/.gitignore", 1, remove_folder, NULL);
    CHECK_INT(open_state("f", STATE_CREATE), 0);
    CHECK(!exists(".untorn"));
    close_state();
}

/* Its names went one after the other while we asked whether it is one of ours. */
TEST(a_folder_that_is_removed_while_it_is_judged_is_not_taken_for_another)
{
    static const char *const names[] = {"/.untorn/.gitignore", "/.untorn/format", "/.untorn/lock"};
    CHECK_INT(chmod(".", 0755), 0);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(open_state("f", STATE_CREATE), 0);
        close_state();
        if (!exists(".untorn/lock"))
            make_dir(".untorn/lock", 0755);
        for (int gone = 0; gone < i && i < 3; gone++)
            CHECK_INT(remove(names[gone] + 1), 0);
        CHECK_INT(chmod(".untorn", 0700), 0); /* as before it was opened with the directory */
        at(i < 3 ? CALL_STAT : CALL_OPEN, i < 3 ? names[i] : names[1], 1, remove_folder, NULL);
        int rc = open_state("f", STATE_CREATE);
        CHECK(rc == 0 || rc == AGAIN);
        CHECK(!exists(".untorn/lock"));
        close_state();
        forget_rules();
        if (exists(".untorn"))
            remove_tree(".untorn");
    }
}

/* AGAIN is a word among ourselves: a reader does not start over, and would hand it to his caller.
 */
TEST(a_folder_that_is_removed_while_it_is_looked_at_is_as_good_as_missing)
{
    for (int use = STATE_IF_PRESENT; use <= STATE_IF_USABLE; use++) {
        make_dir(".untorn", 0700);
        at(CALL_OPEN, "/.untorn", 1, remove_folder, NULL);
        CHECK_INT(open_state("f", (enum state_use)use), 0);
        CHECK(!state.present);
        CHECK(!exists(".untorn"));
        close_state();
        forget_rules();
    }
}

static void make_folder_anew(void *context)
{
    (void)context;
    remove_tree(".untorn");
    make_dir("in-between", 0700); /* so that the new one has another inode */
    make_dir(".untorn", 0700);
    remove_tree("in-between");
}

TEST(a_folder_that_is_made_anew_while_it_is_looked_at_is_looked_at_again)
{
    for (int use = STATE_IF_PRESENT; use <= STATE_IF_USABLE; use++) {
        if (!exists(".untorn"))
            make_dir(".untorn", 0700);
        at(CALL_OPEN, "/.untorn", 1, make_folder_anew, NULL);
        CHECK_INT(open_state("f", (enum state_use)use), 0);
        CHECK(state.present);
        close_state();
        forget_rules();
    }
    always_at(CALL_OPEN, "/.untorn", make_folder_anew, NULL);
    CHECK_INT(open_state("f", STATE_IF_USABLE), -UNTORN_RESTLESS);
    CHECK_INT(error.status, UNTORN_RESTLESS);
    close_state();
}

static void remove_directory(void *context)
{
    (void)context;
    CHECK_INT(rmdir("d"), 0);
}

TEST(a_directory_that_is_removed_under_us_means_starting_over)
{
    make_dir("d", 0700);
    at(CALL_MKDIR, "/d/.untorn", 1, remove_directory, NULL);
    CHECK_INT(open_state("d/f", STATE_CREATE), AGAIN);
    close_state();
}

TEST(a_physical_path_too_long_to_have_a_key_is_told)
{
    enum { LEVELS = 20 };
    char name[251], directory[4096];
    memset(name, 'n', 250);
    name[250] = '\0';
    make_dir("state", 0700);
    CHECK(realpath("state", directory));
    for (int i = 0; i < LEVELS; i++) {
        make_dir(name, 0700);
        CHECK_INT(chdir(name), 0);
    }
    options.state_dir = directory;
    int rc = open_state("f", STATE_CREATE);
    close_state();
    for (int i = 0; i < LEVELS; i++) {
        CHECK_INT(chdir(".."), 0);
        CHECK_INT(rmdir(name), 0);
    }
    CHECK(rc < 0);
    CHECK_INT(error.status, UNTORN_NAME);
}

static void make_meanwhile(void *context)
{
    (void)context;
    make_dir(".untorn", 0700);
}

TEST(a_folder_that_somebody_else_makes_meanwhile_is_used)
{
    at(CALL_MKDIR, "/.untorn", 1, make_meanwhile, NULL);
    check_opens("f");
}

static void open_up(void *context)
{
    (void)context;
    CHECK_INT(seteuid(0), 0);
    CHECK_INT(chmod("d/.untorn/lock", 0777), 0);
    CHECK_INT(seteuid(ALICE), 0);
}

static void find_it_just_made(void *context)
{
    os_fd folder;
    (void)context;
    CHECK_INT(open_state("d/f", STATE_CREATE), 0);
    at(CALL_SLEEP, "", 2, open_up, NULL);
    CHECK_INT(state_folder(&state, FOLDER_LOCK, true, &folder), 0);
    close_state();
    forget_rules();
    CHECK_INT(open_state("d/f", STATE_CREATE), 0);
    CHECK_INT(state_folder(&state, FOLDER_STAGE, true, &folder), 0); /* its maker died: replaced */
    CHECK_INT(stat_of("d/.untorn/stage").st_uid, ALICE);
    CHECK_INT(state_folder(&state, FOLDER_KEPT, true, &folder), -EACCES); /* not empty */
    close_state();
}

TEST(a_folder_that_another_user_is_just_making_is_waited_for_a_moment)
{
    need_root();
    make_dir("d", 0777);
    check_opens("d/f");
    make_dir("d/.untorn/lock", 0700);
    make_dir("d/.untorn/stage", 0700);
    make_dir("d/.untorn/kept", 0700);
    put("d/.untorn/kept/something", "");
    in_child_as(ALICE, ALICE, find_it_just_made, NULL);
}

TEST(a_system_that_fails_is_told_and_nothing_stays_open)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {{CALL_MKDIR, "/.untorn", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_MKDIR, "/.untorn", EROFS, UNTORN_NO_STATE},
                  {CALL_OPEN, "/.untorn", EMFILE, UNTORN_FAILED},
                  {CALL_STAT, "/.untorn", EIO, UNTORN_IO},
                  {CALL_OPEN, "/format", EIO, UNTORN_IO},
                  {CALL_READ, "/format", EIO, UNTORN_IO},
                  {CALL_WRITE, "/.gitignore", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_WRITE, "/format", EIO, UNTORN_IO}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        int before = open_descriptors();
        if (faults[i].call == CALL_READ)
            check_opens("f");
        else if (exists(".untorn"))
            remove_tree(".untorn");
        fail(faults[i].call, faults[i].path, 1, faults[i].code);
        check_refused("f", faults[i].status);
        forget_rules();
        CHECK_INT(open_descriptors(), before);
    }
    remove_tree(".untorn");
    options.state_dir = "state";
    check_opens("f");
    fail(CALL_STAT, "/state", 1, EIO);
    check_refused("f", UNTORN_IO);
}
