#include "file/inplace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/kept.h"

enum { PIECE = 512 }; /* what a disk writes whole */

/* An overwrite under way, or one to be finished. */
struct overwrite {
    os_fd file; /* the user's */
    os_fd journal;
    struct journal head;
    bool flush;
};

/* Most files never have one; then no folder needs to be opened to know it. What cannot be looked at
 * is left to the opening to report. */
static bool has_no_journal(const struct state *state, const char *own_name)
{
    struct os_stat stat;
    char path[STATE_PATH_SIZE];
    state_path(state, FOLDER_INPLACE, own_name, path);
    return os_stat(state->parent, path, &stat) == -ENOENT;
}

static int open_journal(struct state *state, const char *name, bool create, os_fd *ret_journal,
                        struct os_stat *ret_stat)
{
    char own_name[LIMIT_NAME + 1];
    os_fd folder;
    path_own_name(name, 0, own_name);
    if (!create && has_no_journal(state, own_name))
        return -ENOENT;
    int rc = state_folder(state, FOLDER_INPLACE, create, &folder);
    if (rc < 0)
        return rc;
    unsigned how = OS_READ | OS_WRITE | (create ? OS_CREATE : 0);
    rc = io_open_own(folder, own_name, how, ret_journal, ret_stat);
    /* The journal is as open as the file: who may not write it has nothing to finish there. */
    if (rc == -EACCES && !create)
        rc = io_open_own(folder, own_name, OS_READ, ret_journal, ret_stat);
    return rc == -EACCES && !create ? -ENOENT : rc;
}

/* Whoever made the journal may have it open, and both versions are about to be in it. */
static bool may_know(const struct os_stat *made, const struct os_stat *target, unsigned mode)
{
    return made->owner == os_user() || made->owner == 0 || made->owner == target->owner ||
           (mode & 004) || ((mode & 040) && made->group == target->group);
}

/* [INPLACE-7] The file is locked, and what could be finished of it is. */
static int open_journal_for(struct overwrite *job, const struct lock *lock,
                            const struct os_stat *target, unsigned mode, struct os_stat *ret_own)
{
    char own_name[LIMIT_NAME + 1];
    os_fd folder;
    int rc = open_journal(lock->state, lock->place->name, true, &job->journal, ret_own);
    if (rc < 0 || may_know(ret_own, target, mode))
        return rc;
    os_close(job->journal);
    job->journal = OS_NONE;
    path_own_name(lock->place->name, 0, own_name);
    rc = state_folder(lock->state, FOLDER_INPLACE, false, &folder);
    if (rc == 0)
        rc = os_remove(folder, own_name, false);
    return rc == 0 ? io_open_own(folder, own_name, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE,
                                 &job->journal, ret_own)
                   : rc;
}

static int write_head(struct overwrite *job, bool active)
{
    unsigned char head[JOURNAL_HEAD];
    job->head.active = active;
    journal_encode(&job->head, head);
    return io_write(job->journal, head, sizeof head, 0);
}

/* [INPLACE-2] Flushed also where the file itself was not: a clear journal must not come back to
 * life behind a later change. */
static int clear(struct overwrite *job)
{
    int rc = write_head(job, false);
    if (rc == 0)
        rc = os_resize(job->journal, JOURNAL_HEAD);
    if (rc == 0 && job->flush)
        rc = os_flush(job->journal);
    return rc;
}

static int flush_if(const struct overwrite *job, os_fd file)
{
    return job->flush ? os_flush(file) : 0;
}

/* What lies past the old end comes first: if the disk is full, nothing old is touched yet. */
static int write_new(struct overwrite *job)
{
    uint64_t old_size = job->head.old_size, new_size = job->head.new_size;
    uint64_t body = JOURNAL_HEAD + old_size;
    uint64_t common = old_size < new_size ? old_size : new_size;
    int rc = 0;
    if (new_size > old_size)
        rc = io_copy(job->journal, body + old_size, job->file, old_size, new_size - old_size, NULL);
    if (rc == 0)
        rc = io_copy(job->journal, body, job->file, 0, common, NULL);
    if (rc == 0)
        rc = os_resize(job->file, new_size);
    return rc < 0 ? rc : flush_if(job, job->file);
}

static int write_old(struct overwrite *job)
{
    int rc = io_copy(job->journal, JOURNAL_HEAD, job->file, 0, job->head.old_size, NULL);
    if (rc == 0)
        rc = os_resize(job->file, job->head.old_size);
    return rc < 0 ? rc : flush_if(job, job->file);
}

