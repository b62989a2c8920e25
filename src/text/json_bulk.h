/* Inside of the JSON scanner: over many tokens at once, 64 bytes at a time and with hardly a branch
 * that depends on them. That is what texts of tiny tokens in no order need: whoever goes through
 * them token by token guesses wrong at each.
 *
 *   BULK-1  It takes only what is right, and knows JSON without comments. What it does not take,
 *           wrong or not, is left to the scanner.
 *   BULK-2  It stops where it began, or behind a bracket, comma or colon: never inside a token.
 *   BULK-3  It does not read beyond the end of the piece, nor take the end of the container that is
 *           to be skipped.
 */
#ifndef UNTORN_TEXT_JSON_BULK_H
#define UNTORN_TEXT_JSON_BULK_H

#include <stddef.h>

/* What may come next; `expects` of the scanner. */
enum {
    EXPECT_VALUE, /* of the document or a member */
    EXPECT_FIRST, /* behind an opening bracket: a member or element, or the closing bracket */
    EXPECT_NEXT,  /* behind a comma */
    EXPECT_COMMA, /* behind a member or element */
    EXPECT_COLON,
    EXPECT_NOTHING,
    EXPECT_FLAW, /* it was given out; it stays */
};

/* Where a scan is, between two tokens. */
struct json_place {
    const char *at;
    size_t depth; /* containers that are open */
    unsigned expects;
};

/* Goes on from *place, inside the container of the depth `floor`, as far as it can and is of use.
 * `floor` is at least 1. `closers`, with room for one more than JSON_DEPTH, has those of the open
 * containers from 1 to `depth`, then as now. `limit` is the end of the piece. */
void json_bulk(struct json_place *place, char *closers, size_t floor, const char *limit);

#endif
