#include "combine/combine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "combine/area.h"
#include "combine/edits.h"
#include "file/batch.h"
#include "file/inherit.h"
#include "file/replace.h"

/* Besides those of lock.h, replace.h and combine.h, and below every status that is not settled. */
enum { ANSWERED = 20, NOT_KNOWN };
enum { LOUD = 20 }; /* tries after which the holder is asked to step back */

struct combining {
    struct update update;
    struct untorn_options options;
    struct edits edits;
    struct untorn_error own_answer;
    char text[AREA_TEXT];       /* the request, to be published */
    size_t size;                /* 0: it is not to be, or no longer */
    struct shared_area *shared; /* or NULL */
    int slot;                   /* or -1 */
    bool leads;                 /* we were to try for the lock when we last looked */
    bool late;                  /* nobody came for a while */
    bool calls;                 /* others wait for us to call one of them */
    bool overdue;               /* the time is over, and yet our update is taken */
    int tries;
    struct batch batch;
    bool wakes[AREA_SLOTS]; /* slots to be woken when the lock is released */
};

static struct area *area(const struct combining *combining)
{
    return area_of(combining->shared);
}

/* ---- waiting ---- */

static bool is_usual(const struct lock *lock)
{
    return lock->depth == 0 && !lock->flags;
}

static bool fits(const struct combining *combining, const struct lock *lock)
{
    return combining->size > 0 && is_usual(lock);
}

static bool publish(struct combining *combining)
{
    combining->slot = area_publish(area(combining), combining->text, combining->size);
    combining->leads = combining->late = false;
    combining->tries = 0;
    return combining->slot >= 0;
}

/* Where nobody waits yet. */
static bool begin_queue(struct combining *combining, const struct lock *lock)
{
    if (!combining->shared)
        combining->shared = area_open(lock, true);
    return combining->shared && publish(combining);
}

/* Where others wait already, in memory that we know, the lock is not for us to snatch. */
static bool join_queue(struct combining *combining, const struct lock *lock)
{
    struct shared_area *known = registry_area(&lock->own->stat);
    bool busy = known && area_is_busy(area_of(known));
    registry_drop_area(known);
    if (!busy || registry_is_inside(&lock->own->stat))
        return false;
    if (!combining->shared)
        combining->shared = area_open(lock, false);
    return combining->shared && area_is_busy(area(combining)) && publish(combining);
}

/* Until it is time to try for the lock: 0. Or ANSWERED, or our update was given back: 0, too. */
static int wait_in_slot(struct combining *combining)
{
    struct area *shared = area(combining);
    for (;;) {
        enum area_state state = area_state(shared, combining->slot);
        bool called = state == AREA_CALLED && area_hear(shared, combining->slot);
        bool may_lead = state == AREA_PUBLISHED || (state == AREA_TAKEN && combining->late);
        bool leads = called || (may_lead && area_leads(shared, combining->slot));
        if (called || (leads && !combining->leads)) {
            combining->leads = true;
            break; /* at once */
        }
        combining->leads = leads;
        area_wait(shared, combining->slot, leads ? LIMIT_POLL_NS : LIMIT_UNCALLED_NS);
        enum area_state now = area_state(shared, combining->slot);
        if (now == AREA_DONE)
            return ANSWERED;
        if (now == AREA_RETURNED) { /* [COMBINE-4] */
            area_drop(shared, combining->slot);
            combining->slot = -1;
            combining->size = 0;
            return 0;
        }
        combining->late |= now == state; /* whoever took it may be dead */
        if (leads || now == state)
            break;
    }
    if (combining->leads && area_takes_yield(shared))
        os_sleep_ns(LIMIT_YIELD_NS);
    return 0;
}

static int await_turn(void *context, struct lock *lock, bool tried)
{
    struct combining *combining = context;
    bool waits = combining->slot >= 0;
    if (!waits && fits(combining, lock))
        waits = tried ? begin_queue(combining, lock) : join_queue(combining, lock);
    else if (waits && !tried)
        return 0; /* it has waited before it opened anything */
    if (waits) {
        lock->silent = ++combining->tries < LOUD; /* to be served is better than to be let in */
        return wait_in_slot(combining);
    }
    lock->silent = !tried && fits(combining, lock);
    if (tried)
        os_sleep_ns(LIMIT_POLL_NS);
    return 0;
}

/* True: nothing of ours is there any more. False: it is taken, or answered. */
static bool withdraw(struct combining *combining)
{
    if (combining->slot < 0)
        return true;
    if (!area_withdraw(area(combining), combining->slot))
        return false;
    area_stop_leading(area(combining), combining->slot);
    area_call_next(area(combining), false); /* we may have been called */
    combining->slot = -1;
    return true;
}

