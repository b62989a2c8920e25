/* Earlier versions of a file.
 *
 *     untorn_undo("state.json", NULL, NULL, NULL, &error);        the previous version is back
 *     untorn_undo("state.json", NULL, NULL, NULL, &error);        and forth again
 *     untorn_version_read("state.json", 2, NULL, &content, &error);
 *
 * Every replace keeps the version it replaces, by default one (options.keep). Versions are counted
 * backwards: 1 is the previous one. The same content is kept once: a version that comes back moves
 * to the front. Each carries the hash of its content, which is checked before it is used.
 *
 * A file that was committed together with others is undone together with them.
 */
#ifndef UNTORN_HISTORY_H
#define UNTORN_HISTORY_H

#include <stdint.h>

#include <untorn/error.h>
#include <untorn/options.h>
#include <untorn/read.h>

struct untorn_version {
    unsigned number; /* 1: the previous one */
    int64_t time;    /* when it was written, seconds since 1970 */
    uint64_t size;
    struct untorn_hash hash;
    bool whole;      /* it still has the content it was kept with */
    const char *set; /* names the commit of several files that replaced it; NULL: none. Borrowed */
};

/* Anything but 0 ends the listing. */
typedef int untorn_version_function(void *context, const struct untorn_version *version);

/* Called for each file that an undo changed. */
typedef void untorn_undone_function(void *context, const char *path);

/* Called for each file that an undo would change, with what it would be; NULL: it would go. Both
 * are borrowed. */
typedef void untorn_undoing_function(void *context, const char *path,
                                     const struct untorn_content *content);

UNTORN_BEGIN_C

/* From the newest to the oldest. None is no failure, but a file that neither exists nor has
 * versions is UNTORN_MISSING. Creates nothing. Options: symlink, state_dir. */
UNTORN_API int untorn_log(const char *path, untorn_version_function *function, void *context,
                          const struct untorn_options *options, struct untorn_error *reterr);

/* UNTORN_NO_VERSION; UNTORN_DAMAGED if somebody changed it after it was kept. Options: symlink,
 * state_dir. */
UNTORN_API int untorn_version_read(const char *path, unsigned number,
                                   const struct untorn_options *options,
                                   struct untorn_content *ret_content, struct untorn_error *reterr);

/* Makes version `number` the current one; what was current becomes version 1: where that cannot be
 * kept, it fails. A removed file comes back. A keep of 0 leaves as many versions as there are.
 * Options: level, symlink, wait_ms, if_match, strict, keep, state_dir. */
UNTORN_API int untorn_restore(const char *path, unsigned number,
                              const struct untorn_options *options, struct untorn_error *reterr);

/* Restores version 1. If that was replaced by a commit of several files, all of them go back in one
 * commit; UNTORN_CHANGED if one of them was changed since, or is part of a later commit of which
 * other files would stay. `function` may be NULL. */
UNTORN_API int untorn_undo(const char *path, untorn_undone_function *function, void *context,
                           const struct untorn_options *options, struct untorn_error *reterr);

/* Shows what untorn_undo would do and does nothing: fails as that would, as far as can be seen
 * without a lock. `function` is called only if nothing speaks against it. Creates nothing. Options:
 * symlink, if_match, state_dir. */
UNTORN_API int untorn_undo_preview(const char *path, untorn_undoing_function *function,
                                   void *context, const struct untorn_options *options,
                                   struct untorn_error *reterr);

UNTORN_END_C

#endif
