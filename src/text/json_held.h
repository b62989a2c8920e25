/* One edit of a JSON text that is in memory but too large for a tree to be cheap: the way of
 * json_stream.h, whose bytes are those of the general way [STREAM-3].
 */
#ifndef UNTORN_TEXT_JSON_HELD_H
#define UNTORN_TEXT_JSON_HELD_H

#include "base/error.h"
#include "text/editing.h"

enum { JSON_HELD_LEAST = 256 * 1024 }; /* below this a tree costs next to nothing */

/* As document_edit_asking, in *ret_rc. false: it is for the general way. */
bool json_held_edit(const char *text, size_t size, enum untorn_format format,
                    const struct untorn_edit *edit, struct asking *asking, char **ret_text,
                    size_t *ret_size, int *ret_rc, struct untorn_error *error);

/* 0: what is good. */
struct json_held_sizes {
    size_t room, whole; /* as in json_stream_io */
    size_t margin;      /* for what is added, before more room is asked for */
};

/* The same for a text of any size, so that a small one can show what becomes of a large one. */
bool json_held_edit_sized(const char *text, size_t size, enum untorn_format format,
                          const struct untorn_edit *edit, const struct json_held_sizes *sizes,
                          struct asking *asking, char **ret_text, size_t *ret_size, int *ret_rc,
                          struct untorn_error *error);

#endif
