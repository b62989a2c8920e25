/* Who has a file open. The Restart Manager knows, which is there to ask programs to close before an
 * update; it is loaded by whoever asks, and nothing is asked of the programs. */
#include "os/win/holders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 3, SEEN = 16 };

static void add(char *text, size_t size, const char *part)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", part);
}

/* All, or as many as are shown; its programs may have more processes of one name. */
static void describe(const RM_PROCESS_INFO *list, UINT count, char *text, size_t size)
{
    char name[256], part[320];
    text[0] = '\0';
    for (UINT i = 0; i < count && i < SHOWN; i++) {
        const wchar_t *wide = list[i].strAppName[0] ? list[i].strAppName : L"a program";
        win_show(wide, name, sizeof name);
        snprintf(part, sizeof part, "%s%s (process %lu)", i > 0 ? ", " : "", name,
                 (unsigned long)list[i].Process.dwProcessId);
        add(text, size, part);
    }
    if (count > SHOWN) {
        snprintf(part, sizeof part, " and %u more", count - SHOWN);
        add(text, size, part);
    }
}

int win_ask_holders(const struct win_manager *manager, const wchar_t *path, char *text, size_t size)
{
    static _Thread_local RM_PROCESS_INFO list[SEEN];
    WCHAR key[CCH_RM_SESSION_KEY + 1] = L"";
    LPCWSTR paths[] = {path};
    UINT needed = 0, count = SEEN;
    DWORD session, reasons = 0;
    if (manager->start(&session, 0, key) != ERROR_SUCCESS)
        return -ENOENT;
    DWORD code = manager->add(session, 1, paths, 0, NULL, 0, NULL);
    if (code == ERROR_SUCCESS)
        code = manager->list(session, &needed, &count, list, &reasons);
    manager->end(session);
    if (code == ERROR_MORE_DATA) { /* what fits need not be there */
        snprintf(text, size, "%u programs", needed);
        return 0;
    }
    if (code != ERROR_SUCCESS || count == 0 || count > SEEN)
        return -ENOENT;
    describe(list, count, text, size);
    return 0;
}

int win_holders(wchar_t path[WIN_PATH], char *text, size_t size)
{
    const wchar_t *plain = path + 4;
    if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
        path[6] = L'\\';
        plain = path + 6;
    }
    HMODULE library = LoadLibraryExW(L"rstrtmgr.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    struct win_manager manager = {
        (win_manager_start)win_find_function(library, "RmStartSession"),
        (win_manager_add)win_find_function(library, "RmRegisterResources"),
        (win_manager_list)win_find_function(library, "RmGetList"),
        (win_manager_end)win_find_function(library, "RmEndSession"),
    };
    bool there = manager.start && manager.add && manager.list && manager.end;
    int rc = there ? win_ask_holders(&manager, plain, text, size) : -ENOENT;
    if (library)
        FreeLibrary(library);
    return rc;
}
