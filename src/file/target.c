#include "file/target.h"

#include <errno.h>

#include "base/pathtext.h"
#include "file/inplace.h"
#include "file/io.h"
#include "file/sweep.h"
#include "file/upward.h"

static int open_all(struct target *target, struct untorn_error *error)
{
    int rc = place_resolve(target->path, target->options, &target->place, error);
    if (rc == 0)
        rc = state_open(&target->place, target->options, STATE_CREATE, &target->state, error);
    if (rc == 0)
        rc = lock_open(&target->lock, &target->place, &target->state, target->options, error);
    return rc;
}

static void close_all(struct target *target)
{
    os_close(target->hold);
    target->hold = OS_NONE;
    lock_close(&target->lock);
    state_close(&target->state);
    place_close(&target->place);
}

int target_reopen(struct target *target, struct untorn_error *error)
{
    int rc = AGAIN;
    while (rc == AGAIN) {
        close_all(target);
        if (++target->restarts > LIMIT_RESTARTS)
            return error_fail(error, UNTORN_RESTLESS, NULL);
        rc = open_all(target, error);
    }
    if (rc != 0)
        close_all(target);
    return rc;
}

static void begin(struct target *target, const char *path, const struct untorn_options *options)
{
    *target = (struct target){
        .path = path,
        .options = options,
        .place = PLACE_CLOSED,
        .state = STATE_CLOSED,
        .lock = LOCK_CLOSED,
        .hold = OS_NONE,
        .deadline = lock_deadline(options),
        .restarts = -1,
    };
}

int target_open(struct target *target, const char *path, const struct untorn_options *options,
                struct untorn_error *error)
{
    begin(target, path, options);
    return target_reopen(target, error);
}

int target_open_in(struct target *target, const struct place *directory, const struct state *state,
                   const char *name, const struct untorn_options *options,
                   struct untorn_error *error)
{
    struct place found = *directory;
    path_add(found.name, name);
    int rc = os_stat(found.dir, name, &found.target);
    found.exists = rc == 0;
    begin(target, name, options);
    if (rc < 0 && rc != -ENOENT)
        return error_os(error, rc, "look at it");
    return target_open_found(target, &found, state, options, error);
}

int target_open_found(struct target *target, const struct place *found, const struct state *state,
                      const struct untorn_options *options, struct untorn_error *error)
{
    struct place *place = &target->place;
    begin(target, place->name, options);
    target->restarts = 0;
    *place = *found;
    place->borrowed = true;
    state_borrow(state, &target->state);
    int rc = lock_open(&target->lock, place, &target->state, options, error);
    state_rest(&target->state);
    if (rc != 0)
        close_all(target);
    return rc;
}

/* Opens what has the name, for reading or, where that is denied, just to hold it. */
static int open_hold(struct target *target)
{
    os_fd dir = target->place.dir;
    const char *name = target->place.name;
    int rc = io_open(dir, name, OS_READ, 0, &target->hold);
    target->readable = rc == 0;
    if (rc == -EACCES || rc == -ELOOP || rc == -EPERM || rc == -ENXIO) /* that is a socket */
        rc = io_open(dir, name, OS_HOLD, 0, &target->hold);
    return rc;
}

/* The file under its name, held open. AGAIN where the name became a link. That the name still is
 * this file is looked at again before it changes. [LOCK-2] */
int target_look(struct target *target, struct untorn_error *error)
{
    os_close(target->hold);
    target->hold = OS_NONE;
    target->hash_known = false;
    int rc = open_hold(target);
    target->exists = rc == 0;
    if (rc == -ENOENT)
        return 0;
    if (rc == 0)
        rc = os_stat(target->hold, NULL, &target->stat);
    if (rc < 0)
        return place_fail(&target->place, rc, "open it", error);
    if (target->stat.kind == OS_SYMLINK && target->options->symlink != UNTORN_REPLACE_LINK)
        return AGAIN;
    bool fits = target->stat.kind == OS_REGULAR || target->stat.kind == OS_SYMLINK;
    if (!fits && !target->recovering) { /* then it is no version of the file [FINISH-1] */
        error_detail(error, "%s", place_kind_text(target->stat.kind));
        return error_fail(error, UNTORN_NOT_A_FILE, NULL);
    }
    return 0;
}

void target_sweep(struct target *target)
{
    bool left = sweep_stages(&target->state, target->place.name, target->own_stage);
    if (target->lock.litter && !left)
        lock_note_stages(&target->lock, false);
    target->lock.litter = left;
}

static bool knows_what_lies_about(const struct target *target)
{
    return target->stages_under_lock && lock_stage_number(&target->lock) != 0 &&
           !target->lock.litter && target->restarts == 0;
}

/* What others left, and is not settled, is no outcome of a call that has not begun. */
static int settle_earlier(struct target *target, bool in_place, struct untorn_error *error)
{
    int rc = in_place ? inplace_recover(&target->place, &target->state, error) : 0;
    if (rc == 0 && !target->recovering)
        rc = upward_settle(target, error);
    return rc > 0 && !target->recovering && !target->repairs ? error_unfinished(error) : rc;
}

static int settle(struct target *target, enum os_lock kind, struct untorn_error *error)
{
    int rc = settle_earlier(target, kind == OS_LOCK_EXCLUSIVE, error);
    if (rc != 0)
        return rc;
    if (!target->recovering && kind == OS_LOCK_EXCLUSIVE && !knows_what_lies_about(target))
        target_sweep(target); /* [SWEEP-1] */
    return target_look(target, error);
}

int target_acquire(struct target *target, enum os_lock kind, struct untorn_error *error)
{
    int rc = lock_acquire(&target->lock, kind, target->deadline, error);
    if (rc == 0)
        rc = settle_earlier(target, false, error);
    if (rc != 0)
        lock_release(&target->lock);
    return rc;
}

int target_lock(struct target *target, enum os_lock kind, struct untorn_error *error)
{
    target->lock.turns = target->turns;
    int rc = lock_acquire(&target->lock, kind, target->deadline, error);
    return rc == 0 ? settle(target, kind, error) : rc;
}

void target_rest(struct target *target)
{
    os_close(target->hold);
    target->hold = OS_NONE;
    state_rest(&target->state);
}

int target_wake(struct target *target)
{
    struct os_stat now;
    if (target->hold != OS_NONE)
        return 0;
    int rc = open_hold(target);
    if (rc == -ENOENT)
        return target->exists ? -ESTALE : 0;
    if (rc == 0)
        rc = os_stat(target->hold, NULL, &now);
    return rc < 0 ? rc : target->exists && os_still_same(&now, &target->stat) ? 0 : -ESTALE;
}

bool target_is_current(const struct target *target)
{
    struct os_stat now;
    int rc = os_stat(target->place.dir, target->place.name, &now);
    if (target->exists ? rc < 0 || !os_still_same(&now, &target->stat) : rc != -ENOENT)
        return false;
    if (target->was_read && target->exists && now.size != target->stat.size)
        return false;
    return lock_is_current(&target->lock);
}

void target_close(struct target *target)
{
    close_all(target);
}
