#include "log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/place.h"

static const char MAGIC[8] = "blocklog";

struct head {
    char magic[8];
    uint64_t device_size;
};

struct record_head {
    uint64_t kind, offset, size;
};

static void put(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size)
        place_die("cannot write", "the log");
}

void log_begin(FILE *file, uint64_t device_size)
{
    struct head head = {.device_size = device_size};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    put(file, &head, sizeof head);
}

void log_add(FILE *file, enum record_kind kind, uint64_t offset, const void *data, uint64_t size)
{
    struct record_head head = {kind, offset, size};
    put(file, &head, sizeof head);
    if (kind == RECORD_WRITE || kind == RECORD_MARK)
        put(file, data, size);
}

void log_open(struct log *log, const char *path)
{
    struct head head;
    struct blob blob = blob_read(*path == '/' ? "" : ".", path);
    *log = (struct log){.bytes = blob.data, .size = blob.size};
    errno = EINVAL;
    if (blob.size < sizeof head || memcmp(blob.data, MAGIC, sizeof MAGIC) != 0)
        place_die("no log of a block device", path);
    memcpy(&head, blob.data, sizeof head);
    log->device_size = head.device_size;
    log_rewind(log);
}

void log_rewind(struct log *log)
{
    log->at = sizeof(struct head);
}

bool log_next(struct log *log, struct record *ret_record)
{
    struct record_head head;
    if (log->size - log->at < sizeof head)
        return false;
    memcpy(&head, log->bytes + log->at, sizeof head);
    log->at += sizeof head;
    bool has_data = head.kind == RECORD_WRITE || head.kind == RECORD_MARK;
    errno = EINVAL;
    if (has_data && head.size > log->size - log->at)
        place_die("ends in the middle of a record", "the log");
    *ret_record = (struct record){(enum record_kind)head.kind, head.offset, head.size,
                                  has_data ? log->bytes + log->at : NULL};
    log->at += has_data ? head.size : 0;
    return true;
}

void log_close(struct log *log)
{
    free(log->bytes);
    *log = (struct log){.bytes = NULL};
}
