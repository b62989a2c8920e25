#include "binding.h"

#include <time.h>

/* How long a signal may have to wait for its handler. Not shorter: who waits for the locks of
 * several files begins anew with each piece. */
enum { PIECE_MS = 200 };

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

/* Whether it was the piece that was too short. RESTLESS may come after so many tries instead, and
 * then stays. */
static bool ended_with_the_piece(int rc, int64_t begun, int piece)
{
    return rc == -UNTORN_LOCKED || (rc == -UNTORN_RESTLESS && now_ms() - begun >= piece);
}

int try_in_pieces(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    if (wait_ms == UNTORN_TRY_ONCE)
        return try_once(attempt, wait_ms, error);
    int64_t end = now_ms() + (wait_ms ? wait_ms : UNTORN_WAIT_DEFAULT_MS);
    for (;;) {
        int64_t begun = now_ms(), left = end - begun;
        int piece = left <= 0 ? UNTORN_TRY_ONCE : left < PIECE_MS ? (int)left : PIECE_MS;
        int rc = try_once(attempt, piece, error);
        if (!ended_with_the_piece(rc, begun, piece) || PyErr_Occurred())
            return rc;
        if (PyErr_CheckSignals() != 0)
            return INTERRUPTED;
        if (left <= 0)
            return rc;
    }
}
