/* Dates and times as RFC 3339 has them. */
#include "text/toml_scan.h"

static size_t count_digits(const struct toml_scan *scan, size_t most)
{
    size_t count = 0;
    while (count < most && toml_is_digit(scan->at + count, scan->end))
        count++;
    return count;
}

bool toml_is_time(const struct toml_scan *scan)
{
    size_t digits = count_digits(scan, 5);
    char next = scan->end - scan->at > (ptrdiff_t)digits ? scan->at[digits] : '\0';
    return (digits == 4 && next == '-') || (digits == 2 && next == ':');
}

/* So many digits, from `low` to `high` as a number. */
static bool take_field(struct toml_scan *scan, size_t digits, unsigned low, unsigned high,
                       const char *what, unsigned *ret_value)
{
    const char *start = scan->at;
    unsigned value = 0;
    for (size_t i = 0; i < digits; i++, scan->at++) {
        if (!toml_is_digit(scan->at, scan->end))
            return toml_fail(scan, scan->at, "expected a digit");
        value = 10 * value + (unsigned)(*scan->at - '0');
    }
    *ret_value = value;
    return (value >= low && value <= high) || toml_fail(scan, start, what);
}

static bool take_between(struct toml_scan *scan, char byte)
{
    if (toml_take(scan, byte))
        return true;
    return toml_fail(scan, scan->at, byte == '-' ? "expected '-'" : "expected ':'");
}

static unsigned days_of(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

static bool take_date(struct toml_scan *scan)
{
    unsigned year = 0, month = 1, day;
    return take_field(scan, 4, 0, 9999, "", &year) && take_between(scan, '-') &&
           take_field(scan, 2, 1, 12, "there is no such month", &month) &&
           take_between(scan, '-') &&
           take_field(scan, 2, 1, days_of(year, month), "this month has no such day", &day);
}

static bool take_hour_and_minute(struct toml_scan *scan)
{
    unsigned value;
    return take_field(scan, 2, 0, 23, "there is no such hour", &value) && take_between(scan, ':') &&
           take_field(scan, 2, 0, 59, "there is no such minute", &value);
}

static bool take_fraction(struct toml_scan *scan)
{
    if (!toml_is_digit(scan->at, scan->end))
        return toml_fail(scan, scan->at, "expected a digit");
    while (toml_is_digit(scan->at, scan->end))
        scan->at++;
    return true;
}

static bool take_clock(struct toml_scan *scan)
{
    if (!take_hour_and_minute(scan))
        return false;
    if (!scan->strict && !toml_is(scan, ':'))
        return true;
    unsigned second; /* 60: a leap second */
    if (!take_between(scan, ':') || !take_field(scan, 2, 0, 60, "there is no such second", &second))
        return false;
    return !toml_take(scan, '.') || take_fraction(scan);
}

static bool take_offset(struct toml_scan *scan, enum untorn_kind *ret_kind)
{
    *ret_kind = UNTORN_DATETIME;
    if (toml_take(scan, 'Z') || toml_take(scan, 'z'))
        return true;
    if (toml_take(scan, '+') || toml_take(scan, '-'))
        return take_hour_and_minute(scan);
    *ret_kind = UNTORN_DATETIME_LOCAL;
    return true;
}

/* A blank between date and time looks like one behind a date: the digit tells. */
static bool take_clock_sign(struct toml_scan *scan)
{
    if (toml_take(scan, 'T') || toml_take(scan, 't'))
        return true;
    if (!toml_is(scan, ' ') || !toml_is_digit(scan->at + 1, scan->end))
        return false;
    scan->at++;
    return true;
}

bool toml_time(struct toml_scan *scan, enum untorn_kind *ret_kind)
{
    if (count_digits(scan, 4) == 2) {
        *ret_kind = UNTORN_TIME_LOCAL;
        return take_clock(scan);
    }
    *ret_kind = UNTORN_DATE_LOCAL;
    if (!take_date(scan))
        return false;
    return !take_clock_sign(scan) || (take_clock(scan) && take_offset(scan, ret_kind));
}
