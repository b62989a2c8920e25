/* Reading a file, under the lock or without it. */
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

/* Gets the open file and how long it was; -ESTALE to be called again. Other negative errno values
 * are what the reading fails with. */
typedef int read_function(void *context, os_fd file, uint64_t size);

enum { READ_WHOLE = 1 };

/* As untorn_read without the lock, but the function reads as much as it needs. It may be called
 * again: only what it made of the last call counts, and only if 0 is returned. READ_WHOLE: what is
 * to be read stands elsewhere for the moment; untorn_read finds it. */
int read_by(const char *path, const struct untorn_options *options, read_function *function,
            void *context, struct untorn_error *reterr);

#endif
