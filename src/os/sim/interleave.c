/* The search among schedules: depth first, then at random. */
#define _POSIX_C_SOURCE 200809L
#include "os/sim/interleave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os/sim/explore.h"
#include "os/sim/turns.h"

/* A decision of the run: what could be done, and what was. */
struct decision {
    int step; /* of the run */
    unsigned char count, chosen;
    struct turn_option options[TURN_OPTIONS];
};

static struct search {
    const struct sim_interleaving *asked;
    struct sim_interleaving unbounded; /* the same without a bound on preemptions */
    struct sim_fault fault;            /* in each run; at 0: none */
    char name[200];                    /* that of the asked, and the fault */
    struct sim_interleavings *report;
    struct sim_disk ready;
    struct sim_options options;
    struct decision *decisions;
    int count, capacity; /* of the run */
    int given;           /* the first of them are prescribed */
    struct sim_set seen, outcomes;
    uint64_t random;
    int fewest;                   /* preemptions of the bad run that was told */
    const char *words;            /* a schedule in words, what is left of it */
    struct sim_explorer explorer; /* of crashes, if they are asked for */
} search;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- decisions ---- */

static struct decision *next_decision(void)
{
    if (search.count == search.capacity)
        sim_panic("a run with more decisions than steps");
    struct decision *decision = &search.decisions[search.count++];
    decision->step = turn_run.steps;
    decision->chosen = 0;
    return decision;
}

static uint64_t with_bounds(uint64_t state, int preemptions, int kills, int hurries)
{
    if (search.asked->preemptions == SIM_UNLIMITED)
        preemptions = 0;
    return sim_mix(state, (uint64_t)preemptions << 40 | (uint64_t)kills << 20 | (uint64_t)hurries);
}

/* Whether a run was there that had used no more of any bound. */
static bool was_seen(uint64_t state, int kills)
{
    int preemptions = search.asked->preemptions == SIM_UNLIMITED ? 0 : turn_run.preemptions;
    for (int p = 0; p <= preemptions; p++)
        for (int k = 0; k <= kills; k++)
            for (int h = 0; h <= turn_run.hurries; h++)
                if (sim_set_has(&search.seen, with_bounds(state, p, k, h)))
                    return true;
    return false;
}

static uint64_t state_with_current(void)
{
    uint64_t current = (uint64_t)(turn_run.current + 1) * 2 + turn_run.can_go_on;
    return sim_mix(turns_state(TURN_NOBODY), current);
}

/* Leaves out deaths that would only repeat an earlier one. */
static int without_repeated_deaths(struct turn_option *options, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (options[i].kind == TURN_KILL) {
            uint64_t after = sim_mix(turns_state(options[i].process), 99);
            after = sim_mix(after, (uint64_t)(turn_run.current == options[i].process
                                                  ? TURN_NOBODY + 1
                                                  : turn_run.current + 1));
            if (was_seen(after, turn_run.kills))
                continue;
            sim_set_add(&search.seen,
                        with_bounds(after, turn_run.preemptions, turn_run.kills, turn_run.hurries));
        }
        options[kept++] = options[i];
    }
    return kept;
}

static int search_on(struct turn_option *options, int count)
{
    if (search.count < search.given) {
        struct decision *decision = &search.decisions[search.count++];
        const struct turn_option *chosen = &decision->options[decision->chosen];
        if (decision->step != turn_run.steps)
            sim_panic("a run that was repeated went another way: a process is not deterministic");
        options[0] = *chosen;
        return 0;
    }
    if (!search.asked->every_order) {
        uint64_t state = state_with_current();
        if (was_seen(state, turn_run.kills))
            return -1;
        sim_set_add(&search.seen,
                    with_bounds(state, turn_run.preemptions, turn_run.kills, turn_run.hurries));
        count = without_repeated_deaths(options, count);
    }
    struct decision *decision = next_decision();
    decision->count = (unsigned char)count;
    memcpy(decision->options, options, sizeof *options * (size_t)count);
    return 0;
}

static uint64_t draw(uint64_t below)
{
    search.random = sim_mix(search.random + 0x9e3779b97f4a7c15ull, 1);
    return (search.random >> 20) % below;
}

/* Goes on with the process mostly, leaves it now and then, kills seldom. */
static int walk_randomly(struct turn_option *options, int count)
{
    enum { LEAVES = 12, KILLS = 60 };
    int runs = 0, choice = 0;
    while (runs < count && options[runs].kind != TURN_KILL)
        runs++;
    if (runs < count && draw(KILLS) == 0)
        choice = runs + (int)draw((uint64_t)(count - runs));
    else if (runs > 1 && (!turn_run.can_go_on || draw(LEAVES) == 0))
        choice = (int)draw((uint64_t)runs);
    struct decision *decision = next_decision();
    decision->count = (unsigned char)count;
    decision->chosen = (unsigned char)choice;
    memcpy(decision->options, options, sizeof *options * (size_t)count);
    return choice;
}

