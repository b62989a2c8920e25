/* The edits of several callers made of one text. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "combine/edits.h"
#include "heap.h"

enum { MOST = 8 };

static struct untorn_edit own_edit, guest_edits[MOST];
static struct request own;
static struct untorn_error own_answer;
static struct guest guests[MOST];
static struct edits edits;
static int told;

static void answered(void *context, const struct guest *guest)
{
    CHECK(context == &edits);
    CHECK(guest == &guests[told]);
    told++;
}

static struct untorn_edit edit_of(enum untorn_edit_kind kind, const char *key, const char *value)
{
    return (struct untorn_edit){
        .kind = kind, .key = key, .value = value, .value_size = value ? strlen(value) : 0};
}

static void begin(struct untorn_edit edit)
{
    own_edit = edit;
    own = (struct request){.edits = &own_edit, .count = 1, .format = UNTORN_JSON};
    edits = (struct edits){&own, &own_answer, guests, 0, answered, &edits};
    told = 0;
}

static void add(struct untorn_edit edit)
{
    guest_edits[edits.count] = edit;
    guests[edits.count].request =
        (struct request){.edits = &guest_edits[edits.count], .count = 1, .format = UNTORN_JSON};
    edits.count++;
}

/* The new text, or the old one where nothing was set; borrowed until the next call. */
static const char *make(const char *old, int expected)
{
    static char *kept;
    struct untorn_change change = {0};
    struct untorn_content content = {.data = (char *)old, .size = old ? strlen(old) : 0};
    CHECK_INT(edits_make(&edits, old ? &content : NULL, &change), expected);
    CHECK_INT(told, edits.count);
    free(kept);
    kept = change.data;
    return change.set ? kept : old;
}

TEST(all_edits_are_made_in_order)
{
    begin(edit_of(UNTORN_SET, "a", "2"));
    add(edit_of(UNTORN_SET, "a", "3"));
    add(edit_of(UNTORN_SET, "b", "4"));
    CHECK_TEXT(make("{\"a\": 1}", 0), "{\"a\": 3, \"b\": 4}");
    CHECK_INT(own_answer.status + guests[0].answer.status + guests[1].answer.status, 0);
}

