/* What is added looks like its neighbours, and stands where it belongs [PLAN-2]. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(a_key_comes_behind_the_last_of_its_table)
{
    toml_check_stretch(toml_set(toml_pyproject, "/project/license", "\"MIT\""), toml_pyproject,
                       "Typing :: Typed\"]\n", "Typing :: Typed\"]\nlicense = \"MIT\"\n");
    toml_check_stretch(toml_set(toml_cargo, "/dependencies/anyhow", "\"1\""), toml_cargo,
                       "rand.default-features = false\n",
                       "rand.default-features = false\nanyhow = \"1\"\n");
    toml_check_stretch(toml_set(toml_site, "/params/x", "1"), toml_site, "\"Someone\"\n",
                       "\"Someone\"\n  x = 1\n");
}

TEST(a_key_of_the_root_comes_before_the_first_table_and_its_comments)
{
    toml_check_stretch(toml_set(toml_site, "/theme", "\"ananke\""), toml_site, "\"My site\"\n",
                       "\"My site\"\ntheme = \"ananke\"\n");
    toml_check_stretch(toml_set(toml_pyproject, "/title", "\"x\""), toml_pyproject, "# Build\n",
                       "title = \"x\"\n\n# Build\n");
    toml_check(toml_set("# License\n\n# about t\n[t]\n", "/a", "1"),
               "# License\n\na = 1\n\n# about t\n[t]\n");
    toml_check(toml_set("# only a comment\n", "/a", "1"), "# only a comment\n\na = 1\n");
    toml_check(toml_set("", "/a", "1"), "a = 1\n");
}

TEST(a_table_is_added_behind_its_siblings)
{
    toml_check_stretch(
        toml_set(toml_pyproject, "/project/scripts", "{\"kettle\": \"kettle.cli:main\"}"),
        toml_pyproject, "[tool.ruff]\n",
        "[project.scripts]\nkettle = \"kettle.cli:main\"\n\n[tool.ruff]\n");
    toml_check_stretch(
        toml_set(toml_cargo, "/target/cfg(windows)", "{\"dependencies\": {\"winapi\": \"1\"}}"),
        toml_cargo, "libc = \"0.2\"\n",
        "libc = \"0.2\"\n\n[target.'cfg(windows)'.dependencies]\nwinapi = \"1\"\n");
    toml_check_stretch(toml_set(toml_site, "/params/new", "{\"a\": 1}"), toml_site, "\"@x\"\n",
                       "\"@x\"\n  [params.new]\n    a = 1\n");
    toml_check_stretch(toml_set(toml_site, "/menu/foot", "[{\"name\": \"F\"}]"), toml_site,
                       "weight = 2\n", "weight = 2\n\n  [[menu.foot]]\n    name = \"F\"\n");
}

TEST(a_table_in_an_element_is_as_far_from_the_rest_as_in_others)
{
    static const char text[] = "[[r]]\n  a = 1\n\n[[r]]\n  a = 2\n  [r.h]\n    x = 1\n\n[z]\n";
    toml_check(toml_set(text, "/r/0/h", "{\"y\": 1}"),
               "[[r]]\n  a = 1\n  [r.h]\n    y = 1\n\n[[r]]\n  a = 2\n  [r.h]\n    x = 1\n\n[z]\n");
    toml_check_stretch(toml_insert(text, "/r", 2, "{\"a\": 3, \"h\": {\"y\": 1}}"), text, "\n[z]",
                       "\n[[r]]\n  a = 3\n  [r.h]\n    y = 1\n\n[z]");
    toml_check(
        toml_set("[m]\n  [[m.a]]\n    x = 1\n\n[z.y]\nx = 1\n[z.y.w]\n", "/m/a/0/p", "{\"y\": 1}"),
        "[m]\n  [[m.a]]\n    x = 1\n\n    [m.a.p]\n      y = 1\n\n[z.y]\nx = 1\n[z.y.w]\n");
}

TEST(a_table_does_not_take_the_comment_before_it_for_its_own)
{
    const char *text = "[[a]]\n[[a.b]]\n[a.b.c]\nd = 1\n[[a.b]]\n# [x]\n";
    toml_check(toml_set(text, "/a/0/t", "{\"p\": {}}"),
               "[[a]]\n[[a.b]]\n[a.b.c]\nd = 1\n[[a.b]]\n# [x]\n\n[a.t]\np = {}\n");
}

TEST(a_new_string_has_the_quotes_of_others)
{
    toml_check(toml_set("[a]\nx = 'one'\n\n[b]\ny = 1\n", "/b/z", "\"two\""),
               "[a]\nx = 'one'\n\n[b]\ny = 1\nz = 'two'\n");
    toml_check(toml_set("[b]\ny = 1\n\n[a]\nx = 'one'\n", "/c", "{\"z\": \"two\"}"),
               "[b]\ny = 1\n\n[a]\nx = 'one'\n\n[c]\nz = 'two'\n");
    toml_check(toml_set("x = 'one'\n[b]\ny = \"1\"\n", "/b/z", "\"two\""),
               "x = 'one'\n[b]\ny = \"1\"\nz = \"two\"\n");
}

TEST(a_table_is_written_in_braces_where_the_others_are)
{
    toml_check(toml_set("[d]\na = { v = 1 }\nb = 2\n\n[e]\n", "/d/c", "{\"v\": 3, \"w\": [4]}"),
               "[d]\na = { v = 1 }\nb = 2\nc = { v = 3, w = [4] }\n\n[e]\n");
    toml_check(toml_set("[d]\nb = 2\n\n[e]\n", "/d/c", "= {v=3}"),
               "[d]\nb = 2\nc = {v=3}\n\n[e]\n");
}

TEST(dotted_keys_stay_dotted_and_capture_nothing)
{
    toml_check_stretch(toml_set(toml_cargo, "/dependencies/rand/features", "[\"small_rng\"]"),
                       toml_cargo, "rand.default-features = false\n",
                       "rand.default-features = false\nrand.features = [\"small_rng\"]\n");
    toml_check(toml_set("a.b = 1\nz = 2\n", "/a/new", "{\"x\": 1, \"y\": 2}"),
               "a.b = 1\na.new = { x = 1, y = 2 }\nz = 2\n");
    toml_check(toml_set("a.b = 1\nz = 2\n", "/a/new", "{\"x\": {\"y\": 2}}"),
               "a.b = 1\na.new.x.y = 2\nz = 2\n");
    toml_check(toml_set("\"a\" . b = 1\na.c.d = 1\n", "/a/new", "2"),
               "\"a\" . b = 1\n\"a\" . new = 2\na.c.d = 1\n");
}

TEST(a_table_that_was_only_named_gets_a_header)
{
    toml_check_stretch(toml_set(toml_pyproject, "/tool/version", "1"), toml_pyproject,
                       "[tool.ruff]\n", "[tool]\nversion = 1\n\n[tool.ruff]\n");
    toml_check(toml_set("[x]\n# about b\n[a.b]\n[a.c]\n", "/a/n", "1"),
               "[x]\n[a]\nn = 1\n# about b\n[a.b]\n[a.c]\n");
}

TEST(an_element_of_an_array_of_tables_brings_its_header)
{
    toml_check_stretch(
        toml_insert(toml_pyproject, "/tool/mypy/overrides", 0, "{\"module\": \"docs\"}"),
        toml_pyproject, "# Tests are", "[[tool.mypy.overrides]]\nmodule = \"docs\"\n\n# Tests are");
    toml_check_stretch(toml_insert(toml_cargo, "/bin", 2, "{\"name\": \"end\"}"), toml_cargo,
                       "[profile.release]\n", "[[bin]]\nname = \"end\"\n\n[profile.release]\n");
    toml_check(toml_insert("[[a]]\n[a.b]\nx = 1\n[c]\n", "/a", 1, "{\"n\": 1}"),
               "[[a]]\n[a.b]\nx = 1\n[[a]]\nn = 1\n[c]\n");
    toml_check(toml_insert("[[a]]\nx = 1\n\n[a.b]\n\n[c]\n", "/a", 1, "5"),
               "a = [{ x = 1, b = {} }, 5]\n\n[c]\n");
}
