/* Doubles read and written exactly, with integers long enough for any of them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "text/number.h"

enum {
    /* No double, and no middle between two, has more significant digits than 767; what follows
     * only matters in that it is there. */
    MOST_DIGITS = 800,
    /* Of 0.DIGITS times ten to this power: beyond, all is infinite or zero. */
    HIGHEST_POINT = 310,
    LOWEST_POINT = -330,
    /* 10^(801 + 330) has 3758 bits. */
    WORDS = 128,

    MANTISSA_BITS = 53, /* with the first, which is not stored */
    LOWEST_EXPONENT = -1022,
    EXPONENT_BIAS = 1023,
};

/* ---- long integers, not negative ---- */

struct big {
    size_t count; /* words that are used; the highest is not 0 */
    uint32_t words[WORDS];
};

static void big_set(struct big *big, uint64_t value)
{
    big->words[0] = (uint32_t)value;
    big->words[1] = (uint32_t)(value >> 32);
    big->count = value >> 32 ? 2 : value > 0;
}

static void big_multiply(struct big *big, uint32_t factor, uint32_t plus)
{
    uint64_t carry = plus;
    for (size_t i = 0; i < big->count; i++) {
        carry += (uint64_t)big->words[i] * factor;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        big->words[big->count++] = (uint32_t)carry;
}

static void big_multiply_by_power_of_ten(struct big *big, int64_t power)
{
    for (; power >= 9; power -= 9)
        big_multiply(big, 1000000000, 0);
    for (; power > 0; power--)
        big_multiply(big, 10, 0);
}

static void big_shift(struct big *big, int bits)
{
    size_t words = (size_t)bits / 32;
    if (big->count == 0)
        return;
    memmove(big->words + words, big->words, big->count * sizeof *big->words);
    memset(big->words, 0, words * sizeof *big->words);
    big->count += words;
    big_multiply(big, UINT32_C(1) << (bits % 32), 0);
}

static int big_bits(const struct big *big)
{
    int bits = 32 * (int)big->count;
    if (bits == 0)
        return 0;
    for (uint32_t top = big->words[big->count - 1]; !(top >> 31); top <<= 1)
        bits--;
    return bits;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

/* `b` is not larger than `a`. */
static void big_subtract(struct big *a, const struct big *b)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->count; i++) {
        uint64_t less = borrow + (i < b->count ? b->words[i] : 0);
        borrow = a->words[i] < less;
        a->words[i] = (uint32_t)(a->words[i] - less);
    }
    while (a->count > 0 && a->words[a->count - 1] == 0)
        a->count--;
}

