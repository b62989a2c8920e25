/* Keys and values as the neighbours have them [PLAN-2]. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

/* Adds a key that is removed again. */
static void check_added(const char *before, const char *pointer, const char *expected)
{
    char *added = toml_set(before, pointer, "9");
    toml_check(toml_remove(added, pointer), before);
    toml_check(added, expected);
}

TEST(a_column_that_all_neighbours_have_is_continued)
{
    check_added("name    = 1\nversion = 2\n", "/edition",
                "name    = 1\nversion = 2\nedition = 9\n");
    check_added("name    = 1\nversion = 2\n", "/a", "name    = 1\nversion = 2\na       = 9\n");
    check_added("version = 2\nname    = 1\n", "/path", "version = 2\nname    = 1\npath    = 9\n");
    check_added("[t]\n  a   = 1 # x\n  # y\n  abc =  2\n\n[u]\n", "/t/b",
                "[t]\n  a   = 1 # x\n  # y\n  abc =  2\n  b   = 9\n\n[u]\n");
    check_added("[t]\r\n\ta   =1\r\n\tabc =2\r\n", "/t/b",
                "[t]\r\n\ta   =1\r\n\tabc =2\r\n\tb   =9\r\n");
    check_added("x.a    = 1\nx.long = 2\ny      = 3\n", "/x/b",
                "x.a    = 1\nx.long = 2\nx.b    = 9\ny      = 3\n");
    check_added("\"\xc3\xa4\xc3\xb6\"   = 1\n\"long\" = 2\n", "/\xc3\xbc",
                "\"\xc3\xa4\xc3\xb6\"   = 1\n\"long\" = 2\n\"\xc3\xbc\"    = 9\n");
    check_added("a    = [\n  1,\n]\nlong = 2\n", "/b", "a    = [\n  1,\n]\nlong = 2\nb    = 9\n");
}

TEST(a_column_is_that_of_the_lines_up_to_the_next_blank_one)
{
    check_added("x = 0\n\na    = 1\nlong = 2\n", "/b", "x = 0\n\na    = 1\nlong = 2\nb    = 9\n");
    check_added("a    = 1\nlong = 2\n\nx = 0\n", "/b", "a    = 1\nlong = 2\n\nx = 0\nb = 9\n");
    check_added("a    = 1\nlong = 2\n[t]\n", "/t/b", "a    = 1\nlong = 2\n[t]\nb = 9\n");
}

TEST(a_column_is_not_continued_where_it_is_none)
{
    check_added("name    = 1\nversion = 2\n", "/versions",
                "name    = 1\nversion = 2\nversions = 9\n"); /* does not fit */
    check_added("a    = 1\n", "/b", "a    = 1\nb = 9\n");
    check_added("ab   = 1\ncd   = 2\n", "/b", "ab   = 1\ncd   = 2\nb = 9\n"); /* all as long */
    check_added("a   = 1\nabc = 2\nx = 3\n", "/b", "a   = 1\nabc = 2\nx = 3\nb = 9\n");
    check_added("x = 3\na   = 1\nabc = 2\n", "/b", "x = 3\na   = 1\nabc = 2\nb = 9\n");
    check_added("a  = 1\nabc= 2\n", "/b", "a  = 1\nabc= 2\nb= 9\n");
    check_added("a\t= 1\nab = 2\n", "/b", "a\t= 1\nab = 2\nb = 9\n");
    check_added("  a   = 1\n    b = 2\n", "/c", "  a   = 1\n    b = 2\n    c = 9\n");
    check_added("a=1\n", "/b", "a=1\nb=9\n");
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
