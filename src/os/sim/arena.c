#define _DEFAULT_SOURCE
#include "os/sim/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = 4 << 20, ALIGN = 16 };

struct chunk {
    struct chunk *next;
    size_t size;
    _Alignas(ALIGN) unsigned char bytes[];
};

static struct chunk *first, *current;
static size_t used;

void sim_panic(const char *what)
{
    fprintf(stderr, "simulator: %s\n", what);
    abort();
}

static void *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        sim_panic("no memory");
    return memory;
}

static struct chunk *new_chunk(size_t size)
{
    size_t whole = sizeof(struct chunk) + (size > CHUNK ? size : CHUNK);
    struct chunk *chunk = map(whole);
    chunk->size = whole - sizeof(struct chunk);
    return chunk;
}

void *sim_alloc(size_t size)
{
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!first)
        first = current = new_chunk(size);
    while (used + size > current->size) {
        /* A kept chunk that is too small for this is passed over until the next release. */
        if (!current->next)
            current->next = new_chunk(size);
        current = current->next;
        used = 0;
    }
    void *memory = current->bytes + used;
    used += size;
    return memset(memory, 0, size);
}

void *sim_alloc_copy(const void *data, size_t size)
{
    void *memory = sim_alloc(size);
    return size ? memcpy(memory, data, size) : memory;
}

char *sim_alloc_text(const char *text)
{
    return sim_alloc_copy(text, strlen(text) + 1);
}

void *sim_alloc_grown(const void *data, size_t size, size_t new_size)
{
    void *memory = sim_alloc(new_size);
    return size ? memcpy(memory, data, size) : memory;
}

struct sim_arena_mark sim_arena_mark(void)
{
    return (struct sim_arena_mark){current, used};
}

void sim_arena_release(struct sim_arena_mark mark)
{
    current = mark.chunk ? mark.chunk : first;
    used = mark.chunk ? mark.used : 0;
}

void *sim_shared_memory(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        sim_panic("no memory to share");
    return memory;
}

static size_t slot_of(const struct sim_set *set, unsigned long long hash)
{
    size_t slot = (size_t)(hash * 0x9e3779b97f4a7c15ull) & (set->capacity - 1);
    for (;;) {
        unsigned long long found = __atomic_load_n(&set->slots[slot], __ATOMIC_RELAXED);
        if (!found || found == hash)
            return slot;
        slot = (slot + 1) & (set->capacity - 1);
    }
}

static void grow(struct sim_set *set)
{
    struct sim_set larger = {.capacity = set->capacity ? set->capacity * 2 : 256};
    larger.slots = map(larger.capacity * sizeof *larger.slots);
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i])
            larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
    larger.count = set->count;
    sim_set_free(set);
    *set = larger;
}

void sim_set_share(struct sim_set *set, int bits)
{
    *set = (struct sim_set){.capacity = (size_t)1 << bits, .shared = true};
    set->slots = sim_shared_memory(set->capacity * sizeof *set->slots);
}

int sim_set_has(const struct sim_set *set, unsigned long long hash)
{
    hash += hash == 0;
    return set->capacity && set->slots[slot_of(set, hash)] == hash;
}

/* Several may come to one empty slot at once: one of them gets it. The count is of this process. */
static int add_shared(struct sim_set *set, unsigned long long hash)
{
    if (2 * set->count >= set->capacity)
        sim_panic("more states than there is room for");
    for (;;) {
        unsigned long long none = 0;
        size_t slot = slot_of(set, hash);
        if (set->slots[slot] == hash)
            return 0;
        if (__atomic_compare_exchange_n(&set->slots[slot], &none, hash, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            set->count++;
            return 1;
        }
    }
}

int sim_set_add(struct sim_set *set, unsigned long long hash)
{
    hash += hash == 0; /* 0 marks an empty slot */
    if (set->shared)
        return add_shared(set, hash);
    if (2 * set->count >= set->capacity)
        grow(set);
    size_t slot = slot_of(set, hash);
    if (set->slots[slot])
        return 0;
    set->slots[slot] = hash;
    set->count++;
    return 1;
}

void sim_set_clear(struct sim_set *set)
{
    if (set->count)
        memset(set->slots, 0, set->capacity * sizeof *set->slots);
    set->count = 0;
}

void sim_set_free(struct sim_set *set)
{
    if (set->slots)
        munmap(set->slots, set->capacity * sizeof *set->slots);
    *set = (struct sim_set){0};
}
