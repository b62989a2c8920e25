#include "txn/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/inplace.h"
#include "file/io.h"
#include "file/lock.h"
#include "file/read.h"

enum { FREE_TRIES = 8 }; /* before locks are taken */

/* What one step on one file needs. */
struct opened {
    struct place place;
    struct state state;
};

static int open_path(struct opened *opened, const char *path, const struct untorn_options *options,
                     struct untorn_error *error)
{
    *opened = (struct opened){PLACE_CLOSED, STATE_CLOSED};
    int rc = place_resolve(path, options, &opened->place, error);
    if (rc == 0)
        rc = state_open(&opened->place, options, STATE_IF_USABLE, &opened->state, error);
    return rc;
}

static void close_path(struct opened *opened)
{
    state_close(&opened->state);
    place_close(&opened->place);
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* ---- what was read ---- */

static void forget_file(struct snapshot_file *file)
{
    os_close(file->hold);
    untorn_content_free(&file->content);
    free(file->name);
    *file = (struct snapshot_file){.path = file->path, .hold = OS_NONE};
}

static void forget(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->count; i++)
        forget_file(&snapshot->files[i]);
    for (size_t i = 0; i < snapshot->directory_count; i++)
        free(snapshot->directories[i].directory);
    snapshot->directory_count = 0;
}

void snapshot_free(struct snapshot *snapshot)
{
    forget(snapshot);
    free(snapshot->files);
    free(snapshot->directories);
    memset(snapshot, 0, sizeof *snapshot);
}

static int begin(struct snapshot *snapshot, const char *const *paths, size_t count,
                 const struct untorn_options *options)
{
    memset(snapshot, 0, sizeof *snapshot);
    if (options) {
        snapshot->options.symlink =
            options->symlink == UNTORN_REFUSE_LINK ? UNTORN_REFUSE_LINK : UNTORN_FOLLOW;
        snapshot->options.wait_ms = options->wait_ms;
        snapshot->options.state_dir = options->state_dir;
    }
    snapshot->files = calloc(count + 1, sizeof *snapshot->files);
    snapshot->directories = calloc(count + 1, sizeof *snapshot->directories);
    if (!snapshot->files || !snapshot->directories)
        return -ENOMEM;
    snapshot->count = count;
    for (size_t i = 0; i < count; i++)
        snapshot->files[i] = (struct snapshot_file){.path = paths[i], .hold = OS_NONE};
    return 0;
}

/* ---- the first pass ---- */

static bool is_there(const struct snapshot_directory *directory, const struct opened *opened)
{
    return os_same_file(&directory->stat, &opened->place.dir_stat) &&
           strcmp(directory->folder, opened->state.present ? opened->state.name : "") == 0;
}

/* The number of one that was noted, or else of the next. */
static size_t find_directory(const struct snapshot *snapshot, const struct opened *opened)
{
    for (size_t i = snapshot->directory_count; i-- > 0;)
        if (is_there(&snapshot->directories[i], opened))
            return i;
    return snapshot->directory_count;
}

/* -ESTALE if the slot is no longer what it was when another file of the directory was read. */
static int note_directory(struct snapshot *snapshot, struct snapshot_file *file,
                          const struct opened *opened, const struct view *view)
{
    char path[LIMIT_PATH];
    bool concerned = slot_find(&view->slot, file->name) != NULL;
    size_t number = find_directory(snapshot, opened);
    struct snapshot_directory *directory = &snapshot->directories[number];
    if (number < snapshot->directory_count) {
        file->directory = number;
        directory->concerned |= concerned;
        return view_same_mark(&directory->mark, &view->mark) ? 0 : -ESTALE;
    }
    int rc = os_dir_path(opened->place.dir, path, sizeof path);
    if (rc < 0)
        return rc;
    *directory = (struct snapshot_directory){
        .path = file->path,
        .stat = opened->place.dir_stat,
        .directory = copy_text(path),
        .mark = view->mark,
        .concerned = concerned,
    };
    if (!directory->directory)
        return -ENOMEM;
    strcpy(directory->folder, opened->state.present ? opened->state.name : "");
    file->directory = snapshot->directory_count++;
    return 0;
}

static int stat_name(const struct place *place, bool *ret_named, struct os_stat *ret_stat)
{
    int rc = os_stat(place->dir, place->name, ret_stat);
    *ret_named = rc == 0;
    return rc == -ENOENT ? 0 : rc;
}

static int look_in_place(struct opened *opened, struct snapshot_file *file)
{
    struct inplace_view view;
    int rc = inplace_look(&opened->place, &opened->state, &view);
    inplace_view_close(&view);
    file->overwriting = view.active;
    file->overwrites = view.sequence;
    return rc;
}

