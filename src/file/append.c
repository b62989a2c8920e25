#include "file/append.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/io.h"
#include "file/kept.h"
#include "file/replace.h"
#include "file/upward.h"

struct append {
    struct target target;
    append_is_whole *is_whole;
    const void *data;
    size_t size;
    os_fd file;
    bool created; /* by this call */
    uint64_t end; /* where the file ends before we add to it */
};

/* Opens the file that was looked at, or makes it. AGAIN if it is another by now. */
static int open_log(struct append *append, struct untorn_error *error)
{
    struct target *target = &append->target;
    const struct untorn_options *options = target->options;
    unsigned how = OS_READ | OS_WRITE | (target->exists ? 0 : OS_CREATE | OS_EXCLUSIVE);
    struct os_stat now;
    if (target->exists && target->stat.kind == OS_SYMLINK) {
        error_detail(error, "a link can be replaced, not added to");
        return error_fail(error, UNTORN_LINK_REFUSED, NULL);
    }
    int rc = io_open(target->place.dir, target->place.name, how,
                     options->mode ? options->mode & 0600 : 0666, &append->file);
    if (rc == -ENOENT || rc == -EEXIST || rc == -ELOOP)
        return AGAIN;
    if (rc < 0)
        return error_os(error, rc, "open it");
    append->created |= !target->exists;
    if (!target->exists && options->mode)
        rc = os_new_meta(target->place.dir, append->file, options->mode);
    if (rc == 0)
        rc = os_stat(append->file, NULL, &now);
    if (rc < 0)
        return error_os(error, rc, "open it");
    if (target->exists && !os_same_file(&now, &target->stat))
        return AGAIN;
    append->end = now.size;
    target->exists = true;
    target->stat = now; /* what the name must stay */
    return 0;
}

/* Where the line that ends at `end` begins. */
static int find_line(const struct append *append, uint64_t end, uint64_t *ret_start)
{
    char piece[4096];
    uint64_t start = end;
    while (start > 0) {
        size_t want = start < sizeof piece ? (size_t)start : sizeof piece;
        int64_t n = io_read(append->file, piece, want, start - want);
        if (n < 0 || (size_t)n < want)
            return n < 0 ? (int)n : -EIO;
        for (size_t i = want; i > 0; i--) {
            if (piece[i - 1] == '\n') {
                *ret_start = start - want + i;
                return 0;
            }
        }
        start -= want;
    }
    *ret_start = 0;
    return 0;
}

/* A line that lacks its newline is torn if it is no record. One that has it is torn if there are
 * NUL bytes in it: blocks that never reached the disk before a power loss. What else may be wrong
 * with such a line is not our doing. */
static int judge_line(const struct append *append, uint64_t start, bool ended, bool *ret_whole)
{
    size_t size = (size_t)(append->end - start) - ended;
    *ret_whole = true;
    if (!append->is_whole || size == 0)
        return 0;
    char *line = malloc(size);
    if (!line)
        return -ENOMEM;
    int64_t n = io_read(append->file, line, size, start);
    if (n == (int64_t)size)
        *ret_whole = ended ? !memchr(line, '\0', size) : append->is_whole(line, size);
    free(line);
    return n < 0 ? (int)n : (size_t)n < size ? -EIO : 0;
}

/* [APPEND-1] */
static int cut_torn(struct append *append, uint64_t start, struct untorn_error *error)
{
    struct target *target = &append->target;
    char entry[LIMIT_NAME + 1];
    struct os_stat now;
    int rc = kept_add_tail(&target->state, target->place.name, append->file, start,
                           append->end - start, entry);
    if (rc < 0)
        return rc == -ENOENT ? AGAIN : error_os(error, rc, "keep a torn record aside");
    rc = os_stat(append->file, NULL, &now);
    if (rc == 0 && now.size != append->end)
        return AGAIN; /* somebody else adds to it */
    if (rc == 0)
        rc = os_resize(append->file, start);
    /* Else a block of it could come back under the record that takes its place. */
    if (rc == 0 && target->options->level != UNTORN_CACHE)
        rc = os_flush(append->file);
    if (rc < 0)
        return error_os(error, rc, "cut a torn record");
    if (target->options->level != UNTORN_CACHE)
        lock_note_appended(&target->lock, true);
    append->end = start;
    error->flags |= UNTORN_FLAG_TAIL_KEPT;
    error_detail(error, "%s/%s/%s", target->state.name, state_folder_name(FOLDER_KEPT), entry);
    return 0;
}

