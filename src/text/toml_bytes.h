/* Runs of plain text: the bytes of strings and comments that need no second look.
 *
 * Plain is printable ASCII but for two bytes: the quote, and what begins an escape. Both functions
 * say the same; the fast one looks at 16 bytes at a time where the machine can.
 */
#ifndef UNTORN_TEXT_TOML_BYTES_H
#define UNTORN_TEXT_TOML_BYTES_H

#if defined(__SSE2__) && defined(__GNUC__)
#define TOML_SSE2
#include <emmintrin.h>
#endif

/* The first byte from `at` on that is not plain, or `end`. */
static inline const char *toml_plain_bytewise(const char *at, const char *end, char quote,
                                              char escape)
{
    while (at < end && *at >= ' ' && *at < 0x7f && *at != quote && *at != escape)
        at++;
    return at;
}

static inline const char *toml_plain(const char *at, const char *end, char quote, char escape)
{
#ifdef TOML_SSE2
    const __m128i quotes = _mm_set1_epi8(quote), escapes = _mm_set1_epi8(escape);
    const __m128i blanks = _mm_set1_epi8(' '), deletes = _mm_set1_epi8(0x7f);
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        /* As signed numbers, all that is not ASCII is below a blank too. */
        __m128i special = _mm_or_si128(
            _mm_or_si128(_mm_cmplt_epi8(bytes, blanks), _mm_cmpeq_epi8(bytes, deletes)),
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, escapes)));
        unsigned found = (unsigned)_mm_movemask_epi8(special);
        if (found)
            return at + __builtin_ctz(found);
    }
#endif
    return toml_plain_bytewise(at, end, quote, escape);
}

#endif
