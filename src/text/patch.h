/* Patches: RFC 6902 and RFC 7396, as a row of changes of single places.
 *
 * Both read JSON. A step of a patch is done to the document at hand before the next one is looked
 * at, as RFC 6902 says; the caller supplies how.
 */
#ifndef UNTORN_TEXT_PATCH_H
#define UNTORN_TEXT_PATCH_H

#include "base/error.h"
#include "text/keypath.h"

/* The document a patch is applied to: its tree as it is now, and a way to change it. */
struct patch_target {
    const struct untorn_node *(*root)(void *context);
    /* One of UNTORN_SET, _UNSET, _INSERT, _RENAME at `path`, with `value` where one is needed: a
     * string, the new name, for the last. A set of the root (no steps) replaces everything. 0 or a
     * negative status, in *error. */
    int (*change)(void *context, enum untorn_edit_kind kind, const struct keypath *path,
                  const struct untorn_node *value, struct untorn_error *error);
    void *context;
};

/* -UNTORN_INVALID for a patch that is none, with its place; -UNTORN_NO_KEY for a path that is not
 * there; -UNTORN_TEST_FAILED. */
int patch_json(const char *patch, size_t size, const struct patch_target *target,
               struct untorn_error *error);
int patch_merge(const char *patch, size_t size, const struct patch_target *target,
                struct untorn_error *error);

#endif
