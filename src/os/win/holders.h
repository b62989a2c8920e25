/* Who has a file open. What is asked is named, so that a test can answer: Wine does not. */
#ifndef UNTORN_OS_WIN_HOLDERS_H
#define UNTORN_OS_WIN_HOLDERS_H

#include "os/win/win.h"

#include <restartmanager.h>

typedef DWORD(WINAPI *win_manager_start)(DWORD *ret_session, DWORD flags, WCHAR key[]);
typedef DWORD(WINAPI *win_manager_add)(DWORD session, UINT files, LPCWSTR paths[], UINT programs,
                                       RM_UNIQUE_PROCESS list[], UINT services, LPCWSTR names[]);
typedef DWORD(WINAPI *win_manager_list)(DWORD session, UINT *ret_needed, UINT *count,
                                        RM_PROCESS_INFO list[], LPDWORD ret_reasons);
typedef DWORD(WINAPI *win_manager_end)(DWORD session);

struct win_manager {
    win_manager_start start;
    win_manager_add add;
    win_manager_list list;
    win_manager_end end;
};

/* As os_holders, of a path from win_full_path, which it changes. */
int win_holders(wchar_t path[WIN_PATH], char *text, size_t size);

/* The same of a path without \\?\. */
int win_ask_holders(const struct win_manager *manager, const wchar_t *path, char *text,
                    size_t size);

#endif