/* [COMBINE-3] */
TEST(what_fails_fails_alone)
{
    begin(edit_of(UNTORN_UNSET, "nothing", NULL));
    add(edit_of(UNTORN_SET, "a", "text"));
    add(edit_of(UNTORN_SET, "b", "4"));
    add(edit_of(UNTORN_JSON_PATCH, "", "[{\"op\":\"test\",\"path\":\"/b\",\"value\":5}]"));
    add(edit_of(UNTORN_SET, "b", "4"));
    add(edit_of(UNTORN_SET, "..", "4"));
    CHECK_TEXT(make("{\"a\": 1}", 0), "{\"a\": 1, \"b\": 4}");
    CHECK_INT(own_answer.status, UNTORN_NO_KEY);
    CHECK_INT(guests[0].answer.status, UNTORN_TYPE);
    CHECK(guests[0].answer.detail[0] != '\0');
    CHECK_INT(guests[1].answer.status, UNTORN_OK);
    CHECK_INT(guests[2].answer.status, UNTORN_TEST_FAILED);
    CHECK_INT(guests[3].answer.status, UNTORN_OK);
    CHECK_INT(guests[3].answer.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(guests[4].answer.status, UNTORN_INVALID);
}

TEST(a_missing_file_is_made_by_the_first_who_may)
{
    begin(edit_of(UNTORN_UNSET, "a", NULL));
    add(edit_of(UNTORN_SET, "a", "1"));
    add(edit_of(UNTORN_UNSET, "a", NULL));
    add(edit_of(UNTORN_SET, "b", "2"));
    CHECK_TEXT(make(NULL, 0), "{\n  \"b\": 2\n}\n");
    CHECK_INT(own_answer.status, UNTORN_MISSING);
    CHECK_INT(guests[1].answer.status, UNTORN_OK);
}

TEST(only_what_brings_content_makes_a_missing_file)
{
    static const enum untorn_edit_kind kinds[] = {UNTORN_UNSET, UNTORN_INSERT, UNTORN_RENAME};
    for (int i = 0; i < 4; i++) {
        begin(edit_of(i < 3 ? kinds[i] : UNTORN_SET, "a", "1"));
        own.count = i < 3; /* or none at all */
        CHECK(make(NULL, UNTORN_MISSING) == NULL);
    }
}

TEST(who_has_no_edits_is_no_hindrance)
{
    begin(edit_of(UNTORN_SET, "a", "2"));
    own.count = 0;
    add(edit_of(UNTORN_SET, "b", "3"));
    CHECK_TEXT(make("{\"a\": 1}", 0), "{\"a\": 1, \"b\": 3}");
}

TEST(a_text_that_is_damaged_stays)
{
    begin(edit_of(UNTORN_SET, "a", "1"));
    add(edit_of(UNTORN_SET, "b", "1"));
    CHECK_TEXT(make("{\"a\": ", 0), "{\"a\": ");
    CHECK_INT(own_answer.status, UNTORN_DAMAGED);
    CHECK_INT(guests[0].answer.status, UNTORN_DAMAGED);
}

TEST(alone_it_refuses)
{
    begin(edit_of(UNTORN_UNSET, "b", NULL));
    CHECK_TEXT(make("{\"a\": 1}", UNTORN_NO_KEY), "{\"a\": 1}");
    begin(edit_of(UNTORN_SET, "a", "1"));
    CHECK_TEXT(make("{\"a\": 1}", 0), "{\"a\": 1}");
    CHECK_INT(own_answer.flags, UNTORN_FLAG_UNCHANGED);
}

/* ---- what an UNTORN_ENSURE met ---- */

TEST(the_first_who_ensures_a_key_creates_it_and_all_are_told)
{
    struct met met = {0};
    begin(edit_of(UNTORN_ENSURE, "k", "own"));
    own.met = &met;
    add(edit_of(UNTORN_ENSURE, "k", "other"));
    add(edit_of(UNTORN_ENSURE, "a", "9"));
    add(edit_of(UNTORN_ENSURE, "new", "[1]"));
    CHECK_TEXT(make("{\"a\": 1}", 0), "{\"a\": 1, \"k\": \"own\", \"new\": \"[1]\"}");
    CHECK(met.made);
    CHECK_TEXT(met.text, "\"own\"");
    CHECK_INT(own_answer.flags, 0);
    CHECK_TEXT(guests[0].answer.detail, "\"own\"");
    CHECK_INT(guests[0].answer.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_TEXT(guests[1].answer.detail, "1");
    CHECK_INT(guests[1].answer.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_TEXT(guests[2].answer.detail, "\"[1]\"");
    CHECK_INT(guests[2].answer.flags, 0);
    free(met.text);
}

TEST(each_is_told_what_was_there_at_its_turn)
{
    begin(edit_of(UNTORN_ENSURE, "k", "1"));
    add(edit_of(UNTORN_SET, "k", "2"));
    add(edit_of(UNTORN_ENSURE, "k", "3"));
    add(edit_of(UNTORN_UNSET, "k", NULL));
    add(edit_of(UNTORN_ENSURE, "k", "4"));
    for (int alone = 0; alone < 2; alone++) {
        CHECK_TEXT(make("{\"a\": 1}", 0), "{\"a\": 1, \"k\": 4}");
        CHECK_TEXT(guests[1].answer.detail, "2");
        CHECK_INT(guests[1].answer.flags, UNTORN_FLAG_UNCHANGED);
        CHECK_TEXT(guests[3].answer.detail, "4");
        CHECK_INT(guests[3].answer.flags, 0);
        told = 0;
        add(edit_of(UNTORN_UNSET, "nothing", NULL)); /* now one after the other */
    }
}

TEST(what_is_too_long_to_be_told_is_only_said_to_be_there)
{
    static char text[1000];
    snprintf(text, sizeof text, "{\"k\": \"%0700d\"}", 0);
    begin(edit_of(UNTORN_SET, "a", "1"));
    add(edit_of(UNTORN_ENSURE, "k", "3"));
    make(text, 0);
    CHECK_TEXT(guests[0].answer.detail, "");
    CHECK_INT(guests[0].answer.flags, UNTORN_FLAG_UNCHANGED);
}

TEST(an_answer_is_taken_from_the_detail)
{
    struct met met = {0};
    struct untorn_error answer = {.flags = UNTORN_FLAG_UNCHANGED, .detail = "\"x\""};
    begin(edit_of(UNTORN_ENSURE, "k", "1"));
    own.met = &met;
    edits_take_met(&own, &answer);
    CHECK(!met.made);
    CHECK_TEXT(met.text, "\"x\"");
    CHECK_TEXT(answer.detail, "");
    edits_take_met(&own, &answer);
    CHECK(met.text == NULL);
    own.met = NULL;
    strcpy(answer.detail, "1");
    edits_take_met(&own, &answer);
    CHECK_TEXT(answer.detail, "");
    begin(edit_of(UNTORN_SET, "k", "1"));
    strcpy(answer.detail, "1");
    edits_take_met(&own, &answer);
    CHECK_TEXT(answer.detail, "1");
}

/* Whichever allocation fails: each edit is made and told, or told to have failed. */
TEST(without_memory_each_edit_is_made_or_said_not_to_be)
{
    bool failed = true;
    heap_needed();
    begin(edit_of(UNTORN_SET, "a", "2"));
    add(edit_of(UNTORN_ENSURE, "b", "3"));
    for (int n = 1; failed; n++) {
        told = 0;
        struct untorn_change change = {0};
        char old[] = "{\"a\": 1}";
        struct untorn_content content = {.data = old, .size = strlen(old)};
        long before = heap.live;
        heap_fail(n);
        CHECK_INT(edits_make(&edits, &content, &change), 0);
        failed = heap_failed();
        const char *text = change.set ? change.data : old;
        CHECK(own_answer.status == UNTORN_OK || own_answer.status == UNTORN_NO_MEMORY);
        CHECK_INT(strstr(text, "\"a\": 2") != NULL, own_answer.status == UNTORN_OK);
        CHECK_INT(strstr(text, "\"b\": 3") != NULL, guests[0].answer.status == UNTORN_OK);
        CHECK(*guests[0].answer.detail == '\0' || guests[0].answer.status == UNTORN_NO_MEMORY ||
              strcmp(guests[0].answer.detail, "3") == 0);
        free(change.data);
        CHECK_INT(heap.live, before);
    }
    CHECK_TEXT(guests[0].answer.detail, "3");
}
