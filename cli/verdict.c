#include "verdict.h"

#include <string.h>

#include "message.h"

void verdict_describe(struct outcome *outcome, const struct untorn_error *error)
{
    int length = (int)strcspn(error->detail, "\n");
    outcome_library(outcome, error);
    if (error->status != UNTORN_DAMAGED || length == 0)
        return;
    if (strncmp(error->detail, "nul:", 4) == 0) /* the others have line and column in it */
        outcome_fail(outcome, UNTORN_DAMAGED, outcome->exit_code, "%.*s at byte %llu", length,
                     error->detail, (unsigned long long)error->position);
    else
        outcome_fail(outcome, UNTORN_DAMAGED, outcome->exit_code, "%.*s", length, error->detail);
}

void verdict_offer_last_good(const struct arguments *arguments, const char *path,
                             enum untorn_format format)
{
    struct untorn_content content;
    struct untorn_error unseen;
    unsigned version;
    if (untorn_read_last_good(path, format, &arguments->options, &content, &version, &unseen) ==
            0 &&
        version > 0)
        message("%s: version %u is whole (to print it: untorn read --last-good)", path, version);
    untorn_content_free(&content);
}
