/* Inside of the JSON scanner: 64 bytes of a text at once. A set has a bit for each of them, the
 * lowest for the first, so that one operation on a number does it for all 64.
 *
 *     struct planes planes = planes_at(text);
 *     struct kinds kinds = kinds_in(&planes);
 *     if (kinds.quotes & 1) ...                   text[0] is a quote
 */
#ifndef UNTORN_TEXT_JSON_BLOCK_H
#define UNTORN_TEXT_JSON_BLOCK_H

#include "text/json_skip.h"

enum { BLOCK_SIZE = 64 };

typedef uint64_t set;

/* Turned by 90 degrees: [i] has bit i of each of the 64 bytes. */
struct planes {
    set bit[8];
};

#if WITH_SSE2 && defined(__x86_64__)

/* One of three steps: the lowest bit of the numbers of bytes, and that bit of the numbers of bits
 * for which `low` has the bits where it is 0, change places. *a and *b, which differ in one bit of
 * the number of bytes, then differ in that bit of the number of bits. */
static inline void fold(block *a, block *b, int shift, char low)
{
    block of_even = _mm_set1_epi16(0xff);
    block even = _mm_packus_epi16(_mm_and_si128(*a, of_even), _mm_and_si128(*b, of_even));
    block odd = _mm_packus_epi16(_mm_srli_epi16(*a, 8), _mm_srli_epi16(*b, 8));
    block differ = _mm_xor_si128(_mm_srli_epi16(even, shift), odd);
    differ = _mm_and_si128(differ, _mm_set1_epi8(low));
    *a = _mm_xor_si128(even, _mm_slli_epi16(differ, shift));
    *b = _mm_xor_si128(odd, differ);
}

static inline set lower_half(block bytes)
{
    return (set)_mm_cvtsi128_si64(bytes);
}

static inline set upper_half(block bytes)
{
    return lower_half(_mm_unpackhi_epi64(bytes, bytes));
}

static inline struct planes planes_at(const char *at)
{
    block a = block_at(at), b = block_at(at + 16), c = block_at(at + 32), d = block_at(at + 48);
    fold(&a, &b, 1, 0x55);
    fold(&c, &d, 1, 0x55);
    fold(&a, &c, 2, 0x33);
    fold(&b, &d, 2, 0x33);
    fold(&a, &b, 4, 0x0f);
    fold(&c, &d, 4, 0x0f);
    return (struct planes){{lower_half(a), upper_half(a), lower_half(c), upper_half(c),
                            lower_half(b), upper_half(b), lower_half(d), upper_half(d)}};
}

#else

static inline set eight_bytes(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return (set)byte[0] | (set)byte[1] << 8 | (set)byte[2] << 16 | (set)byte[3] << 24 |
           (set)byte[4] << 32 | (set)byte[5] << 40 | (set)byte[6] << 48 | (set)byte[7] << 56;
}

static inline void exchange_pair(set *a, set *b, int shift, set low)
{
    set differ = (*a >> shift ^ *b) & low;
    *a ^= differ << shift;
    *b ^= differ;
}

/* That bit of the numbers of rows which `distance` is, and that of the numbers of bits in a row for
 * which `low` has the bits where it is 0, change places. */
static inline void exchange(set rows[8], int distance, int shift, set low)
{
    set *second = rows + (distance == 1 ? 2 : 1), *third = rows + (distance == 4 ? 2 : 4);
    set *fourth = third + (second - rows);
    exchange_pair(rows, rows + distance, shift, low);
    exchange_pair(second, second + distance, shift, low);
    exchange_pair(third, third + distance, shift, low);
    exchange_pair(fourth, fourth + distance, shift, low);
}

static inline struct planes planes_at(const char *at)
{
    struct planes planes;
    set *rows = planes.bit;
    for (int i = 0; i < 8; i++)
        rows[i] = eight_bytes(at + 8 * i);
    exchange(rows, 4, 32, 0x00000000ffffffff);
    exchange(rows, 2, 16, 0x0000ffff0000ffff);
    exchange(rows, 1, 8, 0x00ff00ff00ff00ff);
    exchange(rows, 4, 4, 0x0f0f0f0f0f0f0f0f);
    exchange(rows, 2, 2, 0x3333333333333333);
    exchange(rows, 1, 1, 0x5555555555555555);
    return planes;
}

#endif

