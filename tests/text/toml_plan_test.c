/* What texts look like after a change: as [PLAN-2] and [PLAN-3] say. That the data is right is
 * checked of every one. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/heap.h"
#include "text/toml_changes.h"

/* ---- checking ---- */

/* Frees the text. */
static void check(char *text, const char *expected)
{
    CHECK_TEXT(text, expected);
    free(text);
}

/* The text is `before`, but for one stretch that was `old` and is `new`. Frees it. */
static void check_stretch(char *text, const char *before, const char *old, const char *new)
{
    const char *at = strstr(before, old);
    char expected[4096];
    CHECK(at && !strstr(at + 1, old));
    int size = snprintf(expected, sizeof expected, "%.*s%s%s", (int)(at - before), before, new,
                        at + strlen(old));
    CHECK(size > 0 && (size_t)size < sizeof expected);
    check(text, expected);
}

/* ---- files as people have them ---- */

static const char pyproject[] =
    "# Build\n"
    "[build-system]\n"
    "requires = [\"hatchling>=1.21\"]\n"
    "build-backend = \"hatchling.build\"\n"
    "\n"
    "[project]\n"
    "name = \"kettle\"\n"
    "version = \"1.4.0\"  # keep in step with kettle/__init__.py\n"
    "description = \"Boils water\"\n"
    "readme = \"README.md\"\n"
    "requires-python = \">=3.9\"\n"
    "dependencies = [\n"
    "    \"attrs>=23.1\",\n"
    "    \"click>=8.1,<9\", # 9 drops MultiCommand\n"
    "    # until the fix is out\n"
    "    \"httpx==0.27.0\",\n"
    "]\n"
    "classifiers = [\"Development Status :: 4 - Beta\", \"Typing :: Typed\"]\n"
    "\n"
    "[project.optional-dependencies]\n"
    "test = [\"pytest>=8\", \"pytest-cov\"]\n"
    "\n"
    "[project.urls]\n"
    "Homepage = \"https://kettle.example\"\n"
    "\n"
    "[tool.ruff]\n"
    "line-length = 100\n"
    "lint.select = [\"E\", \"F\"]\n"
    "lint.ignore = [\"E501\"]\n"
    "\n"
    "[tool.mypy]\n"
    "strict = true\n"
    "\n"
    "# Tests are not typed\n"
    "[[tool.mypy.overrides]]\n"
    "module = \"tests.*\"\n"
    "disallow_untyped_defs = false\n"
    "\n"
    "[tool.pytest.ini_options]\n"
    "addopts = \"-ra\"\n";

static const char cargo[] =
    "[package]\n"
    "name    = \"kettle\"\n"
    "version = \"0.3.1\"\n"
    "edition = \"2021\"\n"
    "\n"
    "[features]\n"
    "default = [\"std\"]\n"
    "std = []\n"
    "\n"
    "[dependencies]\n"
    "# the wire format\n"
    "serde = { version = \"1.0\", features = [\"derive\"], optional = true }\n"
    "log = \"0.4\"\n"
    "rand.version = \"0.8\"\n"
    "rand.default-features = false\n"
    "\n"
    "[dependencies.tokio]\n"
    "version = \"1\"\n"
    "features = [\n"
    "    \"rt\",\n"
    "    \"macros\",\n"
    "]\n"
    "\n"
    "[target.'cfg(unix)'.dependencies]\n"
    "libc = \"0.2\"\n"
    "\n"
    "[[bin]]\n"
    "name = \"kettle\"\n"
    "path = \"src/main.rs\"\n"
    "\n"
    "[[bin]]\n"
    "name = \"kettled\"\n"
    "\n"
    "[profile.release]\n"
    "lto = true\n";

static const char site[] = "baseURL = \"https://example.org/\"\n"
                           "languageCode = \"en-us\"\n"
                           "title = \"My site\"\n"
                           "\n"
                           "# ---------- menus ----------\n"
                           "\n"
                           "[menu]\n"
                           "\n"
                           "  [[menu.main]]\n"
                           "    name = \"Posts\"\n"
                           "    url = \"/posts/\"\n"
                           "    weight = 1\n"
                           "\n"
                           "  [[menu.main]]\n"
                           "    name = \"About\"\n"
                           "    url = \"/about/\"\n"
                           "    weight = 2\n"
                           "\n"
                           "[params]\n"
                           "  author = \"Someone\"\n"
                           "  [params.social]\n"
                           "    mastodon = \"@x\"\n"
                           "\n"
                           "[[redirects]]\n"
                           "  from = \"/old\"\n"
                           "  to = \"/new\"\n"
                           "  status = 301\n"
                           "  headers = {X-From = \"Netlify\"}\n";

