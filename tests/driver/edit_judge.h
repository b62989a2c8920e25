/* Whether what happened to the files of an edit storm in an epoch was possible. To the rules 1 to 6
 * of history.h come
 *
 *   7  each update ended as it may: a good one with 0, a bad one with its own status; with "not
 *      obtained" only an impatient one, and not before its wait is over; with "not settled", or
 *      "kept changing", or "no place for the lock" only where untorn's folder is removed
 *   8  the edits of one update are there together or not at all, in every read and at the end
 *   9  one update later nothing is left over beside the files
 *  10  no operation of a process that is neither dead nor stopped takes longer than its wait and
 *      the grace in the orders; no process ends by itself
 */
#ifndef DRIVER_EDIT_JUDGE_H
#define DRIVER_EDIT_JUDGE_H

#include "edit_shared.h"

enum { EDIT_RULES = 11 };

struct edit_verdict {
    long updates, acknowledged, refused, late, unsettled, in_doubt, in_doubt_applied, reads;
    long broken[EDIT_RULES]; /* how often, by the number of the rule */
};

/* Judges all files of the epoch, when all are parked, and adds it up. The first that broke rules
 * 1, 2, 5 and 7 are told on standard error. */
void edit_judge(struct edit_shared *shared, struct edit_verdict *verdict);

bool edit_verdict_is_good(const struct edit_verdict *verdict);
void edit_verdict_print(const struct edit_verdict *verdict); /* the broken rules, if any */

#endif
