/* What the layers above need of a transaction beyond its public face. */
#ifndef UNTORN_TXN_TRANSACTION_H
#define UNTORN_TXN_TRANSACTION_H

#include <untorn/transaction.h>

#include "file/registry.h"
#include "txn/commit.h"

struct untorn_transaction {
    struct open_transaction open; /* first: the registry's list leads back here */
    struct owned_options given;
    struct member **members;
    size_t count, room;
    struct commit_terms terms;
    bool spent; /* committed, or failed to */
};

/* untorn_transaction_change with a context of the library's own, which is released when it is no
 * longer needed, also on failure; `owner->refused` says why the function refused. */
int transaction_change(struct untorn_transaction *transaction, const char *path,
                       untorn_change_function *function, void *context,
                       const struct change_owner *owner, const struct untorn_options *options,
                       struct untorn_error *reterr);

#endif