TEST(a_key_comes_behind_the_last_of_its_table)
{
    check_stretch(toml_set(pyproject, "/project/license", "\"MIT\""), pyproject,
                  "Typing :: Typed\"]\n", "Typing :: Typed\"]\nlicense = \"MIT\"\n");
    check_stretch(toml_set(cargo, "/dependencies/anyhow", "\"1\""), cargo,
                  "rand.default-features = false\n",
                  "rand.default-features = false\nanyhow = \"1\"\n");
    check_stretch(toml_set(site, "/params/x", "1"), site, "\"Someone\"\n",
                  "\"Someone\"\n  x = 1\n");
}

TEST(aligned_columns_are_not_continued)
{
    check(toml_set("name    = 1\nversion = 2\n", "/edition", "3"),
          "name    = 1\nversion = 2\nedition = 3\n");
    check(toml_set("version = 2\nname    = 1\n", "/edition", "3"),
          "version = 2\nname    = 1\nedition = 3\n");
    check(toml_set("a=1\n", "/b", "2"), "a=1\nb=2\n");
}

TEST(a_key_of_the_root_comes_before_the_first_table_and_its_comments)
{
    check_stretch(toml_set(site, "/theme", "\"ananke\""), site, "\"My site\"\n",
                  "\"My site\"\ntheme = \"ananke\"\n");
    check_stretch(toml_set(pyproject, "/title", "\"x\""), pyproject, "# Build\n",
                  "title = \"x\"\n\n# Build\n");
    check(toml_set("# License\n\n# about t\n[t]\n", "/a", "1"),
          "# License\n\na = 1\n\n# about t\n[t]\n");
    check(toml_set("# only a comment\n", "/a", "1"), "# only a comment\n\na = 1\n");
    check(toml_set("", "/a", "1"), "a = 1\n");
}

TEST(a_table_is_added_behind_its_siblings)
{
    check_stretch(toml_set(pyproject, "/project/scripts", "{\"kettle\": \"kettle.cli:main\"}"),
                  pyproject, "[tool.ruff]\n",
                  "[project.scripts]\nkettle = \"kettle.cli:main\"\n\n[tool.ruff]\n");
    check_stretch(
        toml_set(cargo, "/target/cfg(windows)", "{\"dependencies\": {\"winapi\": \"1\"}}"), cargo,
        "libc = \"0.2\"\n",
        "libc = \"0.2\"\n\n[target.'cfg(windows)'.dependencies]\nwinapi = \"1\"\n");
    check_stretch(toml_set(site, "/params/new", "{\"a\": 1}"), site, "\"@x\"\n",
                  "\"@x\"\n\n  [params.new]\n    a = 1\n");
    check_stretch(toml_set(site, "/menu/foot", "[{\"name\": \"F\"}]"), site, "weight = 2\n",
                  "weight = 2\n\n  [[menu.foot]]\n    name = \"F\"\n");
}

TEST(a_table_is_indented_as_those_beside_it)
{
    check(toml_set("[a]\n  x = 1\n  [a.b]\n    y = 1\n", "/c", "{\"z\": 1}"),
          "[a]\n  x = 1\n  [a.b]\n    y = 1\n[c]\n  z = 1\n");
    check(toml_set("[a]\n  x = 1\n  [a.b]\n    y = 1\n", "/a/c", "{\"z\": 1}"),
          "[a]\n  x = 1\n  [a.b]\n    y = 1\n  [a.c]\n    z = 1\n");
    check(toml_set("[a]\n  x = 1\n\n[b]\n", "/b/c", "1"), "[a]\n  x = 1\n\n[b]\n  c = 1\n");
}

TEST(what_is_nested_gets_headers_of_its_own)
{
    check(toml_set("a = 1\n", "/b", "{\"x\": 1, \"y\": {\"z\": {}}, \"l\": [{\"p\": 1}, {}]}"),
          "a = 1\n\n[b]\nx = 1\n\n[b.y]\nz = {}\n\n[[b.l]]\np = 1\n\n[[b.l]]\n");
    check(toml_set("", "/tool", "{\"poetry\": {\"name\": \"x\"}}"),
          "[tool.poetry]\nname = \"x\"\n");
}

