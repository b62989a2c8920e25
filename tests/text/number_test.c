#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "text/number.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void check_integer(const char *text, int64_t expected)
{
    int64_t value = 77;
    if (!number_integer(text, strlen(text), &value))
        CHECK_TEXT(text, "an integer");
    CHECK_INT(value, expected);
}

TEST(integers_are_read_as_json_and_toml_spell_them)
{
    check_integer("0", 0);
    check_integer("-0", 0);
    check_integer("+0", 0);
    check_integer("42", 42);
    check_integer("-17", -17);
    check_integer("+99", 99);
    check_integer("1_000", 1000);
    check_integer("5_349_221", 5349221);
    check_integer("1_2_3_4_5", 12345);
    check_integer("0xDEADBEEF", 0xDEADBEEF);
    check_integer("0xdead_beef", 0xDEADBEEF);
    check_integer("0x00ff", 255);
    check_integer("0x0", 0);
    check_integer("0o755", 0755);
    check_integer("0o0_1", 1);
    check_integer("0b11010110", 0xd6);
}

TEST(integers_reach_to_both_ends_of_64_bits)
{
    check_integer("9223372036854775807", INT64_MAX);
    check_integer("+9223372036854775807", INT64_MAX);
    check_integer("-9223372036854775808", INT64_MIN);
    check_integer("-9_223_372_036_854_775_807", -INT64_MAX);
    check_integer("0x7fffffffffffffff", INT64_MAX);
    check_integer("0o777777777777777777777", INT64_MAX);
    check_integer("0b111111111111111111111111111111111111111111111111111111111111111", INT64_MAX);
}

TEST(what_is_no_integer_of_64_bits_is_refused)
{
    static const char *const texts[] = {
        "",
        "-",
        "+",
        "_",
        "_1",
        "1_",
        "1__0",
        "-_1",
        "01",
        "-01",
        "+01",
        "00",
        "0_1",
        "1.0",
        "1e5",
        "1 ",
        " 1",
        "a",
        "0x",
        "0o",
        "0b",
        "0X1",
        "0O1",
        "0B1",
        "-0x1",
        "+0x1",
        "0x_1",
        "0x1_",
        "0xg",
        "0o8",
        "0b2",
        "0d1",
        "--1",
        "inf",
        "9223372036854775808",
        "-9223372036854775809",
        "92233720368547758070",
        "18446744073709551616",
        "0x8000000000000000",
        "0xffffffffffffffff",
        "0x10000000000000000",
        "99999999999999999999999999999999999999",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        int64_t value = 77;
        if (number_integer(texts[i], strlen(texts[i]), &value))
            CHECK_TEXT(texts[i], "refused");
        CHECK_INT(value, 77);
    }
}

TEST(only_the_given_bytes_are_looked_at)
{
    int64_t value;
    double number;
    CHECK(number_integer("12345", 2, &value));
    CHECK_INT(value, 12);
    CHECK(!number_integer("1\0", 2, &value));
    CHECK(number_double("1.55", 3, &number));
    CHECK(number == 1.5);
    CHECK(number_equal("1e2", 1, "10", 1));
    CHECK(number_is_json("1.", 1, NULL));
}

static bool equal(const char *a, const char *b)
{
    bool result = number_equal(a, strlen(a), b, strlen(b));
    CHECK_INT(number_equal(b, strlen(b), a, strlen(a)), result);
    return result;
}

