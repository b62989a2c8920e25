/* What is to be done with one member of a transaction, step by step, and what comes of it. */
#ifndef UNTORN_TXN_OPERATION_H
#define UNTORN_TXN_OPERATION_H

#include <untorn/update.h>

#include "base/error.h"

enum operation_kind { OPERATION_PUT, OPERATION_CHANGE, OPERATION_REMOVE };

/* What a change of the library's own needs beyond a function of the caller's. */
struct change_owner {
    void (*release)(void *context);                            /* or NULL */
    int (*refused)(void *context, struct untorn_error *error); /* says why; or NULL */
};

struct operation {
    struct operation *next;
    enum operation_kind kind;
    char *data; /* of a put; new */
    size_t size;
    untorn_change_function *function;
    void *context;
    struct change_owner owner;
};

/* NULL: no memory. The bytes are copied. */
struct operation *operation_put(const void *data, size_t size);

/* Frees it and all that follow, releasing what their owners gave. Accepts NULL. */
void operation_free(struct operation *operation);

/* The content so far. Begins as that of the file. */
struct content {
    bool exists;
    bool as_found;    /* nothing was done to it */
    const char *data; /* borrowed from an operation, or `made` */
    size_t size;
    char *made; /* new, to be freed by the holder; or NULL */
};

/* Whether it matters what the file holds. */
bool operation_needs_content(const struct operation *first);

/* Does them all. 0, -UNTORN_REFUSED or what the owner says, -UNTORN_MISSING for a removal. */
int operation_run(const struct operation *first, struct content *content,
                  struct untorn_error *error);

#endif
