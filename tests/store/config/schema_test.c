/* The schema of a configuration: what it may say, what it allows. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/support.h"
#include "store/config/schema.h"

static struct untorn_error error;

#define SCHEMA                                                                                     \
    "[[key]]\nname = \"server.port\"\ntype = \"integer\"\ndefault = 80\nmin = 1\nmax = 65535\n"    \
    "[[key]]\nname = \"server.host\"\ntype = \"string\"\nenv = \"HOST\"\n"                         \
    "[[key]]\nname = \"log\"\nvalues = [\"a\", \"b\", \"c\"]\n"                                    \
    "[[key]]\nname = \"ratio\"\ntype = \"float\"\nmin = 0.5\n"                                     \
    "[[key]]\nname = \"tags\"\ntype = \"array\"\nof = \"string\"\n"                                \
    "[[key]]\nname = \"when\"\ntype = \"datetime\"\n"                                              \
    "[[key]]\nname = \"free\"\ntype = \"table\"\n"                                                 \
    "[[key]]\nname = \"free.count\"\ntype = \"integer\"\n"                                         \
    "[[key]]\nname = 'map.\"a.b\"'\ntype = \"boolean\"\nscopes = [\"global\", \"local\"]\n"        \
    "secret = true\ndescription = \"dots\"\n"

static struct schema open_schema(const char *text)
{
    struct schema schema = {0};
    int rc = schema_open(&schema, NULL, text, &error);
    if (rc != 0)
        fprintf(stderr, "%s\n", error.detail);
    CHECK_INT(rc, 0);
    return schema;
}

static struct schema_place at(const struct schema *schema, const char *const *steps)
{
    struct schema_place place = schema_root(schema);
    for (; *steps; steps++)
        place = schema_enter(&place, *steps, strlen(*steps));
    return place;
}
#define AT(schema, ...) at(schema, (const char *const[]){__VA_ARGS__, NULL})

/* What the schema says about a value at a place; "" if nothing. Borrowed until the next call. */
static const char *says(struct schema_place place, const char *value)
{
    static char why[SCHEMA_WHY];
    char text[256];
    struct untorn_document *document;
    snprintf(text, sizeof text, "x = %s\n", value);
    CHECK_INT(untorn_document_parse(text, strlen(text), UNTORN_TOML, &document, &error), 0);
    if (schema_allows(&place, untorn_document_find(document, "x", NULL), why))
        why[0] = '\0';
    untorn_document_free(document);
    return why;
}

TEST(keys_are_found_step_by_step)
{
    struct schema schema = open_schema(SCHEMA);
    CHECK_INT(schema.count, 9);
    CHECK_TEXT(AT(&schema, "server", "port").key->name, "server.port");
    CHECK_TEXT(AT(&schema, "map", "a.b").key->description, "dots");
    CHECK(AT(&schema, "map", "a.b").key->secret);
    CHECK(!AT(&schema, "server").key);
    CHECK(!AT(&schema, "server", "por").key);
    CHECK(!AT(&schema, "server", "portx").key);
    CHECK(!AT(&schema, "map", "a", "b").key);
    struct schema_place place = AT(&schema, "server", "prt");
    CHECK(!schema_governs(&place));
    place = AT(&schema, "free", "anything", "deep");
    CHECK_TEXT(schema_governs(&place)->name, "free");
    place = AT(&schema, "free", "count");
    CHECK_TEXT(schema_governs(&place)->name, "free.count");
    schema_close(&schema);
}

TEST(values_are_held_against_type_range_and_list)
{
    struct schema schema = open_schema(SCHEMA);
    struct schema_place port = AT(&schema, "server", "port");
    CHECK_TEXT(says(port, "1"), "");
    CHECK_TEXT(says(port, "65535"), "");
    CHECK_TEXT(says(port, "0"), "must be at least 1");
    CHECK_TEXT(says(port, "65536"), "must be at most 65535");
    CHECK_TEXT(says(port, "'80'"), "must be an integer, not a string");
    CHECK_TEXT(says(port, "1.0"), "must be an integer, not a float");
    CHECK_TEXT(says(AT(&schema, "log"), "'b'"), "");
    CHECK_TEXT(says(AT(&schema, "log"), "'d'"), "must be a, b or c");
    CHECK_TEXT(says(AT(&schema, "ratio"), "1"), "");
    CHECK_TEXT(says(AT(&schema, "ratio"), "0.25"), "must be at least 0.5");
    CHECK_TEXT(says(AT(&schema, "when"), "1979-05-27"), "");
    CHECK_TEXT(says(AT(&schema, "when"), "07:32:00"), "");
    CHECK_TEXT(says(AT(&schema, "tags"), "['a', 'b']"), "");
    CHECK_TEXT(says(AT(&schema, "tags"), "['a', 1]"),
               "has an element that must be a string, not an integer");
    CHECK_TEXT(says(AT(&schema, "free", "x"), "[1]"), "");
    CHECK_TEXT(says(AT(&schema, "free", "count"), "'x'"), "must be an integer, not a string");
    CHECK_TEXT(says(AT(&schema, "free"), "1"), "must be a table, not an integer");
    schema_close(&schema);
}

