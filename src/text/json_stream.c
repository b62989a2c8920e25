#include "text/json_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "text/json_scan.h"
#include "text/keypath.h"
#include "text/value.h"
#include "text/write.h"

enum { UNSUITED = JSON_STREAM_UNSUITED, DEEPEST = 64, LARGEST = 16 * 1024 * 1024 };

/* A container on the way to the value. */
struct level {
    bool object, passed; /* the next step was found in it */
    int64_t index;       /* of the element that comes next */
};

struct stream {
    const struct json_stream_io *io;
    struct untorn_error *error;
    struct json_scanner scanner;
    char *buffer;
    size_t filled, room;
    uint64_t base;    /* the offset of buffer[0] */
    uint64_t written; /* the old text up to here is in the new one, or replaced there */
    bool changed;
    struct level levels[DEEPEST];
    size_t depth;
};

static int fail(struct stream *stream, int64_t rc, const char *step)
{
    return error_os(stream->error, rc, step);
}

static int write_up_to(struct stream *stream, uint64_t offset)
{
    const char *text = stream->buffer + (stream->written - stream->base);
    int rc = offset > stream->written
                 ? stream->io->write(stream->io->context, text, (size_t)(offset - stream->written))
                 : 0;
    stream->written = offset > stream->written ? offset : stream->written;
    return rc < 0 ? fail(stream, rc, "write the new version") : 0;
}

/* Drops what the scanner has used up, and fills the buffer again. */
static int refill(struct stream *stream, uint64_t keep)
{
    int rc = write_up_to(stream, keep);
    if (rc != 0)
        return rc;
    size_t used = (size_t)(keep - stream->base);
    memmove(stream->buffer, stream->buffer + used, stream->filled - used);
    stream->filled -= used;
    stream->base = keep;
    if (stream->filled == stream->room) { /* one token fills it */
        char *larger = stream->room < LARGEST ? realloc(stream->buffer, 2 * stream->room) : NULL;
        if (!larger)
            return UNSUITED;
        stream->buffer = larger;
        stream->room *= 2;
    }
    int64_t n = stream->io->read(stream->io->context, stream->buffer + stream->filled,
                                 stream->room - stream->filled);
    if (n < 0)
        return fail(stream, n, "read it");
    stream->filled += (size_t)n;
    json_scan_feed(&stream->scanner, stream->buffer, stream->filled, n == 0);
    return 0;
}

/* The next token, or with `depth` the end of the container that was begun at that depth. */
static int next(struct stream *stream, size_t depth, enum json_token *ret_token)
{
    for (;;) {
        enum json_token token =
            depth ? json_scan_skip(&stream->scanner, depth) : json_scan_next(&stream->scanner);
        *ret_token = token;
        if (token != JSON_MORE)
            return token == JSON_WRONG ? UNSUITED : 0;
        int rc = refill(stream, stream->scanner.keep);
        if (rc != 0)
            return rc;
    }
}

static bool is_begin(enum json_token token)
{
    return token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN;
}

static int skip_value(struct stream *stream, enum json_token token)
{
    stream->scanner.skips = true;
    int rc = is_begin(token) ? next(stream, stream->scanner.depth, &token) : 0;
    stream->scanner.skips = false;
    return rc;
}

/* ---- the value ---- */

static enum untorn_kind kind_of(const struct json_scanner *scanner, enum json_token token)
{
    switch (token) {
    case JSON_STRING:
        return UNTORN_STRING;
    case JSON_NUMBER:
        return scanner->integer ? UNTORN_INTEGER : UNTORN_FLOAT;
    case JSON_NULL:
        return UNTORN_NULL;
    default:
        return UNTORN_BOOLEAN;
    }
}

/* The scalar that is there, as a tree of its own. */
static int read_old(const struct stream *stream, enum json_token token, struct parsed *ret_old)
{
    const struct json_scanner *scanner = &stream->scanner;
    struct flaw flaw;
    int rc = parse_json(json_token_text(scanner), (size_t)(scanner->end - scanner->start),
                        UNTORN_JSON, ret_old, &flaw);
    return rc < 0 || ret_old->root->kind != kind_of(scanner, token) ? UNSUITED : 0;
}

/* [STREAM-2] */
static bool says(const struct buffer *text, const struct untorn_node *value)
{
    struct parsed parsed;
    struct flaw flaw;
    if (text->failed || parse_json(text->data, text->size, UNTORN_JSON, &parsed, &flaw) < 0)
        return false;
    bool same = node_equal(parsed.root, value);
    parsed_free(&parsed);
    return same;
}

static int write_value(struct stream *stream, const struct untorn_node *value)
{
    struct untorn_style style = {0};
    struct buffer text = {0};
    write_json(&text, value, &style, 0);
    int rc = says(&text, value) ? write_up_to(stream, stream->scanner.start) : UNSUITED;
    if (rc == 0) {
        rc = stream->io->write(stream->io->context, text.data, text.size);
        rc = rc < 0 ? fail(stream, rc, "write the new version") : 0;
    }
    stream->written = stream->scanner.end;
    stream->changed = true;
    buffer_free(&text);
    return rc;
}

