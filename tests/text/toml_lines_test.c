#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml_changes.h"
#include "text/toml_lines.h"

TEST(ends_of_lines_are_those_of_most_lines)
{
    toml_check(toml_set("a = 1\r\n\r\n[t]\r\n", "/b", "2"), "a = 1\r\nb = 2\r\n\r\n[t]\r\n");
    toml_check(toml_set("a = 1\r\nb = 2\nc = 3\n", "/d", "4"), "a = 1\r\nb = 2\nc = 3\nd = 4\n");
    toml_check(toml_set("a = 1\r\n", "/t", "{\"x\": 1}"), "a = 1\r\n\r\n[t]\r\nx = 1\r\n");
    toml_check(toml_insert("a = [\r\n  1, # one\r\n]\r\n", "/a", 1, "2"),
               "a = [\r\n  1, # one\r\n  2,\r\n]\r\n");
}

TEST(a_missing_newline_at_the_end_stays_missing)
{
    toml_check(toml_set("a = 1", "/b", "2"), "a = 1\nb = 2");
    toml_check(toml_set("[t]", "/t/b", "2"), "[t]\nb = 2");
    toml_check(toml_set("a = 1 # one", "/t", "{\"x\": 1}"), "a = 1 # one\n\n[t]\nx = 1");
    toml_check(toml_remove("a = 1\nb = 2", "/b"), "a = 1");
    toml_check(toml_remove("a = 1\n\n[t]\nx = 1", "/t"), "a = 1");
    toml_check(toml_set("[t]\n[t.u]\nx = 1", "/t/u", "2"), "[t]\nu = 2");
}

TEST(a_byte_order_mark_stays_in_front)
{
    toml_check(toml_set("\xef\xbb\xbf[t]\n", "/a", "1"), "\xef\xbb\xbf"
                                                         "a = 1\n\n[t]\n");
    toml_check(toml_set("\xef\xbb\xbf", "/a", "1"), "\xef\xbb\xbf"
                                                    "a = 1\n");
    toml_check(toml_remove("\xef\xbb\xbf# one\na = 1\nb = 2\n", "/a"), "\xef\xbb\xbf"
                                                                       "b = 2\n");
}

static const char whole[] = "# whole\n"
                            "\n"
                            "# a1\n"
                            "# a2\n"
                            "a = '''\n"
                            "# no comment\n"
                            "''' # eol\n"
                            "# tail\n"
                            "\n"
                            "  # t\n"
                            "  [t]\n";

static struct toml_lines lines_of(struct toml_text *text)
{
    struct toml_lines lines;
    *text = toml_text_of(whole, sizeof whole - 1);
    lines_begin(&lines, &text->parsed);
    return lines;
}

static void check_line(uint64_t line, const char *text)
{
    CHECK_INT(line, strstr(whole, text) - whole);
}

TEST(comments_directly_above_are_owned)
{
    struct toml_text text;
    struct toml_lines lines = lines_of(&text);
    CHECK_INT(lines.count, 2);
    check_line(lines_owned(&lines, 0), "# a1");
    check_line(lines_owned(&lines, 1), "  # t");
    toml_text_free(&text);
}

TEST(comments_directly_below_are_the_tail)
{
    struct toml_text text;
    struct toml_lines lines = lines_of(&text);
    check_line(lines_behind(&lines, 0), "# tail");
    check_line(lines_tail(&lines, 0), "\n  # t");
    CHECK_INT(lines_behind(&lines, 1), sizeof whole - 1);
    CHECK_INT(lines_tail(&lines, 1), sizeof whole - 1);
    toml_text_free(&text);
}

TEST(a_line_is_blank_or_a_comment_or_neither)
{
    struct toml_text text;
    struct toml_lines lines = lines_of(&text);
    CHECK(lines_is_comment(&lines, 0) && !lines_is_blank(&lines, 0));
    uint64_t next = lines_next(&lines, 0);
    CHECK(lines_is_blank(&lines, next) && !lines_is_comment(&lines, next));
    CHECK_INT(lines_above(&lines, next), 0);
    CHECK(!lines_is_blank(&lines, lines.end) && !lines_is_comment(&lines, lines.end));
    struct span indent = lines_indent(&lines, 1);
    CHECK_INT(indent.end - indent.start, 2);
    toml_text_free(&text);
}

TEST(tables_are_separate_if_most_are)
{
    static const struct {
        const char *text;
        bool separate;
    } cases[] = {
        {"", true},
        {"[a]\n", true},
        {"[a]\n[b]\n", false},
        {"[a]\n\n# about b\n[b]\n", true},
        {"[a]\n# about b\n\n[b]\n[c]\n[d]\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct toml_text text = toml_text_of(cases[i].text, strlen(cases[i].text));
        struct toml_lines lines;
        lines_begin(&lines, &text.parsed);
        CHECK_INT(lines_separate_tables(&lines), cases[i].separate);
        toml_text_free(&text);
    }
}
