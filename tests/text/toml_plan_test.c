/* What all changes have in common. That the data is right is checked of every one. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text/toml_changes.h"

TEST(a_value_is_replaced_where_it_stands)
{
    toml_check(toml_set("# why\na = 0xff # pin\n", "/a", "{\"v\": [1, {}]}"),
               "# why\na = { v = [1, {}] } # pin\n");
    toml_check(toml_set("a = 1\n", "/a", "= 0xDEAD_BEEF"), "a = 0xDEAD_BEEF\n");
    toml_check(toml_set("a = 1\n", "/a", "= [1, # one\n 2]"), "a = [1, # one\n 2]\n");
}

TEST(the_root_is_written_anew)
{
    toml_check(toml_set("# gone\r\na = 1\r\n", "", "{\"b\": {\"c\": 1}, \"d\": 2}"),
               "d = 2\r\n\r\n[b]\r\nc = 1\r\n");
}

/* ---- what cannot be ---- */

static int refusal(const char *text, const char *pointer, enum change_kind kind, const char *json)
{
    struct toml_text document = toml_text_of(text, strlen(text));
    struct parsed value = {0};
    struct flaw flaw;
    struct plan plan;
    struct change change = {
        .kind = kind, .node = toml_text_find(&document, pointer), .key = "new", .key_size = 3};
    CHECK(change.node);
    CHECK_INT(parse_json(json, strlen(json), UNTORN_JSON, &value, &flaw), 0);
    change.value = value.root;
    int rc = plan_toml(&document.parsed, &change, &plan);
    CHECK_INT(plan.count, 0);
    plan_free(&plan);
    parsed_free(&value);
    toml_text_free(&document);
    return rc;
}

TEST(there_is_no_null_in_toml)
{
    static const char text[] = "a = [1]\nd.e = 1\nf = {g.h = 1}\n[t]\nx = 1\n[i.j]\n[[k]]\n";
    static const char *const nulls[] = {"null", "[null]", "{\"x\": null, \"y\": {\"z\": null}}"};
    static const char *const tables[] = {"", "/d", "/f", "/f/g", "/t", "/i", "/i/j", "/k/0"};
    static const char *const nodes[] = {"/a",   "/a/0", "/d",   "/d/e", "/f", "/f/g",
                                        "/t/x", "/t",   "/i/j", "/i",   "/k", "/k/0"};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < sizeof tables / sizeof *tables; j++)
            CHECK_INT(refusal(text, tables[j], CHANGE_ADD, nulls[i]), -UNTORN_TYPE);
        for (size_t j = 0; j < sizeof nodes / sizeof *nodes; j++)
            CHECK_INT(refusal(text, nodes[j], CHANGE_REPLACE, nulls[i]), -UNTORN_TYPE);
        CHECK_INT(refusal(text, "/a", CHANGE_INSERT, nulls[i]), -UNTORN_TYPE);
        CHECK_INT(refusal(text, "/k", CHANGE_INSERT, nulls[i]), -UNTORN_TYPE);
    }
    CHECK_INT(refusal(text, "", CHANGE_REPLACE, nulls[2]), -UNTORN_TYPE);
}

TEST(the_root_is_always_a_table)
{
    CHECK_INT(refusal("a = 1\n", "", CHANGE_REPLACE, "1"), -UNTORN_TYPE);
    CHECK_INT(refusal("a = 1\n", "", CHANGE_REMOVE, "1"), -UNTORN_TYPE);
}

TEST(comments_of_other_tables_are_not_lost_for_a_value_between_them)
{
    static const char *const texts[] = {
        "[[k]]\nx = 1 # one\n\n[[k]]\n",      "[[k]]\n# about x\nx = 1\n\n[[k]]\n",
        "# about k\n[[k]]\nx = 1\n\n[[k]]\n", "[[k]]\nx = 1\n# tail\n\n[[k]]\n",
        "[[k]]\nx = [ # in it\n]\n\n[[k]]\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_INT(refusal(texts[i], "/k", CHANGE_INSERT, "5"), -UNTORN_TYPE);
        CHECK_INT(refusal(texts[i], "/k/1", CHANGE_REPLACE, "5"), -UNTORN_TYPE);
        toml_check(toml_set(texts[i], "/k/0", "5"), "k = [5, {}]\n");
    }
}

TEST(a_key_twice_is_refused)
{
    CHECK_INT(refusal("[t]\n", "", CHANGE_ADD, "{\"a\": 1, \"a\": 2}"), -UNTORN_TYPE);
    CHECK_INT(refusal("[t]\n", "/t", CHANGE_REPLACE, "{\"a\": 1, \"a\": 2}"), -UNTORN_TYPE);
    CHECK_INT(refusal("[t]\n", "", CHANGE_ADD, "{\"a\": {\"x\": 1}, \"a\": {\"y\": 2}}"),
              -UNTORN_TYPE);
}

