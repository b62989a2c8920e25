/* Edits as users say them. How the text of an edit looks is the planners' (their tests); here it is
 * what an edit means, in both formats. */
#include "heap.h"
#include "text/edits.h"

/* ---- setting what is there ---- */

TEST(a_value_is_set_and_nothing_else_changes)
{
    CHECK_TEXT(JSON("{ \"a\" : 1 ,\n\"b\":2}", SET("a", "10")), "{ \"a\" : 10 ,\n\"b\":2}");
    CHECK_TEXT(JSONC("{ // c\n\"a\":1,}\n", SET("a", "2")), "{ // c\n\"a\":2,}\n");
    CHECK_TEXT(TOML("# c\na  =  1 # d\n\n[t]\nb='x'\n", SET("a", "10")),
               "# c\na  =  10 # d\n\n[t]\nb='x'\n");
    CHECK_TEXT(TOML("[t]\nb = \"x\"\n[u]\n", SET("t.b", "y")), "[t]\nb = \"y\"\n[u]\n");
}

TEST(a_number_keeps_the_spelling_it_is_given)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "1.50")), "{\"a\": 1.50}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "-1E+07")), "{\"a\": -1E+07}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "12345678901234567890123")),
               "{\"a\": 12345678901234567890123}");
    CHECK_TEXT(TOML("a = 1\n", SET("a", "1.50")), "a = 1.50\n");
    CHECK_TEXT(TOML("a = 1\n", SET_TOML("a", "0xFF_ff")), "a = 0xFF_ff\n");
    CHECK_TEXT(TOML("a = 1.5\n", SET("a", "3")), "a = 3.0\n");
}

TEST(data_that_is_there_already_changes_no_byte)
{
    CHECK_TEXT(JSON("{\"a\": 1.50, \"b\": [ 1,2 ]}", SET("a", "1.5"), SET_JSON("b", "[1, 2]")),
               "{\"a\": 1.50, \"b\": [ 1,2 ]}");
    CHECK_TEXT(JSON("{\"a\": \"\\u0041\"}", SET("a", "A")), "{\"a\": \"\\u0041\"}");
    CHECK_TEXT(JSON("{\"a\": {\"x\": 1, \"y\": 2}}", SET_JSON("a", "{\"y\": 2, \"x\": 1}")),
               "{\"a\": {\"x\": 1, \"y\": 2}}");
    CHECK_TEXT(TOML("a = 0x10\nb = '''x'''\n", SET("a", "16"), SET("b", "x")),
               "a = 0x10\nb = '''x'''\n");
    CHECK_TEXT(TOML("a = 1979-05-27 07:32:00z\n", SET("a", "1979-05-27T07:32:00Z")),
               "a = 1979-05-27 07:32:00z\n");
    CHECK_TEXT(TOML("[t]\nx = 1\n", SET_JSON("t", "{\"x\": 1}")), "[t]\nx = 1\n");
    CHECK_TEXT(TOML("", MERGE("{}")), "");
}

TEST(zero_with_another_sign_is_another_float_and_the_same_integer)
{
    CHECK_TEXT(JSON("{\"a\": -0.0}", SET("a", "0.0")), "{\"a\": 0.0}");
    CHECK_TEXT(JSON("{\"a\": 0.0}", SET("a", "-0.0")), "{\"a\": -0.0}");
    CHECK_TEXT(JSON("{\"a\": -0.0}", SET("a", "-0.00")), "{\"a\": -0.0}");
    CHECK_TEXT(JSON("{\"a\": -0}", SET("a", "0")), "{\"a\": -0}");
    CHECK_TEXT(TOML("a = -0.0\nb = -0\n", SET("a", "0.0"), SET("b", "0")), "a = 0.0\nb = -0\n");
}

TEST(one_and_one_point_nought_are_not_the_same)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "1.0")), "{\"a\": 1.0}");
    CHECK_TEXT(TOML("a = 1\n", SET("a", "1.0")), "a = 1.0\n");
}

