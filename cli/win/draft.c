#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "system.h"
#include "win/inside.h"

/* ---- where ---- */

/* The user's own folder for what is temporary. */
static int find_temporary(char path[CLI_PATH])
{
    typedef DWORD(WINAPI * get_path)(DWORD size, LPWSTR path);
    wchar_t wide[MAX_PATH + 2];
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    get_path ask = (get_path)win_find_function(kernel, "GetTempPath2W");
    DWORD count = (ask ? ask : GetTempPathW)(MAX_PATH + 1, wide); /* the newer one is not there
                                                                      before Windows 11 */
    if (count == 0 || count > MAX_PATH)
        return count == 0 ? win_last_failure() : -ENAMETOOLONG;
    int size = win_narrow(wide, count, path, CLI_PATH);
    if (size > 3 && path[size - 1] == '/')
        path[size - 1] = '\0';
    return size < 0 ? size : 0;
}

/* It passes on to what is made in it that nobody else may read it. */
static int make_private(const char *path)
{
    static wchar_t full[WIN_PATH];
    SECURITY_ATTRIBUTES security = {.nLength = sizeof security};
    int rc = win_full_path(OS_NONE, path, full);
    if (rc < 0)
        return rc;
    if (!win_private_descriptor(&security.lpSecurityDescriptor))
        return win_last_failure();
    rc = CreateDirectoryW(full, &security) ? 0 : win_last_failure();
    LocalFree(security.lpSecurityDescriptor);
    return rc;
}

int system_make_folder(const char *file, char folder[CLI_PATH], system_stream *ret_hold)
{
    char temporary[CLI_PATH];
    uint64_t number;
    (void)file;
    *ret_hold = SYSTEM_NONE; /* nobody lists what is there */
    int rc = find_temporary(temporary);
    if (rc == 0)
        rc = os_random(&number, sizeof number);
    if (rc < 0)
        return -rc;
    int length =
        snprintf(folder, CLI_PATH, "%s/untorn-%016llx", temporary, (unsigned long long)number);
    return length < CLI_PATH ? -make_private(folder) : ENAMETOOLONG;
}

/* ---- which ---- */

void system_list_folders(const char *directory, void (*visit)(void *context, const char *folder),
                         void *context)
{
    (void)directory; /* none lies beside its file */
    (void)visit;
    (void)context;
}

/* ---- what ---- */

int system_make_file(const char *path, const void *data, size_t size)
{
    HANDLE file;
    int rc = win_open(OS_NONE, path, FILE_GENERIC_WRITE, FILE_CREATE, FILE_NON_DIRECTORY_FILE,
                      FILE_ATTRIBUTE_NORMAL, &file);
    if (rc < 0)
        return -rc;
    uint64_t done = 0;
    while (rc == 0 && done < size) {
        int64_t count = os_write_at((os_fd)file, (const char *)data + done, size - done, done);
        rc = count < 0 ? (int)count : 0;
        done += count > 0 ? (uint64_t)count : 0;
    }
    int closed = os_close((os_fd)file);
    return rc < 0 ? -rc : -closed;
}

static int remove_name(void *context, const char *name)
{
    (void)os_remove(*(os_fd *)context, name, false); /* a directory stays, and keeps it */
    return 0;
}

void system_remove_folder(const char *folder)
{
    os_fd dir;
    if (os_open_dir(OS_NONE, folder, false, &dir) < 0)
        return;
    (void)os_list(dir, remove_name, &dir);
    os_close(dir);
    (void)os_remove(OS_NONE, folder, true);
}
