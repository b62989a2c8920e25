/* A block of 64 bytes is judged as a whole, by sets of its bytes: the points without a digit behind
 * them, the values that nothing announced. What reaches over the end of a block is carried into the
 * next. Only brackets and words are gone through one by one, without branches that depend on which
 * they are. A block that is not right in every respect is not taken at all. */
#include "text/json_bulk.h"

#include <string.h>

#include "text/json_inside.h"
#include "text/json_scan.h"

/* What a block leaves to the next one: sets of its first bytes, or, where that is said, of all or
 * none. */
struct scalar_carry {
    set bytes, words, numbers, digits, signs, exponents, minus, zero, fraction, exponent;
};

struct grammar_carry {
    set in_string, in_object; /* all or none */
    set value, closer, key, in_key, colon;
};

struct bulk {
    const char *at;
    const char *done; /* behind the last bracket, comma or colon that was taken */
    char *closers;
    size_t depth, floor;
    unsigned dense; /* blocks that the scanner would have much to do with */
    struct inside_carry inside;
    struct scalar_carry scalars;
    struct grammar_carry grammar;
};

/* What a block consists of, strings left out but for their first bytes. */
struct tokens {
    set inside; /* of strings, the opening quotes too */
    set blanks, openers, closers, commas, colons, strings, scalars;
    set curly;   /* among the brackets */
    set special; /* backslashes, and what is not ASCII */
};

/* ---- sets ---- */

/* Where one comes to from each of `from` by going over `over`: a carry of an addition does that. */
static inline set past(set from, set over, set *carry)
{
    set start = from | *carry, sum = start + over;
    *carry = sum < start;
    return sum & ~over;
}

static inline set next_behind(set bytes, set over, set *carry)
{
    set overflow = 0, found = past(behind(bytes, carry), over, &overflow);
    *carry |= overflow;
    return found;
}

/* Each bit becomes the parity of all up to it. */
static inline set parity(set bytes)
{
    bytes ^= bytes << 1;
    bytes ^= bytes << 2;
    bytes ^= bytes << 4;
    bytes ^= bytes << 8;
    bytes ^= bytes << 16;
    return bytes ^ bytes << 32;
}

static inline set last_for_all(set bytes)
{
    return 0 - (bytes >> 63);
}

/* ---- strings, and what is between them ---- */

static inline bool find_tokens(struct bulk *bulk, const struct planes *planes,
                               struct tokens *ret_tokens)
{
    struct kinds kinds = kinds_in(planes);
    struct inside_carry *carry = &bulk->inside;
    set quotes = kinds.quotes, wrong = 0;
    if (kinds.backslashes | carry->escaped | carry->hex_digits)
        quotes &= ~find_escaped(planes, &kinds, carry, &wrong);
    if (planes->bit[7] | carry->tails)
        wrong |= wrong_utf8(planes, carry);
    set inside = parity(quotes) ^ bulk->grammar.in_string; /* closing quotes are not */
    bulk->grammar.in_string = last_for_all(inside);
    set outside = ~(inside | quotes), blanks = kinds.blanks & outside;
    set openers = kinds.openers & outside, closers = kinds.closers & outside;
    set commas = kinds.commas & outside, colons = kinds.colons & outside;
    *ret_tokens = (struct tokens){
        .inside = inside,
        .blanks = blanks,
        .openers = openers,
        .closers = closers,
        .commas = commas,
        .colons = colons,
        .strings = quotes & inside,
        .scalars = outside & ~(blanks | openers | closers | commas | colons),
        .curly = planes->bit[5],
        .special = kinds.backslashes | planes->bit[7],
    };
    return (wrong | (kinds.controls & inside)) == 0;
}

/* ---- numbers and words ---- */

