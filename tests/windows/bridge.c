/* A program of Unix as one of Windows, for tests under Wine: sed.exe runs sed, and ends with its
 * status. Wine can start programs of Unix, but not wait for them; so a shell says when it is done.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

enum { LINE = 32768 };

/* What stands behind the first word. */
static const wchar_t *arguments(const wchar_t *line)
{
    wchar_t end = *line == L'"' ? L'"' : L' ';
    line += *line == L'"';
    while (*line && *line != end)
        line++;
    return line + (*line != L'\0');
}

static void name_of(const wchar_t *path, wchar_t name[64])
{
    const wchar_t *last = wcsrchr(path, L'\\');
    _snwprintf(name, 63, L"%ls", last ? last + 1 : path);
    name[63] = L'\0';
    wchar_t *dot = wcsrchr(name, L'.');
    if (dot)
        *dot = L'\0';
}

static void copy(HANDLE from, HANDLE to)
{
    static char data[65536];
    DWORD count, written;
    while (ReadFile(from, data, sizeof data, &count, NULL) && count > 0)
        WriteFile(to, data, count, &written, NULL);
}

/* A pipe of Wine is none of the system below it: what comes through it goes through a file. */
static bool is_inner_pipe(DWORD standard)
{
    return GetNamedPipeInfo(GetStdHandle(standard), NULL, NULL, NULL, NULL);
}

static HANDLE open_file(const wchar_t *status, const wchar_t *ending, DWORD access, DWORD how)
{
    wchar_t path[160];
    _snwprintf(path, 159, L"Z:%ls%ls", status, ending);
    return CreateFileW(path, access, 7, NULL, how, FILE_FLAG_DELETE_ON_CLOSE, NULL);
}

static int await(const wchar_t *status)
{
    char text[16] = "";
    DWORD count;
    HANDLE file;
    while ((file = open_file(status, L"", GENERIC_READ, OPEN_EXISTING)) == INVALID_HANDLE_VALUE)
        Sleep(5);
    ReadFile(file, text, sizeof text - 1, &count, NULL);
    CloseHandle(file);
    return atoi(text);
}

int main(void)
{
    static wchar_t line[LINE], path[LINE];
    wchar_t name[64], status[128];
    STARTUPINFOW how = {.cb = sizeof how};
    PROCESS_INFORMATION process;
    HANDLE input = NULL;
    bool in = is_inner_pipe(STD_INPUT_HANDLE), out = is_inner_pipe(STD_OUTPUT_HANDLE);
    GetModuleFileNameW(NULL, path, LINE);
    name_of(path, name);
    _snwprintf(status, 127, L"/tmp/untorn-bridge-%lu-%llu", GetCurrentProcessId(),
               (unsigned long long)GetTickCount64());
    if (in) {
        input = open_file(status, L"-in", GENERIC_WRITE, CREATE_ALWAYS);
        copy(GetStdHandle(STD_INPUT_HANDLE), input);
    }
    _snwprintf(line, LINE - 1,
               L"sh -c \"status=$1; shift; \\\"$@\\\" %ls %ls; echo $? >$status-; "
               L"mv $status- $status\" bridge %ls %ls %ls",
               in ? L"<$status-in" : L"", out ? L">$status-out" : L"", status, name,
               arguments(GetCommandLineW()));
    if (!CreateProcessW(L"Z:\\bin\\sh", line, NULL, NULL, TRUE, 0, NULL, NULL, &how, &process))
        return 126;
    int code = await(status);
    if (in)
        CloseHandle(input);
    if (out) {
        HANDLE output = open_file(status, L"-out", GENERIC_READ, OPEN_EXISTING);
        copy(output, GetStdHandle(STD_OUTPUT_HANDLE));
        CloseHandle(output);
    }
    return code;
}
