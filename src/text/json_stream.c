#include "text/json_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/codes.h"
#include "base/hash.h"
#include "base/limits.h"
#include "text/json_short.h"
#include "text/value.h"

enum {
    UNSUITED = JSON_STREAM_UNSUITED,
    STALE = JSON_STREAM_STALE,
    LARGEST = 16 * 1024 * 1024, /* of a key or number */
    WHOLE = 16 * 1024,
};

struct stream {
    const struct json_stream_io *io;
    const struct untorn_edit *edit;
    struct untorn_error *error;
    struct arena arena;
    struct json_survey survey;
    char *buffer;
    size_t filled, room;
    uint64_t base;    /* the offset of buffer[0] */
    uint64_t written; /* so much of the old text is in the new one */
    bool stopped;     /* what is behind that comes after the scan */
    struct hash_stream hash;

    struct plan guess; /* of what is behind the place nothing was known yet */
    bool guessed;      /* it is in the new text */
    int failed;        /* what came of writing it */

    uint64_t first_line; /* the offset of the first end of a line; UINT64_MAX: none yet */
    uint64_t uncounted;  /* from here on these are counted: from the first carriage return on */
    uint64_t lines, with_return, returns; /* ends of lines; those of two bytes; carriage returns */
    char last_byte;
};

static int fail(struct stream *stream, int64_t rc, const char *step)
{
    if (rc == -ESTALE)
        return STALE;
    return error_os(stream->error, rc, step);
}

static int put(struct stream *stream, const char *data, size_t size)
{
    int rc = size > 0 ? stream->io->write(stream->io->context, data, size) : 0;
    return rc < 0 ? fail(stream, rc, "write the new version") : 0;
}

static int64_t get(void *context, char *data, size_t size, uint64_t offset)
{
    const struct stream *stream = context;
    size_t done = 0;
    while (done < size) {
        int64_t n = stream->io->read(stream->io->context, data + done, size - done, offset + done);
        if (n <= 0)
            return n < 0 ? n : (int64_t)done;
        done += (size_t)n;
    }
    return (int64_t)done;
}

/* ---- ends of lines ---- */

static uint64_t count_byte(const char *data, size_t size, char byte)
{
    enum { WIDE = 64, MOST = 255 };
    uint64_t count = 0;
    while (size >= WIDE) {
        unsigned char counts[WIDE] = {0};
        size_t rows = size / WIDE < MOST ? size / WIDE : MOST;
        for (size_t row = 0; row < rows; row++, data += WIDE)
            for (size_t i = 0; i < WIDE; i++)
                counts[i] = (unsigned char)(counts[i] + (data[i] == byte));
        for (size_t i = 0; i < WIDE; i++)
            count += counts[i];
        size -= rows * WIDE;
    }
    for (size_t i = 0; i < size; i++)
        count += data[i] == byte;
    return count;
}

/* The most texts have no carriage return; then nothing need be counted. */
static void count_lines(struct stream *stream, const char *data, size_t size, uint64_t offset)
{
    const char *end = data + size, *at = size > 0 ? memchr(data, '\r', size) : NULL;
    if (size == 0 || (!at && stream->returns == 0))
        return;
    if (stream->returns == 0)
        stream->uncounted = offset;
    stream->lines += count_byte(data, size, '\n');
    stream->with_return += stream->last_byte == '\r' && data[0] == '\n';
    for (; at; at = memchr(at + 1, '\r', (size_t)(end - at - 1))) {
        stream->returns++;
        stream->with_return += at + 1 < end && at[1] == '\n';
    }
    stream->last_byte = data[size - 1];
}

static struct json_line_ends line_ends(const struct stream *stream, uint64_t lines)
{
    return (struct json_line_ends){
        .newline = stream->with_return > lines / 2 ? "\r\n" : "\n",
        .mixed = stream->with_return > 0 && stream->with_return < lines,
    };
}

/* In all of the text. false: it is gone. */
static bool find_line_ends(struct stream *stream, struct json_line_ends *ret_ends)
{
    uint64_t lines = stream->lines;
    for (uint64_t at = 0; at < stream->uncounted;) {
        uint64_t left = stream->uncounted - at;
        int64_t n =
            get(stream, stream->buffer, left < stream->room ? (size_t)left : stream->room, at);
        if (n <= 0)
            return false;
        lines += count_byte(stream->buffer, (size_t)n, '\n');
        at += (uint64_t)n;
    }
    *ret_ends = line_ends(stream, lines);
    return true;
}

