#include "nearest.h"

#include <stdbool.h>
#include <string.h>

#include "limits.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to add, drop, change or swap with their neighbour to make `a` into `b`. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][CLI_NAME + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t *spare = before;
        before = above, above = row, row = spare;
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            bool same = a[i - 1] == b[j - 1];
            row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[width];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->word), full = strlen(candidate);
    if (length == 0 || length > CLI_NAME || full > CLI_NAME)
        return;
    /* A word that was cut short is as near as a letter typed wrong. */
    bool cut = length >= 2 && strncmp(nearest->word, candidate, length) == 0;
    size_t distance = cut ? 1 : edit_distance(nearest->word, candidate);
    size_t limit = 1 + least(length, full) / 4;
    if (distance <= limit && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
