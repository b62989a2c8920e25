/* Keeping the version that is being replaced.
 *
 * The new version is put under the name that the old one is to have in history, and then the two
 * swap: the old one is kept and the new one in place in one step, which the one flush of the user's
 * directory makes durable. Where the file system cannot swap names, the old version gets a second
 * name in history in the instant before it loses the first one; where it has no second names
 * either, where the file has another name already, and where it is overwritten in place, it is
 * copied. What a crash leaves, step by step:
 *
 *   1 stage under the entry's name   the old version, and an entry without the inode and content
 *                                    that it names: litter [VERSIONS-1]
 *   2 swapped                        kill: the new version, the old one kept. Power loss: that, or
 *                                    the state after step 1 or before it. If only the swap is
 *                                    durable, the stage's old name is a second name of the new
 *                                    version, which is swept as any stage
 *   3 directory flushed              the new version, the old one kept
 *   4 older versions removed         the same, without them
 *
 *   PAST-1  A version that is to be kept is durable in the step that replaces it, or before.
 *   PAST-2  Nothing is removed from history before what replaces it is durable, by the level.
 *   PAST-3  The same content is kept once, and what is equal to the new version not at all.
 *   PAST-4  No version is more open than the file is now. (One that somebody gave another name is
 *           left as it is: it may be his file, and is closed to others by its folder [PAST-7].)
 *   PAST-5  A part of a commit of several files whose bytes are not in the commit's journal keeps
 *           its stage's name until the swap is durable: the journal knows it by that, and it is the
 *           only copy. Whoever has the stage removes the name after the directory was flushed.
 *   PAST-6  The name of an entry is its maker's alone for as long as he holds the file's lock, as
 *           that of a stage is [STAGE-4]: also when somebody removes our folder and another process
 *           holds a newer lock, neither swaps in what the other has staged. What the next holder
 *           finds under such a name is a dead one's.
 *   PAST-7  Nobody lists the versions who may not read the file and each of them: their names are
 *           hashes. (Where the folder belongs to the file's owner: closed to others, another's
 *           would be closed to him.)
 *   PAST-8  Of more versions than are wanted the one that the file has become again goes first (a
 *           restore and a commit of several files know it), then the oldest.
 *
 *   PAST-9  What goes back to an earlier version does not lose the present one: a restore or an
 *           undo that cannot keep it fails. With a keep of UNTORN_KEEP_NONE nothing is wanted.
 *   PAST-10 Nor does it lose the version that it brings back: where none is to stay that one goes
 *           when the file has its content, durably. (Of a commit of several files the journal and
 *           the stages have it.)
 *
 * That a version cannot be kept does not stop any other write, unless it was asked for with
 * `strict`.
 *
 *     past_stage(...)                                         where it can be: no rename in step 1,
 *                                                             which then comes when it is staged
 *     rc = past_begin(&past, target, stage, error);           step 1
 *     ... under the directory's lock: if (past.staged) past_swap(...) else rename ...
 *     past_done(&past);                                       or past_give_up(&past, stage)
 *     ... flush the directory ...
 *     past_settle(&past, target, error);                      step 4; closes
 */
#ifndef UNTORN_FILE_PAST_H
#define UNTORN_FILE_PAST_H

#include "file/stage.h"
#include "file/target.h"
#include "file/versions.h"

struct past {
    bool open; /* `versions` is */
    struct versions versions;
    uint32_t next;      /* the upper half of its number */
    struct version own; /* of the version being kept */
    bool staged;        /* the stage lies under its name */
    bool linked;        /* and under its own [PAST-5] */
    bool made_there;    /* it never had another */
    bool entered;       /* it is there already, as a copy or a second name */
    bool kept;
    bool narrowed; /* its folder was too open for the file, which was closed since */
    bool acl_went; /* versions may have an ACL that the file has no more */
    int failed;    /* a negative errno value: past_stage could not */
};

#define PAST_CLOSED                                                                                \
    {                                                                                              \
        .versions = VERSIONS_CLOSED                                                                \
    }

/* Whether what is replaced will be kept, so that its hash is needed. */
bool past_is_wanted(const struct target *target);

/* Begins the stage for new content that is all there, and for a file that would be replaced by
 * rename, under the entry's own name: for step 1 nothing is left to do. `mode` as for
 * stage_begin_locked. False if it cannot be done so: then it is to be begun as usual. What failed
 * is not tried again (a flush would lie): past_begin tells it. */
bool past_stage(struct past *past, struct target *target, const void *data, size_t size,
                unsigned mode, struct stage *ret_stage);

/* Gives a stage that past_stage began the name that stage_begin_locked would have given it, for
 * step 1 to come; any other stage stays as it is. 0 or a negative errno value. */
int past_unstage(struct past *past, struct target *target, struct stage *stage);

/* Step 1, unless it is done, or the copy where it cannot be done so. 0, AGAIN or a failure. */
int past_begin(struct past *past, struct target *target, struct stage *stage,
               struct untorn_error *error);

/* Whether that, or any other way to keep it, would be a failure: for who cannot go back when it is
 * time for it. Where a version must be kept its entry is tried out. 0, AGAIN or a failure. */
int past_foresee(struct past *past, struct target *target, struct untorn_error *error);

/* For a file that is overwritten in place, or otherwise stays: the copy. */
int past_begin_copy(struct past *past, struct target *target, os_fd replacement, uint64_t size,
                    struct untorn_error *error);

/* Step 2. As os_rename returns. */
int past_swap(const struct past *past, const struct target *target);

/* After -EINVAL of that, without the directory's lock: the second name, or the copy. A plain rename
 * of the stage, which has its own name again, is then all that is left to do. */
int past_fall_back(struct past *past, struct target *target, struct stage *stage,
                   struct untorn_error *error);

/* The file was replaced. */
void past_done(struct past *past);

/* It was not: what step 1 did is undone, and the stage has its own name again, if it has any. */
void past_give_up(struct past *past, struct stage *stage);

/* It is not known whether it was: all stays as it is, for the next writer to see. */
void past_leave(struct past *past, struct stage *stage);

/* Step 4, after the directory was flushed. Accepts a closed one. */
void past_settle(struct past *past, struct target *target, struct untorn_error *error);

/* Without step 4: the next writer does it. Accepts a closed one. */
void past_close(struct past *past);

/* Takes the user's name from a file that is locked and looked at, and keeps it as a version: one
 * rename, while it is what was looked at [LOCK-2]. The directory is flushed by the caller, then
 * past_prune. 0, AGAIN or a failure. */
int past_keep_removed(struct target *target, struct untorn_error *error);

/* Step 4 for who kept several files' versions, flushed, and has this one not open any more. */
void past_prune(struct target *target, struct untorn_error *error);

/* Removes all versions, durably by the level. */
int past_erase(struct target *target, struct untorn_error *error);

#endif
