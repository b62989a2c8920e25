/* One value as a document of its own: of JSON it is the root; TOML, whose root is always a table,
 * has it under the one key "value".
 */
#ifndef UNTORN_TEXT_SINGLE_H
#define UNTORN_TEXT_SINGLE_H

#include "base/error.h"
#include "text/node.h"

/* *ret_text is new (malloc) and terminated; on one line. false: no memory. */
bool single_write(const struct untorn_node *node, enum untorn_format format, char **ret_text,
                  size_t *ret_size);

/* What the edit would put where nothing is: as single_write. As value_read returns. */
int single_of_edit(const struct untorn_edit *edit, enum untorn_format format, char **ret_text,
                   size_t *ret_size, struct untorn_error *error);

/* Takes `text` over (malloc, terminated), also on failure; then both are NULL. The node is borrowed
 * from the document. */
int single_open(char *text, size_t size, enum untorn_format format,
                struct untorn_document **ret_document, const struct untorn_node **ret_node,
                struct untorn_error *error);

#endif
