/* Owner, mode, ACL and extended attributes. */
#include "os/sim/world.h"

#include <errno.h>
#include <string.h>

static bool may_give(const struct sim_inode *inode, uint32_t owner, uint32_t group)
{
    const struct sim_process *process = &sim->processes[sim->process];
    if (process->user == 0)
        return true;
    return process->user == inode->meta.owner && owner == inode->meta.owner &&
           (group == inode->meta.group || group == process->group);
}

/* The mode is the owner's to change; nothing is on a read-only file system. */
static int may_change(const struct sim_inode *inode)
{
    uint32_t user = sim->processes[sim->process].user;
    if (sim->now.devices[inode->device].read_only)
        return -EROFS;
    return user == 0 || user == inode->meta.owner ? 0 : -EPERM;
}

static int set_meta(int id, const struct sim_attributes *meta)
{
    const struct sim_attributes *now = &sim->now.inodes[id].meta;
    if (meta->mode == now->mode && meta->owner == now->owner && meta->group == now->group &&
        strcmp(meta->acl, now->acl) == 0 && strcmp(meta->xattr, now->xattr) == 0 &&
        strcmp(meta->default_acl, now->default_acl) == 0)
        return 0;
    int rc = may_change(&sim->now.inodes[id]);
    if (rc == 0)
        sim_do_meta(id, meta);
    return rc;
}

/* Both handles of a call about two files; false with *ret_error set. */
static bool both(os_fd one, os_fd other, int *ret_one, int *ret_other, int *ret_error)
{
    struct sim_opening *a = sim_opening_of(one), *b = sim_opening_of(other);
    *ret_error = -EBADF;
    if (!a || !b)
        return false;
    *ret_one = a->inode;
    *ret_other = b->inode;
    return true;
}

bool os_is_plain(os_fd file)
{
    struct sim_opening *opening = sim_opening_of(file);
    if (!opening)
        return false;
    const struct sim_attributes *meta = &sim->now.inodes[opening->inode].meta;
    bool plain = !meta->acl[0] && !meta->xattr[0];
    sim_observe_number(plain);
    return plain;
}

int os_copy_meta(os_fd from, os_fd to, unsigned mode, unsigned *ret_result)
{
    int source, target, rc = sim_begin(SIM_COPY_META, (struct sim_place){to, NULL});
    *ret_result = 0;
    if (rc < 0 || !both(from, to, &source, &target, &rc))
        return (int)sim_end(rc);
    struct sim_attributes meta = sim->now.inodes[target].meta;
    const struct sim_attributes *like = &sim->now.inodes[source].meta;
    if (!may_give(&sim->now.inodes[target], like->owner, like->group)) {
        *ret_result = OS_META_OWNER_DENIED;
        sim_observe_number(*ret_result);
        return (int)sim_end(0);
    }
    meta.owner = like->owner;
    meta.group = like->group;
    meta.mode = mode ? mode : like->mode;
    memcpy(meta.acl, like->acl, sizeof meta.acl);
    if (mode)
        memset(meta.acl, 0, sizeof meta.acl);
    memcpy(meta.xattr, like->xattr, sizeof meta.xattr);
    return (int)sim_end(set_meta(target, &meta));
}

int os_new_meta(os_fd dir, os_fd file, unsigned mode)
{
    int parent, made, rc = sim_begin(SIM_NEW_META, (struct sim_place){file, NULL});
    if (rc < 0 || !both(dir, file, &parent, &made, &rc))
        return (int)sim_end(rc);
    struct sim_attributes meta = sim->now.inodes[made].meta;
    const struct sim_attributes *like = &sim->now.inodes[parent].meta;
    if ((like->mode & 02000) && may_give(&sim->now.inodes[made], meta.owner, like->group))
        meta.group = like->group;
    if (mode)
        meta.mode = mode;
    else if (like->default_acl[0])
        memcpy(meta.acl, like->default_acl, sizeof meta.acl);
    return (int)sim_end(set_meta(made, &meta));
}

