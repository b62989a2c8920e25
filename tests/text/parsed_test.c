#include "harness.h"

#include <string.h>

#include "text/parsed.h"

TEST(the_format_decides_who_scans)
{
    static const char json[] = "{\"a\": 1}", toml[] = "a = 1\n", jsonc[] = "{\"a\": 1,} // x";
    static const struct {
        const char *text;
        enum untorn_format format;
        bool good;
    } cases[] = {
        {json, UNTORN_JSON, true},   {json, UNTORN_JSONC, true},    {json, UNTORN_TOML, false},
        {jsonc, UNTORN_JSON, false}, {jsonc, UNTORN_JSONC, true},   {toml, UNTORN_TOML, true},
        {toml, UNTORN_JSON, false},  {toml, UNTORN_TOML_1_0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed parsed;
        struct flaw flaw;
        int rc = parse(cases[i].text, strlen(cases[i].text), cases[i].format, &parsed, &flaw);
        CHECK_INT(rc, cases[i].good ? 0 : -1);
        if (rc == 0) {
            CHECK_INT(parsed.format, cases[i].format);
            CHECK_INT(parsed.root->kind, UNTORN_OBJECT);
            CHECK(node_member(parsed.root, "a", 1));
        }
        parsed_free(&parsed);
    }
}

TEST(a_span_is_where_the_spelling_is)
{
    static const char text[] = " {\"a\": [10, \"x\"]}";
    struct parsed parsed;
    struct flaw flaw;
    CHECK_INT(parse_json(text, sizeof text - 1, UNTORN_JSON, &parsed, &flaw), 0);
    struct untorn_node *array = node_member(parsed.root, "a", 1);
    struct span root = parsed_span(&parsed, parsed.root), span = parsed_span(&parsed, array);
    CHECK_INT(root.start, 1);
    CHECK_INT(root.end, sizeof text - 1);
    CHECK_INT(span.start, 7);
    CHECK_INT(span.end, 16);
    span = parsed_span(&parsed, array->last);
    CHECK_INT(span.start, 12);
    CHECK_INT(span.end, 15);
    struct untorn_node made = {.kind = UNTORN_NULL};
    span = parsed_span(&parsed, &made);
    CHECK_INT(span.start, 0);
    CHECK_INT(span.end, 0);
    parsed_free(&parsed);
}

TEST(what_is_freed_is_zeroed_and_can_be_freed_again)
{
    struct parsed parsed = {0};
    struct flaw flaw;
    parsed_free(&parsed);
    CHECK_INT(parse_json("[1]", 3, UNTORN_JSON, &parsed, &flaw), 0);
    parsed_free(&parsed);
    CHECK(!parsed.root);
    parsed_free(&parsed);
}

TEST(another_text_is_scanned_into_the_same_memory)
{
    static const char *const texts[] = {"[1, 2, 3]", "{\"a\": [true]}", "[\"x\"]"};
    struct parsed parsed;
    struct flaw flaw;
    struct arena used = {0};
    const void *first = NULL;
    for (int i = 0; i < 3; i++) {
        CHECK_INT(parse_in(&used, texts[i], strlen(texts[i]), UNTORN_JSON, &parsed, &flaw), 0);
        CHECK(!used.blocks && !used.at);
        CHECK(!first || first == parsed.arena.blocks);
        first = parsed.arena.blocks;
        CHECK_BYTES(parsed.root->raw, parsed.root->raw_size, texts[i], strlen(texts[i]));
        used = parsed.arena;
    }
    CHECK_INT(parse_in(&used, "[", 1, UNTORN_JSON, &parsed, &flaw), -1);
    CHECK(flaw.at_end && !parsed.root && !parsed.arena.blocks);
}
