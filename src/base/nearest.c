#include "base/nearest.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b)
{
    size_t rows[3][NEAREST_SIZE + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    size_t width = strlen(b);
    if (width > NEAREST_SIZE || strlen(a) > NEAREST_SIZE)
        return SIZE_MAX;
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

bool nearest_is_near(const char *a, const char *b, size_t *ret_distance)
{
    *ret_distance = nearest_distance(a, b);
    return *ret_distance <= 1 + least(strlen(a), strlen(b)) / 4;
}