/* Of what could not be withdrawn: ANSWERED, NOT_KNOWN, 0 if it was given back, or LOCK_WAIT_ON. */
static int look_for_answer(struct combining *combining, bool last)
{
    switch (area_state(area(combining), combining->slot)) {
    case AREA_DONE:
        return ANSWERED;
    case AREA_RETURNED:
        area_drop(area(combining), combining->slot);
        combining->slot = -1;
        return 0;
    default:
        if (!last || !area_abandon(area(combining), combining->slot))
            return LOCK_WAIT_ON;
        combining->slot = -1;
        return NOT_KNOWN;
    }
}

/* [COMBINE-5] */
static int stop_waiting(void *context, struct lock *lock)
{
    struct combining *combining = context;
    (void)lock;
    if (withdraw(combining))
        return 0;
    int rc = look_for_answer(combining, combining->overdue);
    combining->overdue = true;
    return rc;
}

/* The lock, or what we did under it, failed, or has to begin anew: our update is not to stay where
 * it is. 0 if it does not. [COMBINE-5] */
static int leave_slot(struct combining *combining)
{
    uint64_t give_up = os_clock_ns() + LIMIT_TAKEN_NS;
    while (!withdraw(combining)) {
        int rc = look_for_answer(combining, os_clock_ns() >= give_up);
        if (rc != LOCK_WAIT_ON)
            return rc;
        area_wait(area(combining), combining->slot, LIMIT_UNCALLED_NS);
    }
    return 0;
}

/* ---- holding the lock ---- */

static void answer_not_known(struct untorn_error *ret_answer)
{
    error_begin(ret_answer, NULL, NULL);
    (void)error_unsettled(ret_answer, UNTORN_UNSETTLED_COMBINED, 0, NULL);
}

/* Step 1: what somebody took who is dead, for we have his lock. */
static void settle_dead(struct combining *combining)
{
    const struct target *target = &combining->update.target;
    struct untorn_error answer;
    int flushed = 1, used = area_used(area(combining));
    for (int slot = 0; slot < used; slot++) {
        int64_t number = area_batch(area(combining), slot);
        if (number < 0)
            continue;
        enum batch_verdict verdict = batch_verdict(target->lock.own->fd, (uint32_t)number);
        if (verdict == BATCH_DONE && flushed > 0) {
            flushed = os_flush_dir(target->place.dir); /* [COMBINE-2] */
            flushed = flushed == -EINVAL ? 0 : flushed;
        }
        if (verdict == BATCH_DONE && flushed < 0) {
            error_begin(&answer, NULL, NULL);
            (void)error_unsettled(&answer, UNTORN_UNSETTLED_FLUSH, flushed, NULL);
            area_prepare(area(combining), slot, &answer);
        } else if (verdict != BATCH_DONE && verdict != BATCH_NOT_DONE) {
            answer_not_known(&answer);
            area_prepare(area(combining), slot, &answer);
        }
        area_release(area(combining), slot, verdict == BATCH_NOT_DONE ? AREA_RETURNED : AREA_DONE);
        combining->wakes[slot] = true;
    }
}

static bool is_like_ours(const struct combining *combining, const struct request *request)
{
    return request->format == combining->edits.own->format &&
           request->keep == combining->edits.own->keep;
}

/* Step 2. */
static bool prepare_for_guests(struct combining *combining)
{
    struct edits *edits = &combining->edits;
    if (!edits->guests)
        edits->guests = calloc(AREA_SLOTS, sizeof *edits->guests);
    return edits->guests &&
           batch_begin(&combining->batch, combining->update.target.lock.own->fd) == 0;
}

/* Step 3. What is of another kind than ours is left to its owner. */
static void take_guests(struct combining *combining)
{
    char text[AREA_TEXT];
    struct edits *edits = &combining->edits;
    int used = area_used(area(combining));
    for (int slot = 0; slot < used; slot++) {
        if (!area_waits(area(combining), slot))
            continue;
        if (combining->batch.number == 0 && !prepare_for_guests(combining))
            return; /* they wait on */
        if (!area_take(area(combining), slot, combining->batch.number))
            continue;
        struct guest *guest = &edits->guests[edits->count];
        guest->slot = slot;
        size_t size = area_text(area(combining), slot, text);
        if (request_read(&guest->request, text, size) == 0 &&
            is_like_ours(combining, &guest->request)) {
            if (guest->request.level < combining->options.level)
                combining->options.level = guest->request.level;
            edits->count++;
            continue;
        }
        request_free(&guest->request);
        area_release(area(combining), slot, AREA_RETURNED);
        combining->wakes[slot] = true;
    }
}

