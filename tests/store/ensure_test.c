/* Get or create: by a value, and by functions that run inside the lock. */
#include "heap.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static const struct untorn_options no_flush = {.level = UNTORN_CACHE};
static struct untorn_error error;
static struct untorn_document *document;
static const struct untorn_node *node;

static int ensure_as(const char *path, const char *key, const char *value,
                     enum untorn_syntax syntax)
{
    struct untorn_edit edit = {
        .key = key, .value = value, .value_size = strlen(value), .syntax = syntax};
    untorn_document_free(document);
    int rc = untorn_ensure(path, &edit, NULL, &no_flush, &document, &node, &error);
    CHECK((rc == 0) == (document != NULL) && (rc == 0) == (node != NULL));
    return rc;
}

static int ensure(const char *path, const char *key, const char *value)
{
    return ensure_as(path, key, value, UNTORN_PLAIN);
}

static const char *text(void)
{
    return node ? untorn_node_text(node, NULL) : NULL;
}

TEST(the_first_creates_it_and_the_next_find_it)
{
    static const char *const files[] = {"a.json", "a.jsonc", "a.toml"};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(ensure(files[i], "s.k", "one"), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
        CHECK_TEXT(text(), "one");
        CHECK_INT(ensure(files[i], "s.k", "two"), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
        CHECK_TEXT(text(), "one");
        CHECK_INT(ensure(files[i], "s.other", "2"), 0);
        CHECK_INT(error.flags & (UNTORN_FLAG_UNCHANGED | UNTORN_FLAG_CREATED), 0);
        CHECK_INT(untorn_node_kind(node), UNTORN_INTEGER);
    }
    CHECK_TEXT(text_of("a.toml"), "[s]\nk = \"one\"\nother = 2\n");
}

TEST(what_is_there_is_left_alone_whatever_it_is)
{
    put("a.json", "{\"n\": null, \"o\": {\"x\": [1, 2.50]}, \"f\": 0.10}");
    struct stat before = stat_of("a.json");
    CHECK_INT(ensure("a.json", "n", "1"), 0);
    CHECK_INT(untorn_node_kind(node), UNTORN_NULL);
    CHECK_INT(ensure("a.json", "f", "x"), 0);
    CHECK_TEXT(text(), "0.10");
    CHECK_INT(ensure("a.json", "o", "1"), 0);
    CHECK_INT(untorn_node_count(untorn_node_first(node)), 2);
    CHECK_INT(ensure("a.json", "o.x[1]", "1"), 0);
    CHECK_TEXT(text(), "2.50");
    CHECK_INT(stat_of("a.json").st_ino, before.st_ino);
    put("a.toml", "d = 1979-05-27 # day\n[t]\nx = 0xff\n");
    CHECK_INT(ensure("a.toml", "d", "1"), 0);
    CHECK_INT(untorn_node_kind(node), UNTORN_DATE_LOCAL);
    CHECK_INT(ensure("a.toml", "t", "1"), 0);
    CHECK_TEXT(untorn_node_text(untorn_node_first(node), NULL), "0xff");
}

TEST(it_fails_as_an_edit_does)
{
    put("a.json", "{\"a\": 1, \"l\": []}");
    CHECK_INT(ensure("a.json", "a.b", "1"), -UNTORN_NO_KEY);
    CHECK_INT(ensure("a.json", "l[+]", "1"), -UNTORN_INVALID);
    CHECK_INT(ensure("a.json", "/l/-", "1"), -UNTORN_INVALID);
    CHECK_INT(ensure("a.json", "x[+]", "1"), -UNTORN_INVALID);
    CHECK_INT(ensure("a.json", "/x/y", "1"), -UNTORN_NO_KEY);
    CHECK_INT(ensure_as("a.json", "a", "{", UNTORN_AS_JSON), -UNTORN_INVALID);
    CHECK_INT(ensure_as("a.json", "b", "\xff", UNTORN_AS_STRING), -UNTORN_INVALID);
    CHECK(strstr(error.detail, "%25") != NULL);
    CHECK_INT(ensure("a.txt", "a", "1"), -UNTORN_UNKNOWN_FORMAT);
    CHECK_INT(ensure("none/a.json", "a", "1"), -UNTORN_MISSING);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1, \"l\": []}");
    CHECK_INT(ensure_as("a.toml", "b", "null", UNTORN_AS_JSON), -UNTORN_TYPE);
    CHECK(!exists("a.toml"));
}

