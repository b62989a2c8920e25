/* What the system says of itself: file systems, processes, clocks, random bytes. */
#include "os/win/win.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bcrypt.h>
#include <shlobj.h>

int os_capabilities(os_fd dir, struct os_capabilities *ret_capabilities)
{
    wchar_t name[MAX_PATH + 1] = L"";
    FILE_REMOTE_PROTOCOL_INFO remote;
    HANDLE handle = win_handle(dir);
    if (!GetVolumeInformationByHandleW(handle, NULL, 0, NULL, NULL, NULL, name, MAX_PATH + 1))
        return win_last_failure();
    *ret_capabilities = (struct os_capabilities){.full_flush = true};
    if (win_narrow(name, wcslen(name), ret_capabilities->filesystem,
                   sizeof ret_capabilities->filesystem) < 0)
        strcpy(ret_capabilities->filesystem, "unknown");
    ret_capabilities->network =
        GetFileInformationByHandleEx(handle, FileRemoteProtocolInfo, &remote, sizeof remote);
    return 0;
}

/* \\?\C:\x is /C:/x, \\?\UNC\server\share is //server/share. */
int os_dir_path(os_fd dir, char *path, size_t size)
{
    static _Thread_local wchar_t wide[WIN_PATH];
    DWORD count = GetFinalPathNameByHandleW(win_handle(dir), wide, WIN_PATH, 0);
    if (count == 0 || count >= WIN_PATH)
        return count == 0 ? win_last_failure() : -ENAMETOOLONG;
    bool share = wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0;
    size_t skipped = share ? 6 : 3;
    if (share)
        wide[6] = L'\\';
    int rc = win_narrow(wide + skipped, count - skipped, path, size);
    if (rc > 0 && path[rc - 1] == '/' && rc > 1) /* C:\ */
        path[rc - 1] = '\0';
    return rc < 0 ? rc : 0;
}

static uint64_t start_of(HANDLE process)
{
    FILETIME made, ended, kernel, user;
    if (!GetProcessTimes(process, &made, &ended, &kernel, &user))
        return 0;
    return (uint64_t)made.dwHighDateTime << 32 | made.dwLowDateTime;
}

/* The system counts its starts. */
static void read_boot(char *boot, size_t size)
{
    DWORD number = 0, bytes = sizeof number;
    static const wchar_t key[] = L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\"
                                 L"Memory Management\\PrefetchParameters";
    boot[0] = '\0';
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"BootId", RRF_RT_REG_DWORD, NULL, &number, &bytes) ==
        ERROR_SUCCESS)
        snprintf(boot, size, "boot-%lu", (unsigned long)number);
}

void os_self(struct os_process *ret_self)
{
    wchar_t host[256] = L"";
    DWORD count = sizeof host / sizeof *host;
    memset(ret_self, 0, sizeof *ret_self);
    ret_self->pid = GetCurrentProcessId();
    ret_self->start = start_of(GetCurrentProcess());
    read_boot(ret_self->boot, sizeof ret_self->boot);
    if (GetComputerNameExW(ComputerNameDnsHostname, host, &count))
        win_show(host, ret_self->host, sizeof ret_self->host);
    win_show(GetCommandLineW(), ret_self->command, sizeof ret_self->command);
}

uint32_t os_user(void)
{
    return win_user();
}

bool os_is_alive(const struct os_process *process)
{
    char boot[sizeof process->boot];
    read_boot(boot, sizeof boot);
    if (process->pid <= 0 || strcmp(boot, process->boot) != 0)
        return false;
    HANDLE handle =
        OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)process->pid);
    if (!handle)
        return GetLastError() == ERROR_ACCESS_DENIED; /* another user's */
    bool alive =
        WaitForSingleObject(handle, 0) == WAIT_TIMEOUT && start_of(handle) == process->start;
    CloseHandle(handle);
    return alive;
}

uint64_t os_clock_ns(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&now);
    uint64_t count = (uint64_t)now.QuadPart, second = (uint64_t)rate.QuadPart;
    return count / second * 1000000000u + count % second * 1000000000u / second;
}

int64_t os_wall_clock(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    LARGE_INTEGER ticks = {.LowPart = now.dwLowDateTime, .HighPart = (LONG)now.dwHighDateTime};
    return win_since_1970(ticks) / OS_SECOND;
}

void os_sleep_ns(uint64_t duration)
{
    Sleep((DWORD)((duration + 999999) / 1000000));
}

int os_random(void *data, size_t size)
{
    NTSTATUS status = BCryptGenRandom(NULL, data, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status < 0 ? -EIO : 0;
}

const char *os_variable(const char *name)
{
    enum { MOST = 32768 }; /* characters of a value, and a terminator */
    static _Thread_local wchar_t wide[MOST];
    static _Thread_local char text[3 * MOST];
    wchar_t wide_name[256];
    if (win_utf16(name, wide_name, sizeof wide_name / sizeof *wide_name) < 0)
        return NULL;
    SetLastError(ERROR_SUCCESS);
    DWORD count = GetEnvironmentVariableW(wide_name, wide, MOST);
    if ((count == 0 && GetLastError() != ERROR_SUCCESS) || count >= MOST)
        return NULL;
    return win_utf8(wide, count, text, sizeof text) < 0 ? NULL : text;
}

/* Shell32 is large, and most never ask: it is loaded by whoever does. */
int os_config_folder(char *path, size_t size)
{
    typedef HRESULT(WINAPI * known_folder)(REFKNOWNFOLDERID id, DWORD flags, HANDLE token,
                                           PWSTR * ret_path);
    typedef void(WINAPI * give_back)(LPVOID memory);
    static const GUID roaming = {
        0x3EB685DB, 0x65F9, 0x4CF6, {0xA0, 0x3A, 0xE3, 0xEF, 0x65, 0x72, 0x9F, 0x3D}};
    HMODULE shell = LoadLibraryExW(L"shell32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    HMODULE ole = LoadLibraryExW(L"ole32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    known_folder ask = (known_folder)win_find_function(shell, "SHGetKnownFolderPath");
    give_back done = (give_back)win_find_function(ole, "CoTaskMemFree");
    PWSTR found = NULL;
    int rc = -ENOENT;
    if (ask && done && ask(&roaming, 0, NULL, &found) == S_OK)
        rc = win_narrow(found, wcslen(found), path, size);
    if (done)
        done(found); /* also after a failure, as it is documented */
    if (shell)
        FreeLibrary(shell);
    if (ole)
        FreeLibrary(ole);
    return rc < 0 ? rc : 0;
}