/* As big_compare of a + b with c. */
static int big_compare_sum(const struct big *a, const struct big *b, const struct big *c)
{
    struct big sum = {0};
    uint64_t carry = 0;
    size_t count = a->count > b->count ? a->count : b->count;
    for (size_t i = 0; i < count; i++) {
        carry += (uint64_t)(i < a->count ? a->words[i] : 0) + (i < b->count ? b->words[i] : 0);
        sum.words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    sum.count = count;
    if (carry)
        sum.words[sum.count++] = (uint32_t)carry;
    return big_compare(&sum, c);
}

/* ---- reading ---- */

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The quotient, times 2^exponent, is the value and lies from 1 up to 2. One bit of it after the
 * other; what is left decides how the last is rounded. */
static double divide(struct big *numerator, const struct big *denominator, int exponent)
{
    if (exponent > EXPONENT_BIAS)
        return INFINITY;
    int below = exponent < LOWEST_EXPONENT ? LOWEST_EXPONENT - exponent : 0;
    if (below > MANTISSA_BITS)
        return 0;
    uint64_t mantissa = 0;
    for (int i = below; i < MANTISSA_BITS; i++) {
        mantissa <<= 1;
        if (big_compare(numerator, denominator) >= 0) {
            big_subtract(numerator, denominator);
            mantissa |= 1;
        }
        big_shift(numerator, 1);
    }
    int rest = big_compare(numerator, denominator);
    mantissa += rest > 0 || (rest == 0 && mantissa & 1);
    if (below > 0)
        return double_of_bits(mantissa);
    uint64_t first = UINT64_C(1) << (MANTISSA_BITS - 1);
    uint64_t biased = (uint64_t)exponent + EXPONENT_BIAS;
    return double_of_bits((biased << (MANTISSA_BITS - 1)) + (mantissa - first));
}

/* digits times 10^power */
static double scale(struct big *digits, int64_t power)
{
    struct big denominator;
    big_set(&denominator, 1);
    if (power >= 0)
        big_multiply_by_power_of_ten(digits, power);
    else
        big_multiply_by_power_of_ten(&denominator, -power);
    int exponent = big_bits(digits) - big_bits(&denominator);
    if (exponent >= 0)
        big_shift(&denominator, exponent);
    else
        big_shift(digits, -exponent);
    if (big_compare(digits, &denominator) < 0) {
        big_shift(digits, 1);
        exponent--;
    }
    return divide(digits, &denominator, exponent);
}

/* Both factors are exact, so that only their product is rounded. false: they are not. */
static bool scale_small(uint64_t digits, int64_t power, double *ret_value)
{
    if (FLT_EVAL_METHOD != 0 || digits >> MANTISSA_BITS || power < -22 || power > 22)
        return false;
    double factor = 1;
    for (int64_t i = power < 0 ? -power : power; i > 0; i--)
        factor *= 10;
    *ret_value = power < 0 ? (double)digits / factor : (double)digits * factor;
    return true;
}

static double read_digits(const struct decimal *decimal, int64_t point)
{
    struct big digits = {0};
    uint64_t first = 0; /* the first 19 as they are */
    int64_t count = 0;
    const char *at = decimal->digits;
    for (; at < decimal->digits_end && count < MOST_DIGITS; at++) {
        if (*at == '.' || *at == '_')
            continue;
        uint32_t digit = (uint32_t)(*at - '0');
        big_multiply(&digits, 10, digit);
        if (count++ < 19)
            first = first * 10 + digit;
    }
    if (at < decimal->digits_end) { /* and the last of them is not 0 */
        big_multiply(&digits, 10, 1);
        count++;
    }
    double value;
    if (count <= 19 && scale_small(first, point - count, &value))
        return value;
    return scale(&digits, point - count);
}

static double read_decimal(const struct decimal *decimal)
{
    static const struct decimal nothing;
    double value;
    int64_t point = decimal->point + number_exponent_difference(decimal, &nothing);
    if (!decimal->digits || point < LOWEST_POINT)
        value = 0;
    else if (point > HIGHEST_POINT)
        value = INFINITY;
    else
        value = read_digits(decimal, point);
    return decimal->negative ? -value : value;
}

bool number_double(const char *text, size_t size, double *ret_value)
{
    struct decimal decimal;
    int64_t integer;
    if (number_decimal(text, size, &decimal)) {
        *ret_value = read_decimal(&decimal);
        return true;
    }
    if (number_integer(text, size, &integer)) {
        *ret_value = (double)integer;
        return true;
    }
    bool negative = size == 4 && text[0] == '-';
    bool sign = negative || (size == 4 && text[0] == '+');
    if (size != 3u + sign)
        return false;
    bool infinite = memcmp(text + sign, "inf", 3) == 0;
    if (!infinite && memcmp(text + sign, "nan", 3) != 0)
        return false;
    double value = infinite ? (double)INFINITY : (double)NAN;
    *ret_value = negative ? -value : value;
    return true;
}

/* ---- writing ---- */

/* A value v and how far the doubles that are read as it reach: what is between
 * (value - below) / unit and (value + above) / unit. */
struct range {
    struct big value, unit, below, above;
    bool closed; /* the ends are read as it too: they are rounded to the even neighbour */
};

/* value = mantissa * 2^exponent */
static void range_begin(struct range *range, uint64_t mantissa, int exponent)
{
    /* The next double below a power of two is half as far as the one above. */
    int uneven = mantissa == UINT64_C(1) << (MANTISSA_BITS - 1) &&
                 exponent > LOWEST_EXPONENT - (MANTISSA_BITS - 1);
    int up = exponent > 0 ? exponent : 0, down = exponent < 0 ? -exponent : 0;
    big_set(&range->value, mantissa);
    big_set(&range->unit, 1);
    big_set(&range->below, 1);
    big_set(&range->above, 1);
    big_shift(&range->value, up + 1 + uneven);
    big_shift(&range->unit, down + 1 + uneven);
    big_shift(&range->below, up);
    big_shift(&range->above, up + uneven);
    range->closed = mantissa % 2 == 0;
}

static bool reaches_unit(const struct range *range)
{
    int order = big_compare_sum(&range->value, &range->above, &range->unit);
    return order > 0 || (order == 0 && range->closed);
}

static bool reaches_nothing(const struct range *range)
{
    int order = big_compare(&range->value, &range->below);
    return order < 0 || (order == 0 && range->closed);
}

static void range_multiply(struct range *range, int64_t power)
{
    big_multiply_by_power_of_ten(&range->value, power);
    big_multiply_by_power_of_ten(&range->below, power);
    big_multiply_by_power_of_ten(&range->above, power);
}

/* Brings the value below 1 and to 0.1 at least; returns the power of ten that was taken out. */
static int range_normalize(struct range *range)
{
    int magnitude = big_bits(&range->value) - big_bits(&range->unit);
    int point = magnitude * 30103 / 100000 - 2; /* log10(2); never too high */
    if (point > 0)
        big_multiply_by_power_of_ten(&range->unit, point);
    else
        range_multiply(range, -point);
    for (; reaches_unit(range); point++)
        big_multiply(&range->unit, 10, 0);
    return point;
}

/* As few digits as name no other double; their number. */
static int shortest_digits(struct range *range, char digits[20])
{
    for (int count = 0;;) {
        range_multiply(range, 1);
        int digit = 0;
        for (; big_compare(&range->value, &range->unit) >= 0; digit++)
            big_subtract(&range->value, &range->unit);
        bool low = reaches_nothing(range), high = reaches_unit(range);
        if (low && high) {
            int half = big_compare_sum(&range->value, &range->value, &range->unit);
            high = half > 0 || (half == 0 && digit % 2 == 1);
        }
        digits[count++] = (char)('0' + digit + high);
        if (low || high)
            return count;
    }
}

static char *put(char *at, const char *text, int size)
{
    memcpy(at, text, (size_t)size);
    return at + size;
}

static char *put_zeros(char *at, int count)
{
    for (; count > 0; count--)
        *at++ = '0';
    return at;
}

/* 0.DIGITS times ten to the power of `point` */
static char *put_fixed(char *at, const char *digits, int count, int point)
{
    if (point <= 0)
        return put(put_zeros(put(at, "0.", 2), -point), digits, count);
    if (point >= count)
        return put(put_zeros(put(at, digits, count), point - count), ".0", 2);
    at = put(put(at, digits, point), ".", 1);
    return put(at, digits + point, count - point);
}

static char *put_scientific(char *at, const char *digits, int count, int point)
{
    int exponent = point - 1;
    at = put(at, digits, 1);
    if (count > 1)
        at = put(put(at, ".", 1), digits + 1, count - 1);
    at = put(at, exponent < 0 ? "e-" : "e+", 2);
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100)
        *at++ = (char)('0' + exponent / 100);
    *at++ = (char)('0' + exponent / 10 % 10);
    *at++ = (char)('0' + exponent % 10);
    return at;
}

static char *put_finite(char *at, uint64_t mantissa, int biased)
{
    if (mantissa == 0 && biased == 0)
        return put(at, "0.0", 3);
    if (biased > 0)
        mantissa |= UINT64_C(1) << (MANTISSA_BITS - 1);
    struct range range;
    char digits[20];
    range_begin(&range, mantissa, (biased > 0 ? biased : 1) - EXPONENT_BIAS - (MANTISSA_BITS - 1));
    int point = range_normalize(&range), count = shortest_digits(&range, digits);
    return (point > -4 && point <= 16 ? put_fixed : put_scientific)(at, digits, count, point);
}

void number_format(double value, char text[32])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> (MANTISSA_BITS - 1) & 2047);
    uint64_t mantissa = bits & ((UINT64_C(1) << (MANTISSA_BITS - 1)) - 1);
    char *at = text;
    if (bits >> 63 && value == value)
        *at++ = '-';
    if (biased == 2047)
        at = put(at, mantissa ? "nan" : "inf", 3);
    else
        at = put_finite(at, mantissa, biased);
    *at = '\0';
}
