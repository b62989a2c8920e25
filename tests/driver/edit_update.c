#include "edit_update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static struct untorn_edit *add(struct edit_update *update, enum untorn_edit_kind kind,
                               const char *key, const char *value, enum untorn_syntax syntax)
{
    struct untorn_edit *edit = &update->edits[update->count++];
    *edit = (struct untorn_edit){.kind = kind,
                                 .key = key,
                                 .value = value,
                                 .value_size = value ? strlen(value) : 0,
                                 .syntax = syntax};
    return edit;
}

/* Most are short; what it is made of and how long it is follows from the number. */
static size_t make_large(long number, char large[EDIT_LARGEST + 1])
{
    struct edit_random random = edit_random_of((uint64_t)number, 0, 0);
    uint64_t most = edit_random_below(&random, 8) == 0 ? EDIT_LARGEST : 100;
    size_t size = edit_random_below(&random, most);
    char token[24];
    snprintf(token, sizeof token, "%08ld", number);
    for (size_t i = 0; i < size; i++)
        large[i] = token[i % (TOKEN_SIZE - 1)];
    large[size] = 0;
    return size;
}

static void add_patch(struct edit_update *update, const char *behind)
{
    snprintf(update->patch, sizeof update->patch,
             "[{\"op\":\"add\",\"path\":\"/list/-\",\"value\":\"%s\"}%s]", update->token, behind);
    add(update, UNTORN_JSON_PATCH, NULL, update->patch, UNTORN_PLAIN);
}

void edit_update_make(struct edit_update *update, const struct edit_job *job)
{
    update->count = 0;
    snprintf(update->token, sizeof update->token, "%08ld", job->number);
    const char *token = update->token;
    if (job->kind == EDIT_PATCH) {
        add_patch(update, "");
    } else if (job->kind == EDIT_BAD_TEST) {
        add_patch(update, ",{\"op\":\"test\",\"path\":\"/count\",\"value\":-1}");
    } else if (job->kind == EDIT_MADE_AND_UNSET) {
        add(update, UNTORN_SET, "scratch", token, UNTORN_AS_STRING);
        add(update, UNTORN_INSERT, "list[+]", token, UNTORN_AS_STRING);
        add(update, UNTORN_UNSET, "scratch", NULL, UNTORN_PLAIN);
    } else {
        add(update, job->kind == EDIT_INSERT ? UNTORN_INSERT : UNTORN_SET, "list[+]", token,
            UNTORN_AS_STRING);
    }
    make_large(job->number, update->large);
    if (job->kind == EDIT_SEVERAL)
        add(update, UNTORN_SET, "last", token, UNTORN_AS_STRING);
    else if (job->kind == EDIT_LARGE)
        add(update, UNTORN_SET, "large", update->large, UNTORN_AS_STRING);
    else if (job->kind == EDIT_BAD_VALUE)
        add(update, UNTORN_SET, "count", "\"no end", UNTORN_AS_JSON);
    else if (job->kind == EDIT_BAD_TYPE)
        add(update, UNTORN_SET, "count", "no number", UNTORN_PLAIN);
    else if (job->kind == EDIT_BAD_KEY)
        add(update, UNTORN_UNSET, "missing", NULL, UNTORN_PLAIN);
}

int edit_expected_status(enum edit_kind kind)
{
    switch (kind) {
    case EDIT_BAD_VALUE:
        return -UNTORN_INVALID;
    case EDIT_BAD_TYPE:
        return -UNTORN_TYPE;
    case EDIT_BAD_TEST:
        return -UNTORN_TEST_FAILED;
    case EDIT_BAD_KEY:
        return -UNTORN_NO_KEY;
    case EDIT_BAD_HASH:
        return -UNTORN_CHANGED;
    default:
        return 0;
    }
}

const char *edit_first_text(const char *name)
{
    return strstr(name, ".toml") ? "count = 0 # of nothing\nlist = []\n"
                                 : "{\n  \"count\": 0,\n  \"list\": []\n}\n";
}

/* ---- looking ---- */

/* `value` NULL: it is not to be there. */
static bool holds(const struct untorn_document *document, const char *key, const char *value,
                  size_t value_size)
{
    size_t size = 0;
    const struct untorn_node *node = untorn_document_find(document, key, NULL);
    const char *text = node ? untorn_node_text(node, &size) : NULL;
    return value ? text && size == value_size && memcmp(text, value, size) == 0 : !node;
}

