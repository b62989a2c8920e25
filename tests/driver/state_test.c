#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/place.h"
#include "driver/state.h"

enum { RECORD = 600, OWN_INODE = 48, OTHER_INODE = 521 };

static char here[4096];

static const char *full(const char *name)
{
    static char path[5000];
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(path, sizeof path, "%s/%s", here, name);
    return path;
}

static void put(const char *directory, const char *name, const char *text)
{
    struct blob blob = {strdup(text), strlen(text)};
    blob_write(full(directory), name, &blob, 0640);
    blob_free(&blob);
}

static uint64_t inode_of(const char *directory, const char *name)
{
    char path[5000];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK_INT(stat(path, &about), 0);
    return about.st_ino;
}

/* A record as untorn writes them: its own inode, and behind a text that of another file. */
static void put_record(const char *directory, uint64_t own, uint64_t other, char id)
{
    char bytes[RECORD] = "a record";
    struct blob blob = {bytes, sizeof bytes};
    memset(bytes + 32, id, 16);
    memcpy(bytes + OWN_INODE, &own, sizeof own);
    memcpy(bytes + OTHER_INODE, &other, sizeof other);
    blob_write(full(directory), ".untorn/journal/slot", &blob, 0600);
}

/* What two runs leave that did the same; `id` is what differs between them. */
static void leave(const char *directory, char id)
{
    static const char *const folders[] = {"", "/.untorn", "/.untorn/lock", "/.untorn/journal",
                                          "/.untorn/stage"};
    char name[200];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(name, sizeof name, "%s%s", directory, folders[i]);
        place_make(full(name));
    }
    put(directory, "f", "content");
    put(directory, "g", "more");
    snprintf(name, sizeof name, "pid %d\nstart %d00\ncommand x\n", id, 7 * id);
    put(directory, ".untorn/lock/f", name);
    snprintf(name, sizeof name, ".untorn/stage/f.%016llx",
             (unsigned long long)inode_of(directory, ".untorn/lock/f"));
    put(directory, name, "staged");
    put_record(directory, 0, 0, id);
    put_record(directory, inode_of(directory, ".untorn/journal/slot"), inode_of(directory, "g"),
               id);
}

static uint64_t state_here(const char *directory)
{
    state_begin(full(directory));
    return state_of(full(directory));
}

TEST(what_two_equal_runs_leave_is_one_state)
{
    leave("a", 9);
    leave("b", 123);
    CHECK(state_here("a") == state_here("b"));
}

/* [negative control] Each of these must tell two states apart. */
TEST(what_differs_is_another_state)
{
    leave("a", 1);
    leave("b", 1);
    uint64_t equal = state_here("a");
    put("b", "f", "contenT");
    CHECK(state_here("b") != equal);
    put("b", "f", "content");
    CHECK(state_here("b") == equal);
    CHECK_INT(chmod("b/f", 0600), 0);
    CHECK(state_here("b") != equal);
    CHECK_INT(chmod("b/f", 0640), 0);
    put("b", "h", "");
    CHECK(state_here("b") != equal);
    CHECK_INT(unlink("b/h"), 0);
    CHECK_INT(symlink("f", "b/h"), 0);
    uint64_t linked = state_here("b");
    CHECK_INT(unlink("b/h"), 0);
    CHECK_INT(symlink("g", "b/h"), 0);
    CHECK(state_here("b") != linked);
    CHECK_INT(unlink("b/h"), 0);
    put("b", ".untorn/lock/f", "pid 7\nstart 5\ncommand y\n");
    CHECK(state_here("b") != equal);
}

TEST(a_record_that_names_another_file_or_none_is_another_state)
{
    leave("a", 1);
    leave("b", 1);
    uint64_t equal = state_here("a");
    uint64_t own = inode_of("b", ".untorn/journal/slot"), g = inode_of("b", "g");
    const uint64_t wrong[][2] = {{0, g}, {own, 0}, {own, inode_of("b", "f")}, {g, own}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        put_record("b", wrong[i][0], wrong[i][1], 1);
        CHECK(state_here("b") != equal);
    }
    put_record("b", own, g, 2);
    CHECK(state_here("b") == equal);
}

TEST(a_stage_named_after_another_file_is_another_state)
{
    leave("a", 1);
    leave("b", 1);
    uint64_t equal = state_here("a");
    char from[200], to[200];
    snprintf(from, sizeof from, "b/.untorn/stage/f.%016llx",
             (unsigned long long)inode_of("b", ".untorn/lock/f"));
    snprintf(to, sizeof to, "b/.untorn/stage/f.%016llx", (unsigned long long)inode_of("b", "f"));
    CHECK_INT(rename(from, to), 0);
    CHECK(state_here("b") != equal);
}

TEST(a_state_is_known_when_it_was_added)
{
    static struct states states;
    CHECK(!states_have(&states, 5));
    states_add(&states, 5);
    states_add(&states, 5 + STATES); /* the same place */
    CHECK(states_have(&states, 5) && states_have(&states, 5 + STATES));
    CHECK(!states_have(&states, 5 + 2 * STATES));
    CHECK(state_with(5, 0) != state_with(5, 7));
}

TEST(a_full_table_knows_what_it_has_and_no_more)
{
    static struct states states;
    for (uint64_t i = 1; i <= STATES + 1; i++)
        states_add(&states, i);
    CHECK(states_have(&states, STATES));
    CHECK(!states_have(&states, STATES + 1));
}
