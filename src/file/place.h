/* Where a path leads: the physical directory, open, and a single name in it.
 *
 *     struct place place;
 *     rc = place_resolve("a/b.json", &options, &place, error);
 *     ...
 *     place_close(&place);
 *
 * Links are followed one by one, each relative to the physical directory it lies in, so that the
 * stage, the lock and the rename all happen beside the real file. After this nothing uses the path
 * text any more: whoever swaps a directory above for a link changes nothing for a call under way.
 */
#ifndef UNTORN_FILE_PLACE_H
#define UNTORN_FILE_PLACE_H

#include <untorn/options.h>

#include "base/error.h"
#include "base/limits.h"
#include "os/os.h"

/* Internal: someone removed or replaced what we had open. Open everything anew and start over. */
enum { AGAIN = -1000000 };

struct place {
    os_fd dir;
    bool borrowed; /* `dir` belongs to another place, which outlives this one */
    bool followed; /* a link had the name: this is where it leads */
    char name[LIMIT_NAME + 1];
    struct os_stat dir_stat;
    bool exists;           /* something had the name when we looked */
    struct os_stat target; /* what: a regular file, or a link that is to be replaced */
};

#define PLACE_CLOSED                                                                               \
    {                                                                                              \
        .dir = OS_NONE                                                                             \
    }

/* UNTORN_MISSING (a directory above), _NOT_A_FILE, _LINK_LOOP, _LINK_REFUSED, _NAME, ... A missing
 * file in an existing directory is success, as is a dangling link: it leads to a place. With
 * options->parents missing directories are made, and flushed at level durable. None is taken away
 * again, whatever happens then: one that looks empty may be open in another call, which would fail
 * with it, and an own folder may hold the locks of others. */
int place_resolve(const char *path, const struct untorn_options *options, struct place *ret_place,
                  struct untorn_error *error);

/* Accepts a closed place. */
void place_close(struct place *place);

/* Opens the directory `path` below `at`, making what is missing. */
int place_make_directories(os_fd at, const char *path, unsigned mode, bool flush, os_fd *ret_dir);

/* Looks at what has place->name in place->dir, and puts its own name there if that is another. */
int place_look(struct place *place);

/* error_os of a step with the file of that name; who has it open is named, if that is the reason.
 */
int place_fail(const struct place *place, int rc, const char *step, struct untorn_error *error);

/* Fails, where the directory is marked: none of its files can be replaced or removed. */
int place_check_marked(const struct place *place, struct untorn_error *error);

/* What renaming onto the name or removing it would be denied with, as far as that can be known
 * before: 0 or a negative errno value. `target` is what has the name, or NULL. `beside`: the
 * directory was asked already, for another name. And its failure. */
int place_foresee(const struct place *place, const struct os_stat *target, bool beside);
int place_fail_foreseen(const struct place *place, int rc, const char *step,
                        struct untorn_error *error);

/* What a name that is no regular file is, in words. */
const char *place_kind_text(enum os_kind kind);

#endif
