/* The documents of a configuration, one above the other: what was read of the files, and what was
 * made of schema, environment and overrides.
 *
 *   LAYERS-1  What is served of a file is what it held at a moment after the call began, or what
 *             it was then known not to have changed from.
 *   LAYERS-2  Files that were committed together are served from one side of that commit.
 */
#ifndef UNTORN_STORE_CONFIG_LAYERS_H
#define UNTORN_STORE_CONFIG_LAYERS_H

#include <untorn/config.h>
#include <untorn/hash.h>

#include "os/os.h"
#include "store/config/schema.h"
#include "store/config/scopes.h"

enum layer_index {
    LAYER_SCHEMA, /* the schema's defaults */
    LAYER_DEFAULT,
    LAYER_GLOBAL,
    LAYER_PROJECT,
    LAYER_LOCAL,
    LAYER_ENVIRONMENT,
    LAYER_OVERRIDE_FILE,
    LAYER_OVERRIDE, /* what the caller says */
    LAYERS
};

struct layer {
    enum untorn_scope scope;
    const char *path;                 /* NULL: no file */
    const struct untorn_node *root;   /* an object; NULL: it has no keys */
    struct untorn_document *document; /* of a file, the environment or the overrides; or NULL */
    struct untorn_hash hash;          /* of the content that `document` was made of */
    struct os_version version;        /* zeroed: the file was not there */
    bool settled;    /* the version is so old that another change would have another time */
    uint64_t *lines; /* where each begins; made when somebody asks */
    size_t line_count;
};

/* Start from zero. */
struct layers {
    struct layer layers[LAYERS];
    struct untorn_options options; /* for reading */
    struct arena arena;            /* of the schema's defaults */
};

/* Sets up the schema's defaults and the environment's values; no file is read yet. Borrows the
 * schema and the scopes' texts. */
int layers_open(struct layers *layers, const struct schema *schema, const struct scopes *scopes,
                const char *const *environment, struct untorn_error *error);

/* Reads again what has changed. `scopes` gets a note about what must not be read. */
int layers_refresh(struct layers *layers, struct scopes *scopes, struct untorn_error *error);

/* One file by itself, whatever is cached: for who checks them one by one. */
int layer_read(struct layer *layer, const struct untorn_options *options,
               struct untorn_error *error);

/* Where the key of a node stands; line 0 if it has no text. */
void layer_place(struct layer *layer, const struct untorn_node *node, uint64_t *ret_line,
                 uint64_t *ret_column);

/* Accepts a zeroed one, and leaves one. */
void layers_close(struct layers *layers);

#endif
