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
                       "\"@x\"\n\n  [params.new]\n    a = 1\n");
    toml_check_stretch(toml_set(toml_site, "/menu/foot", "[{\"name\": \"F\"}]"), toml_site,
                       "weight = 2\n", "weight = 2\n\n  [[menu.foot]]\n    name = \"F\"\n");
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
