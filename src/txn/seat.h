/* A directory that takes part in a commit: its handles, shared by all members in it, and its slot.
 *
 *   SEAT-1  A directory named in a slot is the one that is meant only if the path leads to the same
 *           inode, which came to be at the same time. It is never written to for being named: what
 *           happens there is what its own slot says. (That a coordinator's slot says no to this
 *           very commit may be written there once more, to be durable.)
 *   SEAT-2  A decision that is kept is that directory's for which it was kept, by inode and birth.
 *           No other one has it given up: whose slot names the commit may be somebody's trick.
 *   SEAT-3  That a coordinator does not know the commit is believed only while its folder journal/
 *           is the one that it was when the participant promised, and the slot in it was made
 *           there. Where the folder is gone or another one, somebody removed it, or another disk is
 *           mounted there; where the slot is a copy, somebody restored it. Then the participant's
 *           own members tell (txn/witness.h). If one is as the commit makes it, it counts. If one
 *           is as it was, and none is as the commit makes it, it is in doubt. If none is as it was,
 *           it does no harm to finish it: what others have changed since stays, and its new version
 *           is kept aside. What became of the members elsewhere nobody knows, and that is told
 *           [RECOVER-8].
 *   SEAT-4  A participant waits for the coordinator that its own slot names, and for no other one.
 *           The id of a commit can be read: another user's slot may say of it that it counts.
 */
#ifndef UNTORN_TXN_SEAT_H
#define UNTORN_TXN_SEAT_H

#include "base/error.h"
#include "file/place.h"
#include "file/state.h"
#include "txn/slotfile.h"

struct seat {
    struct place place; /* without a name */
    struct state state;
    uint32_t owner;  /* whose the folder is, where the directory is sticky */
    char *path;      /* physical; new */
    char *state_dir; /* the same of a state directory, or NULL; new */
    struct slot_file file;
    struct slot slot; /* read, or to be written */
    bool was_read;    /* with what `found` says: seat_read */
    int found;
    bool takes_part;  /* for who works with several: its slot is to be locked and written */
    bool is_asked;    /* its slot is to be locked, for what it says is to stay */
};

struct seats {
    struct seat **list; /* pointers, for what is open refers to them */
    size_t count;
};

/* The seat of a resolved place and its state, found or made: it takes the handles of both over
 * where it is new, and closes them where it is not. NULL: no memory, or the path is too long. */
struct seat *seats_take(struct seats *seats, struct place *place, struct state *state);

/* A directory that a slot names. -ENOENT: it cannot be reached, or is another one [SEAT-1]. `from`
 * is the seat of that slot. */
int seats_open(struct seats *seats, const struct slot_directory *directory, const struct seat *from,
               struct seat **ret_seat);

/* Closes and frees all. */
void seats_close(struct seats *seats);

/* For the record of `seat` in the slot of `from`: the texts are copied. 0 or -ENOMEM. */
int seat_describe(const struct seat *seat, const struct seat *from,
                  struct slot_directory *ret_directory);

/* Opens the slot and reads it, once: as slot_read, or -ENOENT. Slots may name a directory twice, or
 * each other, and what was read is referred to. */
int seat_read(struct seat *seat);

/* Locks the open slots of all seats that take part or are asked, in one order. -EWOULDBLOCK at the
 * deadline, -ESTALE to start over, ... [SLOT-4] */
int seats_lock(struct seats *seats, uint64_t deadline);

/* Whether the folder of its slot is the one that `directory`, which describes it, says. [SEAT-3] 1,
 * 0, or a negative errno value if that cannot be learnt. */
int seat_has_its_journal(const struct seat *seat, const struct slot_directory *directory);

/* Whether the participant's slot, which was read, waits for what that coordinator says, of which it
 * is directory `index`. [SEAT-4] */
bool seat_waits_for(const struct seat *seat, const struct seat *coordinator, uint32_t index);

/* A participant's slot that was read: what its coordinator says, or, and then *ret_vouched is
 * false, its own members alone [SEAT-3]. *ret_coordinator is NULL if that cannot be reached. */
enum decision {
    DECIDED_NO,  /* never committed, or finished long ago: no member is touched */
    DECIDED_YES, /* committed: the members are to be new */
    DECIDED_NOT, /* the coordinator's directory or journal cannot be reached: in doubt */
};
enum decision seat_decide(struct seat *seat, struct seats *seats, struct seat **ret_coordinator,
                          bool *ret_vouched);

/* Keeps the decision for participant `index` in a file of its own, so that the slot is free again
 * although that directory is away; durable. And whether there is one: 1, 0, or a negative errno
 * value if that cannot be learnt; and gives it up. [SEAT-2] One of an older version, which does not
 * say for whom it is, is there for everybody and stays. */
int seat_keep_decision(struct seat *coordinator, uint32_t index);
int seat_has_decision(struct seat *coordinator, const struct seat *participant);
void seat_drop_decision(struct seat *coordinator, const struct seat *participant);

#endif
