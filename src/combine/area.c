#include "combine/area.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/pathtext.h"
#include "file/batch.h"
#include "file/io.h"
#include "file/owner.h"

enum { MAGIC = 0x31617475, STATE_BITS = 3, RECORD = 'a' };

_Static_assert(BATCH_NUMBERS <= 1 << (31 - STATE_BITS), "a number fits into a word with a state");

struct slot {
    uint32_t word; /* enum area_state, and above it the number of a batch */
    uint32_t size;
    int64_t pid;
    uint64_t start; /* of the owner */
    int32_t status, os_error;
    uint32_t flags;
    uint64_t position;
    char detail[UNTORN_DETAIL_SIZE];
    char text[AREA_TEXT];
};

struct area {
    uint32_t magic;
    uint32_t leader; /* its slot, counted from 1; 0: nobody */
    uint32_t yield;
    uint32_t used;     /* slots, from the first on: no other was ever claimed */
    uint32_t arrivals; /* how often something was published */
    uint32_t goal;     /* of them, at which the holder wants to be woken; 0: none */
    uint32_t expected; /* how many were there when the last batch ended, those in it included */
    uint32_t took;     /* that batch, in microseconds */
    uint64_t device, inode, born; /* of the lock file */
    uint32_t retired;             /* another one is noted there */
    struct slot slots[AREA_SLOTS];
};

/* ---- finding it ---- */

struct record {
    int64_t pid;
    os_fd handle;
    uint64_t number;
};

static bool read_record(os_fd lock_file, struct record *ret_record)
{
    unsigned char bytes[OWNER_AREA_SIZE];
    if (io_read(lock_file, bytes, sizeof bytes, owner_area_place()) != sizeof bytes ||
        bytes[0] != RECORD)
        return false;
    ret_record->pid = (int64_t)cursor_get(bytes + 8, 8);
    ret_record->handle = (os_fd)cursor_get(bytes + 16, 8);
    ret_record->number = cursor_get(bytes + 24, 8);
    return ret_record->pid > 0 && ret_record->handle >= 0;
}

static int write_record(os_fd lock_file, const struct os_area *area)
{
    unsigned char bytes[OWNER_AREA_SIZE] = {RECORD};
    struct os_process self;
    registry_self(&self);
    cursor_put(bytes + 8, (uint64_t)self.pid, 8);
    cursor_put(bytes + 16, (uint64_t)area->handle, 8);
    cursor_put(bytes + 24, area->number, 8);
    return io_write(lock_file, bytes, sizeof bytes, owner_area_place());
}

static bool is_of(const struct area *area, const struct os_stat *lock)
{
    return area->magic == MAGIC && area->device == lock->device && area->inode == lock->inode &&
           area->born == lock->born;
}

static struct shared_area *keep(const struct os_area *area, const struct lock *lock)
{
    struct shared_area *kept = registry_keep_area(area, &lock->own->stat);
    if (kept && state_is_plain(lock->state)) /* [AREA-6] */
        registry_note_home(kept, &lock->place->dir_stat, lock->place->name);
    return kept;
}

static struct shared_area *join(const struct record *record, const struct lock *lock)
{
    struct os_area area;
    if (os_area_join(record->pid, record->handle, record->number, sizeof(struct area), &area) < 0)
        return NULL;
    if (is_of(area.memory, &lock->own->stat))
        return keep(&area, lock);
    os_area_leave(&area);
    return NULL;
}

static struct shared_area *make_new(const struct lock *lock)
{
    const struct os_stat *stat = &lock->own->stat;
    struct os_area area;
    if (os_area_make(sizeof(struct area), &area) < 0)
        return NULL;
    struct area *made = area.memory;
    made->magic = MAGIC;
    made->device = stat->device;
    made->inode = stat->inode;
    made->born = stat->born;
    if (write_record(lock->own->fd, &area) == 0)
        return keep(&area, lock);
    os_area_leave(&area);
    return NULL;
}

struct shared_area *area_open(const struct lock *lock, bool make)
{
    os_fd lock_file = lock->own->fd;
    struct record record;
    if (!read_record(lock_file, &record))
        return make ? make_new(lock) : NULL;
    struct shared_area *known = registry_area(&lock->own->stat);
    if (known && known->area.number == record.number)
        return known;
    registry_drop_area(known);
    known = join(&record, lock);
    if (known && make) /* who was noted may end soon; we are about to wait */
        (void)write_record(lock_file, &known->area);
    if (known)
        return known;
    if (make)
        return make_new(lock);
    (void)io_write(lock_file, "", 1, owner_area_place()); /* nobody need look for it again */
    return NULL;
}

struct shared_area *area_find(const char *path, const struct untorn_options *options)
{
    char directory[LIMIT_PATH + 2], name[LIMIT_NAME + 1];
    struct os_stat dir;
    if (path_split(path, directory, name) < 0 || !registry_has_area(name) ||
        !state_is_beside(options))
        return NULL;
    path_add(directory + strlen(directory), "/."); /* where a link leads */
    struct shared_area *known =
        os_stat(OS_NONE, directory, &dir) == 0 ? registry_area_at(&dir, name) : NULL;
    if (!known || os_load(&area_of(known)->retired) == 0)
        return known;
    registry_drop_area(known);
    return NULL;
}

