/* Values as text: what planners insert, and whole documents. */
#ifndef UNTORN_TEXT_WRITE_H
#define UNTORN_TEXT_WRITE_H

#include "text/node.h"

/* Text that grows. `failed` once memory ran out: then nothing more is added. */
struct buffer {
    char *data; /* terminated */
    size_t size, room;
    bool failed;
};

void buffer_add(struct buffer *buffer, const char *text, size_t size);
void buffer_text(struct buffer *buffer, const char *text); /* terminated */
void buffer_repeat(struct buffer *buffer, char byte, size_t count);
/* Blanks, until what begins at `start` ends before that column, counted from there; none if it is
 * too long for that. */
void buffer_align(struct buffer *buffer, size_t start, size_t column);
/* \u and four digits, or beyond U+FFFF \U and eight. */
void buffer_escape(struct buffer *buffer, uint32_t code);
void buffer_free(struct buffer *buffer);

/* The length of the character at `text`. A surrogate counts as one, though UTF-8 has none; a byte
 * of no character is taken for U+FFFD. `size` is at least 1. */
size_t character_at(const char *text, size_t size, uint32_t *ret_code);

/* A copy of the tree in which the members of each object are in the order of their code points,
 * those of one key in the order they had. NULL: no memory. */
struct untorn_node *sorted_copy(struct arena *arena, const struct untorn_node *node);

/* ---- JSON ---- */

/* The value; its lines but the first begin with `depth` levels of indentation. Byte for byte what
 * Python's json.dumps makes of the same data. What JSON has no form for becomes a string: TOML's
 * dates, times, inf and nan. */
void write_json(struct buffer *buffer, const struct untorn_node *node,
                const struct untorn_style *style, size_t depth);
/* A surrogate, which a JSON escape can smuggle in, stays an escape; a byte that is not of UTF-8
 * becomes U+FFFD. */
void write_json_string(struct buffer *buffer, const char *text, size_t size, bool ascii);

/* ---- TOML ---- */

/* As the right side of an assignment, on one line: containers inline. A scalar that was spelled in
 * TOML keeps its spelling. false: TOML cannot hold it, for null, an integer beyond 64 bits, a key
 * that an object has twice, or a text that is not UTF-8. */
bool write_toml_value(struct buffer *buffer, const struct untorn_node *node);
/* Bare where it can be, else "basic" quotes. What is not of UTF-8 becomes U+FFFD, here and below.
 */
void write_toml_key(struct buffer *buffer, const char *key, size_t size);
/* In 'literal' quotes where those save an escape, else in "basic" ones. */
void write_toml_string(struct buffer *buffer, const char *text, size_t size);
/* A whole document with headers for tables and [[...]] for arrays of tables. false as above, and
 * for anything but an object. */
bool write_toml(struct buffer *buffer, const struct untorn_node *root,
                const struct untorn_style *style);

#endif
