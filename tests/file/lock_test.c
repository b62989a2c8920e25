/* The lock of one file, from below: what is held, by whom, for how long. The public calls are
 * tested in locks_test.c. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/file.h>

#include <untorn/lock.h>
#include <untorn/write.h>

#include "file/interpose.h"
#include "file/lock.h"
#include "file/owner.h"
#include "file/setting.h"

static struct setting setting;
static struct lock lock = LOCK_CLOSED;

static int open_lock(void)
{
    error_begin(&setting.error, NULL, "f");
    return lock_open(&lock, &setting.place, &setting.state, &setting.options, &setting.error);
}

static void open_all(void)
{
    setting_open(&setting, "f");
    CHECK_INT(open_lock(), 0);
}

static void close_all(void)
{
    lock_close(&lock);
    setting_close(&setting);
}

static int acquire(enum os_lock kind)
{
    return lock_acquire(&lock, kind, lock_deadline(&setting.options), &setting.error);
}

static bool is_locked(const char *path)
{
    int file = open(path, O_RDONLY);
    CHECK(file >= 0);
    bool locked = flock(file, LOCK_EX | LOCK_NB) < 0;
    close(file);
    return locked;
}

TEST(a_lock_is_a_kernel_lock_on_a_file_of_its_own_that_stays)
{
    open_all();
    CHECK(exists(".untorn/lock/f"));
    CHECK(!is_locked(".untorn/lock/f"));
    CHECK(!lock_is_current(&lock));
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK(is_locked(".untorn/lock/f"));
    CHECK(lock_is_current(&lock));
    lock_release(&lock);
    lock_release(&lock);
    CHECK(!is_locked(".untorn/lock/f"));
    close_all();
    lock_close(&lock);
    CHECK(exists(".untorn/lock/f"));
}

TEST(who_holds_it_is_written_into_it)
{
    struct untorn_holder holder;
    open_all();
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    memset(&holder, 0, sizeof holder);
    owner_read(lock.own->fd, &holder);
    CHECK_INT(holder.pid, getpid());
    CHECK(holder.alive);
    close_all();
}

TEST(a_lock_file_is_for_those_who_may_write_the_directory)
{
    static const unsigned modes[][2] = {{0700, 0600}, {0755, 0600}, {0775, 0660}, {0777, 0666}};
    umask(077);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        make_dir("d", modes[i][0]);
        setting_open(&setting, "d/f");
        CHECK_INT(open_lock(), 0);
        close_all();
        CHECK_INT(mode_of("d/.untorn/lock/f"), modes[i][1]);
        CHECK_INT(chmod("d/.untorn/lock/f", 0600), 0); /* as if its maker had died */
        setting_open(&setting, "d/f");
        CHECK_INT(open_lock(), 0);
        close_all();
        CHECK_INT(mode_of("d/.untorn/lock/f"), modes[i][1]);
        remove_tree("d");
    }
}

static void replace_lock_file(void *context)
{
    (void)context;
    CHECK_INT(unlink(".untorn/lock/f"), 0);
    put(".untorn/lock/f", "");
}

static void remove_lock_file(void *context)
{
    (void)context;
    CHECK_INT(unlink(".untorn/lock/f"), 0);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

static void replace_folder(void *context)
{
    (void)context;
    CHECK_INT(rename(".untorn", "moved"), 0);
    make_dir(".untorn", 0700);
}

/* [LOCK-1] */
TEST(a_lock_file_replaced_between_opening_and_locking_is_not_a_lock)
{
    void (*const deeds[])(void *) = {replace_lock_file, remove_lock_file, remove_folder,
                                     replace_folder};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        open_all();
        at(CALL_FLOCK, "/lock/f", 1, deeds[i], NULL);
        CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), AGAIN);
        CHECK(lock.held == NULL);
        forget_rules();
        close_all();
    }
}

/* [LOCK-2] */
TEST(a_lock_is_no_longer_current_when_its_path_names_something_else)
{
    void (*const deeds[])(void *) = {replace_lock_file, remove_lock_file, remove_folder,
                                     replace_folder};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        open_all();
        CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
        CHECK(lock_is_current(&lock));
        deeds[i](NULL);
        CHECK(!lock_is_current(&lock));
        close_all();
    }
}

static void hold(struct partner_context *partner)
{
    const enum os_lock *kind = partner->context;
    setting_open(&setting, "f");
    CHECK_INT(open_lock(), 0);
    CHECK_INT(acquire(*kind), 0);
    partner_ready(partner);
    close_all();
}

