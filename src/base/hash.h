/* The content hash piece by piece; the one-shot form is public (untorn/hash.h). */
#ifndef UNTORN_BASE_HASH_H
#define UNTORN_BASE_HASH_H

#include <untorn/hash.h>

/* Room for the state of the hash function, which only hash.c knows; that lies aligned somewhere in
 * it, so a stream must not be moved. */
struct hash_stream {
    unsigned char room[576 + 64];
};

void hash_begin(struct hash_stream *stream);
void hash_add(struct hash_stream *stream, const void *data, size_t size);
struct untorn_hash hash_end(const struct hash_stream *stream);

/* For tables in memory: differs from one process to the next where addresses do, so that nobody can
 * prepare keys that collide. */
uint64_t hash_short(const void *data, size_t size);

#endif
