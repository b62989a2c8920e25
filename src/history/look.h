/* The versions of a file for who only looks: no lock, nothing made. */
#ifndef UNTORN_HISTORY_LOOK_H
#define UNTORN_HISTORY_LOOK_H

#include "file/versions.h"

struct look {
    struct place place;
    struct state state;
    struct versions versions;
    struct os_stat live_stat;
    const struct os_stat *live; /* the file itself, or NULL */
};

/* -UNTORN_MISSING if there is neither a file nor a folder for its versions. Close it in any case.
 */
int look_open(struct look *look, const char *path, const struct untorn_options *options,
              struct untorn_error *error);

/* The version with this number. 0, or -UNTORN_NO_VERSION, ... Close its file. */
int look_at(const struct look *look, unsigned number, struct version_found *ret_found,
            struct untorn_error *error);

/* -UNTORN_NO_VERSION, and which there are. */
int look_fail(const struct versions *versions, unsigned number, struct untorn_error *error);

/* Can run twice. */
void look_close(struct look *look);

#endif
