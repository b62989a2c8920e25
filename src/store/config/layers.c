#include "store/config/layers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/read.h>
#include <untorn/transaction.h>

#include "base/limits.h"
#include "text/api.h"
#include "text/place.h"

static int no_memory(struct untorn_error *error)
{
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

/* ---- the schema's defaults ---- */

static struct untorn_node *make_table(struct arena *arena, struct untorn_node *parent,
                                      const struct step *step)
{
    struct untorn_node *table = node_member(parent, step->key, step->key_size);
    return table ? table : node_add(arena, parent, step->key, step->key_size, UNTORN_OBJECT);
}

static bool add_default(struct arena *arena, struct untorn_node *root, const struct schema_key *key)
{
    struct untorn_node *parent = root;
    size_t last = key->path.count - 1;
    for (size_t i = 0; parent && i < last; i++)
        parent = make_table(arena, parent, &key->path.steps[i]);
    struct untorn_node *value = parent ? node_copy(arena, key->fallback) : NULL;
    const struct step *step = &key->path.steps[last];
    return value && node_put_member(arena, parent, step->key, step->key_size, value);
}

static int add_defaults(struct layers *layers, const struct schema *schema,
                        struct untorn_error *error)
{
    struct untorn_node *root = node_add(&layers->arena, NULL, NULL, 0, UNTORN_OBJECT);
    for (size_t i = 0; root && i < schema->count; i++)
        if (schema->keys[i].fallback && !add_default(&layers->arena, root, &schema->keys[i]))
            root = NULL;
    layers->layers[LAYER_SCHEMA].root = root;
    layers->layers[LAYER_SCHEMA].path = NULL;
    return root ? 0 : no_memory(error);
}

/* ---- the environment ---- */

/* One that cannot be read as its type says stays a string: whoever reads the key is told. */
static int add_variable(struct untorn_document *document, const struct schema_key *key,
                        const char *value, struct untorn_error *error)
{
    const char *segments[LIMIT_KEY_STEPS];
    struct untorn_edit edit = {.kind = UNTORN_SET,
                               .segments = segments,
                               .segment_count = key->path.count,
                               .value = value,
                               .value_size = strlen(value),
                               .secret = key->secret};
    for (size_t i = 0; i < key->path.count; i++)
        segments[i] = key->path.steps[i].key;
    edit.syntax = schema_syntax(key);
    int rc = untorn_document_edit(document, &edit, 1, error);
    if (rc == 0 || rc == -UNTORN_NO_MEMORY)
        return rc;
    edit.syntax = UNTORN_AS_STRING;
    return untorn_document_edit(document, &edit, 1, error);
}

static int add_environment(struct layer *layer, const struct schema *schema,
                           const char *const *environment, struct untorn_error *error)
{
    int rc = untorn_document_new(UNTORN_TOML, &layer->document, error);
    for (size_t i = 0; rc == 0 && i < schema->count; i++) {
        const struct schema_key *key = &schema->keys[i];
        const char *value = key->variable ? scopes_variable(environment, key->variable) : NULL;
        if (value)
            rc = add_variable(layer->document, key, value, error);
        if (rc != 0)
            snprintf(error->path, sizeof error->path, "%s", key->variable);
    }
    if (rc == 0)
        layer->root = untorn_document_root(layer->document);
    return rc;
}

int layers_open(struct layers *layers, const struct schema *schema, const struct scopes *scopes,
                const char *const *environment, struct untorn_error *error)
{
    static const enum untorn_scope scope_of[LAYERS] = {
        UNTORN_SCOPE_DEFAULT,  UNTORN_SCOPE_DEFAULT, UNTORN_SCOPE_GLOBAL,
        UNTORN_SCOPE_PROJECT,  UNTORN_SCOPE_LOCAL,   UNTORN_SCOPE_ENVIRONMENT,
        UNTORN_SCOPE_OVERRIDE, UNTORN_SCOPE_OVERRIDE};
    layers->options.state_dir = scopes->state_dir;
    for (int i = 0; i < LAYERS; i++) {
        layers->layers[i].scope = scope_of[i];
        if (i != LAYER_SCHEMA && i != LAYER_OVERRIDE && i != LAYER_ENVIRONMENT)
            layers->layers[i].path = scopes->paths[scope_of[i]];
    }
    int rc = add_defaults(layers, schema, error);
    if (rc == 0)
        rc = add_environment(&layers->layers[LAYER_ENVIRONMENT], schema, environment, error);
    return rc;
}

/* ---- files ---- */

static void forget(struct layer *layer)
{
    untorn_document_free(layer->document);
    free(layer->lines);
    layer->document = NULL;
    layer->lines = NULL;
    layer->root = NULL;
    layer->settled = false;
}

/* Takes the content over. An empty text is whole as TOML, and damaged as JSON. */
static int use_content(struct layer *layer, struct untorn_content *content,
                       struct untorn_error *error)
{
    if (content->data && layer->document && untorn_hash_equal(&content->hash, &layer->hash)) {
        untorn_content_free(content);
        return 0;
    }
    forget(layer);
    if (!content->data)
        return 0;
    enum untorn_format format = untorn_format_of_path(layer->path);
    char *text = content->data;
    content->data = NULL;
    error_begin(error, NULL, layer->path);
    int rc = api_document_open(text, content->size, format ? format : UNTORN_TOML, &layer->document,
                               error);
    if (rc != 0)
        return rc;
    layer->hash = content->hash;
    layer->root = untorn_document_root(layer->document);
    if (layer->root->kind == UNTORN_OBJECT)
        return 0;
    forget(layer);
    error_detail(error, "a configuration is an object");
    return error_fail(error, UNTORN_DAMAGED, NULL);
}

/* Zeroed if it is not there. What cannot be looked at for another reason tells it when it is read,
 * and never looks the same twice. */
static bool has_changed(const struct layer *layer, struct os_version *ret_now)
{
    memset(ret_now, 0, sizeof *ret_now);
    int rc = os_look(layer->path, ret_now);
    if (rc == -ENOENT || rc == -ENOTDIR)
        return layer->version.inode != 0 || !layer->settled;
    return rc < 0 || !layer->settled || memcmp(ret_now, &layer->version, sizeof *ret_now) != 0;
}

/* Whether whatever changes the file from now on gives it another time. */
static bool is_settled(const struct os_version *version, int64_t now)
{
    enum { COARSEST_SECONDS = 2 }; /* FAT's; everybody else's is shorter */
    return version->inode == 0 ||
           (int64_t)(version->changed / 1000000000u) + COARSEST_SECONDS < now;
}

/* A project's file may have come to belong to somebody else since it was found. */
static bool may_read(const struct layer *layer, struct scopes *scopes)
{
    uint32_t owner;
    bool found = layer->scope == UNTORN_SCOPE_PROJECT || layer->scope == UNTORN_SCOPE_LOCAL;
    if (!layer->path)
        return false;
    if (!found || !scopes->searched || scopes_is_ours(layer->path, &owner))
        return true;
    (void)scopes_ignore(scopes, layer->path, owner); /* without memory it goes untold */
    return false;
}

struct reading {
    struct layer *layers[LAYERS];
    const char *paths[LAYERS];
    struct os_version before[LAYERS];
    struct untorn_content contents[LAYERS];
    size_t count;
};

/* [LAYERS-1]: the time is taken before the files are. */
static int read_all(struct reading *reading, const struct untorn_options *options,
                    struct untorn_error *error)
{
    int64_t now = os_wall_clock();
    struct os_version after;
    int rc = untorn_read_set(reading->paths, reading->count, options, reading->contents, error);
    if (rc == -UNTORN_MIXED)
        rc = 0; /* each is edited by itself, too */
    for (size_t i = 0; rc == 0 && i < reading->count; i++) {
        struct layer *layer = reading->layers[i];
        rc = use_content(layer, &reading->contents[i], error);
        layer->version = reading->before[i];
        layer->settled = rc == 0 && is_settled(&layer->version, now);
        layer->settled = layer->settled && !has_changed(layer, &after);
    }
    for (size_t i = 0; i < reading->count; i++)
        untorn_content_free(&reading->contents[i]);
    return rc;
}

/* [LAYERS-2]: if one has changed, all are read anew. */
int layers_refresh(struct layers *layers, struct scopes *scopes, struct untorn_error *error)
{
    struct reading reading = {.count = 0};
    bool changed = false;
    for (int i = 0; i < LAYERS; i++) {
        struct layer *layer = &layers->layers[i];
        if (!layer->path)
            continue;
        changed |= has_changed(layer, &reading.before[reading.count]);
        reading.paths[reading.count] = layer->path;
        reading.layers[reading.count++] = layer;
    }
    if (!changed)
        return 0;
    size_t kept = 0;
    for (size_t i = 0; i < reading.count; i++) {
        if (!may_read(reading.layers[i], scopes)) {
            forget(reading.layers[i]);
            continue;
        }
        reading.paths[kept] = reading.paths[i];
        reading.before[kept] = reading.before[i];
        reading.layers[kept++] = reading.layers[i];
    }
    reading.count = kept;
    return read_all(&reading, &layers->options, error);
}

int layer_read(struct layer *layer, const struct untorn_options *options,
               struct untorn_error *error)
{
    struct untorn_content content;
    forget(layer);
    int rc = untorn_read(layer->path, options, &content, error);
    if (rc == -UNTORN_MISSING) {
        error_begin(error, NULL, layer->path);
        return 0;
    }
    return rc != 0 ? rc : use_content(layer, &content, error);
}

void layers_close(struct layers *layers)
{
    for (int i = 0; i < LAYERS; i++)
        forget(&layers->layers[i]);
    arena_free(&layers->arena);
    memset(layers, 0, sizeof *layers);
}

/* ---- places ---- */

static bool find_lines(struct layer *layer, const char *text, size_t size)
{
    size_t count = 1;
    for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))) != NULL; at++)
        count++;
    layer->lines = malloc(count * sizeof *layer->lines);
    if (!layer->lines)
        return false;
    layer->lines[0] = 0;
    layer->line_count = 1;
    for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))) != NULL; at++)
        layer->lines[layer->line_count++] = (uint64_t)(at - text) + 1;
    return true;
}

void layer_place(struct layer *layer, const struct untorn_node *node, uint64_t *ret_line,
                 uint64_t *ret_column)
{
    const char *spelling = layer->path ? node_place(node) : NULL, *text;
    size_t size;
    *ret_line = *ret_column = 0;
    if (!spelling || !layer->document)
        return;
    text = untorn_document_text(layer->document, &size);
    if (!layer->lines && !find_lines(layer, text, size))
        return;
    uint64_t position = (uint64_t)(spelling - text);
    size_t low = 0, high = layer->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (layer->lines[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    struct text_place place = text_place(text + layer->lines[low], size - layer->lines[low],
                                         position - layer->lines[low]);
    *ret_line = low + 1;
    *ret_column = place.column;
}