void area_retire_if_replaced(const struct shared_area *shared, os_fd lock_file)
{
    struct record record;
    if (read_record(lock_file, &record) && record.number != shared->area.number)
        os_store(&area_of(shared)->retired, 1);
}

/* ---- words ---- */

static enum area_state state_of(uint32_t word)
{
    return (enum area_state)(word & ((1u << STATE_BITS) - 1));
}

static bool change(struct area *area, int slot, enum area_state from, enum area_state to)
{
    return os_swap(&area->slots[slot].word, from, to);
}

enum area_state area_state(struct area *area, int slot)
{
    return state_of(os_load(&area->slots[slot].word));
}

bool area_is_busy(struct area *area)
{
    return os_load(&area->leader) != 0;
}

/* ---- who waits ---- */

/* What a dead process left. Not what it has published: that is for the holder of the lock. */
static bool reclaim(struct area *area, int slot)
{
    struct os_process owner;
    enum area_state state = area_state(area, slot);
    if (state != AREA_FILLING && state != AREA_DONE && state != AREA_RETURNED)
        return false;
    registry_self(&owner);
    owner.pid = area->slots[slot].pid;
    owner.start = area->slots[slot].start;
    return !os_is_alive(&owner) && change(area, slot, state, AREA_FILLING);
}

static void note_use(struct area *area, int slot)
{
    uint32_t used = os_load(&area->used), wanted = (uint32_t)slot + 1;
    while (used < wanted && !os_swap(&area->used, used, wanted))
        used = os_load(&area->used);
}

static int claim(struct area *area)
{
    for (int slot = 0; slot < AREA_SLOTS; slot++) {
        if (area_state(area, slot) == AREA_FREE && change(area, slot, AREA_FREE, AREA_FILLING)) {
            note_use(area, slot);
            return slot;
        }
    }
    for (int slot = 0; slot < AREA_SLOTS; slot++)
        if (reclaim(area, slot))
            return slot;
    return -1;
}

static bool is_reached(uint32_t arrivals, uint32_t goal)
{
    return (int32_t)(arrivals - goal) >= 0;
}

static void note_arrival(struct area *area)
{
    uint32_t arrivals = os_load(&area->arrivals);
    while (!os_swap(&area->arrivals, arrivals, arrivals + 1))
        arrivals = os_load(&area->arrivals);
    uint32_t goal = os_load(&area->goal);
    if (goal != 0 && is_reached(arrivals + 1, goal))
        os_wake(&area->arrivals);
}

int area_publish(struct area *area, const char *text, size_t size)
{
    struct os_process self;
    registry_self(&self);
    int number = size <= AREA_TEXT ? claim(area) : -1;
    if (number < 0)
        return -1;
    struct slot *slot = &area->slots[number];
    slot->pid = self.pid;
    slot->start = self.start;
    slot->size = (uint32_t)size;
    memcpy(slot->text, text, size);
    os_store(&slot->word, AREA_PUBLISHED);
    note_arrival(area);
    return number;
}

void area_wait(struct area *area, int slot, uint64_t duration_ns)
{
    uint32_t word = os_load(&area->slots[slot].word);
    enum area_state state = state_of(word);
    if (state == AREA_PUBLISHED || state == AREA_TAKEN)
        os_wait(&area->slots[slot].word, word, duration_ns);
}

bool area_hear(struct area *area, int slot)
{
    return change(area, slot, AREA_CALLED, AREA_PUBLISHED);
}

bool area_leads(struct area *area, int slot)
{
    uint32_t own = (uint32_t)slot + 1, leader = os_load(&area->leader);
    return leader == own || (leader == 0 && os_swap(&area->leader, 0, own));
}

void area_stop_leading(struct area *area, int slot)
{
    (void)os_swap(&area->leader, (uint32_t)slot + 1, 0);
}

bool area_withdraw(struct area *area, int slot)
{
    return change(area, slot, AREA_PUBLISHED, AREA_FREE) ||
           change(area, slot, AREA_CALLED, AREA_FREE);
}

bool area_abandon(struct area *area, int slot)
{
    uint32_t word = os_load(&area->slots[slot].word);
    return state_of(word) == AREA_TAKEN &&
           os_swap(&area->slots[slot].word, word, (word - AREA_TAKEN) | AREA_ABANDONED);
}

void area_drop(struct area *area, int slot)
{
    area_stop_leading(area, slot);
    os_store(&area->slots[slot].word, AREA_FREE);
}

int area_answer(struct area *area, int slot, struct untorn_error *error)
{
    const struct slot *from = &area->slots[slot];
    int status = from->status;
    error->os_error = from->os_error;
    error->step = NULL; /* of ours, which failed before the answer came */
    error->flags |= from->flags;
    error->position = from->position;
    memcpy(error->detail, from->detail, sizeof error->detail);
    error->detail[sizeof error->detail - 1] = '\0';
    area_drop(area, slot);
    if (status < 0 || strcmp(untorn_status_name(status), "UNKNOWN") == 0)
        status = UNTORN_FAILED; /* no process of ours wrote that */
    error->status = status;
    return status >= UNTORN_UNSETTLED_FLUSH ? status : -status;
}

