#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "text/json_scan.h"

/* `raw` without its quotes; `decoded` has no more room than promised. */
static void check(const char *raw, const char *expected, size_t expected_size)
{
    size_t size = strlen(raw) + 2;
    char *quoted = malloc(size), *decoded = malloc(size);
    CHECK(quoted && decoded);
    quoted[0] = quoted[size - 1] = '"';
    memcpy(quoted + 1, raw, size - 2);
    size_t decoded_size = json_decode(quoted, size, decoded);
    CHECK_BYTES(decoded, decoded_size, expected, expected_size);
    CHECK(decoded_size <= size - 2);
    free(quoted);
    free(decoded);
}

TEST(plain_text_means_itself)
{
    check("", "", 0);
    check("abc", "abc", 3);
    check("\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac", 5);
}

TEST(each_escape_means_its_character)
{
    check("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8);
    check("a\\nb", "a\nb", 3);
    check("\\\\n", "\\n", 2);
}

TEST(numbered_characters_become_utf_8)
{
    check("\\u0000", "", 1);
    check("\\u0041\\u007f", "A\x7f", 2);
    check("\\u0080\\u00e9\\u07ff", "\xc2\x80\xc3\xa9\xdf\xbf", 6);
    check("\\u0800\\u20AC\\u20ac\\uffff", "\xe0\xa0\x80\xe2\x82\xac\xe2\x82\xac\xef\xbf\xbf", 12);
}

TEST(two_halves_are_one_character)
{
    check("\\ud83d\\ude00", "\xf0\x9f\x98\x80", 4);
    check("\\uD800\\uDC00", "\xf0\x90\x80\x80", 4);
    check("\\udbff\\udfff", "\xf4\x8f\xbf\xbf", 4);
}

TEST(a_half_alone_is_kept)
{
    check("\\ud800", "\xed\xa0\x80", 3);
    check("\\udc00", "\xed\xb0\x80", 3);
    check("\\ud800x", "\xed\xa0\x80x", 4);
    check("\\ud800\\n", "\xed\xa0\x80\n", 4);
    check("\\ud800\\u0041",
          "\xed\xa0\x80"
          "A",
          4);
    check("\\udc00\\ud800", "\xed\xb0\x80\xed\xa0\x80", 6);
    check("\\ud800\\ud800\\udc00", "\xed\xa0\x80\xf0\x90\x80\x80", 7);
}
