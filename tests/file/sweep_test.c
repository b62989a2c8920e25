#include "harness.h"

#include <signal.h>
#include <sys/file.h>

#include <untorn.h>

#include "file/interpose.h"
#include "file/setting.h"
#include "file/stage.h"
#include "file/sweep.h"

static struct setting setting;

static void make_stage_of(const char *name, int number)
{
    char path[LIMIT_NAME + 64];
    snprintf(path, sizeof path, ".untorn/stage/%s.%016d", name, number);
    put(path, "unfinished");
}

static int stages_of(const char *name)
{
    return count_entries(".untorn/stage", name);
}

static void open_folders(void)
{
    os_fd folder;
    setting_open(&setting, "f");
    CHECK_INT(state_folder(&setting.state, FOLDER_STAGE, true, &folder), 0);
}

static void sweep(void)
{
    sweep_stages(&setting.state, "f", NULL);
}

TEST(dead_stages_of_the_name_are_removed_and_no_others)
{
    open_folders();
    make_stage_of("f", 1);
    make_stage_of("f", 2);
    make_stage_of("g", 3);
    make_stage_of("f.0123456789abcdef", 4);
    make_stage_of("xf", 5);
    put(".untorn/stage/f", "");
    put(".untorn/stage/f.12", "");
    sweep();
    CHECK(!exists(".untorn/stage/f.0000000000000001"));
    CHECK(!exists(".untorn/stage/f.0000000000000002"));
    CHECK(exists(".untorn/stage/g.0000000000000003"));
    CHECK(exists(".untorn/stage/f.0123456789abcdef.0000000000000004"));
    CHECK(exists(".untorn/stage/xf.0000000000000005"));
    CHECK(exists(".untorn/stage/f"));
    CHECK(exists(".untorn/stage/f.12"));
    setting_close(&setting);
}

/* [SWEEP-2] */
TEST(a_stage_whose_writer_lives_stays)
{
    struct stage stage;
    open_folders();
    CHECK_INT(stage_begin(&stage, &setting.state, "f", false), 0);
    CHECK(!sweep_is_dead(stage.folder, stage.name));
    sweep();
    CHECK(stage_is_named(&stage));
    stage_close(&stage);
    setting_close(&setting);
}

static void die_staging(struct partner_context *partner)
{
    struct untorn_writer *writer;
    struct untorn_error error;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "half", 4, &error), 0);
    partner_ready(partner);
    raise(SIGKILL);
}

/* [SWEEP-1] [SWEEP-2] */
TEST(the_next_writer_removes_what_a_killed_one_left_and_not_before_it_is_dead)
{
    struct partner partner = partner_start(die_staging, NULL);
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    CHECK_INT(stages_of("f."), 1);
    CHECK_INT(write(partner.to, "e", 1), 1);
    CHECK_INT(end_of(partner.pid), -SIGKILL);
    CHECK_INT(stages_of("f."), 1);
    CHECK_INT(untorn_write("g", "other", 5, NULL, NULL), 0);
    CHECK_INT(stages_of("f."), 1);
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 0);
    CHECK_TEXT(text_of("f"), "two");
}

static void check_held(void *context)
{
    os_fd file = OS_NONE;
    (void)context;
    CHECK_INT(os_open(OS_NONE, ".untorn/lock/f", OS_READ, 0, &file), 0);
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    os_close(file);
}

static void stream(const char *path, const char *text)
{
    struct untorn_writer *writer;
    CHECK_INT(untorn_writer_begin(path, NULL, &writer, NULL), 0);
    CHECK_INT(untorn_writer_write(writer, text, strlen(text), NULL), 0);
    CHECK_INT(untorn_writer_commit(writer, NULL), 0);
    untorn_writer_free(writer);
}

/* [SWEEP-1] */
TEST(a_stage_is_removed_only_while_the_lock_is_held)
{
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    make_stage_of("f", 1);
    at(CALL_UNLINK, "/stage/f.0000000000000001", 1, check_held, NULL);
    stream("f", "two");
    CHECK_INT(rules[CALL_UNLINK][0].seen, 1);
    CHECK_INT(stages_of(""), 0);
}

