/* Memory in which the processes of one user leave updates for whoever holds the lock of a file.
 *
 * One who finds the lock taken makes it, and notes in the lock file where it is; others open it
 * from there. It holds slots, each with one update and then with its answer. No process trusts what
 * it finds: everything is copied before it is looked at, and nothing in it is an address.
 *
 *   free -> filling -> published -> taken -> done -> free
 *
 *   AREA-1  A slot's word says who may touch the rest of it: its owner while filling, done and
 *           returned; the holder of the lock while taken. It changes by exchange alone.
 *   AREA-2  "taken" bears the number of a batch that was noted before. [BATCH-1] So whoever holds
 *           the lock later can tell what became of it.
 *   AREA-3  The answer is in the slot before the batch that it belongs to is published.
 *   AREA-4  An owner gets back what is not taken; what is, it can only give up for lost
 *           ("abandoned"), and then nobody waits for its answer.
 *   AREA-5  "called" is published, and its owner is to try for the lock at once. It saves waking
 *           all; when a call is lost, those who wait try by themselves after LIMIT_UNCALLED_NS.
 *   AREA-6  A place (a directory and a name in it) whose lock lies where it always does leads to an
 *           area without a look at that lock. Should the lock be another by now, nobody serves what
 *           is left there, for who replaces the file looks at his lock first [LOCK-2]; after
 *           LIMIT_UNCALLED_NS its owner looks for himself.
 *
 * The area is bound to the inode of the lock file. Removing our folder gives a new lock file, and
 * what waits here can then be made only through that.
 */
#ifndef UNTORN_COMBINE_AREA_H
#define UNTORN_COMBINE_AREA_H

#include <untorn/error.h>

#include "file/lock.h"

enum area_state {
    AREA_FREE,
    AREA_FILLING,
    AREA_PUBLISHED,
    AREA_CALLED,
    AREA_TAKEN,     /* with the number of a batch */
    AREA_ABANDONED, /* the same, and its owner is gone */
    AREA_DONE,
    AREA_RETURNED, /* the owner is to do it alone */
};

enum { AREA_SLOTS = 128, AREA_TEXT = 3072 };

struct area;

/* The one noted in the lock file, or with `make` a new one, noted there. NULL: none. To be given
 * back with registry_drop_area; its memory is a struct area. */
struct shared_area *area_open(const struct lock *lock, bool make);

/* The one that this process has had for the file at `path`, without opening anything; or NULL.
 * Given back in the same way. [AREA-6] */
struct shared_area *area_find(const char *path, const struct untorn_options *options);

static inline struct area *area_of(const struct shared_area *shared)
{
    return shared->area.memory;
}

/* Whether somebody waits to get the lock for all. */
bool area_is_busy(struct area *area);

/* ---- for who waits ---- */

/* A slot with these bytes, published; or -1. At most AREA_TEXT bytes. */
int area_publish(struct area *area, const char *text, size_t size);

enum area_state area_state(struct area *area, int slot);

/* Waits until the slot's state is another, or for `duration`. */
void area_wait(struct area *area, int slot, uint64_t duration_ns);

/* Of one that was called: it is only published again. False if it is taken meanwhile. */
bool area_hear(struct area *area, int slot);

/* Whether it is for this one to try for the lock: nobody else does. */
bool area_leads(struct area *area, int slot);

void area_stop_leading(struct area *area, int slot);

/* Takes the update back: false if it is taken or done. Then there is no slot any more. */
bool area_withdraw(struct area *area, int slot);

/* Fills `error`, whose path stays, and frees the slot. Returns as the public calls do. */
int area_answer(struct area *area, int slot, struct untorn_error *error);

/* Frees a slot that is done or returned; its owner does not lead any more. */
void area_drop(struct area *area, int slot);

/* Of one that is taken: false if it is no longer. */
bool area_abandon(struct area *area, int slot);

/* ---- for the holder of the lock ---- */

/* Whoever had the memory that is noted may end, and others then note another. Those who find the
 * way to this one by themselves [AREA-6] are told that it is to be left. */
void area_retire_if_replaced(const struct shared_area *shared, os_fd lock_file);

/* How many slots, from the first on, have ever been used. */
int area_used(struct area *area);

/* Waits for as many as were here when the last batch ended: those who were just served mostly come
 * again at once. For no longer than that batch took, and LIMIT_GATHER_NS. */
void area_gather(struct area *area);

/* That a batch of `size`, the holder's own update included, took so long. */
void area_note_batch(struct area *area, size_t size, uint64_t duration_ns);

/* Whether there is something to take, and takes it: false if there was nothing any more. */
bool area_waits(struct area *area, int slot);
bool area_take(struct area *area, int slot, uint64_t batch);

/* Copies what is in a slot that is taken; at most AREA_TEXT bytes. */
size_t area_text(const struct area *area, int slot, char text[AREA_TEXT]);

/* What its owner will be told, once it is done. [AREA-3] */
void area_prepare(struct area *area, int slot, const struct untorn_error *answer);
void area_add_flags(struct area *area, int slot, unsigned flags);

/* Ends what is taken: AREA_DONE, AREA_RETURNED or AREA_PUBLISHED. Nobody is woken. */
void area_release(struct area *area, int slot, enum area_state state);

/* The batch of a slot that somebody has taken, as a remainder by BATCH_NUMBERS; -1 of another. */
int64_t area_batch(struct area *area, int slot);

/* ---- after the lock was released ---- */

void area_wake(struct area *area, int slot);

/* Nobody leads any more: for who holds the lock, at first. */
void area_unlead(struct area *area);

/* Calls who leads, or else one who waits. `yield`: not before others had a chance. */
void area_call_next(struct area *area, bool yield);

/* Whether who is called is to step back first; says so once. */
bool area_takes_yield(struct area *area);

#endif
