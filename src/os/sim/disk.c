#include "os/sim/disk.h"

#include <string.h>

uint64_t sim_mix_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t word = 0;
    for (; size >= 8; bytes += 8, size -= 8) {
        memcpy(&word, bytes, 8);
        hash = sim_mix(hash, word + 1);
    }
    word = size;
    for (size_t i = 0; i < size; i++)
        word = word << 8 | bytes[i];
    return sim_mix(hash, word);
}

void sim_disk_new(struct sim_disk *disk, unsigned unit)
{
    *disk = (struct sim_disk){.unit = unit, .device_count = 1};
    int root = sim_disk_add(disk, 0, OS_DIRECTORY, SIM_REUSE_AT_ONCE);
    disk->inodes[root].meta.mode = 0777;
    disk->inodes[root].links = 1;
    disk->inodes[root].parent = root;
}

void sim_disk_copy(const struct sim_disk *from, struct sim_disk *to, int more)
{
    *to = *from;
    to->capacity = from->count + more;
    to->inodes = sim_alloc_grown(from->inodes, sizeof *from->inodes * (size_t)from->count,
                                 sizeof *from->inodes * (size_t)to->capacity);
    for (int i = 0; i < to->count; i++)
        to->inodes[i].shared_list = from->inodes[i].shared_list = true;
}

static bool number_is_used(const struct sim_disk *disk, int device, uint64_t number,
                           enum sim_reuse reuse)
{
    for (int i = 0; i < disk->count; i++) {
        const struct sim_inode *inode = &disk->inodes[i];
        bool gone = inode->links == 0 && inode->openings == 0;
        if (inode->number == number && inode->device == device &&
            !(gone && reuse == SIM_REUSE_AT_ONCE))
            return true;
    }
    return false;
}

int sim_disk_add(struct sim_disk *disk, int device, enum os_kind kind, enum sim_reuse reuse)
{
    uint64_t number = 2;
    while (number_is_used(disk, device, number, reuse))
        number++;
    SIM_GROW(disk->inodes, disk->count, disk->capacity);
    disk->inodes[disk->count] = (struct sim_inode){
        .number = number,
        .device = device,
        .kind = kind,
        .parent = SIM_NO_INODE,
        .mounted = SIM_NO_INODE,
        .mounted_on = SIM_NO_INODE,
    };
    return disk->count++;
}

