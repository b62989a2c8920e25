/* No memory is shared by processes here: updates are not combined, and are served one by one under
 * the lock. */
#include "os/win/win.h"

#include <errno.h>

int os_area_make(size_t size, struct os_area *ret_area)
{
    (void)size;
    *ret_area = (struct os_area){.handle = OS_NONE};
    return -ENOSYS;
}

int os_area_join(int64_t pid, os_fd handle, uint64_t number, size_t size, struct os_area *ret_area)
{
    (void)pid, (void)handle, (void)number, (void)size;
    *ret_area = (struct os_area){.handle = OS_NONE};
    return -ENOENT;
}

void os_area_leave(struct os_area *area)
{
    *area = (struct os_area){.handle = OS_NONE};
}

void os_wait(const uint32_t *word, uint32_t value, uint64_t duration_ns)
{
    (void)word, (void)value;
    os_sleep_ns(duration_ns);
}

void os_wake(uint32_t *word)
{
    (void)word;
}

uint32_t os_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

void os_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

bool os_swap(uint32_t *word, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
