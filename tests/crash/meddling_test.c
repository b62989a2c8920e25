/* Somebody else acts between any two steps of a call: removes our folder, replaces the file, or is
 * another untorn that finds no lock because the folder was removed. Nothing is lost by it.
 * [LOCK-1], [LOCK-2]
 *
 * Left out is the moment in which the directory's own lock is held: there others wait. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include <untorn.h>

#include "os/os.h"
#include "os/sim/sim.h"

enum { CALLS_MAX = 2000 };

struct meddler {
    int at; /* before this call */
    bool acted, waited;
    void (*act)(void);
};

static bool directory_is_locked(void)
{
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    bool locked = os_lock(dir, OS_LOCK_EXCLUSIVE) != 0;
    CHECK_INT(os_close(dir), 0);
    return locked;
}

static void meddle(void *context, int call)
{
    struct meddler *meddler = context;
    if (meddler->acted || call == SIM_ASLEEP || call < meddler->at)
        return;
    meddler->acted = true;
    sim_process(1);
    meddler->waited = directory_is_locked();
    if (!meddler->waited)
        meddler->act();
}

static int add_line(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%s", old ? old->data : "", (const char *)context);
    return untorn_change_set(change, text, (size_t)n);
}

static void remove_folder(void)
{
    if (sim_exists("/d/.untorn"))
        sim_remove("/d/.untorn");
}

static void remove_folder_and_update(void)
{
    remove_folder();
    CHECK_INT(untorn_update("/d/a", add_line, "theirs\n", NULL, NULL), 0);
}

/* As a program does that knows nothing of locks. */
static void replace_by_hand(void)
{
    char text[4096];
    os_fd dir, file;
    const char *now = sim_get("/d/a");
    int size = snprintf(text, sizeof text, "%stheirs\n", now ? now : "");
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "by-hand", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_write_at(file, text, (size_t)size, 0), size);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_rename(dir, "by-hand", dir, "a", OS_REPLACE), 0);
    CHECK_INT(os_close(dir), 0);
}

static int update(void)
{
    return untorn_update("/d/a", add_line, "ours\n", NULL, NULL);
}

static int write_whole(void)
{
    return untorn_write("/d/a", "ours\n", 5, NULL, NULL);
}

static int write_in_place(void)
{
    struct untorn_options options = {.keep_inode = true};
    return untorn_write("/d/a", "ours\n", 5, &options, NULL);
}

static int append(void)
{
    return untorn_append("/d/a", "ours\n", 5, UNTORN_RECORDS_TEXT, NULL, NULL);
}

static bool has(const char *line)
{
    const char *text = sim_get("/d/a");
    const char *found = text ? strstr(text, line) : NULL;
    return found && !strstr(found + 1, line);
}

/* Walks the moment of meddling through the whole call. `both`: theirs must be there too. */
static void walk(int (*call)(void), void (*act)(void), bool exists, bool both)
{
    int acted = 0, at = 0;
    for (; at < CALLS_MAX; at++) {
        struct meddler meddler = {.at = at, .act = act};
        sim_start(NULL);
        sim_make_dir("/d");
        if (exists)
            CHECK_INT(untorn_write("/d/a", "old\n", 4, NULL, NULL), 0);
        sim_settle();
        sim_set_meanwhile(meddle, &meddler);
        int rc = call();
        sim_set_meanwhile(NULL, NULL);
        if (!meddler.acted)
            break;
        acted += !meddler.waited;
        bool lost = rc != 0 || !has("ours\n") || (both && !meddler.waited && !has("theirs\n"));
        if (lost)
            printf("    meddling before call %d: result %d, content \"%s\"\n", at + 1, rc,
                   sim_get("/d/a") ? sim_get("/d/a") : "(none)");
        CHECK(!lost);
        CHECK_TEXT(sim_misuse(), NULL);
        CHECK_INT(sim_open_handles(), 0);
        CHECK_INT(untorn_write("/d/a", "next\n", 5, NULL, NULL), 0);
        CHECK(strstr(sim_tree("/d"), "/stage/a") == NULL);
    }
    printf("    %d moments\n", acted);
    CHECK(acted > 20);
}

TEST(an_update_survives_the_removal_of_our_folder_at_any_moment)
{
    walk(update, remove_folder, true, false);
    walk(update, remove_folder, false, false);
}

TEST(a_write_survives_the_removal_of_our_folder_at_any_moment)
{
    walk(write_whole, remove_folder, true, false);
    walk(write_whole, remove_folder, false, false);
}

TEST(an_append_survives_the_removal_of_our_folder_at_any_moment)
{
    walk(append, remove_folder, true, false);
    walk(append, remove_folder, false, false);
}

TEST(an_overwrite_in_place_survives_the_removal_of_our_folder_at_any_moment)
{
    walk(write_in_place, remove_folder, true, false);
}

TEST(two_updates_are_both_there_although_the_folder_was_removed_between_them)
{
    walk(update, remove_folder_and_update, true, true);
    walk(update, remove_folder_and_update, false, true);
}

TEST(an_update_starts_over_when_a_foreign_program_replaces_the_file)
{
    walk(update, replace_by_hand, true, true);
}

TEST(a_foreign_replace_that_does_not_wait_at_that_moment_is_noticed_as_lost)
{
    int lost = 0;
    for (int at = 0; at < CALLS_MAX; at++) {
        struct meddler meddler = {.at = at, .act = replace_by_hand};
        sim_start(NULL);
        sim_make_dir("/d");
        CHECK_INT(untorn_write("/d/a", "old\n", 4, NULL, NULL), 0);
        sim_settle();
        sim_break(SIM_LOCK_LIES);
        sim_set_meanwhile(meddle, &meddler);
        CHECK_INT(update(), 0);
        sim_set_meanwhile(NULL, NULL);
        if (!meddler.acted)
            break;
        lost += !has("theirs\n");
    }
    CHECK(lost > 0);
}
