/* untorn_store_*: a document loaded, changed and saved as a whole. */
#include <untorn/store.h>

#include <stdlib.h>
#include <string.h>

#include <untorn/read.h>
#include <untorn/write.h>

#include "file/update.h"
#include "store/editing_file.h"
#include "text/api.h"
#include "text/document.h"

static int open_text(const char *text, size_t size, enum untorn_format format,
                     struct untorn_document **ret_document, struct untorn_error *error)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (size > 0)
        memcpy(copy, text, size);
    copy[size] = '\0';
    return api_document_open(copy, size, format, ret_document, error);
}

/* What stands for a file that is not there. */
static int open_fallback(const char *fallback, enum untorn_format format,
                         struct untorn_document **ret_document, struct untorn_error *error)
{
    const char *text = fallback ? fallback : document_empty(format);
    int rc = open_text(text, strlen(text), format, ret_document, error);
    return rc == -UNTORN_DAMAGED ? error_fail(error, UNTORN_INVALID, "read the default") : rc;
}

/* ---- load, and save if nobody else did ---- */

int untorn_store_load(const char *path, const char *fallback, const struct untorn_edit_options *how,
                      const struct untorn_options *options, struct untorn_store *ret_store,
                      struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_content content = {0};
    enum untorn_format format;
    *ret_store = (struct untorn_store){0};
    int rc = editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &format, error);
    if (rc != 0)
        return rc;
    rc = untorn_read(path, options, &content, error);
    ret_store->exists = rc == 0;
    ret_store->hash = content.hash;
    if (rc == 0)
        rc = api_document_open(content.data, content.size, format, &ret_store->document, error);
    else if (rc == -UNTORN_MISSING)
        rc = open_fallback(fallback, format, &ret_store->document, error_begin(error, NULL, path));
    if (rc != 0)
        *ret_store = (struct untorn_store){0};
    return rc;
}

int untorn_store_save(const char *path, struct untorn_store *store,
                      const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options own = options ? *options : (struct untorn_options){0};
    size_t size;
    const char *text = untorn_document_text(store->document, &size);
    if (!text)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    own.if_match = store->exists ? &store->hash : NULL;
    own.exclusive = !store->exists;
    own.if_changed = true;
    int rc = untorn_write(path, text, size, &own, error);
    if (rc >= 0) { /* also of what is not settled: that is what is visible */
        store->hash = untorn_hash(text, size);
        store->exists = true;
    }
    return rc;
}

void untorn_store_free(struct untorn_store *store)
{
    untorn_document_free(store->document);
    *store = (struct untorn_store){0};
}

/* ---- under one lock ---- */

struct changing {
    const char *fallback;
    enum untorn_format format;
    untorn_store_function *function;
    void *context;
    struct untorn_error error; /* why it refused */
};

static int call_function(struct changing *changing, struct untorn_document *document,
                         struct untorn_change *change)
{
    struct untorn_error *error = &changing->error;
    struct untorn_hash before, after;
    size_t size;
    const char *text = untorn_document_text(document, &size);
    before = untorn_hash(text, size);
    int rc = changing->function(changing->context, document);
    if (rc != 0) {
        error_fail(error, UNTORN_REFUSED, NULL);
        error->os_error = rc;
        return rc;
    }
    text = untorn_document_text(document, &size);
    if (!text)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    after = untorn_hash(text, size);
    if (untorn_hash_equal(&before, &after) || untorn_change_set(change, text, size) == 0)
        return 0;
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

/* May be called again: everything starts from `old`. */
static int change(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct changing *changing = context;
    struct untorn_document *document = NULL;
    struct untorn_error *error = error_begin(&changing->error, NULL, NULL);
    int rc = old ? open_text(old->data, old->size, changing->format, &document, error)
                 : open_fallback(changing->fallback, changing->format, &document, error);
    change->old_is_whole = old && rc == 0;
    if (rc == 0)
        rc = call_function(changing, document, change);
    untorn_document_free(document);
    return rc;
}

int untorn_store_update(const char *path, const char *fallback, untorn_store_function *function,
                        void *context, const struct untorn_edit_options *how,
                        const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct changing changing = {.fallback = fallback, .function = function, .context = context};
    int rc = editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &changing.format,
                                 error);
    if (rc == 0)
        rc = untorn_update(path, change, &changing, options, error);
    return rc == -UNTORN_REFUSED ? editing_refused(&changing.error, error) : rc;
}
