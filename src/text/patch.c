#include "text/patch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/parsed.h"
#include "text/place.h"

/* ---- messages ---- */

static int refuse(struct untorn_error *error, enum untorn_status status, const char *format, ...)
    PRINTF_LIKE(3, 4);

static int refuse(struct untorn_error *error, enum untorn_status status, const char *format, ...)
{
    char what[UNTORN_DETAIL_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_detail(error, "%s", what);
    return error_fail(error, status, NULL);
}
#define refuse(...) ERROR_NEGATIVE(refuse(__VA_ARGS__))

static int no_memory(struct untorn_error *error)
{
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

/* Puts `where` before what has been said. Returns `rc`. */
static int blame(struct untorn_error *error, int rc, const char *where)
{
    char what[UNTORN_DETAIL_SIZE];
    memcpy(what, error->detail, sizeof what);
    error_detail(error, "%s%s%s", where, what[0] ? ": " : "", what);
    return rc;
}

static int read_patch(const char *patch, size_t size, struct parsed *ret_parsed,
                      struct untorn_error *error)
{
    struct flaw flaw = {0};
    if (parse_json(patch, size, UNTORN_JSON, ret_parsed, &flaw) == 0)
        return 0;
    if (flaw.out_of_memory)
        return no_memory(error);
    struct text_place place = text_place(patch, size, flaw.position);
    return refuse(error, UNTORN_INVALID, "the patch is no JSON, line %llu, column %llu: %s",
                  (unsigned long long)place.line, (unsigned long long)place.column, flaw.what);
}

/* ---- RFC 6902: one operation ---- */

struct operation {
    const struct patch_target *target;
    struct arena *arena; /* for as long as the whole patch */
    struct untorn_error *error;
    const struct operation_row *row;
    struct keypath path, from;
    const struct untorn_node *value;
};

struct operation_row {
    const char *name;
    bool takes_value, takes_from;
    int (*apply)(struct operation *operation);
};

/* What a path leads to; it must be there. */
static int find_value(const struct operation *operation, const struct keypath *path,
                      const struct untorn_node **ret_node)
{
    struct found found;
    struct keypath way = *path;
    char shown[KEYPATH_SHOWN];
    way.makes_parents = true; /* that none is made is said below, in the words of a patch */
    int rc = keypath_find(&way, operation->target->root(operation->target->context), &found,
                          operation->error);
    if (rc < 0)
        return rc;
    *ret_node = found.node;
    if (found.node)
        return 0;
    if (found.append)
        return refuse(operation->error, UNTORN_NO_KEY,
                      "\"-\" is behind the last element, where only add puts something");
    const struct step *step = &path->steps[found.matched];
    keypath_shown(step->key, step->key_size, shown);
    return refuse(operation->error, UNTORN_NO_KEY, "step %zu, \"%s\": there is no such key",
                  found.matched + 1, shown);
}

static int change(const struct operation *operation, enum untorn_edit_kind kind,
                  const struct keypath *path, const struct untorn_node *value)
{
    return operation->target->change(operation->target->context, kind, path, value,
                                     operation->error);
}

static int add_element(const struct operation *operation, const struct untorn_node *array,
                       const struct untorn_node *value)
{
    struct keypath path = operation->path;
    struct step *last = &path.steps[path.count - 1];
    char behind[32];
    int size = snprintf(behind, sizeof behind, "%zu", array->count);
    bool counted = last->key_size == (size_t)size && memcmp(last->key, behind, last->key_size) == 0;
    if (counted || (last->key_size == 1 && last->key[0] == '-')) {
        last->kind = STEP_APPEND;
        return change(operation, UNTORN_INSERT, &path, value);
    }
    const struct untorn_node *next;
    int rc = find_value(operation, &path, &next);
    if (rc < 0)
        return rc;
    last->kind = STEP_INDEX;
    last->index = (int64_t)node_position(next);
    return change(operation, UNTORN_INSERT, &path, value);
}

static int add_value(const struct operation *operation, const struct untorn_node *value)
{
    struct keypath parents = operation->path;
    const struct untorn_node *parent;
    if (parents.count == 0)
        return change(operation, UNTORN_SET, &operation->path, value);
    parents.count--;
    int rc = find_value(operation, &parents, &parent);
    if (rc < 0)
        return rc;
    if (parent->kind == UNTORN_ARRAY)
        return add_element(operation, parent, value);
    if (parent->kind != UNTORN_OBJECT)
        return refuse(operation->error, UNTORN_NO_KEY,
                      "what it is to be added to is neither an object nor an array");
    return change(operation, UNTORN_SET, &operation->path, value);
}

static int apply_add(struct operation *operation)
{
    return add_value(operation, operation->value);
}

static int apply_remove(struct operation *operation)
{
    const struct untorn_node *node;
    if (operation->path.count == 0)
        return refuse(operation->error, UNTORN_INVALID, "the whole document cannot be removed");
    int rc = find_value(operation, &operation->path, &node);
    return rc < 0 ? rc : change(operation, UNTORN_UNSET, &operation->path, NULL);
}

static int apply_replace(struct operation *operation)
{
    const struct untorn_node *node;
    int rc = find_value(operation, &operation->path, &node);
    return rc < 0 ? rc : change(operation, UNTORN_SET, &operation->path, operation->value);
}

/* How many steps two paths have in common from the root. */
static size_t common_steps(const struct keypath *a, const struct keypath *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && a->steps[i].key_size == b->steps[i].key_size &&
           memcmp(a->steps[i].key, b->steps[i].key, a->steps[i].key_size) == 0)
        i++;
    return i;
}

static int copy_from(const struct operation *operation, const struct untorn_node **ret_copy)
{
    const struct untorn_node *node;
    int rc = find_value(operation, &operation->from, &node);
    if (rc < 0)
        return blame(operation->error, rc, "\"from\"");
    *ret_copy = node_copy(operation->arena, node);
    return *ret_copy ? 0 : no_memory(operation->error);
}

static int apply_copy(struct operation *operation)
{
    const struct untorn_node *copy;
    int rc = copy_from(operation, &copy);
    return rc < 0 ? rc : add_value(operation, copy);
}

/* Whether it only gets another name in its object, which has none such. */
static bool is_renaming(const struct operation *operation, size_t common,
                        const struct untorn_node *node)
{
    const struct keypath *path = &operation->path;
    if (common + 1 != path->count || common + 1 != operation->from.count)
        return false;
    const struct step *name = &path->steps[common];
    return node->key && !node_member(node->parent, name->key, name->key_size);
}

/* It keeps its place, and the comments in it. */
static int rename_value(const struct operation *operation)
{
    const struct step *step = &operation->path.steps[operation->path.count - 1];
    struct untorn_node *name = node_add(operation->arena, NULL, NULL, 0, UNTORN_STRING);
    if (!name)
        return no_memory(operation->error);
    name->text = step->key;
    name->size = step->key_size;
    return change(operation, UNTORN_RENAME, &operation->from, name);
}

static int apply_move(struct operation *operation)
{
    const struct untorn_node *node, *copy;
    size_t common = common_steps(&operation->from, &operation->path);
    bool below = common == operation->from.count;
    if (below && common < operation->path.count)
        return refuse(operation->error, UNTORN_INVALID, "a value cannot be moved into itself");
    int rc = find_value(operation, &operation->from, &node);
    if (rc < 0)
        return blame(operation->error, rc, "\"from\"");
    if (below) /* it is there already */
        return 0;
    if (is_renaming(operation, common, node))
        return rename_value(operation);
    rc = copy_from(operation, &copy);
    if (rc == 0)
        rc = change(operation, UNTORN_UNSET, &operation->from, NULL);
    return rc < 0 ? rc : add_value(operation, copy);
}

/* Whatever keeps the value from being found makes the test fail, but for a key that means more than
 * one place: that is no answer. */
static int apply_test(struct operation *operation)
{
    const struct untorn_node *node;
    int rc = find_value(operation, &operation->path, &node);
    if (rc == -UNTORN_NO_KEY || rc == -UNTORN_TYPE)
        return error_fail(operation->error, UNTORN_TEST_FAILED, NULL);
    if (rc < 0)
        return rc;
    if (!node_alike(node, operation->value))
        return refuse(operation->error, UNTORN_TEST_FAILED, "the value is another one");
    return 0;
}

/* ---- RFC 6902: reading operations ---- */

static const struct operation_row rows[] = {
    {"add", true, false, apply_add},         {"remove", false, false, apply_remove},
    {"replace", true, false, apply_replace}, {"move", false, true, apply_move},
    {"copy", false, true, apply_copy},       {"test", true, false, apply_test},
};

/* A member that must be there, and once. */
static int read_member(const struct operation *operation, const struct untorn_node *node,
                       const char *name, const struct untorn_node **ret_member)
{
    *ret_member = node_member(node, name, strlen(name));
    if (!*ret_member)
        return refuse(operation->error, UNTORN_INVALID, "\"%s\" is missing", name);
    if ((*ret_member)->repeated)
        return refuse(operation->error, UNTORN_INVALID, "\"%s\" is there more than once", name);
    return 0;
}

static int read_string(const struct operation *operation, const struct untorn_node *node,
                       const char *name, const struct untorn_node **ret_string)
{
    int rc = read_member(operation, node, name, ret_string);
    if (rc == 0 && (*ret_string)->kind != UNTORN_STRING)
        return refuse(operation->error, UNTORN_INVALID, "\"%s\" must be a string", name);
    return rc;
}

static int read_row(struct operation *operation, const struct untorn_node *node)
{
    const struct untorn_node *name;
    char shown[KEYPATH_SHOWN];
    int rc = read_string(operation, node, "op", &name);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == name->size && memcmp(rows[i].name, name->text, name->size) == 0)
            operation->row = &rows[i];
    if (operation->row)
        return 0;
    keypath_shown(name->text, name->size, shown);
    return refuse(operation->error, UNTORN_INVALID,
                  "\"op\" is \"%s\", but must be add, remove, replace, move, copy or test", shown);
}