/* ---- the scan ---- */

static int write_up_to(struct stream *stream, uint64_t offset)
{
    if (offset <= stream->written)
        return 0;
    const char *text = stream->buffer + (stream->written - stream->base);
    int rc = put(stream, text, (size_t)(offset - stream->written));
    stream->written = offset;
    return rc;
}

/* Lets go of what is before `offset`. */
static void drop(struct stream *stream, uint64_t offset)
{
    uint64_t from = stream->written > stream->base ? stream->written : stream->base;
    if (stream->stopped && offset > from)
        hash_add(&stream->hash, stream->buffer + (from - stream->base), (size_t)(offset - from));
    size_t used = (size_t)(offset - stream->base);
    memmove(stream->buffer, stream->buffer + used, stream->filled - used);
    stream->filled -= used;
    stream->base = offset;
}

/* What surely stays is written. What is not sure yet is held back; if that becomes much, all from
 * there on comes after the scan. [SURVEY-3] */
static int write_what_stays(struct stream *stream, uint64_t keep)
{
    const struct json_survey *survey = &stream->survey;
    uint64_t stays = survey->stays < keep && !stream->guessed ? survey->stays : keep;
    int rc = write_up_to(stream, stays);
    bool late = survey->is_settled && !stream->guessed;
    stream->stopped = late || keep - stays > stream->room / 2;
    return rc;
}

static int grow(struct stream *stream)
{
    char *larger = stream->room < LARGEST ? realloc(stream->buffer, 2 * stream->room) : NULL;
    if (!larger)
        return UNSUITED;
    stream->buffer = larger;
    stream->room *= 2;
    return 0;
}

/* Feeds the scanner with what it must see again and what comes next. */
static int more(void *context)
{
    struct stream *stream = context;
    struct json_scanner *scanner = &stream->survey.scanner;
    uint64_t keep = scanner->keep;
    int rc = 0;
    if (stream->io->write && !stream->stopped)
        rc = write_what_stays(stream, keep);
    if (rc != 0)
        return rc;
    bool holds = stream->io->write && !stream->stopped && stream->written < keep;
    drop(stream, holds ? stream->written : keep);
    if (stream->filled == stream->room) /* one token fills it */
        rc = grow(stream);
    if (rc != 0)
        return rc;
    char *free = stream->buffer + stream->filled;
    int64_t n = stream->io->read(stream->io->context, free, stream->room - stream->filled,
                                 stream->base + stream->filled);
    if (n < 0)
        return fail(stream, n, "read it");
    if (stream->io->write)
        count_lines(stream, free, (size_t)n, stream->base + stream->filled);
    const char *line = stream->first_line == UINT64_MAX ? memchr(free, '\n', (size_t)n) : NULL;
    if (line)
        stream->first_line = stream->base + (uint64_t)(line - stream->buffer);
    stream->filled += (size_t)n;
    size_t ahead = (size_t)(keep - stream->base);
    json_scan_feed(scanner, stream->buffer + ahead, stream->filled - ahead, n == 0);
    return 0;
}

/* ---- the guess ---- */

static struct json_source source_of(struct stream *stream, uint64_t size)
{
    return (struct json_source){
        .read = get, .context = stream, .size = size, .first_line = stream->first_line};
}

static size_t whole_of(const struct stream *stream)
{
    return stream->io->whole ? stream->io->whole : WHOLE;
}

/* All of it is in the buffer. */
static bool can_be_written(const struct stream *stream, const struct plan *plan)
{
    uint64_t from = stream->written;
    for (size_t i = 0; i < plan->count; i++) {
        const struct span *at = &plan->splices[i].at;
        if (at->start < from || at->end < at->start || at->end > stream->base + stream->filled)
            return false;
        from = at->end;
    }
    return true;
}

static int write_guess(struct stream *stream)
{
    int rc = 0;
    for (size_t i = 0; i < stream->guess.count && rc == 0; i++) {
        const struct splice *splice = &stream->guess.splices[i];
        rc = write_up_to(stream, splice->at.start);
        if (rc == 0)
            rc = put(stream, splice->text, splice->size);
        stream->written = splice->at.end;
    }
    return rc;
}

