#include "harness.h"

#include <errno.h>
#include <string.h>

#include "base/pathtext.h"

static char directory[LIMIT_PATH], name[LIMIT_NAME + 1];

static const char *repeat(char letter, size_t count)
{
    static char text[2 * LIMIT_PATH];
    memset(text, letter, count);
    text[count] = '\0';
    return text;
}

TEST(a_path_splits_at_its_last_slash)
{
    static const char *const cases[][3] = {
        {"a/b", "a", "b"},         {"b", ".", "b"},           {"/b", "/", "b"},
        {"a/b/c", "a/b", "c"},     {"./b", ".", "b"},         {"../b", "..", "b"},
        {"a//b", "a/", "b"},       {"//b", "/", "b"},         {"a/../b", "a/..", "b"},
        {"a b/c d", "a b", "c d"}, {"a/.b", "a", ".b"},       {"a/...", "a", "..."},
        {"a/..b", "a", "..b"},     {"a\n/b\n", "a\n", "b\n"}, {".b", ".", ".b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_INT(path_split(cases[i][0], directory, name), 0);
        CHECK_TEXT(directory, cases[i][1]);
        CHECK_TEXT(name, cases[i][2]);
    }
}

TEST(an_empty_path_is_no_path)
{
    CHECK_INT(path_split("", directory, name), -ENOENT);
}

TEST(a_path_that_can_only_be_a_directory_is_told_apart)
{
    static const char *const paths[] = {"a/", "/",    "//",   ".",    "..", "a/.",
                                        "./", "a/..", "../.", "/a//", "/.."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK_INT(path_split(paths[i], directory, name), -EISDIR);
}

TEST(a_name_of_255_bytes_fits_and_one_more_does_not)
{
    CHECK_INT(path_split(repeat('n', LIMIT_NAME), directory, name), 0);
    CHECK_INT(strlen(name), LIMIT_NAME);
    CHECK_INT(path_split(repeat('n', LIMIT_NAME + 1), directory, name), -ENAMETOOLONG);
}

TEST(a_directory_of_4095_bytes_fits_and_one_more_does_not)
{
    char path[LIMIT_PATH + 16];
    memset(path, 'd', sizeof path);
    strcpy(path + LIMIT_PATH - 2, "/b");
    CHECK_INT(path_split(path, directory, name), 0);
    CHECK_INT(strlen(directory), LIMIT_PATH - 2);
    CHECK_TEXT(name, "b");
    strcpy(path + LIMIT_PATH - 2, "d/b");
    CHECK_INT(path_split(path, directory, name), -ENAMETOOLONG);
}

TEST(a_name_of_ours_is_the_name_itself_where_a_suffix_fits)
{
    char own[LIMIT_NAME + 1];
    path_own_name("a.json", LIMIT_SUFFIX, own);
    CHECK_TEXT(own, "a.json");
    path_own_name(repeat('n', LIMIT_NAME), 0, own);
    CHECK_TEXT(own, repeat('n', LIMIT_NAME));
    path_own_name(repeat('n', LIMIT_NAME - LIMIT_SUFFIX), LIMIT_SUFFIX, own);
    CHECK_TEXT(own, repeat('n', LIMIT_NAME - LIMIT_SUFFIX));
}

TEST(a_name_too_long_for_a_suffix_is_hashed)
{
    char own[LIMIT_NAME + 1], other[LIMIT_NAME + 1], again[LIMIT_NAME + 1];
    path_own_name(repeat('n', LIMIT_NAME - LIMIT_SUFFIX + 1), LIMIT_SUFFIX, own);
    path_own_name(repeat('m', LIMIT_NAME - LIMIT_SUFFIX + 1), LIMIT_SUFFIX, other);
    path_own_name(repeat('n', LIMIT_NAME - LIMIT_SUFFIX + 1), LIMIT_SUFFIX, again);
    CHECK_INT(own[0], '%');
    CHECK_INT(strlen(own), 33);
    CHECK_INT(strspn(own + 1, "0123456789abcdef"), 32);
    CHECK_TEXT(again, own);
    CHECK(strcmp(own, other) != 0);
}

TEST(random_digits_are_always_sixteen)
{
    char digits[17];
    path_digits(0, digits);
    CHECK_TEXT(digits, "0000000000000000");
    path_digits(UINT64_MAX, digits);
    CHECK_TEXT(digits, "ffffffffffffffff");
    path_digits(0x0123456789abcdef, digits);
    CHECK_TEXT(digits, "0123456789abcdef");
}

TEST(an_entry_is_a_name_a_dot_and_sixteen_digits)
{
    CHECK(path_is_own_entry("a.json.0123456789abcdef", "a.json"));
    CHECK(path_is_own_entry(".0123456789abcdef", ""));
    CHECK(path_is_own_entry("a.0123456789abcdef.0123456789abcdef", "a.0123456789abcdef"));
    static const char *const others[] = {
        "a.json",
        "a.json.",
        "a.json.0123456789abcde",
        "a.json.0123456789abcdef0",
        "a.json.0123456789abcdeF",
        "a.json.0123456789abcdeg",
        "a.json-0123456789abcdef",
        "a.jso.0123456789abcdef",
        "b.json.0123456789abcdef",
        "a.json.0123456789abcdef.0123456789abcdef",
        "",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!path_is_own_entry(others[i], "a.json"));
}

TEST(the_name_comes_back_out_of_an_entry)
{
    char entry[2 * LIMIT_NAME];
    CHECK(path_entry_name("a.json.0123456789abcdef", name));
    CHECK_TEXT(name, "a.json");
    CHECK(path_entry_name("a.0123456789abcdef.0123456789abcdef", name));
    CHECK_TEXT(name, "a.0123456789abcdef");
    strcpy(entry, repeat('n', LIMIT_NAME - LIMIT_SUFFIX));
    strcat(entry, ".0123456789abcdef");
    CHECK(path_entry_name(entry, name));
    CHECK_INT(strlen(name), LIMIT_NAME - LIMIT_SUFFIX);
}

TEST(what_is_no_entry_has_no_name)
{
    char entry[2 * LIMIT_NAME];
    static const char *const others[] = {
        "",       ".0123456789abcdef",  "a.0123456789abcde",   "a.0123456789abcdeF",
        "a.json", "a0123456789abcdef0", "a.0123456789abcdef ",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!path_entry_name(others[i], name));
    strcpy(entry, repeat('n', LIMIT_NAME - LIMIT_SUFFIX + 1));
    strcat(entry, ".0123456789abcdef");
    CHECK(!path_entry_name(entry, name));
}

TEST(our_own_folder_is_recognised_anywhere_in_a_path)
{
    static const char *const ours[] = {".untorn",        ".untorn-0",       "a/.untorn",
                                       ".untorn/lock/f", "/a/.untorn-12/b", "a//.untorn//b",
                                       "./.untorn"};
    static const char *const others[] = {"",          "a",          "untorn",   ".untorn-",
                                         ".untorn-x", ".untorns/a", "a.untorn", ".untorn-1x/b",
                                         "/",         ".untorn.d/f"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        CHECK(path_leads_into_own_folder(ours[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!path_leads_into_own_folder(others[i]));
}

TEST(a_suffix_is_compared_at_the_end)
{
    CHECK(path_ends_with("a.jsonl", ".jsonl"));
    CHECK(path_ends_with(".jsonl", ".jsonl"));
    CHECK(path_ends_with("a", ""));
    CHECK(path_ends_with("", ""));
    CHECK(!path_ends_with("jsonl", ".jsonl"));
    CHECK(!path_ends_with("a.jsonl.gz", ".jsonl"));
    CHECK(!path_ends_with("a.JSONL", ".jsonl"));
    CHECK(!path_ends_with("", "a"));
}
