/* Which file a command is, and the text that it is started with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "win/inside.h"

static const wchar_t *const endings[] = {L".com", L".exe", L".bat", L".cmd"};
enum { ENDINGS = sizeof endings / sizeof *endings };

static const wchar_t *ending_of(const wchar_t *path)
{
    const wchar_t *dot = wcsrchr(path, L'.');
    return dot && !dot[wcscspn(dot, L"\\/")] ? dot : NULL;
}

static bool is_batch(const wchar_t *path)
{
    const wchar_t *ending = ending_of(path);
    return ending && (_wcsicmp(ending, L".bat") == 0 || _wcsicmp(ending, L".cmd") == 0);
}

static bool is_file(const wchar_t *path)
{
    DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* The path itself if it has an ending, else with each that can be run. */
static bool complete(wchar_t path[WIN_PATH])
{
    size_t size = wcslen(path);
    if (ending_of(path) && is_file(path))
        return true;
    for (int i = 0; i < ENDINGS && size + 5 < WIN_PATH; i++) {
        wcscpy(path + size, endings[i]);
        if (is_file(path))
            return true;
    }
    path[size] = L'\0';
    return false;
}

/* In the folders of PATH, and not where we happen to be: a file that somebody put there is no
 * command. */
static int search(const wchar_t *name, wchar_t path[WIN_PATH])
{
    static wchar_t folders[WIN_PATH];
    DWORD count = GetEnvironmentVariableW(L"PATH", folders, WIN_PATH);
    if (count == 0 || count >= WIN_PATH)
        return -ENOENT;
    for (const wchar_t *at = folders; *at;) {
        size_t whole = wcscspn(at, L";"), size = whole;
        const wchar_t *folder = at;
        at += whole + (at[whole] == L';');
        if (size > 1 && folder[0] == L'"' && folder[size - 1] == L'"')
            folder++, size -= 2;
        if (size == 0 || size + wcslen(name) + 2 >= WIN_PATH)
            continue;
        wmemcpy(path, folder, size);
        path[size] = L'\\';
        wcscpy(path + size + 1, name);
        if (complete(path))
            return 0;
    }
    return -ENOENT;
}

static int find(const char *command, wchar_t path[WIN_PATH])
{
    static wchar_t name[WIN_PATH];
    int count = win_utf16(command, name, WIN_PATH);
    if (count <= 0)
        return count < 0 ? count : -ENOENT;
    if (!name[wcscspn(name, L"/\\:")])
        return search(name, path);
    wcscpy(path, name);
    for (wchar_t *c = path; *c; c++)
        *c = *c == L'/' ? L'\\' : *c;
    if (complete(path))
        return 0;
    DWORD attributes = GetFileAttributesW(path);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return win_last_failure();
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? -EACCES : 0; /* the system says what it is */
}

/* A batch file is read by cmd.exe, which has rules of its own: every word stands in quotes, and one
 * that would not stay a word there is refused. */
static bool stays_a_word(const char *word)
{
    return !word[strcspn(word, "\"%\r\n")];
}

static bool add_batch_word(struct bytes *line, const char *word)
{
    static const char quote = '"';
    return bytes_append(line, line->size ? " \"" : "\"", line->size ? 2 : 1) &&
           bytes_append(line, word, strlen(word)) && bytes_append(line, &quote, 1);
}

static int write_batch_line(char *const *command, const wchar_t *path, struct bytes *line)
{
    static char program[3 * WIN_PATH];
    static const char front[] = "cmd.exe /d /v:off /s /c \"";
    struct bytes words = {0};
    if (win_utf8(path, wcslen(path), program, sizeof program) < 0)
        return -ENAMETOOLONG;
    bool done = add_batch_word(&words, program);
    int rc = stays_a_word(program) ? 0 : -EINVAL;
    for (size_t i = 1; done && command[i]; i++) {
        if (!stays_a_word(command[i]))
            rc = -EINVAL;
        done = add_batch_word(&words, command[i]);
    }
    done = done && bytes_append(line, front, sizeof front - 1) &&
           bytes_append(line, words.data, words.size) && bytes_append(line, "\"", 2);
    bytes_free(&words);
    return done ? rc : -ENOMEM;
}

static int write_line(char *const *command, struct bytes *line)
{
    bool done = true;
    for (size_t i = 0; done && command[i]; i++)
        done = commandline_add(line, command[i]);
    return done && bytes_append(line, "", 1) ? 0 : -ENOMEM;
}

static int find_shell(wchar_t path[WIN_PATH])
{
    UINT count = GetSystemDirectoryW(path, WIN_PATH - 16);
    if (count == 0 || count >= WIN_PATH - 16)
        return -ENOENT;
    wcscpy(path + count, L"\\cmd.exe");
    return 0;
}

int program_find(char *const *command, wchar_t path[WIN_PATH], wchar_t **ret_line)
{
    struct bytes line = {0};
    int rc = find(command[0], path);
    if (rc == 0 && is_batch(path)) {
        rc = write_batch_line(command, path, &line);
        rc = rc == 0 ? find_shell(path) : rc;
    } else if (rc == 0) {
        rc = write_line(command, &line);
    }
    wchar_t *wide = rc == 0 ? malloc((line.size + 2) * sizeof *wide) : NULL;
    if (rc == 0)
        rc = wide ? win_utf16(line.data, wide, line.size + 2) : -ENOMEM;
    if (rc >= WIN_PATH)
        rc = -E2BIG;
    bytes_free(&line);
    if (rc < 0)
        free(wide);
    else
        *ret_line = wide;
    return rc < 0 ? rc : 0;
}
