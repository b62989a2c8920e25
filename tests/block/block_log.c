/* block_log IMAGE DIRECTORY LOG: a block device that remembers.
 *
 * Mounts at DIRECTORY (FUSE) two files. `disk` begins as a copy of IMAGE, is held in memory, and is
 * to be put under a loop device: that passes every flush of the file system on top of it down as an
 * fsync, and every discard as a hole. Each of these, and each write, goes to LOG in the order in
 * which it was answered. `control` takes commands, one for each write(2):
 *
 *     mark TEXT                          TEXT goes to the log
 *     fail write|flush N NUMBER once     the N-th from now on is answered with this errno value
 *     fail write|flush N NUMBER always   and all after it too
 *     stop                               nothing is logged any more
 *
 * Prints `ready` when it is mounted; ends when it is unmounted, or by SIGTERM. Single-threaded, so
 * that the order is beyond doubt.
 */
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/place.h"
#include "log.h"

enum { ROOT = 1, DISK, CONTROL, COMMAND_SIZE = 256 };
enum { BLOCK = 4096 };

enum request { NO_REQUEST, WRITES, FLUSHES };

static struct {
    char *bytes;
    uint64_t size;
    FILE *log; /* NULL: stopped */
    struct {
        enum request request;
        long at, seen;
        int error;
        bool always;
    } fault;
} device;

static void note(enum record_kind kind, uint64_t offset, const void *data, uint64_t size)
{
    if (device.log != NULL)
        log_add(device.log, kind, offset, data, size);
}

/* The error that this request is to be answered with; 0: none. */
static int fault_of(enum request request)
{
    if (device.fault.request != request || device.log == NULL)
        return 0;
    long seen = ++device.fault.seen;
    if (seen != device.fault.at && !(device.fault.always && seen > device.fault.at))
        return 0;
    note(RECORD_FAULT, 0, NULL, 0);
    return device.fault.error;
}

/* ---- commands ---- */

static int fail_from_now(const char *words)
{
    char request[8], how[8];
    device.fault.seen = 0;
    if (sscanf(words, "%7s %ld %d %7s", request, &device.fault.at, &device.fault.error, how) != 4)
        return EINVAL;
    device.fault.always = strcmp(how, "always") == 0;
    device.fault.request = strcmp(request, "flush") == 0 ? FLUSHES : WRITES;
    return 0;
}

static int obey(const char *command)
{
    if (strncmp(command, "mark ", 5) == 0)
        note(RECORD_MARK, 0, command + 5, strlen(command + 5));
    else if (strncmp(command, "fail ", 5) == 0)
        return fail_from_now(command + 5);
    else if (strcmp(command, "stop") != 0)
        return EINVAL;
    else if (device.log != NULL && fclose(device.log) != 0)
        return errno;
    else
        device.log = NULL;
    return 0;
}

/* ---- what the kernel asks ---- */

static struct stat attributes(fuse_ino_t number)
{
    struct stat about = {.st_ino = number, .st_nlink = 1, .st_mode = S_IFREG | 0600};
    if (number == ROOT)
        about.st_mode = S_IFDIR | 0700;
    if (number == DISK)
        about.st_size = (off_t)device.size;
    return about;
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct fuse_entry_param entry = {.attr_timeout = 3600, .entry_timeout = 3600};
    (void)parent;
    entry.ino = strcmp(name, "disk") == 0 ? DISK : strcmp(name, "control") == 0 ? CONTROL : 0;
    entry.attr = attributes(entry.ino);
    if (entry.ino == 0)
        fuse_reply_err(request, ENOENT);
    else
        fuse_reply_entry(request, &entry);
}

static void on_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
    struct stat about = attributes(number);
    (void)file;
    fuse_reply_attr(request, &about, 3600);
}

static void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat *about, int which,
                       struct fuse_file_info *file)
{
    (void)about, (void)which;
    on_getattr(request, number, file);
}

/* Nothing is cached between the loop device and here. */
static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
    (void)number;
    file->direct_io = 1;
    fuse_reply_open(request, file);
}

