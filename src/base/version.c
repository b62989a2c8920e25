#include <untorn/version.h>

const char *untorn_version(void)
{
    return UNTORN_VERSION;
}
