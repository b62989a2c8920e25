/* Processes that have nothing in common but a folder, all updating one thing at once.
 *
 *     in the program that measures                 in each of those it starts
 *
 *     crowd_run(command, 64, 0.5, &crowd);         crowd_work(number, 0.5, update);
 *
 * Each is started anew, with fork and exec, as COMMAND NUMBER SECONDS. It opens what it needs, says
 * `ready`, is told when to start by the one clock they share, updates until the time is over, and
 * then says how often, and how long each update took. That is plain text on its standard input and
 * output, so that a script can be one of them:
 *
 *     >  ready
 *     <  START                       microseconds of CLOCK_MONOTONIC
 *     >  LAST INSIDE COUNT           the value last acknowledged; how many updates ended in time;
 *                                    how many there were
 *     >  TIME                        of each of them, in microseconds
 */
#ifndef UNTORN_BENCH_CROWD_H
#define UNTORN_BENCH_CROWD_H

#include <stddef.h>

enum {
    CROWD_MOST = 64,        /* processes */
    CROWD_WORDS = 8,        /* of a command */
    CROWD_UPDATES = 1 << 20 /* of one process: then it ends before its time */
};

struct crowd {
    int writers;
    long last[CROWD_MOST]; /* the value that each was last told is kept */
    double rate;           /* updates per second of all together */
    double p50_us, p99_us; /* of one update */
    size_t updates;
    int served; /* writers that had an update kept in time: a rate can be that of a few */
};

/* `command` ends with NULL. Fails, with a message, if one of the processes does. */
void crowd_run(const char *const *command, int writers, double seconds, struct crowd *ret_crowd);

/* Sets the own value to 1, 2, 3 ... `update` returns when it is kept, and does not return if it
 * fails. */
void crowd_work(int number, double seconds, void (*update)(int number, long value));

#endif