/* The place was passed, and what is not written yet is in the buffer. */
static void guess(void *context)
{
    struct stream *stream = context;
    struct json_source source = source_of(stream, stream->survey.end);
    struct untorn_error unseen;
    if (stream->stopped || stream->io->careful)
        return;
    error_begin(&unseen, NULL, NULL);
    struct json_line_ends lines = line_ends(stream, stream->lines);
    int rc = json_short_plan(&stream->survey, &source, whole_of(stream), stream->edit, &lines,
                             &stream->guess, &unseen);
    stream->guessed = rc == 0 && can_be_written(stream, &stream->guess);
    if (stream->guessed)
        stream->failed = write_guess(stream);
}

static bool same_plan(const struct plan *one, const struct plan *other)
{
    bool same = one->count == other->count;
    for (size_t i = 0; same && i < one->count; i++) {
        const struct splice *a = &one->splices[i], *b = &other->splices[i];
        same = a->at.start == b->at.start && a->at.end == b->at.end && a->size == b->size &&
               (a->size == 0 || memcmp(a->text, b->text, a->size) == 0);
    }
    return same;
}

/* ---- the survey ---- */

/* Again where an index counts from the end: then its place is known. */
static int survey(struct stream *stream)
{
    int rc;
    do {
        stream->base = stream->filled = 0;
        stream->uncounted = stream->lines = stream->with_return = stream->returns = 0;
        stream->last_byte = '\0';
        stream->first_line = UINT64_MAX;
        hash_begin(&stream->hash);
        rc = json_survey_run(&stream->survey, more, stream);
    } while (rc == JSON_SURVEY_AGAIN);
    if (rc == 0)
        rc = stream->failed;
    if (rc == 0 && stream->guessed)
        rc = write_up_to(stream, stream->base + stream->filled);
    stream->stopped = true;
    if (rc == 0)
        drop(stream, stream->base + stream->filled);
    return rc == JSON_SURVEY_LEFT ? UNSUITED : rc;
}

static int begin(struct stream *stream, const struct keypath *path, enum untorn_format format)
{
    stream->room = stream->io->room ? stream->io->room : LIMIT_CHUNK;
    stream->buffer = malloc(stream->room);
    bool begun = json_survey_begin(&stream->survey, path, format, &stream->arena);
    return path->count > 0 && begun && stream->buffer ? 0 : UNSUITED;
}

static void end(struct stream *stream)
{
    free(stream->buffer);
    plan_free(&stream->guess);
    arena_free(&stream->arena);
}

/* ---- the rest of the new text ---- */

/* On to `end`, into the new text or past it. */
static int copy(struct stream *stream, uint64_t end, bool into)
{
    while (stream->written < end) {
        uint64_t left = end - stream->written;
        size_t size = left < stream->room ? (size_t)left : stream->room;
        int64_t n = get(stream, stream->buffer, size, stream->written);
        if (n <= 0)
            return n < 0 ? fail(stream, n, "read it") : STALE;
        hash_add(&stream->hash, stream->buffer, (size_t)n);
        int rc = into ? put(stream, stream->buffer, (size_t)n) : 0;
        if (rc != 0)
            return rc;
        stream->written += (uint64_t)n;
    }
    return 0;
}

static int write_rest(struct stream *stream, const struct plan *plan)
{
    struct untorn_hash scanned = hash_end(&stream->hash), copied;
    uint64_t size = stream->base;
    int rc = 0;
    hash_begin(&stream->hash);
    for (size_t i = 0; i < plan->count && rc == 0; i++) {
        const struct splice *splice = &plan->splices[i];
        rc = splice->at.start < stream->written ? UNSUITED : copy(stream, splice->at.start, true);
        if (rc == 0)
            rc = put(stream, splice->text, splice->size);
        if (rc == 0)
            rc = copy(stream, splice->at.end, false);
    }
    if (rc == 0)
        rc = copy(stream, size, true);
    copied = hash_end(&stream->hash);
    if (rc == 0 && !untorn_hash_equal(&scanned, &copied))
        rc = STALE; /* [STREAM-1] */
    return rc;
}

/* ---- the interface ---- */

/* json_short.h has the same outcomes as we have. */
static int outcome_of(int rc)
{
    static const int outcomes[] = {[JSON_SHORT_UNCHANGED] = JSON_STREAM_UNCHANGED,
                                   [JSON_SHORT_UNSUITED] = UNSUITED,
                                   [JSON_SHORT_STALE] = STALE};
    return rc > 0 ? outcomes[rc] : rc;
}

