/* Where a key leads, by offsets alone. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text/json_survey.h"

static struct untorn_error error;

/* A text that is fed `piece` bytes more at a time, all of it kept. */
struct feeding {
    struct json_survey survey;
    struct arena arena;
    const char *text;
    size_t size, fed, piece;
    uint64_t stays;  /* as it was last */
    bool grows_only; /* [SURVEY-3] */
    int refuses;     /* what `more` returns when all was fed once; 0: nothing */
};

static int more(void *context)
{
    struct feeding *feeding = context;
    struct json_survey *survey = &feeding->survey;
    uint64_t keep = survey->scanner.keep, stays = survey->stays < keep ? survey->stays : keep;
    if (stays < feeding->stays)
        feeding->grows_only = false;
    feeding->stays = keep == 0 ? 0 : stays;
    if (feeding->fed == feeding->size && feeding->refuses)
        return feeding->refuses;
    bool last = feeding->fed == feeding->size;
    feeding->fed += feeding->piece;
    feeding->fed = feeding->fed < feeding->size ? feeding->fed : feeding->size;
    json_scan_feed(&survey->scanner, feeding->text + keep, feeding->fed - (size_t)keep, last);
    return 0;
}

static int begin(struct feeding *feeding, const char *text, const char *key, size_t piece)
{
    struct keypath path;
    *feeding =
        (struct feeding){.text = text, .size = strlen(text), .piece = piece, .grows_only = true};
    error_begin(&error, NULL, NULL);
    CHECK_INT(keypath_parse(key, &feeding->arena, &path, &error), 0);
    return json_survey_begin(&feeding->survey, &path, UNTORN_JSONC, &feeding->arena) ? 0 : -1;
}

static int run(struct feeding *feeding)
{
    int rc;
    do {
        feeding->fed = 0;
        feeding->stays = 0;
        rc = json_survey_run(&feeding->survey, more, feeding);
    } while (rc == JSON_SURVEY_AGAIN);
    return rc;
}

static const char *part(const char *text, uint64_t start, uint64_t end)
{
    static char bytes[100];
    snprintf(bytes, sizeof bytes, "%.*s", (int)(end - start), text + start);
    return bytes;
}

/* What the key names, whatever the pieces are; "left" or "nothing". */
static const char *target(const char *text, const char *key)
{
    static char first[100];
    for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
        struct feeding feeding;
        CHECK_INT(begin(&feeding, text, key, piece), 0);
        int rc = run(&feeding);
        const struct json_element *element = rc == 0 ? json_survey_target(&feeding.survey) : NULL;
        const char *found = rc != 0    ? "left"
                            : !element ? "nothing"
                                       : part(text, element->value, element->end);
        CHECK(feeding.grows_only);
        if (piece == 1)
            snprintf(first, sizeof first, "%s", found);
        CHECK_TEXT(found, first);
        arena_free(&feeding.arena);
    }
    return first;
}

static const char sample[] = "{\"a\": [1, {\"b\": \"x\", \"c\": [[]]}, null], /**/ \"\\u0064\": 2, "
                             "\"1\": true}";

TEST(a_key_leads_to_its_value)
{
    CHECK_TEXT(target(sample, "a"), "[1, {\"b\": \"x\", \"c\": [[]]}, null]");
    CHECK_TEXT(target(sample, "a[1].b"), "\"x\"");
    CHECK_TEXT(target(sample, "a[1].c[0]"), "[]");
    CHECK_TEXT(target(sample, "d"), "2");
    CHECK_TEXT(target(sample, "a[-1]"), "null");
    CHECK_TEXT(target(sample, "a[-2].c[-1]"), "[]");
    CHECK_TEXT(target(sample, "/a/0"), "1");
    CHECK_TEXT(target(sample, "/1"), "true");
    CHECK_TEXT(target("[0, 1]", "[1]"), "1");
}