static int fill_journal(struct overwrite *job, os_fd source)
{
    struct hash_stream hash;
    struct journal earlier;
    int rc = journal_read(job->journal, &earlier);
    if (rc < 0 && rc != -ENODATA)
        return rc;
    bool is_new = rc < 0;
    job->head.sequence = is_new ? 0 : earlier.sequence + 1;
    rc = is_new ? os_random(&job->head.sequence, sizeof job->head.sequence) : 0; /* [INPLACE-4] */
    if (rc == 0)
        rc = os_resize(job->journal, is_new ? 0 : JOURNAL_HEAD);
    hash_begin(&hash);
    if (rc == 0)
        rc = io_copy(job->file, 0, job->journal, JOURNAL_HEAD, job->head.old_size, &hash);
    job->head.old_hash = hash_end(&hash);
    hash_begin(&hash);
    if (rc == 0)
        rc = io_copy(source, 0, job->journal, JOURNAL_HEAD + job->head.old_size, job->head.new_size,
                     &hash);
    job->head.new_hash = hash_end(&hash);
    return rc;
}

/* [INPLACE-1] */
static int arm_journal(struct overwrite *job, struct state *state)
{
    int rc = write_head(job, true);
    if (rc == 0)
        rc = flush_if(job, job->journal);
    return rc == 0 && job->flush ? state_flush_names(state, FOLDER_INPLACE) : rc;
}

/* Readers without write permission read the journal too, so it is as open as the file. */
static int prepare(struct overwrite *job, const struct lock *lock, unsigned mode,
                   struct untorn_error *error)
{
    struct os_stat own, target;
    unsigned result = 0;
    int rc = io_open(lock->place->dir, lock->place->name, OS_READ | OS_WRITE, 0, &job->file);
    if (rc < 0)
        return error_os(error, rc, "open it for overwriting in place");
    rc = os_stat(job->file, NULL, &target);
    /* Narrowed before anything new is written down, also into the journal. */
    if (rc == 0 && mode && mode != target.mode)
        rc = os_copy_meta(job->file, job->file, mode, &result);
    if (rc == 0)
        rc = open_journal_for(job, lock, &target, mode ? mode & target.mode : target.mode, &own);
    bool opened = rc == 0;
    if (opened)
        rc = os_copy_meta(job->file, job->journal, 0, &result);
    /* The journal of another user, who made it as open as the file then was. */
    if (opened && rc == -EPERM && !(own.mode & ~(mode ? mode : target.mode) & 077))
        rc = 0;
    if (rc < 0)
        return rc == -ENOENT ? AGAIN : error_os(error, rc, "open the journal");
    if (target.kind != OS_REGULAR || target.links == 0)
        return AGAIN;
    job->head.own_inode = own.inode;
    job->head.target_inode = target.inode;
    job->head.old_size = target.size;
    strcpy(job->head.name, lock->place->name);
    if (target.mount_root) {
        error->flags |= UNTORN_FLAG_OTHER_VIEWS;
        (void)os_lock(job->file, OS_LOCK_EXCLUSIVE); /* for other views of it that do the same */
    }
    return 0;
}

/* A failed overwrite is undone at once; if that fails too, the next call finishes it. */
static int undo(struct overwrite *job, int cause, struct untorn_error *error)
{
    int rc = write_old(job);
    if (rc == 0)
        rc = clear(job);
    if (rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, cause, "overwrite it in place");
    return error_os(error, cause, "overwrite it in place");
}

/* The file is untouched, but the journal may have become active. What was written where a flush
 * has failed is never trusted again: it is cut off first. [INPLACE-5] */
static int disarm(struct overwrite *job, int cause, struct untorn_error *error)
{
    int rc = os_resize(job->journal, 0);
    if (rc == 0)
        rc = clear(job);
    if (rc < 0) {
        (void)os_resize(job->journal, 0);
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, cause, "write the journal");
    }
    return error_os(error, cause, "write the journal");
}

static int overwrite(struct overwrite *job, struct lock *lock, const struct os_stat *expected,
                     os_fd source, struct untorn_error *error)
{
    struct os_stat now;
    int rc = fill_journal(job, source);
    if (rc < 0) {
        (void)os_resize(job->journal, JOURNAL_HEAD); /* gives the space back; it is not active */
        return error_os(error, rc, "write the journal");
    }
    rc = arm_journal(job, lock->state);
    if (rc < 0)
        return disarm(job, rc, error);
    bool current = lock_is_current(lock) &&
                   os_stat(lock->place->dir, lock->place->name, &now) == 0 &&
                   os_same_file(&now, expected) && now.size == job->head.old_size;
    if (!current) {
        rc = clear(job);
        return rc < 0 ? error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, rc, "clear the journal")
                      : AGAIN;
    }
    rc = write_new(job);
    if (rc < 0)
        return undo(job, rc, error);
    rc = clear(job);
    return rc < 0 ? error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, rc, "clear the journal") : 0;
}

