/* The earlier versions of one file, as they lie on the disk.
 *
 *     .untorn/history/<name>/<16 digits>.<32 digits>.<16 digits>[.<32 digits>]
 *
 * The digits are: a sequence number, higher is newer; the hash of the content; the number of the
 * inode that the version has; and the commit of several files that replaced it, if it was one.
 *
 *   VERSIONS-1  A version is an entry whose file has the inode it names, or at least the content.
 *               Anything else is what a crash left while the version was being kept: it never was
 *               one, and the next who keeps a version removes it.
 *   VERSIONS-2  A version is never a second name of the user's file: it would change with it.
 *   VERSIONS-3  The folder's name is durable before the first entry is put into it. So whoever
 *               finds an entry need not flush the names above it.
 *   VERSIONS-4  Every number is one, and there is always a higher one: where somebody gave an entry
 *               the highest, they are numbered anew, in their order, by who is about to keep one.
 */
#ifndef UNTORN_FILE_VERSIONS_H
#define UNTORN_FILE_VERSIONS_H

#include "file/state.h"

enum { VERSION_SET = 32, VERSION_NAME_SIZE = 16 + 1 + 32 + 1 + 16 + 1 + VERSION_SET + 1 };

struct version {
    uint64_t sequence;
    struct untorn_hash hash;
    uint64_t inode;
    char set[VERSION_SET + 1]; /* empty: none */
    unsigned mode;             /* as found by versions_look */
};

struct versions {
    os_fd folder;
    struct version *list; /* newest first */
    size_t count;
};

#define VERSIONS_CLOSED                                                                            \
    {                                                                                              \
        .folder = OS_NONE                                                                          \
    }

/* A flush that failed is told apart from every other failure: it is -(VERSIONS_UNFLUSHED + errno
 * value). What is flushed after it could not be trusted. */
enum { VERSIONS_UNFLUSHED = 4096 };

/* Lists what is there of the user's file `name`, unlooked at. With `create` the folder is made, and
 * its names flushed while it is empty [VERSIONS-3]. 0 or a negative errno value: -ENOENT if there
 * is no folder; with `create`, if our own folder is gone. */
int versions_open(struct versions *versions, struct state *state, const char *name, bool create);

/* Accepts closed ones. */
void versions_close(struct versions *versions);

void version_name(const struct version *version, char name[VERSION_NAME_SIZE]);

/* False for what is no entry of ours. */
bool version_parse(const char *name, struct version *ret_version);

/* What an entry turns out to be. */
enum version_verdict {
    VERSION_WHOLE,  /* it has the content that it names, as far as was looked */
    VERSION_LITTER, /* [VERSIONS-1] [VERSIONS-2] */
    VERSION_DAMAGED /* it was a version, and somebody changed it */
};

/* Opens one and looks whether it is a version; `live` is the user's file, or NULL. With `thorough`
 * its content is read in any case, else only where the inode leaves a doubt. 0, or a negative errno
 * value: -ENOENT if it is gone. *ret_file is open on 0. */
int version_look(const struct versions *versions, const struct version *version,
                 const struct os_stat *live, bool thorough, os_fd *ret_file,
                 struct os_stat *ret_stat, enum version_verdict *ret_verdict);

/* One of them, open. */
struct version_found {
    struct version version;
    enum version_verdict verdict; /* never litter */
    os_fd file;                   /* OS_NONE if we may not read it: then it is not whole */
    struct os_stat stat;
};

/* Finds the version with this number, 1 the newest, and reads all of it to judge it. `live` as
 * above. 0, -ENOENT if there are not so many, or another errno value. Close its file. */
int versions_at(const struct versions *versions, const struct os_stat *live, size_t number,
                struct version_found *ret_found);

/* The newest whole version with that content, open. 0, -ENOENT, or another errno value. */
int versions_find(const struct versions *versions, const struct untorn_hash *hash, os_fd *ret_file);

/* Drops what is none from the list and from the disk, and notes the mode of the others. For who
 * holds the file's lock. */
void versions_sweep(struct versions *versions, const struct os_stat *live);

/* What the upper half of the next number is. [VERSIONS-4] For who holds the file's lock. 0, or a
 * negative errno value if they cannot be numbered anew. */
int versions_next(struct versions *versions, uint32_t *ret_next);

/* 0 or a negative errno value. */
int version_remove(const struct versions *versions, const struct version *version);

#endif