/* [SWEEP-3] */
TEST(one_call_removes_only_so_many)
{
    open_folders();
    for (int i = 0; i < LIMIT_SWEEP + 20; i++)
        make_stage_of("f", i);
    sweep();
    CHECK_INT(stages_of("f."), 20);
    sweep();
    CHECK_INT(stages_of("f."), 0);
    setting_close(&setting);
}

/* [SWEEP-3] */
TEST(one_call_looks_at_only_so_many_names)
{
    work_in_memory();
    open_folders();
    for (int i = 0; i < LIMIT_LISTING + 100; i++)
        make_stage_of("g", i);
    struct rule *opened = new_rule(CALL_OPEN, "/stage/g", 1, 0);
    sweep();
    CHECK_INT(opened->seen, 0);
    CHECK_INT(stages_of("g."), LIMIT_LISTING + 100);
    setting_close(&setting);
}

/* [SWEEP-3] */
TEST(the_users_directory_is_never_looked_at)
{
    put("f.0123456789abcdef", "mine");
    put("f.tmp", "mine");
    CHECK_INT(untorn_write("f", "text", 4, NULL, NULL), 0);
    CHECK_INT(untorn_write("f", "text", 4, NULL, NULL), 0);
    CHECK_TEXT(text_of("f.0123456789abcdef"), "mine");
    CHECK_TEXT(text_of("f.tmp"), "mine");
}

TEST(what_is_no_file_stays)
{
    open_folders();
    make_dir(".untorn/stage/f.0000000000000001", 0700);
    CHECK_INT(symlink("/etc/passwd", ".untorn/stage/f.0000000000000002"), 0);
    sweep();
    CHECK(exists(".untorn/stage/f.0000000000000001"));
    CHECK(exists(".untorn/stage/f.0000000000000002"));
    CHECK(!sweep_is_dead(setting.state.folders[FOLDER_STAGE], "missing"));
    setting_close(&setting);
}

TEST(looking_removes_nothing)
{
    open_folders();
    make_stage_of("f", 1);
    CHECK(sweep_is_dead(setting.state.folders[FOLDER_STAGE], "f.0000000000000001"));
    CHECK_INT(stages_of("f."), 1);
    setting_close(&setting);
}

TEST(a_stage_that_cannot_be_judged_is_not_called_dead)
{
    struct untorn_check what = {.repair = true};
    size_t still_open;
    open_folders();
    make_stage_of("f", 1);
    os_fd folder = setting.state.folders[FOLDER_STAGE];
    fail(CALL_FLOCK, "/stage/f.", 1, ENOLCK);
    CHECK_INT(sweep_is_dead(folder, "f.0000000000000001"), -ENOLCK);
    fail(CALL_OPEN, "/stage/f.", 1, EMFILE);
    CHECK_INT(sweep_is_dead(folder, "f.0000000000000001"), -EMFILE);
    fail(CALL_OPEN, "/stage/f.", 1, EMFILE);
    CHECK_INT(untorn_check(".", &what, NULL, &still_open, NULL), -UNTORN_FAILED);
    CHECK_INT(stages_of("f."), 1);
    setting_close(&setting);
}

TEST(without_a_stage_folder_there_is_nothing_to_sweep)
{
    setting_open(&setting, "f");
    sweep();
    CHECK(!exists(".untorn/stage"));
    setting_close(&setting);
}

TEST(a_stage_that_cannot_be_removed_is_left_to_the_next_one)
{
    open_folders();
    make_stage_of("f", 1);
    fail(CALL_UNLINK, "/stage/f.", 1, EIO);
    sweep();
    CHECK_INT(stages_of("f."), 1);
    sweep();
    CHECK_INT(stages_of("f."), 0);
    setting_close(&setting);
}

