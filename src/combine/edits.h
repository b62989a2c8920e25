/* The edits of one caller, and of those whose updates it carries out, made of one text. */
#ifndef UNTORN_COMBINE_EDITS_H
#define UNTORN_COMBINE_EDITS_H

#include "base/error.h"
#include "combine/request.h"
#include "file/update.h"

/* The text that a request makes of another, NULL if there is no file yet. *ret_text is new, or NULL
 * if nothing changes; a failure is told as by untorn_edit. */
int edits_make_one(const struct request *request, const char *text, size_t size, char **ret_text,
                   size_t *ret_size, struct untorn_error *error);

struct guest {
    int slot;
    struct request request;
    struct untorn_error answer;
};

struct edits {
    const struct request *own;
    struct untorn_error *own_answer;
    struct guest *guests;
    size_t count;
    void (*answered)(void *context, const struct guest *guest); /* before anything is replaced */
    void *context;
};

/* Of a request that another process has carried out: what it met came in the detail. */
void edits_take_met(const struct request *request, struct untorn_error *answer);

/* A change function. What fails does so alone [COMBINE-3]; it refuses only if there are no guests.
 * May be called again: everything starts from `old`. */
int edits_make(void *context, const struct untorn_content *old, struct untorn_change *change);

#endif
