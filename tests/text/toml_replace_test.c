#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(a_table_is_replaced_by_a_value)
{
    toml_check(toml_set("a = 1\n\n[b]\nx = 1\n\n[c]\ny = 2\n", "/b", "5"),
               "a = 1\nb = 5\n\n[c]\ny = 2\n");
    toml_check(toml_set("[b]\nx = 1\n\n[c]\n", "/b", "5"), "b = 5\n\n[c]\n");
    toml_check(toml_set("[a.b]\nx = 1\n\n[a.c]\n", "/a/b", "5"), "[a]\nb = 5\n\n[a.c]\n");
    toml_check(toml_set("[a]\nx.y = 1\n[a.x.z]\nq = 1\n", "/a/x", "7"), "[a]\nx = 7\n");
    toml_check_stretch(toml_set(toml_cargo, "/dependencies/rand", "\"0.8\""), toml_cargo,
                       "rand.version = \"0.8\"\nrand.default-features = false\n",
                       "rand = \"0.8\"\n");
    toml_check(toml_set("[[a]]\nx = 1\n\n[[a]]\n\n[b]\n", "/a/1", "5"),
               "a = [{ x = 1 }, 5]\n\n[b]\n");
}

TEST(a_table_replaced_by_a_table_keeps_what_both_have)
{
    toml_check_stretch(toml_set(toml_cargo, "/dependencies/tokio",
                                "{\"features\": [\"rt\", \"macros\"], \"version\": \"1.2\"}"),
                       toml_cargo, "version = \"1\"\n", "version = \"1.2\"\n");
    toml_check(toml_set("[t]\n# about a\na = 1 # one\nb = 2\n\n# sub\n[t.s]\nx = 1\n\n[u]\n", "/t",
                        "{\"a\": 1, \"c\": 4, \"s\": {\"x\": 1}}"),
               "[t]\n# about a\na = 1 # one\nc = 4\n\n# sub\n[t.s]\nx = 1\n\n[u]\n");
    toml_check(toml_set("[[a]]\nx = 1\n\n# tropical\n[[a]]\nx = 2\n[a.b]\n", "/a/1", "{\"y\": 1}"),
               "[[a]]\nx = 1\n\n# tropical\n[[a]]\ny = 1\n");
    toml_check(toml_set("[t]\na = 1\n\n[u]\n", "/t", "{}"), "[t]\n\n[u]\n");
}

TEST(a_table_that_loses_its_last_member_stays)
{
    toml_check(toml_remove("[a.b]\nx = 1\n\n[d]\n", "/a/b"), "[a]\n\n[d]\n");
    toml_check(toml_remove("# one\na.b = 1 # eol\nz = 1\n", "/a/b"), "a = {}\nz = 1\n");
    toml_check(toml_remove("x.a.b = 1\n", "/x/a/b"), "x.a = {}\n");
    toml_check(toml_remove("[[a]]\nx = 1\n\n[z]\n", "/a/0"), "a = []\n\n[z]\n");
    toml_check(toml_remove("[[q.a]]\nx = 1\n\n[z]\n", "/q/a/0"), "[q]\na = []\n\n[z]\n");
    toml_check(toml_remove("[t]\na = 1\n", "/t/a"), "[t]\n");
}

TEST(a_name_changes_wherever_it_is_spelled)
{
    toml_check_stretch(toml_rename(toml_cargo, "/dependencies/rand", "oorandom"), toml_cargo,
                       "rand.version = \"0.8\"\nrand.d", "oorandom.version = \"0.8\"\noorandom.d");
    toml_check(toml_rename("[a.b]\n[[a.c]]\n[a]\nd.e = 1\n[b]\na = 1\n", "/a", "x y"),
               "[\"x y\".b]\n[[\"x y\".c]]\n[\"x y\"]\nd.e = 1\n[b]\na = 1\n");
    toml_check(toml_rename("[a]\nd.e = 1\n[a.d.f]\n", "/a/d", "g"), "[a]\ng.e = 1\n[a.g.f]\n");
    toml_check(toml_rename("\"a\" = 1\n'b c' = 2\n", "/a", "x"), "\"x\" = 1\n'b c' = 2\n");
    toml_check(toml_rename("\"a\" = 1\n'b c' = 2\n", "/b c", "x"), "\"a\" = 1\nx = 2\n");
    toml_check(toml_rename("a = {b.c = 1, d = 2, b.e = {b = 3}}\n", "/a/b", "f"),
               "a = {f.c = 1, d = 2, f.e = {b = 3}}\n");
}
