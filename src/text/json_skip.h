/* Inside of the JSON scanner: over blanks and the insides of strings, 16 bytes at a time where
 * there is SSE2. JSON_SCAN_PORTABLE leaves that out, so that tests can compare. */
#ifndef UNTORN_TEXT_JSON_SKIP_H
#define UNTORN_TEXT_JSON_SKIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) && !defined(JSON_SCAN_PORTABLE)
#define WITH_SSE2 1
#include <emmintrin.h>
#else
#define WITH_SSE2 0
#endif

static inline bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* ---- UTF-8, as an automaton: a row for each byte, a state is how far the row is shifted ---- */

/* The states are multiples of 6, the bits a shift needs. */
enum {
    UTF8_WRONG = 0, /* and stays so: all rows have it at 0 */
    UTF8_GOOD = 6,
    UTF8_1_MORE = 12,
    UTF8_2_MORE = 18,
    UTF8_3_MORE = 24,
    UTF8_AFTER_E0 = 30,
    UTF8_AFTER_ED = 36,
    UTF8_AFTER_F0 = 42,
    UTF8_AFTER_F4 = 48,
};

#define FROM(state, to) ((uint64_t)(to) << (state))
#define LEAD(to) FROM(UTF8_GOOD, to)
#define TAIL                                                                                       \
    (FROM(UTF8_1_MORE, UTF8_GOOD) | FROM(UTF8_2_MORE, UTF8_1_MORE) | FROM(UTF8_3_MORE, UTF8_2_MORE))
/* 80 to 8F, 90 to 9F, A0 to BF. */
#define LOW (TAIL | FROM(UTF8_AFTER_ED, UTF8_1_MORE) | FROM(UTF8_AFTER_F4, UTF8_2_MORE))
#define MIDDLE (TAIL | FROM(UTF8_AFTER_ED, UTF8_1_MORE) | FROM(UTF8_AFTER_F0, UTF8_2_MORE))
#define HIGH (TAIL | FROM(UTF8_AFTER_E0, UTF8_1_MORE) | FROM(UTF8_AFTER_F0, UTF8_2_MORE))
#define TIMES_2(row) row, row
#define TIMES_4(row) TIMES_2(row), TIMES_2(row)
#define TIMES_16(row) TIMES_4(row), TIMES_4(row), TIMES_4(row), TIMES_4(row)
#define TIMES_64(row) TIMES_16(row), TIMES_16(row), TIMES_16(row), TIMES_16(row)
#define TWO LEAD(UTF8_1_MORE)
#define THREE LEAD(UTF8_2_MORE)
#define FOUR LEAD(UTF8_3_MORE)

static const uint64_t utf8_rows[256] = {
    [0x00] = TIMES_64(LEAD(UTF8_GOOD)),
    [0x40] = TIMES_64(LEAD(UTF8_GOOD)),
    [0x80] = TIMES_16(LOW),
    [0x90] = TIMES_16(MIDDLE),
    [0xa0] = TIMES_16(HIGH),
    [0xb0] = TIMES_16(HIGH),
    [0xc2] = TIMES_2(TWO),
    [0xc4] = TIMES_4(TWO),
    [0xc8] = TIMES_4(TWO),
    [0xcc] = TIMES_4(TWO),
    [0xd0] = TIMES_16(TWO),
    [0xe0] = LEAD(UTF8_AFTER_E0),
    [0xe1] = TIMES_4(THREE),
    [0xe5] = TIMES_4(THREE),
    [0xe9] = TIMES_4(THREE),
    [0xed] = LEAD(UTF8_AFTER_ED),
    [0xee] = TIMES_2(THREE),
    [0xf0] = LEAD(UTF8_AFTER_F0),
    [0xf1] = FOUR,
    [0xf2] = TIMES_2(FOUR),
    [0xf4] = LEAD(UTF8_AFTER_F4),
};

static inline uint64_t utf8_step(uint64_t state, char byte)
{
    return utf8_rows[(unsigned char)byte] >> (state & 63);
}

static inline bool utf8_is(uint64_t state, unsigned expected)
{
    return (state & 63) == expected;
}

/* Where the character begins that `at` is in the midst of, or, if `state` says so, behind. */
static inline const char *character_start(const char *at, uint64_t state)
{
    if (utf8_is(state, UTF8_GOOD))
        return at;
    do
        at--;
    while (((unsigned char)*at & 0xc0) == 0x80);
    return at;
}

