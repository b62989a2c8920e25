/* Any bytes as JSON and as JSONC: the ways to read them agree, and what was read can be written. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "../tests/text/json_portable.h"
#include "text/json.h"
#include "text/write.h"

/* ---- a scan in pieces ---- */

struct pieces {
    struct json_scanner scanner;
    const char *text;
    size_t size;
    char *piece; /* of exactly its size: nothing behind it may be read */
    size_t end;  /* of the piece, in the text */
    size_t longest;
    uint32_t random;
};

/* The next piece begins at `from`; it always ends further on than the last one. */
static void feed_piece(struct pieces *pieces, size_t from)
{
    size_t more = 1 + fuzz_random(&pieces->random) % pieces->longest;
    if (more > pieces->size - pieces->end)
        more = pieces->size - pieces->end;
    pieces->end += more;
    free(pieces->piece);
    pieces->piece = fuzz_copy(pieces->text + from, pieces->end - from).data;
    json_scan_feed(&pieces->scanner, pieces->piece, pieces->end - from,
                   pieces->end == pieces->size);
}

static void begin_pieces(struct pieces *pieces, const struct fuzz_text *text,
                         enum untorn_format format)
{
    static const size_t longest[] = {1, 3, 16, 40, 300};
    *pieces = (struct pieces){.text = text->data, .size = text->size};
    pieces->random = fuzz_hash(text->data, text->size);
    pieces->longest = longest[fuzz_random(&pieces->random) % 5];
    json_scan_begin(&pieces->scanner, format);
    feed_piece(pieces, 0);
}

static enum json_token next_in_pieces(struct pieces *pieces)
{
    enum json_token token;
    while ((token = json_scan_next(&pieces->scanner)) == JSON_MORE) {
        REQUIRE(pieces->end < pieces->size);
        REQUIRE(pieces->scanner.keep <= pieces->end); /* [SCAN-1] */
        feed_piece(pieces, (size_t)pieces->scanner.keep);
    }
    return token;
}

/* ---- comparing ---- */

static void compare_tokens(const struct json_scanner *one, const struct json_scanner *other,
                           enum json_token token)
{
    bool spelled = token == JSON_KEY || token == JSON_STRING;
    REQUIRE(one->depth == other->depth);
    if (token < JSON_DONE)
        REQUIRE(one->start == other->start && one->end == other->end);
    if (spelled)
        REQUIRE(one->escaped == other->escaped);
    if (token == JSON_NUMBER)
        REQUIRE(one->integer == other->integer);
    if (token == JSON_WRONG) {
        REQUIRE(one->flaw.position == other->flaw.position);
        REQUIRE(one->flaw.at_end == other->flaw.at_end);
        REQUIRE(strcmp(one->flaw.what, other->flaw.what) == 0);
    }
}

/* Whole, in pieces and without vectors: the same tokens. [SCAN-3] */
static enum json_token scan_three_ways(const struct fuzz_text *text, enum untorn_format format,
                                       struct flaw *ret_flaw)
{
    struct json_scanner whole, portable;
    struct pieces pieces;
    enum json_token token;
    json_scan_begin(&whole, format);
    json_scan_feed(&whole, text->data, text->size, true);
    portable_begin(&portable, format);
    portable_feed(&portable, text->data, text->size, true);
    begin_pieces(&pieces, text, format);
    do {
        token = json_scan_next(&whole);
        REQUIRE(token != JSON_MORE);
        REQUIRE(portable_next(&portable) == token);
        REQUIRE(next_in_pieces(&pieces) == token);
        compare_tokens(&whole, &portable, token);
        compare_tokens(&whole, &pieces.scanner, token);
        if (token < JSON_DONE) {
            size_t size = (size_t)(whole.end - whole.start);
            REQUIRE(memcmp(json_token_text(&whole), json_token_text(&pieces.scanner), size) == 0);
        }
    } while (token < JSON_DONE);
    free(pieces.piece);
    *ret_flaw = whole.flaw;
    return token;
}

static void check_rest(const struct fuzz_text *text, enum untorn_format format,
                       enum json_token expected, const struct flaw *flaw)
{
    struct json_scanner scanner;
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text->data, text->size, true);
    REQUIRE(json_scan_rest(&scanner) == expected);
    if (expected == JSON_WRONG)
        REQUIRE(scanner.flaw.position == flaw->position);
    portable_begin(&scanner, format);
    portable_feed(&scanner, text->data, text->size, true);
    REQUIRE(portable_rest(&scanner) == expected);
    REQUIRE((untorn_document_check(text->data, text->size, format, NULL) == 0) ==
            (expected == JSON_DONE));
}

