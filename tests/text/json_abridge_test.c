/* A text made short: what stays, and the way back to the old text. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "base/codes.h"
#include "text/json_abridge.h"
#include "text/json_changes.h"
#include "text/surveyed.h"

static struct untorn_error error;

static void survey(struct memory *memory, const char *text, const char *key)
{
    struct keypath path;
    memset(memory, 0, sizeof *memory);
    memory->text = text;
    error_begin(&error, NULL, NULL);
    CHECK_INT(keypath_parse(key, &memory->arena, &path, &error), 0);
    CHECK(json_survey_begin(&memory->survey, &path, UNTORN_JSONC, &memory->arena));
    memory->survey.enters_target = true;
    CHECK_INT(json_survey_run(&memory->survey, feed, memory), 0);
}

static int abridge(struct memory *memory, size_t whole, struct json_abridged *ret_abridged)
{
    struct json_source source = source_of(memory);
    *ret_abridged = (struct json_abridged){0};
    return json_abridge(&memory->survey, &source, whole, ret_abridged);
}

/* Every byte that stayed has the place it had; what was left out has none. [ABRIDGE-3] */
static void check_places(const char *text, const struct json_abridged *abridged)
{
    size_t next = 0;
    for (size_t at = 0; at < abridged->text.size; at++) {
        uint64_t place;
        while (next < abridged->count && abridged->cuts[next].at + abridged->cuts[next].size <= at)
            next++;
        bool inside = next < abridged->count && at > abridged->cuts[next].at;
        CHECK_INT(json_abridged_place(abridged, at, &place), !inside);
        bool begins = next < abridged->count && at == abridged->cuts[next].at;
        if (begins)
            CHECK_INT(place, abridged->cuts[next].start);
        else if (!inside)
            CHECK_INT(text[place], abridged->text.data[at]);
    }
}

/* A scanner behind the first `size` bytes, and a blank. */
static struct json_scanner scanner_behind(const char *text, size_t size)
{
    static struct json_scanner scanner;
    char *beginning = malloc(size + 1);
    CHECK(beginning);
    memcpy(beginning, text, size);
    beginning[size] = ' ';
    json_scan_begin(&scanner, UNTORN_JSONC);
    json_scan_feed(&scanner, beginning, size + 1, false);
    CHECK_INT(json_scan_rest(&scanner), JSON_MORE);
    free(beginning);
    return scanner;
}

static void check_state(const char *text, uint64_t place, const char *other, size_t at)
{
    struct json_scanner old = scanner_behind(text, (size_t)place), new = scanner_behind(other, at);
    CHECK_INT(old.depth, new.depth);
    CHECK_INT(memcmp(old.closers + 1, new.closers + 1, old.depth), 0);
    CHECK_INT(old.expects, new.expects);
    CHECK_INT(old.inside, new.inside);
}

/* [ABRIDGE-1] */
static void check_states(const char *text, const struct json_abridged *abridged)
{
    for (size_t i = 0; i < abridged->count; i++) {
        const struct json_cut *cut = &abridged->cuts[i];
        check_state(text, cut->start, abridged->text.data, cut->at);
        check_state(text, cut->end, abridged->text.data, cut->at + cut->size);
    }
}

/* The short text, borrowed until the next call. */
static const char *shortened_to(const char *text, const char *key, size_t whole)
{
    static struct json_abridged abridged;
    struct memory memory;
    json_abridged_free(&abridged);
    survey(&memory, text, key);
    CHECK_INT(abridge(&memory, whole, &abridged), 0);
    check_places(text, &abridged);
    check_states(text, &abridged);
    arena_free(&memory.arena);
    return abridged.text.data;
}

/* At most one byte of everything else being left. */
static const char *shortened(const char *text, const char *key)
{
    return shortened_to(text, key, 1);
}

