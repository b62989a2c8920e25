/* One run of several processes by turns: coroutines, and who goes on when. What is decided at each
 * point is the searcher's (interleave.c). */
#ifndef UNTORN_OS_SIM_TURNS_H
#define UNTORN_OS_SIM_TURNS_H

#include "os/sim/interleave.h"
#include "os/sim/world.h"

enum { TURN_NOBODY = -1, TURN_OPTIONS = 4 * SIM_TOGETHER };

enum turn_kind {
    TURN_RUN,
    TURN_HURRY, /* a sleeper: its time comes before others go on */
    TURN_STIR,  /* one who waits for a word: for no reason */
    TURN_KILL,
};

struct turn_option {
    unsigned char kind; /* enum turn_kind */
    unsigned char process;
};

enum turn_end {
    TURN_ALL_ENDED,
    TURN_GIVEN_UP, /* by the decider */
    TURN_CUT,      /* too many steps */
    TURN_STUCK,    /* everybody waits too long */
};

/* The run that goes on. */
struct turn_run {
    int count;      /* of processes */
    int current;    /* the last that ran, if it is still there; or TURN_NOBODY */
    bool can_go_on; /* it can */
    int preemptions, kills, hurries, steps;
    enum turn_end end;
};
extern struct turn_run turn_run;

/* Chooses one of the options; the first is what happens if nothing is decided. A negative number
 * gives the run up. `options` may be shortened behind the first that runs a process. */
typedef int turn_decider(struct turn_option *options, int count);

/* Runs the processes on the machine `sim` until all have ended, or not. */
void turns_take(const struct sim_interleaving *asked, turn_decider *decider);

/* A hash of the state. With `killed` (or TURN_NOBODY) as it would be after its death. */
uint64_t turns_state(int killed);

#endif
