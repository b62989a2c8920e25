/* Several files at once: the protocol.
 *
 * The steps, and what a power loss (or a kill) after each leaves once recovery (txn/recover.h) has
 * run:
 *
 *   1 all members locked, in order                       all old
 *   2 functions called, conditions met                   all old
 *   3 every new version staged; of what would not
 *     change the versions gone that are not to stay      all old; stages that get swept
 *   4 slots of all directories but one PREPARED and
 *     flushed, and all versions that are in no slot      all old
 *   5 the coordinator's slot COMMITTED                   all old, or all new
 *   6 that slot flushed: the commit point                all new
 *   7 the other versions flushed, members renamed or
 *     removed                                            all new
 *   8 every directory flushed                            all new
 *   9 slots DONE: participants, then the coordinator     all new
 *
 *   TXN-1  Until step 6 is over no member has changed, and every failure leaves all of them as they
 *          were: what was promised in slots is withdrawn.
 *   TXN-2  Before step 5 all that recovery would need is durable: what each participant is to do,
 *          and the new content of every member, in a slot or in a flushed stage with a durable
 *          name.
 *   TXN-3  Members change only after the flush of step 6 returned, and every new version is durable
 *          by then; a slot becomes DONE only after every directory was flushed. So that no slot
 *          says less than has happened.
 *   TXN-4  DONE is not flushed: COMMITTED may come back. Then every member is durably new, or was
 *          changed by somebody after DONE was durable. [RECOVER-6]
 *   TXN-5  If nothing has changed yet when a member cannot be, the commit is withdrawn: the
 *          coordinator's slot durably says so. Later than that it counts, and is "not settled".
 *   TXN-6  A member that somebody else changed after step 6 stays as he left it, its new version is
 *          kept aside, and the outcome says so.
 *   TXN-7  What would not change is not part of the commit; one file alone is replaced without a
 *          slot, after DONE was made durable. [RECOVER-6]
 *   TXN-8  What would be denied after step 6 and can be known before is a failure of step 3: a file
 *          that is to be overwritten in place is opened for writing, a version that must be kept
 *          has its entry tried out, a directory may be changed and is not marked immutable.
 *
 * At level cache the same without any flush: all or none against kill only.
 */
#ifndef UNTORN_TXN_COMMIT_H
#define UNTORN_TXN_COMMIT_H

#include "txn/member.h"

/* What an undo asks beyond its members. Zeroed: nothing. */
struct commit_terms {
    bool is_undo; /* the id is to say so [TOGETHER-4] */
    /* With all locks held, before step 4: whether it may be. 0 or a failure; or NULL. */
    int (*confirm)(void *context, struct untorn_error *error);
    void *context;
};

/* One try. */
struct commit {
    struct member **members;
    size_t count;
    const struct untorn_options *options;
    const struct commit_terms *terms;
    struct untorn_error *error;
    uint64_t deadline;
    bool flushes;

    struct seats seats;
    struct target **targets;
    struct member **active; /* those that change, the coordinator's first */
    size_t active_count;
    struct seat *coordinator;
    const struct seat *foreseen; /* the last whose directory was asked [TXN-8] */
    unsigned char id[SLOT_ID];
    char id_text[SLOT_ID_TEXT];
};

/* All of it. As untorn_transaction_commit returns. */
int commit_run(struct member **members, size_t count, const struct untorn_options *options,
               const struct commit_terms *terms, struct untorn_error *error);

/* Waits for the new versions whose bytes are in slots, or for those whose are not. All are on their
 * way to the disk by then: those behind the first find most of their work done. */
int commit_flush(struct commit *commit, bool inlined);

/* Steps 4 to 6, in txn/promise.c. AGAIN: start over, nothing changed. */
int commit_promise(struct commit *commit);

/* Takes it back: the coordinator's slot durably does not commit. 0, or not settled. [TXN-5] */
int commit_withdraw(struct commit *commit);

/* Steps 7 to 9, in txn/publish.c. AGAIN: withdrawn, nothing changed. */
int commit_publish(struct commit *commit);

/* What follows is about this member. */
void commit_blame(struct commit *commit, const struct member *member);

#endif
