/* Read, change, replace under a lock; and adding records to a log. */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <untorn/append.h>
#include <untorn/update.h>
#include <untorn/write.h>

#include "hand.h"
#include "pairs.h"

/* ---- update ---- */

static int change(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context;
    pairs_must(old && old->size == CONTENT_SIZE, "read the old version");
    return untorn_change_set(change, fresh_content(), CONTENT_SIZE);
}

static void update_at(enum untorn_level level)
{
    struct untorn_options options = {.level = level};
    int rc = untorn_update("ours/state.json", change, NULL, &options, NULL);
    pairs_must(rc == 0, "untorn_update");
}

static void recipe_at(enum untorn_level level)
{
    char old[CONTENT_SIZE];
    int lock = open("hand/state.json.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    pairs_must(lock >= 0 && flock(lock, LOCK_EX) == 0, "lock a file");
    int fd = open("hand/state.json", O_RDONLY | O_CLOEXEC);
    pairs_must(fd >= 0 && read(fd, old, sizeof old) == CONTENT_SIZE, "read a file");
    close(fd);
    hand_replace("hand", "hand/state.json.tmp", "hand/state.json", fresh_content(), CONTENT_SIZE,
                 level);
    close(lock);
}

static void update_durable(void)
{
    update_at(UNTORN_DURABLE);
}

static void update_ordered(void)
{
    update_at(UNTORN_ORDERED);
}

static void recipe_durable(void)
{
    recipe_at(UNTORN_DURABLE);
}

static void recipe_ordered(void)
{
    recipe_at(UNTORN_ORDERED);
}

static void prepare_update(void)
{
    make_directory("ours");
    make_directory("hand");
    int rc = untorn_write("ours/state.json", fresh_content(), CONTENT_SIZE, NULL, NULL);
    pairs_must(rc == 0, "untorn_write");
    hand_replace("hand", "hand/state.json.tmp", "hand/state.json", fresh_content(), CONTENT_SIZE,
                 UNTORN_DURABLE);
}

/* ---- append ---- */

enum { RECORD_SIZE = 100 };

static const char *record(void)
{
    static char text[RECORD_SIZE];
    if (text[0] == '\0') {
        memset(text, 'x', sizeof text);
        text[sizeof text - 1] = '\n';
    }
    return text;
}

static void append(void)
{
    int rc =
        untorn_append("ours/events.log", record(), RECORD_SIZE, UNTORN_RECORDS_TEXT, NULL, NULL);
    pairs_must(rc == 0, "untorn_append");
}

static void bare_append(void)
{
    int fd = open("hand/events.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    pairs_must(fd >= 0 && write(fd, record(), RECORD_SIZE) == RECORD_SIZE, "append to a file");
    pairs_must(fsync(fd) == 0, "flush a file");
    close(fd);
}

static void prepare_append(void)
{
    make_directory("ours");
    make_directory("hand");
}

static const struct pairs_row rows[] = {
    {.name = "update 4 KiB, durable",
     .peer = "flock, read, write, fdatasync, rename, fsync of the directory",
     .prepare = prepare_update,
     .ours = update_durable,
     .theirs = recipe_durable},
    {.name = "update 4 KiB, ordered",
     .peer = "flock, read, write, fdatasync, rename",
     .prepare = prepare_update,
     .ours = update_ordered,
     .theirs = recipe_ordered},
    {.name = "append 100 bytes, durable",
     .peer = "open for appending, write, fsync",
     .prepare = prepare_append,
     .ours = append,
     .theirs = bare_append},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
