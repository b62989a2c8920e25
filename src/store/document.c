/* untorn/document.h on files: the update of the file layer around the edits of the text layer. */
#include <untorn/document.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/read.h>
#include <untorn/update.h>

#include "base/error.h"
#include "combine/combine.h"
#include "combine/edits.h"
#include "file/io.h"
#include "file/place.h"
#include "file/read.h"
#include "file/registry.h"
#include "file/transform.h"
#include "store/editing_file.h"
#include "text/api.h"
#include "text/document.h"
#include "text/format.h"
#include "text/json_stream.h"

int editing_find_format(const char *path, enum untorn_format wanted, enum untorn_format *ret_format,
                        struct untorn_error *error)
{
    *ret_format = wanted ? wanted : untorn_format_of_path(path);
    if (format_is_known(*ret_format))
        return 0;
    error_detail(error, "the name does not tell; say --format json, jsonc or toml, or use untorn "
                        "update with a command of your own");
    return error_fail(error, UNTORN_UNKNOWN_FORMAT, NULL);
}

int untorn_document_read(const char *path, const struct untorn_options *options,
                         enum untorn_format format, struct untorn_document **ret_document,
                         struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_content content;
    *ret_document = NULL;
    int rc = editing_find_format(path, format, &format, error);
    if (rc != 0)
        return rc;
    rc = untorn_read(path, options, &content, error);
    if (rc != 0)
        return rc;
    return api_document_open(content.data, content.size, format, ret_document, error);
}

/* May be called again if the file was replaced meanwhile: everything starts from `old`. */
int editing_content(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct editing_file *file = context;
    struct untorn_error *error = error_begin(&file->error, NULL, NULL);
    struct request request = {
        .edits = file->edits, .count = file->count, .format = file->format, .met = file->met};
    char *text;
    size_t size;
    int rc =
        edits_make_one(&request, old ? old->data : NULL, old ? old->size : 0, &text, &size, error);
    if (rc != 0)
        return rc;
    change->old_is_whole = old;
    if (text)
        untorn_change_give(change, text, size);
    return 0;
}

/* The refusal was ours: what it was goes into the caller's error, which knows path and flags. */
int editing_refused(const struct untorn_error *what, struct untorn_error *error)
{
    error_fail(error, (enum untorn_status)what->status, what->step);
    error->os_error = what->os_error;
    error->position = what->position;
    memcpy(error->detail, what->detail, sizeof error->detail);
    return -error->status;
}

/* ---- large files ---- */

/* From here on a tree would be larger than is kind; one edit is done on the fly. */
enum { LARGE = 8 * 1024 * 1024 };

struct streaming {
    const struct untorn_edit *edit;
    enum untorn_format format;
    struct met met; /* of an UNTORN_ENSURE: what is there */
    struct transform *transform;
    bool unsuited, careful;
};

static int64_t read_old(void *context, char *data, size_t size, uint64_t offset)
{
    return transform_read(((struct streaming *)context)->transform, data, size, offset);
}

static int write_new(void *context, const char *data, size_t size)
{
    return transform_write(((struct streaming *)context)->transform, data, size);
}

static int stream(void *context, struct transform *transform, struct untorn_error *error)
{
    struct streaming *streaming = context;
    struct json_stream_io io = {
        .read = read_old, .write = write_new, .context = streaming, .careful = streaming->careful};
    streaming->transform = transform;
    free(streaming->met.text);
    int rc = json_stream_ensure(streaming->edit, streaming->format, &io, &streaming->met.text,
                                &streaming->met.size, error);
    streaming->unsuited = rc == JSON_STREAM_UNSUITED;
    if (streaming->unsuited)
        return error_fail(error, UNTORN_REFUSED, NULL);
    streaming->careful = rc == JSON_STREAM_MISGUESSED;
    if (rc == JSON_STREAM_STALE || rc == JSON_STREAM_MISGUESSED)
        return TRANSFORM_STALE;
    if (rc == 0) {
        transform_old_is_whole(transform); /* [STREAM-1] */
        transform_differs(transform);      /* else it had been JSON_STREAM_UNCHANGED */
    }
    return rc == JSON_STREAM_UNCHANGED ? TRANSFORM_UNCHANGED : rc;
}

static bool is_large_json(const char *path, enum untorn_format format,
                          const struct untorn_options *options)
{
    struct untorn_options looking = options ? *options : (struct untorn_options){0};
    struct untorn_error unseen;
    struct place place;
    if (format_is_toml(format))
        return false;
    looking.parents = false;
    error_begin(&unseen, NULL, path);
    bool large = place_resolve(path, &looking, &place, &unseen) == 0 && place.exists &&
                 place.target.kind == OS_REGULAR && place.target.size >= LARGE;
    place_close(&place);
    return large;
}

/* false: it is for the general way. */
static bool try_stream(const char *path, const struct request *request,
                       const struct untorn_options *options, int *ret_rc,
                       struct untorn_error *error)
{
    struct streaming streaming = {.edit = request->edits, .format = request->format};
    *ret_rc = transform_file(path, stream, &streaming, options, error);
    streaming.met.made = !streaming.met.text;
    if (request->met)
        *request->met = streaming.met;
    else
        free(streaming.met.text);
    return !streaming.unsuited;
}

