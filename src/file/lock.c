#include "file/lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/batch.h"
#include "file/inherit.h"
#include "file/io.h"
#include "file/owner.h"

/* As far as permitted: who is kept out by a failure is told so when he tries. */
static void share(struct lock *lock, os_fd file)
{
    os_fd root;
    if (state_root(lock->state, &root) == 0)
        (void)os_share(file, root, NULL);
}

static void use_own(struct lock *lock, enum folder folder, const char *own_name)
{
    lock->foreign = false;
    lock->folder = folder;
    lock->at = lock->state->parent;
    state_path(lock->state, folder, own_name, lock->path);
}

/* What others put under the name is not written into; a foreign lock file is never written. */
static int open_existing(struct lock *lock, os_fd *ret_file, struct os_stat *ret_stat)
{
    unsigned how = OS_READ | OS_WRITE;
    if (!lock->foreign)
        return io_open_own(lock->at, lock->path, how, ret_file, ret_stat);
    int rc = io_open(lock->at, lock->path, how, 0, ret_file);
    if (rc == -EACCES || rc == -EROFS)
        rc = io_open(lock->at, lock->path, OS_READ, 0, ret_file);
    return rc < 0 ? rc : os_stat(*ret_file, NULL, ret_stat);
}

static const char *name_of(const struct lock *lock)
{
    const char *slash = strrchr(lock->path, '/');
    return slash ? slash + 1 : lock->path;
}

static int make(struct lock *lock, os_fd dir, os_fd *ret_file, struct os_stat *ret_stat)
{
    int rc = io_open(dir, name_of(lock), OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE,
                     lock->foreign ? 0666 : 0600, ret_file);
    if (rc < 0)
        return rc;
    lock->litter = true;
    if (!lock->foreign)
        share(lock, *ret_file); /* a failure is made up for in open_file */
    return os_stat(*ret_file, NULL, ret_stat);
}

/* A lock file whose maker died before he could share it has no owner record yet. Removing it is as
 * safe as removing the whole folder is. [LOCK-2] */
static void remove_unshared(struct lock *lock, os_fd dir)
{
    struct os_stat stat;
    if (!lock->foreign && os_stat(dir, name_of(lock), &stat) == 0 && stat.size == 0)
        (void)os_remove(dir, name_of(lock), false);
}

static int open_or_make(struct lock *lock, os_fd *ret_file, struct os_stat *ret_stat)
{
    int rc = -ENOENT;
    os_fd dir = lock->at;
    for (int i = 0; i < LIMIT_TRIES; i++) {
        rc = open_existing(lock, ret_file, ret_stat);
        if ((rc == -ENOENT || rc == -EACCES) && !lock->foreign) {
            int folder_rc = state_folder(lock->state, lock->folder, true, &dir);
            if (folder_rc < 0)
                return folder_rc;
        }
        if (rc == -ENOENT)
            rc = make(lock, dir, ret_file, ret_stat);
        if (rc < 0) { /* opened, but not to be looked at */
            os_close(*ret_file);
            *ret_file = OS_NONE;
        }
        if (rc != -EACCES && rc != -EEXIST)
            return rc;
        if (i == LIMIT_TRIES - 2)
            remove_unshared(lock, dir);
        else if (rc == -EACCES)
            os_sleep_ns(LIMIT_POLL_NS); /* another user is just making it */
    }
    return rc;
}

/* Lock files are usable by exactly those who may write the parent; a creator that died before it
 * could say so is made up for by the next process of its user. But a file that others only moved
 * there is not opened to them, nor written into. */
static int open_file(struct lock *lock)
{
    os_fd file = OS_NONE;
    struct os_stat stat;
    int rc = open_or_make(lock, &file, &stat);
    if (rc < 0)
        return rc;
    if (!lock->foreign && stat.mode == 0600 && (lock->state->stat.mode & 022)) {
        if (!owner_may_be(file)) {
            os_close(file);
            return -EMLINK;
        }
        share(lock, file);
    }
    lock->own = registry_add(file, &stat);
    return lock->own ? 0 : -ENOMEM;
}

/* Inside a lock that was passed on to us, calls exclude each other one level further in. */
static int open_innermost(struct lock *lock)
{
    char own_name[LIMIT_NAME + 1], inner_name[LIMIT_NAME + 1];
    enum os_lock kind;
    int rc = open_file(lock);
    for (lock->depth = 0; rc == 0 && inherit_holds(&lock->own->stat, &kind);) {
        lock->within_shared = kind == OS_LOCK_SHARED;
        if (lock->within_shared)
            return 0; /* who only reads may hold it as well */
        if (lock->depth == 0) {
            lock->outer = lock->own->stat;
            lock->outer_at = lock->at;
            strcpy(lock->outer_path, lock->path);
        }
        if (++lock->depth > LIMIT_NEST)
            return -EOVERFLOW;
        registry_drop(lock->own);
        lock->own = NULL;
        path_own_name(lock->place->name, 4, own_name);
        snprintf(inner_name, sizeof inner_name, "%.251s.%u", own_name, lock->depth);
        use_own(lock, FOLDER_INNER, inner_name);
        rc = open_file(lock);
    }
    return rc;
}

