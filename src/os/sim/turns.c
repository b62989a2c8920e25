#define _GNU_SOURCE
#include "os/sim/turns.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "os/sim/heap.h"

enum {
    STACK = 1 << 20,
    STEPS_DEFAULT = 5000,
    LOOKS_MAX = 20,  /* at words that do not change, before it is taken for asleep */
    ALONE_MAX = 400, /* steps of one process in a row, before the same */
    MOMENT = 1000,   /* ns that it then sleeps */
};

enum state { READY, ASLEEP, GONE };

static struct process {
    ucontext_t context;
    void *stack;
    enum state state;
    bool started;
    struct sim_point point; /* where it stands */
    uint64_t until;         /* asleep */
    struct sim_globals globals;
    int error;
    uint64_t random;
} processes[SIM_TOGETHER], outside;

struct turn_run turn_run;
static const struct sim_interleaving *asked;
static turn_decider *decide;
static int alone;

static struct process *process_of(int number)
{
    return number == TURN_NOBODY ? &outside : &processes[number];
}

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    char text[200];
    va_list arguments;
    if (!sim->telling)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sim_note(text);
}

/* ---- switching ---- */

/* From the process that runs to another, or out of the run. Returns when it goes on. */
static void switch_to(int from_number, int to_number)
{
    struct process *from = process_of(from_number), *to = process_of(to_number);
    from->error = errno;
    from->random = sim->random;
    sim_change_globals(&from->globals, &to->globals);
    sim->random = to->random;
    errno = to->error;
    if (to_number != TURN_NOBODY)
        sim->process = to_number;
    sim_heap_use(to_number != TURN_NOBODY);
    alone = 0;
    swapcontext(&from->context, &to->context);
}

static bool is_runnable(const struct process *process)
{
    return process->state == READY || (process->state == ASLEEP && process->until <= sim->clock);
}

/* ---- what can happen ---- */

/* Where nobody can go on now the clock goes to the first who can. False if that takes too long. */
static bool let_time_pass(void)
{
    uint64_t first = UINT64_MAX;
    bool all_gone = true;
    for (int i = 0; i < turn_run.count; i++) {
        if (is_runnable(&processes[i]))
            return true;
        all_gone &= processes[i].state == GONE;
        if (processes[i].state == ASLEEP && processes[i].until < first)
            first = processes[i].until;
    }
    if (all_gone || first == UINT64_MAX)
        return all_gone;
    tell("all sleep: %.3f ms pass", (double)(first - sim->clock) / 1e6);
    bool patient = asked->patience == 0 || first - sim->clock <= asked->patience;
    sim->clock = first;
    return patient;
}

static bool holds_removed_file(int number)
{
    for (int i = 0; i < sim->handle_count; i++) {
        const struct sim_handle *handle = &sim->handles[i];
        if (handle->opening && handle->process == number &&
            sim->now.inodes[handle->opening->inode].links == 0)
            return true;
    }
    return false;
}

/* Whether what comes at this point could differ by whether another process has died. */
static bool notices_death(const struct sim_point *point, int other)
{
    if (point->kind != SIM_POINT_CALL)
        return point->kind == SIM_POINT_ALIVE;
    if (point->verb == SIM_OPEN || point->verb == SIM_MAKE_DIR) /* the number is free again */
        return holds_removed_file(other);
    return point->verb == SIM_LOCK || point->verb == SIM_AREA_JOIN;
}

static bool may_be_killed(int number)
{
    const struct process *process = &processes[number];
    if (process->state == GONE || !process->started || turn_run.kills >= asked->kills)
        return false;
    return number == turn_run.current || asked->every_order || !turn_run.can_go_on ||
           notices_death(&processes[turn_run.current].point, number);
}

static int list_options(struct turn_option *options)
{
    int count = 0;
    bool may_leave = !turn_run.can_go_on || asked->preemptions == SIM_UNLIMITED ||
                     turn_run.preemptions < asked->preemptions;
    if (turn_run.can_go_on)
        options[count++] = (struct turn_option){TURN_RUN, (unsigned char)turn_run.current};
    for (int i = 0; may_leave && i < turn_run.count; i++)
        if (is_runnable(&processes[i]) && !(turn_run.can_go_on && i == turn_run.current))
            options[count++] = (struct turn_option){TURN_RUN, (unsigned char)i};
    for (int i = 0; may_leave && turn_run.hurries < asked->hurries && i < turn_run.count; i++) {
        if (processes[i].state != ASLEEP || is_runnable(&processes[i]))
            continue;
        if (processes[i].until != UINT64_MAX)
            options[count++] = (struct turn_option){TURN_HURRY, (unsigned char)i};
        if (processes[i].point.kind == SIM_POINT_SLEEP && processes[i].point.area)
            options[count++] = (struct turn_option){TURN_STIR, (unsigned char)i};
    }
    for (int i = 0; i < turn_run.count; i++)
        if (may_be_killed(i))
            options[count++] = (struct turn_option){TURN_KILL, (unsigned char)i};
    return count;
}

static void end_of(int number)
{
    sim_process_kill(number);
    processes[number].state = GONE;
    if (turn_run.current == number) {
        turn_run.current = TURN_NOBODY;
        turn_run.can_go_on = false;
    }
}

/* True if somebody goes on now. */
static bool apply(struct turn_option option)
{
    struct process *process = &processes[option.process];
    if (option.kind == TURN_KILL) {
        tell("process %d is killed", option.process);
        end_of(option.process);
        turn_run.kills++;
        return false;
    }
    turn_run.preemptions += turn_run.can_go_on && option.process != turn_run.current;
    if (option.kind == TURN_HURRY) {
        tell("process %d need not wait for the others: %.3f ms pass", option.process,
             (double)(process->until - sim->clock) / 1e6);
        sim->clock = process->until;
    } else if (option.kind == TURN_STIR) {
        tell("process %d waits no longer, for no reason", option.process);
    }
    turn_run.hurries += option.kind != TURN_RUN;
    process->state = READY;
    process->started = true;
    turn_run.current = option.process;
    return true;
}

