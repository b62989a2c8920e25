/* What is taken in bulk, and what is not, makes no difference to any verdict: token by token the
 * same comes out. */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "text/json.h"

/* Once more, without vectors. */
#define JSON_SCAN_PORTABLE
#define json_bulk portable_bulk
#include "text/json_bulk.c"
#undef json_bulk

void json_bulk(struct json_place *place, char *closers, size_t floor, const char *limit);

typedef void bulk_function(struct json_place *place, char *closers, size_t floor,
                           const char *limit);

enum { LONGEST = 4000, BLANKS = BLOCK_SIZE + 4 }; /* with them behind it, all of a text is taken */

/* ---- scans ---- */

struct verdict {
    enum json_token token; /* the last */
    struct flaw flaw;
    size_t count;  /* of tokens */
    uint64_t hash; /* of what they are and where */
};

static void note(struct verdict *verdict, const struct json_scanner *scanner, enum json_token token)
{
    const uint64_t parts[] = {token, scanner->start, scanner->end, scanner->depth};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        verdict->hash = (verdict->hash ^ parts[i]) * 0x9e3779b97f4a7c15u;
    verdict->count++;
}

/* The tokens from that offset on, and the end. */
static struct verdict go_on(struct json_scanner *scanner, uint64_t from)
{
    struct verdict verdict = {0};
    while ((verdict.token = json_scan_next(scanner)) < JSON_DONE)
        if (scanner->start >= from)
            note(&verdict, scanner, verdict.token);
    verdict.flaw = scanner->flaw;
    return verdict;
}

static bool same_end(const struct verdict *a, const struct verdict *b)
{
    return a->token == b->token &&
           (a->token != JSON_WRONG ||
            (a->flaw.position == b->flaw.position && a->flaw.at_end == b->flaw.at_end &&
             strcmp(a->flaw.what, b->flaw.what) == 0));
}

static bool same(const struct verdict *a, const struct verdict *b)
{
    return same_end(a, b) && a->count == b->count && a->hash == b->hash;
}

static void begin_scan(struct json_scanner *scanner, const char *text, size_t size)
{
    json_scan_begin(scanner, UNTORN_JSON);
    json_scan_feed(scanner, text, size, true);
}

static void take(bulk_function *function, struct json_scanner *scanner, size_t floor)
{
    struct json_place place = {scanner->at, scanner->depth, scanner->expects};
    function(&place, scanner->closers, floor, scanner->limit);
    scanner->at = place.at;
    scanner->depth = place.depth;
    scanner->expects = (unsigned char)place.expects;
}

static bool at_one_place(const struct json_scanner *a, const struct json_scanner *b)
{
    return a->at == b->at && a->depth == b->depth && a->expects == b->expects &&
           memcmp(a->closers + 1, b->closers + 1, a->depth) == 0;
}

/* Whether a scanner that went on from `before` gives from then on what token by token comes. */
static bool goes_on_like(const struct json_scanner *scanner, const struct json_scanner *before)
{
    struct json_scanner tokens = *before, rest = *scanner;
    uint64_t from = (uint64_t)(scanner->at - scanner->text);
    struct verdict expected = go_on(&tokens, from), actual = go_on(&rest, from);
    return same(&actual, &expected) &&
           (expected.token != JSON_WRONG || from <= expected.flaw.position); /* [BULK-1] */
}

/* Takes in bulk from where the scanner is; how much it was. */
static size_t check_from(const struct json_scanner *scanner, size_t floor)
{
    struct json_scanner usual = *scanner, portable = *scanner;
    take(json_bulk, &usual, floor);
    take(portable_bulk, &portable, floor);
    CHECK(at_one_place(&usual, &portable));
    CHECK(usual.at >= scanner->at && usual.depth >= floor);           /* [BULK-3] */
    CHECK(usual.at == scanner->at || strchr("[]{},:", usual.at[-1])); /* [BULK-2] */
    CHECK(goes_on_like(&usual, scanner));
    return (size_t)(usual.at - scanner->at);
}

/* From behind the first bracket. */
static size_t check_text(const char *text, size_t size)
{
    struct json_scanner scanner;
    begin_scan(&scanner, text, size);
    while (scanner.depth == 0)
        if (json_scan_next(&scanner) >= JSON_DONE)
            return 0;
    return check_from(&scanner, 1);
}

/* ---- documents ---- */

static const char mixed[] =
    "[1,\"a\",{},[],true,null,-0.5,{\"k\":[]},false,[[{}]],{\"\":{\"a\":[{\"b\":0}]}},\"\",1e9,12,"
    "[0,1,-2.5E+10],{\"x\":true,\"y\":[null,false],\"z\":\"\"},\"bc\",[[[[]]]],0,{\"n\":-1}]";