TEST(what_is_not_known_is_told_and_the_nearest_suggested)
{
    struct schema schema = open_schema(SCHEMA);
    CHECK_TEXT(says(AT(&schema, "sever"), "1"), "is not a key that the schema knows");
    CHECK_TEXT(says(AT(&schema, "server"), "1"), "must be a table");
    CHECK_TEXT(says(AT(&schema, "server", "port", "x"), "1"),
               "is below server.port, which must be an integer");
    CHECK_TEXT(schema_nearest(&schema, "sever.port"), "server.port");
    CHECK(!schema_nearest(&schema, "colour"));
    schema_close(&schema);
}

TEST(a_scope_that_is_not_the_keys_is_told)
{
    struct schema schema = open_schema(SCHEMA);
    char why[SCHEMA_WHY];
    const struct schema_key *key = AT(&schema, "map", "a.b").key;
    CHECK(schema_allows_scope(key, UNTORN_SCOPE_GLOBAL, why));
    CHECK(!schema_allows_scope(key, UNTORN_SCOPE_PROJECT, why));
    CHECK_TEXT(why, "may not be set in the scope project (only: global, local)");
    CHECK(schema_allows_scope(NULL, UNTORN_SCOPE_PROJECT, why));
    schema_close(&schema);
}

TEST(without_a_schema_everything_is_allowed)
{
    struct schema schema = {0};
    CHECK_TEXT(says(AT(&schema, "a", "b"), "1"), "");
    schema_close(&schema);
}

TEST(variables_are_made_of_prefix_and_name)
{
    struct schema schema = open_schema("env_prefix = \"APP\"\n"
                                       "[[key]]\nname = \"a.b-c\"\n"
                                       "[[key]]\nname = \"d\"\nenv = \"OTHER\"\n"
                                       "[[key]]\nname = \"e\"\nenv = \"\"\n"
                                       "[[key]]\nname = \"f\"\nscopes = [\"global\"]\n");
    CHECK_TEXT(AT(&schema, "a", "b-c").key->variable, "APP_A_B_C");
    CHECK_TEXT(AT(&schema, "d").key->variable, "OTHER");
    CHECK(!AT(&schema, "e").key->variable);
    CHECK(!AT(&schema, "f").key->variable);
    schema_close(&schema);
}

