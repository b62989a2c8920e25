/* Judges one run that a fault was injected into: does what the command said agree with what is in
 * the file, is the file whole, does the next call work, is nothing left over. */
#ifndef DRIVER_VERDICT_H
#define DRIVER_VERDICT_H

#include <stdbool.h>

#include "scenario.h"
#include "state.h"
#include "trace.h"
#include "versions.h"

struct bench {
    const char *command;
    const struct scenario *scenario;
    struct contents contents;
    char before[256];     /* a directory to begin with: the scenario's, prepared */
    char directory[256];  /* where the run happens; made anew each time */
    char output[256];     /* a file for what is printed */
    char errors[256];     /* a file for what is complained of */
    char mark[256];       /* a file that is there if an allocation failed */
    unsigned timeout_ms;  /* for each run; then it hangs */
    int baseline_status;  /* of a run without a fault, as waitpid gives it */
    struct blob baseline; /* what that printed */
    struct states *good;  /* states of this scenario that were judged */
};

/* The allocation that fails, and what is preloaded to let it. */
struct lack {
    const char *library; /* NULL: none fails */
    long number;
    bool for_ever;
};

struct run {
    struct trace_plan plan;
    struct lack memory;
    struct trace_result result;
    char *snapshot;    /* of the directory before the run */
    bool known;        /* it left a state that was judged before */
    bool tail_kept;    /* the next call cut a torn record, and check has to tell of it */
    char problem[600]; /* empty: nothing wrong */
};

/* Sets up, runs the scenario with the fault, judges. False if the plan met no call, or if
 * there are not so many allocations. */
bool verdict_run(struct bench *bench, struct run *run);

#endif
