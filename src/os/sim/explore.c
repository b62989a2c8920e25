/* Runs scenarios: the workload once, then every crash of it, then every crash of the recovery. */
#define _DEFAULT_SOURCE
#include "os/sim/explore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_DEFAULT = 20000 };

/* Of this process alone: what others do meanwhile is no figure of ours. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t visible_hash(void)
{
    struct sim_disk disk;
    sim_disk_copy(&sim->now, &disk, 0);
    sim_disk_walk(&disk);
    return sim_disk_hash(&disk, false);
}

/* Of all that can make a difference to what runs next, where no process runs. */
static uint64_t machine_hash(uint64_t disk)
{
    uint64_t hash = sim_mix(sim_mix(disk, sim->acked), sim->profile == SIM_PROFILE_KILL ? 2 : 3);
    return sim_mix(sim_mix(sim_mix(hash, sim->random), sim->clock), sim->start << 32 | sim->boot);
}

static void leave_machine(struct sim_world *outer)
{
    sim_areas_end();
    sim = outer;
}

/* The process ends in good order: the code above forgets, the kernel closes. */
static void end_process(void)
{
    sim_fail(NULL);
    sim_forget_globals();
    sim_process_kill(0);
    sim_process(0);
    sim->processes[0].start = sim->start; /* not a later one: what it leaves is compared */
}

static void bad(struct sim_explorer *explorer, const struct sim_level *level,
                const struct sim_disk *disk, uint64_t hash, const char *verdict)
{
    if (explorer->report->bad++ == 0)
        sim_tell(explorer, level, disk, hash, verdict);
}

static void explore_log(struct sim_explorer *explorer, struct sim_level *level);

/* Recovers twice, verifies; *ret_log is the log of the first recovery. What comes after that is
 * the same for all machines that it leaves alike, and most are: each of these is judged once. */
static const char *check_machine(struct sim_explorer *explorer, struct sim_log *ret_log)
{
    const struct sim_scenario *scenario = explorer->scenario;
    const char *verdict = NULL;
    uint64_t alike = 0;
    if (scenario->recover) {
        scenario->recover(scenario->context);
        *ret_log = sim->log;
        end_process();
        uint64_t once = visible_hash();
        alike = machine_hash(once);
        if (!explorer->only && !scenario->every_subset && !sim->misuse &&
            sim_set_has(&explorer->good, alike))
            return NULL;
        scenario->recover(scenario->context);
        end_process();
        if (visible_hash() != once)
            verdict = "recovering twice is not the same as recovering once";
    }
    sim->broken = 0;
    if (!verdict)
        verdict = scenario->verify(scenario->context);
    end_process();
    verdict = verdict ? verdict : sim->misuse;
    if (scenario->recover && !verdict)
        sim_set_add(&explorer->good, alike);
    return verdict;
}

/* What was on its way to the disk still is. Numbers of files that are gone stay taken: with the
 * power they may come back. */
static void go_on(struct sim_world *world, const struct sim_level *level)
{
    int before = level->base->count;
    sim_model_cut(&level->log, level->call, level->kept, &world->log);
    sim_disk_copy(level->base, &world->base, 0);
    for (int i = 0; i < world->now.count; i++)
        world->now.inodes[i].number =
            i < before ? level->base->inodes[i].number : world->log.born[i - before].number;
}

static struct sim_world *restart(const struct sim_level *level, const struct sim_disk *disk,
                                 const struct sim_options *options)
{
    struct sim_world *world = sim_world_new(disk, options);
    world->acked = level->acked_before | sim_model_acked(&level->log, level->call);
    world->profile = level->profile;
    if (level->profile == SIM_PROFILE_KILL) { /* the machine goes on, with another process */
        world->boot = sim->boot;
        world->processes[0].start = world->start = sim->start + 1;
        if (level->depth == 1)
            go_on(world, level);
    }
    world->broken = level->explorer->scenario->broken;
    return world;
}