TEST(the_dead_stage_of_a_long_name_is_found)
{
    char name[LIMIT_NAME + 1];
    memset(name, 'n', LIMIT_NAME);
    name[LIMIT_NAME] = '\0';
    struct stage stage;
    setting_open(&setting, name);
    CHECK_INT(stage_begin(&stage, &setting.state, name, false), 0);
    stage.named = false; /* as if its writer had died */
    stage_close(&stage);
    CHECK_INT(stages_of("%"), 1);
    sweep_stages(&setting.state, name, NULL);
    CHECK_INT(stages_of("%"), 0);
    setting_close(&setting);
}

/* ---- what is found without a listing, and when one is made ---- */

static void put_stage_of_lock(void)
{
    char path[64];
    snprintf(path, sizeof path, ".untorn/stage/f.%016llx",
             (unsigned long long)stat_of(".untorn/lock/f").st_ino);
    put(path, "unfinished");
}

static int give_same(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context;
    return untorn_change_set(change, old->data, old->size);
}

/* [STAGE-4] */
TEST(what_a_dead_writer_left_under_the_lock_is_gone_after_the_next_call)
{
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    put_stage_of_lock();
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 0);
    put_stage_of_lock();
    CHECK_INT(untorn_update("f", give_same, NULL, NULL, NULL), 0); /* makes no stage */
    CHECK_INT(stages_of(""), 0);
    put_stage_of_lock();
    stream("f", "three");
    CHECK_INT(stages_of(""), 0);
    CHECK_TEXT(text_of("f"), "three");
}

static void stream_and_die(void *context)
{
    struct untorn_writer *writer;
    (void)context;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, NULL), 0);
    raise(SIGKILL);
}

static void kill_a_stream(void)
{
    pid_t child = fork();
    if (child == 0)
        stream_and_die(NULL);
    int status;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK_INT(stages_of("f."), 1);
}

TEST(what_a_killed_stream_left_is_gone_after_the_next_write)
{
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    kill_a_stream();
    CHECK_INT(untorn_write("f", "three", 5, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 0);
    make_stage_of("f", 1); /* nothing hints at it any more: the folder is not listed */
    CHECK_INT(untorn_write("f", "four", 4, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 1);
}

TEST(a_hint_stays_while_a_stream_lives)
{
    struct untorn_writer *writer;
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, NULL), 0);
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    CHECK_INT(stages_of("f."), 1);
    make_stage_of("f", 1);
    CHECK_INT(untorn_write("f", "three", 5, NULL, NULL), 0);
    CHECK_INT(stages_of("f."), 1);
    untorn_writer_free(writer);
}

TEST(after_a_restart_of_the_system_the_folder_is_listed_once)
{
    char record[2 * LIMIT_OWNER_RECORD];
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    ssize_t size = get_bytes(".untorn/lock/f", record, sizeof record);
    CHECK(size > 0);
    char *boot = strstr(record, "boot ");
    boot[5] = boot[5] == 'x' ? 'y' : 'x';
    put_bytes(".untorn/lock/f", record, strlen(record) + 1);
    make_stage_of("f", 1);
    struct untorn_lock *lock;
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL), 0); /* does not sweep */
    untorn_unlock(lock);
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 0);
}

/* Another host may hold the lock as well: there a stage has a name and a lock of its own. */
TEST(on_a_network_every_write_lists)
{
    pretended_filesystem = NFS;
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    make_stage_of("f", 1);
    const struct rule *by_lock = watch(CALL_OPEN, "/stage/f.00000000");
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 0);
    CHECK_INT(by_lock->seen, 1); /* the dead one, looked at */
}

TEST(something_in_the_way_of_the_stage_makes_it_another_name)
{
    CHECK_INT(untorn_write("f", "one", 3, NULL, NULL), 0);
    put_stage_of_lock();
    const char *path = only_entry(".untorn/stage", "f.");
    int theirs = open(path, O_RDONLY);
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    CHECK_INT(untorn_write("f", "two", 3, NULL, NULL), 0);
    CHECK_TEXT(text_of("f"), "two");
    CHECK_INT(stages_of(""), 1);
    close(theirs);
    CHECK_INT(untorn_write("f", "three", 5, NULL, NULL), 0);
    CHECK_INT(stages_of(""), 0);
}
