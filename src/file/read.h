/* Reading a file whole, under the lock or without it. */
#ifndef UNTORN_FILE_READ_H
#define UNTORN_FILE_READ_H

#include <untorn/read.h>

#include "file/state.h"

/* All bytes of an open file; 0 or a negative errno value. On failure *ret_content is zeroed. */
int read_open_file(os_fd file, struct untorn_content *ret_content);

/* The file without a lock, but for what upward_read knows of it. -ESTALE: look again. *ret_hold is
 * the file, open, or OS_NONE where the content came from elsewhere or there is none; close it also
 * after a failure. */
int read_place(const struct place *place, struct state *state, const struct untorn_options *options,
               os_fd *ret_hold, struct untorn_content *ret_content);

#endif
