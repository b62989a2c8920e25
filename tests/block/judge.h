/* Whether what is found after a power loss may be there.
 *
 * The marks in the log say which updates had begun and what their callers had been told; from that
 * follows which versions the files may have. Then, on the mounted file system:
 *
 *   1 as it is, each file is one whole version that it may have (not those that are overwritten in
 *     place, nor logs)
 *   2 read through untorn, all files are of one version that they may have
 *   3 untorn check --repair leaves nothing open, and the files are of that version for every reader
 *   4 a second repair changes nothing
 *   5 nothing is left over, and every version in the history is whole
 *   6 the next call works, and finds that version (of some states: it takes as long as all else)
 */
#ifndef BLOCK_JUDGE_H
#define BLOCK_JUDGE_H

#include "scenario.h"

/* What may be there. */
struct expected {
    uint64_t settled;         /* bit k: the files may be as after update k */
    uint64_t before[UPDATES]; /* bit k of before[n]: they may have been so when update n began */
    uint64_t begun;           /* bit k: update k had begun, and no more is known of it */
    unsigned done[CROWD], tried[CROWD]; /* of a crowd: updates that are surely, perhaps there */
};

void expected_begin(struct expected *expected);

/* `text` is a mark of block_work. */
void expected_mark(struct expected *expected, const struct work *work, const char *text);

enum judge_how {
    JUDGE_ALL,
    JUDGE_BUT_NEXT, /* 1 to 5 */
    JUDGE_PLAIN,    /* without recovery, as a program that knows nothing of untorn: a control */
};

/* The files are where we stand. NULL: all is well; else what is wrong. Borrowed. */
const char *judge(const struct work *work, const struct expected *expected, enum judge_how how);

#endif
