#include "file/stage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/sweep.h"

/* 0 if the name still is this stage, -EEXIST if not, or why that cannot be known. */
static int look_at_name(const struct stage *stage)
{
    struct os_stat own, named;
    int rc = os_stat(stage->file, NULL, &own);
    if (rc == 0)
        rc = os_stat(stage->folder, stage->name, &named);
    if (rc == -ENOENT || (rc == 0 && !os_same_file(&named, &own)))
        return -EEXIST;
    return rc;
}

bool stage_is_named(const struct stage *stage)
{
    return look_at_name(stage) == 0;
}

/* In the folder `stage->folder`. */
static int create(struct stage *stage, unsigned mode)
{
    int rc = io_open(stage->folder, stage->name, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE,
                     mode, &stage->file);
    stage->named = rc == 0;
    return rc;
}

/* -EEXIST: the name was taken, or swept before it was locked; try another. */
static int try_create(struct stage *stage, const char *own_name)
{
    uint64_t random;
    int rc = os_random(&random, sizeof random);
    if (rc < 0)
        return rc;
    path_digits(random, path_add(path_add(stage->name, own_name), "."));
    rc = create(stage, stage->open_mode ? 0666 : 0600); /* [STAGE-2] */
    if (rc < 0)
        return rc;
    rc = os_lock(stage->file, OS_LOCK_EXCLUSIVE);
    if (rc == -EWOULDBLOCK)
        rc = -EEXIST; /* a sweeper has it in hand */
    if (rc == 0)
        rc = look_at_name(stage); /* [STAGE-1] */
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

/* [STAGE-4] */
static void locked_path(const struct state *state, const char *name, uint64_t number,
                        char path[STATE_PATH_SIZE])
{
    char entry[LIMIT_NAME + 1];
    path_own_name(name, LIMIT_SUFFIX, entry);
    path_digits(number, path_add(entry + strlen(entry), "."));
    state_path(state, FOLDER_STAGE, entry, path);
}

void stage_sweep_locked(const struct state *state, const char *name, uint64_t number)
{
    char path[STATE_PATH_SIZE];
    locked_path(state, name, number, path);
    (void)sweep_stage(state->parent, path); /* mostly there is none */
}

int stage_begin_locked(struct stage *stage, struct state *state, const char *name, uint64_t number,
                       unsigned mode, bool open_mode)
{
    os_fd folder;
    *stage = (struct stage)STAGE_CLOSED;
    stage->open_mode = open_mode;
    stage->folder = state->parent;
    stage->borrowed = true;
    locked_path(state, name, number, stage->name);
    int rc = state->reshared ? -ENOENT : create(stage, mode); /* the folder is to be shared anew */
    if (rc == -ENOENT || rc == -EACCES) {
        rc = state_folder(state, FOLDER_STAGE, true, &folder);
        rc = rc < 0 ? rc : create(stage, mode);
    }
    if (rc == -EEXIST && sweep_stage(stage->folder, stage->name) == 0) /* [STAGE-4] */
        rc = create(stage, mode);
    return rc;
}

int stage_move_locked(struct stage *stage, struct state *state, const char *name, uint64_t number)
{
    char path[STATE_PATH_SIZE];
    os_fd folder;
    locked_path(state, name, number, path);
    int rc = os_rename(stage->folder, stage->name, state->parent, path, OS_REPLACE);
    if (rc == -ENOENT || rc == -EACCES) {
        rc = state_folder(state, FOLDER_STAGE, true, &folder);
        if (rc == 0)
            rc = os_rename(stage->folder, stage->name, state->parent, path, OS_REPLACE);
    }
    if (rc == 0)
        path_add(stage->name, path);
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
    if (!stage->borrowed)
        os_close(stage->folder);
    stage->file = stage->folder = OS_NONE;
}

const char *stage_entry(const struct stage *stage)
{
    const char *slash = strrchr(stage->name, '/');
    return slash ? slash + 1 : stage->name;
}

void stage_lend(struct stage *stage, const struct state *state)
{
    char entry[LIMIT_NAME + 1];
    if (stage->borrowed)
        return;
    path_add(entry, stage_entry(stage));
    os_close(stage->folder);
    stage->folder = state->parent;
    stage->borrowed = true;
    state_path(state, FOLDER_STAGE, entry, stage->name);
}

int stage_rest(struct stage *stage)
{
    struct os_stat own;
    if (stage->file == OS_NONE)
        return 0;
    int rc = stage->inode ? 0 : os_stat(stage->file, NULL, &own);
    if (rc == 0 && stage->inode == 0)
        stage->inode = own.inode;
    int close_rc = os_close(stage->file);
    stage->file = OS_NONE;
    return rc < 0 ? rc : close_rc;
}

int stage_wake(struct stage *stage)
{
    struct os_stat own;
    if (stage->file != OS_NONE)
        return 0;
    int rc = io_open_own(stage->folder, stage->name, OS_READ | OS_WRITE, &stage->file, &own);
    if (rc == 0 && own.inode != stage->inode) {
        stage->named = false;
        rc = -ENOENT;
    }
    return rc == -EMLINK ? -ENOENT : rc;
}
