/* untorn/config.h: opening and reading. */
#include "store/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/config/checked.h"
#include "store/config/view.h"
#include "text/api.h"

/* ---- opening ---- */

static int add_overrides(struct untorn_config *config, const struct untorn_edit *edits,
                         size_t count, struct untorn_error *error)
{
    struct layer *layer = &config->layers.layers[LAYER_OVERRIDE];
    struct checked checked = {0};
    int rc = checked_make(config, UNTORN_SCOPE_OVERRIDE, edits, count, &checked, error);
    if (rc == 0)
        rc = untorn_document_new(UNTORN_TOML, &layer->document, error);
    if (rc == 0)
        rc = untorn_document_edit(layer->document, checked.edits, count, error);
    if (rc == 0)
        layer->root = untorn_document_root(layer->document);
    checked_free(&checked);
    return rc;
}

int untorn_config_open(const struct untorn_config_setup *setup, struct untorn_config **ret_config,
                       struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, setup->app);
    struct untorn_config *config = calloc(1, sizeof *config);
    *ret_config = NULL;
    if (!config)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    int rc = scopes_find(&config->scopes, setup, error);
    if (rc == 0 && (setup->schema_path || setup->schema_text))
        rc = schema_open(&config->schema, setup->schema_path, setup->schema_text, error);
    if (rc == 0)
        rc = layers_open(&config->layers, &config->schema, &config->scopes, setup->environment,
                         error);
    if (rc == 0)
        rc = add_overrides(config, setup->overrides, setup->override_count, error);
    if (rc == 0)
        *ret_config = config;
    else
        untorn_config_free(config);
    return rc;
}

void untorn_config_free(struct untorn_config *config)
{
    if (!config)
        return;
    untorn_document_free(config->answer);
    layers_close(&config->layers);
    scopes_free(&config->scopes);
    schema_close(&config->schema);
    free(config);
}

const char *untorn_config_path(const struct untorn_config *config, enum untorn_scope scope,
                               struct untorn_error *reterr)
{
    const char *name = untorn_scope_name(scope);
    struct untorn_error local, *error = error_begin(reterr, &local, name);
    const char *path = name ? config->scopes.paths[scope] : NULL;
    if (path)
        return path;
    if (name)
        error_detail(error, "%s", config->scopes.missing[scope]);
    (void)error_fail(error, name ? UNTORN_MISSING : UNTORN_INVALID, NULL);
    return NULL;
}

const char *untorn_config_ignored(const struct untorn_config *config, size_t index)
{
    return index < config->scopes.ignored_count ? config->scopes.ignored[index] : NULL;
}

int config_refresh(struct untorn_config *config, struct untorn_error *error)
{
    return config->visiting ? 0 : layers_refresh(&config->layers, &config->scopes, error);
}

/* ---- keys and places ---- */

static bool is_table_step(const struct step *step)
{
    return step->kind == STEP_KEY || step->kind == STEP_EITHER;
}

struct schema_place config_schema_place(const struct untorn_config *config,
                                        const struct keypath *path, size_t *ret_steps)
{
    struct schema_place place = schema_root(&config->schema);
    size_t i = 0;
    for (; i < path->count && is_table_step(&path->steps[i]); i++) {
        bool in_array = place.key && place.key->type == SCHEMA_ARRAY;
        if (in_array)
            break;
        place = schema_enter(&place, path->steps[i].key, path->steps[i].key_size);
    }
    *ret_steps = i;
    return place;
}

void config_add_step(struct buffer *key, const char *step, size_t size)
{
    if (key->size > 0)
        buffer_text(key, ".");
    write_toml_key(key, step, size);
}

const char *config_key_text(const struct keypath *path, size_t steps, struct buffer *buffer)
{
    for (size_t i = 0; i < steps && is_table_step(&path->steps[i]); i++)
        config_add_step(buffer, path->steps[i].key, path->steps[i].key_size);
    return buffer->failed ? NULL : buffer->data ? buffer->data : "";
}

struct untorn_config_origin config_origin(struct untorn_config *config, int layer,
                                          const struct untorn_node *node,
                                          const struct schema_key *key)
{
    struct layer *from = &config->layers.layers[layer];
    struct untorn_config_origin origin = {.scope = from->scope, .path = from->path};
    layer_place(from, node, &origin.line, &origin.column);
    if (layer == LAYER_ENVIRONMENT && key)
        origin.variable = key->variable;
    if (layer == LAYER_SCHEMA)
        origin.path = config->schema.path;
    return origin;
}

int config_fail_at(struct untorn_error *error, const struct untorn_config_origin *origin,
                   enum untorn_status status, const char *key, const char *why)
{
    const char *where = origin->variable ? origin->variable
                        : origin->path   ? origin->path
                                         : untorn_scope_name(origin->scope);
    error_begin(error, NULL, where);
    if (origin->line)
        error_detail(error, "line %llu, column %llu: %s %s", (unsigned long long)origin->line,
                     (unsigned long long)origin->column, key, why);
    else
        error_detail(error, "%s %s", key, why);
    return error_fail(error, status, NULL);
}

