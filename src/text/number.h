/* Numbers as they are spelled: no spelling is changed by reading it. Independent of the locale. */
#ifndef UNTORN_TEXT_NUMBER_H
#define UNTORN_TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* JSON's and TOML's integers: sign, 0x 0o 0b, underscores. false: not one, or beyond 64 bits. */
bool number_integer(const char *text, size_t size, int64_t *ret_value);

/* The nearest double, of floats and integers alike, infinite beyond the largest; TOML's inf and nan
 * too. false: not a number. */
bool number_double(const char *text, size_t size, double *ret_value);

/* Whether two decimal numbers of any length have exactly the same value: 1e2, 100 and 100.0. */
bool number_equal(const char *a, size_t a_size, const char *b, size_t b_size);

/* The shortest text that reads back as the same double, as Python's repr: "1e+16", "0.1", "1.0".
 * At most 32 bytes with the NUL. */
void number_format(double value, char text[32]);

/* Whether it is a number as JSON spells it, and whether without fraction and exponent, unless
 * `ret_integer` is NULL. */
bool number_is_json(const char *text, size_t size, bool *ret_integer);

/* A decimal number, taken apart: 0.DIGITS times ten to the power of `point` plus the exponent. */
struct decimal {
    bool negative, fractional;       /* `fractional`: spelled with a fraction or an exponent */
    const char *digits, *digits_end; /* neither begins nor ends with 0, both NULL for zero; a point
                                        and underscores between are to be skipped */
    int64_t point;
    bool exponent_negative;
    const char *exponent, *exponent_end; /* digits and underscores; NULL if there is none */
};

/* false: not a decimal number of JSON or TOML. The result points into `text`. */
bool number_decimal(const char *text, size_t size, struct decimal *ret_decimal);

/* The exponent of `a` less that of `b`; below -10^17 or above 10^17 only the sign is right. */
int64_t number_exponent_difference(const struct decimal *a, const struct decimal *b);

#endif