static int read_path(const struct operation *operation, const struct untorn_node *node,
                     const char *name, struct keypath *ret_path)
{
    const struct untorn_node *text;
    int rc = read_string(operation, node, name, &text);
    return rc < 0 ? rc
                  : keypath_pointer(text->text, text->size, operation->arena, ret_path,
                                    operation->error);
}

/* The value is copied, for then it is laid out as its new neighbours are, not as in the patch. */
static int read_value(struct operation *operation, const struct untorn_node *node)
{
    const struct untorn_node *value;
    int rc = read_member(operation, node, "value", &value);
    if (rc < 0)
        return rc;
    operation->value = node_copy(operation->arena, value);
    return operation->value ? 0 : no_memory(operation->error);
}

static int read_operation(struct operation *operation, const struct untorn_node *node)
{
    if (node->kind != UNTORN_OBJECT)
        return refuse(operation->error, UNTORN_INVALID,
                      "it must be an object: {\"op\": ..., \"path\": ...}");
    int rc = read_row(operation, node);
    if (rc == 0)
        rc = read_path(operation, node, "path", &operation->path);
    if (rc == 0 && operation->row->takes_from)
        rc = read_path(operation, node, "from", &operation->from);
    if (rc == 0 && operation->row->takes_value)
        rc = read_value(operation, node);
    return rc;
}