/* [AREA-3] */
static void put_answer(void *context, const struct guest *guest)
{
    area_prepare(area(context), guest->slot, &guest->answer);
}

/* What came of the batch as a whole, for those whose edits are in it. Before "done" is noted: who
 * finds that noted after our death says what is here, and its own flush, after one that failed,
 * would tell it nothing. [COMBINE-2] */
static void add_result(struct combining *combining, int rc, const struct untorn_error *error)
{
    for (size_t i = 0; i < combining->edits.count; i++) {
        const struct guest *guest = &combining->edits.guests[i];
        if (rc > 0 && guest->answer.status == 0)
            area_prepare(area(combining), guest->slot, error);
        else if (guest->answer.status == 0)
            area_add_flags(area(combining), guest->slot, error->flags);
    }
}

/* Steps 6 and 7. */
static void end_batch(struct combining *combining, int rc, const struct untorn_error *error)
{
    struct edits *edits = &combining->edits;
    bool made = rc == 0 || rc >= UNTORN_UNSETTLED_FLUSH;
    enum area_state state = made ? AREA_DONE : rc == AGAIN ? AREA_PUBLISHED : AREA_RETURNED;
    if (made)
        add_result(combining, rc, error);
    (void)batch_end(&combining->batch, made ? BATCH_DONE : BATCH_NOT_DONE);
    for (size_t i = 0; i < edits->count; i++) {
        struct guest *guest = &edits->guests[i];
        area_release(area(combining), guest->slot, state);
        combining->wakes[guest->slot] = true;
        request_free(&guest->request);
    }
    edits->count = 0;
    combining->update.target.batch = NULL;
    combining->options.level = edits->own->level;
}

/* We hold the lock, and make our own update ourselves: true if it was made already. */
static bool take_back(struct combining *combining)
{
    int slot = combining->slot;
    if (slot < 0)
        return false;
    enum area_state state = area_state(area(combining), slot);
    if (state == AREA_DONE)
        return true;
    if (!area_withdraw(area(combining), slot))
        area_drop(area(combining), slot); /* it was given back */
    combining->slot = -1;
    return false;
}

/* Whether our own update is answered already. */
static bool use_area(struct combining *combining)
{
    combining->calls = true;
    settle_dead(combining);
    if (take_back(combining))
        return true;
    area_retire_if_replaced(combining->shared, combining->update.target.lock.own->fd);
    area_gather(area(combining));
    take_guests(combining);
    area_unlead(area(combining));
    return false;
}

static int serve(struct combining *combining, struct untorn_error *error)
{
    struct lock *lock = &combining->update.target.lock;
    if (lock->nested) /* [COMBINE-7] */
        return update_once(&combining->update, error);
    if (!combining->shared && lock->area && fits(combining, lock))
        combining->shared = area_open(lock, false);
    if (combining->shared && use_area(combining))
        return ANSWERED;
    if (combining->edits.count > 0)
        combining->update.target.batch = &combining->batch;
    size_t size = 1 + combining->edits.count;
    uint64_t begin = combining->shared ? os_clock_ns() : 0;
    int rc = update_once(&combining->update, error);
    if (combining->batch.number > 0)
        end_batch(combining, rc, error);
    if (combining->shared)
        area_note_batch(area(combining), size, os_clock_ns() - begin);
    return rc == REPLACE_ALONE ? update_once(&combining->update, error) : rc; /* without guests */
}

/* ---- the call ---- */

/* Step 8. The area is given back. */
static void leave_area(struct combining *combining)
{
    if (!combining->shared)
        return;
    if (combining->calls || combining->leads)
        area_call_next(area(combining), registry_take_waiters(&combining->shared->lock));
    combining->calls = combining->leads = false;
    for (int slot = 0; slot < AREA_SLOTS; slot++)
        if (combining->wakes[slot])
            area_wake(area(combining), slot);
    memset(combining->wakes, 0, sizeof combining->wakes);
    registry_drop_area(combining->shared);
    combining->shared = NULL;
}

/* Where this process has been before and others wait, it need not open anything. As
 * wait_in_slot. */
static int ride(struct combining *combining, const char *path)
{
    enum os_lock kind;
    combining->shared = area_find(path, &combining->options);
    const struct os_stat *lock = combining->shared ? &combining->shared->lock : NULL;
    if (lock && area_is_busy(area(combining)) && !registry_is_inside(lock) &&
        !inherit_holds(lock, &kind) && publish(combining))
        return wait_in_slot(combining);
    leave_area(combining);
    return 0;
}

