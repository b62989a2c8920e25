/* The edits of several callers made of one text. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "combine/edits.h"

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