/* "operation 3, add /a/b", as far as it could be read. */
static int blame_operation(const struct operation *operation, size_t number, int rc)
{
    char where[200], shown[KEYPATH_SHOWN] = "";
    const char *path = operation->path.text;
    if (path)
        keypath_shown(path, strlen(path), shown);
    snprintf(where, sizeof where, "operation %zu%s%s%s%s%s", number, operation->row ? ", " : "",
             operation->row ? operation->row->name : "", path ? " '" : "", shown, path ? "'" : "");
    return blame(operation->error, rc, where);
}

int patch_json(const char *patch, size_t size, const struct patch_target *target,
               struct untorn_error *error)
{
    struct parsed parsed = {0};
    struct arena arena = {0};
    int rc = read_patch(patch, size, &parsed, error);
    if (rc == 0 && parsed.root->kind != UNTORN_ARRAY)
        rc = refuse(error, UNTORN_INVALID, "a JSON Patch is an array of operations%s",
                    parsed.root->kind == UNTORN_OBJECT ? "; this may be a merge patch" : "");
    const struct untorn_node *node = rc == 0 ? parsed.root->first : NULL;
    for (size_t number = 0; node && rc == 0; node = node->next, number++) {
        struct operation operation = {.target = target, .arena = &arena, .error = error};
        rc = read_operation(&operation, node);
        if (rc == 0)
            rc = operation.row->apply(&operation);
        if (rc < 0)
            blame_operation(&operation, number, rc);
    }
    arena_free(&arena);
    parsed_free(&parsed);
    return rc;
}

