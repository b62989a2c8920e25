/* Changes of JSON texts for tests: planned, applied, and compared with the change of the data. */
#ifndef UNTORN_TESTS_TEXT_JSON_CHANGES_H
#define UNTORN_TESTS_TEXT_JSON_CHANGES_H

#include "text/plan.h"

/* A text that is a document, and what it says. */
struct json_text {
    char *text; /* malloc */
    size_t size;
    struct parsed parsed;
};

/* The bytes are copied; they must be JSON, or JSONC if that is the format. */
struct json_text json_text_of(const char *text, size_t size, enum untorn_format format);
void json_text_free(struct json_text *text);

/* Makes the change, whose node is one of the text's. The result must be a document of the same
 * format, its data the old data with the change made to it. */
void json_text_change(struct json_text *text, const struct change *change);

/* What a pointer names, of which no key has a slash or tilde; NULL: nothing. */
struct untorn_node *json_text_find(const struct json_text *text, const char *pointer);

/* The node at the same place in another tree: that of `node` in `root`, step for step. */
struct untorn_node *json_same_place(struct untorn_node *root, const struct untorn_node *node);

/* The next node of a walk through everything, first what is inside; NULL at the end. */
struct untorn_node *json_next_node(const struct untorn_node *node);

/* ---- one change of one text, in JSONC, compared with the text it must give ---- */

#define SET(before, pointer, value, after)                                                         \
    json_check_change(CHANGE_REPLACE, before, pointer, NULL, 0, value, after)
#define ADD(before, pointer, key, value, after)                                                    \
    json_check_change(CHANGE_ADD, before, pointer, key, 0, value, after)
#define INSERT(before, pointer, index, value, after)                                               \
    json_check_change(CHANGE_INSERT, before, pointer, NULL, index, value, after)
#define REMOVE(before, pointer, after)                                                             \
    json_check_change(CHANGE_REMOVE, before, pointer, NULL, 0, NULL, after)
#define RENAME(before, pointer, key, after)                                                        \
    json_check_change(CHANGE_RENAME, before, pointer, key, 0, NULL, after)

void json_check_change(enum change_kind kind, const char *before, const char *pointer,
                       const char *key, size_t index, const char *value, const char *after);

#endif
