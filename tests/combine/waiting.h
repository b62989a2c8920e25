/* Processes that edit one file while the test holds its lock. */
#ifndef UNTORN_TESTS_COMBINE_WAITING_H
#define UNTORN_TESTS_COMBINE_WAITING_H

#include <untorn.h>

#include "combine/area.h"
#include "file/batch.h"
#include "file/owner.h"
#include "file/support.h"

/* As who waits has it, without locking; close with lock_file_close. */
static inline struct lock lock_file_open(const char *path)
{
    static struct state no_folder = STATE_CLOSED;
    struct lock lock = LOCK_CLOSED;
    struct os_stat stat;
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, path, OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    CHECK_INT(os_stat(file, NULL, &stat), 0);
    lock.own = registry_add(file, &stat);
    lock.state = &no_folder;
    return lock;
}

static inline void lock_file_close(struct lock *lock)
{
    registry_drop(lock->own);
}

static inline int waiting_at(struct lock *lock)
{
    struct shared_area *shared = area_open(lock, false);
    int count = 0;
    for (int slot = 0; shared && slot < AREA_SLOTS; slot++)
        count += area_waits(area_of(shared), slot);
    registry_drop_area(shared);
    return count;
}

static inline int count_used(struct lock *lock)
{
    struct shared_area *shared = area_open(lock, false);
    int count = 0;
    for (int slot = 0; shared && slot < AREA_SLOTS; slot++)
        count += area_state(area_of(shared), slot) != AREA_FREE;
    registry_drop_area(shared);
    return count;
}

static inline void wait_for(struct lock *lock, int count)
{
    for (int i = 0; i < 100000 && waiting_at(lock) != count; i++)
        os_sleep_ns(100000);
    CHECK_INT(waiting_at(lock), count);
}

static inline uint64_t batches(const struct lock *lock)
{
    struct batch batch;
    CHECK_INT(batch_begin(&batch, lock->own->fd), 0);
    return batch.number - 1;
}

static inline int set_key(const char *path, const char *key, const char *value,
                          const struct untorn_options *options, struct untorn_error *error)
{
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = value, .value_size = strlen(value)};
    return untorn_edit(path, &edit, 1, NULL, options, error);
}

#endif
