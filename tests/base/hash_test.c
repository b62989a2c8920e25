#include "harness.h"

#include <string.h>

#include "base/hash.h"

static void fill(unsigned char *data, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (unsigned char)(state >> 24);
    }
}

static const char *text_of_hash(struct untorn_hash hash)
{
    static char text[UNTORN_HASH_TEXT_SIZE];
    return untorn_hash_format(&hash, text);
}

/* The published vectors of XXH3-128 without a seed, over the bytes that its own checks use. */
TEST(known_bytes_have_their_known_hashes)
{
    static const struct {
        size_t size;
        const char *hash;
    } vectors[] = {
        {0, "99aa06d3014798d86001c324468d497f"},    {1, "a6cd5e9392000f6ac44bdff4074eecdb"},
        {6, "082afe0b8162d12a3e7039bdda43cfc6"},    {12, "6e3efd8fc7802b18061a192713f69ad9"},
        {24, "0ce966e4678d37611e7044d28b1b901d"},   {48, "a002ac4e5478227ef942219aed80f67b"},
        {81, "4952f58181ab00425e8bafb9f95fb803"},   {222, "337e09641b948717f1aebd597cec6b3a"},
        {403, "1b6de21e332dd73dcdeb804d65c6dea4"},  {512, "18d2d110dcc9bca1617e49599013cb6b"},
        {2048, "f736557fd47073a5dd59e2c3a5f038e0"}, {2367, "e89c0f6ff369b427cb37aeb9e5d361ed"},
    };
    unsigned char data[2367];
    uint64_t state = 2654435761u;
    for (size_t i = 0; i < sizeof data; i++, state *= 11400714785074694797u)
        data[i] = (unsigned char)(state >> 56);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        CHECK_TEXT(text_of_hash(untorn_hash(data, vectors[i].size)), vectors[i].hash);
}

TEST(the_hash_of_no_bytes_needs_no_pointer)
{
    CHECK_TEXT(text_of_hash(untorn_hash(NULL, 0)), "99aa06d3014798d86001c324468d497f");
}

TEST(hashing_piece_by_piece_is_hashing_at_once)
{
    enum { SIZE = 3000 };
    unsigned char data[SIZE];
    fill(data, SIZE);
    for (size_t size = 0; size <= SIZE; size = size < 300 ? size + 1 : size + 97) {
        struct untorn_hash whole = untorn_hash(data, size);
        for (size_t split = 0; split <= size; split = split * 5 / 4 + 1) {
            struct hash_stream stream;
            hash_begin(&stream);
            hash_add(&stream, data, split);
            hash_add(&stream, data + split, size - split);
            struct untorn_hash pieces = hash_end(&stream);
            CHECK(untorn_hash_equal(&whole, &pieces));
        }
    }
}

TEST(many_small_pieces_are_the_whole)
{
    enum { SIZE = 5000 };
    unsigned char data[SIZE];
    fill(data, SIZE);
    struct untorn_hash whole = untorn_hash(data, SIZE);
    for (size_t piece = 1; piece < 600; piece = piece * 3 / 2 + 1) {
        struct hash_stream stream;
        hash_begin(&stream);
        for (size_t at = 0; at < SIZE; at += piece)
            hash_add(&stream, data + at, SIZE - at < piece ? SIZE - at : piece);
        struct untorn_hash pieces = hash_end(&stream), again = hash_end(&stream);
        CHECK(untorn_hash_equal(&whole, &pieces));
        CHECK(untorn_hash_equal(&whole, &again));
    }
}

TEST(a_stream_can_be_begun_again_and_lie_anywhere)
{
    char room[sizeof(struct hash_stream) + 64];
    struct untorn_hash expected = untorn_hash("ab", 2);
    for (size_t at = 0; at < 64; at++) {
        struct hash_stream *stream = (struct hash_stream *)(void *)(room + at);
        for (int i = 0; i < 2; i++) {
            hash_begin(stream);
            hash_add(stream, "a", 1);
            hash_add(stream, "b", 1);
            struct untorn_hash hash = hash_end(stream);
            CHECK(untorn_hash_equal(&hash, &expected));
        }
    }
}

TEST(every_bit_of_the_content_changes_the_hash)
{
    enum { SIZE = 300 };
    unsigned char data[SIZE];
    fill(data, SIZE);
    struct untorn_hash before = untorn_hash(data, SIZE);
    for (int bit = 0; bit < SIZE * 8; bit++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        struct untorn_hash after = untorn_hash(data, SIZE);
        CHECK(!untorn_hash_equal(&before, &after));
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

TEST(hashes_that_differ_in_one_bit_are_not_equal)
{
    struct untorn_hash a = untorn_hash("a", 1), b = a;
    CHECK(untorn_hash_equal(&a, &b));
    for (int bit = 0; bit < 128; bit++) {
        b.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!untorn_hash_equal(&a, &b));
        b.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

TEST(a_hash_is_printed_as_32_lower_case_digits)
{
    struct untorn_hash hash;
    char text[UNTORN_HASH_TEXT_SIZE];
    for (int i = 0; i < 16; i++)
        hash.bytes[i] = (uint8_t)(i * 17);
    CHECK(untorn_hash_format(&hash, text) == text);
    CHECK_TEXT(text, "00112233445566778899aabbccddeeff");
}

TEST(what_is_printed_can_be_read_in_either_case)
{
    struct untorn_hash hash = untorn_hash("x", 1), lower, upper;
    char text[UNTORN_HASH_TEXT_SIZE];
    CHECK(untorn_hash_parse(untorn_hash_format(&hash, text), &lower));
    for (char *c = text; *c; c++)
        if (*c >= 'a')
            *c = (char)(*c - 'a' + 'A');
    CHECK(untorn_hash_parse(text, &upper));
    CHECK(untorn_hash_equal(&hash, &lower));
    CHECK(untorn_hash_equal(&hash, &upper));
}

TEST(what_is_no_hash_is_refused_and_nothing_is_written)
{
    static const char *const wrong[] = {
        "",
        "0",
        "0011223344556677889900112233445",
        "001122334455667788990011223344556",
        "0011223344556677889900112233445g",
        "0x112233445566778899001122334455",
        " 0112233445566778899001122334455",
        "0011223344556677889900112233445\n",
        "001122334455667788990011223344:5",
        "001122334455667788990011223344/5",
        "001122334455667788990011223344@5",
        "001122334455667788990011223344G5",
        "001122334455667788990011223344`5",
    };
    struct untorn_hash untouched = untorn_hash("y", 1), hash = untouched;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!untorn_hash_parse(wrong[i], &hash));
        CHECK(untorn_hash_equal(&hash, &untouched));
    }
}