/* ---- schedules in words: STEP and r, h, s or k with the process, where it is not the first option
 * --- */

static const char letters[] = "rhsk";

static void write_schedule(char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < search.count && used + 16 < size; i++) {
        const struct decision *decision = &search.decisions[i];
        const struct turn_option *chosen = &decision->options[decision->chosen];
        if (decision->chosen != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%d%c%d", used ? "," : "",
                                     decision->step, letters[chosen->kind], chosen->process);
    }
}

static int follow_words(struct turn_option *options, int count)
{
    int step, process, length = 0;
    char letter;
    struct decision *decision = next_decision();
    memcpy(decision->options, options, sizeof *options * (size_t)count);
    decision->count = (unsigned char)count;
    if (sscanf(search.words, "%d%c%d%n", &step, &letter, &process, &length) != 3 ||
        step != turn_run.steps)
        return 0;
    for (int i = 0; i < count; i++) {
        if (letters[options[i].kind] == letter && options[i].process == process) {
            search.words += length + (search.words[length] == ',');
            decision->chosen = (unsigned char)i;
            return i;
        }
    }
    return 0;
}

/* ---- runs ---- */

static const char *verdict_of_run(void)
{
    const struct sim_interleaving *asked = search.asked;
    const char *verdict = NULL;
    if (turn_run.end == TURN_STUCK)
        verdict = "everybody waits, and for too long";
    else if (turn_run.end != TURN_ALL_ENDED)
        return NULL;
    sim->process = 0;
    sim_process(0);
    sim->broken = 0;
    sim_fail(NULL);
    sim->alive = true;
    if (!verdict)
        verdict = asked->verify(asked->context);
    sim_forget_globals();
    return verdict ? verdict : sim->misuse;
}

static void tell_run(const char *verdict)
{
    struct sim_interleavings *report = search.report;
    const struct sim_interleaving *asked = search.asked;
    char setting[sizeof report->schedule + 200];
    write_schedule(report->schedule, sizeof report->schedule);
    int used =
        snprintf(report->story, sizeof report->story,
                 "%s: %s\n  in \"%s\", %d preemptions, %d kills, seed %llu\n",
                 verdict ? "BAD" : "GOOD", verdict ? verdict : "nothing is wrong", search.name,
                 turn_run.preemptions, turn_run.kills, (unsigned long long)asked->options.seed);
    size_t end = sizeof report->story - sizeof setting - 1024;
    sim_tell_machine(report->story + used, end - (size_t)used);
    size_t length = strlen(report->story);
    snprintf(setting, sizeof setting, "UNTORN_SCHEDULE='%.150s/%s' ", search.name,
             report->schedule);
    sim_tell_again(report->story + length, sizeof report->story - length, setting);
}

static void count_run(const char *verdict)
{
    struct sim_interleavings *report = search.report;
    bool whole = turn_run.end == TURN_ALL_ENDED || turn_run.end == TURN_STUCK;
    report->schedules += whole;
    report->killed += whole && turn_run.kills > 0;
    report->merged += turn_run.end == TURN_GIVEN_UP;
    report->cut += turn_run.end == TURN_CUT;
    report->steps += turn_run.steps;
    report->bad += verdict != NULL;
    if (turn_run.steps > report->longest)
        report->longest = turn_run.steps;
}

/* One run on a machine of its own; told is whether its story is written down. */
static const char *run(turn_decider *decider, bool told)
{
    struct sim_arena_mark mark = sim_arena_mark();
    struct sim_world *outer = sim;
    sim = sim_world_new(&search.ready, &search.options);
    sim->first_handle = 100; /* the same in each run: processes may write it down */
    sim->broken = search.asked->broken;
    sim_fail(&search.fault);
    sim->telling = told;
    search.count = 0;
    turns_take(decider == search_on ? search.asked : &search.unbounded, decider);
    search.report->faulty += sim->fault_fired && !told;
    uint64_t outcome = turns_state(TURN_NOBODY);
    if (search.asked->crashes && turn_run.end == TURN_ALL_ENDED && !told)
        sim_explorer_crash(&search.explorer);
    const char *verdict = verdict_of_run();
    if (told)
        tell_run(verdict);
    else
        count_run(verdict);
    if (turn_run.end == TURN_ALL_ENDED && sim_set_add(&search.outcomes, outcome))
        search.report->outcomes += outcome;
    sim_areas_end();
    sim = outer;
    sim_arena_release(mark);
    return verdict;
}

static bool run_and_tell(turn_decider *decider)
{
    if (!run(decider, false))
        return false;
    if (turn_run.preemptions < search.fewest) {
        search.fewest = turn_run.preemptions;
        search.given = search.count;
        run(search_on, true);
    }
    return search.asked->enough > 0 && search.report->bad >= search.asked->enough;
}

