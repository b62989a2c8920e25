/* A caller's path and options, kept beyond the call that gave them. */
#ifndef UNTORN_FILE_OPTIONS_H
#define UNTORN_FILE_OPTIONS_H

#include <untorn/options.h>

struct owned_options {
    struct untorn_options options; /* points into this struct */
    char *path;
    char *state_dir, *lock_file;
    struct untorn_hash if_match;
};

/* `options` may be NULL. false: no memory; free it all the same. The struct must not move. */
bool options_own(struct owned_options *owned, const char *path,
                 const struct untorn_options *options);
void options_free(struct owned_options *owned);

#endif