static uint64_t within(uint64_t offset, uint64_t size)
{
    return offset >= device.size ? 0 : size < device.size - offset ? size : device.size - offset;
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *file)
{
    (void)file;
    size = number == DISK ? within((uint64_t)offset, size) : 0;
    fuse_reply_buf(request, device.bytes + (size > 0 ? offset : 0), size);
}

static void on_write(fuse_req_t request, fuse_ino_t number, const char *data, size_t size,
                     off_t offset, struct fuse_file_info *file)
{
    char command[COMMAND_SIZE];
    int error;
    (void)file;
    if (number == CONTROL) {
        snprintf(command, sizeof command, "%.*s", (int)size, data);
        error = obey(command);
    } else if (within((uint64_t)offset, size) < size) {
        error = ENOSPC;
    } else if ((error = fault_of(WRITES)) == 0) {
        memcpy(device.bytes + offset, data, size);
        note(RECORD_WRITE, (uint64_t)offset, data, size);
    }
    if (error != 0)
        fuse_reply_err(request, error);
    else
        fuse_reply_write(request, size);
}

static void on_fsync(fuse_req_t request, fuse_ino_t number, int data_only,
                     struct fuse_file_info *file)
{
    (void)file, (void)data_only;
    int error = number == DISK ? fault_of(FLUSHES) : 0;
    if (number == DISK && error == 0)
        note(RECORD_FLUSH, 0, NULL, 0);
    fuse_reply_err(request, error);
}

static void on_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset,
                         off_t length, struct fuse_file_info *file)
{
    (void)file;
    bool zeroes = (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0;
    uint64_t size = within((uint64_t)offset, (uint64_t)length);
    if (number != DISK || !zeroes) {
        fuse_reply_err(request, EOPNOTSUPP);
        return;
    }
    memset(device.bytes + offset, 0, size);
    note(RECORD_DISCARD, (uint64_t)offset, NULL, size);
    fuse_reply_err(request, 0);
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = on_lookup,
    .getattr = on_getattr,
    .setattr = on_setattr,
    .open = on_open,
    .read = on_read,
    .write = on_write,
    .fsync = on_fsync,
    .fallocate = on_fallocate,
};

/* ---- beginning and end ---- */

static void load(const char *image, const char *log)
{
    struct blob blob = blob_read(*image == '/' ? "" : ".", image);
    static const char zeros[BLOCK];
    device.size = blob.size;
    device.bytes =
        mmap(NULL, blob.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    device.log = fopen(log, "we");
    if (blob.data == NULL || device.bytes == MAP_FAILED || device.log == NULL)
        place_die("cannot begin", image);
    log_begin(device.log, device.size);
    for (uint64_t at = 0; at + BLOCK <= device.size; at += BLOCK) {
        if (memcmp(blob.data + at, zeros, BLOCK) == 0)
            continue;
        memcpy(device.bytes + at, blob.data + at, BLOCK);
        note(RECORD_WRITE, at, blob.data + at, BLOCK);
    }
    note(RECORD_FLUSH, 0, NULL, 0);
    blob_free(&blob);
}

int main(int argc, char **argv)
{
    struct fuse_args arguments = FUSE_ARGS_INIT(1, argv);
    if (argc != 4) {
        fprintf(stderr, "usage: block_log IMAGE DIRECTORY LOG\n");
        return 2;
    }
    load(argv[1], argv[3]);
    struct fuse_session *session =
        fuse_session_new(&arguments, &operations, sizeof operations, NULL);
    if (session == NULL || fuse_set_signal_handlers(session) != 0 ||
        fuse_session_mount(session, argv[2]) != 0)
        return 1;
    printf("ready\n");
    fflush(stdout);
    int rc = fuse_session_loop(session);
    fuse_session_unmount(session);
    fuse_remove_signal_handlers(session);
    fuse_session_destroy(session);
    if (device.log != NULL && fclose(device.log) != 0)
        rc = 1;
    return rc != 0;
}
