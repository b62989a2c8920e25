/* Replacing one file whole: the protocol.
 *
 * A new version is staged beside the file, made durable, and renamed onto the name; then the name
 * is made durable. The steps, and what a crash after each leaves:
 *
 *   1 stage created, written    the old version; a stage that the next writer removes
 *   2 locked, conditions met    the same
 *   3 owner, mode, ACL, ...     the same; of damaged content a copy [QUARANTINE-1]
 *   4 stage flushed             the same
 *   5 checked [LOCK-2]          the same
 *   6 renamed                   kill: the new version. power loss: the old or the new one
 *   7 directory flushed         the new version
 *   8 older versions removed    the same
 *
 * The version that is replaced is kept in history by step 6 itself: file/past.h.
 *
 * Content that comes in pieces is staged without the lock, for its writer may take its time. What
 * is whole already is staged under the lock: step 2 comes before step 1.
 *
 *   REPLACE-1  The name is at every moment the whole old or the whole new version: the only change
 *              to it is one rename.
 *   REPLACE-2  At durable and ordered, the new version's content and metadata are flushed before
 *              the rename, so that no crash can show the name with anything less.
 *   REPLACE-3  At durable, done is said only after the directory was flushed. A failure of that
 *              flush is "not settled", for the new version is already visible.
 *   REPLACE-4  Until the rename, every failure leaves the old version and removes the stage.
 *   REPLACE-5  Metadata is given through the descriptor, before the rename, never by name after it.
 *   REPLACE-6  Unchanged is said only after what is visible was flushed.
 *   REPLACE-7  Between steps 4 and 6 it is noted which file is to get the name, if others' updates
 *              are in it. [BATCH-2]
 *   REPLACE-8  What is removed is the version that was replaced and nothing else: at cache, where
 *              it leaves by a swap with the stage, it is looked at before.
 */
#ifndef UNTORN_FILE_REPLACE_H
#define UNTORN_FILE_REPLACE_H

#include "file/past.h"
#include "file/stage.h"
#include "file/target.h"

/* Steps 2 to 8 for a target that is locked and looked at. On AGAIN the stage still has the content.
 * As the public calls return; or, of a target with a batch, REPLACE_ALONE: nothing has changed, for
 * rename cannot serve, and who dies in the midst of an overwrite could not be judged. */
int replace_commit(struct target *target, struct stage *stage, struct untorn_error *error);

/* The same in three parts, for whoever has something to do in between: several files at once.
 *
 * replace_prepare: conditions, owner, mode, ACL: steps 2 and 3. REPLACE_UNCHANGED: the file has
 * this content already, and replace_confirm is all that is left to do. replace_flush: step 4.
 * replace_publish: steps 5 and 6. AGAIN: the file or its lock is no longer what it was, nothing
 * changed. Step 7, replace_flush_name, is left to the caller; then step 8: past_settle of `past`
 * while that is open, else past_prune. */
enum { REPLACE_UNCHANGED = 1, REPLACE_ALONE };
struct replacement {
    struct target *target;
    struct stage *stage;   /* may be renewed by replace_prepare */
    struct past *past;     /* the stage was begun through it, or it is closed; NULL: such a one */
    bool alone;            /* one file, of which no journal knows */
    bool in_place;         /* rename cannot serve: publish overwrites through its own journal */
    bool needs_nothing;    /* the stage was made with all that the file has, no ACL or attribute */
    struct os_stat staged; /* what it then is */
};
int replace_prepare(struct replacement *replacement, struct untorn_error *error);

/* After it, for who must not fail later, where others are in place already: what replace_publish
 * would be denied, as far as that can be known. AGAIN as there. `beside`: one of the same
 * directory was looked at so before it. */
int replace_foresee(struct replacement *replacement, bool beside, struct untorn_error *error);
int replace_flush(struct replacement *replacement, struct untorn_error *error);
int replace_publish(struct replacement *replacement, struct untorn_error *error);

/* Begins a stage under the lock, to be filled and committed. 0 or a negative errno value: -ENOENT
 * means to start over. */
int replace_begin(struct target *target, struct stage *ret_stage);

/* The same for content that is all there: in history already, where past_stage can. */
int replace_begin_content(struct target *target, const void *data, size_t size, struct past *past,
                          struct stage *ret_stage);

/* Stages `data` and commits it: steps 1 to 8, all under the lock. */
int replace_content(struct target *target, const void *data, size_t size,
                    struct untorn_error *error);

/* Whether a stage gets its mode from the umask: for a name that is no file yet. */
bool replace_wants_open_mode(const struct untorn_options *options, bool is_file);

/* Makes what is visible durable, by the level; for "unchanged". [REPLACE-6] */
int replace_confirm(struct target *target, struct untorn_error *error);

/* Its two parts, for whoever changes other files in between. What is not to be kept goes, which may
 * fail; and the flush, which ends with 0 or not settled. */
int replace_erase(struct target *target, struct untorn_error *error);
int replace_flush_visible(struct target *target, struct untorn_error *error);

/* Removes the name of the file `made` by this call, if nothing came of it: it is empty and still
 * has the name. Durably, by the level. 0 or a negative errno value. */
int replace_take_back(struct target *target, os_fd made);

/* Step 7. */
int replace_flush_name(struct target *target, struct untorn_error *error);

#endif
