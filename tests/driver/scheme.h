/* Ways in which programs change a file that others change too. Those of untorn have to lose
 * nothing; the broken ones are what people write instead, and have to be caught. */
#ifndef DRIVER_SCHEME_H
#define DRIVER_SCHEME_H

#include <stdbool.h>
#include <stddef.h>

#include "history.h"

struct job {
    const char *file;
    const char *command;   /* of untorn, for the scheme that runs it */
    const char *self;      /* this program, which adds the token there */
    const char *lock_file; /* or NULL */
    bool in_place;         /* the library overwrites in place, and readers read through it */
    struct history *history;
    long number; /* of the operation; its token */
};

struct scheme {
    const char *name;
    bool ours; /* untorn's, not there for the judge's sake */
    enum outcome (*update)(struct job *job);
};

extern const struct scheme all_schemes[];
extern const size_t all_schemes_count;

/* What a reader sees. False if the read failed; a file that is missing is empty. */
bool scheme_read(const struct job *job, const char **ret_data, size_t *ret_size);

/* For the scheme that runs the command: copies standard input and adds a token. */
int scheme_add_token(long number);

#endif
