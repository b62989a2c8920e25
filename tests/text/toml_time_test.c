#include "harness.h"
#include "text/toml_support.h"

TEST(there_are_four_kinds)
{
    CHECK_TEXT(toml_data("a = 1979-05-27T07:32:00Z\nb = 1979-05-27T00:32:00.999999-07:00\n"
                         "c = 1979-05-27t07:32:00z\nd = 1979-05-27 07:32:00+01:30\n"),
               "{a=D:1979-05-27T07:32:00Z, b=D:1979-05-27T00:32:00.999999-07:00, "
               "c=D:1979-05-27t07:32:00z, d=D:1979-05-27 07:32:00+01:30}");
    CHECK_TEXT(toml_data("a = 1979-05-27T07:32:00\nb = 1979-05-27 00:32:00.5 # c\n"),
               "{a=L:1979-05-27T07:32:00, b=L:1979-05-27 00:32:00.5}");
    CHECK_TEXT(toml_data("a = 1979-05-27\nb = 1979-05-27 # 07:32:00\nc = [1979-05-27 , 1]"),
               "{a=d:1979-05-27, b=d:1979-05-27, c=[d:1979-05-27, i:1]}");
    CHECK_TEXT(toml_data("a = 07:32:00\nb = 23:59:60.000000000000001\n"),
               "{a=t:07:32:00, b=t:23:59:60.000000000000001}");
}

TEST(seconds_may_be_left_out_since_1_1)
{
    static const char *const newer[] = {
        "a = 07:32",
        "a = 1979-05-27T07:32",
        "a = 1979-05-27 07:32Z",
        "a = 1979-05-27T07:32-07:00",
        "a = [07:32, 1979-05-27 07:32]",
    };
    static const char *const bad[] = {"a = 07:32.5", "a = 07", "a = 07:", "a = 07:3", "a = 07:32:"};
    TOML_NEWER(newer);
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data_1_0("a = 07:32\n"), "9: expected ':'");
}

TEST(every_month_has_its_days)
{
    static const char *const good[] = {
        "a = 2021-01-31", "a = 2021-02-28", "a = 2024-02-29", "a = 2000-02-29", "a = 2021-04-30",
        "a = 2021-06-30", "a = 2021-09-30", "a = 2021-11-30", "a = 2021-12-31", "a = 0000-02-29",
    };
    static const char *const bad[] = {
        "a = 2021-01-32", "a = 2021-02-29", "a = 2024-02-30", "a = 1900-02-29", "a = 2100-02-29",
        "a = 2021-04-31", "a = 2021-06-31", "a = 2021-09-31", "a = 2021-11-31", "a = 2021-12-32",
        "a = 2021-00-01", "a = 2021-13-01", "a = 2021-01-00",
    };
    TOML_VALID(good);
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data("a = 2021-02-29\n"), "12: this month has no such day");
    CHECK_TEXT(toml_data("a = 2021-13-01\n"), "9: there is no such month");
}

TEST(hours_minutes_seconds_and_offsets_are_in_range)
{
    static const char *const good[] = {
        "a = 00:00:00",
        "a = 23:59:59",
        "a = 23:59:60",
        "a = 2021-01-01T00:00:00+23:59",
    };
    static const char *const bad[] = {
        "a = 24:00:00",
        "a = 00:60:00",
        "a = 00:00:61",
        "a = 2021-01-01T00:00:00+24:00",
        "a = 2021-01-01T00:00:00-00:60",
    };
    TOML_VALID(good);
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data("a = 24:00:00\n"), "4: there is no such hour");
    CHECK_TEXT(toml_data("a = 00:60:00\n"), "7: there is no such minute");
    CHECK_TEXT(toml_data("a = 00:00:61\n"), "10: there is no such second");
}

TEST(the_form_is_exact)
{
    static const char *const bad[] = {
        "a = 2021-1-01",
        "a = 2021-01-1",
        "a = 2021-01",
        "a = 2021-01-",
        "a = 12021-01-01",
        "a = 021-01-01",
        "a = 2021-01-01T",
        "a = 2021-01-01T07",
        "a = 2021-01-01  07:32:00",
        "a = 2021-01-01\t07:32:00",
        "a = 2021-01-01_07:32:00",
        "a = 2021-01-01T7:32:00",
        "a = 2021-01-01T07:32:00.",
        "a = 2021-01-01T07:32:00.Z",
        "a = 2021-01-01T07:32:00,5",
        "a = 2021-01-01T07:32:00+0700",
        "a = 2021-01-01T07:32:00+07",
        "a = 2021-01-01T07:32:00+7:00",
        "a = 2021-01-01T07:32:00 Z",
        "a = 2021-01-01T07:32:00ZZ",
        "a = 2021-01-01Z",
        "a = 07:32:00Z",
        "a = 07:32:00+01:00",
        "a = T07:32:00",
        "a = 7:32:00",
        "a = 2021/01/01",
        "a = +2021-01-01",
        "a = 2021-01-01x",
        "a = 2_021-01-01",
    };
    TOML_INVALID(bad);
}

TEST(a_time_that_stops_early_is_at_the_end)
{
    CHECK_TEXT(toml_data("a = 2021-0"), "10: expected a digit (end)");
    CHECK_TEXT(toml_data("a = 2021-01"), "11: expected '-' (end)");
    CHECK_TEXT(toml_data("a = 2021-01-01T"), "15: expected a digit (end)");
    CHECK_TEXT(toml_data("a = 2021-01-01 07"), "17: expected ':' (end)");
    CHECK_TEXT(toml_data("a = 07:32:00."), "13: expected a digit (end)");
    CHECK_TEXT(toml_data("a = 2021-01-01T07:32:00+"), "24: expected a digit (end)");
}
