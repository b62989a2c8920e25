/* Steps 7 to 9 of txn/commit.h: from the commit point to the end. */
#include <errno.h>

#include "file/kept.h"
#include "txn/commit.h"
#include "txn/finish.h"
#include "txn/group.h"
#include "txn/remember.h"

/* ---- a member that somebody else changed, or whose lock or stage went ---- */

static int keep_aside(struct commit *commit, struct member *member)
{
    char entry[LIMIT_NAME + 1];
    struct target *target = &member->now.target;
    struct stage *stage = &member->now.stage;
    commit->error->flags |= UNTORN_FLAG_CONFLICT_KEPT;
    if (member->now.removes)
        return 0;
    int rc = replace_begin(target, stage);
    if (rc == 0)
        rc = stage_write(stage, member->now.data, member->now.size);
    if (rc == 0)
        rc = kept_add(&target->state, "conflict", target->place.name, stage->file, 0, stage->size,
                      entry);
    stage_close(stage);
    return rc < 0 ? error_os(commit->error, rc, "keep the new version aside") : 0;
}

/* Opens and locks it anew: our folder may be another one now. */
static int reopen(struct commit *commit, struct member *member)
{
    struct target *target = &member->now.target;
    if (member->now.opened)
        target_close(target);
    member->now.opened = false;
    int rc = member_open(member, NULL, &commit->seats, commit->error);
    target->recovering = true;
    target->set = commit->id_text;
    target->deadline = commit->deadline;
    if (rc != 0)
        return rc;
    group_limit_wait(target); /* [GROUP-1] */
    return target_lock(target, OS_LOCK_EXCLUSIVE, commit->error);
}

/* A lock that still is the file's is not given out of hand: who gets it finds the commit, and waits
 * for the locks that we hold while we wait for this one. */
static int look_anew(struct commit *commit, struct member *member, bool keeps_stage)
{
    struct target *target = &member->now.target;
    if (keeps_stage)
        member->now.stage.named = false;
    stage_close(&member->now.stage);
    past_close(&member->now.past);
    int rc = AGAIN;
    if (member->now.opened && lock_is_current(&target->lock)) {
        target_rest(target);
        rc = target_look(target, commit->error);
    }
    if (rc == AGAIN) /* or the name is a link by now */
        rc = reopen(commit, member);
    target->keeps = false; /* it counts already */
    target->stage_stays = keeps_stage;
    return rc;
}

static bool has_stage(const struct target *target, const struct slot_member *record)
{
    struct os_stat stat;
    char path[STATE_PATH_SIZE];
    state_path(&target->state, FOLDER_STAGE, record->stage, path);
    return os_stat(target->state.parent, path, &stat) == 0;
}

/* A stage that may be the only durable copy is used as it lies there. */
static int publish_staged(struct commit *commit, struct member *member, const struct seat *seat,
                          const struct slot_member *record)
{
    struct target *target = &member->now.target;
    struct untorn_options options = *target->options;
    target->options = &options;
    int rc = finish_member(target, &options, seat, record, commit->error);
    target->options = &member->given.options;
    if (rc == 0) { /* its name goes when all is durable [PAST-5] */
        struct stage *stage = &member->now.stage;
        stage->folder = target->state.parent;
        stage->borrowed = stage->named = true;
        state_path(&target->state, FOLDER_STAGE, record->stage, stage->name);
    }
    return rc;
}

/* The content is still in memory, so that nothing of ours on the disk is needed. [TXN-6] */
static int mend(struct commit *commit, struct member *member, const struct seat *seat,
                const struct slot_member *record)
{
    enum standing standing;
    bool staged = record->kind != SLOT_REMOVE && !record->inlined;
    int rc = look_anew(commit, member, staged);
    if (rc != 0)
        return rc;
    rc = finish_judge(&member->now.target, record, &standing);
    if (rc < 0)
        return error_os(commit->error, rc, "read it to compare");
    if (standing == STANDS_AFTER)
        return 0;
    if (staged && has_stage(&member->now.target, record))
        return publish_staged(commit, member, seat, record);
    if (standing == STANDS_ELSE)
        return keep_aside(commit, member);
    if (!member->now.removes)
        rc = member_stage(member, commit->error);
    if (rc == 0)
        rc = member_flush(member, commit->error);
    return rc == 0 ? member_publish(member, commit->error) : rc;
}

