/* Three ways through the same text. The straight one (straight_step) knows the grammar and the
 * tokens as they nearly always are, and has all it needs in registers. What it does not know it
 * leaves to the careful one, before it has touched it: comments, escapes, what is not ASCII, long
 * numbers, the ends of pieces and everything wrong. Where many tokens are to be skipped, the third
 * (json_bulk) takes what it can of them at once. */
#include "text/json_scan.h"

#include <string.h>

#include "text/json_bulk.h"
#include "text/json_inside.h"
#include "text/json_skip.h"

/* What a piece ended in the midst of, if it can be gone on with there. */
enum { IN_NOTHING, IN_MARK, IN_KEY, IN_STRING, IN_LINE_COMMENT, IN_BLOCK_COMMENT };

static const enum json_token NOT_YET = (enum json_token)0; /* no token: ask again */

static bool is_digit(char byte)
{
    return (unsigned char)(byte - '0') < 10;
}

static uint64_t offset_of(const struct json_scanner *scanner, const char *at)
{
    return scanner->base + (uint64_t)(at - scanner->text);
}

/* ---- flaws and the end of a piece: all that is rare ---- */

static enum json_token flaw_at(struct json_scanner *scanner, const char *at, const char *what)
{
    scanner->expects = EXPECT_FLAW;
    scanner->inside = IN_NOTHING;
    scanner->flaw = (struct flaw){.position = offset_of(scanner, at), .what = what};
    return JSON_WRONG;
}

/* The bytes from `from` on do not suffice; `what` is said if there are no more. */
static enum json_token need_more(struct json_scanner *scanner, const char *from, const char *what)
{
    if (scanner->last) {
        (void)flaw_at(scanner, scanner->limit, what);
        scanner->flaw.at_end = true;
        return JSON_WRONG;
    }
    bool kept = (scanner->inside == IN_KEY || scanner->inside == IN_STRING) && !scanner->skips;
    scanner->at = from;
    scanner->resume = offset_of(scanner, from);
    scanner->keep = kept ? scanner->start : scanner->resume;
    return JSON_MORE;
}

static bool in_object(const struct json_scanner *scanner)
{
    return scanner->closers[scanner->depth] == '}';
}

/* The piece ends between two tokens. */
static enum json_token ran_out(struct json_scanner *scanner)
{
    if (scanner->expects == EXPECT_NOTHING && scanner->last)
        return JSON_DONE;
    const char *what =
        in_object(scanner) ? "the text ends inside an object" : "the text ends inside an array";
    if (scanner->depth == 0)
        what = "the text has no value";
    return need_more(scanner, scanner->limit, what);
}

/* A character of a string or comment that is wrong, or cut off by the end of the piece. */
static enum json_token bad_character(struct json_scanner *scanner, const char *at)
{
    uint64_t state = UTF8_GOOD;
    for (const char *end = at; end < scanner->limit; end++) {
        state = utf8_step(state, *end);
        if (utf8_is(state, UTF8_WRONG))
            return flaw_at(scanner, at, "this is not UTF-8");
    }
    return need_more(scanner, at, "the text ends inside a character");
}

/* ---- comments ---- */

static enum json_token end_comment(struct json_scanner *scanner, const char *at)
{
    scanner->inside = IN_NOTHING;
    scanner->at = at;
    return NOT_YET;
}

static enum json_token line_comment(struct json_scanner *scanner, const char *at)
{
    const char *end = scanner->limit;
    scanner->inside = IN_LINE_COMMENT;
    while (at < end && *at != '\n' && *at != '\r') {
        const char *next = skip_character(at, end);
        if (next == at)
            return bad_character(scanner, at);
        at = next;
    }
    return at < end || scanner->last ? end_comment(scanner, at) : need_more(scanner, at, NULL);
}

static enum json_token block_comment(struct json_scanner *scanner, const char *at)
{
    const char *end = scanner->limit;
    scanner->inside = IN_BLOCK_COMMENT;
    while (at < end) {
        if (*at == '*') {
            if (at + 1 == end)
                break;
            if (at[1] == '/')
                return end_comment(scanner, at + 2);
        }
        const char *next = skip_character(at, end);
        if (next == at)
            return bad_character(scanner, at);
        at = next;
    }
    return need_more(scanner, at, "the text ends inside a comment");
}

