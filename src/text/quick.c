#include "text/quick.h"

#include <string.h>

#include "base/error.h"
#include "text/format.h"
#include "text/json_style.h"
#include "text/json_survey.h"
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

/* ---- JSON: only looked over ---- */

struct memory {
    struct json_survey survey;
    const char *text;
    size_t size;
};

static int feed(void *context)
{
    struct memory *memory = context;
    json_scan_feed(&memory->survey.scanner, memory->text, memory->size, true);
    return 0;
}

/* [QUICK-2] */
static bool json_says(const struct buffer *spelled, const struct untorn_node *value)
{
    struct parsed parsed;
    struct flaw flaw;
    if (spelled->failed ||
        parse_json(spelled->data, spelled->size, UNTORN_JSON, &parsed, &flaw) < 0)
        return false;
    bool same = node_equal(parsed.root, value);
    parsed_free(&parsed);
    return same;
}

static bool replace_json(const struct memory *memory, const struct json_element *old,
                         const struct untorn_edit *edit, struct buffer *ret_new)
{
    static const struct json_style style = {0};
    static const struct json_layout layout = {0};
    enum untorn_format format = memory->survey.format;
    struct untorn_error unseen;
    struct flaw flaw;
    struct parsed parsed = {0};
    struct value value = {0};
    struct buffer spelled = {0};
    error_begin(&unseen, NULL, NULL);
    bool done = parse_json(memory->text + old->value, (size_t)(old->end - old->value), format,
                           &parsed, &flaw) == 0 &&
                value_read(edit, parsed.root, "", format, &value, &unseen) == 0 &&
                !node_is_container(value.node);
    if (done && node_equal(parsed.root, value.node)) {
        buffer_add(ret_new, memory->text, memory->size);
    } else if (done) {
        json_add_value(&spelled, value.node, &style, &layout);
        done = value_fits(value.node, format, 1, &unseen) == 0 && json_says(&spelled, value.node);
        buffer_add(ret_new, memory->text, (size_t)old->value);
        buffer_add(ret_new, spelled.data, spelled.size);
        buffer_add(ret_new, memory->text + old->end, memory->size - (size_t)old->end);
    }
    buffer_free(&spelled);
    value_free(&value);
    parsed_free(&parsed);
    return done;
}

static bool set_json(const char *text, size_t size, enum untorn_format format,
                     const struct untorn_edit *edit, struct buffer *ret_new)
{
    struct memory memory = {.text = text, .size = size};
    struct untorn_error unseen;
    struct arena arena = {0};
    struct keypath path;
    const struct json_element *old = NULL;
    error_begin(&unseen, NULL, NULL);
    if (keypath_of_edit(edit, &arena, &path, &unseen) == 0 && path.count > 0 &&
        json_survey_begin(&memory.survey, &path, format, &arena) &&
        json_survey_run(&memory.survey, feed, &memory) == 0) /* [QUICK-1] */
        old = json_survey_target(&memory.survey);
    bool done = old && !json_element_is_container(old) && replace_json(&memory, old, edit, ret_new);
    arena_free(&arena);
    return done;
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
