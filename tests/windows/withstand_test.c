/* What only Windows does to a file: programs that have it open, scanners that open whatever is new,
 * processes that are ended in the middle of a write, long paths, names that UTF-8 has not. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "harness.h"

#include <stdio.h>

#include <untorn.h>

#include "file/support.h"

static struct untorn_error error;

static int save(const char *path, const char *text)
{
    return untorn_write(path, text, strlen(text), NULL, &error);
}

static int load(const char *path, char *text, size_t room)
{
    struct untorn_content content;
    int rc = untorn_read(path, NULL, &content, &error);
    if (rc == 0)
        snprintf(text, room, "%s", content.data);
    untorn_content_free(&content);
    return rc;
}

/* ---- other processes ---- */

struct worker {
    HANDLE process, output;
};

static struct worker start(const char *words)
{
    char program[MAX_PATH], line[4096], byte;
    HANDLE ours, its;
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof inherits, .bInheritHandle = TRUE};
    PROCESS_INFORMATION process;
    DWORD count;
    CHECK(CreatePipe(&ours, &its, &inherits, 0));
    CHECK(SetHandleInformation(ours, HANDLE_FLAG_INHERIT, 0));
    STARTUPINFOA how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdOutput = its,
                        .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    GetModuleFileNameA(NULL, program, sizeof program);
    strcpy(strrchr(program, '\\') + 1, "worker.exe");
    snprintf(line, sizeof line, "worker %s", words);
    CHECK(CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &how, &process));
    CloseHandle(process.hThread);
    CloseHandle(its);
    CHECK(ReadFile(ours, &byte, 1, &count, NULL) && count == 1); /* it has begun */
    return (struct worker){process.hProcess, ours};
}

static int end(struct worker *worker)
{
    DWORD status;
    WaitForSingleObject(worker->process, INFINITE);
    CHECK(GetExitCodeProcess(worker->process, &status));
    CloseHandle(worker->process);
    CloseHandle(worker->output);
    return (int)status;
}

static void stop(struct worker *worker)
{
    TerminateProcess(worker->process, 9);
    CHECK_INT(end(worker), 9);
}

TEST(eight_processes_lose_no_update)
{
    enum { PROCESSES = 8, TIMES = 100 };
    struct worker workers[PROCESSES];
    char text[32], expected[32];
    for (int i = 0; i < PROCESSES; i++)
        workers[i] = start("count counter 100");
    for (int i = 0; i < PROCESSES; i++)
        CHECK_INT(end(&workers[i]), 0);
    snprintf(expected, sizeof expected, "%d\n", PROCESSES * TIMES);
    CHECK_INT(load("counter", text, sizeof text), 0);
    CHECK_TEXT(text, expected);
}

static void check_whole(const char *path)
{
    struct untorn_content content;
    CHECK_INT(untorn_read(path, NULL, &content, &error), 0);
    CHECK_INT(content.size, 20000);
    for (size_t i = 1; i < content.size; i++)
        CHECK_INT(content.data[i], content.data[0]);
    untorn_content_free(&content);
}

static void end_in_the_middle(int times)
{
    struct worker first = start("write f");
    Sleep(200);
    stop(&first);
    for (int i = 0; i < times; i++) {
        struct worker worker = start("write f");
        Sleep((DWORD)(rand() % 40));
        stop(&worker);
        check_whole("f");
    }
    CHECK_INT(save("f", "last"), 0);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(count_entries(".", ""), 2); /* the file and our folder */
}

TEST(a_writer_that_is_ended_anywhere_leaves_a_whole_version_and_nothing_else)
{
    end_in_the_middle(getenv("UNTORN_LONG") ? 500 : 30);
}

TEST(a_reader_without_untorn_sees_only_whole_versions)
{
    struct worker writer = start("write f");
    Sleep(300);
    struct worker reader = start("read f");
    Sleep(2000);
    CHECK_INT(WaitForSingleObject(reader.process, 0), WAIT_TIMEOUT); /* it has met no mixture */
    stop(&reader);
    stop(&writer);
}

/* ---- files that others have open ---- */

TEST(a_program_that_lets_its_file_be_deleted_is_no_obstacle)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    struct worker holder = start("hold f 7 60000");
    CHECK_INT(save("f", "new"), 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "new");
    stop(&holder);
}

TEST(one_that_does_not_is_waited_for)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    struct worker holder = start("hold f 3 300");
    CHECK_INT(save("f", "new"), 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "new");
    CHECK_INT(end(&holder), 0);
}

TEST(but_not_for_ever_and_then_the_old_version_stays)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    struct worker holder = start("hold f 3 60000");
    CHECK(save("f", "new") < 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "old");
    stop(&holder);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(save("f", "new"), 0);
}

