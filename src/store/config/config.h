/* What the parts of untorn/config.h share. */
#ifndef UNTORN_STORE_CONFIG_CONFIG_H
#define UNTORN_STORE_CONFIG_CONFIG_H

#include <untorn/config.h>

#include "store/config/layers.h"
#include "store/config/schema.h"
#include "store/config/scopes.h"
#include "text/write.h"

struct untorn_config {
    struct schema schema;
    struct scopes scopes;
    struct layers layers;
    struct untorn_document *answer; /* a table that was asked for */
    int visiting;                   /* a caller's function is shown the layers: they stay */
};

/* Reads again what has changed, unless somebody is being shown it. */
int config_refresh(struct untorn_config *config, struct untorn_error *error);

/* The schema's place at a path, as far as that goes through tables; *ret_steps is how far. */
struct schema_place config_schema_place(const struct untorn_config *config,
                                        const struct keypath *path, size_t *ret_steps);

/* Adds a step to a dotted key, as untorn_config_get takes it. */
void config_add_step(struct buffer *key, const char *step, size_t size);

/* The dotted key of the first steps of a path, as far as they go through tables. Terminated; NULL:
 * no memory. */
const char *config_key_text(const struct keypath *path, size_t steps, struct buffer *buffer);

struct untorn_config_origin config_origin(struct untorn_config *config, int layer,
                                          const struct untorn_node *node,
                                          const struct schema_key *key);

/* Names the place in the error: the file or variable as its path, line and column in front. */
int config_fail_at(struct untorn_error *error, const struct untorn_config_origin *origin,
                   enum untorn_status status, const char *key, const char *why);

/* "; did you mean KEY?", or nothing. */
void config_suggest(const struct untorn_config *config, const char *key, char *text, size_t size);

#endif