/* The content, and what it was read from. */
static int read_content(struct snapshot *snapshot, struct snapshot_file *file,
                        struct opened *opened, const struct view *view)
{
    int rc = stat_name(&opened->place, &file->named, &file->stat);
    if (rc == 0)
        rc = look_in_place(opened, file);
    if (rc == 0)
        rc = view_read(view, &opened->place, &opened->state, &file->content);
    if (rc != 0)
        return rc == 1 || rc == -ENOENT ? 0 : rc;
    rc =
        read_place(&opened->place, &opened->state, &snapshot->options, &file->hold, &file->content);
    if (rc == -ENOENT) /* gone since it was looked at? */
        return file->named ? -ESTALE : 0;
    if (rc == 0 && file->hold != OS_NONE) {
        rc = os_stat(file->hold, NULL, &file->stat);
        file->named = true;
        if (rc == 0 && file->stat.size != file->content.size)
            rc = -ESTALE; /* it is being written */
    }
    return rc;
}

static int read_opened(struct snapshot *snapshot, struct snapshot_file *file, struct opened *opened)
{
    struct view view;
    size_t number = find_directory(snapshot, opened);
    const struct view_mark *known =
        number < snapshot->directory_count ? &snapshot->directories[number].mark : NULL;
    file->name = copy_text(opened->place.name);
    int rc = file->name ? view_open(&opened->place, &opened->state, known, &view) : -ENOMEM;
    if (rc < 0)
        return rc;
    rc = note_directory(snapshot, file, opened, &view);
    if (rc == 0)
        rc = read_content(snapshot, file, opened, &view);
    view_close(&view);
    return rc == -ELOOP ? -ESTALE : rc; /* became a link */
}

/* 0, AGAIN, or a failure. */
static int read_one(struct snapshot *snapshot, struct snapshot_file *file,
                    struct untorn_error *error)
{
    struct opened opened;
    struct untorn_error local;
    int os_rc = 0;
    error_begin(&local, NULL, file->path);
    int rc = open_path(&opened, file->path, &snapshot->options, &local);
    bool no_directory = rc == -UNTORN_MISSING;
    if (rc == 0)
        os_rc = read_opened(snapshot, file, &opened);
    close_path(&opened);
    if (snapshot->count > LIMIT_OPEN_MEMBERS) { /* then only when an inode came to be tells */
        os_close(file->hold);
        file->hold = OS_NONE;
    }
    if (os_rc == -ESTALE || rc == -UNTORN_RESTLESS) /* before the deadline it may come to rest */
        return AGAIN;
    if (os_rc < 0)
        rc = error_os(&local, os_rc, NULL);
    if (no_directory || rc == 0 || rc == AGAIN)
        return no_directory ? 0 : rc;
    *error = local;
    return rc;
}

/* ---- the second pass ---- */

static bool names_a_file(const struct snapshot *snapshot, size_t directory, const struct slot *slot)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct snapshot_file *file = &snapshot->files[i];
        if (file->name && file->directory == directory && slot_find(slot, file->name))
            return true;
    }
    return false;
}

/* [SNAPSHOT-1], or with `lenient` [SNAPSHOT-2]: a commit of other files may have been there. */
static bool is_directory_same(const struct snapshot *snapshot, size_t index, bool lenient)
{
    const struct snapshot_directory *directory = &snapshot->directories[index];
    struct opened opened;
    struct untorn_error unseen;
    struct view view;
    error_begin(&unseen, NULL, NULL);
    bool same = open_path(&opened, directory->path, &snapshot->options, &unseen) == 0 &&
                (is_there(directory, &opened) || lenient) &&
                view_open(&opened.place, &opened.state, NULL, &view) == 0;
    if (same) {
        bool unchanged = view_same_mark(&directory->mark, &view.mark);
        same = unchanged ||
               (lenient && !directory->concerned && !names_a_file(snapshot, index, &view.slot));
        view_close(&view);
    }
    close_path(&opened);
    return same;
}

static bool is_file_same(const struct snapshot *snapshot, const struct snapshot_file *file)
{
    struct opened opened;
    struct untorn_error unseen;
    struct snapshot_file now = {.hold = OS_NONE};
    error_begin(&unseen, NULL, NULL);
    int rc = open_path(&opened, file->path, &snapshot->options, &unseen);
    bool same = file->name ? rc == 0 : rc == -UNTORN_MISSING;
    if (same && file->name) {
        same = os_same_file(&opened.place.dir_stat, &snapshot->directories[file->directory].stat) &&
               strcmp(opened.place.name, file->name) == 0 &&
               stat_name(&opened.place, &now.named, &now.stat) == 0 && now.named == file->named &&
               look_in_place(&opened, &now) == 0 && now.overwriting == file->overwriting &&
               now.overwrites == file->overwrites;
        if (same && file->named)
            same = os_same_file(&now.stat, &file->stat) && now.stat.size == file->stat.size &&
                   now.stat.born == file->stat.born;
    }
    close_path(&opened);
    return same;
}

