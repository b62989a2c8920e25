/* What the folders above need of the documents that users hold. */
#ifndef UNTORN_TEXT_API_H
#define UNTORN_TEXT_API_H

#include "base/error.h"
#include "text/node.h"

/* Takes `text` over (malloc, terminated), also on failure; then *ret_document is NULL. */
int api_document_open(char *text, size_t size, enum untorn_format format,
                      struct untorn_document **ret_document, struct untorn_error *error);

#endif
