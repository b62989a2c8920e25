/* Before a file is used: what the slot of its directory says of it. [RECOVER-1] [RECOVER-6] */
#include <errno.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/kept.h"
#include "file/sweep.h"
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

/* A name that is not durable leads to what was there before. [SLOT-5] */
static int flush_name(struct target *target, const struct slot *slot)
{
    os_fd folder;
    int rc = slot->rooted ? 0 : state_folder(&target->state, FOLDER_JOURNAL, false, &folder);
    return rc < 0 || slot->rooted ? rc : state_flush_names(&target->state, FOLDER_JOURNAL);
}

/* -EWOULDBLOCK: somebody else is about to write and flush it; or only he may. */
static int take(struct target *target, struct slot_file *file)
{
    return file->writable ? slot_file_lock(file, &target->state, 0) : -EWOULDBLOCK;
}

static int make_done_durable(struct target *target, struct slot_file *file, struct slot *slot)
{
    struct slot now;
    int locked = take(target, file);
    if (locked == -ENOMEM || locked == -ESTALE)
        return locked;
    bool ours = locked == 0 && slot_read_head(file->fd, &now) == 0 && now.state == SLOT_DONE &&
                now.sequence == slot->sequence;
    int rc = ours ? slot_file_settle(file) : os_flush(file->fd);
    if (rc == 0)
        rc = flush_name(target, slot);
    if (rc == 0 && ours && target->options->keep < 0)
        empty_slot(file, slot);
    else if (rc == 0 && ours)
        (void)slot_file_set(file, slot, SLOT_IDLE); /* else it is flushed once more than needed */
    return rc;
}

/* One that is active, of other files, or torn. What a dead maker left torn says nothing: then it
 * need not be looked at again. */
static int make_other_durable(struct target *target, struct slot_file *file, struct slot *seen)
{
    struct slot slot;
    int rc = take(target, file);
    if (rc == -EWOULDBLOCK)
        rc = os_flush(file->fd);
    else if (rc == 0) {
        rc = slot_read(file->fd, &file->stat, &target->place.dir_stat, &slot);
        bool torn = rc == -ENODATA;
        if (rc == 0)
            slot_free(&slot);
        if (torn)
            rc = slot_file_set(file, seen, SLOT_IDLE);
        rc = rc == 0 || rc == -EXDEV ? slot_file_settle(file) : rc;
    }
    return rc < 0 ? rc : flush_name(target, seen);
}

static bool is_locked_alone(const struct target *target)
{
    const struct lock_file *held = target->lock.held;
    return held && held->kind == OS_LOCK_EXCLUSIVE;
}

/* Whether no earlier version is to stay: nor its bytes in the slot, whichever files that names, for
 * those of a longer one before may lie behind its own. */
static bool erases(const struct target *target)
{
    return target->options->keep < 0 && is_locked_alone(target);
}

static void settle_idle(struct target *target, struct slot_file *file)
{
    struct slot now;
    if (erases(target) && file->writable && slot_file_lock(file, &target->state, 0) == 0 &&
        slot_read_head(file->fd, &now) == 0 && now.state == SLOT_IDLE && now.body_size > 0)
        empty_slot(file, &now);
}

/* Whether the file is about to change, and for good. */
static bool changes(const struct target *target)
{
    return target->options->level != UNTORN_CACHE && is_locked_alone(target);
}

/* [RECOVER-6] */
static int settle_done(struct target *target, struct slot_file *file, struct slot *seen)
{
    struct slot slot;
    bool concerned = seen->level == UNTORN_CACHE || erases(target); /* [SLOT-7] */
    if (!concerned && slot_read(file->fd, &file->stat, &target->place.dir_stat, &slot) == 0) {
        concerned = slot_find(&slot, target->place.name);
        slot_free(&slot);
    }
    return concerned ? make_done_durable(target, file, seen) : 0;
}

/* Of a commit that is not for us to apply: its stage lies in our way, and may be the only copy.
 * [FINISH-5] Who made it is dead, for he would hold the lock that we have; but somebody may have
 * planted the name of one that is being made. */
static int keep_stage(struct target *target, const struct slot_member *member)
{
    char own_name[LIMIT_NAME + 1], digits[17], entry[LIMIT_NAME + 1];
    struct state *state = &target->state;
    os_fd folder;
    path_own_name(target->place.name, LIMIT_SUFFIX, own_name);
    path_digits(lock_stage_number(&target->lock), digits);
    if (member->inlined || !path_is_own_entry(member->stage, own_name) ||
        state_folder(state, FOLDER_STAGE, false, &folder) < 0)
        return 0;
    bool dead = path_ends_with(member->stage, digits) || sweep_is_dead(folder, member->stage) == 1;
    int rc =
        dead ? kept_move(state, "conflict", target->place.name, FOLDER_STAGE, member->stage, entry)
             : 0;
    return rc == -ENOENT ? 0 : rc;
}

/* What is active or torn. [RECOVER-1] 1: the file is named by a commit that is to be finished. What
 * is a copy was never ours, nor was anything before it. */
static int settle_other(struct target *target, struct slot_file *file, struct slot *seen)
{
    struct slot slot;
    struct os_stat now;
    const struct place *place = &target->place;
    int rc = slot_read(file->fd, &file->stat, &target->place.dir_stat, &slot);
    if (rc < 0 && rc != -ENODATA)
        return rc == -EXDEV ? 0 : rc;
    bool exists = os_stat(place->dir, place->name, &now) == 0;
    const struct slot_member *member =
        rc == 0 && slot_is_active(&slot) ? slot_find(&slot, place->name) : NULL;
    bool named = member && slot_file_is_trusted(file, place, member, exists ? &now : NULL);
    int kept = member && !named && is_locked_alone(target) ? keep_stage(target, member) : 0;
    if (rc == 0)
        slot_free(&slot);
    if (named || kept < 0)
        return named ? 1 : kept;
    return target->set || !changes(target) ? 0 : make_other_durable(target, file, seen);
}

static int settle(struct target *target, struct slot_file *file)
{
    struct slot slot = {0};
    int rc = slot_read_head(file->fd, &slot);
    if (rc < 0 && rc != -ENODATA)
        return rc;
    if (rc == -ENODATA || slot_is_active(&slot))
        return settle_other(target, file, &slot);
    if (target->set)
        return 0;
    if (slot.state == SLOT_IDLE)
        settle_idle(target, file);
    bool matters = changes(target) || erases(target);
    return slot.state == SLOT_DONE && matters ? settle_done(target, file, &slot) : 0;
}

/* 1: see settle_other. */
static int settle_slot(struct target *target, struct untorn_error *error)
{
    struct slot_file file;
    int rc = slot_file_open(&target->state, &file);
    if (rc < 0)
        return rc == -ENOENT || rc == -EACCES ? 0 : error_os(error, rc, "open the journal");
    rc = settle(target, &file);
    slot_file_close(&file);
    if (rc == -ESTALE)
        return AGAIN;
    return rc < 0 ? error_os(error, rc, "flush the journal of an earlier commit") : rc;
}

int upward_settle(struct target *target, struct untorn_error *error)
{
    int rc = settle_slot(target, error);
    if (rc == 0 || (rc < 0 && rc != AGAIN))
        return rc;
    lock_release(&target->lock);
    if (rc == 1)
        rc = recover_directory(&target->place, &target->state, target->deadline, error);
    return rc == 0 ? AGAIN : rc;
}

int recover_settle_slot(struct target *target, struct untorn_error *error)
{
    int rc = settle_slot(target, error);
    return rc == 1 ? AGAIN : rc;
}
