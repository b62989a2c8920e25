/* Whether a document is what it should be. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "arguments.h"

/* Reads the file at `path` if --format or its name says that it is a document, and tells what is
 * wrong with it; with --report also that nothing is. A directory, and a file of another kind, has
 * no verdict. Changes nothing. Returns the exit status. */
int verdict_tell(const struct arguments *arguments, const char *path);

#endif
