#include "store/config/schema.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/read.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "text/api.h"
#include "text/place.h"

static const char *const type_names[SCHEMA_TYPES] = {
    [SCHEMA_ANY] = "any",     [SCHEMA_STRING] = "string",   [SCHEMA_INTEGER] = "integer",
    [SCHEMA_FLOAT] = "float", [SCHEMA_BOOLEAN] = "boolean", [SCHEMA_DATETIME] = "datetime",
    [SCHEMA_ARRAY] = "array", [SCHEMA_TABLE] = "table",
};

struct loading {
    struct schema *schema;
    const char *prefix; /* of the variables that are not named; or NULL */
    struct untorn_error *error;
};

/* ---- what is wrong, and where ---- */

PRINTF_LIKE(3, 4)
static int fail_at(const struct loading *loading, const struct untorn_node *node,
                   const char *format, ...)
{
    char what[UNTORN_DETAIL_SIZE / 2];
    size_t size;
    const char *text = untorn_document_text(loading->schema->document, &size);
    const char *spelling = node_place(node);
    uint64_t position = spelling ? (uint64_t)(spelling - text) : 0;
    struct text_place place = text_place(text, size, position);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_detail(loading->error, "line %llu, column %llu: %s", (unsigned long long)place.line,
                 (unsigned long long)place.column, what);
    return error_fail(loading->error, UNTORN_DAMAGED, "as a schema");
}

static int no_memory(const struct loading *loading)
{
    return error_fail(loading->error, UNTORN_NO_MEMORY, "read the schema");
}

/* ---- the fields of a key ---- */

static int want(const struct loading *loading, const struct untorn_node *node,
                enum untorn_kind kind, const char *words)
{
    if (node->kind == kind)
        return 0;
    return fail_at(loading, node, "%s must be %s", node->key, words);
}

static int take_text(const struct loading *loading, const struct untorn_node *node,
                     const char **field)
{
    int rc = want(loading, node, UNTORN_STRING, "a string");
    if (rc == 0 && strlen(node->text) != node->size)
        return fail_at(loading, node, "%s has a NUL in it", node->key);
    *field = node->text;
    return rc;
}

static int take_type(const struct loading *loading, const struct untorn_node *node,
                     enum schema_type *field)
{
    int rc = want(loading, node, UNTORN_STRING, "a string");
    if (rc != 0)
        return rc;
    for (int type = 0; type < SCHEMA_TYPES; type++) {
        if (strcmp(type_names[type], node->text) == 0) {
            *field = (enum schema_type)type;
            return 0;
        }
    }
    return fail_at(loading, node,
                   "no type '%.40s' (string, integer, float, boolean, datetime, array, table, any)",
                   node->text);
}

static int take_scopes(const struct loading *loading, const struct untorn_node *node,
                       unsigned *field)
{
    int rc = want(loading, node, UNTORN_ARRAY, "an array of scopes");
    *field = 1u << UNTORN_SCOPE_DEFAULT;
    for (const struct untorn_node *item = node->first; rc == 0 && item; item = item->next) {
        enum untorn_scope scope =
            item->kind == UNTORN_STRING ? untorn_scope_by_name(item->text) : UNTORN_SCOPES;
        if (scope == UNTORN_SCOPES || scope == UNTORN_SCOPE_DEFAULT)
            return fail_at(loading, item,
                           "scopes are global, project, local, environment and override");
        *field |= 1u << scope;
    }
    return rc;
}

static int take_name(const struct loading *loading, const struct untorn_node *node,
                     struct schema_key *key)
{
    struct untorn_error unseen;
    int rc = take_text(loading, node, &key->name);
    if (rc != 0)
        return rc;
    error_begin(&unseen, NULL, NULL);
    rc = key->name[0] == '/'
             ? -UNTORN_INVALID
             : keypath_parse(key->name, &loading->schema->arena, &key->path, &unseen);
    if (rc == -UNTORN_NO_MEMORY)
        return no_memory(loading);
    for (size_t i = 0; rc == 0 && i < key->path.count; i++)
        if (key->path.steps[i].kind != STEP_KEY)
            rc = -UNTORN_INVALID;
    if (rc != 0 || key->path.count == 0 || key->path.count > LIMIT_KEY_STEPS)
        return fail_at(loading, node, "'%.60s' is no dotted key", key->name);
    return 0;
}

