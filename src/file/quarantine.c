#include "file/quarantine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/kept.h"
#include "file/upward.h"

/* ---- the copy ---- */

static void entry_name(const char *name, const struct untorn_hash *hash, char entry[LIMIT_NAME + 1])
{
    char own_name[LIMIT_NAME + 1], digits[UNTORN_HASH_TEXT_SIZE];
    path_own_name(name, KEPT_ROOM, own_name);
    snprintf(entry, LIMIT_NAME + 1, "damaged-%.229s.%.16s", own_name,
             untorn_hash_format(hash, digits));
}

/* Kept before. It may not have been flushed then. */
static bool has_content(os_fd folder, const char *entry, uint64_t size,
                        const struct untorn_hash *hash, bool flush)
{
    struct untorn_hash found;
    struct os_stat stat;
    os_fd copy = OS_NONE;
    bool has = io_open_own(folder, entry, OS_READ, &copy, &stat) == 0 && stat.size == size &&
               io_hash(copy, 0, size, &found) == 0 && untorn_hash_equal(&found, hash) &&
               (!flush || os_flush(copy) == 0);
    os_close(copy);
    return has;
}

/* Kept once more it is the newest: its first byte is written again, as it is. [QUARANTINE-3] */
static void renew(os_fd folder, const char *entry)
{
    char byte;
    os_fd copy = OS_NONE;
    if (io_open_own(folder, entry, OS_READ | OS_WRITE, &copy, NULL) == 0 &&
        io_read(copy, &byte, 1, 0) == 1)
        (void)io_write(copy, &byte, 1, 0); /* else it is as old as it was */
    os_close(copy);
}

/* A half-written one of an earlier try is written again: same name, same bytes. [QUARANTINE-2] */
static int write_copy(os_fd folder, const char *entry, os_fd file, uint64_t size, bool flush)
{
    os_fd copy = OS_NONE;
    int rc = io_open_own(folder, entry, OS_WRITE | OS_CREATE, &copy, NULL);
    if (rc == 0)
        rc = io_copy(file, 0, copy, 0, size, NULL);
    if (rc == 0)
        rc = os_resize(copy, size);
    if (rc == 0 && flush)
        rc = os_flush(copy);
    os_close(copy);
    return rc;
}

/* ---- only so many ---- */

/* The oldest of those whose entry begins like `newest`, up to the digits. */
struct oldest {
    os_fd folder;
    const char *newest; /* is none of them */
    size_t count;
    int64_t written;
    char entry[LIMIT_NAME + 1];
};

/* Not when it was born, which not every platform tells. */
static int time_of(os_fd folder, const char *entry, int64_t *ret_time)
{
    os_fd file = OS_NONE;
    int rc = io_open(folder, entry, OS_READ, 0, &file);
    if (rc == 0)
        rc = os_time(file, ret_time);
    os_close(file);
    return rc;
}

static int look_for_oldest(void *context, const char *entry)
{
    struct oldest *oldest = context;
    size_t length = strlen(oldest->newest) - 16;
    int64_t written;
    if (strlen(entry) != length + 16 || memcmp(entry, oldest->newest, length) != 0 ||
        strcmp(entry, oldest->newest) == 0 || time_of(oldest->folder, entry, &written) < 0)
        return 0;
    if (oldest->count++ == 0 || written < oldest->written) {
        oldest->written = written;
        strcpy(oldest->entry, entry);
    }
    return 0;
}

/* What cannot be removed is tried again with the next one that comes. [QUARANTINE-3] */
static void drop_oldest(os_fd folder, const char *newest)
{
    for (int i = 0; i < LIMIT_SWEEP; i++) {
        struct oldest oldest = {.folder = folder, .newest = newest};
        if (os_list(folder, look_for_oldest, &oldest) < 0 || oldest.count < LIMIT_DAMAGED ||
            os_remove(folder, oldest.entry, false) < 0)
            return;
    }
}

/* ---- the decision ---- */

static bool may_be_damaged(const struct target *target)
{
    return target->exists && target->stat.kind == OS_REGULAR && target->readable &&
           !target->old_is_whole;
}

static int keep_as(const struct target *target, os_fd folder, const char *entry, uint64_t size,
                   const struct untorn_hash *hash)
{
    bool flush = target->options->level != UNTORN_CACHE;
    if (has_content(folder, entry, size, hash, flush)) {
        renew(folder, entry);
        return 0;
    }
    int rc = write_copy(folder, entry, target->hold, size, flush);
    if (rc == 0)
        drop_oldest(folder, entry);
    return rc;
}

/* Where another user kept it, and we may not read that. */
static struct untorn_hash own_hash(const struct untorn_hash *hash)
{
    struct {
        struct untorn_hash hash;
        uint32_t user;
    } own = {*hash, os_user()};
    return untorn_hash(&own, sizeof own);
}

static int keep(struct target *target, uint64_t size, const struct untorn_hash *hash)
{
    char entry[LIMIT_NAME + 1];
    os_fd folder;
    int rc = state_folder(&target->state, FOLDER_KEPT, true, &folder);
    if (rc < 0)
        return rc;
    entry_name(target->place.name, hash, entry);
    rc = keep_as(target, folder, entry, size, hash);
    if (rc == -EACCES) {
        struct untorn_hash own = own_hash(hash);
        entry_name(target->place.name, &own, entry);
        rc = keep_as(target, folder, entry, size, hash);
    }
    bool flush = target->options->level != UNTORN_CACHE;
    return rc == 0 && flush ? state_flush_names(&target->state, FOLDER_KEPT) : rc;
}

/* 1 if it is kept; 0 if the new version, if any, has the very same bytes: then nothing is lost. */
static int keep_unless_same(struct target *target, const struct stage *stage, uint64_t size)
{
    struct untorn_hash hash, new_hash;
    int rc = io_hash(target->hold, 0, size, &hash);
    if (rc == 0 && stage && stage->size == size) {
        rc = io_hash(stage->file, 0, size, &new_hash);
        if (rc == 0 && untorn_hash_equal(&hash, &new_hash))
            return 0;
    }
    if (rc == 0)
        rc = keep(target, size, &hash);
    return rc < 0 ? rc : 1;
}

int quarantine_old(struct target *target, const struct stage *stage, struct untorn_error *error)
{
    struct os_stat now;
    if (!may_be_damaged(target))
        return 0;
    int rc = os_stat(target->hold, NULL, &now);
    if (rc == 0 && now.size > 0)
        rc = upward_is_damaged(target, now.size);
    if (rc < 0)
        return error_os(error, rc,
                        stage ? "look whether it is damaged before it is replaced"
                              : "look whether it is damaged before it is removed");
    if (rc == 0)
        return 0;
    rc = keep_unless_same(target, stage, now.size);
    if (rc == -ESTALE || rc == -ENOENT) /* it was cut meanwhile; the folder is gone */
        return AGAIN;
    if (rc < 0) /* [QUARANTINE-1] */
        return error_os(error, rc,
                        stage ? "keep its damaged content aside before it is replaced"
                              : "keep its damaged content aside before it is removed");
    if (rc > 0)
        error->flags |= UNTORN_FLAG_QUARANTINED;
    return 0;
}
