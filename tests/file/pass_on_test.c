/* untorn_lock_pass_on: locks that programs we start inherit.
 *
 * The programs are this one again: a test starts itself with ROLE in its environment. */
#include "harness.h"

#include <signal.h>
#include <spawn.h>

#include <untorn.h>

#include "base/limits.h"
#include "file/inherit.h"
#include "file/interpose.h"
#include "file/lock.h"
#include "file/setting.h"
#include "file/support.h"

#define ROLE "TEST_ROLE"

static struct untorn_error error;
static const struct untorn_options at_once = {.wait_ms = UNTORN_TRY_ONCE};
static char value[8192];

static int save(const char *path, const char *text)
{
    return untorn_write(path, text, strlen(text), &at_once, &error);
}

static struct untorn_lock *take(const char *path, enum untorn_lock_kind kind)
{
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock(path, kind, &at_once, &lock, &error), 0);
    return lock;
}

/* Starts the test `name` of this program as `role`, here, with `value` in UNTORN_LOCK. */
static pid_t start_role(const char *name, const char *role)
{
    extern char **environ;
    char *arguments[] = {"test", "--here", (char *)name, NULL};
    pid_t child;
    CHECK_INT(setenv(ROLE, role, 1), 0);
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
    CHECK_INT(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    unsetenv(ROLE);
    unsetenv(UNTORN_LOCK_VARIABLE);
    return child;
}

static bool is_role(const char *role)
{
    const char *mine = getenv(ROLE);
    return mine && strcmp(mine, role) == 0;
}

/* What a process that inherited nothing gets. */
static int outsider(const char *path)
{
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        unsetenv(UNTORN_LOCK_VARIABLE);
        _exit(-save(path, "outsider"));
    }
    return -end_of(child);
}

static void pass_on(struct untorn_lock *lock)
{
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, sizeof value), 0);
}

