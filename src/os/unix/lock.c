/* The kernel's lock, and the mutex around the library's one global. */
#include "os/unix/unix.h"

#include <pthread.h>
#include <sys/file.h>

int os_lock(os_fd fd, enum os_lock lock)
{
    static const int operations[] = {
        [OS_UNLOCK] = LOCK_UN,
        [OS_LOCK_SHARED] = LOCK_SH | LOCK_NB,
        [OS_LOCK_EXCLUSIVE] = LOCK_EX | LOCK_NB,
    };
    return unix_result(flock((int)fd, operations[lock]));
}

bool os_lock_is_inherited(void)
{
    return true;
}

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t guard_once = PTHREAD_ONCE_INIT;
static void (*child_after_fork)(void);

static void before_fork(void)
{
    pthread_mutex_lock(&guard);
}

static void parent_after_fork(void)
{
    pthread_mutex_unlock(&guard);
}

static void child_of_fork(void)
{
    pthread_mutex_unlock(&guard); /* the child's one thread is the one that took it */
    if (child_after_fork)         /* else the fork came before the first use */
        child_after_fork();
}

static void register_fork_hooks(void)
{
    pthread_atfork(before_fork, parent_after_fork, child_of_fork);
}

void os_guard_enter(const struct os_global *global)
{
    pthread_once(&guard_once, register_fork_hooks);
    pthread_mutex_lock(&guard);
    child_after_fork = global->after_fork; /* the same from every caller */
}

void os_guard_leave(void)
{
    pthread_mutex_unlock(&guard);
}