static const char spaced[] =
    "{\n  \"name\" : \"a string that is longer than one block of sixteen bytes\",\r\n"
    "\t\"key\": [ 1, -2.50e+10 , 0, 12345678901234567890, true,false , null],\n  \"one\":\n"
    "                                                                       {\"deep\" : [ [ { } ] "
    "] }\n , \"two\":[ ],\"long\":\"0123456789012345678901234567890123456789012345678901234567890"
    "0123456789012345678901234567890123456789012345678901234567890123456789\"   }";

static const char special[] =
    "[\"\\u00e9\\\"key\\\\\",\"\\\\\\\\\\\\\",{\"\\n\":\"\\ud83d\\ude00\\/\\b\\f\\r\\t\"},\"\xc3"
    "\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\"\xe6\x88\x91\xe8\x83\xbd\xe5\x90\x9e\xe4\xb8"
    "\x8b\xe7\x8e\xbb"
    "\xe7\x92\x83 {[,:]} \xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\xf0\x90\x80\x80\xe0\xa0\x80\",\""
    "\\\\u\\u4F60\\\\\\\"\",{\"\xd0\xbf\":\"\\uabCD\\u0000\",\"\":[\"\\\"\",\"\\\\\"]}]";

static const struct {
    const char *text;
    size_t size;
} documents[] = {
    {mixed, sizeof mixed - 1}, {spaced, sizeof spaced - 1}, {special, sizeof special - 1}};

enum { DOCUMENT_COUNT = sizeof documents / sizeof *documents };

static size_t add_blanks(char *text, size_t size)
{
    memset(text + size, ' ', BLANKS);
    return size + BLANKS;
}

/* ---- all is taken, and nothing wrong ---- */

TEST(what_is_right_is_taken_up_to_the_block_that_ends_it)
{
    char text[LONGEST];
    for (size_t i = 0; i < DOCUMENT_COUNT; i++)
        for (size_t shift = 0; shift < BLOCK_SIZE; shift++) {
            size_t size = 0;
            memset(text, ' ', shift + 1);
            text[size++] = '[';
            size += shift;
            memcpy(text + size, documents[i].text, documents[i].size);
            size += documents[i].size;
            text[size++] = ']';
            size_t done = check_text(text, add_blanks(text, size));
            CHECK(done + 2 * BLOCK_SIZE >= size || i == 1); /* a long string: see below */
        }
}

TEST(what_is_right_is_taken_from_wherever_it_is_begun)
{
    char text[LONGEST];
    struct json_scanner scanner;
    size_t size = 1, end;
    text[0] = '[';
    for (int i = 0; i < 4; i++) {
        memcpy(text + size, mixed, sizeof mixed - 1);
        size += sizeof mixed - 1;
        text[size++] = i < 3 ? ',' : ']';
    }
    end = size;
    size = add_blanks(text, size);
    begin_scan(&scanner, text, size);
    CHECK_INT(json_scan_next(&scanner), JSON_ARRAY_BEGIN);
    for (size_t at; (at = (size_t)(scanner.at - text)) + 3 * BLOCK_SIZE < end;) {
        CHECK(at + check_from(&scanner, 1) + 2 * BLOCK_SIZE >= end);
        CHECK(json_scan_next(&scanner) < JSON_DONE);
    }
}

TEST(a_scanner_that_is_elsewhere_does_not_go_on_alike)
{
    struct json_scanner before, after;
    begin_scan(&before, mixed, sizeof mixed - 1);
    CHECK_INT(json_scan_next(&before), JSON_ARRAY_BEGIN);
    after = before;
    CHECK(goes_on_like(&after, &before));
    after.at += 2; /* behind the comma, still expecting a first element */
    after.expects = EXPECT_COMMA;
    CHECK(!goes_on_like(&after, &before));
    after = before;
    after.depth++;
    after.closers[2] = ']';
    CHECK(!goes_on_like(&after, &before));
    CHECK(!at_one_place(&after, &before));
}

TEST(where_tokens_are_few_the_scanner_goes_on)
{
    char text[LONGEST];
    memset(text, 'x', sizeof text);
    memcpy(text, "[1,2,\"", 6);
    memcpy(text + sizeof text - 2, "\"]", 2);
    CHECK_INT(check_text(text, sizeof text), 4); /* nothing of the string was kept */
}

TEST(a_container_is_not_left)
{
    for (size_t i = 0; i < DOCUMENT_COUNT; i++) {
        char text[LONGEST];
        memcpy(text, documents[i].text, documents[i].size);
        size_t size = add_blanks(text, documents[i].size);
        struct json_scanner scanner;
        begin_scan(&scanner, text, size);
        while (json_scan_next(&scanner) < JSON_DONE)
            for (size_t floor = 1; floor <= scanner.depth; floor++)
                check_from(&scanner, floor); /* [BULK-3] */
    }
}

/* ---- damage ---- */

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

