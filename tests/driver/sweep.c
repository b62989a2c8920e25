/* sweep: lets every system call of a command go wrong, one after the other, and judges each time
 * what is left. For each scenario these tests:
 *
 *   kill    SIGKILL instead of, after, and in the middle of each call
 *   error   each plausible error at each call, once and for ever, and transfers that come up short
 *   memory  each allocation fails, and all from it on; --memory names what is preloaded for that
 *           (tests/faults/failing_malloc.c)
 *
 *     sweep --command PATH --base DIRECTORY [--faults kill|error|memory] [--memory LIBRARY]
 *           [--scenario NAME]... [--seconds N] [--long]
 *     sweep --list
 *
 * A run that takes longer than --seconds hangs (60: a busy machine is slow with traced programs).
 * Prints `ok  SENTENCE` or `FAIL SENTENCE` per test, what was wrong and how to see it again, and
 * the number of positions; ends with 1 if anything failed. Runs that leave equal states (state.h)
 * with equal answers are judged once.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verdict.h"

enum { WORKERS = 2, SHOWN = 6, LONGEST = 20000 };

struct tally {
    atomic_long runs, failures, calls, states;
    struct states good;
};

enum test { TEST_KILL, TEST_ERROR, TEST_MEMORY, TESTS };

static const struct {
    const char *name, *predicate;
} tests[TESTS] = {
    {"kill", "survives a kill at every system call"},
    {"error", "answers honestly to every error of every system call"},
    {"memory", "survives the failure of any allocation"},
};

struct order {
    const char *command, *base;
    const char *memory; /* or NULL */
    bool chosen[TESTS], thorough;
    unsigned timeout_ms;
};

/* One way of going wrong, tried at every position. */
struct fault {
    const char *option; /* of faultat, to see it again */
    enum trace_action action;
    bool for_ever, same_call;
    unsigned unit;
    int error;        /* 0: every plausible one */
    const char *only; /* calls that can go wrong so; NULL: all */
    bool thorough_only;
};

#define TRANSFERS "read,pread64,write,pwrite64"
#define RENAMES "rename,renameat,renameat2"
#define NAMINGS "mkdir,mkdirat,link,linkat,unlink,unlinkat"

static const struct fault kill_faults[] = {
    {.option = "--kill-before", .action = TRACE_KILL_BEFORE},
    {.option = "--kill-after", .action = TRACE_KILL_AFTER},
    {.option = "--only write,pwrite64 --unit 512 --tear",
     .action = TRACE_TEAR,
     .unit = 512,
     .only = "write,pwrite64"},
};

static const struct fault error_faults[] = {
    {.option = "--fail", .action = TRACE_FAIL},
    {.option = "--for-ever --same-call --fail",
     .action = TRACE_FAIL,
     .for_ever = true,
     .same_call = true},
    {.option = "--for-ever --fail", .action = TRACE_FAIL, .for_ever = true, .thorough_only = true},
    {.option = "--only " RENAMES " --fail-after", /* as NFS may do it */
     .action = TRACE_FAIL_AFTER,
     .error = EIO,
     .only = RENAMES},
    {.option = "--only " NAMINGS " --fail-after",
     .action = TRACE_FAIL_AFTER,
     .error = EIO,
     .only = NAMINGS,
     .thorough_only = true},
    {.option = "--only " TRANSFERS " --shorten", .action = TRACE_SHORTEN, .only = TRANSFERS},
    {.option = "--only " TRANSFERS " --for-ever --shorten",
     .action = TRACE_SHORTEN,
     .only = TRANSFERS,
     .for_ever = true},
};

/* ---- which calls there are ---- */

/* The calls of a run without a fault, in order. What stands before a fault happens in each run
 * alike: so it is enough to stop the program at the calls of one name, and to count those. */
struct course {
    long count;
    const struct call *calls[LONGEST];
};

