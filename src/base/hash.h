/* The content hash piece by piece; the one-shot form is public (untorn/hash.h). */
#ifndef UNTORN_BASE_HASH_H
#define UNTORN_BASE_HASH_H

#include <untorn/hash.h>

/* Room for the state of the hash function, which only hash.c knows. */
struct hash_stream {
    _Alignas(64) unsigned char room[576];
};

void hash_begin(struct hash_stream *stream);
void hash_add(struct hash_stream *stream, const void *data, size_t size);
struct untorn_hash hash_end(const struct hash_stream *stream);

#endif
