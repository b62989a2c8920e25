/* One scalar replaced in a JSON text that is too large to hold: in one pass, in a buffer of fixed
 * size, while all of it is checked.
 *
 * What the general way does to a tree is done here to the row of tokens: the steps of the key are
 * followed as they go by, everything beside them is skipped. Whatever is not a plain case (a member
 * that is missing or there twice, a container, a text that is not a document) is left to the
 * general way, which knows the words for it.
 *
 *   STREAM-1  The old text is a whole document: every byte of it was scanned.
 *   STREAM-2  The new text differs in one token. The new token was scanned by itself and holds the
 *             value that was asked for, and what stands before and behind it stays: so the new text
 *             is a document with exactly that change.
 */
#ifndef UNTORN_TEXT_JSON_STREAM_H
#define UNTORN_TEXT_JSON_STREAM_H

#include "base/error.h"
#include "text/parsed.h"

struct json_stream_io {
    int64_t (*read)(void *context, char *data, size_t size);    /* 0 at the end, or -errno */
    int (*write)(void *context, const char *data, size_t size); /* 0 or -errno */
    void *context;
};

enum { JSON_STREAM_UNCHANGED = 1, JSON_STREAM_UNSUITED };

/* Does an UNTORN_SET. 0: the new text was written. JSON_STREAM_UNCHANGED: the value is there
 * already. JSON_STREAM_UNSUITED: this is for the general way. Both: what was written is nothing.
 * Below 0: a failure, in *error. */
int json_stream_set(const struct untorn_edit *edit, enum untorn_format format,
                    const struct json_stream_io *io, struct untorn_error *error);

#endif
