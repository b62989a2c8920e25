#include "txn/operation.h"

#include <stdlib.h>
#include <string.h>

#include "file/update.h"

struct operation *operation_put(const void *data, size_t size)
{
    struct operation *operation = calloc(1, sizeof *operation);
    char *copy = operation ? malloc(size + 1) : NULL;
    if (!copy) {
        free(operation);
        return NULL;
    }
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    *operation = (struct operation){.kind = OPERATION_PUT, .data = copy, .size = size};
    return operation;
}

void operation_free(struct operation *operation)
{
    while (operation) {
        struct operation *next = operation->next;
        if (operation->owner.release)
            operation->owner.release(operation->context);
        free(operation->data);
        free(operation);
        operation = next;
    }
}

bool operation_needs_content(const struct operation *first)
{
    return first && first->kind == OPERATION_CHANGE;
}

static void become(struct content *content, const char *data, size_t size, char *made)
{
    if (made != content->made)
        free(content->made);
    content->exists = data != NULL;
    content->as_found = false;
    content->data = data;
    content->size = size;
    content->made = made;
}

static int refuse(const struct operation *operation, int answer, struct untorn_error *error)
{
    if (operation->owner.refused)
        return operation->owner.refused(operation->context, error);
    int rc = error_fail(error, UNTORN_REFUSED, NULL);
    error->os_error = answer;
    return rc;
}

/* Terminated, for the next function to see. */
static int take_over(struct untorn_change *changed, struct content *content,
                     struct untorn_error *error)
{
    char *data = realloc(changed->data, changed->size + 1);
    if (!data) {
        free(changed->data);
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    data[changed->size] = '\0';
    become(content, data, changed->size, data);
    return 0;
}

static int change(const struct operation *operation, struct content *content,
                  struct untorn_error *error)
{
    struct untorn_change changed = {0};
    struct untorn_content old = {0};
    if (content->exists) {
        old = (struct untorn_content){.data = (char *)content->data, .size = content->size};
        old.hash = untorn_hash(old.data, old.size);
    }
    int answer = operation->function(operation->context, content->exists ? &old : NULL, &changed);
    if (answer != 0) {
        free(changed.data);
        return refuse(operation, answer, error);
    }
    if (changed.set && (!content->exists || changed.size != content->size ||
                        (old.size > 0 && memcmp(changed.data, old.data, old.size) != 0)))
        return take_over(&changed, content, error);
    free(changed.data);
    return 0;
}

int operation_run(const struct operation *first, struct content *content,
                  struct untorn_error *error)
{
    int rc = 0;
    for (const struct operation *at = first; rc == 0 && at; at = at->next) {
        if (at->kind == OPERATION_PUT)
            become(content, at->data, at->size, NULL);
        else if (at->kind == OPERATION_CHANGE)
            rc = change(at, content, error);
        else if (content->exists)
            become(content, NULL, 0, NULL);
        else
            rc = error_fail(error, UNTORN_MISSING, NULL);
    }
    return rc;
}
