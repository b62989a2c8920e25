/* untorn_transaction_edit. */
#include "file/support.h"

#include <untorn.h>

static struct untorn_error error;

static struct untorn_edit set(const char *key, const char *value)
{
    return (struct untorn_edit){
        .kind = UNTORN_SET, .key = key, .value = value, .value_size = strlen(value)};
}

TEST(edits_of_several_documents_are_one_commit)
{
    struct untorn_transaction *save;
    char key[] = "a", value[] = "2", first[] = "b", second[] = "c";
    const char *segments[] = {first, second};
    put("x.json", "{\"a\": 1}\n");
    put("y.toml", "# kept\na = 1\n");
    struct untorn_edit edits[] = {set(key, value),
                                  {.kind = UNTORN_SET,
                                   .segments = segments,
                                   .segment_count = 2,
                                   .value = value,
                                   .value_size = 1}};
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_edit(save, "x.json", edits, 2, NULL, NULL, &error), 0);
    CHECK_INT(untorn_transaction_edit(save, "y.toml", edits, 1, NULL, NULL, &error), 0);
    *key = *value = *first = *second = '?'; /* all is copied */
    segments[0] = segments[1] = NULL;
    CHECK_TEXT(text_of("y.toml"), "# kept\na = 1\n");
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK_TEXT(text_of("x.json"), "{\"a\": 2, \"b\": {\"c\": 2}}\n");
    CHECK_TEXT(text_of("y.toml"), "# kept\na = 2\n");
    untorn_transaction_free(save);
}

TEST(an_edit_that_cannot_be_done_says_why_and_nothing_changes)
{
    struct untorn_transaction *save;
    struct untorn_edit unset = {.kind = UNTORN_UNSET, .key = "none"};
    put("x.json", "{\"a\": 1}\n");
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, "other", "new", 3, NULL, &error), 0);
    CHECK_INT(untorn_transaction_edit(save, "x.json", &unset, 1, NULL, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), -UNTORN_NO_KEY);
    CHECK_TEXT(error.path, "x.json");
    CHECK(!exists("other"));
    untorn_transaction_free(save);
}

TEST(a_name_that_tells_no_format_needs_one)
{
    struct untorn_transaction *save;
    struct untorn_edit edit = set("a", "1");
    struct untorn_edit_options how = {.format = UNTORN_JSON};
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_edit(save, "x", &edit, 1, NULL, NULL, &error),
              -UNTORN_UNKNOWN_FORMAT);
    CHECK_INT(untorn_transaction_edit(save, "x", &edit, 1, &how, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(save, &error), 0);
    CHECK(strstr(text_of("x"), "\"a\": 1"));
    CHECK_INT(untorn_transaction_edit(save, "x", &edit, 1, &how, NULL, &error), -UNTORN_INVALID);
    untorn_transaction_free(save);
}
