/* A block device whose content is put together at will, mounted by the kernel: an image in memory
 * under a loop device.
 *
 *     disk_begin(&disk, "ext4", size);
 *     disk_apply(&disk, &epoch);             the base: what surely is on the device
 *     disk_build(&disk, &epoch, kept);       the base and a choice of what follows
 *     if (disk_mount(&disk) == 0) { ...; disk_unmount(&disk); }
 *     disk_reset(&disk);                     the base again
 *
 * Everything lies in a mount namespace of the process, and the loop device clears itself: nothing
 * is left when the process ends, in whatever way. Failures of the machinery end the program.
 */
#ifndef BLOCK_DISK_H
#define BLOCK_DISK_H

#include <limits.h>
#include <stdint.h>

#include "states.h"

struct disk {
    const char *type;
    uint64_t size;
    char *base;  /* what surely is there */
    char *image; /* the file under the loop device, mapped */
    int file, loop;
    char device[32], point[PATH_MAX];
};

void disk_begin(struct disk *disk, const char *type, uint64_t size);
void disk_apply(struct disk *disk, const struct epoch *epoch);
void disk_build(struct disk *disk, const struct epoch *epoch, const choice *kept);
int disk_mount(struct disk *disk); /* 0, or an errno value */
void disk_unmount(struct disk *disk);
void disk_reset(struct disk *disk);

#endif
