#include "base/hash.h"

#include <string.h>

/* The header-only form of the system's xxhash: no shared library to load when the command starts.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ALIGNMENT = 64 };
_Static_assert(sizeof(XXH3_state_t) + ALIGNMENT <= sizeof(((struct hash_stream *)0)->room),
               "room for XXH3");
_Static_assert(_Alignof(XXH3_state_t) <= ALIGNMENT, "aligned for XXH3");

static XXH3_state_t *state_of(const struct hash_stream *stream)
{
    uintptr_t at = (uintptr_t)stream->room;
    return (XXH3_state_t *)((at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static struct untorn_hash to_bytes(XXH128_hash_t hash)
{
    struct untorn_hash result;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(result.bytes, canonical.digest, sizeof result.bytes);
    return result;
}

struct untorn_hash untorn_hash(const void *data, size_t size)
{
    return to_bytes(XXH3_128bits(data, size));
}

void hash_begin(struct hash_stream *stream)
{
    memset(stream->room, 0, sizeof stream->room);
    XXH3_128bits_reset(state_of(stream));
}

void hash_add(struct hash_stream *stream, const void *data, size_t size)
{
    XXH3_128bits_update(state_of(stream), data, size);
}

struct untorn_hash hash_end(const struct hash_stream *stream)
{
    return to_bytes(XXH3_128bits_digest(state_of(stream)));
}

bool untorn_hash_equal(const struct untorn_hash *a, const struct untorn_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

char *untorn_hash_format(const struct untorn_hash *hash, char text[UNTORN_HASH_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof hash->bytes; i++) {
        text[2 * i] = digits[hash->bytes[i] >> 4];
        text[2 * i + 1] = digits[hash->bytes[i] & 15];
    }
    text[2 * sizeof hash->bytes] = '\0';
    return text;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool untorn_hash_parse(const char *text, struct untorn_hash *ret_hash)
{
    struct untorn_hash hash;
    if (strlen(text) != 2 * sizeof hash.bytes)
        return false;
    for (size_t i = 0; i < sizeof hash.bytes; i++) {
        int high = digit_value(text[2 * i]), low = digit_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *ret_hash = hash;
    return true;
}

uint64_t hash_short(const void *data, size_t size)
{
    static const char anchor;
    return XXH3_64bits_withSeed(data, size, (XXH64_hash_t)(uintptr_t)&anchor);
}
