/* Steps 4 to 6 of txn/commit.h: from staged versions to the commit point. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/kept.h"
#include "txn/commit.h"
#include "txn/group.h"
#include "txn/recover.h"

/* ---- taking the slots ---- */

static bool all_belong_to(const struct commit *commit, const struct seat *seat, uint32_t owner)
{
    for (size_t i = 0; i < commit->active_count; i++) {
        const struct member *member = commit->active[i];
        const struct os_stat *stat =
            member->now.removes ? &member->now.target.stat : &member->now.staged;
        if (member->now.seat == seat && stat->owner != owner)
            return false;
    }
    return true;
}

/* Root gives it to the owner of the directory, who is to see and finish what is about his files. Of
 * others' files he may neither read all that is in it nor say anything: then it stays root's. */
static uint32_t slot_owner(const struct commit *commit, const struct seat *seat)
{
    uint32_t user = os_user(), owner = seat->state.stat.owner;
    return user == 0 && all_belong_to(commit, seat, owner) ? owner : user;
}

/* As open as the directory, so that whoever may use its files can read the slot; but where nobody
 * else may write there and all members are closed to the same people, closed to them too: then
 * their bytes can lie in it. Root's is closed only to those who own none of them. [SLOT-3] */
static struct slot_access slot_access(const struct commit *commit, const struct seat *seat)
{
    uint32_t owner = slot_owner(commit, seat);
    unsigned open = 0600 | (seat->state.wanted_mode & 0044), all = 0044, any = 0;
    for (size_t i = 0; i < commit->active_count; i++) {
        const struct member *member = commit->active[i];
        if (member->now.seat != seat || member->now.removes)
            continue;
        all &= member->now.staged.mode;
        any |= member->now.staged.mode & 0044;
    }
    bool only_ours =
        !(seat->state.wanted_mode & 0022) && (os_user() != 0 || all_belong_to(commit, seat, owner));
    return (struct slot_access){
        .mode = only_ours && all == any ? open & (0600 | all) : open,
        .owner = owner,
    };
}

/* Whoever may read the slot may read these bytes anyway. [SLOT-3] */
static bool may_inline(const struct seat *seat, const struct member *member)
{
    unsigned open = seat->file.stat.mode & 0044, mode = member->now.staged.mode;
    bool same_group = member->now.staged.group == seat->file.stat.group;
    if (open == 0)
        return true;
    return member->now.plain && !(open & ~mode) && (same_group || !(open & 0040) || (mode & 0004));
}

static int fail_slot(struct commit *commit, int rc, const char *step)
{
    if (rc == -ESTALE || rc == -ENOENT)
        return AGAIN;
    if (rc == -EWOULDBLOCK) {
        error_detail(commit->error,
                     "another commit of several files is under way in its directory");
        return error_fail(commit->error, UNTORN_LOCKED, NULL);
    }
    return error_os(commit->error, rc, step);
}

/* There is one after this, so that all can be locked in order. */
static int find_slot(struct commit *commit, struct seat *seat)
{
    int rc = slot_file_open(&seat->state, &seat->file);
    if (rc != -ENOENT)
        return rc;
    struct slot_access access = slot_access(commit, seat);
    rc = slot_file_renew(&seat->file, &seat->state, &access);
    slot_file_close(&seat->file);
    return rc < 0 ? rc : slot_file_open(&seat->state, &seat->file);
}

/* What lies there and is not ours to judge makes room; what a dead commit left is finished first.
 * *ret_own: it is no copy, which would not do for an answer of ours. [SEAT-3] */
static int clear_slot(struct seat *seat, struct slot *earlier, bool *ret_own)
{
    char entry[LIMIT_NAME + 1];
    struct slot slot;
    int rc = slot_read_head(seat->file.fd, earlier);
    *ret_own =
        rc != 0 || slot_lies_where_it_was_written(earlier, &seat->file.stat, &seat->place.dir_stat);
    if (rc < 0 || !slot_is_active(earlier))
        return rc == -ENODATA ? 0 : rc;
    rc = slot_read(seat->file.fd, &seat->file.stat, &seat->place.dir_stat, &slot);
    if (rc == -ENODATA)
        return 0; /* torn: it never counted, or was finished [SLOT-1] */
    if (rc == -EXDEV) {
        rc = kept_move(&seat->state, "foreign", "slot", FOLDER_JOURNAL, "slot", entry);
        return rc < 0 ? rc : -ESTALE;
    }
    if (rc < 0)
        return rc;
    slot_free(&slot);
    slot_file_close(&seat->file);
    return 1;
}

/* Releases everything, for recovery takes its own locks. A stage goes before its lock: under that
 * name the next holder makes his. [STAGE-4] */
static int recover_first(struct commit *commit, const struct seat *seat)
{
    for (size_t i = 0; i < commit->count; i++) {
        stage_close(&commit->members[i]->now.stage);
        lock_release(&commit->members[i]->now.target.lock);
    }
    for (size_t i = 0; i < commit->seats.count; i++)
        slot_file_close(&commit->seats.list[i]->file);
    int rc = recover_directory(&seat->place, &seat->state, commit->deadline, commit->error);
    return rc == 0 ? AGAIN : rc > 0 ? error_unfinished(commit->error) : rc;
}

