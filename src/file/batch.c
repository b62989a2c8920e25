#include "file/batch.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "file/io.h"

struct identity {
    uint64_t inode, born; /* 0: none */
};

struct entry {
    uint64_t number; /* 0: never used */
    struct identity replacement, old;
    enum batch_verdict verdict;
};

#define LARGEST (UINT64_MAX / 2) /* what lies about may be any number */

static struct identity identity_of(const struct os_stat *stat)
{
    return stat ? (struct identity){stat->inode, stat->born} : (struct identity){0};
}

static bool is_same(struct identity a, struct identity b)
{
    return a.inode == b.inode && a.born == b.born;
}

static struct entry entry_at(const unsigned char *bytes)
{
    struct cursor cursor = {.from = bytes, .left = BATCH_ENTRY};
    struct entry entry = {.number = cursor_take(&cursor, 8)};
    entry.replacement.inode = cursor_take(&cursor, 8);
    entry.replacement.born = cursor_take(&cursor, 8);
    entry.old.inode = cursor_take(&cursor, 8);
    entry.old.born = cursor_take(&cursor, 8);
    uint64_t verdict = cursor_take(&cursor, 8);
    entry.verdict = verdict > BATCH_UNKNOWN ? BATCH_UNKNOWN : (enum batch_verdict)verdict;
    if (entry.number > LARGEST)
        entry.number = 0;
    return entry;
}

static int write_entry(os_fd lock_file, const struct entry *entry)
{
    unsigned char bytes[BATCH_ENTRY];
    struct cursor cursor = {.at = bytes};
    cursor_add(&cursor, entry->number, 8);
    cursor_add(&cursor, entry->replacement.inode, 8);
    cursor_add(&cursor, entry->replacement.born, 8);
    cursor_add(&cursor, entry->old.inode, 8);
    cursor_add(&cursor, entry->old.born, 8);
    cursor_add(&cursor, entry->verdict, 8);
    return io_write(lock_file, bytes, sizeof bytes,
                    BATCH_PLACE + entry->number % BATCH_LATEST * BATCH_ENTRY);
}

/* ---- verdicts ---- */

static uint64_t outcome_place(uint64_t number)
{
    return BATCH_PLACE + BATCH_SIZE + number % BATCH_OUTCOMES * BATCH_OUTCOME;
}

/* [BATCH-5] */
static int write_verdict(os_fd lock_file, const struct entry *entry)
{
    unsigned char bytes[BATCH_OUTCOME];
    cursor_put(bytes, entry->number % BATCH_NUMBERS << 2 | entry->verdict, sizeof bytes);
    int rc = io_write(lock_file, bytes, sizeof bytes, outcome_place(entry->number));
    return rc < 0 ? rc : write_entry(lock_file, entry);
}

static enum batch_verdict read_verdict(os_fd lock_file, uint32_t remainder)
{
    unsigned char bytes[BATCH_OUTCOME];
    if (io_read(lock_file, bytes, sizeof bytes, outcome_place(remainder)) != sizeof bytes)
        return BATCH_UNKNOWN;
    uint64_t outcome = cursor_get(bytes, sizeof bytes);
    enum batch_verdict verdict = (enum batch_verdict)(outcome & 3);
    return outcome >> 2 == remainder && verdict != BATCH_OPEN ? verdict : BATCH_UNKNOWN;
}

/* ---- the latest ---- */

static struct entry latest(const unsigned char *bytes, size_t size)
{
    struct entry latest = {0};
    for (size_t at = 0; at + BATCH_ENTRY <= size && at < BATCH_SIZE; at += BATCH_ENTRY) {
        struct entry entry = entry_at(bytes + at);
        if (entry.number > latest.number)
            latest = entry;
    }
    return latest;
}

bool batch_is_open(const unsigned char *bytes, size_t size)
{
    struct entry entry = latest(bytes, size);
    return entry.number > 0 && entry.verdict == BATCH_OPEN;
}

static int read_latest(os_fd lock_file, struct entry *ret_entry)
{
    unsigned char bytes[BATCH_SIZE];
    int64_t n = io_read(lock_file, bytes, sizeof bytes, BATCH_PLACE);
    *ret_entry = latest(bytes, n < 0 ? 0 : (size_t)n);
    return n < 0 ? (int)n : 0;
}

int batch_begin(struct batch *batch, os_fd lock_file)
{
    struct entry entry;
    *batch = (struct batch){.lock_file = lock_file};
    int rc = read_latest(lock_file, &entry);
    if (rc < 0)
        return rc;
    entry = (struct entry){.number = entry.number + 1};
    rc = write_entry(lock_file, &entry);
    batch->number = rc == 0 ? entry.number : 0;
    return rc;
}

int batch_promise(struct batch *batch, const struct os_stat *replacement, const struct os_stat *old)
{
    struct entry entry = {
        .number = batch->number,
        .replacement = identity_of(replacement),
        .old = identity_of(old),
    };
    int rc = write_entry(batch->lock_file, &entry);
    batch->promised = rc == 0;
    return rc;
}

int batch_end(struct batch *batch, enum batch_verdict verdict)
{
    struct entry entry = {.number = batch->number, .verdict = verdict};
    if (batch->number == 0)
        return 0;
    batch->number = 0;
    return write_verdict(batch->lock_file, &entry);
}

enum batch_verdict batch_verdict(os_fd lock_file, uint32_t remainder)
{
    unsigned char bytes[BATCH_SIZE];
    int64_t n = io_read(lock_file, bytes, sizeof bytes, BATCH_PLACE);
    for (int64_t at = 0; at + BATCH_ENTRY <= n; at += BATCH_ENTRY) {
        struct entry entry = entry_at(bytes + at);
        if (entry.number > 0 && entry.number % BATCH_NUMBERS == remainder)
            return entry.verdict;
    }
    return read_verdict(lock_file, remainder);
}

int batch_decide(os_fd lock_file, os_fd dir, const char *name)
{
    struct entry entry;
    struct os_stat now;
    int rc = read_latest(lock_file, &entry);
    if (rc < 0 || entry.number == 0 || entry.verdict != BATCH_OPEN)
        return rc;
    rc = os_stat(dir, name, &now);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    struct identity has = identity_of(rc == 0 ? &now : NULL);
    entry.verdict = entry.replacement.inode == 0      ? BATCH_NOT_DONE
                    : is_same(has, entry.replacement) ? BATCH_DONE
                    : is_same(has, entry.old)         ? BATCH_NOT_DONE
                                                      : BATCH_UNKNOWN;
    return write_verdict(lock_file, &entry);
}
