/* The library's one global: the lock files this process has open, and which thread holds which.
 *
 * flock(2) knows nothing of threads and refuses a second opening in the same process, so nesting
 * and exclusion between threads are kept here, by (device, inode) of the lock file. At fork the
 * child closes (never unlocks: the lock belongs to the shared opening) everything and starts empty.
 *
 *   REGISTRY-1  A lock file is held by at most one thread of this process, unless all hold it
 *               shared; a thread that holds it may take it again, and the last release ends it.
 *   REGISTRY-2  After a fork the child holds nothing, and nothing the child does ends the parent's
 *               lock.
 */
#ifndef UNTORN_FILE_REGISTRY_H
#define UNTORN_FILE_REGISTRY_H

#include "base/limits.h"
#include "os/os.h"

struct lock_file {
    struct lock_file *next;
    os_fd fd; /* OS_NONE in the child of a fork */
    struct os_stat stat;
    unsigned references; /* handles that point here */
    unsigned count;      /* times held */
    const void *thread;  /* who holds it, while count > 0 */
    enum os_lock kind;
    bool passed_on; /* programs we started hold it too: closed at the end, not unlocked */
};

/* Takes `fd` over. One reference for the caller. NULL: no memory, and `fd` is closed. */
struct lock_file *registry_add(os_fd fd, const struct os_stat *stat);

/* Gives a reference back; with the last one the file is closed. Accepts NULL. */
void registry_drop(struct lock_file *file);

enum registry_claim {
    CLAIM_TRY,      /* nobody here: *ret_held is `own`, now try the kernel's lock */
    CLAIM_NESTED,   /* this thread holds it: *ret_held counts once more */
    CLAIM_TAKEN,    /* another thread holds or is acquiring it */
    CLAIM_DEADLOCK, /* this thread holds it shared and asks for exclusive */
};

/* On CLAIM_TRY and CLAIM_NESTED *ret_held gains a reference and must be released. */
enum registry_claim registry_claim(struct lock_file *own, enum os_lock kind,
                                   struct lock_file **ret_held);

/* Ends one claim; the last one unlocks. Or one to which the kernel's lock was not granted. */
void registry_release(struct lock_file *held);
void registry_disclaim(struct lock_file *held);

/* Whether this thread holds `stat`'s file exclusively. */
bool registry_holds(const struct os_stat *stat);

/* Whether it does so in any way. */
bool registry_is_inside(const struct os_stat *stat);

/* Whether this thread holds a lock that comes after `stat`'s file in the order of (device, inode):
 * who has that must not wait for this one. */
bool registry_holds_after(const struct os_stat *stat);

/* The transactions that this thread has open, the newest first: what it writes of their members
 * joins them (file/upward.h). Closing one that is not open is no harm. */
struct open_transaction {
    struct open_transaction *next;
    const void *thread; /* NULL: it is not open */
};
void registry_open_transaction(struct open_transaction *transaction);
void registry_close_transaction(struct open_transaction *transaction);

/* The newest after `before`, or the newest of all; NULL if there is none. */
struct open_transaction *registry_next_transaction(const struct open_transaction *before);

/* Waiters announced themselves when we last released this file: step back once. */
void registry_note_waiters(const struct os_stat *stat);
bool registry_take_waiters(const struct os_stat *stat);

/* This process, found out once. */
void registry_self(struct os_process *ret_self);

/* Whether the file system of `dir` is reached over a network. Asked once for each device: on xfs
 * the question makes a replace dearer by tens of microseconds. */
bool registry_is_network(os_fd dir, const struct os_stat *stat, char filesystem[32]);

/* Folders of ours whose format was read and is the one we know. A folder keeps its format for life,
 * so that it is read once by a process and not in every call. */
bool registry_knows_folder(const struct os_stat *folder);
void registry_note_folder(const struct os_stat *folder);

/* Shared memory in which updates of the file with this lock wait (combine/area.h): kept mapped for
 * the next call, for it is made where many come at once. */
struct shared_area {
    struct os_area area;
    struct os_stat lock;
    unsigned references;
    unsigned used; /* when it was last asked for */
    uint32_t user; /* whose it is */
    struct os_stat dir;
    char name[LIMIT_NAME + 1]; /* of the file in that directory; empty: not known */
};

/* Of that lock: one more reference, or NULL. */
struct shared_area *registry_area(const struct os_stat *lock);

/* The same by the place of the file, for who has not opened its lock: whether there may be one, for
 * any directory, and that of this one. Only where registry_note_home told. */
bool registry_has_area(const char *name);
struct shared_area *registry_area_at(const struct os_stat *dir, const char *name);
void registry_note_home(struct shared_area *area, const struct os_stat *dir, const char *name);

/* Takes `area` over, in place of the one this lock has had. One reference; NULL: no room, and the
 * area is left. */
struct shared_area *registry_keep_area(const struct os_area *area, const struct os_stat *lock);

/* Accepts NULL. */
void registry_drop_area(struct shared_area *area);

/* What the child of a fork does. Also starts a simulated process afresh. */
void registry_after_fork(void);

#endif