TEST(a_table_is_written_in_braces_where_the_others_are)
{
    check(toml_set("[d]\na = { v = 1 }\nb = 2\n\n[e]\n", "/d/c", "{\"v\": 3, \"w\": [4]}"),
          "[d]\na = { v = 1 }\nb = 2\nc = { v = 3, w = [4] }\n\n[e]\n");
    check(toml_set("[d]\nb = 2\n\n[e]\n", "/d/c", "= {v=3}"), "[d]\nb = 2\nc = {v=3}\n\n[e]\n");
}

TEST(dotted_keys_stay_dotted_and_capture_nothing)
{
    check_stretch(toml_set(cargo, "/dependencies/rand/features", "[\"small_rng\"]"), cargo,
                  "rand.default-features = false\n",
                  "rand.default-features = false\nrand.features = [\"small_rng\"]\n");
    check(toml_set("a.b = 1\nz = 2\n", "/a/new", "{\"x\": 1, \"y\": 2}"),
          "a.b = 1\na.new = { x = 1, y = 2 }\nz = 2\n");
    check(toml_set("a.b = 1\nz = 2\n", "/a/new", "{\"x\": {\"y\": 2}}"),
          "a.b = 1\na.new.x.y = 2\nz = 2\n");
    check(toml_set("\"a\" . b = 1\na.c.d = 1\n", "/a/new", "2"),
          "\"a\" . b = 1\n\"a\" . new = 2\na.c.d = 1\n");
}

TEST(a_table_that_was_only_named_gets_a_header)
{
    check_stretch(toml_set(pyproject, "/tool/version", "1"), pyproject, "[tool.ruff]\n",
                  "[tool]\nversion = 1\n\n[tool.ruff]\n");
    check(toml_set("[x]\n# about b\n[a.b]\n[a.c]\n", "/a/n", "1"),
          "[x]\n[a]\nn = 1\n# about b\n[a.b]\n[a.c]\n");
}

TEST(an_element_of_an_array_of_tables_brings_its_header)
{
    check_stretch(toml_insert(pyproject, "/tool/mypy/overrides", 0, "{\"module\": \"docs\"}"),
                  pyproject, "# Tests are",
                  "[[tool.mypy.overrides]]\nmodule = \"docs\"\n\n# Tests are");
    check_stretch(toml_insert(cargo, "/bin", 2, "{\"name\": \"end\"}"), cargo,
                  "[profile.release]\n", "[[bin]]\nname = \"end\"\n\n[profile.release]\n");
    check(toml_insert("[[a]]\n[a.b]\nx = 1\n[c]\n", "/a", 1, "{\"n\": 1}"),
          "[[a]]\n[a.b]\nx = 1\n[[a]]\nn = 1\n[c]\n");
    check(toml_insert("[[a]]\nx = 1\n\n[a.b]\n\n[c]\n", "/a", 1, "5"),
          "a = [{ x = 1, b = {} }, 5]\n\n[c]\n");
}

TEST(lines_of_an_array_keep_their_comments)
{
    check_stretch(toml_insert(pyproject, "/project/dependencies", 2, "\"rich\""), pyproject,
                  "    # until", "    \"rich\",\n    # until");
    check_stretch(toml_insert(pyproject, "/project/dependencies", 3, "\"rich\""), pyproject,
                  "\"httpx==0.27.0\",\n", "\"httpx==0.27.0\",\n    \"rich\",\n");
    check_stretch(toml_remove(pyproject, "/project/dependencies/1"), pyproject,
                  "    \"click>=8.1,<9\", # 9 drops MultiCommand\n", "");
    check_stretch(toml_remove(pyproject, "/project/dependencies/2"), pyproject,
                  "    # until the fix is out\n    \"httpx==0.27.0\",\n", "");
}

