/* Two ways to do one thing, measured in turns.
 *
 *     static const struct pairs_row rows[] = {
 *         {.name = "replace 4 KiB, durable",
 *          .peer = "open, write, fdatasync, rename, fsync of the directory",
 *          .ours = write_durable,
 *          .theirs = by_hand_durable,
 *          .unit = PAIRS_RATIO,
 *          .target = 1.15},
 *     };
 *     int main(int argc, char **argv)
 *     {
 *         return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
 *     }
 *
 * A program of rows is called as `PROGRAM [--quick] [--only TEXT] DIRECTORY`. It works in the
 * directory, by relative names, and prints one line of JSON for each row; bench/run makes tables
 * of them and judges the targets. Its status is 0 unless something failed: never because of speed.
 *
 * How a row is measured. Times drift by a third within minutes, also on an idle machine, so only
 * what was done at nearly the same moment is compared: each pair does ours, theirs, and ours again
 * as a control, in an order that goes through all six; the result is the median over the pairs of
 * ours/theirs. The control's ratio, ours/ours, must be 1: where it is off by more than
 * PAIRS_TOLERANCE the row is measured again, up to PAIRS_RUNS times, and the run with the best
 * control counts. Both are printed.
 */
#ifndef UNTORN_BENCH_PAIRS_H
#define UNTORN_BENCH_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PAIRS_COUNT = 300, /* for a row that does not say */
    PAIRS_QUICK = 2,   /* with --quick, which shows that the row works and nothing else */
    PAIRS_RUNS = 5,
};
#define PAIRS_TOLERANCE 0.02

enum pairs_unit {
    PAIRS_RATIO = 0,  /* ours / theirs */
    PAIRS_DIFFERENCE, /* ours - theirs, in microseconds */
    PAIRS_TIME,       /* ours, in microseconds; theirs is shown beside it */
    PAIRS_TIMES,      /* theirs / ours; the result should be at least the target */
};

struct pairs_row {
    const char *name;      /* a few words, the same on every file system */
    const char *peer;      /* what theirs does */
    void (*prepare)(void); /* once before the row, not measured; may be NULL */
    void (*ours)(void);
    void (*theirs)(void);
    enum pairs_unit unit;
    double target;       /* the result should be at most this; 0: only shown */
    bool journaled;      /* that, only on a file system with a journal */
    double ext4_target;  /* instead, on the ext4 with a journal; 0: the same */
    bool computes;       /* only that: the processor's time counts, not that of others beside it */
    int batch;           /* calls that make one measurement, for what is too short for one; 0: 1 */
    int count;           /* of pairs; 0: PAIRS_COUNT */
    const char *command; /* that must be found in PATH, else the row is skipped by name */
};

int pairs_main(int argc, char **argv, const struct pairs_row *rows, size_t count);

/* ---- for the rows ---- */

/* Whether only the working of the rows is to be shown: prepare little. */
bool pairs_is_quick(void);

/* Ends the program with a message, which names `what` and errno, unless `succeeded`. */
void pairs_must(bool succeeded, const char *what);

/* Runs a program, found in PATH, to its successful end. The last argument is NULL. */
void pairs_spawn(const char *const *arguments);

bool pairs_is_in_path(const char *command);

/* ---- the arithmetic ---- */

/* The times of one pair, in microseconds. */
struct pairs_times {
    double ours, theirs, again;
};

struct pairs_result {
    double ours, theirs;     /* medians, in microseconds */
    double value, low, high; /* the median in the row's unit, and its quartiles */
    double control;          /* the median of ours / again */
    size_t count;
};

/* `count` is at least 1. */
struct pairs_result pairs_summarise(const struct pairs_times *times, size_t count,
                                    enum pairs_unit unit);

bool pairs_is_steady(const struct pairs_result *result);

#endif
