#include "harness.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double read_double(const char *text)
{
    double value = 77;
    if (!number_double(text, strlen(text), &value))
        CHECK_TEXT(text, "a number");
    return value;
}

/* To the bit, the sign of zero included. */
static void check_double(const char *text, double expected)
{
    if (bits_of(read_double(text)) != bits_of(expected))
        CHECK_TEXT(text, "read right");
}

TEST(doubles_are_read_from_every_spelling)
{
    check_double("0", 0.0);
    check_double("-0", -0.0);
    check_double("-0.0e5", -0.0);
    check_double("1", 1);
    check_double("+1.5", 1.5);
    check_double("-2.25E2", -225);
    check_double("1_000.5_0", 1000.5);
    check_double("1e1_0", 1e10);
    check_double("0x10", 16);
    check_double("0o17", 15);
    check_double("0b101", 5);
    check_double("-9223372036854775808", -9223372036854775808.0);
    check_double("123456789012345678901234567890", 123456789012345678901234567890.0);
}

TEST(infinity_and_nan_are_numbers_as_in_toml)
{
    check_double("inf", INFINITY);
    check_double("+inf", INFINITY);
    check_double("-inf", -INFINITY);
    CHECK(isnan(read_double("nan")));
    CHECK(isnan(read_double("+nan")));
    CHECK(isnan(read_double("-nan")));
}

TEST(what_is_no_number_is_not_read)
{
    static const char *const texts[] = {
        "",     "-",    "+",     "1.",   ".5",    "1e",    "1e+", "01",    "1__0",     "_1",  "1_",
        "1_.0", "1._0", "0x",    "-0x1", "infi",  "nann",  "in",  "i",     "Inf",      "NaN", " 1",
        "1 ",   "1,5",  "1e5.0", "++1",  "--inf", "0x1p3", "1f",  "1.0.0", "infinity",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        double value = 77;
        if (number_double(texts[i], strlen(texts[i]), &value))
            CHECK_TEXT(texts[i], "refused");
        CHECK(value == 77);
    }
}

TEST(the_ends_of_the_range_are_rounded_right)
{
    check_double("1.7976931348623157e308", 1.7976931348623157e308);
    check_double("1.7976931348623158e308", 1.7976931348623157e308);
    check_double("1.797693134862315807e308", 1.7976931348623157e308);
    check_double("1.7976931348623159e308", INFINITY);
    check_double("1e309", INFINITY);
    check_double("-1e400000000", -INFINITY);
    check_double("1e99999999999999999999999999", INFINITY);
    check_double("5e-324", of_bits(1));
    check_double("2.4703282292062328e-324", of_bits(1));
    check_double("2.4703282292062327e-324", 0);
    check_double("1e-400000000", 0);
    check_double("-1e-99999999999999999999999999", -0.0);
    check_double("2.2250738585072014e-308", of_bits(UINT64_C(1) << 52));
    check_double("2.225073858507201e-308", of_bits((UINT64_C(1) << 52) - 1));
}

/* Exactly between two doubles the even one is meant; the least that is added decides otherwise,
 * wherever it stands. */
TEST(the_middle_between_two_doubles_goes_to_the_even_one)
{
    char text[1200];
    check_double("9007199254740993", 9007199254740992.0);
    check_double("9007199254740993.0000000000000000000000000000001", 9007199254740994.0);
    check_double("9007199254740992.9999999999999999999999999999999", 9007199254740992.0);
    check_double("9007199254740995", 9007199254740996.0);
    check_double("1.00000000000000011102230246251565404236316680908203125", 1);
    check_double("1.00000000000000011102230246251565404236316680908203126",
                 of_bits(bits_of(1) + 1));
    check_double("1.00000000000000011102230246251565404236316680908203124", 1);
    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    text[1100] = '1';
    text[1101] = '\0';
    check_double(text, 9007199254740994.0);
}

TEST(digits_and_exponent_may_outweigh_each_other)
{
    char text[1000];
    memset(text, '0', sizeof text);
    text[1] = '.';
    strcpy(text + 500, "15e500");
    check_double(text, 15);
    memset(text, '0', sizeof text);
    text[0] = '2';
    strcpy(text + 500, "e-498");
    check_double(text, 20);
}

