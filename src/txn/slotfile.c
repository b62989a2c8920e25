#include "txn/slotfile.h"

#include <errno.h>
#include <stdlib.h>

#include "file/io.h"

static const char entry[] = "slot";

int slot_file_open(struct state *state, struct slot_file *ret_file)
{
    char path[STATE_PATH_SIZE];
    *ret_file = (struct slot_file)SLOT_FILE_CLOSED;
    if (!state->present)
        return -ENOENT;
    state_path(state, FOLDER_JOURNAL, entry, path);
    int rc = io_open_own(state->parent, path, OS_READ | OS_WRITE, &ret_file->fd, &ret_file->stat);
    ret_file->writable = rc == 0;
    if (rc == -EACCES || rc == -EROFS || rc == -EPERM)
        rc = io_open_own(state->parent, path, OS_READ, &ret_file->fd, &ret_file->stat);
    return rc == -EMLINK ? -ENOENT : rc;
}

void slot_file_close(struct slot_file *file)
{
    if (file->locked)
        registry_drop(file->locked);
    else
        os_close(file->fd);
    *file = (struct slot_file)SLOT_FILE_CLOSED;
}

static bool is_named(const struct slot_file *file, const struct state *state)
{
    struct os_stat now;
    char path[STATE_PATH_SIZE];
    state_path(state, FOLDER_JOURNAL, entry, path);
    return os_stat(state->parent, path, &now) == 0 && os_same_file(&now, &file->stat);
}

int slot_file_lock(struct slot_file *file, struct state *state, uint64_t deadline)
{
    for (;;) {
        int rc = os_lock(file->fd, OS_LOCK_EXCLUSIVE);
        if (rc == 0)
            break;
        if (rc != -EWOULDBLOCK && rc != -EINTR)
            return rc;
        if (os_clock_ns() >= deadline)
            return -EWOULDBLOCK;
        os_sleep_ns(LIMIT_POLL_NS);
    }
    file->locked = registry_add(file->fd, &file->stat);
    if (!file->locked) {
        file->fd = OS_NONE; /* closed by the registry */
        return -ENOMEM;
    }
    return is_named(file, state) ? 0 : -ESTALE;
}

/* As open as `mode`, before anything is in it. Sharing is done as far as permitted: who is kept out
 * does not see the slot, and finds the files as they are. */
static int share(os_fd made, const struct state *state, unsigned mode)
{
    (void)os_share(made, state->root, NULL); /* which was opened with the folder in it */
    return os_new_meta(state->root, made, mode);
}

int slot_file_renew(struct slot_file *file, struct state *state, unsigned mode)
{
    os_fd folder;
    int rc = state_folder(state, FOLDER_JOURNAL, true, &folder);
    if (rc == 0 && file->fd != OS_NONE) {
        rc = is_named(file, state) ? os_remove(folder, entry, false) : -ESTALE;
        rc = rc == -ENOENT ? -ESTALE : rc;
    }
    slot_file_close(file);
    if (rc == 0)
        rc = io_open(folder, entry, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE, 0600, &file->fd);
    if (rc < 0)
        return rc == -EEXIST ? -ESTALE : rc;
    rc = share(file->fd, state, mode);
    if (rc == 0)
        rc = os_stat(file->fd, NULL, &file->stat);
    if (rc == 0)
        rc = slot_file_lock(file, state, 0);
    file->writable = true;
    return rc == -EWOULDBLOCK ? -ESTALE : rc;
}

bool slot_file_fits(const struct slot_file *file, unsigned mode)
{
    uint32_t user = os_user();
    return file->writable && file->stat.mode == mode && (file->stat.owner == user || user == 0);
}

/* Whoever may write the directory may create and remove names in it; only of an existing file it
 * matters whose it is, for it gives its owner and mode to what replaces it. */
bool slot_maker_is_trusted(const struct os_stat *made, const struct place *directory,
                           const struct os_stat *target)
{
    const struct os_stat *dir = &directory->dir_stat;
    if (made->owner == os_user() || made->owner == 0)
        return true;
    if (!target)
        return made->owner == dir->owner || (dir->mode & 022);
    return made->owner == target->owner || (target->mode & 002) ||
           ((target->mode & 020) && made->group == target->group);
}

bool slot_file_is_trusted(const struct slot_file *file, const struct place *directory,
                          const struct os_stat *target)
{
    return slot_maker_is_trusted(&file->stat, directory, target);
}

int slot_file_write(struct slot_file *file, struct slot *slot)
{
    unsigned char *data;
    size_t size;
    slot->own_inode = file->stat.inode;
    slot->own_born = file->stat.born;
    int rc = slot_encode(slot, &data, &size);
    if (rc < 0)
        return rc;
    rc = io_write(file->fd, data, size, 0);
    free(data);
    return rc;
}

int slot_file_set(struct slot_file *file, struct slot *slot, enum slot_state state)
{
    unsigned char head[SLOT_HEAD];
    slot->state = state;
    slot_encode_head(slot, head);
    return io_write(file->fd, head, sizeof head, 0);
}

int slot_file_settle(struct slot_file *file)
{
    struct slot slot = {0};
    int rc = slot_read_head(file->fd, &slot);
    if (rc < 0 && rc != -ENODATA)
        return rc;
    bool stays = rc == 0 && (slot.rooted || slot_is_active(&slot));
    rc = file->writable && !stays ? os_resize(file->fd, 0) : 0;
    if (rc == 0 && file->writable)
        rc = slot_file_set(file, &slot, stays ? slot.state : SLOT_IDLE);
    return rc < 0 ? rc : os_flush(file->fd);
}
