/* The versions of a file for who only looks. */
#include "history/look.h"

#include <untorn.h>

#include "file/support.h"

static struct untorn_error error;
static struct look look;

static int open_look(const char *path, const struct untorn_options *options)
{
    error_begin(&error, NULL, path);
    return look_open(&look, path, options, &error);
}

static void save(const char *path, const char *text)
{
    struct untorn_options options = {.keep = 8};
    CHECK_INT(untorn_write(path, text, strlen(text), &options, NULL), 0);
}

TEST(looking_at_a_file_without_versions_makes_nothing)
{
    struct version_found found;
    put("f", "text");
    CHECK_INT(open_look("f", NULL), 0);
    CHECK_INT(look.versions.count, 0);
    CHECK_INT(look_at(&look, 1, &found, &error), -UNTORN_NO_VERSION);
    look_close(&look);
    look_close(&look);
    CHECK(!exists(".untorn"));
}

TEST(neither_a_file_nor_versions_is_missing)
{
    make_dir("d", 0755);
    CHECK_INT(open_look("d/f", NULL), -UNTORN_MISSING);
    look_close(&look);
    CHECK_INT(open_look("nowhere/f", NULL), -UNTORN_MISSING);
    look_close(&look);
    save("d/other", "text");
    CHECK_INT(open_look("d/f", NULL), -UNTORN_MISSING);
    look_close(&look);
}

TEST(a_removed_file_still_has_its_versions)
{
    struct version_found found;
    save("f", "one");
    save("f", "two");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(open_look("f", NULL), 0);
    CHECK(look.live == NULL);
    CHECK_INT(look_at(&look, 1, &found, &error), 0);
    CHECK_INT(found.stat.size, 3);
    os_close(found.file);
    CHECK_INT(look_at(&look, 0, &found, &error), -UNTORN_NO_VERSION);
    look_close(&look);
}

TEST(a_link_leads_to_the_versions_of_the_real_file_or_is_refused)
{
    struct untorn_options refuse = {.symlink = UNTORN_REFUSE_LINK};
    make_dir("d", 0755);
    save("d/real", "one");
    save("d/real", "two");
    CHECK_INT(symlink("d/real", "link"), 0);
    CHECK_INT(open_look("link", NULL), 0);
    CHECK_INT(look.versions.count, 1);
    look_close(&look);
    CHECK_INT(open_look("link", &refuse), -UNTORN_LINK_REFUSED);
    look_close(&look);
}

TEST(with_a_state_directory_the_versions_are_there)
{
    struct untorn_options options = {.state_dir = "state"};
    put("f", "one");
    CHECK_INT(untorn_write("f", "two", 3, &options, NULL), 0);
    CHECK_INT(open_look("f", &options), 0);
    CHECK_INT(look.versions.count, 1);
    look_close(&look);
    CHECK_INT(open_look("f", NULL), 0);
    CHECK_INT(look.versions.count, 0);
    look_close(&look);
}