static size_t damage(char *text, size_t size, uint64_t *random)
{
    static const char bytes[] = "\"\"\\\\\\ \n\t\r\x01\x1f\x7f,,::[]{}[]{}0019--+..eEtrufalsn/\v'"
                                "\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc3\xe0\xed\xef\xf0\xf4\xf5\xff";
    size_t at = draw(random, (uint32_t)size), length = 1 + draw(random, 8);
    char byte = bytes[draw(random, sizeof bytes)]; /* the NUL too */
    length = length < size - at ? length : size - at;
    switch (draw(random, 4)) {
    case 0:
        text[at] = byte;
        return size;
    case 1:
        memmove(text + at + 1, text + at, size - at);
        text[at] = byte;
        return size + 1;
    case 2:
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    default: /* twice */
        memmove(text + at + length, text + at, size - at);
        return size + length;
    }
}

TEST(damage_is_judged_like_token_by_token)
{
    uint64_t random = 1;
    size_t taken = 0, wrong = 0;
    for (int i = 0; i < 30000; i++) {
        char text[LONGEST];
        size_t size = documents[i % DOCUMENT_COUNT].size;
        memcpy(text, documents[i % DOCUMENT_COUNT].text, size);
        for (uint32_t n = draw(&random, 4); n > 0 && size > 0; n--)
            size = damage(text, size, &random);
        size = add_blanks(text, size);
        taken += check_text(text, size) > 0;
        wrong += !json_is_valid(text, size, NULL);
    }
    CHECK(taken > 10000 && wrong > 10000);
}

/* ---- every word of an alphabet, across the end of a block ---- */

/* `before`, the word, `after` and a bracket, so that the block from the second byte on ends `over`
 * bytes before the end of the word; `fill` makes that good. */
static size_t check_word(const char *before, char fill, const char *word, size_t length,
                         const char *after, size_t over)
{
    char text[4 * BLOCK_SIZE];
    size_t start = 1 + BLOCK_SIZE + over - length, size = strlen(before);
    memcpy(text, before, size);
    memset(text + size, fill, start - size);
    memcpy(text + start, word, length);
    size = start + length;
    memcpy(text + size, after, strlen(after));
    size = add_blanks(text, add_blanks(text, size + strlen(after)));
    text[size++] = ']';
    return check_text(text, size);
}

static size_t check_words(const char *before, char fill, const char *alphabet, size_t longest,
                          const char *after)
{
    char word[8];
    size_t count = strlen(alphabet), taken = 0;
    for (size_t length = 1, words = count; length <= longest; length++, words *= count)
        for (size_t number = 0; number < words; number++) {
            for (size_t i = 0, left = number; i < length; i++, left /= count)
                word[i] = alphabet[left % count];
            for (size_t over = 0; over <= length; over++)
                taken += check_word(before, fill, word, length, after, over) > BLOCK_SIZE;
        }
    return taken;
}

TEST(every_number_is_judged_like_token_by_token)
{
    CHECK(check_words("[", ' ', "01-+.e", 5, ",[]") > 0);
    CHECK(check_words("[", ' ', "1-.E", 6, ",[]") > 0);
}

TEST(every_string_is_judged_like_token_by_token)
{
    CHECK(check_words("[\"", 'x', "\\\"un0g", 5, "\",[]") > 0);
    CHECK(check_words("[\"", 'x', "\\u0AfG", 5, "00\",[]") > 0);
}

TEST(every_character_is_judged_like_token_by_token)
{
    CHECK(check_words("[\"", 'x', "x\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xe0\xed\xef\xf0\xf4\xf5", 4,
                      "\",[]") > 0);
}

TEST(every_order_of_tokens_is_judged_like_token_by_token)
{
    CHECK(check_words("[", ' ', "[]{}\":,1", 5, ",[]") > 0);
    CHECK(check_words("[{", ' ', "{}\":,1 ", 5, "\"b\":[]}") > 0);
}

TEST(every_word_is_judged_like_token_by_token)
{
    static const char *const words[] = {"true",     "false", "null",   "tru",   "fals", "nul",
                                        "True",     "truee", "falsee", "nulll", "fal",  "falsf",
                                        "t",        "n",     "true1",  "1true", "nulx", "trux",
                                        "truefals", "-t",    "e"};
    size_t taken = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t over = 0; over <= strlen(words[i]); over++)
            taken += check_word("[", ' ', words[i], strlen(words[i]), ",[]", over) > BLOCK_SIZE;
    CHECK(taken >= 3 * 5);
}

