/* untorn_transaction_edit: the edits are copied, and done at the commit. */
#include <untorn/transaction.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/editing_file.h"
#include "txn/transaction.h"

/* A copy of the edits, in one piece of memory with all their texts. */
struct kept_edits {
    struct editing_file file;
    struct untorn_edit *edits;
    char *texts;
};

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t edit_size(const struct untorn_edit *edit)
{
    size_t size = text_size(edit->key) + edit->value_size + 1;
    for (size_t i = 0; edit->segments && i < edit->segment_count; i++)
        size += text_size(edit->segments[i]);
    return size + sizeof(char *) * (edit->segment_count + 1);
}

/* Copies `size` bytes to *at, and goes past them. */
static const char *take(char **at, const void *data, size_t size)
{
    char *here = *at;
    if (size > 0)
        memcpy(here, data, size);
    *at += size;
    return here;
}

/* The pointers come first, where the memory is aligned for them. */
static void copy_edit(struct untorn_edit *copy, const struct untorn_edit *edit,
                      const char ***pointers, char **texts)
{
    *copy = *edit;
    if (edit->key)
        copy->key = take(texts, edit->key, text_size(edit->key));
    if (edit->segments) {
        const char **segments = *pointers;
        for (size_t i = 0; i < edit->segment_count; i++)
            segments[i] = take(texts, edit->segments[i], text_size(edit->segments[i]));
        copy->segments = segments;
        *pointers += edit->segment_count;
    }
    if (edit->value) {
        copy->value = take(texts, edit->value, edit->value_size);
        (void)take(texts, "", 1);
    }
}

static void release(void *context)
{
    struct kept_edits *kept = context;
    free(kept->texts);
    free(kept->edits);
    free(kept);
}

static int refused(void *context, struct untorn_error *error)
{
    const struct kept_edits *kept = context;
    return editing_refused(&kept->file.error, error);
}

static struct kept_edits *keep(const struct untorn_edit *edits, size_t count,
                               enum untorn_format format)
{
    struct kept_edits *kept = calloc(1, sizeof *kept);
    size_t size = 1, pointer_count = 0;
    for (size_t i = 0; i < count; i++) {
        size += edit_size(&edits[i]);
        pointer_count += edits[i].segments ? edits[i].segment_count : 0;
    }
    if (kept) {
        kept->edits = calloc(count + 1, sizeof *kept->edits);
        kept->texts = malloc(size);
    }
    if (!kept || !kept->edits || !kept->texts) {
        if (kept)
            release(kept);
        return NULL;
    }
    const char **pointers = (const char **)(void *)kept->texts;
    char *texts = kept->texts + pointer_count * sizeof *pointers;
    for (size_t i = 0; i < count; i++)
        copy_edit(&kept->edits[i], &edits[i], &pointers, &texts);
    kept->file = (struct editing_file){.edits = kept->edits, .count = count, .format = format};
    return kept;
}

int untorn_transaction_edit(struct untorn_transaction *transaction, const char *path,
                            const struct untorn_edit *edits, size_t count,
                            const struct untorn_edit_options *how,
                            const struct untorn_options *options, struct untorn_error *reterr)
{
    static const struct change_owner owner = {.release = release, .refused = refused};
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    enum untorn_format format;
    int rc = editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &format, error);
    if (rc != 0)
        return rc;
    struct kept_edits *kept = keep(edits, count, format);
    if (!kept)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    return transaction_change(transaction, path, editing_content, &kept->file, &owner, options,
                              reterr);
}