int os_give(os_fd file, uint32_t owner, uint32_t group, unsigned mode)
{
    int id, same, rc = sim_begin(SIM_NEW_META, (struct sim_place){file, NULL});
    if (rc < 0 || !both(file, file, &id, &same, &rc))
        return (int)sim_end(rc);
    struct sim_attributes meta = sim->now.inodes[id].meta;
    bool may = may_give(&sim->now.inodes[id], owner, group);
    if (!may && owner != meta.owner)
        return (int)sim_end(-EPERM);
    meta.owner = owner;
    meta.group = may ? group : meta.group;
    meta.mode = may ? mode : mode & ~070u;
    return (int)sim_end(set_meta(id, &meta));
}

bool os_makes_modes(void)
{
    return true;
}

int os_narrow(os_fd file, unsigned mode)
{
    int rc = sim_begin(SIM_NARROW, (struct sim_place){file, NULL});
    struct sim_opening *opening = rc < 0 ? NULL : sim_opening_of(file);
    if (!opening)
        return (int)sim_end(rc < 0 ? rc : -EBADF);
    struct sim_attributes meta = sim->now.inodes[opening->inode].meta;
    meta.mode &= mode;
    memset(meta.acl, 0, sizeof meta.acl);
    return (int)sim_end(set_meta(opening->inode, &meta));
}

/* The simulated disk keeps no times: all is of now. */
int os_time(os_fd file, int64_t *ret_time)
{
    *ret_time = os_wall_clock() * OS_SECOND;
    return sim_opening_of(file) ? 0 : -EBADF;
}

int os_copy_time(os_fd from, os_fd to)
{
    return sim_opening_of(from) && sim_opening_of(to) ? 0 : -EBADF;
}

int os_share(os_fd made, os_fd parent, const uint32_t *private_owner)
{
    int id, like_id, rc = sim_begin(SIM_SHARE, (struct sim_place){made, NULL});
    if (rc < 0 || !both(made, parent, &id, &like_id, &rc))
        return (int)sim_end(rc);
    const struct sim_attributes *like = &sim->now.inodes[like_id].meta;
    const struct sim_inode *inode = &sim->now.inodes[id];
    struct sim_attributes meta = inode->meta;
    bool is_dir = inode->kind == OS_DIRECTORY;
    memset(meta.default_acl, 0, sizeof meta.default_acl);
    if (private_owner) {
        if (may_give(inode, *private_owner, meta.group))
            meta.owner = *private_owner;
        meta.mode = is_dir ? 0700 : 0600;
        return (int)sim_end(set_meta(id, &meta));
    }
    if (may_give(inode, like->owner, like->group))
        meta.owner = like->owner;
    if (may_give(inode, meta.owner, like->group))
        meta.group = like->group;
    unsigned writers = like->mode & 0222;
    meta.mode = is_dir ? (like->mode & 02777) | 0700 : writers | writers << 1 | 0600;
    memcpy(meta.acl, like->acl, sizeof meta.acl);
    return (int)sim_end(set_meta(id, &meta));
}

int os_share_as(os_fd made, os_fd parent, unsigned mode, bool keeps_owner)
{
    int id, like_id, rc = sim_begin(SIM_SHARE, (struct sim_place){made, NULL});
    if (rc < 0 || !both(made, parent, &id, &like_id, &rc))
        return (int)sim_end(rc);
    const struct sim_attributes *like = &sim->now.inodes[like_id].meta;
    const struct sim_inode *inode = &sim->now.inodes[id];
    struct sim_attributes meta = inode->meta;
    if (!keeps_owner && may_give(inode, like->owner, like->group))
        meta.owner = like->owner;
    if (may_give(inode, meta.owner, like->group))
        meta.group = like->group;
    meta.mode = mode;
    memcpy(meta.acl, like->acl, sizeof meta.acl);
    return (int)sim_end(set_meta(id, &meta));
}

void os_attributes(os_fd file, bool *ret_attributes, bool *ret_acl)
{
    bool there = sim_opening_of(file) != NULL;
    *ret_attributes = there;
    *ret_acl = there;
}