int inplace_write(struct lock *lock, const struct os_stat *expected, os_fd source, uint64_t size,
                  const struct untorn_options *options, struct untorn_error *error)
{
    struct overwrite job = {
        .file = OS_NONE,
        .journal = OS_NONE,
        .head = {.new_size = size},
        .flush = options->level != UNTORN_CACHE,
    };
    int rc = prepare(&job, lock, options->mode, error);
    if (rc == 0)
        rc = overwrite(&job, lock, expected, source, error);
    if (rc == 0)
        error->flags |= UNTORN_FLAG_IN_PLACE;
    os_close(job.journal);
    os_close(job.file);
    return rc;
}

/* Without the journal: one that is made here and then not needed would be closed to whom it does
 * not belong. */
int inplace_foresee(const struct lock *lock, const struct os_stat *expected,
                    const struct untorn_options *options, struct untorn_error *error)
{
    os_fd file;
    uint32_t user = os_user();
    int rc = io_open(lock->place->dir, lock->place->name, OS_READ | OS_WRITE, 0, &file);
    if (rc == -ENOENT)
        return AGAIN;
    if (rc < 0)
        return error_os(error, rc, "open it for overwriting in place");
    os_close(file);
    bool new_mode = options->mode != 0 && options->mode != expected->mode;
    return new_mode && user != 0 && user != expected->owner
               ? error_os(error, -EPERM, "give it another mode")
               : 0;
}

/* ---- recovery ---- */

/* How many bytes of a and b agree, from the front or from the back. */
static size_t common_front(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t n = 0;
    while (n < size && a[n] == b[n])
        n++;
    return n;
}

static size_t common_back(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t n = 0;
    while (n < size && a[size - 1 - n] == b[size - 1 - n])
        n++;
    return n;
}

/* Old, new, or torn once in between, in either direction. */
static bool is_known_piece(const unsigned char *now, const unsigned char *was,
                           const unsigned char *will, size_t size)
{
    return common_front(now, will, size) + common_back(now, was, size) >= size ||
           common_front(now, was, size) + common_back(now, will, size) >= size;
}

/* `size` bytes of the journal's old or new content at `offset`, zero past its end. */
static int read_padded(const struct overwrite *job, bool old, uint64_t offset, unsigned char *data,
                       size_t size)
{
    uint64_t length = old ? job->head.old_size : job->head.new_size;
    uint64_t body = JOURNAL_HEAD + (old ? 0 : job->head.old_size);
    size_t have = offset >= length ? 0 : length - offset < size ? (size_t)(length - offset) : size;
    memset(data, 0, size);
    int64_t n = io_read(job->journal, data, have, body + offset);
    return n < 0 ? (int)n : (size_t)n == have ? 0 : -EIO;
}

/* What a stretch of the file is, was and is to be. */
struct stretch {
    unsigned char now[LIMIT_STRETCH], was[LIMIT_STRETCH], will[LIMIT_STRETCH];
};

static int read_stretch(const struct overwrite *job, uint64_t offset, size_t size,
                        struct stretch *ret_stretch)
{
    int64_t n = io_read(job->file, ret_stretch->now, size, offset);
    int rc = n < 0 ? (int)n : (size_t)n < size ? -ESTALE : 0;
    if (rc == 0)
        rc = read_padded(job, true, offset, ret_stretch->was, size);
    return rc < 0 ? rc : read_padded(job, false, offset, ret_stretch->will, size);
}

/* One piece never spans the old end: before it a piece is old or new, behind it zero or new. */
static bool is_known_stretch(const struct stretch *stretch, uint64_t offset, size_t size,
                             uint64_t old_size)
{
    for (size_t at = 0; at < size;) {
        size_t end = (at / PIECE + 1) * PIECE;
        if (offset + at < old_size && offset + end > old_size)
            end = (size_t)(old_size - offset);
        size_t piece = (end < size ? end : size) - at;
        if (!is_known_piece(stretch->now + at, stretch->was + at, stretch->will + at, piece))
            return false;
        at += piece;
    }
    return true;
}

