/* What the last commits of several files were made of, so that files of which some are from before
 * a commit are told from files that were edited after it.
 *
 * A record is .untorn/set/<32 digits> in each directory of the commit (txn/remember.h), drawn in
 * docs/format/layout.md; the digits stand for the list of members that the commit changed, or for
 * all of one that changed none, so that a commit that changes the same files overwrites the record
 * of the one before it, and no other does. It names directories relative to its own: a tree that
 * was moved or copied keeps its records.
 *
 *   RECORD-1  A record only ever explains: nothing is written, removed or served because of it, but
 *             by an undo, or kept from it, for which see TOGETHER-3 in history/together.h.
 *   RECORD-2  It is written under the slot's lock, after all members are in place, and not flushed.
 *             One that is torn counts as none. One that a power loss brought back is older than the
 *             slot beside it, which was flushed: who reads it looks at that too. (txn/view.c)
 *   RECORD-3  It may be read by nobody who may not read every member: it holds their hashes.
 */
#ifndef UNTORN_TXN_RECORD_H
#define UNTORN_TXN_RECORD_H

#include <untorn/hash.h>

#include "file/state.h"

enum { RECORD_ID = 16, RECORD_HEAD = 64 };

struct record_member {
    const char *directory; /* physical, absolute */
    const char *name;
    bool was, is;                     /* there before, and after */
    struct untorn_hash before, after; /* zero where it was not, or is not, there */
};

struct record {
    unsigned char id[RECORD_ID]; /* of the commit */
    uint64_t sequence;           /* of the slot beside it */
    int64_t time;                /* seconds since 1970 */
    size_t count;
    struct record_member *members; /* sorted: by directory, then name */
    char *texts;                   /* what they point into, if it was read; else NULL */
    struct untorn_hash list;       /* stands for those that changed, if it was read */
    struct os_stat made;           /* its file, if it was read: who says so */
};

/* After a commit: `state` is that of a `directory` that took part, `members` are all of them in
 * any order, also those whose content did not change. `mode` is the reading and writing that all of
 * them grant by their modes, to the group only if theirs is the directory's. record->time is
 * ignored. 0 or a negative errno value; the commit counts in any case. */
int record_write(struct state *state, os_fd directory, const struct record *record, unsigned mode);

/* Those that are there and name one of these members, which get sorted, grant no more than `mode`
 * from now on, or go. [NARROW-1] `visit`, unless NULL, is called for the directories they name. */
void record_narrow(struct state *state, os_fd directory, const struct record *record, unsigned mode,
                   void (*visit)(void *context, const char *directory), void *context);

/* The record of one commit. 0, -ENOENT, ... Free it. */
int record_find(struct state *state, os_fd directory, const unsigned char id[RECORD_ID],
                struct record *ret_record);

/* All there are that can be read, newest first; no folder of ours is none. Free the list. */
struct record_list {
    struct record *records;
    size_t count;
};
int record_load(struct state *state, os_fd directory, struct record_list *ret_list);

/* All three accept what is zeroed, and can run twice. */
void record_free(struct record *record);
void record_free_list(struct record_list *list);

/* Its name in set/, if it was read. */
void record_entry(const struct record *record, char entry[LIMIT_NAME + 1]);

/* The order of members, for qsort. */
int record_compare_members(const void *left, const void *right);

/* Whether the commit changed what is in the file, or made or removed it. */
bool record_changes(const struct record_member *member);

/* What a member is now: `hash` is that of its content, or NULL if there is no such file. */
enum record_match {
    RECORD_NEITHER, /* edited since */
    RECORD_BEFORE,
    RECORD_AFTER,
    RECORD_SAME, /* the commit did not change it, and it is still so */
};
enum record_match record_match(const struct record_member *member, const struct untorn_hash *hash);

/* The id of a commit is random; of one that takes another back the second half is made of the
 * first, so that all that has it can tell, also for who finishes what a dead process left. */
void record_mark_undo(unsigned char id[RECORD_ID]);
bool record_is_undo(const unsigned char id[RECORD_ID]);

/* ---- as bytes ---- */

/* `directory` is the physical path of where the record lies. New bytes, or NULL without memory; a
 * path that is too long or relative gives NULL too. Sorts the members. */
unsigned char *record_encode(struct record *record, const char *directory, size_t *ret_size);

/* Of encoded bytes: stands for the names of those that changed, so that the next commit that
 * changes the same files has the same; if none did, for all of them and for that. */
struct untorn_hash record_list_hash(const unsigned char *data);

/* Of the first bytes of a record, whole or not; 0 if they are no such. */
uint64_t record_sequence(const unsigned char head[RECORD_HEAD]);

/* 0; -ENODATA for anything that record_encode did not make; -ENOMEM. */
int record_decode(const unsigned char *data, size_t size, const char *directory,
                  struct record *ret_record);

#endif
