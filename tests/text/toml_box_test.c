#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "text/toml_box.h"
#include "text/toml_changes.h"

struct opened {
    struct toml_text text;
    struct plan plan;
    struct toml_plan toml;
    struct toml_box box;
};

/* The brackets of the text's first value. */
static struct opened *open_text(const char *text)
{
    static struct opened opened;
    opened = (struct opened){.text = toml_text_of(text, strlen(text))};
    opened.toml = (struct toml_plan){.parsed = &opened.text.parsed, .plan = &opened.plan};
    lines_begin(&opened.toml.lines, &opened.text.parsed);
    CHECK_INT(box_open(&opened.toml, opened.text.parsed.root->first, &opened.box), 0);
    return &opened;
}

static void close_text(struct opened *opened)
{
    plan_free(&opened->plan);
    toml_text_free(&opened->text);
}

/* The entries, each between bars, and a comma for each that has one. */
static void check_entries(const char *text, const char *expected)
{
    struct opened *opened = open_text(text);
    char seen[256] = "|";
    for (size_t i = 0; i < opened->box.count; i++) {
        const struct toml_entry *entry = &opened->box.entries[i];
        size_t size = strlen(seen);
        snprintf(seen + size, sizeof seen - size, "%.*s%s|", (int)(entry->end - entry->start),
                 text + entry->start, entry->comma ? "," : "");
        CHECK(!entry->comma || text[entry->comma] == ',');
    }
    CHECK_TEXT(seen, expected);
    close_text(opened);
}

TEST(entries_are_found_whatever_is_in_them)
{
    check_entries("a = []", "|");
    check_entries("a = [ # ,\n]", "|");
    check_entries("a = [ 1 , [2, 3] ,{b = ']'} ]", "|1,|[2, 3],|{b = ']'}|");
    check_entries("a = [ \"\\\"]\" , '\\' , \"\"\"]\"\"\"\"\" , ''']''' , ]",
                  "|\"\\\"]\",|'\\',|\"\"\"]\"\"\"\"\",|''']''',|");
    check_entries("a = [ 1979-05-27 07:32:00 # ],\n , \"\" # x\n ]", "|1979-05-27 07:32:00,|\"\"|");
    check_entries("a = { b . \"c=,\" = 1, d = { e = [\n# }\n] } }",
                  "|b . \"c=,\" = 1,|d = { e = [\n# }\n] }|");
}

TEST(newlines_between_entries_are_noticed_those_in_them_are_not)
{
    struct opened *opened = open_text("a = [1, [\n]]");
    CHECK(!opened->box.lines);
    close_text(opened);
    opened = open_text("a = [1, []\n]");
    CHECK(opened->box.lines);
    close_text(opened);
}

TEST(a_value_is_found_in_its_entry)
{
    struct opened *opened = open_text("a = {b.c = 1, d = {e = 2}, b.f = 3}");
    const struct toml_box *box = &opened->box;
    CHECK_INT(box_entry_of(&opened->toml, box, toml_text_find(&opened->text, "/a/b/c")), 0);
    CHECK_INT(box_entry_of(&opened->toml, box, toml_text_find(&opened->text, "/a/d/e")), 1);
    CHECK_INT(box_entry_of(&opened->toml, box, toml_text_find(&opened->text, "/a/b/f")), 2);
    close_text(opened);
}

TEST(keys_of_entries_have_parts)
{
    struct opened *opened = open_text("a = { b . \"c.=\".'d'  =\t1 }");
    struct span parts[2], equals;
    CHECK_INT(box_entry_parts(&opened->toml, opened->box.entries, parts, 2, &equals), 3);
    CHECK_INT(parts[0].end - parts[0].start, 1);
    CHECK_INT(parts[1].end - parts[1].start, 5);
    CHECK_BYTES(opened->text.text + equals.start, equals.end - equals.start, "  =\t", 4);
    close_text(opened);
}

TEST(commas_that_begin_lines_are_a_style)
{
    static const struct {
        const char *text;
        bool first;
    } cases[] = {
        {"a = [ 1\n , 2\n ]", true},  {"a = [ 1 # one\n , 2 ]", true}, {"a = [ 1,\n 2\n ]", false},
        {"a = [ 1\n ,\n 2 ]", false}, {"a = [ 1\n , 2, ]", false},     {"a = [1, 2]", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened *opened = open_text(cases[i].text);
        CHECK_INT(box_comma_first(opened->text.text, &opened->box), cases[i].first);
        close_text(opened);
    }
}
