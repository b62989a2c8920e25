#include "txn/finish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/io.h"
#include "file/kept.h"
#include "file/remove.h"
#include "file/replace.h"

/* ---- judging ---- */

/* Whether the content has that hash; of a file that we may not read that cannot be known. */
static int has_content(const struct target *target, uint64_t size, const struct untorn_hash *hash,
                       bool *ret_has)
{
    struct untorn_hash now;
    *ret_has = false;
    if (target->stat.kind != OS_REGULAR || target->stat.size != size)
        return 0;
    int rc = target->readable ? io_hash(target->hold, 0, size, &now) : -EACCES;
    if (rc == 0)
        *ret_has = untorn_hash_equal(&now, hash);
    return rc == -ESTALE ? 0 : rc;
}

static int is_before(const struct target *target, const struct slot_member *member, bool *ret_is)
{
    *ret_is = false;
    if (member->kind == SLOT_CREATE || !target->exists) {
        *ret_is = member->kind == SLOT_CREATE && !target->exists;
        return 0;
    }
    bool could_be = target->stat.kind == OS_REGULAR || target->stat.kind == OS_SYMLINK;
    if (!could_be || target->stat.inode != member->before.inode ||
        target->stat.born != member->before.born)
        return 0;
    if (member->before.hashed)
        return has_content(target, member->before.size, &member->before.hash, ret_is);
    *ret_is = target->stat.size == member->before.size;
    return 0;
}

static int is_after(const struct target *target, const struct slot_member *member, bool *ret_is)
{
    *ret_is = member->kind == SLOT_REMOVE && !target->exists;
    if (member->kind == SLOT_REMOVE || !target->exists)
        return 0;
    return has_content(target, member->after.size, &member->after.hash, ret_is);
}

/* [FINISH-1] Before comes first: a commit may change only the mode. */
int finish_judge(const struct target *target, const struct slot_member *member,
                 enum standing *ret_standing)
{
    bool before, after = false;
    int rc = is_before(target, member, &before);
    if (rc == 0 && !before)
        rc = is_after(target, member, &after);
    *ret_standing = before ? STANDS_BEFORE : after ? STANDS_AFTER : STANDS_ELSE;
    return rc;
}

/* ---- the new version ---- */

/* [FINISH-4] */
static bool is_ours_to_give(const struct os_stat *stage, const struct target *target,
                            const struct seat *seat, const struct slot_member *member)
{
    uint32_t maker = seat->file.stat.owner;
    bool given = maker == 0 && (stage->owner == member->after.owner ||
                                (target->exists && stage->owner == target->stat.owner));
    return stage->links == 1 && (stage->owner == maker || given);
}

/* Its maker may write it anyway, or anybody read it: who moved somebody else's file there is not to
 * have a copy. */
static bool may_be_copied(const struct os_stat *stage, const struct seat *seat)
{
    return slot_maker_is_trusted(&seat->file.stat, &seat->place, stage) || (stage->mode & 004);
}

/* Under a name that no slot knows: that of the lock may be the stage's own. [STAGE-4] */
static int copy_stage(struct target *target, struct stage *stage)
{
    lock_note_stages(&target->lock, true);
    return stage_renew(stage, &target->state, target->place.name, stage->open_mode);
}

/* The stage that the slot names, as it lies there, or a copy. Its name stays if nothing comes of
 * it: it may be the only one. -EMLINK: it is somebody else's. */
static int adopt_stage(struct target *target, const struct seat *seat,
                       const struct slot_member *member, struct stage *stage)
{
    struct untorn_hash hash;
    struct os_stat own;
    *stage = (struct stage)STAGE_CLOSED;
    if (!*member->stage)
        return -ENOENT;
    stage->folder = target->state.parent;
    stage->borrowed = true;
    stage->open_mode = replace_wants_open_mode(target->options, target->exists);
    state_path(&target->state, FOLDER_STAGE, member->stage, stage->name);
    /* It may have a second name in history. [PAST-5] */
    int rc = io_open(stage->folder, stage->name, OS_READ | OS_WRITE, 0, &stage->file);
    if (rc == 0)
        rc = os_stat(stage->file, NULL, &own);
    if (rc == 0 && (own.kind != OS_REGULAR || own.size != member->after.size))
        rc = -ENOENT;
    stage->size = member->after.size;
    bool copied = rc == 0 && !is_ours_to_give(&own, target, seat, member);
    if (copied && !may_be_copied(&own, seat))
        rc = -EMLINK;
    else if (copied)
        rc = copy_stage(target, stage);
    if (rc == 0) /* of the copy, where there is one: nobody else can change that */
        rc = io_hash(stage->file, 0, member->after.size, &hash);
    if (rc == 0 && !untorn_hash_equal(&hash, &member->after.hash)) /* [FINISH-2] */
        rc = -ENOENT;
    return rc == -ESTALE || rc == -ELOOP ? -ENOENT : rc;
}

/* Made from the slot's bytes: what lies in the way of that name is the dead one's. [STAGE-4] */
static int make_stage(struct target *target, const struct seat *seat,
                      const struct slot_member *member, struct stage *stage)
{
    char *data;
    *stage = (struct stage)STAGE_CLOSED;
    int rc = slot_read_bytes(seat->file.fd, member, &data);
    if (rc < 0)
        return rc;
    rc = replace_begin(target, stage);
    if (rc == 0)
        rc = stage_write(stage, data, (size_t)member->after.size);
    free(data);
    return rc;
}