TEST(a_program_started_under_a_lock_is_inside_it)
{
    if (is_role("inside")) {
        CHECK_INT(save("f", "inside"), 0);
        CHECK_INT(save("g", "elsewhere"), 0);
        CHECK(exists(".untorn/inner/f.1"));
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    finish_child(start_role("a_program_started_under_a_lock_is_inside_it", "inside"));
    CHECK_INT(outsider("f"), -UNTORN_LOCKED);
    CHECK_TEXT(text_of("f"), "inside");
    CHECK_INT(save("f", "still mine"), 0);
    untorn_unlock(lock);
    CHECK_INT(outsider("f"), 0);
}

TEST(without_the_variable_a_program_is_outside)
{
    if (is_role("outside")) {
        unsetenv(UNTORN_LOCK_VARIABLE);
        CHECK_INT(save("f", "x"), -UNTORN_LOCKED);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    finish_child(start_role("without_the_variable_a_program_is_outside", "outside"));
    untorn_unlock(lock);
}

TEST(without_the_descriptor_the_variable_proves_nothing)
{
    if (is_role("liar")) {
        CHECK_INT(save("f", "x"), -UNTORN_LOCKED);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    int fd = atoi(value);
    CHECK_INT(fcntl(fd, F_SETFD, FD_CLOEXEC), 0);
    finish_child(start_role("without_the_descriptor_the_variable_proves_nothing", "liar"));
    untorn_unlock(lock);
}

static int count(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[32];
    (void)context;
    int size = snprintf(text, sizeof text, "%d", old ? atoi(old->data) + 1 : 1);
    return untorn_change_set(change, text, (size_t)size);
}

TEST(programs_inside_one_lock_exclude_each_other)
{
    enum { PROGRAMS = 4, ROUNDS = 25 };
    if (is_role("counter")) {
        for (int i = 0; i < ROUNDS; i++)
            CHECK_INT(untorn_update("f", count, NULL, NULL, &error), 0);
        return;
    }
    pid_t children[PROGRAMS];
    char expected[16];
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    for (int i = 0; i < PROGRAMS; i++)
        children[i] = start_role("programs_inside_one_lock_exclude_each_other", "counter");
    for (int i = 0; i < PROGRAMS; i++)
        finish_child(children[i]);
    untorn_unlock(lock);
    snprintf(expected, sizeof expected, "%d", PROGRAMS * ROUNDS);
    CHECK_TEXT(text_of("f"), expected);
}

TEST(a_lock_inside_a_lock_is_passed_on_again)
{
    if (is_role("deeper")) {
        CHECK_INT(save("f", "from the depth"), 0);
        CHECK(exists(".untorn/inner/f.2"));
        return;
    }
    if (is_role("inside")) {
        struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
        pass_on(lock);
        CHECK(strchr(value, ','));
        finish_child(start_role("a_lock_inside_a_lock_is_passed_on_again", "deeper"));
        untorn_unlock(lock);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    finish_child(start_role("a_lock_inside_a_lock_is_passed_on_again", "inside"));
    untorn_unlock(lock);
    CHECK_TEXT(text_of("f"), "from the depth");
}

TEST(inside_a_shared_lock_writing_is_a_deadlock)
{
    if (is_role("writer")) {
        CHECK_INT(save("f", "x"), -UNTORN_DEADLOCK);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_SHARED);
    pass_on(lock);
    finish_child(start_role("inside_a_shared_lock_writing_is_a_deadlock", "writer"));
    untorn_unlock(lock);
}

/* Waits until the file "stop" is there. */
static void wait_for_stop(void)
{
    for (int i = 0; i < 10000 && !exists("stop"); i++)
        usleep(1000);
    CHECK(exists("stop"));
}

static void lock_and_die(struct partner_context *partner)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    start_role("a_lock_ends_with_its_last_holder", "survivor");
    partner_ready(partner);
    raise(SIGKILL);
}

/* [LOCK-4] */
TEST(a_lock_ends_with_its_last_holder)
{
    if (is_role("survivor")) {
        wait_for_stop();
        CHECK_INT(save("f", "survivor"), 0);
        return;
    }
    struct untorn_holder holder;
    struct partner partner = partner_start(lock_and_die, NULL);
    CHECK_INT(write(partner.to, "e", 1), 1);
    CHECK_INT(end_of(partner.pid), -SIGKILL);
    CHECK_INT(outsider("f"), -UNTORN_LOCKED);
    CHECK_INT(untorn_who("f", NULL, &holder, &error), 0);
    CHECK(holder.held && !holder.alive);
    CHECK_INT(holder.pid, partner.pid);
    put("stop", "");
    for (int i = 0; i < 10000 && outsider("f") != 0; i++)
        usleep(1000);
    CHECK_TEXT(text_of("f"), "outsider");
}

/* [LOCK-4] */
TEST(a_lock_that_was_passed_on_is_not_ended_by_the_one_who_passed_it_on)
{
    if (is_role("survivor")) {
        wait_for_stop();
        CHECK_INT(save("f", "survivor"), 0);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    pid_t child = start_role("a_lock_that_was_passed_on_is_not_ended_by_the_one_who_passed_it_on",
                             "survivor");
    untorn_unlock(lock);
    int rc = outsider("f");
    put("stop", "");
    finish_child(child);
    CHECK_INT(rc, -UNTORN_LOCKED);
    CHECK_INT(outsider("f"), 0);
}

TEST(our_folder_may_be_removed_while_a_program_is_inside)
{
    if (is_role("inside")) {
        struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
        remove_tree(".untorn");
        CHECK_INT(save("f", "saved"), 0);
        untorn_unlock(lock);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    pass_on(lock);
    finish_child(start_role("our_folder_may_be_removed_while_a_program_is_inside", "inside"));
    untorn_unlock(lock);
    CHECK_TEXT(text_of("f"), "saved");
}

TEST(a_foreign_lock_is_passed_on_too)
{
    struct untorn_options options = at_once;
    options.lock_file = "app.lock";
    if (is_role("inside")) {
        CHECK_INT(untorn_write("f", "inside", 6, &options, &error), 0);
        return;
    }
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, &options, &lock, &error), 0);
    pass_on(lock);
    finish_child(start_role("a_foreign_lock_is_passed_on_too", "inside"));
    untorn_unlock(lock);
    CHECK_TEXT(text_of("f"), "inside");
    CHECK_TEXT(text_of("app.lock"), "");
}

TEST(only_what_is_held_and_fits_is_passed_on)
{
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock_open("f", &at_once, &lock, &error), 0);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, sizeof value), -UNTORN_INVALID);
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), 0);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, 0), -UNTORN_TOO_LARGE);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, 5), -UNTORN_TOO_LARGE);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, sizeof value), 0);
    size_t exact = strlen(value) + 1;
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, exact), 0);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, exact - 1), -UNTORN_TOO_LARGE);
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, "3:1:1:x", 1), 0);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, exact), -UNTORN_TOO_LARGE);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, 4), -UNTORN_TOO_LARGE);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, sizeof value), 0);
    CHECK(strncmp(value, "3:1:1:x,", 8) == 0);
    unsetenv(UNTORN_LOCK_VARIABLE);
    untorn_unlock(lock);
}

