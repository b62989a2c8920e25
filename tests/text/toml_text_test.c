#include "harness.h"
#include "text/toml_support.h"

#include <stdlib.h>
#include <string.h>

#include "text/toml_bytes.h"

TEST(basic_strings_are_decoded)
{
    CHECK_TEXT(toml_data("a = \"\"\nb = \"x y\"\nc = \"\\b\\t\\n\\f\\r\\\"\\\\\"\n"),
               "{a=s:, b=s:x y, c=s:\\x08\\x09\\x0a\\x0c\\x0d\"\\}");
    CHECK_TEXT(toml_data("a = \"\\u00e9\\u20ac\\U0001f600|\\u0000|\\U0010ffff\""),
               "{a=s:\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|\\x00|\xf4\x8f\xbf\xbf}");
    CHECK_TEXT(toml_data("a = \"tab\there, \xc3\xa9, it's # no comment\" # a comment"),
               "{a=s:tab\\x09here, \xc3\xa9, it's # no comment}");
}

TEST(literal_strings_are_taken_as_they_are)
{
    CHECK_TEXT(toml_data("a = ''\nb = 'C:\\new\\\"x\"'\nc = '\xe2\x82\xac\t'"),
               "{a=s:, b=s:C:\\new\\\"x\", c=s:\xe2\x82\xac\\x09}");
}

TEST(strings_over_several_lines_lose_their_first_newline)
{
    CHECK_TEXT(toml_data("a = \"\"\"\nx\ny\n\"\"\"\nb = '''\r\nx\r\n\\y'''\nc = \"\"\"\n\nx\"\"\""),
               "{a=s:x\\x0ay\\x0a, b=s:x\\x0d\\x0a\\y, c=s:\\x0ax}");
    CHECK_TEXT(toml_data("a = \"\"\"\"\"\"\nb = ''''''"), "{a=s:, b=s:}");
}

TEST(up_to_two_quotes_may_stand_before_the_last_three)
{
    CHECK_TEXT(toml_data("a = \"\"\"x\"\"\"\"\nb = \"\"\"x\"\"\"\"\"\nc = \"\"\"\"x\"\"y\"\"\"\n"),
               "{a=s:x\", b=s:x\"\", c=s:\"x\"\"y}");
    CHECK_TEXT(toml_data("a = '''x''''\nb = '''x'''''\nc = ''''x''y'''\n"),
               "{a=s:x', b=s:x'', c=s:'x''y}");
    CHECK_TEXT(toml_data("a = \"\"\"x\"\"\"\"\"\"\n"), "13: expected the end of the line");
    CHECK_TEXT(toml_data("a = '''x''''''\n"), "13: expected the end of the line");
}

TEST(a_backslash_at_the_end_of_a_line_joins_lines)
{
    CHECK_TEXT(toml_data("a = \"\"\"x \\\n   \t\n\n  y\"\"\""), "{a=s:x y}");
    CHECK_TEXT(toml_data("a = \"\"\"x\\  \t\r\n\r\n y \\\n\"\"\""), "{a=s:xy }");
    CHECK_TEXT(toml_data("a = \"\"\"\\\n\"\"\""), "{a=s:}");
    CHECK_TEXT(toml_data("a = \"\"\"x\\\\\ny\"\"\""), "{a=s:x\\\\x0ay}");
    CHECK_TEXT(toml_data("a = \"\"\"x\\ y\"\"\"\n"),
               "8: a backslash before a blank must be the last of its line");
    CHECK_TEXT(toml_data("a = \"x\\\n\"\n"), "6: there is no such escape");
}

TEST(escapes_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "a = \"\\a\"",     "a = \"\\'\"",     "a = \"\\/\"",         "a = \"\\ \"",
        "a = \"\\u12\"",   "a = \"\\u123g\"", "a = \"\\U1234567\"",  "a = \"\\U00110000\"",
        "a = \"\\ud800\"", "a = \"\\udfff\"", "a = \"\\U0000d800\"", "a = \"\\UFFFFFFFF\"",
        "a = \"\\x4\"",    "a = \"\\xg0\"",   "a = \"\\\"",          "a = \"\\",
        "a = \"\\0\"",     "a = \"\\u{20}\"", "a = \"\"\"\\q\"\"\"", "\"\\q\" = 1",
        "a = \"\\N\"",     "a = \"\\u+123\"",
    };
    TOML_INVALID(bad);
    CHECK_TEXT(toml_data("a = \"x\\ud800\""), "6: no character has this number");
    CHECK_TEXT(toml_data("a = \"x\\u12x\""), "10: expected a hexadecimal digit");
}

TEST(two_escapes_came_with_1_1)
{
    static const char *const newer[] = {"a = \"\\e\"", "a = \"\\x41\"", "\"\\xe9\" = 1",
                                        "a = \"\"\"\\e\\x00\"\"\""};
    TOML_NEWER(newer);
    CHECK_TEXT(toml_data("a = \"\\e\\x41\\xe9\\xFF\\x00\""), "{a=s:\\x1bA\xc3\xa9\xc3\xbf\\x00}");
    CHECK_TEXT(toml_data_1_0("a = \"\\e\""), "5: this escape needs TOML 1.1");
}

TEST(an_escaped_nul_does_not_end_a_string_or_key)
{
    struct parsed parsed;
    struct flaw flaw;
    const char text[] = "\"k\\u0000l\" = \"a\\u0000b\"";
    CHECK_INT(toml_scan_exact(text, sizeof text - 1, UNTORN_TOML, &parsed, &flaw), 0);
    CHECK_BYTES(parsed.root->first->key, parsed.root->first->key_size, "k\0l", 3);
    CHECK_BYTES(parsed.root->first->text, parsed.root->first->size, "a\0b", 3);
    toml_free_exact(&parsed);
}

