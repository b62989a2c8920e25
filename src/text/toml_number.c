#include "text/toml_scan.h"

static bool take_word(struct toml_scan *scan, const char *word, const char *what)
{
    for (; *word; word++)
        if (!toml_take(scan, *word))
            return toml_fail(scan, scan->at, what);
    return true;
}

bool toml_boolean(struct toml_scan *scan, enum untorn_kind *ret_kind)
{
    *ret_kind = UNTORN_BOOLEAN;
    return take_word(scan, *scan->at == 't' ? "true" : "false", "expected true or false");
}

static unsigned digit_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return (unsigned)(byte - '0');
    if (byte >= 'a' && byte <= 'f')
        return (unsigned)(byte - 'a') + 10;
    return byte >= 'A' && byte <= 'F' ? (unsigned)(byte - 'A') + 10 : 16;
}

/* Digits, and between two of them an underscore. */
static bool take_digits(struct toml_scan *scan, unsigned base)
{
    do {
        if (scan->at == scan->end || digit_value(*scan->at) >= base)
            return toml_fail(scan, scan->at, "expected a digit");
        while (scan->at < scan->end && digit_value(*scan->at) < base)
            scan->at++;
    } while (toml_take(scan, '_'));
    return true;
}

static bool fits(const char *at, const char *end, unsigned base, bool negative)
{
    const uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t value = 0;
    for (; at < end; at++) {
        if (*at == '_')
            continue;
        unsigned digit = digit_value(*at);
        if (value > (limit - digit) / base)
            return false;
        value = value * base + digit;
    }
    return true;
}

static bool check_range(struct toml_scan *scan, const char *start, const char *digits,
                        unsigned base)
{
    enum { ALWAYS = 15 }; /* digits of any base that fit into 64 bits */
    if (scan->at - digits <= ALWAYS || fits(digits, scan->at, base, *start == '-'))
        return true;
    return toml_fail(scan, start, "this integer needs more than 64 bits");
}

/* 0x, 0o or 0b. */
static bool take_based(struct toml_scan *scan, unsigned base)
{
    const char *start = scan->at;
    scan->at += 2;
    return take_digits(scan, base) && check_range(scan, start, start + 2, base);
}

static unsigned base_of(const struct toml_scan *scan)
{
    if (scan->end - scan->at < 2 || *scan->at != '0')
        return 10;
    char letter = scan->at[1];
    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
}

/* Up to four digits at the end of the text may be the begin of a date or time. */
static bool fail_zero(struct toml_scan *scan, const char *start)
{
    const char *at = scan->at;
    while (toml_is_digit(at, scan->end))
        at++;
    bool cut = at == scan->end && start == scan->at && at - start <= 4;
    return toml_fail(scan, cut ? at : scan->at, "a number does not begin with a zero");
}

static bool has_leading_zero(const struct toml_scan *scan)
{
    const char *next = scan->at + 1;
    return *scan->at == '0' &&
           (toml_is_digit(next, scan->end) || (next < scan->end && *next == '_'));
}

static bool take_decimal(struct toml_scan *scan, const char *start, enum untorn_kind *ret_kind)
{
    const char *digits = scan->at;
    if (has_leading_zero(scan))
        return fail_zero(scan, start);
    *ret_kind = UNTORN_INTEGER;
    if (!take_digits(scan, 10))
        return false;
    if (toml_take(scan, '.')) {
        *ret_kind = UNTORN_FLOAT;
        if (!take_digits(scan, 10))
            return false;
    }
    if (toml_is(scan, 'e') || toml_is(scan, 'E')) {
        *ret_kind = UNTORN_FLOAT;
        scan->at++;
        if (!toml_take(scan, '+'))
            (void)toml_take(scan, '-');
        return take_digits(scan, 10);
    }
    return *ret_kind == UNTORN_FLOAT || check_range(scan, start, digits, 10);
}

bool toml_number(struct toml_scan *scan, enum untorn_kind *ret_kind)
{
    const char *start = scan->at;
    bool has_sign = toml_take(scan, '+') || toml_take(scan, '-');
    if (toml_is(scan, 'i') || toml_is(scan, 'n')) {
        *ret_kind = UNTORN_FLOAT;
        return take_word(scan, *scan->at == 'i' ? "inf" : "nan", "expected inf or nan");
    }
    if (!toml_is_digit(scan->at, scan->end)) /* from here on there is one */
        return toml_fail(scan, scan->at, has_sign ? "expected a digit" : "expected a value");
    if (has_sign)
        return take_decimal(scan, start, ret_kind);
    if (toml_is_time(scan))
        return toml_time(scan, ret_kind);
    *ret_kind = UNTORN_INTEGER;
    unsigned base = base_of(scan);
    return base == 10 ? take_decimal(scan, start, ret_kind) : take_based(scan, base);
}