TEST(a_plain_value_never_changes_the_type)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "abc")), "TYPE");
    CHECK(detail_says("a is an integer") && detail_says("'abc'") && detail_says("--string"));
    CHECK_TEXT(JSON("{\"a\": true}", SET("a", "1")), "TYPE");
    CHECK_TEXT(JSON("{\"a\": \"8080\"}", SET("a", "8081")), "{\"a\": \"8081\"}");
    CHECK_TEXT(JSON("{\"a\": {\"b\": 1}}", SET("a", "1")), "TYPE");
    CHECK(detail_says("a is an object") && detail_says("--json"));
    CHECK_TEXT(TOML("a = [1]\n", SET("a", "1")), "TYPE");
    CHECK_TEXT(TOML("a = 1979-05-27\n", SET("a", "1980-01-01")), "a = 1980-01-01\n");
    CHECK_TEXT(TOML("a = 1979-05-27\n", SET("a", "soon")), "TYPE");
    CHECK(detail_says("a local date"));
    CHECK_TEXT(JSON("{\"a\": null}", SET("a", "1")), "{\"a\": 1}");
}

TEST(a_value_that_says_its_syntax_may_be_of_any_type)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET_STRING("a", "true")), "{\"a\": \"true\"}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET_JSON("a", "null")), "{\"a\": null}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET_TOML("a", "0x10")), "{\"a\": 16}");
    CHECK_TEXT(TOML("a = 1\n", SET_STRING("a", "true")), "a = \"true\"\n");
    CHECK_TEXT(TOML("a = 1\n", SET_JSON("a", "[1, 2]")), "a = [1, 2]\n");
    CHECK_TEXT(TOML("a = 1\n", SET_TOML("a", "07:32:00")), "a = 07:32:00\n");
}

TEST(a_value_that_is_not_what_it_says_is_refused)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET_JSON("a", "{")), "INVALID");
    CHECK(detail_says("not JSON"));
    CHECK_TEXT(TOML("a = 1\n", SET_TOML("a", "1\nb = 2")), "INVALID");
    CHECK(detail_says("not TOML"));
    CHECK_TEXT(JSON("{\"a\": 1}", SET_STRING("a", "\xff")), "INVALID");
    CHECK(detail_says("UTF-8"));
}

TEST(what_a_format_cannot_hold_is_refused)
{
    CHECK_TEXT(TOML("a = 1\n", SET_JSON("a", "null")), "TYPE");
    CHECK(detail_says("null"));
    CHECK_TEXT(TOML("", SET_JSON("a", "{\"b\": [null]}")), "TYPE");
    CHECK_TEXT(TOML("a = 1\n", SET("a", "9223372036854775808")), "TYPE");
    CHECK(detail_says("64 bits"));
    CHECK_TEXT(JSON("{\"a\": 1}", SET_TOML("a", "1979-05-27")), "TYPE");
    CHECK_TEXT(JSON("{\"a\": 1}", SET_TOML("a", "nan")), "TYPE");
    CHECK(detail_says("--string"));
    CHECK_TEXT(TOML("a = [1]\n", PATCH("[{\"op\":\"add\",\"path\":\"/a/0\",\"value\":null}]")),
               "TYPE");
    CHECK_TEXT(TOML("a = [1]\n", MERGE("{\"b\": [null]}")), "TYPE");
}

/* ---- setting what is not there ---- */

TEST(a_new_plain_value_is_what_it_spells)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b", "2")), "{\"a\": 1, \"b\": 2}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b", "x")), "{\"a\": 1, \"b\": \"x\"}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b", "true")), "{\"a\": 1, \"b\": true}");
    CHECK_TEXT(TOML("a = 1\n", SET("b", "2")), "a = 1\nb = 2\n");
    CHECK_TEXT(TOML("a = 1\n", SET("b", "")), "a = 1\nb = \"\"\n");
}

TEST(objects_on_the_way_are_made)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b.c.d", "2")), "{\"a\": 1, \"b\": {\"c\": {\"d\": 2}}}");
    CHECK_TEXT(JSON("{\"a\": {\"x\": 1}}", SET("a.y.z", "2")),
               "{\"a\": {\"x\": 1, \"y\": {\"z\": 2}}}");
    CHECK_TEXT(JSON("{\"a\": [1]}", SET("a[+].b", "2")), "{\"a\": [1, {\"b\": 2}]}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b[+]", "2")), "{\"a\": 1, \"b\": [2]}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b[0].c", "2")), "{\"a\": 1, \"b\": [{\"c\": 2}]}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b[+][+].c", "2")), "{\"a\": 1, \"b\": [[{\"c\": 2}]]}");
    CHECK_TEXT(TOML("a = { x = 1 }\n", SET("a.y.z", "2")), "a = { x = 1, y = { z = 2 } }\n");
}

