/* Shared by the explorer and the teller of its stories. */
#ifndef UNTORN_OS_SIM_EXPLORE_H
#define UNTORN_OS_SIM_EXPLORE_H

#include "os/sim/world.h"

/* A log whose crash states are being looked at. */
struct sim_level {
    struct sim_explorer *explorer;
    const struct sim_level *outer; /* the crash that this log is the recovery from; or NULL */
    struct sim_log log;
    const struct sim_disk *base;
    int begin; /* calls in the log that were made before the kill that this recovers from */
    uint64_t acked_before;
    enum sim_profile profile;
    int call;
    const unsigned char *kept; /* of the state being looked at */
    bool asked;                /* it was foretold, is wanted, and has this hash */
    uint64_t foretold;
    int depth;
};

struct sim_explorer {
    const struct sim_scenario *scenario;
    struct sim_report *report;
    struct sim_set seen;
    struct sim_set good;       /* machines as a recovery leaves them, of which the rest was good */
    uint64_t only;             /* the one state to check; 0: all */
    bool helps;                /* another process looks at the same, and counts it */
    const char *circumstances; /* which fault was injected; or NULL */
    bool tell_recovery;        /* that fault was in the recovery: its calls belong to the story */
};

/* For whoever runs the workload himself, perhaps several times. Crashes are looked at in the log of
 * the running machine, whose processes have ended. */
void sim_explorer_begin(struct sim_explorer *explorer, const struct sim_scenario *scenario,
                        struct sim_report *report);
void sim_explorer_crash(struct sim_explorer *explorer);
void sim_explorer_end(struct sim_explorer *explorer);

extern const char *const sim_profile_names[SIM_PROFILES];
extern const char *const sim_verb_names[SIM_VERBS];

/* Writes the story of the state that `level` looks at (NULL: the living machine) into the report.
 * The disk as the crash left it is `disk`. */
void sim_tell(struct sim_explorer *explorer, const struct sim_level *level,
              const struct sim_disk *disk, uint64_t hash, const char *verdict);

/* The same for the running machine alone, as part of a longer text: its calls and notes in their
 * order, under the names of the processes that made them, and what is then on the disk. */
void sim_tell_machine(char *text, size_t size);

/* The end of every story: a line for the shell that comes to the same place. `setting` is what it
 * needs in the environment, `NAME=VALUE `, or empty. */
void sim_tell_again(char *text, size_t size, const char *setting);

/* Which call fails and how. */
void sim_fault_words(const struct sim_fault *fault, char *text, size_t size);

/* Where a debugger can stop before the one state asked for runs. */
void sim_stop_here(void);

#endif