static int place_lock_file(struct lock *lock, const char *path, struct untorn_error *error)
{
    struct untorn_options follow = {0};
    int rc = place_resolve(path, &follow, &lock->elsewhere, error);
    if (rc != 0)
        return rc;
    lock->foreign = true;
    lock->at = lock->elsewhere.dir;
    strcpy(lock->path, lock->elsewhere.name);
    return 0;
}

static int fail_open(struct lock *lock, int rc, struct untorn_error *error)
{
    if (rc == -ENOENT)
        return AGAIN;
    if (rc == -EOVERFLOW) {
        error_detail(error, "locked %d times inside itself", LIMIT_NEST);
        return error_fail(error, UNTORN_INVALID, NULL);
    }
    if (!lock->foreign && (rc == -EACCES || rc == -EPERM || rc == -EROFS)) {
        error_fail(error, UNTORN_NO_STATE, NULL);
        error->os_error = -rc;
        return -UNTORN_NO_STATE;
    }
    return error_os(error, rc, "open its lock");
}

int lock_open(struct lock *lock, const struct place *place, struct state *state,
              const struct untorn_options *options, struct untorn_error *error)
{
    char filesystem[32], own_name[LIMIT_NAME + 1];
    *lock = (struct lock)LOCK_CLOSED;
    lock->place = place;
    lock->state = state;
    if (registry_is_network(place->dir, &place->dir_stat, filesystem)) {
        lock->flags |= UNTORN_FLAG_NETWORK;
        error->flags |= lock->flags;
        if (options->strict) {
            error_detail(error, "locks on %s may hold only on this host", filesystem);
            return error_fail(error, UNTORN_UNSUPPORTED, NULL);
        }
    }
    int rc = 0;
    os_fd folder;
    if (options->lock_file) {
        rc = place_lock_file(lock, options->lock_file, error);
        if (rc != 0)
            return rc;
    } else {
        path_own_name(place->name, 0, own_name);
        use_own(lock, FOLDER_LOCK, own_name);
        if (state->reshared) /* the folder itself too must be opened to be shared anew */
            rc = state_folder(state, FOLDER_LOCK, true, &folder);
    }
    if (rc == 0)
        rc = open_innermost(lock);
    if (rc < 0) {
        rc = fail_open(lock, rc, error);
        lock_close(lock);
    }
    return rc;
}

uint64_t lock_deadline(const struct untorn_options *options)
{
    if (options->wait_ms < 0)
        return os_clock_ns() + LIMIT_ONCE_NS;
    uint64_t wait_ms = (uint64_t)(options->wait_ms ? options->wait_ms : UNTORN_WAIT_DEFAULT_MS);
    return os_clock_ns() + wait_ms * 1000000u;
}

bool lock_is_current(const struct lock *lock)
{
    struct os_stat now;
    if (!lock->held || os_stat(lock->at, lock->path, &now) < 0 ||
        !os_same_file(&now, &lock->held->stat))
        return false;
    return lock->depth == 0 || (os_stat(lock->outer_at, lock->outer_path, &now) == 0 &&
                                os_same_file(&now, &lock->outer));
}

static void announce(const struct lock *lock)
{
    if (!lock->foreign && !lock->silent)
        owner_announce_waiting(lock->own->fd);
}

/* As its new holder. */
static int take_over(struct lock *lock)
{
    struct owner_hints hints;
    owner_write(lock->own->fd, &hints);
    lock->litter |= hints.stages;
    lock->area = hints.area;
    if (!hints.batch || lock->depth > 0)
        return 0;
    return batch_decide(lock->own->fd, lock->place->dir, lock->place->name); /* [LOCK-5] */
}

/* 0, -EWOULDBLOCK, AGAIN, -EDEADLK or another errno value. */
static int try_once(struct lock *lock, enum os_lock kind)
{
    if (lock->own->fd == OS_NONE)
        return AGAIN; /* we are the child of a fork */
    switch (registry_claim(lock->own, kind, &lock->held)) {
    case CLAIM_NESTED:
        lock->litter = lock->nested = true;
        return 0;
    case CLAIM_TAKEN:
        announce(lock);
        return -EWOULDBLOCK;
    case CLAIM_DEADLOCK:
        return -EDEADLK;
    case CLAIM_TRY:
        break;
    }
    if (registry_take_waiters(&lock->own->stat))
        os_sleep_ns(LIMIT_YIELD_NS);
    int rc = os_lock(lock->own->fd, kind);
    if (rc == 0 && !lock_is_current(lock)) /* [LOCK-1] */
        rc = AGAIN;
    if (rc == 0 && kind == OS_LOCK_EXCLUSIVE && !lock->foreign)
        rc = take_over(lock);
    if (rc == 0)
        return 0;
    if (rc == -EWOULDBLOCK) {
        registry_disclaim(lock->held);
        announce(lock);
    } else {
        registry_release(lock->held);
    }
    lock->held = NULL;
    return rc;
}