TEST(raw_segments_name_keys_and_elements)
{
    static const char *const deep[] = {"b", "c.d"}, *const element[] = {"a", "0"},
                             *const behind[] = {"a", "-"}, *const digits[] = {"b", "0"};
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .segments = deep, .segment_count = 2, .value = "2", .value_size = 1};
    static const char text[] = "{\"a\": [1]}";
    CHECK_TEXT(edited(UNTORN_JSON, text, 10, &edit, 1), "{\"a\": [1], \"b\": {\"c.d\": 2}}");
    edit.segments = element;
    CHECK_TEXT(edited(UNTORN_JSON, text, 10, &edit, 1), "{\"a\": [2]}");
    edit.segments = behind;
    CHECK_TEXT(edited(UNTORN_JSON, text, 10, &edit, 1), "{\"a\": [1, 2]}");
    edit.segments = digits;
    CHECK_TEXT(edited(UNTORN_JSON, text, 10, &edit, 1), "{\"a\": [1], \"b\": {\"0\": 2}}");
}

TEST(a_pointer_makes_no_parents)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("/b", "2")), "{\"a\": 1, \"b\": 2}");
    CHECK_TEXT(JSON("{\"a\": [1]}", SET("/a/-", "2")), "{\"a\": [1, 2]}");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("/b/c", "2")), "NO_KEY");
    CHECK(detail_says("-k"));
    CHECK_TEXT(TOML("a = 1\n", SET("/b/c", "2")), "NO_KEY");
}

TEST(what_can_never_be_made_is_refused)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a.b", "2")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": [1]}", SET("a[5]", "2")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": [1]}", SET("a.b", "2")), "TYPE");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b[3]", "2")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("", "2")), "INVALID");
    CHECK_TEXT(JSON("{\"a\": 1, \"a\": 2}", SET("a", "2")), "AMBIGUOUS");
    CHECK_TEXT(TOML("\"a.b\" = 1\n", SET("a.b", "2")), "AMBIGUOUS");
}

TEST(keys_may_hold_any_character)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("\"a.b\\n\\u0000\"", "1")),
               "{\"a\": 1, \"a.b\\n\\u0000\": 1}");
    CHECK_TEXT(JSON("{\"a\": 1}", RENAME("a", "x\0\xc3\xa9\"")), "{\"x\\u0000\xc3\xa9\\\"\": 1}");
    CHECK_TEXT(TOML("a = 1\n", RENAME("a", "x.\0y")), "\"x.\\u0000y\" = 1\n");
    CHECK_TEXT(JSON("{\"\": 1}", SET("\"\"", "2")), "{\"\": 2}");
    CHECK_TEXT(JSON("{\"a\": 1}", RENAME("a", "\xff")), "INVALID");
    CHECK(detail_says("UTF-8"));
}

/* ---- the root ---- */

static const char *set_root(enum untorn_format format, const char *text, const char *value)
{
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .value = value, .value_size = strlen(value), .syntax = UNTORN_AS_JSON};
    return edited(format, text, strlen(text), &edit, 1);
}

TEST(the_root_may_be_replaced)
{
    CHECK_TEXT(set_root(UNTORN_JSON, " {\"a\": 1}\n", "[1]"), " [1]\n");
    CHECK_TEXT(set_root(UNTORN_JSON, "1\n", "null"), "null\n");
    CHECK_TEXT(set_root(UNTORN_TOML, "a = 1\n", "{\"b\": 2}"), "b = 2\n");
    CHECK_TEXT(set_root(UNTORN_TOML, "a = 1\n", "{\"a\": 1}"), "a = 1\n");
    CHECK_TEXT(set_root(UNTORN_TOML, "a = 1\n", "{}"), "");
    CHECK_TEXT(set_root(UNTORN_TOML, "a = 1\n", "[1]"), "TYPE");
    CHECK(detail_says("an array"));
}

