/* lock_inside FILE: locks of one process, from the inside: nested, between threads, across fork.
 * Ends with 0 if all is as untorn/lock.h says, else says what is not. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <untorn.h>

enum { FORKS = 100, CHILD_SECONDS = 20 };

static const char *path;
static const struct untorn_options at_once = {.wait_ms = UNTORN_TRY_ONCE};

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("lock_inside.c:%d: not so: %s\n", __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int try_lock(void)
{
    struct untorn_lock *lock = NULL;
    int rc = untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, &at_once, &lock, NULL);
    untorn_unlock(lock);
    return rc;
}

static void *try_in_thread(void *ret)
{
    *(int *)ret = try_lock();
    return NULL;
}

static int thread_tries(void)
{
    pthread_t thread;
    int rc = 1;
    MUST(pthread_create(&thread, NULL, try_in_thread, &rc) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    return rc;
}

/* In a child: 0 if it got the lock, 1 if somebody holds it, 2 otherwise. */
static int child_tries(void)
{
    fflush(NULL);
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0) {
        alarm(CHILD_SECONDS);
        int rc = try_lock();
        _exit(rc == 0 ? 0 : rc == -UNTORN_LOCKED ? 1 : 2);
    }
    int status;
    MUST(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

/* Writes the file itself the first time, and so is called again with that version. */
static int write_inside(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    int *calls = context;
    if (++*calls == 1)
        MUST(untorn_write(path, "inner", 5, &at_once, NULL) == 0);
    else
        MUST(old != NULL && old->size == 5 && memcmp(old->data, "inner", 5) == 0);
    return untorn_change_set(change, "outer", 5);
}

static void nests(void)
{
    struct untorn_lock *outer = NULL, *inner = NULL;
    MUST(untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, NULL, &outer, NULL) == 0);
    MUST(untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, &at_once, &inner, NULL) == 0);
    MUST(untorn_write(path, "nested", 6, &at_once, NULL) == 0);
    untorn_unlock(inner);
    MUST(thread_tries() == -UNTORN_LOCKED);
    MUST(child_tries() == 1);
    untorn_unlock(outer);
    MUST(thread_tries() == 0);
    MUST(child_tries() == 0);
    int calls = 0;
    MUST(untorn_update(path, write_inside, &calls, NULL, NULL) == 0);
    MUST(calls == 2);
    struct untorn_content content;
    MUST(untorn_read(path, NULL, &content, NULL) == 0);
    MUST(content.size == 5 && memcmp(content.data, "outer", 5) == 0);
    untorn_content_free(&content);
}

/* The child closes what it inherited; the parent's lock must not notice. */
static void survives_forks(void)
{
    struct untorn_lock *lock = NULL;
    MUST(untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL) == 0);
    for (int i = 0; i < 5; i++)
        MUST(child_tries() == 1);
    MUST(thread_tries() == -UNTORN_LOCKED);
    untorn_unlock(lock);
    MUST(child_tries() == 0);
}

static void child_does_not_hold(void)
{
    struct untorn_lock *lock = NULL;
    MUST(untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL) == 0);
    fflush(NULL);
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0) {
        alarm(CHILD_SECONDS);
        untorn_unlock(lock); /* of the parent: must not free the parent's lock */
        _exit(try_lock() == -UNTORN_LOCKED ? 0 : 1);
    }
    int status;
    MUST(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    MUST(child_tries() == 1);
    untorn_unlock(lock);
    MUST(child_tries() == 0);
}

static atomic_bool over;

static void *keep_locking(void *unused)
{
    while (!atomic_load(&over)) {
        struct untorn_lock *lock = NULL;
        int rc = untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL);
        MUST(rc == 0 || rc == -UNTORN_LOCKED);
        untorn_unlock(lock);
    }
    return unused;
}

/* A fork at a moment when another thread is anywhere inside the library: the child can go on. */
static void forks_beside_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        MUST(pthread_create(&threads[i], NULL, keep_locking, NULL) == 0);
    for (int i = 0; i < FORKS; i++)
        MUST(child_tries() <= 1);
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        MUST(pthread_join(threads[i], NULL) == 0);
    MUST(child_tries() == 0);
}

static void shared_is_no_licence(void)
{
    struct untorn_lock *lock = NULL;
    MUST(untorn_lock(path, UNTORN_LOCK_SHARED, NULL, &lock, NULL) == 0);
    MUST(untorn_write(path, "x", 1, &at_once, NULL) == -UNTORN_DEADLOCK);
    untorn_unlock(lock);
    MUST(untorn_write(path, "x", 1, &at_once, NULL) == 0);
}

int main(int count, char **values)
{
    if (count != 2)
        return 125;
    path = values[1];
    nests();
    survives_forks();
    child_does_not_hold();
    forks_beside_threads();
    shared_is_no_licence();
    return 0;
}
