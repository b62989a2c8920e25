/* Ways to save that look right and are not: what judges a power loss must find fault with each. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <untorn.h>

#include "scenario.h"

enum { SIZE = 10000, FLUSHES_FILE = 1, FLUSHES_DIRECTORY = 2 };

/* As long as the others, so that writing over it changes blocks and no size. */
static struct blob text(const struct work *work, unsigned update, unsigned file)
{
    return scenario_text(work, update, file, SIZE);
}

static void flush(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0 || close(fd) != 0)
        place_die("cannot flush", path);
}

/* Temporary file, rename; and only these flushes. */
static int replace_with(const struct work *work, unsigned update, unsigned file, unsigned flushes)
{
    struct blob blob = scenario_content(work, update, file);
    blob_write(".", "d/temporary", &blob, 0644);
    blob_free(&blob);
    if (flushes & FLUSHES_FILE)
        flush("d/temporary");
    if (rename("d/temporary", work->scenario->files[file]) != 0)
        place_die("cannot rename", work->scenario->files[file]);
    if (flushes & FLUSHES_DIRECTORY)
        flush("d");
    return 0;
}

static int no_flush(const struct work *work, unsigned update)
{
    return replace_with(work, update, 0, 0);
}

static int no_directory_flush(const struct work *work, unsigned update)
{
    return replace_with(work, update, 0, FLUSHES_FILE);
}

static int no_stage_flush(const struct work *work, unsigned update)
{
    return replace_with(work, update, 0, FLUSHES_DIRECTORY);
}

static int overwrite(const struct work *work, unsigned update)
{
    struct blob blob = scenario_content(work, update, 0);
    int fd = open(work->scenario->files[0], O_WRONLY | O_CLOEXEC);
    if (fd < 0 || pwrite(fd, blob.data, blob.size, 0) != (ssize_t)blob.size || fsync(fd) != 0)
        place_die("cannot overwrite", work->scenario->files[0]);
    close(fd);
    blob_free(&blob);
    return 0;
}

static int two_replaces(const struct work *work, unsigned update)
{
    replace_with(work, update, 0, FLUSHES_FILE | FLUSHES_DIRECTORY);
    return replace_with(work, update, 1, FLUSHES_FILE | FLUSHES_DIRECTORY);
}

const struct scenario scenario_no_flush = {"no-flush", {"d/f"}, WITHOUT, no_flush, text, NULL},
                      scenario_no_directory_flush = {"no-directory-flush", {"d/f"}, WITHOUT,
                                                     no_directory_flush,   text,    NULL},
                      scenario_no_stage_flush = {"no-stage-flush", {"d/f"}, WITHOUT,
                                                 no_stage_flush,   text,    NULL},
                      scenario_overwrite = {"overwrite", {"d/f"}, WITHOUT, overwrite, text, NULL},
                      scenario_two_replaces = {"two-replaces", {"d/a", "d/b"}, WITHOUT,
                                               two_replaces,   text,           NULL};
