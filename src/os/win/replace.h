/* Replacing a file in two steps, where there is no rename that does it in one. What is called is
 * named, so that a test can answer. */
#ifndef UNTORN_OS_WIN_REPLACE_H
#define UNTORN_OS_WIN_REPLACE_H

#include "os/win/win.h"

/* ReplaceFileW and MoveFileExW. */
struct win_replacer {
    BOOL(WINAPI *replace)
    (LPCWSTR old, LPCWSTR new, LPCWSTR spare, DWORD flags, LPVOID exclude, LPVOID reserved);
    BOOL(WINAPI *move)(LPCWSTR from, LPCWSTR to, DWORD flags);
};

/* Puts `new` in the place of `old`, which is then at `spare`. -EBUSY and any other failure: `old`
 * has its name, as before. -ENOTRECOVERABLE: nothing has it; both files are there, at `spare` and
 * at `new`. */
int win_replace(const struct win_replacer *call, const wchar_t *old, const wchar_t *new,
                const wchar_t *spare);

#endif
