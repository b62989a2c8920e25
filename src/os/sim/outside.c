/* Starting machines, and the disk as a test sees it: from outside, without calls. */
#include "os/sim/world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static unsigned worlds;

struct sim_world *sim_world_new(const struct sim_disk *disk, const struct sim_options *options)
{
    struct sim_world *world = sim_alloc(sizeof *world);
    world->options = *options;
    sim_disk_copy(disk, &world->now, 32);
    sim_disk_copy(disk, &world->base, 0);
    /* Another series of random names after each crash, and yet the same in each repetition. */
    world->random = sim_mix(options->seed, (uint64_t)disk->count);
    world->clock = 1000000000;
    world->boot = sim ? sim->boot + 1 : 1; /* by depth: lands on the disk, so it must repeat */
    world->first_handle = 100 + (os_fd)(++worlds % 1000) * 100000;
    world->processes[0] = (struct sim_process){.running = true, .mask = 022, .start = 1};
    world->start = 1;
    return world;
}

void sim_start(const struct sim_options *options)
{
    struct sim_options own = options ? *options : (struct sim_options){0};
    struct sim_disk disk;
    if (sim) {
        sim_forget_globals();
        sim_areas_end();
        sim_arena_release((struct sim_arena_mark){NULL, 0});
        sim = NULL;
    }
    own.unit = own.unit ? own.unit : 4096;
    sim_disk_new(&disk, own.unit);
    sim = sim_world_new(&disk, &own);
}

void sim_settle(void)
{
    sim_disk_copy(&sim->now, &sim->base, 0);
    sim->log = (struct sim_log){0};
    memset(sim->verb_calls, 0, sizeof sim->verb_calls);
}

/* ---- from outside ---- */

/* The directory that holds the last name of `path`, which is put into `name`. */
static int parent_of(const char *path, char name[SIM_NAME_MAX + 1])
{
    char before[4096];
    const char *slash = strrchr(path, '/');
    if (!slash || strlen(slash + 1) > SIM_NAME_MAX || strlen(path) >= sizeof before)
        sim_panic("a test gave a path that is not absolute or too long");
    strcpy(name, slash + 1);
    snprintf(before, sizeof before, "%.*s", (int)(slash - path), path);
    int process = sim->process;
    uint32_t user = sim->processes[process].user;
    sim->processes[process].user = 0;
    int dir = *before ? sim_resolve(SIM_ROOT, before, SIM_FOLLOW_ALL) : SIM_ROOT;
    sim->processes[process].user = user;
    return dir;
}

static int find(const char *path)
{
    char name[SIM_NAME_MAX + 1];
    int dir = parent_of(path, name);
    if (dir < 0 || sim->now.inodes[dir].kind != OS_DIRECTORY)
        return SIM_NO_INODE;
    int found = *name ? sim_disk_find(&sim->now, dir, name) : dir;
    while (found != SIM_NO_INODE && sim->now.inodes[found].mounted != SIM_NO_INODE)
        found = sim->now.inodes[found].mounted;
    return found;
}

static int must_find(const char *path)
{
    int found = find(path);
    if (found == SIM_NO_INODE) {
        fprintf(stderr, "simulator: %s\n", path);
        sim_panic("a test works on a path that is not there");
    }
    return found;
}

/* What is done from outside is durable at once: with an empty log the disk simply is so, else the
 * effects are logged as covered. */
static void make_durable(void)
{
    struct sim_log *log = &sim->log;
    if (log->call_count == 0) {
        sim_settle();
        return;
    }
    const struct sim_call *last = sim_this_call();
    for (int i = last->first_step + last->step_count; i < log->step_count; i++)
        for (int by = 0; by < SIM_COVERS; by++)
            if (log->steps[i].covered[by] == SIM_NEVER)
                log->steps[i].covered[by] = log->call_count - 1;
}

static void name_it(const char *path, int inode)
{
    char name[SIM_NAME_MAX + 1];
    int dir = parent_of(path, name);
    if (dir < 0)
        sim_panic("a test names a file in a directory that is not there");
    sim_do_names(&(struct sim_naming){dir, name, inode}, 1, inode, false);
}

static int add(const char *path, enum os_kind kind, uint32_t mode, const char *link)
{
    char name[SIM_NAME_MAX + 1];
    int dir = parent_of(path, name);
    if (dir < 0)
        sim_panic("a test makes a file in a directory that is not there");
    int made = sim_disk_add(&sim->now, sim->now.inodes[dir].device, kind, sim->options.reuse);
    sim->now.inodes[made].meta.mode = mode;
    sim->now.inodes[made].link = link ? sim_alloc_text(link) : NULL;
    sim_do_birth(made);
    name_it(path, made);
    return made;
}

