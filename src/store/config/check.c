/* untorn_config_check: every layer by itself. */
#include <stdio.h>
#include <string.h>

#include "file/place.h"
#include "store/config/config.h"

struct judging {
    struct untorn_config *config;
    int layer;
    struct buffer key;
    untorn_config_tell *tell;
    void *context;
    int worst;
    const char *secret; /* the name of one that the layer has; or NULL */
    struct untorn_error *error;
};

static void remember(struct judging *judging, enum untorn_status status)
{
    if (judging->worst == 0 ||
        untorn_status_exit_code((int)status) > untorn_status_exit_code(judging->worst))
        judging->worst = -(int)status;
}

static int tell(struct judging *judging, enum untorn_status status,
                const struct untorn_config_origin *origin, const char *text)
{
    struct untorn_config_finding finding = {.status = status, .origin = *origin, .text = text};
    remember(judging, status);
    return judging->tell ? judging->tell(judging->context, &finding) : 0;
}

static int tell_key(struct judging *judging, const struct untorn_node *node,
                    const struct schema_key *key, const char *why)
{
    char text[UNTORN_DETAIL_SIZE], near[SCHEMA_WHY];
    struct untorn_config_origin origin = config_origin(judging->config, judging->layer, node, key);
    config_suggest(judging->config, judging->key.data, near, sizeof near);
    snprintf(text, sizeof text, "%s %s%s", judging->key.data, why, key ? "" : near);
    return tell(judging, UNTORN_MISFIT, &origin, text);
}

static int judge_value(struct judging *judging, const struct schema_place *place,
                       const struct untorn_node *node)
{
    const struct schema_key *key = schema_governs(place);
    enum untorn_scope scope = judging->config->layers.layers[judging->layer].scope;
    char why[SCHEMA_WHY];
    if (!schema_allows(place, node, why) || !schema_allows_scope(key, scope, why))
        return tell_key(judging, node, key, why);
    if (key && key->secret)
        judging->secret = key->name;
    return 0;
}

static int judge_table(struct judging *judging, const struct schema_place *place,
                       const struct untorn_node *table)
{
    size_t length = judging->key.size;
    int rc = 0;
    for (const struct untorn_node *member = table->first; rc == 0 && member;
         member = member->next) {
        struct schema_place inner = schema_enter(place, member->key, member->key_size);
        config_add_step(&judging->key, member->key, member->key_size);
        if (judging->key.failed)
            return error_fail(judging->error, UNTORN_NO_MEMORY, NULL);
        bool is_table = member->kind == UNTORN_OBJECT && member->first &&
                        (!inner.key || inner.key->type == SCHEMA_TABLE);
        rc = is_table ? judge_table(judging, &inner, member) : judge_value(judging, &inner, member);
        judging->key.size = length;
    }
    return rc;
}

/* A secret in a file that others can read is no secret. */
static int judge_mode(struct judging *judging, const struct layer *layer)
{
    struct untorn_options options = {0};
    struct untorn_config_origin origin = {.scope = layer->scope, .path = layer->path};
    struct untorn_error unseen;
    struct place place;
    char text[UNTORN_DETAIL_SIZE];
    error_begin(&unseen, NULL, layer->path);
    bool open = place_resolve(layer->path, &options, &place, &unseen) == 0 && place.exists &&
                os_modes_tell() && (place.target.mode & 0077) != 0;
    place_close(&place);
    if (!open)
        return 0;
    snprintf(text, sizeof text,
             "holds the secret %s, and others than its owner can reach it; "
             "chmod 600",
             judging->secret);
    return tell(judging, UNTORN_MISFIT, &origin, text);
}

/* A text that does not parse has line and column in front of what is wrong with it. */
static int tell_unreadable(struct judging *judging, const struct layer *layer,
                           const struct untorn_error *error)
{
    struct untorn_config_origin origin = {.scope = layer->scope, .path = layer->path};
    unsigned long long line = 0, column = 0;
    int used = 0;
    char text[UNTORN_TEXT_SIZE];
    struct untorn_error told = *error;
    told.path[0] = '\0';
    told.detail[strcspn(told.detail, "\n")] = '\0';
    if (sscanf(told.detail, "line %llu, column %llu: %n", &line, &column, &used) == 2 && used > 0) {
        origin.line = line;
        origin.column = column;
        memmove(told.detail, told.detail + used, strlen(told.detail + used) + 1);
        told.position = UNTORN_NO_POSITION;
    }
    return tell(judging, (enum untorn_status)told.status, &origin,
                untorn_describe(&told, text, sizeof text));
}

static int judge_layer(struct judging *judging)
{
    struct layer *layer = &judging->config->layers.layers[judging->layer];
    struct schema_place place = schema_root(&judging->config->schema);
    judging->secret = NULL;
    if (layer->path) {
        int rc = layer_read(layer, &judging->config->layers.options, judging->error);
        if (rc == -UNTORN_NO_MEMORY)
            return rc;
        if (rc != 0)
            return tell_unreadable(judging, layer, judging->error);
    }
    if (!layer->root || judging->layer == LAYER_SCHEMA)
        return 0;
    int rc = judge_table(judging, &place, layer->root);
    return rc == 0 && judging->secret && layer->path ? judge_mode(judging, layer) : rc;
}

int untorn_config_check(struct untorn_config *config, untorn_config_tell *tell_function,
                        void *context, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct judging judging = {
        .config = config, .tell = tell_function, .context = context, .error = error};
    int rc = config->visiting ? error_fail(error, UNTORN_INVALID, "check while it is shown") : 0;
    config->visiting++;
    for (; rc == 0 && judging.layer < LAYERS; judging.layer++)
        rc = judge_layer(&judging);
    config->visiting--;
    buffer_free(&judging.key);
    if (rc == 0) {
        error_begin(error, NULL, NULL);
        rc = judging.worst ? error_fail(error, (enum untorn_status) - judging.worst, NULL) : 0;
    }
    return rc;
}
