/* What the user may have meant by a word that is not known. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Keeps the best of the candidates shown to it one after the other. Start from zero but `word`. */
struct nearest {
    const char *word;
    const char *best; /* NULL: nothing is near */
    size_t distance;
};

void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
