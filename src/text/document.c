#include "text/document.h"

#include <stdlib.h>
#include <string.h>

#include "text/difference.h"
#include "text/format.h"
#include "text/json_held.h"
#include "text/patch.h"
#include "text/place.h"
#include "text/quick.h"
#include "text/value.h"

const char *document_empty(enum untorn_format format)
{
    return format_is_toml(format) ? "" : "{}\n";
}

/* ---- scanning ---- */

/* Whether the more generous form of the format reads it. */
static bool is_wider(const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed;
    struct flaw flaw;
    if (parse(text, size, format, &parsed, &flaw) < 0)
        return false;
    parsed_free(&parsed);
    return true;
}

static const char *hint_for(const char *text, size_t size, enum untorn_format format)
{
    if (format == UNTORN_JSON && is_wider(text, size, UNTORN_JSONC))
        return "; --format jsonc reads it";
    if (format == UNTORN_TOML_1_0 && is_wider(text, size, UNTORN_TOML))
        return "; --format toml reads it";
    return "";
}

int document_parse(const char *text, size_t size, enum untorn_format format,
                   struct parsed *ret_parsed, struct untorn_error *error)
{
    struct flaw flaw = {0};
    char excerpt[UNTORN_DETAIL_SIZE / 2];
    *ret_parsed = (struct parsed){0};
    if (!format_is_known(format))
        return error_fail(error, UNTORN_UNKNOWN_FORMAT, NULL);
    if (parse(text, size, format, ret_parsed, &flaw) == 0)
        return 0;
    if (flaw.out_of_memory)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    struct text_place place = text_place(text, size, flaw.position);
    text_excerpt(text, size, flaw.position, excerpt, sizeof excerpt);
    error_detail(error, "line %llu, column %llu: %s%s%s%s", (unsigned long long)place.line,
                 (unsigned long long)place.column, flaw.what, hint_for(text, size, format),
                 *excerpt ? "\n" : "", excerpt);
    error_fail(error, UNTORN_DAMAGED, NULL);
    error->position = flaw.position;
    return -UNTORN_DAMAGED;
}

/* ---- keys ---- */

enum { NAME_SIZE = 3 * KEYPATH_SHOWN };

/* The key as given; raw segments as the command takes them. */
static const char *name_of(const struct keypath *path, char name[NAME_SIZE])
{
    size_t used = 0;
    if (path->text && path->text[0]) {
        keypath_shown(path->text, strlen(path->text), name);
        return name;
    }
    for (size_t i = 0; i < path->count && used + KEYPATH_SHOWN < NAME_SIZE; i++) {
        if (i > 0)
            name[used++] = ' ';
        keypath_shown(path->steps[i].key, path->steps[i].key_size, name + used);
        used += strlen(name + used);
    }
    return path->count > 0 ? name : strcpy(name, "the root");
}

static int no_key(const struct keypath *path, const struct found *found, struct untorn_error *error)
{
    char name[NAME_SIZE], shown[KEYPATH_SHOWN] = "";
    const struct step *step = &path->steps[found->matched];
    name_of(path, name);
    if (found->append)
        error_detail(error, "%s is behind the last element, where nothing is", name);
    else if (found->matched + 1 == path->count)
        error_detail(error, "%s", name);
    else {
        keypath_shown(step->key, step->key_size, shown);
        error_detail(error, "%s (there is no '%s')", name, shown);
    }
    return error_fail(error, UNTORN_NO_KEY, NULL);
}

static size_t depth_of(const struct untorn_node *node)
{
    size_t depth = 0;
    while ((node = node->parent) != NULL)
        depth++;
    return depth;
}

/* ---- setting ---- */