/* *ret_newline: the last line is whole but for its newline. [APPEND-2] */
static int mend_end(struct append *append, bool *ret_newline, struct untorn_error *error)
{
    uint64_t start = 0;
    bool whole = true;
    char last = '\n';
    *ret_newline = false;
    if (append->end == 0)
        return 0;
    int64_t n = io_read(append->file, &last, 1, append->end - 1);
    bool ended = last == '\n';
    int rc = n < 0 ? (int)n : 0;
    if (rc == 0 && append->is_whole)
        rc = find_line(append, append->end - ended, &start);
    if (rc == 0)
        rc = judge_line(append, start, ended, &whole);
    if (rc < 0)
        return error_os(error, rc, "read its last line");
    if (!whole)
        return cut_torn(append, start, error);
    if (ended)
        return 0;
    *ret_newline = true;
    error->flags |= UNTORN_FLAG_TAIL_ENDED;
    return 0;
}

/* [APPEND-3] */
static int cut_back(struct append *append, int cause, struct untorn_error *error)
{
    struct os_stat now;
    uint64_t most = append->end + 1 + append->size;
    int rc = os_stat(append->file, NULL, &now);
    if (rc == 0 && now.size > append->end && now.size <= most)
        rc = os_resize(append->file, append->end);
    else if (rc == 0 && now.size != append->end)
        rc = -ESTALE;
    /* Else a power loss could bring back what was cut. */
    if (rc == 0 && append->target.options->level != UNTORN_CACHE)
        rc = os_flush(append->file);
    if (rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, cause, "add to it");
    return error_os(error, cause, "add to it");
}

/* [APPEND-4] */
static int flush_earlier(struct append *append, struct untorn_error *error)
{
    const struct target *target = &append->target;
    if (target->options->level == UNTORN_CACHE || append->end == 0 ||
        lock_appended_is_flushed(&target->lock))
        return 0;
    int rc = os_flush(append->file);
    return rc < 0 ? error_os(error, rc, "flush what was added before") : 0;
}

static int add(struct append *append, bool newline, struct untorn_error *error)
{
    size_t size = append->size + newline;
    char *text = malloc(size);
    if (!text)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    text[0] = '\n';
    memcpy(text + newline, append->data, append->size);
    lock_note_appended(&append->target.lock, false);
    int rc = io_write(append->file, text, size, append->end);
    free(text);
    return rc < 0 ? cut_back(append, rc, error) : 0;
}

static int flush(struct append *append, struct untorn_error *error)
{
    if (append->target.options->level == UNTORN_CACHE)
        return 0;
    int rc = os_flush(append->file);
    if (rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_FLUSH, rc, "flush it");
    lock_note_appended(&append->target.lock, true);
    /* The name too: whoever made the file may not have flushed it. */
    return replace_flush_name(&append->target, error);
}

/* [APPEND-3] A log that this call made goes with its failure. */
static int take_back(struct append *append, int rc, struct untorn_error *error)
{
    int os_rc = replace_take_back(&append->target, append->file);
    append->created = false;
    if (os_rc < 0)
        return error_unsettled(error, UNTORN_UNSETTLED_IN_PLACE, os_rc, "take it back");
    return rc;
}

/* With the lock held and the file looked at. */
static int append_once(struct append *append, struct untorn_error *error)
{
    bool newline;
    int rc = open_log(append, error);
    if (rc == 0)
        rc = mend_end(append, &newline, error);
    if (rc == 0)
        rc = flush_earlier(append, error);
    if (rc == 0 && !target_is_current(&append->target))
        rc = AGAIN;
    if (rc == 0)
        rc = add(append, newline, error);
    if (rc == 0)
        rc = flush(append, error);
    if (rc < 0 && append->created)
        rc = take_back(append, rc, error);
    if (rc >= 0 && append->created)
        error->flags |= UNTORN_FLAG_CREATED;
    os_close(append->file);
    append->file = OS_NONE;
    return rc;
}

int append_records(const char *path, const void *data, size_t size, append_is_whole *is_whole,
                   const struct untorn_options *options, struct untorn_error *error)
{
    struct append append = {.is_whole = is_whole, .data = data, .size = size, .file = OS_NONE};
    int rc = upward_refuse(path, options, error);
    if (rc != 0)
        return rc;
    rc = target_open(&append.target, path, options, error);
    while (rc == 0) {
        rc = target_lock(&append.target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = append_once(&append, error);
        if (rc != AGAIN)
            break;
        rc = target_reopen(&append.target, error);
    }
    target_close(&append.target);
    return rc;
}
