#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/keypath.h"
#include "text/parsed.h"
#include "text/suites.h"

/* ---- reading, and saying what was read ---- */

static struct arena arena;
static struct untorn_error error;

static int parse_key(const char *text, struct keypath *path)
{
    error_begin(&error, &error, NULL);
    return keypath_parse(text, &arena, path, &error);
}

/* key by key: `a` for a key, (a) for either, [1] and [+] for elements. */
static const char *steps_of(const struct keypath *path)
{
    static char shown[1024];
    size_t used = 0;
    shown[0] = '\0';
    for (size_t i = 0; i < path->count; i++) {
        const struct step *step = &path->steps[i];
        size_t room = sizeof shown - used;
        char *at = shown + used;
        CHECK(used < sizeof shown - 1);
        if (step->kind == STEP_INDEX)
            snprintf(at, room, "[%lld]", (long long)step->index);
        else if (step->kind == STEP_APPEND)
            snprintf(at, room, "[+]");
        else
            snprintf(at, room, step->kind == STEP_KEY ? "`%s`" : "(%s)", step->key);
        if (step->kind == STEP_KEY || step->kind == STEP_EITHER)
            CHECK_INT(step->key[step->key_size], '\0');
        used += strlen(at);
    }
    return shown;
}

static const char *steps_in(const char *text)
{
    struct keypath path;
    CHECK_INT(parse_key(text, &path), 0);
    CHECK_TEXT(path.text, text);
    return steps_of(&path);
}

static const char *refusal_of(const char *text)
{
    struct keypath path;
    if (parse_key(text, &path) != -UNTORN_INVALID)
        CHECK_TEXT(text, "a text that is refused");
    CHECK_INT(error.status, UNTORN_INVALID);
    CHECK(error.detail[0]);
    return error.detail;
}

static void check_refused(const char *text, const char *words)
{
    const char *detail = refusal_of(text);
    if (!strstr(detail, words))
        CHECK_TEXT(detail, words);
}

/* ---- dotted keys ---- */

TEST(a_dotted_key_is_split_at_its_dots)
{
    CHECK_TEXT(steps_in("a"), "`a`");
    CHECK_TEXT(steps_in("tool.poetry.version"), "`tool``poetry``version`");
    CHECK_TEXT(steps_in("a-b_c.0.-"), "`a-b_c``0``-`");
    CHECK_TEXT(steps_in(".a.b"), "`a``b`");
}

TEST(blanks_around_dots_mean_nothing)
{
    CHECK_TEXT(steps_in("  a . b\t.\tc "), "`a``b``c`");
    CHECK_TEXT(steps_in(" . a [0] . b"), "`a`[0]`b`");
}

TEST(quotes_keep_what_is_in_them)
{
    CHECK_TEXT(steps_in("\"a.b\".c"), "`a.b``c`");
    CHECK_TEXT(steps_in("'a.b'.\"c[0]\""), "`a.b``c[0]`");
    CHECK_TEXT(steps_in("\"\""), "``");
    CHECK_TEXT(steps_in("''.a"), "```a`");
    CHECK_TEXT(steps_in("\"it's\".'say \"x\"'"), "`it's``say \"x\"`");
    CHECK_TEXT(steps_in("\"a b\tc\""), "`a b\tc`");
    CHECK_TEXT(steps_in("\"/\""), "`/`");
}

TEST(escapes_are_decoded_in_double_quotes_only)
{
    CHECK_TEXT(steps_in("\"\\b\\t\\n\\f\\r\\e\\\"\\\\\""), "`\b\t\n\f\r\x1b\"\\`");
    CHECK_TEXT(steps_in("\"\\x41\\u00e9\\u20AC\\U0001F600\""),
               "`A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80`");
    CHECK_TEXT(steps_in("'\\n\\'"), "`\\n\\`");
}

