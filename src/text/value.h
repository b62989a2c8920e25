/* The value of an edit: read as the edit says it is spelled, and fit for the document's format. */
#ifndef UNTORN_TEXT_VALUE_H
#define UNTORN_TEXT_VALUE_H

#include "base/error.h"
#include "text/parsed.h"

/* Start from zero. */
struct value {
    struct untorn_node *node; /* in no tree */
    struct parsed parsed;     /* of a value that was scanned */
    char *text;               /* what was scanned, where that is not the edit's own bytes */
    struct arena arena;       /* of one that was not */
};

/* `old` is what it replaces, or NULL; `name` is its key, for messages. -UNTORN_TYPE if a plain
 * value is of another type, -UNTORN_INVALID if it is not spelled as the edit says. */
int value_read(const struct untorn_edit *edit, const struct untorn_node *old, const char *name,
               enum untorn_format format, struct value *ret_value, struct untorn_error *error);

/* Accepts a zeroed one. */
void value_free(struct value *value);

/* Whether a document of that format can hold it, `depth` levels below the root: -UNTORN_TYPE for
 * null, integers beyond 64 bits and repeated keys in TOML, dates and infinities in
 * JSON; -UNTORN_TOO_LARGE for what would be nested too deep. */
int value_fits(const struct untorn_node *node, enum untorn_format format, size_t depth,
               struct untorn_error *error);

/* How many levels of arrays and objects there may be, the root among them. */
size_t value_depth(enum untorn_format format);

/* Whether `text` spells a scalar of that kind in that format; a string's are its bytes. */
bool value_is_spelled(enum untorn_kind kind, const char *text, size_t size,
                      enum untorn_format format);

bool value_is_utf8(const char *text, size_t size);

/* "an integer". */
const char *value_kind_words(enum untorn_kind kind);

#endif
