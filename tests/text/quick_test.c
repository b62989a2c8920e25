/* The quick way gives the bytes that the general way gives, or leaves the edit to it. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text/document.h"
#include "text/keypath.h"
#include "text/quick.h"
#include "text/suites.h"

static int taken, left;

/* Runs the edit both ways; whether the quick one took it. */
static bool both(const char *text, size_t size, enum untorn_format format, const char *key,
                 const char *value, enum untorn_syntax syntax)
{
    struct untorn_edit edit = {.kind = UNTORN_SET,
                               .key = key,
                               .value = value,
                               .value_size = strlen(value),
                               .syntax = syntax};
    struct untorn_error error;
    char *quick, *general;
    size_t quick_size, general_size;
    error_begin(&error, NULL, "f");
    bool took = quick_set(text, size, format, &edit, &quick, &quick_size);
    int rc =
        document_edit_planned(text, size, format, NULL, &edit, 1, &general, &general_size, &error);
    if (took) {
        CHECK_INT(rc, 0);
        CHECK_INT(quick_size, general_size);
        CHECK_INT(memcmp(quick, general, general_size), 0);
        CHECK_INT(quick[quick_size], '\0');
        free(quick);
    }
    free(general);
    taken += took;
    left += !took;
    return took;
}

static bool toml(const char *text, const char *key, const char *value, enum untorn_syntax syntax)
{
    return both(text, strlen(text), UNTORN_TOML, key, value, syntax);
}

static const char sample[] = "# head\n"
                             "title = 'it is' # here\n"
                             "a.\"b c\".d = 0x10\n"
                             "when = 1979-05-27\r\n"
                             "point = {x = 1, y = [1, 2]}\n"
                             "list = [1, {z = 1}]\n"
                             "\n"
                             "[server.\"\\u0061lpha\"]\n"
                             "  port=80\n"
                             "\n"
                             "[[job]]\n"
                             "name = \"one\"\n"
                             "[[job]]\n"
                             "name = \"two\"\n"
                             "[last]\n"
                             "f = 1.5";

/* [QUICK-1] [QUICK-2] */
TEST(scalars_of_tables_are_replaced_as_the_general_way_does_it)
{
    CHECK(toml(sample, "title", "it's", UNTORN_PLAIN));
    CHECK(toml(sample, "title", "plain", UNTORN_PLAIN));
    CHECK(toml(sample, "title", "7", UNTORN_AS_TOML));
    CHECK(toml(sample, "a.\"b c\".d", "17", UNTORN_PLAIN));
    CHECK(toml(sample, "when", "1980-01-01", UNTORN_PLAIN));
    CHECK(toml(sample, "when", "07:32:00", UNTORN_AS_TOML));
    CHECK(toml(sample, "point.x", "2", UNTORN_PLAIN));
    CHECK(toml(sample, "server.alpha.port", "8080", UNTORN_PLAIN));
    CHECK(toml(sample, "/server/alpha/port", "8080", UNTORN_PLAIN));
    CHECK(toml(sample, "last.f", "2", UNTORN_PLAIN));
    CHECK(toml(sample, "last.f", "inf", UNTORN_AS_TOML));
    CHECK(toml(sample, "last.f", "1.5", UNTORN_PLAIN)); /* is there already */
    CHECK(toml("a = \"\"\"\nx\n\"\"\"\n", "a", "y\nz", UNTORN_PLAIN));
    CHECK(toml("\xef\xbb\xbf"
               "a = 1\n",
               "a", "2", UNTORN_PLAIN));
}

