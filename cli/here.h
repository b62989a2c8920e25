/* Paths as the user would write them. */
#ifndef CLI_HERE_H
#define CLI_HERE_H

#include <stddef.h>

/* What lies below the working directory is named from there; anything else as people write it.
 * Borrowed from `path`. */
const char *path_from_here(const char *path);

/* How much of it stands before its last name: with the separator, or 0. */
size_t path_folder_size(const char *path);

#endif
