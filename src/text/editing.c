#include "text/editing.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/format.h"
#include "text/place.h"

int editing_begin(struct editing *ret_editing, const char *text, size_t size,
                  enum untorn_format format, planner *plan, struct untorn_error *error)
{
    *ret_editing = (struct editing){.plan = plan};
    if (!plan)
        ret_editing->plan = format_is_toml(format) ? plan_toml : plan_json;
    return document_parse(text, size, format, &ret_editing->parsed, error);
}

/* Does to the old data what the plan was to do to the text. The old tree is not used for anything
 * else afterwards. *ret_root is what the new text must hold. */
static bool change_data(struct parsed *parsed, const struct change *change,
                        struct untorn_node **ret_root)
{
    struct untorn_node *node = (struct untorn_node *)change->node;
    struct untorn_node *value = (struct untorn_node *)change->value;
    *ret_root = parsed->root;
    switch (change->kind) {
    case CHANGE_REPLACE:
        if (node == parsed->root)
            *ret_root = value;
        else
            node_replace(node, value);
        return true;
    case CHANGE_ADD:
        return node_put_member(&parsed->arena, node, change->key, change->key_size, value);
    case CHANGE_INSERT:
        return node_put_element(node, change->index, value);
    case CHANGE_REMOVE:
        node_remove(node);
        return true;
    case CHANGE_RENAME:
        return node_rename(&parsed->arena, node, change->key, change->key_size);
    }
    return false;
}

static int misplanned(struct untorn_error *error, const struct flaw *flaw, const char *text,
                      size_t size)
{
    if (!flaw) {
        error_detail(error, "the new text would hold other data");
    } else {
        struct text_place place = text_place(text, size, flaw->position);
        error_detail(error, "the new text would not parse, line %llu, column %llu: %s",
                     (unsigned long long)place.line, (unsigned long long)place.column, flaw->what);
    }
    return error_fail(error, UNTORN_MISPLANNED, NULL);
}

/* Scans the new text, and compares it with the change done to the old data. */
static int prove(struct editing *editing, const struct change *change, const char *text,
                 size_t size, struct parsed *ret_parsed, struct untorn_error *error)
{
    struct flaw flaw = {0};
    struct untorn_node *root;
    if (parse(text, size, editing->parsed.format, ret_parsed, &flaw) < 0)
        return flaw.out_of_memory ? error_fail(error, UNTORN_NO_MEMORY, NULL)
                                  : misplanned(error, &flaw, text, size); /* [DOCUMENT-1] */
    if (!change_data(&editing->parsed, change, &root))
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (!node_equal(root, ret_parsed->root))
        return misplanned(error, NULL, text, size); /* [DOCUMENT-2] */
    return 0;
}

/* Why a planner says that a change has no place in the text. */
static const char *why_not(const struct change *change)
{
    const struct untorn_node *parent =
        change->kind == CHANGE_REPLACE ? change->node->parent : change->node;
    if (parent && parent->origin == NODE_TABLES)
        return "every [[...]] is a table; with another value among them all would be written anew "
               "and their comments lost: set the whole array";
    return "this kind of document cannot hold it there";
}

static int plan_text(struct editing *editing, const struct change *change, char **ret_text,
                     size_t *ret_size, struct untorn_error *error)
{
    struct plan plan = {0};
    const struct parsed *parsed = &editing->parsed;
    int rc = editing->plan(parsed, change, &plan);
    *ret_text = rc == 0 ? plan_apply(&plan, parsed->text, parsed->size, ret_size) : NULL;
    plan_free(&plan);
    if (*ret_text)
        return 0;
    if (rc == -UNTORN_TYPE)
        error_detail(error, "%s", why_not(change));
    return error_fail(error, rc == 0 ? UNTORN_NO_MEMORY : (enum untorn_status) - rc, NULL);
}

int editing_change(struct editing *editing, const struct change *change, struct untorn_error *error)
{
    char *text;
    size_t size;
    struct parsed parsed = {0};
    int rc = plan_text(editing, change, &text, &size, error);
    if (rc == 0)
        rc = prove(editing, change, text, size, &parsed, error);
    if (rc != 0) {
        parsed_free(&parsed);
        free(text);
        return rc;
    }
    parsed_free(&editing->parsed);
    free(editing->text);
    editing->parsed = parsed;
    editing->text = text;
    return 0;
}

int editing_take(struct editing *editing, char **ret_text, size_t *ret_size,
                 struct untorn_error *error)
{
    size_t size = editing->parsed.size;
    char *text = editing->text;
    if (!text) {
        text = malloc(size + 1);
        if (!text)
            return error_fail(error, UNTORN_NO_MEMORY, NULL);
        if (size > 0)
            memcpy(text, editing->parsed.text, size);
        text[size] = '\0';
    }
    parsed_free(&editing->parsed);
    editing->text = NULL;
    *ret_text = text;
    *ret_size = size;
    return 0;
}

void editing_free(struct editing *editing)
{
    parsed_free(&editing->parsed);
    free(editing->text);
    editing->text = NULL;
}