TEST(an_escaped_nul_is_part_of_the_key)
{
    struct keypath path;
    CHECK_INT(parse_key("\"a\\u0000b\".c", &path), 0);
    CHECK_INT(path.count, 2);
    CHECK_BYTES(path.steps[0].key, path.steps[0].key_size, "a\0b", 3);
}

TEST(letters_beyond_ascii_need_no_quotes)
{
    CHECK_TEXT(steps_in("gr\xc3\xb6\xc3\x9f"
                        "e.\xe5\xa4\xa7.\xf0\x9f\x98\x80"),
               "`gr\xc3\xb6\xc3\x9f"
               "e``\xe5\xa4\xa7``\xf0\x9f\x98\x80`");
}

TEST(blanks_and_quotes_beyond_ascii_do)
{
    static const char *const texts[] = {
        "a\xc2\xa0",
        "a\xe2\x80\x83.b",
        "\xe2\x80\x9c"
        "a\xe2\x80\x9d",
        "\xe3\x80\x80",
        "\xef\xbb\xbf"
        "a",
        "a\xe2\x80\x8b",
        "a\xe2\x81\xa0",
        "\xc2\x85",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_refused(texts[i], "in quotes");
    CHECK_TEXT(steps_in("\"a\xc2\xa0\""), "`a\xc2\xa0`");
}

TEST(brackets_name_elements)
{
    CHECK_TEXT(steps_in("servers[0].host"), "`servers`[0]`host`");
    CHECK_TEXT(steps_in("a[0][12][-1]"), "`a`[0][12][-1]");
    CHECK_TEXT(steps_in("[0].x"), "[0]`x`");
    CHECK_TEXT(steps_in(".[0].x"), "[0]`x`");
    CHECK_TEXT(steps_in("a[+]"), "`a`[+]");
    CHECK_TEXT(steps_in("[+].x[-3]"), "[+]`x`[-3]");
    CHECK_TEXT(steps_in("[9223372036854775807]"), "[9223372036854775807]");
}

TEST(dotted_keys_and_segments_make_parents_and_pointers_do_not)
{
    struct keypath path;
    CHECK_INT(parse_key("a", &path), 0);
    CHECK(path.makes_parents);
    CHECK_INT(parse_key("/a", &path), 0);
    CHECK(!path.makes_parents);
    CHECK_INT(keypath_segments((const char *const[]){"a"}, 1, &arena, &path, &error), 0);
    CHECK(path.makes_parents);
    CHECK(!path.text);
}

TEST(what_was_typed_is_kept_for_parts_without_quotes)
{
    struct keypath path;
    CHECK_INT(parse_key(" a .\"b\"[-1]", &path), 0);
    CHECK_INT(path.count, 3);
    CHECK_BYTES(path.steps[0].typed, path.steps[0].typed_size, "a", 1);
    CHECK(!path.steps[1].typed);
    CHECK_BYTES(path.steps[2].typed, path.steps[2].typed_size, "[-1]", 4);
}

/* ---- refusals, each with its sentence ---- */

TEST(an_empty_key_says_how_the_root_and_the_empty_key_are_typed)
{
    static const char *const texts[] = {"", " ", "\t ", ".", " . "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_refused(texts[i], "leave it out to mean the whole document");
        check_refused(texts[i], "two quotes, \"\"");
    }
}

TEST(a_missing_part_is_refused_and_its_place_named)
{
    check_refused("a.", "the key 'a.', character 3: a key is missing behind the dot");
    check_refused("a..b", "character 3: a key is missing before the dot");
    check_refused("..a", "character 2: a key is missing before the dot");
    check_refused("a. .b", "character 4: a key is missing before the dot");
    check_refused("\xc3\xa9..b", "character 3: a key is missing before the dot");
    check_refused("a.[0]", "character 3: no dot before a bracket");
    check_refused("[0]a", "character 4: a key with this in it goes in quotes");
}

TEST(what_other_languages_have_is_refused_by_name)
{
    check_refused("*", "no wildcards");
    check_refused("a.*", "no wildcards");
    check_refused("a*", "no wildcards");
    check_refused("a[*]", "no wildcards");
    check_refused("a[]", "no wildcards");
    check_refused("a[?(@.b)]", "no filters");
    check_refused("a[(@.length-1)]", "no filters");
    check_refused("a?", "no filters");
    check_refused("@a", "no filters");
    check_refused("a..b", "no search through all levels");
    check_refused("a|b", "no pipes");
    check_refused(".a | .b", "no pipes");
    check_refused("a[1:2]", "no slices");
    check_refused("a[:]", "no slices");
    check_refused("a[0,1]", "no slices");
    check_refused("$.a", "no $ for the root");
    check_refused("a[\"b\"]", "a key goes behind a dot");
    check_refused("a['b']", "a key goes behind a dot");
    check_refused("a/b", "begins with one");
}

TEST(an_index_is_a_plain_number)
{
    static const char *const texts[] = {
        "a[x]",  "a[01]",  "a[-0]",  "a[-]",  "a[+1]",
        "a[ 0]", "a[1e0]", "a[--1]", "a[00]", "a[9223372036854775808]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_refused(texts[i], "character 2: type [N], [-N] from the end, or [+]");
    check_refused("a[0", "the ] is missing");
    check_refused("[", "the ] is missing");
}

TEST(other_characters_ask_for_quotes)
{
    static const char *const texts[] = {"a b",    "a:b",           "a=b", "a,b",  "a#b",
                                        "a]",     "a\"b\"",        "{a}", "a\n",  "a\x01",
                                        "\"a\"b", "\"\"\"a\"\"\"", "a\\", "a\x7f"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_refused(texts[i], "goes in quotes");
}

TEST(quotes_are_closed_and_hold_no_control_characters)
{
    check_refused("\"a", "the closing quote is missing");
    check_refused("'a", "the closing quote is missing");
    check_refused("\"a\\\"", "the closing quote is missing");
    check_refused("\"", "the closing quote is missing");
    check_refused("\"a\nb\"", "a control character is written as an escape");
    check_refused("'a\x1f'", "a control character is written as an escape");
    check_refused("\"\x7f\"", "a control character is written as an escape");
}

TEST(escapes_are_those_of_toml)
{
    check_refused("\"\\a\"", "no such escape");
    check_refused("\"\\/\"", "no such escape");
    check_refused("\"\\", "no such escape");
    check_refused("\"\\x4\"", "\\x takes 2 hexadecimal digits");
    check_refused("\"\\u12g4\"", "\\u takes 4 hexadecimal digits");
    check_refused("\"\\u00", "\\u takes 4 hexadecimal digits");
    check_refused("\"\\U0001F60\"", "\\U takes 8 hexadecimal digits");
    check_refused("\"\\U00110000\"", "no such character");
    check_refused("\"\\ud83d\"", "half a surrogate pair is no character; a key that has one is "
                                 "given by its bytes, with -k or as a pointer");
}

/* JSON has such keys, escaped: "\ud83d". */
TEST(half_a_surrogate_pair_is_a_key_by_its_bytes)
{
    struct keypath path;
    const char *const halves[] = {"a\xed\xa0\xbd", "\xed\xb8\x80z"};
    CHECK_INT(keypath_segments(halves, 2, &arena, &path, &error), 0);
    CHECK_INT(path.steps[0].key_size, 4);
    CHECK_INT(keypath_parse("/a\xed\xa0\xbd", &arena, &path, &error), 0);
    CHECK_TEXT(path.steps[0].key, halves[0]);
    CHECK_INT(keypath_parse("/\xed\xb8\x80\xed\xa0\xbd", &arena, &path, &error), 0);
    check_refused("/\xed\xa0\xbd\xed\xb8\x80", "this is not UTF-8"); /* U+1F600, in two halves */
    check_refused("/\xed\xa0", "this is not UTF-8");
    check_refused("/\xed\xa0z", "this is not UTF-8");
}

TEST(a_key_is_utf_8)
{
    static const char *const texts[] = {"a\xff", "\"\xc3\"", "'\xed\xa0\x80'", "/a\xc0\xaf",
                                        "\x80"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_refused(texts[i], "this is not UTF-8");
    struct keypath path;
    static const char *const segments[] = {"a", "b\xff"};
    CHECK_INT(keypath_segments(segments, 2, &arena, &path, &error), -UNTORN_INVALID);
    CHECK_TEXT(error.detail,
               "the key 'b?', character 2: this is not UTF-8; write this byte as %FF, "
               "and a % as %25");
}

TEST(a_long_key_is_cut_in_the_message)
{
    char text[4000];
    memset(text, 'a', sizeof text);
    memcpy(text + sizeof text - 3, "..", 3);
    const char *detail = refusal_of(text);
    CHECK(strstr(detail, "aaa...', character 3999: "));
    CHECK(strlen(detail) < 300);
}

/* ---- what is shown ---- */

TEST(what_is_shown_has_no_control_characters_and_is_cut_between_characters)
{
    char shown[KEYPATH_SHOWN], text[200];
    keypath_shown("a\n\x1b[31m\xff", 8, shown);
    CHECK_TEXT(shown, "a??[31m?");
    keypath_shown("", 0, shown);
    CHECK_TEXT(shown, "");
    for (size_t lead = 0; lead < 5; lead++) {
        memset(text, 'x', lead);
        for (size_t i = lead; i + 4 <= sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 4);
        keypath_shown(text, 150, shown);
        size_t size = strlen(shown);
        CHECK(size < KEYPATH_SHOWN && size > KEYPATH_SHOWN - 8);
        CHECK_TEXT(shown + size - 3, "...");
        CHECK_INT((size - 3 - lead) % 4, 0);
    }
    memset(text, 'x', sizeof text);
    keypath_shown(text, KEYPATH_SHOWN - 4, shown);
    CHECK_INT(strlen(shown), KEYPATH_SHOWN - 4);
    CHECK(!strchr(shown, '.'));
}

/* ---- pointers ---- */

TEST(a_pointer_is_split_at_its_slashes)
{
    CHECK_TEXT(steps_in("/a/b"), "(a)(b)");
    CHECK_TEXT(steps_in("/"), "()");
    CHECK_TEXT(steps_in("//"), "()()");
    CHECK_TEXT(steps_in("/a//0/-"), "(a)()(0)(-)");
    CHECK_TEXT(steps_in("/a.b/c[0]/ /\"x\""), "(a.b)(c[0])( )(\"x\")");
}

TEST(a_tilde_escapes_itself_and_the_slash)
{
    CHECK_TEXT(steps_in("/a~1b/m~0n/~01/~10"), "(a/b)(m~n)(~1)(/0)");
    check_refused("/~", "~ is written ~0");
    check_refused("/a~2", "the key '/a~2', character 4: in a JSON Pointer ~ is written ~0");
    check_refused("/~/a", "~ is written ~0");
    check_refused("/a~", "~ is written ~0");
}

TEST(the_empty_pointer_is_the_root_and_another_begins_with_a_slash)
{
    struct keypath path;
    CHECK_INT(keypath_pointer("", 0, &arena, &path, &error), 0);
    CHECK_INT(path.count, 0);
    CHECK_INT(keypath_pointer("a", 1, &arena, &path, &error), -UNTORN_INVALID);
    CHECK(strstr(error.detail, "begins with /, or is empty for the whole document"));
}

TEST(a_pointer_may_hold_nul)
{
    struct keypath path;
    CHECK_INT(keypath_pointer("/a\0b/c", 6, &arena, &path, &error), 0);
    CHECK_INT(path.count, 2);
    CHECK_BYTES(path.steps[0].key, path.steps[0].key_size, "a\0b", 3);
    CHECK_BYTES(path.steps[1].key, path.steps[1].key_size, "c", 1);
}

/* ---- segments ---- */

TEST(segments_are_taken_as_they_are)
{
    static const char *const segments[] = {"a.b", "", "0", "-", "~1", "/", "[+]", "\"x\""};
    struct keypath path;
    CHECK_INT(keypath_segments(segments, 8, &arena, &path, &error), 0);
    CHECK_TEXT(steps_of(&path), "(a.b)()(0)(-)(~1)(/)([+])(\"x\")");
    CHECK_INT(keypath_segments(NULL, 0, &arena, &path, &error), 0);
    CHECK_INT(path.count, 0);
}

/* ---- memory ---- */

TEST(without_memory_every_reader_says_so)
{
    heap_needed();
    static char text[20001];
    memset(text, 'a', sizeof text - 1);
    for (size_t i = 0; i + 1 < sizeof text; i += 10)
        text[i] = '.';
    const char *const segments[] = {"a", text, text, text};
    int failures[3] = {0};
    for (int which = 0; which < 3; which++) {
        text[0] = which ? '/' : '.';
        for (int n = 1;; n++) {
            struct arena own = {0};
            struct keypath path;
            error_begin(&error, &error, NULL);
            heap_fail(n);
            int rc = which == 2 ? keypath_segments(segments, 4, &own, &path, &error)
                                : keypath_parse(text, &own, &path, &error);
            (void)heap_failed();
            arena_free(&own);
            if (rc == 0)
                break;
            CHECK_INT(rc, -UNTORN_NO_MEMORY);
            CHECK_INT(error.status, UNTORN_NO_MEMORY);
            failures[which]++;
        }
        CHECK(failures[which] >= 2);
    }
}

/* ---- any bytes ---- */

static uint32_t state = 1;

static uint32_t chance(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

TEST(any_text_is_read_or_refused_with_a_sentence)
{
    static const char alphabet[] = ".[]+-*0129ab\"'\\ux~/ \t\n\xc3\xa9\xff|";
    int read = 0, refused = 0;
    for (int round = 0; round < 50000; round++) {
        size_t size = chance(12);
        char *text = malloc(size + 1); /* so that a sanitizer sees a byte too many */
        CHECK(text);
        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[chance(sizeof alphabet - 1)];
        text[size] = '\0';
        struct keypath path;
        int rc = parse_key(text, &path);
        CHECK(rc == 0 || (rc == -UNTORN_INVALID && error.detail[0]));
        CHECK(rc != 0 || path.count > 0);
        *(rc == 0 ? &read : &refused) += 1;
        free(text);
        arena_free(&arena);
    }
    CHECK(read > 1000 && refused > 1000);
}

/* ---- the suite of JSON Schema for the format of pointers ---- */

static void read_suite(struct parsed *parsed)
{
    static char *data; /* the tree points into it */
    size_t size;
    free(data);
    data = suite_read("json-pointer-format/json-pointer.json", &size);
    if (!data)
        suite_missing("json-pointer-format");
    struct flaw flaw;
    CHECK_INT(parse_json(data, size, UNTORN_JSON, parsed, &flaw), 0);
}

static const struct untorn_node *member_of(const struct untorn_node *node, const char *key)
{
    const struct untorn_node *member = node_member(node, key, strlen(key));
    CHECK(member);
    return member;
}

TEST(pointers_are_what_the_suite_of_json_schema_says)
{
    struct parsed parsed;
    read_suite(&parsed);
    int count = 0;
    for (const struct untorn_node *test = member_of(parsed.root->first, "tests")->first; test;
         test = test->next) {
        const struct untorn_node *text = member_of(test, "data");
        struct keypath path;
        if (text->kind != UNTORN_STRING)
            continue;
        bool valid = member_of(test, "valid")->text[0] == 't';
        int rc = keypath_pointer(text->text, text->size, &arena, &path, &error);
        if (rc != (valid ? 0 : -UNTORN_INVALID))
            CHECK_TEXT(text->text, valid ? "a pointer" : "no pointer");
        count++;
    }
    CHECK(count >= 34);
    parsed_free(&parsed);
}
