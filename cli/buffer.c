#include "buffer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"

bool buffer_reserve(struct buffer *buffer, size_t more)
{
    if (buffer->capacity - buffer->size >= more)
        return true;
    if (more > SIZE_MAX / 2 - buffer->size)
        return false;
    /* Half as much again each time, so that the copies add up to a fixed multiple of the size. */
    size_t capacity = buffer->size + more;
    if (capacity < buffer->capacity + buffer->capacity / 2)
        capacity = buffer->capacity + buffer->capacity / 2;
    char *data = realloc(buffer->data, capacity);
    if (!data)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool buffer_append(struct buffer *buffer, const void *data, size_t size)
{
    if (!buffer_reserve(buffer, size))
        return false;
    if (size > 0)
        memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return true;
}

int buffer_read_all(struct buffer *buffer, int fd)
{
    for (;;) {
        if (!buffer_reserve(buffer, CLI_PIECE))
            return ENOMEM;
        ssize_t count = read(fd, buffer->data + buffer->size, buffer->capacity - buffer->size);
        if (count == 0)
            return 0;
        if (count > 0)
            buffer->size += (size_t)count;
        else if (errno != EINTR)
            return errno;
    }
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