/* Behind many tokens, so that it is taken in bulk, and with blanks behind it, so that all of it is:
 * judged as it is token by token. */
static void check_bulk(const struct fuzz_text *text, enum untorn_format format)
{
    enum { TOKENS = 300, BLANKS = 70 };
    struct json_scanner rest, tokens, portable;
    struct buffer buffer = {0};
    enum json_token token;
    buffer_text(&buffer, "[");
    for (int i = 0; i < TOKENS; i++)
        buffer_text(&buffer, "1,");
    buffer_add(&buffer, text->data, text->size);
    buffer_repeat(&buffer, ' ', BLANKS);
    buffer_text(&buffer, "]");
    REQUIRE(!buffer.failed);
    struct fuzz_text all = fuzz_copy(buffer.data, buffer.size); /* of exactly its size */
    buffer_free(&buffer);
    json_scan_begin(&rest, format);
    json_scan_feed(&rest, all.data, all.size, true);
    json_scan_begin(&tokens, format);
    json_scan_feed(&tokens, all.data, all.size, true);
    portable_begin(&portable, format);
    portable_feed(&portable, all.data, all.size, true);
    while ((token = json_scan_next(&tokens)) < JSON_DONE)
        ;
    REQUIRE(json_scan_rest(&rest) == token);
    REQUIRE(portable_rest(&portable) == token);
    compare_tokens(&rest, &tokens, token);
    compare_tokens(&portable, &tokens, token);
    free(all.data);
}

/* What comes before a flaw is the beginning of a document. [SCAN-4] */
static void check_flaw(const struct fuzz_text *text, enum untorn_format format,
                       const struct flaw *flaw)
{
    struct json_scanner scanner;
    struct fuzz_text before;
    REQUIRE(flaw->position <= text->size);
    REQUIRE(flaw->at_end == (flaw->position == text->size));
    before = fuzz_copy(text->data, (size_t)flaw->position);
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, before.data, before.size, true);
    enum json_token token = json_scan_rest(&scanner);
    REQUIRE(token == JSON_DONE || scanner.flaw.at_end);
    free(before.data);
}

/* ---- trees ---- */

static void check_written(const struct parsed *parsed, const struct untorn_style *style)
{
    struct buffer buffer = {0};
    write_json(&buffer, parsed->root, style, 0);
    REQUIRE(!buffer.failed);
    struct parsed again = fuzz_parse(buffer.data, buffer.size, UNTORN_JSON);
    REQUIRE(node_equal(parsed->root, again.root));
    REQUIRE(node_alike(again.root, parsed->root));
    parsed_free(&again);
    buffer_free(&buffer);
}

static bool check_tree(const struct fuzz_text *text, enum untorn_format format,
                       enum json_token expected, const struct flaw *expected_flaw,
                       struct parsed *ret_parsed)
{
    struct flaw flaw;
    bool accepted = parse_json(text->data, text->size, format, ret_parsed, &flaw) == 0;
    REQUIRE(accepted == (expected == JSON_DONE));
    if (!accepted) {
        REQUIRE(flaw.position == expected_flaw->position);
        return false;
    }
    check_written(ret_parsed, &(struct untorn_style){.compact = true, .tight = true});
    bool sorted = !fuzz_has_repeated(ret_parsed->root); /* else the order counts to node_equal */
    check_written(ret_parsed,
                  &(struct untorn_style){.ascii = true, .sorted = sorted, .crlf = true});
    return true;
}

static bool check_format(const struct fuzz_text *text, enum untorn_format format,
                         struct parsed *ret_parsed)
{
    struct flaw flaw;
    enum json_token token = scan_three_ways(text, format, &flaw);
    check_rest(text, format, token, &flaw);
    check_bulk(text, format);
    if (token == JSON_WRONG)
        check_flaw(text, format, &flaw);
    return check_tree(text, format, token, &flaw, ret_parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct parsed strict, loose;
    struct fuzz_text text = fuzz_copy(data, size);
    bool marked = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
    bool is_strict = check_format(&text, UNTORN_JSON, &strict);
    bool is_loose = check_format(&text, UNTORN_JSONC, &loose);
    REQUIRE(json_is_valid(text.data, text.size, NULL) == (is_strict && !marked));
    REQUIRE(is_loose || !is_strict);
    if (is_strict) {
        REQUIRE(node_equal(strict.root, loose.root));
        parsed_free(&strict);
    }
    if (is_loose)
        parsed_free(&loose);
    free(text.data);
    return 0;
}
