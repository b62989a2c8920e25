/* Find what dead writers left, and finish it.
 *
 * Nobody has to call this: the next writer of a file clears up behind a dead one by itself. It is
 * for looking (what is there?) and for doing it now.
 */
#ifndef UNTORN_CHECK_H
#define UNTORN_CHECK_H

#include <untorn/error.h>
#include <untorn/options.h>

enum untorn_finding_kind {
    UNTORN_FOUND_STAGE = 1,  /* a version that was never finished; its writer is gone */
    UNTORN_FOUND_UNFINISHED, /* an overwrite in place that stopped half way */
    UNTORN_FOUND_FOREIGN,    /* a journal that was copied here or planted: never applied */
    UNTORN_FOUND_CONFLICT,   /* an unfinished overwrite met content it did not know; kept */
    UNTORN_FOUND_TAIL,       /* a torn record that an append cut; kept */
    UNTORN_FOUND_SET,        /* a commit of several files that stopped half way */
    UNTORN_FOUND_IN_DOUBT,   /* the same, and the directory that knows, or its journal, is away */
    UNTORN_FOUND_MIXED,      /* from before a commit of several files, of which others are newer */
    UNTORN_FOUND_DAMAGED,    /* content that did not parse when it was replaced; kept */
    UNTORN_FOUND_LOST, /* a commit was finished, but its journal in another directory was gone:
                          files there may be from before it; what is kept is a text */
};

struct untorn_finding {
    enum untorn_finding_kind kind;
    const char *name; /* the user's file it belongs to, "." for all; absolute for one of a mixed set
                         that lies in another directory. Borrowed for the call */
    const char *kept; /* where it lies, relative to the directory; borrowed for the call */
    uint64_t size;
    bool repaired;         /* gone or finished */
    const char *directory; /* of what is in doubt: the one that knows, physical; else NULL.
                              Borrowed for the call */
    bool withdrawn;        /* of a commit: it never counted, and no file was changed by it */
    bool abandoned;        /* the same: it could not be finished, and was given up */
};

typedef void untorn_finding_function(void *context, const struct untorn_finding *finding);

struct untorn_check {
    bool repair;  /* remove dead stages, finish unfinished overwrites and commits */
    bool abandon; /* with repair: also give up what is kept (conflicts, foreign journals, tails),
                     and commits that are in doubt or foreign: these are kept then until the next
                     time, and are no finding meanwhile */
    untorn_finding_function *found; /* called for each finding; may be NULL */
    void *context;
};

UNTORN_BEGIN_C

/* `path` is a file (what concerns that file) or a directory (all that untorn knows in it).
 * *ret_open is the number of findings that are not repaired. No document is altered, except that
 * an unfinished overwrite or commit is finished. Without `repair` nothing is created or changed; a
 * stage is locked for the moment of looking whether its writer lives. Options: symlink, wait_ms,
 * state_dir. */
UNTORN_API int untorn_check(const char *path, const struct untorn_check *check,
                            const struct untorn_options *options, size_t *ret_open,
                            struct untorn_error *reterr);

UNTORN_END_C

#endif
