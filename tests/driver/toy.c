/* A toy saver for the sweep to judge: one right way to save a file and several common wrong ones.
 * The sweep has to pass the right one and to catch each of the others.
 *
 *     TOY=right toy write FILE <content        the variant is named by the environment
 *     toy read FILE, toy check DIRECTORY       as the sweep needs them
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2, UNSETTLED = 7, LARGEST = 4 << 20, PATIENCE = 32 };

static const char *variant;
static char *content;

static bool is(const char *name)
{
    return strcmp(variant, name) == 0;
}

/* A call that was interrupted is made again, but not for ever. */
static bool again(void)
{
    static int interruptions;
    return errno == EINTR && (is("never-gives-up") || ++interruptions < PATIENCE);
}

static ssize_t read_all(int fd)
{
    size_t size = 0;
    for (;;) {
        ssize_t got = read(fd, content + size, LARGEST - size);
        if (got < 0 && again())
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            return (ssize_t)size;
        size += (size_t)got;
    }
}

static bool write_all(int fd, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = write(fd, content + done, size - done);
        if (wrote < 0 && again())
            continue;
        if (wrote < 0)
            return false;
        done += (size_t)wrote;
        if (is("trusts-the-count"))
            break;
    }
    return true;
}

static bool flush(int fd)
{
    if (fsync(fd) == 0 || is("ignores-the-flush"))
        return true;
    return is("flushes-again") && fsync(fd) == 0;
}

static int save_in_place(const char *path, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || !write_all(fd, size) || !flush(fd) || close(fd) != 0)
        return FAILED;
    return DONE;
}

static int save(const char *path, size_t size)
{
    char stage[64];
    snprintf(stage, sizeof stage, is("leaves-litter") ? "%s.%d" : "%s.stage", path, (int)getpid());
    int fd = open(stage, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return FAILED;
    bool whole = write_all(fd, size) && fchmod(fd, 0640) == 0 && flush(fd);
    if (close(fd) != 0)
        whole = false;
    if (!whole || rename(stage, path) != 0) {
        /* A rename that failed may yet have been done; then the stage is gone. */
        bool in_doubt = whole && access(stage, F_OK) != 0 && !is("believes-the-error");
        unlink(stage);
        return in_doubt ? UNSETTLED : FAILED;
    }
    int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool flushed = directory >= 0 && fsync(directory) == 0;
    if (is("calls-it-failed") && !flushed)
        return FAILED;
    return flushed ? DONE : UNSETTLED;
}

static int run(char **values)
{
    content = malloc(LARGEST);
    if (content == NULL)
        return is("forgets-the-memory") ? DONE : FAILED;
    int fd = strcmp(values[1], "read") == 0 ? open(values[2], O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    ssize_t size = read_all(fd);
    if (size < 0)
        return FAILED;
    if (fd != STDIN_FILENO)
        return write_all(STDOUT_FILENO, (size_t)size) ? DONE : FAILED;
    return is("truncates-first") ? save_in_place(values[2], (size_t)size)
                                 : save(values[2], (size_t)size);
}

int main(int count, char **values)
{
    variant = getenv("TOY");
    if (variant == NULL || count < 3)
        return USAGE;
    if (strcmp(values[1], "check") == 0)
        return DONE;
    int status = run(values);
    if (status != DONE && !is("says-nothing"))
        fputs("toy: it failed, or is not settled\n", stderr);
    return status;
}
