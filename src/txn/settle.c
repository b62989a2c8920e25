/* Before a file is used: what the slot of its directory says of it. [RECOVER-1] [RECOVER-6] */
#include <errno.h>
#include <string.h>

#include "file/upward.h"
#include "txn/recover.h"
#include "txn/slotfile.h"

/* Where no earlier version is to stay, the bytes of one that the last commit left do not either.
 * The slot is locked and was IDLE, or DONE and durably so; an empty one says no more. It need not
 * be flushed: what a power loss brings back was that. */
static void empty_slot(struct slot_file *file, const struct slot *slot)
{
    struct slot empty = {.state = SLOT_IDLE, .sequence = slot->sequence, .rooted = slot->rooted};
    memcpy(empty.id, slot->id, sizeof empty.id);
    if (slot_file_write(file, &empty) == 0)
        (void)slot_file_trim(file, SLOT_HEAD); /* else they stay as long as without */
}

/* Without the lock somebody else is about to write and flush it. */
static int make_done_durable(struct target *target, struct slot_file *file, struct slot *slot)
{
    struct slot now;
    int locked = file->writable ? slot_file_lock(file, &target->state, 0) : -EWOULDBLOCK;
    if (locked == -ENOMEM)
        return locked;
    bool ours = locked == 0 && slot_read_head(file->fd, &now) == 0 && now.state == SLOT_DONE &&
                now.sequence == slot->sequence;
    int rc = ours ? slot_file_settle(file) : os_flush(file->fd);
    if (rc == 0 && ours && target->options->keep < 0)
        empty_slot(file, slot);
    else if (rc == 0 && ours)
        (void)slot_file_set(file, slot, SLOT_IDLE); /* else it is flushed once more than needed */
    return rc;
}

static void settle_idle(struct target *target, struct slot_file *file)
{
    struct slot now;
    const struct lock_file *held = target->lock.held;
    bool wanted =
        target->options->keep < 0 && held && held->kind == OS_LOCK_EXCLUSIVE && file->writable;
    if (wanted && slot_file_lock(file, &target->state, 0) == 0 &&
        slot_read_head(file->fd, &now) == 0 && now.state == SLOT_IDLE && now.body_size > 0)
        empty_slot(file, &now);
}

static int settle_done(struct target *target, struct slot_file *file, struct untorn_error *error)
{
    struct slot slot;
    const struct lock_file *held = target->lock.held;
    if (target->options->level == UNTORN_CACHE || !held || held->kind != OS_LOCK_EXCLUSIVE)
        return 0;
    int rc = slot_read(file->fd, &file->stat, &slot);
    bool concerned = rc == 0 && slot_find(&slot, target->place.name);
    if (rc == 0)
        slot_free(&slot);
    rc = concerned ? make_done_durable(target, file, &slot) : 0; /* [RECOVER-6] */
    return rc < 0 ? error_os(error, rc, "flush the journal of an earlier commit") : 0;
}

/* [RECOVER-1] 1: it is named by a commit that is to be finished. */
static int is_under_way(struct target *target, struct slot_file *file)
{
    struct slot slot;
    struct os_stat now;
    const struct place *place = &target->place;
    int rc = slot_read(file->fd, &file->stat, &slot);
    if (rc < 0)
        return rc == -ENODATA || rc == -EXDEV ? 0 : rc;
    bool exists = os_stat(place->dir, place->name, &now) == 0;
    bool named = slot_is_active(&slot) && slot_find(&slot, place->name) &&
                 slot_file_is_trusted(file, place, exists ? &now : NULL);
    slot_free(&slot);
    return named;
}

static int settle(struct target *target, struct slot_file *file, struct untorn_error *error)
{
    struct slot slot;
    int rc = slot_read_head(file->fd, &slot);
    if (rc == 0 && slot.state == SLOT_DONE && !target->set)
        return settle_done(target, file, error);
    if (rc == 0 && slot.state == SLOT_IDLE && !target->set)
        settle_idle(target, file);
    if (rc == 0 && slot_is_active(&slot))
        rc = is_under_way(target, file);
    if (rc <= 0)
        return rc == 0 || rc == -ENODATA ? 0 : error_os(error, rc, "read the journal");
    lock_release(&target->lock);
    rc = recover_directory(&target->place, &target->state, target->deadline, error);
    return rc == 0 ? AGAIN : rc;
}

int upward_settle(struct target *target, struct untorn_error *error)
{
    struct slot_file file;
    int rc = slot_file_open(&target->state, &file);
    if (rc < 0)
        return rc == -ENOENT || rc == -EACCES ? 0 : error_os(error, rc, "open the journal");
    rc = settle(target, &file, error);
    slot_file_close(&file);
    return rc;
}

int recover_settle_done(struct target *target, struct untorn_error *error)
{
    struct slot_file file;
    struct slot slot;
    int rc = slot_file_open(&target->state, &file);
    if (rc < 0)
        return rc == -ENOENT || rc == -EACCES ? 0 : error_os(error, rc, "open the journal");
    rc = slot_read_head(file.fd, &slot) == 0 && slot.state == SLOT_DONE
             ? settle_done(target, &file, error)
             : 0;
    slot_file_close(&file);
    return rc;
}
