/* A value of a document, printed as the options say: a scalar as it is, a container as JSON. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include "outcome.h"

/* With a newline behind it. A failure goes into the outcome. */
void value_print(struct outcome *outcome, const struct untorn_node *node);

#endif