/* ---- memory and time ---- */

static struct toml_text document;
static struct change current;

static bool plan_and_apply(void)
{
    struct plan plan;
    size_t size;
    int rc = plan_toml(&document.parsed, &current, &plan);
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    char *text = rc == 0 ? plan_apply(&plan, document.text, document.size, &size) : NULL;
    plan_free(&plan);
    free(text);
    return text != NULL;
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "a.b = [1, 2]\nc = {d.e = 1, d.f = 2}\n[t]\nx = 1\n[i.j]\n[[k]]\n[k.l]\n[[k]]\n";
    static const char json[] = "{\"x\": 2, \"y\": {\"z\": [{}]}}";
    struct parsed value = {0};
    struct flaw flaw;
    CHECK_INT(parse_json(json, sizeof json - 1, UNTORN_JSON, &value, &flaw), 0);
    document = toml_text_of(text, sizeof text - 1);
    current = (struct change){.key = "new key", .key_size = 7, .value = value.root};
    for (struct untorn_node *node = document.parsed.root; node; node = toml_next_node(node)) {
        current.node = node;
        for (int kind = CHANGE_REPLACE; kind <= CHANGE_RENAME; kind++) {
            current.kind = (enum change_kind)kind;
            if ((kind == CHANGE_ADD && node->kind != UNTORN_OBJECT) ||
                (kind == CHANGE_INSERT && node->kind != UNTORN_ARRAY) ||
                (kind == CHANGE_REMOVE && !node->parent) || (kind == CHANGE_RENAME && !node->key))
                continue;
            CHECK(heap_walk(plan_and_apply) > 1);
        }
    }
    parsed_free(&value);
    toml_text_free(&document);
}

/* Each of them would take minutes if it went through the text for every line. */
TEST(a_large_text_is_changed_in_one_pass)
{
    enum { TABLES = 40000, LINE = 64 };
    char *text = malloc(TABLES * LINE), *at = text;
    CHECK(text);
    at += sprintf(at, "all = [\n");
    for (int i = 0; i < TABLES; i++)
        at += sprintf(at, "  %d, # %d\n", i, i);
    at += sprintf(at, "]\n");
    for (int i = 0; i < TABLES; i++)
        at += sprintf(at, "\n# %d\n[%s.t%d]\nx.y = 1\n", i, i % 2 ? "a" : "b", i);
    struct toml_text whole = toml_text_of(text, (size_t)(at - text));
    free(text);
    struct parsed value;
    struct flaw flaw;
    CHECK_INT(parse_json("{\"x\": 1}", 8, UNTORN_JSON, &value, &flaw), 0);
    struct change change = {.kind = CHANGE_INSERT, .index = TABLES / 2, .value = value.root};
    change.node = toml_text_find(&whole, "/all");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_RENAME, .key = "c", .key_size = 1};
    change.node = toml_text_find(&whole, "/a");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_ADD, .key = "n", .key_size = 1, .value = value.root};
    change.node = toml_text_find(&whole, "/b");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_REPLACE, .value = value.root};
    change.node = toml_text_find(&whole, "/b");
    toml_text_change(&whole, &change);
    change = (struct change){.kind = CHANGE_REMOVE, .node = toml_text_find(&whole, "/c")};
    toml_text_change(&whole, &change);
    parsed_free(&value);
    toml_text_free(&whole);
}

TEST(a_large_table_is_replaced_in_one_pass)
{
    enum { KEYS = 60000, LINE = 32 };
    char *text = malloc(KEYS * LINE), *json = malloc(KEYS * LINE), *at = text, *to = json;
    CHECK(text && json);
    at += sprintf(at, "[t]\n");
    to += sprintf(to, "{");
    for (int i = 0; i < KEYS; i++) {
        at += sprintf(at, "k%d = %d # %d\n", i, i, i);
        if (i % 2)
            to += sprintf(to, "\"k%d\": %d, ", i, i + i % 4);
    }
    to += sprintf(to, "\"new\": 1}");
    struct toml_text whole = toml_text_of(text, (size_t)(at - text));
    struct parsed value;
    struct flaw flaw;
    CHECK_INT(parse_json(json, (size_t)(to - json), UNTORN_JSON, &value, &flaw), 0);
    struct change change = {
        .kind = CHANGE_REPLACE, .node = toml_text_find(&whole, "/t"), .value = value.root};
    toml_text_change(&whole, &change);
    CHECK(strstr(whole.text, "[t]\nk1 = 2 # 1\nk3 = 6 # 3\nk5 = 6 # 5\n"));
    parsed_free(&value);
    toml_text_free(&whole);
    free(text);
    free(json);
}