TEST(the_last_level_is_the_last_in_bulk_too)
{
    char text[LONGEST];
    for (size_t depth = JSON_DEPTH - 70; depth <= JSON_DEPTH + 1; depth++) {
        size_t size = 0;
        for (size_t i = 0; i < depth - 1; i++)
            text[size++] = '[';
        memcpy(text + size, "1,[],{},[],{\"\":[]},{},[]", 24);
        size += 24;
        for (size_t i = 0; i < depth - 1; i++)
            text[size++] = ']';
        size = add_blanks(text, size);
        check_text(text, size);
        CHECK_INT(json_is_valid(text, size, NULL), depth < JSON_DEPTH); /* {"":[]} has two */
    }
}

/* ---- the whole scanner ---- */

/* Many tokens in front, so that the scanner takes the text in bulk. */
static size_t wrap(char *wrapped, const char *text, size_t size)
{
    size_t at = 0;
    wrapped[at++] = '[';
    for (int i = 0; i < 300; i++, at += 2)
        memcpy(wrapped + at, "1,", 2);
    memcpy(wrapped + at, text, size);
    at = add_blanks(wrapped, at + size);
    wrapped[at++] = ']';
    return at;
}

static struct verdict rest_of(struct json_scanner *scanner)
{
    struct verdict verdict = {.token = json_scan_rest(scanner)};
    verdict.flaw = scanner->flaw;
    return verdict;
}

static struct verdict check_rest(const char *text, size_t size, enum untorn_format format)
{
    struct json_scanner scanner;
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text, size, true);
    struct verdict rest = rest_of(&scanner);
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text, size, true);
    struct verdict tokens = go_on(&scanner, 0);
    CHECK(same_end(&rest, &tokens));
    return rest;
}

TEST(the_rest_of_damaged_texts_is_judged_like_token_by_token)
{
    uint64_t random = 2;
    for (int i = 0; i < 30000; i++) {
        char text[LONGEST], wrapped[LONGEST];
        size_t size = documents[i % DOCUMENT_COUNT].size;
        memcpy(text, documents[i % DOCUMENT_COUNT].text, size);
        for (uint32_t n = draw(&random, 4); n > 0 && size > 0; n--)
            size = damage(text, size, &random);
        check_rest(wrapped, wrap(wrapped, text, size), i % 2 ? UNTORN_JSON : UNTORN_JSONC);
    }
}

/* In two pieces, cut at `cut`; the second begins where the scanner wants it to. */
static void check_cut(const char *text, size_t size, size_t cut, const struct verdict *whole)
{
    struct json_scanner scanner;
    char *first = malloc(cut + 1), *second = malloc(size);
    CHECK(first && second);
    memcpy(first, text, cut);
    json_scan_begin(&scanner, UNTORN_JSON);
    scanner.skips = cut % 2;
    json_scan_feed(&scanner, first, cut, false);
    struct verdict verdict = rest_of(&scanner);
    if (verdict.token == JSON_MORE) {
        size_t left = size - (size_t)scanner.keep;
        memcpy(second, text + scanner.keep, left);
        free(first);
        first = NULL;
        json_scan_feed(&scanner, second, left, true);
        verdict = rest_of(&scanner);
    }
    CHECK(same_end(&verdict, whole)); /* [SCAN-3] */
    free(first);
    free(second);
}

TEST(where_a_text_is_cut_does_not_matter_in_bulk)
{
    uint64_t random = 3;
    for (int i = 0; i < 12; i++) {
        char text[LONGEST], wrapped[LONGEST];
        size_t size = documents[i % DOCUMENT_COUNT].size;
        memcpy(text, documents[i % DOCUMENT_COUNT].text, size);
        size = i < DOCUMENT_COUNT ? size : damage(text, size, &random);
        size = wrap(wrapped, text, size);
        struct verdict whole = check_rest(wrapped, size, UNTORN_JSON);
        CHECK(i >= DOCUMENT_COUNT || whole.token == JSON_DONE);
        for (size_t cut = 0; cut <= size; cut++)
            check_cut(wrapped, size, cut, &whole);
    }
}

/* ---- memory ---- */

/* A page between two that must not be touched. */
static char *guarded_page(size_t page)
{
    char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK_INT(mprotect(pages, page, PROT_NONE), 0);
    CHECK_INT(mprotect(pages + 2 * page, page, PROT_NONE), 0);
    return pages + page;
}

TEST(nothing_outside_of_the_text_is_read)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *start = guarded_page(page), *end = start + page;
    for (size_t i = 0; i < DOCUMENT_COUNT; i++)
        for (size_t size = 0; size <= 200 && size <= documents[i].size; size++) {
            char *front = start, *back = end - size;
            memcpy(back, documents[i].text, size);
            check_text(back, size); /* [BULK-3] */
            check_rest(back, size, UNTORN_JSON);
            memcpy(front, documents[i].text, size);
            check_text(front, size);
            char wrapped[LONGEST];
            size_t all = wrap(wrapped, documents[i].text, size) - BLANKS - 1;
            memcpy(end - all, wrapped, all);
            check_rest(end - all, all, UNTORN_JSON);
        }
}
