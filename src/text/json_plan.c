#include "text/json_plan.h"

#include <string.h>

#include "text/json_gap.h"
#include "text/json_style.h"

/* ---- what the parts plan with ---- */

static void end_lines(struct buffer *buffer, const char *newline)
{
    struct buffer ended = {0};
    const char *at = buffer->data, *end = at + buffer->size;
    for (const char *line; (line = memchr(at, '\n', (size_t)(end - at))) != NULL; at = line + 1) {
        buffer_add(&ended, at, (size_t)(line - at));
        buffer_text(&ended, newline);
    }
    buffer_add(&ended, at, (size_t)(end - at));
    buffer_free(buffer);
    *buffer = ended;
}

void json_plan_put(struct json_job *job, size_t start, size_t end, struct buffer *buffer)
{
    if (!buffer->failed && buffer->size > 0 && memchr(buffer->data, '\n', buffer->size))
        end_lines(buffer, json_newline(job->parsed));
    job->failed = job->failed || buffer->failed;
    char *text = job->failed ? NULL : arena_copy(&job->plan->arena, buffer->data, buffer->size);
    struct span at = {start, end};
    if (!text || !plan_add(job->plan, at, text, buffer->size))
        job->failed = true;
    buffer_free(buffer);
}

void json_plan_cut(struct json_job *job, size_t start, size_t end)
{
    struct buffer nothing = {0};
    if (end > start)
        json_plan_put(job, start, end, &nothing);
}

/* ---- replacing and renaming ---- */

/* A container in a container of one line is on that line. Otherwise it is laid out as the one it
 * replaces, if there is one, else on many lines. */
static struct json_layout layout_of_replacement(const struct parsed *parsed,
                                                const struct untorn_node *old,
                                                const struct untorn_node *value)
{
    const struct untorn_node *parent = old->parent;
    struct json_layout layout = {.indent = json_indent_at(parsed, json_start(parsed, old))};
    bool likewise = old->kind == value->kind || !parent;
    layout.one_line = json_is_on_one_line(parent) || (likewise && json_is_on_one_line(old));
    layout.model = old->kind == value->kind ? old : NULL;
    layout.padded = json_padding(old, value->kind);
    if (!layout.padded && !(likewise && json_is_on_one_line(old)))
        layout.padded = json_padding(parent, value->kind);
    return layout;
}

/* Nothing of what was cut would stay, nor decide how nothing looks. Comments might stay. */
static bool is_surely_empty(const struct parsed *parsed, const struct untorn_node *value)
{
    return value->count == 0 && parsed->format == UNTORN_JSON;
}

static void replace(struct json_job *job)
{
    const struct parsed *parsed = job->parsed;
    const struct untorn_node *old = job->change->node, *value = job->change->value;
    struct buffer buffer = {0};
    struct json_style style = {0};
    struct json_layout layout = {0};
    if (node_is_container(value)) {
        const struct untorn_node *place = node_is_container(old) ? old : old->parent;
        style = json_style_in(parsed, place);
        layout = layout_of_replacement(parsed, old, value);
        job->plan->unsure =
            !is_surely_empty(parsed, value) &&
            (json_style_is_unsure(&style, value) || (layout.model && node_is_cut(layout.model)));
    }
    json_add_value(&buffer, value, &style, &layout);
    size_t start = (size_t)(old->raw - parsed->text);
    json_plan_put(job, start, start + old->raw_size, &buffer);
}

static void rename_key(struct json_job *job)
{
    const struct change *change = job->change;
    struct buffer buffer = {0};
    write_json_string(&buffer, change->key, change->key_size, false);
    size_t start = (size_t)(change->node->key_raw - job->parsed->text);
    json_plan_put(job, start, start + node_key_raw_size(change->node), &buffer);
}

/* ---- the way in ---- */

/* The root has no key, and a document is not without a value. */
static bool makes_sense(const struct change *change)
{
    switch (change->kind) {
    case CHANGE_REMOVE:
        return change->node->parent != NULL;
    case CHANGE_RENAME:
        return change->node->key_raw != NULL;
    default:
        return true;
    }
}

int plan_json(const struct parsed *parsed, const struct change *change, struct plan *ret_plan)
{
    *ret_plan = (struct plan){0};
    struct json_job job = {.parsed = parsed, .change = change, .plan = ret_plan};
    if (!makes_sense(change))
        return -UNTORN_TYPE;
    switch (change->kind) {
    case CHANGE_REPLACE:
        replace(&job);
        break;
    case CHANGE_ADD:
    case CHANGE_INSERT:
        json_plan_insert(&job);
        break;
    case CHANGE_REMOVE:
        json_plan_remove(&job);
        break;
    case CHANGE_RENAME:
        rename_key(&job);
        break;
    }
    if (!job.failed)
        return 0;
    plan_free(ret_plan);
    return -UNTORN_NO_MEMORY;
}
