#include "file/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/inplace.h"
#include "file/io.h"
#include "file/upward.h"

void untorn_content_free(struct untorn_content *content)
{
    if (!content)
        return;
    free(content->data);
    memset(content, 0, sizeof *content);
}

/* `size` is what the file had when we looked; it may be growing. */
static int read_range(os_fd file, uint64_t offset, uint64_t size, struct untorn_content *content)
{
    size_t room = 0;
    for (;;) {
        room = room ? room * 2 : (size_t)size + 1; /* one more shows whether that was all */
        if (size >= LIMIT_CONTENT || room > LIMIT_CONTENT)
            return -EFBIG;
        char *data = realloc(content->data, room + 1);
        if (!data)
            return -ENOMEM;
        content->data = data;
        int64_t n =
            io_read(file, data + content->size, room - content->size, offset + content->size);
        if (n < 0)
            return (int)n;
        content->size += (size_t)n;
        if (content->size < room)
            break;
    }
    content->data[content->size] = '\0';
    content->hash = untorn_hash(content->data, content->size);
    return 0;
}

int read_open_file(os_fd file, struct untorn_content *ret_content)
{
    struct os_stat stat;
    memset(ret_content, 0, sizeof *ret_content);
    int rc = os_stat(file, NULL, &stat);
    if (rc == 0)
        rc = read_range(file, 0, stat.size, ret_content);
    if (rc < 0)
        untorn_content_free(ret_content);
    return rc;
}

/* The old version out of the journal; -ESTALE if the journal changed under us. */
static int read_journal(const struct inplace_view *view, struct untorn_content *ret_content)
{
    memset(ret_content, 0, sizeof *ret_content);
    char *data = malloc((size_t)view->old_size + 1);
    if (!data)
        return -ENOMEM;
    int64_t n = io_read(view->journal, data, (size_t)view->old_size, JOURNAL_HEAD);
    if (n >= 0)
        ret_content->hash = untorn_hash(data, (size_t)n);
    if (n < 0 || (uint64_t)n != view->old_size ||
        !untorn_hash_equal(&ret_content->hash, &view->old_hash)) {
        free(data);
        return n < 0 ? (int)n : -ESTALE;
    }
    data[n] = '\0';
    ret_content->data = data;
    ret_content->size = (size_t)n;
    return 0;
}

/* What is done with the file. */
struct reading {
    read_function *function;
    void *context;
    struct untorn_content
        *whole; /* read_whole fills this, and it may come from elsewhere; or NULL */
};

static int read_whole(void *context, os_fd file, uint64_t size)
{
    (void)size;
    return read_open_file(file, context);
}

static struct reading reading_whole(struct untorn_content *ret_content)
{
    return (struct reading){.function = read_whole, .context = ret_content, .whole = ret_content};
}

/* *ret_hold stays open. */
static int read_file(const struct place *place, const struct reading *reading, os_fd *ret_hold)
{
    struct os_stat stat;
    int rc = io_open(place->dir, place->name, OS_READ, 0, ret_hold);
    if (rc < 0)
        return rc;
    rc = os_stat(*ret_hold, NULL, &stat);
    if (rc == 0 && stat.kind != OS_REGULAR)
        rc = -ESTALE; /* it was a file a moment ago: look again */
    return rc == 0 ? reading->function(reading->context, *ret_hold, stat.size) : rc;
}

/* The folder itself may have been made meanwhile. */
static int look_again(const struct place *place, struct state *state,
                      const struct untorn_options *options, struct inplace_view *ret_view)
{
    struct untorn_error unseen;
    error_begin(&unseen, NULL, NULL);
    if (!state->present && state_open(place, options, STATE_IF_USABLE, state, &unseen) != 0)
        return -ESTALE;
    return inplace_look(place, state, ret_view);
}

