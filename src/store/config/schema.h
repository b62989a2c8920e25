/* The schema of a configuration: which keys there are, and what they may be.
 *
 * A TOML file of [[key]] tables (docs/man/untorn-schema.5). The names are sorted by their steps, so
 * that the keys below a table are one range, and a walk through values narrows that range step by
 * step:
 *
 *     struct schema_place place = schema_root(&schema);
 *     place = schema_enter(&place, "server", 6);
 *     place = schema_enter(&place, "port", 4);
 *     if (!schema_allows(&place, node, why)) ...
 *
 *   SCHEMA-1  No two keys have one environment variable.
 *   SCHEMA-2  What a schema has as a default, it allows.
 */
#ifndef UNTORN_STORE_CONFIG_SCHEMA_H
#define UNTORN_STORE_CONFIG_SCHEMA_H

#include <untorn/config.h>

#include "base/error.h"
#include "text/keypath.h"

enum schema_type {
    SCHEMA_ANY,
    SCHEMA_STRING,
    SCHEMA_INTEGER,
    SCHEMA_FLOAT,
    SCHEMA_BOOLEAN,
    SCHEMA_DATETIME,
    SCHEMA_ARRAY,
    SCHEMA_TABLE,
    SCHEMA_TYPES
};

/* Texts and nodes are the schema's. */
struct schema_key {
    const char *name; /* dotted, as it is spelled */
    struct keypath path;
    enum schema_type type, element;                      /* of the elements of an array */
    const struct untorn_node *fallback;                  /* the default; or NULL */
    const struct untorn_node *values, *least, *greatest; /* or NULL; of an array, of its elements */
    unsigned scopes;                                     /* 1 << enum untorn_scope */
    const char *variable;                                /* of the environment; or NULL */
    const char *description;                             /* or NULL */
    bool secret;
    const struct untorn_node *entry; /* where it stands in the schema */
};

/* Start from zero: a schema that has nothing to say. */
struct schema {
    struct untorn_document *document; /* NULL: none */
    struct arena arena;
    struct schema_key *keys;
    size_t count;
    char *path; /* NULL: it was given as text */
};

/* Of `path`, or of `text`. -UNTORN_DAMAGED: the detail begins with line and column. */
int schema_open(struct schema *schema, const char *path, const char *text,
                struct untorn_error *error);

/* Accepts a zeroed one, and leaves one. */
void schema_close(struct schema *schema);

/* How far a walk has come. */
struct schema_place {
    const struct schema *schema;
    size_t low, high; /* the keys that begin with the steps taken */
    size_t depth;
    const struct schema_key *key;   /* the one that is exactly here; or NULL */
    const struct schema_key *above; /* the nearest one on the way here that has been passed */
};

struct schema_place schema_root(const struct schema *schema);
struct schema_place schema_enter(const struct schema_place *place, const char *key, size_t size);

/* The key that decides about the place: the one that is here, or one above whose value may be a
 * table of anything, or an array; NULL. */
const struct schema_key *schema_governs(const struct schema_place *place);

/* Whether a value may be there; why not goes into `why`: "must be an integer, not a string". A
 * secret is not quoted. Without a schema everything may. */
enum { SCHEMA_WHY = 256 };
bool schema_allows(const struct schema_place *place, const struct untorn_node *node,
                   char why[SCHEMA_WHY]);

/* The same of an element of an array. */
bool schema_allows_element(const struct schema_key *key, const struct untorn_node *node,
                           char why[SCHEMA_WHY]);

/* Whether it may be set in that scope. */
bool schema_allows_scope(const struct schema_key *key, enum untorn_scope scope,
                         char why[SCHEMA_WHY]);

/* How a plain value is read that the key is to have. */
enum untorn_syntax schema_syntax(const struct schema_key *key);

/* The name of a key that is nearly that one; NULL. */
const char *schema_nearest(const struct schema *schema, const char *name);

/* "an integer". */
const char *schema_type_words(enum schema_type type);

#endif