/* [SCHEMA-1] [SCHEMA-2] */
TEST(a_schema_that_is_not_right_is_told_with_line_and_column)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"[[key]]\nname = \"a\"\ntype = \"int\"\n", "line 3, column 1: no type 'int'"},
        {"[[key]]\ntype = \"string\"\n", "line 2, column 1: a key without a name"},
        {"[[key]]\nname = \"a\"\ntype = 1\n", "line 3, column 1: type must be a string"},
        {"[[key]]\nname = \"a\\u0000\"\n", "line 2, column 1: name has a NUL in it"},
        {"[[key]]\nname = 1\n", "line 2, column 1: name must be a string"},
        {"[[key]]\nname = \"a..b\"\n", "line 2, column 1: 'a..b' is no dotted key"},
        {"[[key]]\nname = \"/a\"\n", "line 2, column 1: '/a' is no dotted key"},
        {"[[key]]\nname = \"a[0]\"\n", "line 2, column 1: 'a[0]' is no dotted key"},
        {"[[key]]\nname = \"\"\n", "line 2, column 1: '' is no dotted key"},
        {"[[key]]\nname = \"a\"\ntpye = \"string\"\n",
         "line 3, column 1: a key has no 'tpye' (did you mean type?)"},
        {"[[key]]\nname = \"a\"\nscopes = [\"globl\"]\n", "line 3, column 11: scopes are"},
        {"[[key]]\nname = \"a\"\nscopes = \"global\"\n",
         "line 3, column 1: scopes must be an array of scopes"},
        {"[[key]]\nname = \"a\"\nmin = 1\n", "line 3, column 1: a: min and max are for numbers"},
        {"[[key]]\nname = \"a\"\ntype = \"integer\"\nmax = \"9\"\n",
         "line 4, column 1: a: max must be a number"},
        {"[[key]]\nname = \"a\"\nsecret = 1\n", "line 3, column 1: secret must be true or false"},
        {"[[key]]\nname = \"a\"\nof = \"string\"\n",
         "line 2, column 1: a: only an array is of something"},
        {"[[key]]\nname = \"a\"\ntype = \"integer\"\ndefault = \"x\"\n",
         "line 4, column 1: a: its default must be an integer, not a string"},
        {"[[key]]\nname = \"a\"\ntype = \"integer\"\nmax = 3\ndefault = 4\n",
         "line 5, column 1: a: its default must be at most 3"},
        {"[[key]]\nname = \"a\"\ntype = \"integer\"\nvalues = [1, \"x\"]\n",
         "line 4, column 14: a: one of its values must be an integer, not a string"},
        {"[[key]]\nname = \"a\"\nenv = \"A=B\"\n", "line 3, column 1: a variable has no = "},
        {"[[key]]\nname = \"a\"\n[[key]]\nname = \"a\"\n", "line 4, column 1: a is there twice"},
        {"[[key]]\nname = \"a\"\ntype = \"string\"\n[[key]]\nname = \"a.b\"\n",
         "line 5, column 1: a.b is below a, which is no table"},
        {"[[key]]\nname = \"a\"\nenv = \"X\"\n[[key]]\nname = \"b\"\nenv = \"X\"\n",
         "line 5, column 1: a and b have one variable, X"},
        {"env_prefix = \"P\"\n[[key]]\nname = \"a.b_c\"\n[[key]]\nname = \"a_b.c\"\n",
         "line 5, column 1: a.b_c and a_b.c have one variable, P_A_B_C"},
        {"key = 1\n", "line 1, column 1: key must be tables: [[key]]"},
        {"key = [1]\n", "line 1, column 8: a key is a table: [[key]]"},
        {"keys = 1\n", "line 1, column 1: a schema has no 'keys'"},
        {"[[key]\n", "line 1, column 7"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct schema schema = {0};
        int rc = schema_open(&schema, NULL, wrong[i].text, &error);
        if (rc == 0 || strncmp(error.detail, wrong[i].says, strlen(wrong[i].says)) != 0)
            fprintf(stderr, "%s: %d %s\n", wrong[i].text, rc, error.detail);
        CHECK_INT(rc, -UNTORN_DAMAGED);
        CHECK_TEXT(error.path, "the schema");
        CHECK_INT(strncmp(error.detail, wrong[i].says, strlen(wrong[i].says)), 0);
        CHECK(!schema.document && !schema.keys);
    }
}

TEST(a_schema_is_read_from_its_file)
{
    struct schema schema = {0};
    put("s.toml", SCHEMA);
    CHECK_INT(schema_open(&schema, "s.toml", NULL, &error), 0);
    CHECK_TEXT(schema.path, "s.toml");
    schema_close(&schema);
    CHECK_INT(schema_open(&schema, "missing.toml", NULL, &error), -UNTORN_MISSING);
    CHECK_TEXT(error.path, "missing.toml");
    put("s.toml", "key = 1\n");
    CHECK_INT(schema_open(&schema, "s.toml", NULL, &error), -UNTORN_DAMAGED);
    CHECK_TEXT(error.path, "s.toml");
}

/* Whatever the text: an answer, and with every refusal a place. */
TEST(a_schema_of_random_changes_is_read_or_refused_with_its_place)
{
    char text[sizeof SCHEMA + 1];
    unsigned refused = 0;
    srand(7);
    for (int round = 0; round < 4000; round++) {
        struct schema schema = {0};
        memcpy(text, SCHEMA, sizeof SCHEMA);
        for (int i = rand() % 4; i >= 0; i--) {
            size_t from = (size_t)rand() % (sizeof SCHEMA - 1);
            static const char bytes[] = "\"'[]=.\n #a1-";
            text[from] = bytes[(size_t)rand() % (sizeof bytes - 1)];
        }
        int rc = schema_open(&schema, NULL, text, &error);
        CHECK(rc == 0 || rc == -UNTORN_DAMAGED);
        if (rc != 0) {
            refused++;
            CHECK_INT(strncmp(error.detail, "line ", 5), 0);
            CHECK(strstr(error.detail, ", column "));
        }
        schema_close(&schema);
    }
    CHECK(refused > 1000);
}

/* Ten thousand keys: found without looking at each. */
TEST(a_schema_of_many_keys_finds_every_one)
{
    enum { KEYS = 10000 };
    char *text = malloc(KEYS * 64 + 1), name[32];
    size_t used = 0;
    for (int i = 0; i < KEYS; i++)
        used += (size_t)sprintf(text + used, "[[key]]\nname = \"t%d.k%d\"\n", i % 97, i);
    struct schema schema = open_schema(text);
    for (int i = 0; i < KEYS; i++) {
        char table[32];
        sprintf(table, "t%d", i % 97);
        sprintf(name, "k%d", i);
        CHECK(AT(&schema, table, name).key);
    }
    CHECK(!AT(&schema, "t0", "k1").key);
    schema_close(&schema);
    free(text);
}