/* One recovery that meets the fault, then one that does not. Returns whether it was met. */
static bool recover_after_fault(struct sim_level *level, const struct sim_disk *disk, uint64_t hash,
                                const struct sim_fault *fault)
{
    struct sim_explorer *explorer = level->explorer;
    const struct sim_scenario *scenario = explorer->scenario;
    struct sim_arena_mark mark = sim_arena_mark();
    struct sim_world *outer = sim;
    char words[100];
    sim = restart(level, disk, &outer->options);
    sim_fail(fault);
    scenario->recover(scenario->context);
    bool fired = sim->fault_fired;
    end_process();
    scenario->recover(scenario->context);
    end_process();
    const char *verdict = scenario->verify(scenario->context);
    end_process();
    verdict = verdict ? verdict : sim->misuse;
    if (verdict) {
        snprintf(words, sizeof words, "call %d of the recovery fails%s", fault->at,
                 fault->forever ? ", and all after it" : "");
        explorer->circumstances = words;
        explorer->tell_recovery = true;
        bad(explorer, level, disk, hash, verdict);
        explorer->tell_recovery = false;
        explorer->circumstances = NULL;
    }
    explorer->report->faults += fired;
    leave_machine(outer);
    sim_arena_release(mark);
    return fired;
}

static void fail_recovery(struct sim_level *level, const struct sim_disk *disk, uint64_t hash)
{
    for (int forever = 0; forever < 2; forever++) {
        struct sim_fault fault = {.at = 1, .error = EIO, .forever = forever};
        while (recover_after_fault(level, disk, hash, &fault))
            fault.at++;
    }
}

static void check_state(struct sim_level *level, const struct sim_disk *disk, uint64_t hash)
{
    struct sim_explorer *explorer = level->explorer;
    const struct sim_scenario *scenario = explorer->scenario;
    struct sim_world *outer = sim;
    struct sim_level inner = {.explorer = explorer, .outer = level, .depth = level->depth + 1};
    sim = restart(level, disk, &outer->options);
    inner.acked_before = sim->acked;
    inner.begin = sim->log.call_count;
    int steps_before = sim->log.step_count;
    bool asked = !explorer->only || explorer->only == hash; /* else only on the way to it */
    if (explorer->only && asked)
        sim_stop_here();
    const char *verdict = check_machine(explorer, &inner.log);
    if (verdict && asked)
        bad(explorer, level, disk, hash, verdict);
    inner.base = &sim->base;
    inner.profile = level->profile;
    bool deeper =
        scenario->recover && level->depth == 1 && !verdict && inner.log.step_count > steps_before;
    if (deeper)
        explore_log(explorer, &inner);
    leave_machine(outer);
    if (deeper && asked && scenario->faulty_recoveries &&
        hash % (unsigned)scenario->faulty_recoveries == 0)
        fail_recovery(level, disk, hash);
}

/* Whether this state has to be looked at: at depth 1 with the crashes of its recovery, at depth 2
 * for itself. */
static bool is_new(const struct sim_level *level, uint64_t hash)
{
    struct sim_explorer *explorer = level->explorer;
    int depth = level->depth;
    /* What verify demands after a kill can be more than after a power loss. */
    uint64_t key = sim_mix(hash, level->profile == SIM_PROFILE_KILL ? 2 : 3);
    bool wanted = sim_set_add(&explorer->seen, key);
    bool unseen = wanted && sim_set_add(&explorer->seen, hash);
    if (depth == 1 && explorer->scenario->recover)
        wanted = sim_set_add(&explorer->seen, sim_mix(key, 1));
    explorer->report->distinct += unseen;
    explorer->report->deeper += unseen && depth > 1;
    return wanted && (explorer->only == 0 || explorer->only == hash ||
                      (depth == 1 && explorer->scenario->recover));
}

static uint64_t with_acks(const struct sim_level *level, uint64_t hash)
{
    return sim_mix(hash, level->acked_before | sim_model_acked(&level->log, level->call));
}

/* Whoever helps comes to all that the workload leaves, too, but each recovery is explored by one.
 */
static bool counts(const struct sim_level *level)
{
    return level->depth > 1 || !level->explorer->helps;
}

static bool wants(void *context, uint64_t hash)
{
    struct sim_level *level = context;
    level->explorer->report->states += counts(level);
    level->foretold = hash;
    level->asked = is_new(level, with_acks(level, hash));
    return level->asked;
}

static void look_at(void *context, const unsigned char *kept)
{
    struct sim_level *level = context;
    struct sim_explorer *explorer = level->explorer;
    bool raw = explorer->scenario->every_place, asked = level->asked;
    struct sim_arena_mark mark = sim_arena_mark();
    struct sim_disk disk;
    sim_model_build(level->base, &level->log, kept, &disk);
    uint64_t hash = raw ? sim_disk_hash(&disk, true) : 0;
    level->asked = false;
    explorer->report->states += !asked && counts(level);
    if (!sim_disk_walk(&disk)) {
        explorer->report->left_out += counts(level);
    } else {
        sim_disk_restart(&disk);
        if (!raw)
            hash = sim_disk_hash(&disk, false);
        if (asked && hash != level->foretold)
            sim_panic("a disk is not the one that was foretold");
        hash = with_acks(level, hash);
        level->kept = kept;
        if (asked || is_new(level, hash))
            check_state(level, &disk, hash);
    }
    sim_arena_release(mark);
}