static enum json_token take_comment(struct json_scanner *scanner, const char *at)
{
    if (!scanner->comments)
        return flaw_at(scanner, at, "JSON has no comments (JSONC has)");
    if (at + 1 == scanner->limit)
        return need_more(scanner, at, "the text ends inside a comment");
    if (at[1] == '/')
        return line_comment(scanner, at + 2);
    if (at[1] == '*')
        return block_comment(scanner, at + 2);
    return flaw_at(scanner, at + 1, "expected // or /* for a comment");
}

/* ---- tokens, carefully ---- */

static enum json_token give(struct json_scanner *scanner, enum json_token token, const char *start,
                            const char *end)
{
    scanner->start = offset_of(scanner, start);
    scanner->end = offset_of(scanner, end);
    scanner->at = end;
    scanner->expects = scanner->depth > 0 ? EXPECT_COMMA : EXPECT_NOTHING;
    return token;
}

/* What is wrong with the escape at `at`. */
static enum json_token bad_escape(struct json_scanner *scanner, const char *at)
{
    if (scanner->limit - at >= 2 && at[1] != 'u')
        return flaw_at(scanner, at + 1, "JSON has no such escape (\\\\ is a backslash)");
    const char *end = at + (scanner->limit - at < 2 ? 1 : 2);
    while (end < scanner->limit && json_hex_digit(*end) < 16)
        end++;
    if (end < scanner->limit)
        return flaw_at(scanner, end, "expected four hexadecimal digits");
    return need_more(scanner, at, "the text ends inside a string");
}

/* The size of the escape at `at`; 0 if it is wrong or not complete. */
static inline size_t escape_size(const char *at, const char *end)
{
    switch (end - at >= 2 ? at[1] : '\0') {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 2;
    case 'u':
        if (end - at < 6 || (json_hex_digit(at[2]) | json_hex_digit(at[3]) | json_hex_digit(at[4]) |
                             json_hex_digit(at[5])) > 15)
            return 0;
        return 6;
    default:
        return 0;
    }
}

/* Over an escape, or characters that are not ASCII. NULL: *ret_token is the answer instead. */
static const char *take_special(struct json_scanner *scanner, const char *at,
                                enum json_token *ret_token)
{
    if (*at == '\\') {
        size_t size = escape_size(at, scanner->limit);
        scanner->escaped = true;
        if (size > 0)
            return at + size;
        *ret_token = bad_escape(scanner, at);
        return NULL;
    }
    if ((unsigned char)*at < 0x20) {
        *ret_token = flaw_at(scanner, at, "a control character: spell it \\n, \\t, \\u001b");
        return NULL;
    }
    const char *next = skip_utf8(at, scanner->limit);
    if (next > at)
        return next;
    *ret_token = bad_character(scanner, at);
    return NULL;
}

/* From within the string to its end. */
static enum json_token end_string(struct json_scanner *scanner, const char *at,
                                  enum json_token token)
{
    const char *end = scanner->limit;
    scanner->inside = token == JSON_KEY ? IN_KEY : IN_STRING;
    for (bool again = false;; again = true) {
        at = skip_plain(at, end);
        if (at == end)
            return need_more(scanner, at, "the text ends inside a string");
        if (*at == '"')
            break;
        const char *next = again ? skip_inside(at, end, &scanner->escaped) : at;
        if (next > at) { /* where two are special, many are */
            at = next;
            continue;
        }
        enum json_token other = JSON_WRONG;
        at = take_special(scanner, at, &other);
        if (!at)
            return other;
    }
    scanner->inside = IN_NOTHING;
    scanner->at = at + 1;
    scanner->end = offset_of(scanner, at + 1);
    scanner->expects = token == JSON_KEY    ? EXPECT_COLON
                       : scanner->depth > 0 ? EXPECT_COMMA
                                            : EXPECT_NOTHING;
    return token;
}