/* What the bytes are, wherever they stand: brackets and digits in strings are among them. */
struct kinds {
    set controls, blanks;
    set quotes, backslashes;
    set openers, closers, commas, colons; /* [ and {, ] and } */
};

static inline struct kinds kinds_in(const struct planes *planes)
{
    const set *bit = planes->bit;
    /* The upper four bits of a byte; the lower ones in two pairs, and put together. */
    set upper_0_or_1 = ~(bit[7] | bit[6] | bit[5]), upper_2_or_3 = ~(bit[7] | bit[6]) & bit[5];
    set upper_2 = upper_2_or_3 & ~bit[4], upper_3 = upper_2_or_3 & bit[4];
    set upper_5_or_7 = bit[6] & ~bit[7] & bit[4];
    set lower_0 = ~(bit[3] | bit[2]);
    set lower_8 = bit[3] & ~bit[2], lower_c = bit[3] & bit[2];
    set plus_0 = ~(bit[1] | bit[0]), plus_1 = ~bit[1] & bit[0];
    set plus_2 = bit[1] & ~bit[0], plus_3 = bit[1] & bit[0];
    set is_a = lower_8 & plus_2, is_b = lower_8 & plus_3;
    set is_c = lower_c & plus_0, is_d = lower_c & plus_1;
    set is_0 = lower_0 & plus_0;
    return (struct kinds){
        .controls = upper_0_or_1,
        .blanks = (upper_2 & is_0) | (upper_0_or_1 & ~bit[4] & (is_a | is_d | (lower_8 & plus_1))),
        .quotes = upper_2 & lower_0 & plus_2,
        .backslashes = upper_5_or_7 & ~bit[5] & is_c,
        .openers = upper_5_or_7 & is_b,
        .closers = upper_5_or_7 & is_d,
        .commas = upper_2 & is_c,
        .colons = upper_3 & is_a,
    };
}

/* What numbers are made of, beside letters that are no E. */
struct number_kinds {
    set digits, zeros, minuses, pluses, points, exponents;
};

static inline struct number_kinds number_kinds_in(const struct planes *planes)
{
    const set *bit = planes->bit;
    set upper_2_or_3 = ~(bit[7] | bit[6]) & bit[5], upper_3 = upper_2_or_3 & bit[4];
    set letters = bit[6] & ~bit[7];
    set signs = upper_2_or_3 & ~bit[4] & bit[3]; /* 28 to 2f */
    return (struct number_kinds){
        .digits = upper_3 & ~(bit[3] & (bit[2] | bit[1])),
        .zeros = upper_3 & ~(bit[3] | bit[2] | bit[1] | bit[0]),
        .minuses = signs & bit[2] & ~bit[1] & bit[0],
        .pluses = signs & ~bit[2] & bit[1] & bit[0],
        .points = signs & bit[2] & bit[1] & ~bit[0],
        .exponents = letters & ~bit[4] & ~bit[3] & bit[2] & ~bit[1] & bit[0],
    };
}

/* What may stand behind a backslash. */
static inline set escapes_in(const struct planes *planes, const struct kinds *kinds)
{
    const set *bit = planes->bit;
    set small = ~bit[7] & bit[6] & bit[5];
    set b_f_n = ~bit[4] & bit[1] & ~bit[0] & (~bit[3] | bit[2]);
    set r_t_u = bit[4] & ~bit[3] & ((bit[2] & ~bit[1]) | (~bit[2] & bit[1] & ~bit[0]));
    set slash = ~(bit[7] | bit[6] | bit[4]) & bit[5] & bit[3] & bit[2] & bit[1] & bit[0];
    return kinds->quotes | kinds->backslashes | slash | (small & (b_f_n | r_t_u));
}

static inline set small_u_in(const struct planes *planes)
{
    const set *bit = planes->bit;
    return ~(bit[7] | bit[3] | bit[1]) & bit[6] & bit[5] & bit[4] & bit[2] & bit[0];
}

static inline set hex_digits_in(const struct planes *planes)
{
    const set *bit = planes->bit;
    set digits = ~(bit[7] | bit[6]) & bit[5] & bit[4] & ~(bit[3] & (bit[2] | bit[1]));
    set letters = ~(bit[7] | bit[4] | bit[3]) & bit[6]; /* 40 to 47, 60 to 67 */
    return digits | (letters & (bit[2] | bit[1] | bit[0]) & ~(bit[2] & bit[1] & bit[0]));
}

#endif
