/* Edits of a configuration, held against the schema before anything is written. */
#ifndef UNTORN_STORE_CONFIG_CHECKED_H
#define UNTORN_STORE_CONFIG_CHECKED_H

#include "store/config/config.h"

/* Start from zero. */
struct checked {
    struct untorn_edit *edits; /* as given, but that plain values say how they are spelled; NULL */
    bool secret;               /* one of them sets a secret */
};

/* -UNTORN_NOT_ALLOWED: a key that the schema does not know, a wrong type, a value out of range, a
 * scope that is not the key's; -UNTORN_INVALID: no edit that can be held against a schema. */
int checked_make(const struct untorn_config *config, enum untorn_scope scope,
                 const struct untorn_edit *edits, size_t count, struct checked *ret_checked,
                 struct untorn_error *error);

/* Accepts a zeroed one. */
void checked_free(struct checked *checked);

#endif
