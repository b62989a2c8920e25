/* untorn_undo. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;

static void save(const char *text)
{
    CHECK_INT(untorn_write("f", text, strlen(text), NULL, &error), 0);
}

static char undone[256];

static void note(void *context, const char *path)
{
    (void)context;
    strcat(strcat(undone, path), " ");
}

static int undo(void)
{
    undone[0] = '\0';
    return untorn_undo("f", note, NULL, NULL, &error);
}

TEST(undo_brings_the_previous_version_back_and_again_is_redo)
{
    save("one");
    save("two");
    for (int i = 0; i < 3; i++) {
        CHECK_INT(undo(), 0);
        CHECK_INT(error.flags, 0);
        CHECK_TEXT(text_of("f"), "one");
        CHECK_TEXT(undone, "f ");
        CHECK_INT(untorn_undo("f", NULL, NULL, NULL, &error), 0);
        CHECK_TEXT(text_of("f"), "two");
    }
    CHECK_INT(count_entries(".untorn/history/f", ""), 1);
}

TEST(undo_twice_is_redo_also_with_several_versions)
{
    struct untorn_options options = {.keep = 4};
    for (const char *text = "abcd"; *text; text++)
        CHECK_INT(untorn_write("f", text, 1, &options, &error), 0);
    CHECK_INT(undo(), 0);
    CHECK_TEXT(text_of("f"), "c");
    CHECK_INT(undo(), 0);
    CHECK_TEXT(text_of("f"), "d");
    CHECK_INT(count_entries(".untorn/history/f", ""), 3);
}

static char kept[64];

static int note_kept(void *context, const struct untorn_version *version)
{
    struct untorn_content content;
    (void)context;
    CHECK_INT(untorn_version_read("f", version->number, NULL, &content, &error), 0);
    strcat(strcat(kept, content.data), " ");
    untorn_content_free(&content);
    return 0;
}

static const char *all_kept(void)
{
    kept[0] = '\0';
    CHECK_INT(untorn_log("f", note_kept, NULL, NULL, &error), 0);
    return kept;
}

/* [PAST-8] */
TEST(what_came_back_costs_no_older_version)
{
    struct untorn_options options = {.keep = 4};
    for (const char *text = "abcd"; *text; text++)
        CHECK_INT(untorn_write("f", text, 1, &options, &error), 0);
    CHECK_TEXT(all_kept(), "c b a ");
    CHECK_INT(undo(), 0);
    CHECK_TEXT(all_kept(), "d b a ");
    CHECK_INT(untorn_restore("f", 3, NULL, &error), 0);
    CHECK_TEXT(text_of("f"), "a");
    CHECK_TEXT(all_kept(), "c d b ");
    CHECK_INT(untorn_restore("f", 3, &options, &error), 0); /* there is room for all */
    CHECK_TEXT(all_kept(), "a c d b ");
}

TEST(a_file_without_versions_cannot_be_undone)
{
    CHECK_INT(undo(), -UNTORN_MISSING);
    save("one");
    CHECK_INT(undo(), -UNTORN_NO_VERSION);
    CHECK_TEXT(undone, "");
    CHECK_TEXT(text_of("f"), "one");
}

TEST(a_removed_file_comes_back)
{
    save("one");
    save("two");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(undo(), 0);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_TEXT(text_of("f"), "one");
}

static void save_in_child(void *context)
{
    CHECK_INT(untorn_write("f", context, strlen(context), NULL, NULL), 0);
}

static void save_meanwhile(void *context)
{
    in_child(save_in_child, context);
}

/* Between the look at what is to be undone and the lock. */
TEST(what_is_undone_is_what_the_lock_finds)
{
    save("one");
    save("two");
    at(CALL_FLOCK, "/lock/f", 1, save_meanwhile, "three");
    CHECK_INT(undo(), 0);
    forget_rules();
    CHECK_TEXT(text_of("f"), "two");
}

static void save_next(void *context)
{
    static int count;
    char text[16];
    (void)context;
    snprintf(text, sizeof text, "%d", ++count);
    in_child(save_in_child, text);
}

TEST(a_file_whose_versions_never_rest_is_given_up)
{
    save("one");
    save("two");
    flushes_are_skipped = true;
    always_at(CALL_OPEN, "/lock/f", save_next, NULL);
    CHECK_INT(undo(), -UNTORN_RESTLESS);
    forget_rules();
    CHECK_TEXT(undone, "");
}

static void note_shown(void *context, const char *path, const struct untorn_content *content)
{
    CHECK_TEXT(path, "f");
    CHECK_INT(content->size, 3);
    ++*(int *)context;
}

TEST(a_preview_of_a_file_alone_shows_the_previous_version)
{
    struct untorn_hash hash;
    struct untorn_options options = {.if_match = &hash};
    int shown = 0;
    CHECK_INT(untorn_undo_preview("f", note_shown, &shown, NULL, &error), -UNTORN_MISSING);
    CHECK_INT(untorn_write("f", "one", 3, NULL, &error), 0);
    CHECK_INT(untorn_undo_preview("f", note_shown, &shown, NULL, &error), -UNTORN_NO_VERSION);
    CHECK_INT(untorn_hash_file("f", NULL, &hash, &error), 0);
    CHECK_INT(untorn_write("f", "two!", 4, NULL, &error), 0);
    CHECK_INT(untorn_undo_preview("f", note_shown, &shown, &options, &error), -UNTORN_CHANGED);
    CHECK_INT(shown, 0);
    CHECK_INT(untorn_undo_preview("f", note_shown, &shown, NULL, &error), 0);
    CHECK_INT(untorn_hash_file("f", NULL, &hash, &error), 0);
    CHECK_INT(untorn_undo_preview("f", note_shown, &shown, &options, &error), 0);
    CHECK_INT(shown, 2);
}
