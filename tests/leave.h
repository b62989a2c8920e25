/* The update that changes nothing: what any next call does, for a test that wants just that. */
#ifndef UNTORN_TESTS_LEAVE_H
#define UNTORN_TESTS_LEAVE_H

#include <untorn/update.h>

static inline int leave(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 0;
}

#endif
