/* Any bytes as TOML 1.1 and 1.0: the ways to read them agree, and what was read can be written. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "text/value.h"
#include "text/write.h"

/* Statements stand in the order of the text, and their spans within it. */
static void check_statements(const struct parsed *parsed)
{
    uint64_t end = 0;
    for (size_t i = 0; i < parsed->statement_count; i++) {
        const struct toml_statement *statement = &parsed->statements[i];
        REQUIRE(statement->text.start >= end && statement->text.end > statement->text.start);
        REQUIRE(statement->part_count > 0);
        for (size_t part = 0; part < statement->part_count; part++)
            REQUIRE(statement->parts[part].start >= statement->text.start &&
                    statement->parts[part].end <= statement->text.end);
        end = statement->text.end;
    }
    REQUIRE(end <= parsed->size);
}

static void check_nodes(const struct parsed *parsed)
{
    for (const struct untorn_node *node = parsed->root; node; node = fuzz_next_node(node)) {
        struct span span = parsed_span(parsed, node);
        REQUIRE(!node->repeated && node->kind != UNTORN_NULL);
        REQUIRE(span.start <= span.end && span.end <= parsed->size);
        REQUIRE(node_is_container(node) || span.start < span.end);
    }
}

static void check_written(const struct parsed *parsed, const struct untorn_style *style)
{
    struct buffer buffer = {0};
    REQUIRE(write_toml(&buffer, parsed->root, style));
    struct parsed again = fuzz_parse(buffer.data, buffer.size, parsed->format);
    REQUIRE(node_equal(parsed->root, again.root));
    parsed_free(&again);
    buffer_free(&buffer);
    write_json(&buffer, parsed->root, &(struct untorn_style){.tagged = true}, 0);
    again = fuzz_parse(buffer.data, buffer.size, UNTORN_JSON);
    parsed_free(&again);
    buffer_free(&buffer);
}

/* All of it behind an equals sign, inline, where that is not nested too deep. */
static void check_inline(const struct parsed *parsed)
{
    struct buffer buffer = {0};
    if (fuzz_depth(parsed->root) >= value_depth(parsed->format))
        return;
    buffer_text(&buffer, "x = ");
    REQUIRE(write_toml_value(&buffer, parsed->root));
    struct parsed again = fuzz_parse(buffer.data, buffer.size, parsed->format);
    REQUIRE(node_equal(again.root->first, parsed->root));
    parsed_free(&again);
    buffer_free(&buffer);
}

static bool check_format(const struct fuzz_text *text, enum untorn_format format,
                         struct parsed *ret_parsed)
{
    struct flaw flaw;
    bool accepted = parse_toml(text->data, text->size, format, ret_parsed, &flaw) == 0;
    REQUIRE(toml_is_valid(text->data, text->size, format) == accepted);
    REQUIRE((untorn_document_check(text->data, text->size, format, NULL) == 0) == accepted);
    if (!accepted) {
        REQUIRE(flaw.position <= text->size);
        REQUIRE(flaw.at_end == (flaw.position == text->size));
        return false;
    }
    check_statements(ret_parsed);
    check_nodes(ret_parsed);
    check_written(ret_parsed, &(struct untorn_style){0});
    check_written(ret_parsed, &(struct untorn_style){.sorted = true, .ascii = true, .crlf = true});
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct parsed now, before;
    struct fuzz_text text = fuzz_copy(data, size);
    bool is_now = check_format(&text, UNTORN_TOML, &now);
    bool was_before = check_format(&text, UNTORN_TOML_1_0, &before);
    REQUIRE(is_now || !was_before);
    if (was_before) {
        REQUIRE(node_equal(now.root, before.root));
        parsed_free(&before);
    }
    if (is_now) {
        check_inline(&now);
        parsed_free(&now);
    }
    free(text.data);
    return 0;
}
