/* Changes of TOML texts for tests: planned, applied, and compared with the change of the data. */
#ifndef UNTORN_TESTS_TEXT_TOML_CHANGES_H
#define UNTORN_TESTS_TEXT_TOML_CHANGES_H

#include "text/plan.h"

/* A text that is a document, and what it says. */
struct toml_text {
    char *text; /* malloc */
    size_t size;
    struct parsed parsed;
    /* of the change that made it: */
    size_t splices;
    bool inserted; /* nothing was taken out */
};

/* The bytes are copied; they must be TOML. */
struct toml_text toml_text_of(const char *text, size_t size);
struct toml_text toml_text_copy(const struct toml_text *text);
void toml_text_free(struct toml_text *text);

/* Makes the change, whose node is one of the text's. The result must be TOML, its data the old data
 * with the change made to it; else false, with the reason on standard error. The one change that
 * may be refused, for the sake of comments, is not made then. */
bool toml_text_try(struct toml_text *text, const struct change *change);
void toml_text_change(struct toml_text *text, const struct change *change);

/* What a pointer names, of which no key has a slash or tilde; NULL: nothing. */
struct untorn_node *toml_text_find(const struct toml_text *text, const char *pointer);

/* The next node of a walk through everything, first what is inside; NULL at the end. */
struct untorn_node *toml_next_node(const struct untorn_node *node);
struct untorn_node *toml_nth_node(const struct toml_text *text, size_t number);

/* ---- edits in short: the value is JSON, or with a leading '=' TOML ---- */

/* The texts are terminated. The result, malloc. */
char *toml_set(const char *text, const char *pointer, const char *value);
char *toml_insert(const char *text, const char *pointer, size_t index, const char *value);
char *toml_remove(const char *text, const char *pointer);
char *toml_rename(const char *text, const char *pointer, const char *key);

/* Sets what the steps lead to, making tables on the way. A step of digits is an index, where there
 * is an array. */
void toml_text_set(struct toml_text *text, const char *const *steps, size_t count,
                   const struct untorn_node *value);

/* ---- checking; both free the text ---- */

void toml_check(char *text, const char *expected);
/* The text is `before`, but for one stretch that was `old` and is `new`. */
void toml_check_stretch(char *text, const char *before, const char *old, const char *new);

/* ---- files as people have them ---- */

extern const char toml_pyproject[], toml_cargo[], toml_site[];

#endif
