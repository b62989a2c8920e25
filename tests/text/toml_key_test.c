#include "harness.h"
#include "text/toml_support.h"

#include <stdio.h>
#include <string.h>

TEST(keys_are_bare_or_quoted)
{
    CHECK_TEXT(toml_data("a-B_9 = 1\n1234 = 2\n\"a b\" = 3\n'c\\d' = 4\n\"\" = 5\n\"\\u00e9\" = 6"),
               "{a-B_9=i:1, 1234=i:2, a b=i:3, c\\d=i:4, =i:5, \xc3\xa9=i:6}");
}

TEST(dotted_keys_make_tables)
{
    CHECK_TEXT(toml_data("a.b.c = 1\na . b\t.d = 2\n\"a\".'x.y' = 3\n3.14 = 4\n"),
               "{a={b={c=i:1, d=i:2}, x.y=i:3}, 3={14=i:4}}");
}

TEST(keys_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "= 1",          "a",         "a =",         ".a = 1",    "a. = 1",
        "a..b = 1",     "a b = 1",   "a\n= 1",      "a =\n1",    "\"a\"b = 1",
        "a\"b\" = 1",   "a+b = 1",   "a = 1 b = 2", "a.\nb = 1", "\"\"\"a\"\"\" = 1",
        "'''a''' = 1",  "[a] b = 1", "!a = 1",      "a = = 1",   "a == 1",
        "\"a\nb\" = 1", "\"a = 1",   "a.'b = 1",    "a:1",       "a = 1, b = 2",
        "a = b = 1",
    };
    TOML_INVALID(bad);
}

TEST(headers_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "[",     "[]",      "[a",     "[a]]",    "[[a]",  "[ [a]]",          "[[a] ]",
        "[a.]",  "[.a]",    "[a..b]", "[a b]",   "[a]b",  "[a][b]",          "[\na]",
        "[a\n]", "[[a]]]",  "[[]]",   "[[",      "[[a",   "[a#b]",           "[\"a]",
        "[a]=1", "[a.\nb]", "]",      "[[[a]]]", "[a=1]", "[\"\"\"a\"\"\"]",
    };
    TOML_INVALID(bad);
}

TEST(tables_are_known_by_how_they_came_to_be)
{
    CHECK_TEXT(toml_origins("x.y = 1\n[a.b]\nc.d = {e.f = 1, g = [{}]}\n[[p.q]]\n[p.q.r]\n"),
               "(root){x(dotted)={y=i:1}, "
               "a(implied)={b(header)={c(dotted)={d(inline)={e(inline)={f=i:1}, "
               "g(inline)=[(inline){}]}}}}, "
               "p(implied)={q(tables)=[(element){r(header)={}}]}}");
}

TEST(a_table_that_was_only_implied_may_get_its_header_or_dotted_keys)
{
    CHECK_TEXT(toml_origins("[a.b]\n[a]\nc = 1"), "(root){a(header)={b(header)={}, c=i:1}}");
    CHECK_TEXT(toml_origins("[a.b.c]\n[a]\nb.d = 1"),
               "(root){a(header)={b(dotted)={c(header)={}, d=i:1}}}");
    CHECK_TEXT(toml_data("[a.b.c]\n[a]\nb.d = 1\n[a.b]"), "23: this table is there already");
}

TEST(arrays_of_tables_grow_at_their_end)
{
    CHECK_TEXT(toml_origins("[[a]]\nx = 1\n[a.b]\n[[a.c]]\n[[a.c]]\n[[a]]\n[a.b]\ny = 2\n"),
               "(root){a(tables)=["
               "(element){x=i:1, b(header)={}, c(tables)=[(element){}, (element){}]}, "
               "(element){b(header)={y=i:2}}]}");
}

TEST(tables_below_dotted_ones_may_have_headers)
{
    CHECK_TEXT(toml_data("[a]\nb.c = 1\n[a.b.d]\ne = 2\n[[a.b.f]]\n"),
               "{a={b={c=i:1, d={e=i:2}, f=[{}]}}}");
}