TEST(a_key_that_leads_nowhere_names_nothing)
{
    static const char *const keys[] = {"x",    "a.b",   "a[3]",  "a[-4]", "a[+]", "a[0].b",
                                       "/a/-", "/a/01", "/a/1x", "[0]",   "d.e",  "a[1].c[0][0]"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        CHECK_TEXT(target(sample, keys[i]), "nothing");
    CHECK_TEXT(target("1", "a"), "nothing");
}

/* [SURVEY-1] [SURVEY-2] */
TEST(what_is_wrong_or_ambiguous_is_left)
{
    CHECK_TEXT(target("{\"a\": 1, \"a\": 2}", "a"), "left");
    CHECK_TEXT(target("{\"a\": 1, \"b\": 2, \"b\": 2}", "a"), "1");
    CHECK_TEXT(target("{\"a\": {\"b\": 1}, \"a.b\": 2}", "a.b"), "left");
    CHECK_TEXT(target("{\"a\": {\"b\": 1}, \"a.c\": 2}", "a.b"), "1");
    CHECK_TEXT(target("{\"a\": 1, \"a.b\": 2}", "a"), "1");
    CHECK_TEXT(target("{\"a\": 1} 2", "a"), "left");
    CHECK_TEXT(target("{\"a\": 1, \"b\": }", "a"), "left");
    CHECK_TEXT(target("", "a"), "left");
}

TEST(a_key_that_must_not_be_beside_the_target_is_noticed)
{
    static const char text[] = "{\"x\": {\"a\": 1, \"b\": 2}, \"c\": 3}";
    static const char *const others[] = {"b", "a", "c"};
    for (size_t i = 0; i < 3; i++) {
        struct feeding feeding;
        CHECK_INT(begin(&feeding, text, "x.a", 100), 0);
        feeding.survey.other = others[i];
        feeding.survey.other_size = 1;
        CHECK_INT(run(&feeding), i == 0 ? JSON_SURVEY_LEFT : 0);
        arena_free(&feeding.arena);
    }
}

/* ---- what is told of the levels ---- */

static void check_element(const char *text, const struct json_element *element, const char *whole)
{
    CHECK_TEXT(part(text, element->start, element->end), whole);
    const char *colon = strchr(whole, ':');
    CHECK_TEXT(part(text, element->value, element->end), colon ? colon + 1 : whole);
}

TEST(of_a_level_the_ends_and_the_neighbours_are_known)
{
    static const char text[] = "{\"a\":1, \"b\":[] ,\"c\":{}, \"d\":\"d\", \"e\":5 }";
    struct feeding feeding;
    CHECK_INT(begin(&feeding, text, "d", 1), 0);
    CHECK_INT(run(&feeding), 0);
    const struct json_level *level = feeding.survey.levels;
    CHECK_INT(feeding.survey.count, 1);
    CHECK_INT(level->count, 5);
    CHECK_INT(level->place, 3);
    CHECK_INT(level->self.value, 0);
    CHECK_INT(level->self.end, sizeof text - 1);
    check_element(text, &level->first[0], "\"a\":1");
    check_element(text, &level->first[1], "\"b\":[]");
    check_element(text, &level->before[2], "\"c\":{}");
    check_element(text, &level->child, "\"d\":\"d\"");
    check_element(text, &level->next, "\"e\":5");
    check_element(text, json_level_last(level), "\"e\":5");
    CHECK_INT(level->first[0].before, 1);
    CHECK_INT(level->before[2].before, level->first[1].end);
    CHECK_INT(feeding.survey.stays, level->before[2].end);
    CHECK(feeding.survey.fixed);
    arena_free(&feeding.arena);
}

TEST(the_target_is_a_level_if_that_is_asked_for)
{
    struct feeding feeding;
    CHECK_INT(begin(&feeding, "{\"a\": [1, 2, 3]}", "a", 1), 0);
    feeding.survey.enters_target = true;
    CHECK_INT(run(&feeding), 0);
    CHECK_INT(feeding.survey.count, 2);
    CHECK_INT(feeding.survey.levels[1].count, 3);
    CHECK_INT(json_survey_target(&feeding.survey)->end, 15);
    arena_free(&feeding.arena);
}

/* [SURVEY-3] Where a member is missing it would be put behind the last. */
TEST(what_surely_stays_ends_where_a_change_may_begin)
{
    static const struct {
        const char *text, *key;
        uint64_t stays;
    } cases[] = {{"{\"a\": 1, \"b\": 2 }", "c", 15},
                 {"{\"a\": 1, \"b\": 2 }", "a", 1},
                 {"{\"a\": 1, \"b\": 2 }", "b", 7},
                 {"{\"a\": {\"b\": 1}, \"c\": 2}", "a.x", 13},
                 {"{\"a\": {}, \"c\": 2}", "a.x", 7},
                 {"[1, 2, 3]", "[-1]", 5},
                 {"[1, 2, 3]", "[+]", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct feeding feeding;
        CHECK_INT(begin(&feeding, cases[i].text, cases[i].key, 1), 0);
        CHECK_INT(run(&feeding), 0);
        CHECK_INT(feeding.survey.stays, cases[i].stays);
        arena_free(&feeding.arena);
    }
}

static uint64_t settled_at;
static int settled_times;

static void note_settled(void *context)
{
    const struct feeding *feeding = context;
    settled_at = feeding->survey.end;
    settled_times++;
}

/* Before the value of the next element, or behind the bracket. */
TEST(when_the_place_was_passed_it_is_told_once)
{
    static const struct {
        const char *text, *key;
        uint64_t at;
    } cases[] = {{"{\"a\": 1, \"b\": [2], \"c\": 3}", "a", 14},
                 {"{\"a\": [1], \"b\": [2], \"c\": 3}", "a[0]", 9},
                 {"{\"a\": [1], \"b\": [2], \"c\": 3}", "x", 28},
                 {"{\"a\": {\"b\": 1}, \"c\": 3}", "a.x", 14},
                 {"[1, 2, 3]", "[-2]", 7},
                 {"[1, 2, 3]", "[+]", 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct feeding feeding;
        CHECK_INT(begin(&feeding, cases[i].text, cases[i].key, 1), 0);
        feeding.survey.settled = note_settled;
        settled_times = 0;
        CHECK_INT(run(&feeding), 0);
        CHECK_INT(settled_times, 1);
        CHECK_INT(settled_at, cases[i].at);
        arena_free(&feeding.arena);
    }
}

TEST(what_the_feeder_returns_is_returned)
{
    struct feeding feeding;
    CHECK_INT(begin(&feeding, sample, "a", 10), 0);
    feeding.refuses = -7;
    CHECK_INT(run(&feeding), -7);
    arena_free(&feeding.arena);
}

static bool survey_once(void)
{
    struct feeding feeding = {.text = sample, .size = strlen(sample), .piece = 1000};
    struct step step = {.kind = STEP_KEY, .key = "d", .key_size = 1};
    struct keypath path = {.steps = &step, .count = 1};
    bool done = json_survey_begin(&feeding.survey, &path, UNTORN_JSONC, &feeding.arena) &&
                run(&feeding) == 0;
    arena_free(&feeding.arena);
    return done;
}

TEST(without_memory_it_is_left)
{
    CHECK(heap_walk(survey_once) > 0);
}
