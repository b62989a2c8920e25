/* Keys and values as the neighbours have them [PLAN-2]. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(aligned_columns_are_not_continued)
{
    toml_check(toml_set("name    = 1\nversion = 2\n", "/edition", "3"),
               "name    = 1\nversion = 2\nedition = 3\n");
    toml_check(toml_set("version = 2\nname    = 1\n", "/edition", "3"),
               "version = 2\nname    = 1\nedition = 3\n");
    toml_check(toml_set("a=1\n", "/b", "2"), "a=1\nb=2\n");
}

TEST(quotes_are_those_of_the_neighbours)
{
    toml_check(toml_set("\"a\" = 1\n", "/b", "2"), "\"a\" = 1\n\"b\" = 2\n");
    toml_check(toml_set("'a' = 1\n", "/b c", "2"), "'a' = 1\n'b c' = 2\n");
    toml_check(toml_set("a = 1\n", "/b c", "2"), "a = 1\n\"b c\" = 2\n");
    toml_check(toml_set("a = {\"b\" = 1, c = 2}\n", "/a/d", "3"),
               "a = {\"b\" = 1, c = 2, d = 3}\n");
    toml_check(toml_set("b = 1\n\"c\" = 2\n", "/d", "3"), "b = 1\n\"c\" = 2\nd = 3\n");
    toml_check(toml_set("a = 1\n", "/say \"b\"", "2"), "a = 1\n'say \"b\"' = 2\n");
}
