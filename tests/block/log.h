/* What went to a block device, in order: the log that block_log writes and block_replay reads.
 *
 * A log begins with a head and holds everything since the device was empty, so that it needs no
 * other file. A mark is a line of text that the workload put between two requests.
 */
#ifndef BLOCK_LOG_H
#define BLOCK_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum record_kind {
    RECORD_WRITE = 1,
    RECORD_DISCARD, /* these bytes read as zeros, or as before */
    RECORD_FLUSH,   /* everything before it is durable */
    RECORD_MARK,
    RECORD_FAULT, /* a write or flush that was answered with an error, and has no effect */
};

struct record {
    enum record_kind kind;
    uint64_t offset, size;
    const char *data; /* of a write and a mark; borrowed from the log */
};

struct log {
    char *bytes; /* new */
    size_t size, at;
    uint64_t device_size;
};

/* ---- writing ---- */

void log_begin(FILE *file, uint64_t device_size);
void log_add(FILE *file, enum record_kind kind, uint64_t offset, const void *data, uint64_t size);

/* ---- reading; a failure ends the program ---- */

void log_open(struct log *log, const char *path);
bool log_next(struct log *log, struct record *ret_record); /* false: that was the last one */
void log_rewind(struct log *log);
void log_close(struct log *log);

#endif
