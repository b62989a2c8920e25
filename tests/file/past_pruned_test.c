/* What becomes of the versions that are there when another one is kept. [PAST-3] [PAST-4] */
#include "harness.h"

#include <untorn.h>

#include "file/acl.h"
#include "file/interpose.h"
#include "file/support.h"

#define HISTORY ".untorn/history/f"

static struct untorn_error error;
static struct untorn_options options = {.keep = 5};

static void save(const char *text)
{
    CHECK_INT(untorn_write("f", text, strlen(text), &options, &error), 0);
}

/* An ACL may let somebody in whom the mode that is asked for keeps out. */
TEST(a_mode_that_is_asked_for_takes_the_acl_of_versions_away)
{
    char version[4096];
    save("old");
    set_acl("f", ACL_OF_FILE, 6, BOB, 4, 0, 4, 0);
    CHECK_INT(mode_of("f"), 0640);
    save("newer");
    strcpy(version, only_entry(HISTORY, ""));
    CHECK_TEXT(acl_of(version, ACL_OF_FILE), "1:6 2=12346:4 4:0 16:4 32:0"); /* as the file */
    options.mode = 0640;
    save("newest");
    CHECK_INT(count_entries(HISTORY, ""), 2);
    CHECK_TEXT(acl_of(version, ACL_OF_FILE), "");
}

/* As a crash between keeping one and removing its like leaves them. */
TEST(of_versions_with_the_same_content_the_newest_stays)
{
    char version[4096], again[4096];
    save("a");
    save("b");
    strcpy(version, only_entry(HISTORY, ""));
    strcpy(again, version);
    memcpy(strrchr(again, '/') + 1, "00000009", 8); /* the upper half of its number */
    CHECK_INT(link(version, again), 0);
    save("c");
    CHECK_INT(count_entries(HISTORY, ""), 2);
    CHECK(exists(again) && !exists(version));
}

static int count_it(void *context, const struct untorn_version *version)
{
    (void)version;
    ++*(int *)context;
    return 0;
}

/* [VERSIONS-4] Somebody renamed an entry, or planted one. */
TEST(a_version_is_kept_behind_the_highest_number_that_there_is)
{
    static const char *const halves[] = {"7fffffff", "80000000", "ffffffff"};
    options.keep = 2;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        char version[4096], again[4096];
        int count = 0;
        struct untorn_content content;
        save("a");
        save("b");
        strcpy(version, only_entry(HISTORY, ""));
        strcpy(again, version);
        memcpy(strrchr(again, '/') + 1, halves[i], 8);
        CHECK_INT(rename(version, again), 0);
        save("c");
        CHECK_INT(untorn_log("f", count_it, &count, NULL, &error), 0);
        CHECK_INT(count, 2);
        CHECK_INT(untorn_version_read("f", 1, NULL, &content, &error), 0);
        CHECK_TEXT(content.data, "b");
        untorn_content_free(&content);
        save("d");
        CHECK_INT(count_entries(HISTORY, ""), 2); /* and the oldest goes */
        CHECK_INT(untorn_version_read("f", 2, NULL, &content, &error), 0);
        CHECK_TEXT(content.data, "b");
        untorn_content_free(&content);
        remove_tree(".untorn");
        CHECK_INT(unlink("f"), 0);
    }
}

TEST(where_versions_cannot_be_numbered_anew_that_none_is_kept_is_told)
{
    char version[4096], again[4096];
    options.keep = 2;
    save("a");
    save("b");
    strcpy(version, only_entry(HISTORY, ""));
    strcpy(again, version);
    memcpy(strrchr(again, '/') + 1, "ffffffff", 8);
    CHECK_INT(rename(version, again), 0);
    fail(CALL_RENAME, "/history/f/", 1, EACCES);
    save("c");
    CHECK(error.flags & UNTORN_FLAG_HISTORY_LOST);
    CHECK_TEXT(text_of("f"), "c");
    CHECK_TEXT(text_of(only_entry(HISTORY, "")), "a");
}
