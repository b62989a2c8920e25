/* What the processes of an edit storm share, and nothing else: the orders they were given, a seat
 * for each thread, and for each file the history of the updates and reads of it.
 *
 * The memory is a file without a name that every process maps when it starts. Time goes in epochs:
 * in each the files are new and the histories empty. A thread that finds all histories full parks
 * until the next epoch; when all are parked, what they did is judged.
 */
#ifndef DRIVER_EDIT_SHARED_H
#define DRIVER_EDIT_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "history.h"

enum {
    EDIT_WORKERS = 80, /* processes, readers included */
    EDIT_THREADS = 8,
    EDIT_SEATS = EDIT_THREADS + 1, /* of a process: its threads, and the child it forked */
    EDIT_FILES = 8,
    EDIT_NAME = 64,
    EDIT_LARGEST = 20000 /* value that comes with a token */
};

/* What an update is; what must become of it stands in edit_expected_status. */
enum edit_kind {
    EDIT_INSERT,
    EDIT_SET,
    EDIT_PATCH,
    EDIT_SEVERAL, /* the token is added, and noted as the last of this kind */
    EDIT_LARGE,   /* the same, with a value that may not fit where small ones do */
    EDIT_MADE_AND_UNSET,
    EDIT_FUNCTION, /* by a function that sees the list */
    EDIT_BAD_VALUE,
    EDIT_BAD_TYPE,
    EDIT_BAD_TEST,
    EDIT_BAD_KEY,
    EDIT_BAD_HASH,
    EDIT_READ,
    EDIT_KINDS
};

/* How the negative controls misbehave; each breaks one rule of edit_judge.h. */
enum edit_fault {
    FAULT_NONE,
    FAULT_FORGET,      /* acknowledged, never applied */
    FAULT_TWICE,       /* applied twice */
    FAULT_LATE,        /* "the lock was not obtained", and yet applied */
    FAULT_OTHER_PAST,  /* the function saw another list than the one it was applied to */
    FAULT_SWAP,        /* acknowledged, and applied behind the worker's next one */
    FAULT_TEAR,        /* written in place */
    FAULT_OLD_READ,    /* a reader is shown what it has seen before */
    FAULT_SHARED_FATE, /* a good update is told of another's bad value */
    FAULT_IMPATIENT,   /* "the lock was not obtained", before the time was up */
    FAULT_NEEDLESS,    /* "not settled", though nobody removed anything */
    FAULT_HALF,        /* of two edits only the first is applied */
    FAULT_LITTER,      /* a stage is left */
    FAULT_HANG,        /* one operation never returns */
    FAULT_CRASH,       /* a worker dies by itself */
    FAULT_REPEAT,      /* what a dead holder had applied is applied again */
    FAULT_TRUST,       /* what a dead holder was about to apply is taken for applied */
    FAULT_FORESTALL,   /* reported before it is applied */
    FAULT_TURN_AWAY,   /* given up although the holder has taken it */
    EDIT_FAULTS
};

struct edit_orders {
    long processes, threads, readers, files, limit; /* limit: operations of a file in an epoch */
    long bad_percent, function_percent, impatient_percent, fork_permille;
    long level;             /* of untorn_level; -1: all three */
    long wait_ms, grace_ms; /* of an update that is to succeed; how much later it may return */
    long rinsed;
    int scheme, fault;
    uint64_t seed;
    char untorn[256]; /* the command */
};

struct edit_seat {
    atomic_bool taken;
    atomic_long parked;          /* in this epoch */
    _Atomic uint64_t busy_since; /* 0: between two operations */
    atomic_long patience_ms;     /* of the operation under way */
    atomic_long file, number;    /* which it is */
    atomic_int group;            /* process group of who sits here */
};

/* For the scheme that combines: an update that waits for whoever holds the lock, and what became of
 * it. Each thread has one. */
/* Of a letter that is posted or taken, with its file above it: see edit_combine.c. */
enum edit_letter_state { LETTER_NONE, LETTER_POSTED, LETTER_TAKEN, LETTER_DONE };

struct edit_letter {
    atomic_int state, status;
    long file, number;
    int kind;
    bool has_hash;
};

/* Beside each operation of a history. */
struct edit_operation {
    int kind, status, wait_ms;
    bool mixed; /* a read that saw edits of one update without the others */
};

struct edit_shared {
    struct edit_orders orders;
    atomic_long epoch;
    atomic_bool over;
    atomic_long forks;
    struct edit_seat seats[EDIT_WORKERS][EDIT_SEATS];
    struct edit_letter letters[EDIT_WORKERS * EDIT_SEATS];
    atomic_bool intends[EDIT_FILES]; /* the holder has a stage, to be renamed for those it took */
};

extern const char *const edit_kind_names[EDIT_KINDS];
extern const char *const edit_fault_names[EDIT_FAULTS];

/* Makes the memory; the descriptor survives exec. Ends the program on failure. */
struct edit_shared *edit_shared_make(const struct edit_orders *orders, int *ret_fd);
struct edit_shared *edit_shared_open(int fd);

struct history *edit_history(struct edit_shared *shared, long file);
struct edit_operation *edit_operations(struct edit_shared *shared, long file);
void edit_histories_reset(struct edit_shared *shared);
bool edit_histories_full(struct edit_shared *shared);
void edit_histories_close(struct edit_shared *shared); /* nobody begins another */

/* Of the file in this epoch; every third is TOML. Returns `name`. */
const char *edit_file_name(long epoch, long file, char name[EDIT_NAME]);

#define EDIT_DETOUR "detour" /* a symbolic link to the directory itself */

/* Every choice of a storm comes from its seed. */
struct edit_random {
    uint64_t state;
};
struct edit_random edit_random_of(uint64_t seed, uint64_t who, uint64_t incarnation);
uint64_t edit_random_below(struct edit_random *random, uint64_t limit);

void edit_nap(long microseconds);

#endif