TEST(numbers_are_equal_by_value_however_they_are_spelled)
{
    static const char *const pairs[][2] = {
        {"1e2", "100"},
        {"100.0", "100"},
        {"1E+2", "10.0e1"},
        {"0.001", "1e-3"},
        {"0.0010", "1000e-6"},
        {"1_000.5", "1000.50"},
        {"1e1_0", "1e10"},
        {"+5", "5"},
        {"1e05", "1e5"},
        {"-1.50", "-15e-1"},
        {"0x10", "16.0"},
        {"0b11", "3"},
        {"0x7fffffffffffffff", "9223372036854775807.0"},
        {"0x0", "0e7"},
        {"0", "-0.000e99"},
        {"123456789012345678901234567890", "1.2345678901234567890123456789e29"},
        {"1e-0", "1"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (!equal(pairs[i][0], pairs[i][1]))
            CHECK_TEXT(pairs[i][0], pairs[i][1]);
}

TEST(numbers_that_differ_are_told_apart_beyond_any_double)
{
    static const char *const pairs[][2] = {
        {"1", "-1"},
        {"12", "1.2"},
        {"1e5", "1e-5"},
        {"0", "1e-999999"},
        {"1", "1.00000000000000000000000000000000000000000000001"},
        {"9007199254740993", "9007199254740992"},
        {"9007199254740993", "9007199254740992.0"},
        {"123456789012345678901234567890", "123456789012345678901234567891"},
        {"1e400", "1e401"},
        {"100", "10"},
        {"1001", "101"},
        {"0x10", "10"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (equal(pairs[i][0], pairs[i][1]))
            CHECK_TEXT(pairs[i][0], pairs[i][1]);
}

TEST(exponents_of_any_size_are_compared_exactly)
{
    CHECK(equal("1e400000000", "10e399999999"));
    CHECK(!equal("1e400000000", "1e400000001"));
    CHECK(equal("1e9223372036854775807", "0.1e9223372036854775808"));
    CHECK(equal("1e100000000000000000000000000", "10e99999999999999999999999999"));
    CHECK(!equal("1e100000000000000000000000000", "10e99999999999999999999999998"));
    CHECK(!equal("1e100000000000000000000000000", "1e200000000000000000000000000"));
    CHECK(!equal("1e100000000000000000000000000", "1e-100000000000000000000000000"));
    CHECK(equal("1e-100000000000000000000000000", "0.1e-99999999999999999999999999"));
    CHECK(equal("1e0000000000000000000000000000000001", "10"));
    CHECK(equal("0e99999999999999999999999", "0"));
}

/* Half a million digits, and as many zeros taken back by the exponent. */
TEST(long_numbers_are_compared_in_linear_time)
{
    enum { DIGITS = 500000 };
    char *a = malloc(DIGITS + 32), *b = malloc(2 * DIGITS + 32);
    CHECK(a && b);
    memset(a, '7', DIGITS);
    memcpy(b, a, DIGITS);
    memset(b + DIGITS, '0', DIGITS);
    strcpy(b + 2 * DIGITS, "e-500000");
    CHECK(number_equal(a, DIGITS, b, strlen(b)));
    b[DIGITS - 1] = '8';
    CHECK(!number_equal(a, DIGITS, b, strlen(b)));
    free(a);
    free(b);
}

TEST(what_is_no_number_equals_nothing)
{
    CHECK(!equal("", ""));
    CHECK(!equal("x", "x"));
    CHECK(!equal("1.", "1"));
    CHECK(!equal("nan", "nan"));
    CHECK(!equal("inf", "inf"));
    CHECK(!equal("01", "1"));
}

TEST(json_numbers_are_known_by_their_grammar)
{
    static const char *const integers[] = {"0", "-0", "10", "-1", "123456789012345678901234567890"};
    static const char *const others[] = {"0.0",     "1e5", "1E5",     "1e+05",
                                         "-1.5e-3", "0e0", "1e999999"};
    static const char *const wrong[] = {
        "",    "-",  "+1", "01",  "-01", "1.",    ".5",  "1.e5",  "1e",   "1e+",   "0x1",
        "1_0", "1 ", " 1", "inf", "nan", "1e5.5", "--1", "1.2.3", "true", "1e1_0", "0.1_0",
    };
    bool integer = false;
    for (size_t i = 0; i < COUNT(integers); i++)
        CHECK(number_is_json(integers[i], strlen(integers[i]), &integer) && integer);
    for (size_t i = 0; i < COUNT(others); i++)
        CHECK(number_is_json(others[i], strlen(others[i]), &integer) && !integer);
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (number_is_json(wrong[i], strlen(wrong[i]), NULL))
            CHECK_TEXT(wrong[i], "refused");
}

TEST(a_decimal_number_is_taken_apart)
{
    struct decimal decimal;
    CHECK(number_decimal("-0.0_0120e-0_7", 14, &decimal));
    CHECK(decimal.negative && decimal.fractional && decimal.exponent_negative);
    CHECK_INT(decimal.point, -2);
    CHECK_BYTES(decimal.digits, decimal.digits_end - decimal.digits, "12", 2);
    CHECK_BYTES(decimal.exponent, decimal.exponent_end - decimal.exponent, "0_7", 3);
    CHECK(number_decimal("+1_200", 6, &decimal));
    CHECK(!decimal.negative && !decimal.fractional && !decimal.exponent);
    CHECK_INT(decimal.point, 4);
    CHECK(number_decimal("0.00", 4, &decimal) && !decimal.digits && decimal.fractional);
    CHECK(!number_decimal("0x10", 4, &decimal));
    CHECK(!number_decimal("inf", 3, &decimal));
}