TEST(an_array_is_extended_as_it_is_written)
{
    check(toml_insert("a = []\n", "/a", 0, "1"), "a = [1]\n");
    check(toml_insert("a = [1]\n", "/a", 1, "2"), "a = [1, 2]\n");
    check(toml_insert("a = [1,2]\n", "/a", 0, "0"), "a = [0,1,2]\n");
    check(toml_insert("a = [ 1 , 2 ]\n", "/a", 2, "3"), "a = [ 1 , 2 , 3 ]\n");
    check(toml_insert("a = [1, 2, ]\n", "/a", 2, "3"), "a = [1, 2, 3, ]\n");
    check(toml_insert("a = [\n  1 # one\n]\n", "/a", 1, "2"), "a = [\n  1, # one\n  2\n]\n");
    check(toml_insert("a = [\n  1]\n", "/a", 1, "2"), "a = [\n  1,\n  2]\n");
    check(toml_insert("a = [\n  1, 2, # two\n  3\n]\n", "/a", 1, "5"),
          "a = [\n  1, 5, 2, # two\n  3\n]\n");
    check(toml_insert("a = [ 1 # one\n    , 2 # two\n    ]\n", "/a", 2, "3"),
          "a = [ 1 # one\n    , 2 # two\n    , 3\n    ]\n");
    check(toml_insert("a = [\"x\",\n     \"y\"]\n", "/a", 0, "\"w\""),
          "a = [\"w\",\n     \"x\",\n     \"y\"]\n");
    check(toml_insert("a = [\n  # nothing yet\n]\n", "/a", 0, "1"),
          "a = [\n  1,\n  # nothing yet\n]\n");
    check(toml_insert("\ta = [\n\t]\n", "/a", 0, "1"), "\ta = [\n\t\t1,\n\t]\n");
}

TEST(an_array_is_cut_as_it_is_written)
{
    check(toml_remove("a = [1, 2, 3]\n", "/a/2"), "a = [1, 2]\n");
    check(toml_remove("a = [1, 2, 3]\n", "/a/0"), "a = [2, 3]\n");
    check(toml_remove("a = [ 1 ]\n", "/a/0"), "a = []\n");
    check(toml_remove("a = [\n  1, # one\n  2 # two\n]\n", "/a/1"), "a = [\n  1 # one\n]\n");
    check(toml_remove("a = [\n  1, # one\n  2]\n", "/a/1"), "a = [\n  1 # one\n]\n");
    check(toml_remove("a = [\n  1,\n\n  2,\n\n  3,\n]\n", "/a/1"), "a = [\n  1,\n\n  3,\n]\n");
    check(toml_remove("a = [\n  1, 2, # two\n  3\n]\n", "/a/1"), "a = [\n  1, # two\n  3\n]\n");
    check(toml_remove("a = [ 1 # one\n    , 2 # two\n    , 3\n    ]\n", "/a/1"),
          "a = [ 1 # one\n    , 3\n    ]\n");
}

TEST(a_table_in_braces_stays_on_its_line)
{
    check_stretch(toml_set(site, "/redirects/0/headers/Y", "\"z\""), site, "\"Netlify\"}",
                  "\"Netlify\", Y = \"z\"}");
    check(toml_set("a = {}\n", "/a/b", "1"), "a = { b = 1 }\n");
    check(toml_remove("a = { b = 1 }\n", "/a/b"), "a = {}\n");
    check(toml_set("a = {b=1}\n", "/a/c", "2"), "a = {b=1, c=2}\n");
    check(toml_set("a = {b.c = 1, d = 2}\n", "/a/b/e", "3"), "a = {b.c = 1, b.e = 3, d = 2}\n");
    check(toml_remove("a = {b.c = 1, d = 2}\n", "/a/b/c"), "a = {b = {}, d = 2}\n");
    check(toml_remove("a = {b.c = 1, d = 2, b.e = 3}\n", "/a/b"), "a = {d = 2}\n");
    check(toml_set("a = {b.c = 1, d = 2, b.e = 3}\n", "/a/b", "4"), "a = {b = 4, d = 2}\n");
}

TEST(a_table_in_braces_on_several_lines_is_extended_so)
{
    check(toml_set("a = {\n  b = 1, # one\n  c = 2 # two\n}\n", "/a/d", "3"),
          "a = {\n  b = 1, # one\n  c = 2, # two\n  d = 3\n}\n");
    check(toml_set("a = {\n  b = 1,\n}\n", "/a/d", "3"), "a = {\n  b = 1,\n  d = 3,\n}\n");
    check(toml_set("a = { b = [\n  1\n] }\n", "/a/d", "3"), "a = { b = [\n  1\n], d = 3 }\n");
}