static const char *formatted(double value)
{
    static char text[32];
    memset(text, 'x', sizeof text);
    number_format(value, text);
    CHECK(memchr(text, '\0', sizeof text) != NULL);
    return text;
}

TEST(doubles_are_written_as_python_writes_them)
{
    CHECK_TEXT(formatted(0), "0.0");
    CHECK_TEXT(formatted(-0.0), "-0.0");
    CHECK_TEXT(formatted(1), "1.0");
    CHECK_TEXT(formatted(-1.5), "-1.5");
    CHECK_TEXT(formatted(0.1), "0.1");
    CHECK_TEXT(formatted(0.1 + 0.2), "0.30000000000000004");
    CHECK_TEXT(formatted(100), "100.0");
    CHECK_TEXT(formatted(123456.789), "123456.789");
    CHECK_TEXT(formatted(0.0001), "0.0001");
    CHECK_TEXT(formatted(0.00001), "1e-05");
    CHECK_TEXT(formatted(0.000012345), "1.2345e-05");
    CHECK_TEXT(formatted(1e15), "1000000000000000.0");
    CHECK_TEXT(formatted(9999999999999998), "9999999999999998.0");
    CHECK_TEXT(formatted(1e16), "1e+16");
    CHECK_TEXT(formatted(12345678901234567890.0), "1.2345678901234567e+19");
    CHECK_TEXT(formatted(1e100), "1e+100");
    CHECK_TEXT(formatted(1.7976931348623157e308), "1.7976931348623157e+308");
    CHECK_TEXT(formatted(-2.2250738585072014e-308), "-2.2250738585072014e-308");
    CHECK_TEXT(formatted(of_bits(1)), "5e-324");
    CHECK_TEXT(formatted(1e23), "1e+23");
    CHECK_TEXT(formatted(INFINITY), "inf");
    CHECK_TEXT(formatted(-INFINITY), "-inf");
    CHECK_TEXT(formatted(NAN), "nan");
    CHECK_TEXT(formatted(-NAN), "nan");
}

/* The double below is nearer than the one above: the shortest text is not the nearest one. */
TEST(powers_of_two_have_the_shortest_text_too)
{
    CHECK_TEXT(formatted(0x1p-44), "5.684341886080802e-14");
    CHECK_TEXT(formatted(0x1p53), "9007199254740992.0");
    CHECK_TEXT(formatted(0x1p-1022), "2.2250738585072014e-308");
}

static int significant_digits(const char *text)
{
    struct decimal decimal;
    int count = 0;
    CHECK(number_decimal(text, strlen(text), &decimal));
    for (const char *at = decimal.digits; at < decimal.digits_end; at++)
        count += *at >= '0' && *at <= '9';
    return count;
}

/* strtod and printf of the C locale are the reference. */
static void check_against_c(double value)
{
    char exact[64];
    const char *text = formatted(value);
    int digits = significant_digits(text);
    check_double(text, value);
    CHECK(bits_of(strtod(text, NULL)) == bits_of(value));
    CHECK(digits >= 1 && digits <= 17);
    if (digits > 1) { /* one less does not do */
        snprintf(exact, sizeof exact, "%.*e", digits - 2, value);
        CHECK(strtod(exact, NULL) != value);
    }
    for (int precision = 0; precision < 17; precision++) {
        snprintf(exact, sizeof exact, "%.*e", precision, value);
        check_double(exact, strtod(exact, NULL));
    }
}

TEST(any_double_is_read_and_written_as_the_c_library_does)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (int i = 0; i < 1500; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = of_bits(state ^ state >> 29);
        if (isfinite(value))
            check_against_c(value);
    }
    for (int exponent = -1073; exponent < 1024; exponent += 7) {
        double power = ldexp(1, exponent);
        check_against_c(power);
        check_against_c(of_bits(bits_of(power) + 1));
        check_against_c(of_bits(bits_of(power) - 1));
    }
}

TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    bool found = false;
    for (size_t i = 0; i < COUNT(names) && !found; i++)
        found = setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',';
    if (!found)
        SKIP("no locale with a decimal comma is installed");
    check_double("1.5", 1.5);
    check_double("1.2345678901234567e+19", 12345678901234567890.0);
    CHECK_TEXT(formatted(1.5), "1.5");
}