TEST(nothing_is_defined_twice)
{
    static const char *const bad[] = {
        "a = 1\na = 2",
        "a = 1\n\"a\" = 2",
        "a = 1\n'a' = 2",
        "a = 1\na.b = 2",
        "a.b = 1\na = 2",
        "a.b = 1\na.b.c = 2",
        "a.b.c = 1\na.b = 2",
        "[a]\n[a]",
        "[a]\n[ \"a\" ]",
        "[a]\nb = 1\n[a.b]",
        "[a]\nb = 1\n[a.b.c]",
        "[a]\nb.c = 1\n[a.b]",
        "a.b = 1\n[a]",
        "[a.b]\n[a]\nb = 1",
        "[a.b]\n[a]\nb.c = 1",
        "[a.b.c]\n[a]\nb.c.d = 1",
        "[a.b]\n[a]\n[a]",
        "[[a]]\n[a]",
        "[a]\n[[a]]",
        "[a.b]\n[[a]]",
        "a = []\n[[a]]",
        "a = [{}]\n[[a]]",
        "a = [{}]\n[a.b]",
        "a = 1\n[a]",
        "a = 1\n[a.b]",
        "a = 1\n[[a]]",
        "a = {}\n[a]",
        "a = {}\n[a.b]",
        "a = {}\na.b = 1",
        "a = {b = {}}\n[a.b.c]",
        "a = {b.c = 1}\na.b.d = 1",
        "[a]\nb = {}\n[a.b]",
        "[[a.b]]\n[a]\nb.c = 1",
        "[[a]]\nb = 1\n[a.b]",
        "[[a]]\n[a.b]\n[a.b]",
        "a = {b = 1, b = 2}",
        "a = {b = 1, b.c = 2}",
        "a = {b = {}, b.c = 2}",
        "a = {b.c = 1, b = 2}",
        "a = {b.c = 1, b.c = 2}",
        "a = [{b = 1, b = 2}]",
    };
    TOML_INVALID(bad);
}

TEST(what_looks_defined_twice_may_be_all_right)
{
    static const char *const good[] = {
        "a.b = 1\na.c = 2",
        "[a.b]\n[a.c]\n[a]",
        "[a]\n[b]\n[a.c]",
        "[[a]]\n[a.b]\n[[a]]\n[a.b]",
        "a = [{b = 1}, {b = 2}]",
        "a = {b.c = 1, b.d = 2}",
        "a = {b = {c = 1}, d = {c = 1}}",
        "[a]\nx = 1\n[b]\nx = 1",
        "a = 1\nA = 2",
        "\"\" = 1\n\" \" = 2",
        "\"a.b\" = 1\na.b = 2",
        "[a]\na = 1\n[a.b]\na = 1",
    };
    TOML_VALID(good);
}

TEST(the_flaw_is_at_the_part_that_is_in_the_way)
{
    CHECK_TEXT(toml_data("a = 1\na = 2"), "6: this key is there already");
    CHECK_TEXT(toml_data("a = 1\na = @"), "6: this key is there already");
    CHECK_TEXT(toml_data("a = 1\na = 2\n@"), "6: this key is there already");
    CHECK_TEXT(toml_data("a = 1\na = 2\n[a]"), "6: this key is there already");
    CHECK_TEXT(toml_data("a = 1\na = {b = 1, b = 2}"), "6: this key is there already");
    CHECK_TEXT(toml_data("a = {b = 1, b = 2, c"), "12: this key is there already");
    CHECK_TEXT(toml_data("a.b = 1\na.b.c = 2"), "10: this key is there already, and is no table");
    CHECK_TEXT(toml_data("[a]\n[a]"), "5: this table is there already");
    CHECK_TEXT(toml_data("a = 1\n[x.y]\n[a.b]"), "13: this key is there already, and is no table");
    CHECK_TEXT(toml_data("[x]\na = {}\na.b = 1"),
               "11: this inline table is complete, nothing is added to it");
    CHECK_TEXT(toml_data("a = [1]\n[a.b]"), "9: this array is complete, nothing is added to it");
    CHECK_TEXT(toml_data("[a.b]\n[a]\nb.c = 1"),
               "10: this table has a header, dotted keys do not add to it");
    CHECK_TEXT(toml_data("[[a.b]]\n[a]\nb.c = 1"),
               "12: an array of tables is only extended by [[...]]");
    CHECK_TEXT(toml_data("a = 1\n[[a]]"),
               "8: this key is there already, and is no array of tables");
}

