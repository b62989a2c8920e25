#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text/json_scan.h"

static struct parsed parsed;
static struct flaw flaw;

static struct untorn_node *parse_text(const char *text, enum untorn_format format)
{
    parsed_free(&parsed);
    if (parse_json(text, strlen(text), format, &parsed, &flaw) != 0)
        CHECK_TEXT(flaw.what, "no flaw");
    return parsed.root;
}

static void check_node(const struct untorn_node *node, enum untorn_kind kind, const char *text,
                       const char *raw)
{
    CHECK(node);
    CHECK_INT(node->kind, kind);
    CHECK_INT(node->origin, NODE_ORDINARY);
    CHECK_INT(node->raw_format, parsed.format);
    CHECK_BYTES(node->raw, node->raw_size, raw, strlen(raw));
    CHECK(node->raw >= parsed.text && node->raw + node->raw_size <= parsed.text + parsed.size);
    if (!text) {
        CHECK(node_is_container(node));
        return;
    }
    CHECK_BYTES(node->text, node->size, text, strlen(text));
    CHECK_INT(node->text[node->size], '\0');
}

static void check_key(const struct untorn_node *node, const char *key, const char *raw)
{
    CHECK_BYTES(node->key, node->key_size, key, strlen(key));
    CHECK_INT(node->key[node->key_size], '\0');
    CHECK_BYTES(node->key_raw, node_key_raw_size(node), raw, strlen(raw));
}

TEST(every_kind_of_value_becomes_a_node)
{
    struct untorn_node *root =
        parse_text(" [1, -2.5, 1e3, \"a\\tb\", true, false, null, {}, []] ", UNTORN_JSON);
    check_node(root, UNTORN_ARRAY, NULL, "[1, -2.5, 1e3, \"a\\tb\", true, false, null, {}, []]");
    CHECK_INT(root->count, 9);
    CHECK(!root->key && !root->key_raw && !root->parent);
    static const struct {
        enum untorn_kind kind;
        const char *text, *raw;
    } expected[] = {
        {UNTORN_INTEGER, "1", "1"},       {UNTORN_FLOAT, "-2.5", "-2.5"},
        {UNTORN_FLOAT, "1e3", "1e3"},     {UNTORN_STRING, "a\tb", "\"a\\tb\""},
        {UNTORN_BOOLEAN, "true", "true"}, {UNTORN_BOOLEAN, "false", "false"},
        {UNTORN_NULL, "null", "null"},    {UNTORN_OBJECT, NULL, "{}"},
        {UNTORN_ARRAY, NULL, "[]"},
    };
    const struct untorn_node *node = root->first;
    for (size_t i = 0; i < 9; i++, node = node->next) {
        check_node(node, expected[i].kind, expected[i].text, expected[i].raw);
        CHECK(!node->key && !node->key_raw && node->parent == root);
    }
    CHECK(!node);
}

TEST(members_have_their_keys_decoded_and_as_spelled)
{
    struct untorn_node *root =
        parse_text("{\"a\": {\"b\\u00e9\": [{\"\": 7}]}, \"c\" : \"\"}", UNTORN_JSON);
    struct untorn_node *a = node_member(root, "a", 1), *b = node_member(a, "b\xc3\xa9", 3);
    check_key(a, "a", "\"a\"");
    check_node(a, UNTORN_OBJECT, NULL, "{\"b\\u00e9\": [{\"\": 7}]}");
    check_key(b, "b\xc3\xa9", "\"b\\u00e9\"");
    CHECK_INT(b->count, 1);
    CHECK(!b->first->key);
    check_key(b->first->first, "", "\"\"");
    check_node(b->first->first, UNTORN_INTEGER, "7", "7");
    check_node(root->last, UNTORN_STRING, "", "\"\"");
    CHECK_INT(root->count, 2);
}

TEST(a_key_may_be_there_more_than_once)
{
    struct untorn_node *root = parse_text("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", UNTORN_JSON);
    CHECK_INT(root->count, 3);
    CHECK(!root->first->repeated && !root->first->next->repeated && root->last->repeated);
    CHECK(node_member(root, "a", 1) == root->last);
}

TEST(a_string_may_hold_a_nul)
{
    struct untorn_node *root = parse_text("{\"a\\u0000b\": \"\\u0000\"}", UNTORN_JSON);
    CHECK_BYTES(root->first->key, root->first->key_size, "a\0b", 3);
    CHECK_BYTES(root->first->text, root->first->size, "\0", 1);
}

TEST(a_scalar_may_be_the_document)
{
    check_node(parse_text("\xef\xbb\xbf 12 ", UNTORN_JSON), UNTORN_INTEGER, "12", "12");
    check_node(parse_text("\"x\"", UNTORN_JSONC), UNTORN_STRING, "x", "\"x\"");
}

