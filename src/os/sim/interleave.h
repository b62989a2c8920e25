/* Several processes of a simulated machine at once, in every order.
 *
 *     static void add(void *context, int number) { ... untorn_update(...); sim_ack(number); }
 *     static const char *verify(void *context)   { ... NULL, or what is wrong in a sentence }
 *     struct sim_interleaving two = {.name = "two updates", .setup = setup, .verify = verify,
 *                                    .processes = {add, add}, .preemptions = 2, .kills = 1};
 *     struct sim_interleavings report;
 *     sim_interleave(&two, &report);
 *     sim_print_interleavings(&two, &report);
 *     CHECK_INT(report.bad, 0);
 *
 * One process runs at a time, on a stack of its own. Another may go on, or one may be killed,
 * before every call of os.h, every os_load, os_store, os_swap, os_wait, os_wake and os_is_alive,
 * and while one sleeps. A schedule is the list of these decisions. Each schedule runs on a fresh
 * machine, from the disk that `setup` left; depth first, all of them within the bounds that are
 * asked for, then as many random ones as are asked for. A bad one is told as a story, with the
 * words that run it again; of several bad ones that with the fewest preemptions.
 *
 *   INTERLEAVE-1  Every order of the steps within the bounds is run, or leads through a state that
 *                 another run has been through with at least as much of the bounds left.
 *   INTERLEAVE-2  A process can be killed before each of its steps. Its handles close and its locks
 *                 end; of what it keeps in memory of its own nothing stays.
 *   INTERLEAVE-3  What the code above keeps in its global, errno and the random series belong to
 *                 one process.
 *   INTERLEAVE-4  Who sleeps or waits goes on when its time has come or it is woken, and no sooner
 *                 than that; where nobody else can go on, the clock jumps to the first of them.
 *
 * Time: a step takes none, so only sleeping makes the clock go on, and a process cannot wake in the
 * middle of what others do. With `hurries` it can, that many times in a schedule: the clock then
 * jumps to its time, as if the others were slow; or os_wait returns for no reason.
 *
 * What is left out, and why that is sound:
 *   - A state is the disk, the areas, the clock, and of each process a hash of all that it was ever
 *     told: it does what that decides. Where a state comes again the run ends ("merged"). A process
 *     that is gone counts only by what it acknowledged: verify must judge by the disk, by
 * sim_acked, and by what was given to sim_distinguish.
 *   - In an area what a process reads without os_load counts by who wrote the word that it loaded
 *     last, or held the lock before: memory without such an order between writing and reading is a
 *     race, and its outcomes are not told apart.
 *   - Before a flush, random bytes and the like nobody else goes on: no living process sees them.
 *   - A process is killed where it stands last, where it is to be chosen who goes on, and where the
 *     one that runs could notice; and not again where nothing but what it knows has changed since.
 *   - Who looks at words many times without change is taken for asleep, for a microsecond.
 *
 * Areas are compared as a whole at each point: a small one makes a fast search.
 *
 * Memory: what a process allocates is gone with it. A sanitizer has an allocator of its own: a test
 * that uses this says `run: plain`. Processes do not print (but on standard error).
 */
#ifndef UNTORN_OS_SIM_INTERLEAVE_H
#define UNTORN_OS_SIM_INTERLEAVE_H

#include "os/sim/sim.h"

#define SIM_UNLIMITED (-1)

typedef void sim_program(void *context, int number);

struct sim_interleaving {
    const char *name;
    void (*setup)(void *context); /* by one process, which then ends. May be NULL */
    sim_program *processes[4];    /* until the first NULL; each is given its number, from 0 */
    const char *(*verify)(void *context); /* by a process after the last has ended */
    void *context;
    struct sim_options options;
    unsigned broken; /* enum sim_broken */

    int preemptions;   /* of a process that could go on; SIM_UNLIMITED */
    int kills;         /* in one schedule */
    int hurries;       /* sleepers that go on before others do */
    long limit;        /* of runs; 0: none */
    long random;       /* further runs, with any number of preemptions, drawn with options.seed */
    int steps;         /* of one run, more are cut off; 0: 5000 */
    uint64_t patience; /* bad: all sleep for longer than this, in ns; 0: only if for ever */
    long enough;       /* ends after so many bad ones; 0: never */
    bool every_order;  /* nothing is left out: to test what is */

    struct sim_fault fault; /* in each schedule; see also sim_interleave_faults */

    /* Also the power goes, or all are killed, at every point of every schedule that runs to its
     * end, as sim_explore does it for one process; its setup and workload are not used. Of
     * runs that are merged only the states come again, not the logs: every_order has none. NULL:
     * never. */
    const struct sim_scenario *crashes;
    struct sim_report *crash_report; /* what came of that */
    bool quiet;                      /* a bad one is expected: no story is printed */
};

struct sim_interleavings {
    long schedules; /* run to the end, and verified */
    long merged;    /* ended where another had been */
    long killed;    /* of the schedules: with a kill */
    long cut;       /* longer than `steps`: not verified */
    long faulty;    /* of all runs: with a call that failed */
    long bad;
    long steps; /* of all runs */
    int longest;
    bool limited; /* `limit` came before the end */
    double seconds;
    uint64_t outcomes;   /* a hash of all different ends: the disk and what was told */
    char schedule[1024]; /* of the bad one: UNTORN_SCHEDULE */
    char story[32768];
};

/* With UNTORN_SCHEDULE in the environment, "NAME/SCHEDULE", that interleaving runs that schedule
 * alone and its story is told in any case. */
void sim_interleave(const struct sim_interleaving *asked, struct sim_interleavings *report);

/* The same with the n-th call failing in every schedule, n = 1, 2, 3 ... until none meets the
 * fault; for each of `faults` (their `at` is set here). `limit` is of each n. Crash states that are
 * equal are looked at once, whatever failed. */
void sim_interleave_faults(const struct sim_interleaving *asked, const struct sim_fault *faults,
                           size_t count, struct sim_interleavings *report);

/* One line of figures on standard output, and the story of a bad one unless quiet. */
void sim_print_interleavings(const struct sim_interleaving *asked,
                             const struct sim_interleavings *report);

/* By a process: runs in which it gave different numbers are not taken for the same. */
void sim_distinguish(uint64_t number);

#endif
