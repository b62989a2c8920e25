/* Values as the neighbours have them [PLAN-2]. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(strings_and_braces_look_like_those_of_the_neighbours)
{
    toml_check(toml_set("a = 'x'\n", "/a", "\"y\""), "a = 'y'\n");
    toml_check(toml_set("a = 'x'\n", "/a", "\"it's\""), "a = \"it's\"\n");
    toml_check(toml_set("a = 'x'\n", "/a", "= \"y\""), "a = \"y\"\n");
    toml_check(toml_set("a = \'\'\'x\'\'\'\n", "/a", "\"y\""), "a = \"y\"\n");
    toml_check(toml_set("a = 'x'\n", "/b", "\"y\""), "a = 'x'\nb = 'y'\n");
    toml_check(toml_set("a = 'x'\nb = 1\nc = \"z\"\n", "/d", "\"y\""),
               "a = 'x'\nb = 1\nc = \"z\"\nd = \"y\"\n");
    toml_check(toml_insert("a = ['x', 1]\n", "/a", 2, "\"y\""), "a = ['x', 1, 'y']\n");
    toml_check(toml_set("a = {x = 'x'}\n", "/a/y", "\"y\""), "a = {x = 'x', y = 'y'}\n");
    toml_check(toml_set("a = {x = 1}\n", "/a/y", "{\"z\": [{\"u\": 1}]}"),
               "a = {x = 1, y = {z = [{u = 1}]}}\n");
    toml_check(toml_set("a = {x = 1}\n", "/a", "{\"z\": 2}"), "a = {z = 2}\n");
    toml_check(toml_set("[t]\na = {x = 1}\nb = 2\n", "/t/c", "{\"z\": {}}"),
               "[t]\na = {x = 1}\nb = 2\nc = {z = {}}\n");
    toml_check(toml_insert("a = [{x = 1}]\n", "/a", 0, "{\"z\": 2}"), "a = [{z = 2}, {x = 1}]\n");
}

TEST(blanks_are_left_out_where_the_neighbours_have_none)
{
    toml_check(toml_set("x=1\n", "/x", "{\"y\": 1, \"z\": 2}"), "x={y=1, z=2}\n");
    toml_check(toml_insert("a = [[1,2],[3,4]]\n", "/a", 2, "[5, 6]"), "a = [[1,2],[3,4],[5,6]]\n");
    toml_check(toml_set("a = {b=1,c=2}\n", "/a/d", "{\"e\": [1, 2]}"),
               "a = {b=1,c=2,d={e=[1,2]}}\n");
    toml_check(toml_set("a = [1, 2]\nb = [1,2]\n", "/a", "[3, 4]"), "a = [3, 4]\nb = [1,2]\n");
}

TEST(a_string_on_several_lines_stays_on_several_lines)
{
    toml_check(toml_set("a = \"\"\"\nx\n\"\"\" # c\n", "/a", "\"y\\nz\\n\""),
               "a = \"\"\"\ny\nz\n\"\"\" # c\n");
    toml_check(toml_set("a = \"\"\"x\n\"\"\"\n", "/a", "\"y\\nz\""), "a = \"\"\"y\nz\"\"\"\n");
    toml_check(toml_set("a = \"\"\"x\n\"\"\"\n", "/a", "\"\\nz\""), "a = \"\"\"\n\nz\"\"\"\n");
    toml_check(
        toml_set("a = \"\"\"x\n\"\"\"\n", "/a", "\"\\\\ \\\"\\\"\\\"\\\" \\r\\u0001\\n\\\"\""),
        "a = \"\"\"\\\\ \"\"\\\"\" \\u000d\\u0001\n\\\"\"\"\"\n");
    toml_check(toml_set("a = '''\nx'''\n", "/a", "\"y\\n\\\\\""), "a = '''\ny\n\\'''\n");
    toml_check(toml_set("a = '''\nx'''\n", "/a", "\"it's\\n\""), "a = \"\"\"\nit's\n\"\"\"\n");
    toml_check(toml_set("a = \"\"\"\r\nx\r\n\"\"\"\r\n", "/a", "\"y\\r\\nz\\r\\n\""),
               "a = \"\"\"\r\ny\r\nz\r\n\"\"\"\r\n");
    toml_check(toml_set("a = \"\"\"\nx\n\"\"\"\n", "/a", "[\"y\\nz\"]"), "a = [\"y\\nz\"]\n");
}

TEST(a_string_whose_lines_end_otherwise_stays_on_one_line)
{
    toml_check(toml_set("a = \"\"\"\r\nx\r\n\"\"\"\r\n", "/a", "\"y\\nz\""), "a = \"y\\nz\"\r\n");
    toml_check(toml_set("a = \"\"\"\nx\n\"\"\"\n", "/a", "\"y\\r\\nz\\n\""),
               "a = \"y\\r\\nz\\n\"\n");
    toml_check(toml_set("a = \"\"\"x\"\"\"\r\n", "/a", "\"y\\nz\""), "a = \"y\\nz\"\r\n");
}
