/* The owner record in a lock file: who holds it, for people. Nothing is ever decided by it.
 *
 * Lines of "key value", ended by a NUL; what lies behind is an older, longer record. Three bytes
 * after the record's room are hints. The first tells the holder that others are waiting, so that it
 * steps back once before it takes the lock again; lost or stale, it costs a millisecond. The second
 * tells that stages may lie about which their writers began without the lock; lost, what dead ones
 * left stays until somebody lists the folder for another reason, stale, it costs one listing. The
 * third tells that what was appended is flushed; lost, it costs a flush. [APPEND-4]
 * Behind them lie the place of shared memory in which updates wait, at OWNER_AREA (combine/area.h),
 * and what became of those that were combined (file/batch.h).
 */
#ifndef UNTORN_FILE_OWNER_H
#define UNTORN_FILE_OWNER_H

#include <untorn/lock.h>

#include "base/limits.h"
#include "os/os.h"

enum {
    OWNER_AREA = LIMIT_OWNER_RECORD + 8,
    OWNER_AREA_SIZE = 32,
    OWNER_AREAS = 4, /* by the user's number, so that users rarely get in each other's way */
    OWNER_END = OWNER_AREA + OWNER_AREAS * OWNER_AREA_SIZE,
};

/* What a lock file says besides. */
struct owner_hints {
    bool stages; /* some may lie about */
    bool batch;  /* one is to be decided (file/batch.h) */
    bool area;   /* there was one in which others wait (combine/area.h) */
};
void owner_write(os_fd lock_file, struct owner_hints *ret_hints);

/* Whether the file, which nobody holds yet, is empty or begins as such a record does; or with
 * zeros, as after a power loss. */
bool owner_may_be(os_fd lock_file);

/* Fills pid, since, host, command and alive; zeroed where there is no readable record. */
void owner_read(os_fd lock_file, struct untorn_holder *ret_holder);

/* "pid 12 on host since 2026-11-15 10:00:00 UTC: command". */
void owner_describe(const struct untorn_holder *holder, char *text, size_t size);

/* Where this user notes the memory in which updates wait. */
uint64_t owner_area_place(void);

void owner_announce_waiting(os_fd lock_file);

/* Whether somebody announced itself since the last call; clears it. */
bool owner_take_waiting(os_fd lock_file);

/* Stages may lie about, or none does. */
void owner_note_stages(os_fd lock_file, bool some);

/* Whether all that was appended is flushed; false where nothing is known of it. */
void owner_note_appended(os_fd lock_file, bool flushed);
bool owner_appended_is_flushed(os_fd lock_file);

#endif