static void read_course(FILE *log, struct course *ret)
{
    char line[2 * PATH_MAX], name[64];
    long position;
    rewind(log);
    ret->count = 0;
    while (fgets(line, sizeof line, log) != NULL)
        if (sscanf(line, "%ld %*d %63s", &position, name) == 2 && position > 0 &&
            position < LONGEST) {
            ret->calls[position] = call_by_name(name);
            ret->count = position > ret->count ? position : ret->count;
        }
}

/* Which of the calls of its name that position is. */
static long turn_of(const struct course *course, long position)
{
    long turn = 0;
    for (long i = 1; i <= position; i++)
        turn += course->calls[i] == course->calls[position];
    return turn;
}

/* After a flush that fails, all flushes and writes are watched; programs that it starts may be
 * faster or slower. */
static bool may_narrow(const struct scenario *scenario, const struct trace_plan *plan,
                       const struct course *course)
{
    if (plan->only != NULL || scenario->starts_programs || plan->position > course->count ||
        course->calls[plan->position] == NULL || (plan->for_ever && !plan->same_call))
        return false;
    return plan->action != TRACE_FAIL || !call_flushes(course->calls[plan->position]);
}

static void narrow(struct trace_plan *plan, const struct course *course)
{
    plan->only = course->calls[plan->position]->name;
    plan->position = turn_of(course, plan->position);
}

/* ---- one worker ---- */

static void report(const struct bench *bench, const struct fault *fault, const struct run *run,
                   long position, struct tally *tally)
{
    if (atomic_fetch_add(&tally->failures, 1) >= SHOWN)
        return;
    static const char format[] = "    %s: %s\n      at faultat %s %ld%s%s%s, status %d: %s\n";
    char line[2000];
    int size = snprintf(line, sizeof line, format, bench->scenario->name, run->problem,
                        fault->option, position, run->result.hit_error != 0 ? " --errno " : "",
                        run->result.hit_error != 0 ? error_name(run->result.hit_error) : "",
                        run->plan.main_only ? " --main-only" : "",
                        WIFEXITED(run->result.status) ? WEXITSTATUS(run->result.status)
                                                      : 128 + WTERMSIG(run->result.status),
                        run->result.hit);
    if (write(STDOUT_FILENO, line, (size_t)size) < 0)
        exit(125);
}

/* What the short run leaves out: errors that come to the same, in scenarios much like another. */
static unsigned errors_to_try(const struct scenario *scenario, const struct fault *fault,
                              const struct order *order)
{
    if (order->thorough)
        return CALL_ERRORS;
    if (fault->for_ever)
        return scenario->full ? 2 : 0;
    return scenario->full ? CALL_ERRORS : 2;
}

/* At one position; false when the program makes no so many calls. */
static bool try_position(struct bench *bench, const struct fault *fault, const struct order *order,
                         const struct course *course, long position, struct tally *tally)
{
    unsigned index = 0;
    bool errors = fault->action == TRACE_FAIL;
    for (; !errors || !trace_exhausted(index); index++) {
        if (index >= errors_to_try(bench->scenario, fault, order))
            break;
        struct run run = {.plan = {.action = fault->action,
                                   .position = position,
                                   .for_ever = fault->for_ever,
                                   .same_call = fault->same_call,
                                   .unit = fault->unit,
                                   .error = fault->error,
                                   .only = fault->only,
                                   .waits_long = bench->scenario->program != NULL,
                                   .error_index = index}};
        run.plan.main_only = bench->scenario->starts_programs && !bench->scenario->runs_untorn &&
                             fault->action >= TRACE_FAIL && fault->action != TRACE_TEAR;
        if (may_narrow(bench->scenario, &run.plan, course))
            narrow(&run.plan, course);
        bool met = verdict_run(bench, &run);
        atomic_fetch_add(&tally->runs, met);
        atomic_fetch_add(&tally->states, met && !run.known);
        if (run.problem[0] != 0)
            report(bench, fault, &run, position, tally);
        if (run.result.counted < run.plan.position)
            return false;
        if (!errors || run.result.hit_last)
            break;
    }
    return true;
}

