#include "harness.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* As the tables of the standard have it, for any number and any length, valid or not. */
static void encode(uint32_t code, size_t length, char *text)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(first[length] | code);
}

static size_t right_length(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

TEST(every_code_point_but_surrogates_is_well_formed)
{
    char text[4];
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        encode(code, right_length(code), text);
        CHECK_INT(utf8_length(text, 4), surrogate ? 0 : right_length(code));
    }
}

TEST(nothing_lies_above_the_last_code_point)
{
    char text[4];
    for (uint32_t code = 0x110000; code < 0x200000; code += 7) {
        encode(code, 4, text);
        CHECK_INT(utf8_length(text, 4), 0);
    }
}

TEST(overlong_forms_are_refused)
{
    char text[4];
    for (uint32_t code = 0; code < 0x10000; code++) {
        for (size_t length = right_length(code) + 1; length <= 4; length++) {
            encode(code, length, text);
            CHECK_INT(utf8_length(text, 4), 0);
        }
    }
}

TEST(a_sequence_that_is_cut_off_is_refused)
{
    static const uint32_t codes[] = {0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char text[4];
        encode(codes[i], right_length(codes[i]), text);
        for (size_t size = 1; size < right_length(codes[i]); size++)
            CHECK_INT(utf8_length(text, size), 0);
        CHECK_INT(utf8_length(text, right_length(codes[i])), right_length(codes[i]));
    }
}

TEST(exactly_the_well_formed_pairs_and_triples_are_accepted)
{
    int pairs = 0, triples = 0;
    for (uint32_t bytes = 0; bytes < 1u << 24; bytes++) {
        char text[3] = {(char)(bytes >> 16), (char)(bytes >> 8), (char)bytes};
        size_t length = utf8_length(text, 3);
        CHECK(length != 4);
        triples += length == 3;
        pairs += length == 2 && (bytes & 0xff) == 0;
    }
    CHECK_INT(pairs, 0x800 - 0x80);
    CHECK_INT(triples, 0x10000 - 0x800 - 0x800);
}

TEST(a_byte_that_begins_nothing_is_refused)
{
    for (int byte = 0x80; byte < 0x100; byte++) {
        char text[4] = {(char)byte, (char)0x80, (char)0x80, (char)0x80};
        if (byte < 0xc2 || byte > 0xf4)
            CHECK_INT(utf8_length(text, 4), 0);
        memset(text + 1, 'a', 3);
        CHECK_INT(utf8_length(text, 4), 0);
    }
}