TEST(the_root_cannot_go_and_has_no_name)
{
    struct untorn_edit edit = {.kind = UNTORN_UNSET};
    CHECK_TEXT(edited(UNTORN_JSON, "{}", 2, &edit, 1), "INVALID");
    edit.kind = UNTORN_RENAME;
    CHECK_TEXT(edited(UNTORN_JSON, "{}", 2, &edit, 1), "TYPE");
    edit.kind = UNTORN_INSERT;
    CHECK_TEXT(edited(UNTORN_JSON, "[]", 2, &edit, 1), "INVALID");
    edit.kind = (enum untorn_edit_kind)99;
    CHECK_TEXT(edited(UNTORN_JSON, "[]", 2, &edit, 1), "INVALID");
}

/* ---- unset, insert, rename ---- */

TEST(what_is_unset_is_gone)
{
    CHECK_TEXT(JSON("{\"a\": 1, \"b\": 2}", UNSET("a")), "{\"b\": 2}");
    CHECK_TEXT(JSON("{\"a\": [1, 2, 3]}", UNSET("a[-1]")), "{\"a\": [1, 2]}");
    CHECK_TEXT(TOML("a = 1\nb = 2\n", UNSET("a")), "b = 2\n");
    CHECK_TEXT(TOML("[a]\nb = 1\n\n[a.c]\nd = 1\n\n[e]\n", UNSET("a")), "[e]\n");
}

TEST(what_is_not_there_cannot_be_unset)
{
    CHECK_TEXT(JSON("{\"a\": 1}", UNSET("b")), "NO_KEY");
    CHECK_TEXT(error.detail, "b");
    CHECK_TEXT(JSON("{\"a\": {}}", UNSET("a.b.c")), "NO_KEY");
    CHECK(detail_says("a.b.c (there is no 'b')"));
    CHECK_TEXT(JSON("{\"a\": []}", UNSET("a[+]")), "NO_KEY");
    CHECK(detail_says("behind the last"));
    CHECK_TEXT(TOML("a = 1\n", UNSET("b")), "NO_KEY");
}

