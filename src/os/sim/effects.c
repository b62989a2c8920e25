/* Effects: each changes what is visible and is logged for the model. */
#include "os/sim/world.h"

#include <string.h>

static struct sim_step *log_step(enum sim_effect_kind kind, int inode)
{
    struct sim_log *log = &sim->log;
    SIM_GROW(log->steps, log->step_count, log->step_capacity);
    struct sim_step *step = &log->steps[log->step_count];
    *step = (struct sim_step){
        .kind = kind,
        .call = log->call_count - 1,
        .inode = inode,
        .group = log->step_count,
        .poisoned = SIM_NEVER,
        .lost = SIM_NEVER,
        .covered = {SIM_NEVER, SIM_NEVER, SIM_NEVER},
    };
    log->step_count++;
    return step;
}

void sim_do_birth(int inode)
{
    struct sim_log *log = &sim->log;
    SIM_GROW(log->born, log->born_count, log->born_capacity);
    log->born[log->born_count++] = sim->now.inodes[inode];
}

/* What an unwritten unit may show on a file system that does not clear it first. */
static struct sim_block *garbage(void)
{
    unsigned char *bytes = sim_alloc(sim->now.unit);
    for (unsigned i = 0; i < sim->now.unit; i++)
        bytes[i] = (unsigned char)(0x80 + i % 101);
    return sim_block_new(&sim->now, bytes);
}

/* ext4 was seen to do this: the block that a file grew by stays "unwritten" where its first write
 * failed, and what is then written over it goes to the medium, but is never shown after a crash. */
static bool is_spoilt(int inode, int index, bool stays)
{
    bool spoilt = false;
    for (int i = 0; i < sim->log.step_count; i++) {
        const struct sim_step *step = &sim->log.steps[i];
        if (step->inode != inode)
            continue;
        if (step->kind == SIM_EFFECT_BLOCK && step->index == index)
            spoilt = step->poisoned < SIM_NEVER && (step->fresh || spoilt);
        else if (step->kind == SIM_EFFECT_SIZE && step->smaller && !stays &&
                 step->size <= (uint64_t)index * sim->now.unit)
            spoilt = false;
    }
    return spoilt;
}

static void do_block(int inode, int index, struct sim_block *block, bool grown)
{
    bool fresh = !sim_disk_block_at(&sim->now, inode, index);
    bool stays = (sim->broken & SIM_SPOILT_STAYS) != 0;
    bool spoilt = (!fresh || stays) && is_spoilt(inode, index, stays);
    if (grown) {
        struct sim_step *before = log_step(SIM_EFFECT_GARBAGE, inode);
        before->index = index;
        before->block = garbage();
    }
    struct sim_step *step = log_step(SIM_EFFECT_BLOCK, inode);
    step->index = index;
    step->block = block;
    step->grown = grown;
    step->fresh = fresh;
    if (spoilt)
        step->poisoned = step->call - 1; /* or by one before that */
    sim_disk_block(&sim->now, inode, index, block);
}

void sim_do_size(int inode, uint64_t size)
{
    struct sim_step *step = log_step(SIM_EFFECT_SIZE, inode);
    step->size = size;
    step->smaller = size < sim->now.inodes[inode].size;
    sim_disk_size(&sim->now, inode, size);
}

void sim_do_meta(int inode, const struct sim_attributes *meta)
{
    log_step(SIM_EFFECT_META, inode)->meta = sim_alloc_copy(meta, sizeof *meta);
    sim->now.inodes[inode].meta = *meta;
}

void sim_do_names(const struct sim_naming *namings, int count, int moved, bool over_existing)
{
    int group = sim->log.step_count;
    for (int i = 0; i < count; i++) {
        const struct sim_naming *naming = &namings[i];
        struct sim_step *step = log_step(SIM_EFFECT_NAME, naming->inode);
        step->dir = naming->dir;
        step->name = sim_alloc_text(naming->name);
        step->moved = moved;
        step->over_existing = over_existing;
        if (!(sim->broken & SIM_RENAME_SPLIT))
            step->group = group;
        int old = sim_disk_find(&sim->now, naming->dir, naming->name);
        if (old != SIM_NO_INODE)
            sim->now.inodes[old].links--;
        if (naming->inode != SIM_NO_INODE)
            sim->now.inodes[naming->inode].links++;
        sim_disk_name(&sim->now, naming->dir, naming->name, naming->inode);
    }
}

static struct sim_block *changed_block(int inode, int index, const unsigned char *data,
                                       size_t within, size_t size)
{
    unsigned unit = sim->now.unit;
    unsigned char *bytes = sim_alloc(unit);
    const struct sim_block *old = sim_disk_block_at(&sim->now, inode, index);
    if (old)
        memcpy(bytes, old->bytes, unit);
    memcpy(bytes + within, data, size);
    return sim_block_new(&sim->now, bytes);
}