static enum json_token take_word(struct json_scanner *scanner, const char *at, const char *word,
                                 enum json_token token)
{
    size_t size = strlen(word);
    for (size_t i = 0; i < size; i++) {
        if (at + i == scanner->limit)
            return need_more(scanner, at, "the text ends inside a word");
        if (at[i] != word[i])
            return flaw_at(scanner, at + i, "expected true, false or null");
    }
    return give(scanner, token, at, at + size);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

static enum json_token no_digit(struct json_scanner *scanner, const char *start, const char *at)
{
    if (at == scanner->limit)
        return need_more(scanner, start, "the text ends inside a number");
    return flaw_at(scanner, at, "expected a digit");
}

static enum json_token take_number(struct json_scanner *scanner, const char *start)
{
    const char *end = scanner->limit, *digits = start + (*start == '-');
    const char *at = skip_digits(digits, end);
    if (at == digits)
        return no_digit(scanner, start, at);
    if (*digits == '0' && at > digits + 1)
        return flaw_at(scanner, digits + 1, "a number has no zero in front");
    scanner->integer = true;
    if (at < end && *at == '.') {
        digits = at + 1;
        at = skip_digits(digits, end);
        if (at == digits)
            return no_digit(scanner, start, at);
        scanner->integer = false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        digits += digits < end && (*digits == '+' || *digits == '-');
        at = skip_digits(digits, end);
        if (at == digits)
            return no_digit(scanner, start, at);
        scanner->integer = false;
    }
    if (at == end && !scanner->last)
        return need_more(scanner, start, NULL);
    return give(scanner, JSON_NUMBER, start, at);
}

/* ---- whatever the straight way does not know ---- */

static const char *expected(const struct json_scanner *scanner, char byte)
{
    bool object = in_object(scanner);
    switch (scanner->expects) {
    case EXPECT_COMMA:
        return object ? "expected a comma or }" : "expected a comma or ]";
    case EXPECT_COLON:
        return "expected a colon";
    case EXPECT_NOTHING:
        return "expected nothing more: a document is one value";
    case EXPECT_FIRST:
        if (object)
            return "expected a key in double quotes, or }";
        break;
    case EXPECT_NEXT:
        if (byte == scanner->closers[scanner->depth])
            return "JSON has no comma before a closing bracket (JSONC has)";
        if (object)
            return "expected a key in double quotes";
        break;
    default:
        break;
    }
    return byte == '\'' ? "a string stands in double quotes" : "expected a value";
}

/* A byte that begins nothing that may come here. */
static enum json_token unexpected(struct json_scanner *scanner, const char *at)
{
    if (*at == '/')
        return take_comment(scanner, at);
    bool last_comma = scanner->expects == EXPECT_NEXT && *at == scanner->closers[scanner->depth];
    if (!last_comma || !scanner->comments)
        return flaw_at(scanner, at, expected(scanner, *at));
    scanner->depth--;
    return give(scanner, *at == '}' ? JSON_OBJECT_END : JSON_ARRAY_END, at, at + 1);
}

static bool takes_value(const struct json_scanner *scanner)
{
    bool item = scanner->expects == EXPECT_FIRST || scanner->expects == EXPECT_NEXT;
    return scanner->expects == EXPECT_VALUE || (item && !in_object(scanner));
}

/* The byte order mark, or none. */
static enum json_token take_mark(struct json_scanner *scanner)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    const char *at = scanner->at;
    size_t size = (size_t)(scanner->limit - at), have = size < 3 ? size : 3;
    if (have == 0)
        return need_more(scanner, at, "the text is empty");
    if (*at == '\xff' || *at == '\xfe')
        return flaw_at(scanner, at, "this is not UTF-8, but perhaps UTF-16");
    if (memcmp(at, mark, have) == 0) {
        if (have < 3)
            return need_more(scanner, at, "the text ends inside a byte order mark");
        scanner->at = at + 3;
    }
    scanner->inside = IN_NOTHING;
    return NOT_YET;
}

/* Goes on where the last piece ended. */
static enum json_token resume(struct json_scanner *scanner)
{
    switch (scanner->inside) {
    case IN_MARK:
        return take_mark(scanner);
    case IN_KEY:
        return end_string(scanner, scanner->at, JSON_KEY);
    case IN_STRING:
        return end_string(scanner, scanner->at, JSON_STRING);
    case IN_LINE_COMMENT:
        return line_comment(scanner, scanner->at);
    default:
        return block_comment(scanner, scanner->at);
    }
}

static enum json_token careful_step(struct json_scanner *scanner)
{
    const char *at = scanner->at;
    if (scanner->inside != IN_NOTHING)
        return resume(scanner);
    if (scanner->expects == EXPECT_FLAW)
        return JSON_WRONG;
    if (at == scanner->limit)
        return ran_out(scanner);
    if (!takes_value(scanner))
        return unexpected(scanner, at);
    if (*at == '-' || is_digit(*at))
        return take_number(scanner, at);
    switch (*at) {
    case '{':
    case '[':
        return flaw_at(scanner, at, "this is nested deeper than 1000 levels");
    case 't':
        return take_word(scanner, at, "true", JSON_TRUE);
    case 'f':
        return take_word(scanner, at, "false", JSON_FALSE);
    case 'n':
        return take_word(scanner, at, "null", JSON_NULL);
    default:
        return unexpected(scanner, at);
    }
}

