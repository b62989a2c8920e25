/* The address of a value: steps from the root.
 *
 *     "servers[0].host"   dotted key: keys as in TOML, [N], [-N], [+]; an optional leading dot
 *     "/servers/0/host"   JSON Pointer (RFC 6901)
 *     {"servers", "0", "host"}  raw segments
 */
#ifndef UNTORN_TEXT_KEYPATH_H
#define UNTORN_TEXT_KEYPATH_H

#include "base/error.h"
#include "text/node.h"

enum step_kind {
    STEP_KEY,    /* of an object */
    STEP_INDEX,  /* of an array; below 0 counts from the end: -1 is the last */
    STEP_APPEND, /* behind the last element */
    STEP_EITHER, /* of a pointer or a raw segment: key or index, by what is met; "-" appends */
};

struct step {
    enum step_kind kind;
    const char *key; /* terminated; of STEP_EITHER the segment */
    size_t key_size;
    int64_t index;
    const char *typed; /* in a dotted key: the part as given, if without quotes; else NULL */
    size_t typed_size;
};

struct keypath {
    struct step *steps; /* in the arena it was parsed with */
    size_t count;       /* 0: the root */
    bool makes_parents; /* a pointer does not */
    const char *text;   /* as given, for messages; NULL for raw segments */
};

/* 0, -UNTORN_INVALID with a sentence that says what to type instead (an empty key, a wildcard, a
 * filter, a bad escape; a dotted key of which one part is missing), -UNTORN_NO_MEMORY. */
int keypath_parse(const char *text, struct arena *arena, struct keypath *ret_path,
                  struct untorn_error *error);
int keypath_pointer(const char *text, size_t size, struct arena *arena, struct keypath *ret_path,
                    struct untorn_error *error);
int keypath_segments(const char *const *segments, size_t count, struct arena *arena,
                     struct keypath *ret_path, struct untorn_error *error);

/* As the edit says it: by its key, or by its segments. */
int keypath_of_edit(const struct untorn_edit *edit, struct arena *arena, struct keypath *ret_path,
                    struct untorn_error *error);

/* How far a path leads. */
struct found {
    struct untorn_node *node;   /* what it names, or NULL */
    struct untorn_node *parent; /* the deepest container that exists on the way */
    size_t matched;             /* steps that were taken to `parent`, or all */
    bool append;                /* the next step is "behind the last" of an array */
};

/* 0, also when `node` is NULL because members are missing. -UNTORN_NO_KEY where it can never be
 * made: an index beyond the end, a step below a scalar, a missing parent if none is to be made.
 * -UNTORN_AMBIGUOUS: a key on the way is there more than once, or a dotted key is there as one
 * literal key as well. -UNTORN_TYPE: a key of an array, an index of an object. Each says which
 * step, and what to type instead. */
int keypath_find(const struct keypath *path, const struct untorn_node *root,
                 struct found *ret_found, struct untorn_error *error);

/* The path of a node, as a dotted key that keypath_parse reads, or as a pointer. The root's is
 * empty in both. Terminated, in the arena; NULL: no memory. */
const char *keypath_of_node(const struct untorn_node *node, bool pointer, struct arena *arena);

/* Text for a message: cut where it is long, one line, without what upsets a terminal. */
enum { KEYPATH_SHOWN = 72 };
void keypath_shown(const char *text, size_t size, char shown[KEYPATH_SHOWN]);

#endif
