/* os/win/replace.h: what ReplaceFile leaves when its second step fails. Wine's seldom does: it is
 * played, with files that are there. */
#include "os/win/replace.h"

#include "harness.h"

#include <errno.h>

#include "file/support.h"

static DWORD code;        /* of the failure */
static bool old_has_gone; /* before it */
static int back, forward; /* how many moves of the one and of the other fail */

static BOOL WINAPI replace(LPCWSTR old, LPCWSTR new, LPCWSTR spare, DWORD flags, LPVOID exclude,
                           LPVOID reserved)
{
    (void)new, (void)flags, (void)exclude, (void)reserved;
    if (old_has_gone)
        CHECK(MoveFileExW(old, spare, 0));
    SetLastError(code);
    return FALSE;
}

static BOOL WINAPI move(LPCWSTR from, LPCWSTR to, DWORD flags)
{
    int *failures = wcscmp(from, L"spare") == 0 ? &back : &forward;
    if (*failures == 0)
        return MoveFileExW(from, to, flags);
    --*failures;
    SetLastError(ERROR_SHARING_VIOLATION);
    return FALSE;
}

static int run(DWORD failure, bool gone)
{
    static const struct win_replacer call = {replace, move};
    code = failure;
    old_has_gone = gone;
    put("f", "old");
    put("new", "new");
    return win_replace(&call, L"f", L"new", L"spare");
}

static void check_nothing_happened(void)
{
    CHECK_TEXT(text_of("f"), "old");
    CHECK_TEXT(text_of("new"), "new");
    CHECK(!exists("spare"));
}

TEST(the_old_version_is_aside_when_it_is_replaced)
{
    static const struct win_replacer call = {ReplaceFileW, MoveFileExW};
    put("f", "old");
    put("new", "new");
    CHECK_INT(win_replace(&call, L"f", L"new", L"spare"), 0);
    CHECK_TEXT(text_of("f"), "new");
    CHECK_TEXT(text_of("spare"), "old");
    CHECK(!exists("new"));
}

TEST(what_fails_at_once_changes_nothing)
{
    CHECK_INT(run(ERROR_UNABLE_TO_REMOVE_REPLACED, false), -EBUSY);
    check_nothing_happened();
    CHECK_INT(run(ERROR_ACCESS_DENIED, false), -EACCES);
    check_nothing_happened();
    CHECK_INT(run(ERROR_UNABLE_TO_MOVE_REPLACEMENT, false), -EBUSY);
    check_nothing_happened();
}

TEST(an_old_version_that_went_comes_back)
{
    CHECK_INT(run(ERROR_UNABLE_TO_MOVE_REPLACEMENT_2, true), -EBUSY);
    check_nothing_happened();
    CHECK_INT(run(ERROR_UNABLE_TO_MOVE_REPLACEMENT, true), -EBUSY);
    check_nothing_happened();
    back = forward = 3;
    CHECK_INT(run(ERROR_UNABLE_TO_MOVE_REPLACEMENT_2, true), -EBUSY);
    check_nothing_happened();
}

TEST(if_it_cannot_the_new_one_comes)
{
    back = 100;
    forward = 2;
    CHECK_INT(run(ERROR_UNABLE_TO_MOVE_REPLACEMENT_2, true), 0);
    CHECK_TEXT(text_of("f"), "new");
    CHECK_TEXT(text_of("spare"), "old");
}

TEST(if_neither_can_that_is_told_and_both_are_there)
{
    back = forward = 1000;
    CHECK_INT(run(ERROR_UNABLE_TO_MOVE_REPLACEMENT_2, true), -ENOTRECOVERABLE);
    CHECK(!exists("f"));
    CHECK_TEXT(text_of("new"), "new");
    CHECK_TEXT(text_of("spare"), "old");
}