TEST(control_characters_are_refused_everywhere)
{
    static const char *const places[] = {
        "#x",          "a = 1 #x",  "a = \"x\"", "a = 'x'",  "a = \"\"\"x\"\"\"",
        "a = '''x'''", "\"x\" = 1", "'x' = 1",   "x",        "a = [ x ]",
        "a = [ #x ]",  "[ x a]",    "a x = 1",   "a = {x }", "a = 1x",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (int byte = 0; byte < 0x80; byte = byte == 0x1f ? 0x7f : byte + 1) {
            char text[32];
            size_t size = strlen(places[i]);
            memcpy(text, places[i], size + 1);
            *strchr(text, 'x') = (char)byte;
            struct parsed parsed;
            struct flaw flaw;
            bool refused = toml_scan_exact(text, size, UNTORN_TOML, &parsed, &flaw) < 0;
            if (!refused)
                toml_free_exact(&parsed);
            if (byte != '\t' && byte != '\n' && !refused)
                CHECK_TEXT(places[i], "refused with a control character in it");
        }
    }
}

TEST(a_carriage_return_is_half_a_newline)
{
    static const char *const bad[] = {
        "\r",
        "a = 1\r",
        "a = 1\rb = 2",
        "# x\ry",
        "a = \"\"\"x\ry\"\"\"",
        "a = '''\rx'''",
        "a = [\r1]",
        "a = 1\r\r\n",
        "a = \"\"\"\\\r\"\"\"",
    };
    static const char *const good[] = {
        "\r\n", "a = 1\r\n", "# x\r\n", "a = \"\"\"\r\n\r\n\"\"\"", "a = [\r\n1 # x\r\n]",
    };
    TOML_INVALID(bad);
    TOML_VALID(good);
    CHECK_TEXT(toml_data("a = 1\rb"), "5: a carriage return without a newline");
    CHECK_TEXT(toml_data("a = 1\r"), "6: a carriage return without a newline (end)");
}

TEST(strings_and_comments_are_utf_8)
{
    static const char *const bytes[] = {
        "\x80",
        "\xff",
        "\xc3",
        "\xc0\xaf",
        "\xe2\x82",
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "\xc3\xc3",
        "\xf0\x9f\x98",
        "\xe0\x80\x80",
    };
    static const char *const places[] = {"#%", "a = \"%\"", "a = '%'", "a = '''%'''", "\"%\" = 1"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t j = 0; j < sizeof bytes / sizeof *bytes; j++) {
            char text[32] = "";
            size_t before = strcspn(places[i], "%");
            memcpy(text, places[i], before);
            strcat(strcat(text, bytes[j]), places[i] + before + 1);
            strcat(text, "\n");
            const char *const bad[] = {text};
            TOML_INVALID(bad);
        }
    }
    CHECK_TEXT(toml_data("a = \"x\xff\""), "6: this is not UTF-8");
    CHECK_TEXT(toml_data("a = \"x\xe2\x82"), "8: this is not UTF-8 (end)");
    CHECK_TEXT(toml_data("\xc3\xa9 = 1"), "0: expected a key");
}

TEST(strings_that_are_not_closed_are_at_the_end)
{
    CHECK_TEXT(toml_data("a = \"x"), "6: a string is not closed (end)");
    CHECK_TEXT(toml_data("a = 'x"), "6: a string is not closed (end)");
    CHECK_TEXT(toml_data("a = \"x\n"), "6: a newline in a one-line string");
    CHECK_TEXT(toml_data("a = 'x\r\n'"), "6: a newline in a one-line string");
    CHECK_TEXT(toml_data("a = \"\"\"x\n\"\""), "11: a string is not closed (end)");
    CHECK_TEXT(toml_data("a = \"x\\"), "7: a string is not closed (end)");
    CHECK_TEXT(toml_data("a = \"x\\u0"), "9: expected a hexadecimal digit (end)");
    CHECK_TEXT(toml_data("a = \"\"\"x\\ "),
               "10: a backslash before a blank must be the last of its line (end)");
}

TEST(the_fast_search_finds_what_the_plain_one_finds)
{
    char text[80];
    for (unsigned round = 0; round < 20000; round++) {
        size_t size = (size_t)(rand() % (int)sizeof text);
        for (size_t i = 0; i < size; i++) /* mostly plain, so that runs get long */
            text[i] = (char)(rand() % 24 ? ' ' + rand() % 90 : rand() % 256);
        static const char pairs[][2] = {{'"', '\\'}, {'\'', '\''}, {'\n', '\n'}};
        const char *pair = pairs[round % 3];
        CHECK(toml_plain(text, text + size, pair[0], pair[1]) ==
              toml_plain_bytewise(text, text + size, pair[0], pair[1]));
    }
}

TEST(every_byte_is_judged_alike_at_every_place_of_a_run)
{
    char text[40];
    for (int byte = 0; byte < 256; byte++) {
        bool plain = byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
        for (size_t place = 0; place < sizeof text; place++) {
            memset(text, 'x', sizeof text);
            text[place] = (char)byte;
            const char *found = toml_plain(text, text + sizeof text, '"', '\\');
            CHECK(found == text + (plain ? sizeof text : place));
        }
    }
}