void config_suggest(const struct untorn_config *config, const char *key, char *text, size_t size)
{
    const char *near = schema_nearest(&config->schema, key);
    if (near && strcmp(near, key) != 0)
        snprintf(text, size, "; did you mean %s?", near);
    else
        text[0] = '\0';
}

/* ---- walking ---- */

struct walking {
    struct untorn_config *config;
    struct buffer key;
    struct untorn_document *document; /* to be made; or NULL */
    untorn_config_visit *visit;       /* or NULL */
    void *context;
    int result; /* what the visitor said; or the first misfit */
    struct untorn_error *error;
};

static int visit_leaf(struct walking *walking, const struct view *view,
                      const struct schema_place *place)
{
    const struct untorn_node *node = view->nodes[view->top];
    const struct schema_key *key = schema_governs(place);
    char why[SCHEMA_WHY];
    struct untorn_config_entry entry = {
        .key = walking->key.data,
        .node = node,
        .origin = config_origin(walking->config, view->top, node, key),
        .secret = key && key->secret,
        .description = key ? key->description : NULL,
    };
    bool known = place->key || place->low < place->high || place->above;
    if (known && !schema_allows(place, node, why)) {
        entry.misfit = why;
        if (walking->result == 0)
            walking->result =
                config_fail_at(walking->error, &entry.origin, UNTORN_MISFIT, entry.key, why);
    }
    return walking->visit ? walking->visit(walking->context, &entry) : 0;
}

static int walk(struct walking *walking, const struct view *view, const struct schema_place *place,
                struct untorn_node *table);

/* One member: a table, or a value. */
static int walk_member(struct walking *walking, const struct view *view,
                       const struct schema_place *place, const struct untorn_node *member,
                       struct untorn_node *table)
{
    struct view inner = view_member(view, member->key, member->key_size);
    struct schema_place inner_place = schema_enter(place, member->key, member->key_size);
    bool is_leaf = !view_is_table(&inner) || view_is_empty_table(&inner);
    struct untorn_node *made = NULL;
    if (walking->document) {
        made = is_leaf ? api_document_add_copy(walking->document, table, member->key,
                                               member->key_size, inner.nodes[inner.top])
                       : untorn_document_add(walking->document, table, member->key,
                                             member->key_size, UNTORN_OBJECT, NULL, 0);
        if (!made)
            return error_fail(walking->error, UNTORN_NO_MEMORY, NULL);
    }
    return is_leaf ? visit_leaf(walking, &inner, &inner_place)
                   : walk(walking, &inner, &inner_place, made);
}

static int walk(struct walking *walking, const struct view *view, const struct schema_place *place,
                struct untorn_node *table)
{
    size_t length = walking->key.size;
    int layer = 0, rc = 0;
    for (const struct untorn_node *member = view_next(view, NULL, &layer); rc == 0 && member;
         member = view_next(view, member, &layer)) {
        config_add_step(&walking->key, member->key, member->key_size);
        if (walking->key.failed)
            return error_fail(walking->error, UNTORN_NO_MEMORY, NULL);
        rc = walk_member(walking, view, place, member, table);
        walking->key.size = length;
    }
    return rc;
}

/* Makes a document of a table. */
static int make_table(struct walking *walking, const struct view *view,
                      const struct schema_place *place, struct untorn_document **ret_document)
{
    int rc = untorn_document_new(UNTORN_TOML, &walking->document, walking->error);
    if (rc == 0)
        rc = walk(walking, view, place,
                  (struct untorn_node *)untorn_document_root(walking->document));
    if (rc == 0)
        rc = walking->result;
    if (rc == 0)
        *ret_document = walking->document;
    else
        untorn_document_free(walking->document);
    return rc;
}

int untorn_config_list(struct untorn_config *config, untorn_config_visit *visit, void *context,
                       struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct walking walking = {.config = config, .visit = visit, .context = context, .error = error};
    int rc = config_refresh(config, error);
    if (rc != 0)
        return rc;
    struct view view = view_root(&config->layers);
    struct schema_place place = schema_root(&config->schema);
    config->visiting++;
    rc = walk(&walking, &view, &place, NULL);
    config->visiting--;
    buffer_free(&walking.key);
    return rc != 0 ? rc : walking.result;
}

int untorn_config_merged(struct untorn_config *config, struct untorn_document **ret_document,
                         struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct walking walking = {.config = config, .error = error};
    *ret_document = NULL;
    int rc = config_refresh(config, error);
    if (rc != 0)
        return rc;
    struct view view = view_root(&config->layers);
    struct schema_place place = schema_root(&config->schema);
    rc = make_table(&walking, &view, &place, ret_document);
    buffer_free(&walking.key);
    return rc;
}

/* ---- one key ---- */