TEST(an_element_is_inserted_before_another_or_behind_the_last)
{
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("a[0]", "0")), "{\"a\": [0, 1, 2]}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("a[1]", "0")), "{\"a\": [1, 0, 2]}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("a[2]", "0")), "{\"a\": [1, 2, 0]}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("a[-1]", "0")), "{\"a\": [1, 0, 2]}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("a[+]", "0")), "{\"a\": [1, 2, 0]}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("/a/1", "0")), "{\"a\": [1, 0, 2]}");
    CHECK_TEXT(JSON("{\"a\": [1, 2]}", INSERT("/a/-", "0")), "{\"a\": [1, 2, 0]}");
    CHECK_TEXT(JSON("{\"a\": []}", INSERT("a[0]", "x")), "{\"a\": [\"x\"]}");
    CHECK_TEXT(TOML("a = [1, 2]\n", INSERT("a[1]", "0")), "a = [1, 0, 2]\n");
}

TEST(an_element_is_inserted_into_an_array_only)
{
    CHECK_TEXT(JSON("{\"a\": [1]}", INSERT("a[3]", "0")), "NO_KEY");
    CHECK(detail_says("1 element"));
    CHECK_TEXT(JSON("{\"a\": [1]}", INSERT("a[-2]", "0")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": [1]}", INSERT("a[-99]", "0")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": [1]}", INSERT("/a/00", "0")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": [1]}", INSERT("/a/99999999999999999999", "0")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": {}}", INSERT("/a/0", "0")), "TYPE");
    CHECK(detail_says("an object"));
    CHECK_TEXT(JSON("{\"a\": 1}", INSERT("a", "0")), "INVALID");
    CHECK_TEXT(JSON("{\"a\": 1}", INSERT("b[0]", "0")), "NO_KEY");
}

TEST(a_key_is_renamed_where_it_stands)
{
    CHECK_TEXT(JSON("{\"a\": 1, \"b\": 2}", RENAME("a", "c")), "{\"c\": 1, \"b\": 2}");
    CHECK_TEXT(JSON("{\"a\": 1}", RENAME("a", "a")), "{\"a\": 1}");
    CHECK_TEXT(TOML("a = 1\nb = 2\n", RENAME("a", "c d")), "\"c d\" = 1\nb = 2\n");
    CHECK_TEXT(TOML("[a]\n[a.b]\nx = 1\n", RENAME("a", "z")), "[z]\n[z.b]\nx = 1\n");
}

TEST(a_name_that_is_taken_or_cannot_be_had_is_refused)
{
    CHECK_TEXT(JSON("{\"a\": 1, \"b\": 2}", RENAME("a", "b")), "AMBIGUOUS");
    CHECK(detail_says("b is there already"));
    CHECK_TEXT(JSON("{\"a\": [1]}", RENAME("a[0]", "b")), "TYPE");
    CHECK(detail_says("an element"));
    CHECK_TEXT(JSON("{\"a\": [1]}", RENAME("b", "c")), "NO_KEY");
    CHECK_TEXT(TOML("a = 1\n[b]\n", RENAME("a", "b")), "AMBIGUOUS");
}

/* ---- patches ---- */

TEST(patches_are_rows_of_edits)
{
    CHECK_TEXT(JSON("{\"a\": 1, \"b\": {\"c\": 2}}", MERGE("{\"a\": null, \"b\": {\"d\": 3}}")),
               "{\"b\": {\"c\": 2, \"d\": 3}}");
    CHECK_TEXT(TOML("a = 1 # one\n[b]\nc = 2\n", MERGE("{\"a\": 5, \"b\": {\"d\": \"x\"}}")),
               "a = 5 # one\n[b]\nc = 2\nd = \"x\"\n");
    CHECK_TEXT(
        JSON("{\"a\": [1, 2]}", PATCH("[{\"op\":\"test\",\"path\":\"/a/0\",\"value\":1},"
                                      "{\"op\":\"add\",\"path\":\"/a/1\",\"value\":9},"
                                      "{\"op\":\"move\",\"from\":\"/a/0\",\"path\":\"/a/-\"},"
                                      "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]")),
        "{\"a\": [9, 2, 1], \"b\": [9, 2, 1]}");
}

TEST(a_failed_test_of_a_patch_has_its_own_status)
{
    CHECK_TEXT(JSON("{\"a\": 1}", PATCH("[{\"op\":\"replace\",\"path\":\"/a\",\"value\":2},"
                                        "{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]")),
               "TEST_FAILED");
    CHECK_TEXT(JSON("{\"a\": 1}", PATCH("[{\"op\":\"remove\",\"path\":\"/b\"}]")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": 1}", PATCH("[{\"op\":\"remove\"}]")), "INVALID");
    CHECK_TEXT(JSON("{\"a\": 1}", MERGE("{")), "INVALID");
}

/* ---- several edits ---- */

TEST(an_edit_sees_what_those_before_it_did)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("b.c", "1"), SET("b.d", "x"), RENAME("b", "e"), UNSET("a")),
               "{\"e\": {\"c\": 1, \"d\": \"x\"}}");
    CHECK_TEXT(JSON("{\"a\": []}", SET("a[+]", "1"), SET("a[+]", "2"), INSERT("a[0]", "0")),
               "{\"a\": [0, 1, 2]}");
    CHECK_TEXT(TOML("a = 1\n", SET("a", "2"), SET("b", "3"), UNSET("a")), "b = 3\n");
}

/* [DOCUMENT-3] */
TEST(of_several_edits_all_are_done_or_none)
{
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "2"), SET("b", "3"), UNSET("c")), "NO_KEY");
    CHECK_TEXT(JSON("{\"a\": 1}", SET("a", "2"), SET("a", "x")), "TYPE");
    CHECK_TEXT(TOML("a = 1\n", SET("a", "2"), SET_JSON("b", "null")), "TYPE");
}

TEST(no_edit_at_all_gives_the_same_text)
{
    CHECK_TEXT(edited(UNTORN_JSON, " { } ", 5, NULL, 0), " { } ");
    CHECK_TEXT(edited(UNTORN_TOML, "", 0, NULL, 0), "");
}

/* ---- texts of every shape ---- */

