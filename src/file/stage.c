#include "file/stage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"

bool stage_is_named(const struct stage *stage)
{
    struct os_stat named;
    return os_stat(stage->folder, stage->name, &named) == 0 &&
           os_same_file(&named, &stage->stat);
}

/* -EEXIST: the name was taken, or swept before it was locked; try another. */
static int try_create(struct stage *stage, const char *own_name)
{
    uint64_t random;
    char digits[17];
    int rc = os_random(&random, sizeof random);
    if (rc < 0)
        return rc;
    path_random_digits(random, digits);
    snprintf(stage->name, sizeof stage->name, "%.238s.%s", own_name, digits);
    rc = io_open(stage->folder, stage->name, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE,
                 stage->open_mode ? 0666 : 0600, &stage->file); /* [STAGE-2] */
    if (rc < 0)
        return rc;
    stage->named = true;
    rc = os_lock(stage->file, OS_LOCK_EXCLUSIVE);
    if (rc == -EWOULDBLOCK)
        rc = -EEXIST; /* a sweeper has it in hand */
    if (rc == 0)
        rc = os_stat(stage->file, NULL, &stage->stat);
    if (rc == 0 && !stage_is_named(stage)) /* [STAGE-1] */
        rc = -EEXIST;
    if (rc == -EEXIST) {
        stage->named = false; /* whoever has that name now, it is not us */
        os_close(stage->file);
        stage->file = OS_NONE;
    }
    return rc;
}

int stage_begin(struct stage *stage, struct state *state, const char *name, bool open_mode)
{
    char own_name[LIMIT_NAME + 1];
    *stage = (struct stage)STAGE_CLOSED;
    stage->open_mode = open_mode;
    int rc = state_folder(state, FOLDER_STAGE, true, &stage->folder);
    if (rc < 0)
        return rc;
    state->folders[FOLDER_STAGE] = OS_NONE;
    path_own_name(name, LIMIT_SUFFIX, own_name);
    rc = -EEXIST;
    for (int i = 0; rc == -EEXIST && i < LIMIT_TRIES; i++)
        rc = try_create(stage, own_name);
    if (rc < 0)
        stage_close(stage);
    return rc;
}

int stage_write(struct stage *stage, const void *data, size_t size)
{
    if (size > LIMIT_CONTENT - stage->size)
        return -EFBIG;
    int rc = io_write(stage->file, data, size, stage->size);
    if (rc == 0)
        stage->size += size;
    return rc;
}

int stage_renew(struct stage *stage, struct state *state, const char *name, bool open_mode)
{
    struct stage fresh;
    int rc = stage_begin(&fresh, state, name, open_mode);
    if (rc == 0) {
        rc = io_copy(stage->file, 0, fresh.file, 0, stage->size, NULL);
        fresh.size = stage->size;
    }
    if (rc < 0)
        stage_close(&fresh);
    else {
        stage_close(stage);
        *stage = fresh;
    }
    return rc;
}

void stage_close(struct stage *stage)
{
    if (stage->named)
        (void)os_remove(stage->folder, stage->name, false); /* else the next writer sweeps it */
    stage->named = false;
    os_close(stage->file);
    os_close(stage->folder);
    stage->file = stage->folder = OS_NONE;
}
