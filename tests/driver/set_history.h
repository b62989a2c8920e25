/* What many processes did to overlapping sets of files, and whether that was possible.
 *
 * There are five files, each a list of tokens. A commit adds its token to all files of one of two
 * sets that share a file; an update adds its token to one file. Reads take a set at one moment.
 *
 *   1  a token is in all files of its operation, or in none; exactly once
 *   2  every acknowledged token is there, none of a failed operation
 *   3  two commits of one set stand in the same order in all its files
 *   4  no operation ended before one that stands ahead of it in a list began
 *   5  every read saw, in each file, a beginning of its final list, and the same commits in all
 *   6  a read has every token that was acknowledged before it began
 *   7  a read calls the set edited only if an update was the last to change one of its files
 */
#ifndef DRIVER_SET_HISTORY_H
#define DRIVER_SET_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "history.h"

enum { SET_FILES = 5, SET_MEMBERS = 3, SETS = 2 };

extern const char *const set_files[SET_FILES];   /* paths */
extern const int set_members[SETS][SET_MEMBERS]; /* indexes of files */

/* What an operation is about, kept beside its entry in the history. */
struct set_operation {
    int set;                   /* 0, 1; -1: a single file */
    int file;                  /* that one */
    size_t sizes[SET_MEMBERS]; /* a read: what it saw of each */
    uint64_t hashes[SET_MEMBERS];
    bool edited; /* a read: it was told so */
};

struct set_verdict {
    long commits, updates, reads, acknowledged, failed, in_doubt, in_doubt_applied;
    long lost, torn_sets, doubled, phantoms, out_of_order, mixed_reads, stale_reads, failed_reads;
    long edited_reads, falsely_edited; /* reads that were told so, and those of rule 7 */
};

/* `data` and `sizes` are the final lists. True if no rule is broken. */
bool set_history_judge(const struct history *history, const struct set_operation *operations,
                       char *const data[SET_FILES], const size_t sizes[SET_FILES],
                       struct set_verdict *ret);

#endif
