/* Who has a file open, as the Restart Manager would tell it. Wine's tells nothing: it is played. */
#include "os/win/holders.h"

#include "harness.h"

#include <errno.h>
#include <wchar.h>

static RM_PROCESS_INFO told[20];
static UINT told_count;
static DWORD start_code, add_code, list_code;
static int sessions;
static wchar_t asked[64];

static DWORD WINAPI start(DWORD *ret_session, DWORD flags, WCHAR key[])
{
    (void)flags, (void)key;
    sessions += start_code == ERROR_SUCCESS;
    *ret_session = 7;
    return start_code;
}

static DWORD WINAPI add(DWORD session, UINT files, LPCWSTR paths[], UINT programs,
                        RM_UNIQUE_PROCESS list[], UINT services, LPCWSTR names[])
{
    (void)programs, (void)list, (void)services, (void)names;
    CHECK_INT(session, 7);
    CHECK_INT(files, 1);
    wcscpy(asked, paths[0]);
    return add_code;
}

static DWORD WINAPI list(DWORD session, UINT *ret_needed, UINT *count, RM_PROCESS_INFO room[],
                         LPDWORD ret_reasons)
{
    (void)session;
    *ret_reasons = 0;
    *ret_needed = told_count;
    if (list_code != ERROR_SUCCESS)
        return list_code;
    if (told_count > *count)
        return ERROR_MORE_DATA;
    memcpy(room, told, told_count * sizeof *told);
    *count = told_count;
    return ERROR_SUCCESS;
}

static DWORD WINAPI end(DWORD session)
{
    CHECK_INT(session, 7);
    sessions--;
    return ERROR_SUCCESS;
}

static const struct win_manager manager = {start, add, list, end};

static const char *ask(void)
{
    static char text[512];
    int rc = win_ask_holders(&manager, L"C:\\f", text, sizeof text);
    CHECK_INT(sessions, 0);
    CHECK(rc == 0 || rc == -ENOENT);
    return rc == 0 ? text : "";
}

static void tell(const wchar_t *name, DWORD number)
{
    told[told_count].Process.dwProcessId = number;
    wcscpy(told[told_count++].strAppName, name);
}

TEST(a_program_is_named_with_its_process)
{
    tell(L"Editor", 42);
    CHECK_TEXT(ask(), "Editor (process 42)");
    CHECK_INT(wcscmp(asked, L"C:\\f"), 0);
    tell(L"\x0416\x1b[2J", 43);
    CHECK_TEXT(ask(), "Editor (process 42), \xd0\x96?[2J (process 43)");
}

TEST(one_without_a_name_and_many_are_told_too)
{
    tell(L"", 1);
    CHECK_TEXT(ask(), "a program (process 1)");
    for (DWORD i = 2; i <= 5; i++)
        tell(L"x", i);
    CHECK_TEXT(ask(), "a program (process 1), x (process 2), x (process 3) and 2 more");
    while (told_count < 20)
        tell(L"x", 9);
    CHECK_TEXT(ask(), "20 programs");
}

TEST(long_names_are_cut)
{
    char text[40];
    wchar_t name[200];
    wmemset(name, L'n', 199);
    name[199] = L'\0';
    tell(name, 1);
    tell(name, 2);
    CHECK_INT(win_ask_holders(&manager, L"C:\\f", text, sizeof text), 0);
    CHECK_INT(strlen(text), sizeof text - 1);
}

TEST(a_system_that_does_not_tell_is_no_failure)
{
    CHECK_TEXT(ask(), ""); /* nobody */
    tell(L"Editor", 42);
    start_code = 353 /* too many sessions */;
    CHECK_TEXT(ask(), "");
    start_code = ERROR_SUCCESS;
    add_code = ERROR_INVALID_HANDLE;
    CHECK_TEXT(ask(), "");
    add_code = ERROR_SUCCESS;
    list_code = ERROR_CANCELLED;
    CHECK_TEXT(ask(), "");
    list_code = ERROR_SUCCESS;
    CHECK_TEXT(ask(), "Editor (process 42)");
}

TEST(the_systems_own_is_asked_and_may_know_nothing)
{
    char text[256];
    os_fd file;
    CHECK_INT(os_open(OS_NONE, "f", OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    int rc = os_holders(OS_NONE, "f", text, sizeof text);
    CHECK(rc == 0 || rc == -ENOENT);
    if (rc < 0)
        SKIP("needs a Restart Manager that knows who has a file open");
    CHECK(strstr(text, "holders_test") != NULL);
    os_close(file);
}