TEST(a_text_that_does_not_parse_is_told_with_its_place)
{
    CHECK_TEXT(JSON("{\n  \"a\": 1,\n  \"b\" 2\n}\n", SET("a", "2")), "DAMAGED");
    CHECK_INT(error.position, 18);
    CHECK(strncmp(error.detail, "line 3, column 7: ", 18) == 0);
    CHECK(detail_says("\n    \"b\" 2\n"));
    CHECK_TEXT(TOML("a = 1\nport = = 1\n", SET("a", "2")), "DAMAGED");
    CHECK(strncmp(error.detail, "line 2, column 8: ", 18) == 0);
    CHECK(detail_says("\n  port = = 1\n         ^"));
}

TEST(an_empty_text_is_toml_and_is_no_json)
{
    CHECK_TEXT(JSON("", SET("a", "1")), "DAMAGED");
    CHECK_INT(error.position, 0);
    CHECK_TEXT(JSON(" \n", SET("a", "1")), "DAMAGED");
    CHECK_TEXT(TOML("", SET("a", "1")), "a = 1\n");
    CHECK_TEXT(TOML("\n", SET("a", "1")), "a = 1\n\n");
}

TEST(a_wider_format_is_suggested_where_it_would_do)
{
    CHECK_TEXT(JSON("{} // c\n", SET("a", "1")), "DAMAGED");
    CHECK(detail_says("; --format jsonc reads it\n"));
    CHECK_TEXT(JSON("{ // c\n", SET("a", "1")), "DAMAGED");
    CHECK(!detail_says("--format"));
    CHECK_TEXT(EDIT(UNTORN_TOML_1_0, "a = {\nb = 1}\n", SET("c", "1")), "DAMAGED");
    CHECK(detail_says("--format toml"));
}

TEST(an_unknown_format_is_refused)
{
    CHECK_TEXT(EDIT(UNTORN_FORMAT_UNKNOWN, "{}", SET("a", "1")), "UNKNOWN_FORMAT");
    CHECK_TEXT(EDIT((enum untorn_format)9, "{}", SET("a", "1")), "UNKNOWN_FORMAT");
}

TEST(the_ends_of_lines_and_a_byte_order_mark_stay)
{
    CHECK_TEXT(JSON("\xef\xbb\xbf{\r\n  \"a\": 1\r\n}\r\n", SET("a", "2"), SET("b", "3")),
               "\xef\xbb\xbf{\r\n  \"a\": 2,\r\n  \"b\": 3\r\n}\r\n");
    CHECK_TEXT(TOML("\xef\xbb\xbf"
                    "a = 1\r\n[t]\r\nx = 1",
                    SET("a", "2"), SET("b", "3"), SET("t.y", "4")),
               "\xef\xbb\xbf"
               "a = 2\r\nb = 3\r\n[t]\r\nx = 1\r\ny = 4");
}

TEST(the_empty_documents_are_documents)
{
    for (int format = UNTORN_JSON; format <= UNTORN_TOML_1_0; format++) {
        const char *text = document_empty((enum untorn_format)format);
        struct parsed parsed;
        CHECK_INT(document_parse(text, strlen(text), (enum untorn_format)format, &parsed, &error),
                  0);
        CHECK_INT(parsed.root->kind, UNTORN_OBJECT);
        CHECK_INT(parsed.root->count, 0);
        parsed_free(&parsed);
    }
}

TEST(what_would_be_nested_too_deep_is_too_large)
{
    enum { LEVELS = 2000 };
    static char key[2 * LEVELS];
    for (int i = 0; i < LEVELS; i++)
        memcpy(key + 2 * i, "a.", 2);
    key[sizeof key - 1] = '\0';
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = key, .value = "1", .value_size = 1};
    CHECK_TEXT(edited(UNTORN_JSON, "{}", 2, &edit, 1), "TOO_LARGE");
    CHECK_TEXT(edited(UNTORN_TOML, "", 0, &edit, 1), "TOO_LARGE");
}

/* ---- memory ---- */

static enum untorn_format walked_format;
static const char *walked_text;

