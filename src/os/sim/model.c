/* How steps stand at a crash point; the simple profiles. See model.h. */
#include "os/sim/model.h"

#include <string.h>

static void apply(struct sim_disk *disk, const struct sim_step *step)
{
    switch (step->kind) {
    case SIM_EFFECT_BLOCK:
    case SIM_EFFECT_GARBAGE:
        sim_disk_block(disk, step->inode, step->index, step->block);
        break;
    case SIM_EFFECT_SIZE:
        sim_disk_size(disk, step->inode, step->size);
        break;
    case SIM_EFFECT_META:
        disk->inodes[step->inode].meta = *step->meta;
        break;
    case SIM_EFFECT_NAME:
        sim_disk_name(disk, step->dir, step->name, step->inode);
        break;
    }
}

void sim_model_build(const struct sim_disk *base, const struct sim_log *log,
                     const unsigned char *kept, struct sim_disk *disk)
{
    sim_disk_copy(base, disk, log->born_count);
    if (log->born_count > 0)
        memcpy(disk->inodes + disk->count, log->born, sizeof *log->born * (size_t)log->born_count);
    disk->count += log->born_count;
    for (int i = 0; i < log->step_count; i++)
        if (kept[i])
            apply(disk, &log->steps[i]);
}

void sim_model_build_content(const struct sim_disk *base, const struct sim_log *log,
                             const unsigned char *kept, int id, struct sim_disk *disk)
{
    const struct sim_inode *fresh =
        id < base->count ? &base->inodes[id] : &log->born[id - base->count];
    struct sim_inode *inode = &disk->inodes[id];
    inode->meta = fresh->meta;
    if (inode->kind == OS_REGULAR) {
        inode->size = fresh->size;
        inode->blocks = fresh->blocks;
        inode->block_count = fresh->block_count;
        inode->shared_list = true;
    }
    for (int i = 0; i < log->step_count; i++)
        if (kept[i] && log->steps[i].inode == id && log->steps[i].kind != SIM_EFFECT_NAME)
            apply(disk, &log->steps[i]);
}

bool sim_model_is_ordered(enum sim_profile profile)
{
    return profile == SIM_PROFILE_EXT4 || profile == SIM_PROFILE_XFS ||
           profile == SIM_PROFILE_BTRFS;
}

static enum sim_cover cover_of(enum sim_profile profile)
{
    switch (profile) {
    case SIM_PROFILE_POSIX_DIRENT:
    case SIM_PROFILE_BTRFS:
        return SIM_COVER_DIRENT;
    case SIM_PROFILE_EXT4:
    case SIM_PROFILE_XFS:
        return SIM_COVER_ALL;
    default:
        return SIM_COVER_POSIX;
    }
}

enum sim_standing sim_model_standing(const struct sim_log *log, enum sim_profile profile, int call,
                                     int index)
{
    const struct sim_step *step = &log->steps[index];
    if (step->call > call || step->lost < call ||
        (step->kind == SIM_EFFECT_GARBAGE && profile != SIM_PROFILE_ALICE))
        return SIM_NOT_YET;
    if (profile == SIM_PROFILE_KILL)
        return step->call < call ? SIM_DURABLE : SIM_UNDECIDED;
    return step->covered[cover_of(profile)] < call ? SIM_DURABLE : SIM_UNDECIDED;
}

int sim_model_group(const struct sim_log *log, enum sim_profile profile, int step)
{
    return profile == SIM_PROFILE_ALICE ? step : log->steps[step].group;
}

bool sim_model_is_boundary(const struct sim_crash *crash)
{
    const struct sim_log *log = crash->log;
    if (crash->call == log->call_count)
        return true;
    for (int i = 0; i < log->ack_count; i++)
        if (log->acks[i].id >= 0 && log->acks[i].calls == crash->call + 1)
            return true;
    const struct sim_call *call = &log->calls[crash->call];
    if (call->step_count > 0 && (crash->every_point || crash->profile == SIM_PROFILE_KILL))
        return true;
    if ((call->verb == SIM_FLUSH || call->verb == SIM_FLUSH_DIR) && call->result == 0)
        return true;
    /* A file that was cut to nothing is written out at close: then it can no longer be empty. */
    for (int i = 0; i < log->step_count; i++)
        if (log->steps[i].tied_until > 0 && log->steps[i].tied_call == crash->call)
            return true;
    return false;
}

