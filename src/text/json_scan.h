/* JSON (RFC 8259) and JSONC as a row of tokens, checked byte for byte, at the speed of memory.
 *
 *     struct json_scanner scanner;
 *     json_scan_begin(&scanner, UNTORN_JSON);
 *     json_scan_feed(&scanner, text, size, true);
 *     enum json_token token;
 *     while ((token = json_scan_next(&scanner)) < JSON_DONE)
 *         use(token, scanner.start, scanner.end);
 *     if (token == JSON_WRONG)
 *         complain(scanner.flaw.position, scanner.flaw.what);
 *
 * What was given out before JSON_DONE is a beginning of a document, not yet a document. Nothing is
 * allocated and nothing recurses; a scanner needs no clearing up.
 *
 * What is accepted: exactly one value with blanks around it, in well-formed UTF-8, nested at most
 * JSON_DEPTH levels deep. A UTF-8 byte order mark at the start is skipped. An escape \uD800 to
 * \uDFFF without its other half is accepted: RFC 8259 leaves it open. json_decode keeps it as three
 * bytes that are not of UTF-8, and write_json turns them back. Numbers have any size, keys may be
 * there twice. JSONC has comments as well, // to the end of the line and between slash and
 * asterisk, wherever blanks may stand, and one comma behind the last member or element.
 *
 * A text that does not fit into memory is scanned in pieces:
 *
 *     json_scan_feed(&scanner, buffer, size, false);  the first piece
 *     ...
 *     case JSON_MORE:                                 the scanner has used up the piece
 *         X = scanner.keep;                           from this offset on it must see it again:
 *         move what the buffer has from offset X on to its front; double the buffer if that is all
 *         of it; fill it up from the file
 *         json_scan_feed(&scanner, buffer, size, last);  buffer[0] is the byte at offset X
 *
 *   SCAN-1  `keep` is never below the start of the token that is not complete yet, nor above the
 *           end of the piece. A string is not scanned twice however many pieces it comes in; a
 *           number is, which is why the buffer doubles.
 *   SCAN-2  With `skips` a long string need not be kept: then `keep` is where its scan goes on, and
 *           json_token_text of it is NULL. So any text is checked in a buffer of fixed size, but
 *           for numbers that are longer than it.
 *   SCAN-3  Tokens, flaws and offsets do not depend on where the text was cut.
 *   SCAN-4  All before the position of a flaw is the beginning of a document, or one. It is at the
 *           end (flaw.at_end) exactly if its position is the size of the text.
 */
#ifndef UNTORN_TEXT_JSON_SCAN_H
#define UNTORN_TEXT_JSON_SCAN_H

#include "text/parsed.h"

enum { JSON_DEPTH = 1000 };

enum json_token {
    JSON_OBJECT_BEGIN = 1,
    JSON_OBJECT_END,
    JSON_ARRAY_BEGIN,
    JSON_ARRAY_END,
    JSON_KEY, /* quotes included, as for strings; its value follows */
    JSON_STRING,
    JSON_NUMBER,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
    JSON_DONE,  /* the text is a document; again if asked again */
    JSON_MORE,  /* feed it */
    JSON_WRONG, /* in `flaw`; again if asked again */
};

struct json_scanner {
    /* The token. */
    uint64_t start, end; /* offsets into the whole text; a bracket has one byte */
    bool escaped;        /* a key or string has escapes: json_decode it */
    bool integer;        /* a number has neither fraction nor exponent */
    size_t depth;        /* containers that are open; behind an END without the one it closed */

    uint64_t keep;    /* with JSON_MORE */
    struct flaw flaw; /* with JSON_WRONG */
    bool skips;       /* may be set at any time: SCAN-2 */

    /* Private from here on. */
    const char *at, *limit, *text; /* where it is, the end and the start of the piece */
    uint64_t base, resume;         /* the offsets of `text`, and of `at` when fed again */
    size_t work;                   /* about how many tokens json_scan_skip went over one by one */
    bool last, comments;
    unsigned char expects, inside;
    char closers[JSON_DEPTH + 2]; /* of the open containers, from 1 on; [0] is no bracket */
};

/* `format` is UNTORN_JSON or UNTORN_JSONC. */
void json_scan_begin(struct json_scanner *scanner, enum untorn_format format);

/* The text, or its first or next piece, borrowed until the next one. `last`: nothing follows. */
void json_scan_feed(struct json_scanner *scanner, const char *text, size_t size, bool last);

enum json_token json_scan_next(struct json_scanner *scanner);

/* The bytes of the token, end - start of them, in the piece at hand. */
const char *json_token_text(const struct json_scanner *scanner);

/* Scans on to JSON_DONE, JSON_MORE or JSON_WRONG: faster than asking for each token. */
enum json_token json_scan_rest(struct json_scanner *scanner);

/* Scans on behind the end of the container that was begun last, or to JSON_MORE or JSON_WRONG. The
 * token is then that end. Called again after JSON_MORE it goes on, with the same `depth`: the one
 * the scanner had behind the begin. */
enum json_token json_scan_skip(struct json_scanner *scanner, size_t depth);

/* What a scanned string says: `raw` is as spelled, quotes included. `decoded` has room for `size`
 * bytes; the result is its size, never more than size - 2. Not terminated. */
size_t json_decode(const char *raw, size_t size, char *decoded);

static inline uint32_t json_hex_digit(char byte) /* 16: it is none */
{
    uint32_t digit = (uint32_t)(unsigned char)byte - '0';
    uint32_t letter = ((unsigned char)byte | 0x20u) - 'a';
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

#endif