static inline uint32_t word_at(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The bytes of `true`, `false` and `null` that begin at `starts`. */
static inline set find_words(const char *at, set starts, set *carry)
{
    set words = *carry;
    *carry = 0;
    for (; starts; starts &= starts - 1) {
        unsigned i = (unsigned)__builtin_ctzll(starts);
        uint32_t word = word_at(at + i);
        set four = (set)(word == word_at("true")) | (set)(word == word_at("null"));
        set five = (set)(word == word_at("fals")) & (set)(at[i + 4] == 'e');
        set bytes = four * 15 | five * 31;
        words |= bytes << i;
        *carry |= bytes >> 1 >> (63 - i);
    }
    return words;
}

/* Whether `scalars`, which begin at `starts`, are numbers and words. */
static inline bool are_scalars(const char *at, const struct planes *planes, set scalars, set starts,
                               struct scalar_carry *carry)
{
    struct number_kinds kinds = number_kinds_in(planes);
    set digits = kinds.digits & scalars, minuses = kinds.minuses & scalars;
    set words = find_words(at, starts & ~(digits | minuses), &carry->words);
    set numbers = scalars & ~words;
    set exponents = kinds.exponents & numbers, points = kinds.points & numbers;
    set signs = (minuses | (kinds.pluses & numbers)) & ~starts; /* of exponents */
    set wrong = numbers & ~(digits | minuses | signs | exponents | points);
    wrong |= numbers & ~behind(numbers, &carry->numbers) & ~starts;

    set behind_exponents = behind(exponents, &carry->exponents);
    wrong |= signs & ~behind_exponents;
    wrong |= behind_exponents & ~(digits | signs);
    wrong |= behind(minuses | signs | points, &carry->signs) & ~digits;
    wrong |= (points | exponents) & ~behind(digits, &carry->digits);
    wrong |= next_behind(points, digits, &carry->fraction) & points;
    wrong |= next_behind(exponents | signs, digits, &carry->exponent) & (points | exponents);

    set first = starts | behind(minuses & starts, &carry->minus);
    wrong |= behind(first & kinds.zeros & scalars, &carry->zero) & digits;
    return wrong == 0;
}

/* ---- brackets ---- */

/* Makes the closers what they were before these brackets, all of which fitted; the depth then. */
static size_t step_back(const char *at, set brackets, char *closers, size_t depth)
{
    while (brackets) {
        unsigned last = 63 - (unsigned)__builtin_clzll(brackets);
        brackets ^= (set)1 << last;
        if (at[last] == '}' || at[last] == ']')
            closers[++depth] = at[last];
        else
            depth--;
    }
    return depth;
}

/* *ret_objects: behind which bytes the innermost container is an object. */
static inline bool take_brackets(struct bulk *bulk, set brackets, set *ret_objects)
{
    char *closers = bulk->closers;
    size_t depth = bulk->depth, floor = bulk->floor;
    set objects = bulk->grammar.in_object, before = objects & 1;
    for (set left = brackets; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        char bracket = bulk->at[i];
        int opens = bracket >> 1 & 1; /* [ and { have that bit, ] and } not */
        size_t next = depth + 2 * (size_t)opens - 1;
        if (((closers[depth] ^ bracket) & (opens - 1)) != 0 || next - floor > JSON_DEPTH - floor) {
            bulk->depth = step_back(bulk->at, brackets & ~left, closers, depth);
            return false;
        }
        closers[depth + 1] = (char)(bracket + 2); /* no matter if it closes */
        depth = next;
        set object = (set)closers[depth] >> 5 & 1; /* } has that bit, ] not */
        objects ^= (0 - (object ^ before)) << i;
        before = object;
    }
    bulk->depth = depth;
    bulk->grammar.in_object = last_for_all(objects);
    *ret_objects = objects;
    return true;
}

/* ---- a block ---- */

/* Whether values, and nothing but values and the ends of empty containers, stand where values may:
 * behind opening brackets, commas and colons. */
static inline bool are_values(const struct tokens *tokens, set starts, struct grammar_carry *carry)
{
    set announced = tokens->openers | tokens->commas | tokens->colons;
    set places = next_behind(announced, tokens->blanks, &carry->value);
    set ends = tokens->closers & next_behind(tokens->openers, tokens->blanks, &carry->closer);
    set values = tokens->openers | tokens->strings | starts;
    return ((values ^ places) & ~ends) == 0;
}

/* Whether keys stand where they must, behind the opening brackets and commas of objects, and colons
 * behind keys and nowhere else. */
static inline bool are_keys(const struct tokens *tokens, set objects, struct grammar_carry *carry)
{
    set announced = (tokens->openers | tokens->commas) & objects;
    set places = next_behind(announced, tokens->blanks, &carry->key);
    set ends = past(places & tokens->strings, tokens->inside, &carry->in_key);
    set colons = next_behind(ends, tokens->blanks, &carry->colon);
    return ((places & ~(tokens->strings | tokens->closers)) | (tokens->colons ^ colons)) == 0;
}

/* All but those of empty containers, which change nothing but on the last level. */
static inline set brackets_of(const struct tokens *tokens, size_t depth)
{
    set alike = ~(tokens->curly ^ tokens->curly >> 1);
    set empty = tokens->openers & tokens->closers >> 1 & alike;
    if (depth > JSON_DEPTH - BLOCK_SIZE)
        empty = 0;
    return (tokens->openers | tokens->closers) & ~(empty | empty << 1);
}

static inline bool take_block(struct bulk *bulk)
{
    struct planes planes = planes_at(bulk->at);
    struct tokens tokens;
    if (!find_tokens(bulk, &planes, &tokens))
        return false;
    set starts = 0, objects;
    if (tokens.scalars | bulk->scalars.bytes) {
        starts = tokens.scalars & ~behind(tokens.scalars, &bulk->scalars.bytes);
        if (!are_scalars(bulk->at, &planes, tokens.scalars, starts, &bulk->scalars))
            return false;
    }
    set brackets = brackets_of(&tokens, bulk->depth);
    if (!are_values(&tokens, starts, &bulk->grammar) || !take_brackets(bulk, brackets, &objects))
        return false;
    if (!are_keys(&tokens, objects, &bulk->grammar)) {
        bulk->depth = step_back(bulk->at, brackets, bulk->closers, bulk->depth);
        return false;
    }
    set marks = tokens.openers | tokens.closers | tokens.commas | tokens.colons;
    if (marks)
        bulk->done = bulk->at + BLOCK_SIZE - __builtin_clzll(marks);
    bulk->dense += ((marks & (marks - 1)) | tokens.special) != 0;
    return true;
}

static struct bulk begin(const struct json_place *place, char *closers, size_t floor)
{
    bool in_object = closers[place->depth] == '}';
    bool first = place->expects == EXPECT_FIRST, item = first || place->expects == EXPECT_NEXT;
    return (struct bulk){
        .at = place->at,
        .done = place->at,
        .closers = closers,
        .depth = place->depth,
        .floor = floor,
        .grammar = {.in_object = 0 - (set)in_object,
                    .value = item || place->expects == EXPECT_VALUE,
                    .closer = first,
                    .key = item && in_object,
                    .colon = place->expects == EXPECT_COLON},
    };
}

static unsigned expected_behind(char byte)
{
    return byte == ','                  ? EXPECT_NEXT
           : byte == ':'                ? EXPECT_VALUE
           : byte == '[' || byte == '{' ? EXPECT_FIRST
                                        : EXPECT_COMMA;
}

/* False at the end, and where there are so few tokens that the scanner is faster. */
static inline bool take_blocks(struct bulk *bulk, const char *limit)
{
    enum { READ_AHEAD = 4 }; /* the letters of a word that begins in the block */
    enum { COUNT = 16 };
    bulk->dense = 0;
    for (int i = 0; i < COUNT; i++) {
        if (limit - bulk->at < BLOCK_SIZE + READ_AHEAD || !take_block(bulk))
            return false;
        bulk->at += BLOCK_SIZE;
    }
    return bulk->dense >= COUNT / 2;
}

void json_bulk(struct json_place *place, char *closers, size_t floor, const char *limit)
{
    struct bulk bulk = begin(place, closers, floor);
    while (take_blocks(&bulk, limit))
        ;
    if (bulk.done > place->at)
        place->expects = expected_behind(bulk.done[-1]);
    place->at = bulk.done;
    place->depth = bulk.depth;
}
