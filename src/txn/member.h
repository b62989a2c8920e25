/* One file of a transaction: what is to be done with it, and how far that is.
 *
 * A member lives as long as its transaction. What is below `attempt` is of one try to commit, and
 * gone with member_close.
 */
#ifndef UNTORN_TXN_MEMBER_H
#define UNTORN_TXN_MEMBER_H

#include "file/options.h"
#include "file/replace.h"
#include "txn/operation.h"
#include "txn/seat.h"

struct member {
    struct owned_options given;
    struct operation *operations; /* in order */
    bool keeps;                   /* as target.keeps */
    bool comes_back; /* if it is not there, it is made like its version of that content */

    struct { /* attempt */
        struct seat *seat;
        bool opened;
        bool stays_open; /* unless the set is too large for that */
        struct target target;
        bool beside; /* another that changes in its directory was staged before it */
        bool removes;
        bool inlined;     /* its slot holds the new bytes */
        bool unchanged;   /* nothing to do but to make sure that what is there is durable */
        const char *data; /* the new content, borrowed or `made`; of a file that stays one */
        size_t size;
        struct untorn_hash hash; /* of the new content */
        char *made;
        struct stage stage;
        struct past past; /* open from when its version is kept, or staged there, until settled */
        struct os_stat staged;
        bool plain; /* the stage has neither an ACL nor attributes */
        struct replacement replacement;
    } now;
};

/* NULL: no memory. The options are those of the member, with what the transaction's say. */
struct member *member_new(const char *path, const struct untorn_options *options,
                          const struct untorn_options *all);
void member_free(struct member *member);

/* Later options take the place of earlier ones. false: no memory. */
bool member_set_options(struct member *member, const struct untorn_options *options,
                        const struct untorn_options *all);

/* For what goes on from what was to be done before, and does not take its place: adds to its
 * options the conditions of that, and what keeps the file as private. -UNTORN_CHANGED: each wants
 * the file to be something else, so it is not what one of them expected. */
int member_go_on(const struct member *member, struct untorn_options *options,
                 struct untorn_error *error);

/* Forgets what was to be done. */
void member_forget(struct member *member);

/* Does more; takes the operation over. */
void member_add(struct member *member, struct operation *operation);

/* Resolves and opens, sharing what can be. `neighbour` is another one that was opened, or NULL: it
 * saves most of that if both paths name the same directory. */
int member_open(struct member *member, const struct member *neighbour, struct seats *seats,
                struct untorn_error *error);

/* What the file is to become, with its lock held; calls the functions. */
int member_evaluate(struct member *member, struct untorn_error *error);

/* Stages the new version, or finds that there is nothing to do: replace_prepare; and looks for what
 * would keep member_publish from its work. [TXN-8] */
int member_stage(struct member *member, struct untorn_error *error);

/* Gives a stage that was made in history its name in stage/. 0 or a negative errno value. */
int member_unstage(struct member *member);

/* A hint that member_flush will come. One that does not stay open got it when it was staged. */
void member_flush_soon(struct member *member);

/* Makes the staged version durable; at the levels that flush. */
int member_flush(struct member *member, struct untorn_error *error);

/* The name becomes the new version, or goes. AGAIN: nothing changed. */
int member_publish(struct member *member, struct untorn_error *error);

/* The last step, when all is durable: the versions that are too many go. */
void member_settle(struct member *member, struct untorn_error *error);

/* For sets that are too large to keep all open. */
int member_rest(struct member *member);

/* Closes and removes what an attempt left. Can run twice. */
void member_close(struct member *member);

/* What the slot says of it, but for where the bytes are. */
void member_describe(const struct member *member, struct slot_member *ret_record);

#endif
