#include "base/error.h"
#include "system.h"
#include "win/inside.h"

const char *system_variable(const char *name)
{
    return os_variable(name);
}

int64_t system_clock_ms(void)
{
    return (int64_t)GetTickCount64();
}

const char *system_error(int error)
{
    return error_os_text(error);
}
