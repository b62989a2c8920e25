/* A malloc that fails when the simulator says so, and counts. For one source of a program.
 *
 * The program's own malloc stands before the C library's. Under a sanitizer that place is taken:
 * then OWN_MALLOC is 0, and such tests are skipped. */
#ifndef UNTORN_TESTS_CRASH_STARVING_H
#define UNTORN_TESTS_CRASH_STARVING_H

#include "oracle.h"

#include <errno.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static long living; /* allocations not yet freed */

static void *count(void *memory)
{
    living += memory != NULL;
    return memory;
}

static bool starve(void)
{
    bool fails = sim_allocation_fails();
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t size)
{
    return starve() ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return starve() ? NULL : count(__libc_calloc(number, size));
}

void *realloc(void *memory, size_t size)
{
    if (starve())
        return NULL;
    living -= memory != NULL;
    return count(__libc_realloc(memory, size));
}

void free(void *memory)
{
    living -= memory != NULL;
    __libc_free(memory);
}
#else
#define OWN_MALLOC 0
static long living;
#endif

#endif
