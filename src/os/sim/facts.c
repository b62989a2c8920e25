/* What the system says of itself: file systems, processes, clocks, random bytes. */
#include "os/sim/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int os_capabilities(os_fd fd, struct os_capabilities *ret_capabilities)
{
    int rc = sim_begin(SIM_CAPABILITIES, (struct sim_place){fd, NULL});
    int dir = rc < 0 ? rc : sim_dir_of(fd);
    if (dir < 0)
        return (int)sim_end(dir);
    *ret_capabilities = (struct os_capabilities){
        .filesystem = "sim",
        .network = sim->now.devices[sim->now.inodes[dir].device].network,
        .full_flush = true,
    };
    return (int)sim_end(0);
}

static const char *name_in(int dir, int child)
{
    const struct sim_inode *inode = &sim->now.inodes[dir];
    for (int i = 0; i < inode->entry_count; i++)
        if (inode->entries[i].inode == child)
            return inode->entries[i].name;
    return NULL;
}

int os_dir_path(os_fd fd, char *path, size_t size)
{
    int rc = sim_begin(SIM_DIR_PATH, (struct sim_place){fd, NULL});
    int dir = rc < 0 ? rc : sim_dir_of(fd);
    if (dir < 0)
        return (int)sim_end(dir);
    char text[4096] = "", longer[4096];
    while (dir != SIM_ROOT) {
        while (sim->now.inodes[dir].mounted_on != SIM_NO_INODE)
            dir = sim->now.inodes[dir].mounted_on;
        int parent = sim->now.inodes[dir].parent;
        const char *name = parent == SIM_NO_INODE ? NULL : name_in(parent, dir);
        if (!name)
            return (int)sim_end(-ENOENT);
        if ((size_t)snprintf(longer, sizeof longer, "/%s%s", name, text) >= sizeof longer)
            return (int)sim_end(-ENAMETOOLONG);
        memcpy(text, longer, sizeof text);
        dir = parent;
    }
    const char *whole = *text ? text : "/";
    if (strlen(whole) >= size)
        return (int)sim_end(-ENAMETOOLONG);
    strcpy(path, whole);
    sim_observe(path, strlen(path));
    return (int)sim_end(0);
}

void os_self(struct os_process *ret_self)
{
    const struct sim_process *process = &sim->processes[sim->process];
    *ret_self = (struct os_process){
        .pid = 1000 + sim->process,
        .start = process->start,
        .host = "simulated",
        .command = "simulation",
    };
    snprintf(ret_self->boot, sizeof ret_self->boot, "boot-%u", sim->boot);
}

uint32_t os_user(void)
{
    return sim->processes[sim->process].user;
}

bool os_is_alive(const struct os_process *other)
{
    char boot[sizeof other->boot];
    snprintf(boot, sizeof boot, "boot-%u", sim->boot);
    int64_t id = other->pid - 1000;
    if (sim->turns)
        sim->turns->reach(&(struct sim_point){.kind = SIM_POINT_ALIVE});
    bool alive = id >= 0 && id < SIM_PROCESSES && strcmp(boot, other->boot) == 0 &&
                 sim->processes[id].running && sim->processes[id].start == other->start;
    sim_observe_number(alive);
    return alive;
}

uint64_t os_clock_ns(void)
{
    sim->clock += sim->turns ? 0 : 100;
    sim_observe_number(sim->clock);
    return sim->clock;
}

int64_t os_wall_clock(void)
{
    sim_observe_number(sim->clock / 1000000000u);
    return (int64_t)(1700000000 + sim->clock / 1000000000u);
}

uint64_t sim_time_in(uint64_t duration)
{
    return duration < UINT64_MAX - sim->clock ? sim->clock + duration : UINT64_MAX;
}

void os_sleep_ns(uint64_t duration)
{
    if (sim->turns) {
        sim->turns->reach(
            &(struct sim_point){.kind = SIM_POINT_SLEEP, .until = sim_time_in(duration)});
        return;
    }
    sim->clock = sim_time_in(duration);
    sim_meanwhile *function = sim->in_meanwhile ? NULL : sim->meanwhile;
    if (!function)
        return;
    int process = sim->process;
    sim->in_meanwhile = true;
    function(sim->meanwhile_context, SIM_ASLEEP);
    sim->in_meanwhile = false;
    sim->process = process;
}

static uint64_t next_random(void)
{
    sim->random += 0x9e3779b97f4a7c15ull;
    uint64_t mixed = sim->random;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    return mixed ^ mixed >> 31;
}

int os_random(void *data, size_t size)
{
    int rc = sim_begin(SIM_RANDOM, (struct sim_place){OS_NONE, NULL});
    unsigned char *bytes = data;
    for (size_t i = 0; rc == 0 && i < size; i++)
        bytes[i] = (unsigned char)next_random();
    return (int)sim_end(rc);
}

const char *os_variable(const char *name)
{
    return getenv(name);
}

int os_config_folder(char *path, size_t size)
{
    (void)path, (void)size;
    return -ENOENT;
}
