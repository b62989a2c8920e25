/* Calls and handles: what every verb does before and after its own work. */
#include "os/sim/world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct sim_world *sim;

static const char *path_of(os_fd at)
{
    if (at == OS_NONE)
        return NULL;
    int number = (int)(at - sim->first_handle);
    if (number < 0 || number >= sim->handle_count)
        return "(no such handle)";
    for (struct sim_handle *handle = &sim->handles[number]; handle; handle = handle->next)
        if (handle->opening && handle->process == sim->process)
            return handle->opening->path;
    return "(closed handle)";
}

static bool is_on(const struct sim_call *call, const char *part)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", call->path ? call->path : "",
             call->name ? call->name : "");
    return strstr(path, part) != NULL;
}

static bool fault_hits(const struct sim_call *call)
{
    const struct sim_fault *fault = &sim->fault;
    if (fault->at == 0 || (fault->verbs && !(fault->verbs & SIM_ONLY(call->verb))) ||
        (fault->on && !is_on(call, fault->on)) ||
        (fault->process && fault->process != call->process + 1))
        return false;
    sim->fault_calls++;
    int behind = sim->fault_calls - fault->at, times = fault->times ? fault->times : 1;
    return behind >= 0 && (fault->forever || behind < times);
}

static void run_meanwhile(int call)
{
    if (!sim->meanwhile || sim->in_meanwhile || sim_is_guarded())
        return;
    int process = sim->process;
    sim->in_meanwhile = true;
    sim->meanwhile(sim->meanwhile_context, call);
    sim->in_meanwhile = false;
    sim->process = process;
}

void sim_observe(const void *data, size_t size)
{
    struct sim_process *process = &sim->processes[sim->process];
    if (sim->turns)
        process->history = sim_mix_bytes(sim_next(process->history), data, size);
}

void sim_observe_number(uint64_t number)
{
    struct sim_process *process = &sim->processes[sim->process];
    if (sim->turns)
        process->history = sim_mix(sim_next(process->history), number);
}

/* Calls take no time where several processes run by turns: see interleave.h. */
static void let_others(enum sim_verb verb)
{
    if (sim->turns) {
        sim->turns->reach(&(struct sim_point){.kind = SIM_POINT_CALL, .verb = verb});
    } else {
        run_meanwhile(sim->log.call_count);
        sim->clock += 1000;
    }
}

int sim_begin(enum sim_verb verb, struct sim_place place)
{
    if (!sim)
        sim_start(NULL);
    let_others(verb);
    struct sim_log *log = &sim->log;
    if (log->call_count >= SIM_CALL_LIMIT)
        sim_panic("a million calls: the code above seems to go round in circles");
    SIM_GROW(log->calls, log->call_count, log->call_capacity);
    log->calls[log->call_count++] = (struct sim_call){
        .verb = verb,
        .path = path_of(place.at),
        .name = place.name ? sim_alloc_text(place.name) : NULL,
        .first_step = log->step_count,
        .process = sim->process,
    };
    sim->verb_calls[verb]++;
    sim->processes[sim->process].looks = 0;
    if (!fault_hits(sim_this_call()))
        return 0;
    sim->fault_fired = true;
    sim_this_call()->faulty = true;
    bool goes_on = sim->fault.effect == SIM_SHORT || sim->fault.effect == SIM_DONE_ANYWAY ||
                   sim->fault.effect == SIM_OMITTED ||
                   (sim->fault.effect == SIM_HALF_DONE && verb == SIM_WRITE_AT);
    return goes_on ? 0 : -sim->fault.error;
}

struct sim_call *sim_this_call(void)
{
    return &sim->log.calls[sim->log.call_count - 1];
}

bool sim_call_is(enum sim_effect effect)
{
    return sim_this_call()->faulty && sim->fault.effect == effect;
}

int64_t sim_end(int64_t result)
{
    struct sim_call *call = sim_this_call();
    if (result >= 0 && sim_call_is(SIM_DONE_ANYWAY))
        result = -sim->fault.error;
    call->result = result;
    call->step_count = sim->log.step_count - call->first_step;
    sim_observe_number((uint64_t)result);
    return result;
}

int sim_misused(const char *what)
{
    char text[512];
    if (!sim->misuse) {
        const struct sim_call *call = sim_this_call();
        snprintf(text, sizeof text, "misuse of the seam: %s (call %d, %s %s)", what,
                 sim->log.call_count, call->path ? call->path : "", call->name ? call->name : "");
        sim->misuse = sim_alloc_text(text);
    }
    return -EBADF;
}

const char *sim_misuse(void)
{
    return sim->misuse;
}

int sim_calls(void)
{
    return sim->log.call_count;
}

int sim_calls_of(enum sim_verb verb)
{
    return sim->verb_calls[verb];
}

void sim_fail(const struct sim_fault *fault)
{
    sim->fault = fault ? *fault : (struct sim_fault){0};
    sim->fault_calls = 0;
    sim->fault_fired = false;
}

bool sim_fault_fired(void)
{
    return sim->fault_fired;
}

void sim_break(unsigned broken)
{
    sim->broken = broken;
}

void sim_set_meanwhile(sim_meanwhile *function, void *context)
{
    sim->meanwhile = function;
    sim->meanwhile_context = context;
}

static void log_ack(int id, const char *words)
{
    struct sim_log *log = &sim->log;
    SIM_GROW(log->acks, log->ack_count, log->ack_capacity);
    log->acks[log->ack_count++] = (struct sim_ack_record){id, log->call_count, words};
}

void sim_ack(int id)
{
    struct sim_process *process = &sim->processes[sim->process];
    process->told = sim_mix(sim_next(process->told), (uint64_t)id);
    log_ack(id, NULL);
}