TEST(what_is_beside_the_way_has_a_stand_in)
{
    CHECK_TEXT(shortened("{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6}", "e"),
               "{\"a\": 1, \"b\": 2,\"\\u00000\":0, \"d\": 4, \"e\": 5, \"f\": 6}");
    CHECK_TEXT(shortened("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "[5]"), "[0, 1,0, 4, 5, 6,1, 9]");
    CHECK_TEXT(shortened("{\"a\": {\"x\": [1, 2], \"y\": 3}, \"b\": \"text\"}", "c"),
               "{\"a\": {\"x\": 0}, \"b\": \"1\"}");
    CHECK_TEXT(shortened("[[{\"a\": [{}, 2,],},], 3, [[[]], \"x\"], 5]", "[3]"),
               "[[0], 3, [1], 5]");
    CHECK_TEXT(shortened("{\"a\": [], \"b\": [ /**/ ], \"c\": [ [1], 2 ]}", "x"),
               "{\"a\": [], \"b\": [ /**/ ], \"c\": [ 0]}");
}

/* So that a comma shows. */
TEST(two_values_of_a_container_stay_if_they_are_near)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"{\"a\": [1, 2, 3, 4, 5, 6], \"b\": 2}", "{\"a\": [1, 0], \"b\": 2}"},
        {"{\"a\": [[],{\"x\": 1, \"y\": 2}], \"b\": 2}", "{\"a\": [[],0], \"b\": 2}"},
        {"{\"a\": {\"x\": 1,\"y\": [1, 2]}, \"b\": 2}", "{\"a\": {\"x\": 0}, \"b\": 2}"},
        {"{\"a\": {\"x\":1,\"\":[1, 2]}, \"b\": 2}", "{\"a\": {\"x\":1,\"\":0}, \"b\": 2}"},
        {"{\"a\": [\"a long text\", 2], \"b\": 2}", "{\"a\": [0], \"b\": 2}"},
        {"{\"a\": [\"a long text\"], \"b\": 2}", "{\"a\": [0], \"b\": 2}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(shortened_to(cases[i].text, "b", 10), cases[i].expected);
}

/* Where something may be put in, and so do those at the beginning. Of what is only near a sixteenth
 * of the size, of what is beside the place four times as much. */
TEST(what_stands_near_the_place_stays_if_it_is_small)
{
    static const char text[] =
        "{\"a\": [[1, 1], \"one text\", 3, 4, 5, 6, 7, 8, 9, [2, 2], 11, \"twelve twelve\"]}";
    CHECK_TEXT(shortened_to(text, "a[+]", 3),
               "{\"a\": [[1, 1], \"one text\", 3,0, [1], 11, \"2\"]}");
    CHECK_TEXT(shortened_to(text, "a[+]", 1), "{\"a\": [[0], \"1\",2, \"3\"]}");
    CHECK_TEXT(shortened_to(text, "a[6]", 3), /* is replaced */
               "{\"a\": [[0], \"1\",2, 6, 7, 8,3, \"4\"]}");
}

TEST(what_is_to_be_changed_stays)
{
    CHECK_TEXT(shortened("{\"a\": \"a text\", \"b\": \"text\"}", "a"),
               "{\"a\": \"a text\", \"b\": \"0\"}");
    CHECK_TEXT(shortened("{\"a\": [1, 2, 3, 4, 5, 6]}", "a"), "{\"a\": [1, 2, 3, 4, 5, 6]}");
}

/* [ABRIDGE-2] */
TEST(the_last_line_of_what_was_left_out_keeps_its_indentation)
{
    CHECK_TEXT(shortened("[\n 1,\n 2,\n   3, 4,\n    5, 6, 7, 8\n]", "[6]"),
               "[\n 1,\n 2,\n    0, 6, 7, 8\n]");
    CHECK_TEXT(shortened("{\"a\": {\n\t\"b\": 1,\r\n  \"c\": 2 }, \"d\": 3}", "d"),
               "{\"a\": {\n\t\"b\": 0\n  }, \"d\": 3}");
    CHECK_TEXT(shortened("[[1, /*\n     */ 2], 3]", "[1]"), "[[0\n     ], 3]");
}

/* The nodes of the short text that are marked, each as it is spelled, one behind the other. */
static const char *marked(const char *text, const char *key)
{
    static char all[256];
    struct parsed parsed;
    struct flaw flaw;
    struct memory memory;
    struct json_abridged abridged;
    survey(&memory, text, key);
    CHECK_INT(abridge(&memory, 1, &abridged), 0);
    CHECK_INT(parse_json(abridged.text.data, abridged.text.size, UNTORN_JSONC, &parsed, &flaw), 0);
    json_abridged_mark(&abridged, parsed.root);
    *all = '\0';
    for (struct untorn_node *node = parsed.root; node; node = json_next_node(node))
        if (node->cut)
            strncat(strcat(all, "<"), node->raw, node->raw_size);
    parsed_free(&parsed);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
    return all;
}

TEST(what_is_not_all_there_is_marked)
{
    CHECK_TEXT(marked("{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6}", "e"), "<0");
    CHECK_TEXT(marked("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "[5]"), "<0<1");
    CHECK_TEXT(marked("{\"a\": {\"x\": [1, 2], \"y\": 3}, \"b\": \"text\"}", "c"),
               "<{\"x\": 0}<\"1\"");
    CHECK_TEXT(marked("[[[1, 2], 3], [[4, [], {}, 5], 6], 7]", "[1][0][0]"), "<[0]<1");
    CHECK_TEXT(marked("[[1, /*\n     */ 2], 3]", "[1]"), "<[0\n     ]");
}

TEST(indices_lead_to_the_same_place)
{
    struct memory memory;
    struct json_abridged abridged;
    survey(&memory, "[0, 1, 2, 3, [0, 1, 2, 3, 4, 5, 6], 5, 6, 7]", "[4][5]");
    CHECK_INT(abridge(&memory, 1, &abridged), 0);
    CHECK_INT(abridged.path.steps[0].index, 4); /* 0, 1, a stand-in for 2, 3 */
    CHECK_INT(abridged.path.steps[1].index, 4); /* 0, 1, one for 2 and 3, 4 */
    CHECK(abridged.miscounts && !abridged.cut_target);
    json_abridged_free(&abridged);
    CHECK_INT(abridge(&memory, 100, &abridged), 0);
    CHECK_TEXT(abridged.text.data, memory.text);
    CHECK(!abridged.miscounts);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
}

/* {"a": [1,1,1,...]} of `count` elements. */
static char *large_array(size_t count)
{
    char *text = malloc(2 * count + 16), *at = text;
    CHECK(text);
    at = stpcpy(at, "{\"a\": [1");
    while (--count > 0)
        at = stpcpy(at, ",1");
    strcpy(at, "]}");
    return text;
}

TEST(a_large_target_is_cut_and_that_is_told)
{
    struct memory memory;
    struct json_abridged abridged;
    char *text = large_array(500);
    survey(&memory, text, "a");
    CHECK_INT(abridge(&memory, 1, &abridged), 0);
    CHECK(abridged.cut_target);
    CHECK_TEXT(abridged.text.data, "{\"a\": [1,1,0,1]}");
    json_abridged_free(&abridged);
    CHECK_INT(abridge(&memory, 100, &abridged), 0);
    CHECK(!abridged.cut_target);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
    free(text);
    text = large_array(200000);
    survey(&memory, text, "a");
    CHECK_INT(abridge(&memory, 10000, &abridged), 0);
    CHECK(abridged.cut_target);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
    free(text);
}

TEST(too_much_that_must_stay_is_left)
{
    enum { SIZE = 3 << 20 };
    struct memory memory;
    struct json_abridged abridged;
    char *text = malloc(SIZE + 1);
    memset(text, ' ', SIZE);
    memcpy(text, "{\"a\": 1, \"b\": 2", 15);
    memcpy(text + SIZE - 1, "}", 2);
    survey(&memory, text, "b");
    CHECK_INT(abridge(&memory, 1, &abridged), JSON_SURVEY_LEFT);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
    memset(text, ' ', SIZE);
    memcpy(text, "{\"a\": [", 7); /* the first value is too far behind its bracket to look for */
    memcpy(text + SIZE - 11, "1], \"b\": 2}", 12);
    survey(&memory, text, "b");
    CHECK_INT(abridge(&memory, 1, &abridged), JSON_SURVEY_LEFT);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
    free(text);
}

TEST(a_failure_of_reading_is_told)
{
    struct memory memory;
    struct json_abridged abridged;
    survey(&memory, "{\"a\": [1, 2], \"b\": 2}", "b");
    memory.read_error = -EIO;
    CHECK_INT(abridge(&memory, 1, &abridged), -EIO);
    json_abridged_free(&abridged);
    memory.read_error = 0;
    memory.text = "{\"a\": [1, 2], \"b\"";
    struct json_source source = {.read = read_text, .context = &memory, .size = 22};
    abridged = (struct json_abridged){0};
    CHECK_INT(json_abridge(&memory.survey, &source, 1, &abridged), -ESTALE);
    json_abridged_free(&abridged);
    arena_free(&memory.arena);
}
