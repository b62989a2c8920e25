/* Numbers. The input: two numbers with a NUL between them. The reference is strtod, and the text
 * itself. */
#include "fuzz.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"

enum { LONGEST = 2000 };

/* Terminated and without underscores. */
static void plain_text(const struct fuzz_text *text, char plain[LONGEST + 1])
{
    size_t size = 0;
    for (size_t i = 0; i < text->size; i++)
        if (text->data[i] != '_')
            plain[size++] = text->data[i];
    plain[size] = '\0';
}

static bool same_bits(double one, double other)
{
    return memcmp(&one, &other, sizeof one) == 0 || (isnan(one) && isnan(other));
}

/* What is in octal or binary, C does not read before C23. */
static bool is_for_c(const char *plain)
{
    return strncmp(plain, "0o", 2) != 0 && strncmp(plain, "0b", 2) != 0;
}

static void check_format(double value)
{
    char text[32];
    double again;
    number_format(value, text);
    REQUIRE(strlen(text) < 32);
    REQUIRE(number_double(text, strlen(text), &again));
    REQUIRE(same_bits(value, again));
    REQUIRE(same_bits(value, strtod(text, NULL)));
}

static void check_double(const struct fuzz_text *text)
{
    char plain[LONGEST + 1], *end;
    double value;
    bool integer, json = number_is_json(text->data, text->size, &integer);
    bool is_number = number_double(text->data, text->size, &value);
    REQUIRE(is_number || !json);
    if (!is_number)
        return;
    plain_text(text, plain);
    if (is_for_c(plain)) {
        double expected = strtod(plain, &end);
        REQUIRE(*end == '\0');
        REQUIRE(same_bits(value, expected));
    }
    check_format(value);
}

static void check_integer(const struct fuzz_text *text)
{
    char plain[LONGEST + 1], *end;
    int64_t value;
    bool integer, json = number_is_json(text->data, text->size, &integer);
    bool fits = number_integer(text->data, text->size, &value);
    double same;
    plain_text(text, plain);
    if (fits && is_for_c(plain)) {
        errno = 0;
        REQUIRE(strtoll(plain, &end, strncmp(plain, "0x", 2) == 0 ? 16 : 10) == value);
        REQUIRE(errno == 0 && *end == '\0');
    }
    if (fits)
        REQUIRE(number_double(text->data, text->size, &same) && same == (double)value);
    if (json && integer && !fits) {
        errno = 0;
        (void)strtoll(plain, &end, 10);
        REQUIRE(errno == ERANGE);
    }
}

static void check_pair(const struct fuzz_text *a, const struct fuzz_text *b)
{
    struct decimal decimal;
    double first, second;
    bool equal = number_equal(a->data, a->size, b->data, b->size);
    REQUIRE(number_equal(b->data, b->size, a->data, a->size) == equal);
    if (number_decimal(a->data, a->size, &decimal))
        REQUIRE(number_equal(a->data, a->size, a->data, a->size));
    if (equal && number_double(a->data, a->size, &first) &&
        number_double(b->data, b->size, &second))
        REQUIRE(first == second || (isnan(first) && isnan(second)));
}

/* A zero more in the fraction, and a place less in the exponent, are the same number. */
static void check_shifted(const struct fuzz_text *text)
{
    char other[LONGEST + 8];
    bool integer;
    if (!number_is_json(text->data, text->size, &integer) || !integer)
        return;
    memcpy(other, text->data, text->size);
    memcpy(other + text->size, "0.0e-1", 6);
    struct fuzz_text shifted = fuzz_copy(other, text->size + (text->data[0] == '0' ? 0 : 6));
    REQUIRE(shifted.size == text->size || text->size < 2 ||
            number_equal(text->data, text->size, shifted.data, shifted.size) ||
            memcmp(text->data, "-0", 2) == 0);
    check_pair(text, &shifted);
    free(shifted.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    uint64_t bits = 0;
    double value;
    if (size > LONGEST)
        return 0;
    struct fuzz_text a = fuzz_field(&input), b = fuzz_rest(&input);
    check_double(&a);
    check_double(&b);
    check_integer(&a);
    check_shifted(&a);
    check_pair(&a, &b);
    memcpy(&bits, data, size < sizeof bits ? size : sizeof bits);
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value))
        check_format(value);
    free(a.data);
    free(b.data);
    return 0;
}