TEST(who_goes_takes_its_comments_and_nobody_elses)
{
    check_stretch(toml_remove(cargo, "/dependencies/serde"), cargo,
                  "# the wire format\nserde = { version = \"1.0\", features = [\"derive\"], "
                  "optional = true }\n",
                  "");
    check(toml_remove("# whole file\n\n# about a\na = 1 # one\n# about b\nb = 2\n", "/a"),
          "# whole file\n\n# about b\nb = 2\n");
    check(toml_remove("[a]\nx = 1\n# y = 2\n\n##### banner #####\n\n# about b\n[b]\n", "/a"),
          "##### banner #####\n\n# about b\n[b]\n");
    check(toml_remove("a.b = 1\n\n# everyone's\n\na.c = 2\n", "/a"), "# everyone's\n");
    check(toml_remove("s = '''\n# no comment\n'''\na = 1\n", "/a"), "s = '''\n# no comment\n'''\n");
    check(toml_remove("[a]\nx = 1\n\n# vim: ft=toml\n", "/a"), "# vim: ft=toml\n");
}

TEST(all_pieces_of_a_table_go)
{
    check(toml_remove("t = 1\n\n[a.b]\nx = 1\n\n# about c\n[c]\n\n[a]\ny.z = 1\n\n[[a.d]]\n\n[e]\n",
                      "/a"),
          "t = 1\n\n# about c\n[c]\n\n[e]\n");
    check_stretch(toml_remove(pyproject, "/tool/mypy"), pyproject,
                  "[tool.mypy]\nstrict = true\n\n# Tests are not typed\n[[tool.mypy.overrides]]\n"
                  "module = \"tests.*\"\ndisallow_untyped_defs = false\n\n",
                  "");
}

TEST(a_table_that_loses_its_last_member_stays)
{
    check(toml_remove("[a.b]\nx = 1\n\n[d]\n", "/a/b"), "[a]\n\n[d]\n");
    check(toml_remove("# one\na.b = 1 # eol\nz = 1\n", "/a/b"), "a = {}\nz = 1\n");
    check(toml_remove("x.a.b = 1\n", "/x/a/b"), "x.a = {}\n");
    check(toml_remove("[[a]]\nx = 1\n\n[z]\n", "/a/0"), "a = []\n\n[z]\n");
    check(toml_remove("[[q.a]]\nx = 1\n\n[z]\n", "/q/a/0"), "[q]\na = []\n\n[z]\n");
    check(toml_remove("[t]\na = 1\n", "/t/a"), "[t]\n");
}

TEST(a_table_is_replaced_by_a_value)
{
    check(toml_set("a = 1\n\n[b]\nx = 1\n\n[c]\ny = 2\n", "/b", "5"),
          "a = 1\nb = 5\n\n[c]\ny = 2\n");
    check(toml_set("[b]\nx = 1\n\n[c]\n", "/b", "5"), "b = 5\n\n[c]\n");
    check(toml_set("[a.b]\nx = 1\n\n[a.c]\n", "/a/b", "5"), "[a]\nb = 5\n\n[a.c]\n");
    check(toml_set("[a]\nx.y = 1\n[a.x.z]\nq = 1\n", "/a/x", "7"), "[a]\nx = 7\n");
    check_stretch(toml_set(cargo, "/dependencies/rand", "\"0.8\""), cargo,
                  "rand.version = \"0.8\"\nrand.default-features = false\n", "rand = \"0.8\"\n");
    check(toml_set("[[a]]\nx = 1\n\n[[a]]\n\n[b]\n", "/a/1", "5"), "a = [{ x = 1 }, 5]\n\n[b]\n");
}

TEST(a_table_replaced_by_a_table_keeps_what_both_have)
{
    check_stretch(toml_set(cargo, "/dependencies/tokio",
                           "{\"features\": [\"rt\", \"macros\"], \"version\": \"1.2\"}"),
                  cargo, "version = \"1\"\n", "version = \"1.2\"\n");
    check(toml_set("[t]\n# about a\na = 1 # one\nb = 2\n\n# sub\n[t.s]\nx = 1\n\n[u]\n", "/t",
                   "{\"a\": 1, \"c\": 4, \"s\": {\"x\": 1}}"),
          "[t]\n# about a\na = 1 # one\nc = 4\n\n# sub\n[t.s]\nx = 1\n\n[u]\n");
    check(toml_set("[[a]]\nx = 1\n\n# tropical\n[[a]]\nx = 2\n[a.b]\n", "/a/1", "{\"y\": 1}"),
          "[[a]]\nx = 1\n\n# tropical\n[[a]]\ny = 1\n");
    check(toml_set("[t]\na = 1\n\n[u]\n", "/t", "{}"), "[t]\n\n[u]\n");
}

