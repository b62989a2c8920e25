/* An edit on the fly, in pieces of any size, beside the same edit done the general way. */
#ifndef UNTORN_TESTS_TEXT_STREAM_RUNS_H
#define UNTORN_TESTS_TEXT_STREAM_RUNS_H

#include "text/json_stream.h"

struct stream_text {
    const char *text;
    size_t size;
    enum untorn_format format;
};

/* How it runs. */
struct stream_run {
    size_t piece;       /* bytes that are read at a time, at most */
    size_t room, whole; /* as in json_stream_io */
    int read_error, write_error;
    bool spoils;             /* something else is written than was asked */
    size_t error_at;         /* the read that fails; from 0 */
    const char *later;       /* once all was read: the text is another, of the same size; or NULL */
    bool careful;            /* as in json_stream_io */
    size_t reads, read_most; /* what came of it: how often, how many bytes in all */
    bool misguessed;         /* it had to be run again */
};

/* *ret_text is new, if 0 is returned. */
int stream_run(const struct stream_text *text, const struct untorn_edit *edit,
               struct stream_run *run, char **ret_text, size_t *ret_size,
               struct untorn_error *error);

/* Does the edit both ways and compares: texts byte for byte, failures word for word. Returns what
 * the stream did; *ret_general, unless NULL, what the general way did. */
int stream_compare(const struct stream_text *text, const struct untorn_edit *edit,
                   struct stream_run *run, int *ret_general);

#endif
