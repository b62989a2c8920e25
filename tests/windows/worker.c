/* A process of its own for tests/windows/withstand_test.c.
 *
 *     worker count FILE TIMES      adds 1 to the number in a file, so often
 *     worker write FILE            replaces a file again and again: 20,000 times one letter
 *     worker read FILE             reads it again and again, without untorn; fails if it is a mixture
 *     worker open FOLDER MS        opens whatever it finds there, each for so long, as a scanner does
 *     worker hold FILE SHARE MS    has a file open for so long, sharing 1 read, 2 write, 4 delete
 *
 * `write`, `read` and `open` end by being killed. Each says "go" when it has begun. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

enum { LENGTH = 20000 };

static int complain(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "worker: %s\n", untorn_describe(error, text, sizeof text));
    return 1;
}

static void begun(void)
{
    printf("go\n");
    fflush(stdout);
}

static int add_one(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char *text = context;
    snprintf(text, 32, "%d\n", (old ? atoi(old->data) : 0) + 1);
    return untorn_change_set(change, text, strlen(text));
}

static int count(const char *file, int times)
{
    struct untorn_options options = {.wait_ms = 120000, .level = UNTORN_CACHE};
    struct untorn_error error;
    char text[32];
    begun();
    for (int i = 0; i < times; i++)
        if (untorn_update(file, add_one, text, &options, &error) != 0)
            return complain(&error);
    return 0;
}

static int write_on(const char *file)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    struct untorn_error error;
    static char text[LENGTH];
    begun();
    for (int i = 0;; i++) {
        memset(text, 'a' + i % 26, sizeof text);
        if (untorn_write(file, text, sizeof text, &options, &error) != 0)
            return complain(&error);
    }
}

static int read_on(const char *file)
{
    static char text[LENGTH + 1];
    begun();
    for (;;) {
        HANDLE handle = CreateFileA(file, GENERIC_READ, 7, NULL, OPEN_EXISTING, 0, NULL);
        DWORD size = 0;
        if (handle == INVALID_HANDLE_VALUE)
            continue;
        bool done = ReadFile(handle, text, sizeof text, &size, NULL);
        CloseHandle(handle);
        for (DWORD i = 1; done && i < size; i++)
            if (size != LENGTH || text[i] != text[0])
                return 1;
    }
}

static void open_one(const char *folder, const char *name, DWORD duration)
{
    char path[1024];
    snprintf(path, sizeof path, "%s\\%s", folder, name);
    HANDLE handle = CreateFileA(path, GENERIC_READ, 7, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return;
    Sleep(duration);
    CloseHandle(handle);
}

static int open_all(const char *folder, DWORD duration)
{
    char pattern[1024];
    WIN32_FIND_DATAA found;
    snprintf(pattern, sizeof pattern, "%s\\*", folder);
    begun();
    for (;;) {
        HANDLE listing = FindFirstFileA(pattern, &found);
        if (listing == INVALID_HANDLE_VALUE)
            continue;
        do
            if (found.cFileName[0] != '.')
                open_one(folder, found.cFileName, duration);
        while (FindNextFileA(listing, &found));
        FindClose(listing);
        Sleep(1);
    }
}

static int hold(const char *file, DWORD share, DWORD duration)
{
    HANDLE handle = CreateFileA(file, GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return 1;
    begun();
    Sleep(duration);
    CloseHandle(handle);
    return 0;
}

int main(int words, char **word)
{
    if (words == 4 && strcmp(word[1], "count") == 0)
        return count(word[2], atoi(word[3]));
    if (words == 3 && strcmp(word[1], "write") == 0)
        return write_on(word[2]);
    if (words == 3 && strcmp(word[1], "read") == 0)
        return read_on(word[2]);
    if (words == 4 && strcmp(word[1], "open") == 0)
        return open_all(word[2], (DWORD)atoi(word[3]));
    if (words == 5 && strcmp(word[1], "hold") == 0)
        return hold(word[2], (DWORD)atoi(word[3]), (DWORD)atoi(word[4]));
    return 2;
}
