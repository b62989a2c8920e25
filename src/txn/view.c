#include "txn/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/io.h"
#include "file/read.h"
#include "file/upward.h"
#include "txn/seat.h"
#include "txn/witness.h"

void view_close(struct view *view)
{
    slot_free(&view->slot);
    slot_file_close(&view->file);
}

static bool is_same(const struct view_slot_mark *a, const struct view_slot_mark *b)
{
    return a->valid == b->valid && a->state == b->state && a->sequence == b->sequence &&
           memcmp(a->id, b->id, SLOT_ID) == 0;
}

bool view_same_mark(const struct view_mark *a, const struct view_mark *b)
{
    return is_same(&a->own, &b->own) && is_same(&a->coordinator, &b->coordinator) &&
           a->begun == b->begun;
}

static bool same_head(const struct slot *a, const struct slot *b)
{
    return a->state == b->state && a->sequence == b->sequence && slot_same_id(a, b);
}

/* All of the slot of which `head` was read, or -ESTALE where it is another by now. [VIEW-3]
 * -ENODATA is one that was torn by a crash, or whose writer has not come to its end yet: not
 * committed. */
static int read_whole(const struct slot_file *file, const struct os_stat *directory,
                      const struct slot *head, struct slot *ret_slot)
{
    struct slot again;
    int rc = slot_read(file->fd, &file->stat, directory, ret_slot);
    if (rc < 0 && rc != -ENODATA && rc != -EXDEV)
        return rc;
    int again_rc = slot_read_head(file->fd, &again);
    bool same = again_rc == 0 && same_head(head, &again) && (rc < 0 || same_head(head, ret_slot));
    if (same)
        return rc;
    if (rc == 0)
        slot_free(ret_slot);
    return again_rc < 0 && again_rc != -ENODATA ? again_rc : -ESTALE;
}

/* ---- before and after ---- */

/* Whether nobody works with the slot: then what it says is a dead one's, and will not be withdrawn.
 */
static bool is_left(os_fd slot)
{
    bool left = os_lock(slot, OS_LOCK_SHARED) != -EWOULDBLOCK;
    if (left)
        (void)os_lock(slot, OS_UNLOCK);
    return left;
}

/* [VIEW-1] A directory that is away has nothing that anybody could see. One whose slot is closed to
 * us may be finished already, if the maker of the commit is dead. [RECOVER-9] 1, 0, ... */
static int has_begun(const struct seat *coordinator, os_fd own, struct state *state,
                     struct seats *seats)
{
    const struct slot *slot = &coordinator->slot;
    int rc = witness_is_untouched(slot, &coordinator->place, state);
    for (uint32_t i = 0; rc == 1 && i < slot->directory_count; i++) {
        struct seat *seat;
        if (seats_open(seats, &slot->directories[i], coordinator, &seat) < 0)
            continue;
        rc = seat_read(seat);
        if (rc < 0 && rc != -ENODATA && rc != -ENOENT && rc != -EXDEV && rc != -EACCES)
            return rc;
        bool waits = rc == 0 && seat_waits_for(seat, coordinator, i);
        bool closed = rc == -EACCES && !is_left(own);
        rc = waits ? witness_is_untouched(&seat->slot, &seat->place, &seat->state) : closed;
    }
    return rc < 0 ? rc : !rc;
}

/* ---- one directory ---- */

static void note_mark(struct view_slot_mark *mark, const struct slot *head)
{
    mark->valid = true;
    mark->state = head->state;
    mark->sequence = head->sequence;
    memcpy(mark->id, head->id, SLOT_ID);
}

static int note_begun(struct view *view, const struct seat *coordinator, struct state *state,
                      struct seats *seats, const struct view_mark *known)
{
    bool same = known && is_same(&known->own, &view->mark.own) &&
                is_same(&known->coordinator, &view->mark.coordinator);
    os_fd own = coordinator->file.fd == OS_NONE ? view->file.fd : coordinator->file.fd;
    int rc = same ? known->begun : has_begun(coordinator, own, state, seats);
    view->mark.begun = rc == 1;
    return rc < 0 ? rc : 0;
}

/* Without a lock it may be busy with its next commit, and tell nothing of this one: then this one
 * is finished, or never counted. */
static int ask_coordinator(struct view *view, struct seat *asking, const struct view_mark *known)
{
    struct seats seats = {0};
    struct seat *coordinator;
    int rc = 0;
    enum decision decision = seat_decide(asking, &seats, &coordinator, &view->vouched);
    view->verdict = decision == DECIDED_YES   ? VIEW_COMMITTED
                    : decision == DECIDED_NOT ? VIEW_IN_DOUBT
                                              : VIEW_PREPARED;
    if (coordinator)
        note_mark(&view->mark.coordinator, &coordinator->slot);
    /* Where the decision is kept apart the coordinator is finished. */
    bool waits = coordinator && decision == DECIDED_YES && coordinator->slot.members &&
                 slot_same_id(&coordinator->slot, &view->slot);
    if (waits)
        rc = note_begun(view, coordinator, &coordinator->state, &seats, known);
    else
        view->mark.begun = decision == DECIDED_YES;
    seats_close(&seats);
    return rc;
}

