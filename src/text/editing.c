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

/* Scans the new text, and compares it with the data as it must be. */
static int prove(const char *text, size_t size, enum untorn_format format,
                 const struct untorn_node *expected, struct parsed *ret_parsed,
                 struct untorn_error *error)
{
    struct flaw flaw = {0};
    if (parse(text, size, format, ret_parsed, &flaw) < 0)
        return flaw.out_of_memory ? error_fail(error, UNTORN_NO_MEMORY, NULL)
                                  : misplanned(error, &flaw, text, size); /* [DOCUMENT-1] */
    if (!node_equal(expected, ret_parsed->root))
        return misplanned(error, NULL, text, size); /* [DOCUMENT-2] */
    return 0;
}

/* The text takes the place of the one before, if it holds that data; else it is freed. */
static int accept(struct editing *editing, char *text, size_t size,
                  const struct untorn_node *expected, struct untorn_error *error)
{
    struct parsed parsed = {0};
    int rc = prove(text, size, editing->parsed.format, expected, &parsed, error);
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

static int make_plan(const struct editing *editing, const struct change *change,
                     struct plan *ret_plan, struct untorn_error *error)
{
    *ret_plan = (struct plan){0};
    int rc = editing->plan(&editing->parsed, change, ret_plan);
    if (rc == 0)
        return 0;
    plan_free(ret_plan);
    if (rc == -UNTORN_TYPE)
        error_detail(error, "%s", why_not(change));
    return error_fail(error, (enum untorn_status) - rc, NULL);
}

/* ---- scalars ---- */

static bool is_scalar_change(const struct change *change)
{
    return change->kind == CHANGE_REPLACE && !node_is_container(change->node) &&
           !node_is_container(change->value) && change->node->raw && !change->node->respelled;
}

/* Whether nothing but the spelling of the node is replaced. */
static bool is_spelling(const struct editing *editing, const struct plan *plan,
                        const struct untorn_node *node)
{
    struct span span = parsed_span(&editing->parsed, node);
    return plan->count == 1 && plan->splices[0].at.start == span.start &&
           plan->splices[0].at.end == span.end;
}

/* Changes the tree, and notes how the text is to be changed. */
static int note_scalar(struct editing *editing, const struct change *change,
                       const struct splice *splice, struct untorn_error *error)
{
    struct untorn_node *node = (struct untorn_node *)change->node;
    const struct untorn_node *value = change->value;
    const char *text = value->text;
    const char *spelling = arena_copy(&editing->scalars.arena, splice->text, splice->size);
    if (text)
        text = arena_copy(&editing->parsed.arena, text, value->size);
    if (!spelling || (value->text && !text) ||
        !plan_append(&editing->scalars, splice->at, spelling, splice->size))
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    node->kind = value->kind;
    node->text = text;
    node->size = value->size;
    node->respelled = true;
    return 0;
}

int editing_settle(struct editing *editing, struct untorn_error *error)
{
    size_t size;
    if (editing->scalars.count == 0)
        return 0;
    plan_sort(&editing->scalars);
    char *text = plan_apply(&editing->scalars, editing->parsed.text, editing->parsed.size, &size);
    plan_free(&editing->scalars);
    if (!text)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    return accept(editing, text, size, editing->parsed.root, error);
}

/* Settles, and finds again what stands at the node's place: nothing has moved. */
static int settle_before(struct editing *editing, const struct untorn_node **node,
                         struct untorn_error *error)
{
    struct arena arena = {0};
    size_t depth = 0;
    if (editing->scalars.count == 0)
        return 0;
    for (const struct untorn_node *at = *node; at->parent; at = at->parent)
        depth++;
    size_t *places = arena_take(&arena, (depth + 1) * sizeof *places), i = depth;
    if (!places)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    for (const struct untorn_node *at = *node; at->parent; at = at->parent)
        places[--i] = node_position(at);
    int rc = editing_settle(editing, error);
    const struct untorn_node *found = editing->parsed.root;
    for (i = 0; rc == 0 && i < depth; i++) {
        found = found->first;
        for (size_t left = places[i]; left > 0; left--)
            found = found->next;
    }
    *node = found;
    arena_free(&arena);
    return rc;
}

/* ---- changes ---- */

static int change_text(struct editing *editing, const struct change *change,
                       const struct plan *plan, struct untorn_error *error)
{
    size_t size;
    struct untorn_node *expected;
    char *text = plan_apply(plan, editing->parsed.text, editing->parsed.size, &size);
    if (!text || !change_data(&editing->parsed, change, &expected)) {
        free(text);
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    return accept(editing, text, size, expected, error);
}

/* The plan is kept. */
static int changed(struct editing *editing, struct plan *plan, int rc)
{
    plan_free(&editing->last);
    editing->last = *plan;
    editing->changes += rc == 0;
    return rc;
}

int editing_change(struct editing *editing, const struct change *change, struct untorn_error *error)
{
    struct plan plan;
    struct change here = *change;
    if (is_scalar_change(change)) {
        int rc = make_plan(editing, change, &plan, error);
        if (rc != 0)
            return rc;
        if (is_spelling(editing, &plan, change->node))
            return changed(editing, &plan, note_scalar(editing, change, plan.splices, error));
        plan_free(&plan);
    }
    int rc = settle_before(editing, &here.node, error);
    if (rc == 0)
        rc = make_plan(editing, &here, &plan, error);
    if (rc != 0)
        return rc;
    return changed(editing, &plan, change_text(editing, &here, &plan, error));
}

int editing_take(struct editing *editing, char **ret_text, size_t *ret_size,
                 struct untorn_error *error)
{
    int rc = editing_settle(editing, error);
    if (rc != 0)
        return rc;
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
    plan_free(&editing->scalars);
    plan_free(&editing->last);
    free(editing->text);
    editing->text = NULL;
}
