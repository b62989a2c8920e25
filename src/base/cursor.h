/* Numbers and texts of what lies on the disk, one after the other: written, or read and checked.
 * Little-endian. */
#ifndef UNTORN_BASE_CURSOR_H
#define UNTORN_BASE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/hash.h>

#include "base/limits.h"

static inline void cursor_put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static inline uint64_t cursor_get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* Goes through the records. Reading: `left` is what remains, and `bad` ends it. */
struct cursor {
    unsigned char *at;
    const unsigned char *from;
    size_t left;
    bool bad;
    bool starved; /* no memory: nothing is known of what was to be read */
};

static inline void cursor_add(struct cursor *cursor, uint64_t value, int bytes)
{
    cursor_put(cursor->at, value, bytes);
    cursor->at += bytes;
}

static inline void cursor_add_bytes(struct cursor *cursor, const void *data, size_t size)
{
    if (size > 0)
        memcpy(cursor->at, data, size);
    cursor->at += size;
}

static inline const unsigned char *cursor_take_bytes(struct cursor *cursor, size_t size)
{
    const unsigned char *from = cursor->from;
    if (cursor->bad || size > cursor->left) {
        cursor->bad = true;
        return NULL;
    }
    cursor->from += size;
    cursor->left -= size;
    return from;
}

static inline uint64_t cursor_take(struct cursor *cursor, int bytes)
{
    const unsigned char *from = cursor_take_bytes(cursor, (size_t)bytes);
    return from ? cursor_get(from, bytes) : 0;
}

static inline void cursor_take_hash(struct cursor *cursor, struct untorn_hash *ret_hash)
{
    const unsigned char *from = cursor_take_bytes(cursor, sizeof ret_hash->bytes);
    if (from)
        memcpy(ret_hash->bytes, from, sizeof ret_hash->bytes);
}

/* A text holds no NUL. */
static inline void cursor_take_text(struct cursor *cursor, size_t size, char *ret_text)
{
    const unsigned char *from = cursor_take_bytes(cursor, size);
    if (!from || memchr(from, 0, size)) {
        cursor->bad = true;
        return;
    }
    memcpy(ret_text, from, size);
    ret_text[size] = '\0';
}

static inline char *cursor_take_new_text(struct cursor *cursor, size_t size)
{
    if (cursor->bad || size > cursor->left || size >= LIMIT_PATH) {
        cursor->bad = true;
        return NULL;
    }
    char *text = malloc(size + 1);
    if (text)
        cursor_take_text(cursor, size, text);
    else
        cursor->bad = cursor->starved = true;
    return text;
}

#endif
