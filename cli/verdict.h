/* What the verbs say about a file that is not what it should be. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "outcome.h"

/* What the library's verdict says, into the outcome: "PATH: truncated: the JSON stops early, ...",
 * the place below it, and the exit status. Nothing if it is whole. */
void verdict_describe(struct outcome *outcome, const struct untorn_error *error);

/* A note that an earlier version of the file is whole, if one is. */
void verdict_offer_last_good(const struct arguments *arguments, const char *path,
                             enum untorn_format format);

#endif
