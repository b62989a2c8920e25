/* The updates of an edit storm: each adds its token, which is the number of its operation, behind
 * the last of `list` in a document, some together with other edits. Bad ones would add it too, and
 * must not. */
#ifndef DRIVER_EDIT_UPDATE_H
#define DRIVER_EDIT_UPDATE_H

#include <untorn.h>

#include "edit_shared.h"

enum { EDIT_MOST = 3, EDIT_PATCH_TEXT = 256, EDIT_PATH = 4096 };

struct edit_job {
    struct edit_shared *shared;
    long file, number;
    enum edit_kind kind;
    char name[EDIT_NAME];
    char path[EDIT_PATH]; /* the same file, maybe by another way, for the library and the command */
    struct untorn_options options;
    bool misbehave; /* as the orders say */
};

struct edit_update {
    struct untorn_edit edits[EDIT_MOST];
    size_t count;
    char token[24];
    char patch[EDIT_PATCH_TEXT];
    char large[EDIT_LARGEST + 1];
};

/* The tokens of a document, a line each, as history_judge takes them. */
struct edit_list {
    char *tokens; /* new */
    size_t size;
    bool mixed; /* not all edits of an update are there: `last` is not the last of its kind */
};

/* The edits point into it: it stays where it is. */
void edit_update_make(struct edit_update *update, const struct edit_job *job);

/* What an update of this kind returns when nothing stands in its way. */
int edit_expected_status(enum edit_kind kind);

const char *edit_first_text(const char *name); /* of a file of this name, without a token */

/* False if the text is no document with such a list; then *ret is empty. */
bool edit_list_read(struct edit_shared *shared, long file, const char *name, const char *text,
                    size_t size, struct edit_list *ret);
bool edit_list_of(struct edit_shared *shared, long file, const struct untorn_document *document,
                  struct edit_list *ret);
void edit_list_free(struct edit_list *list);

/* Does the update to a text, as a function of untorn_update does, and notes what it saw if it is of
 * kind EDIT_FUNCTION. *ret_text is new. */
int edit_text(const struct edit_job *job, const struct edit_update *update, const char *text,
              size_t size, char **ret_text, size_t *ret_size);

#endif
