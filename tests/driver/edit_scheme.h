/* Ways in which the updates of an edit storm are carried out: by the library, by the command, and
 * for the judge's sake by a lock and by a combiner of the storm's own, which are right unless they
 * are ordered to misbehave, and by four ways that people write instead, which are not. */
#ifndef DRIVER_EDIT_SCHEME_H
#define DRIVER_EDIT_SCHEME_H

#include "edit_update.h"

struct edit_scheme {
    const char *name;
    int (*update)(const struct edit_job *job); /* returns what untorn_edit would */
    bool runs_commands;                        /* which have to be killed with whoever runs them */
    bool ours;                                 /* untorn's */
};

extern const struct edit_scheme edit_schemes[];
int edit_scheme_by_name(const char *name); /* -1: there is none */

int edit_scheme_update(const struct edit_job *job);

/* The file as a plain program sees it. False if it cannot be read or is no such document. */
bool edit_scheme_read(const struct edit_job *job, struct edit_list *ret);

#endif