static int fit_slot(struct commit *commit, struct seat *seat)
{
    struct slot earlier = {0};
    struct slot_access access = slot_access(commit, seat);
    bool own;
    int rc = clear_slot(seat, &earlier, &own);
    if (rc == 1)
        return recover_first(commit, seat);
    bool fits = own && slot_file_fits(&seat->file, &access);
    if (rc == 0 && !fits && commit->flushes && earlier.state == SLOT_DONE)
        rc = slot_file_settle(&seat->file); /* it may come back, under its name too [TXN-4] */
    if (rc == 0 && !fits)
        rc = slot_file_renew(&seat->file, &seat->state, &access); /* [SLOT-5] */
    /* Also of a slot that is new it is larger than that of any commit before. */
    uint64_t least = (uint64_t)os_wall_clock() << 20;
    seat->slot.sequence = earlier.sequence >= least ? earlier.sequence + 1 : least;
    seat->slot.rooted = earlier.rooted && fits;
    return rc < 0 ? fail_slot(commit, rc, "open the journal") : 0;
}

static int take_slots(struct commit *commit)
{
    int rc = 0;
    for (size_t i = 0; i < commit->active_count; i++)
        commit->active[i]->now.seat->takes_part = true;
    for (size_t i = 0; rc == 0 && i < commit->seats.count; i++)
        if (commit->seats.list[i]->takes_part)
            rc = find_slot(commit, commit->seats.list[i]);
    if (rc == 0)
        rc = seats_lock(&commit->seats, commit->deadline);
    if (rc < 0)
        return fail_slot(commit, rc, "open the journal");
    for (size_t i = 0; rc == 0 && i < commit->seats.count; i++)
        if (commit->seats.list[i]->takes_part)
            rc = fit_slot(commit, commit->seats.list[i]);
    return rc;
}

/* ---- what they say ---- */

/* What the slot does not hold is in a stage, by a name that the slot can say. [TXN-2] */
static int place_bytes(const struct seat *seat, struct member *member, uint64_t *inlined)
{
    if (member->now.removes)
        return 0;
    bool has_more = member->comes_back && !member->now.target.exists; /* than a slot can say */
    member->now.inlined = !has_more && member->now.size <= LIMIT_INLINE &&
                          *inlined + member->now.size <= LIMIT_INLINE_ALL &&
                          may_inline(seat, member);
    member->now.target.stage_stays = !member->now.inlined;
    *inlined += member->now.inlined ? member->now.size : 0;
    return member->now.inlined ? 0 : member_unstage(member);
}

static int describe_members(struct commit *commit, struct seat *seat, bool *ret_staged)
{
    struct slot *slot = &seat->slot;
    uint64_t inlined = 0;
    slot->members = calloc(commit->active_count, sizeof *slot->members);
    if (!slot->members)
        return -ENOMEM;
    for (size_t i = 0; i < commit->active_count; i++) {
        struct member *member = commit->active[i];
        if (member->now.seat != seat)
            continue;
        int rc = place_bytes(seat, member, &inlined);
        if (rc < 0)
            return rc;
        struct slot_member *record = &slot->members[slot->member_count++];
        member_describe(member, record);
        record->inlined = member->now.inlined;
        record->bytes = member->now.inlined ? member->now.data : NULL;
        *ret_staged |= record->kind != SLOT_REMOVE && !record->inlined;
    }
    return 0;
}

