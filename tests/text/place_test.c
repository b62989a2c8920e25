#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "text/place.h"

static void check_place(const char *text, uint64_t position, uint64_t line, uint64_t column)
{
    struct text_place place = text_place(text, strlen(text), position);
    CHECK_INT(place.line, line);
    CHECK_INT(place.column, column);
}

static void check_excerpt(const char *text, uint64_t position, const char *expected)
{
    char excerpt[512];
    text_excerpt(text, strlen(text), position, excerpt, sizeof excerpt);
    CHECK_TEXT(excerpt, expected);
}

TEST(lines_and_columns_count_from_one)
{
    check_place("", 0, 1, 1);
    check_place("abc", 0, 1, 1);
    check_place("abc", 2, 1, 3);
    check_place("abc", 3, 1, 4);
    check_place("a\nbc\n\nd", 1, 1, 2);
    check_place("a\nbc\n\nd", 2, 2, 1);
    check_place("a\nbc\n\nd", 4, 2, 3);
    check_place("a\nbc\n\nd", 5, 3, 1);
    check_place("a\nbc\n\nd", 6, 4, 1);
    check_place("a\n", 2, 2, 1);
    check_place("a\r\nb", 3, 2, 1);
}

TEST(a_column_counts_characters_not_bytes)
{
    check_place("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80x", 9, 1, 4);
    check_place("a\n\xc3\xa9=", 4, 2, 2);
    check_place("\xc3\xa9", 1, 1, 1);  /* in the midst of one */
    check_place("\xff\xfex", 2, 1, 3); /* what is no character is one for each byte */
    check_place("\tx", 1, 1, 2);
}

TEST(a_width_counts_columns_of_a_terminal)
{
    CHECK_INT(text_width("", 0), 0);
    CHECK_INT(text_width("key", 3), 3);
    CHECK_INT(text_width("\xc3\xa4\xe6\x97\xa5", 5), 3);
    CHECK_INT(text_width("e\xcc\x81", 3), 1);
}

TEST(a_byte_order_mark_has_no_column)
{
    check_place("\xef\xbb\xbf{", 3, 1, 1);
    check_place("\xef\xbb\xbf{", 0, 1, 1);
    check_place("\xef\xbb\xbf{", 4, 1, 2);
    check_excerpt("\xef\xbb\xbf{x", 4, "  {x\n   ^");
    check_excerpt("\xef\xbb\xbf{x", 0, "  {x\n  ^");
}

TEST(a_place_beyond_the_end_is_the_end)
{
    check_place("ab", 99, 1, 3);
    check_place("", 99, 1, 1);
    check_excerpt("ab", UINT64_MAX, "  ab\n    ^");
}

TEST(the_caret_stands_under_the_place)
{
    check_excerpt("port = = 1", 7, "  port = = 1\n         ^");
    check_excerpt("a\nport = = 1\nb", 9, "  port = = 1\n         ^");
    check_excerpt("abc", 0, "  abc\n  ^");
    check_excerpt("abc", 3, "  abc\n     ^");
    check_excerpt("abc\n", 3, "  abc\n     ^");
    check_excerpt(" \n", 0, "   \n  ^");
}

TEST(of_an_empty_line_there_is_no_excerpt)
{
    check_excerpt("", 0, "");
    check_excerpt("abc\n", 4, "");
    check_excerpt("a\r\n\r\n", 3, "");
    check_excerpt("\xef\xbb\xbf", 3, "");
}

TEST(the_end_of_a_line_is_not_shown_however_it_is_spelled)
{
    check_excerpt("ab\r\ncd\r\n", 1, "  ab\n   ^");
    check_excerpt("ab\r\ncd\r\n", 2, "  ab\n    ^");
    check_excerpt("ab\r\ncd\r\n", 3, "  ab\n    ^");
    check_excerpt("ab\r\ncd\r\n", 4, "  cd\n  ^");
    check_excerpt("ab\rcd", 3, "  ab?cd\n     ^");
    check_excerpt("ab\r", 2, "  ab\n    ^");
}

TEST(a_tab_is_a_tab_in_both_lines)
{
    check_excerpt("\tx =\t1", 5, "  \tx =\t1\n  \t   \t^");
}

