#include "text/editing.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/format.h"
#include "text/place.h"

static planner *planner_of(enum untorn_format format)
{
    return format_is_toml(format) ? plan_toml : plan_json;
}

int editing_begin(struct editing *ret_editing, const char *text, size_t size,
                  enum untorn_format format, planner *plan, struct untorn_error *error)
{
    *ret_editing = (struct editing){.plan = plan ? plan : planner_of(format)};
    return document_parse(text, size, format, &ret_editing->parsed, error);
}

void editing_borrow(struct editing *ret_editing, struct parsed *parsed)
{
    *ret_editing =
        (struct editing){.plan = planner_of(parsed->format), .parsed = *parsed, .lent = parsed};
}

/* Does to the old data what the plan was to do to the text. *ret_root is what the new text must
 * hold. */
static bool change_data(struct arena *arena, const struct change *change,
                        struct untorn_node **ret_root)
{
    struct untorn_node *node = (struct untorn_node *)change->node;
    struct untorn_node *value = (struct untorn_node *)change->value;
    switch (change->kind) {
    case CHANGE_REPLACE:
        if (node->parent)
            node_replace(node, value);
        else
            *ret_root = value;
        return true;
    case CHANGE_ADD:
        return node_put_member(arena, node, change->key, change->key_size, value);
    case CHANGE_INSERT:
        return node_put_element(node, change->index, value);
    case CHANGE_REMOVE:
        node_remove(node);
        return true;
    case CHANGE_RENAME:
        return node_rename(arena, node, change->key, change->key_size);
    }
    return false;
}

/* `before` is what the node was like; the change may have failed half-way. */
static void undo_change(const struct change *change, const struct untorn_node *before)
{
    struct untorn_node *node = (struct untorn_node *)change->node;
    struct untorn_node *value = (struct untorn_node *)change->value;
    bool removed = change->kind == CHANGE_REMOVE;
    if (change->kind == CHANGE_RENAME && node->key != before->key) {
        node_remove(node);
        removed = true;
        node->key = before->key;
        node->key_size = before->key_size;
    }
    if (removed)
        node_put_back(node, before->parent, before->next);
    else if (change->kind == CHANGE_REPLACE && before->parent)
        node_replace(value, node);
    else if (value && value->parent)
        node_remove(value);
}

/* In which the tree lies. */
static struct arena *arena_of(struct editing *editing)
{
    return editing->lent ? &editing->lent->arena : &editing->parsed.arena;
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
static int prove(struct editing *editing, const char *text, size_t size,
                 const struct untorn_node *expected, struct parsed *ret_parsed,
                 struct untorn_error *error)
{
    struct flaw flaw = {0};
    if (parse_in(&editing->used, text, size, editing->parsed.format, ret_parsed, &flaw) < 0)
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
    int rc = prove(editing, text, size, expected, &parsed, error);
    if (rc != 0) {
        parsed_free(&parsed);
        free(text);
        return rc;
    }
    parsed.newline = editing->parsed.newline;
    parsed.stands_for = editing->parsed.stands_for;
    free(editing->text);
    if (!editing->lent)
        editing->used = editing->parsed.arena;
    editing->lent = NULL;
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

/* What a scalar of a lent tree was before. */
struct noted {
    struct noted *next;
    struct untorn_node *node, before;
};

static bool note(struct editing *editing, struct untorn_node *node)
{
    struct noted *noted = arena_take(&editing->scalars.arena, sizeof *noted);
    if (!noted)
        return false;
    *noted = (struct noted){.next = editing->noted, .node = node, .before = *node};
    editing->noted = noted;
    return true;
}

/* Gives a lent tree back as it was. */
static void put_back(struct editing *editing)
{
    for (const struct noted *noted = editing->noted; noted; noted = noted->next)
        *noted->node = noted->before;
    editing->noted = NULL;
}

/* Changes the tree, and notes how the text is to be changed. */
static int note_scalar(struct editing *editing, const struct change *change,
                       const struct splice *splice, struct untorn_error *error)
{
    struct untorn_node *node = (struct untorn_node *)change->node;
    const struct untorn_node *value = change->value;
    struct arena *arena = &editing->scalars.arena;
    const char *spelling = arena_copy(arena, splice->text, splice->size);
    const char *text = value->text ? arena_copy(arena, value->text, value->size) : NULL;
    if (!spelling || (value->text && !text) || (editing->lent && !note(editing, node)) ||
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
    int rc = text ? accept(editing, text, size, editing->parsed.root, error)
                  : error_fail(error, UNTORN_NO_MEMORY, NULL);
    put_back(editing);
    plan_free(&editing->scalars);
    return rc;
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
    bool lent = editing->lent;
    struct untorn_node before = *change->node, *expected = editing->parsed.root;
    char *text = plan_apply(plan, editing->parsed.text, editing->parsed.size, &size);
    if (!text)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    int rc;
    if (change_data(arena_of(editing), change, &expected)) {
        rc = accept(editing, text, size, expected, error);
    } else {
        free(text);
        rc = error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    if (lent)
        undo_change(change, &before);
    return rc;
}

/* The plan is kept. */
static int changed(struct editing *editing, struct plan *plan, int rc)
{
    plan->unsure |= editing->last.unsure;
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
    editing->text = NULL;
    *ret_text = text;
    *ret_size = size;
    return 0;
}

int editing_take_parsed(struct editing *editing, char **ret_text, struct parsed *ret_parsed,
                        struct untorn_error *error)
{
    int rc = editing_settle(editing, error);
    *ret_text = rc == 0 ? editing->text : NULL;
    *ret_parsed = (struct parsed){0};
    if (!*ret_text)
        return rc;
    *ret_parsed = editing->parsed;
    editing->parsed = (struct parsed){0};
    editing->text = NULL;
    return 0;
}

void editing_free(struct editing *editing)
{
    put_back(editing);
    if (!editing->lent)
        parsed_free(&editing->parsed);
    arena_free(&editing->used);
    plan_free(&editing->scalars);
    plan_free(&editing->last);
    free(editing->text);
    *editing = (struct editing){0};
}
