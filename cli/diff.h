/* Two versions of a file as a unified diff. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <stddef.h>

/* Prints nothing if they are the same. `before` NULL: there is no file yet. Content with a NUL
 * byte, or too large to show, is summed up in one line. */
void diff_print(const char *path, const char *before, size_t before_size, const char *after,
                size_t after_size);

#endif
