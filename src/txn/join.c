/* What a thread writes of a member of a transaction that it has open belongs to that transaction.
 *
 * A write is a put; a stream too, once it is committed. The function of an update is called at
 * once, for what it uses may be gone when the transaction is committed: on what the member would
 * become now. If that depends on the file as it is now, the commit is on condition that it still is
 * so. While the transaction is being committed it is too late: then both are refused. So are, at
 * any time, an append, a restore and an undo of a member: its commit would take them back unseen.
 */
#include <stdlib.h>
#include <string.h>

#include <untorn/read.h>

#include "file/read.h"
#include "file/upward.h"
#include "txn/transaction.h"

/* ---- whose member ---- */

static bool resolve(const char *path, enum untorn_symlink symlink, struct place *ret_place)
{
    struct untorn_options options = {.symlink = symlink};
    struct untorn_error unseen;
    error_begin(&unseen, NULL, path);
    return place_resolve(path, &options, ret_place, &unseen) == 0;
}

static bool is_member(const struct member *member, const char *path, const struct place *place)
{
    struct place own;
    if (strcmp(member->given.path, path) == 0)
        return true;
    if (!place || !resolve(member->given.path, member->given.options.symlink, &own))
        return false;
    bool same = os_same_file(&own.dir_stat, &place->dir_stat) && strcmp(own.name, place->name) == 0;
    place_close(&own);
    return same;
}

static struct member *find_member(const char *path, const struct place *place,
                                  struct untorn_transaction **ret_transaction)
{
    for (struct open_transaction *open = registry_next_transaction(NULL); open;
         open = registry_next_transaction(open)) {
        struct untorn_transaction *transaction = (struct untorn_transaction *)(void *)open;
        *ret_transaction = transaction;
        for (size_t i = 0; i < transaction->count; i++)
            if (is_member(transaction->members[i], path, place))
                return transaction->members[i];
    }
    return NULL;
}

/* ---- updates ---- */

/* The content of the file itself, if that matters; *ret_hash is what it then must still have. */
static int begin_content(const struct member *member, struct content *content,
                         struct untorn_hash *ret_hash, struct untorn_error *error)
{
    struct untorn_content old;
    int rc = untorn_read(member->given.path, &member->given.options, &old, error);
    if (rc == -UNTORN_MISSING) {
        error_begin(error, NULL, member->given.path);
        return 0;
    }
    if (rc != 0)
        return rc;
    *content = (struct content){
        .exists = true, .as_found = true, .data = old.data, .size = old.size, .made = old.data};
    *ret_hash = old.hash;
    return 0;
}

static int put_back(struct untorn_transaction *transaction, struct member *member,
                    const struct content *content, struct untorn_options *options,
                    const struct untorn_hash *base, bool existed, struct untorn_error *error)
{
    if (base && !options->if_match && !options->exclusive) {
        options->if_match = existed ? base : NULL;
        options->exclusive = !existed;
    }
    return untorn_transaction_put(transaction, member->given.path, content->data, content->size,
                                  options, error);
}

static int join_update(struct untorn_transaction *transaction, struct member *member,
                       const struct joining *joining, const struct untorn_options *given,
                       struct untorn_error *error)
{
    struct untorn_options options = given ? *given : (struct untorn_options){0};
    struct operation last = {
        .kind = OPERATION_CHANGE, .function = joining->function, .context = joining->context};
    bool needs = member->operations->kind != OPERATION_PUT;
    struct content content = {0};
    struct untorn_hash base, *seen = needs ? &base : NULL;
    int rc = member_go_on(member, &options, error);
    if (rc == 0 && needs)
        rc = begin_content(member, &content, &base, error);
    bool existed = content.exists;
    if (rc == 0)
        rc = operation_run(member->operations, &content, error);
    const char *before = content.data;
    if (rc == 0)
        rc = operation_run(&last, &content, error);
    if (rc == 0 && content.data != before)
        rc = put_back(transaction, member, &content, &options, seen, existed, error);
    free(content.made);
    return rc;
}

/* ---- writes ---- */

static int join_write(struct untorn_transaction *transaction, const struct member *member,
                      const struct joining *joining, const struct untorn_options *options,
                      struct untorn_error *error)
{
    struct untorn_content content = {0};
    const char *path = member->given.path;
    if (!joining->file)
        return untorn_transaction_put(transaction, path, joining->data, joining->size, options,
                                      error);
    int rc = read_open_file(*joining->file, &content);
    rc = rc < 0 ? error_os(error, rc, "read the new version")
                : untorn_transaction_put(transaction, path, content.data, content.size, options,
                                         error);
    untorn_content_free(&content);
    return rc;
}

/* It is being committed, and a function of that asks: what the member becomes may be decided
 * already, and written at once it would be what the commit replaces. */
static int refuse(struct untorn_error *error)
{
    error_detail(error, "a transaction of this thread that changes it is being committed");
    return error_fail(error, UNTORN_INVALID, "write a file from within its commit");
}

static struct member *find_named(const char *path, const struct untorn_options *options,
                                 struct untorn_transaction **ret_transaction)
{
    struct place place;
    bool resolved = resolve(path, options ? options->symlink : UNTORN_FOLLOW, &place);
    struct member *member = find_member(path, resolved ? &place : NULL, ret_transaction);
    if (resolved)
        place_close(&place);
    return member;
}

bool upward_join(const char *path, const struct joining *joining,
                 const struct untorn_options *options, int *ret_rc, struct untorn_error *error)
{
    struct untorn_transaction *transaction;
    struct member *member = find_named(path, options, &transaction);
    if (!member)
        return false;
    if (transaction->spent) {
        *ret_rc = refuse(error);
        return true;
    }
    *ret_rc = joining->function ? join_update(transaction, member, joining, options, error)
                                : join_write(transaction, member, joining, options, error);
    return true;
}

int upward_refuse(const char *path, const struct untorn_options *options,
                  struct untorn_error *error)
{
    struct untorn_transaction *transaction;
    if (!registry_next_transaction(NULL) || !find_named(path, options, &transaction))
        return 0;
    if (transaction->spent)
        return refuse(error);
    error_detail(error, "a transaction of this thread changes it, and would take that back");
    return error_fail(error, UNTORN_INVALID, "change a file aside from its transaction");
}
