/* What many writers and readers of one file did, and whether that was possible.
 *
 * The file is a list of tokens, one a line. Each operation reads the list and adds its own token,
 * which is the number of its slot in the history. The history lies in memory that all processes
 * share, so a process that is killed leaves its operation as begun and never ended: in doubt.
 *
 * The rules (all needed, together they are linearizability of this object):
 *   1  every token that was acknowledged is in the final list exactly once
 *   2  every token in the list was begun, and none of a failed operation is there
 *   3  the token at position p belongs to an operation that read the p tokens before it
 *   4  no operation ended before one that stands ahead of it in the list began
 *   5  no read failed, and every read was whole: a beginning of the final list
 *   6  a read has every token that was acknowledged before it began
 */
#ifndef DRIVER_HISTORY_H
#define DRIVER_HISTORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOKEN_SIZE = 9, READ_UNKNOWN = -1 }; /* eight digits and a newline */

enum outcome { NOT_BEGUN, BEGUN, ACKNOWLEDGED, FAILED, UNSETTLED };

struct operation {
    _Atomic int outcome;
    bool is_read;
    long read_count;    /* tokens it saw; READ_UNKNOWN */
    uint64_t read_hash; /* of the bytes a read, or the function of an update, saw; 0: not noted */
    uint64_t begun, ended;
    uint32_t worker;
};

struct history {
    atomic_long used;
    long limit;
    struct operation operations[];
};

struct history *history_make(long limit); /* shared with processes forked later; ends on failure */

/* The same in memory that the caller shares: how much it takes, and begun afresh there. */
size_t history_size(long limit);
void history_reset(struct history *history, long limit);

uint64_t history_now(void); /* nanoseconds; the clock of `begun` and `ended` */

/* The number of a new operation, which is now begun; -1 when the history is full. */
long history_begin(struct history *history, bool is_read, uint32_t worker);
void history_end(struct history *history, long number, enum outcome outcome);

uint64_t history_hash(const char *data, size_t size);

struct history_verdict {
    long writes, acknowledged, failed, in_doubt, in_doubt_applied, reads, tokens;
    long lost, doubled, phantoms, wrong_reads_from, out_of_order, torn_reads, stale_reads,
        failed_reads;
};

/* Judges against the final list. True if no rule is broken. */
bool history_judge(const struct history *history, const char *data, size_t size,
                   struct history_verdict *ret);

/* Tells tests/run.py how much was tried. Not of what is only there to be caught. */
void history_tally(long updates, long kills);

#endif
