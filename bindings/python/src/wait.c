#include "binding.h"

#include <string.h>
#include <time.h>

/* How long a signal may have to wait for its handler. */
enum { PIECE_MS = 50 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int try_once(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    attempt->thread = PyEval_SaveThread();
    int rc = attempt->run(attempt, wait_ms, error);
    PyEval_RestoreThread(attempt->thread);
    return rc;
}

int try_in_pieces(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    if (wait_ms == UNTORN_TRY_ONCE)
        return try_once(attempt, wait_ms, error);
    int64_t end = now_ms() + (wait_ms ? wait_ms : UNTORN_WAIT_DEFAULT_MS);
    for (;;) {
        int64_t left = end - now_ms();
        int piece = left <= 0 ? UNTORN_TRY_ONCE : left < PIECE_MS ? (int)left : PIECE_MS;
        int rc = try_once(attempt, piece, error);
        if (rc != -UNTORN_LOCKED || PyErr_Occurred())
            return rc;
        if (PyErr_CheckSignals() != 0)
            return INTERRUPTED;
        if (left <= 0)
            return rc;
    }
}

/* An attempt inside the locks of its files. */
struct locked_attempt {
    struct attempt attempt;
    struct attempt *inner;
    const char *const *paths;
    size_t count;
    struct untorn_options options;
    struct untorn_lock **locks;
};

static int run_locked(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct locked_attempt *locked = (struct locked_attempt *)attempt;
    locked->options.wait_ms = wait_ms;
    int rc = untorn_lock_all(locked->paths, locked->count, UNTORN_LOCK_EXCLUSIVE, &locked->options,
                             locked->locks, error);
    if (rc != 0)
        return rc;
    locked->inner->thread = attempt->thread;
    rc = locked->inner->run(locked->inner, wait_ms, error);
    attempt->thread = locked->inner->thread;
    for (size_t i = 0; i < locked->count; i++)
        untorn_unlock(locked->locks[i]);
    return rc;
}

int try_under_locks(struct attempt *attempt, const char *const *paths, size_t count,
                    const struct untorn_options *options, struct untorn_error *error)
{
    int rc = try_once(attempt, UNTORN_TRY_ONCE, error);
    if (rc != -UNTORN_LOCKED || PyErr_Occurred() || options->wait_ms == UNTORN_TRY_ONCE)
        return rc;
    if (PyErr_CheckSignals() != 0)
        return INTERRUPTED;
    struct locked_attempt locked = {{run_locked, NULL}, attempt, paths, count, *options, NULL};
    locked.locks = allocate(count, sizeof *locked.locks);
    if (!locked.locks)
        return INTERRUPTED;
    rc = try_in_pieces(&locked.attempt, options->wait_ms, error);
    PyMem_Free(locked.locks);
    return rc;
}
