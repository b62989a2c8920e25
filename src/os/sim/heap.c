#define _GNU_SOURCE
#include "os/sim/heap.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "os/sim/arena.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_IS_TAKEN
#endif
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAP_IS_TAKEN
#endif

#ifdef HEAP_IS_TAKEN

void sim_heap_use(bool use)
{
    (void)use;
}

void sim_heap_clear(void)
{
}

#else

enum { ALIGN = 16 };
static const size_t whole = (size_t)1 << 30; /* of addresses; memory only as it is used */

static char *heap;
static size_t taken;
static bool in_use;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);
void *__libc_memalign(size_t alignment, size_t size);

void sim_heap_use(bool use)
{
    if (!heap)
        heap = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (heap == MAP_FAILED)
        sim_panic("no memory");
    in_use = use;
}

void sim_heap_clear(void)
{
    taken = 0;
}

static bool is_ours(const void *memory)
{
    return heap && (const char *)memory >= heap && (const char *)memory < heap + whole;
}

/* Its size stands before it. */
static void *take(size_t alignment, size_t size)
{
    size_t at = (taken + ALIGN + alignment - 1) / alignment * alignment;
    if (size > whole || at + size > whole)
        sim_panic("the processes of one run allocate too much");
    memcpy(heap + at - ALIGN, &size, sizeof size);
    taken = at + size;
    return heap + at;
}

static size_t size_of(const void *memory)
{
    size_t size;
    memcpy(&size, (const char *)memory - ALIGN, sizeof size);
    return size;
}

void *malloc(size_t size)
{
    return in_use ? take(ALIGN, size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!in_use)
        return __libc_calloc(count, size);
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return memset(take(ALIGN, count * size), 0, count * size);
}

void *realloc(void *memory, size_t size)
{
    if (memory ? !is_ours(memory) : !in_use)
        return __libc_realloc(memory, size);
    size_t before = memory ? size_of(memory) : 0;
    if (size <= before)
        return memory;
    void *larger = take(ALIGN, size);
    return before ? memcpy(larger, memory, before) : larger;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return in_use ? take(alignment > ALIGN ? alignment : ALIGN, size)
                  : __libc_memalign(alignment, size);
}

void free(void *memory)
{
    if (!is_ours(memory))
        __libc_free(memory);
}

#endif