/* Every kind of edit and of value. What was edited is not used: only whether it was. */
static bool edit_all(void)
{
    static const struct untorn_edit edits[] = {
        SET("a", "2"),
        SET("new.deep[+].key", "x"),
        SET_JSON("b", "[1, {\"x\": \"\\n\"}]"),
        SET_TOML("c", "[0x10, 'y']"),
        INSERT("b[0]", "0"),
        RENAME("c", "d"),
        UNSET("a"),
        MERGE("{\"m\": {\"n\": 1}, \"d\": null}"),
        PATCH("[{\"op\":\"move\",\"from\":\"/m/n\",\"path\":\"/z\"}]"),
    };
    char *text;
    size_t size;
    error_begin(&error, NULL, NULL);
    int rc = document_edit(walked_text, strlen(walked_text), walked_format, edits,
                           sizeof edits / sizeof *edits, &text, &size, &error);
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    CHECK_INT(error.status, -rc);
    free(text);
    return rc == 0;
}

TEST(edits_survive_every_failed_allocation)
{
    walked_format = UNTORN_JSON;
    walked_text = "{\"a\": 1, \"b\": null}";
    CHECK(heap_walk(edit_all) > 20);
    walked_format = UNTORN_TOML;
    walked_text = "a = 1\n[t]\nx = 1\n";
    CHECK(heap_walk(edit_all) > 20);
}

/* JSON can escape half a surrogate pair; such a key is given by its three bytes. */
TEST(a_key_with_half_a_surrogate_pair_is_edited_like_others)
{
    static const char *const half[] = {"\xed\xa0\x80"};
    struct untorn_edit set = {
        .kind = UNTORN_SET, .segments = half, .segment_count = 1, .value = "7", .value_size = 1};
    struct untorn_edit unset = {.kind = UNTORN_UNSET, .segments = half, .segment_count = 1};
    static const char text[] = "{\"\\ud800\": 1, \"b\": 2}";
    CHECK_TEXT(EDIT(UNTORN_JSON, text, set), "{\"\\ud800\": 7, \"b\": 2}");
    CHECK_TEXT(EDIT(UNTORN_JSON, text, unset), "{\"b\": 2}");
    CHECK_TEXT(EDIT(UNTORN_JSON, "{\"b\": 2}", set), "{\"b\": 2, \"\\ud800\": 7}");
    CHECK_TEXT(EDIT(UNTORN_JSON, text, SET("/\xed\xa0\x80", "8"), SET("b", "3")),
               "{\"\\ud800\": 8, \"b\": 3}");
    CHECK_TEXT(JSON("{\"\\ud800\": 1}", PATCH("[{\"op\": \"remove\", \"path\": \"/\\ud800\"}]")),
               "{}");
    CHECK_TEXT(EDIT(UNTORN_TOML, "b = 2\n", set), "TYPE");
    CHECK(detail_says("half a surrogate pair"));
}

TEST(an_ensure_adds_what_is_not_there_and_nothing_else)
{
    struct untorn_edit edits[] = {
        {.kind = UNTORN_ENSURE, .key = "a", .value = "9", .value_size = 1},
        {.kind = UNTORN_ENSURE, .key = "b.c", .value = "2", .value_size = 1},
        {.kind = UNTORN_ENSURE, .key = "b.c", .value = "3", .value_size = 1},
    };
    CHECK_TEXT(edited(UNTORN_JSON, "{\"a\":1}", 7, edits, 3), "{\"a\":1,\"b\":{\"c\":2}}");
    CHECK_TEXT(edited(UNTORN_JSONC, "{\"a\":1 /*x*/}", 13, edits, 1), "{\"a\":1 /*x*/}");
    CHECK_TEXT(edited(UNTORN_TOML, "a = 0x1\n", 8, edits, 3), "a = 0x1\n\n[b]\nc = 2\n");
    edits[0].key = "a.x";
    CHECK_TEXT(edited(UNTORN_JSON, "{\"a\":1}", 7, edits, 1), "NO_KEY");
    edits[0].key = "l[+]";
    CHECK_TEXT(edited(UNTORN_JSON, "{\"l\":[]}", 8, edits, 1), "INVALID");
    CHECK(detail_says("behind the last element"));
    edits[0].key = "/l/-";
    CHECK_TEXT(edited(UNTORN_JSON, "{\"l\":[]}", 8, edits, 1), "INVALID");
}
