/* Words of shared memory that another process changes just before we do: the next exchange finds
 * what the test says. For one source of a program: its os_swap stands before the system's. */
#ifndef UNTORN_TESTS_COMBINE_DISTURBED_H
#define UNTORN_TESTS_COMBINE_DISTURBED_H

#include <stdbool.h>
#include <stdint.h>

#include "os/unix/unix.h"

static bool undisturbed(uint32_t *word, uint32_t from, uint32_t to);
#define os_swap undisturbed
#include "os/unix/area.c"
#undef os_swap

static struct {
    bool due;
    const uint32_t *word; /* NULL: whichever is next */
    uint32_t value;
} disturbance;

static inline void disturb(const uint32_t *word, uint32_t value)
{
    disturbance.due = true;
    disturbance.word = word;
    disturbance.value = value;
}

bool os_swap(uint32_t *word, uint32_t from, uint32_t to)
{
    if (disturbance.due && (!disturbance.word || disturbance.word == word)) {
        disturbance.due = false;
        *word = disturbance.value;
    }
    return undisturbed(word, from, to);
}

#endif
