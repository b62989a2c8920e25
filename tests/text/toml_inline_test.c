#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(a_table_in_braces_stays_on_its_line)
{
    toml_check_stretch(toml_set(toml_site, "/redirects/0/headers/Y", "\"z\""), toml_site,
                       "\"Netlify\"}", "\"Netlify\", Y = \"z\"}");
    toml_check(toml_set("a = {}\n", "/a/b", "1"), "a = { b = 1 }\n");
    toml_check(toml_remove("a = { b = 1 }\n", "/a/b"), "a = {}\n");
    toml_check(toml_set("a = {b=1}\n", "/a/c", "2"), "a = {b=1, c=2}\n");
    toml_check(toml_set("a = {b.c = 1, d = 2}\n", "/a/b/e", "3"),
               "a = {b.c = 1, b.e = 3, d = 2}\n");
    toml_check(toml_remove("a = {b.c = 1, d = 2}\n", "/a/b/c"), "a = {b = {}, d = 2}\n");
    toml_check(toml_remove("a = {b.c = 1, d = 2, b.e = 3}\n", "/a/b"), "a = {d = 2}\n");
    toml_check(toml_set("a = {b.c = 1, d = 2, b.e = 3}\n", "/a/b", "4"), "a = {b = 4, d = 2}\n");
}

TEST(a_table_in_braces_on_several_lines_is_extended_so)
{
    toml_check(toml_set("a = {\n  b = 1, # one\n  c = 2 # two\n}\n", "/a/d", "3"),
               "a = {\n  b = 1, # one\n  c = 2, # two\n  d = 3\n}\n");
    toml_check(toml_set("a = {\n  b = 1,\n}\n", "/a/d", "3"), "a = {\n  b = 1,\n  d = 3,\n}\n");
    toml_check(toml_set("a = { b = [\n  1\n] }\n", "/a/d", "3"), "a = { b = [\n  1\n], d = 3 }\n");
}