/* ---- skipping; all return where it stops, at most `end` ---- */

#if WITH_SSE2
typedef __m128i block;

static inline block block_at(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline block equal(block bytes, char byte)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

static inline unsigned bits(block bytes)
{
    return (unsigned)_mm_movemask_epi8(bytes);
}

static inline size_t first_of(unsigned set)
{
    return (size_t)__builtin_ctz(set);
}
#endif

static inline const char *skip_blanks(const char *at, const char *end)
{
    if (at < end && (unsigned char)*at > ' ')
        return at;
    if (end - at >= 2 && *at == ' ' && (unsigned char)at[1] > ' ')
        return at + 1;
#if WITH_SSE2
    for (; end - at >= 16; at += 16) {
        block bytes = block_at(at);
        block blanks = _mm_or_si128(_mm_or_si128(equal(bytes, ' '), equal(bytes, '\n')),
                                    _mm_or_si128(equal(bytes, '\r'), equal(bytes, '\t')));
        unsigned others = bits(blanks) ^ 0xffff;
        if (others)
            return at + first_of(others);
    }
#endif
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* Over ASCII that stands for itself in a string. */
static inline const char *skip_plain(const char *at, const char *end)
{
#if WITH_SSE2
    for (; end - at >= 16; at += 16) {
        block bytes = block_at(at);
        /* As signed numbers, what is not ASCII is below the blank too. */
        block special = _mm_or_si128(_mm_or_si128(equal(bytes, '"'), equal(bytes, '\\')),
                                     _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
        unsigned set = bits(special);
        if (set)
            return at + first_of(set);
    }
#endif
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)(*at - ' ') < 0x80 - ' ')
        at++;
    return at;
}

/* The size of a number that ends within 16 bytes; 0: there is none such, or it is wrong. */
static inline size_t short_number(const char *at, const char *end, bool *ret_integer)
{
#if WITH_SSE2
    if (end - at < 16)
        return 0;
    block values = _mm_sub_epi8(block_at(at), _mm_set1_epi8('0'));
    block digits = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
    unsigned others = ~bits(digits); /* the upper half: all are */
    size_t first = *at == '-', size = first_of(others >> first << first);
    if (size == first || size == 16 || (at[first] == '0' && size > first + 1))
        return 0;
    *ret_integer = true;
    if (at[size] == '.') {
        first = size + 1;
        size = first_of(others >> first << first);
        if (size == first || size >= 16)
            return 0;
        *ret_integer = false;
    }
    return (at[size] | 0x20) == 'e' ? 0 : size;
#else
    (void)at, (void)end, (void)ret_integer;
    return 0;
#endif
}

/* Over one character; over none if it is wrong or not complete. */
static inline const char *skip_character(const char *at, const char *end)
{
    uint64_t state = UTF8_GOOD;
    for (const char *next = at; next < end;) {
        state = utf8_step(state, *next++);
        if (utf8_is(state, UTF8_GOOD))
            return next;
        if (utf8_is(state, UTF8_WRONG))
            break;
    }
    return at;
}

/* Over characters that are not ASCII, and perhaps others between them that stand for themselves in
 * a string. Stops before a character that is wrong or not complete. */
static inline const char *skip_utf8(const char *at, const char *end)
{
    uint64_t state = UTF8_GOOD, before;
#if WITH_SSE2
    for (; end - at >= 16; at += 16) {
        block bytes = block_at(at);
        block control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        block special = _mm_or_si128(equal(bytes, '"'), equal(bytes, '\\'));
        if (bits(bytes) == 0 && utf8_is(state, UTF8_GOOD))
            return at;
        size_t count = first_of(bits(_mm_or_si128(special, control)) | 0x10000);
        before = state;
        for (size_t i = 0; i < count; i++)
            state = utf8_step(state, at[i]);
        if (utf8_is(state, UTF8_WRONG)) {
            state = before; /* and once more, byte for byte */
            break;
        }
        if (count < 16)
            return character_start(at + count, state);
    }
#endif
    for (; at < end && !(utf8_is(state, UTF8_GOOD) && (unsigned char)*at < 0x80); at++) {
        before = state;
        state = utf8_step(state, *at);
        if (utf8_is(state, UTF8_WRONG))
            return character_start(at, before);
    }
    return character_start(at, state);
}

#endif
