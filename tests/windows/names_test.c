/* What only Windows has of names and attributes. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "harness.h"

#include <stdio.h>

#include <untorn.h>

#include "file/support.h"
#include "os/win/win.h"
#include "windows/support.h"

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

/* In the bytes that UTF-8 would have for it. */
#define HALF_A_PAIR "half-\xed\xa0\xbd-a-pair.txt"

TEST(half_a_surrogate_pair_stays_what_it_is)
{
    wchar_t wide[64];
    char name[64];
    int count = win_wide(HALF_A_PAIR, wide, 64);
    CHECK_INT(count, 17);
    CHECK_INT(wide[5], 0xd83d);
    CHECK(win_narrow(wide, (size_t)count, name, sizeof name) >= 0);
    CHECK_TEXT(name, HALF_A_PAIR);
    CHECK(os_is_name(HALF_A_PAIR));
}

TEST(names_that_are_no_unicode_are_names_too)
{
    WIN32_FIND_DATAW found;
    HANDLE file = CreateFileW(L"\xd83d-half", GENERIC_WRITE, 7, NULL, CREATE_ALWAYS, 0, NULL);
    HANDLE listing = FindFirstFileW(L"*-half", &found);
    CloseHandle(file);
    FindClose(listing);
    if (listing != INVALID_HANDLE_VALUE && found.cFileName[0] == 0xd83d) {
        check_name(HALF_A_PAIR);
        return;
    }
    int before = count_entries(".", "");
    CHECK(save(HALF_A_PAIR, "one") < 0);
    CHECK(count_entries(".", "") <= before + 1); /* our folder */
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    SKIP("needs a system that keeps half a surrogate pair in a name");
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
    static const char *const names[] = {"nul",    "CON.txt", "com1",      "a:stream", "dot.",
                                        "blank ", "a?b",     "lpt9.json", "d:x",      "a|b"};
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