static int fail_taken(struct lock *lock, struct untorn_error *error)
{
    struct untorn_holder holder = {0};
    char text[UNTORN_DETAIL_SIZE];
    if (lock->foreign)
        snprintf(text, sizeof text, "held by another program");
    else if (os_lock(lock->own->fd, OS_LOCK_SHARED) == 0) {
        (void)os_lock(lock->own->fd, OS_UNLOCK); /* it was only to see whether that is allowed */
        snprintf(text, sizeof text, "held by readers");
    } else {
        owner_read(lock->own->fd, &holder);
        owner_describe(&holder, text, sizeof text);
    }
    error_detail(error, "%s", text);
    return error_fail(error, UNTORN_LOCKED, NULL);
}

static int wait_turn(struct lock *lock, bool tried)
{
    if (lock->turns)
        return lock->turns->turn(lock->turns->context, lock, tried);
    if (tried)
        os_sleep_ns(LIMIT_POLL_NS);
    return 0;
}

/* 0: the time is over. */
static int give_up(struct lock *lock, uint64_t *deadline)
{
    int rc = lock->turns ? lock->turns->give_up(lock->turns->context, lock) : 0;
    if (rc == LOCK_WAIT_ON)
        *deadline = os_clock_ns() + LIMIT_TAKEN_NS;
    return rc;
}

int lock_acquire(struct lock *lock, enum os_lock kind, uint64_t deadline,
                 struct untorn_error *error)
{
    error->flags |= lock->flags;
    if (lock->within_shared && kind == OS_LOCK_EXCLUSIVE)
        return error_fail(error, UNTORN_DEADLOCK, NULL);
    for (bool tried = false;; tried = true) {
        int rc = wait_turn(lock, tried);
        if (rc != 0)
            return rc;
        rc = try_once(lock, kind);
        if (rc == 0 || rc == AGAIN)
            return rc;
        if (rc == -EDEADLK)
            return error_fail(error, UNTORN_DEADLOCK, NULL);
        if (rc != -EWOULDBLOCK && rc != -EINTR)
            return error_os(error, rc, "lock it");
        if (os_clock_ns() < deadline) /* [LOCK-3] */
            continue;
        rc = give_up(lock, &deadline);
        if (rc != LOCK_WAIT_ON)
            return rc == 0 ? fail_taken(lock, error) : rc;
    }
}

void lock_release(struct lock *lock)
{
    struct lock_file *held = lock->held;
    if (!held)
        return;
    lock->held = NULL;
    if (held->count == 1 && held->kind == OS_LOCK_EXCLUSIVE && !lock->foreign &&
        held->fd != OS_NONE && owner_take_waiting(held->fd))
        registry_note_waiters(&held->stat);
    registry_release(held);
}

uint64_t lock_stage_number(const struct lock *lock)
{
    bool alone = !lock->foreign && lock->depth == 0 && !(lock->flags & UNTORN_FLAG_NETWORK);
    return alone && lock->held ? lock->held->stat.inode : 0;
}

void lock_note_stages(struct lock *lock, bool some)
{
    os_fd outer;
    if (!lock->foreign && lock->own->fd != OS_NONE)
        owner_note_stages(lock->own->fd, some);
    if (lock->depth == 0 || lock->elsewhere.dir != OS_NONE || !some ||
        io_open_own(lock->outer_at, lock->outer_path, OS_READ | OS_WRITE, &outer, NULL) < 0)
        return;
    owner_note_stages(outer, true); /* who comes after us holds only the outermost lock */
    os_close(outer);
}

void lock_note_appended(const struct lock *lock, bool flushed)
{
    if (!lock->foreign && lock->own->fd != OS_NONE)
        owner_note_appended(lock->own->fd, flushed);
}

bool lock_appended_is_flushed(const struct lock *lock)
{
    return !lock->foreign && lock->own->fd != OS_NONE && owner_appended_is_flushed(lock->own->fd);
}

void lock_close(struct lock *lock)
{
    lock_release(lock);
    registry_drop(lock->own);
    lock->own = NULL;
    place_close(&lock->elsewhere);
    lock->at = OS_NONE;
}

void lock_directory(os_fd dir)
{
    uint64_t give_up = os_clock_ns() + LIMIT_DIRECTORY_LOCK_NS;
    while (os_lock(dir, OS_LOCK_EXCLUSIVE) == -EWOULDBLOCK && os_clock_ns() < give_up)
        os_sleep_ns(LIMIT_POLL_NS / 10);
}
