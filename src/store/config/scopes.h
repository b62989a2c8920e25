/* Which file a scope has: given by the caller, or found where the platform and the project keep
 * theirs. Looks at names and owners, and reads nothing.
 *
 *   SCOPES-1  A project's file that is found is one that we or root own, folder and file alike:
 *             what somebody else put into a directory above us is passed over, and told.
 */
#ifndef UNTORN_STORE_CONFIG_SCOPES_H
#define UNTORN_STORE_CONFIG_SCOPES_H

#include <untorn/config.h>

#include "base/error.h"
#include "text/arena.h"

/* Start from zero. */
struct scopes {
    const char *paths[UNTORN_SCOPES];   /* NULL: none */
    const char *missing[UNTORN_SCOPES]; /* then: why, for who needs it */
    const char *home;                   /* if the global file is below it; or NULL */
    const char *state_dir;              /* or NULL */
    bool searched;                      /* the project's file was not given: mind its owner */
    const char **ignored;               /* NULL behind the last; or NULL */
    size_t ignored_count;
    struct arena arena; /* of all texts */
};

/* The value of a variable; NULL. Borrowed until the next call. `environment` as in struct
 * untorn_config_setup. */
const char *scopes_variable(const char *const *environment, const char *name);

int scopes_find(struct scopes *scopes, const struct untorn_config_setup *setup,
                struct untorn_error *error);

/* Whether what has the name itself, link or not, is ours or root's. What is not there is fine. */
bool scopes_is_ours(const char *path, uint32_t *ret_owner);

/* Notes what is not obeyed because it belongs to somebody else. False: no memory. */
bool scopes_ignore(struct scopes *scopes, const char *path, uint32_t owner);

/* Accepts a zeroed one, and leaves one. */
void scopes_free(struct scopes *scopes);

#endif