TEST(what_does_not_parse_is_never_replaced)
{
    static const char *const damaged[] = {"", "{\"a\": ", "{}{}"};
    for (int i = 0; i < 3; i++) {
        put("a.json", damaged[i]);
        CHECK_INT(ensure("a.json", "a", "1"), -UNTORN_DAMAGED);
        CHECK_TEXT(text_of("a.json"), damaged[i]);
    }
}

TEST(a_key_is_what_it_is_and_a_value_may_be_long)
{
    static char large[5000];
    const char *const segments[] = {"/srv/a.b c/\"'\\", "\xc3\xa9"};
    memset(large, 'x', sizeof large - 1);
    struct untorn_edit edit = {
        .segments = segments, .segment_count = 2, .value = large, .value_size = sizeof large - 1};
    for (int i = 0; i < 2; i++) {
        untorn_document_free(document);
        CHECK_INT(untorn_ensure("a.json", &edit, NULL, &no_flush, &document, &node, &error), 0);
        CHECK_TEXT(text(), large);
    }
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
}

/* As in a tree, and read piece by piece. */
TEST(a_large_file_is_no_different)
{
    enum { SMALL = 100 * 1000, MIDDLE = 1000 * 1000, LARGE = 9 * 1000 * 1000 };
    static const size_t sizes[] = {SMALL, MIDDLE, LARGE};
    for (int i = 0; i < 3; i++) {
        char *old = malloc(LARGE + 100);
        size_t used = (size_t)sprintf(old, "{");
        for (int k = 0; used < sizes[i]; k++)
            used += (size_t)sprintf(old + used, "%s\n  \"key-%d\": \"value\"", k ? "," : "", k);
        strcpy(old + used, "\n}\n");
        put("a.json", old);
        CHECK_INT(ensure("a.json", "key-7", "x"), 0);
        CHECK_TEXT(text(), "value");
        CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
        CHECK_INT(ensure_as("a.json", "key-7", "{", UNTORN_AS_JSON), -UNTORN_INVALID);
        CHECK_INT(ensure("a.json", "new", "x"), 0);
        CHECK_INT(error.flags & UNTORN_FLAG_UNCHANGED, 0);
        CHECK_TEXT(text(), "x");
        strcpy(old + used, ",\n  \"new\": \"x\"\n}\n");
        struct untorn_content now;
        CHECK_INT(untorn_read("a.json", NULL, &now, NULL), 0);
        CHECK(strcmp(now.data, old) == 0);
        untorn_content_free(&now);
        CHECK_INT(ensure("a.json", "new", "y"), 0);
        CHECK_TEXT(text(), "x");
        free(old);
    }
}

TEST(in_a_transaction_it_is_what_the_file_will_have)
{
    struct untorn_transaction *transaction;
    struct untorn_edit edits[] = {
        {.kind = UNTORN_ENSURE, .key = "a", .value = "2", .value_size = 1},
        {.kind = UNTORN_ENSURE, .key = "b", .value = "3", .value_size = 1},
    };
    put("a.json", "{\"a\": 1}");
    CHECK_INT(untorn_transaction_begin(&no_flush, &transaction, &error), 0);
    CHECK_INT(untorn_transaction_edit(transaction, "a.json", edits, 2, NULL, NULL, &error), 0);
    CHECK_INT(ensure("a.json", "b", "9"), 0);
    CHECK_TEXT(text(), "3");
    CHECK_INT(ensure("a.json", "c", "9"), 0);
    CHECK_TEXT(text(), "9");
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1}");
    CHECK_INT(untorn_transaction_commit(transaction, &error), 0);
    untorn_transaction_free(transaction);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1, \"b\": 3, \"c\": 9}");
}

