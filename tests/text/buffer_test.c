#include "harness.h"

#include <stdint.h>
#include <string.h>

#include "heap.h"
#include "text/write.h"

TEST(text_is_added_behind_text_and_terminated)
{
    struct buffer buffer = {0};
    buffer_text(&buffer, "one");
    CHECK_TEXT(buffer.data, "one");
    buffer_add(&buffer, ", two...", 5);
    CHECK_TEXT(buffer.data, "one, two");
    buffer_repeat(&buffer, '!', 3);
    CHECK_TEXT(buffer.data, "one, two!!!");
    CHECK_INT(buffer.size, 11);
    CHECK(!buffer.failed);
    buffer_free(&buffer);
}

TEST(blanks_fill_up_to_a_column)
{
    struct buffer buffer = {0};
    buffer_text(&buffer, "one: \xc3\xa4");
    buffer_align(&buffer, 5, 3);
    CHECK_TEXT(buffer.data, "one: \xc3\xa4  ");
    buffer_align(&buffer, 5, 3);
    buffer_align(&buffer, 5, 0);
    CHECK_TEXT(buffer.data, "one: \xc3\xa4  ");
    buffer_free(&buffer);
}

TEST(nothing_added_is_an_empty_text)
{
    struct buffer buffer = {0};
    buffer_add(&buffer, NULL, 0);
    CHECK_TEXT(buffer.data, "");
    buffer_repeat(&buffer, 'x', 0);
    buffer_text(&buffer, "");
    CHECK_TEXT(buffer.data, "");
    CHECK_INT(buffer.size, 0);
    buffer_free(&buffer);
}

TEST(nul_bytes_are_kept)
{
    struct buffer buffer = {0};
    buffer_add(&buffer, "a\0b", 3);
    buffer_repeat(&buffer, '\0', 2);
    CHECK_BYTES(buffer.data, buffer.size, "a\0b\0\0", 5);
    buffer_free(&buffer);
}

TEST(it_grows_as_far_as_needed)
{
    struct buffer buffer = {0};
    for (int i = 0; i < 10000; i++)
        buffer_add(&buffer, "0123456789", 10);
    CHECK_INT(buffer.size, 100000);
    for (size_t i = 0; i < buffer.size; i++)
        CHECK_INT(buffer.data[i], '0' + i % 10);
    buffer_repeat(&buffer, 'z', 1000000);
    CHECK_INT(buffer.size, 1100000);
    CHECK_INT(buffer.data[1099999], 'z');
    CHECK_INT(buffer.data[1100000], '\0');
    buffer_free(&buffer);
}

TEST(a_freed_buffer_is_empty_and_can_be_used_again)
{
    struct buffer buffer = {0};
    buffer_free(&buffer);
    buffer_text(&buffer, "text");
    buffer_free(&buffer);
    buffer_free(&buffer);
    CHECK(!buffer.data && buffer.size == 0 && buffer.room == 0);
    buffer_text(&buffer, "again");
    CHECK_TEXT(buffer.data, "again");
    buffer_free(&buffer);
}

/* An impossible size stands for memory that ran out. */
TEST(after_a_failure_nothing_more_is_added)
{
    struct buffer buffer = {0};
    buffer_text(&buffer, "kept");
    buffer_repeat(&buffer, 'x', SIZE_MAX - 2);
    CHECK(buffer.failed);
    buffer_text(&buffer, "more");
    buffer_repeat(&buffer, 'x', 1);
    buffer_escape(&buffer, 'x');
    CHECK_TEXT(buffer.data, "kept");
    CHECK_INT(buffer.size, 4);
    buffer_free(&buffer);
    CHECK(!buffer.failed);
}

static bool add_much(void)
{
    struct buffer buffer = {0};
    size_t size = 0;
    for (int i = 0; i < 1000; i++) {
        size_t before = buffer.size;
        buffer_text(&buffer, "some text");
        size += buffer.size - before;
        CHECK(!buffer.data || (buffer.size < buffer.room && !buffer.data[buffer.size]));
    }
    bool all = !buffer.failed;
    CHECK_INT(size == 9000, all);
    buffer_free(&buffer);
    return all;
}

TEST(for_want_of_memory_it_fails_and_frees_what_it_had)
{
    CHECK(heap_walk(add_much) > 3);
}

TEST(escapes_have_four_digits_or_eight)
{
    struct buffer buffer = {0};
    buffer_escape(&buffer, 0);
    buffer_escape(&buffer, 0x1b);
    buffer_escape(&buffer, 0xffff);
    buffer_escape(&buffer, 0x10000);
    buffer_escape(&buffer, 0x10ffff);
    CHECK_TEXT(buffer.data, "\\u0000\\u001b\\uffff\\U00010000\\U0010ffff");
    buffer_free(&buffer);
}

static void check_character(const char *text, size_t size, size_t length, uint32_t expected)
{
    uint32_t code = 0;
    CHECK_INT(character_at(text, size, &code), length);
    CHECK_INT(code, expected);
}

TEST(characters_are_decoded_and_what_is_none_is_one_byte)
{
    check_character("a", 1, 1, 'a');
    check_character("\0", 1, 1, 0);
    check_character("\x7f", 1, 1, 0x7f);
    check_character("\xc3\xa9x", 3, 2, 0xe9);
    check_character("\xe2\x82\xac", 3, 3, 0x20ac);
    check_character("\xf0\x9f\x98\x80", 4, 4, 0x1f600);
    check_character("\xed\xa0\xbd", 3, 3, 0xd83d);
    check_character("\xed\xbf\xbf", 3, 3, 0xdfff);
    check_character("\xed\xa0", 2, 1, 0xfffd);
    check_character("\xc3", 1, 1, 0xfffd);
    check_character("\xe2\x82\xac", 2, 1, 0xfffd);
    check_character("\xff\xff", 2, 1, 0xfffd);
    check_character("\xc0\x80", 2, 1, 0xfffd);
    check_character("\x80", 1, 1, 0xfffd);
}