static void explore_point(struct sim_explorer *explorer, struct sim_level *level)
{
    const struct sim_scenario *scenario = explorer->scenario;
    struct sim_crash crash = {
        .base = level->base,
        .log = &level->log,
        .profile = level->profile,
        .call = level->call,
        .limit = scenario->limit ? scenario->limit : LIMIT_DEFAULT,
        .seed = scenario->options.seed,
        .every_point = scenario->every_subset,
        .every_place = scenario->every_place,
        .together = scenario->together,
        .wants = scenario->every_place ? NULL : wants,
        .emit = look_at,
        .context = level,
    };
    if (!sim_model_is_boundary(&crash))
        return;
    bool brute = scenario->every_subset &&
                 (level->profile == SIM_PROFILE_POSIX || level->profile == SIM_PROFILE_ALICE);
    if (brute)
        sim_model_subsets(&crash);
    else if (sim_model_choices(&crash))
        explorer->report->sampled = true;
}

static bool has_lost_names(const struct sim_log *log)
{
    for (int i = 0; i < log->step_count; i++)
        if (log->steps[i].kind == SIM_EFFECT_NAME && log->steps[i].poisoned < SIM_NEVER)
            return true;
    return false;
}

/* The crash of a recovery is of the same kind; after a kill the power may go too, as in the first
 * profile asked for. posix, where that is asked for, allows all that the others do. But not where a
 * directory could not be flushed: no recovery can mend that (docs/guarantees.md). */
static unsigned profiles_of(const struct sim_level *level)
{
    unsigned asked = level->explorer->scenario->profiles;
    unsigned power = asked & ~(unsigned)SIM_KILL;
    if (level->depth == 1)
        return asked;
    if (level->profile != SIM_PROFILE_KILL)
        return 1u << level->profile;
    return has_lost_names(&level->log) ? SIM_KILL : SIM_KILL | (power & -power);
}

static void explore_log(struct sim_explorer *explorer, struct sim_level *level)
{
    unsigned profiles = profiles_of(level);
    for (int p = 0; p < SIM_PROFILES; p++) {
        if (!(profiles >> p & 1))
            continue;
        level->profile = (enum sim_profile)p;
        for (level->call = level->begin; level->call <= level->log.call_count; level->call++) {
            struct sim_arena_mark mark = sim_arena_mark();
            explore_point(explorer, level);
            sim_arena_release(mark);
        }
    }
}

/* The workload on the machine that setup left, then verify on the living machine, then crashes.
 * Returns whether the fault was met. */
static bool run_workload(struct sim_explorer *explorer, const struct sim_disk *ready,
                         const struct sim_fault *fault)
{
    const struct sim_scenario *scenario = explorer->scenario;
    struct sim_arena_mark mark = sim_arena_mark();
    struct sim_world *outer = sim;
    struct sim_level level = {.explorer = explorer, .depth = 1};
    sim = sim_world_new(ready, &outer->options);
    sim->broken = scenario->broken;
    sim_fail(fault);
    scenario->workload(scenario->context);
    bool fired = sim->fault_fired;
    level.log = sim->log;
    level.base = &sim->base;
    explorer->report->crash_points += sim->log.call_count + 1;
    sim->fault = (struct sim_fault){0};
    sim->broken = 0;
    sim->alive = true;
    const char *verdict = explorer->only ? NULL : scenario->verify(scenario->context);
    sim_forget_globals();
    if (!verdict && sim_open_handles() > 0)
        verdict = "handles are still open at the end";
    verdict = verdict ? verdict : sim->misuse;
    if (verdict && !explorer->helps)
        bad(explorer, NULL, &sim->now, 0, verdict);
    end_process();
    explore_log(explorer, &level);
    leave_machine(outer);
    sim_arena_release(mark);
    return fired;
}

void sim_explorer_begin(struct sim_explorer *explorer, const struct sim_scenario *scenario,
                        struct sim_report *report)
{
    const char *only = getenv("UNTORN_STATE");
    *report = (struct sim_report){.seconds = -seconds_now()};
    *explorer = (struct sim_explorer){
        .scenario = scenario, .report = report, .only = only ? strtoull(only, NULL, 16) : 0};
}

