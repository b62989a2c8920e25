/* Closing what is remembered of files that were closed.
 *
 *   NARROW-1  When a file is closed to some who could read it, so are the records that name it, in
 *             its own directory and in the others that they name [RECORD-3]: by the save or the
 *             commit that gives it the mode, or by the next one that finds the folder of its
 *             versions too open for it [PAST-7]. One that we may not close goes.
 *   NARROW-2  So the slot of its directory is emptied, which may hold its bytes, if it is open to
 *             more than the file is and can say nothing any more: IDLE, which is durable [SLOT-7].
 *             It stays readable, for those who ask what became of a commit.
 *
 *     struct narrowing narrowing = {.files = &record, .mode = 0600};
 *     narrow_directory(&narrowing, &place, &state);     of each file
 *     narrow_elsewhere(&narrowing, state_dir);          frees what it knows
 *
 * Nothing fails: what cannot be done is left as it is. The one who calls holds the locks of the
 * files, so that nobody remembers a commit of them meanwhile. A single file: upward_narrow, which
 * costs a save that closes nothing not even a look.
 */
#ifndef UNTORN_TXN_NARROW_H
#define UNTORN_TXN_NARROW_H

#include "file/place.h"
#include "txn/record.h"

struct narrowing {
    struct record *files; /* only directories and names matter; gets sorted */
    unsigned mode;        /* reading and writing that all of them grant */
    bool one_group;       /* what the mode grants the group, it grants this one */
    uint32_t group;
    size_t count; /* directories that are known, at most LIMIT_NARROWED */
    struct {
        char *path; /* new */
        bool done;
    } directories[LIMIT_NARROWED];
};

void narrow_directory(struct narrowing *narrowing, const struct place *place, struct state *state);

/* In the directories that the records there name, with the option of the commit. */
void narrow_elsewhere(struct narrowing *narrowing, const char *state_dir);

#endif
