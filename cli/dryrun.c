#include "dryrun.h"

#include "diff.h"

static bool wants_other_version(const struct untorn_options *options, bool exists,
                                const struct untorn_hash *hash)
{
    return options->if_match && !(exists && untorn_hash_equal(options->if_match, hash));
}

void dry_run_show(struct outcome *outcome, const char *data, size_t size)
{
    const struct untorn_options *options = &outcome->arguments->options;
    struct untorn_content old;
    struct untorn_error error;
    bool exists = untorn_read(outcome->path, options, &old, &error) == 0;
    outcome_library(outcome, &error);
    if (exists || outcome_would_create(outcome, &error)) {
        if (exists && options->exclusive)
            error.status = UNTORN_EXISTS;
        else if (wants_other_version(options, exists, &old.hash))
            error.status = UNTORN_CHANGED;
        else
            error.status = UNTORN_OK;
        outcome_library(outcome, &error);
    }
    if (error.status == UNTORN_OK)
        diff_print(outcome->path, exists ? old.data : NULL, old.size, data, size);
    untorn_content_free(&old);
}
