#include "text/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t size; /* of the whole block */
};

enum { FIRST = 4 * 1024, LARGEST = 1024 * 1024, ALIGN = alignof(max_align_t) };

static size_t round_up(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Blocks double, so that a small document needs little and a large one few. */
static int add_block(struct arena *arena, size_t size)
{
    size_t head = round_up(sizeof(struct arena_block));
    size_t whole = arena->blocks ? 2 * arena->blocks->size : FIRST;
    whole = whole > LARGEST ? LARGEST : whole;
    if (size > SIZE_MAX - head - ALIGN)
        return -1;
    if (whole < head + size)
        whole = head + size;
    struct arena_block *block = malloc(whole);
    if (!block)
        return -1;
    block->next = arena->blocks;
    block->size = whole;
    arena->blocks = block;
    arena->at = (char *)block + head;
    arena->end = (char *)block + whole;
    return 0;
}

void *arena_take(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = round_up(size > 0 ? size : 1); /* NULL means no memory, and nothing else */
    if ((size_t)(arena->end - arena->at) < size && add_block(arena, size) < 0)
        return NULL;
    void *taken = arena->at;
    arena->at += size;
    return taken;
}

char *arena_copy(struct arena *arena, const void *data, size_t size)
{
    char *copy = size < SIZE_MAX / 2 ? arena_take(arena, size + 1) : NULL;
    if (!copy)
        return NULL;
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->blocks, arena->at};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->blocks != mark.blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->at = mark.at;
    arena->end = mark.blocks ? (char *)mark.blocks + mark.blocks->size : NULL;
}

void arena_free(struct arena *arena)
{
    arena_rewind(arena, (struct arena_mark){NULL, NULL});
}