/* Where all is known. [STREAM-2] */
static int edit_surveyed(struct stream *stream)
{
    struct json_source source = source_of(stream, stream->base);
    struct plan plan = {0};
    struct json_line_ends lines;
    if (!find_line_ends(stream, &lines))
        return STALE;
    if (stream->returns > stream->with_return)
        return UNSUITED;
    int rc = outcome_of(json_short_plan(&stream->survey, &source, whole_of(stream), stream->edit,
                                        &lines, &plan, stream->error));
    if (rc == 0 && stream->guessed)
        rc = same_plan(&plan, &stream->guess) ? 0 : JSON_STREAM_MISGUESSED;
    else if (rc == 0)
        rc = write_rest(stream, &plan);
    plan_free(&plan);
    return rc;
}

/* A stand-in's key begins with a NUL. */
static bool has_plain_keys(const struct keypath *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (path->steps[i].key_size > 0 && path->steps[i].key[0] == '\0')
            return false;
    return true;
}

static int read_target(struct stream *stream, const struct json_element *target, char **ret_text,
                       size_t *ret_size)
{
    size_t size = (size_t)(target->end - target->value);
    char *text = malloc(size + 1);
    if (!text)
        return error_fail(stream->error, UNTORN_NO_MEMORY, NULL);
    int64_t n = get(stream, text, size, target->value);
    if (n < 0 || (size_t)n < size) {
        free(text);
        return n < 0 ? fail(stream, n, "read it") : STALE;
    }
    text[size] = '\0';
    *ret_text = text;
    *ret_size = size;
    return 0;
}

/* That the value of an UNTORN_ENSURE makes sense is asked also where it is not needed. */
static int check_value(const struct untorn_edit *edit, enum untorn_format format,
                       struct untorn_error *error)
{
    struct value value = {0};
    int rc = value_read(edit, NULL, "", format, &value, error);
    value_free(&value);
    return rc;
}

static int edit_or_find(struct stream *stream, char **ret_found, size_t *ret_size)
{
    bool ensures = stream->edit->kind == UNTORN_ENSURE;
    const struct json_element *target = ensures ? json_survey_target(&stream->survey) : NULL;
    if (!target)
        return edit_surveyed(stream);
    int rc = check_value(stream->edit, stream->survey.format, stream->error);
    if (rc == 0)
        rc = read_target(stream, target, ret_found, ret_size);
    return rc == 0 ? JSON_STREAM_UNCHANGED : rc;
}

int json_stream_ensure(const struct untorn_edit *edit, enum untorn_format format,
                       const struct json_stream_io *io, char **ret_found, size_t *ret_size,
                       struct untorn_error *error)
{
    struct stream stream = {.io = io, .error = error, .edit = edit};
    struct keypath path;
    bool patch = edit->kind == UNTORN_MERGE_PATCH || edit->kind == UNTORN_JSON_PATCH;
    int rc = UNSUITED;
    *ret_found = NULL;
    *ret_size = 0;
    if (!patch && keypath_of_edit(edit, &stream.arena, &path, error) == 0 && has_plain_keys(&path))
        rc = begin(&stream, &path, format);
    stream.survey.enters_target = edit->kind == UNTORN_SET;
    stream.survey.settled = guess;
    if (edit->kind == UNTORN_RENAME) {
        stream.survey.other = edit->value ? edit->value : "";
        stream.survey.other_size = edit->value ? edit->value_size : 0;
    }
    if (rc == 0)
        rc = survey(&stream);
    if (rc == 0)
        rc = edit_or_find(&stream, ret_found, ret_size);
    end(&stream);
    return rc;
}

int json_stream_edit(const struct untorn_edit *edit, enum untorn_format format,
                     const struct json_stream_io *io, struct untorn_error *error)
{
    char *found;
    size_t size;
    int rc = json_stream_ensure(edit, format, io, &found, &size, error);
    free(found);
    return rc;
}

static int not_found(struct stream *stream)
{
    struct json_source source = source_of(stream, stream->base);
    return outcome_of(
        json_short_missing(&stream->survey, &source, whole_of(stream), stream->error));
}

int json_stream_find(const struct keypath *path, enum untorn_format format,
                     const struct json_stream_io *io, char **ret_text, size_t *ret_size,
                     struct untorn_error *error)
{
    struct stream stream = {.io = io, .error = error};
    *ret_text = NULL;
    *ret_size = 0;
    int rc = begin(&stream, path, format);
    if (rc == 0)
        rc = survey(&stream);
    if (rc == 0) {
        const struct json_element *target = json_survey_target(&stream.survey);
        rc = target ? read_target(&stream, target, ret_text, ret_size) : not_found(&stream);
    }
    end(&stream);
    return rc;
}
