/* The options that the calls share. Start from zero: a zeroed struct, and NULL, mean the defaults.
 *
 *     struct untorn_options options = {.mode = 0600, .level = UNTORN_ORDERED};
 *
 * Each call names the options it looks at; the others are ignored by it.
 */
#ifndef UNTORN_OPTIONS_H
#define UNTORN_OPTIONS_H

#include <stdbool.h>

#include <untorn/hash.h>

/* What a save survives. Every level survives kill -9 and a crash of the program. */
enum untorn_level {
    UNTORN_DURABLE = 0, /* done means: survives a power loss */
    UNTORN_ORDERED = 1, /* after a power loss the old or the new version, whole; maybe the old */
    UNTORN_CACHE = 2,   /* nothing is flushed: for what can be made again */
};

/* What to do when the path is a symbolic link. */
enum untorn_symlink {
    UNTORN_FOLLOW = 0,       /* the whole chain; the real file is replaced, the links stay */
    UNTORN_REPLACE_LINK = 1, /* the link itself is replaced by a regular file */
    UNTORN_REFUSE_LINK = 2,  /* UNTORN_LINK_REFUSED */
};

#define UNTORN_WAIT_DEFAULT_MS 10000
#define UNTORN_TRY_ONCE (-1)

#define UNTORN_KEEP_NONE (-1)

struct untorn_options {
    enum untorn_level level;
    enum untorn_symlink symlink;

    /* How long to wait for the lock, in milliseconds. 0: UNTORN_WAIT_DEFAULT_MS.
     * UNTORN_TRY_ONCE: not at all, but for the 2 ms that somebody's look at the lock may take.
     * There is no "for ever". */
    int wait_ms;

    /* Permission bits of the result, 0600 for a secret; never wider for a moment. 0: an existing
     * file keeps its own, a new one gets 0666 less the umask or what the default ACL says. */
    unsigned mode;

    /* Replace only if the current content has this hash; else UNTORN_CHANGED. NULL: do not ask.
     * Compared inside the lock. A missing file matches no hash. Borrowed. */
    const struct untorn_hash *if_match;

    bool if_changed; /* leave a file that already has this content alone (it is flushed) */
    bool exclusive;  /* create; UNTORN_EXISTS if something has the name */
    bool keep_inode; /* overwrite in place, journaled, instead of replacing */
    bool parents;    /* create missing directories above the file, 0700 if the mode is private; they
                        stay, also if the call fails */
    bool strict;     /* refuse where the file system cannot keep a promise, instead of flagging */

    /* How many earlier versions to keep beside the file (untorn/history.h). 0: one, and none at
     * level cache. UNTORN_KEEP_NONE: none, and those that are there are erased. */
    int keep;

    /* Where to keep locks and stages instead of `.untorn/` beside the file. Every process that
     * works on the file must name the same one. NULL: $UNTORN_STATE_DIR, else beside the file.
     * Borrowed. */
    const char *state_dir;

    /* Use this lock file (flock) instead of our own, to exclude flock(1) and Python's filelock.
     * Made if missing, never written into, never removed. NULL: our own. Borrowed. */
    const char *lock_file;
};

#endif
