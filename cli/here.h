/* Paths as the user would write them. */
#ifndef CLI_HERE_H
#define CLI_HERE_H

/* What lies below the working directory is named from there; anything else stays as it is. Borrowed
 * from `path`. */
const char *path_from_here(const char *path);

#endif
