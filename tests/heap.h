/* Allocations that fail when a test says so, and are counted. For one source of a program:
 * its malloc stands before the C library's. A sanitizer has an allocator of its own; heap_needed
 * skips the test then.
 *
 *     heap_needed();
 *     long before = heap.live;
 *     heap_fail(3);                  the third allocation from here on fails
 *     int rc = call();
 *     bool failed = heap_failed();   whether there was a third; from here on none fails
 *     CHECK_INT(heap.live, before);
 */
#ifndef UNTORN_TESTS_HEAP_H
#define UNTORN_TESTS_HEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "harness.h"

static struct {
    int fail_in;           /* the allocation that fails, counted down; 0: none */
    bool failed;           /* since heap_fail */
    bool (*decides)(void); /* if set, asked at each allocation whether it fails */
    long live;             /* allocations that were not freed */
} heap;

static inline void heap_fail(int nth)
{
    heap.failed = false;
    heap.fail_in = nth;
}

static inline bool heap_failed(void)
{
    heap.fail_in = 0;
    return heap.failed;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_IS_TAKEN
#endif
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAP_IS_TAKEN
#endif

#ifdef HEAP_IS_TAKEN

static inline void heap_needed(void)
{
    SKIP("the program cannot have an allocator of its own here");
}

#else

static inline void heap_needed(void)
{
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);
void *__libc_memalign(size_t alignment, size_t size);

static bool heap_fails_now(void)
{
    bool due = heap.fail_in > 0 && --heap.fail_in == 0;
    heap.failed = heap.failed || due;
    if (!due && !(heap.decides && heap.decides()))
        return false;
    errno = ENOMEM;
    return true;
}

static void *heap_counted(void *memory)
{
    heap.live += memory != NULL;
    return memory;
}

void *malloc(size_t size)
{
    return heap_fails_now() ? NULL : heap_counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return heap_fails_now() ? NULL : heap_counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (heap_fails_now())
        return NULL;
    heap.live -= memory != NULL;
    return heap_counted(__libc_realloc(memory, size));
}

void free(void *memory)
{
    heap.live -= memory != NULL;
    __libc_free(memory);
}

/* Large pages are allocations too. */
void *pages_take(size_t size)
{
    void *pages = heap_fails_now() ? NULL : heap_counted(__libc_memalign(PAGES_LARGE, size));
    return pages ? memset(pages, 0, size) : NULL;
}

void pages_give_back(void *pages, size_t size)
{
    (void)size;
    free(pages);
}

void *pages_malloc(size_t size)
{
    return malloc(size);
}

#endif

/* Runs `call` with its nth allocation failing, for n = 1, 2, 3 ... until none fails; returns how
 * many there were. `call` says whether it succeeded: it must exactly if nothing failed. It must
 * free all that it allocates. */
static inline int heap_walk(bool (*call)(void))
{
    heap_needed();
    for (int n = 1;; n++) {
        long before = heap.live;
        heap_fail(n);
        bool succeeded = call();
        bool failed = heap_failed();
        CHECK_INT(heap.live, before);
        CHECK(succeeded != failed);
        if (!failed)
            return n - 1;
    }
}

#endif
