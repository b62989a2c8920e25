/* The state that a run leaves in a directory, as a number: equal states are judged once.
 *
 * Two states are equal if they differ only in what differs between any two runs: process ids,
 * times, random numbers, and the numbers of inodes, of which it matters which file they name. So
 * a field that is empty or wrong in one and right in the other tells them apart.
 */
#ifndef DRIVER_STATE_H
#define DRIVER_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { STATES = 8192 };

/* States that were found good; may be shared by processes. Begins zeroed. When it is full, what
 * comes is judged again and again. */
struct states {
    _Atomic uint64_t known[STATES];
};

/* Notes the inodes before a run: what it leaves may name them when they are gone. */
void state_begin(const char *directory);

uint64_t state_of(const char *directory);

/* `state` with a number that matters too. */
uint64_t state_with(uint64_t state, uint64_t number);

bool states_have(struct states *states, uint64_t state);
void states_add(struct states *states, uint64_t state);

#endif
