/* Edits of a document as bytes, to be carried out by another process. */
#ifndef UNTORN_COMBINE_REQUEST_H
#define UNTORN_COMBINE_REQUEST_H

#include <untorn/document.h>

/* What an UNTORN_ENSURE met, if it is the only edit of a request. */
struct met {
    bool made;  /* the value was not there before */
    char *text; /* of the value, as text/single.h has it; new. NULL: it is not known */
    size_t size;
};

struct request {
    const struct untorn_edit *edits;
    size_t count;
    enum untorn_format format;
    enum untorn_level level;
    int keep;
    uint64_t smaller_than; /* of the file; not written */
    struct met *met;       /* zeroed, to be filled; or NULL. Borrowed; not written */
    void *memory;          /* of one that was read; else NULL */
};

/* How many bytes, or 0 if it does not fit into `room`. */
size_t request_write(const struct request *request, char *bytes, size_t room);

/* 0, -EBADMSG for what no request_write wrote, or -ENOMEM. The bytes are copied: whoever may change
 * them meanwhile changes nothing. */
int request_read(struct request *ret_request, const char *bytes, size_t size);

/* Accepts a zeroed one. */
void request_free(struct request *request);

#endif
