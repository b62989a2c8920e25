/* Every allocation fails in turn. A program that includes this, in one file, has an allocator of
 * its own; a sanitizer does not let it, and the test is skipped.
 *
 * heap_walk(call) runs `call` with its nth allocation failing, for n = 1, 2, 3 ... until none
 * fails; returns how many there were. `call` says whether it succeeded: it must exactly if nothing
 * failed. It must free all that it allocates.
 */
#ifndef UNTORN_TESTS_TEXT_HEAP_H
#define UNTORN_TESTS_TEXT_HEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/pages.h"
#include "harness.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

static int heap_walk(bool (*call)(void))
{
    (void)call;
    SKIP("the sanitizer has an allocator of its own");
}

#else

static struct {
    bool on, failed;
    int seen, fail_at; /* from 1 */
    int live;          /* allocated while on, less those freed */
} heap;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void __libc_free(void *data);
void *__libc_memalign(size_t alignment, size_t size);

static bool fails(void)
{
    if (!heap.on || ++heap.seen != heap.fail_at)
        return false;
    heap.failed = true;
    errno = ENOMEM;
    return true;
}

static void *counted(void *data)
{
    heap.live += heap.on && data;
    return data;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *data, size_t size)
{
    if (fails())
        return NULL;
    heap.live -= heap.on && data;
    return counted(__libc_realloc(data, size));
}

void free(void *data)
{
    heap.live -= heap.on && data;
    __libc_free(data);
}

void *pages_take(size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(PAGES_LARGE, size));
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

static int heap_walk(bool (*call)(void))
{
    for (int n = 1;; n++) {
        heap.failed = false;
        heap.seen = heap.live = 0;
        heap.fail_at = n;
        heap.on = true;
        bool succeeded = call();
        heap.on = false;
        CHECK_INT(heap.live, 0);
        CHECK(succeeded != heap.failed);
        if (!heap.failed)
            return n - 1;
    }
}

#endif

#endif
