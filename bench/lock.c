/* Taking and giving back a lock that nobody else wants. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <untorn/lock.h>

#include "hand.h"
#include "pairs.h"

static struct untorn_lock *handle;
static int open_file = -1;

static void by_path(void)
{
    struct untorn_lock *lock = NULL;
    int rc = untorn_lock("ours/state.json", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL);
    pairs_must(rc == 0, "untorn_lock");
    untorn_unlock(lock);
}

static void by_handle(void)
{
    int rc = untorn_lock_acquire(handle, UNTORN_LOCK_EXCLUSIVE, NULL);
    pairs_must(rc == 0, "untorn_lock_acquire");
    untorn_lock_release(handle);
}

static void bare_by_path(void)
{
    int fd = open("hand/state.json.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    pairs_must(fd >= 0 && flock(fd, LOCK_EX) == 0, "lock a file");
    close(fd);
}

static void bare_by_handle(void)
{
    pairs_must(flock(open_file, LOCK_EX) == 0 && flock(open_file, LOCK_UN) == 0, "lock a file");
}

static void prepare(void)
{
    make_directory("ours");
    make_directory("hand");
}

static void prepare_handles(void)
{
    prepare();
    int rc = untorn_lock_open("ours/state.json", NULL, &handle, NULL);
    pairs_must(rc == 0, "untorn_lock_open");
    open_file = open("hand/state.json.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    pairs_must(open_file >= 0, "open a lock file");
}

static const struct pairs_row rows[] = {
    {.name = "lock and unlock by path",
     .peer = "open, flock, close",
     .prepare = prepare,
     .ours = by_path,
     .theirs = bare_by_path,
     .unit = PAIRS_TIME,
     .target = 20,
     .batch = 20},
    {.name = "lock and unlock with an open handle",
     .peer = "flock twice",
     .prepare = prepare_handles,
     .ours = by_handle,
     .theirs = bare_by_handle,
     .unit = PAIRS_TIME,
     .target = 5,
     .batch = 100},
};

int main(int argc, char **argv)
{
    int status = pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
    untorn_unlock(handle);
    return status;
}
