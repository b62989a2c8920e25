#include "store/config/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/value.h"

struct checking {
    const struct untorn_config *config;
    enum untorn_scope scope;
    struct checked *checked;
    struct buffer key; /* that is being looked at */
    struct untorn_error *error;
};

/* The file that would be written, or the scope that has none. */
static const char *where(const struct checking *checking)
{
    const char *path = checking->config->scopes.paths[checking->scope];
    return path ? path : untorn_scope_name(checking->scope);
}

static int refuse(struct checking *checking, const char *why)
{
    const char *key = checking->key.data ? checking->key.data : "";
    char near[SCHEMA_WHY];
    config_suggest(checking->config, key, near, sizeof near);
    error_begin(checking->error, NULL, where(checking));
    error_detail(checking->error, "%s %s%s", key, why, near);
    return error_fail(checking->error, UNTORN_NOT_ALLOWED, NULL);
}

/* ---- values ---- */

static int check_value(struct checking *checking, const struct schema_place *place,
                       const struct untorn_node *node);

static int check_members(struct checking *checking, const struct schema_place *place,
                         const struct untorn_node *table)
{
    size_t length = checking->key.size;
    int rc = 0;
    for (const struct untorn_node *member = table->first; rc == 0 && member;
         member = member->next) {
        struct schema_place inner = schema_enter(place, member->key, member->key_size);
        config_add_step(&checking->key, member->key, member->key_size);
        rc = check_value(checking, &inner, member);
        if (rc == 0 && length < checking->key.size)
            checking->key.data[checking->key.size = length] = '\0';
    }
    return rc;
}

/* A table is checked by what is in it. */
static int check_value(struct checking *checking, const struct schema_place *place,
                       const struct untorn_node *node)
{
    const struct schema_key *key = schema_governs(place);
    char why[SCHEMA_WHY];
    if (node->kind == UNTORN_OBJECT && node->first && (!key || key->type == SCHEMA_TABLE))
        return check_members(checking, place, node);
    if (!schema_allows(place, node, why) || !schema_allows_scope(key, checking->scope, why))
        return refuse(checking, why);
    if (key && key->secret)
        checking->checked->secret = true;
    return 0;
}

/* ---- edits ---- */

/* What a plain value that is to be there has to be; `inside` an array. */
static struct schema_key type_of(const struct schema_key *key, bool inside)
{
    struct schema_key type = *key;
    if (inside)
        type.type = key->type == SCHEMA_ARRAY ? key->element : SCHEMA_ANY;
    return type;
}

static int refuse_spelling(struct checking *checking, const struct schema_key *type,
                           const struct untorn_edit *edit)
{
    char why[SCHEMA_WHY], shown[KEYPATH_SHOWN];
    keypath_shown(edit->value, edit->value_size, shown);
    if (edit->secret)
        snprintf(why, sizeof why, "must be %s", schema_type_words(type->type));
    else
        snprintf(why, sizeof why, "must be %s, not '%s'", schema_type_words(type->type), shown);
    return refuse(checking, why);
}

/* Of one element, or of something deeper in one, of which the schema says nothing. */
static int check_inside(struct checking *checking, const struct schema_key *key, size_t deep,
                        const struct untorn_node *node)
{
    char why[SCHEMA_WHY];
    if (deep == 1 && key->type == SCHEMA_ARRAY && !schema_allows_element(key, node, why))
        return refuse(checking, why);
    if (!schema_allows_scope(key, checking->scope, why))
        return refuse(checking, why);
    if (key->secret)
        checking->checked->secret = true;
    return 0;
}

static int check_set(struct checking *checking, const struct keypath *path,
                     struct untorn_edit *edit)
{
    size_t steps;
    struct schema_place place = config_schema_place(checking->config, path, &steps);
    const struct schema_key *key = schema_governs(&place);
    bool inside = steps < path->count, plain = edit->syntax == UNTORN_PLAIN;
    struct value value = {0};
    struct schema_key type;
    if (!config_key_text(path, steps, &checking->key))
        return error_fail(checking->error, UNTORN_NO_MEMORY, NULL);
    if (key && place.key) {
        type = type_of(key, inside);
        if (plain)
            edit->syntax = schema_syntax(&type);
        edit->secret |= key->secret;
    }
    if (inside && !key)
        return refuse(checking, "is not an array");
    const char *file = checking->config->scopes.paths[checking->scope];
    enum untorn_format format = file ? untorn_format_of_path(file) : UNTORN_TOML;
    int rc = value_read(edit, NULL, checking->key.data, format ? format : UNTORN_TOML, &value,
                        checking->error);
    if (rc == -UNTORN_INVALID && plain && edit->syntax != UNTORN_PLAIN)
        rc = refuse_spelling(checking, &type, edit);
    else if (rc == 0)
        rc = inside ? check_inside(checking, key, path->count - steps, value.node)
                    : check_value(checking, &place, value.node);
    value_free(&value);
    return rc;
}

static int check_edit(struct checking *checking, struct untorn_edit *edit)
{
    struct arena arena = {0};
    struct keypath path;
    if (!checking->config->schema.document || edit->kind == UNTORN_UNSET)
        return 0; /* also what is not known, or is in the wrong file, can be removed */
    if (edit->kind != UNTORN_SET) {
        error_detail(checking->error, "with a schema, keys are set and unset");
        return error_fail(checking->error, UNTORN_INVALID, NULL);
    }
    int rc = keypath_of_edit(edit, &arena, &path, checking->error);
    if (rc == 0)
        rc = check_set(checking, &path, edit);
    buffer_free(&checking->key);
    checking->key = (struct buffer){0};
    arena_free(&arena);
    return rc;
}

int checked_make(const struct untorn_config *config, enum untorn_scope scope,
                 const struct untorn_edit *edits, size_t count, struct checked *ret_checked,
                 struct untorn_error *error)
{
    struct checking checking = {
        .config = config, .scope = scope, .checked = ret_checked, .error = error};
    error_begin(error, NULL, where(&checking));
    ret_checked->edits = calloc(count + 1, sizeof *ret_checked->edits);
    int rc = ret_checked->edits ? 0 : error_fail(error, UNTORN_NO_MEMORY, NULL);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        ret_checked->edits[i] = edits[i];
        rc = check_edit(&checking, &ret_checked->edits[i]);
    }
    return rc;
}

void checked_free(struct checked *checked)
{
    free(checked->edits);
    checked->edits = NULL;
}