static int describe_directories(struct commit *commit, struct seat *seat)
{
    struct slot *slot = &seat->slot;
    slot->participant = seat != commit->coordinator;
    slot->directories = calloc(commit->seats.count + 1, sizeof *slot->directories);
    if (!slot->directories)
        return -ENOMEM;
    if (slot->participant) {
        slot->directory_count = 1;
        return seat_describe(commit->coordinator, seat, &slot->directories[0]);
    }
    for (size_t i = 0; i < commit->seats.count; i++) {
        struct seat *other = commit->seats.list[i];
        if (other == seat || !other->takes_part)
            continue;
        other->slot.index = slot->directory_count++;
        int rc = seat_describe(other, seat, &slot->directories[other->slot.index]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* A staged version that overwrites in place is not flushed for a rename, but it is for this. */
static int flush_stages(struct commit *commit, struct seat *seat)
{
    os_fd folder;
    int rc = state_folder(&seat->state, FOLDER_STAGE, false, &folder);
    for (size_t i = 0; rc == 0 && i < commit->active_count; i++) {
        struct member *member = commit->active[i];
        if (member->now.seat != seat || member->now.removes || !member->now.replacement.in_place)
            continue;
        rc = stage_wake(&member->now.stage);
        if (rc == 0)
            rc = os_flush(member->now.stage.file);
        if (rc == 0 && group_is_large(commit->count))
            rc = stage_rest(&member->now.stage);
    }
    return rc < 0 ? rc : state_flush_names(&seat->state, FOLDER_STAGE);
}

/* [SLOT-6] */
static int ground(struct commit *commit, struct seat *seat)
{
    struct slot *slot = &seat->slot;
    os_fd folder;
    uint64_t size = slot_measure(slot);
    slot->rooted = slot->rooted && size <= seat->file.stat.size;
    if (slot->rooted || !commit->flushes)
        return 0;
    int rc = slot_file_ground(&seat->file, size);
    if (rc == 0)
        rc = state_folder(&seat->state, FOLDER_JOURNAL, false, &folder);
    if (rc == 0)
        rc = state_flush_names(&seat->state, FOLDER_JOURNAL);
    slot->rooted = rc == 0;
    return rc;
}

static int describe(struct commit *commit, struct seat *seat)
{
    bool staged = false;
    struct slot *slot = &seat->slot;
    memcpy(slot->id, commit->id, SLOT_ID);
    slot->keep = commit->options->keep;
    slot->level = commit->options->level;
    slot->directory_inode = seat->place.dir_stat.inode;
    slot->directory_born = seat->place.dir_stat.born;
    int rc = describe_members(commit, seat, &staged);
    if (rc == 0)
        rc = describe_directories(commit, seat);
    if (rc == 0 && staged && commit->flushes)
        rc = flush_stages(commit, seat); /* [TXN-2] */
    return rc < 0 ? rc : ground(commit, seat);
}

/* ---- saying it ---- */

static int write_slot(struct commit *commit, struct seat *seat, enum slot_state state)
{
    seat->slot.state = state;
    int rc = slot_file_write(&seat->file, &seat->slot);
    return rc == 0 && commit->flushes ? os_flush_content(seat->file.fd) : rc;
}

/* Without the coordinator a participant's promise means nothing: it need not be durably gone.
 * Whether it was ever durable nobody knows, nor what was before it. [SLOT-7] */
static void take_back_participants(struct commit *commit)
{
    for (size_t i = 0; i < commit->seats.count; i++) {
        struct seat *seat = commit->seats.list[i];
        if (seat->takes_part && seat != commit->coordinator && seat->slot.state == SLOT_PREPARED)
            (void)slot_file_drop(&seat->file, &seat->slot);
    }
}

/* If that fails it may still count. DONE, with its members, is to be flushed before any of them
 * changes, or a participant gives up. [RECOVER-4] */
int commit_withdraw(struct commit *commit)
{
    struct seat *seat = commit->coordinator;
    int rc = commit->flushes ? slot_file_set(&seat->file, &seat->slot, SLOT_IDLE)
                             : slot_file_drop(&seat->file, &seat->slot);
    if (rc == 0 && commit->flushes)
        rc = os_flush(seat->file.fd);
    if (rc < 0) {
        seat->slot.state = SLOT_DONE;
        seat->slot.level = UNTORN_CACHE; /* [SLOT-7] */
        (void)slot_file_write(&seat->file, &seat->slot);
        return error_unsettled(commit->error, UNTORN_UNSETTLED_SET, rc, "withdraw the commit");
    }
    take_back_participants(commit);
    return 0;
}

static bool all_are_current(struct commit *commit)
{
    for (size_t i = 0; i < commit->active_count; i++)
        if (!target_is_current(&commit->active[i]->now.target))
            return false;
    return true;
}

static int prepare(struct commit *commit)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < commit->seats.count; i++)
        if (commit->seats.list[i]->takes_part && commit->seats.list[i] != commit->coordinator)
            rc = describe(commit, commit->seats.list[i]);
    for (size_t i = 0; rc == 0 && i < commit->seats.count; i++)
        if (commit->seats.list[i]->takes_part && commit->seats.list[i] != commit->coordinator)
            rc = write_slot(commit, commit->seats.list[i], SLOT_PREPARED);
    return rc;
}

/* One after the other, with nothing between them: the disk gets them as one batch. */
static void begin_flushes(struct commit *commit)
{
    for (size_t i = 0; i < commit->active_count; i++)
        if (commit->active[i]->now.stays_open)
            member_flush_soon(commit->active[i]);
}

int commit_promise(struct commit *commit)
{
    int rc = take_slots(commit);
    if (rc != 0)
        return rc;
    begin_flushes(commit);
    rc = describe(commit, commit->coordinator);
    if (rc == 0)
        rc = prepare(commit);
    rc = rc < 0 ? fail_slot(commit, rc, "write the journal") : commit_flush(commit, false);
    if (rc == 0 && !all_are_current(commit))
        rc = AGAIN;
    if (rc != 0) {
        take_back_participants(commit); /* [TXN-1] */
        return rc;
    }
    rc = write_slot(commit, commit->coordinator, SLOT_COMMITTED);
    if (rc == 0)
        return 0;
    int withdrawn = commit_withdraw(commit);
    return withdrawn != 0 ? withdrawn : error_os(commit->error, rc, "write the journal");
}