TEST(what_a_terminal_would_obey_is_not_shown)
{
    check_excerpt("a\x1b[31mb\x7f", 6, "  a?[31mb?\n        ^");
    check_excerpt("a\xff\xc3.x", 4, "  a??.x\n      ^");
    check_excerpt("\xc2\x9b\xc2\xa0x", 4, "  ?\xc2\xa0x\n    ^");
    check_excerpt("a\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8z", 10, "  a???z\n      ^");
    char excerpt[64];
    text_excerpt("a\0b", 3, 2, excerpt, sizeof excerpt);
    CHECK_TEXT(excerpt, "  a?b\n    ^");
}

TEST(the_caret_is_indented_by_what_a_terminal_shows)
{
    check_excerpt("\xc3\xa9\xe2\x82\xacx", 5, "  \xc3\xa9\xe2\x82\xacx\n    ^");
    check_excerpt("\xc3\xa9\xe2\x82\xac", 3, "  \xc3\xa9\xe2\x82\xac\n   ^");
    check_excerpt("\xe6\x88\x91x", 3, "  \xe6\x88\x91x\n    ^");         /* wide */
    check_excerpt("\xf0\x9f\x98\x80x", 4, "  \xf0\x9f\x98\x80x\n    ^"); /* wide */
    check_excerpt("e\xcc\x81x", 3, "  e\xcc\x81x\n   ^");                /* e and an accent */
    check_excerpt("\xff\xc3x", 2, "  ??x\n    ^");
}

/* ---- long lines ---- */

static size_t count_of(const char *text, char byte)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == byte;
    return count;
}

TEST(a_long_line_is_cut_around_the_place)
{
    char text[1001], excerpt[512];
    memset(text, 'x', 1000);
    text[1000] = '\0';
    text[500] = '!';
    text_excerpt(text, 1000, 500, excerpt, sizeof excerpt);
    CHECK_BYTES(excerpt, 6, "  ...x", 6);
    const char *newline = strchr(excerpt, '\n'), *mark = strchr(excerpt, '!');
    CHECK(newline && mark);
    CHECK_BYTES(newline - 4, 4, "x...", 4);
    CHECK_INT(strchr(newline, '^') - newline - 1, mark - excerpt);
    CHECK_INT(count_of(excerpt, 'x') + 1, 72);
}

TEST(a_long_line_is_not_cut_where_it_begins_or_ends)
{
    char text[201], excerpt[512];
    memset(text, 'x', 200);
    text[200] = '\0';
    text_excerpt(text, 200, 3, excerpt, sizeof excerpt);
    CHECK_BYTES(excerpt, 3, "  x", 3);
    CHECK_TEXT(strchr(excerpt, '\n'), "\n     ^");
    text_excerpt(text, 200, 200, excerpt, sizeof excerpt);
    CHECK_BYTES(excerpt, 6, "  ...x", 6);
    CHECK_BYTES(strchr(excerpt, '\n') - 2, 2, "xx", 2);
}

TEST(a_line_that_fits_is_shown_whole)
{
    char text[73], excerpt[512];
    memset(text, 'x', 72);
    text[72] = '\0';
    for (size_t at = 0; at <= 72; at++) {
        text_excerpt(text, 72, at, excerpt, sizeof excerpt);
        CHECK_INT(count_of(excerpt, 'x'), 72);
        CHECK_INT(count_of(excerpt, '.'), 0);
        CHECK_INT(strlen(excerpt), 2 + 72 + 1 + 2 + at + 1);
    }
}

TEST(an_excerpt_fits_into_any_room)
{
    enum { SIZE = 400 };
    static const char pattern[] = "\xf0\x9f\x98\x80\xc3\xa9x\t\xff\xe2\x82\xac\x01";
    char text[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        text[i] = pattern[i % (sizeof pattern - 1)];
    for (size_t room = 0; room < 500; room += room < 100 ? 1 : 13) {
        char *excerpt = malloc(room ? room : 1); /* so that a sanitizer sees a byte too many */
        CHECK(excerpt);
        for (size_t at = 0; at <= SIZE; at += 3) {
            text_excerpt(text, SIZE, at, excerpt, room);
            CHECK(room == 0 || memchr(excerpt, '\0', room));
            CHECK(room < 70 || strchr(excerpt, '^'));
        }
        free(excerpt);
    }
}

TEST(a_line_of_megabytes_costs_no_more_than_what_is_shown)
{
    size_t size = 8000000;
    char *text = malloc(size), excerpt[512];
    CHECK(text);
    memset(text, '[', size);
    for (size_t i = 0; i < 20000; i++) /* going through all of it each time would not come back */
        text_excerpt(text, size, size - i, excerpt, sizeof excerpt);
    CHECK(strchr(excerpt, '^'));
    free(text);
}
