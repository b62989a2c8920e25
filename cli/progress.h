/* How far long work is: one line on standard error that is written over, and gone at the end.
 *
 * Only on a terminal that can do that, not in the first moments, and at most ten times a second.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

/* "12345 files: PATH". */
void progress_show(size_t count, const char *path);

/* Before anything else is printed, and at the end. */
void progress_hide(void);

#endif