/* An empty name means: none. */
static int take_variable(const struct loading *loading, const struct untorn_node *node,
                         struct schema_key *key)
{
    int rc = take_text(loading, node, &key->variable);
    if (rc == 0 && strchr(key->variable, '='))
        return fail_at(loading, node, "a variable has no = in its name");
    return rc;
}

static const char *const field_names[] = {"name", "type",   "of",  "default",     "values", "min",
                                          "max",  "scopes", "env", "description", "secret", NULL};

static int take_field(const struct loading *loading, const struct untorn_node *node,
                      struct schema_key *key)
{
    const char *name = node->key, *near = NULL;
    size_t distance;
    if (strcmp(name, "name") == 0)
        return take_name(loading, node, key);
    if (strcmp(name, "type") == 0)
        return take_type(loading, node, &key->type);
    if (strcmp(name, "of") == 0)
        return take_type(loading, node, &key->element);
    if (strcmp(name, "scopes") == 0)
        return take_scopes(loading, node, &key->scopes);
    if (strcmp(name, "env") == 0)
        return take_variable(loading, node, key);
    if (strcmp(name, "description") == 0)
        return take_text(loading, node, &key->description);
    if (strcmp(name, "secret") == 0)
        return untorn_node_boolean(node, &key->secret)
                   ? 0
                   : fail_at(loading, node, "secret must be true or false");
    if (strcmp(name, "default") == 0)
        return key->fallback = node, 0;
    if (strcmp(name, "values") == 0)
        return key->values = node, want(loading, node, UNTORN_ARRAY, "an array");
    if (strcmp(name, "min") == 0)
        return key->least = node, 0;
    if (strcmp(name, "max") == 0)
        return key->greatest = node, 0;
    for (size_t i = 0; field_names[i] && !near; i++)
        if (nearest_is_near(name, field_names[i], &distance))
            near = field_names[i];
    return fail_at(loading, node, "a key has no '%.40s'%s%s%s", name, near ? " (did you mean " : "",
                   near ? near : "", near ? "?)" : "");
}

static bool is_number(enum schema_type type)
{
    return type == SCHEMA_INTEGER || type == SCHEMA_FLOAT;
}

/* What the fields of a key say together. */
static int check_key(const struct loading *loading, const struct schema_key *key)
{
    enum schema_type scalar = key->type == SCHEMA_ARRAY ? key->element : key->type;
    const struct untorn_node *limit = key->least ? key->least : key->greatest;
    double number;
    if (!key->name)
        return fail_at(loading, key->entry, "a key without a name");
    if (key->element != SCHEMA_ANY && key->type != SCHEMA_ARRAY)
        return fail_at(loading, key->entry, "%s: only an array is of something", key->name);
    if (limit && !is_number(scalar))
        return fail_at(loading, limit, "%s: min and max are for numbers", key->name);
    for (int i = 0; i < 2; i++) {
        limit = i == 0 ? key->least : key->greatest;
        if (limit && !untorn_node_double(limit, &number))
            return fail_at(loading, limit, "%s: %s must be a number", key->name, limit->key);
    }
    return 0;
}

/* [SCHEMA-2], and that the values which are allowed are of the type. */
static int check_values(const struct loading *loading, const struct schema_key *key)
{
    char why[SCHEMA_WHY];
    struct schema_key free = *key;
    struct schema_place place = {.schema = loading->schema, .key = &free};
    free.values = NULL;
    for (const struct untorn_node *item = key->values ? key->values->first : NULL; item;
         item = item->next) {
        bool fits = key->type == SCHEMA_ARRAY ? schema_allows_element(&free, item, why)
                                              : schema_allows(&place, item, why);
        if (!fits)
            return fail_at(loading, item, "%s: one of its values %s", key->name, why);
    }
    place.key = key;
    if (key->fallback && !schema_allows(&place, key->fallback, why))
        return fail_at(loading, key->fallback, "%s: its default %s", key->name, why);
    return 0;
}

