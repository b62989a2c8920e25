/* Names in a directory: looking at them, renaming, removing and listing them. */
#include "os/sim/world.h"

#include <errno.h>
#include <string.h>

/* Not as bytes: there are gaps between the fields. */
static void observe_stat(const struct os_stat *stat)
{
    sim_observe_number(stat->inode);
    sim_observe_number(stat->born);
    sim_observe_number(stat->size);
    sim_observe_number((uint64_t)stat->mode << 32 | stat->links);
    sim_observe_number((uint64_t)stat->owner << 32 | stat->group);
    sim_observe_number((uint64_t)stat->device << 8 | (uint64_t)stat->kind << 2 |
                       (uint64_t)stat->mount_root << 1 | stat->immutable);
}

int os_stat(os_fd at, const char *name, struct os_stat *ret_stat)
{
    int rc = sim_begin(SIM_STAT, (struct sim_place){at, name});
    int id = rc;
    if (rc == 0 && name) {
        int dir = sim_dir_of(at);
        if (at == OS_NONE)
            name += *name == '/'; /* the root is where we are */
        id = dir < 0 ? dir : sim_enter(dir, &name, SIM_FOLLOW_ALL);
        dir = id;
        id = dir < 0 ? dir : sim_check_name(name);
        id = id < 0 ? id : sim_lookup(dir, name);
    } else if (rc == 0) {
        struct sim_opening *opening = at == OS_NONE ? NULL : sim_opening_of(at);
        id = opening ? opening->inode : at == OS_NONE ? SIM_ROOT : -EBADF;
    }
    if (id < 0)
        return (int)sim_end(id);
    const struct sim_inode *inode = &sim->now.inodes[id];
    *ret_stat = (struct os_stat){
        .kind = inode->kind,
        .device = (uint64_t)inode->device + 1,
        .inode = inode->number,
        .size = inode->kind == OS_SYMLINK ? strlen(inode->link) : inode->size,
        .mode = inode->meta.mode,
        .links = (uint32_t)(inode->kind == OS_DIRECTORY ? 2 * inode->links : inode->links),
        .owner = inode->meta.owner,
        .group = inode->meta.group,
        .mount_root = inode->meta.mount_root || inode->mounted_on != SIM_NO_INODE,
        .immutable = inode->meta.immutable,
        .born = (uint64_t)id + 1,
    };
    observe_stat(ret_stat);
    return (int)sim_end(0);
}

/* The simulated disk keeps no times: all was changed just now. */
int os_look(const char *path, struct os_version *ret_version)
{
    int rc = sim_begin(SIM_STAT, (struct sim_place){OS_NONE, path});
    int id = rc < 0 ? rc : sim_resolve(SIM_ROOT, path, SIM_FOLLOW_ALL);
    if (id < 0)
        return (int)sim_end(id);
    const struct sim_inode *inode = &sim->now.inodes[id];
    *ret_version = (struct os_version){
        .device = (uint64_t)inode->device + 1,
        .inode = inode->number,
        .born = (uint64_t)id + 1,
        .size = inode->size,
        .changed = (uint64_t)os_wall_clock() * 1000000000u,
    };
    sim_observe(ret_version, sizeof *ret_version);
    return (int)sim_end(0);
}

/* The inode of a name that is to change; a negative errno. A path before the name is cut off. */
static int find(os_fd at, const char **path, int *ret_dir)
{
    *ret_dir = sim_dir_of(at);
    if (*ret_dir >= 0)
        *ret_dir = sim_enter(*ret_dir, path, SIM_FOLLOW_NONE);
    const char *name = *path;
    int rc = *ret_dir < 0 ? *ret_dir : sim_check_name(name);
    if (rc < 0)
        return rc;
    if (!sim_may(&sim->now.inodes[*ret_dir], 1))
        return -EACCES;
    int found = sim_disk_find(&sim->now, *ret_dir, name);
    return found == SIM_NO_INODE ? -ENOENT : found;
}

int os_read_link(os_fd at, const char *name, char *text, size_t size)
{
    int dir, rc = sim_begin(SIM_READ_LINK, (struct sim_place){at, name});
    int id = rc < 0 ? rc : find(at, &name, &dir);
    if (id < 0)
        return (int)sim_end(id);
    if (sim->now.inodes[id].kind != OS_SYMLINK)
        return (int)sim_end(-EINVAL);
    if (strlen(sim->now.inodes[id].link) >= size)
        return (int)sim_end(-ENAMETOOLONG);
    strcpy(text, sim->now.inodes[id].link);
    sim_observe(text, strlen(text));
    return (int)sim_end(0);
}