/* The place of the name among the entries, or where it belongs. */
static int place_of(const struct sim_inode *dir, const char *name, bool *ret_found)
{
    int low = 0, high = dir->entry_count;
    *ret_found = false;
    while (low < high && !*ret_found) {
        int middle = (low + high) / 2;
        int order = strcmp(name, dir->entries[middle].name);
        *ret_found = order == 0;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

int sim_disk_find(const struct sim_disk *disk, int dir, const char *name)
{
    bool found;
    int place = place_of(&disk->inodes[dir], name, &found);
    return found ? disk->inodes[dir].entries[place].inode : SIM_NO_INODE;
}

static void own_lists(struct sim_inode *inode)
{
    if (!inode->shared_list)
        return;
    if (inode->kind == OS_DIRECTORY) /* room for one more: see sim_disk_name */
        inode->entries =
            sim_alloc_grown(inode->entries, sizeof *inode->entries * (size_t)inode->entry_count,
                            sizeof *inode->entries * (size_t)inode->entry_count);
    else
        inode->blocks =
            sim_alloc_copy(inode->blocks, sizeof *inode->blocks * (size_t)inode->block_count);
    inode->shared_list = false;
}

void sim_disk_name(struct sim_disk *disk, int dir, const char *name, int child)
{
    struct sim_inode *inode = &disk->inodes[dir];
    bool found;
    int place = place_of(inode, name, &found);
    size_t rest = sizeof *inode->entries * (size_t)(inode->entry_count - place);
    if (!found && child == SIM_NO_INODE)
        return;
    if (!found) {
        struct sim_entry *entries =
            sim_alloc_grown(inode->entries, sizeof *entries * (size_t)inode->entry_count,
                            sizeof *entries * (size_t)(inode->entry_count + 1));
        memmove(entries + place + 1, entries + place, rest);
        entries[place].name = sim_alloc_text(name);
        inode->entries = entries;
        inode->entry_count++;
        inode->shared_list = false;
    } else {
        own_lists(inode);
    }
    if (child == SIM_NO_INODE) {
        memmove(inode->entries + place, inode->entries + place + 1, rest - sizeof *inode->entries);
        inode->entry_count--;
        return;
    }
    inode->entries[place].inode = child;
    if (disk->inodes[child].kind == OS_DIRECTORY)
        disk->inodes[child].parent = dir;
}

struct sim_block *sim_block_new(const struct sim_disk *disk, const void *bytes)
{
    struct sim_block *block = sim_alloc(sizeof *block + disk->unit);
    memcpy(block->bytes, bytes, disk->unit);
    block->hash = sim_mix_bytes(1, bytes, disk->unit);
    block->used = disk->unit;
    while (block->used > 0 && block->bytes[block->used - 1] == 0)
        block->used--;
    return block;
}

void sim_disk_block(struct sim_disk *disk, int id, int index, struct sim_block *block)
{
    struct sim_inode *inode = &disk->inodes[id];
    own_lists(inode);
    if (index >= inode->block_count) {
        inode->blocks =
            sim_alloc_grown(inode->blocks, sizeof *inode->blocks * (size_t)inode->block_count,
                            sizeof *inode->blocks * (size_t)(index + 1));
        inode->block_count = index + 1;
    }
    inode->blocks[index] = block;
}

const struct sim_block *sim_disk_block_at(const struct sim_disk *disk, int id, int index)
{
    const struct sim_inode *inode = &disk->inodes[id];
    return index < inode->block_count ? inode->blocks[index] : NULL;
}

/* Makes what lies beyond the end zeros, so that it cannot come back. */
static void cut_tail(struct sim_disk *disk, int id)
{
    struct sim_inode *inode = &disk->inodes[id];
    int whole = (int)(inode->size / disk->unit);
    unsigned rest = (unsigned)(inode->size % disk->unit);
    if (inode->block_count > whole + (rest > 0)) {
        own_lists(inode);
        inode->block_count = whole + (rest > 0);
    }
    const struct sim_block *last = rest ? sim_disk_block_at(disk, id, whole) : NULL;
    if (!last || last->used <= rest)
        return;
    unsigned char *bytes = sim_alloc_copy(last->bytes, disk->unit);
    memset(bytes + rest, 0, disk->unit - rest);
    sim_disk_block(disk, id, whole, sim_block_new(disk, bytes));
}

void sim_disk_size(struct sim_disk *disk, int id, uint64_t size)
{
    bool smaller = size < disk->inodes[id].size;
    disk->inodes[id].size = size;
    if (smaller)
        cut_tail(disk, id);
}

void sim_disk_read(const struct sim_disk *disk, int id, void *data, size_t size, uint64_t offset)
{
    unsigned char *to = data;
    while (size > 0) {
        size_t within = (size_t)(offset % disk->unit);
        size_t part = disk->unit - within < size ? disk->unit - within : size;
        const struct sim_block *block = sim_disk_block_at(disk, id, (int)(offset / disk->unit));
        if (block)
            memcpy(to, block->bytes + within, part);
        else
            memset(to, 0, part);
        to += part;
        offset += part;
        size -= part;
    }
}

static void visit(struct sim_disk *disk, int id)
{
    struct sim_inode *inode = &disk->inodes[id];
    inode->links++;
    if (inode->reachable)
        return;
    inode->reachable = true;
    if (inode->kind == OS_REGULAR)
        cut_tail(disk, id);
    for (int i = 0; i < inode->entry_count; i++)
        visit(disk, inode->entries[i].inode);
    if (inode->mounted != SIM_NO_INODE)
        visit(disk, inode->mounted);
}

bool sim_disk_walk(struct sim_disk *disk)
{
    for (int i = 0; i < disk->count; i++) {
        disk->inodes[i].links = 0;
        disk->inodes[i].reachable = false;
    }
    visit(disk, SIM_ROOT);
    for (int i = 1; i < disk->count; i++)
        for (int j = 0; j < i; j++)
            if (disk->inodes[i].reachable && disk->inodes[j].reachable &&
                disk->inodes[i].number == disk->inodes[j].number &&
                disk->inodes[i].device == disk->inodes[j].device)
                return false;
    return true;
}

static uint64_t hash_attributes(const struct sim_inode *inode)
{
    const struct sim_attributes *meta = &inode->meta;
    uint64_t hash = sim_mix((uint64_t)inode->device + 1, inode->number);
    hash = sim_mix(hash, (uint64_t)inode->kind << 32 | meta->mode);
    hash = sim_mix(hash, (uint64_t)meta->owner << 32 | meta->group);
    hash = sim_mix(hash, (uint64_t)meta->immutable * 2 + meta->mount_root);
    hash = sim_mix_bytes(hash, meta->acl, strlen(meta->acl));
    hash = sim_mix_bytes(hash, meta->default_acl, strlen(meta->default_acl));
    hash = sim_mix_bytes(hash, meta->xattr, strlen(meta->xattr));
    if (inode->link)
        hash = sim_mix_bytes(hash, inode->link, strlen(inode->link));
    return sim_mix(hash, inode->size);
}

static uint64_t hash_inode(const struct sim_disk *disk, int id, bool all)
{
    const struct sim_inode *inode = &disk->inodes[id];
    uint64_t hash = hash_attributes(inode);
    for (int b = 0; b < inode->block_count; b++)
        if (inode->blocks[b] && (all || (uint64_t)b * disk->unit < inode->size))
            hash = sim_mix(hash + (uint64_t)b, inode->blocks[b]->hash);
    for (int e = 0; e < inode->entry_count; e++) {
        const struct sim_entry *entry = &inode->entries[e];
        hash = sim_mix_bytes(hash, entry->name, strlen(entry->name));
        hash = sim_mix(hash, disk->inodes[entry->inode].number);
    }
    return sim_mix(hash, 7);
}

uint64_t sim_disk_hash(const struct sim_disk *disk, bool all)
{
    uint64_t hash = 0; /* a sum: the place in the array does not count */
    for (int i = 0; i < disk->count; i++)
        if (disk->inodes[i].reachable || all)
            hash += hash_inode(disk, i, all);
    return hash;
}

uint64_t sim_disk_hash_in_use(const struct sim_disk *disk)
{
    uint64_t hash = 0;
    for (int i = 0; i < disk->count; i++) {
        const struct sim_inode *inode = &disk->inodes[i];
        bool gone = i != SIM_ROOT && inode->links == 0 && inode->openings == 0;
        hash += sim_mix(gone ? inode->number : hash_inode(disk, i, false), (uint64_t)i + 1);
    }
    return hash;
}

uint64_t sim_disk_hash_of(struct sim_disk *disk, int id)
{
    if (disk->inodes[id].kind == OS_REGULAR)
        cut_tail(disk, id);
    return hash_inode(disk, id, false);
}

void sim_disk_restart(struct sim_disk *disk)
{
    for (int i = 0; i < disk->count; i++) {
        disk->inodes[i].openings = 0;
        if (!disk->inodes[i].reachable)
            disk->inodes[i].number = 0;
    }
}
