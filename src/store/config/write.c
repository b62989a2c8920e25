/* untorn/config.h: writing, which goes to one scope's file through untorn_edit, or to those of
 * several through one commit. */
#include <stdlib.h>
#include <string.h>

#include <untorn/transaction.h>

#include "file/place.h"
#include "store/config/checked.h"

/* What one scope's file is to get. */
struct writing {
    enum untorn_scope scope;
    const char *path;
    struct checked checked;
    struct untorn_options options;
    struct untorn_edit_options how;
    bool narrows; /* others can read it now */
};

/* A file that gets a secret is for its owner alone; one that is narrower already stays so. The mode
 * is given in any case: by the time of the write another file may have the name. */
static void keep_secret(struct writing *writing)
{
    enum { OWN = 0600, OTHERS = 0077 };
    struct untorn_error unseen;
    struct untorn_options looking = {.symlink = writing->options.symlink};
    struct place place;
    error_begin(&unseen, NULL, writing->path);
    bool found = place_resolve(writing->path, &looking, &place, &unseen) == 0 && place.exists;
    unsigned mode = found ? place.target.mode : OWN;
    writing->options.mode = mode & OWN ? mode & OWN : OWN;
    writing->narrows = os_modes_tell() && (mode & OTHERS) != 0;
    place_close(&place);
}

/* The folder of the global file, as the XDG specification wants it; but no home is made. */
static int make_folder(const struct untorn_config *config, const struct writing *writing,
                       struct untorn_error *error)
{
    const char *end = strrchr(writing->path, '/'), *home = config->scopes.home;
    bool flush = writing->options.level == UNTORN_DURABLE;
    struct os_version there;
    char folder[LIMIT_PATH];
    os_fd dir;
    if (writing->scope != UNTORN_SCOPE_GLOBAL || !end || end == writing->path ||
        (size_t)(end - writing->path) >= sizeof folder || os_look(writing->path, &there) == 0)
        return 0;
    if (home && os_look(home, &there) < 0) {
        error_begin(error, NULL, writing->path);
        error_detail(error, "HOME is %s, which is not there", home);
        return error_fail(error, UNTORN_MISSING, "make its directory");
    }
    memcpy(folder, writing->path, (size_t)(end - writing->path));
    folder[end - writing->path] = '\0';
    int rc = place_make_directories(OS_NONE, folder, 0700, flush, &dir);
    if (rc == 0)
        os_close(dir);
    return rc < 0 ? (error_begin(error, NULL, folder), error_os(error, rc, "make the directory"))
                  : 0;
}

static int begin(struct untorn_config *config, enum untorn_scope scope,
                 const struct untorn_edit *edits, size_t count,
                 const struct untorn_options *options, struct writing *writing,
                 struct untorn_error *error)
{
    *writing = (struct writing){.scope = scope};
    if (options)
        writing->options = *options;
    if (scope < UNTORN_SCOPE_GLOBAL || scope > UNTORN_SCOPE_LOCAL) {
        error_detail(error, "what is written goes to the scope global, project or local");
        return error_fail(error, UNTORN_INVALID, NULL);
    }
    writing->path = untorn_config_path(config, scope, error);
    if (!writing->path)
        return -error->status;
    enum untorn_format format = untorn_format_of_path(writing->path);
    writing->how.format = format ? format : UNTORN_TOML;
    writing->options.parents = true;
    if (!writing->options.state_dir)
        writing->options.state_dir = config->scopes.state_dir;
    int rc = checked_make(config, scope, edits, count, &writing->checked, error);
    if (rc == 0 && writing->checked.secret)
        keep_secret(writing);
    return rc;
}

/* Told when it was done, and only then. */
static int finish(struct writing *writing, int rc, struct untorn_error *error)
{
    if (rc >= 0 && writing->narrows)
        error->flags |= UNTORN_FLAG_NARROWED;
    checked_free(&writing->checked);
    return rc;
}