int os_remove(os_fd at, const char *name, bool directory)
{
    int dir, rc = sim_begin(SIM_REMOVE, (struct sim_place){at, name});
    int id = rc < 0 ? rc : find(at, &name, &dir);
    if (id < 0)
        return (int)sim_end(id);
    const struct sim_inode *inode = &sim->now.inodes[id];
    rc = sim_may_change(dir, id);
    if (rc == 0 && directory && inode->kind != OS_DIRECTORY)
        rc = -ENOTDIR;
    else if (rc == 0 && !directory && inode->kind == OS_DIRECTORY)
        rc = -EISDIR;
    else if (rc == 0 && directory && inode->entry_count > 0)
        rc = -ENOTEMPTY;
    if (rc == 0)
        sim_do_names(&(struct sim_naming){dir, name, SIM_NO_INODE}, 1, id, false);
    return (int)sim_end(rc);
}

static bool lies_in(int dir, int ancestor)
{
    while (dir != ancestor && dir != SIM_ROOT && sim->now.inodes[dir].parent != SIM_NO_INODE)
        dir = sim->now.inodes[dir].parent;
    return dir == ancestor;
}

/* What rename(2) refuses because of the two things' nature. */
static int check_kinds(int from, int to_dir, int to, enum os_rename how)
{
    const struct sim_inode *source = &sim->now.inodes[from];
    if (source->kind == OS_DIRECTORY && lies_in(to_dir, from))
        return -EINVAL;
    if (to < 0)
        return how == OS_EXCHANGE ? -ENOENT : 0;
    if (how == OS_NO_REPLACE)
        return -EEXIST;
    if (how == OS_EXCHANGE)
        return 0;
    const struct sim_inode *target = &sim->now.inodes[to];
    if (source->kind == OS_DIRECTORY && target->kind != OS_DIRECTORY)
        return -ENOTDIR;
    if (source->kind != OS_DIRECTORY && target->kind == OS_DIRECTORY)
        return -EISDIR;
    return target->kind == OS_DIRECTORY && target->entry_count > 0 ? -ENOTEMPTY : 0;
}

static int check_rename(int from_dir, int from, int to_dir, int to, enum os_rename how)
{
    const struct sim_device *device = &sim->now.devices[sim->now.inodes[to_dir].device];
    if (sim->now.inodes[from_dir].device != sim->now.inodes[to_dir].device)
        return -EXDEV;
    if (how == OS_EXCHANGE && device->no_exchange)
        return -EINVAL;
    int rc = check_kinds(from, to_dir, to, how);
    if (rc == 0)
        rc = sim_may_change(from_dir, from);
    if (rc == 0)
        rc = sim_may_change(to_dir, to < 0 ? SIM_NO_INODE : to);
    if (rc == 0 && how == OS_NO_REPLACE && device->no_no_replace && device->no_hard_link)
        rc = -EINVAL;
    return rc;
}

static void do_rename(struct sim_naming from, struct sim_naming to, enum os_rename how)
{
    int source = from.inode, target = to.inode;
    const struct sim_device *device = &sim->now.devices[sim->now.inodes[to.dir].device];
    struct sim_naming named = {to.dir, to.name, source};
    struct sim_naming removed = {from.dir, from.name, SIM_NO_INODE};
    if (how == OS_EXCHANGE) {
        struct sim_naming swapped = {from.dir, from.name, target};
        sim_do_names((struct sim_naming[]){named, swapped}, 2, source, false);
    } else if (how == OS_NO_REPLACE && device->no_no_replace) {
        sim_do_names(&named, 1, source, false);
        sim_do_names(&removed, 1, source, false);
    } else if (target >= 0) {
        /* The first of the three only shows where a group falls apart. */
        struct sim_naming gone = {to.dir, to.name, SIM_NO_INODE};
        bool file = sim->now.inodes[target].kind == OS_REGULAR;
        sim_do_names((struct sim_naming[]){gone, named, removed}, 3, source, file);
    } else {
        sim_do_names((struct sim_naming[]){named, removed}, 2, source, false);
    }
}

