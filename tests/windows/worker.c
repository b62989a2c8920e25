/* A process of its own for tests/windows/withstand_test.c.
 *
 *     worker count FILE TIMES      adds 1 to the number in a file, so often, once GATE is there
 *     worker count-on FILE TIMES   the same, whatever fails; its status is how often it succeeded
 *     worker write FILE            replaces a file again and again
 *     worker commit FILE...        replaces several together, again and again
 *     worker read FILE             reads it again and again without untorn; fails for a mixture
 *     worker scan FOLDER SHARE MS  opens every file that is new there, for so long
 *     worker hold FILE SHARE MS    has a file open for so long, sharing 1 read, 2 write, 4 delete
 *
 * And what people write by hand, which the tests must find wanting:
 *
 *     worker count-bare            without a lock
 *     worker write-over            over the old content
 *     worker write-beside          through a file of its own, that stays where it is killed
 *     worker write-later           not yet when it says that it is done
 *
 * What is written is LENGTH times one letter, the next one each time. All but those that count and
 * hold end by being killed. Each says "!" when it has begun, and the writers each letter that is
 * written. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "windows/worker.h"

/* Until all have been started: else the first may be done before the last begins. */
static void await_the_others(void)
{
    while (GetFileAttributesA(GATE) == INVALID_FILE_ATTRIBUTES)
        Sleep(1);
}

static void say(char what)
{
    putchar(what);
    fflush(stdout);
}

static int complain(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "worker: %s\n", untorn_describe(error, text, sizeof text));
    return 1;
}

/* ---- counting ---- */

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
    say('!');
    await_the_others();
    for (int i = 0; i < times; i++)
        if (untorn_update(file, add_one, text, &options, &error) != 0)
            return complain(&error);
    return 0;
}

/* What is not settled would count as neither. */
static int count_on(const char *file, int times)
{
    struct untorn_options options = {.wait_ms = 120000, .level = UNTORN_CACHE};
    int succeeded = 0;
    char text[32];
    say('!');
    await_the_others();
    for (int i = 0; i < times; i++) {
        int rc = untorn_update(file, add_one, text, &options, NULL);
        if (rc > 0)
            return UNSETTLED;
        succeeded += rc == 0;
    }
    return succeeded;
}

static bool put(const char *path, const char *data, DWORD size)
{
    HANDLE handle = CreateFileA(path, GENERIC_WRITE, 7, NULL, CREATE_ALWAYS, 0, NULL);
    DWORD written = 0;
    bool done = WriteFile(handle, data, size, &written, NULL) && written == size;
    return CloseHandle(handle) && done;
}

static DWORD get(const char *path, char *data, DWORD room)
{
    HANDLE handle = CreateFileA(path, GENERIC_READ, 7, NULL, OPEN_EXISTING, 0, NULL);
    DWORD size = 0;
    if (handle == INVALID_HANDLE_VALUE)
        return 0;
    if (!ReadFile(handle, data, room, &size, NULL))
        size = 0;
    CloseHandle(handle);
    return size;
}

static void beside(const char *file, char path[MAX_PATH])
{
    snprintf(path, MAX_PATH, "%s.%lu", file, GetCurrentProcessId());
}

static int count_bare(const char *file, int times)
{
    char text[32], path[MAX_PATH];
    beside(file, path);
    say('!');
    await_the_others();
    for (int i = 0; i < times; i++) {
        text[get(file, text, sizeof text - 1)] = '\0';
        snprintf(text, sizeof text, "%d\n", atoi(text) + 1);
        Sleep(1);
        if (!put(path, text, (DWORD)strlen(text)))
            return 1;
        while (!MoveFileExA(path, file, MOVEFILE_REPLACE_EXISTING))
            Sleep(1); /* somebody has it open */
    }
    return 0;
}

/* ---- writing ---- */

static bool write_one(const char *file, const char *text)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    struct untorn_error error;
    return untorn_write(file, text, LENGTH, &options, &error) == 0 || complain(&error) == 0;
}

static bool write_over(const char *file, const char *text)
{
    HANDLE handle = CreateFileA(file, GENERIC_WRITE, 7, NULL, OPEN_EXISTING, 0, NULL);
    DWORD written = 0;
    for (int i = 0; i < LENGTH; i += LENGTH / 10) {
        if (!WriteFile(handle, text + i, LENGTH / 10, &written, NULL))
            return false;
        Sleep(1);
    }
    return CloseHandle(handle);
}

static bool write_beside(const char *file, const char *text)
{
    char path[MAX_PATH];
    beside(file, path);
    if (!put(path, text, LENGTH))
        return false;
    Sleep(1);
    return MoveFileExA(path, file, MOVEFILE_REPLACE_EXISTING);
}

static bool write_later(const char *file, const char *text)
{
    say(text[0]);
    Sleep(10);
    return write_one(file, text);
}

