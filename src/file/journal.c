#include "file/journal.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "file/io.h"

enum {
    AT_MAGIC = 0,
    AT_VERSION = 16,
    AT_ACTIVE = 20,
    AT_SEQUENCE = 24,
    AT_OWN_INODE = 32,
    AT_TARGET_INODE = 40,
    AT_OLD_SIZE = 48,
    AT_NEW_SIZE = 56,
    AT_OLD_HASH = 64,
    AT_NEW_HASH = 80,
    AT_NAME = 96,
    AT_CHECK = 496,
    VERSION = 1,
};

static const char magic[16] = "untorn in-place\n";

void journal_encode(const struct journal *journal, unsigned char head[JOURNAL_HEAD])
{
    memset(head, 0, JOURNAL_HEAD);
    memcpy(head + AT_MAGIC, magic, sizeof magic);
    cursor_put(head + AT_VERSION, VERSION, 4);
    cursor_put(head + AT_ACTIVE, journal->active, 4);
    cursor_put(head + AT_SEQUENCE, journal->sequence, 8);
    cursor_put(head + AT_OWN_INODE, journal->own_inode, 8);
    cursor_put(head + AT_TARGET_INODE, journal->target_inode, 8);
    cursor_put(head + AT_OLD_SIZE, journal->old_size, 8);
    cursor_put(head + AT_NEW_SIZE, journal->new_size, 8);
    memcpy(head + AT_OLD_HASH, journal->old_hash.bytes, 16);
    memcpy(head + AT_NEW_HASH, journal->new_hash.bytes, 16);
    memcpy(head + AT_NAME, journal->name, strlen(journal->name));
    struct untorn_hash check = untorn_hash(head, AT_CHECK);
    memcpy(head + AT_CHECK, check.bytes, sizeof check.bytes);
}

static bool is_single_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

bool journal_decode(const unsigned char head[JOURNAL_HEAD], struct journal *ret_journal)
{
    struct untorn_hash check = untorn_hash(head, AT_CHECK);
    if (memcmp(head + AT_MAGIC, magic, sizeof magic) != 0 ||
        cursor_get(head + AT_VERSION, 4) != VERSION ||
        memcmp(head + AT_CHECK, check.bytes, sizeof check.bytes) != 0)
        return false;
    *ret_journal = (struct journal){
        .active = cursor_get(head + AT_ACTIVE, 4) == 1,
        .sequence = cursor_get(head + AT_SEQUENCE, 8),
        .own_inode = cursor_get(head + AT_OWN_INODE, 8),
        .target_inode = cursor_get(head + AT_TARGET_INODE, 8),
        .old_size = cursor_get(head + AT_OLD_SIZE, 8),
        .new_size = cursor_get(head + AT_NEW_SIZE, 8),
    };
    memcpy(ret_journal->old_hash.bytes, head + AT_OLD_HASH, 16);
    memcpy(ret_journal->new_hash.bytes, head + AT_NEW_HASH, 16);
    memcpy(ret_journal->name, head + AT_NAME, LIMIT_NAME);
    unsigned char again[JOURNAL_HEAD];
    journal_encode(ret_journal, again); /* what is left over anywhere was not written by us */
    return ret_journal->old_size <= LIMIT_CONTENT && ret_journal->new_size <= LIMIT_CONTENT &&
           is_single_name(ret_journal->name) && memcmp(head, again, sizeof again) == 0;
}

int journal_read(os_fd file, struct journal *ret_journal)
{
    unsigned char head[JOURNAL_HEAD];
    int64_t n = io_read(file, head, sizeof head, 0);
    if (n < 0)
        return (int)n;
    return n == JOURNAL_HEAD && journal_decode(head, ret_journal) ? 0 : -ENODATA;
}

int journal_check_body(os_fd file, const struct journal *journal)
{
    struct os_stat stat;
    struct untorn_hash hash;
    int rc = os_stat(file, NULL, &stat);
    if (rc < 0)
        return rc;
    if (stat.size != JOURNAL_HEAD + journal->old_size + journal->new_size)
        return -ENODATA;
    rc = io_hash(file, JOURNAL_HEAD, journal->old_size, &hash);
    if (rc == 0 && !untorn_hash_equal(&hash, &journal->old_hash))
        rc = -ENODATA;
    if (rc == 0)
        rc = io_hash(file, JOURNAL_HEAD + journal->old_size, journal->new_size, &hash);
    if (rc == 0 && !untorn_hash_equal(&hash, &journal->new_hash))
        rc = -ENODATA;
    return rc;
}
