/* What tests/windows/worker.c writes, for those who judge it. */
#ifndef UNTORN_TESTS_WINDOWS_WORKER_H
#define UNTORN_TESTS_WINDOWS_WORKER_H

#define GATE "gate"
enum { LENGTH = 20000, LAST_LETTER = 'z', UNSETTLED = 200 };

static inline char next_letter(char letter)
{
    return letter == LAST_LETTER ? 'a' : (char)(letter + 1);
}

#endif