/* Who goes on; TURN_NOBODY: the run has ended. */
static int choose(void)
{
    for (;;) {
        struct turn_option options[TURN_OPTIONS];
        if (!let_time_pass()) {
            turn_run.end = TURN_STUCK;
            return TURN_NOBODY;
        }
        int count = list_options(options);
        if (count == 0)
            return TURN_NOBODY;
        int choice = decide(options, count);
        if (choice < 0) {
            turn_run.end = TURN_GIVEN_UP;
            return TURN_NOBODY;
        }
        if (apply(options[choice]))
            return turn_run.current;
    }
}

/* ---- points ---- */

/* What no other process can see, and what does not depend on any. */
static bool is_private(const struct sim_point *point)
{
    if (point->kind != SIM_POINT_CALL || asked->every_order)
        return false;
    switch (point->verb) {
    case SIM_FLUSH:
        return sim->fault.effect != SIM_REVERTED; /* that is seen */
    case SIM_FLUSH_DIR:
    case SIM_RANDOM:
    case SIM_CAPABILITIES:
    case SIM_INHERIT:
        return true;
    default:
        return false;
    }
}

static bool seems_to_poll(const struct sim_point *point)
{
    struct sim_process *process = &sim->processes[turn_run.current];
    bool polls =
        (point->kind == SIM_POINT_WORD && process->looks > LOOKS_MAX) || ++alone > ALONE_MAX;
    if (polls)
        process->looks = 0;
    return polls;
}

static void reach(const struct sim_point *point)
{
    int number = turn_run.current, limit = asked->steps ? asked->steps : STEPS_DEFAULT;
    struct process *process = &processes[number];
    if (is_private(point))
        return;
    process->point = *point;
    process->until = 0;
    if (point->kind == SIM_POINT_SLEEP)
        process->until = point->until;
    else if (seems_to_poll(point))
        process->until = sim->clock + MOMENT;
    process->state = process->until > sim->clock ? ASLEEP : READY;
    turn_run.can_go_on = process->state == READY;
    if (++turn_run.steps > limit) {
        turn_run.end = TURN_CUT;
        switch_to(number, TURN_NOBODY);
    }
    int next = choose();
    if (next != number)
        switch_to(number, next);
    sim_observe_number((uint64_t)point->kind); /* to have gone on is to know more */
}

static void wake(const struct sim_area *area, size_t offset)
{
    for (int i = 0; i < turn_run.count; i++) {
        struct process *process = &processes[i];
        if (process->state == ASLEEP && process->point.area == area &&
            process->point.kind == SIM_POINT_SLEEP && process->point.offset == offset)
            process->until = sim->clock;
    }
}

static const struct sim_turns turns = {reach, wake};

/* ---- a run ---- */

static void run_process(void)
{
    int number = turn_run.current;
    sim_observe_number(0); /* it has started */
    asked->processes[number](asked->context, number);
    reach(&(struct sim_point){.kind = SIM_POINT_EXIT});
    end_of(number);
    switch_to(number, choose());
}

static void prepare_context(ucontext_t *context, void *stack)
{
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = STACK;
    context->uc_link = NULL;
    makecontext(context, run_process, 0);
}

static void prepare(int number)
{
    struct process *process = &processes[number];
    if (!process->stack)
        process->stack =
            mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (process->stack == MAP_FAILED)
        sim_panic("no memory for a stack");
    process->state = READY;
    process->started = false;
    process->error = 0;
    process->random = sim_mix(sim->random, (uint64_t)number);
    memset(&process->globals, 0, sizeof process->globals);
    process->point = (struct sim_point){0};
    prepare_context(&process->context, process->stack);
    sim_process(number);
}

void turns_take(const struct sim_interleaving *interleaving, turn_decider *decider)
{
    asked = interleaving;
    decide = decider;
    turn_run = (struct turn_run){.current = TURN_NOBODY};
    while (turn_run.count < SIM_TOGETHER && asked->processes[turn_run.count])
        prepare(turn_run.count++);
    sim_heap_clear();
    sim->turns = &turns;
    int first = choose();
    if (first != TURN_NOBODY)
        switch_to(TURN_NOBODY, first);
    sim->turns = NULL;
}

/* How far it is to the fault; 0 where there is none any more. */
static uint64_t fault_state(void)
{
    bool is_over =
        sim->fault.at == 0 || (sim->fault_fired && !sim->fault.forever && sim->fault.times < 2);
    return is_over ? 0 : (uint64_t)sim->fault_calls + 1;
}

uint64_t turns_state(int killed)
{
    uint64_t hash = sim_mix(sim_disk_hash_in_use(&sim->now), sim_areas_hash());
    hash = sim_mix(hash, fault_state());
    bool all_gone = true;
    for (int i = 0; i < turn_run.count; i++) {
        const struct process *process = &processes[i];
        const struct sim_process *simulated = &sim->processes[i];
        all_gone &= process->state == GONE;
        if (process->state == GONE || i == killed)
            hash = sim_mix(hash, simulated->told + 1);
        else
            hash = sim_mix(sim_mix(hash, simulated->history),
                           is_runnable(process) ? 0 : process->until);
    }
    return all_gone ? hash : sim_mix(hash, sim->clock);
}

void sim_distinguish(uint64_t number)
{
    struct sim_process *process = &sim->processes[sim->process];
    process->told = sim_mix(sim_next(process->told), number);
}