void sim_do_write(int inode, const void *data, size_t size, uint64_t offset)
{
    const unsigned char *from = data;
    unsigned unit = sim->now.unit;
    while (size > 0) {
        size_t within = (size_t)(offset % unit);
        size_t part = unit - within < size ? unit - within : size;
        uint64_t end = sim->now.inodes[inode].size;
        bool grown = offset >= end;
        if (!grown && offset + part > end)
            part = (size_t)(end - offset); /* what overwrites and what grows are different */
        if (grown)
            sim_do_size(inode, offset + part);
        int index = (int)(offset / unit);
        do_block(inode, index, changed_block(inode, index, from, within, part), grown);
        from += part;
        offset += part;
        size -= part;
    }
}

static bool is_content_of(const struct sim_step *step, int inode)
{
    return step->kind != SIM_EFFECT_NAME && step->inode == inode;
}

static void cover(struct sim_step *step, enum sim_cover by)
{
    if (step->poisoned == SIM_NEVER && step->covered[by] == SIM_NEVER)
        step->covered[by] = sim->log.call_count - 1;
}

/* A group is covered as a whole as soon as one of its names is. */
static bool group_touches(const struct sim_step *step, int dir)
{
    for (int i = step->group; i < sim->log.step_count; i++) {
        const struct sim_step *other = &sim->log.steps[i];
        if (other->group != step->group)
            break;
        if (other->dir == dir)
            return true;
    }
    return false;
}

void sim_cover_file(int inode)
{
    for (int i = 0; i < sim->log.step_count; i++) {
        struct sim_step *step = &sim->log.steps[i];
        if (is_content_of(step, inode)) {
            for (int by = 0; by < SIM_COVERS; by++)
                cover(step, (enum sim_cover)by);
        } else if (step->kind == SIM_EFFECT_NAME) {
            cover(step, SIM_COVER_ALL);
            if (step->moved == inode)
                cover(step, SIM_COVER_DIRENT);
        }
    }
}

void sim_cover_content(int inode)
{
    for (int i = 0; i < sim->log.step_count; i++) {
        struct sim_step *step = &sim->log.steps[i];
        for (int by = 0; is_content_of(step, inode) && by < SIM_COVERS; by++)
            if (step->kind != SIM_EFFECT_META)
                cover(step, (enum sim_cover)by);
    }
}

void sim_cover_dir(int dir)
{
    for (int i = 0; i < sim->log.step_count; i++) {
        struct sim_step *step = &sim->log.steps[i];
        if (step->kind == SIM_EFFECT_NAME)
            cover(step, SIM_COVER_ALL);
        if ((step->kind == SIM_EFFECT_NAME && group_touches(step, dir)) ||
            is_content_of(step, dir)) {
            for (int by = 0; by < SIM_COVERS; by++)
                cover(step, (enum sim_cover)by);
        }
    }
}

static void poison(struct sim_step *step)
{
    if (step->poisoned == SIM_NEVER && !sim_call_is(SIM_DEAD))
        step->poisoned = sim->log.call_count - 1;
}

void sim_poison_file(int inode)
{
    for (int i = 0; i < sim->log.step_count; i++)
        if (is_content_of(&sim->log.steps[i], inode) &&
            sim->log.steps[i].covered[SIM_COVER_POSIX] == SIM_NEVER)
            poison(&sim->log.steps[i]);
}

void sim_poison_dir(int dir)
{
    for (int i = 0; i < sim->log.step_count; i++) {
        struct sim_step *step = &sim->log.steps[i];
        if (step->covered[SIM_COVER_POSIX] == SIM_NEVER &&
            (is_content_of(step, dir) ||
             (step->kind == SIM_EFFECT_NAME && group_touches(step, dir))))
            poison(step);
    }
}

void sim_revert_file(int id)
{
    struct sim_inode *inode = &sim->now.inodes[id];
    inode->block_count = 0;
    inode->size = 0;
    if (id < sim->base.count) {
        inode->blocks = sim->base.inodes[id].blocks;
        inode->block_count = sim->base.inodes[id].block_count;
        inode->size = sim->base.inodes[id].size;
        inode->shared_list = true;
    }
    for (int i = 0; i < sim->log.step_count; i++) {
        struct sim_step *step = &sim->log.steps[i];
        if (!is_content_of(step, id) || step->kind == SIM_EFFECT_META)
            continue;
        if (step->covered[SIM_COVER_POSIX] == SIM_NEVER) {
            step->lost = sim->log.call_count - 1;
            continue;
        }
        if (step->kind == SIM_EFFECT_SIZE)
            sim_disk_size(&sim->now, id, step->size);
        else if (step->kind == SIM_EFFECT_BLOCK)
            sim_disk_block(&sim->now, id, step->index, step->block);
    }
}