/* The allocations of one worker. A mark tells whether there were so many. */
static void fail_memory(struct bench *bench, const struct order *order, unsigned worker,
                        struct tally *tally)
{
    struct fault faults[] = {{.option = "(no system call) with FAIL_AT="},
                             {.option = "(no system call) with FAIL_FOR_EVER=1 FAIL_AT="}};
    for (int ever = 0; ever < 2; ever++)
        for (long number = 1 + worker; number < LONGEST; number += WORKERS) {
            struct run run = {.plan = {.only = "umask"},
                              .memory = {order->memory, number, ever == 1}};
            if (!verdict_run(bench, &run))
                break;
            atomic_fetch_add(&tally->runs, 1);
            atomic_fetch_add(&tally->states, !run.known);
            if (run.problem[0] != 0)
                report(bench, &faults[ever], &run, number, tally);
        }
}

static void work(struct bench *bench, const struct order *order, const struct course *course,
                 enum test test, unsigned worker, struct tally *tally)
{
    bool kills = test == TEST_KILL;
    const struct fault *faults = kills ? kill_faults : error_faults;
    size_t count = kills ? sizeof kill_faults / sizeof kill_faults[0]
                         : sizeof error_faults / sizeof error_faults[0];
    if (test == TEST_MEMORY)
        fail_memory(bench, order, worker, tally);
    for (size_t i = 0; i < count && test != TEST_MEMORY; i++) {
        if (faults[i].thorough_only && !order->thorough)
            continue;
        for (long position = 1 + worker; position < LONGEST; position += WORKERS)
            if (!try_position(bench, &faults[i], order, course, position, tally))
                break;
    }
}

/* ---- one scenario ---- */

static void prepare(struct bench *bench, const struct order *order, const struct scenario *scenario,
                    unsigned worker)
{
    static char inputs[PATH_MAX];
    snprintf(inputs, sizeof inputs, "%s/inputs%u", order->base, worker);
    bench->command = order->command;
    bench->scenario = scenario;
    bench->timeout_ms = order->timeout_ms;
    contents_make(&bench->contents, inputs, scenario);
    snprintf(bench->before, sizeof bench->before, "%s/before%u", order->base, worker);
    snprintf(bench->directory, sizeof bench->directory, "%s/run%u", order->base, worker);
    snprintf(bench->output, sizeof bench->output, "%s/output%u", order->base, worker);
    snprintf(bench->errors, sizeof bench->errors, "%s/errors%u", order->base, worker);
    snprintf(bench->mark, sizeof bench->mark, "%s/mark%u", order->base, worker);
    scenario_prepare(scenario, &bench->contents, order->command, bench->before);
}

/* Without a fault it has to work, or the sweep would prove nothing. */
static bool works_at_all(struct bench *bench, struct course *course, struct tally *tally)
{
    struct run run = {.plan = {.action = TRACE_COUNT}};
    run.plan.main_only = bench->scenario->starts_programs && !bench->scenario->runs_untorn;
    if (bench->scenario->effect == EFFECT_NONE) {
        (void)verdict_run(bench, &run);
        bench->baseline_status = run.result.status;
        bench->baseline = blob_read("/", bench->output + 1);
        run.problem[0] = 0;
    }
    run.plan.log = tmpfile();
    if (run.plan.log == NULL)
        place_die("cannot log", "calls");
    (void)verdict_run(bench, &run);
    read_course(run.plan.log, course);
    fclose(run.plan.log);
    atomic_store(&tally->calls, run.result.counted);
    bool changes = bench->scenario->effect != EFFECT_NONE;
    bool done = WIFEXITED(run.result.status) && WEXITSTATUS(run.result.status) == 0;
    if (run.problem[0] == 0 && (done || !changes) && run.result.counted > 0)
        return true;
    printf("    %s: without any fault: status %d, %s\n", bench->scenario->name,
           WEXITSTATUS(run.result.status), run.problem);
    return false;
}

