/* Memory is no part of what is simulated. */
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

void *pages_take(size_t size)
{
    void *pages = aligned_alloc(PAGES_LARGE, size);
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
