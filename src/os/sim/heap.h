/* The memory of processes that run by turns: what one allocates is gone with the run, also where it
 * was killed in the middle. Its malloc stands before the C library's; not so in a sanitized
 * program, where what killed processes had stays. */
#ifndef UNTORN_OS_SIM_HEAP_H
#define UNTORN_OS_SIM_HEAP_H

#include <stdbool.h>

void sim_heap_use(bool use); /* from now on for what is allocated */
void sim_heap_clear(void);

#endif