TEST(a_value_is_replaced_where_it_stands)
{
    check(toml_set("# why\na = 0xff # pin\n", "/a", "{\"v\": [1, {}]}"),
          "# why\na = { v = [1, {}] } # pin\n");
    check(toml_set("a = 1\n", "/a", "= 0xDEAD_BEEF"), "a = 0xDEAD_BEEF\n");
    check(toml_set("a = 1\n", "/a", "= [1, # one\n 2]"), "a = [1, # one\n 2]\n");
}

TEST(a_name_changes_wherever_it_is_spelled)
{
    check_stretch(toml_rename(cargo, "/dependencies/rand", "oorandom"), cargo,
                  "rand.version = \"0.8\"\nrand.d", "oorandom.version = \"0.8\"\noorandom.d");
    check(toml_rename("[a.b]\n[[a.c]]\n[a]\nd.e = 1\n[b]\na = 1\n", "/a", "x y"),
          "[\"x y\".b]\n[[\"x y\".c]]\n[\"x y\"]\nd.e = 1\n[b]\na = 1\n");
    check(toml_rename("[a]\nd.e = 1\n[a.d.f]\n", "/a/d", "g"), "[a]\ng.e = 1\n[a.g.f]\n");
    check(toml_rename("\"a\" = 1\n'b c' = 2\n", "/a", "x"), "\"x\" = 1\n'b c' = 2\n");
    check(toml_rename("\"a\" = 1\n'b c' = 2\n", "/b c", "x"), "\"a\" = 1\nx = 2\n");
    check(toml_rename("a = {b.c = 1, d = 2, b.e = {b = 3}}\n", "/a/b", "f"),
          "a = {f.c = 1, d = 2, f.e = {b = 3}}\n");
}

TEST(quotes_are_those_of_the_neighbours)
{
    check(toml_set("\"a\" = 1\n", "/b", "2"), "\"a\" = 1\n\"b\" = 2\n");
    check(toml_set("'a' = 1\n", "/b c", "2"), "'a' = 1\n'b c' = 2\n");
    check(toml_set("a = 1\n", "/b c", "2"), "a = 1\n\"b c\" = 2\n");
    check(toml_set("a = 1\n", "/say \"b\"", "2"), "a = 1\n'say \"b\"' = 2\n");
}

TEST(strings_and_braces_look_like_those_of_the_neighbours)
{
    check(toml_set("a = 'x'\n", "/a", "\"y\""), "a = 'y'\n");
    check(toml_set("a = 'x'\n", "/a", "\"it's\""), "a = \"it's\"\n");
    check(toml_set("a = 'x'\n", "/a", "= \"y\""), "a = \"y\"\n");
    check(toml_set("a = \'\'\'x\'\'\'\n", "/a", "\"y\""), "a = \"y\"\n");
    check(toml_set("a = 'x'\n", "/b", "\"y\""), "a = 'x'\nb = 'y'\n");
    check(toml_set("a = 'x'\nb = 1\nc = \"z\"\n", "/d", "\"y\""),
          "a = 'x'\nb = 1\nc = \"z\"\nd = \"y\"\n");
    check(toml_insert("a = ['x', 1]\n", "/a", 2, "\"y\""), "a = ['x', 1, 'y']\n");
    check(toml_set("a = {x = 'x'}\n", "/a/y", "\"y\""), "a = {x = 'x', y = 'y'}\n");
    check(toml_set("a = {x = 1}\n", "/a/y", "{\"z\": [{\"u\": 1}]}"),
          "a = {x = 1, y = {z = [{u = 1}]}}\n");
    check(toml_set("a = {x = 1}\n", "/a", "{\"z\": 2}"), "a = {z = 2}\n");
    check(toml_set("[t]\na = {x = 1}\nb = 2\n", "/t/c", "{\"z\": {}}"),
          "[t]\na = {x = 1}\nb = 2\nc = {z = {}}\n");
    check(toml_insert("a = [{x = 1}]\n", "/a", 0, "{\"z\": 2}"), "a = [{z = 2}, {x = 1}]\n");
}