static int is_known_file(const struct overwrite *job, uint64_t size, bool *ret_known)
{
    struct stretch stretch;
    uint64_t old_size = job->head.old_size, new_size = job->head.new_size;
    uint64_t least = old_size < new_size ? old_size : new_size;
    uint64_t most = old_size < new_size ? new_size : old_size;
    *ret_known = size >= least && size <= most; /* else somebody else cut it, or added to it */
    for (uint64_t at = 0; *ret_known && at < size; at += LIMIT_STRETCH) {
        size_t part = size - at < LIMIT_STRETCH ? (size_t)(size - at) : LIMIT_STRETCH;
        int rc = read_stretch(job, at, part, &stretch);
        if (rc < 0)
            return rc;
        *ret_known = is_known_stretch(&stretch, at, part, old_size);
    }
    return 0;
}

/* [INPLACE-3] The maker of the journal must be someone who may write the file anyway. */
static bool is_ours(const struct journal *head, const struct os_stat *own,
                    const struct os_stat *target, const char *name)
{
    uint32_t user = os_user();
    bool trusted = own->owner == user || own->owner == 0 || own->owner == target->owner ||
                   (target->mode & 002) || ((target->mode & 020) && own->group == target->group);
    return trusted && own->kind == OS_REGULAR && own->inode == head->own_inode &&
           target->inode == head->target_inode && strcmp(head->name, name) == 0;
}

static int set_aside(struct state *state, const char *kind, const char *name,
                     struct untorn_error *error)
{
    char own_name[LIMIT_NAME + 1], entry[LIMIT_NAME + 1];
    path_own_name(name, 0, own_name);
    int rc = kept_move(state, kind, name, FOLDER_INPLACE, own_name, entry);
    if (rc < 0)
        return rc == -ENOENT ? AGAIN : error_os(error, rc, "keep an unfinished write aside");
    error->flags |= UNTORN_FLAG_CONFLICT_KEPT;
    return 0;
}

static int is_still_old(const struct overwrite *job, uint64_t size, bool *ret_is)
{
    struct untorn_hash hash;
    *ret_is = false;
    int rc = size == job->head.old_size ? io_hash(job->file, 0, size, &hash) : -ESTALE;
    if (rc == 0)
        *ret_is = untorn_hash_equal(&hash, &job->head.old_hash);
    return rc == -ESTALE ? 0 : rc;
}

/* [INPLACE-6] The old bytes are written again, for the disk may hold others: a writer whose flush
 * failed had put them back. The journal may be one whose flush failed. [INPLACE-5] */
static int leave_old(struct overwrite *job)
{
    int rc = write_old(job);
    if (rc == 0)
        rc = os_resize(job->journal, 0);
    return rc < 0 ? rc : clear(job);
}

/* Where its size has changed it is changed once more: that may be what a failed flush was about,
 * and the next one would say that all is well. Blocks behind the old end are new ones again. */
static int make_new(struct overwrite *job, uint64_t size)
{
    int rc = size == job->head.old_size ? 0 : os_resize(job->file, job->head.old_size);
    if (rc == 0)
        rc = write_new(job);
    return rc < 0 ? rc : clear(job);
}

static int finish(struct overwrite *job, const struct place *place, struct state *state,
                  uint64_t size, struct untorn_error *error)
{
    bool known, old = false;
    int rc = is_known_file(job, size, &known);
    if (rc == 0 && !known)
        return set_aside(state, "conflict", place->name, error);
    if (rc == 0)
        rc = is_still_old(job, size, &old);
    if (rc == 0)
        rc = old ? leave_old(job) : make_new(job, size);
    if (rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, rc,
                               "finish an earlier overwrite in place");
    error->flags |= UNTORN_FLAG_RECOVERED;
    return 0;
}

/* Torn before the file was touched, or nothing under way. What a dead writer left in it, of either
 * version, is not to stay; not flushed, for what a power loss brings back was that. */
static int leave_clear(const struct overwrite *job, const struct os_stat *own)
{
    if (own->size > JOURNAL_HEAD)
        (void)os_resize(job->journal, JOURNAL_HEAD); /* else the next one does */
    return 0;
}

