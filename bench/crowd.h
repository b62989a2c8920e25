/* Processes that have nothing in common but a folder, all updating one thing at once.
 *
 *     in the program that measures                 in each of those it starts
 *
 *     crowd_run(command, 64, 50, &crowd);          crowd_work(number, 50, update);
 *
 * Each is started anew, with fork and exec, as COMMAND NUMBER UPDATES. It opens what it needs, says
 * `ready`, is told when to start by the one clock they share, makes its updates, and then says when
 * it was done, and how long each update took. That is plain text on its standard input and output,
 * so that a script can be one of them:
 *
 *     >  ready
 *     <  START                       microseconds of CLOCK_MONOTONIC
 *     >  LAST END COUNT              the value last acknowledged; when it was, by the same clock;
 *                                    how many updates there were: all of them
 *     >  TIME                        of each of them, in microseconds
 *
 * The rate is that of the whole job: all updates of all, by the time from the start until the last
 * process is done.
 */
#ifndef UNTORN_BENCH_CROWD_H
#define UNTORN_BENCH_CROWD_H

#include <stddef.h>

enum {
    CROWD_MOST = 64, /* processes */
    CROWD_WORDS = 8, /* of a command */
};

struct crowd {
    int writers;
    long last[CROWD_MOST]; /* the value that each was last told is kept */
    double rate;           /* updates per second, until all are done */
    double p50_us, p99_us; /* of one update */
    size_t updates;        /* of all together */
};

/* `updates` is for each of them, `command` ends with NULL. Fails, with a message, if one of the
 * processes does, or did not make its updates. */
void crowd_run(const char *const *command, int writers, size_t updates, struct crowd *ret_crowd);

/* Sets the own value to 1, 2, 3 ... up to `updates`. `update` returns when it is kept, and does not
 * return if it fails. */
void crowd_work(int number, size_t updates, void (*update)(int number, long value));

#endif
