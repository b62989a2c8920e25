#include "text/quick.h"

#include <string.h>

#include "base/error.h"
#include "text/format.h"
#include "text/json_stream.h"
#include "text/keypath.h"
#include "text/toml_plan.h"
#include "text/toml_scan.h"
#include "text/value.h"
#include "text/write.h"

static bool hand_over(struct buffer *buffer, char **ret_text, size_t *ret_size)
{
    if (buffer->failed || !buffer->data) {
        buffer_free(buffer);
        return false;
    }
    *ret_text = buffer->data;
    *ret_size = buffer->size;
    return true;
}

/* ---- JSON: as if it were too large to hold ---- */

struct memory {
    const char *text;
    size_t left;
    struct buffer out;
};

static int64_t take(void *context, char *data, size_t size)
{
    struct memory *memory = context;
    size = size < memory->left ? size : memory->left;
    memcpy(data, memory->text, size);
    memory->text += size;
    memory->left -= size;
    return (int64_t)size;
}

static int put(void *context, const char *data, size_t size)
{
    buffer_add(&((struct memory *)context)->out, data, size);
    return 0;
}

static bool set_json(const char *text, size_t size, enum untorn_format format,
                     const struct untorn_edit *edit, struct buffer *ret_new)
{
    struct memory memory = {.text = text, .left = size};
    struct json_stream_io io = {.read = take, .write = put, .context = &memory};
    struct untorn_error unseen;
    error_begin(&unseen, NULL, NULL);
    int rc = json_stream_set(edit, format, &io, &unseen);
    if (rc == JSON_STREAM_UNCHANGED) {
        memory.out.size = 0;
        buffer_add(&memory.out, text, size);
    }
    *ret_new = memory.out;
    return rc == 0 || rc == JSON_STREAM_UNCHANGED;
}

/* ---- TOML: skimmed ---- */

/* A value by itself, as the right side of an assignment. */
static bool read_alone(const char *value, size_t size, enum untorn_format format,
                       struct buffer *text, struct parsed *ret_parsed)
{
    struct flaw flaw;
    buffer_text(text, "x = ");
    buffer_add(text, value, size);
    return !text->failed && parse_toml(text->data, text->size, format, ret_parsed, &flaw) == 0;
}

static bool says(const struct buffer *spelled, const struct untorn_node *value,
                 enum untorn_format format)
{
    struct parsed parsed = {0};
    struct buffer text = {0};
    bool same = !spelled->failed &&
                read_alone(spelled->data, spelled->size, format, &text, &parsed) &&
                parsed.root->count == 1 && node_equal(parsed.root->first, value);
    parsed_free(&parsed);
    buffer_free(&text);
    return same;
}

/* Elements of arrays are not in a tree that was skimmed. */
static bool is_plain_case(const struct untorn_node *node)
{
    if (!node || node_is_container(node) || !node->raw)
        return false;
    while (node->parent && node->parent->kind == UNTORN_OBJECT)
        node = node->parent;
    return !node->parent;
}

/* The text with the node's spelling replaced. */
static bool splice(const struct parsed *parsed, const struct untorn_node *node,
                   const struct buffer *spelled, struct buffer *ret_new)
{
    struct span at = parsed_span(parsed, node);
    buffer_add(ret_new, parsed->text, (size_t)at.start);
    buffer_add(ret_new, spelled->data, spelled->size);
    buffer_add(ret_new, parsed->text + at.end, parsed->size - (size_t)at.end);
    return !ret_new->failed && toml_is_valid(ret_new->data, ret_new->size, parsed->format);
}

/* [QUICK-2] */
static bool replace(const struct parsed *parsed, const struct untorn_node *node,
                    const struct untorn_edit *edit, struct buffer *ret_new)
{
    enum untorn_format format = parsed->format;
    struct untorn_error unseen;
    struct parsed old = {0};
    struct value value = {0};
    struct buffer text = {0}, spelled = {0};
    error_begin(&unseen, NULL, NULL);
    bool done = read_alone(node->raw, node->raw_size, format, &text, &old) &&
                value_read(edit, old.root->first, "", format, &value, &unseen) == 0 &&
                !node_is_container(value.node) && value_fits(value.node, format, 1, &unseen) == 0;
    if (done && node_equal(old.root->first, value.node))
        buffer_add(ret_new, parsed->text, parsed->size);
    else if (done)
        done = toml_add_value(&spelled, value.node, toml_shape_of(node)) == 0 &&
               says(&spelled, value.node, format) && splice(parsed, node, &spelled, ret_new);
    buffer_free(&spelled);
    value_free(&value);
    parsed_free(&old);
    buffer_free(&text);
    return done;
}

static bool set_toml(const char *text, size_t size, enum untorn_format format,
                     const struct untorn_edit *edit, struct buffer *ret_new)
{
    struct untorn_error unseen;
    struct arena arena = {0};
    struct keypath path;
    struct found found;
    struct parsed skimmed;
    error_begin(&unseen, NULL, NULL);
    int rc = keypath_of_edit(edit, &arena, &path, &unseen);
    bool done = toml_skim(text, size, format, &skimmed) && rc == 0 && /* [QUICK-1] */
                keypath_find(&path, skimmed.root, &found, &unseen) == 0 &&
                is_plain_case(found.node) && replace(&skimmed, found.node, edit, ret_new);
    parsed_free(&skimmed);
    arena_free(&arena);
    return done;
}

bool quick_set(const char *text, size_t size, enum untorn_format format,
               const struct untorn_edit *edit, char **ret_text, size_t *ret_size)
{
    struct buffer made = {0};
    bool done = format_is_toml(format) ? set_toml(text, size, format, edit, &made)
                                       : set_json(text, size, format, edit, &made);
    if (done)
        return hand_over(&made, ret_text, ret_size);
    buffer_free(&made);
    return false;
}
