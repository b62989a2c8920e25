/* Opening, and the bytes of a file. */
#include "os/sim/world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The path of a handle, for the story and for os_dir_path of a directory not reached by links. */
static const char *join(os_fd at, const char *name)
{
    struct sim_opening *opening = at == OS_NONE ? NULL : sim_opening_of(at);
    const char *base = opening ? opening->path : "";
    if (*name == '/' || (!*base && at == OS_NONE))
        base = "";
    size_t size = strlen(base) + strlen(name) + 2;
    char *path = sim_alloc(size);
    bool root = strcmp(base, "/") == 0;
    snprintf(path, size, "%s%s%s", root ? "" : base, *name == '/' ? "" : "/", name);
    return path;
}

int os_open_dir(os_fd at, const char *path, bool no_follow, os_fd *ret_dir)
{
    int rc = sim_begin(SIM_OPEN_DIR, (struct sim_place){at, path});
    int dir = rc < 0 ? rc : sim_dir_of(at);
    enum sim_follow follow = no_follow ? SIM_FOLLOW_NONE : SIM_FOLLOW_ALL;
    int inode = dir < 0 ? dir : sim_resolve(dir, path, follow);
    if (inode < 0)
        return (int)sim_end(inode);
    const struct sim_inode *found = &sim->now.inodes[inode];
    if (found->kind != OS_DIRECTORY)
        return (int)sim_end(found->kind == OS_SYMLINK ? -ELOOP : -ENOTDIR);
    if (!sim_may(found, 4))
        return (int)sim_end(-EACCES);
    *ret_dir = sim_handle_new(inode, OS_READ, join(at, path));
    return (int)sim_end(0);
}

static int open_existing(const struct sim_inode *inode, unsigned how)
{
    if ((how & OS_CREATE) && (how & OS_EXCLUSIVE))
        return -EEXIST;
    if (how & OS_HOLD)
        return sim->now.devices[inode->device].no_inode_hold ? -EINVAL : 0;
    if (inode->kind == OS_SYMLINK)
        return -ELOOP;
    if (inode->kind == OS_DIRECTORY && (how & (OS_WRITE | OS_CREATE)))
        return -EISDIR;
    if ((how & OS_WRITE) && inode->kind == OS_REGULAR && sim->now.devices[inode->device].read_only)
        return -EROFS;
    unsigned bits = (how & OS_READ ? 4u : 0) | (how & OS_WRITE ? 2u : 0);
    if (!sim_may(inode, bits))
        return -EACCES;
    return (how & OS_WRITE) && inode->meta.immutable ? -EPERM : 0;
}

/* A new inode as `dir` would give it: the group of a set-group-id directory, its default ACL. */
static int new_inode(int dir, enum os_kind kind, unsigned mode)
{
    const struct sim_process *process = &sim->processes[sim->process];
    int device = sim->now.inodes[dir].device;
    int made = sim_disk_add(&sim->now, device, kind, sim->options.reuse);
    const struct sim_inode *parent = &sim->now.inodes[dir];
    struct sim_attributes *meta = &sim->now.inodes[made].meta;
    bool set_group = parent->meta.mode & 02000;
    meta->owner = process->user;
    meta->group = set_group ? parent->meta.group : process->group;
    meta->mode = mode & (parent->meta.default_acl[0] ? 07777u : ~process->mask);
    memcpy(meta->acl, parent->meta.default_acl, sizeof meta->acl);
    if (kind == OS_DIRECTORY) {
        meta->mode |= set_group ? 02000 : 0;
        memcpy(meta->default_acl, parent->meta.default_acl, sizeof meta->acl);
    }
    return made;
}

static int create(int dir, const char *name, enum os_kind kind, unsigned mode)
{
    int rc = sim_may_change(dir, SIM_NO_INODE);
    if (rc < 0)
        return rc;
    int made = new_inode(dir, kind, mode);
    sim_do_birth(made);
    sim_do_names(&(struct sim_naming){dir, name, made}, 1, made, false);
    return made;
}

int os_open(os_fd at, const char *path, unsigned how, unsigned mode, os_fd *ret_file)
{
    const char *name = path;
    int rc = sim_begin(SIM_OPEN, (struct sim_place){at, path});
    struct sim_call *call = sim_this_call();
    call->how = how & OS_EXCLUSIVE ? "create new"
                : how & OS_CREATE  ? "create"
                : how & OS_HOLD    ? "hold"
                : how & OS_WRITE   ? "write"
                                   : "read";
    int dir = rc < 0 ? rc : sim_dir_of(at);
    dir = dir < 0 ? dir : sim_enter(dir, &name, SIM_FOLLOW_NONE);
    rc = dir < 0 ? dir : sim_check_name(name);
    if (rc < 0)
        return (int)sim_end(rc);
    int inode = sim_lookup(dir, name);
    if (inode == -ENOENT && (how & OS_CREATE)) {
        inode = create(dir, name, OS_REGULAR, mode);
    } else if (inode >= 0) {
        rc = open_existing(&sim->now.inodes[inode], how);
        inode = rc < 0 ? rc : inode;
    }
    if (inode < 0)
        return (int)sim_end(inode);
    *ret_file = sim_handle_new(inode, how, join(at, path));
    return (int)sim_end(0);
}

