/* Where in a text: for people. */
#ifndef UNTORN_TEXT_PLACE_H
#define UNTORN_TEXT_PLACE_H

#include <stddef.h>
#include <stdint.h>

struct text_place {
    uint64_t line, column; /* from 1; the column counts characters */
};

struct text_place text_place(const char *text, size_t size, uint64_t position);

/* How many columns a terminal gives the bytes, which have no tab and no end of a line. */
size_t text_width(const char *text, size_t size);

/* The line with a caret under the place, both indented by two blanks: "  port = = 1\n         ^".
 * A long line is cut around the place, control characters are shown as '?', an empty line not at
 * all. Terminated. */
void text_excerpt(const char *text, size_t size, uint64_t position, char *excerpt, size_t room);

#endif
