/* What the command says about itself, on standard output. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "verb.h"

void help_all(void);
void help_verb(const struct verb *verb);

#endif
