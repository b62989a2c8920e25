/* Small disks for experiments: /d with the files A and C, three units of o each. */
#ifndef UNTORN_TESTS_SIM_LITMUS_H
#define UNTORN_TESTS_SIM_LITMUS_H

#include "harness.h"

#include <string.h>

#include "os/os.h"
#include "os/sim/sim.h"

enum { UNIT = 512 };

static inline char block(char letter, int blocks, char *text)
{
    memset(text, letter, (size_t)blocks * UNIT);
    text[blocks * UNIT] = '\0';
    return letter;
}

static inline void put(os_fd dir, const char *name, unsigned how, char letter, int blocks,
                       bool flush)
{
    char text[4 * UNIT + 1];
    os_fd file;
    block(letter, blocks, text);
    CHECK_INT(os_open(dir, name, how, 0644, &file), 0);
    CHECK_INT(os_write_at(file, text, (size_t)blocks * UNIT, 0), blocks * UNIT);
    if (flush)
        CHECK_INT(os_flush(file), 0);
    CHECK_INT(os_close(file), 0);
}

static inline void litmus_setup(void *context)
{
    char text[4 * UNIT + 1];
    (void)context;
    block('o', 3, text);
    sim_put("/d/A", text);
    sim_put("/d/C", text);
}

static inline const char *always_fine(void *context)
{
    (void)context;
    return NULL;
}

#endif