/* ---- all of them ---- */

static int publish_one(struct commit *commit, struct member *member)
{
    const struct seat *seat = member->now.seat;
    const struct slot_member *record = slot_find(&seat->slot, member->now.target.place.name);
    int rc = member_publish(member, commit->error);
    for (int i = 0; rc == AGAIN && i < LIMIT_TRIES; i++)
        rc = mend(commit, member, seat, record);
    return rc;
}

static int unsettled(struct commit *commit, int rc)
{
    if (rc == AGAIN)
        return error_unsettled(commit->error, UNTORN_UNSETTLED_SET, 0, "put a file in place");
    return error_unsettled(commit->error, UNTORN_UNSETTLED_SET, -commit->error->os_error,
                           commit->error->step);
}

/* [TXN-5] */
static int withdraw(struct commit *commit, int rc)
{
    int withdrawn = commit_withdraw(commit);
    return withdrawn != 0 ? withdrawn : rc;
}

static int publish_first(struct commit *commit)
{
    int rc = commit_flush(commit, true); /* [TXN-3] */
    if (rc != 0)
        return withdraw(commit, rc);
    commit_blame(commit, commit->active[0]);
    rc = member_publish(commit->active[0], commit->error);
    if (rc >= 0)
        return rc == 0 ? 0 : unsettled(commit, rc);
    return withdraw(commit, rc);
}

static int flush_directories(struct commit *commit)
{
    for (size_t i = 0; commit->flushes && i < commit->seats.count; i++) {
        struct seat *seat = commit->seats.list[i];
        int rc = seat->takes_part ? os_flush_dir(seat->place.dir) : 0;
        if (rc == -EINVAL)
            commit->error->flags |= UNTORN_FLAG_NO_DIR_FLUSH;
        else if (rc < 0)
            return error_unsettled(commit->error, UNTORN_UNSETTLED_SET, rc, "flush the directory");
    }
    return 0;
}

/* [TXN-4] A slot that cannot be written stays: the next call finds all done, and tries again. All
 * members are in place and flushed by now, so that a participant that asks a coordinator that is
 * DONE already, and hears no, gives nothing up. As DONE is not flushed, a power loss may leave that
 * state in any order. The coordinator is last only because it then still answers those that were
 * not reached. */
static void end_slots(struct commit *commit)
{
    for (int coordinator = 0; coordinator < 2; coordinator++) {
        for (size_t i = 0; i < commit->seats.count; i++) {
            struct seat *seat = commit->seats.list[i];
            if (!seat->takes_part || (seat == commit->coordinator) != (coordinator == 1))
                continue;
            (void)slot_file_set(&seat->file, &seat->slot, SLOT_DONE);
            if (commit->options->keep < 0)
                (void)slot_file_trim(&seat->file, SLOT_HEAD + seat->slot.body_size);
        }
    }
}

int commit_publish(struct commit *commit)
{
    int rc = publish_first(commit);
    if (rc != 0)
        return rc;
    for (size_t i = 1; i < commit->active_count; i++) {
        commit_blame(commit, commit->active[i]);
        rc = publish_one(commit, commit->active[i]);
        if (rc != 0)
            return unsettled(commit, rc);
    }
    rc = flush_directories(commit); /* [TXN-3] */
    if (rc != 0)
        return rc;
    remember_commit(commit); /* [REMEMBER-3] */
    end_slots(commit);
    for (size_t i = 0; i < commit->active_count; i++)
        member_settle(commit->active[i], commit->error);
    return 0;
}
