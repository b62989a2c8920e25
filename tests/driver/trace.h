/* Runs a program and meddles with its system calls: counts them, kills at the N-th, makes it fail
 * or come up short. One counter over everything the program and what it starts do, whatever the
 * call: "the 17th". Works on static and dynamic programs (seccomp and ptrace; x86-64 Linux).
 *
 *     struct trace_plan plan = {.action = TRACE_KILL_BEFORE, .position = 17};
 *     struct trace_result result;
 *     if (trace_run(&plan, argv, &result) == 0 && result.hit_position == 17) ...
 *
 * What the dynamic loader does before main is not counted: a program that cannot be loaded says
 * nothing about itself.
 */
#ifndef DRIVER_TRACE_H
#define DRIVER_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "calls.h"

enum trace_action {
    TRACE_COUNT,
    TRACE_KILL_BEFORE, /* SIGKILL instead of the call */
    TRACE_KILL_AFTER,  /* SIGKILL when the call is done */
    TRACE_FAIL,        /* the call is not done and answers with the error; close is done */
    TRACE_FAIL_AFTER,  /* the call is done and yet answers with the error */
    TRACE_SHORTEN,     /* a read or write transfers about half */
    TRACE_TEAR,        /* a write transfers about half, then SIGKILL */
};

struct trace_plan {
    enum trace_action action;
    long position;  /* of the first call meddled with; 1 is the first */
    bool for_ever;  /* and all counted calls after it */
    bool same_call; /* with for_ever: only those of the same name */
    int error;      /* or 0: the error_index-th plausible one of whatever call it is */
    unsigned error_index;
    unsigned unit;         /* a shortened transfer is a multiple of this many bytes; 0: 1 */
    const char *only;      /* names, comma-separated: others are not counted. NULL: all */
    const char *match;     /* only calls whose path contains this. NULL: all */
    bool waits_long;       /* the program would wait for a lock too long to be watched */
    bool main_only;        /* only calls of the program itself, not of programs it executes */
    bool caller_only;      /* kill only the process that made the call, not all of them */
    unsigned timeout_ms;   /* then all is killed and timed_out set; 0: 20 s */
    FILE *log;             /* a line for each counted call, with its result; NULL: none */
    const char *input;     /* file to read as standard input; NULL: inherited */
    const char *directory; /* to work in; NULL: inherited */
    const char *output;    /* file for standard output; NULL: inherited */
    const char *errors;    /* file for standard error; NULL: inherited */
};

struct trace_result {
    long counted;
    long hit_position; /* of the first call meddled with; 0: the plan met no call */
    int hit_error;
    bool hit_last;     /* this call has no further plausible error behind error_index */
    char hit[400];     /* what that call was, for people */
    int flush_error;   /* of the last flush that was made to fail; 0: none was */
    bool second_flush; /* a file was flushed again after a flush of it had been made to fail,
                          without being written in between */
    bool timed_out;
    int status; /* of the program, as waitpid gives it */
};

/* 0, or a negative errno value if tracing itself failed. */
int trace_run(const struct trace_plan *plan, char *const arguments[], struct trace_result *ret);

/* True if the plan has this action's error_index-th error for no call at all: time to stop. */
bool trace_exhausted(unsigned error_index);

#endif
