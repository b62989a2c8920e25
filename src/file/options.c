#include "file/options.h"

#include <stdlib.h>
#include <string.h>

static bool copy_text(const char *text, char **ret_copy)
{
    if (!text)
        return true;
    size_t size = strlen(text) + 1;
    *ret_copy = malloc(size);
    if (*ret_copy)
        memcpy(*ret_copy, text, size);
    return *ret_copy != NULL;
}

bool options_own(struct owned_options *owned, const char *path,
                 const struct untorn_options *options)
{
    memset(owned, 0, sizeof *owned);
    if (options)
        owned->options = *options;
    bool copied = copy_text(path, &owned->path) &&
                  copy_text(owned->options.state_dir, &owned->state_dir) &&
                  copy_text(owned->options.lock_file, &owned->lock_file);
    owned->options.state_dir = owned->state_dir;
    owned->options.lock_file = owned->lock_file;
    if (owned->options.if_match) {
        owned->if_match = *owned->options.if_match;
        owned->options.if_match = &owned->if_match;
    }
    return copied;
}

void options_free(struct owned_options *owned)
{
    free(owned->path);
    free(owned->state_dir);
    free(owned->lock_file);
    memset(owned, 0, sizeof *owned);
}
