#include "edit_combine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "place.h"

enum { LETTERS = EDIT_WORKERS * EDIT_SEATS, PATH_ROOM = EDIT_NAME + 16, LOOK_US = 50 };

struct combining {
    struct edit_shared *shared;
    const struct edit_job *job; /* of the holder */
    char stage[PATH_ROOM];
    char *text;
    size_t size;
    bool changed;
};

static bool is_fault(const struct combining *combining, enum edit_fault fault)
{
    return combining->shared->orders.fault == (int)fault;
}

/* ---- letters ---- */

/* With the file: a letter that was taken back and posted anew for another one is another letter. */
static int state_for(enum edit_letter_state state, long file)
{
    return (int)state | (int)file << 8;
}

static enum edit_letter_state state_of(int state)
{
    return (enum edit_letter_state)(state & 0xff);
}

/* The next one of this file in this state, from `*at` on; NULL: there is none. */
static struct edit_letter *next_letter(const struct combining *combining, long *at,
                                       enum edit_letter_state state)
{
    while (*at < LETTERS) {
        struct edit_letter *letter = &combining->shared->letters[(*at)++];
        if (atomic_load(&letter->state) == state_for(state, combining->job->file))
            return letter;
    }
    return NULL;
}

static void report(const struct combining *combining)
{
    struct edit_letter *letter;
    long at = 0;
    while ((letter = next_letter(combining, &at, LETTER_TAKEN)))
        atomic_store(&letter->state, LETTER_DONE);
}

/* ---- the holder ---- */

static void settle(const struct combining *combining)
{
    atomic_bool *intends = &combining->shared->intends[combining->job->file];
    bool applied = atomic_load(intends) && access(combining->stage, F_OK) != 0;
    if (is_fault(combining, FAULT_REPEAT))
        applied = false;
    else if (is_fault(combining, FAULT_TRUST))
        applied = atomic_load(intends);
    if (applied)
        report(combining);
    struct edit_letter *letter;
    long at = 0;
    while ((letter = next_letter(combining, &at, LETTER_TAKEN)))
        atomic_store(&letter->state, state_for(LETTER_POSTED, combining->job->file));
    atomic_store(intends, false);
}

static void apply(struct combining *combining, struct edit_letter *letter)
{
    struct edit_job job = *combining->job;
    struct edit_update update;
    char *text = NULL;
    size_t size = 0;
    job.number = letter->number;
    job.kind = (enum edit_kind)letter->kind;
    edit_update_make(&update, &job);
    int rc = letter->has_hash
                 ? -UNTORN_CHANGED
                 : edit_text(&job, &update, combining->text, combining->size, &text, &size);
    if (rc == 0) {
        free(combining->text);
        combining->text = text;
        combining->size = size;
        combining->changed = true;
    }
    atomic_store(&letter->status, rc);
}

static void publish(const struct combining *combining)
{
    atomic_bool *intends = &combining->shared->intends[combining->job->file];
    struct blob blob = {combining->text, combining->size};
    atomic_store(intends, is_fault(combining, FAULT_TRUST));
    blob_write(".", combining->stage, &blob, 0666);
    atomic_store(intends, true);
    if (is_fault(combining, FAULT_FORESTALL))
        report(combining);
    if (rename(combining->stage, combining->job->name) != 0)
        place_die("cannot rename", combining->stage);
    report(combining);
    atomic_store(intends, false);
}

static void combine(const struct edit_job *job)
{
    struct combining combining = {.shared = job->shared, .job = job};
    struct edit_letter *letter;
    long at = 0;
    snprintf(combining.stage, sizeof combining.stage, "%s.stage", job->name);
    settle(&combining);
    struct blob old = blob_read(".", job->name);
    combining.text = old.data;
    combining.size = old.size;
    while ((letter = next_letter(&combining, &at, LETTER_POSTED))) {
        int posted = state_for(LETTER_POSTED, job->file);
        if (atomic_compare_exchange_strong(&letter->state, &posted,
                                           state_for(LETTER_TAKEN, job->file)))
            apply(&combining, letter);
    }
    if (combining.changed)
        publish(&combining);
    else
        report(&combining);
    free(combining.text);
}

/* ---- who comes ---- */

/* The lock file, locked; -1: somebody has it. */
static int try_lock(const struct edit_job *job)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s.lock", job->name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        place_die("cannot open", path);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    close(fd);
    return -1;
}

/* True if the lock was had. */
static bool try_combining(const struct edit_job *job)
{
    int fd = try_lock(job);
    if (fd < 0)
        return false;
    combine(job);
    close(fd);
    return true;
}

static bool is_too_late(const struct edit_job *job, uint64_t begun)
{
    return (int64_t)(history_now() - begun) > job->options.wait_ms * (int64_t)1000000;
}

/* Takes a predecessor's letter back, or lets it be settled: it may lie with the holder. */
static void empty(struct edit_letter *letter, const struct edit_job *job)
{
    for (;;) {
        int now = atomic_load(&letter->state);
        if (state_of(now) != LETTER_TAKEN &&
            (state_of(now) != LETTER_POSTED ||
             atomic_compare_exchange_strong(&letter->state, &now, LETTER_NONE)))
            return;
        struct edit_job earlier = *job;
        earlier.file = letter->file;
        edit_file_name(atomic_load(&job->shared->epoch), letter->file, earlier.name);
        if (!try_combining(&earlier))
            edit_nap(LOOK_US);
    }
}

/* True if it was taken back. */
static bool take_back(struct edit_letter *letter, const struct edit_job *job)
{
    int posted = state_for(LETTER_POSTED, job->file);
    if (atomic_compare_exchange_strong(&letter->state, &posted, LETTER_NONE))
        return true;
    return job->shared->orders.fault == FAULT_TURN_AWAY;
}

int edit_combine(const struct edit_job *job)
{
    uint64_t begun = history_now();
    uint32_t seat = edit_history(job->shared, job->file)->operations[job->number].worker;
    struct edit_letter *letter = &job->shared->letters[seat];
    empty(letter, job);
    letter->file = job->file;
    letter->number = job->number;
    letter->kind = (int)job->kind;
    letter->has_hash = job->options.if_match != NULL;
    atomic_store(&letter->state, state_for(LETTER_POSTED, job->file));
    while (atomic_load(&letter->state) != LETTER_DONE) {
        if (try_combining(job))
            continue;
        if (is_too_late(job, begun) && take_back(letter, job))
            return -UNTORN_LOCKED;
        edit_nap(LOOK_US);
    }
    return atomic_load(&letter->status);
}
