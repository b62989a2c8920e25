#include "harness.h"
#include "text/toml_support.h"

TEST(integers_keep_their_spelling)
{
    CHECK_TEXT(toml_data("a = 0\nb = -0\nc = +17\nd = 1_000\ne = 9223372036854775807\n"),
               "{a=i:0, b=i:-0, c=i:+17, d=i:1_000, e=i:9223372036854775807}");
    CHECK_TEXT(toml_data("a = 0xDead_beef\nb = 0o755\nc = 0b1101_0\nd = 0x00\n"),
               "{a=i:0xDead_beef, b=i:0o755, c=i:0b1101_0, d=i:0x00}");
}

TEST(integers_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "a = 01",   "a = 00",   "a = -01",  "a = +00",   "a = 0_1",   "a = 1_",   "a = _1",
        "a = 1__0", "a = 1_a",  "a = 0x",   "a = 0x_1",  "a = 0x1_",  "a = 0xg",  "a = 0o8",
        "a = 0b2",  "a = +0x1", "a = -0o1", "a = 0X1",   "a = 0O1",   "a = 0B1",  "a = ++1",
        "a = --1",  "a = + 1",  "a = -",    "a = 1 000", "a = 1,000", "a = 0x-1", "a = 1a",
    };
    TOML_INVALID(bad);
}

TEST(integers_have_64_bits)
{
    static const char *const good[] = {
        "a = 9223372036854775807",
        "a = -9223372036854775808",
        "a = +9_223_372_036_854_775_807",
        "a = 0x7fffffffffffffff",
        "a = 0x0000000000000000000000000000007f",
        "a = 0o777777777777777777777",
        "a = 0b111111111111111111111111111111111111111111111111111111111111111",
    };
    static const char *const bad[] = {
        "a = 9223372036854775808",
        "a = -9223372036854775809",
        "a = 99999999999999999999999999999999999",
        "a = 0x8000000000000000",
        "a = 0xffffffffffffffff",
        "a = 0x10000000000000000",
        "a = 0o1000000000000000000000",
        "a = 0b1000000000000000000000000000000000000000000000000000000000000000",
    };
    TOML_VALID(good);
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data("a = -9223372036854775809\n"), "4: this integer needs more than 64 bits");
}

TEST(floats_keep_their_spelling)
{
    CHECK_TEXT(toml_data("a = 1.5\nb = -0.0\nc = 1e6\nd = 1_0.0_1E-0_7\ne = +6.02e+23\nf = 0e0\n"),
               "{a=f:1.5, b=f:-0.0, c=f:1e6, d=f:1_0.0_1E-0_7, e=f:+6.02e+23, f=f:0e0}");
    CHECK_TEXT(toml_data("a = inf\nb = +inf\nc = -inf\nd = nan\ne = +nan\nf = -nan"),
               "{a=f:inf, b=f:+inf, c=f:-inf, d=f:nan, e=f:+nan, f=f:-nan}");
    CHECK_TEXT(toml_data("a = 99999999999999999999.0"), "{a=f:99999999999999999999.0}");
}

TEST(floats_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "a = .5",    "a = 5.",    "a = 1.e1",  "a = 1e",   "a = 1e+",   "a = 1e_1",  "a = 1e1_",
        "a = 1._5",  "a = 1_.5",  "a = 1.5_",  "a = 01.5", "a = 0_1.5", "a = 1.2.3", "a = 1e1.5",
        "a = 1e1e1", "a = Inf",   "a = NaN",   "a = INF",  "a = in",    "a = na",    "a = infinity",
        "a = +in",   "a = nano",  "a = 1.5f",  "a = +.5",  "a = 0x1.8", "a = 1 .5",  "a = e5",
        "a = - inf", "a = +-1.0", "a = 1e--1",
    };
    TOML_INVALID(bad);
}

TEST(booleans_are_two_words)
{
    static const char *const bad[] = {
        "a = True", "a = FALSE", "a = t", "a = tru", "a = truee", "a = f", "a = fals", "a = falsey",
    };
    CHECK_TEXT(toml_data("a = true\nb = false"), "{a=b:true, b=b:false}");
    TOML_INVALID(bad);
}

TEST(the_flaw_of_a_number_is_where_it_goes_wrong)
{
    CHECK_TEXT(toml_data("a = 1_x\n"), "6: expected a digit");
    CHECK_TEXT(toml_data("a = 0x\n"), "6: expected a digit");
    CHECK_TEXT(toml_data("a = 012\n"), "4: a number does not begin with a zero");
    CHECK_TEXT(toml_data("a = -012\n"), "5: a number does not begin with a zero");
    CHECK_TEXT(toml_data("a = 12x\n"), "6: expected the end of the line");
    CHECK_TEXT(toml_data("a = inx\n"), "6: expected inf or nan");
    CHECK_TEXT(toml_data("a = trux\n"), "7: expected true or false");
    CHECK_TEXT(toml_data("a = x\n"), "4: expected a value");
}

TEST(a_number_that_stops_early_is_at_the_end)
{
    CHECK_TEXT(toml_data("a = 1_"), "6: expected a digit (end)");
    CHECK_TEXT(toml_data("a = 0x"), "6: expected a digit (end)");
    CHECK_TEXT(toml_data("a = 1."), "6: expected a digit (end)");
    CHECK_TEXT(toml_data("a = 1e-"), "7: expected a digit (end)");
    CHECK_TEXT(toml_data("a = -"), "5: expected a digit (end)");
    CHECK_TEXT(toml_data("a = tru"), "7: expected true or false (end)");
    CHECK_TEXT(toml_data("a = +in"), "7: expected inf or nan (end)");
    CHECK_TEXT(toml_data("a = 0001"), "8: a number does not begin with a zero (end)");
    CHECK_TEXT(toml_data("a = 00001"), "4: a number does not begin with a zero");
}