static int look(struct view *view, const struct place *directory, struct state *state,
                const struct view_mark *known)
{
    struct slot head;
    int rc = slot_read_head(view->file.fd, &head);
    if (rc < 0)
        return rc == -ENODATA ? 0 : rc;
    note_mark(&view->mark.own, &head);
    if (!slot_is_active(&head))
        return 0;
    rc = read_whole(&view->file, &directory->dir_stat, &head, &view->slot);
    if (rc == -EXDEV)
        view->verdict = VIEW_FOREIGN;
    if (rc < 0) {
        view->slot = (struct slot){0};
        return rc == -EXDEV || rc == -ENODATA ? 0 : rc;
    }
    view->verdict = VIEW_COMMITTED;
    view->vouched = true;
    struct seats seats = {0};
    struct seat here = {.place = *directory,
                        .owner = directory->exists ? directory->target.owner : os_user(),
                        .file = SLOT_FILE_CLOSED,
                        .slot = view->slot};
    state_borrow(state, &here.state);
    rc = view->slot.participant ? ask_coordinator(view, &here, known)
                                : note_begun(view, &here, state, &seats, known);
    state_close(&here.state);
    seats_close(&seats);
    return rc;
}

int view_open(const struct place *directory, struct state *state, const struct view_mark *known,
              struct view *ret_view)
{
    *ret_view = (struct view)VIEW_CLOSED;
    int rc = slot_file_open(state, &ret_view->file);
    if (rc == 0)
        rc = look(ret_view, directory, state, known);
    else if (rc == -ENOENT || rc == -EACCES || rc == -ELOOP || rc == -ENOTDIR)
        rc = 0; /* none, or none that is for us to know */
    if (rc < 0)
        view_close(ret_view);
    return rc;
}

int view_last_slot(struct state *state, bool or_copy, struct slot *ret_slot)
{
    struct slot_file file;
    struct slot head;
    int rc = slot_file_open(state, &file);
    if (rc == 0)
        rc = slot_read_head(file.fd, &head);
    if (rc == 0 && or_copy && slot_is_active(&head)) {
        file.stat.inode = head.own_inode;
        file.stat.born = head.own_born;
    }
    if (rc == 0)
        rc = read_whole(&file, NULL, &head, ret_slot);
    slot_file_close(&file);
    return rc == -ENOENT || rc == -EACCES || rc == -EXDEV ? -ENODATA : rc;
}

/* ---- one member ---- */

/* It may have a second name, in the history, just before it is exchanged with the file; what it
 * holds is told by its hash. */
static int read_stage(const struct slot_member *member, struct state *state,
                      struct untorn_content *ret_content)
{
    struct os_stat stat;
    os_fd folder, file;
    int rc = state_folder(state, FOLDER_STAGE, false, &folder);
    if (rc == 0)
        rc = io_open(folder, member->stage, OS_READ, 0, &file);
    if (rc < 0)
        return rc == -ELOOP ? -ENOENT : rc;
    rc = os_stat(file, NULL, &stat);
    if (rc == 0 && stat.kind != OS_REGULAR)
        rc = -ENOENT;
    if (rc == 0)
        rc = read_open_file(file, ret_content);
    os_close(file);
    if (rc == 0 && !untorn_hash_equal(&ret_content->hash, &member->after.hash)) {
        untorn_content_free(ret_content);
        rc = -ESTALE;
    }
    return rc;
}

/* 1 and the new content. 0: it is nowhere, but the file is no longer to be given as it is to be
 * either, for nobody can make it so. */
static int read_new(const struct view *view, const struct slot_member *member,
                    const struct place *place, struct state *state,
                    struct untorn_content *ret_content)
{
    memset(ret_content, 0, sizeof *ret_content);
    int rc = member->inlined ? slot_read_bytes(view->file.fd, member, &ret_content->data)
                             : read_stage(member, state, ret_content);
    if (rc == 0 && member->inlined) {
        ret_content->size = (size_t)member->after.size;
        ret_content->hash = member->after.hash;
    }
    if (rc == 0)
        return 1;
    if (rc != -ENOENT)
        return rc;
    /* Just renamed, or lost. What a living writer has in hand he has not lost. */
    rc = witness_is_before(member, place, state);
    if (rc <= 0)
        return rc < 0 ? rc : -ESTALE;
    return is_left(view->file.fd) ? 0 : -ESTALE;
}

int view_read(const struct view *view, const struct place *place, struct state *state,
              struct untorn_content *ret_content)
{
    struct os_stat target;
    const struct slot_member *member =
        view->mark.begun ? slot_find(&view->slot, place->name) : NULL;
    if (!member)
        return 0;
    int rc = os_stat(place->dir, place->name, &target);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    bool is_there = rc == 0;
    if (!slot_file_is_trusted(&view->file, place, member, is_there ? &target : NULL))
        return 0;
    if (member->kind == SLOT_CREATE)
        return is_there ? 0 : read_new(view, member, place, state, ret_content);
    if (!is_there)
        return 0;
    rc = witness_is_before(member, place, state);
    if (rc <= 0)
        return rc;
    return member->kind == SLOT_REMOVE ? -ENOENT
                                       : read_new(view, member, place, state, ret_content);
}

int upward_read(const struct place *place, struct state *state, struct untorn_content *ret_content)
{
    struct view view;
    int rc = view_open(place, state, NULL, &view);
    if (rc < 0)
        return rc;
    rc = view_read(&view, place, state, ret_content);
    view_close(&view);
    return rc;
}
