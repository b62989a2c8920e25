#include "text/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

/* Heads are small pieces from the heap also where the bytes are not: what looks for leaks follows
 * them. */
struct arena_block {
    struct arena_block *next;
    size_t size;
    char *pages; /* the bytes; NULL if they lie behind the head */
};

/* Lies in the room itself. */
struct arena_room {
    struct arena_room *next;
    size_t size;
};

enum {
    FIRST = 4 * 1024,
    SMALL = 64 * 1024, /* what fits in blocks up to this size is no large document */
    LARGEST = 64 * 1024 * 1024,
    WORTH = 512, /* keeping as a room */
    ALIGN = alignof(uint64_t),
    HEAD = (sizeof(struct arena_block) + ALIGN - 1) / ALIGN * ALIGN,
};

static size_t round_up(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* A quarter full it still costs less than as many small pages. */
static bool is_large(size_t size)
{
    return size >= PAGES_LARGE / 4;
}

/* Blocks grow, so that a small document needs little and a large one few. */
static size_t block_size(const struct arena *arena, size_t size)
{
    size_t whole = arena->blocks ? 2 * arena->blocks->size : FIRST;
    if (arena->grows && whole > SMALL && whole < PAGES_LARGE)
        whole = PAGES_LARGE;
    whole = whole > LARGEST ? LARGEST : whole;
    whole = whole > size ? whole : size;
    return is_large(whole) ? (whole + PAGES_LARGE - 1) / PAGES_LARGE * PAGES_LARGE : whole;
}

static void free_block(struct arena_block *block)
{
    if (block->pages)
        pages_give_back(block->pages, block->size);
    free(block);
}

static struct arena_block *make_block(size_t size)
{
    bool large = is_large(size);
    struct arena_block *block = malloc(HEAD + (large ? 0 : size));
    if (!block)
        return NULL;
    *block = (struct arena_block){.size = size, .pages = large ? pages_take(size) : NULL};
    if (!large || block->pages)
        return block;
    free(block);
    return NULL;
}

static struct arena_block *take_block(struct arena *arena, size_t size)
{
    struct arena_block *block = arena->kept;
    if (block && block->size >= size) {
        arena->kept = block->next;
        return block;
    }
    return size > SIZE_MAX / 4 ? NULL : make_block(block_size(arena, size));
}

/* What is left of the room that is being filled, for later. */
static void leave_room(struct arena *arena)
{
    size_t size = (size_t)(arena->end - arena->at);
    struct arena_room *room = (struct arena_room *)(void *)arena->at;
    if (size < WORTH)
        return;
    *room = (struct arena_room){arena->rooms, size};
    arena->rooms = room;
}

static void enter_room(struct arena *arena, void *start, size_t size)
{
    leave_room(arena);
    arena->at = start;
    arena->end = arena->at + size;
}

static int find_room(struct arena *arena, size_t size)
{
    struct arena_room *room = arena->rooms;
    if (room && room->size >= size) {
        arena->rooms = room->next;
        enter_room(arena, room, room->size);
        return 0;
    }
    struct arena_block *block = take_block(arena, size);
    if (!block)
        return -1;
    block->next = arena->blocks;
    arena->blocks = block;
    enter_room(arena, block->pages ? block->pages : (char *)block + HEAD, block->size);
    return 0;
}

void *arena_take(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = round_up(size > 0 ? size : 1); /* NULL means no memory, and nothing else */
    if ((size_t)(arena->end - arena->at) < size && find_room(arena, size) < 0)
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

void arena_give_back(struct arena *arena, void *piece, size_t size)
{
    if (size >= WORTH)
        enter_room(arena, piece, size / ALIGN * ALIGN);
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->blocks, arena->at, arena->end};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->blocks != mark.blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        block->next = arena->kept;
        arena->kept = block;
    }
    arena->rooms = NULL; /* some may lie in those blocks */
    arena->at = mark.at;
    arena->end = mark.end;
}

void arena_free(struct arena *arena)
{
    arena_rewind(arena, (struct arena_mark){0});
    while (arena->kept) {
        struct arena_block *block = arena->kept;
        arena->kept = block->next;
        free_block(block);
    }
}
