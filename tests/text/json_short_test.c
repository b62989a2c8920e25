/* An edit planned in a short text, as splices of the long one. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "base/codes.h"
#include "text/document.h"
#include "text/edits.h"
#include "text/json_short.h"
#include "text/surveyed.h"

#define ONE(...) (&(const struct untorn_edit)__VA_ARGS__)

static void survey(struct memory *memory, const char *text, const struct untorn_edit *edit)
{
    struct keypath path;
    memset(memory, 0, sizeof *memory);
    memory->text = text;
    error_begin(&error, NULL, NULL);
    CHECK_INT(keypath_of_edit(edit, &memory->arena, &path, &error), 0);
    CHECK(json_survey_begin(&memory->survey, &path, UNTORN_JSONC, &memory->arena));
    memory->survey.enters_target = edit->kind == UNTORN_SET;
    CHECK_INT(json_survey_run(&memory->survey, feed, memory), 0);
}

static int plan_with(struct memory *memory, const struct untorn_edit *edit, struct plan *ret_plan)
{
    struct json_source source = source_of(memory);
    struct json_line_ends lines = {.newline = "\n"};
    return json_short_plan(&memory->survey, &source, 1, edit, &lines, ret_plan, &error);
}

/* The text after the edit, borrowed until the next call; or what came of it. */
static const char *after(const char *text, const struct untorn_edit *edit)
{
    static char *result;
    struct memory memory;
    struct plan plan;
    size_t size;
    survey(&memory, text, edit);
    int rc = plan_with(&memory, edit, &plan);
    free(result);
    result = rc == 0 ? plan_apply(&plan, text, strlen(text), &size) : NULL;
    plan_free(&plan);
    arena_free(&memory.arena);
    static const char *const outcomes[] = {"", "unchanged", "unsuited", "stale"};
    return rc == 0 ? result : rc > 0 ? outcomes[rc] : untorn_status_name(rc);
}

#define LIST "[10, 11, 12, 13, 14, 15, 16, 17, 18, 19]"

/* [SHORT-1] [SHORT-2] */
TEST(the_long_text_is_spliced_where_the_short_one_was)
{
    CHECK_TEXT(after(LIST, ONE(SET("[5]", "5"))), "[10, 11, 12, 13, 14, 5, 16, 17, 18, 19]");
    CHECK_TEXT(after(LIST, ONE(UNSET("[5]"))), "[10, 11, 12, 13, 14, 16, 17, 18, 19]");
    CHECK_TEXT(after(LIST, ONE(INSERT("[7]", "5"))), "[10, 11, 12, 13, 14, 15, 16, 5, 17, 18, 19]");
    CHECK_TEXT(after(LIST, ONE(INSERT("[10]", "5"))),
               "[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 5]");
    CHECK_TEXT(after("{\"a\": " LIST ", \"b\": 2}", ONE(UNSET("a"))), "{\"b\": 2}");
    CHECK_TEXT(after("{\"b\": 2, \"a\": {\"x\": " LIST ", \"z\": 0}}", ONE(SET("a.y", "1"))),
               "{\"b\": 2, \"a\": {\"x\": " LIST ", \"z\": 0, \"y\": 1}}");
}

/* Whether a blank comes behind a comma shows only in what was cut. [SHORT-2] */
TEST(what_would_look_like_something_that_was_cut_is_left)
{
    CHECK_TEXT(after("{\"x\": " LIST "}", ONE(SET("y", "1"))), "unsuited");
}

/* [SHORT-3] */
TEST(several_changes_of_one_container_are_one)
{
    CHECK_TEXT(after("{\"x\": " LIST ", \"a\": [1, 2, 3]}", ONE(SET_JSON("a", "[0, 1, 3, 4]"))),
               "{\"x\": " LIST ", \"a\": [0, 1, 3, 4]}");
}

TEST(what_comes_of_it_is_told)
{
    CHECK_TEXT(after(LIST, ONE(SET("[5]", "15"))), "unchanged");
    CHECK_TEXT(after(LIST, ONE(UNSET("[99]"))), "unsuited"); /* how many there are is not known */
    CHECK_TEXT(after("{\"a\": " LIST "}", ONE(UNSET("b"))), "NO_KEY");
    CHECK_TEXT(error.detail, "b");
    CHECK_TEXT(after("{\"a\": " LIST "}", ONE(SET("a", "b"))), "TYPE");
}

/* Of a list another may keep something, and one of as many elements may be the same. */
TEST(what_was_not_compared_is_not_taken_for_changed)
{
    static char text[2000] = "{\"a\": [1", same[2000] = "[1";
    for (int i = 0; i < 300; i++)
        strcat(text, ",1"), strcat(same, ",1");
    strcat(text, "]}"), strcat(same, "]");
    CHECK_TEXT(after(text, ONE(SET_JSON("a", "5"))), "{\"a\": 5}");
    struct untorn_edit edit = SET_JSON("a", "[1]");
    CHECK_TEXT(after(text, &edit), "unsuited");
    edit.value = same;
    edit.value_size = strlen(same);
    CHECK_TEXT(after(text, &edit), "unsuited");
}

TEST(a_text_that_is_another_is_stale)
{
    struct memory memory;
    struct plan plan;
    struct untorn_edit edit = SET("b", "2");
    static const char text[] = "{\"a\": " LIST ", \"b\": 1}";
    static char other[sizeof text];
    survey(&memory, text, &edit);
    memcpy(other, text, sizeof text);
    other[strlen(text) - 1] = ']';
    memory.text = other;
    CHECK_INT(plan_with(&memory, &edit, &plan), JSON_SHORT_STALE);
    memory.read_error = -ESTALE;
    CHECK_INT(plan_with(&memory, &edit, &plan), JSON_SHORT_STALE);
    memory.read_error = -EIO;
    CHECK_INT(plan_with(&memory, &edit, &plan), -UNTORN_IO);
    arena_free(&memory.arena);
}

TEST(why_nothing_was_found_is_said)
{
    struct memory memory;
    survey(&memory, "{\"a\": " LIST ", \"b\": 1}", ONE(UNSET("b.c")));
    struct json_source source = source_of(&memory);
    CHECK_INT(json_short_missing(&memory.survey, &source, 1, &error), -UNTORN_NO_KEY);
    CHECK(detail_says("there is nothing below an integer"));
    memory.text = "{\"a\": " LIST ", \"b\": ]}";
    CHECK_INT(json_short_missing(&memory.survey, &source, 1, &error), JSON_SHORT_STALE);
    arena_free(&memory.arena);
}