TEST(bytes_can_be_ensured_too)
{
    struct untorn_document *held;
    struct untorn_edit edit = {.kind = UNTORN_ENSURE, .key = "a", .value = "2", .value_size = 1};
    CHECK_INT(untorn_document_parse("b = 1\n", 6, UNTORN_TOML, &held, &error), 0);
    CHECK_INT(untorn_document_edit(held, &edit, 1, &error), 0);
    edit.value = "3";
    CHECK_INT(untorn_document_edit(held, &edit, 1, &error), 0);
    CHECK_TEXT(untorn_document_text(held, NULL), "b = 1\na = 2\n");
    untorn_document_free(held);
}

/* ---- by functions ---- */

struct calls {
    int valid, created, fails;
    bool nests;
};

static bool is_valid(void *context, const struct untorn_node *there)
{
    ((struct calls *)context)->valid++;
    return exists(untorn_node_text(there, NULL));
}

/* Makes the folder that the value names. */
static int create(void *context, const struct untorn_node *old, struct untorn_change *value)
{
    struct calls *calls = context;
    char name[32];
    int size = snprintf(name, sizeof name, "folder-%d", ++calls->created);
    if (calls->fails)
        return calls->fails;
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "count", .value = "1", .value_size = 1};
    if (calls->nests) { /* the same file, and one beside it */
        CHECK_INT(untorn_edit("a.json", &edit, 1, NULL, &no_flush, NULL), 0);
        CHECK_INT(untorn_edit("b.json", &edit, 1, NULL, &no_flush, NULL), 0);
    }
    CHECK(old == NULL || untorn_node_kind(old) == UNTORN_STRING);
    CHECK(mkdir(name, 0700) == 0);
    return untorn_change_set(value, name, (size_t)size);
}

static int ensure_with(struct calls *calls)
{
    struct untorn_maker maker = {is_valid, create, calls};
    struct untorn_edit edit = {.key = "k", .syntax = UNTORN_AS_STRING};
    untorn_document_free(document);
    int rc = untorn_ensure_with("a.json", &edit, &maker, NULL, &no_flush, &document, &node, &error);
    CHECK((rc == 0) == (node != NULL));
    return rc;
}

TEST(what_is_not_valid_is_created_anew)
{
    struct calls calls = {0};
    CHECK_INT(ensure_with(&calls), 0);
    CHECK_TEXT(text(), "folder-1");
    CHECK_INT(calls.valid, 0);
    CHECK_INT(ensure_with(&calls), 0);
    CHECK_TEXT(text(), "folder-1");
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(calls.valid, 1);
    CHECK(rmdir("folder-1") == 0);
    CHECK_INT(ensure_with(&calls), 0);
    CHECK_TEXT(text(), "folder-2");
    CHECK(exists("folder-2"));
    CHECK_TEXT(text_of("a.json"), "{\n  \"k\": \"folder-2\"\n}\n");
}

TEST(a_create_that_fails_changes_nothing)
{
    struct calls calls = {.fails = ENOSPC};
    CHECK_INT(ensure_with(&calls), -UNTORN_REFUSED);
    CHECK_INT(error.os_error, ENOSPC);
    CHECK(!exists("a.json"));
    put("a.json", "{\"k\": ");
    CHECK_INT(ensure_with(&calls), -UNTORN_DAMAGED);
    CHECK_INT(calls.created, 1);
    put("a.json", "{\"k\": \"gone\"}");
    CHECK_INT(ensure_with(&calls), -UNTORN_REFUSED);
    CHECK_TEXT(text_of("a.json"), "{\"k\": \"gone\"}");
}

TEST(functions_may_use_untorn_themselves)
{
    struct calls calls = {.nests = true};
    CHECK_INT(ensure_with(&calls), 0);
    CHECK_TEXT(text(), "folder-2"); /* what it did to the file itself made it begin anew */
    CHECK_TEXT(text_of("a.json"), "{\n  \"count\": 1,\n  \"k\": \"folder-2\"\n}\n");
}

static int create_nothing(void *context, const struct untorn_node *old, struct untorn_change *value)
{
    (void)context, (void)old, (void)value;
    return 0;
}

