/* Finding names, and who may do what to them. */
#include "os/sim/world.h"

#include <errno.h>
#include <string.h>

bool sim_may(const struct sim_inode *inode, unsigned bits)
{
    const struct sim_process *process = &sim->processes[sim->process];
    if (process->user == 0)
        return true;
    unsigned mode = inode->meta.mode;
    if (process->user == inode->meta.owner)
        mode >>= 6;
    else if (process->group == inode->meta.group)
        mode >>= 3;
    return (mode & bits) == bits;
}

int sim_check_name(const char *name)
{
    if (*name == '\0')
        return -ENOENT;
    if (strchr(name, '/'))
        return sim_misused("a name with a slash");
    return strlen(name) > SIM_NAME_MAX ? -ENAMETOOLONG : 0;
}

static int cross_mount(int inode)
{
    while (sim->now.inodes[inode].mounted != SIM_NO_INODE)
        inode = sim->now.inodes[inode].mounted;
    return inode;
}

static int parent_of(int dir)
{
    while (sim->now.inodes[dir].mounted_on != SIM_NO_INODE)
        dir = sim->now.inodes[dir].mounted_on;
    return cross_mount(sim->now.inodes[dir].parent);
}

int sim_lookup(int dir, const char *name)
{
    const struct sim_inode *inode = &sim->now.inodes[dir];
    if (inode->kind != OS_DIRECTORY)
        return -ENOTDIR;
    if (!sim_may(inode, 1))
        return -EACCES;
    if (strcmp(name, ".") == 0)
        return dir;
    if (strcmp(name, "..") == 0)
        return parent_of(dir);
    if (strlen(name) > SIM_NAME_MAX)
        return -ENAMETOOLONG;
    int found = sim_disk_find(&sim->now, dir, name);
    return found == SIM_NO_INODE ? -ENOENT : cross_mount(found);
}

/* Resolves `path` piece by piece; *links counts the links followed so far. */
static int resolve(int dir, const char *path, enum sim_follow follow, int *links)
{
    char name[SIM_NAME_MAX + 2];
    if (*path == '/')
        dir = SIM_ROOT;
    for (;;) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 0)
            return dir;
        if (length > SIM_NAME_MAX)
            return -ENAMETOOLONG;
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        int next = sim_lookup(dir, name);
        if (next < 0)
            return next;
        bool last = path[strspn(path, "/")] == '\0';
        if (sim->now.inodes[next].kind == OS_SYMLINK && !(last && follow != SIM_FOLLOW_ALL)) {
            if (follow == SIM_FOLLOW_NONE || ++*links > 40)
                return -ELOOP;
            next = resolve(dir, sim->now.inodes[next].link, SIM_FOLLOW_ALL, links);
            if (next < 0)
                return next;
        }
        dir = next;
    }
}

int sim_resolve(int dir, const char *path, enum sim_follow follow)
{
    int links = 0;
    return *path ? resolve(dir, path, follow, &links) : -ENOENT;
}

int sim_enter(int dir, const char **path, enum sim_follow follow)
{
    char before[2 * SIM_NAME_MAX + 2];
    const char *slash = strrchr(*path, '/');
    if (!slash || **path == '/')
        return dir; /* sim_check_name complains about the second */
    size_t size = (size_t)(slash - *path);
    if (size >= sizeof before)
        return -ENAMETOOLONG;
    memcpy(before, *path, size);
    before[size] = '\0';
    *path = slash + 1;
    dir = sim_resolve(dir, before, follow);
    if (dir >= 0 && sim->now.inodes[dir].kind == OS_SYMLINK)
        return -ELOOP;
    return dir >= 0 && sim->now.inodes[dir].kind != OS_DIRECTORY ? -ENOTDIR : dir;
}

int sim_dir_of(os_fd fd)
{
    if (fd == OS_NONE)
        return SIM_ROOT;
    struct sim_opening *opening = sim_opening_of(fd);
    if (!opening)
        return -EBADF;
    if (sim->now.inodes[opening->inode].kind != OS_DIRECTORY)
        return -ENOTDIR;
    return opening->inode;
}

int sim_may_change(int dir, int inode)
{
    const struct sim_inode *parent = &sim->now.inodes[dir];
    const struct sim_process *process = &sim->processes[sim->process];
    if (sim->now.devices[parent->device].read_only)
        return -EROFS;
    if (parent->links == 0 && dir != SIM_ROOT)
        return -ENOENT; /* the directory itself was removed */
    if (!sim_may(parent, 3))
        return -EACCES;
    if (inode == SIM_NO_INODE)
        return 0;
    const struct sim_inode *file = &sim->now.inodes[inode];
    bool sticky = parent->meta.mode & 01000;
    if (sticky && process->user != 0 && process->user != file->meta.owner &&
        process->user != parent->meta.owner)
        return -EPERM;
    if (file->meta.immutable)
        return -EPERM;
    bool covered = file->meta.mount_root || file->mounted != SIM_NO_INODE;
    return covered ? -EBUSY : 0;
}
