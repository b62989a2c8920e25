/* Locks as flock(2) gives them, and the guard of the one global above. */
#include "os/sim/world.h"

#include <errno.h>
#include <string.h>

static bool others_exclude(const struct sim_opening *mine, enum os_lock wanted)
{
    for (int i = 0; i < sim->handle_count; i++) {
        for (const struct sim_handle *handle = &sim->handles[i]; handle; handle = handle->next) {
            const struct sim_opening *other = handle->opening;
            if (!other || other == mine || other->inode != mine->inode)
                continue;
            if (other->lock == OS_LOCK_EXCLUSIVE ||
                (other->lock == OS_LOCK_SHARED && wanted == OS_LOCK_EXCLUSIVE))
                return true;
        }
    }
    return false;
}

void sim_end_lock(struct sim_opening *opening, int process)
{
    if (opening->lock != OS_UNLOCK)
        sim->now.inodes[opening->inode].unlocked_by = sim->processes[process].history;
    opening->lock = OS_UNLOCK;
}

int os_lock(os_fd fd, enum os_lock lock)
{
    int rc = sim_begin(SIM_LOCK, (struct sim_place){fd, NULL});
    sim_this_call()->how = lock == OS_UNLOCK        ? "unlock"
                           : lock == OS_LOCK_SHARED ? "shared"
                                                    : "exclusive";
    struct sim_opening *opening = rc < 0 ? NULL : sim_opening_of(fd);
    if (rc == 0 && !opening)
        rc = -EBADF;
    else if (rc == 0 && (opening->how & OS_HOLD))
        rc = sim_misused("a lock on a handle that only holds");
    if (rc < 0)
        return (int)sim_end(rc);
    /* flock(2): a conversion first gives up the old lock, and a refused one has lost it. */
    if (opening->lock != lock)
        sim_end_lock(opening, sim->process);
    if (lock != OS_UNLOCK && others_exclude(opening, lock) && !(sim->broken & SIM_LOCK_LIES))
        return (int)sim_end(-EWOULDBLOCK);
    opening->lock = lock;
    if (lock != OS_UNLOCK && sim->areas) /* it may now read what was written there under it */
        sim_observe_number(sim->now.inodes[opening->inode].unlocked_by);
    return (int)sim_end(0);
}

bool os_lock_is_inherited(void)
{
    return true;
}

static const struct os_global *global;
static bool guarded;

void os_guard_enter(const struct os_global *guarded_global)
{
    global = guarded_global;
    if (guarded)
        sim_panic("the guard is entered twice: a real mutex would hang here");
    guarded = true;
}

void os_guard_leave(void)
{
    guarded = false;
}

bool sim_is_guarded(void)
{
    return guarded;
}

void sim_forget_globals(void)
{
    guarded = false;
    if (global)
        global->after_fork();
}

static void put_aside(struct sim_globals *aside)
{
    if (global && global->size > sizeof aside->memory)
        sim_panic("the global of the code above is larger than expected");
    aside->guarded = guarded;
    if (global)
        memcpy(aside->memory, global->memory, global->size);
}

void sim_change_globals(struct sim_globals *from, const struct sim_globals *to)
{
    put_aside(from);
    guarded = to->guarded;
    if (global)
        memcpy(global->memory, to->memory, global->size);
}