int untorn_config_write(struct untorn_config *config, enum untorn_scope scope,
                        const struct untorn_edit *edits, size_t count,
                        const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct writing writing;
    int rc = begin(config, scope, edits, count, options, &writing, error);
    if (rc == 0)
        rc = make_folder(config, &writing, error);
    if (rc == 0)
        rc = untorn_edit(writing.path, writing.checked.edits, count, &writing.how, &writing.options,
                         error);
    return finish(&writing, rc, error);
}

int untorn_config_set(struct untorn_config *config, enum untorn_scope scope, const char *key,
                      const char *value, const struct untorn_options *options,
                      struct untorn_error *reterr)
{
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = value, .value_size = strlen(value)};
    return untorn_config_write(config, scope, &edit, 1, options, reterr);
}

int untorn_config_unset(struct untorn_config *config, enum untorn_scope scope, const char *key,
                        const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_edit edit = {.kind = UNTORN_UNSET, .key = key};
    return untorn_config_write(config, scope, &edit, 1, options, reterr);
}

int untorn_config_preview(struct untorn_config *config, enum untorn_scope scope,
                          const struct untorn_edit *edits, size_t count,
                          struct untorn_document **ret_document, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct writing writing;
    *ret_document = NULL;
    int rc = begin(config, scope, edits, count, NULL, &writing, error);
    if (rc == 0)
        rc = untorn_document_read(writing.path, &writing.options, writing.how.format, ret_document,
                                  error);
    if (rc == -UNTORN_MISSING && writing.checked.edits)
        rc = untorn_document_new(writing.how.format, ret_document, error);
    if (rc == 0)
        rc = untorn_document_edit(*ret_document, writing.checked.edits, count, error);
    if (rc != 0) {
        untorn_document_free(*ret_document);
        *ret_document = NULL;
    }
    return finish(&writing, rc, error);
}

/* ---- several scopes ---- */

/* The edits of one scope, in their order. */
static size_t select_edits(const struct untorn_config_edit *edits, size_t count, int scope,
                           struct untorn_edit *selected)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if ((int)edits[i].scope == scope)
            selected[found++] = edits[i].edit;
    return found;
}

static int add_scope(struct untorn_config *config, struct untorn_transaction *transaction,
                     int scope, const struct untorn_edit *edits, size_t count,
                     const struct untorn_options *options, bool *narrows,
                     struct untorn_error *error)
{
    struct writing writing;
    int rc = begin(config, (enum untorn_scope)scope, edits, count, options, &writing, error);
    if (rc == 0)
        rc = make_folder(config, &writing, error);
    if (rc == 0)
        rc = untorn_transaction_edit(transaction, writing.path, writing.checked.edits, count,
                                     &writing.how, &writing.options, error);
    *narrows |= rc == 0 && writing.narrows;
    return finish(&writing, rc, error);
}

int untorn_config_write_scoped(struct untorn_config *config, const struct untorn_config_edit *edits,
                               size_t count, const struct untorn_options *options,
                               struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct untorn_edit *selected = calloc(count + 1, sizeof *selected);
    struct untorn_transaction *transaction = NULL;
    bool narrows = false;
    size_t known = 0;
    int rc = selected ? untorn_transaction_begin(options, &transaction, error)
                      : error_fail(error, UNTORN_NO_MEMORY, NULL);
    for (int scope = 0; rc == 0 && scope < UNTORN_SCOPES; scope++) {
        size_t found = select_edits(edits, count, scope, selected);
        known += found;
        if (found > 0)
            rc = add_scope(config, transaction, scope, selected, found, options, &narrows, error);
    }
    if (rc == 0 && known < count)
        rc = error_fail(error, UNTORN_INVALID, "find the scope");
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, error);
    if (rc >= 0 && narrows)
        error->flags |= UNTORN_FLAG_NARROWED;
    untorn_transaction_free(transaction);
    free(selected);
    return rc;
}