void sim_note(const char *words)
{
    log_ack(-1, sim_alloc_text(words));
}

bool sim_acked(int id)
{
    return (sim->acked | sim_model_acked(&sim->log, SIM_NEVER)) >> id & 1;
}

enum sim_profile sim_profile(void)
{
    return sim->profile;
}

bool sim_alive(void)
{
    return sim->alive;
}

/* ---- handles ---- */

static struct sim_handle *handle_of(os_fd fd, int process)
{
    int number = (int)(fd - sim->first_handle);
    if (fd < sim->first_handle || number >= sim->handle_count)
        return NULL;
    for (struct sim_handle *handle = &sim->handles[number]; handle; handle = handle->next)
        if (handle->opening && handle->process == process)
            return handle;
    return NULL;
}

struct sim_opening *sim_opening_of(os_fd fd)
{
    struct sim_handle *handle = handle_of(fd, sim->process);
    if (!handle)
        sim_misused("a handle that is not open in this process");
    return handle ? handle->opening : NULL;
}

/* Never one that was used before. Where several processes run by turns each has a series of its
 * own: what it is told must not depend on what the others do. */
static int next_number(void)
{
    if (!sim->turns)
        return sim->handle_count;
    return sim->processes[sim->process].handles++ * SIM_TOGETHER + sim->process % SIM_TOGETHER;
}

os_fd sim_handle_new(int inode, unsigned how, const char *path)
{
    struct sim_opening *opening = sim_alloc(sizeof *opening);
    *opening = (struct sim_opening){.inode = inode, .how = how, .references = 1, .path = path};
    sim->now.inodes[inode].openings++;
    sim_observe_number((uint64_t)inode);
    int number = next_number();
    while (sim->handle_count <= number) {
        SIM_GROW(sim->handles, sim->handle_count, sim->handle_capacity);
        sim->handles[sim->handle_count++] = (struct sim_handle){0};
    }
    sim->handles[number] = (struct sim_handle){opening, sim->process, false, NULL};
    return sim->first_handle + number;
}

void sim_handle_close(struct sim_handle *handle)
{
    struct sim_opening *opening = handle->opening;
    handle->opening = NULL;
    if (--opening->references == 0) {
        sim_end_lock(opening, handle->process);
        sim->now.inodes[opening->inode].openings--;
    }
}

/* A file that was cut to nothing and rewritten: ext4, xfs and btrfs write it out at close. */
static void tie_cut(const struct sim_opening *opening)
{
    struct sim_log *log = &sim->log;
    for (int i = 0; opening->cut && i < log->step_count; i++) {
        struct sim_step *step = &log->steps[i];
        if (step->kind == SIM_EFFECT_SIZE && step->inode == opening->inode && step->size == 0 &&
            step->tied_until == 0) {
            step->tied_until = log->step_count;
            step->tied_call = log->call_count - 1;
        }
    }
}

int os_close(os_fd fd)
{
    if (fd == OS_NONE)
        return 0;
    int rc = sim_begin(SIM_CLOSE, (struct sim_place){fd, NULL});
    struct sim_handle *handle = handle_of(fd, sim->process);
    if (!handle)
        return (int)sim_end(sim_misused("closing a handle that is not open in this process"));
    if (rc < 0 && (handle->opening->how & OS_WRITE))
        sim_poison_file(handle->opening->inode);
    tie_cut(handle->opening);
    sim_handle_close(handle);
    return (int)sim_end(rc);
}

int os_inherit(os_fd fd, bool inherit)
{
    int rc = sim_begin(SIM_INHERIT, (struct sim_place){fd, NULL});
    struct sim_handle *handle = handle_of(fd, sim->process);
    if (rc == 0 && !handle)
        rc = sim_misused("a handle that is not open in this process");
    if (rc == 0)
        handle->inherit = inherit;
    return (int)sim_end(rc);
}

int sim_open_handles(void)
{
    int count = 0;
    for (int i = 0; i < sim->handle_count; i++)
        count += handle_of(sim->first_handle + i, sim->process) != NULL;
    return count;
}

/* ---- processes ---- */

void sim_process(int id)
{
    if (!sim->processes[id].running)
        sim->processes[id] = (struct sim_process){
            .running = true, .mask = 022, .start = sim->clock / 1000 + 1 + (uint64_t)id};
    sim->process = id;
}

void sim_process_user(uint32_t user, uint32_t group)
{
    sim->processes[sim->process].user = user;
    sim->processes[sim->process].group = group;
}

void sim_process_mask(uint32_t mask)
{
    sim->processes[sim->process].mask = mask;
}

static void make_child(int child, bool all)
{
    struct sim_process *parent = &sim->processes[sim->process];
    sim->processes[child] = *parent;
    sim->processes[child].start = sim->clock / 1000 + 1 + (uint64_t)child;
    for (int i = 0; i < sim->handle_count; i++) {
        struct sim_handle *handle = handle_of(sim->first_handle + i, sim->process);
        if (!handle || (!all && !handle->inherit))
            continue;
        struct sim_handle *copy = sim_alloc(sizeof *copy);
        *copy = (struct sim_handle){handle->opening, child, handle->inherit, sim->handles[i].next};
        sim->handles[i].next = copy;
        handle->opening->references++;
    }
}

void sim_process_fork(int child)
{
    make_child(child, true);
}

void sim_process_spawn(int child)
{
    make_child(child, false);
}

void sim_process_kill(int id)
{
    for (int i = 0; i < sim->handle_count; i++) {
        struct sim_handle *handle = handle_of(sim->first_handle + i, id);
        if (handle)
            sim_handle_close(handle);
    }
    sim_areas_leave(id);
    sim->processes[id].running = false;
}
