#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* From `start` to the first address of a large page. */
static size_t before_page(const char *start)
{
    return (PAGES_LARGE - (uintptr_t)start % PAGES_LARGE) % PAGES_LARGE;
}

/* A wish, and nothing is lost where it is not granted. */
static void prefer_large(void *pages, size_t size)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(pages, size, MADV_HUGEPAGE);
#else
    (void)pages;
    (void)size;
#endif
}

void *pages_take(size_t size)
{
    if (size > SIZE_MAX - PAGES_LARGE)
        return NULL;
    char *mapped =
        mmap(NULL, size + PAGES_LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    size_t before = before_page(mapped);
    if (before > 0)
        (void)munmap(mapped, before); /* what stays mapped is never touched: no memory */
    (void)munmap(mapped + before + size, PAGES_LARGE - before);
    prefer_large(mapped + before, size);
    return mapped + before;
}

void pages_give_back(void *pages, size_t size)
{
    (void)munmap(pages, size);
}

void *pages_malloc(size_t size)
{
    char *memory = malloc(size);
    size_t before = memory ? before_page(memory) : 0;
    if (memory && size >= before + PAGES_LARGE)
        prefer_large(memory + before, (size - before) / PAGES_LARGE * PAGES_LARGE);
    return memory;
}
