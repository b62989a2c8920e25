/* untorn/lock.h: locks that a caller holds, and who holds one. */
#include <untorn/lock.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/inherit.h"
#include "file/io.h"
#include "file/options.h"
#include "file/owner.h"
#include "file/target.h"

struct untorn_lock {
    struct owned_options given;
    struct target target;
};

static void free_lock(struct untorn_lock *lock)
{
    options_free(&lock->given);
    free(lock);
}

int untorn_lock_open(const char *path, const struct untorn_options *options,
                     struct untorn_lock **ret_lock, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_lock *lock = calloc(1, sizeof *lock);
    *ret_lock = NULL;
    if (!lock)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    int rc = options_own(&lock->given, path, options)
                 ? target_open(&lock->target, lock->given.path, &lock->given.options, error)
                 : error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (rc == 0)
        *ret_lock = lock;
    else
        free_lock(lock);
    return rc;
}

int untorn_lock_acquire(struct untorn_lock *lock, enum untorn_lock_kind kind,
                        struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, lock->given.path);
    enum os_lock how = kind == UNTORN_LOCK_SHARED ? OS_LOCK_SHARED : OS_LOCK_EXCLUSIVE;
    if (lock->target.lock.held)
        return error_fail(error, UNTORN_INVALID, "acquire a handle that is held already");
    lock->target.deadline = lock_deadline(&lock->given.options);
    lock->target.restarts = 0;
    for (;;) {
        int rc = lock->target.lock.own ? target_acquire(&lock->target, how, error)
                                       : AGAIN; /* an earlier opening anew failed */
        if (rc != AGAIN)
            return rc;
        rc = target_reopen(&lock->target, error);
        if (rc != 0)
            return rc;
    }
}

void untorn_lock_release(struct untorn_lock *lock)
{
    if (lock)
        lock_release(&lock->target.lock);
}

void untorn_unlock(struct untorn_lock *lock)
{
    if (!lock)
        return;
    target_close(&lock->target);
    free_lock(lock);
}

int untorn_lock(const char *path, enum untorn_lock_kind kind, const struct untorn_options *options,
                struct untorn_lock **ret_lock, struct untorn_error *reterr)
{
    int rc = untorn_lock_open(path, options, ret_lock, reterr);
    if (rc == 0)
        rc = untorn_lock_acquire(*ret_lock, kind, reterr);
    if (rc != 0) {
        untorn_unlock(*ret_lock);
        *ret_lock = NULL;
    }
    return rc;
}

/* ---- several ---- */

static int compare_locks(const void *left, const void *right)
{
    const struct os_stat *a = &(*(struct untorn_lock *const *)left)->target.lock.own->stat;
    const struct os_stat *b = &(*(struct untorn_lock *const *)right)->target.lock.own->stat;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode < b->inode ? -1 : a->inode > b->inode;
}

/* One global order: (device, inode) of the lock files. */
static int acquire_in_order(struct untorn_lock **locks, size_t count, enum untorn_lock_kind kind,
                            struct untorn_error *reterr)
{
    struct untorn_error local, *error = reterr ? reterr : &local;
    struct untorn_lock **order = malloc(count * sizeof *order);
    if (!order)
        return error_fail(error_begin(reterr, &local, NULL), UNTORN_NO_MEMORY, NULL);
    memcpy(order, locks, count * sizeof *order);
    qsort(order, count, sizeof *order, compare_locks);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = untorn_lock_acquire(order[i], kind, error);
    free(order);
    return rc;
}

int untorn_lock_all(const char *const *paths, size_t count, enum untorn_lock_kind kind,
                    const struct untorn_options *options, struct untorn_lock **ret_locks,
                    struct untorn_error *reterr)
{
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        ret_locks[i] = NULL;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = untorn_lock_open(paths[i], options, &ret_locks[i], reterr);
    if (rc == 0 && count > 0)
        rc = acquire_in_order(ret_locks, count, kind, reterr);
    for (size_t i = 0; rc != 0 && i < count; i++) {
        untorn_unlock(ret_locks[i]);
        ret_locks[i] = NULL;
    }
    return rc;
}

int untorn_lock_pass_on(struct untorn_lock *const *locks, size_t count, char *value, size_t size)
{
    size_t used = 0, entries = 0;
    if (!inherit_copy(value, size, &used, &entries) || count > LIMIT_INHERITED - entries)
        return -UNTORN_TOO_LARGE;
    for (size_t i = 0; i < count; i++) {
        struct lock_file *held = locks[i]->target.lock.held;
        if (!held || held->fd == OS_NONE)
            return -UNTORN_INVALID;
        if (!inherit_add(value, size, &used, held->fd, &held->stat, held->kind))
            return -UNTORN_TOO_LARGE;
        if (os_inherit(held->fd, true) < 0)
            return -UNTORN_FAILED;
        held->passed_on = true;
    }
    return 0;
}

/* ---- who ---- */

/* Locks for a moment to find out; a writer that tries at this very moment tries again. */
static int ask(os_fd file, struct untorn_holder *ret_holder)
{
    int rc = os_lock(file, OS_LOCK_SHARED);
    if (rc == -EWOULDBLOCK) {
        ret_holder->held = true;
        owner_read(file, ret_holder);
        return 0;
    }
    if (rc == 0 && os_lock(file, OS_LOCK_EXCLUSIVE) == -EWOULDBLOCK)
        ret_holder->held = ret_holder->shared = true;
    return rc;
}

static int open_lock_file(const struct place *place, struct state *state,
                          const struct untorn_options *options, struct place *elsewhere,
                          os_fd *ret_file, struct untorn_error *error)
{
    struct untorn_options follow = {0};
    char own_name[LIMIT_NAME + 1];
    os_fd folder;
    if (options->lock_file) {
        int rc = place_resolve(options->lock_file, &follow, elsewhere, error);
        if (rc != 0)
            return rc;
        rc = io_open(elsewhere->dir, elsewhere->name, OS_READ, 0, ret_file);
        return rc < 0 && rc != -ENOENT ? error_os(error, rc, "open its lock") : 0;
    }
    int rc = state_folder(state, FOLDER_LOCK, false, &folder);
    if (rc == 0) {
        path_own_name(place->name, 0, own_name);
        rc = io_open(folder, own_name, OS_READ, 0, ret_file);
    }
    return rc < 0 && rc != -ENOENT ? error_os(error, rc, "open its lock") : 0;
}

int untorn_who(const char *path, const struct untorn_options *options,
               struct untorn_holder *ret_holder, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options asking = options ? *options : (struct untorn_options){0};
    struct place place, elsewhere = PLACE_CLOSED;
    struct state state = STATE_CLOSED;
    os_fd file = OS_NONE;
    asking.parents = false;
    memset(ret_holder, 0, sizeof *ret_holder);
    int rc = place_resolve(path, &asking, &place, error);
    if (rc == 0)
        rc = state_open(&place, &asking, STATE_IF_PRESENT, &state, error);
    if (rc == 0)
        rc = open_lock_file(&place, &state, &asking, &elsewhere, &file, error);
    if (rc == 0 && file != OS_NONE) {
        int os_rc = ask(file, ret_holder);
        rc = os_rc < 0 ? error_os(error, os_rc, "look at its lock") : 0;
    }
    os_close(file);
    state_close(&state);
    place_close(&elsewhere);
    place_close(&place);
    return rc;
}
