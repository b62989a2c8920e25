/* What the file of a scenario holds: before, after, and when the scenario is repeated. */
#ifndef DRIVER_VERSIONS_H
#define DRIVER_VERSIONS_H

#include "scenario.h"

/* The contents, and the files under `inputs` that hold them: `old`, `new`, `next` and `torn`. */
struct contents {
    const char *inputs;
    struct blob old_version, new_version, next_version;
    struct blob torn_version; /* what the dead one of the set-up was writing */
};

void contents_make(struct contents *contents, const char *inputs, const struct scenario *scenario);

/* What the scenario with the input `word` ("new" or "next") makes of `before`. New. */
struct blob version_after(const struct scenario *scenario, const struct contents *contents,
                          const struct blob *before, const char *word);

/* What is drawn or measured at each run becomes what contents_make and version_after put there: the
 * times of events, UUIDs. */
void version_mask(struct blob *blob);

#endif
