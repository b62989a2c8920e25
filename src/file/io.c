#include "file/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

int io_write(os_fd file, const void *data, size_t size, uint64_t offset)
{
    const char *at = data;
    for (int idle = 0; size > 0;) {
        int64_t n = os_write_at(file, at, size, offset);
        if (n < 0 && n != -EINTR)
            return (int)n;
        if (n <= 0) {
            if (++idle > LIMIT_TRIES)
                return n < 0 ? (int)n : -EIO;
            continue;
        }
        idle = 0;
        at += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

int64_t io_read(os_fd file, void *data, size_t size, uint64_t offset)
{
    char *at = data;
    size_t got = 0;
    for (int idle = 0; got < size;) {
        int64_t n = os_read_at(file, at + got, size - got, offset + got);
        if (n == -EINTR && ++idle <= LIMIT_TRIES)
            continue;
        if (n < 0)
            return n;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (int64_t)got;
}

/* Goes through `size` bytes chunk by chunk; `to` may be OS_NONE. */
static int pass(os_fd from, uint64_t from_offset, os_fd to, uint64_t to_offset, uint64_t size,
                struct hash_stream *hash)
{
    size_t room = size < LIMIT_CHUNK ? (size_t)size : LIMIT_CHUNK;
    char *chunk = malloc(room + 1);
    int rc = chunk ? 0 : -ENOMEM;
    while (rc == 0 && size > 0) {
        size_t want = size < room ? (size_t)size : room;
        int64_t n = io_read(from, chunk, want, from_offset);
        if (n < 0)
            rc = (int)n;
        else if ((size_t)n < want)
            rc = -ESTALE;
        else if (to != OS_NONE)
            rc = io_write(to, chunk, want, to_offset);
        if (rc == 0 && hash)
            hash_add(hash, chunk, want);
        from_offset += want;
        to_offset += want;
        size -= want;
    }
    free(chunk);
    return rc;
}

int io_copy(os_fd from, uint64_t from_offset, os_fd to, uint64_t to_offset, uint64_t size,
            struct hash_stream *hash)
{
    return size == 0 ? 0 : pass(from, from_offset, to, to_offset, size, hash);
}

int io_write_zeros(os_fd file, uint64_t offset, uint64_t size)
{
    static const char zeros[4096];
    int rc = 0;
    while (rc == 0 && size > 0) {
        size_t part = size < sizeof zeros ? (size_t)size : sizeof zeros;
        rc = io_write(file, zeros, part, offset);
        offset += part;
        size -= part;
    }
    return rc;
}

int io_hash(os_fd file, uint64_t offset, uint64_t size, struct untorn_hash *ret_hash)
{
    struct hash_stream hash;
    hash_begin(&hash);
    int rc = size == 0 ? 0 : pass(file, offset, OS_NONE, 0, size, &hash);
    *ret_hash = hash_end(&hash);
    return rc;
}

int io_same(os_fd a, os_fd b, uint64_t size, bool *ret_same)
{
    enum { PIECE = 16 * 1024 };
    char left[PIECE], right[PIECE];
    *ret_same = true;
    for (uint64_t at = 0; at < size && *ret_same; at += PIECE) {
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        int64_t n = io_read(a, left, want, at), m = io_read(b, right, want, at);
        if (n < 0 || m < 0)
            return (int)(n < 0 ? n : m);
        *ret_same = n == m && memcmp(left, right, (size_t)n) == 0;
    }
    return 0;
}

int io_open(os_fd dir, const char *name, unsigned how, unsigned mode, os_fd *ret_file)
{
    int rc = -EINTR;
    for (int i = 0; rc == -EINTR && i < LIMIT_TRIES; i++)
        rc = os_open(dir, name, how, mode, ret_file);
    return rc;
}

int io_open_own(os_fd folder, const char *name, unsigned how, os_fd *ret_file,
                struct os_stat *ret_stat)
{
    struct os_stat stat;
    int rc = io_open(folder, name, how, 0600, ret_file);
    if (rc == -ELOOP || rc == -EISDIR || rc == -ENXIO || rc == -ENOTDIR)
        return -EMLINK;
    if (rc < 0)
        return rc;
    rc = os_stat(*ret_file, NULL, &stat);
    if (rc == 0 && (stat.kind != OS_REGULAR || stat.links > 1))
        rc = -EMLINK;
    if (rc == 0 && ret_stat)
        *ret_stat = stat;
    if (rc < 0) {
        os_close(*ret_file);
        *ret_file = OS_NONE;
    }
    return rc;
}
