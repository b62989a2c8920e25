#include "text/stream_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "text/document.h"
#include "text/write.h"

struct flow {
    const struct stream_text *text;
    struct stream_run *run;
    struct buffer out;
    bool read_all;
};

static int64_t pull(void *context, char *data, size_t size, uint64_t offset)
{
    struct flow *flow = context;
    struct stream_run *run = flow->run;
    if (run->read_error && run->reads == run->error_at)
        return run->read_error;
    run->reads++;
    const char *text = flow->read_all && run->later ? run->later : flow->text->text;
    size_t n = offset < flow->text->size ? flow->text->size - (size_t)offset : 0;
    n = n < run->piece ? n : run->piece;
    n = n < size ? n : size;
    memcpy(data, text + offset, n);
    run->read_most += n;
    flow->read_all = flow->read_all || n == 0;
    return (int64_t)n;
}

static int push(void *context, const char *data, size_t size)
{
    struct flow *flow = context;
    if (flow->run->write_error)
        return flow->run->write_error;
    buffer_add(&flow->out, data, size);
    if (flow->out.failed)
        return -ENOMEM;
    if (flow->run->spoils)
        flow->out.data[flow->out.size - 1] ^= 1;
    return 0;
}

int stream_run(const struct stream_text *text, const struct untorn_edit *edit,
               struct stream_run *run, char **ret_text, size_t *ret_size,
               struct untorn_error *error)
{
    struct flow flow = {.text = text, .run = run};
    struct json_stream_io io = {.read = pull,
                                .write = push,
                                .context = &flow,
                                .careful = run->careful,
                                .room = run->room,
                                .whole = run->whole};
    run->reads = run->read_most = 0;
    error_begin(error, NULL, NULL);
    int rc = json_stream_edit(edit, text->format, &io, error);
    run->misguessed = rc == JSON_STREAM_MISGUESSED;
    if (run->misguessed) {
        buffer_free(&flow.out);
        io.careful = true;
        rc = json_stream_edit(edit, text->format, &io, error);
    }
    *ret_text = NULL;
    if (rc == 0) {
        buffer_add(&flow.out, "", 0);
        *ret_text = flow.out.data;
        *ret_size = flow.out.size;
    } else {
        buffer_free(&flow.out);
    }
    return rc;
}

int stream_compare(const struct stream_text *text, const struct untorn_edit *edit,
                   struct stream_run *run, int *ret_general)
{
    struct untorn_error error, general_error;
    char *streamed, *general;
    size_t streamed_size, general_size;
    error_begin(&general_error, NULL, NULL);
    int general_rc = document_edit_planned(text->text, text->size, text->format, NULL, edit, 1,
                                           &general, &general_size, &general_error);
    int rc = stream_run(text, edit, run, &streamed, &streamed_size, &error);
    if (rc == 0) {
        CHECK_INT(general_rc, 0);
        CHECK_BYTES(streamed, streamed_size, general, general_size);
    } else if (rc == JSON_STREAM_UNCHANGED) {
        CHECK_INT(general_rc, 0);
        CHECK_BYTES(text->text, text->size, general, general_size);
    } else if (rc < 0) {
        CHECK_INT(rc, general_rc);
        CHECK_INT(error.status, general_error.status);
        CHECK_TEXT(error.detail, general_error.detail);
    } else {
        CHECK_INT(rc, JSON_STREAM_UNSUITED);
    }
    free(streamed);
    free(general);
    if (ret_general)
        *ret_general = general_rc;
    return rc;
}
