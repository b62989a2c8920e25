/* One disk: inodes, their content in units, directories. What the processes see, what was durable
 * when a log began, and what a crash leaves are all this.
 *
 * Inodes are named by their place in the array, which never changes within a world; the number
 * that os_stat reports is something else and may come again. Copying a disk shares blocks and
 * lists; whoever changes one makes his own copy first.
 */
#ifndef UNTORN_OS_SIM_DISK_H
#define UNTORN_OS_SIM_DISK_H

#include "os/os.h"
#include "os/sim/arena.h"
#include "os/sim/sim.h"

enum { SIM_NO_INODE = -1, SIM_ROOT = 0, SIM_NAME_MAX = 255 };

struct sim_block { /* immutable */
    uint64_t hash;
    unsigned used; /* bytes before the zeros at its end */
    unsigned char bytes[];
};

struct sim_entry {
    const char *name;
    int inode;
};

struct sim_inode {
    uint64_t number; /* 0: gone for ever */
    int device;
    enum os_kind kind;
    struct sim_attributes meta;
    uint64_t size;

    struct sim_block **blocks; /* NULL: zeros */
    int block_count;
    struct sim_entry *entries; /* sorted by name */
    int entry_count;
    bool shared_list; /* blocks or entries belong to another copy too */

    const char *link; /* text of a symbolic link */
    int parent;       /* of a directory */
    int mounted;      /* the root that covers this directory, or SIM_NO_INODE */
    int mounted_on;   /* of such a root: the directory it covers */
    int links;        /* names that lead to it */
    int openings;
    uint64_t unlocked_by; /* the history of the last process that ended its lock */
    bool reachable;       /* by sim_disk_walk */
};

struct sim_disk {
    struct sim_inode *inodes;
    int count, capacity;
    struct sim_device devices[8];
    int device_count;
    unsigned unit;
};

void sim_disk_new(struct sim_disk *disk, unsigned unit);
/* With room for some more inodes. */
void sim_disk_copy(const struct sim_disk *from, struct sim_disk *to, int more);
int sim_disk_add(struct sim_disk *disk, int device, enum os_kind kind, enum sim_reuse reuse);

/* SIM_NO_INODE if there is none. Does not cross mounts. */
int sim_disk_find(const struct sim_disk *disk, int dir, const char *name);
/* Makes, changes or with SIM_NO_INODE removes the name. Counts no links. */
void sim_disk_name(struct sim_disk *disk, int dir, const char *name, int inode);

struct sim_block *sim_block_new(const struct sim_disk *disk, const void *bytes);
void sim_disk_block(struct sim_disk *disk, int inode, int index, struct sim_block *block);
const struct sim_block *sim_disk_block_at(const struct sim_disk *disk, int inode, int index);
/* What lies beyond a smaller size is gone: growing again shows zeros. */
void sim_disk_size(struct sim_disk *disk, int inode, uint64_t size);
void sim_disk_read(const struct sim_disk *disk, int inode, void *data, size_t size,
                   uint64_t offset);

/* Finds what can be reached from the root, counts links, cuts off what lies beyond the end of
 * files. False if two reachable inodes have one number. */
bool sim_disk_walk(struct sim_disk *disk);
/* After sim_disk_walk: two disks with equal hashes cannot be told apart by any call. With `all`,
 * before it: what cannot be reached counts too. */
uint64_t sim_disk_hash(const struct sim_disk *disk, bool all);
/* Of a disk in use: its inodes by their places, and of those that are gone only the numbers. */
uint64_t sim_disk_hash_in_use(const struct sim_disk *disk);
/* The share of one inode in that sum, with what lies beyond its end cut off. */
uint64_t sim_disk_hash_of(struct sim_disk *disk, int inode);
/* After sim_disk_walk: nothing is open, what is not reachable is gone. */
void sim_disk_restart(struct sim_disk *disk);

static inline uint64_t sim_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9fb21c651e98df25ull;
    return hash ^ (hash >> 32);
}
/* For what grows from 0: mixing 0 into 0 would leave no trace. */
static inline uint64_t sim_next(uint64_t hash)
{
    return hash + 0x9e3779b97f4a7c15ull;
}
uint64_t sim_mix_bytes(uint64_t hash, const void *data, size_t size);

#endif
