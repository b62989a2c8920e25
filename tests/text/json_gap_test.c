#include "harness.h"

#include <string.h>

#include "text/json_changes.h"
#include "text/json_gap.h"

/* The gap before element `index` of the array or object `text`, or before the closing bracket. */
static struct json_gap gap_before(const struct json_text *text, size_t index)
{
    const struct untorn_node *root = text->parsed.root, *right = root->first;
    while (right && index-- > 0)
        right = right->next;
    return json_gap_between(&text->parsed, root, right ? right->previous : root->last, right);
}

static struct json_text text_of(const char *text)
{
    return json_text_of(text, strlen(text), UNTORN_JSONC);
}

/* What the left neighbour owns, and what the right one owns, as text. */
static void check_owned(const char *source, size_t index, const char *left, const char *right)
{
    struct json_text text = text_of(source);
    struct json_gap gap = gap_before(&text, index);
    CHECK_BYTES(text.text + gap.start, gap.tail - gap.start, left, strlen(left));
    CHECK_BYTES(text.text + gap.head, gap.end - gap.head, right, strlen(right));
    json_text_free(&text);
}

static bool has_others(const char *source, size_t index)
{
    struct json_text text = text_of(source);
    struct json_gap gap = gap_before(&text, index);
    json_text_free(&text);
    return gap.others;
}

TEST(a_comment_at_the_end_of_a_line_belongs_to_the_left)
{
    check_owned("[1, // a\n 2]", 1, ", // a", "");
    check_owned("[1 // a\n, 2]", 1, " // a", "");
    check_owned("[1, /* a */ // b\r\n 2]", 1, ", /* a */ // b", "");
    check_owned("[1 // a\n]", 1, " // a", "");
    check_owned("[1, /* a */ ]", 1, ", /* a */", "");
}

TEST(comment_lines_directly_above_belong_to_the_right)
{
    check_owned("[1,\n // a\n /* b */\n 2]", 1, "", "// a\n /* b */\n ");
    check_owned("[1,\n // a\n\n // b\n 2]", 1, "", "// b\n ");
    check_owned("[\n // a\n 1]", 0, "", "// a\n ");
    check_owned("[1,\n /* a */ 2]", 1, "", "/* a */ ");
}

TEST(on_one_line_the_comma_decides)
{
    check_owned("[1 /* a */, /* b */ 2]", 1, " /* a */", "/* b */ ");
    check_owned("[/* a */ 1]", 0, "", "/* a */ ");
}

TEST(all_other_comments_are_of_the_container)
{
    CHECK(has_others("[1,\n // a\n\n 2]", 1));
    CHECK(has_others("[ // a\n 1]", 0));
    CHECK(has_others("[1\n // a\n]", 1));
    CHECK(has_others("[ /* a */ ]", 0));
    CHECK(has_others("[1\n // a\n ,\n 2]", 1));
    CHECK(has_others("[1\n , // a\n 2]", 1));
    CHECK(!has_others("[1, // a\n // b\n 2]", 1));
    CHECK(!has_others("[1\n // a\n , 2]", 1));
    CHECK(!has_others("[1, 2]", 1));
}

TEST(commas_are_not_looked_for_in_comments_nor_ends_of_comments_in_the_next)
{
    struct json_text text = text_of("[1 /*,*/ /**/ /* // */, // ,\n 2]");
    struct json_gap gap = gap_before(&text, 1);
    CHECK(gap.has_comma && gap.lines && gap.line_after && !gap.line_before);
    CHECK_INT(gap.comma, strcspn(text.text, "]") - strlen(", // ,\n 2"));
    json_text_free(&text);
}

TEST(a_comma_at_the_start_of_a_line_is_with_its_comments_part_of_the_right)
{
    struct json_text text = text_of("[1\n // a\n , 2]");
    struct json_gap gap = gap_before(&text, 1);
    CHECK(gap.comma_first);
    CHECK_INT(gap.unit, 4);
    json_text_free(&text);
    text = text_of("[1\n ,\n 2]");
    CHECK(!gap_before(&text, 1).comma_first);
    json_text_free(&text);
}

TEST(lines_begin_and_end_behind_blanks)
{
    struct json_text text = text_of("[1, \t\r\n\t 2 ]");
    const struct parsed *parsed = &text.parsed;
    CHECK_INT(json_line_end(parsed, 3), 5);
    CHECK_INT(json_line_end(parsed, 1), 1);
    CHECK(json_line_ends(parsed, 5) && json_line_ends(parsed, 6) && !json_line_ends(parsed, 4));
    CHECK(!json_line_ends(parsed, text.size));
    CHECK(json_starts_line(parsed, 9) && !json_starts_line(parsed, 1));
    CHECK(!json_starts_line(parsed, 0));
    CHECK_INT(json_back(parsed, 9, 8), 8);
    CHECK_INT(json_on(parsed, 3, 4), 4);
    json_text_free(&text);
}
