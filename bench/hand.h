/* What a careful programmer writes without a library: the other side of most rows. Bare system
 * calls on relative names; no lock, no link followed, no owner or mode kept. */
#ifndef UNTORN_BENCH_HAND_H
#define UNTORN_BENCH_HAND_H

#include <stddef.h>

#include <untorn/options.h>

enum { CONTENT_SIZE = 4096 };

/* CONTENT_SIZE bytes that differ from call to call. */
const char *fresh_content(void);

void make_directory(const char *name);
void remove_if_there(const char *name);

/* durable: open, write, fdatasync, close, rename, open the directory, fsync it, close.
 * ordered: without the directory. cache: without any flush. The new version lies under `temporary`
 * first. */
void hand_replace(const char *directory, const char *temporary, const char *name, const void *data,
                  size_t size, enum untorn_level level);

enum { HAND_MOST = 8 };

/* Fresh content for 0.json, 1.json, ... there, with the fewest flushes that leave each of them
 * whole: all are written, all flushed, all renamed, and the directory is flushed once. No journal:
 * not all or none. */
void hand_replace_all(const char *directory, int count);

#endif