/* What says that all were passed on must not be read only in part. */
TEST(all_that_are_passed_on_are_seen)
{
    enum { MANY = LIMIT_INHERITED + 6 };
    static char names[MANY][16];
    static const char *paths[MANY];
    static struct untorn_lock *locks[MANY];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        paths[i] = names[i];
    }
    if (is_role("inside")) {
        for (int i = 0; i < MANY; i++)
            CHECK_INT(save(paths[i], "inside"), 0);
        return;
    }
    CHECK_INT(untorn_lock_all(paths, MANY, UNTORN_LOCK_EXCLUSIVE, NULL, locks, &error), 0);
    int rc = untorn_lock_pass_on(locks, MANY, value, sizeof value);
    CHECK(rc == 0 || rc == -UNTORN_TOO_LARGE);
    if (rc == 0)
        finish_child(start_role("all_that_are_passed_on_are_seen", "inside"));
    for (int i = 0; i < MANY; i++)
        untorn_unlock(locks[i]);
}

static void hold_and_name(const char *path, size_t *used)
{
    struct os_stat stat;
    int fd = fcntl(open(path, O_RDWR | O_CREAT, 0600), F_DUPFD, 10);
    CHECK(fd >= 10);
    CHECK_INT(os_stat(fd, NULL, &stat), 0);
    CHECK_INT(os_lock(fd, OS_LOCK_EXCLUSIVE), 0);
    CHECK(inherit_add(value, sizeof value, used, fd, &stat, OS_LOCK_EXCLUSIVE));
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
}

TEST(locks_inside_each_other_go_only_so_deep)
{
    char path[64];
    size_t used = 0;
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    untorn_unlock(lock);
    make_dir(".untorn/inner", 0700);
    hold_and_name(".untorn/lock/f", &used);
    for (int depth = 1; depth <= LIMIT_NEST; depth++) {
        CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, &at_once, &lock, &error), 0);
        untorn_unlock(lock);
        snprintf(path, sizeof path, ".untorn/inner/f.%d", depth);
        CHECK(exists(path));
        hold_and_name(path, &used);
    }
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, &at_once, &lock, &error), -UNTORN_INVALID);
    CHECK(strstr(error.detail, "64 times"));
}

/* Whether a lock inside one that was passed on is still current after that one was replaced. */
static bool is_current_after_replacing(const char *outer)
{
    struct setting setting = {.options = at_once};
    struct lock lock;
    size_t used = 0;
    if (strcmp(outer, "app.lock") == 0)
        setting.options.lock_file = outer;
    setting_open(&setting, "f");
    CHECK_INT(lock_open(&lock, &setting.place, &setting.state, &setting.options, &setting.error),
              0);
    lock_close(&lock);
    hold_and_name(outer, &used);
    CHECK_INT(lock_open(&lock, &setting.place, &setting.state, &setting.options, &setting.error),
              0);
    CHECK_INT(lock.depth, 1);
    CHECK_INT(lock_acquire(&lock, OS_LOCK_EXCLUSIVE, 0, &setting.error), 0);
    CHECK(lock_is_current(&lock));
    CHECK_INT(unlink(outer), 0);
    put(outer, "");
    bool current = lock_is_current(&lock);
    lock_close(&lock);
    setting_close(&setting);
    return current;
}

/* [LOCK-2] */
TEST(inside_a_lock_that_was_replaced_nobody_is_safe)
{
    CHECK(!is_current_after_replacing(".untorn/lock/f"));
}

/* [LOCK-2] */
TEST(inside_a_foreign_lock_that_was_replaced_nobody_is_safe)
{
    CHECK(!is_current_after_replacing("app.lock"));
}

TEST(an_inner_lock_that_cannot_be_had_is_told)
{
    size_t used = 0;
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    untorn_unlock(lock);
    hold_and_name(".untorn/lock/f", &used);
    fail(CALL_MKDIR, "/inner", 1, ENOSPC);
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, &at_once, &lock, &error), -UNTORN_NO_SPACE);
}

TEST(a_lock_that_cannot_be_passed_on_is_told)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    fail(CALL_FCNTL, "/lock/f", 1, EBADF);
    CHECK_INT(untorn_lock_pass_on(&lock, 1, value, sizeof value), -UNTORN_FAILED);
    untorn_unlock(lock);
}

TEST(garbage_that_was_inherited_does_not_hide_what_is_added)
{
    if (is_role("inside")) {
        CHECK_INT(save("f", "inside"), 0);
        return;
    }
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, "garbage", 1), 0);
    pass_on(lock);
    finish_child(start_role("garbage_that_was_inherited_does_not_hide_what_is_added", "inside"));
    untorn_unlock(lock);
}
