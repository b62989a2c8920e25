/* The journal of an overwrite in place, as bytes: docs/format/inplace.md. */
#ifndef UNTORN_FILE_JOURNAL_H
#define UNTORN_FILE_JOURNAL_H

#include <untorn/hash.h>

#include "base/limits.h"
#include "os/os.h"

enum { JOURNAL_HEAD = 512 };

struct journal {
    bool active;
    uint64_t sequence;
    uint64_t own_inode; /* a copy lies under another inode */
    uint64_t target_inode;
    uint64_t old_size, new_size;
    struct untorn_hash old_hash, new_hash;
    char name[LIMIT_NAME + 1]; /* of the file, in the directory above .untorn */
};

void journal_encode(const struct journal *journal, unsigned char head[JOURNAL_HEAD]);

/* False for anything that journal_encode did not make: foreign, torn, of a newer version. */
bool journal_decode(const unsigned char head[JOURNAL_HEAD], struct journal *ret_journal);

/* Reads and decodes. 0, -ENODATA where there is no valid header, or another errno value. */
int journal_read(os_fd file, struct journal *ret_journal);

/* Whether the body behind an active header is whole: sizes and both hashes. 0, -ENODATA, ... */
int journal_check_body(os_fd file, const struct journal *journal);

#endif
