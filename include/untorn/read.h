/* Read a file, whole.
 *
 *     struct untorn_content content;
 *     if (untorn_read("state.json", NULL, &content, &error) == 0)
 *         use(content.data, content.size);
 *     untorn_content_free(&content);
 *
 * Takes no lock, creates nothing, and never waits for a writer. Any program can read a file that
 * untorn keeps; what this call adds is that it never sees a mixture while a file is being
 * overwritten in place, also after the writer died in the middle.
 *
 * UNTORN_MISSING, UNTORN_NOT_A_FILE and an empty file (0, size 0) are different answers.
 * Options: symlink, state_dir.
 */
#ifndef UNTORN_READ_H
#define UNTORN_READ_H

#include <untorn/error.h>
#include <untorn/hash.h>
#include <untorn/options.h>

struct untorn_content {
    char *data; /* new; `size` bytes and one NUL that is not counted */
    size_t size;
    struct untorn_hash hash; /* of the bytes: give it to a later call as `if_match` */
};

UNTORN_BEGIN_C

/* *ret_content is zeroed on failure, so freeing it is always legal. */
UNTORN_API int untorn_read(const char *path, const struct untorn_options *options,
                           struct untorn_content *ret_content, struct untorn_error *reterr);

UNTORN_API void untorn_content_free(struct untorn_content *content);

UNTORN_END_C

#endif