TEST(a_create_that_gives_nothing_is_told)
{
    struct untorn_maker maker = {.create = create_nothing};
    struct untorn_edit edit = {.key = "k"};
    CHECK_INT(untorn_ensure_with("a.json", &edit, &maker, NULL, NULL, &document, &node, &error),
              -UNTORN_INVALID);
    CHECK(!exists("a.json"));
}

/* ---- many at once ---- */

TEST(of_many_one_creates_it)
{
    enum { MANY = 16 };
    int gate[2], told[2];
    char uuid[UNTORN_UUID_SIZE], first[UNTORN_UUID_SIZE] = "", byte;
    CHECK(pipe(gate) == 0 && pipe(told) == 0);
    for (int i = 0; i < MANY; i++) {
        if (fork() != 0)
            continue;
        close(gate[1]);
        (void)!read(gate[0], &byte, 1);
        CHECK_INT(untorn_uuid(uuid), 0);
        int rc = ensure_as("a.json", "k", uuid, UNTORN_AS_STRING);
        if (rc == 0 && write(told[1], text(), UNTORN_UUID_SIZE) == UNTORN_UUID_SIZE)
            _exit(0);
        _exit(1);
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(read(told[0], uuid, sizeof uuid), sizeof uuid);
        CHECK_TEXT(uuid, i == 0 ? uuid : first);
        memcpy(first, uuid, sizeof first);
    }
    int status;
    while (wait(&status) > 0)
        CHECK_INT(status, 0);
}

/* While the lock is taken: others' edits are made by whoever gets it first, and long values do not
 * come back with the answer. */
TEST(who_waits_is_told_too)
{
    enum { MANY = 8, LONG = 900 };
    struct untorn_lock *lock;
    char value[LONG + 1], first[LONG + 1] = "", values[2 * MANY][LONG + 1];
    int told[2], status;
    CHECK(pipe(told) == 0);
    CHECK_INT(untorn_lock("a.json", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    for (int i = 0; i < 2 * MANY; i++) {
        if (fork() != 0)
            continue;
        memset(value, 'a' + i, LONG);
        value[i % 2 ? LONG : 10] = '\0';
        int rc = ensure("a.json", i % 2 ? "long" : "short", value);
        memset(value, 0, sizeof value);
        if (rc == 0)
            strcpy(value, text());
        _exit(write(told[1], value, sizeof value) == sizeof value ? 0 : 1);
    }
    usleep(100 * 1000);
    untorn_unlock(lock);
    for (int i = 0; i < 2 * MANY; i++)
        CHECK_INT(read(told[0], values[i], LONG + 1), LONG + 1);
    while (wait(&status) > 0)
        CHECK_INT(status, 0);
    CHECK_INT(ensure("a.json", "long", "none"), 0);
    strcpy(first, text());
    CHECK_INT(ensure("a.json", "short", "none"), 0);
    for (int i = 0; i < 2 * MANY; i++)
        CHECK_TEXT(values[i], strlen(values[i]) == LONG ? first : text());
}

/* Nothing has changed if it says that it failed. */
TEST(each_allocation_may_fail)
{
    static const char *const values[] = {"1", "[1, {\"a\": 2}]"};
    struct calls calls = {0};
    heap_needed();
    for (int way = 0; way < 4; way++) {
        bool failed = true;
        for (int nth = 1; failed; nth++) {
            if (way % 2 == 0)
                unlink("a.json");
            else
                put("a.json", "{\"k\": \"a.json\"}");
            calls.created = way * 1000 + nth;
            heap_fail(nth);
            int rc = way < 2 ? ensure_as("a.json", "k", values[nth % 2], UNTORN_AS_JSON)
                             : ensure_with(&calls);
            failed = heap_failed();
            CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY || rc == -UNTORN_REFUSED);
            if (way % 2 == 0)
                CHECK_INT(exists("a.json"), rc == 0);
            else
                CHECK_TEXT(text_of("a.json"), "{\"k\": \"a.json\"}");
        }
    }
}
