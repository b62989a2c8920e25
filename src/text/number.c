#include "text/number.h"

#include <string.h>

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* ---- decimal numbers of any length ---- */

/* Behind the digits, which single underscores may keep apart; NULL: there are none. */
static const char *past_digits(const char *at, const char *end)
{
    if (at == end || !is_digit(*at))
        return NULL;
    for (; at < end; at++) {
        if (is_digit(*at))
            continue;
        if (*at != '_')
            break;
        if (at + 1 == end || !is_digit(at[1]))
            return NULL;
    }
    return at;
}

static int64_t count_digits(const char *at, const char *end)
{
    int64_t count = 0;
    for (; at < end; at++)
        count += is_digit(*at);
    return count;
}

static bool is_padding(char byte)
{
    return byte == '0' || byte == '.' || byte == '_';
}

/* `whole` to `whole_end` is before the point, the digits up to `end` are behind it. */
static void set_digits(struct decimal *decimal, const char *whole, const char *whole_end,
                       const char *end)
{
    const char *first = whole;
    while (first < end && is_padding(*first))
        first++;
    if (first == end)
        return;
    while (is_padding(end[-1]))
        end--;
    decimal->digits = first;
    decimal->digits_end = end;
    decimal->point =
        first < whole_end ? count_digits(first, whole_end) : -count_digits(whole_end, first);
}

static const char *read_exponent(struct decimal *decimal, const char *at, const char *end)
{
    decimal->exponent_negative = at < end && *at == '-';
    decimal->exponent = at + (at < end && (*at == '-' || *at == '+'));
    decimal->exponent_end = past_digits(decimal->exponent, end);
    return decimal->exponent_end;
}

bool number_decimal(const char *text, size_t size, struct decimal *ret_decimal)
{
    if (size == 0)
        return false;
    const char *at = text, *end = text + size;
    struct decimal decimal = {.negative = *at == '-'};
    at += *at == '-' || *at == '+';
    const char *whole = at, *whole_end = past_digits(at, end);
    if (!whole_end || (*whole == '0' && whole_end - whole > 1))
        return false;
    at = whole_end;
    if (at < end && *at == '.')
        at = past_digits(at + 1, end);
    const char *digits_end = at;
    if (at && at < end && (*at == 'e' || *at == 'E'))
        at = read_exponent(&decimal, at + 1, end);
    if (at != end)
        return false;
    decimal.fractional = whole_end != end;
    set_digits(&decimal, whole, whole_end, digits_end);
    *ret_decimal = decimal;
    return true;
}

/* The next digit, past an underscore or the point; 0 behind the last. */
static int next_digit(const char **at, const char *end)
{
    while (*at < end && !is_digit(**at))
        ++*at;
    return *at < end ? *(*at)++ - '0' : 0;
}

/* From the highest place down. A difference of more than 2 can but grow with the places that
 * follow, so it may stop growing once it is large. */
int64_t number_exponent_difference(const struct decimal *a, const struct decimal *b)
{
    const int64_t large = 1000000000000000000;
    const char *left = a->exponent, *right = b->exponent;
    int64_t left_places = count_digits(left, a->exponent_end);
    int64_t right_places = count_digits(right, b->exponent_end), difference = 0;
    int64_t place = left_places > right_places ? left_places : right_places;
    for (; place > 0 && difference < large / 10 && difference > -large / 10; place--) {
        int x = place <= left_places ? next_digit(&left, a->exponent_end) : 0;
        int y = place <= right_places ? next_digit(&right, b->exponent_end) : 0;
        difference = 10 * difference + (a->exponent_negative ? -x : x);
        difference -= b->exponent_negative ? -y : y;
    }
    return difference;
}

static bool equal_digits(const struct decimal *a, const struct decimal *b)
{
    const char *left = a->digits, *right = b->digits;
    while (left < a->digits_end && right < b->digits_end)
        if (next_digit(&left, a->digits_end) != next_digit(&right, b->digits_end))
            return false;
    return left == a->digits_end && right == b->digits_end;
}

/* The decimal form of an integer that has a prefix: up to 63 bits. */
static bool decimal_of(const char *text, size_t size, char digits[20], struct decimal *ret_decimal)
{
    int64_t value;
    if (number_decimal(text, size, ret_decimal))
        return true;
    if (!number_integer(text, size, &value))
        return false;
    char *at = digits + 20;
    do
        *--at = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return number_decimal(at, (size_t)(digits + 20 - at), ret_decimal);
}

bool number_equal(const char *a, size_t a_size, const char *b, size_t b_size)
{
    struct decimal left, right;
    char left_digits[20], right_digits[20];
    if (!decimal_of(a, a_size, left_digits, &left) || !decimal_of(b, b_size, right_digits, &right))
        return false;
    if (!left.digits || !right.digits)
        return left.digits == right.digits;
    return left.negative == right.negative &&
           number_exponent_difference(&left, &right) == right.point - left.point &&
           equal_digits(&left, &right);
}

/* ---- integers ---- */

/* 99: not a digit in any base. */
static unsigned digit_value(char byte)
{
    if (is_digit(byte))
        return (unsigned)(byte - '0');
    if (byte >= 'a' && byte <= 'f')
        return (unsigned)(byte - 'a' + 10);
    if (byte >= 'A' && byte <= 'F')
        return (unsigned)(byte - 'A' + 10);
    return 99;
}

/* Digits with single underscores between, up to `most`. */
static bool read_digits(const char *text, size_t size, unsigned base, uint64_t most,
                        uint64_t *ret_value)
{
    uint64_t value = 0;
    bool digit_before = false;
    for (size_t i = 0; i < size; i++) {
        unsigned digit = digit_value(text[i]);
        if (text[i] == '_' && digit_before) {
            digit_before = false;
            continue;
        }
        if (digit >= base || value > (most - digit) / base)
            return false;
        value = value * base + digit;
        digit_before = true;
    }
    *ret_value = value;
    return digit_before;
}

bool number_integer(const char *text, size_t size, int64_t *ret_value)
{
    if (size == 0)
        return false;
    bool negative = text[0] == '-';
    size_t sign = negative || text[0] == '+';
    const char *digits = text + sign;
    size -= sign;
    unsigned base = 10;
    if (sign == 0 && size > 2 && digits[0] == '0')
        base = digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : digits[1] == 'b' ? 2 : 10;
    if (base != 10) {
        digits += 2;
        size -= 2;
    } else if (size > 1 && digits[0] == '0') {
        return false;
    }
    uint64_t value;
    if (!read_digits(digits, size, base, (uint64_t)INT64_MAX + negative, &value))
        return false;
    if (negative && value > 0)
        *ret_value = -(int64_t)(value - 1) - 1; /* the lowest has no positive counterpart */
    else
        *ret_value = (int64_t)value;
    return true;
}

bool number_is_json(const char *text, size_t size, bool *ret_integer)
{
    struct decimal decimal;
    if (!number_decimal(text, size, &decimal) || text[0] == '+' || memchr(text, '_', size))
        return false;
    if (ret_integer)
        *ret_integer = !decimal.fractional;
    return true;
}
