/* What the folders above need of the documents that users hold. */
#ifndef UNTORN_TEXT_API_H
#define UNTORN_TEXT_API_H

#include "base/error.h"
#include "text/keypath.h"

/* Takes `text` over (malloc, terminated), also on failure; then *ret_document is NULL. */
int api_document_open(char *text, size_t size, enum untorn_format format,
                      struct untorn_document **ret_document, struct untorn_error *error);

/* What the path names below `root`. NULL: it names nothing, and *error says so. */
const struct untorn_node *api_find(const struct untorn_node *root, const struct keypath *path,
                                   struct untorn_error *error);

/* Adds a copy of a value, with all below it, to a document that is being made: a member of
 * `parent`, which has none of that key. Unlike untorn_document_add it takes what the format cannot
 * spell. NULL: no memory. */
struct untorn_node *api_document_add_copy(struct untorn_document *document,
                                          struct untorn_node *parent, const char *key,
                                          size_t key_size, const struct untorn_node *value);

#endif
