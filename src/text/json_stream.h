/* One edit of a JSON text that is too large to hold, or one value of it, with little memory.
 *
 * The text is read and scanned once (json_survey.h), and copied meanwhile up to the place of the
 * change. As soon as that is passed the change is planned in a short text (json_short.h), and what
 * comes behind is copied too. When all was scanned it is planned again, now knowing everything:
 * nearly always that is the same. If not, or if the place was too large to hold, the text from the
 * place on is read again and copied then.
 *
 *   STREAM-1  The old text is a whole document: every byte of it was scanned, and those that are
 *             copied after the scan have the hash of the scanned ones.
 *   STREAM-2  The new text is the old one with the splices of a plan that was made when all was
 *             known, and proven. [SHORT-1]
 *   STREAM-3  The bytes are those of the general way. [SHORT-2] What most lines end in is counted
 *             in the whole text.
 */
#ifndef UNTORN_TEXT_JSON_STREAM_H
#define UNTORN_TEXT_JSON_STREAM_H

#include "base/error.h"
#include "text/keypath.h"
#include "text/parsed.h"

struct json_stream_io {
    /* As many bytes from `offset` on as there are, at most `size`; fewer is no error, 0 is the end.
     * Or a negative errno value. */
    int64_t (*read)(void *context, char *data, size_t size, uint64_t offset);
    int (*write)(void *context, const char *data, size_t size); /* 0 or a negative errno value */
    void *context;
    bool careful;       /* nothing is planned before everything is known */
    size_t room, whole; /* of the buffer at first; of what is never left out. 0: what is good */
};

enum {
    JSON_STREAM_UNCHANGED = 1,
    JSON_STREAM_UNSUITED,   /* this is for the general way */
    JSON_STREAM_STALE,      /* the text changed meanwhile */
    JSON_STREAM_MISGUESSED, /* again, and be careful */
};

/* Does an edit that is no patch. 0: the new text was written. JSON_STREAM_*: what was written is
 * nothing. Below 0: the edit is refused or something failed, in *error, with the words of the
 * general way. */
int json_stream_edit(const struct untorn_edit *edit, enum untorn_format format,
                     const struct json_stream_io *io, struct untorn_error *error);

/* The same; of an UNTORN_ENSURE whose key is there JSON_STREAM_UNCHANGED, and *ret_found is the
 * text of what it names: new, terminated. Else that is NULL. */
int json_stream_ensure(const struct untorn_edit *edit, enum untorn_format format,
                       const struct json_stream_io *io, char **ret_found, size_t *ret_size,
                       struct untorn_error *error);

/* The text of the value that the path names: new, terminated. `io` need not write. */
int json_stream_find(const struct keypath *path, enum untorn_format format,
                     const struct json_stream_io *io, char **ret_text, size_t *ret_size,
                     struct untorn_error *error);

#endif