/* ---- RFC 7396 ---- */

/* A walk through the members of a patch, and beside it through the document. */
struct merge {
    const struct patch_target *target;
    struct arena arena;
    struct untorn_error *error;
    struct keypath path;              /* of the member at hand */
    const struct untorn_node *object; /* of the document: the one that has or gets that member */
};

/* The next node of a walk through all below `top`, `down` or past it. */
static const struct untorn_node *walk(const struct untorn_node *node, const struct untorn_node *top,
                                      bool down, size_t *depth)
{
    if (down && node->first) {
        ++*depth;
        return node->first;
    }
    while (node != top && !node->next) {
        node = node->parent;
        --*depth;
    }
    return node == top ? NULL : node->next;
}

/* "the member /a/b", as a pointer. */
static int blame_member(struct merge *merge, const struct untorn_node *patch, int rc)
{
    char where[KEYPATH_SHOWN + 16], shown[KEYPATH_SHOWN];
    const char *pointer = keypath_of_node(patch, true, &merge->arena);
    if (!pointer)
        return rc;
    keypath_shown(pointer, strlen(pointer), shown);
    snprintf(where, sizeof where, "the member '%s'", shown);
    return blame(merge->error, rc, where);
}

/* Room for the path of the deepest member. A key that is there twice would say two things. */
static int begin_merge(struct merge *merge, const struct untorn_node *patch)
{
    size_t depth = 0, deepest = 1;
    for (const struct untorn_node *node = patch; node; node = walk(node, patch, true, &depth)) {
        deepest = depth > deepest ? depth : deepest;
        if (node->repeated)
            return blame_member(merge, node,
                                refuse(merge->error, UNTORN_INVALID,
                                       "it is there more than once in the same object of the "
                                       "patch"));
    }
    merge->path.steps = arena_take(&merge->arena, deepest * sizeof *merge->path.steps);
    return merge->path.steps ? 0 : no_memory(merge->error);
}

/* The patch as it is where nothing was before: without its nulls, but for those in arrays. */
static const struct untorn_node *without_nulls(struct arena *arena, const struct untorn_node *patch)
{
    size_t depth = 0;
    struct untorn_node *copy = node_add(arena, NULL, NULL, 0, UNTORN_OBJECT), *parent = copy;
    const struct untorn_node *node = patch;
    bool down = true;
    for (size_t before = 0; copy && (node = walk(node, patch, down, &depth)) != NULL;
         before = depth) {
        for (; before > depth; before--)
            parent = parent->parent;
        down = node->kind == UNTORN_OBJECT && node->first;
        if (node->kind == UNTORN_NULL)
            continue;
        struct untorn_node *child = node->kind == UNTORN_OBJECT
                                        ? node_add(arena, NULL, NULL, 0, UNTORN_OBJECT)
                                        : node_copy(arena, node);
        if (!child || !node_put_member(arena, parent, node->key, node->key_size, child))
            return NULL;
        if (down)
            parent = child;
    }
    return copy;
}

