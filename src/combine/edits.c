#include "combine/edits.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/single.h"

static bool needs_content(const struct request *request)
{
    return request->count == 0 || request->edits[0].kind == UNTORN_UNSET ||
           request->edits[0].kind == UNTORN_INSERT || request->edits[0].kind == UNTORN_RENAME;
}

/* ---- what an UNTORN_ENSURE met ---- */

static bool asks(const struct request *request)
{
    return request->count == 1 && request->edits[0].kind == UNTORN_ENSURE;
}

struct listening {
    struct met *mets; /* one for each edit */
    enum untorn_format format;
};

static void hear(void *context, size_t edit, const struct untorn_node *node, bool made)
{
    struct listening *listening = context;
    struct met *met = &listening->mets[edit];
    free(met->text);
    met->made = made;
    (void)single_write(node, listening->format, &met->text, &met->size); /* else it is not known */
}

/* Into the answer of a request that was carried out: all of it, or what a slot has room for. */
static void give_met(const struct request *request, struct met *met, struct untorn_error *answer)
{
    if (!asks(request))
        return;
    if (!met->made)
        answer->flags |= UNTORN_FLAG_UNCHANGED;
    if (request->met) {
        free(request->met->text);
        *request->met = *met;
        *met = (struct met){0};
    } else if (met->text && met->size < sizeof answer->detail) {
        memcpy(answer->detail, met->text, met->size + 1);
    }
}

void edits_take_met(const struct request *request, struct untorn_error *answer)
{
    if (!asks(request))
        return;
    if (request->met) {
        struct met *met = request->met;
        met->made = !(answer->flags & UNTORN_FLAG_UNCHANGED);
        met->size = strlen(answer->detail);
        free(met->text);
        met->text = met->size > 0 ? malloc(met->size + 1) : NULL;
        if (met->text)
            memcpy(met->text, answer->detail, met->size + 1);
    }
    answer->detail[0] = '\0';
}

/* ---- one request ---- */

/* `mets` has room for all edits. */
static int make(const struct request *request, const char *text, size_t size, struct met *mets,
                char **ret_text, size_t *ret_size, struct untorn_error *error)
{
    struct listening listening = {mets, request->format};
    struct asking asking = {.tell = hear, .context = &listening};
    bool is_new = !text;
    *ret_text = NULL;
    if (is_new && needs_content(request))
        return error_fail(error, UNTORN_MISSING, NULL);
    if (is_new) {
        text = document_empty(request->format);
        size = strlen(text);
    }
    int rc = document_edit_asking(text, size, request->format, request->edits, request->count,
                                  mets ? &asking : NULL, ret_text, ret_size, error);
    if (rc == 0 && !is_new && *ret_size == size && memcmp(*ret_text, text, size) == 0) {
        free(*ret_text);
        *ret_text = NULL;
    }
    return rc;
}

int edits_make_one(const struct request *request, const char *text, size_t size, char **ret_text,
                   size_t *ret_size, struct untorn_error *error)
{
    struct met met = {0};
    int rc = make(request, text, size, asks(request) ? &met : NULL, ret_text, ret_size, error);
    if (rc == 0)
        give_met(request, &met, error);
    free(met.text);
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

static void give_mets(const struct edits *edits, struct met *mets)
{
    give_met(edits->own, mets, edits->own_answer);
    mets += edits->own->count;
    for (size_t i = 0; i < edits->count; i++) {
        struct guest *guest = &edits->guests[i];
        give_met(&guest->request, mets, &guest->answer);
        mets += guest->request.count;
    }
}

static bool make_together(const struct edits *edits, struct text *text)
{
    char *made = NULL;
    size_t size = 0;
    struct untorn_error unseen;
    struct request all = {.count = count_edits(edits), .format = edits->own->format};
    struct untorn_edit *list = calloc(all.count + 1, sizeof *list);
    struct met *mets = calloc(all.count + 1, sizeof *mets);
    int rc = list && mets ? 0 : -UNTORN_NO_MEMORY;
    if (rc == 0) {
        struct untorn_edit *end = add_edits(list, edits->own);
        for (size_t i = 0; i < edits->count; i++)
            end = add_edits(end, &edits->guests[i].request);
        all.edits = list;
        error_begin(&unseen, NULL, NULL);
        rc = make(&all, text->data, text->size, mets, &made, &size, &unseen);
    }
    if (rc == 0) {
        give_mets(edits, mets);
        take(text, made, size);
    }
    for (size_t i = 0; mets && i < all.count; i++)
        free(mets[i].text);
    free(mets);
    free(list);
    return rc == 0;
}

/* ---- one after the other ---- */

static void make_next(const struct request *request, struct text *text, struct untorn_error *answer)
{
    char *made;
    size_t size = 0;
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
