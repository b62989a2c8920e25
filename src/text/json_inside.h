/* Inside of the JSON scanner: the insides of strings, 64 bytes at a time. Escapes and characters
 * that are not ASCII cost no more than others. */
#ifndef UNTORN_TEXT_JSON_INSIDE_H
#define UNTORN_TEXT_JSON_INSIDE_H

#include "text/json_block.h"

/* What a block leaves to the next one: sets of its first bytes. Begins as 0. */
struct inside_carry {
    set escaped, hex_digits;
    set tails, with_5, without_5, with_4_or_5, without_4; /* of characters: see wrong_utf8 */
};

static inline set behind(set bytes, set *carry)
{
    set moved = bytes << 1 | *carry;
    *carry = bytes >> 63;
    return moved;
}

/* The bytes that a backslash before them escapes; |= *wrong: those that cannot be. */
static inline set find_escaped(const struct planes *planes, const struct kinds *kinds,
                               struct inside_carry *carry, set *wrong)
{
    static const set even = 0x5555555555555555;
    set backslashes = kinds->backslashes & ~carry->escaped;
    set starts = backslashes & ~(backslashes << 1);
    /* In a row every other one escapes what is behind it: those in odd places if it begins so. */
    set from_odd = backslashes & ~(backslashes + (starts & ~even));
    set escaped = behind(backslashes & (even ^ from_odd), &carry->escaped);
    set codes = escaped & small_u_in(planes);
    set wanted = codes << 1 | codes << 2 | codes << 3 | codes << 4 | carry->hex_digits;
    carry->hex_digits = codes >> 63 | codes >> 62 | codes >> 61 | codes >> 60;
    *wrong |= (escaped & ~escapes_in(planes, kinds)) | (wanted & ~hex_digits_in(planes));
    return escaped;
}

/* The bytes that cannot follow those before them in UTF-8. What the last ones begin is only seen
 * with the next block. */
static inline set wrong_utf8(const struct planes *planes, struct inside_carry *carry)
{
    const set *bit = planes->bit;
    set tails = bit[7] & ~bit[6], leads = bit[7] & bit[6];
    set threes_up = leads & bit[5], threes = threes_up & ~bit[4], fours = threes_up & bit[4];
    set low = ~(bit[2] | bit[1]);
    set e0 = threes & ~bit[3] & low & ~bit[0], ed = threes & bit[3] & bit[2] & ~bit[1] & bit[0];
    set f0 = fours & low & ~bit[0], f4 = fours & bit[2];
    set wrong = leads & ~(bit[5] | bit[4] | bit[3]) & low;    /* C0 and C1 */
    wrong |= fours & (bit[3] | (bit[2] & (bit[1] | bit[0]))); /* F5 to FF */
    wrong |= behind(e0, &carry->with_5) & ~bit[5];
    wrong |= behind(ed | f4, &carry->without_5) & bit[5];
    wrong |= behind(f0, &carry->with_4_or_5) & ~(bit[4] | bit[5]);
    wrong |= behind(f4, &carry->without_4) & bit[4];
    wrong |= tails ^ (leads << 1 | threes_up << 2 | fours << 3 | carry->tails);
    carry->tails = leads >> 63 | threes_up >> 62 | fours >> 61;
    return wrong;
}

/* Where the character or escape begins that the end of a block is in the midst of. */
static inline const char *start_of_last(const char *end, const struct inside_carry *carry)
{
    if (carry->escaped | carry->hex_digits) {
        do
            end--;
        while (*end != '\\');
        return end;
    }
    return carry->tails ? character_start(end, UTF8_1_MORE) : end;
}

/* From between two characters of a string to the quote that ends it, if that is in one of the whole
 * blocks up to `end` and nothing before it is wrong; else as far as all is right, or not as far,
 * but never into a character. *escaped: it came over an escape. */
static inline const char *skip_inside(const char *at, const char *end, bool *escaped)
{
    struct inside_carry carry = {0};
    for (const char *next = at; end - next >= BLOCK_SIZE; next += BLOCK_SIZE) {
        struct planes planes = planes_at(next);
        struct kinds kinds = kinds_in(&planes);
        set wrong = kinds.controls | wrong_utf8(&planes, &carry);
        set quotes = kinds.quotes & ~find_escaped(&planes, &kinds, &carry, &wrong);
        set stops = quotes | wrong, first = stops & (0 - stops);
        if (first & wrong)
            break;
        *escaped = *escaped || (kinds.backslashes & (first - 1)) != 0;
        if (first)
            return next + __builtin_ctzll(first);
        at = start_of_last(next + BLOCK_SIZE, &carry);
    }
    return at;
}

#endif
