#include "harness.h"

#include <string.h>

#include "text/toml_changes.h"
#include "text/toml_plan.h"

static const char whole[] = "x.y.z = 1\n"
                            "[[a.b]]\n"
                            "c.d = 2\n"
                            "[a.b.e]\n"
                            "[[a.b]]\n"
                            "[f]\n";

static struct toml_plan plan_of(struct toml_text *text)
{
    *text = toml_text_of(whole, sizeof whole - 1);
    struct toml_plan plan = {.parsed = &text->parsed};
    lines_begin(&plan.lines, &text->parsed);
    return plan;
}

/* Which part of which key names it; -1 for none. */
static int part_of(const struct toml_plan *plan, size_t statement, const struct untorn_node *node)
{
    size_t part;
    return toml_part_of(&plan->lines.statements[statement], node, &part) ? (int)part : -1;
}

TEST(every_part_of_a_key_names_a_node)
{
    struct toml_text text;
    struct toml_plan plan = plan_of(&text);
    CHECK_INT(part_of(&plan, 0, toml_text_find(&text, "/x")), 0);
    CHECK_INT(part_of(&plan, 0, toml_text_find(&text, "/x/y/z")), 2);
    CHECK_INT(part_of(&plan, 1, toml_text_find(&text, "/a/b")), 1);
    CHECK_INT(part_of(&plan, 1, toml_text_find(&text, "/a/b/0")), 1);
    CHECK_INT(part_of(&plan, 1, toml_text_find(&text, "/a/b/1")), -1);
    CHECK_INT(part_of(&plan, 2, toml_text_find(&text, "/a/b/0/c")), 0);
    CHECK_INT(part_of(&plan, 2, toml_text_find(&text, "/a/b/0")), -1);
    CHECK_INT(part_of(&plan, 3, toml_text_find(&text, "/a/b/0")), 1);
    CHECK_INT(part_of(&plan, 3, toml_text_find(&text, "/a")), 0);
    CHECK_INT(part_of(&plan, 5, toml_text_find(&text, "/a")), -1);
    toml_text_free(&text);
}

TEST(headers_and_last_statements_are_found)
{
    struct toml_text text;
    struct toml_plan plan = plan_of(&text);
    size_t part;
    CHECK_INT(toml_header_of(&plan, toml_text_find(&text, "/a/b/1")), 4);
    CHECK(toml_header_of(&plan, toml_text_find(&text, "/a")) == NO_STATEMENT);
    CHECK_INT(toml_first_through(&plan, toml_text_find(&text, "/a"), false, &part), 1);
    CHECK_INT(toml_first_through(&plan, toml_text_find(&text, "/x/y"), true, &part), 0);
    CHECK_INT(part, 1);
    CHECK_INT(toml_last_of(&plan, toml_text_find(&text, "/a/b/0")), 3);
    CHECK_INT(toml_last_of(&plan, toml_text_find(&text, "/a")), 4);
    CHECK_INT(toml_last_of(&plan, text.parsed.root), 5);
    CHECK_INT(toml_model_below(&plan, text.parsed.root), 5);
    CHECK_INT(toml_model_below(&plan, toml_text_find(&text, "/a")), 4);
    CHECK_INT(toml_model_below(&plan, toml_text_find(&text, "/f")), 5);
    CHECK_INT(toml_model_below(&plan, toml_text_find(&text, "/a/b/0")), 3);
    CHECK_INT(toml_model_below(&plan, toml_text_find(&text, "/a/b/1")), 3);
    CHECK(toml_is_alike(&plan, 1, 4) && toml_is_alike(&plan, 3, 3) && !toml_is_alike(&plan, 1, 3));
    toml_text_free(&text);
}

TEST(a_path_is_spelled_as_in_a_header)
{
    static const char spelled[] = "[ 'a' . \"b c\".d ]\n";
    struct toml_text text = toml_text_of(spelled, sizeof spelled - 1);
    struct toml_plan plan = {.parsed = &text.parsed};
    struct buffer path = {0};
    lines_begin(&plan.lines, &text.parsed);
    toml_add_path(&plan, &path, text.parsed.root);
    CHECK_INT(path.size, 0);
    toml_add_path(&plan, &path, toml_text_find(&text, "/a/b c"));
    CHECK_TEXT(path.data, "'a' . \"b c\"");
    buffer_free(&path);
    toml_text_free(&text);
}