static void forget(int *event, int call)
{
    if (*event >= call)
        *event = SIM_NEVER;
}

void sim_model_cut(const struct sim_log *log, int call, const unsigned char *kept,
                   struct sim_log *ret_log)
{
    int count = 0;
    for (int i = 0; i < log->step_count; i++)
        if (log->steps[i].call < call || kept[i])
            count = i + 1;
    *ret_log = *log;
    ret_log->steps = sim_alloc_copy(log->steps, sizeof *log->steps * (size_t)count);
    ret_log->step_count = ret_log->step_capacity = count;
    for (int i = 0; i < count; i++) {
        struct sim_step *step = &ret_log->steps[i];
        forget(&step->poisoned, call);
        forget(&step->lost, call);
        for (int by = 0; by < SIM_COVERS; by++)
            forget(&step->covered[by], call);
        if (step->tied_call >= call)
            step->tied_until = step->tied_call = 0;
    }
    ret_log->call_count = call < log->call_count ? call + 1 : call;
    ret_log->calls = sim_alloc_copy(log->calls, sizeof *log->calls * (size_t)ret_log->call_count);
    ret_log->call_capacity = ret_log->call_count;
    ret_log->born = sim_alloc_copy(log->born, sizeof *log->born * (size_t)log->born_count);
    ret_log->born_capacity = log->born_count;
    for (ret_log->ack_count = 0; ret_log->ack_count < log->ack_count; ret_log->ack_count++)
        if (log->acks[ret_log->ack_count].calls > call)
            break;
    ret_log->acks = sim_alloc_copy(log->acks, sizeof *log->acks * (size_t)ret_log->ack_count);
    ret_log->ack_capacity = ret_log->ack_count;
}

uint64_t sim_model_acked(const struct sim_log *log, int call)
{
    uint64_t acked = 0;
    for (int i = 0; i < log->ack_count; i++)
        if (log->acks[i].id >= 0 && log->acks[i].calls <= call)
            acked |= 1ull << log->acks[i].id;
    return acked;
}

/* The first steps of each open group, in order. Returns their number. */
static int open_groups(const struct sim_crash *crash, int *groups)
{
    int count = 0;
    for (int i = 0; i < crash->log->step_count; i++)
        if (sim_model_group(crash->log, crash->profile, i) == i &&
            sim_model_standing(crash->log, crash->profile, crash->call, i) == SIM_UNDECIDED)
            groups[count++] = i;
    return count;
}

static void keep_durable(const struct sim_crash *crash, unsigned char *kept)
{
    for (int i = 0; i < crash->log->step_count; i++)
        kept[i] = sim_model_standing(crash->log, crash->profile, crash->call, i) == SIM_DURABLE;
}

static void keep_group(const struct sim_crash *crash, int group, bool keep, unsigned char *kept)
{
    for (int i = group; i < crash->log->step_count; i++)
        if (sim_model_group(crash->log, crash->profile, i) == group &&
            sim_model_standing(crash->log, crash->profile, crash->call, i) == SIM_UNDECIDED)
            kept[i] = keep;
}

/* kill: of the call in flight the first few. */
void sim_model_prefixes(const struct sim_crash *crash)
{
    int *groups = sim_alloc(sizeof *groups * (size_t)crash->log->step_count);
    unsigned char *kept = sim_alloc((size_t)crash->log->step_count + 1);
    int count = open_groups(crash, groups);
    keep_durable(crash, kept);
    crash->emit(crash->context, kept);
    for (int i = 0; i < count; i++) {
        keep_group(crash, groups[i], true, kept);
        crash->emit(crash->context, kept);
    }
}

void sim_model_subsets(const struct sim_crash *crash)
{
    int *groups = sim_alloc(sizeof *groups * (size_t)crash->log->step_count);
    unsigned char *kept = sim_alloc((size_t)crash->log->step_count + 1);
    int count = open_groups(crash, groups);
    if (count > 24)
        sim_panic("too many open effects for brute force");
    for (unsigned mask = 0; mask < 1u << count; mask++) {
        keep_durable(crash, kept);
        for (int i = 0; i < count; i++)
            keep_group(crash, groups[i], mask >> i & 1, kept);
        crash->emit(crash->context, kept);
    }
}
