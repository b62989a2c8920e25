/* Commits for tests, and processes that die in the middle of one.
 *
 *     const struct step both[] = {PUT("x", "new x"), PUT("y", "new y"), {0}};
 *     CHECK_INT(commit_steps(both, NULL, &error), 0);
 *     die_at(both, CALL_RENAME, "/y", 1);     another process commits, and is killed there
 */
#ifndef UNTORN_TESTS_TXN_COMMITS_H
#define UNTORN_TESTS_TXN_COMMITS_H

#include <signal.h>

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"
#include "txn/slotfile.h"

struct step {
    const char *path;
    const char *text; /* NULL: it is removed */
    struct untorn_options options;
};

#define PUT(path_, text_)                                                                          \
    {                                                                                              \
        .path = path_, .text = text_                                                               \
    }
#define PUT_AS(path_, text_, ...)                                                                  \
    {                                                                                              \
        .path = path_, .text = text_, .options = { __VA_ARGS__ }                                   \
    }
#define REMOVE(path_)                                                                              \
    {                                                                                              \
        .path = path_                                                                              \
    }

static inline int commit_steps(const struct step *steps, const struct untorn_options *how,
                               struct untorn_error *reterr)
{
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(how, &save, reterr);
    for (; rc == 0 && steps->path; steps++)
        rc = steps->text ? untorn_transaction_put(save, steps->path, steps->text,
                                                  strlen(steps->text), &steps->options, reterr)
                         : untorn_transaction_remove(save, steps->path, &steps->options, reterr);
    if (rc == 0)
        rc = untorn_transaction_commit(save, reterr);
    untorn_transaction_free(save);
    return rc;
}

struct death {
    const struct step *steps;
    const struct untorn_options *options;
    enum call call;
    const char *path;
    int nth;
};

static inline void die(void *context)
{
    (void)context;
    kill(getpid(), SIGKILL);
}

static inline void commit_and_die(void *context)
{
    const struct death *death = context;
    at(death->call, death->path, death->nth, die, NULL);
    CHECK_INT(commit_steps(death->steps, death->options, NULL), 0);
}

static inline void die_at(const struct step *steps, enum call call, const char *path, int nth)
{
    struct death death = {steps, NULL, call, path, nth};
    CHECK_INT(end_of(start_child(commit_and_die, &death)), -SIGKILL);
}

/* The slot below `directory` ("d/"), or "" for the working directory. */
static inline int read_slot(const char *directory, struct slot *ret_slot)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.untorn/journal/slot", directory);
    int file = open(path, O_RDONLY);
    CHECK(file >= 0);
    int rc = slot_read_head(fd_of(file), ret_slot);
    close(file);
    return rc;
}

static inline struct slot slot_of(const char *directory)
{
    struct slot slot = {0};
    CHECK_INT(read_slot(directory, &slot), 0);
    return slot;
}

/* An empty one is not. */
static inline bool is_active(const char *directory)
{
    struct slot slot = {0};
    int rc = read_slot(directory, &slot);
    CHECK(rc == 0 || rc == -ENODATA);
    return rc == 0 && slot_is_active(&slot);
}

#endif
