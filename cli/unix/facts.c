#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "system.h"

const char *system_variable(const char *name)
{
    return getenv(name);
}

int64_t system_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

const char *system_error(int error)
{
    return strerror(error);
}
