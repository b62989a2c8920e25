/* UTF-8 (RFC 3629). */
#ifndef UNTORN_BASE_UTF8_H
#define UNTORN_BASE_UTF8_H

#include <stddef.h>

/* The length of the well-formed sequence at `text`, 1 to 4; 0 if there is none: overlong forms,
 * surrogates and anything above U+10FFFF included. `size` is at least 1. */
size_t utf8_length(const char *text, size_t size);

#endif
