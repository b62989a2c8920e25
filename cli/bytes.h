/* A growing block of bytes, for content whose size is not known beforehand. */
#ifndef CLI_BYTES_H
#define CLI_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "system.h"

/* Start from zero. `data` is NULL while nothing was reserved. */
struct bytes {
    char *data;
    size_t size;
    size_t capacity;
};

/* Makes room for `more` bytes behind `size`. False: no memory, and it is as it was. */
bool bytes_reserve(struct bytes *bytes, size_t more);

bool bytes_append(struct bytes *bytes, const void *data, size_t size);

/* Reads it to its end. 0 or an errno value. */
int bytes_read_all(struct bytes *bytes, system_stream stream);

void bytes_free(struct bytes *bytes);

#endif