TEST(a_scanner_that_opens_everything_for_a_moment_is_no_obstacle)
{
    CHECK_INT(save("f", "old"), 0);
    struct worker here = start("open . 50"), stages = start("open .untorn\\stage 50"),
                  versions = start("open .untorn\\history\\f 50");
    for (int i = 0; i < 20; i++)
        CHECK_INT(save("f", i % 2 ? "odd" : "even"), 0);
    stop(&here);
    stop(&stages);
    stop(&versions);
}

/* ---- names ---- */

TEST(a_path_may_be_longer_than_260_characters)
{
    char path[512] = "", text[32];
    struct untorn_options options = {.parents = true};
    for (int i = 0; i < 6; i++)
        strcat(path, "a-directory-with-a-name-that-is-rather-long-for-its-kind/");
    strcat(path, "f.json");
    CHECK(strlen(path) > 300);
    CHECK_INT(untorn_write(path, "{}", 2, &options, &error), 0);
    CHECK_INT(save(path, "[]"), 0);
    CHECK_INT(load(path, text, sizeof text), 0);
    CHECK_TEXT(text, "[]");
}

static void check_name(const char *name)
{
    char text[32];
    CHECK_INT(save(name, "one"), 0);
    CHECK_INT(save(name, "two"), 0);
    CHECK_INT(load(name, text, sizeof text), 0);
    CHECK_TEXT(text, "two");
}

TEST(names_that_are_no_unicode_are_names_too)
{
    WIN32_FIND_DATAW found;
    HANDLE file = CreateFileW(L"\xd83d-half", GENERIC_WRITE, 7, NULL, CREATE_ALWAYS, 0, NULL);
    HANDLE listing = FindFirstFileW(L"*-half", &found);
    CloseHandle(file);
    FindClose(listing);
    if (listing == INVALID_HANDLE_VALUE || found.cFileName[0] != 0xd83d)
        SKIP("needs a system that keeps half a surrogate pair in a name");
    check_name("half-\xed\xa0\xbd-a-pair.txt");
}

TEST(names_are_utf_8)
{
    check_name("\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82.json"); /* Cyrillic */
    check_name("\xf0\x9f\xa6\x84.txt");                                  /* an emoji */
    CHECK_INT(GetFileAttributesW(L"\x043f\x0440\x0438\x0432\x0435\x0442.json") !=
                  INVALID_FILE_ATTRIBUTES,
              1);
}

TEST(case_does_not_tell_two_files_apart)
{
    char text[32];
    CHECK_INT(save("Settings.json", "{}"), 0);
    CHECK_INT(save("settings.JSON", "[]"), 0);
    CHECK_INT(load("Settings.json", text, sizeof text), 0);
    CHECK_TEXT(text, "[]");
    CHECK_INT(count_entries(".", "ettings"), 1);
    CHECK_INT(count_entries(".untorn/lock", ""), 1);
}

TEST(what_windows_takes_for_something_else_is_refused)
{
    static const char *const names[] = {"nul", "CON.txt", "com1", "a:stream", "dot.", "blank ",
                                        "a?b", "lpt9.json", "d:x", "a|b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK_INT(save(names[i], "x"), -UNTORN_NAME);
    CHECK_INT(count_entries(".", ""), 0);
}

TEST(paths_are_taken_with_slashes_of_either_kind)
{
    char text[32];
    make_dir("d", 0777);
    CHECK_INT(save("d\\f", "one"), 0);
    CHECK_INT(save("d/f", "two"), 0);
    CHECK_INT(save(".\\d/..\\d\\f", "three"), 0);
    CHECK_INT(load(full_path("d/f"), text, sizeof text), 0);
    CHECK_TEXT(text, "three");
    CHECK_INT(load(full_path("d/f") + 1, text, sizeof text), 0); /* C:/... */
    CHECK_INT(count_entries("d/.untorn/lock", ""), 1);
    CHECK_INT(save("d\\.UNTORN\\lock\\f", "x"), -UNTORN_NAME);
}

/* ---- attributes ---- */

TEST(attributes_stay_and_our_folder_is_hidden)
{
    CHECK_INT(save("f", "old"), 0);
    CHECK(GetFileAttributesA(".untorn") & FILE_ATTRIBUTE_HIDDEN);
    CHECK(SetFileAttributesA("f", FILE_ATTRIBUTE_HIDDEN));
    if (!(GetFileAttributesA("f") & FILE_ATTRIBUTE_HIDDEN))
        SKIP("needs a system that keeps the hidden mark");
    CHECK_INT(save("f", "new"), 0);
    CHECK(GetFileAttributesA("f") & FILE_ATTRIBUTE_HIDDEN);
}

TEST(what_is_marked_read_only_is_not_replaced)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    CHECK(SetFileAttributesA("f", FILE_ATTRIBUTE_READONLY));
    CHECK(save("f", "new") < 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "old");
    CHECK(SetFileAttributesA("f", FILE_ATTRIBUTE_NORMAL));
}