/* ---- variables ---- */

/* server.port of the prefix APP is APP_SERVER_PORT. */
static char *variable_of(struct arena *arena, const char *prefix, const char *name)
{
    size_t front = strlen(prefix), size = strlen(name);
    char *variable = arena_take(arena, front + 1 + size + 1);
    if (!variable)
        return NULL;
    memcpy(variable, prefix, front);
    variable[front] = '_';
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)name[i];
        bool plain = byte < 0x80 && isalnum(byte);
        variable[front + 1 + i] = plain ? (char)toupper(byte) : '_';
    }
    variable[front + 1 + size] = '\0';
    return variable;
}

static int by_variable(const void *left, const void *right)
{
    const struct schema_key *const *a = left, *const *b = right;
    int order = strcmp((*a)->variable, (*b)->variable);
    return order ? order : (*a)->entry < (*b)->entry ? -1 : (*a)->entry > (*b)->entry;
}

/* [SCHEMA-1] */
static int check_variables(const struct loading *loading)
{
    const struct schema *schema = loading->schema;
    const struct schema_key **named = calloc(schema->count + 1, sizeof *named);
    size_t count = 0;
    int rc = 0;
    if (!named)
        return no_memory(loading);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->keys[i].variable)
            named[count++] = &schema->keys[i];
    qsort(named, count, sizeof *named, by_variable);
    for (size_t i = 1; rc == 0 && i < count; i++)
        if (strcmp(named[i - 1]->variable, named[i]->variable) == 0)
            rc = fail_at(loading, named[i]->entry, "%s and %s have one variable, %s",
                         named[i - 1]->name, named[i]->name, named[i]->variable);
    free(named);
    return rc;
}

static int name_variables(const struct loading *loading)
{
    for (size_t i = 0; i < loading->schema->count; i++) {
        struct schema_key *key = &loading->schema->keys[i];
        if (key->variable && !key->variable[0])
            key->variable = NULL;
        else if (!key->variable && loading->prefix && key->scopes & 1u << UNTORN_SCOPE_ENVIRONMENT)
            key->variable = variable_of(&loading->schema->arena, loading->prefix, key->name);
        else
            continue;
        if (loading->prefix && !key->variable && !untorn_node_member(key->entry, "env", 3))
            return no_memory(loading);
    }
    return check_variables(loading);
}

/* ---- all keys ---- */

static int compare_steps(const struct step *a, const struct step *b)
{
    size_t size = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = memcmp(a->key, b->key, size);
    return order ? order : a->key_size < b->key_size ? -1 : a->key_size > b->key_size;
}

/* A table comes before what is in it. */
static int compare_paths(const struct schema_key *a, const struct schema_key *b)
{
    for (size_t i = 0; i < a->path.count && i < b->path.count; i++) {
        int order = compare_steps(&a->path.steps[i], &b->path.steps[i]);
        if (order)
            return order;
    }
    return a->path.count < b->path.count ? -1 : a->path.count > b->path.count;
}

