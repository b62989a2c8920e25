#include "text/suites.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

const char *suite_path(const char *file)
{
    static char path[4096];
    const char *suites = getenv("UNTORN_SUITES"), *tests = getenv("TESTS");
    if (suites)
        snprintf(path, sizeof path, "%s/%s", suites, file);
    else
        snprintf(path, sizeof path, "%s/../../shared/suites/%s", tests ? tests : "tests", file);
    return path;
}

char *suite_read_path(const char *path, size_t *ret_size)
{
    enum { LARGEST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *data = malloc(LARGEST);
    CHECK(data);
    *ret_size = fread(data, 1, LARGEST - 1, file);
    CHECK(*ret_size < LARGEST - 1);
    data[*ret_size] = '\0';
    fclose(file);
    return data;
}

char *suite_read(const char *file, size_t *ret_size)
{
    return suite_read_path(suite_path(file), ret_size);
}

_Noreturn void suite_missing(const char *suite)
{
    char reason[300];
    snprintf(reason, sizeof reason,
             "%s is not there (UNTORN_SUITES names the folder that holds it)", suite);
    harness_skip(reason);
}
