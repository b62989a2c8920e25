/* Shared by the files of this folder. */
#ifndef CLI_UNIX_INSIDE_H
#define CLI_UNIX_INSIDE_H

#include <stdbool.h>

/* Whether our caller had SIGPIPE ignored already: commands that we start get it as we got it. */
bool pipe_signal_was_ignored(void);

#endif