/* [LOCK-3] */
TEST(a_wait_ends_in_time_and_names_the_holder)
{
    enum os_lock kind = OS_LOCK_EXCLUSIVE;
    char pid[32];
    struct partner partner = partner_start(hold, &kind);
    open_all();
    setting.options.wait_ms = 60;
    uint64_t before = os_clock_ns();
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK(os_clock_ns() - before >= 60000000u);
    snprintf(pid, sizeof pid, "held by pid %d on ", partner.pid);
    CHECK(strstr(setting.error.detail, pid));
    setting.options.wait_ms = UNTORN_TRY_ONCE;
    CHECK_INT(acquire(OS_LOCK_SHARED), -UNTORN_LOCKED);
    partner_end(&partner);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    close_all();
}

TEST(a_wait_is_ten_seconds_unless_said_otherwise)
{
    struct untorn_options options = {0};
    uint64_t now = os_clock_ns(), second = 1000000000u;
    uint64_t deadline = lock_deadline(&options);
    CHECK(deadline >= now + 10 * second && deadline < now + 11 * second);
    options.wait_ms = 1500;
    deadline = lock_deadline(&options);
    CHECK(deadline >= now + second * 3 / 2 && deadline < now + second * 5 / 2);
    options.wait_ms = UNTORN_TRY_ONCE;
    CHECK(lock_deadline(&options) < os_clock_ns() + second / 10);
    options.wait_ms = 2147483647;
    CHECK(lock_deadline(&options) > now + 2000000 * second);
}

static struct partner waited_for;

static void let_go(void *context)
{
    (void)context;
    partner_end(&waited_for);
}

TEST(a_wait_ends_when_the_holder_lets_go)
{
    enum os_lock kind = OS_LOCK_EXCLUSIVE;
    waited_for = partner_start(hold, &kind);
    open_all();
    at(CALL_SLEEP, "", 3, let_go, NULL);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK(rules[CALL_SLEEP][0].seen >= 3);
    close_all();
}

