/* What is done to files on the block device, and what they hold afterwards.
 *
 * A scenario is a row of updates, numbered from 1; a seed decides their sizes. Each update is one
 * call of untorn, or of something broken that looks like one. What the files hold after update k
 * is known without a disk (scenario_content), so that whoever finds files on a disk can tell after
 * which update they are whole, and whether they are at all.
 *
 * In a crowd several processes do their own updates at once: each makes keys of its own in one
 * document, in order.
 */
#ifndef BLOCK_SCENARIO_H
#define BLOCK_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/place.h"

enum { FILES = 5, UPDATES = 32, CROWD = 3 };

enum trait {
    IN_PLACE = 1, /* whole for readers through untorn only, until it is recovered */
    APPENDS = 2,  /* the last record may be torn */
    CROWDED = 4,
    ORDERED = 8,      /* what was acknowledged may be lost, but is never torn */
    BY_COMMAND = 16,  /* the command itself is used, for recovery too */
    WITHOUT = 32,     /* nothing of untorn's: judged by what the files hold alone */
    REPEATABLE = 64,  /* what an update leaves does not depend on whether those before it did */
    KEEPS = 128,      /* the version before is in the history of the first file */
    HISTORY_OFF = 256 /* no version is kept */
};

struct work {
    const struct scenario *scenario;
    uint64_t seed;
    unsigned updates;
    const char *command; /* the program `untorn` */
};

struct scenario {
    const char *name;
    const char *files[FILES + 1]; /* paths on the device, in d/ and e/ */
    unsigned traits;
    int (*act)(const struct work *work, unsigned update); /* returns as untorn's functions do */
    struct blob (*content)(const struct work *work, unsigned update, unsigned file); /* new */
    void (*prepare)(const struct work *work); /* more than the files; may be NULL */
};

const struct scenario *scenario_find(const char *name); /* NULL: none of that name */
void scenario_list(void);                               /* prints their names, one a line */
unsigned scenario_file_count(const struct scenario *scenario);

/* What file number `file` holds after this update, 0 being the beginning; data NULL: no such file.
 * New. */
struct blob scenario_content(const struct work *work, unsigned update, unsigned file);

/* The same, made once; borrowed until another scenario or seed is asked for. */
const struct blob *scenario_known(const struct work *work, unsigned update, unsigned file);

/* Makes folders and files as they are at the beginning, where we stand. */
void scenario_prepare(const struct work *work);

/* Update `update` of process `process` of a crowd. */
int scenario_act(const struct work *work, unsigned process, unsigned update);

/* Whether this document is what a crowd leaves of which process p has made ret_made[p] keys. */
bool scenario_is_of_crowd(const struct work *work, const struct blob *blob,
                          unsigned ret_made[CROWD]);

/* Text that names all three and is `size` bytes long. New. */
struct blob scenario_text(const struct work *work, unsigned update, unsigned file, size_t size);

/* Those that are broken, in broken.c. */
extern const struct scenario scenario_no_flush, scenario_no_directory_flush, scenario_overwrite,
    scenario_two_replaces, scenario_no_stage_flush;

#endif
