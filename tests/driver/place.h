/* Small things about files that the sweep and the storms need: whole files in memory, trees made
 * and removed, and what a directory shows. Failures of these end the program: they are the test's
 * own. */
#ifndef DRIVER_PLACE_H
#define DRIVER_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct blob {
    char *data; /* NULL: there is no file */
    size_t size;
};

struct blob blob_read(const char *directory, const char *name); /* data new, or NULL if missing */
void blob_write(const char *directory, const char *name, const struct blob *blob, mode_t mode);
bool blob_equal(const struct blob *a, const struct blob *b);
struct blob blob_join(const struct blob *a, const struct blob *b); /* new */
void blob_free(struct blob *blob);

void place_make(const char *path);                 /* a directory; it may exist already */
void place_remove(const char *path);               /* a whole tree; it may be missing */
void place_copy(const char *from, const char *to); /* folders, files, links, and their modes */

/* Names, types, sizes, modes, inodes and modification times of a whole tree, as text. New. */
char *place_snapshot(const char *path);

/* Writes into `problem` what in the tree at `path` is neither a user's file (`allowed`, names
 * separated by blanks, folders included; `s/` is all that is in s, `*` all there is) nor `.untorn`,
 * or what lies in a `stage` folder of untorn's. True if there is nothing of the kind. */
bool place_is_tidy(const char *path, const char *allowed, char *problem, size_t size);

_Noreturn void place_die(const char *what, const char *name);

#endif