TEST(a_key_that_stops_early_is_at_the_end)
{
    CHECK_TEXT(toml_data("a"), "1: expected '=' (end)");
    CHECK_TEXT(toml_data("a."), "2: expected a key (end)");
    CHECK_TEXT(toml_data("\"a"), "2: a string is not closed (end)");
    CHECK_TEXT(toml_data("a ="), "3: expected a value (end)");
    CHECK_TEXT(toml_data("["), "1: expected a key (end)");
    CHECK_TEXT(toml_data("[a"), "2: expected ']' (end)");
    CHECK_TEXT(toml_data("[[a]"), "4: expected ']]' (end)");
}

static const char *parts(char *text, const char *before, size_t count, const char *behind)
{
    char *at = text + sprintf(text, "%s", before);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "%sk", i ? "." : "");
    strcpy(at, behind);
    return text;
}

/* The root is the first level; a scalar is none. */
TEST(keys_and_brackets_together_make_at_most_128_levels)
{
    char text[1024], behind[256];
    const char *good[] = {parts(text, "[", 127, "]\na = 1")};
    TOML_VALID(good);
    CHECK_TEXT(toml_data(parts(text, "[", 128, "]")), "255: nested deeper than 128 levels");
    good[0] = parts(text, "", 128, " = 1");
    TOML_VALID(good);
    CHECK_TEXT(toml_data(parts(text, "", 129, " = 1")), "256: nested deeper than 128 levels");
    CHECK_TEXT(toml_data(parts(text, "", 128, " = []")), "258: nested deeper than 128 levels");
    good[0] = parts(text, "a = {", 127, " = 1}");
    TOML_VALID(good);
    CHECK_TEXT(toml_data(parts(text, "a = {", 128, " = 1}")), "259: nested deeper than 128 levels");
    good[0] = parts(text, "[", 100, parts(behind, "]\n", 28, " = 1"));
    TOML_VALID(good);
    CHECK_TEXT(toml_data(parts(text, "[", 100, parts(behind, "]\n", 29, " = 1"))),
               "258: nested deeper than 128 levels");
    good[0] = parts(text, "[", 100, parts(behind, "]\nx = [[{", 25, " = 1}]]"));
    TOML_VALID(good);
    CHECK_TEXT(toml_data(parts(text, "[", 100, parts(behind, "]\nx = [[{", 26, " = 1}]]"))),
               "259: nested deeper than 128 levels");
}

TEST(an_array_of_tables_is_two_levels)
{
    char text[1024];
    const char *good[] = {parts(text, "[[k]]\n[[", 125, "]]\na = 1")};
    TOML_VALID(good);
    CHECK_TEXT(toml_data(parts(text, "[[k]]\n[[", 126, "]]")),
               "258: nested deeper than 128 levels");
}

TEST(a_table_remembers_where_it_was_first_named)
{
    struct parsed parsed;
    struct flaw flaw;
    const char text[] = "[ 'a' . b]\n[a]\n[[ \"c\" ]]\n[[c]]\nd = {e . f = 1}";
    CHECK_INT(toml_scan_exact(text, sizeof text - 1, UNTORN_TOML, &parsed, &flaw), 0);
    const struct untorn_node *a = node_member(parsed.root, "a", 1);
    CHECK_BYTES(a->key_raw, node_key_raw_size(a), "'a'", 3);
    CHECK_INT(a->key_raw - parsed.text, 2);
    CHECK(!a->raw && !a->first->raw);
    const struct untorn_node *c = node_member(parsed.root, "c", 1);
    CHECK_BYTES(c->key_raw, node_key_raw_size(c), "\"c\"", 3);
    CHECK(!c->raw && !c->first->raw && !c->first->key && !c->first->key_raw);
    const struct untorn_node *e = node_member(node_member(c->last, "d", 1), "e", 1);
    CHECK(e && !e->raw);
    CHECK_BYTES(e->key_raw, node_key_raw_size(e), "e", 1);
    CHECK_BYTES(e->parent->raw, e->parent->raw_size, "{e . f = 1}", 11);
    toml_free_exact(&parsed);
}
