/* What a call reports beyond its return value.
 *
 * Pass a struct untorn_error, or NULL if you only want the return value. It is written on every
 * outcome, also on success: `flags` then says what had to be done differently (for example that
 * the file was overwritten in place because it is a mount point). Nothing is ever printed, and
 * there is no hidden per-thread error.
 *
 *     struct untorn_error error;
 *     if (untorn_write("a.json", data, size, NULL, &error) != 0) {
 *         char text[UNTORN_TEXT_SIZE];
 *         fprintf(stderr, "%s\n", untorn_describe(&error, text, sizeof text));
 *     }
 */
#ifndef UNTORN_ERROR_H
#define UNTORN_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include <untorn/status.h>

#define UNTORN_PATH_SIZE 1024
#define UNTORN_DETAIL_SIZE 512
#define UNTORN_TEXT_SIZE 2048

/* Columns: name, bit, word in the report line, sentence. */
#define UNTORN_FLAG_LIST(X)                                                                        \
    X(CREATED, 0, "created", "the file did not exist before")                                      \
    X(UNCHANGED, 1, "unchanged", "the content was already this; it was flushed, not replaced")     \
    X(IN_PLACE, 2, "in-place",                                                                     \
      "overwritten in place through a journal; only readers through untorn never see a mixture")   \
    X(OTHER_VIEWS, 3, "other-views",                                                               \
      "the file is a mount point; other views of it keep their locks elsewhere")                   \
    X(NETWORK, 4, "network", "a network mount; the lock may hold only on this host")               \
    X(NO_DIR_FLUSH, 5, "no-directory-flush",                                                       \
      "this file system cannot flush a directory; a power loss may bring the old version back")    \
    X(META_LOST, 6, "metadata-lost", "an extended attribute could not be kept")                    \
    X(RECOVERED, 7, "recovered", "an unfinished write of a dead process was finished first")       \
    X(CONFLICT_KEPT, 8, "conflict-kept",                                                           \
      "an unfinished write met content it did not know; both versions are kept (untorn check)")    \
    X(TAIL_KEPT, 9, "tail-kept",                                                                   \
      "a torn last record was cut, and kept aside before (untorn check)")                          \
    X(TAIL_ENDED, 10, "tail-ended", "the last line lacked its newline and gained it")              \
    X(EDITED, 11, "edited", "a file was changed since the commit that it was part of")             \
    X(HISTORY_COPIED, 12, "history-copied",                                                        \
      "the earlier version was kept as a copy: the file could not simply be moved aside")          \
    X(HISTORY_LOST, 13, "history-lost", "the earlier version could not be kept")                   \
    X(QUARANTINED, 14, "quarantined", "the damaged content was kept aside first (untorn check)")   \
    X(LAST_GOOD, 15, "last-good", "the file is damaged; this is the last whole version")           \
    X(NARROWED, 16, "narrowed", "it holds a secret now: only its owner can read it from here on")  \
    X(JOURNAL_LOST, 17, "journal-lost",                                                            \
      "the journal of an interrupted commit is gone from another directory: files there may not "  \
      "fit (untorn check)")

#define UNTORN_FLAG_ENUM(name, bit, word, text) UNTORN_FLAG_##name = 1u << (bit),
enum untorn_flag { UNTORN_FLAG_LIST(UNTORN_FLAG_ENUM) };
#undef UNTORN_FLAG_ENUM

#define UNTORN_NO_POSITION UINT64_MAX

struct untorn_error {
    int status;        /* enum untorn_status, never negative */
    int os_error;      /* an errno value, 0 if the system was not at fault */
    const char *step;  /* what was being done: "flush the new version". Borrowed, static; or NULL */
    unsigned flags;    /* enum untorn_flag, set on every outcome */
    uint64_t position; /* byte position in the content, or UNTORN_NO_POSITION */
    char path[UNTORN_PATH_SIZE];     /* as the caller named it; shortened in the middle if long */
    char detail[UNTORN_DETAIL_SIZE]; /* who holds the lock, where a version is kept; or empty */
};

UNTORN_BEGIN_C

/* Writes "PATH: what happened (what to do)" into `text` and returns `text`. Always terminated. One
 * line; below it, of a document that does not parse, the place with a mark under it. */
UNTORN_API const char *untorn_describe(const struct untorn_error *error, char *text, size_t size);

/* The word ("in-place") and the sentence of one flag; NULL for a bit that has no meaning.
 * Borrowed, static. */
UNTORN_API const char *untorn_flag_word(unsigned flag);
UNTORN_API const char *untorn_flag_text(unsigned flag);

UNTORN_END_C

#endif