static void hold_and_die(struct partner_context *partner)
{
    setting_open(&setting, "f");
    CHECK_INT(open_lock(), 0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    partner_ready(partner);
    raise(SIGKILL);
}

/* [LOCK-4] */
TEST(a_lock_ends_with_its_holder_and_never_by_age)
{
    struct partner partner = partner_start(hold_and_die, NULL);
    struct timespec ancient[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    CHECK_INT(utimensat(AT_FDCWD, ".untorn/lock/f", ancient, 0), 0);
    put(".untorn/lock/f", "pid 999999999\nsince 1\n");
    open_all();
    setting.options.wait_ms = 20;
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK_INT(write(partner.to, "e", 1), 1);
    CHECK_INT(end_of(partner.pid), -SIGKILL);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    close_all();
}

TEST(shared_locks_of_processes_go_together)
{
    enum os_lock kind = OS_LOCK_SHARED;
    struct partner partner = partner_start(hold, &kind);
    open_all();
    setting.options.wait_ms = 20;
    CHECK_INT(acquire(OS_LOCK_SHARED), 0);
    lock_release(&lock);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    partner_end(&partner);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    close_all();
}

TEST(readers_that_hold_a_lock_are_not_mistaken_for_its_last_writer)
{
    enum os_lock kind = OS_LOCK_SHARED;
    char pid[32];
    open_all();
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    lock_release(&lock);
    struct partner partner = partner_start(hold, &kind);
    setting.options.wait_ms = 20;
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    snprintf(pid, sizeof pid, "pid %d", getpid());
    CHECK(!strstr(setting.error.detail, pid));
    partner_end(&partner);
    close_all();
}

TEST(exclusive_inside_shared_is_refused_at_once)
{
    open_all();
    CHECK_INT(acquire(OS_LOCK_SHARED), 0);
    struct lock again = LOCK_CLOSED;
    CHECK_INT(lock_open(&again, &setting.place, &setting.state, &setting.options, &setting.error),
              0);
    CHECK_INT(
        lock_acquire(&again, OS_LOCK_EXCLUSIVE, lock_deadline(&setting.options), &setting.error),
        -UNTORN_DEADLOCK);
    CHECK_INT(lock_acquire(&again, OS_LOCK_SHARED, 0, &setting.error), 0);
    lock_close(&again);
    close_all();
}

TEST(two_handles_of_one_thread_nest)
{
    open_all();
    struct lock again = LOCK_CLOSED;
    CHECK_INT(lock_open(&again, &setting.place, &setting.state, &setting.options, &setting.error),
              0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(lock_acquire(&again, OS_LOCK_EXCLUSIVE, 0, &setting.error), 0);
    CHECK(lock_is_current(&again));
    lock_release(&lock); /* the outer one first */
    CHECK(is_locked(".untorn/lock/f"));
    CHECK(lock_is_current(&again));
    lock_close(&again);
    CHECK(!is_locked(".untorn/lock/f"));
    close_all();
}

TEST(a_lock_file_that_is_not_ours_is_not_used)
{
    setting_open(&setting, "f");
    CHECK_INT(open_lock(), 0);
    lock_close(&lock);
    put("somebodys", "content");
    CHECK_INT(unlink(".untorn/lock/f"), 0);
    CHECK_INT(link("somebodys", ".untorn/lock/f"), 0);
    CHECK_INT(open_lock(), -UNTORN_UNTRUSTED);
    CHECK_INT(unlink(".untorn/lock/f"), 0);
    CHECK_INT(symlink("../../somebodys", ".untorn/lock/f"), 0);
    CHECK(open_lock() < 0);
    CHECK_INT(unlink(".untorn/lock/f"), 0);
    CHECK_INT(mkfifo(".untorn/lock/f", 0600), 0);
    CHECK(open_lock() < 0);
    CHECK_INT(unlink(".untorn/lock/f"), 0);
    make_dir(".untorn/lock/f", 0700);
    CHECK(open_lock() < 0);
    CHECK_TEXT(text_of("somebodys"), "content");
    setting_close(&setting);
}

TEST(a_folder_that_is_gone_means_starting_over)
{
    int before = open_descriptors();
    setting_open(&setting, "f");
    remove_tree(".untorn");
    CHECK_INT(open_lock(), AGAIN);
    setting_close(&setting);
    CHECK_INT(open_descriptors(), before);
}

TEST(a_long_name_has_a_lock_of_its_own)
{
    char name[LIMIT_NAME + 1];
    memset(name, 'n', LIMIT_NAME);
    name[LIMIT_NAME] = '\0';
    setting_open(&setting, name);
    CHECK_INT(open_lock(), 0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(count_entries(".untorn/lock", name), 1);
    close_all();
}

/* ---- a lock file of another program ---- */

TEST(a_foreign_lock_file_is_shared_with_flock_and_never_written)
{
    setting.options.lock_file = "app.lock";
    setting.options.wait_ms = 20;
    umask(022);
    open_all();
    CHECK_INT(mode_of("app.lock"), 0644);
    int theirs = open("app.lock", O_RDONLY);
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK_TEXT(setting.error.detail, "held by another program");
    CHECK_INT(flock(theirs, LOCK_UN), 0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK(is_locked("app.lock"));
    CHECK(lock_is_current(&lock));
    CHECK_INT(stat_of("app.lock").st_size, 0);
    CHECK_INT(unlink("app.lock"), 0);
    CHECK(!lock_is_current(&lock));
    close(theirs);
    close_all();
}

TEST(a_foreign_lock_file_keeps_its_content_and_may_be_a_link)
{
    put("real.lock", "their record");
    CHECK_INT(symlink("real.lock", "app.lock"), 0);
    setting.options.lock_file = "app.lock";
    open_all();
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK(is_locked("real.lock"));
    close_all();
    CHECK_TEXT(text_of("real.lock"), "their record");
}

TEST(a_foreign_lock_file_that_cannot_be_had_is_told)
{
    setting_open(&setting, "f");
    setting.options.lock_file = "missing/app.lock";
    CHECK_INT(open_lock(), -UNTORN_MISSING);
    setting.options.lock_file = "";
    CHECK_INT(open_lock(), -UNTORN_INVALID);
    setting.options.lock_file = ".";
    CHECK_INT(open_lock(), -UNTORN_NOT_A_FILE);
    setting_close(&setting);
}

static void lock_what_i_may_only_read(void *context)
{
    (void)context;
    setting.options.lock_file = "app.lock";
    setting.options.state_dir = "state";
    setting_open(&setting, "f");
    CHECK_INT(open_lock(), 0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    close_all();
    CHECK_INT(chmod("state", 0755), 0);
    setting.options.lock_file = "closed.lock";
    setting_open(&setting, "f");
    CHECK_INT(open_lock(), -UNTORN_DENIED);
    setting_close(&setting);
}

TEST(a_foreign_lock_file_needs_only_to_be_readable)
{
    need_root();
    put("app.lock", "");
    CHECK_INT(chmod("app.lock", 0644), 0);
    put("closed.lock", "");
    CHECK_INT(chmod("closed.lock", 0600), 0);
    make_dir("state", 0700);
    CHECK_INT(chown("state", ALICE, ALICE), 0);
    in_child_as(ALICE, ALICE, lock_what_i_may_only_read, NULL);
}

/* ---- files that another user is making ---- */

static void open_up(void *context)
{
    (void)context;
    CHECK_INT(seteuid(0), 0);
    CHECK_INT(chmod("d/.untorn/lock/f", 0666), 0);
    CHECK_INT(seteuid(ALICE), 0);
}

static void find_lock_just_made(void *context)
{
    (void)context;
    setting_open(&setting, "d/f");
    at(CALL_SLEEP, "", 2, open_up, NULL);
    CHECK_INT(open_lock(), 0);
    close_all();
    setting_open(&setting, "d/g");
    CHECK_INT(open_lock(), 0); /* empty: its maker died before he could share it */
    CHECK_INT(stat_of("d/.untorn/lock/g").st_uid, ALICE);
    close_all();
    setting_open(&setting, "d/h");
    CHECK_INT(open_lock(), -UNTORN_NO_STATE);
    CHECK_INT(setting.error.os_error, EACCES);
    setting_close(&setting);
}

TEST(a_lock_file_that_another_user_is_just_making_is_waited_for_a_moment)
{
    need_root();
    make_dir("d", 0777);
    setting_open(&setting, "d/f");
    CHECK_INT(open_lock(), 0);
    close_all();
    CHECK_INT(chmod("d/.untorn/lock/f", 0600), 0);
    put("d/.untorn/lock/g", "");
    CHECK_INT(chmod("d/.untorn/lock/g", 0600), 0);
    put("d/.untorn/lock/h", "pid 1\n");
    CHECK_INT(chmod("d/.untorn/lock/h", 0600), 0);
    in_child_as(ALICE, ALICE, find_lock_just_made, NULL);
}

/* ---- the directory's own lock ---- */

TEST(the_directory_is_locked_for_a_moment_and_not_waited_for_long)
{
    os_fd ours;
    CHECK_INT(os_open_dir(OS_NONE, ".", false, &ours), 0);
    lock_directory(ours);
    CHECK(is_locked("."));
    CHECK_INT(os_lock(ours, OS_UNLOCK), 0);
    int theirs = open(".", O_RDONLY);
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    uint64_t before = os_clock_ns();
    lock_directory(ours);
    CHECK(os_clock_ns() - before >= LIMIT_DIRECTORY_LOCK_NS);
    close(theirs);
    os_close(ours);
}

TEST(who_holds_the_directory_for_ever_keeps_nobody_from_writing)
{
    int theirs = open(".", O_RDONLY);
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    CHECK_INT(untorn_write("f", "text", 4, NULL, NULL), 0);
    CHECK_TEXT(text_of("f"), "text");
    close(theirs);
}

/* ---- fairness ---- */

TEST(a_holder_steps_back_once_after_others_announced_themselves)
{
    struct rule *sleeps = new_rule(CALL_SLEEP, "", 1, 0);
    open_all();
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    os_fd waiter = OS_NONE;
    CHECK_INT(os_open(OS_NONE, ".untorn/lock/f", OS_READ | OS_WRITE, 0, &waiter), 0);
    owner_announce_waiting(waiter);
    os_close(waiter);
    lock_release(&lock);
    CHECK_INT(sleeps->seen, 0);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(sleeps->seen, 1);
    lock_release(&lock);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(sleeps->seen, 1);
    close_all();
}

TEST(who_finds_the_lock_taken_announces_itself)
{
    enum os_lock kind = OS_LOCK_EXCLUSIVE;
    struct partner partner = partner_start(hold, &kind);
    open_all();
    setting.options.wait_ms = 5;
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK(owner_take_waiting(lock.own->fd));
    partner_end(&partner);
    close_all();
}

/* ---- faults ---- */

TEST(a_system_that_cannot_lock_is_told)
{
    open_all();
    fail(CALL_FLOCK, "/lock/f", 1, ENOLCK);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), -UNTORN_FAILED);
    CHECK_INT(setting.error.os_error, ENOLCK);
    fail(CALL_FLOCK, "/lock/f", 1, EINTR);
    CHECK_INT(acquire(OS_LOCK_EXCLUSIVE), 0);
    close_all();
}

TEST(a_lock_that_cannot_be_opened_is_told_and_nothing_stays_open)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {{CALL_OPEN, "/lock/f", EMFILE, UNTORN_FAILED},
                  {CALL_OPEN, "/lock/f", EROFS, UNTORN_NO_STATE},
                  {CALL_OPEN, "/lock/f", EPERM, UNTORN_NO_STATE},
                  {CALL_STAT, "/lock/f", EIO, UNTORN_IO},
                  {CALL_MKDIR, "/lock", ENOSPC, UNTORN_NO_SPACE}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        int before = open_descriptors();
        setting_open(&setting, "f");
        fail_always(faults[i].call, faults[i].path, faults[i].code);
        CHECK_INT(open_lock(), -(int)faults[i].status);
        CHECK_INT(setting.error.os_error, faults[i].code);
        forget_rules();
        setting_close(&setting);
        CHECK_INT(open_descriptors(), before);
        remove_tree(".untorn");
    }
}
