/* One value as a document of its own. */
#include "heap.h"

#include "text/parsed.h"
#include "text/single.h"

static struct untorn_error error;

/* There and back: the spelling, and the kind. */
static void check(enum untorn_format format, const char *document, const char *wanted,
                  enum untorn_kind kind)
{
    struct parsed parsed;
    struct flaw flaw;
    struct untorn_document *opened;
    const struct untorn_node *node;
    char *text;
    size_t size;
    CHECK_INT(parse(document, strlen(document), format, &parsed, &flaw), 0);
    CHECK(single_write(parsed.root->first, format, &text, &size));
    CHECK_TEXT(text, wanted);
    CHECK_INT(size, strlen(wanted));
    CHECK_INT(single_open(text, size, format, &opened, &node, &error), 0);
    CHECK_INT(untorn_node_kind(node), kind);
    CHECK(node_equal(node, parsed.root->first));
    untorn_document_free(opened);
    parsed_free(&parsed);
}

TEST(a_value_is_the_same_there_and_back)
{
    check(UNTORN_JSON, "{\"a\": \"x\\n\\udc80\"}", "\"x\\n\\udc80\"", UNTORN_STRING);
    check(UNTORN_JSON, "{\"a\": [1, {\"b\": null}]}", "[1,{\"b\":null}]", UNTORN_ARRAY);
    check(UNTORN_JSONC, "{\"a\": {/* c */ \"b\": 1.50,}}", "{\"b\":1.50}", UNTORN_OBJECT);
    check(UNTORN_TOML, "a = 1979-05-27", "value = 1979-05-27", UNTORN_DATE_LOCAL);
    check(UNTORN_TOML, "[a]\nb = 'x'\n[[a.c]]\nd = 1", "value = { b = 'x', c = [{ d = 1 }] }",
          UNTORN_OBJECT);
}

TEST(what_an_edit_would_put_there)
{
    struct untorn_edit edit = {.value = "12", .value_size = 2};
    char *text;
    size_t size;
    CHECK_INT(single_of_edit(&edit, UNTORN_JSON, &text, &size, &error), 0);
    CHECK_TEXT(text, "12");
    free(text);
    edit.syntax = UNTORN_AS_STRING;
    CHECK_INT(single_of_edit(&edit, UNTORN_TOML, &text, &size, &error), 0);
    CHECK_TEXT(text, "value = \"12\"");
    free(text);
    edit.syntax = UNTORN_AS_JSON;
    edit.value = "nu";
    CHECK_INT(single_of_edit(&edit, UNTORN_JSON, &text, &size, &error), -UNTORN_INVALID);
    CHECK(text == NULL);
    edit = (struct untorn_edit){.value = "null", .value_size = 4, .syntax = UNTORN_AS_JSON};
    CHECK_INT(single_of_edit(&edit, UNTORN_TOML, &text, &size, &error), -UNTORN_TYPE);
}

TEST(what_is_no_single_value_is_refused)
{
    struct untorn_document *document;
    const struct untorn_node *node;
    CHECK(single_open(strdup("{"), 1, UNTORN_JSON, &document, &node, &error) < 0);
    CHECK(single_open(strdup("other = 1"), 9, UNTORN_TOML, &document, &node, &error) < 0);
    CHECK(document == NULL && node == NULL);
}

TEST(each_allocation_may_fail)
{
    struct untorn_edit edit = {.value = "[1]", .value_size = 3, .syntax = UNTORN_AS_JSON};
    bool failed = true;
    heap_needed();
    for (int nth = 1; failed; nth++) {
        struct untorn_document *document = NULL;
        const struct untorn_node *node;
        char *text;
        size_t size;
        long before = heap.live;
        heap_fail(nth);
        int rc = single_of_edit(&edit, UNTORN_TOML, &text, &size, &error);
        if (rc == 0)
            rc = single_open(text, size, UNTORN_TOML, &document, &node, &error);
        failed = heap_failed();
        CHECK_INT(rc, failed ? -UNTORN_NO_MEMORY : 0);
        untorn_document_free(document);
        CHECK_INT(heap.live, before);
    }
}
