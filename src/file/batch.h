/* Whether the updates that one replace carried for several callers were made.
 *
 * Whoever holds a lock may carry out updates for those who wait for it (combine/combine.h). Should
 * it die, they must learn whether they were made; and the next holder, who may know nothing of
 * them, replaces what would have told. So it is noted in the lock file, behind the owner record: of
 * the latest such batch a number, which file is to get the user's name and which one has it; of the
 * latest few thousand what became of them. Who asks may have waited while others went on, in memory
 * of their own. A power loss ends all who could ask: nothing of it is flushed.
 *
 *   BATCH-1  A number is noted before anything is taken under it, and not used again for as long
 *            as anybody could ask for it.
 *   BATCH-2  The file that is to get the user's name is noted before it does.
 *   BATCH-3  Every exclusive holder decides the latest batch, if that is open, before it changes
 *            anything: who began it is dead. No file was noted: not done. The name has the noted
 *            file: done. It has the file it had: not done. Else a program that knows nothing of
 *            locks was there, and it cannot be known.
 *   BATCH-4  A holder who lives decides its own.
 *   BATCH-5  A verdict is put among the others before the batch counts as decided, so that it is
 *            there when the next one is noted.
 */
#ifndef UNTORN_FILE_BATCH_H
#define UNTORN_FILE_BATCH_H

#include "file/owner.h"
#include "os/os.h"

enum batch_verdict {
    BATCH_OPEN,
    BATCH_DONE,
    BATCH_NOT_DONE,
    BATCH_UNKNOWN, /* also of a number that is noted no more */
};

enum {
    BATCH_LATEST = 2, /* one is written while the other still tells what was before */
    BATCH_ENTRY = 48,
    BATCH_PLACE = OWNER_END, /* in the lock file */
    BATCH_SIZE = BATCH_LATEST * BATCH_ENTRY,
    BATCH_OUTCOMES = 4096, /* verdicts, behind that */
    BATCH_OUTCOME = 8,
    BATCH_NUMBERS = 1 << 28, /* that can be told apart by those who ask */
};

struct batch {
    os_fd lock_file; /* borrowed */
    uint64_t number; /* 0: not begun */
    bool promised;
};

/* All return 0 or a negative errno value. */

/* [BATCH-1] */
int batch_begin(struct batch *batch, os_fd lock_file);

/* [BATCH-2] `old` is NULL where nothing has the name. */
int batch_promise(struct batch *batch, const struct os_stat *replacement,
                  const struct os_stat *old);

/* [BATCH-4] Accepts one that was not begun. */
int batch_end(struct batch *batch, enum batch_verdict verdict);

/* What became of the batch whose number has this remainder by BATCH_NUMBERS. */
enum batch_verdict batch_verdict(os_fd lock_file, uint32_t remainder);

/* Whether one is open, by the lock file's bytes from BATCH_PLACE on. */
bool batch_is_open(const unsigned char *bytes, size_t size);

/* [BATCH-3] The user's file is `name` in `dir`. */
int batch_decide(os_fd lock_file, os_fd dir, const char *name);

#endif