/* What a transaction of this thread may have for itself, and what is refused. */
static int edit_alone(const char *path, const struct request *request,
                      const struct untorn_options *options, struct untorn_error *error)
{
    struct editing_file file = {request->edits, request->count, request->format, {0}, request->met};
    int rc = untorn_update(path, editing_content, &file, options, error);
    return rc == -UNTORN_REFUSED ? editing_refused(&file.error, error) : rc;
}

int editing_run(const char *path, struct request *request, const struct untorn_options *options,
                struct untorn_error *error)
{
    struct untorn_options given = options ? *options : (struct untorn_options){0};
    int rc;
    request->level = given.level;
    request->keep = given.keep;
    if (registry_next_transaction(NULL) || given.exclusive)
        return edit_alone(path, request, options, error);
    if (request->count == 1 && !format_is_toml(request->format))
        request->smaller_than = LARGE;
    rc = combine_edit(path, request, &given, error);
    if (rc != COMBINE_TOO_LARGE)
        return rc;
    if (try_stream(path, request, options, &rc, error) && rc != -UNTORN_MISSING)
        return rc; /* else it is for the general way, or was removed since */
    request->smaller_than = 0;
    return combine_edit(path, request, &given, error_begin(error, NULL, path));
}

int untorn_edit(const char *path, const struct untorn_edit *edits, size_t count,
                const struct untorn_edit_options *how, const struct untorn_options *options,
                struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct request request = {.edits = edits, .count = count};
    int rc = editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &request.format,
                                 error);
    return rc != 0 ? rc : editing_run(path, &request, options, error);
}

/* ---- one value ---- */

struct finding {
    struct keypath path;
    enum untorn_format format;
    os_fd file;
    char *text; /* of the value */
    size_t size;
    int rc; /* as json_stream_find */
    struct untorn_error *error;
};

static int64_t read_piece(void *context, char *data, size_t size, uint64_t offset)
{
    return io_read(((struct finding *)context)->file, data, size, offset);
}

static int find_in_file(void *context, os_fd file, uint64_t size)
{
    struct finding *finding = context;
    struct json_stream_io io = {.read = read_piece, .context = finding};
    (void)size;
    finding->file = file;
    free(finding->text);
    finding->rc = json_stream_find(&finding->path, finding->format, &io, &finding->text,
                                   &finding->size, finding->error);
    return finding->rc == JSON_STREAM_STALE ? -ESTALE : 0;
}

/* false: it is for the general way. */
static bool try_find(const char *path, struct finding *finding,
                     const struct untorn_options *options, struct untorn_document **ret_document,
                     int *ret_rc)
{
    if (!is_large_json(path, finding->format, options))
        return false;
    *ret_rc = read_by(path, options, find_in_file, finding, finding->error);
    if (*ret_rc == READ_WHOLE || (*ret_rc == 0 && finding->rc == JSON_STREAM_UNSUITED))
        return false;
    if (*ret_rc == 0)
        *ret_rc = finding->rc;
    if (*ret_rc == 0) {
        *ret_rc = api_document_open(finding->text, finding->size, finding->format, ret_document,
                                    finding->error);
        finding->text = NULL;
    }
    return true;
}

static int find_in_document(const char *path, const struct untorn_edit *at,
                            const struct untorn_options *options, enum untorn_format format,
                            struct untorn_document **ret_document,
                            const struct untorn_node **ret_node, struct untorn_error *error)
{
    struct arena arena = {0};
    struct keypath steps;
    int rc = untorn_document_read(path, options, format, ret_document, error);
    if (rc != 0)
        return rc;
    if (keypath_of_edit(at, &arena, &steps, error) == 0)
        *ret_node = api_find(untorn_document_root(*ret_document), &steps, error);
    arena_free(&arena);
    if (*ret_node)
        return 0;
    untorn_document_free(*ret_document);
    *ret_document = NULL;
    return -error->status;
}

int untorn_get(const char *path, const struct untorn_edit *at,
               const struct untorn_edit_options *how, const struct untorn_options *options,
               struct untorn_document **ret_document, const struct untorn_node **ret_node,
               struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct arena arena = {0};
    struct finding finding = {.error = error};
    *ret_document = NULL;
    *ret_node = NULL;
    int rc = editing_find_format(path, how ? how->format : UNTORN_FORMAT_UNKNOWN, &finding.format,
                                 error);
    if (rc != 0)
        return rc;
    if (keypath_of_edit(at, &arena, &finding.path, error) != 0 ||
        !try_find(path, &finding, options, ret_document, &rc))
        rc = find_in_document(path, at, options, finding.format, ret_document, ret_node, error);
    else if (rc == 0)
        *ret_node = untorn_document_root(*ret_document);
    free(finding.text);
    arena_free(&arena);
    return rc;
}
