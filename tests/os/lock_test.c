/* The kernel's lock, and the mutex that a fork passes through. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/file.h>

#include "file/support.h"
#include "os/os.h"

static os_fd open_again(const char *name)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, name, OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    return file;
}

TEST(an_exclusive_lock_keeps_every_other_opening_out)
{
    os_fd a = open_again("f"), b = open_again("f");
    CHECK_INT(os_lock(a, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_lock(a, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_lock(b, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    CHECK_INT(os_lock(b, OS_LOCK_SHARED), -EWOULDBLOCK);
    CHECK_INT(os_lock(a, OS_UNLOCK), 0);
    CHECK_INT(os_lock(b, OS_LOCK_EXCLUSIVE), 0);
    os_close(a);
    os_close(b);
}

TEST(shared_locks_go_together)
{
    os_fd a = open_again("f"), b = open_again("f"), c = open_again("f");
    CHECK_INT(os_lock(a, OS_LOCK_SHARED), 0);
    CHECK_INT(os_lock(b, OS_LOCK_SHARED), 0);
    CHECK_INT(os_lock(c, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    os_close(a);
    os_close(b);
    CHECK_INT(os_lock(c, OS_LOCK_EXCLUSIVE), 0);
    os_close(c);
}

TEST(directories_and_files_opened_for_reading_can_be_locked)
{
    os_fd a, b;
    put("f", "");
    CHECK_INT(os_open(OS_NONE, "f", OS_READ, 0, &a), 0);
    CHECK_INT(os_lock(a, OS_LOCK_EXCLUSIVE), 0);
    os_close(a);
    CHECK_INT(os_open_dir(OS_NONE, ".", false, &a), 0);
    CHECK_INT(os_open_dir(OS_NONE, ".", false, &b), 0);
    CHECK_INT(os_lock(a, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(os_lock(b, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    os_close(a);
    os_close(b);
    CHECK_INT(os_lock(a, OS_LOCK_EXCLUSIVE), -EBADF);
}

static void lock_and_die(struct partner_context *partner)
{
    os_fd file = open_again("f");
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    partner_ready(partner);
    raise(SIGKILL);
}

TEST(a_lock_ends_with_the_death_of_its_holder)
{
    struct partner partner = partner_start(lock_and_die, NULL);
    os_fd file = open_again("f");
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    CHECK_INT(write(partner.to, "e", 1), 1);
    CHECK_INT(end_of(partner.pid), -SIGKILL);
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    os_close(file);
}

static void check_taken(void *context)
{
    const os_fd *inherited = context;
    os_fd file = open_again("f");
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    CHECK_INT(os_lock(*inherited, OS_LOCK_EXCLUSIVE), 0);
    os_close(*inherited);
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    os_close(file);
}

TEST(an_inherited_handle_holds_the_same_lock)
{
    os_fd file = open_again("f");
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    in_child(check_taken, &file);
    in_child(check_taken, &file);
    os_close(file);
}

TEST(flock_of_other_programs_takes_part)
{
    int theirs = open("f", O_RDONLY | O_CREAT, 0600);
    os_fd ours = open_again("f");
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    CHECK_INT(os_lock(ours, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    CHECK_INT(flock(theirs, LOCK_UN), 0);
    CHECK_INT(os_lock(ours, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(flock(theirs, LOCK_EX | LOCK_NB), -1);
    close(theirs);
    os_close(ours);
}

static int forked;

static void note_fork(void)
{
    forked++;
}

static int counted;
static const struct os_global global = {&counted, sizeof counted, note_fork};

static void check_forked(void *context)
{
    (void)context;
    CHECK_INT(forked, 1);
    os_guard_enter(&global); /* free, although another thread of the parent may hold it */
    os_guard_leave();
}

TEST(the_child_of_a_fork_is_told_and_finds_the_guard_free)
{
    os_guard_enter(&global);
    os_guard_leave();
    in_child(check_forked, NULL);
    CHECK_INT(forked, 0);
    in_child(check_forked, NULL);
}

static void *count_in_guard(void *context)
{
    (void)context;
    for (int i = 0; i < 20000; i++) {
        os_guard_enter(&global);
        counted++;
        os_guard_leave();
    }
    return NULL;
}

/* Without the exit handlers: the other threads are gone in the middle of something. */
static void check_forked_among_threads(void *context)
{
    check_forked(context);
    _exit(0);
}

TEST(the_guard_lets_one_thread_in_at_a_time_also_across_forks)
{
    pthread_t threads[4];
    os_guard_enter(&global);
    os_guard_leave();
    for (int i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, count_in_guard, NULL), 0);
    for (int i = 0; i < 20; i++)
        in_child(check_forked_among_threads, NULL);
    for (int i = 0; i < 4; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(counted, 80000);
}
