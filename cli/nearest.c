#include "nearest.h"

#include <stdbool.h>
#include <string.h>

#include "base/nearest.h"

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t distance, length = strlen(nearest->word);
    if (length == 0)
        return;
    bool near = nearest_is_near(nearest->word, candidate, &distance);
    /* A word that was cut short is as near as a letter typed wrong. */
    if (length >= 2 && strncmp(nearest->word, candidate, length) == 0) {
        near = true;
        distance = 1;
    }
    if (near && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