/* One level around a value, as the step says. NULL: no memory. */
static struct untorn_node *wrap(const struct step *step, struct untorn_node *value,
                                struct arena *arena)
{
    bool element = step->kind == STEP_INDEX || step->kind == STEP_APPEND;
    struct untorn_node *outer =
        node_add(arena, NULL, NULL, 0, element ? UNTORN_ARRAY : UNTORN_OBJECT);
    if (!outer)
        return NULL;
    bool put = element ? node_put_element(outer, 0, value)
                       : node_put_member(arena, outer, step->key, step->key_size, value);
    return put ? outer : NULL;
}

/* Adds the first missing step, with the rest of them around the value. */
static int set_missing(struct editing *editing, const struct keypath *path,
                       const struct found *found, struct untorn_node *value, struct arena *arena,
                       struct untorn_error *error)
{
    for (size_t i = path->count; --i > found->matched;) {
        value = wrap(&path->steps[i], value, arena);
        if (!value)
            return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    const struct step *step = &path->steps[found->matched];
    struct change change = {.kind = found->append ? CHANGE_INSERT : CHANGE_ADD,
                            .node = found->parent,
                            .key = step->key,
                            .key_size = step->key_size,
                            .index = found->parent->count,
                            .value = value};
    int rc = value_fits(value, editing->parsed.format, depth_of(found->parent) + 1, error);
    if (rc == 0 && change.kind == CHANGE_ADD && format_is_toml(editing->parsed.format) &&
        !value_is_utf8(change.key, change.key_size)) {
        error_detail(error, "the key has half a surrogate pair, which TOML does not have");
        return error_fail(error, UNTORN_TYPE, NULL);
    }
    return rc != 0 ? rc : editing_change(editing, &change, error);
}

static int set_existing(struct editing *editing, struct untorn_node *old, struct untorn_node *value,
                        struct untorn_error *error)
{
    enum untorn_format format = editing->parsed.format;
    struct change change = {.kind = CHANGE_REPLACE, .node = old, .value = value};
    if (node_equal(old, value))
        return 0;
    int rc = value_fits(value, format, depth_of(old), error);
    if (rc != 0)
        return rc;
    if (old == editing->parsed.root && value->kind != UNTORN_OBJECT && format_is_toml(format)) {
        error_detail(error, "the root of TOML is an object, never %s",
                     value_kind_words(value->kind));
        return error_fail(error, UNTORN_TYPE, NULL);
    }
    struct difference difference = {0};
    bool piecewise = old->kind == value->kind && node_is_container(old) &&
                     difference_find(&editing->parsed, old, value, &difference);
    rc = piecewise ? difference_apply(&difference, editing, error)
                   : editing_change(editing, &change, error);
    difference_free(&difference);
    return rc;
}

static int set_at(struct editing *editing, const struct keypath *path, const struct found *found,
                  struct untorn_node *value, struct arena *arena, struct untorn_error *error)
{
    return found->node ? set_existing(editing, found->node, value, error)
                       : set_missing(editing, path, found, value, arena, error);
}

/* ---- ensuring ---- */

int document_find(const struct keypath *path, const struct untorn_node *root,
                  struct found *ret_found, struct untorn_error *error)
{
    char name[NAME_SIZE];
    int rc = keypath_find(path, root, ret_found, error);
    if (rc != 0)
        return rc;
    bool behind = ret_found->append;
    for (size_t i = 0; i < path->count; i++)
        behind |= path->steps[i].kind == STEP_APPEND;
    if (!behind)
        return 0;
    error_detail(error, "%s is behind the last element, where nothing can be found; set adds there",
                 name_of(path, name));
    return error_fail(error, UNTORN_INVALID, NULL);
}

static int ensure_at(struct editing *editing, const struct keypath *path, const struct found *found,
                     struct untorn_node *value, struct arena *arena, struct untorn_error *error)
{
    struct asking *asking = editing->asking;
    if (asking)
        asking->tell(asking->context, asking->edit, found->node ? found->node : value,
                     !found->node);
    return found->node ? 0 : set_missing(editing, path, found, value, arena, error);
}

/* ---- the other kinds ---- */

static int unset_at(struct editing *editing, const struct keypath *path, const struct found *found,
                    struct untorn_error *error)
{
    struct change change = {.kind = CHANGE_REMOVE, .node = found->node};
    if (!found->node)
        return no_key(path, found, error);
    if (found->node == editing->parsed.root) {
        error_detail(error, "the root cannot be removed; remove the file instead");
        return error_fail(error, UNTORN_INVALID, NULL);
    }
    return editing_change(editing, &change, error);
}

/* A segment that is to be an index: decimal digits, no needless zero. */
static bool segment_index(const struct step *step, uint64_t *ret_index)
{
    uint64_t index = 0;
    if (step->key_size == 0 || step->key_size > 18 || (step->key_size > 1 && step->key[0] == '0'))
        return false;
    for (size_t i = 0; i < step->key_size; i++) {
        if (step->key[i] < '0' || step->key[i] > '9')
            return false;
        index = 10 * index + (uint64_t)(step->key[i] - '0');
    }
    *ret_index = index;
    return true;
}

/* Before which element of an array of `count`; false if the step names no such place. */
static bool insertion_index(const struct step *step, size_t count, size_t *ret_index)
{
    uint64_t index = 0;
    switch (step->kind) {
    case STEP_APPEND:
        index = count;
        break;
    case STEP_INDEX:
        index = (uint64_t)step->index;
        if (step->index < 0)
            index += count; /* from the end; beyond the beginning it stays huge */
        break;
    case STEP_EITHER:
        if (step->key_size == 1 && step->key[0] == '-')
            index = count;
        else if (!segment_index(step, &index))
            return false;
        break;
    case STEP_KEY:
        return false;
    }
    *ret_index = (size_t)index;
    return index <= count;
}

/* The array and the place in it; it may be behind the last element. */
static int find_insertion(const struct editing *editing, const struct keypath *path,
                          struct change *ret_change, struct untorn_error *error)
{
    char name[NAME_SIZE];
    struct keypath above = *path;
    struct found found;
    const struct step *last = path->count > 0 ? &path->steps[path->count - 1] : NULL;
    name_of(path, name);
    if (!last || last->kind == STEP_KEY) {
        error_detail(error, "%s names no place in an array; the last step is [N] or [+]", name);
        return error_fail(error, UNTORN_INVALID, NULL);
    }
    above.count--;
    int rc = keypath_find(&above, editing->parsed.root, &found, error);
    if (rc != 0)
        return rc;
    if (!found.node)
        return no_key(&above, &found, error);
    if (found.node->kind != UNTORN_ARRAY) {
        error_detail(error, "%s: that is in %s, and only an array has places to insert at", name,
                     value_kind_words(found.node->kind));
        return error_fail(error, UNTORN_TYPE, NULL);
    }
    if (!insertion_index(last, found.node->count, &ret_change->index)) {
        error_detail(error, "%s: the array has %zu elements; [+] is behind the last", name,
                     found.node->count);
        return error_fail(error, UNTORN_NO_KEY, NULL);
    }
    ret_change->kind = CHANGE_INSERT;
    ret_change->node = found.node;
    return 0;
}

static int insert_at(struct editing *editing, const struct keypath *path, struct untorn_node *value,
                     struct untorn_error *error)
{
    struct change change = {.value = value};
    int rc = find_insertion(editing, path, &change, error);
    if (rc == 0)
        rc = value_fits(value, editing->parsed.format, depth_of(change.node) + 1, error);
    return rc != 0 ? rc : editing_change(editing, &change, error);
}

static int check_name(const char *key, size_t size, struct untorn_error *error)
{
    if (value_is_utf8(key, size))
        return 0;
    error_detail(error, "the new name is not UTF-8, which every key of a document is");
    return error_fail(error, UNTORN_INVALID, NULL);
}

static int rename_at(struct editing *editing, const struct keypath *path, const struct found *found,
                     const struct untorn_edit *edit, struct untorn_error *error)
{
    char name[NAME_SIZE], shown[KEYPATH_SHOWN];
    struct untorn_node *node = found->node;
    struct change change = {.kind = CHANGE_RENAME,
                            .node = node,
                            .key = edit->value ? edit->value : "",
                            .key_size = edit->value ? edit->value_size : 0};
    if (!node)
        return no_key(path, found, error);
    if (!node->key) {
        error_detail(error, "%s has no name: it is %s", name_of(path, name),
                     node->parent ? "an element of an array" : "the root");
        return error_fail(error, UNTORN_TYPE, NULL);
    }
    int rc = check_name(change.key, change.key_size, error);
    if (rc != 0)
        return rc;
    struct untorn_node *other = node_member(node->parent, change.key, change.key_size);
    if (other == node)
        return 0;
    if (other) {
        keypath_shown(change.key, change.key_size, shown);
        error_detail(error, "%s is there already; unset it first, or choose another name", shown);
        return error_fail(error, UNTORN_AMBIGUOUS, NULL);
    }
    return editing_change(editing, &change, error);
}

/* ---- patches ---- */

static const struct untorn_node *patch_root(void *context)
{
    return ((struct editing *)context)->parsed.root;
}

/* The value may be a part of the patch, or of the document itself: a copy is what goes in. */
static int patch_change(void *context, enum untorn_edit_kind kind, const struct keypath *path,
                        const struct untorn_node *value, struct untorn_error *error)
{
    struct editing *editing = context;
    struct arena arena = {0};
    struct untorn_node *copy = value ? node_copy(&arena, value) : NULL;
    struct untorn_edit name = {0};
    struct found found;
    int rc = !copy && kind != UNTORN_UNSET ? error_fail(error, UNTORN_NO_MEMORY, NULL) : 0;
    if (copy) {
        copy->key = NULL;
        copy->key_size = 0;
        name.value = copy->text;
        name.value_size = copy->size;
    }
    if (rc == 0 && kind != UNTORN_INSERT)
        rc = keypath_find(path, editing->parsed.root, &found, error);
    if (rc == 0)
        rc = kind == UNTORN_INSERT   ? insert_at(editing, path, copy, error)
             : kind == UNTORN_RENAME ? rename_at(editing, path, &found, &name, error)
             : kind == UNTORN_UNSET  ? unset_at(editing, path, &found, error)
                                     : set_at(editing, path, &found, copy, &arena, error);
    arena_free(&arena);
    return rc;
}

static int apply_patch(struct editing *editing, const struct untorn_edit *edit,
                       struct untorn_error *error)
{
    struct patch_target target = {patch_root, patch_change, editing};
    const char *patch = edit->value ? edit->value : "";
    size_t size = edit->value ? edit->value_size : 0;
    return edit->kind == UNTORN_JSON_PATCH ? patch_json(patch, size, &target, error)
                                           : patch_merge(patch, size, &target, error);
}

/* ---- edits ---- */

static int apply_at(struct editing *editing, const struct untorn_edit *edit,
                    const struct keypath *path, struct arena *arena, struct value *value,
                    struct untorn_error *error)
{
    char name[NAME_SIZE];
    struct found found = {0};
    enum untorn_format format = editing->parsed.format;
    int rc = 0;
    if (edit->kind == UNTORN_ENSURE)
        rc = document_find(path, editing->parsed.root, &found, error);
    else if (edit->kind != UNTORN_INSERT)
        rc = keypath_find(path, editing->parsed.root, &found, error);
    if (rc == 0 && (edit->kind == UNTORN_SET || edit->kind == UNTORN_INSERT))
        rc = value_read(edit, found.node, name_of(path, name), format, value, error);
    else if (rc == 0 && edit->kind == UNTORN_ENSURE)
        rc = value_read(edit, NULL, name_of(path, name), format, value, error);
    if (rc != 0)
        return rc;
    switch (edit->kind) {
    case UNTORN_SET:
        return set_at(editing, path, &found, value->node, arena, error);
    case UNTORN_UNSET:
        return unset_at(editing, path, &found, error);
    case UNTORN_INSERT:
        return insert_at(editing, path, value->node, error);
    case UNTORN_RENAME:
        return rename_at(editing, path, &found, edit, error);
    case UNTORN_ENSURE:
        return ensure_at(editing, path, &found, value->node, arena, error);
    default:
        error_detail(error, "there is no kind of edit %d", (int)edit->kind);
        return error_fail(error, UNTORN_INVALID, NULL);
    }
}

int document_apply(struct editing *editing, const struct untorn_edit *edit,
                   const struct keypath *path, struct untorn_error *error)
{
    struct arena arena = {0};
    struct value value = {0};
    int rc = apply_at(editing, edit, path, &arena, &value, error);
    value_free(&value);
    arena_free(&arena);
    return rc;
}

static int apply(struct editing *editing, const struct untorn_edit *edit,
                 struct untorn_error *error)
{
    struct arena arena = {0};
    struct keypath path;
    if (edit->kind == UNTORN_MERGE_PATCH || edit->kind == UNTORN_JSON_PATCH)
        return apply_patch(editing, edit, error);
    int rc = keypath_of_edit(edit, &arena, &path, error);
    if (rc == 0)
        rc = document_apply(editing, edit, &path, error);
    arena_free(&arena);
    return rc;
}

static int apply_all(struct editing *editing, const struct untorn_edit *edits, size_t count,
                     struct untorn_error *error)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (editing->asking)
            editing->asking->edit = i;
        rc = apply(editing, &edits[i], error);
    }
    return rc;
}

