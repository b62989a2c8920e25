#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/place.h"

enum { TRIES = 100, PAUSE_US = 1000 };

static const char AREA[] = "/dev/shm";

/* The library asks which run of the system this is: after a power loss it is another. */
static void pretend_restart(void)
{
    static const char boot[] = "00000000-0000-4000-8000-000000000000\n";
    struct blob blob = {(char[sizeof boot]){0}, sizeof boot - 1};
    memcpy(blob.data, boot, sizeof boot);
    blob_write(AREA, "boot_id", &blob, 0444);
    if (mount("/dev/shm/boot_id", "/proc/sys/kernel/random/boot_id", NULL, MS_BIND, NULL) != 0)
        place_die("cannot be replaced", "boot_id");
}

/* What others have mounted there must not live on because of us. */
static void own_mounts(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        place_die("no mounts of our own", AREA);
    (void)umount2(AREA, MNT_DETACH);
    if (mount("disk", AREA, "tmpfs", 0, "mode=755") != 0)
        place_die("nothing can be mounted", AREA);
}

/* Another process may have taken the free one meanwhile. */
static void attach(struct disk *disk)
{
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    struct loop_config config = {.fd = (uint32_t)disk->file,
                                 .info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};
    for (int i = 0; control >= 0 && i < TRIES; i++) {
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        snprintf(disk->device, sizeof disk->device, "/dev/loop%d", number);
        disk->loop = open(disk->device, O_RDWR | O_CLOEXEC);
        if (number >= 0 && disk->loop >= 0 && ioctl(disk->loop, LOOP_CONFIGURE, &config) == 0) {
            close(control);
            return;
        }
        if (disk->loop >= 0)
            close(disk->loop);
        usleep(PAUSE_US);
    }
    place_die("no loop device", disk->device);
}

void disk_begin(struct disk *disk, const char *type, uint64_t size)
{
    char image[64];
    *disk = (struct disk){.type = type, .size = size};
    own_mounts();
    pretend_restart();
    snprintf(disk->point, sizeof disk->point, "%s/mounted", AREA);
    place_make(disk->point);
    /* By its name others can tell whose the loop device is. */
    snprintf(image, sizeof image, "%s/image-%d", AREA, (int)getpid());
    disk->file = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (disk->file < 0 || ftruncate(disk->file, (off_t)size) != 0)
        place_die("cannot be made", image);
    disk->image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, disk->file, 0);
    disk->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (disk->image == MAP_FAILED || disk->base == MAP_FAILED)
        place_die("no memory", "image");
    attach(disk);
}

static void put(char *bytes, const struct unit *unit)
{
    if (unit->data != NULL)
        memcpy(bytes + unit->offset, unit->data, unit->size);
    else
        memset(bytes + unit->offset, 0, unit->size);
}

void disk_apply(struct disk *disk, const struct epoch *epoch)
{
    for (size_t i = 0; i < epoch->count; i++) {
        put(disk->base, &epoch->units[i]);
        put(disk->image, &epoch->units[i]);
    }
}

void disk_build(struct disk *disk, const struct epoch *epoch, const choice *kept)
{
    for (size_t i = 0; i < epoch->count; i++)
        if (kept[i])
            put(disk->image, &epoch->units[i]);
}

/* xfs refuses a second one of the same id, as two replays at once may have; what btrfs discards
 * would be holes in the image. This device has no power to lose: without barriers it is faster. */
static const struct {
    const char *type, *options;
} ways[] = {{"ext4", "barrier=0"}, {"xfs", "nouuid"}, {"btrfs", "nodiscard,nobarrier"}};

int disk_mount(struct disk *disk)
{
    const char *options = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(disk->type, ways[i].type) == 0)
            options = ways[i].options;
    /* What the kernel remembers of the image is of the state before. */
    if (ioctl(disk->loop, BLKFLSBUF) != 0)
        place_die("is not forgotten", disk->device);
    return mount(disk->device, disk->point, disk->type, 0, options) == 0 ? 0 : errno;
}

void disk_unmount(struct disk *disk)
{
    for (int i = 0; umount2(disk->point, 0) != 0; i++) {
        if (errno != EBUSY || i == TRIES)
            place_die("cannot be unmounted", disk->point);
        usleep(PAUSE_US);
    }
}

static void reset_unit(struct disk *disk, uint64_t at)
{
    static const char zeros[UNIT];
    if (memcmp(disk->image + at, disk->base + at, UNIT) == 0)
        return;
    /* A hole stays one, or there would be ever more to compare. */
    if (memcmp(disk->base + at, zeros, UNIT) != 0 ||
        fallocate(disk->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, UNIT) != 0)
        memcpy(disk->image + at, disk->base + at, UNIT);
}

void disk_reset(struct disk *disk)
{
    off_t end = 0, size = (off_t)disk->size;
    while (end < size) {
        off_t from = lseek(disk->file, end, SEEK_DATA);
        if (from < 0)
            break;
        end = lseek(disk->file, from, SEEK_HOLE);
        for (off_t at = from; at < end; at += UNIT)
            reset_unit(disk, (uint64_t)at);
    }
}
