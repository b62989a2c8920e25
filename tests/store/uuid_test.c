/* Random UUIDs. */
#include "harness.h"

#include <string.h>

#include <untorn.h>

TEST(a_uuid_is_random_and_of_version_4)
{
    char first[UNTORN_UUID_SIZE], second[UNTORN_UUID_SIZE];
    CHECK_INT(untorn_uuid(first), 0);
    CHECK_INT(untorn_uuid(second), 0);
    CHECK(strcmp(first, second) != 0);
    CHECK_INT(strlen(first), UNTORN_UUID_SIZE - 1);
    for (size_t i = 0; first[i]; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23)
            CHECK_INT(first[i], '-');
        else
            CHECK(strchr("0123456789abcdef", first[i]) != NULL);
    CHECK_INT(first[14], '4');
    CHECK(strchr("89ab", first[19]) != NULL);
}
