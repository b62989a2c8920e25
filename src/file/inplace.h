/* Overwriting a file in place, through a journal, where rename cannot serve.
 *
 * The journal is one small file per name, .untorn/inplace/<name>, drawn in docs/format/inplace.md:
 * a checked header, and while a write is under way the whole old and the whole new content behind
 * it. It is never removed: its sequence number tells readers whether anything happened while they
 * read.
 *
 *   INPLACE-1  Before the first byte of the file changes, the journal durably holds the old and the
 *              new bytes and is active.
 *   INPLACE-2  The journal becomes clear only when the file durably is all new, or all old again.
 *   INPLACE-3  Recovery writes only into a file whose every piece is old, new, or zero past the old
 *              end, and only from a journal that lies where it was written (it names its own inode
 *              and the file's) and whose maker may write the file. Anything else is kept aside.
 *   INPLACE-4  A reader returns bytes that were read from the file between two looks at the journal
 *              that found it clear with one sequence number, or the journal's old bytes.
 *   INPLACE-5  A journal whose flush failed is cut to nothing before it is written again: on ext4 a
 *              block whose first write failed takes later ones, and a flush says that all is well,
 *              but after a crash it holds zeros.
 *   INPLACE-6  Recovery leaves a file old that is wholly old. Its journal need not be durable: the
 *              writer may have been killed before his flush returned. Of any other file it is.
 *   INPLACE-7  Nothing is written into a journal whose maker might not read the file: he may have
 *              put it there, and have it open. It gives way to another.
 *
 * After a crash:
 *   before the journal is whole        its hashes do not match: nothing happened, the file is old
 *   journal whole, file untouched      recovery leaves it, clears
 *   file partly written                recovery writes the new content
 *   file new, journal not clear        recovery finds it new (or writes it again), clears
 *   journal clear                      nothing to do
 */
#ifndef UNTORN_FILE_INPLACE_H
#define UNTORN_FILE_INPLACE_H

#include <untorn/options.h>

#include "base/error.h"
#include "file/journal.h"
#include "file/lock.h"

/* Overwrites the regular file that place->name names with `size` bytes of `source`. `lock` is held;
 * `expected` is the file it must still be. AGAIN, with nothing changed, if either is no longer so
 * immediately before the first byte changes; else as the public calls return. Options: level, mode.
 */
int inplace_write(struct lock *lock, const struct os_stat *expected, os_fd source, uint64_t size,
                  const struct untorn_options *options, struct untorn_error *error);

/* Whether that would be denied, found out while nothing has changed: 0, AGAIN or a failure. */
int inplace_foresee(const struct lock *lock, const struct os_stat *expected,
                    const struct untorn_options *options, struct untorn_error *error);

/* Finishes what a dead writer left. The lock is held. 0 if nothing (more) is unfinished. */
int inplace_recover(const struct place *place, struct state *state, struct untorn_error *error);

/* What a reader finds. */
struct inplace_view {
    uint64_t sequence; /* 0: there never was a journal */
    bool active;
    os_fd journal; /* active: open, the old bytes begin at JOURNAL_HEAD; else OS_NONE */
    uint64_t old_size;
    struct untorn_hash old_hash;
};

/* Creates nothing. A journal that is foreign, or that we may not read, is none. 0, or a negative
 * errno value where it cannot be known; the view is then closed. */
int inplace_look(const struct place *place, struct state *state, struct inplace_view *ret_view);
void inplace_view_close(struct inplace_view *view);

/* For untorn check: what the journal `entry` says of which file. */
enum inplace_verdict { INPLACE_CLEAR, INPLACE_UNFINISHED, INPLACE_FOREIGN };
struct inplace_judgement {
    enum inplace_verdict verdict;
    char name[LIMIT_NAME + 1];
    uint64_t size; /* of the new content */
};
int inplace_judge(const struct place *directory, struct state *state, const char *entry,
                  struct inplace_judgement *ret_judgement);

#endif