TEST(ends_of_lines_are_those_of_most_lines)
{
    check(toml_set("a = 1\r\n\r\n[t]\r\n", "/b", "2"), "a = 1\r\nb = 2\r\n\r\n[t]\r\n");
    check(toml_set("a = 1\r\nb = 2\nc = 3\n", "/d", "4"), "a = 1\r\nb = 2\nc = 3\nd = 4\n");
    check(toml_set("a = 1\r\n", "/t", "{\"x\": 1}"), "a = 1\r\n\r\n[t]\r\nx = 1\r\n");
    check(toml_insert("a = [\r\n  1, # one\r\n]\r\n", "/a", 1, "2"),
          "a = [\r\n  1, # one\r\n  2,\r\n]\r\n");
}

TEST(a_missing_newline_at_the_end_stays_missing)
{
    check(toml_set("a = 1", "/b", "2"), "a = 1\nb = 2");
    check(toml_set("[t]", "/t/b", "2"), "[t]\nb = 2");
    check(toml_set("a = 1 # one", "/t", "{\"x\": 1}"), "a = 1 # one\n\n[t]\nx = 1");
    check(toml_remove("a = 1\nb = 2", "/b"), "a = 1");
    check(toml_remove("a = 1\n\n[t]\nx = 1", "/t"), "a = 1");
    check(toml_set("[t]\n[t.u]\nx = 1", "/t/u", "2"), "[t]\nu = 2");
}

TEST(a_byte_order_mark_stays_in_front)
{
    check(toml_set("\xef\xbb\xbf[t]\n", "/a", "1"), "\xef\xbb\xbf"
                                                    "a = 1\n\n[t]\n");
    check(toml_set("\xef\xbb\xbf", "/a", "1"), "\xef\xbb\xbf"
                                               "a = 1\n");
    check(toml_remove("\xef\xbb\xbf# one\na = 1\nb = 2\n", "/a"), "\xef\xbb\xbf"
                                                                  "b = 2\n");
}

TEST(the_root_is_written_anew)
{
    check(toml_set("# gone\r\na = 1\r\n", "", "{\"b\": {\"c\": 1}, \"d\": 2}"),
          "d = 2\r\n\r\n[b]\r\nc = 1\r\n");
}

/* ---- what cannot be ---- */

static int refusal(const char *text, const char *pointer, enum change_kind kind, const char *json)
{
    struct toml_text document = toml_text_of(text, strlen(text));
    struct parsed value = {0};
    struct flaw flaw;
    struct plan plan;
    struct change change = {
        .kind = kind, .node = toml_text_find(&document, pointer), .key = "new", .key_size = 3};
    CHECK(change.node);
    CHECK_INT(parse_json(json, strlen(json), UNTORN_JSON, &value, &flaw), 0);
    change.value = value.root;
    int rc = plan_toml(&document.parsed, &change, &plan);
    CHECK_INT(plan.count, 0);
    plan_free(&plan);
    parsed_free(&value);
    toml_text_free(&document);
    return rc;
}

TEST(there_is_no_null_in_toml)
{
    static const char text[] = "a = [1]\nd.e = 1\nf = {g.h = 1}\n[t]\nx = 1\n[i.j]\n[[k]]\n";
    static const char *const nulls[] = {"null", "[null]", "{\"x\": null, \"y\": {\"z\": null}}"};
    static const char *const tables[] = {"", "/d", "/f", "/f/g", "/t", "/i", "/i/j", "/k/0"};
    static const char *const nodes[] = {"/a",   "/a/0", "/d",   "/d/e", "/f", "/f/g",
                                        "/t/x", "/t",   "/i/j", "/i",   "/k", "/k/0"};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < sizeof tables / sizeof *tables; j++)
            CHECK_INT(refusal(text, tables[j], CHANGE_ADD, nulls[i]), -UNTORN_TYPE);
        for (size_t j = 0; j < sizeof nodes / sizeof *nodes; j++)
            CHECK_INT(refusal(text, nodes[j], CHANGE_REPLACE, nulls[i]), -UNTORN_TYPE);
        CHECK_INT(refusal(text, "/a", CHANGE_INSERT, nulls[i]), -UNTORN_TYPE);
        CHECK_INT(refusal(text, "/k", CHANGE_INSERT, nulls[i]), -UNTORN_TYPE);
    }
    CHECK_INT(refusal(text, "", CHANGE_REPLACE, nulls[2]), -UNTORN_TYPE);
}

