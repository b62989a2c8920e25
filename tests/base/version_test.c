#include "harness.h"

#include <string.h>

#include <untorn/version.h>

TEST(the_library_that_runs_is_the_one_compiled_against)
{
    CHECK_TEXT(untorn_version(), UNTORN_VERSION);
}

TEST(the_version_is_three_numbers)
{
    const char *version = untorn_version();
    int dots = 0;
    for (const char *c = version; *c; c++) {
        CHECK(strchr("0123456789.", *c));
        dots += *c == '.';
    }
    CHECK_INT(dots, 2);
}
