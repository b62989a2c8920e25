/* Sets of files for the crash tests: what they are, how they are committed, and what must hold of
 * every one of them after a crash and the recovery.
 *
 *     struct set set = {.files = {REPLACE("/a/x"), CREATE("/b/y")}, .has_slots = true};
 *
 * Each file has an old and a new content; before both, where there was a commit before, an older
 * one. */
#ifndef UNTORN_TESTS_CRASH_SETS_H
#define UNTORN_TESTS_CRASH_SETS_H

#include "leave.h"
#include "oracle.h"

#include <errno.h>

enum { FILES_MAX = 5 };

enum content_of { OLDER, OLD, NEW };

struct file {
    const char *path;
    const char *texts[3]; /* NULL: there is none */
    bool keep_inode;
    bool secret; /* closed to others: its bytes do not lie in the slot [SLOT-3] */
};

#define REPLACE(path)                                                                              \
    {                                                                                              \
        path, {"older " path, "old " path, "new " path}, false, false                              \
    }
#define CREATE(path)                                                                               \
    {                                                                                              \
        path, {"older " path, NULL, "new " path}, false, false                                     \
    }
#define REMOVE(path)                                                                               \
    {                                                                                              \
        path, {"older " path, "old " path, NULL}, false, false                                     \
    }
#define OVERWRITE(path)                                                                            \
    {                                                                                              \
        path, {"older " path, "old " path, "new " path}, true, false                               \
    }
#define SECRET(path)                                                                               \
    {                                                                                              \
        path, {"older " path, "old " path, "new " path}, false, true                               \
    }
#define SECRET_OVERWRITE(path)                                                                     \
    {                                                                                              \
        path, {"older " path, "old " path, "new " path}, true, true                                \
    }

struct set {
    struct file files[FILES_MAX + 1];
    enum untorn_level level;
    int keep;            /* earlier versions; 0: none */
    bool has_slots;      /* there was a commit before: with versions, each file has its older one */
    bool again;          /* a second commit follows, back to the old content */
    const char *changes; /* then this one file is written by itself, "single" */
    bool keeps;          /* the version that this replaces */
    bool wipes;          /* recovery leaves nothing of it in the slot either */
    bool together;       /* what lock files hold is chosen together, as with three files and more */
    struct sim_fault omit;
    unsigned profiles;
    int limit;      /* of states for each crash point; 0: all */
    int long_limit; /* the same in a long run, but for one that takes as long as it takes */
    int faulty_recoveries;
    bool quiet;
};

static inline int set_keep(const struct set *set)
{
    return set->keep ? set->keep : UNTORN_KEEP_NONE;
}

static inline int commit(const struct set *set, enum content_of what, int keep,
                         struct untorn_error *error)
{
    struct untorn_options all = {.level = set->level, .keep = keep};
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(&all, &save, error);
    for (const struct file *file = set->files; rc == 0 && file->path; file++) {
        const char *text = file->texts[what];
        struct untorn_options options = {.keep_inode = file->keep_inode};
        rc = text ? untorn_transaction_put(save, file->path, text, strlen(text), &options, error)
                  : untorn_transaction_remove(save, file->path, &options, error);
    }
    if (rc == 0)
        rc = untorn_transaction_commit(save, error);
    untorn_transaction_free(save);
    return rc;
}

static inline void put_old(const struct file *file)
{
    sim_put(file->path, file->texts[OLD]);
    struct sim_attributes attributes = sim_attributes(file->path);
    attributes.mode = file->secret ? 0600 : 0644;
    sim_set_attributes(file->path, &attributes);
}

static inline void set_up(const struct set *set)
{
    sim_make_dir("/a");
    sim_make_dir("/b");
    sim_make_dir("/c");
    for (const struct file *file = set->files; file->path; file++)
        if (file->texts[OLD])
            put_old(file);
    if (!set->has_slots)
        return;
    CHECK_INT(commit(set, OLDER, UNTORN_KEEP_NONE, NULL), 0);
    CHECK_INT(commit(set, OLD, set_keep(set), NULL), 0);
    sim_settle();
}

/* What any next call on the files does. */
static inline void touch_all(const struct set *set)
{
    struct untorn_options options = {.keep = set->wipes ? UNTORN_KEEP_NONE : set->keep};
    for (const struct file *file = set->files; file->path; file++)
        (void)untorn_update(file->path, leave, NULL, &options, NULL);
}

/* ---- judging ---- */

static inline bool is(const struct file *file, enum content_of what)
{
    return is_text(sim_get(file->path), file->texts[what]);
}

static inline bool all_are(const struct set *set, enum content_of what)
{
    for (const struct file *file = set->files; file->path; file++)
        if (!is(file, what))
            return false;
    return true;
}

static inline const char *judge_left_over(void)
{
    if (has_entry("/stage/"))
        return "a stage is left over";
    return has_entry("/kept/") ? "something is kept as a conflict" : NULL;
}

/* ---- running ---- */

/* The steps of the scenario are those of the caller. posix allows every disk that the other power
 * losses allow: where nothing is a sample they add none. */
static inline struct sim_scenario scenario_of_set(const char *name, const struct set *set)
{
    int limit = set->quiet        ? set->limit /* it is enough that something is bad */
                : is_exhaustive() ? 0
                : is_long()       ? set->long_limit
                                  : set->limit;
    bool together = set->together || (set->files[0].path && set->files[1].path &&
                                      set->files[2].path); /* decision 0026 */
    return (struct sim_scenario){
        .name = name,
        .profiles = set->profiles ? set->profiles
                    : is_long()   ? (unsigned)(SIM_KILL | SIM_POSIX)
                                  : (unsigned)SIM_ALL_GATES,
        .options = {.unit = 512, .reuse = SIM_REUSE_AFTER_RESTART},
        .quiet = set->quiet,
        .limit = limit ? limit : SIM_NO_LIMIT,
        .together = together ? "/.untorn/lock/" : NULL,
        .faulty_recoveries = set->faulty_recoveries / (is_long() ? 3 : 1),
    };
}

static const struct sim_fault set_faults[] = {
    {.error = EIO},
    {.error = EIO, .forever = true},
    {.error = ENOSPC, .forever = true, .effect = SIM_HALF_DONE},
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .effect = SIM_REVERTED},
    {.error = EINTR},
    {.error = EIO, .verbs = SIM_ONLY(SIM_RENAME), .effect = SIM_DONE_ANYWAY},
    {.verbs = SIM_ONLY(SIM_READ_AT) | SIM_ONLY(SIM_WRITE_AT), .effect = SIM_SHORT},
};
enum { SET_FAULTS = sizeof set_faults / sizeof *set_faults };

#endif