void sim_explorer_crash(struct sim_explorer *explorer)
{
    struct sim_level level = {
        .explorer = explorer, .depth = 1, .log = sim->log, .base = &sim->base};
    explorer->report->crash_points += sim->log.call_count + 1;
    explore_log(explorer, &level);
}

void sim_explorer_end(struct sim_explorer *explorer)
{
    explorer->report->seconds += seconds_now();
    sim_set_free(&explorer->seen);
    sim_set_free(&explorer->good);
}

/* Starts the machine and runs setup; the disk is then durable and no process runs. */
static void prepare(struct sim_explorer *explorer, const struct sim_scenario *scenario,
                    struct sim_report *report, struct sim_disk *ready)
{
    sim_explorer_begin(explorer, scenario, report);
    sim_start(&scenario->options);
    if (scenario->setup)
        scenario->setup(scenario->context);
    if (sim->misuse)
        sim_panic(sim->misuse);
    end_process();
    sim_disk_copy(&sim->now, ready, 0);
    sim_disk_walk(ready);
    sim_disk_restart(ready);
}

/* ---- by several processes ---- */

/* 8 GiB and 2 GiB, of which is taken what is used: a billion states, half of them different. */
enum { WORKERS_MAX = 64, SEEN_BITS = 30, GOOD_BITS = 28 };

static int count_workers(const struct sim_explorer *explorer)
{
    const char *wanted = getenv("UNTORN_WORKERS");
    int count = wanted ? atoi(wanted) : 1;
    if (count < 1 || count > WORKERS_MAX)
        sim_panic("UNTORN_WORKERS is not a number from 1 to 64");
    return explorer->only ? 1 : count;
}

static pid_t start_helper(struct sim_explorer *explorer, const struct sim_disk *ready,
                          struct sim_report *report)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    explorer->report = report;
    explorer->helps = true;
    report->seconds = -seconds_now();
    run_workload(explorer, ready, NULL);
    report->seconds += seconds_now();
    _exit(0);
}

/* All of them do the same, but pass over the states that one of them has come to before. */
static void run_by_several(struct sim_explorer *explorer, const struct sim_disk *ready, int helpers)
{
    pid_t children[WORKERS_MAX];
    size_t size = (size_t)helpers * sizeof(struct sim_report);
    struct sim_report *reports = sim_shared_memory(size);
    sim_set_share(&explorer->seen, SEEN_BITS);
    sim_set_share(&explorer->good, GOOD_BITS);
    for (int i = 0; i < helpers; i++)
        children[i] = start_helper(explorer, ready, &reports[i]);
    run_workload(explorer, ready, NULL);
    for (int i = 0; i < helpers; i++) {
        int status;
        if (children[i] < 0 || waitpid(children[i], &status, 0) < 0 || status != 0)
            sim_panic("a process that helped did not come to its end");
        reports[i].crash_points = 0;
        sim_report_add(explorer->report, &reports[i]);
    }
    munmap(reports, size);
}

void sim_explore(const struct sim_scenario *scenario, struct sim_report *report)
{
    struct sim_explorer explorer;
    struct sim_disk ready;
    prepare(&explorer, scenario, report, &ready);
    int workers = count_workers(&explorer);
    if (workers > 1)
        run_by_several(&explorer, &ready, workers - 1);
    else
        run_workload(&explorer, &ready, NULL);
    sim_explorer_end(&explorer);
}

/* ---- faults ---- */

const struct sim_fault sim_usual_faults[] = {
    {.error = EIO},
    {.error = EIO, .forever = true},
    {.error = ENOSPC},
    {.error = ENOSPC, .forever = true},
    {.error = EINTR},
    {.error = EINTR, .forever = true},
    {.error = EACCES},
    {.error = EACCES, .forever = true},
    {.error = EROFS},
    {.error = EROFS, .forever = true},
    {.error = ENOSPC, .effect = SIM_HALF_DONE, .verbs = SIM_ONLY(SIM_WRITE_AT)},
    {.error = ENOSPC, .effect = SIM_HALF_DONE, .verbs = SIM_ONLY(SIM_WRITE_AT), .forever = true},
    {.effect = SIM_SHORT, .verbs = SIM_ONLY(SIM_WRITE_AT) | SIM_ONLY(SIM_READ_AT)},
    {.effect = SIM_SHORT, .verbs = SIM_ONLY(SIM_WRITE_AT) | SIM_ONLY(SIM_READ_AT), .forever = true},
    {.error = EIO, .effect = SIM_REVERTED, .verbs = SIM_ONLY(SIM_FLUSH)},
    {.error = EIO, .effect = SIM_REVERTED, .verbs = SIM_ONLY(SIM_FLUSH), .forever = true},
    {.error = EIO, .effect = SIM_DONE_ANYWAY, .verbs = SIM_ONLY(SIM_RENAME)},
};
const size_t sim_usual_fault_count = sizeof sim_usual_faults / sizeof *sim_usual_faults;

