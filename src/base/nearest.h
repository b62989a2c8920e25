/* How near two words are, to suggest what somebody may have meant. */
#ifndef UNTORN_BASE_NEAREST_H
#define UNTORN_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEAREST_SIZE = 96 }; /* longer words are near to none */

/* Letters to add, drop, change or swap with their neighbour to make the one into the other. */
size_t nearest_distance(const char *a, const char *b);

/* Whether that is few enough for a slip: one in four letters, and one more. */
bool nearest_is_near(const char *a, const char *b, size_t *ret_distance);

#endif
