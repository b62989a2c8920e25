/* What a directory's file system really gives: tried out, not looked up.
 *
 * Makes a few files in a folder of its own there and removes them again. A directory that cannot
 * be written is reported as such (`writable` false), the rest is then what the system says.
 */
#ifndef UNTORN_PROBE_H
#define UNTORN_PROBE_H

#include <stdbool.h>

#include <untorn/error.h>

struct untorn_probe {
    char filesystem[32];    /* "ext4" */
    bool writable;          /* we can make files here: else --state-dir is needed */
    bool lock;              /* flock excludes a second holder */
    bool network;           /* others may reach these files past our locks */
    bool replace;           /* rename over an existing file */
    bool create_no_replace; /* rename that refuses an existing name, in one step */
    bool exchange;          /* two names swapped in one step */
    bool hard_link;
    bool directory_flush; /* a rename can be made durable */
    bool full_flush;      /* a flush reaches a medium that outlives the power */
    bool extended_attributes;
    bool acl;
    bool case_insensitive; /* "A" and "a" are one name */
};

UNTORN_BEGIN_C

/* *ret_probe is zeroed on failure. */
UNTORN_API int untorn_probe(const char *directory, struct untorn_probe *ret_probe,
                            struct untorn_error *reterr);

UNTORN_END_C

#endif
