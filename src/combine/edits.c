#include "combine/edits.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"

static bool needs_content(const struct request *request)
{
    return request->count == 0 || request->edits[0].kind == UNTORN_UNSET ||
           request->edits[0].kind == UNTORN_INSERT || request->edits[0].kind == UNTORN_RENAME;
}

int edits_make_one(const struct request *request, const char *text, size_t size, char **ret_text,
                   size_t *ret_size, struct untorn_error *error)
{
    bool is_new = !text;
    *ret_text = NULL;
    if (is_new && needs_content(request))
        return error_fail(error, UNTORN_MISSING, NULL);
    if (is_new) {
        text = document_empty(request->format);
        size = strlen(text);
    }
    int rc = document_edit(text, size, request->format, request->edits, request->count, ret_text,
                           ret_size, error);
    if (rc == 0 && !is_new && *ret_size == size && memcmp(*ret_text, text, size) == 0) {
        free(*ret_text);
        *ret_text = NULL;
    }
    return rc;
}

struct text {
    const char *data; /* NULL: there is no file */
    size_t size;
    char *made; /* the same, if it is ours to free */
    bool parsed;
};

/* `made` is NULL where nothing changed. */
static void take(struct text *text, char *made, size_t size)
{
    text->parsed = true;
    if (!made)
        return;
    free(text->made);
    text->data = text->made = made;
    text->size = size;
}

/* ---- all in one, which is how it mostly goes ---- */

static size_t count_edits(const struct edits *edits)
{
    size_t count = edits->own->count;
    for (size_t i = 0; i < edits->count; i++)
        count += edits->guests[i].request.count;
    return count;
}

static struct untorn_edit *add_edits(struct untorn_edit *end, const struct request *request)
{
    if (request->count > 0)
        memcpy(end, request->edits, request->count * sizeof *end);
    return end + request->count;
}

static bool make_together(const struct edits *edits, struct text *text)
{
    char *made;
    size_t size;
    struct untorn_error unseen;
    struct request all = {.count = count_edits(edits), .format = edits->own->format};
    struct untorn_edit *list = calloc(all.count + 1, sizeof *list);
    if (!list)
        return false;
    struct untorn_edit *end = add_edits(list, edits->own);
    for (size_t i = 0; i < edits->count; i++)
        end = add_edits(end, &edits->guests[i].request);
    all.edits = list;
    error_begin(&unseen, NULL, NULL);
    int rc = edits_make_one(&all, text->data, text->size, &made, &size, &unseen);
    free(list);
    if (rc != 0)
        return false;
    take(text, made, size);
    return true;
}

/* ---- one after the other ---- */

static void make_next(const struct request *request, struct text *text, struct untorn_error *answer)
{
    char *made;
    size_t size;
    if (edits_make_one(request, text->data, text->size, &made, &size, answer) != 0)
        return;
    if (!made)
        answer->flags |= UNTORN_FLAG_UNCHANGED;
    take(text, made, size);
}

static void clear_answers(const struct edits *edits)
{
    error_begin(edits->own_answer, NULL, NULL);
    for (size_t i = 0; i < edits->count; i++)
        error_begin(&edits->guests[i].answer, NULL, NULL);
}

static void make_one_by_one(const struct edits *edits, struct text *text)
{
    make_next(edits->own, text, edits->own_answer);
    for (size_t i = 0; i < edits->count; i++)
        make_next(&edits->guests[i].request, text, &edits->guests[i].answer);
}

int edits_make(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    const struct edits *edits = context;
    struct text text = {.data = old ? old->data : NULL, .size = old ? old->size : 0};
    clear_answers(edits);
    if (edits->count == 0 || !old || !make_together(edits, &text))
        make_one_by_one(edits, &text);
    change->old_is_whole = old && text.parsed;
    if (text.made)
        untorn_change_give(change, text.made, text.size);
    for (size_t i = 0; i < edits->count; i++)
        edits->answered(edits->context, &edits->guests[i]);
    return edits->count > 0 ? 0 : edits->own_answer->status;
}
