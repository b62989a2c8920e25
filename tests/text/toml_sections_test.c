#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(what_is_nested_gets_headers_of_its_own)
{
    toml_check(toml_set("a = 1\n", "/b", "{\"x\": 1, \"y\": {\"z\": {}}, \"l\": [{\"p\": 1}, {}]}"),
               "a = 1\n\n[b]\nx = 1\n\n[b.y]\nz = {}\n\n[[b.l]]\np = 1\n\n[[b.l]]\n");
    toml_check(toml_set("", "/tool", "{\"poetry\": {\"name\": \"x\"}}"),
               "[tool.poetry]\nname = \"x\"\n");
}

TEST(a_table_is_indented_as_those_beside_it)
{
    toml_check(toml_set("[a]\n  x = 1\n  [a.b]\n    y = 1\n", "/c", "{\"z\": 1}"),
               "[a]\n  x = 1\n  [a.b]\n    y = 1\n[c]\n  z = 1\n");
    toml_check(toml_set("[a]\n  x = 1\n  [a.b]\n    y = 1\n", "/a/c", "{\"z\": 1}"),
               "[a]\n  x = 1\n  [a.b]\n    y = 1\n  [a.c]\n    z = 1\n");
    toml_check(toml_set("[a]\n  x = 1\n\n[b]\n", "/b/c", "1"), "[a]\n  x = 1\n\n[b]\n  c = 1\n");
}

TEST(a_table_is_indented_as_others_of_its_level)
{
    toml_check(
        toml_set("[[a]]\n  x = 1\n[[a]]\n  x = 2\n  [a.b]\n    y = 1\n", "/a/0/c", "{\"z\": 1}"),
        "[[a]]\n  x = 1\n  [a.c]\n    z = 1\n[[a]]\n  x = 2\n  [a.b]\n    y = 1\n");
}

TEST(what_is_nested_too_deep_is_written_in_braces)
{
    char json[512], *at = json;
    for (int i = 0; i < 40; i++)
        at += sprintf(at, "{\"k\": ");
    at += sprintf(at, "1");
    for (int i = 0; i < 40; i++)
        at += sprintf(at, "}");
    char *text = toml_set("a = 1\n", "/b", json);
    CHECK(strstr(text, "\n[b.k.k.k.k.k.k.k.k.k.k.k.k.k.k.k.k]\nk = { k = { k = "));
    free(text);
    text = toml_set("a.b = 1\n", "/a/c", json);
    CHECK(strstr(text, "\na.c.k.k.k.k.k.k.k.k.k.k.k.k.k.k.k.k = { k = { k = "));
    free(text);
}

TEST(a_table_without_members_has_its_header_all_the_same)
{
    toml_check(toml_set("[a]\n", "/b", "{}"), "[a]\n\n[b]\n");
    toml_check(toml_set("[a]\n", "/b", "[{}, {}]"), "[a]\n\n[[b]]\n\n[[b]]\n");
    toml_check(toml_set("[a]\n", "/b", "[]"), "b = []\n\n[a]\n");
    toml_check(toml_set("[a]\n", "/b", "[{}, 1]"), "b = [{}, 1]\n\n[a]\n");
}

TEST(tables_inside_are_indented_as_others_are)
{
    static const char text[] = "[[x]]\n  a = 1\n  [x.y]\n    b = 2\n";
    toml_check(toml_insert(text, "/x", 1, "{\"a\": 1, \"y\": {\"b\": 2, \"z\": {\"c\": 3}}}"),
               "[[x]]\n  a = 1\n  [x.y]\n    b = 2\n[[x]]\n  a = 1\n  [x.y]\n    b = 2\n"
               "    [x.y.z]\n      c = 3\n");
    toml_check(toml_set(text, "/x/0/y/z", "{\"c\": 3}"),
               "[[x]]\n  a = 1\n  [x.y]\n    b = 2\n    [x.y.z]\n      c = 3\n");
    toml_check(toml_set(text, "/x/0/z", "{\"c\": 3}"),
               "[[x]]\n  a = 1\n  [x.y]\n    b = 2\n  [x.z]\n    c = 3\n");
    toml_check(toml_set("[r]\n\t[[r.x]]\n", "/r/x/0/y", "{\"z\": 1}"),
               "[r]\n\t[[r.x]]\n\t\t[r.x.y]\n\t\t\tz = 1\n");
    toml_check(toml_set("[r]\n  k = 1\n  [[r.x]]\n    a = 1\n", "/r/x/0/y", "{\"z\": 1}"),
               "[r]\n  k = 1\n  [[r.x]]\n    a = 1\n    [r.x.y]\n      z = 1\n");
    toml_check(toml_set("[r]\nk = 1\n[r.x]\na = 1\n", "/r/x/y", "{\"z\": 1}"),
               "[r]\nk = 1\n[r.x]\na = 1\n[r.x.y]\nz = 1\n");
    toml_check(toml_set("[r]\n  k = 1\n[r.x]\n  a = 1\n", "/r/x/y", "{\"z\": 1}"),
               "[r]\n  k = 1\n[r.x]\n  a = 1\n[r.x.y]\n  z = 1\n");
}