/* The last token in the list that came with an update of this kind; NULL: there is none. */
static const char *last_of(struct edit_shared *shared, long file, const struct edit_list *list,
                           enum edit_kind kind)
{
    const struct edit_operation *operations = edit_operations(shared, file);
    for (size_t at = list->size; at >= TOKEN_SIZE; at -= TOKEN_SIZE) {
        const char *token = list->tokens + at - TOKEN_SIZE;
        long number = strtol(token, NULL, 10);
        if (number >= 0 && number < shared->orders.limit && operations[number].kind == (int)kind)
            return token;
    }
    return NULL;
}

static bool is_mixed(struct edit_shared *shared, long file, const struct untorn_document *document,
                     const struct edit_list *list)
{
    char large[EDIT_LARGEST + 1];
    const char *several = last_of(shared, file, list, EDIT_SEVERAL);
    const char *with_large = last_of(shared, file, list, EDIT_LARGE);
    size_t size = with_large ? make_large(strtol(with_large, NULL, 10), large) : 0;
    return !holds(document, "last", several, TOKEN_SIZE - 1) ||
           !holds(document, "large", with_large ? large : NULL, size) ||
           !holds(document, "scratch", NULL, 0);
}

bool edit_list_of(struct edit_shared *shared, long file, const struct untorn_document *document,
                  struct edit_list *ret)
{
    *ret = (struct edit_list){0};
    const struct untorn_node *list = untorn_document_find(document, "list", NULL);
    if (!list || untorn_node_kind(list) != UNTORN_ARRAY)
        return false;
    ret->tokens = malloc(untorn_node_count(list) * TOKEN_SIZE + 1);
    if (!ret->tokens)
        exit(125);
    const struct untorn_node *node = untorn_node_first(list);
    for (; node; node = untorn_node_next(node)) {
        size_t size = 0;
        const char *text = untorn_node_text(node, &size);
        char *token = ret->tokens + ret->size;
        if (text && size == TOKEN_SIZE - 1)
            memcpy(token, text, size);
        else
            memset(token, '?', TOKEN_SIZE - 1); /* the judge calls it a phantom */
        token[TOKEN_SIZE - 1] = '\n';
        ret->size += TOKEN_SIZE;
    }
    ret->tokens[ret->size] = 0;
    ret->mixed = is_mixed(shared, file, document, ret);
    return true;
}

bool edit_list_read(struct edit_shared *shared, long file, const char *name, const char *text,
                    size_t size, struct edit_list *ret)
{
    struct untorn_document *document = NULL;
    *ret = (struct edit_list){0};
    bool good =
        untorn_document_parse(text, size, untorn_format_of_path(name), &document, NULL) == 0 &&
        edit_list_of(shared, file, document, ret);
    untorn_document_free(document);
    return good;
}

void edit_list_free(struct edit_list *list)
{
    free(list->tokens);
    *list = (struct edit_list){0};
}

/* ---- doing ---- */

static void note_what_is_seen(const struct edit_job *job, const struct untorn_document *document)
{
    struct edit_list list;
    struct operation *operation = &edit_history(job->shared, job->file)->operations[job->number];
    if (!edit_list_of(job->shared, job->file, document, &list))
        return;
    size_t size = list.size;
    if (job->misbehave && job->shared->orders.fault == FAULT_OTHER_PAST && size > 0)
        size -= TOKEN_SIZE;
    operation->read_count = (long)(size / TOKEN_SIZE);
    operation->read_hash = history_hash(list.tokens, size);
    edit_list_free(&list);
}

int edit_text(const struct edit_job *job, const struct edit_update *update, const char *text,
              size_t size, char **ret_text, size_t *ret_size)
{
    struct untorn_document *document = NULL;
    *ret_text = NULL;
    int rc = untorn_document_parse(text, size, untorn_format_of_path(job->name), &document, NULL);
    if (rc == 0 && job->kind == EDIT_FUNCTION)
        note_what_is_seen(job, document);
    if (rc == 0)
        rc = untorn_document_edit(document, update->edits, update->count, NULL);
    if (rc == 0) {
        const char *edited = untorn_document_text(document, ret_size);
        *ret_text = malloc(*ret_size + 1);
        if (!*ret_text)
            exit(125);
        memcpy(*ret_text, edited, *ret_size);
    }
    untorn_document_free(document);
    return rc;
}