static int edit_generally(const char *text, size_t size, enum untorn_format format, planner *plan,
                          const struct untorn_edit *edits, size_t count, struct asking *asking,
                          char **ret_text, size_t *ret_size, struct untorn_error *error)
{
    struct editing editing;
    *ret_text = NULL;
    *ret_size = 0;
    int rc = editing_begin(&editing, text, size, format, plan, error);
    editing.asking = asking;
    if (rc == 0)
        rc = apply_all(&editing, edits, count, error);
    if (rc == 0)
        rc = editing_take(&editing, ret_text, ret_size, error); /* [DOCUMENT-3] */
    editing_free(&editing);
    return rc;
}

int document_edit_planned(const char *text, size_t size, enum untorn_format format, planner *plan,
                          const struct untorn_edit *edits, size_t count, char **ret_text,
                          size_t *ret_size, struct untorn_error *error)
{
    return edit_generally(text, size, format, plan, edits, count, NULL, ret_text, ret_size, error);
}

int document_edit_parsed(struct parsed *parsed, const struct untorn_edit *edits, size_t count,
                         char **ret_text, struct parsed *ret_parsed, struct untorn_error *error)
{
    struct editing editing;
    editing_borrow(&editing, parsed);
    int rc = apply_all(&editing, edits, count, error);
    if (rc == 0)
        rc = editing_take_parsed(&editing, ret_text, ret_parsed, error); /* [DOCUMENT-3] */
    editing_free(&editing);
    return rc;
}

int document_edit_asking(const char *text, size_t size, enum untorn_format format,
                         const struct untorn_edit *edits, size_t count, struct asking *asking,
                         char **ret_text, size_t *ret_size, struct untorn_error *error)
{
    int rc;
    if (count == 1 && edits->kind == UNTORN_SET && format_is_known(format) &&
        quick_set(text, size, format, edits, ret_text, ret_size))
        return 0;
    if (count == 1 &&
        json_held_edit(text, size, format, edits, asking, ret_text, ret_size, &rc, error))
        return rc;
    return edit_generally(text, size, format, NULL, edits, count, asking, ret_text, ret_size,
                          error);
}

int document_edit(const char *text, size_t size, enum untorn_format format,
                  const struct untorn_edit *edits, size_t count, char **ret_text, size_t *ret_size,
                  struct untorn_error *error)
{
    return document_edit_asking(text, size, format, edits, count, NULL, ret_text, ret_size, error);
}