static bool sweep(const struct order *order, const struct scenario *scenario, enum test test,
                  struct tally *tally)
{
    memset(tally, 0, sizeof *tally);
    for (unsigned worker = 0; worker < WORKERS; worker++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            static struct course course;
            struct bench bench = {.good = &tally->good};
            prepare(&bench, order, scenario, worker);
            if (works_at_all(&bench, &course, tally))
                work(&bench, order, &course, test, worker, tally);
            else
                atomic_fetch_add(&tally->failures, 1);
            place_remove(bench.directory);
            fflush(NULL);
            _exit(0);
        }
    }
    int status;
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            atomic_fetch_add(&tally->failures, 1);
    bool good = tally->failures == 0 && (tally->runs > 0 || test == TEST_MEMORY);
    printf("%s %s %s\n", good ? "ok " : "FAIL", scenario->sentence, tests[test].predicate);
    printf("    %s %s: %ld calls, %ld runs with a fault, %ld of them wrong, %ld states\n",
           scenario->name, tests[test].name, tally->calls, tally->runs, tally->failures,
           tally->states);
    fflush(stdout);
    return good;
}

/* ---- the command line ---- */

static bool chosen(char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static bool sweep_all(const struct order *order, char *const *names, int count)
{
    struct tally *tally =
        mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    long runs[2] = {0};
    int passed = 0, failed = 0;
    for (size_t i = 0; i < all_scenarios_count; i++) {
        const struct scenario *scenario = &all_scenarios[i];
        if (!chosen(names, count, scenario->name) ||
            (scenario->thorough && !order->thorough && count == 0))
            continue;
        for (enum test test = 0; test < TESTS; test++) {
            if (!order->chosen[test] || (test == TEST_KILL && scenario->effect == EFFECT_NONE))
                continue;
            bool good = sweep(order, scenario, test, tally);
            passed += good;
            failed += !good;
            runs[test == TEST_MEMORY] += tally->runs;
        }
    }
    if (runs[0] > 0)
        printf("tally: fault positions %ld\n", runs[0]);
    if (runs[1] > 0)
        printf("tally: failed allocations %ld\n", runs[1]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && runs[0] + runs[1] > 0;
}

/* What is run in each: a verb of the command, or an example. */
static int list_scenarios(void)
{
    for (size_t i = 0; i < all_scenarios_count; i++) {
        const struct scenario *scenario = &all_scenarios[i];
        printf("%s\n", scenario->program != NULL ? scenario->program : scenario->arguments[0]);
    }
    return 0;
}

int main(int count, char **values)
{
    static const struct option options[] = {
        {"command", required_argument, NULL, 'c'},
        {"base", required_argument, NULL, 'b'},
        {"faults", required_argument, NULL, 'f'},
        {"scenario", required_argument, NULL, 's'},
        {"long", no_argument, NULL, 'l'},
        {"list", no_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 't'},
        {"memory", required_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    struct order order = {.chosen = {true, true}, .timeout_ms = 60000};
    char *names[128];
    int code, named = 0;
    while ((code = getopt_long(count, values, "", options, NULL)) != -1) {
        if (code == 'c')
            order.command = optarg;
        else if (code == 'b')
            order.base = optarg;
        else if (code == 'f') {
            for (enum test test = 0; test < TESTS; test++)
                order.chosen[test] = strcmp(optarg, tests[test].name) == 0;
        } else if (code == 'm')
            order.memory = optarg;
        else if (code == 's' && named < 128)
            names[named++] = optarg;
        else if (code == 't')
            order.timeout_ms = (unsigned)atoi(optarg) * 1000;
        else if (code == 'l')
            order.thorough = true;
        else if (code == 'n')
            return list_scenarios();
        else
            return 125;
    }
    if (order.command == NULL || order.base == NULL ||
        order.chosen[TEST_MEMORY] != (order.memory != NULL)) {
        fprintf(stderr, "sweep: see the head of sweep.c\n");
        return 125;
    }
    umask(022);
    setenv("LC_ALL", "C", 1);
    setenv("TMPDIR", order.base, 1); /* for what is put there if all else fails */
    unsetenv("VISUAL");
    unsetenv("XDG_CONFIG_HOME");
    return sweep_all(&order, names, named) ? 0 : 1;
}
