/* A document loaded, changed and saved as a whole. */
#include "heap.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static const struct untorn_options no_flush = {.level = UNTORN_CACHE};
static struct untorn_error error;
static struct untorn_store store;

static int load(const char *path, const char *fallback)
{
    untorn_store_free(&store);
    return untorn_store_load(path, fallback, NULL, NULL, &store, &error);
}

static int set(struct untorn_document *document, const char *key, const char *value)
{
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = value, .value_size = strlen(value)};
    return untorn_document_edit(document, &edit, 1, &error);
}

static const char *text(void)
{
    return untorn_document_text(store.document, NULL);
}

TEST(what_is_missing_is_the_default)
{
    CHECK_INT(load("a.json", "{\"v\": 1}"), 0);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK(!store.exists);
    CHECK_TEXT(text(), "{\"v\": 1}");
    CHECK(!exists("a.json"));
    CHECK_INT(load("a.toml", NULL), 0);
    CHECK_TEXT(text(), "");
    CHECK_INT(load("a.json", "{"), -UNTORN_INVALID);
    CHECK(store.document == NULL);
    CHECK_INT(load("a.text", NULL), -UNTORN_UNKNOWN_FORMAT);
}

TEST(what_is_damaged_is_not_the_default)
{
    static const char *const damaged[] = {"", "{\"a\": ", "{}{}"};
    for (int i = 0; i < 3; i++) {
        put("a.json", damaged[i]);
        CHECK_INT(load("a.json", "{}"), -UNTORN_DAMAGED);
        CHECK(store.document == NULL);
        CHECK_TEXT(error.path, "a.json");
    }
}

TEST(it_is_saved_if_nobody_else_did)
{
    CHECK_INT(load("a.json", NULL), 0);
    CHECK_INT(set(store.document, "a", "1"), 0);
    CHECK_INT(untorn_store_save("a.json", &store, &no_flush, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_INT(set(store.document, "a", "2"), 0);
    CHECK_INT(untorn_store_save("a.json", &store, &no_flush, &error), 0);
    CHECK_TEXT(text_of("a.json"), text());
    CHECK_INT(untorn_store_save("a.json", &store, &no_flush, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    put("a.json", "{\"b\": 1}");
    CHECK_INT(set(store.document, "a", "3"), 0);
    CHECK_INT(untorn_store_save("a.json", &store, &no_flush, &error), -UNTORN_CHANGED);
    CHECK_TEXT(text_of("a.json"), "{\"b\": 1}");
    CHECK_INT(load("b.json", NULL), 0);
    put("b.json", "{}");
    CHECK_INT(untorn_store_save("b.json", &store, &no_flush, &error), -UNTORN_EXISTS);
}

static int add(void *context, struct untorn_document *document)
{
    const char *value = context;
    return value ? set(document, "n", value) : 0;
}

static int refuse(void *context, struct untorn_document *document)
{
    (void)context;
    CHECK_INT(set(document, "n", "5"), 0);
    return 77;
}

static int update(untorn_store_function *function, const char *value)
{
    return untorn_store_update("a.json", "{\"v\": 1}", function, (void *)value, NULL, &no_flush,
                               &error);
}

TEST(an_update_is_under_one_lock)
{
    CHECK_INT(update(add, NULL), 0);
    CHECK(!exists("a.json"));
    CHECK_INT(update(add, "7"), 0);
    CHECK_TEXT(text_of("a.json"), "{\"v\": 1, \"n\": 7}");
    CHECK_INT(update(add, "7"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(update(refuse, NULL), -UNTORN_REFUSED);
    CHECK_INT(error.os_error, 77);
    put("a.json", "{");
    CHECK_INT(update(add, "8"), -UNTORN_DAMAGED);
    CHECK_TEXT(text_of("a.json"), "{");
}

TEST(each_allocation_may_fail)
{
    heap_needed();
    bool failed = true;
    for (int nth = 1; failed; nth++) {
        unlink("a.json");
        heap_fail(nth);
        int rc = load("a.json", NULL);
        if (rc == 0)
            rc = untorn_store_save("a.json", &store, &no_flush, &error);
        if (rc == 0)
            rc = update(add, "9");
        failed = heap_failed();
        CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY || rc == -UNTORN_REFUSED); /* by add */
    }
    CHECK_TEXT(text_of("a.json"), "{\n  \"n\": 9\n}\n");
}
