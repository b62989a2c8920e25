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
    ret_file->outside = state->outside;
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

/* Also learns its size, which is ours to know only while it is locked. */
static bool is_named(struct slot_file *file, const struct state *state)
{
    struct os_stat now;
    char path[STATE_PATH_SIZE];
    state_path(state, FOLDER_JOURNAL, entry, path);
    bool named = os_stat(state->parent, path, &now) == 0 && os_same_file(&now, &file->stat);
    if (named)
        file->stat.size = now.size;
    return named;
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
static int share(os_fd made, const struct state *state, const struct slot_access *access)
{
    /* Its root was opened with the folder in it. */
    return os_share_as(made, state->root, access->mode, access->owner == os_user());
}

int slot_file_renew(struct slot_file *file, struct state *state, const struct slot_access *access)
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
    rc = share(file->fd, state, access);
    if (rc == 0)
        rc = os_stat(file->fd, NULL, &file->stat);
    if (rc == 0)
        rc = slot_file_lock(file, state, 0);
    file->writable = true;
    file->outside = state->outside;
    return rc == -EWOULDBLOCK ? -ESTALE : rc;
}

bool slot_file_fits(const struct slot_file *file, const struct slot_access *access)
{
    return file->writable && file->stat.mode == access->mode && file->stat.owner == access->owner;
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

/* Nor does it matter of one that is to be removed, but where only its owner may do that. Who made a
 * slot beside the files could write their directory; of one that lies elsewhere that is to be seen.
 */
bool slot_file_is_trusted(const struct slot_file *file, const struct place *directory,
                          const struct slot_member *member, const struct os_stat *target)
{
    bool sticky = directory->dir_stat.mode & 01000;
    bool named = target && (member->kind != SLOT_REMOVE || sticky);
    const struct os_stat *changed = named ? target : file->outside ? &directory->dir_stat : NULL;
    return slot_maker_is_trusted(&file->stat, directory, changed);
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
    if (size > file->stat.size)
        file->stat.size = size;
    return rc;
}

int slot_file_set(struct slot_file *file, struct slot *slot, enum slot_state state)
{
    unsigned char head[SLOT_HEAD];
    slot->state = state;
    slot_encode_head(slot, head);
    return io_write(file->fd, head, sizeof head, 0);
}

int slot_file_drop(struct slot_file *file, struct slot *slot)
{
    slot->level = UNTORN_CACHE;
    return slot_file_set(file, slot, SLOT_DONE);
}

/* What is not active is said by the header alone. */
static int write_again(struct slot_file *file)
{
    struct slot slot = {0};
    int rc = slot_read_head(file->fd, &slot);
    if (rc == -ENODATA)
        return slot_file_set(file, &slot, SLOT_IDLE);
    uint64_t size = SLOT_HEAD + (slot_is_active(&slot) ? slot.body_size : 0);
    return rc < 0 ? rc : io_copy(file->fd, 0, file->fd, 0, size, NULL);
}

int slot_file_settle(struct slot_file *file)
{
    int rc = file->writable ? write_again(file) : 0;
    return rc < 0 ? rc : os_flush(file->fd);
}

/* One that has grown will grow again. */
int slot_file_ground(struct slot_file *file, uint64_t size)
{
    struct slot earlier;
    bool grows = file->stat.size > 0 && size > file->stat.size;
    uint64_t room = (size + (grows ? size / 2 : 0) + SLOT_HEAD - 1) / SLOT_HEAD * SLOT_HEAD;
    int rc = slot_read_head(file->fd, &earlier);
    bool done = rc == 0 && earlier.state == SLOT_DONE; /* it may come back [TXN-4] */
    rc = done ? slot_file_settle(file) : rc == -ENODATA ? 0 : rc;
    if (rc == 0)
        rc = os_resize(file->fd, 0); /* what was spoilt by a failed flush is gone with this */
    if (rc == 0)
        rc = io_write_zeros(file->fd, 0, room);
    if (rc == 0)
        rc = os_flush(file->fd);
    file->stat.size = rc == 0 ? room : 0;
    return rc;
}

/* A little is overwritten, so that the room stays for the next commit. */
int slot_file_trim(struct slot_file *file, uint64_t size)
{
    enum { LITTLE = 64 * 1024 };
    if (file->stat.size <= size)
        return 0;
    if (file->stat.size - size <= LITTLE)
        return io_write_zeros(file->fd, size, file->stat.size - size);
    int rc = os_resize(file->fd, size);
    file->stat.size = rc == 0 ? size : file->stat.size;
    return rc;
}