static int write_on(const char *file, bool (*write)(const char *file, const char *text))
{
    static char text[LENGTH];
    say('!');
    for (char letter = next_letter(LAST_LETTER);; letter = next_letter(letter)) {
        memset(text, letter, sizeof text);
        if (!write(file, text))
            return 1;
        say(letter);
    }
}

static bool commit_all(char *const *files, int count, const char *text)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    struct untorn_transaction *transaction;
    struct untorn_error error;
    int rc = untorn_transaction_begin(&options, &transaction, &error);
    for (int i = 0; rc == 0 && i < count; i++)
        rc = untorn_transaction_put(transaction, files[i], text, LENGTH, NULL, &error);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, &error);
    untorn_transaction_free(transaction);
    return rc == 0 || complain(&error) == 0;
}

static int commit_on(char *const *files, int count)
{
    static char text[LENGTH];
    say('!');
    for (char letter = next_letter(LAST_LETTER);; letter = next_letter(letter)) {
        memset(text, letter, sizeof text);
        if (!commit_all(files, count, text))
            return 1;
    }
}

/* ---- others ---- */

static int read_on(const char *file)
{
    static char text[LENGTH + 1];
    say('!');
    for (;;) {
        DWORD size = get(file, text, sizeof text);
        for (DWORD i = 0; i < size; i++)
            if (size != LENGTH || text[i] != text[0])
                return 1;
    }
}

enum { SEEN = 4096 };

struct scanned {
    WIN32_FIND_DATAA what;
    HANDLE handle;
    ULONGLONG until;
};
static struct scanned seen[SEEN];
static int seen_count;

static bool is_new(const WIN32_FIND_DATAA *what)
{
    for (int i = 0; i < seen_count; i++)
        if (strcmp(seen[i].what.cFileName, what->cFileName) == 0 &&
            CompareFileTime(&seen[i].what.ftLastWriteTime, &what->ftLastWriteTime) == 0)
            return false;
    return seen_count < SEEN && !(what->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
}

static void scan_one(const char *folder, const WIN32_FIND_DATAA *what, DWORD share, DWORD duration)
{
    char path[1024];
    snprintf(path, sizeof path, "%s\\%s", folder, what->cFileName);
    HANDLE handle = CreateFileA(path, GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    if (handle != INVALID_HANDLE_VALUE)
        seen[seen_count++] = (struct scanned){*what, handle, GetTickCount64() + duration};
}

static void let_go(void)
{
    for (int i = 0; i < seen_count; i++)
        if (seen[i].handle && GetTickCount64() >= seen[i].until) {
            CloseHandle(seen[i].handle);
            seen[i].handle = NULL;
        }
}

_Noreturn static void scan(const char *folder, DWORD share, DWORD duration)
{
    char pattern[1024];
    WIN32_FIND_DATAA found;
    snprintf(pattern, sizeof pattern, "%s\\*", folder);
    say('!');
    for (;;) {
        Sleep(1);
        let_go();
        HANDLE listing = FindFirstFileA(pattern, &found);
        if (listing == INVALID_HANDLE_VALUE)
            continue;
        do
            if (is_new(&found))
                scan_one(folder, &found, share, duration);
        while (FindNextFileA(listing, &found));
        FindClose(listing);
    }
}

static int hold(const char *file, DWORD share, DWORD duration)
{
    HANDLE handle = INVALID_HANDLE_VALUE;
    for (int i = 0; handle == INVALID_HANDLE_VALUE && i < 1000; i++) {
        Sleep(i > 0 ? 1 : 0); /* it is just being replaced */
        handle = CreateFileA(file, GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    }
    if (handle == INVALID_HANDLE_VALUE)
        return 1;
    say('!');
    Sleep(duration);
    CloseHandle(handle);
    return 0;
}

int main(int words, char **word)
{
    static const struct {
        const char *name;
        bool (*write)(const char *file, const char *text);
    } writers[] = {{"write", write_one},
                   {"write-over", write_over},
                   {"write-beside", write_beside},
                   {"write-later", write_later}};
    const char *verb = words > 1 ? word[1] : "";
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (words == 3 && strcmp(verb, writers[i].name) == 0)
            return write_on(word[2], writers[i].write);
    if (words > 2 && strcmp(verb, "commit") == 0)
        return commit_on(word + 2, words - 2);
    if (words == 4 && strcmp(verb, "count") == 0)
        return count(word[2], atoi(word[3]));
    if (words == 4 && strcmp(verb, "count-on") == 0)
        return count_on(word[2], atoi(word[3]));
    if (words == 4 && strcmp(verb, "count-bare") == 0)
        return count_bare(word[2], atoi(word[3]));
    if (words == 3 && strcmp(verb, "read") == 0)
        return read_on(word[2]);
    if (words == 5 && strcmp(verb, "scan") == 0)
        scan(word[2], (DWORD)atoi(word[3]), (DWORD)atoi(word[4]));
    if (words == 5 && strcmp(verb, "hold") == 0)
        return hold(word[2], (DWORD)atoi(word[3]), (DWORD)atoi(word[4]));
    return 2;
}
