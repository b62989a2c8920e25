/* Memory that is given back all at once: what one document needs.
 *
 *     struct arena arena = {0};
 *     char *name = arena_copy(&arena, "abc", 3);
 *     arena_free(&arena);
 */
#ifndef UNTORN_TEXT_ARENA_H
#define UNTORN_TEXT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
    struct arena_block *blocks; /* in use, the newest first */
    struct arena_block *kept;   /* for later */
    struct arena_room *rooms;   /* in the blocks, not taken */
    char *at, *end;             /* the room that is being filled */
    bool grows; /* much will be taken: the blocks become large as soon as small ones are full */
};

/* Aligned for pointers and 64 bits, not cleared. NULL: no memory. */
void *arena_take(struct arena *arena, size_t size);

/* A copy with a NUL behind it. */
char *arena_copy(struct arena *arena, const void *data, size_t size);

/* A piece that was outgrown; it will be taken again. */
void arena_give_back(struct arena *arena, void *piece, size_t size);

/* A place in the arena to go back to: all that was taken since is given back, to be taken again.
 * Nothing that was taken before may be given back in between. A zeroed mark is the beginning. */
struct arena_mark {
    struct arena_block *blocks;
    char *at, *end;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Accepts a zeroed arena, and leaves one. */
void arena_free(struct arena *arena);

#endif
