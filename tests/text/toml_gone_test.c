/* Who goes takes its comments with it, nobody else's [PLAN-3]. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(who_goes_takes_its_comments_and_nobody_elses)
{
    toml_check_stretch(toml_remove(toml_cargo, "/dependencies/serde"), toml_cargo,
                       "# the wire format\nserde = { version = \"1.0\", features = [\"derive\"], "
                       "optional = true }\n",
                       "");
    toml_check(toml_remove("# whole file\n\n# about a\na = 1 # one\n# about b\nb = 2\n", "/a"),
               "# whole file\n\n# about b\nb = 2\n");
    toml_check(toml_remove("[a]\nx = 1\n# y = 2\n\n##### banner #####\n\n# about b\n[b]\n", "/a"),
               "##### banner #####\n\n# about b\n[b]\n");
    toml_check(toml_remove("a.b = 1\n\n# everyone's\n\na.c = 2\n", "/a"), "# everyone's\n");
    toml_check(toml_remove("s = '''\n# no comment\n'''\na = 1\n", "/a"),
               "s = '''\n# no comment\n'''\n");
    toml_check(toml_remove("[a]\nx = 1\n\n# vim: ft=toml\n", "/a"), "# vim: ft=toml\n");
}

TEST(all_pieces_of_a_table_go)
{
    toml_check(
        toml_remove("t = 1\n\n[a.b]\nx = 1\n\n# about c\n[c]\n\n[a]\ny.z = 1\n\n[[a.d]]\n\n[e]\n",
                    "/a"),
        "t = 1\n\n# about c\n[c]\n\n[e]\n");
    toml_check_stretch(
        toml_remove(toml_pyproject, "/tool/mypy"), toml_pyproject,
        "[tool.mypy]\nstrict = true\n\n# Tests are not typed\n[[tool.mypy.overrides]]\n"
        "module = \"tests.*\"\ndisallow_untyped_defs = false\n\n",
        "");
}

TEST(blank_lines_do_not_pile_up)
{
    toml_check(toml_remove("a = 1\n\nb = 2\n\nc = 3\n", "/b"), "a = 1\n\nc = 3\n");
    toml_check(toml_remove("a = 1\n\n\nb = 2\n\nc = 3\n", "/b"), "a = 1\n\n\nc = 3\n");
    toml_check(toml_remove("a = 1\nb = 2\n\nc = 3\n", "/b"), "a = 1\n\nc = 3\n");
    toml_check(toml_remove("a = 1\n\nb = 2\nc = 3\n", "/b"), "a = 1\n\nc = 3\n");
    toml_check(toml_remove("a = 1\n\n\nb = 2\n", "/b"), "a = 1\n");
    toml_check(toml_remove("a = 1\n\n\nb = 2\n", "/a"), "b = 2\n");
    toml_check(toml_remove("\n\nb = 2\n", "/b"), "\n\n");
}

TEST(the_next_takes_the_place_directly_under_the_header_above)
{
    toml_check(toml_remove("[m]\n  [[m.a]]\n    x = 1\n\n  [[m.a]]\n    x = 2\n", "/m/a/0"),
               "[m]\n  [[m.a]]\n    x = 2\n");
    toml_check(toml_remove("[m]\n[m.a]\nx = 1\n\n[m.b]\n", "/m/a"), "[m]\n[m.b]\n");
    toml_check(toml_remove("[m]\n[m.a]\nx = 1\n\n[b]\n", "/m/a"), "[m]\n\n[b]\n");
    toml_check(toml_remove("[m]\n\n[m.a]\nx = 1\n\n[m.b]\n", "/m/a"), "[m]\n\n[m.b]\n");
    toml_check(toml_remove("[m]\nq = 1\n[m.a]\nx = 1\n\n[m.b]\n", "/m/a"), "[m]\nq = 1\n\n[m.b]\n");
}
