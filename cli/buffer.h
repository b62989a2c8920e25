/* A growing block of bytes, for content whose size is not known beforehand. */
#ifndef CLI_BUFFER_H
#define CLI_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Start from zero. `data` is NULL while nothing was reserved. */
struct buffer {
    char *data;
    size_t size;
    size_t capacity;
};

/* Makes room for `more` bytes behind `size`. False: no memory, and the buffer is as it was. */
bool buffer_reserve(struct buffer *buffer, size_t more);

bool buffer_append(struct buffer *buffer, const void *data, size_t size);

/* Reads `fd` to its end. 0 or an errno value. */
int buffer_read_all(struct buffer *buffer, int fd);

void buffer_free(struct buffer *buffer);

#endif
