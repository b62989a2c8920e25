/* Several files as they were at one moment between commits.
 *
 *     struct snapshot snapshot;
 *     rc = snapshot_take(&snapshot, paths, count, options, error);
 *     ... snapshot.files[i].content ...
 *     snapshot_free(&snapshot);
 *
 * Nothing is locked: all slots are looked at and all files read; then all slots are looked at
 * again, and all names.
 *
 *   SNAPSHOT-1  A snapshot is given only if between the first look at every slot and the last no
 *               commit began, counted or ended there, and every name still was the file that was
 *               read: so all of it was so at the moment between reading and looking again.
 *   SNAPSHOT-2  Where commits follow each other too closely for that, the members that have a lock
 *               are locked, shared, for the time of one try: then no commit of theirs can run, and
 *               commits of other files in the same directories are let pass. The locks are taken in
 *               the order that writers use, and waited for LIMIT_DIRECTORY_LOCK_NS; readers that
 *               come one after the other keep no writer out, for as long as it is kept out they
 *               need no lock.
 *   SNAPSHOT-3  Nothing is created, and no right is needed but to read.
 */
#ifndef UNTORN_TXN_SNAPSHOT_H
#define UNTORN_TXN_SNAPSHOT_H

#include <untorn/read.h>

#include "txn/view.h"

/* A directory, and in it the slot that concerns some of the files. */
struct snapshot_directory {
    const char *path; /* of one of those files: it leads there. Borrowed */
    struct os_stat stat;
    char folder[LIMIT_NAME + 1]; /* the name of our own folder: there is one slot in each */
    char *directory;             /* physical path; new */
    struct view_mark mark;
    bool concerned; /* the slot named one of the files */
};

struct snapshot_file {
    const char *path;              /* borrowed */
    char *name;                    /* in its directory; new. NULL if the directory is missing */
    size_t directory;              /* in the snapshot's list */
    struct untorn_content content; /* data NULL: no such file */
    bool named;                    /* something has the name */
    struct os_stat stat;           /* what */
    os_fd hold;                    /* it, open; or OS_NONE */
    bool overwriting;              /* in place, and how often that was done */
    uint64_t overwrites;
};

struct snapshot {
    struct untorn_options options;
    struct snapshot_file *files;
    size_t count;
    struct snapshot_directory *directories;
    size_t directory_count;
};

/* `paths` must outlive the snapshot. As the public calls return; error->path is the file at fault.
 * On failure the snapshot is freed. Options: symlink, wait_ms, state_dir. */
int snapshot_take(struct snapshot *snapshot, const char *const *paths, size_t count,
                  const struct untorn_options *options, struct untorn_error *error);

/* Whether it is all still so, and no commit was there since. */
bool snapshot_is_current(const struct snapshot *snapshot);

/* Accepts a zeroed snapshot, and can run twice. */
void snapshot_free(struct snapshot *snapshot);

#endif
