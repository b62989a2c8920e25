/* Memory in large pages: each interrupts once, when it is first touched, where small ones do it 512
 * times. Where there are none, or just now, it is memory all the same.
 *
 * What a system has for it lies in src/os and is met by linking: who only holds memory need not see
 * the rest of that seam.
 */
#ifndef UNTORN_BASE_PAGES_H
#define UNTORN_BASE_PAGES_H

#include <stddef.h>

#define PAGES_LARGE ((size_t)2 << 20)

/* `size` is a multiple of PAGES_LARGE, and so is the address. Cleared. NULL: no memory. */
void *pages_take(size_t size);
void pages_give_back(void *pages, size_t size);

/* malloc, in such pages as far as they fit: free() frees it. */
void *pages_malloc(size_t size);

#endif