static int recover(struct overwrite *job, const struct os_stat *own, const struct place *place,
                   struct state *state, struct untorn_error *error)
{
    struct os_stat target;
    int rc = journal_read(job->journal, &job->head);
    if (rc == -ENODATA || (rc == 0 && !job->head.active))
        return leave_clear(job, own);
    if (rc == 0)
        rc = journal_check_body(job->journal, &job->head);
    if (rc == -ENODATA)
        return leave_clear(job, own);
    if (rc < 0)
        return error_os(error, rc, "read an unfinished overwrite's journal");
    rc = os_stat(place->dir, place->name, &target);
    if (rc == -ENOENT)
        return set_aside(state, "conflict", place->name, error);
    if (rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, rc, "look at it");
    if (!is_ours(&job->head, own, &target, place->name))
        return set_aside(state, "foreign", place->name, error);
    rc = io_open(place->dir, place->name, OS_READ | OS_WRITE, 0, &job->file);
    if (rc < 0)
        return error_os(error, rc, "open it to finish an overwrite in place");
    return finish(job, place, state, target.size, error);
}

int inplace_recover(const struct place *place, struct state *state, struct untorn_error *error)
{
    struct overwrite job = {.file = OS_NONE, .journal = OS_NONE, .flush = true};
    struct os_stat own;
    int rc = open_journal(state, place->name, false, &job.journal, &own);
    if (rc == -ENOENT)
        return 0;
    rc = rc < 0 ? error_os(error, rc, "open an unfinished overwrite's journal")
                : recover(&job, &own, place, state, error);
    os_close(job.journal);
    os_close(job.file);
    return rc;
}

/* ---- looking ---- */

/* Opens and judges the journal `entry`; *ret_journal stays open. What cannot be read for want of
 * permission is not for us to know; any other failure is handed up, for then nothing is certain. */
static int judge(const struct place *place, os_fd folder, const char *entry, os_fd *ret_journal,
                 struct journal *ret_head, enum inplace_verdict *ret_verdict)
{
    struct os_stat own, target;
    char own_name[LIMIT_NAME + 1];
    *ret_verdict = INPLACE_CLEAR;
    int rc = io_open_own(folder, entry, OS_READ, ret_journal, &own);
    if (rc == -ENOENT || rc == -EACCES || rc == -EMLINK)
        return 0;
    if (rc == 0)
        rc = journal_read(*ret_journal, ret_head);
    if (rc == 0 && ret_head->active)
        rc = journal_check_body(*ret_journal, ret_head);
    if (rc == -ENODATA)
        return 0;
    if (rc < 0 || !ret_head->active)
        return rc;
    path_own_name(ret_head->name, 0, own_name);
    rc = os_stat(place->dir, ret_head->name, &target);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    bool ours =
        rc == 0 && strcmp(own_name, entry) == 0 && is_ours(ret_head, &own, &target, ret_head->name);
    *ret_verdict = ours ? INPLACE_UNFINISHED : INPLACE_FOREIGN;
    return 0;
}

int inplace_look(const struct place *place, struct state *state, struct inplace_view *ret_view)
{
    struct journal head = {0};
    enum inplace_verdict verdict = INPLACE_CLEAR;
    char own_name[LIMIT_NAME + 1];
    os_fd folder;
    *ret_view = (struct inplace_view){.journal = OS_NONE};
    path_own_name(place->name, 0, own_name);
    if (!state->present || has_no_journal(state, own_name))
        return 0;
    int rc = state_folder(state, FOLDER_INPLACE, false, &folder);
    if (rc < 0)
        return rc == -ENOENT || rc == -EACCES ? 0 : rc;
    rc = judge(place, folder, own_name, &ret_view->journal, &head, &verdict);
    ret_view->sequence = head.sequence;
    ret_view->active = rc == 0 && verdict == INPLACE_UNFINISHED;
    ret_view->old_size = head.old_size;
    ret_view->old_hash = head.old_hash;
    if (!ret_view->active)
        inplace_view_close(ret_view);
    return rc;
}

void inplace_view_close(struct inplace_view *view)
{
    os_close(view->journal);
    view->journal = OS_NONE;
}

int inplace_judge(const struct place *directory, struct state *state, const char *entry,
                  struct inplace_judgement *ret_judgement)
{
    struct journal head = {0};
    os_fd folder, journal = OS_NONE;
    ret_judgement->verdict = INPLACE_CLEAR;
    int rc = state_folder(state, FOLDER_INPLACE, false, &folder);
    if (rc == 0)
        rc = judge(directory, folder, entry, &journal, &head, &ret_judgement->verdict);
    strcpy(ret_judgement->name, head.name[0] ? head.name : entry);
    ret_judgement->size = head.new_size;
    os_close(journal);
    return rc;
}