/* What we opened now may not be what we have waited at. [AREA-6] */
static int check_queue(struct combining *combining)
{
    const struct lock *lock = &combining->update.target.lock;
    if (!combining->shared ||
        (is_usual(lock) && os_still_same(&lock->own->stat, &combining->shared->lock)))
        return 0;
    int rc = combining->slot >= 0 ? leave_slot(combining) : 0;
    if (rc == 0)
        leave_area(combining);
    return rc;
}

/* Steps 1 to 7. */
static int work(struct combining *combining, struct untorn_error *error)
{
    struct target *target = &combining->update.target;
    int rc;
    do {
        rc = target_lock(target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = serve(combining, error);
        if (rc != AGAIN)
            return rc;
        lock_release(&target->lock);
        rc = leave_slot(combining);
        if (rc != 0)
            return rc;
        leave_area(combining); /* the lock may be another now */
        rc = target_reopen(target, error);
    } while (rc == 0);
    return rc;
}

/* The answer to our own edits, in the caller's error, which knows path and flags. */
static int own_result(const struct combining *combining, struct untorn_error *error)
{
    const struct untorn_error *answer = &combining->own_answer;
    if (answer->status == 0) {
        error->flags |= answer->flags;
        return 0;
    }
    error->flags &= ~(unsigned)(UNTORN_FLAG_CREATED | UNTORN_FLAG_UNCHANGED); /* of the others */
    error_fail(error, (enum untorn_status)answer->status, answer->step);
    error->os_error = answer->os_error;
    error->position = answer->position;
    memcpy(error->detail, answer->detail, sizeof error->detail);
    return -answer->status;
}

static int result(struct combining *combining, int rc, struct untorn_error *error)
{
    if (rc == ANSWERED) {
        rc = area_answer(area(combining), combining->slot, error);
        if (rc == 0)
            edits_take_met(combining->edits.own, error);
        return rc;
    }
    if (rc == NOT_KNOWN)
        return error_unsettled(error, UNTORN_UNSETTLED_COMBINED, 0, NULL);
    bool ours_failed = rc >= UNTORN_UNSETTLED_FLUSH && combining->own_answer.status != 0;
    return rc == 0 || rc == -UNTORN_REFUSED || ours_failed ? own_result(combining, error) : rc;
}

static bool can_be_combined(const struct untorn_options *options)
{
    return options->symlink == UNTORN_FOLLOW && options->wait_ms >= 0 && options->mode == 0 &&
           !options->if_match && !options->keep_inode && !options->strict && !options->lock_file;
}

static bool is_too_large(const struct target *target, const struct request *request)
{
    return request->smaller_than > 0 && target->place.exists &&
           target->place.target.kind == OS_REGULAR &&
           target->place.target.size >= request->smaller_than;
}

/* With everything open. */
static int work_on(struct combining *combining, const char *path, uint64_t deadline,
                   struct untorn_error *error)
{
    const struct lock_turns turns = {await_turn, stop_waiting, combining};
    struct target *target = &combining->update.target;
    int rc = target_open(target, path, &combining->options, error);
    target->stages_under_lock = target->was_read = true;
    target->turns = &turns;
    target->deadline = deadline;
    if (rc == 0)
        rc = check_queue(combining);
    if (rc == 0 && is_too_large(target, combining->edits.own))
        rc = COMBINE_TOO_LARGE;
    if (rc == 0)
        rc = work(combining, error);
    target_close(target);
    if (combining->slot >= 0 && rc != ANSWERED) {
        int left = leave_slot(combining);
        rc = left != 0 ? left : rc;
    }
    return rc;
}

int combine_edit(const char *path, const struct request *request,
                 const struct untorn_options *options, struct untorn_error *error)
{
    struct combining *combining = calloc(1, sizeof *combining);
    if (!combining)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    uint64_t deadline = lock_deadline(options);
    combining->slot = -1;
    combining->options = *options;
    combining->options.if_changed = true;
    combining->edits =
        (struct edits){request, &combining->own_answer, NULL, 0, put_answer, combining};
    if (can_be_combined(options))
        combining->size = request_write(request, combining->text, sizeof combining->text);
    combining->update.function = edits_make;
    combining->update.context = &combining->edits;
    int rc = combining->size > 0 ? ride(combining, path) : 0;
    if (rc == 0)
        rc = work_on(combining, path, deadline, error);
    rc = result(combining, rc, error);
    leave_area(combining);
    free(combining->edits.guests);
    free(combining);
    return rc;
}
