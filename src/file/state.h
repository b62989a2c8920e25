/* The folder for our own files: `.untorn/` beside the user's file.
 *
 *     .untorn/.gitignore        `*`
 *     .untorn/format            the version of this layout, `1`
 *     .untorn/lock/<name>       kernel-locked while held; an owner record for people
 *     .untorn/inner/<name>.<n>  the same, for calls inside a lock that was passed on to a program
 *     .untorn/stage/<name>.<16> a version being made; its writer holds a kernel lock on it
 *     .untorn/inplace/<name>    the journal of overwrites in place (inplace.h)
 *     .untorn/kept/<name>.<16>  what must not be lost: conflicts, torn records (kept.h)
 *     .untorn/journal/slot      the commit of several files that is under way here (txn/slot.h)
 *     .untorn/history/<name>/   earlier versions (past.h)
 *     .untorn/set/              what the last commits of several files were made of (txn/record.h)
 *
 * In a sticky directory it is `.untorn-<uid of the target's owner>`, for that user alone. With a
 * state directory it is `<directory>/<hash of the physical path>`.
 *
 *   STATE-1  The folder is used only if it is a real directory on the parent's device, owned by us,
 *            root or the parent's owner, or by anyone where the parent lets anyone replace files.
 *            Nothing is opened to others for having the name of something of ours: a folder that
 *            looks like none of ours is refused, and so is a file.
 *   STATE-2  A folder of a newer format is refused; nothing in it is touched. A folder keeps its
 *            format for life: a newer one is made aside and takes the name.
 *   STATE-3  Opening without STATE_CREATE makes nothing.
 *   STATE-4  Nothing is opened, made, renamed or removed through a link on the way to it: whoever
 *            may put one in the place of a folder leads nobody to where he could do nothing.
 */
#ifndef UNTORN_FILE_STATE_H
#define UNTORN_FILE_STATE_H

#include <untorn/options.h>

#include "base/error.h"
#include "file/place.h"

enum folder {
    FOLDER_LOCK,
    FOLDER_INNER,
    FOLDER_STAGE,
    FOLDER_INPLACE,
    FOLDER_KEPT,
    FOLDER_JOURNAL,
    FOLDER_HISTORY,
    FOLDER_SET,
    FOLDER_COUNT
};

struct state {
    bool present;
    bool create;   /* it may be made */
    os_fd root;    /* opened when it is needed: state_root */
    os_fd parent;  /* borrowed from the place, or the state directory itself */
    bool borrowed; /* `parent` belongs to another state, which outlives this one */
    char name[LIMIT_NAME + 1];
    struct os_stat stat;
    bool outside;         /* a state directory, not beside the file */
    unsigned wanted_mode; /* what the folder's mode is to be */
    bool reshared;        /* it was not; what lies in it may not fit either */
    os_fd folders[FOLDER_COUNT];
};

#define STATE_CLOSED                                                                               \
    {                                                                                              \
        .root = OS_NONE, .parent = OS_NONE, .folders = {                                           \
            OS_NONE,                                                                               \
            OS_NONE,                                                                               \
            OS_NONE,                                                                               \
            OS_NONE,                                                                               \
            OS_NONE,                                                                               \
            OS_NONE,                                                                               \
            OS_NONE,                                                                               \
            OS_NONE                                                                                \
        }                                                                                          \
    }

enum state_use {
    STATE_CREATE,     /* make it if missing */
    STATE_IF_PRESENT, /* a missing one gives 0 and is not present; one we cannot use is an error */
    STATE_IF_USABLE,  /* one we cannot use or trust counts as missing too: readers do not need it */
};

/* `place` must outlive the state. */
int state_open(const struct place *place, const struct untorn_options *options, enum state_use use,
               struct state *ret_state, struct untorn_error *error);

/* Accepts a closed state. */
void state_close(struct state *state);

/* Closes what can be opened again when it is needed: for who has many states at once. */
void state_rest(struct state *state);

/* Whether our folder is to be beside the file, and whether it is and bears the name that it has
 * beside every other file. */
bool state_is_beside(const struct untorn_options *options);
bool state_is_plain(const struct state *state);

/* The same folder, for another target in the same directory. `state` must outlive it. */
void state_borrow(const struct state *state, struct state *ret_state);

/* The folder itself, open; borrowed. Or a negative errno value: -ENOENT if it is gone. */
int state_root(struct state *state, os_fd *ret_root);

/* The handle of one folder, kept open; borrowed. A negative errno value: -ENOENT if it is not
 * there and not to be made, or if the root itself is gone. */
int state_folder(struct state *state, enum folder folder, bool create, os_fd *ret_folder);

/* Makes the names of `folder` and above durable, up to the user's directory. */
int state_flush_names(struct state *state, enum folder folder);

const char *state_folder_name(enum folder folder);

/* "<state>/<folder>/<entry>" below the state's parent; with an empty entry the folder. For verbs
 * that follow no link on the way [STATE-4], and for os_stat. */
enum { STATE_PATH_SIZE = 2 * (LIMIT_NAME + 1) + 16 };
void state_path(const struct state *state, enum folder folder, const char *entry,
                char path[STATE_PATH_SIZE]);

#endif