TEST(the_root_is_always_a_table)
{
    CHECK_INT(refusal("a = 1\n", "", CHANGE_REPLACE, "1"), -UNTORN_TYPE);
    CHECK_INT(refusal("a = 1\n", "", CHANGE_REMOVE, "1"), -UNTORN_TYPE);
}

TEST(a_key_twice_is_refused)
{
    CHECK_INT(refusal("[t]\n", "", CHANGE_ADD, "{\"a\": 1, \"a\": 2}"), -UNTORN_TYPE);
    CHECK_INT(refusal("[t]\n", "/t", CHANGE_REPLACE, "{\"a\": 1, \"a\": 2}"), -UNTORN_TYPE);
    CHECK_INT(refusal("[t]\n", "", CHANGE_ADD, "{\"a\": {\"x\": 1}, \"a\": {\"y\": 2}}"),
              -UNTORN_TYPE);
}

/* ---- memory and time ---- */

static struct toml_text document;
static struct change current;

static bool plan_and_apply(void)
{
    struct plan plan;
    size_t size;
    int rc = plan_toml(&document.parsed, &current, &plan);
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    char *text = rc == 0 ? plan_apply(&plan, document.text, document.size, &size) : NULL;
    plan_free(&plan);
    free(text);
    return text != NULL;
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "a.b = [1, 2]\nc = {d.e = 1, d.f = 2}\n[t]\nx = 1\n[i.j]\n[[k]]\n[k.l]\n[[k]]\n";
    static const char json[] = "{\"x\": 2, \"y\": {\"z\": [{}]}}";
    struct parsed value = {0};
    struct flaw flaw;
    CHECK_INT(parse_json(json, sizeof json - 1, UNTORN_JSON, &value, &flaw), 0);
    document = toml_text_of(text, sizeof text - 1);
    current = (struct change){.key = "new key", .key_size = 7, .value = value.root};
    for (struct untorn_node *node = document.parsed.root; node; node = toml_next_node(node)) {
        current.node = node;
        for (int kind = CHANGE_REPLACE; kind <= CHANGE_RENAME; kind++) {
            current.kind = (enum change_kind)kind;
            if ((kind == CHANGE_ADD && node->kind != UNTORN_OBJECT) ||
                (kind == CHANGE_INSERT && node->kind != UNTORN_ARRAY) ||
                (kind == CHANGE_REMOVE && !node->parent) || (kind == CHANGE_RENAME && !node->key))
                continue;
            CHECK(heap_walk(plan_and_apply) > 1);
        }
    }
    parsed_free(&value);
    toml_text_free(&document);
}

/* Each of them would take minutes if it went through the text for every line. */
TEST(a_large_text_is_changed_in_one_pass)
{
    enum { TABLES = 40000, LINE = 64 };
    char *text = malloc(TABLES * LINE), *at = text;
    CHECK(text);
    at += sprintf(at, "all = [\n");
    for (int i = 0; i < TABLES; i++)
        at += sprintf(at, "  %d, # %d\n", i, i);
    at += sprintf(at, "]\n");
    for (int i = 0; i < TABLES; i++)
        at += sprintf(at, "\n# %d\n[%s.t%d]\nx.y = 1\n", i, i % 2 ? "a" : "b", i);
    struct toml_text whole = toml_text_of(text, (size_t)(at - text));
    free(text);
    struct parsed value;
    struct flaw flaw;
    CHECK_INT(parse_json("{\"x\": 1}", 8, UNTORN_JSON, &value, &flaw), 0);
    struct change change = {.kind = CHANGE_INSERT, .index = TABLES / 2, .value = value.root};
    change.node = toml_text_find(&whole, "/all");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_RENAME, .key = "c", .key_size = 1};
    change.node = toml_text_find(&whole, "/a");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_ADD, .key = "n", .key_size = 1, .value = value.root};
    change.node = toml_text_find(&whole, "/b");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_REPLACE, .value = value.root};
    change.node = toml_text_find(&whole, "/b");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_REMOVE, .node = toml_text_find(&whole, "/c")};
    toml_text_change(&whole, &change);
    parsed_free(&value);
    toml_text_free(&whole);
}