TEST(comments_leave_no_trace_in_the_tree)
{
    struct untorn_node *root =
        parse_text("// a\n{\"k\": /* b */ [1, 2,], // c\n} // d", UNTORN_JSONC);
    check_node(root, UNTORN_OBJECT, NULL, "{\"k\": /* b */ [1, 2,], // c\n}");
    CHECK_INT(root->count, 1);
    CHECK_INT(root->first->count, 2);
    check_node(root->first, UNTORN_ARRAY, NULL, "[1, 2,]");
}

TEST(a_flaw_frees_everything_and_says_where)
{
    static const char text[] = "{\"a\": [1, 2";
    CHECK_INT(parse_json(text, sizeof text - 1, UNTORN_JSON, &parsed, &flaw), -1);
    CHECK(!parsed.root && !parsed.arena.blocks);
    CHECK_INT(flaw.position, sizeof text - 1);
    CHECK(flaw.at_end && !flaw.out_of_memory);
    CHECK_INT(parse_json("{\"a\": 1,}", 9, UNTORN_JSON, &parsed, &flaw), -1);
    CHECK_INT(flaw.position, 8);
    CHECK(!flaw.at_end);
    CHECK_INT(parse_json(NULL, 0, UNTORN_JSON, &parsed, &flaw), -1);
    CHECK(flaw.at_end);
}

/* The tree written down again without blanks. Strings and numbers as spelled. */
static size_t write_down(const struct untorn_node *root, char *to)
{
    const char *start = to;
    const struct untorn_node *node = root;
    for (;;) {
        if (node->key_raw) {
            memcpy(to, node->key_raw, node_key_raw_size(node));
            to += node_key_raw_size(node);
            *to++ = ':';
        }
        bool container = node_is_container(node);
        size_t size = container ? 1 : node->raw_size;
        memcpy(to, node->raw, size);
        to += size;
        if (container && node->first) {
            node = node->first;
            continue;
        }
        if (container)
            *to++ = node->raw[node->raw_size - 1];
        while (node != root && !node->next) {
            node = node->parent;
            *to++ = node->raw[node->raw_size - 1];
        }
        if (node == root)
            return (size_t)(to - start);
        *to++ = ',';
        node = node->next;
    }
}

TEST(the_tree_has_all_that_the_text_has)
{
    static const char *const texts[] = {
        "{\"a\":[1,2.5,\"x\\n\",{\"b\":[]},[[],{}]],\"c\":null,\"a\":true,\"\":{\"\":{}}}",
        "[[[[1],2],3],4]",
        "{}",
        "[]",
        "\"\\ud83d\\ude00\"",
    };
    for (size_t i = 0; i < 5; i++) {
        char written[200];
        size_t size = write_down(parse_text(texts[i], UNTORN_JSON), written);
        CHECK_BYTES(written, size, texts[i], strlen(texts[i]));
    }
}

TEST(deep_and_wide_trees_need_no_stack)
{
    enum { WIDE = 300000 };
    char *text = malloc(WIDE);
    CHECK(text);
    memset(text, '[', JSON_DEPTH);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    CHECK_INT(parse_json(text, 2 * JSON_DEPTH, UNTORN_JSON, &parsed, &flaw), 0);
    size_t depth = 1;
    for (const struct untorn_node *node = parsed.root; node->first; node = node->first)
        depth++;
    CHECK_INT(depth, JSON_DEPTH);
    parsed_free(&parsed);
    for (size_t i = 1; i < WIDE - 1; i += 2)
        memcpy(text + i, "1,", 2);
    text[0] = '[';
    text[WIDE - 1] = ']';
    CHECK_INT(parse_json(text, WIDE, UNTORN_JSONC, &parsed, &flaw), 0);
    CHECK_INT(parsed.root->count, WIDE / 2 - 1);
    parsed_free(&parsed);
    memset(text, '[', WIDE);
    CHECK_INT(parse_json(text, WIDE, UNTORN_JSON, &parsed, &flaw), -1);
    CHECK_INT(flaw.position, JSON_DEPTH);
    free(text);
}

/* Long enough for several blocks of the arena, with an object that gets an index. */
static char large[30000];

static bool parse_large(void)
{
    int rc = parse_json(large, strlen(large), UNTORN_JSON, &parsed, &flaw);
    if (rc != 0)
        CHECK(flaw.out_of_memory && !flaw.at_end && !parsed.root);
    else
        parsed_free(&parsed);
    return rc == 0;
}

TEST(any_allocation_may_fail)
{
    char *to = large;
    *to++ = '{';
    for (int i = 0; i < 400; i++)
        to += sprintf(to, "\"key\\n%d\":[%d,\"a text\",\"\\u00e9\"],", i, i);
    to += sprintf(to, "\"text\":\"%05000d\",\"many\":[[]", 0);
    for (int i = 0; i < 3000; i++) /* a text of which much more is made */
        to += sprintf(to, ",[]");
    to += sprintf(to, "],\"\":{}}");
    CHECK((size_t)(to - large) < sizeof large);
    CHECK(heap_walk(parse_large) > 1);
}
