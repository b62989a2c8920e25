/* untorn_ensure and untorn_ensure_with: get or create.
 *
 * By a value: an UNTORN_ENSURE is an edit like others, and may be made by another process
 * (combine/combine.h), which then tells what it met. Where it cannot, because the value is long,
 * that is read from the file. It may be another one by then, but was there during the call; if
 * there is none any more, all begins anew.
 *
 * By functions: an update of our own, for another process cannot call them.
 */
#include <untorn/store.h>

#include <stdlib.h>
#include <string.h>

#include "file/lock.h"
#include "file/update.h"
#include "store/editing_file.h"
#include "text/document.h"
#include "text/single.h"

struct answer {
    struct untorn_document *document;
    const struct untorn_node *node;
};

/* ---- by a value ---- */

/* Made before anything changes: after that it could fail no more. */
static int prepare_own(const struct request *request, struct answer *ret_answer,
                       struct untorn_error *error)
{
    char *text;
    size_t size;
    int rc = single_of_edit(request->edits, request->format, &text, &size, error);
    return rc != 0 ? rc
                   : single_open(text, size, request->format, &ret_answer->document,
                                 &ret_answer->node, error);
}

enum { GONE = 1 };

/* What was there. Nothing has changed: all of this may fail. GONE: it is there no more. */
static int find_there(const char *path, const struct request *request, struct met *met,
                      const struct untorn_options *options, struct answer *ret_answer,
                      struct untorn_error *error)
{
    struct untorn_edit_options how = {.format = request->format};
    struct untorn_error looking;
    char *text = met->text;
    met->text = NULL;
    error_begin(&looking, NULL, path);
    if (text && single_open(text, met->size, request->format, &ret_answer->document,
                            &ret_answer->node, &looking) == 0)
        return 0;
    int rc = untorn_get(path, request->edits, &how, options, &ret_answer->document,
                        &ret_answer->node, &looking);
    if (rc != 0)
        *error = looking;
    return rc == -UNTORN_MISSING || rc == -UNTORN_NO_KEY ? GONE : rc;
}

/* One round: 0, GONE, or as untorn_edit. */
static int ensure_once(const char *path, struct request *request,
                       const struct untorn_options *options, struct answer *own,
                       struct answer *ret_answer, struct untorn_error *error)
{
    struct met met = {0};
    request->met = &met;
    int rc = editing_run(path, request, options, error_begin(error, NULL, path));
    if (rc == 0 && met.made) {
        *ret_answer = *own;
        *own = (struct answer){0};
    } else if (rc == 0) {
        rc = find_there(path, request, &met, options, ret_answer, error);
    }
    request->met = NULL;
    free(met.text);
    return rc;
}

int untorn_ensure(const char *path, const struct untorn_edit *edit,
                  const struct untorn_edit_options *how, const struct untorn_options *options,
                  struct untorn_document **ret_document, const struct untorn_node **ret_node,
                  struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options given = options ? *options : (struct untorn_options){0};
    struct untorn_edit ensuring = *edit;
    struct request request = {.edits = &ensuring, .count = 1};
    struct answer own = {0}, answer = {0};
    uint64_t deadline = lock_deadline(&given);
    ensuring.kind = UNTORN_ENSURE;
    int rc = editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &request.format,
                                 error);
    if (rc == 0)
        rc = prepare_own(&request, &own, error);
    if (rc == 0) {
        do
            rc = ensure_once(path, &request, options, &own, &answer, error);
        while (rc == GONE && os_clock_ns() < deadline);
    }
    untorn_document_free(own.document);
    *ret_document = answer.document;
    *ret_node = answer.node;
    return rc == GONE ? error_fail(error, UNTORN_RESTLESS, NULL) : rc;
}

/* ---- by functions ---- */

struct making {
    const struct untorn_edit *edit;
    const struct untorn_maker *maker;
    enum untorn_format format;
    struct untorn_error error; /* why it refused */
    struct keypath path;
    struct answer answer;
};

static void forget_answer(struct making *making)
{
    untorn_document_free(making->answer.document);
    making->answer = (struct answer){0};
}

/* The value, and what is wrong with it. */
static int create(struct making *making, const struct untorn_node *old,
                  struct untorn_document *document)
{
    struct untorn_error *error = &making->error;
    struct untorn_change value = {0};
    struct untorn_edit edit = *making->edit;
    int rc = making->maker->create(making->maker->context, old, &value);
    if (rc != 0) {
        error_fail(error, UNTORN_REFUSED, "create the value");
        error->os_error = rc;
        rc = -UNTORN_REFUSED;
    } else if (!value.set) {
        error_detail(error, "the function that creates the value has given none");
        rc = error_fail(error, UNTORN_INVALID, NULL);
    } else {
        edit.kind = UNTORN_SET;
        edit.value = value.data;
        edit.value_size = value.size;
        rc = untorn_document_edit(document, &edit, 1, error);
    }
    free(value.data);
    return rc;
}

static int open_old(const struct making *making, const struct untorn_content *old,
                    struct untorn_document **ret_document, struct untorn_error *error)
{
    const char *empty = document_empty(making->format);
    return untorn_document_parse(old ? old->data : empty, old ? old->size : strlen(empty),
                                 making->format, ret_document, error);
}

static int give_text(const struct untorn_document *document, struct untorn_change *change,
                     struct untorn_error *error)
{
    size_t size;
    const char *text = untorn_document_text(document, &size);
    return untorn_change_set(change, text, size) == 0 ? 0
                                                      : error_fail(error, UNTORN_NO_MEMORY, NULL);
}

static int ensure_with(struct making *making, const struct untorn_content *old,
                       struct untorn_change *change)
{
    const struct untorn_maker *maker = making->maker;
    struct untorn_error *error = &making->error;
    struct answer *answer = &making->answer;
    struct found found;
    int rc = open_old(making, old, &answer->document, error);
    if (rc == 0)
        rc = document_find(&making->path, untorn_document_root(answer->document), &found, error);
    if (rc != 0)
        return rc;
    change->old_is_whole = old;
    answer->node = found.node;
    if (found.node && (!maker->is_valid || maker->is_valid(maker->context, found.node)))
        return 0;
    rc = create(making, found.node, answer->document);
    if (rc == 0)
        rc = document_find(&making->path, untorn_document_root(answer->document), &found, error);
    answer->node = found.node;
    return rc == 0 ? give_text(answer->document, change, error) : rc;
}

/* A change function: may be called again, everything starts from `old`. */
static int make(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct making *making = context;
    error_begin(&making->error, NULL, NULL);
    forget_answer(making);
    return ensure_with(making, old, change);
}

int untorn_ensure_with(const char *path, const struct untorn_edit *edit,
                       const struct untorn_maker *maker, const struct untorn_edit_options *how,
                       const struct untorn_options *options, struct untorn_document **ret_document,
                       const struct untorn_node **ret_node, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct making making = {.edit = edit, .maker = maker};
    struct arena arena = {0};
    int rc =
        editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &making.format, error);
    if (rc == 0)
        rc = keypath_of_edit(edit, &arena, &making.path, error);
    if (rc == 0)
        rc = untorn_update(path, make, &making, options, error);
    if (rc == -UNTORN_REFUSED)
        rc = editing_refused(&making.error, error);
    if (rc != 0)
        forget_answer(&making);
    arena_free(&arena);
    *ret_document = making.answer.document;
    *ret_node = making.answer.node;
    return rc;
}