void sim_make_dir(const char *path)
{
    char part[4096];
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (find(part) == SIM_NO_INODE)
            add(part, OS_DIRECTORY, 0755, NULL);
    }
    make_durable();
}

void sim_put_bytes(const char *path, const void *data, size_t size)
{
    char before[4096];
    snprintf(before, sizeof before, "%.*s", (int)(strrchr(path, '/') - path), path);
    sim_make_dir(before);
    int id = find(path);
    if (id == SIM_NO_INODE)
        id = add(path, OS_REGULAR, 0644, NULL);
    sim_do_size(id, 0);
    sim_do_write(id, data, size, 0);
    make_durable();
}

void sim_put(const char *path, const char *text)
{
    sim_put_bytes(path, text, strlen(text));
}

void sim_symlink(const char *path, const char *text)
{
    add(path, OS_SYMLINK, 0777, text);
    make_durable();
}

void sim_hard_link(const char *path, const char *other)
{
    name_it(path, must_find(other));
    make_durable();
}

static void detach(int dir, const char *name)
{
    int id = sim_disk_find(&sim->now, dir, name);
    while (sim->now.inodes[id].entry_count > 0)
        detach(id, sim->now.inodes[id].entries[0].name);
    sim_do_names(&(struct sim_naming){dir, name, SIM_NO_INODE}, 1, id, false);
}

void sim_remove(const char *path)
{
    char name[SIM_NAME_MAX + 1];
    must_find(path);
    int dir = parent_of(path, name);
    detach(dir, name);
    make_durable();
}

const char *sim_get_bytes(const char *path, size_t *ret_size)
{
    int id = find(path);
    *ret_size = 0;
    if (id == SIM_NO_INODE || sim->now.inodes[id].kind != OS_REGULAR)
        return NULL;
    size_t size = (size_t)sim->now.inodes[id].size;
    char *data = sim_alloc(size + 1);
    sim_disk_read(&sim->now, id, data, size, 0);
    *ret_size = size;
    return data;
}

const char *sim_get(const char *path)
{
    size_t size;
    return sim_get_bytes(path, &size);
}

bool sim_exists(const char *path)
{
    return find(path) != SIM_NO_INODE;
}

static void print_tree(int id, const char *path, char **text, size_t *left)
{
    const struct sim_inode *inode = &sim->now.inodes[id];
    for (int i = 0; i < inode->entry_count; i++) {
        char below[4096];
        int child = inode->entries[i].inode;
        while (sim->now.inodes[child].mounted != SIM_NO_INODE)
            child = sim->now.inodes[child].mounted;
        bool is_dir = sim->now.inodes[child].kind == OS_DIRECTORY;
        snprintf(below, sizeof below, "%s/%s", path, inode->entries[i].name);
        int n = snprintf(*text, *left, "%s%s\n", below, is_dir ? "/" : "");
        if ((size_t)n >= *left)
            sim_panic("a tree too large to print");
        *text += n;
        *left -= (size_t)n;
        if (is_dir)
            print_tree(child, below, text, left);
    }
}

const char *sim_tree(const char *path)
{
    size_t left = 65536;
    char *text = sim_alloc(left), *end = text;
    print_tree(must_find(path), strcmp(path, "/") == 0 ? "" : path, &end, &left);
    return text;
}

struct sim_attributes sim_attributes(const char *path)
{
    return sim->now.inodes[must_find(path)].meta;
}

void sim_set_attributes(const char *path, const struct sim_attributes *attributes)
{
    sim_do_meta(must_find(path), attributes);
    make_durable();
}

uint64_t sim_inode(const char *path)
{
    int id = find(path);
    return id == SIM_NO_INODE ? 0 : sim->now.inodes[id].number;
}

void sim_mount(const char *path, const struct sim_device *device)
{
    int on = must_find(path);
    if (sim->now.device_count == (int)(sizeof sim->now.devices / sizeof *sim->now.devices))
        sim_panic("too many devices");
    sim->now.devices[sim->now.device_count] = *device;
    int root = sim_disk_add(&sim->now, sim->now.device_count++, OS_DIRECTORY, sim->options.reuse);
    struct sim_inode *inode = &sim->now.inodes[root];
    inode->meta = sim->now.inodes[on].meta;
    inode->links = 1;
    inode->mounted_on = on;
    inode->parent = root;
    sim->now.inodes[on].mounted = root;
    sim_settle();
}