static int open_stage(struct target *target, const struct seat *seat,
                      const struct slot_member *member, struct stage *stage)
{
    return member->inlined ? make_stage(target, seat, member, stage)
                           : adopt_stage(target, seat, member, stage);
}

/* ---- conflicts ---- */

int finish_keep_aside(struct target *target, const struct seat *seat,
                      const struct slot_member *member, const char *reason,
                      struct untorn_error *error)
{
    char entry[LIMIT_NAME + 1];
    struct stage stage = STAGE_CLOSED;
    struct state *state = &target->state;
    const char *name = target->place.name;
    error->flags |= UNTORN_FLAG_CONFLICT_KEPT;
    if (member->kind == SLOT_REMOVE)
        return 0;
    int rc = open_stage(target, seat, member, &stage);
    if (rc == 0)
        rc = kept_add(state, "conflict", name, stage.file, 0, stage.size, entry);
    else if ((rc == -EACCES || rc == -EMLINK) && !member->inlined) /* another's [FINISH-5] */
        rc = kept_move(state, "conflict", name, FOLDER_STAGE, member->stage, entry);
    if (rc == 0)
        error_detail(error, "%s %s; the new version is %s/kept/%s", name, reason, state->name,
                     entry);
    stage_close(&stage);
    if (rc == -ENOENT && !member->inlined) /* it was removed: there is nothing to keep */
        return 0;
    return rc == -ENOENT ? AGAIN : rc < 0 ? error_os(error, rc, "keep the new version aside") : 0;
}

/* ---- making it so ---- */

/* What the maker of the slot may decide: the mode of his own file, or of a new one. */
static unsigned mode_for(const struct target *target, const struct seat *seat,
                         const struct slot_member *member)
{
    uint32_t maker = seat->file.stat.owner;
    bool own = maker == 0 || maker == os_user();
    if (member->kind == SLOT_CREATE)
        return own ? member->after.mode : member->after.mode & 0777;
    bool may = own || maker == target->stat.owner;
    return may && target->stat.mode != member->after.mode ? member->after.mode : 0;
}

/* [FINISH-6] What a new file is to have, of what `made` was before it was like any new file here.
 */
static uint32_t group_for(const struct seat *seat, const struct slot_member *member,
                          const struct os_stat *made, uint32_t otherwise)
{
    uint32_t maker = seat->file.stat.owner;
    bool his = !member->inlined && made->owner == maker;
    return maker == os_user() ? member->after.group : his ? made->group : otherwise;
}

/* A new file belongs to who committed it, though another finishes it. */
static int give_owner(const struct target *target, const struct seat *seat,
                      const struct slot_member *member, const struct stage *stage,
                      const struct os_stat *made)
{
    uint32_t maker = seat->file.stat.owner, owner = maker == 0 ? member->after.owner : maker;
    struct os_stat now;
    if (member->kind != SLOT_CREATE)
        return 0;
    int rc = os_stat(stage->file, NULL, &now);
    if (rc < 0)
        return rc;
    uint32_t group = group_for(seat, member, made, now.group);
    if (os_user() != 0)
        owner = now.owner;
    return owner == now.owner && group == now.group
               ? 0
               : os_give(stage->file, owner, group, target->options->mode);
}

static int replace(struct target *target, const struct seat *seat, const struct slot_member *member,
                   struct untorn_error *error)
{
    struct stage stage;
    struct os_stat made = {0};
    struct replacement replacement = {.target = target, .stage = &stage};
    int rc = open_stage(target, seat, member, &stage);
    if (rc == 0 && member->kind == SLOT_CREATE)
        rc = os_stat(stage.file, NULL, &made);
    if (rc == -ENOENT && !member->inlined) {
        stage_close(&stage);
        error->flags |= UNTORN_FLAG_CONFLICT_KEPT;
        return 0; /* its new version was removed by somebody: what is there stays */
    }
    if (!member->inlined && rc == -EMLINK) {
        stage_close(&stage);
        return finish_keep_aside(target, seat, member, "has no new version of its own", error);
    }
    if (rc < 0)
        rc = rc == -ENOENT ? AGAIN : error_os(error, rc, "stage the new version");
    else
        rc = replace_prepare(&replacement, error);
    if (rc == 0) {
        int os_rc = give_owner(target, seat, member, &stage, &made);
        rc = os_rc < 0 ? error_os(error, os_rc, "give the new version its owner") : 0;
    }
    if (rc == 0)
        rc = replace_flush(&replacement, error);
    if (rc == 0)
        rc = replace_publish(&replacement, error);
    stage_close(&stage);
    return rc;
}

int finish_member(struct target *target, struct untorn_options *options, const struct seat *seat,
                  const struct slot_member *member, struct untorn_error *error)
{
    enum standing standing;
    int rc = finish_judge(target, member, &standing);
    if (rc < 0)
        return error_os(error, rc, "read it to compare");
    if (standing == STANDS_AFTER)
        return 0;
    if (standing == STANDS_ELSE)
        return finish_keep_aside(target, seat, member, "was changed meanwhile", error);
    if (member->kind == SLOT_REMOVE)
        return remove_publish(target, error);
    options->mode = mode_for(target, seat, member);
    options->keep_inode = member->in_place;
    return replace(target, seat, member, error);
}
