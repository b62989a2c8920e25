#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Large pages need a privilege here; only the address is as asked for. The system gives back only
 * what it gave, so a place is looked for, let go of and taken again: another thread may be quicker.
 */
void *pages_take(size_t size)
{
    if (size > SIZE_MAX - PAGES_LARGE)
        return NULL;
    for (int i = 0; i < 16; i++) {
        char *place = VirtualAlloc(NULL, size + PAGES_LARGE, MEM_RESERVE, PAGE_NOACCESS);
        if (!place)
            return NULL;
        size_t before = (PAGES_LARGE - (uintptr_t)place % PAGES_LARGE) % PAGES_LARGE;
        VirtualFree(place, 0, MEM_RELEASE);
        void *pages = VirtualAlloc(place + before, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
        if (pages)
            return pages;
    }
    return NULL;
}

void pages_give_back(void *pages, size_t size)
{
    (void)size;
    VirtualFree(pages, 0, MEM_RELEASE);
}

void *pages_malloc(size_t size)
{
    return malloc(size);
}
