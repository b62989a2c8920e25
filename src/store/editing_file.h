/* The edits of a document as a change function: for untorn_edit and untorn_transaction_edit; and
 * the edits of a file, however that is best done. */
#ifndef UNTORN_STORE_EDITING_FILE_H
#define UNTORN_STORE_EDITING_FILE_H

#include <untorn/document.h>
#include <untorn/update.h>

#include "combine/request.h"

struct editing_file {
    const struct untorn_edit *edits;
    size_t count;
    enum untorn_format format;
    struct untorn_error error; /* of the edits themselves */
    struct met *met;           /* as that of a request */
};

/* `wanted`, or what the name tells. -UNTORN_UNKNOWN_FORMAT. */
int editing_find_format(const char *path, enum untorn_format wanted, enum untorn_format *ret_format,
                        struct untorn_error *error);

/* As untorn_edit. The request has edits, count and format. */
int editing_run(const char *path, struct request *request, const struct untorn_options *options,
                struct untorn_error *error);

/* The change function; the context is a struct editing_file. */
int editing_content(void *context, const struct untorn_content *old, struct untorn_change *change);

/* It refused: what it was goes into the caller's error, which knows path and flags. */
int editing_refused(const struct untorn_error *what, struct untorn_error *error);

#endif
