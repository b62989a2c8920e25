/* What a commit of several files means for those who only read, without a lock.
 *
 *   VIEW-1  A commit is seen from the moment its coordinator's slot says that it counts and one of
 *           its members, anywhere, is no longer as it was. From then on every member is given as it
 *           is to be, from its file, from the slot or from its stage; until then as it was. So
 *           readers go from old to new once, with all members at one moment, and never see a commit
 *           that is withdrawn because it could not be made durable.
 *   VIEW-2  New bytes are given only for a file that verifiably is the one the commit replaces, and
 *           only if they have their hash. Anything else is given as it lies there: recovery will
 *           not touch it either.
 *   VIEW-3  A slot is believed only if its header was the same before and after the rest of it was
 *           read, for its writer waits for no reader.
 *   VIEW-4  Looking makes and changes nothing, and needs no right but to read. Where new bytes are
 *           missing, or the slot of another directory may not be read, the slot is locked for a
 *           moment, shared, to see whether its writer lives.
 */
#ifndef UNTORN_TXN_VIEW_H
#define UNTORN_TXN_VIEW_H

#include <untorn/read.h>

#include "txn/slotfile.h"

enum view_verdict {
    VIEW_CLEAR,     /* no commit is under way */
    VIEW_COMMITTED, /* it counts: the members are new, or are to be */
    VIEW_PREPARED,  /* it does not count yet, or is finished: the members are as they are */
    VIEW_IN_DOUBT,  /* the directory that knows whether it counts cannot be asked */
    VIEW_FOREIGN,   /* a slot that was copied here: never believed */
};

struct view_slot_mark {
    bool valid;
    enum slot_state state;
    uint64_t sequence;
    unsigned char id[SLOT_ID];
};

/* Tells whether anything happened between two looks. */
struct view_mark {
    struct view_slot_mark own, coordinator; /* the latter if it was asked */
    bool begun;                             /* it counts, and a member has changed [VIEW-1] */
};

struct view {
    enum view_verdict verdict;
    bool vouched; /* false: by its members here alone, for the journal that would know is gone */
    struct view_mark mark;
    struct slot_file file;
    struct slot slot; /* its members are there unless clear or foreign */
};

#define VIEW_CLOSED                                                                                \
    {                                                                                              \
        .file = SLOT_FILE_CLOSED                                                                   \
    }

/* 0, or a negative errno value and the view is closed. -ESTALE: look again. [VIEW-3] Where the
 * slots are as in `known` (may be NULL), so is whether the commit has begun: that need not be found
 * out for every member. */
int view_open(const struct place *directory, struct state *state, const struct view_mark *known,
              struct view *ret_view);

/* Accepts a closed view. */
void view_close(struct view *view);

bool view_same_mark(const struct view_mark *a, const struct view_mark *b);

/* As upward_read, for a view that is open. [VIEW-1] */
int view_read(const struct view *view, const struct place *place, struct state *state,
              struct untorn_content *ret_content);

/* The slot of a finished commit too; -ENODATA if there is no whole one. With `or_copy` also that of
 * an interrupted commit that was copied here: it tells of which commit the files are, and decides
 * nothing. Free it. */
int view_last_slot(struct state *state, bool or_copy, struct slot *ret_slot);

#endif
