/* No memory is shared here. */
#include "os/os.h"

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

uint32_t os_load(const uint32_t *word)
{
    return *word;
}

void os_store(uint32_t *word, uint32_t value)
{
    *word = value;
}

bool os_swap(uint32_t *word, uint32_t from, uint32_t to)
{
    if (*word != from)
        return false;
    *word = to;
    return true;
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
