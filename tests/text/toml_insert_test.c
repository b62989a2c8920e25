#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(lines_of_an_array_keep_their_comments)
{
    toml_check_stretch(toml_insert(toml_pyproject, "/project/dependencies", 2, "\"rich\""),
                       toml_pyproject, "    # until", "    \"rich\",\n    # until");
    toml_check_stretch(toml_insert(toml_pyproject, "/project/dependencies", 3, "\"rich\""),
                       toml_pyproject, "\"httpx==0.27.0\",\n",
                       "\"httpx==0.27.0\",\n    \"rich\",\n");
    toml_check_stretch(toml_remove(toml_pyproject, "/project/dependencies/1"), toml_pyproject,
                       "    \"click>=8.1,<9\", # 9 drops MultiCommand\n", "");
    toml_check_stretch(toml_remove(toml_pyproject, "/project/dependencies/2"), toml_pyproject,
                       "    # until the fix is out\n    \"httpx==0.27.0\",\n", "");
}

TEST(an_array_is_extended_as_it_is_written)
{
    toml_check(toml_insert("a = []\n", "/a", 0, "1"), "a = [1]\n");
    toml_check(toml_insert("a = [1]\n", "/a", 1, "2"), "a = [1, 2]\n");
    toml_check(toml_insert("a = [1,2]\n", "/a", 0, "0"), "a = [0,1,2]\n");
    toml_check(toml_insert("a = [ 1 , 2 ]\n", "/a", 2, "3"), "a = [ 1 , 2 , 3 ]\n");
    toml_check(toml_insert("a = [1, 2, ]\n", "/a", 2, "3"), "a = [1, 2, 3, ]\n");
    toml_check(toml_insert("a = [\n  1 # one\n]\n", "/a", 1, "2"), "a = [\n  1, # one\n  2\n]\n");
    toml_check(toml_insert("a = [\n  1]\n", "/a", 1, "2"), "a = [\n  1,\n  2]\n");
    toml_check(toml_insert("a = [\n  1, 2, # two\n  3\n]\n", "/a", 1, "5"),
               "a = [\n  1, 5, 2, # two\n  3\n]\n");
    toml_check(toml_insert("a = [ 1 # one\n    , 2 # two\n    ]\n", "/a", 2, "3"),
               "a = [ 1 # one\n    , 2 # two\n    , 3\n    ]\n");
    toml_check(toml_insert("a = [\"x\",\n     \"y\"]\n", "/a", 0, "\"w\""),
               "a = [\"w\",\n     \"x\",\n     \"y\"]\n");
    toml_check(toml_insert("a = [\n  # nothing yet\n]\n", "/a", 0, "1"),
               "a = [\n  1,\n  # nothing yet\n]\n");
    toml_check(toml_insert("\ta = [\n\t]\n", "/a", 0, "1"), "\ta = [\n\t\t1,\n\t]\n");
}
