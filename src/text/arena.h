/* Memory that is given back all at once: what one document needs.
 *
 *     struct arena arena = {0};
 *     char *name = arena_copy(&arena, "abc", 3);
 *     arena_free(&arena);
 */
#ifndef UNTORN_TEXT_ARENA_H
#define UNTORN_TEXT_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *blocks; /* the newest first */
    char *at, *end;             /* what is left of it */
};

/* Aligned for any object, not cleared. NULL: no memory. */
void *arena_take(struct arena *arena, size_t size);

/* A copy with a NUL behind it. */
char *arena_copy(struct arena *arena, const void *data, size_t size);

/* A place in the arena to go back to: all that was taken since is given back. */
struct arena_mark {
    struct arena_block *blocks;
    char *at;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Accepts a zeroed arena, and leaves one. */
void arena_free(struct arena *arena);

#endif
