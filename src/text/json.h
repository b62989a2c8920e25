/* JSON as text (RFC 8259). */
#ifndef UNTORN_TEXT_JSON_H
#define UNTORN_TEXT_JSON_H

#include "text/json_scan.h"

/* Whether the bytes are exactly one JSON value, with blanks around it or not: syntax, UTF-8 and
 * nesting of at most JSON_DEPTH. A byte order mark is none of it. *ret_position, unless NULL, is
 * where it goes wrong, or the end. */
bool json_is_valid(const char *text, size_t size, size_t *ret_position);

#endif