/* The last decision that can still be made otherwise; false if there is none. */
static bool step_back(void)
{
    while (search.count > 0) {
        struct decision *last = &search.decisions[search.count - 1];
        if (last->chosen + 1 < last->count) {
            last->chosen++;
            search.given = search.count;
            return true;
        }
        search.count--;
    }
    return false;
}

static void search_all(void)
{
    const struct sim_interleaving *asked = search.asked;
    long runs = 0;
    bool more = true, enough = false;
    search.given = 0;
    for (; more && !enough && (asked->limit == 0 || runs < asked->limit); runs++) {
        enough = run_and_tell(search_on);
        more = step_back();
    }
    search.report->limited |= more && !enough;
    for (long i = 0; i < asked->random && !enough; i++)
        enough = run_and_tell(walk_randomly);
}

static const char *words_for(const char *name)
{
    const char *words = getenv("UNTORN_SCHEDULE");
    size_t length = strlen(name);
    bool ours = words && strncmp(words, name, length) == 0 && words[length] == '/';
    return ours ? words + length + 1 : NULL;
}

static void start(void)
{
    const struct sim_interleaving *asked = search.asked;
    sim_start(&asked->options);
    search.options = sim->options;
    if (asked->setup)
        asked->setup(asked->context);
    if (sim->misuse)
        sim_panic(sim->misuse);
    sim_forget_globals();
    sim_process_kill(0);
    sim_disk_copy(&sim->now, &search.ready, 0);
    sim_disk_walk(&search.ready);
    sim_disk_restart(&search.ready);
    search.capacity = 2 * (asked->steps ? asked->steps : 5000) + 100;
    search.decisions = sim_alloc(sizeof *search.decisions * (size_t)search.capacity);
}

static void begin(const struct sim_interleaving *asked, struct sim_interleavings *report)
{
    search = (struct search){
        .asked = asked, .report = report, .random = asked->options.seed, .fewest = 1 << 30};
    search.unbounded = *asked;
    search.unbounded.preemptions = SIM_UNLIMITED;
    memset(report, 0, sizeof *report);
    report->seconds = -seconds_now();
    start();
    if (asked->crashes)
        sim_explorer_begin(&search.explorer, asked->crashes, asked->crash_report);
}

static void end(void)
{
    sim_set_free(&search.outcomes);
    if (search.asked->crashes)
        sim_explorer_end(&search.explorer);
    search.report->seconds += seconds_now();
}

/* All schedules, or the one that is asked for, with a fault or without. */
static void search_with(const struct sim_fault *fault)
{
    char words[100] = "";
    search.fault = *fault;
    if (fault->at > 0)
        sim_fault_words(fault, words, sizeof words);
    snprintf(search.name, sizeof search.name, "%.90s%s%s", search.asked->name, *words ? ": " : "",
             words);
    search.explorer.circumstances = *words ? words : NULL;
    search.words = words_for(search.name);
    if (search.words) {
        search.report->bad += run(follow_words, true) != NULL;
        printf("%s", search.report->story);
    } else {
        search_all();
    }
    sim_set_free(&search.seen);
    search.explorer.circumstances = NULL;
}

void sim_interleave(const struct sim_interleaving *asked, struct sim_interleavings *report)
{
    begin(asked, report);
    search_with(&asked->fault);
    end();
}

void sim_interleave_faults(const struct sim_interleaving *asked, const struct sim_fault *faults,
                           size_t count, struct sim_interleavings *report)
{
    begin(asked, report);
    for (size_t i = 0; i < count; i++) {
        struct sim_fault fault = faults[i];
        long before = -1;
        bool enough = false;
        for (fault.at = 1; report->faulty > before && !enough; fault.at++) {
            before = report->faulty;
            search_with(&fault);
            enough = asked->enough > 0 && report->bad >= asked->enough;
        }
    }
    end();
}

void sim_print_interleavings(const struct sim_interleaving *asked,
                             const struct sim_interleavings *report)
{
    printf("    %s: %ld schedules", asked->name, report->schedules);
    if (report->killed)
        printf(" (%ld with a kill)", report->killed);
    if (report->faulty)
        printf(", %ld runs with a fault", report->faulty);
    if (report->merged)
        printf(", %ld merged", report->merged);
    if (report->cut)
        printf(", %ld cut off", report->cut);
    printf(", %ld steps, at most %d, %ld bad%s, %.2f s\n", report->steps, report->longest,
           report->bad, report->limited ? ", not all" : "", report->seconds);
    if (!asked->quiet) { /* for tests/run.py, which adds up; broken variants are no figure */
        printf("    tally: simulated orders of processes %ld\n", report->schedules);
        if (report->killed)
            printf("    tally: simulated orders of processes, with a kill %ld\n", report->killed);
        if (report->faulty)
            printf("    tally: simulated faults %ld\n", report->faulty);
    }
    if (report->bad && !asked->quiet)
        printf("%s", report->story);
    fflush(stdout);
}
