/* Reading a file whole, under the lock or without it. */
#ifndef UNTORN_FILE_READ_H
#define UNTORN_FILE_READ_H

#include <untorn/read.h>

#include "os/os.h"

/* All bytes of an open file; 0 or a negative errno value. On failure *ret_content is zeroed. */
int read_open_file(os_fd file, struct untorn_content *ret_content);

#endif