/* ---- the holder of the lock ---- */

int area_used(struct area *area)
{
    uint32_t used = os_load(&area->used);
    return used < AREA_SLOTS ? (int)used : AREA_SLOTS;
}

bool area_waits(struct area *area, int slot)
{
    enum area_state state = area_state(area, slot);
    return state == AREA_PUBLISHED || state == AREA_CALLED;
}

bool area_take(struct area *area, int slot, uint64_t batch)
{
    uint32_t taken = (uint32_t)(batch % BATCH_NUMBERS) << STATE_BITS | AREA_TAKEN;
    enum area_state state = area_state(area, slot);
    return (state == AREA_PUBLISHED || state == AREA_CALLED) &&
           os_swap(&area->slots[slot].word, state, taken);
}

static uint32_t count_waiting(struct area *area)
{
    uint32_t count = 0;
    int used = area_used(area);
    for (int slot = 0; slot < used; slot++)
        count += area_waits(area, slot);
    return count;
}

void area_gather(struct area *area)
{
    uint32_t expected = os_load(&area->expected), arrivals = os_load(&area->arrivals);
    uint64_t limit = os_load(&area->took) * 1000ull, until;
    uint32_t here = 1 + count_waiting(area);
    if (here >= expected || expected > AREA_SLOTS)
        return;
    uint32_t goal = arrivals + (expected - here);
    until = os_clock_ns() + (limit < LIMIT_GATHER_NS ? limit : LIMIT_GATHER_NS);
    os_store(&area->goal, goal ? goal : 1);
    for (;;) {
        uint64_t now = os_clock_ns();
        arrivals = os_load(&area->arrivals);
        if (is_reached(arrivals, goal) || now >= until)
            break;
        os_wait(&area->arrivals, arrivals, until - now);
    }
    os_store(&area->goal, 0);
}

void area_note_batch(struct area *area, size_t size, uint64_t duration_ns)
{
    uint64_t took = duration_ns / 1000;
    os_store(&area->expected, (uint32_t)size + count_waiting(area));
    os_store(&area->took, took < UINT32_MAX ? (uint32_t)took : UINT32_MAX);
}

size_t area_text(const struct area *area, int slot, char text[AREA_TEXT])
{
    const struct slot *from = &area->slots[slot];
    size_t size = from->size;
    if (size > AREA_TEXT)
        return 0;
    memcpy(text, from->text, size);
    return size;
}

void area_prepare(struct area *area, int slot, const struct untorn_error *answer)
{
    struct slot *to = &area->slots[slot];
    to->status = answer->status;
    to->os_error = answer->os_error;
    to->flags = answer->flags;
    to->position = answer->position;
    memcpy(to->detail, answer->detail, sizeof to->detail);
}

void area_add_flags(struct area *area, int slot, unsigned flags)
{
    area->slots[slot].flags |= flags;
}

void area_release(struct area *area, int slot, enum area_state state)
{
    uint32_t word = os_load(&area->slots[slot].word);
    if (state_of(word) == AREA_TAKEN && os_swap(&area->slots[slot].word, word, state))
        return;
    word = os_load(&area->slots[slot].word);
    if (state_of(word) == AREA_ABANDONED)
        os_store(&area->slots[slot].word, AREA_FREE); /* [AREA-4] */
}

int64_t area_batch(struct area *area, int slot)
{
    uint32_t word = os_load(&area->slots[slot].word);
    enum area_state state = state_of(word);
    return state == AREA_TAKEN || state == AREA_ABANDONED ? (int64_t)(word >> STATE_BITS) : -1;
}

/* ---- after it ---- */

void area_wake(struct area *area, int slot)
{
    os_wake(&area->slots[slot].word);
}

void area_unlead(struct area *area)
{
    os_store(&area->leader, 0);
}

static bool call(struct area *area, int slot)
{
    if (!change(area, slot, AREA_PUBLISHED, AREA_CALLED))
        return false;
    area_wake(area, slot);
    return true;
}

/* Whether it is about to try for the lock. One that is gone, or was answered, leads no more. */
static bool call_leader(struct area *area)
{
    uint32_t leader = os_load(&area->leader);
    if (leader > 0 && leader <= AREA_SLOTS &&
        (call(area, (int)leader - 1) || area_state(area, (int)leader - 1) == AREA_CALLED))
        return true;
    (void)os_swap(&area->leader, leader, 0);
    return false;
}

void area_call_next(struct area *area, bool yield)
{
    if (yield)
        os_store(&area->yield, 1);
    if (call_leader(area))
        return;
    int used = area_used(area);
    for (int slot = 0; slot < used; slot++) {
        if (area_state(area, slot) == AREA_PUBLISHED && call(area, slot)) {
            os_store(&area->leader, (uint32_t)slot + 1);
            return;
        }
    }
}

bool area_takes_yield(struct area *area)
{
    return os_load(&area->yield) != 0 && os_swap(&area->yield, 1, 0);
}