/* [INPLACE-4] */
static int read_unlocked(const struct place *place, struct state *state,
                         const struct untorn_options *options, const struct reading *reading,
                         os_fd *ret_hold)
{
    struct inplace_view before, after = {.journal = OS_NONE};
    *ret_hold = OS_NONE;
    int rc = inplace_look(place, state, &before);
    if (rc < 0)
        return rc;
    if (before.active) {
        rc = reading->whole ? read_journal(&before, reading->whole) : READ_WHOLE;
        inplace_view_close(&before);
        return rc;
    }
    rc = read_file(place, reading, ret_hold);
    if (rc < 0)
        return rc;
    rc = look_again(place, state, options, &after);
    inplace_view_close(&after);
    if (rc == 0 && (after.active || after.sequence != before.sequence))
        rc = -ESTALE;
    if (rc < 0 && reading->whole)
        untorn_content_free(reading->whole);
    return rc;
}

int read_place(const struct place *place, struct state *state, const struct untorn_options *options,
               os_fd *ret_hold, struct untorn_content *ret_content)
{
    struct reading reading = reading_whole(ret_content);
    return read_unlocked(place, state, options, &reading, ret_hold);
}

/* One try. -ESTALE: something happened meanwhile. */
static int read_once(const struct place *place, struct state *state,
                     const struct untorn_options *options, const struct reading *reading)
{
    struct untorn_content unused = {0};
    os_fd hold;
    int rc = upward_read(place, state, reading->whole ? reading->whole : &unused);
    untorn_content_free(&unused);
    if (rc > 0)
        return reading->whole ? 0 : READ_WHOLE;
    if (rc < 0)
        return rc;
    rc = read_unlocked(place, state, options, reading, &hold);
    os_close(hold);
    return rc;
}

/* -ESTALE as the seam never gives it, except for a file handle of NFS: also a reason to try again.
 */
static int read_resolved(const char *path, const struct untorn_options *options,
                         const struct reading *reading, struct untorn_error *error)
{
    for (int i = 0; i < LIMIT_RESTARTS; i++) {
        struct place place;
        struct state state = STATE_CLOSED;
        int os_rc = 0;
        int rc = place_resolve(path, options, &place, error);
        if (rc == 0)
            rc = state_open(&place, options, STATE_IF_USABLE, &state, error);
        if (rc == 0) {
            os_rc = read_once(&place, &state, options, reading);
            if (os_rc == -ELOOP)
                os_rc = -ESTALE; /* became a link */
            if (os_rc < 0 && os_rc != -ESTALE)
                rc = place_fail(&place, os_rc, NULL, error);
        }
        state_close(&state);
        place_close(&place);
        if (rc != 0)
            return rc;
        if (os_rc != -ESTALE)
            return os_rc;
        os_sleep_ns(LIMIT_POLL_NS / 10);
    }
    return error_fail(error, UNTORN_RESTLESS, NULL);
}

/* Of the options those count that say which file it is. */
static int read_with(const char *path, const struct untorn_options *options,
                     const struct reading *reading, struct untorn_error *error)
{
    struct untorn_options given = {0};
    if (options) {
        given.symlink = options->symlink == UNTORN_REFUSE_LINK ? UNTORN_REFUSE_LINK : UNTORN_FOLLOW;
        given.state_dir = options->state_dir;
    }
    return read_resolved(path, &given, reading, error);
}

int read_by(const char *path, const struct untorn_options *options, read_function *function,
            void *context, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct reading reading = {.function = function, .context = context};
    return read_with(path, options, &reading, error);
}

int untorn_read(const char *path, const struct untorn_options *options,
                struct untorn_content *ret_content, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct reading reading = reading_whole(ret_content);
    memset(ret_content, 0, sizeof *ret_content);
    return read_with(path, options, &reading, error);
}

int untorn_hash_file(const char *path, const struct untorn_options *options,
                     struct untorn_hash *ret_hash, struct untorn_error *reterr)
{
    struct untorn_content content;
    int rc = untorn_read(path, options, &content, reterr);
    if (rc == 0)
        *ret_hash = content.hash;
    untorn_content_free(&content);
    return rc;
}
