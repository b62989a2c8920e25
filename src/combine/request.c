#include "combine/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

enum { VERSION = 1, WITH_KEY = 1, SECRET = 2, MOST_EDITS = 1024, MOST_SEGMENTS = 1024 };

/* ---- writing ---- */

struct writer {
    char *at;
    size_t left;
    bool full;
};

static void add(struct writer *writer, const void *data, size_t size)
{
    if (writer->full || size > writer->left) {
        writer->full = true;
        return;
    }
    if (size > 0)
        memcpy(writer->at, data, size);
    writer->at += size;
    writer->left -= size;
}

static void add_number(struct writer *writer, uint64_t number)
{
    unsigned char bytes[4];
    cursor_put(bytes, number, 4);
    add(writer, bytes, sizeof bytes);
}

/* With a NUL behind it, so that it can be used where it lies. */
static void add_text(struct writer *writer, const char *text, size_t size)
{
    if (size > writer->left)
        writer->full = true;
    add_number(writer, size);
    add(writer, text, size);
    add(writer, "", 1);
}

static void add_edit(struct writer *writer, const struct untorn_edit *edit)
{
    add_number(writer, edit->kind);
    add_number(writer, edit->syntax);
    add_number(writer, (edit->key ? WITH_KEY : 0u) | (edit->secret ? SECRET : 0u));
    if (edit->key)
        add_text(writer, edit->key, strlen(edit->key));
    else
        add_number(writer, edit->segments ? edit->segment_count : 0);
    for (size_t i = 0; !edit->key && edit->segments && i < edit->segment_count; i++)
        add_text(writer, edit->segments[i], strlen(edit->segments[i]));
    add_text(writer, edit->value, edit->value ? edit->value_size : 0);
}

size_t request_write(const struct request *request, char *bytes, size_t room)
{
    struct writer writer = {bytes, room, request->count > MOST_EDITS};
    add_number(&writer, VERSION);
    add_number(&writer, request->format);
    add_number(&writer, request->level);
    add_number(&writer, (uint32_t)request->keep);
    add_number(&writer, request->count);
    for (size_t i = 0; i < request->count && !writer.full; i++) {
        if (!request->edits[i].key && request->edits[i].segment_count > MOST_SEGMENTS)
            return 0;
        add_edit(&writer, &request->edits[i]);
    }
    return writer.full ? 0 : room - writer.left;
}

/* ---- reading ---- */

/* What is read, in one piece of memory: the edits, their segments, the bytes. None of the first two
 * takes less than so many bytes. */
enum { LEAST_EDIT = 4 * 4, LEAST_SEGMENT = 4 + 1 };

struct memory {
    struct untorn_edit *edits;
    const char **segments;
    size_t most_segments, used_segments;
    unsigned char *bytes;
};

static struct untorn_edit *allocate(size_t size, struct memory *ret_memory)
{
    size_t edits = size / LEAST_EDIT + 1, segments = size / LEAST_SEGMENT + 1;
    struct untorn_edit *list =
        malloc(edits * sizeof *list + segments * sizeof(const char *) + size + 1);
    if (!list)
        return NULL;
    *ret_memory = (struct memory){.edits = list, .most_segments = segments};
    ret_memory->segments = (const char **)(void *)(list + edits);
    ret_memory->bytes = (unsigned char *)(ret_memory->segments + segments);
    return list;
}

static const char *take_text(struct cursor *cursor, size_t *ret_size)
{
    size_t size = (size_t)cursor_take(cursor, 4);
    const char *text = (const char *)cursor_take_bytes(cursor, size);
    const unsigned char *end = cursor_take_bytes(cursor, 1);
    if (!text || !end || *end != '\0')
        cursor->bad = true;
    *ret_size = size;
    return text;
}

/* No NUL within. */
static const char *take_string(struct cursor *cursor)
{
    size_t size;
    const char *text = take_text(cursor, &size);
    if (!cursor->bad && strlen(text) != size)
        cursor->bad = true;
    return text;
}

static unsigned take_at_most(struct cursor *cursor, unsigned most)
{
    uint64_t number = cursor_take(cursor, 4);
    if (number > most)
        cursor->bad = true;
    return cursor->bad ? 0 : (unsigned)number;
}

static void take_segments(struct cursor *cursor, struct memory *memory, struct untorn_edit *edit)
{
    unsigned left = (unsigned)(memory->most_segments - memory->used_segments);
    edit->segment_count = take_at_most(cursor, left < MOST_SEGMENTS ? left : MOST_SEGMENTS);
    edit->segments = memory->segments + memory->used_segments;
    for (size_t i = 0; i < edit->segment_count && !cursor->bad; i++)
        memory->segments[memory->used_segments++] = take_string(cursor);
}

static void take_edit(struct cursor *cursor, struct memory *memory, struct untorn_edit *edit)
{
    edit->kind = (enum untorn_edit_kind)take_at_most(cursor, UNTORN_ENSURE);
    edit->syntax = (enum untorn_syntax)take_at_most(cursor, UNTORN_AS_TOML);
    unsigned flags = take_at_most(cursor, WITH_KEY | SECRET);
    edit->secret = (flags & SECRET) != 0;
    if (flags & WITH_KEY)
        edit->key = take_string(cursor);
    else
        take_segments(cursor, memory, edit);
    edit->value = take_text(cursor, &edit->value_size);
}

int request_read(struct request *ret_request, const char *bytes, size_t size)
{
    struct memory memory;
    *ret_request = (struct request){0};
    struct request request = {.memory = allocate(size, &memory)};
    if (!request.memory)
        return -ENOMEM;
    if (size > 0)
        memcpy(memory.bytes, bytes, size);
    struct cursor cursor = {.from = memory.bytes, .left = size};
    cursor.bad = cursor_take(&cursor, 4) != VERSION;
    request.edits = memory.edits;
    request.format = (enum untorn_format)take_at_most(&cursor, UNTORN_TOML_1_0);
    request.level = (enum untorn_level)take_at_most(&cursor, UNTORN_CACHE);
    request.keep = (int32_t)(uint32_t)cursor_take(&cursor, 4);
    request.count = take_at_most(&cursor, (unsigned)(size / LEAST_EDIT));
    for (size_t i = 0; i < request.count && !cursor.bad; i++) {
        memory.edits[i] = (struct untorn_edit){0};
        take_edit(&cursor, &memory, &memory.edits[i]);
    }
    if (cursor.bad || cursor.left > 0) {
        free(request.memory);
        return -EBADMSG;
    }
    *ret_request = request;
    return 0;
}

void request_free(struct request *request)
{
    free(request->memory);
    *request = (struct request){0};
}