static bool is_same(const struct snapshot *snapshot, bool lenient)
{
    for (size_t i = 0; i < snapshot->directory_count; i++)
        if (!is_directory_same(snapshot, i, lenient))
            return false;
    for (size_t i = 0; i < snapshot->count; i++)
        if (!is_file_same(snapshot, &snapshot->files[i]))
            return false;
    return true;
}

bool snapshot_is_current(const struct snapshot *snapshot)
{
    return is_same(snapshot, false);
}

/* ---- locks ---- */

struct reader_lock {
    os_fd file;
    struct os_stat stat;
};

static int compare_locks(const void *left, const void *right)
{
    const struct os_stat *a = &((const struct reader_lock *)left)->stat;
    const struct os_stat *b = &((const struct reader_lock *)right)->stat;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode < b->inode ? -1 : a->inode > b->inode;
}

/* A file that has no lock, or one that we may not read, is read without. */
static bool open_lock(const struct snapshot *snapshot, const char *path,
                      struct reader_lock *ret_lock)
{
    struct opened opened;
    struct untorn_error unseen;
    char own_name[LIMIT_NAME + 1], lock_path[STATE_PATH_SIZE];
    error_begin(&unseen, NULL, NULL);
    bool found = open_path(&opened, path, &snapshot->options, &unseen) == 0 && opened.state.present;
    if (found) {
        path_own_name(opened.place.name, 0, own_name);
        state_path(&opened.state, FOLDER_LOCK, own_name, lock_path);
        found = io_open_own(opened.state.parent, lock_path, OS_READ, &ret_lock->file,
                            &ret_lock->stat) == 0;
    }
    close_path(&opened);
    return found;
}

/* Together no longer than `deadline`: a lock that this very thread holds for writing never comes,
 * and is not needed. */
static void lock_all(struct reader_lock *locks, size_t count, uint64_t deadline)
{
    for (size_t i = 0; i < count; i++)
        while (os_lock(locks[i].file, OS_LOCK_SHARED) == -EWOULDBLOCK && os_clock_ns() < deadline)
            os_sleep_ns(LIMIT_POLL_NS);
}

static size_t open_locks(const struct snapshot *snapshot, struct reader_lock *locks)
{
    size_t found = 0;
    for (size_t i = 0; i < snapshot->count && found < LIMIT_OPEN_MEMBERS; i++)
        found += open_lock(snapshot, snapshot->files[i].path, &locks[found]);
    qsort(locks, found, sizeof *locks, compare_locks);
    return found;
}

/* ---- all of it ---- */

static int try_once(struct snapshot *snapshot, bool lenient, struct untorn_error *error)
{
    forget(snapshot);
    for (size_t i = 0; i < snapshot->count; i++) {
        int rc = read_one(snapshot, &snapshot->files[i], error);
        if (rc != 0)
            return rc;
    }
    return is_same(snapshot, lenient) ? 0 : AGAIN;
}

static int try_locked(struct snapshot *snapshot, struct untorn_error *error)
{
    struct reader_lock locks[LIMIT_OPEN_MEMBERS];
    size_t count = open_locks(snapshot, locks);
    lock_all(locks, count, os_clock_ns() + LIMIT_DIRECTORY_LOCK_NS);
    int rc = try_once(snapshot, true, error);
    for (size_t i = 0; i < count; i++)
        os_close(locks[i].file);
    return rc;
}

int snapshot_take(struct snapshot *snapshot, const char *const *paths, size_t count,
                  const struct untorn_options *options, struct untorn_error *error)
{
    int rc = begin(snapshot, paths, count, options);
    if (rc < 0) {
        snapshot_free(snapshot);
        return error_os(error, rc, NULL);
    }
    uint64_t deadline = lock_deadline(&snapshot->options);
    for (int i = 0; (rc = i < FREE_TRIES ? try_once(snapshot, false, error)
                                         : try_locked(snapshot, error)) == AGAIN;
         i++) {
        if (i >= FREE_TRIES && os_clock_ns() >= deadline) {
            rc = error_fail(error, UNTORN_RESTLESS, NULL);
            break;
        }
        os_sleep_ns(LIMIT_POLL_NS / 10);
    }
    if (rc != 0)
        snapshot_free(snapshot);
    return rc;
}