int os_make_dir(os_fd at, const char *name, unsigned mode)
{
    int rc = sim_begin(SIM_MAKE_DIR, (struct sim_place){at, name});
    int dir = rc < 0 ? rc : sim_dir_of(at);
    rc = dir < 0 ? dir : sim_check_name(name);
    if (rc < 0)
        return (int)sim_end(rc);
    int inode = sim_lookup(dir, name);
    if (inode >= 0)
        return (int)sim_end(-EEXIST);
    if (inode == -ENOENT)
        inode = create(dir, name, OS_DIRECTORY, mode);
    return (int)sim_end(inode < 0 ? inode : 0);
}

/* The opening of a regular file, or NULL with *ret_error set. */
static struct sim_opening *file_of(os_fd file, unsigned how, int *ret_error)
{
    struct sim_opening *opening = sim_opening_of(file);
    *ret_error = -EBADF;
    if (!opening)
        return NULL;
    if (sim->now.inodes[opening->inode].kind == OS_DIRECTORY) {
        *ret_error = -EISDIR;
        return NULL;
    }
    if ((opening->how & OS_HOLD) || (opening->how & how) != how) {
        *ret_error = sim_misused("a handle that was not opened for this");
        return NULL;
    }
    return opening;
}

int64_t os_read_at(os_fd file, void *data, size_t size, uint64_t offset)
{
    int rc = sim_begin(SIM_READ_AT, (struct sim_place){file, NULL});
    struct sim_opening *opening = rc < 0 ? NULL : file_of(file, OS_READ, &rc);
    if (!opening)
        return sim_end(rc);
    const struct sim_inode *inode = &sim->now.inodes[opening->inode];
    uint64_t left = offset < inode->size ? inode->size - offset : 0;
    size_t count = left < size ? (size_t)left : size;
    if (sim_call_is(SIM_SHORT))
        count -= count / 2;
    sim_this_call()->offset = offset;
    sim_this_call()->size = size;
    sim_disk_read(&sim->now, opening->inode, data, count, offset);
    sim_observe(data, count);
    return sim_end((int64_t)count);
}

int64_t os_write_at(os_fd file, const void *data, size_t size, uint64_t offset)
{
    int rc = sim_begin(SIM_WRITE_AT, (struct sim_place){file, NULL});
    struct sim_opening *opening = rc < 0 ? NULL : file_of(file, OS_WRITE, &rc);
    if (!opening)
        return sim_end(rc);
    sim_this_call()->offset = offset;
    sim_this_call()->size = size;
    size_t count = size;
    if (sim_call_is(SIM_SHORT))
        count -= count / 2;
    if (sim_call_is(SIM_HALF_DONE))
        count /= 2;
    sim_do_write(opening->inode, data, count, offset);
    return sim_end(sim_call_is(SIM_HALF_DONE) ? -sim->fault.error : (int64_t)count);
}

int os_resize(os_fd file, uint64_t size)
{
    int rc = sim_begin(SIM_RESIZE, (struct sim_place){file, NULL});
    struct sim_opening *opening = rc < 0 ? NULL : file_of(file, OS_WRITE, &rc);
    if (!opening)
        return (int)sim_end(rc);
    sim_this_call()->size = size;
    if (size != sim->now.inodes[opening->inode].size)
        sim_do_size(opening->inode, size);
    opening->cut |= size == 0;
    return (int)sim_end(0);
}

/* Nothing becomes durable by a hint. */
void os_flush_soon(os_fd file, uint64_t offset, uint64_t size)
{
    (void)file, (void)offset, (void)size;
}

static int flush(os_fd file, void (*cover)(int inode))
{
    int rc = sim_begin(SIM_FLUSH, (struct sim_place){file, NULL});
    struct sim_opening *opening = sim_opening_of(file);
    if (!opening)
        return (int)sim_end(-EBADF);
    if (opening->how & OS_HOLD)
        return (int)sim_end(sim_misused("flush of a handle that only holds"));
    if (rc < 0) {
        sim_poison_file(opening->inode);
        if (sim_call_is(SIM_REVERTED))
            sim_revert_file(opening->inode);
    } else if (!(sim->broken & SIM_FLUSH_LIES) && !sim_call_is(SIM_OMITTED)) {
        cover(opening->inode);
    }
    return (int)sim_end(rc);
}

int os_flush(os_fd file)
{
    return flush(file, sim_cover_file);
}

int os_flush_content(os_fd file)
{
    return flush(file, sim_cover_content);
}

int os_flush_dir(os_fd fd)
{
    int rc = sim_begin(SIM_FLUSH_DIR, (struct sim_place){fd, NULL});
    int dir = sim_dir_of(fd);
    if (dir < 0)
        return (int)sim_end(dir);
    if (sim->now.devices[sim->now.inodes[dir].device].no_directory_flush)
        rc = -EINVAL;
    else if (rc < 0)
        sim_poison_dir(dir);
    else if (!(sim->broken & SIM_FLUSH_DIR_LIES) && !sim_call_is(SIM_OMITTED))
        sim_cover_dir(dir);
    return (int)sim_end(rc);
}