/* ---- the straight way ---- */

/* What of the scanner changes with every token. */
struct cursor {
    const char *at, *limit;
    uint64_t shift; /* from an address to its offset */
    size_t depth;
    unsigned expects;
};

static inline struct cursor cursor_of(const struct json_scanner *scanner)
{
    return (struct cursor){
        .at = scanner->at,
        .limit = scanner->limit,
        .shift = scanner->base - (uint64_t)(uintptr_t)scanner->text,
        .depth = scanner->depth,
        .expects = scanner->expects,
    };
}

static inline void put_back(struct json_scanner *scanner, const struct cursor *cursor)
{
    scanner->at = cursor->at;
    scanner->depth = cursor->depth;
    scanner->expects = (unsigned char)cursor->expects;
}

static inline enum json_token pass(struct json_scanner *scanner, struct cursor *cursor,
                                   enum json_token token, const char *end)
{
    scanner->start = cursor->shift + (uint64_t)(uintptr_t)cursor->at;
    scanner->end = cursor->shift + (uint64_t)(uintptr_t)end;
    cursor->at = end;
    return token;
}

static inline enum json_token pass_value(struct json_scanner *scanner, struct cursor *cursor,
                                         enum json_token token, const char *end)
{
    cursor->expects = cursor->depth > 0 ? EXPECT_COMMA : EXPECT_NOTHING;
    return pass(scanner, cursor, token, end);
}

static inline enum json_token leave(struct json_scanner *scanner, struct cursor *cursor)
{
    cursor->depth--;
    return pass_value(scanner, cursor, *cursor->at == '}' ? JSON_OBJECT_END : JSON_ARRAY_END,
                      cursor->at + 1);
}

static inline enum json_token enter(struct json_scanner *scanner, struct cursor *cursor,
                                    enum json_token token, char closer)
{
    if (cursor->depth == JSON_DEPTH)
        return NOT_YET;
    scanner->closers[++cursor->depth] = closer;
    cursor->expects = EXPECT_FIRST;
    return pass(scanner, cursor, token, cursor->at + 1);
}

static inline enum json_token pass_string(struct json_scanner *scanner, struct cursor *cursor,
                                          bool key)
{
    const char *end = skip_plain(cursor->at + 1, cursor->limit);
    enum json_token token = key ? JSON_KEY : JSON_STRING;
    scanner->escaped = false;
    if (end < cursor->limit && *end == '"') {
        pass_value(scanner, cursor, token, end + 1);
        if (key)
            cursor->expects = EXPECT_COLON;
        return token;
    }
    scanner->start = cursor->shift + (uint64_t)(uintptr_t)cursor->at;
    put_back(scanner, cursor);
    token = end_string(scanner, end, token);
    *cursor = cursor_of(scanner);
    scanner->work += 2; /* that took longer */
    return token;
}

static inline enum json_token pass_word(struct json_scanner *scanner, struct cursor *cursor,
                                        const char *word, size_t size, enum json_token token)
{
    if (cursor->limit - cursor->at < 5 || memcmp(cursor->at, word, size) != 0)
        return NOT_YET;
    return pass_value(scanner, cursor, token, cursor->at + size);
}

static inline enum json_token pass_number(struct json_scanner *scanner, struct cursor *cursor)
{
    size_t size = short_number(cursor->at, cursor->limit, &scanner->integer);
    if (size == 0)
        return NOT_YET;
    return pass_value(scanner, cursor, JSON_NUMBER, cursor->at + size);
}

static inline enum json_token pass_other(struct json_scanner *scanner, struct cursor *cursor)
{
    switch (*cursor->at) {
    case '{':
        return enter(scanner, cursor, JSON_OBJECT_BEGIN, '}');
    case '[':
        return enter(scanner, cursor, JSON_ARRAY_BEGIN, ']');
    case 't':
        return pass_word(scanner, cursor, "true", 4, JSON_TRUE);
    case 'f':
        return pass_word(scanner, cursor, "false", 5, JSON_FALSE);
    case 'n':
        return pass_word(scanner, cursor, "null", 4, JSON_NULL);
    default:
        return pass_number(scanner, cursor);
    }
}

