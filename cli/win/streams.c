#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"
#include "win/inside.h"

enum { LINE = 4096 }; /* characters that a console takes or gives at a time */

static HANDLE handle_of(system_stream stream)
{
    static const DWORD standard[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    return stream >= 0 && stream < 3 ? GetStdHandle(standard[stream]) : (HANDLE)stream;
}

static bool is_console(HANDLE handle)
{
    DWORD mode;
    return GetConsoleMode(handle, &mode);
}

/* ---- opening ---- */

/* Also a device, NUL or CON or a pipe, which no file that is to be kept may be. */
static int source_path(const char *path, wchar_t full[WIN_PATH])
{
    static wchar_t wide[WIN_PATH];
    int rc = win_full_path(OS_NONE, path, full);
    if (rc != -EINVAL && strncmp(path, "\\\\.\\", 4) != 0)
        return rc;
    int count = win_utf16(path, wide, WIN_PATH);
    if (count < 0)
        return count;
    DWORD size = GetFullPathNameW(wide, WIN_PATH, full, NULL);
    return size > 0 && size < WIN_PATH && wcsncmp(full, L"\\\\.\\", 4) == 0 ? (int)size : -EINVAL;
}

int system_open(const char *path, bool patient, system_stream *ret_stream)
{
    static wchar_t full[WIN_PATH];
    (void)patient; /* a pipe here has its writer, or is not there */
    int rc = source_path(path, full);
    if (rc < 0)
        return -rc;
    HANDLE handle = CreateFileW(full, GENERIC_READ, WIN_SHARE, NULL, OPEN_EXISTING, 0, NULL);
    for (int i = 0; handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION &&
                    win_pause(i);
         i++)
        handle = CreateFileW(full, GENERIC_READ, WIN_SHARE, NULL, OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        rc = win_busy(win_last_failure());
        DWORD attributes = GetFileAttributesW(full);
        bool directory =
            attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
        return directory ? EISDIR : -rc;
    }
    *ret_stream = (system_stream)handle;
    return 0;
}

/* ---- reading ---- */

/* What was typed and not asked for yet. */
static char typed[3 * LINE + 8];
static size_t typed_size, typed_used;

/* A line, or what comes before Ctrl-Z, or Ctrl-D as elsewhere: nothing at all, and it is the end.
 */
static int read_line(HANDLE console)
{
    enum { CTRL_D = 4, CTRL_Z = 26 };
    CONSOLE_READCONSOLE_CONTROL control = {.nLength = sizeof control,
                                           .dwCtrlWakeupMask = 1u << CTRL_Z | 1u << CTRL_D};
    wchar_t wide[LINE];
    DWORD count = 0;
    if (!ReadConsoleW(console, wide, LINE, &count, &control))
        return win_last_failure();
    while (count > 0 && (wide[count - 1] == CTRL_Z || wide[count - 1] == CTRL_D))
        count--;
    typed_used = 0;
    int size = win_utf8(wide, count, typed, sizeof typed);
    typed_size = size > 0 ? (size_t)size : 0;
    return size;
}

static int64_t read_console(HANDLE console, char *data, size_t size)
{
    if (typed_used == typed_size) {
        int rc = read_line(console);
        if (rc <= 0)
            return rc;
    }
    size_t count = typed_size - typed_used;
    count = count < size ? count : size;
    memcpy(data, typed + typed_used, count);
    typed_used += count;
    return (int64_t)count;
}

int64_t system_read(system_stream stream, void *data, size_t size)
{
    HANDLE handle = handle_of(stream);
    DWORD count;
    if (!handle || handle == INVALID_HANDLE_VALUE)
        return -EBADF;
    if (is_console(handle))
        return read_console(handle, data, size);
    if (ReadFile(handle, data, win_at_most(size), &count, NULL))
        return count;
    DWORD code = GetLastError();
    return code == ERROR_BROKEN_PIPE || code == ERROR_HANDLE_EOF ? 0 : win_failure(code);
}

/* ---- writing ---- */

/* The beginning of a character whose end is still to come. */
static char begun[3][4];
static size_t begun_size[3];

/* How many bytes at the end are a character that is not whole. */
static size_t unfinished(const char *text, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        unsigned char byte = (unsigned char)text[size - back];
        if ((byte & 0xC0) == 0x80)
            continue;
        size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return wanted > back ? back : 0;
    }
    return 0;
}

static bool show(HANDLE console, const char *text, size_t size)
{
    wchar_t wide[LINE];
    DWORD done = 0, count = 0;
    if (size > 0)
        count = (DWORD)MultiByteToWideChar(CP_UTF8, 0, text, (int)size, wide, LINE);
    while (done < count) {
        DWORD now;
        if (!WriteConsoleW(console, wide + done, count - done, &now, NULL))
            return false;
        done += now;
    }
    return true;
}

static int64_t write_console(HANDLE console, system_stream stream, const char *data, size_t size)
{
    char text[LINE];
    size_t before = begun_size[stream];
    size_t taken = size < LINE - before ? size : LINE - before;
    memcpy(text, begun[stream], before);
    memcpy(text + before, data, taken);
    size_t left = unfinished(text, before + taken);
    if (!show(console, text, before + taken - left))
        return win_last_failure();
    memcpy(begun[stream], text + before + taken - left, left);
    begun_size[stream] = left;
    return (int64_t)taken;
}

int64_t system_write(system_stream stream, const void *data, size_t size)
{
    HANDLE handle = handle_of(stream);
    DWORD count;
    if (!handle || handle == INVALID_HANDLE_VALUE)
        return -EBADF;
    if (stream < 3 && is_console(handle))
        return write_console(handle, stream, data, size);
    if (!WriteFile(handle, data, win_at_most(size), &count, NULL))
        return win_last_failure();
    return count == 0 && size > 0 ? -ENOSPC : (int64_t)count;
}

/* A console stays: its mode is yet to be restored, and no disk can be full there. */
int system_close(system_stream stream)
{
    HANDLE handle = handle_of(stream);
    if (!handle || handle == INVALID_HANDLE_VALUE)
        return EBADF;
    if (is_console(handle))
        return 0;
    return CloseHandle(handle) ? 0 : -win_last_failure();
}

/* ---- the terminal ---- */

bool system_is_terminal(system_stream stream)
{
    return is_console(handle_of(stream));
}

static struct {
    HANDLE console;
    DWORD mode;
} changed[3];

/* The mode is the console's, not ours: who comes after us finds it as it was. */
static void restore_modes(void)
{
    for (int i = 0; i < 3; i++)
        if (changed[i].console)
            SetConsoleMode(changed[i].console, changed[i].mode);
}

bool system_obeys(system_stream stream)
{
    HANDLE console = handle_of(stream);
    const DWORD wanted = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    const char *terminal = system_variable("TERM");
    DWORD mode;
    if ((terminal && strcmp(terminal, "dumb") == 0) || !GetConsoleMode(console, &mode))
        return false;
    if ((mode & wanted) == wanted)
        return true;
    if (!SetConsoleMode(console, mode | wanted)) /* before Windows 10 */
        return false;
    if (!changed[0].console && !changed[1].console && !changed[2].console)
        (void)atexit(restore_modes);
    changed[stream].console = console;
    changed[stream].mode = mode;
    return true;
}

const char system_end_of_input[] = "Ctrl-Z";