static int no_such_key(const struct untorn_config *config, const struct keypath *path,
                       const struct schema_place *place, struct untorn_error *error)
{
    struct buffer key = {0};
    char near[SCHEMA_WHY] = "";
    const char *text = config_key_text(path, path->count, &key);
    if (config->schema.document && !place->key && text)
        config_suggest(config, text, near, sizeof near);
    error_begin(error, NULL, NULL);
    error_detail(error, "%s%s", path->text ? path->text : text ? text : "", near);
    buffer_free(&key);
    return error_fail(error, UNTORN_NO_KEY, NULL);
}

static int check_fit(struct untorn_config *config, const struct keypath *path,
                     const struct schema_place *place, const struct view *view,
                     struct untorn_error *error)
{
    const struct untorn_node *node = view->nodes[view->top];
    char why[SCHEMA_WHY];
    bool known = place->key || place->low < place->high || place->above;
    if (!known || schema_allows(place, node, why))
        return 0;
    struct untorn_config_origin origin =
        config_origin(config, view->top, node, schema_governs(place));
    struct buffer key = {0};
    const char *text = config_key_text(path, place->depth, &key);
    int rc = config_fail_at(error, &origin, UNTORN_MISFIT, text ? text : "", why);
    buffer_free(&key);
    return rc;
}

/* What is inside an array is not the configuration's, but that of the one layer that has it. */
static int find_inside(const struct untorn_node *array, const struct keypath *path, size_t steps,
                       const struct untorn_node **ret_node, struct untorn_error *error)
{
    struct keypath rest = *path;
    rest.steps += steps;
    rest.count -= steps;
    *ret_node = api_find(array, &rest, error);
    return *ret_node ? 0 : -error->status;
}

static int answer_table(struct untorn_config *config, const struct view *view,
                        const struct schema_place *place, const struct keypath *path,
                        const struct untorn_node **ret_node, struct untorn_error *error)
{
    struct walking walking = {.config = config, .error = error};
    int rc = config_key_text(path, path->count, &walking.key)
                 ? 0
                 : error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (rc == 0)
        rc = make_table(&walking, view, place, &config->answer);
    buffer_free(&walking.key);
    if (rc == 0)
        *ret_node = untorn_document_root(config->answer);
    return rc;
}

static int get(struct untorn_config *config, const struct keypath *path,
               const struct untorn_node **ret_node, struct untorn_config_origin *ret_origin,
               struct untorn_error *error)
{
    struct view view = view_root(&config->layers);
    struct schema_place place = schema_root(&config->schema);
    size_t steps = 0;
    for (; steps < path->count && view_is_table(&view); steps++) {
        const struct step *step = &path->steps[steps];
        if (!is_table_step(step))
            return no_such_key(config, path, &place, error);
        view = view_member(&view, step->key, step->key_size);
        place = schema_enter(&place, step->key, step->key_size);
    }
    if (view.top < 0)
        return no_such_key(config, path, &place, error);
    const struct untorn_node *node = view.nodes[view.top];
    if (steps < path->count && node->kind != UNTORN_ARRAY)
        return no_such_key(config, path, &place, error);
    if (ret_origin)
        *ret_origin = config_origin(config, view.top, node, schema_governs(&place));
    if (view_is_table(&view))
        return answer_table(config, &view, &place, path, ret_node, error);
    int rc = check_fit(config, path, &place, &view, error);
    if (rc == 0 && steps < path->count)
        return find_inside(node, path, steps, ret_node, error);
    if (rc == 0)
        *ret_node = node;
    return rc;
}

static int get_edit(struct untorn_config *config, const struct untorn_edit *at,
                    const struct untorn_node **ret_node, struct untorn_config_origin *ret_origin,
                    struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct arena arena = {0};
    struct keypath path;
    *ret_node = NULL;
    untorn_document_free(config->answer);
    config->answer = NULL;
    int rc = keypath_of_edit(at, &arena, &path, error);
    if (rc == 0)
        rc = config_refresh(config, error);
    if (rc == 0)
        rc = get(config, &path, ret_node, ret_origin, error);
    arena_free(&arena);
    return rc;
}

int untorn_config_get(struct untorn_config *config, const char *key,
                      const struct untorn_node **ret_node, struct untorn_config_origin *ret_origin,
                      struct untorn_error *reterr)
{
    struct untorn_edit at = {.key = key};
    return get_edit(config, &at, ret_node, ret_origin, reterr);
}

int untorn_config_get_segments(struct untorn_config *config, const char *const *segments,
                               size_t count, const struct untorn_node **ret_node,
                               struct untorn_config_origin *ret_origin, struct untorn_error *reterr)
{
    struct untorn_edit at = {.segments = segments, .segment_count = count};
    return get_edit(config, &at, ret_node, ret_origin, reterr);
}

bool untorn_config_is_secret(struct untorn_config *config, const char *key)
{
    struct untorn_error unseen;
    struct arena arena = {0};
    struct keypath path;
    size_t steps;
    bool secret = false;
    error_begin(&unseen, NULL, NULL);
    if (keypath_parse(key, &arena, &path, &unseen) == 0) {
        struct schema_place place = config_schema_place(config, &path, &steps);
        const struct schema_key *governing = schema_governs(&place);
        secret = governing && governing->secret;
    }
    arena_free(&arena);
    return secret;
}