/* NOT_YET: nothing was taken but blanks, a comma or a colon; the careful way goes on from there. */
static inline enum json_token straight_step(struct json_scanner *scanner, struct cursor *cursor)
{
    const char *limit = cursor->limit;
    char closer = scanner->closers[cursor->depth];
    cursor->at = skip_blanks(cursor->at, limit);
    if (cursor->at == limit)
        return NOT_YET;
    switch (cursor->expects) {
    case EXPECT_COMMA:
        if (*cursor->at == closer)
            return leave(scanner, cursor);
        if (*cursor->at != ',')
            return NOT_YET;
        cursor->expects = EXPECT_NEXT;
        cursor->at = skip_blanks(cursor->at + 1, limit);
        break;
    case EXPECT_COLON:
        if (*cursor->at != ':')
            return NOT_YET;
        cursor->expects = EXPECT_VALUE;
        cursor->at = skip_blanks(cursor->at + 1, limit);
        break;
    case EXPECT_FIRST:
        if (*cursor->at == closer)
            return leave(scanner, cursor);
        break;
    case EXPECT_NEXT:
    case EXPECT_VALUE:
        break;
    default:
        return NOT_YET;
    }
    if (cursor->at == limit)
        return NOT_YET;
    bool key = closer == '}' && cursor->expects != EXPECT_VALUE;
    if (*cursor->at == '"')
        return pass_string(scanner, cursor, key);
    return key ? NOT_YET : pass_other(scanner, cursor);
}

/* To a token that leaves the container of that depth, or to the end; with NOT_YET, to `until`. */
static enum json_token scan_tokens(struct json_scanner *scanner, size_t depth, const char *until)
{
    struct cursor cursor = cursor_of(scanner);
    for (;;) {
        enum json_token token = NOT_YET;
        if (scanner->inside == IN_NOTHING)
            token = straight_step(scanner, &cursor);
        if (token == NOT_YET) {
            put_back(scanner, &cursor);
            token = careful_step(scanner);
            cursor = cursor_of(scanner);
        }
        if (token >= JSON_DONE || (token != NOT_YET && cursor.depth < depth)) {
            put_back(scanner, &cursor);
            return token;
        }
        scanner->work++;
        if (until && cursor.at >= until) {
            put_back(scanner, &cursor);
            return NOT_YET;
        }
    }
}

/* Whether it got on. */
static bool scan_bulk(struct json_scanner *scanner, size_t depth)
{
    struct json_place place = {scanner->at, scanner->depth, scanner->expects};
    if (scanner->inside != IN_NOTHING || scanner->depth == 0)
        return false;
    json_bulk(&place, scanner->closers, depth > 0 ? depth : 1, scanner->limit);
    bool taken = place.at > scanner->at;
    scanner->at = place.at;
    scanner->depth = place.depth;
    scanner->expects = (unsigned char)place.expects;
    return taken;
}

/* ---- the interface ---- */

void json_scan_begin(struct json_scanner *scanner, enum untorn_format format)
{
    /* All but the brackets, which are written before they are read. */
    memset(scanner, 0, offsetof(struct json_scanner, closers) + 1);
    scanner->inside = IN_MARK;
    scanner->comments = format == UNTORN_JSONC;
}

void json_scan_feed(struct json_scanner *scanner, const char *text, size_t size, bool last)
{
    static const char nothing[1];
    scanner->text = text ? text : nothing;
    scanner->base = scanner->keep;
    scanner->at = scanner->text + (scanner->resume - scanner->keep);
    scanner->limit = scanner->text + size;
    scanner->last = last;
}

enum json_token json_scan_next(struct json_scanner *scanner)
{
    return scan_tokens(scanner, SIZE_MAX, NULL);
}

/* In stretches, to see how dense the tokens are: from two in a block on they are taken in bulk. */
enum json_token json_scan_skip(struct json_scanner *scanner, size_t depth)
{
    enum { SHORTEST = 512, LONGEST = 4096, APART = BLOCK_SIZE / 2 };
    for (ptrdiff_t stretch = SHORTEST;;) {
        bool last = scanner->limit - scanner->at <= stretch;
        const char *until = last ? scanner->limit : scanner->at + stretch;
        scanner->work = 0;
        enum json_token token = scan_tokens(scanner, depth, until);
        if (token != NOT_YET)
            return token;
        bool dense = (ptrdiff_t)scanner->work >= stretch / APART;
        if (dense && scan_bulk(scanner, depth))
            stretch = SHORTEST;
        else if (stretch < LONGEST)
            stretch *= 2;
    }
}

enum json_token json_scan_rest(struct json_scanner *scanner)
{
    return json_scan_skip(scanner, 0);
}

const char *json_token_text(const struct json_scanner *scanner)
{
    return scanner->start >= scanner->base ? scanner->text + (scanner->start - scanner->base)
                                           : NULL;
}
