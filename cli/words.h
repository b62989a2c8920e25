/* The values of an option that may be given several times. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Start from zero. */
struct words {
    const char **items; /* what they point to is borrowed */
    size_t count;
};

/* False: no memory, and it is as it was. */
bool words_add(struct words *words, const char *word);

void words_free(struct words *words);

#endif
