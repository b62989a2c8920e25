/* What the verbs for documents share: which kind FILE is, and getting it into memory. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include <stdbool.h>

#include "bytes.h"
#include "outcome.h"

/* By --format, else by the name. False after noting in the outcome that neither tells. */
bool find_format(struct outcome *outcome, enum untorn_format *ret_format);

/* "JSON", "TOML 1.0": as a sentence says it. */
const char *format_word(enum untorn_format format);

/* Standard input, or the named file, to its end. False: the outcome says why. */
bool read_source(struct outcome *outcome, const char *source, struct bytes *content);

/* FILE, or standard input for `-`, parsed. False, with *ret_document NULL: the outcome says why. */
bool load_document(struct outcome *outcome, enum untorn_format format,
                   struct untorn_document **ret_document);

/* Carries edits out on FILE: as one update under its lock, as a filter, or as a dry run. */
void edit_document(struct outcome *outcome, const struct untorn_edit *edits, size_t count);

/* Puts the key of an edit into it: one word, or with -k `count` words. */
void give_key(const struct arguments *arguments, struct untorn_edit *edit, char **words,
              size_t count);

/* By --string, --json or --toml. */
enum untorn_syntax syntax_of(const struct arguments *arguments);

/* A text file ends with a newline that nobody means to be in the value. */
void drop_last_newline(struct bytes *value);

/* Refuses an empty key, which would look like a slip of the shell. 0 or the exit status. */
int check_key(const struct arguments *arguments, const char *key);

#endif