void sim_fault_words(const struct sim_fault *fault, char *text, size_t size)
{
    const char *what = fault->effect == SIM_SHORT     ? "stops short"
                       : fault->effect == SIM_OMITTED ? "is left out"
                                                      : strerror(fault->error);
    snprintf(text, size, "call %d%s %s%s", fault->at,
             fault->verbs || fault->process ? " (of its kind)" : "", what,
             fault->forever     ? " and all after it"
             : fault->times > 1 ? " and some after it"
                                : "");
}

void sim_for_each_fault(const struct sim_scenario *scenario, const struct sim_fault *faults,
                        size_t count, struct sim_report *report)
{
    struct sim_explorer explorer;
    struct sim_disk ready;
    char words[200];
    prepare(&explorer, scenario, report, &ready);
    explorer.circumstances = words;
    for (size_t i = 0; i < count; i++) {
        struct sim_fault fault = faults[i];
        bool fired = true;
        for (fault.at = 1; fired; fault.at++) {
            sim_fault_words(&fault, words, sizeof words);
            fired = run_workload(&explorer, &ready, &fault);
            report->faults += fired;
        }
    }
    sim_explorer_end(&explorer);
}

static struct {
    bool armed, forever, fired;
    int at, count;
} allocation;

bool sim_allocation_fails(void)
{
    if (!allocation.armed)
        return false;
    allocation.count++;
    bool fails = allocation.count == allocation.at ||
                 (allocation.forever && allocation.count > allocation.at);
    allocation.fired |= fails;
    return fails;
}

static const struct sim_scenario *starved;

static void starved_workload(void *context)
{
    allocation.armed = true;
    starved->workload(context);
    allocation.armed = false;
}

void sim_for_each_allocation_failure(const struct sim_scenario *scenario, struct sim_report *report)
{
    struct sim_scenario own = *scenario;
    struct sim_explorer explorer;
    struct sim_disk ready;
    char words[100];
    starved = scenario;
    own.workload = starved_workload;
    prepare(&explorer, &own, report, &ready);
    explorer.circumstances = words;
    for (int forever = 0; forever < 2; forever++) {
        allocation.fired = true;
        for (allocation.at = 1; allocation.fired; allocation.at++) {
            allocation.forever = forever;
            allocation.count = 0;
            allocation.fired = false;
            snprintf(words, sizeof words, "allocation %d fails%s", allocation.at,
                     forever ? ", and all after it" : "");
            run_workload(&explorer, &ready, NULL);
            report->faults += allocation.fired;
        }
    }
    sim_explorer_end(&explorer);
}

/* ---- figures ---- */

void sim_report_add(struct sim_report *total, const struct sim_report *more)
{
    if (total->bad == 0 && more->bad > 0)
        memcpy(total->story, more->story, sizeof total->story);
    total->crash_points += more->crash_points;
    total->states += more->states;
    total->distinct += more->distinct;
    total->deeper += more->deeper;
    total->bad += more->bad;
    total->faults += more->faults;
    total->left_out += more->left_out;
    total->sampled |= more->sampled;
    total->seconds += more->seconds;
}

void sim_print(const struct sim_scenario *scenario, const struct sim_report *report)
{
    printf("    %s: %d crash points, %ld states, %ld distinct", scenario->name,
           report->crash_points, report->states, report->distinct);
    if (report->deeper)
        printf(" (%ld inside recovery)", report->deeper);
    if (report->faults)
        printf(", %ld faults", report->faults);
    if (report->left_out)
        printf(", %ld left out", report->left_out);
    printf(", %ld bad%s, %.2f s\n", report->bad, report->sampled ? ", sampled" : "",
           report->seconds);
    if (!scenario->quiet) { /* for tests/run.py, which adds up; broken variants are no figure */
        printf("    tally: simulated crash states %ld\n", report->states);
        printf("    tally: simulated crash states, different %ld\n", report->distinct);
        if (report->faults)
            printf("    tally: simulated faults %ld\n", report->faults);
    }
    if (report->bad && !scenario->quiet)
        printf("%s", report->story);
    fflush(stdout);
}