/* Of two that are alike the first in the text. */
static int by_path(const void *left, const void *right)
{
    const struct schema_key *a = left, *b = right;
    int order = compare_paths(a, b);
    return order ? order : a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool lies_below(const struct schema_key *key, const struct schema_key *table)
{
    for (size_t i = 0; i < table->path.count; i++)
        if (i >= key->path.count || compare_steps(&key->path.steps[i], &table->path.steps[i]) != 0)
            return false;
    return true;
}

/* Of two keys of which one is in the other, the outer is a table. */
static int check_order(const struct loading *loading)
{
    const struct schema *schema = loading->schema;
    for (size_t i = 1; i < schema->count; i++) {
        const struct schema_key *outer = &schema->keys[i - 1], *key = &schema->keys[i];
        if (compare_paths(outer, key) == 0)
            return fail_at(loading, key->entry, "%s is there twice", key->name);
        if (lies_below(key, outer) && outer->type != SCHEMA_TABLE)
            return fail_at(loading, key->entry, "%s is below %s, which is no table", key->name,
                           outer->name);
    }
    return 0;
}

static int load_key(const struct loading *loading, const struct untorn_node *entry,
                    struct schema_key *key)
{
    if (entry->kind != UNTORN_OBJECT)
        return fail_at(loading, entry, "a key is a table: [[key]]");
    *key = (struct schema_key){.entry = entry, .scopes = (1u << UNTORN_SCOPES) - 1};
    int rc = 0;
    for (const struct untorn_node *field = entry->first; rc == 0 && field; field = field->next)
        rc = take_field(loading, field, key);
    return rc == 0 ? check_key(loading, key) : rc;
}

static int load_keys(struct loading *loading, const struct untorn_node *entries)
{
    struct schema *schema = loading->schema;
    int rc = want(loading, entries, UNTORN_ARRAY, "tables: [[key]]");
    if (rc != 0)
        return rc;
    schema->keys = calloc(entries->count + 1, sizeof *schema->keys);
    if (!schema->keys)
        return no_memory(loading);
    for (const struct untorn_node *entry = entries->first; rc == 0 && entry; entry = entry->next)
        rc = load_key(loading, entry, &schema->keys[schema->count++]);
    if (rc != 0)
        return rc;
    qsort(schema->keys, schema->count, sizeof *schema->keys, by_path);
    rc = check_order(loading);
    for (size_t i = 0; rc == 0 && i < schema->count; i++)
        rc = check_values(loading, &schema->keys[i]);
    return rc;
}

static int load(struct loading *loading)
{
    const struct untorn_node *root = untorn_document_root(loading->schema->document);
    int rc = 0;
    for (const struct untorn_node *node = root->first; rc == 0 && node; node = node->next) {
        if (strcmp(node->key, "key") == 0)
            rc = load_keys(loading, node);
        else if (strcmp(node->key, "env_prefix") == 0)
            rc = take_text(loading, node, &loading->prefix);
        else
            rc = fail_at(loading, node, "a schema has no '%.40s' (env_prefix and [[key]])",
                         node->key);
    }
    return rc == 0 ? name_variables(loading) : rc;
}

static int read_document(struct schema *schema, const char *path, const char *text,
                         struct untorn_error *error)
{
    struct untorn_content content;
    if (!path)
        return untorn_document_parse(text, strlen(text), UNTORN_TOML, &schema->document, error);
    int rc = untorn_read(path, NULL, &content, error);
    if (rc != 0)
        return rc;
    return api_document_open(content.data, content.size, UNTORN_TOML, &schema->document, error);
}

int schema_open(struct schema *schema, const char *path, const char *text,
                struct untorn_error *error)
{
    struct loading loading = {.schema = schema, .error = error};
    int rc = read_document(schema, path, text, error);
    if (!path)
        snprintf(error->path, sizeof error->path, "the schema");
    else if (rc == 0 && !(schema->path = arena_copy(&schema->arena, path, strlen(path))))
        rc = no_memory(&loading);
    if (rc == 0)
        rc = load(&loading);
    if (rc != 0)
        schema_close(schema);
    return rc;
}

void schema_close(struct schema *schema)
{
    untorn_document_free(schema->document);
    free(schema->keys);
    arena_free(&schema->arena);
    memset(schema, 0, sizeof *schema);
}

const char *schema_nearest(const struct schema *schema, const char *name)
{
    const char *best = NULL;
    size_t least = SIZE_MAX, distance;
    for (size_t i = 0; i < schema->count; i++) {
        if (nearest_is_near(name, schema->keys[i].name, &distance) && distance < least) {
            best = schema->keys[i].name;
            least = distance;
        }
    }
    return best;
}
