#include "txn/commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/remove.h"
#include "txn/group.h"
#include "txn/record.h"
#include "txn/recover.h"

void commit_blame(struct commit *commit, const struct member *member)
{
    struct untorn_error *error = commit->error;
    unsigned flags = error->flags;
    error_begin(error, NULL, member->given.path);
    error->flags = flags;
}

static struct member *member_of(struct commit *commit, const struct target *target)
{
    for (size_t i = 0; i < commit->count; i++)
        if (&commit->members[i]->now.target == target)
            return commit->members[i];
    return NULL;
}

/* ---- step 1 ---- */

static int open_all(struct commit *commit)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < commit->count; i++) {
        struct member *member = commit->members[i];
        commit_blame(commit, member);
        member->now.stays_open = !group_is_large(commit->count);
        rc = member_open(member, i > 0 ? commit->members[i - 1] : NULL, &commit->seats,
                         commit->error);
        member->now.target.deadline = commit->deadline;
        member->now.target.set = commit->id_text;
        commit->targets[i] = &member->now.target;
    }
    return rc;
}

static int fail_twins(struct commit *commit, const struct target *one, const struct target *other)
{
    commit_blame(commit, member_of(commit, one));
    error_detail(commit->error, "%s is the same file", member_of(commit, other)->given.path);
    return error_fail(commit->error, UNTORN_INVALID, "put one file twice into one commit");
}

static int refuse_twins(struct commit *commit)
{
    struct target *twins[2];
    return group_sort(commit->targets, commit->count, twins)
               ? fail_twins(commit, twins[0], twins[1])
               : 0;
}

static int lock_all(struct commit *commit)
{
    struct target *failed = NULL;
    int rc = refuse_twins(commit);
    if (rc != 0)
        return rc;
    struct untorn_error local;
    error_begin(&local, NULL, NULL);
    rc = group_lock(commit->targets, commit->count, &failed, &local);
    local.flags |= commit->error->flags;
    if (rc != 0 && failed)
        commit_blame(commit, member_of(commit, failed));
    if (!*local.path) /* else it is that of an interrupted commit */
        memcpy(local.path, commit->error->path, sizeof local.path);
    *commit->error = local;
    return rc;
}

/* ---- steps 2 and 3 ---- */

static int evaluate(struct commit *commit, struct member *member)
{
    commit_blame(commit, member);
    int os_rc = target_wake(&member->now.target);
    if (os_rc < 0)
        return os_rc == -ESTALE ? AGAIN : error_os(commit->error, os_rc, "open it again");
    return member_evaluate(member, commit->error);
}

static int rest_if_many(struct commit *commit, struct member *member)
{
    int rc = group_is_large(commit->count) ? member_rest(member) : 0;
    return rc < 0 ? error_os(commit->error, rc, "write the new version") : 0;
}

static int evaluate_all(struct commit *commit)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < commit->count; i++) {
        rc = evaluate(commit, commit->members[i]);
        if (rc == 0)
            rc = rest_if_many(commit, commit->members[i]);
    }
    return rc;
}

static int compare_files(const void *left, const void *right)
{
    const struct os_stat *a = &(*(struct target *const *)left)->stat;
    const struct os_stat *b = &(*(struct target *const *)right)->stat;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode < b->inode ? -1 : a->inode > b->inode;
}

/* Two links of one file, or a mount of it, have locks of their own. Which content would it get? */
static int refuse_links(struct commit *commit)
{
    size_t count = 0;
    for (size_t i = 0; i < commit->count; i++)
        if (commit->members[i]->now.target.exists)
            commit->targets[count++] = &commit->members[i]->now.target;
    qsort(commit->targets, count, sizeof *commit->targets, compare_files);
    for (size_t i = 1; i < count; i++)
        if (compare_files(&commit->targets[i - 1], &commit->targets[i]) == 0)
            return fail_twins(commit, commit->targets[i - 1], commit->targets[i]);
    return 0;
}

static int stage(struct commit *commit, struct member *member)
{
    commit_blame(commit, member);
    int os_rc = target_wake(&member->now.target);
    if (os_rc < 0)
        return os_rc == -ESTALE ? AGAIN : error_os(commit->error, os_rc, "open it again");
    member->now.beside = member->now.seat == commit->foreseen;
    int rc = member_stage(member, commit->error);
    if (rc == 0 && !member->now.unchanged)
        commit->foreseen = member->now.seat;
    return rc == 0 ? rest_if_many(commit, member) : rc;
}

static int stage_all(struct commit *commit)
{
    int rc = 0;
    commit->foreseen = NULL;
    for (size_t i = 0; rc == 0 && i < commit->count; i++)
        rc = stage(commit, commit->members[i]);
    return rc;
}

int commit_flush(struct commit *commit, bool inlined)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < commit->active_count; i++) {
        struct member *member = commit->active[i];
        if (member->now.inlined != inlined)
            continue;
        commit_blame(commit, member);
        rc = member_flush(member, commit->error);
        if (rc == 0)
            rc = rest_if_many(commit, member);
    }
    return rc;
}

