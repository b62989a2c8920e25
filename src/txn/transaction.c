/* untorn/transaction.h: what a transaction is to do, until it is committed. */
#include "txn/transaction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/registry.h"
#include "txn/commit.h"

int untorn_transaction_begin(const struct untorn_options *options,
                             struct untorn_transaction **ret_transaction,
                             struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct untorn_transaction *transaction = calloc(1, sizeof *transaction);
    *ret_transaction = NULL;
    if (!transaction || !options_own(&transaction->given, "", options)) {
        if (transaction)
            options_free(&transaction->given);
        free(transaction);
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    registry_open_transaction(&transaction->open);
    *ret_transaction = transaction;
    return 0;
}

/* ---- members ---- */

static struct member *find(const struct untorn_transaction *transaction, const char *path)
{
    for (size_t i = 0; i < transaction->count; i++)
        if (strcmp(transaction->members[i]->given.path, path) == 0)
            return transaction->members[i];
    return NULL;
}

static bool make_room(struct untorn_transaction *transaction)
{
    if (transaction->count < transaction->room)
        return true;
    size_t room = transaction->room ? 2 * transaction->room : 8;
    struct member **members = realloc(transaction->members, room * sizeof *members);
    if (!members)
        return false;
    transaction->members = members;
    transaction->room = room;
    return true;
}

static int check_options(const struct untorn_options *options, struct untorn_error *error)
{
    if (options && options->mode & ~07777u)
        error_detail(error, "mode %o has more than permission bits", options->mode);
    else if (options && options->exclusive && options->if_match)
        error_detail(error, "a file that must be new cannot match a hash");
    else
        return 0;
    return error_fail(error, UNTORN_INVALID, NULL);
}

/* What a put brings takes the place of all that was before it, its options too. */
static int set_options(struct member *member, enum operation_kind kind,
                       const struct untorn_options *options, const struct untorn_options *all,
                       struct untorn_error *error)
{
    struct untorn_options added = *options;
    int rc = kind == OPERATION_PUT ? 0 : member_go_on(member, &added, error);
    if (rc != 0 || member_set_options(member, &added, all))
        return rc;
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

/* The member of that path, with these options: found or made. */
static int take_member(struct untorn_transaction *transaction, const char *path,
                       enum operation_kind kind, const struct untorn_options *options,
                       struct member **ret_member, struct untorn_error *error)
{
    const struct untorn_options *all = &transaction->given.options;
    if (transaction->spent)
        return error_fail(error, UNTORN_INVALID, "add to a transaction that has ended");
    int rc = check_options(options, error);
    if (rc != 0)
        return rc;
    *ret_member = find(transaction, path);
    if (*ret_member)
        return options ? set_options(*ret_member, kind, options, all, error) : 0;
    if (transaction->count >= LIMIT_MEMBERS) {
        error_detail(error, "a transaction has at most %d members", LIMIT_MEMBERS);
        return error_fail(error, UNTORN_TOO_LARGE, NULL);
    }
    if (make_room(transaction) && (*ret_member = member_new(path, options, all))) {
        transaction->members[transaction->count++] = *ret_member;
        return 0;
    }
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

static int add(struct untorn_transaction *transaction, const char *path,
               struct operation *operation, const struct untorn_options *options,
               struct untorn_error *error)
{
    struct member *member = NULL;
    int rc = operation ? take_member(transaction, path, operation->kind, options, &member, error)
                       : error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (rc == 0 && operation->kind == OPERATION_PUT)
        member_forget(member);
    if (rc == 0)
        member_add(member, operation);
    return rc;
}

int untorn_transaction_put(struct untorn_transaction *transaction, const char *path,
                           const void *data, size_t size, const struct untorn_options *options,
                           struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct operation *operation = operation_put(data, size);
    int rc = add(transaction, path, operation, options, error);
    if (rc != 0)
        operation_free(operation);
    return rc;
}

int transaction_change(struct untorn_transaction *transaction, const char *path,
                       untorn_change_function *function, void *context,
                       const struct change_owner *owner, const struct untorn_options *options,
                       struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct operation *operation = calloc(1, sizeof *operation);
    if (operation)
        *operation = (struct operation){
            .kind = OPERATION_CHANGE, .function = function, .context = context, .owner = *owner};
    int rc = add(transaction, path, operation, options, error);
    if (rc != 0 && owner->release)
        owner->release(context);
    if (rc != 0)
        free(operation);
    return rc;
}

int untorn_transaction_change(struct untorn_transaction *transaction, const char *path,
                              untorn_change_function *function, void *context,
                              const struct untorn_options *options, struct untorn_error *reterr)
{
    static const struct change_owner nobody;
    return transaction_change(transaction, path, function, context, &nobody, options, reterr);
}

int untorn_transaction_remove(struct untorn_transaction *transaction, const char *path,
                              const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct operation *operation = calloc(1, sizeof *operation);
    if (operation)
        operation->kind = OPERATION_REMOVE;
    int rc = add(transaction, path, operation, options, error);
    if (rc != 0)
        free(operation);
    return rc;
}

/* ---- the end ---- */

/* It stays open meanwhile, so that its functions cannot write its members by themselves. */
int untorn_transaction_commit(struct untorn_transaction *transaction, struct untorn_error *reterr)
{
    const char *path = transaction->count > 0 ? transaction->members[0]->given.path : NULL;
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    if (transaction->spent)
        return error_fail(error, UNTORN_INVALID, "commit a transaction that has ended");
    transaction->spent = true;
    int rc = commit_run(transaction->members, transaction->count, &transaction->given.options,
                        &transaction->terms, error);
    registry_close_transaction(&transaction->open);
    return rc;
}

static void forget_members(struct untorn_transaction *transaction)
{
    for (size_t i = 0; i < transaction->count; i++)
        member_free(transaction->members[i]);
    transaction->count = 0;
}

void untorn_transaction_abort(struct untorn_transaction *transaction)
{
    forget_members(transaction);
    if (transaction->spent)
        registry_open_transaction(&transaction->open);
    transaction->spent = false;
}

void untorn_transaction_free(struct untorn_transaction *transaction)
{
    if (!transaction)
        return;
    forget_members(transaction);
    registry_close_transaction(&transaction->open);
    free(transaction->members);
    options_free(&transaction->given);
    free(transaction);
}
