/* That the cost of a replace does not grow with what is around it: the same call in a full and in a
 * nearly empty directory. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <untorn/lock.h>
#include <untorn/write.h>

#include "hand.h"
#include "pairs.h"

enum { FEW = 10, MANY_ENTRIES = 100000, MANY_LOCKS = 10000, QUICK = 100 };

static void write_in(const char *path)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    int rc = untorn_write(path, fresh_content(), CONTENT_SIZE, &options, NULL);
    pairs_must(rc == 0, "untorn_write");
}

static int many(int count)
{
    return pairs_is_quick() ? QUICK : count;
}

/* ---- the user's files ---- */

static void fill(const char *directory, int count)
{
    char name[64];
    make_directory(directory);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/entry-%06d", directory, i);
        int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        pairs_must(fd >= 0, name);
        close(fd);
    }
}

static void prepare_entries(void)
{
    fill("few-entries", FEW);
    fill("many-entries", many(MANY_ENTRIES));
}

static void write_among_many(void)
{
    write_in("many-entries/state.json");
}

static void write_among_few(void)
{
    write_in("few-entries/state.json");
}

/* ---- locks ever made ---- */

static void lock_each(const char *directory, int count)
{
    char name[64];
    make_directory(directory);
    for (int i = 0; i < count; i++) {
        struct untorn_lock *lock = NULL;
        snprintf(name, sizeof name, "%s/file-%06d", directory, i);
        pairs_must(untorn_lock(name, UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL) == 0, name);
        untorn_unlock(lock);
    }
}

static void prepare_locks(void)
{
    lock_each("few-locks", FEW);
    lock_each("many-locks", many(MANY_LOCKS));
}

static void write_after_many(void)
{
    write_in("many-locks/state.json");
}

static void write_after_few(void)
{
    write_in("few-locks/state.json");
}

static const struct pairs_row rows[] = {
    {.name = "replace among 100,000 entries",
     .peer = "the same call in a directory of 10 entries",
     .prepare = prepare_entries,
     .ours = write_among_many,
     .theirs = write_among_few,
     .target = 1.1,
     .batch = 5},
    {.name = "replace after 10,000 locks were made",
     .peer = "the same call in a directory where 10 locks were made",
     .prepare = prepare_locks,
     .ours = write_after_many,
     .theirs = write_after_few,
     .target = 1.1,
     .batch = 5},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
