#include "text/json_held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "text/format.h"
#include "text/json_stream.h"
#include "text/value.h"

enum { MARGIN = 64 * 1024 }; /* what is added mostly takes less */

struct held {
    const char *text;
    size_t size;
    char *made;
    size_t made_size, room, margin;
};

static int64_t read_text(void *context, char *data, size_t size, uint64_t offset)
{
    const struct held *held = context;
    size_t left = offset < held->size ? held->size - (size_t)offset : 0;
    size = size < left ? size : left;
    if (size > 0)
        memcpy(data, held->text + offset, size);
    return (int64_t)size;
}

static int write_text(void *context, const char *data, size_t size)
{
    struct held *held = context;
    if (size >= held->room - held->made_size) { /* one byte is for the end */
        size_t room = held->room + size + held->margin;
        char *larger = realloc(held->made, room);
        if (!larger)
            return -ENOMEM;
        held->made = larger;
        held->room = room;
    }
    memcpy(held->made + held->made_size, data, size);
    held->made_size += size;
    return 0;
}

/* What is there, as its text. */
static int tell_found(struct asking *asking, const char *text, size_t size,
                      enum untorn_format format, struct untorn_error *error)
{
    struct parsed parsed;
    struct flaw flaw;
    if (parse_json(text, size, format, &parsed, &flaw) < 0) /* it was scanned */
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    asking->tell(asking->context, asking->edit, parsed.root, false);
    parsed_free(&parsed);
    return 0;
}

static int tell_made(struct asking *asking, const struct untorn_edit *edit,
                     enum untorn_format format, struct untorn_error *error)
{
    struct value value = {0};
    int rc = value_read(edit, NULL, "", format, &value, error);
    if (rc == 0)
        asking->tell(asking->context, asking->edit, value.node, true);
    value_free(&value);
    return rc;
}

/* As json_stream_edit returns, but for what is to be done again. */
static int run(struct held *held, const struct untorn_edit *edit, enum untorn_format format,
               const struct json_held_sizes *sizes, struct asking *asking,
               struct untorn_error *error)
{
    struct json_stream_io io = {.read = read_text,
                                .write = write_text,
                                .context = held,
                                .room = sizes->room,
                                .whole = sizes->whole};
    char *found = NULL;
    size_t size;
    int rc;
    do {
        io.careful = held->made_size > 0; /* it misguessed */
        held->made_size = 0;
        rc = json_stream_ensure(edit, format, &io, &found, &size, error);
    } while (rc == JSON_STREAM_MISGUESSED);
    if (asking && found) {
        int told = tell_found(asking, found, size, format, error);
        rc = told != 0 ? told : rc;
    } else if (asking && rc == 0 && edit->kind == UNTORN_ENSURE) {
        rc = tell_made(asking, edit, format, error);
    }
    free(found);
    return rc;
}

bool json_held_edit_sized(const char *text, size_t size, enum untorn_format format,
                          const struct untorn_edit *edit, const struct json_held_sizes *sizes,
                          struct asking *asking, char **ret_text, size_t *ret_size, int *ret_rc,
                          struct untorn_error *error)
{
    struct held held = {.text = text, .size = size};
    if (format_is_toml(format) || !format_is_known(format))
        return false;
    held.margin = sizes->margin ? sizes->margin : MARGIN;
    held.room = size + held.margin;
    held.made = pages_malloc(held.room);
    if (!held.made)
        return false;
    if (asking)
        asking->edit = 0;
    int rc = run(&held, edit, format, sizes, asking, error);
    if (rc == JSON_STREAM_UNCHANGED) {
        memcpy(held.made, text, size);
        held.made_size = size;
        rc = 0;
    }
    if (rc == 0)
        held.made[held.made_size] = '\0';
    else
        free(held.made);
    *ret_text = rc == 0 ? held.made : NULL;
    *ret_size = rc == 0 ? held.made_size : 0;
    *ret_rc = rc;
    return rc <= 0;
}

bool json_held_edit(const char *text, size_t size, enum untorn_format format,
                    const struct untorn_edit *edit, struct asking *asking, char **ret_text,
                    size_t *ret_size, int *ret_rc, struct untorn_error *error)
{
    static const struct json_held_sizes good = {0};
    return size >= JSON_HELD_LEAST && json_held_edit_sized(text, size, format, edit, &good, asking,
                                                           ret_text, ret_size, ret_rc, error);
}