TEST(what_is_no_plain_case_is_left)
{
    CHECK(!toml(sample, "missing", "1", UNTORN_PLAIN));
    CHECK(!toml(sample, "job[0].name", "x", UNTORN_PLAIN));
    CHECK(!toml(sample, "job[1].name", "x", UNTORN_PLAIN));
    CHECK(!toml(sample, "list[0]", "2", UNTORN_PLAIN));
    CHECK(!toml(sample, "point.y[0]", "2", UNTORN_PLAIN));
    CHECK(!toml(sample, "list[1].z", "2", UNTORN_PLAIN));
    CHECK(!toml(sample, "point", "1", UNTORN_AS_TOML));
    CHECK(!toml(sample, "server", "1", UNTORN_AS_TOML));
    CHECK(!toml(sample, "title", "{a = 1}", UNTORN_AS_TOML));
    CHECK(!toml(sample, "last.f", "text", UNTORN_PLAIN));
    CHECK(!toml(sample, "last.f", "null", UNTORN_AS_JSON));
    CHECK(!toml(sample, "last..f", "1", UNTORN_PLAIN));
    CHECK(!toml("a = 1\na = 2\n", "a", "3", UNTORN_PLAIN));
    CHECK(!toml("a = 1\nb = \n", "a", "3", UNTORN_PLAIN));
    CHECK(!toml("a.b = 1\n\"a.b\" = 2\n", "a.b", "3", UNTORN_PLAIN));
    CHECK(both("{\"a\": 1}", 8, UNTORN_JSON, "a", "2", UNTORN_PLAIN));
    CHECK(both("{\"a\": 1}", 8, UNTORN_JSON, "a", "1", UNTORN_PLAIN));
    CHECK(both("{\"a\": 1}", 8, UNTORN_JSON, "a", "\"\\u00e9\\/\"", UNTORN_AS_JSON));
    CHECK(!both("{\"a\": 1}", 8, UNTORN_JSON, "b", "2", UNTORN_PLAIN));
}

static const struct untorn_node *after(const struct untorn_node *node)
{
    if (node->first)
        return node->first;
    while (node && !node->next)
        node = node->parent;
    return node ? node->next : NULL;
}

/* Sets every value of the document, in several ways. */
static void set_all(const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed;
    struct flaw flaw;
    struct arena arena = {0};
    if (parse(text, size, format, &parsed, &flaw) < 0)
        return;
    for (const struct untorn_node *node = parsed.root; node; node = after(node)) {
        const char *key = keypath_of_node(node, false, &arena);
        CHECK(key);
        if (!*key)
            continue;
        both(text, size, format, key, "12", UNTORN_PLAIN);
        both(text, size, format, key, "a 'b' \"c\" \\", UNTORN_AS_STRING);
        both(text, size, format, key, "true", UNTORN_AS_JSON);
    }
    parsed_free(&parsed);
    arena_free(&arena);
}

static void set_all_of_file(const char *path, enum untorn_format format)
{
    size_t size;
    char *text = suite_read(path, &size);
    CHECK(text);
    if (size < 20000)
        set_all(text, size, format);
    free(text);
}

TEST(every_value_of_every_document_of_toml_test)
{
    char path[1024], name[512];
    FILE *list = fopen(suite_path("toml-test/tests/files-toml-1.1.0"), "r");
    if (!list)
        suite_missing("toml-test");
    taken = left = 0;
    while (fgets(name, sizeof name, list)) {
        name[strcspn(name, "\r\n")] = '\0';
        if (strncmp(name, "valid/", 6) != 0 || !strstr(name, ".toml"))
            continue;
        snprintf(path, sizeof path, "toml-test/tests/%s", name);
        set_all_of_file(path, UNTORN_TOML);
    }
    fclose(list);
    CHECK(taken > 500 && left > 100); /* both ways are gone */
}

static const char *walked;
static enum untorn_format walked_format;

/* For want of memory the edit is left to the general way. */
static bool set_walked(void)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "a.b", .value = "x", .value_size = 1};
    char *text;
    size_t size;
    if (!quick_set(walked, strlen(walked), walked_format, &edit, &text, &size))
        return false;
    CHECK_INT(size, strlen(walked));
    free(text);
    return true;
}

TEST(wherever_memory_runs_out_nothing_is_lost)
{
    walked = "[a]\n\"\\u0062\" = 'y'\n[[c]]\n[[c]]\n";
    walked_format = UNTORN_TOML;
    CHECK(heap_walk(set_walked) > 5);
    walked = "{\"a\": {\"\\u0062\": \"y\"}}";
    walked_format = UNTORN_JSON;
    CHECK(heap_walk(set_walked) > 5);
}
