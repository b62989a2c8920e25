#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"

TEST(an_array_is_cut_as_it_is_written)
{
    toml_check(toml_remove("a = [1, 2, 3]\n", "/a/2"), "a = [1, 2]\n");
    toml_check(toml_remove("a = [1, 2, 3]\n", "/a/0"), "a = [2, 3]\n");
    toml_check(toml_remove("a = [ 1 ]\n", "/a/0"), "a = []\n");
    toml_check(toml_remove("a = [\n  1, # one\n  2 # two\n]\n", "/a/1"), "a = [\n  1 # one\n]\n");
    toml_check(toml_remove("a = [\n  1, # one\n  2]\n", "/a/1"), "a = [\n  1 # one\n]\n");
    toml_check(toml_remove("a = [\n  1,\n\n  2,\n\n  3,\n]\n", "/a/1"), "a = [\n  1,\n\n  3,\n]\n");
    toml_check(toml_remove("a = [\n  1, 2, # two\n  3\n]\n", "/a/1"),
               "a = [\n  1, # two\n  3\n]\n");
    toml_check(toml_remove("a = [ 1 # one\n    , 2 # two\n    , 3\n    ]\n", "/a/1"),
               "a = [ 1 # one\n    , 3\n    ]\n");
}

TEST(comments_of_an_element_go_with_it_in_an_array_too)
{
    static const char array[] = "a = [ # all\n"
                                "  # about one\n"
                                "  1, # one\n"
                                "\n"
                                "  # alone\n"
                                "\n"
                                "  2, # two\n"
                                "  # the end\n"
                                "]\n";
    toml_check_stretch(toml_remove(array, "/a/0"), array, "  # about one\n  1, # one\n", "");
    toml_check_stretch(toml_remove(array, "/a/1"), array, "  2, # two\n", "");
}

TEST(a_comma_never_ends_up_behind_a_comment)
{
    toml_check(toml_remove("a = [\n  1, # one\n  # about two\n  2]\n", "/a/1"),
               "a = [\n  1 # one\n]\n");
    toml_check(toml_remove("a = [ 1, # one\n  2, # two\n  3 ]\n", "/a/0"),
               "a = [ # one\n  2, # two\n  3 ]\n");
    toml_check(toml_remove("a = [ 1 # one\n  , 2 # two\n]\n", "/a/0"),
               "a = [ # one\n  2 # two\n]\n");
    toml_check(toml_remove("a = [1, # one\n2, ]\n", "/a/1"), "a = [1, # one\n ]\n");
}

TEST(several_entries_go_at_once)
{
    toml_check(toml_remove("a = {b.c = 1, b.d = 2}\n", "/a/b"), "a = {}\n");
    toml_check(toml_remove("a = {b.c = 1, b.d = 2, e = 3}\n", "/a/b"), "a = {e = 3}\n");
    toml_check(toml_remove("a = {e = 3, b.c = 1, b.d = 2}\n", "/a/b"), "a = {e = 3}\n");
    toml_check(
        toml_remove("a = {\n  b.c = 1, # one\n  e = 3, # three\n  b.d = 2 # two\n}\n", "/a/b"),
        "a = {\n  e = 3 # three\n}\n");
}

TEST(no_blank_line_is_left_at_a_bracket)
{
    static const char text[] = "a = [\n  1, # one\n\n  # two\n  2,\n\n  3,\n]\n";
    toml_check(toml_remove(text, "/a/0"), "a = [\n  # two\n  2,\n\n  3,\n]\n");
    toml_check(toml_remove(text, "/a/1"), "a = [\n  1, # one\n\n  3,\n]\n");
    toml_check(toml_remove(text, "/a/2"), "a = [\n  1, # one\n\n  # two\n  2,\n]\n");
    toml_check(toml_remove("a = [\n\n  1,\n\n  2,\n\n]\n", "/a/0"), "a = [\n\n  2,\n\n]\n");
    toml_check(toml_remove("a = [\n  1,\n  2,\n\n  # end\n]\n", "/a/1"),
               "a = [\n  1,\n\n  # end\n]\n");
    toml_check(toml_remove("a = [ # all\n\n  1,\n  2,\n]\n", "/a/0"), "a = [ # all\n\n  2,\n]\n");
}
