#include "bytes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"

bool bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->capacity - bytes->size >= more)
        return true;
    if (more > SIZE_MAX / 2 - bytes->size)
        return false;
    /* Half as much again each time, so that the copies add up to a fixed multiple of the size. */
    size_t capacity = bytes->size + more;
    if (capacity < bytes->capacity + bytes->capacity / 2)
        capacity = bytes->capacity + bytes->capacity / 2;
    char *data = realloc(bytes->data, capacity);
    if (!data)
        return false;
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

bool bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    if (!bytes_reserve(bytes, size))
        return false;
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

int bytes_read_all(struct bytes *bytes, system_stream stream)
{
    for (;;) {
        if (!bytes_reserve(bytes, CLI_PIECE))
            return ENOMEM;
        int64_t count =
            system_read(stream, bytes->data + bytes->size, bytes->capacity - bytes->size);
        if (count <= 0)
            return (int)-count;
        bytes->size += (size_t)count;
    }
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}
