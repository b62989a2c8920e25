/* Short names of files: SETTIN~1.JSO and settings of mine.json are one. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "harness.h"

#include <stdio.h>

#include <untorn.h>

#include "file/support.h"

static const char file[] = "settings of mine.json", folder[] = "a folder with a long name";
static struct untorn_error error;

static int save(const char *path, const char *text)
{
    return untorn_write(path, text, strlen(text), NULL, &error);
}

static const char *text_in(const char *path)
{
    static char text[64];
    struct untorn_content content;
    CHECK_INT(untorn_read(path, NULL, &content, &error), 0);
    snprintf(text, sizeof text, "%s", content.data);
    untorn_content_free(&content);
    return text;
}

/* Relative, with each name short; borrowed until the next call. */
static const char *short_of(const char *path)
{
    static char text[300];
    CHECK(GetShortPathNameA(path, text, sizeof text) > 0);
    if (!strchr(text, '~'))
        SKIP("needs a file system with short names");
    return text;
}

TEST(a_short_name_has_the_lock_and_the_history_of_the_file)
{
    CHECK_INT(save(file, "one"), 0);
    CHECK_INT(save(short_of(file), "two"), 0);
    CHECK_INT(save(file, "three"), 0);
    CHECK_TEXT(text_in(short_of(file)), "three");
    CHECK_INT(count_entries(".", ""), 2); /* the file and our folder */
    CHECK_INT(count_entries(".untorn/lock", ""), 1);
    CHECK_INT(count_entries(".untorn/history", ""), 1);
    CHECK_INT(count_entries(".untorn/history", file), 1);
}

TEST(so_has_one_below_a_folder_with_a_short_name)
{
    char path[300];
    make_dir(folder, 0777);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    struct untorn_options options = {.state_dir = "state"};
    CHECK_INT(untorn_write(path, "one", 3, &options, &error), 0);
    CHECK_INT(untorn_write(short_of(path), "two", 3, &options, &error), 0);
    CHECK_INT(count_entries("state", ""), 1);
    CHECK_TEXT(text_in(path), "two");
}

TEST(several_files_at_once_are_known_by_their_short_names_too)
{
    char second[300];
    struct untorn_transaction *transaction;
    CHECK_INT(save(file, "one"), 0);
    CHECK_INT(save("settings of yours.json", "one"), 0);
    strcpy(second, short_of("settings of yours.json"));
    CHECK_INT(untorn_transaction_begin(NULL, &transaction, &error), 0);
    CHECK_INT(untorn_transaction_put(transaction, short_of(file), "two", 3, NULL, &error), 0);
    CHECK_INT(untorn_transaction_put(transaction, second, "two", 3, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(transaction, &error), 0);
    untorn_transaction_free(transaction);
    CHECK_TEXT(text_in(file), "two");
    CHECK_INT(count_entries(".untorn/history", "settings of"), 2);
    CHECK_INT(count_entries(".untorn/lock", ""), 2);
}

TEST(a_new_file_may_be_called_like_a_short_name)
{
    CHECK_INT(save("SETTIN~9.JSO", "one"), 0);
    CHECK_INT(save("settin~9.jso", "two"), 0);
    CHECK_INT(count_entries(".untorn/lock", ""), 1);
    CHECK_TEXT(text_in("SETTIN~9.JSO"), "two");
}