static int replace(struct stream *stream, enum json_token token, const struct untorn_edit *edit,
                   enum untorn_format format)
{
    struct untorn_error unseen; /* the general way says it better */
    struct parsed old = {0};
    struct value value = {0};
    error_begin(&unseen, NULL, NULL);
    int rc = is_begin(token) ? UNSUITED : read_old(stream, token, &old);
    if (rc == 0 && (value_read(edit, old.root, "", format, &value, &unseen) != 0 ||
                    value_fits(value.node, format, stream->depth, &unseen) != 0 ||
                    node_is_container(value.node)))
        rc = UNSUITED;
    if (rc == 0 && !node_equal(old.root, value.node))
        rc = write_value(stream, value.node);
    value_free(&value);
    parsed_free(&old);
    return rc;
}

/* ---- the way ---- */

/* Whether the key at hand is the step's. A literal key that could be meant as well is not for us.
 */
static int is_step(const struct stream *stream, const struct step *step, bool *ret_is)
{
    const struct json_scanner *scanner = &stream->scanner;
    size_t size = (size_t)(scanner->end - scanner->start);
    const char *raw = json_token_text(scanner);
    *ret_is = false;
    if (scanner->escaped) {
        char *decoded = malloc(size);
        if (!decoded)
            return UNSUITED;
        size_t length = json_decode(raw, size, decoded);
        *ret_is = length == step->key_size && memcmp(decoded, step->key, length) == 0;
        bool dotted = memchr(decoded, '.', length) != NULL;
        free(decoded);
        return dotted && step->typed ? UNSUITED : 0;
    }
    *ret_is = size - 2 == step->key_size && memcmp(raw + 1, step->key, step->key_size) == 0;
    bool longer = step->typed && size - 2 > step->key_size && raw[1 + step->key_size] == '.' &&
                  memcmp(raw + 1, step->key, step->key_size) == 0;
    return longer ? UNSUITED : 0;
}

static bool wanted_index(const struct step *step, int64_t *ret_index)
{
    *ret_index = step->index;
    if (step->kind == STEP_INDEX)
        return step->index >= 0;
    if (step->kind != STEP_EITHER || step->key_size == 0 || step->key_size > 18 ||
        strspn(step->key, "0123456789") != step->key_size ||
        (step->key[0] == '0' && step->key_size > 1))
        return false;
    *ret_index = strtoll(step->key, NULL, 10);
    return true;
}

/* Begins the container at hand, in which `step` is to be found. */
static int enter(struct stream *stream, enum json_token token, const struct step *step)
{
    int64_t index;
    bool object = token == JSON_OBJECT_BEGIN;
    bool fits = object ? step->kind == STEP_KEY || step->kind == STEP_EITHER
                       : token == JSON_ARRAY_BEGIN && wanted_index(step, &index);
    if (!fits || stream->depth == DEEPEST)
        return UNSUITED;
    stream->levels[stream->depth++] = (struct level){.object = object};
    return 0;
}

/* One token further in the innermost level. *ret_at: it begins the value of `step`. */
static int advance(struct stream *stream, const struct step *step, enum json_token *ret_token,
                   bool *ret_at)
{
    struct level *level = &stream->levels[stream->depth - 1];
    int64_t index = -1;
    bool is = !level->object && wanted_index(step, &index) && level->index++ == index;
    *ret_at = false;
    stream->scanner.skips = !level->object && !is;
    int rc = next(stream, 0, ret_token);
    stream->scanner.skips = false;
    if (rc != 0)
        return rc;
    if (*ret_token == JSON_OBJECT_END || *ret_token == JSON_ARRAY_END) {
        stream->depth--;
        return level->passed ? 0 : UNSUITED;
    }
    if (level->object) {
        rc = is_step(stream, step, &is);
        stream->scanner.skips = !is;
        rc = rc != 0 ? rc : next(stream, 0, ret_token);
        stream->scanner.skips = false;
    }
    if (rc != 0 || (is && level->passed))
        return rc != 0 ? rc : UNSUITED;
    if (!is)
        return skip_value(stream, *ret_token);
    level->passed = *ret_at = true;
    return 0;
}

static int follow(struct stream *stream, const struct keypath *path, const struct untorn_edit *edit,
                  enum untorn_format format)
{
    enum json_token token;
    bool at = true;
    int rc = next(stream, 0, &token);
    do {
        if (rc == 0 && at && stream->depth == path->count)
            rc = replace(stream, token, edit, format);
        else if (rc == 0 && at)
            rc = enter(stream, token, &path->steps[stream->depth]);
        if (rc == 0 && stream->depth > 0)
            rc = advance(stream, &path->steps[stream->depth - 1], &token, &at);
    } while (rc == 0 && stream->depth > 0);
    while (rc == 0 && token != JSON_DONE) /* [STREAM-1] */
        rc = next(stream, 0, &token);
    return rc;
}

int json_stream_set(const struct untorn_edit *edit, enum untorn_format format,
                    const struct json_stream_io *io, struct untorn_error *error)
{
    struct stream stream = {.io = io, .error = error, .room = LIMIT_CHUNK};
    struct untorn_error unseen;
    struct arena arena = {0};
    struct keypath path;
    error_begin(&unseen, NULL, NULL);
    int rc = keypath_of_edit(edit, &arena, &path, &unseen);
    stream.buffer = malloc(stream.room);
    json_scan_begin(&stream.scanner, format);
    if (rc != 0 || path.count == 0 || !stream.buffer)
        rc = UNSUITED;
    else
        rc = refill(&stream, 0);
    if (rc == 0)
        rc = follow(&stream, &path, edit, format);
    if (rc == 0)
        rc = stream.changed ? write_up_to(&stream, stream.base + stream.filled)
                            : JSON_STREAM_UNCHANGED;
    free(stream.buffer);
    arena_free(&arena);
    return rc;
}