static int merge_change(struct merge *merge, enum untorn_edit_kind kind,
                        const struct untorn_node *value)
{
    return merge->target->change(merge->target->context, kind, &merge->path, value, merge->error);
}

static int merge_set(struct merge *merge, const struct untorn_node *patch)
{
    const struct untorn_node *value = patch->kind == UNTORN_OBJECT
                                          ? without_nulls(&merge->arena, patch)
                                          : node_copy(&merge->arena, patch);
    return value ? merge_change(merge, UNTORN_SET, value) : no_memory(merge->error);
}

/* After a change the document may have a new tree: finds the object again, without the last step
 * of the path, which is its member. */
static int find_object(struct merge *merge)
{
    struct found found;
    struct keypath above = merge->path;
    above.count--;
    int rc =
        keypath_find(&above, merge->target->root(merge->target->context), &found, merge->error);
    if (rc == 0)
        merge->object = found.node;
    return rc;
}

/* One member of the patch. *ret_down: its own members are to be merged, into merge->object. */
static int merge_member(struct merge *merge, const struct untorn_node *patch, bool *ret_down)
{
    struct untorn_node *old = node_member(merge->object, patch->key, patch->key_size);
    int rc;
    *ret_down = false;
    if (old && old->repeated)
        return refuse(merge->error, UNTORN_AMBIGUOUS,
                      "it is there more than once in the same object: remove all but one");
    if (patch->kind == UNTORN_NULL && !old)
        return 0;
    if (patch->kind == UNTORN_OBJECT && old && old->kind == UNTORN_OBJECT) {
        *ret_down = patch->first != NULL;
        if (*ret_down)
            merge->object = old;
        return 0;
    }
    if (patch->kind == UNTORN_NULL)
        rc = merge_change(merge, UNTORN_UNSET, NULL);
    else if (old && node_equal(old, patch))
        return 0; /* it keeps its spelling */
    else
        rc = merge_set(merge, patch);
    return rc < 0 ? rc : find_object(merge);
}

static int merge_members(struct merge *merge, const struct untorn_node *patch)
{
    size_t depth = 0;
    bool down = true;
    int rc = 0;
    for (const struct untorn_node *node = patch;
         (node = walk(node, patch, down, &depth)) != NULL;) {
        for (; merge->path.count > depth; merge->path.count--)
            merge->object = merge->object->parent;
        merge->path.count = depth;
        merge->path.steps[depth - 1] =
            (struct step){.kind = STEP_KEY, .key = node->key, .key_size = node->key_size};
        rc = merge_member(merge, node, &down);
        if (rc < 0)
            return blame_member(merge, node, rc);
    }
    return rc;
}

int patch_merge(const char *patch, size_t size, const struct patch_target *target,
                struct untorn_error *error)
{
    struct parsed parsed = {0};
    struct merge merge = {.target = target, .error = error};
    int rc = read_patch(patch, size, &parsed, error);
    if (rc == 0)
        rc = begin_merge(&merge, parsed.root);
    merge.object = target->root(target->context);
    if (rc == 0 && parsed.root->kind == UNTORN_OBJECT && merge.object->kind == UNTORN_OBJECT)
        rc = merge_members(&merge, parsed.root);
    else if (rc == 0)
        rc = merge_set(&merge, parsed.root);
    arena_free(&merge.arena);
    parsed_free(&parsed);
    return rc;
}
