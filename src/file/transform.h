/* Making a new version from the old one piece by piece, under the lock: for files that are too
 * large to hold.
 *
 *     static int copy(void *context, struct transform *transform, struct untorn_error *error)
 *     {
 *         int64_t n;
 *         for (at = 0; (n = transform_read(transform, piece, sizeof piece, at)) > 0; at += n)
 *             rc = transform_write(transform, piece, (size_t)n);
 *         ...
 *     }
 *     rc = transform_file("large.json", copy, context, options, &error);
 *
 * The same protocol as untorn_update: the function may be called again if somebody replaced the
 * file meanwhile, and what it read must not have changed in length.
 */
#ifndef UNTORN_FILE_TRANSFORM_H
#define UNTORN_FILE_TRANSFORM_H

#include <untorn/options.h>

#include "base/error.h"

struct transform;

enum { TRANSFORM_UNCHANGED = 1, TRANSFORM_STALE };

/* 0: what was written is the new version; all of the old one was read. TRANSFORM_UNCHANGED: it need
 * not be replaced. TRANSFORM_STALE: the old one changed meanwhile, all begins anew. Below 0: a
 * failure that *error already tells. */
typedef int transform_function(void *context, struct transform *transform,
                               struct untorn_error *error);

/* How long the old version is. */
uint64_t transform_size(const struct transform *transform);

/* Bytes of the old version: how many, 0 at its end, or a negative errno value. From its beginning
 * on without a gap; what was read may be read again. */
int64_t transform_read(struct transform *transform, void *data, size_t size, uint64_t offset);

/* Adds to the new version: 0 or a negative errno value. */
int transform_write(struct transform *transform, const void *data, size_t size);

/* All of the old version was parsed: nobody need look at it again before it is replaced. */
void transform_old_is_whole(struct transform *transform);

/* The new version is not the old one: nobody need compare them before that is kept. */
void transform_differs(struct transform *transform);

/* As untorn_update returns. -UNTORN_MISSING if there is no file. */
int transform_file(const char *path, transform_function *function, void *context,
                   const struct untorn_options *options, struct untorn_error *reterr);

#endif