int os_rename(os_fd from_at, const char *from, os_fd to_at, const char *to, enum os_rename how)
{
    int from_dir, to_dir, rc = sim_begin(SIM_RENAME, (struct sim_place){from_at, from});
    struct sim_opening *to_opening = to_at == OS_NONE ? NULL : sim_opening_of(to_at);
    sim_this_call()->to_path = to_opening ? to_opening->path : NULL;
    sim_this_call()->to_name = sim_alloc_text(to);
    sim_this_call()->how = how == OS_EXCHANGE     ? "exchange"
                           : how == OS_NO_REPLACE ? "no replace"
                                                  : NULL;
    int source = rc < 0 ? rc : find(from_at, &from, &from_dir);
    int target = source < 0 ? source : find(to_at, &to, &to_dir);
    if (source < 0 || to_dir < 0 || (target < 0 && target != -ENOENT))
        return (int)sim_end(source < 0 ? source : target);
    rc = check_rename(from_dir, source, to_dir, target, how);
    if (rc < 0)
        return (int)sim_end(rc);
    /* POSIX: two names of one file stay both. */
    if (source != target)
        do_rename((struct sim_naming){from_dir, from, source},
                  (struct sim_naming){to_dir, to, target}, how);
    return (int)sim_end(0);
}

int os_may_change(os_fd at)
{
    int rc = sim_begin(SIM_STAT, (struct sim_place){at, NULL});
    int dir = rc < 0 ? rc : sim_dir_of(at);
    return (int)sim_end(dir < 0 ? dir : sim_may_change(dir, SIM_NO_INODE));
}

bool os_is_name(const char *name)
{
    (void)name;
    return true;
}

bool os_renames_open(void)
{
    return true;
}

void os_own_name(os_fd dir, char *name, size_t size)
{
    (void)dir, (void)name, (void)size; /* a file has the names that it was given */
}

int os_holders(os_fd dir, const char *name, char *text, size_t size)
{
    (void)dir, (void)name, (void)text, (void)size;
    return -ENOENT; /* nobody is in the way of a rename */
}

int os_link(os_fd from_at, const char *from, os_fd to_at, const char *to)
{
    int from_dir, to_dir, rc = sim_begin(SIM_LINK, (struct sim_place){from_at, from});
    struct sim_opening *to_opening = to_at == OS_NONE ? NULL : sim_opening_of(to_at);
    sim_this_call()->to_path = to_opening ? to_opening->path : NULL;
    sim_this_call()->to_name = sim_alloc_text(to);
    int source = rc < 0 ? rc : find(from_at, &from, &from_dir);
    int target = source < 0 ? source : find(to_at, &to, &to_dir);
    if (source < 0 || to_dir < 0 || (target < 0 && target != -ENOENT))
        return (int)sim_end(source < 0 ? source : target);
    if (target >= 0)
        return (int)sim_end(-EEXIST);
    const struct sim_inode *inode = &sim->now.inodes[source];
    rc = sim_may_change(to_dir, SIM_NO_INODE);
    if (inode->device != sim->now.inodes[to_dir].device)
        rc = -EXDEV;
    else if (inode->kind == OS_DIRECTORY || inode->meta.immutable ||
             sim->now.devices[inode->device].no_hard_link)
        rc = -EPERM;
    if (rc == 0)
        sim_do_names(&(struct sim_naming){to_dir, to, source}, 1, source, false);
    return (int)sim_end(rc);
}

/* Hands out the names as they were at the beginning, in no particular order, also those removed
 * meanwhile; then once those that came since. All of that a kernel may do. */
static int visit_names(int dir, int (*visit)(void *context, const char *name), void *context)
{
    int count = sim->now.inodes[dir].entry_count, rc = 0;
    const char **names = sim_alloc(sizeof *names * (size_t)(count + 1));
    for (int i = 0; i < count; i++) {
        names[i] = sim->now.inodes[dir].entries[i].name;
        sim_observe(names[i], strlen(names[i]) + 1);
    }
    int start = count ? (int)(sim->random % (uint64_t)count) : 0;
    for (int i = 0; rc == 0 && i < count; i++)
        rc = visit(context, names[(start + i) % count]);
    for (int i = 0; rc == 0 && i < sim->now.inodes[dir].entry_count; i++) {
        const char *name = sim->now.inodes[dir].entries[i].name;
        bool seen = false;
        for (int j = 0; j < count; j++)
            seen |= strcmp(names[j], name) == 0;
        if (seen)
            continue;
        sim_observe(name, strlen(name));
        rc = visit(context, name);
    }
    return rc;
}

int os_list(os_fd at, int (*visit)(void *context, const char *name), void *context)
{
    int rc = sim_begin(SIM_LIST, (struct sim_place){at, NULL});
    int dir = rc < 0 ? rc : sim_dir_of(at);
    if (dir >= 0 && !sim_may(&sim->now.inodes[dir], 4))
        dir = -EACCES;
    /* The call ends here: what the visitor does are calls of their own. */
    sim_end(dir < 0 ? dir : 0);
    return dir < 0 ? dir : visit_names(dir, visit, context);
}