/* The coordinator's members come first. */
static void choose_active(struct commit *commit)
{
    commit->active_count = 0;
    commit->coordinator = NULL;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; i < commit->count; i++) {
            struct member *member = commit->members[i];
            if (member->now.unchanged)
                continue;
            if (!commit->coordinator)
                commit->coordinator = member->now.seat;
            if ((member->now.seat != commit->coordinator) == (others == 1))
                commit->active[commit->active_count++] = member;
        }
    }
}

/* ---- one alone ---- */

/* [TXN-7] */
static int publish_alone(struct commit *commit, struct member *member)
{
    struct target *target = &member->now.target;
    commit_blame(commit, member);
    target->set = NULL; /* nor does its version say that it was replaced by a set */
    int os_rc = member_unstage(member);
    if (os_rc < 0)
        return os_rc == -ENOENT ? AGAIN : error_os(commit->error, os_rc, "stage the new version");
    int rc = commit_flush(commit, false);
    if (rc == 0)
        rc = recover_settle_slot(target, commit->error);
    if (rc == 0)
        rc = member_publish(member, commit->error);
    if (rc == 0)
        rc = replace_flush_name(target, commit->error);
    if (rc == 0)
        member_settle(member, commit->error);
    return rc;
}

/* ---- what would not change ---- */

typedef int unchanged_step(struct target *target, struct untorn_error *error);

static int for_unchanged(struct commit *commit, unchanged_step *step)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < commit->count; i++) {
        struct member *member = commit->members[i];
        if (!member->now.unchanged)
            continue;
        commit_blame(commit, member);
        int os_rc = target_wake(&member->now.target);
        rc = os_rc == 0 && target_is_current(&member->now.target)
                 ? step(&member->now.target, commit->error)
                 : 0; /* somebody replaced it just now: what he did is his */
        target_rest(&member->now.target);
    }
    return rc;
}

static int flush_unchanged(struct target *target, struct untorn_error *error)
{
    error->flags |= UNTORN_FLAG_UNCHANGED;
    return replace_flush_visible(target, error);
}

/* The others are new by now: it ends with 0 or not settled. [TXN-5] */
static int confirm_unchanged(struct commit *commit)
{
    unsigned flags = commit->error->flags;
    int rc = for_unchanged(commit, flush_unchanged);
    if (commit->active_count > 0)
        commit->error->flags = flags;
    return rc;
}

/* ---- all of it ---- */

static int prepare(struct commit *commit)
{
    int rc = open_all(commit);
    if (rc == 0)
        rc = lock_all(commit);
    if (rc == 0)
        rc = evaluate_all(commit);
    if (rc == 0)
        rc = refuse_links(commit);
    if (rc == 0)
        rc = stage_all(commit);
    if (rc == 0 && commit->terms->confirm)
        rc = commit->terms->confirm(commit->terms->context, commit->error);
    if (rc == 0 && commit->options->keep < 0) /* this may fail, and so comes first [TXN-1] */
        rc = for_unchanged(commit, replace_erase);
    return rc;
}

static int attempt(struct commit *commit)
{
    int os_rc = os_random(commit->id, sizeof commit->id);
    if (os_rc < 0)
        return error_os(commit->error, os_rc, "begin a commit");
    if (commit->terms->is_undo)
        record_mark_undo(commit->id);
    slot_id_text(commit->id, commit->id_text);
    int rc = prepare(commit);
    if (rc != 0)
        return rc;
    choose_active(commit);
    if (commit->active_count == 1)
        rc = publish_alone(commit, commit->active[0]);
    else if (commit->active_count > 1) {
        rc = commit_promise(commit);
        if (rc == 0)
            rc = commit_publish(commit);
    }
    return rc == 0 ? confirm_unchanged(commit) : rc;
}

/* What is not settled may count: recovery needs the stages. */
static void close_all(struct commit *commit, bool unsettled)
{
    for (size_t i = 0; i < commit->count; i++) {
        if (unsettled)
            commit->members[i]->now.stage.named = false;
        member_close(commit->members[i]);
    }
    seats_close(&commit->seats);
}

static int run(struct commit *commit)
{
    for (int i = 0; i <= LIMIT_RESTARTS; i++) {
        int rc = attempt(commit);
        close_all(commit, rc > 0);
        if (rc != AGAIN)
            return rc;
    }
    return error_fail(commit->error, UNTORN_RESTLESS, NULL);
}

int commit_run(struct member **members, size_t count, const struct untorn_options *options,
               const struct commit_terms *terms, struct untorn_error *error)
{
    struct commit commit = {
        .members = members,
        .count = count,
        .options = options,
        .terms = terms,
        .error = error,
        .deadline = lock_deadline(options),
        .flushes = options->level != UNTORN_CACHE,
        .targets = calloc(count + 1, sizeof *commit.targets),
        .active = calloc(count + 1, sizeof *commit.active),
    };
    int rc =
        commit.targets && commit.active ? run(&commit) : error_fail(error, UNTORN_NO_MEMORY, NULL);
    free(commit.targets);
    free(commit.active);
    return rc;
}
