#include "txn/witness.h"

#include <errno.h>
#include <string.h>

#include "file/inplace.h"
#include "file/io.h"

static bool is_old_inode(const struct slot_member *member, const struct os_stat *stat)
{
    return stat->inode == member->before.inode && stat->born == member->before.born;
}

/* Whether the name is a file of that content (NULL: any of that size); and, for `old`, of the inode
 * that this member had. */
static int has_content(const struct place *place, const struct slot_member *old, uint64_t size,
                       const struct untorn_hash *hash, struct os_stat *ret_stat)
{
    struct untorn_hash now;
    os_fd file;
    int rc = io_open(place->dir, place->name, OS_READ, 0, &file);
    if (rc < 0)
        return rc == -ENOENT || rc == -ELOOP ? 0 : rc;
    rc = os_stat(file, NULL, ret_stat);
    bool same = rc == 0 && ret_stat->size == size && (!old || is_old_inode(old, ret_stat));
    if (same && hash) {
        rc = io_hash(file, 0, size, &now);
        same = rc == 0 && untorn_hash_equal(&now, hash);
    }
    os_close(file);
    return rc < 0 ? rc : same;
}

static int is_the_old_file(const struct slot_member *member, const struct place *place)
{
    struct os_stat stat;
    if (member->kind == SLOT_CREATE) {
        int rc = os_stat(place->dir, place->name, &stat);
        return rc == -ENOENT ? 1 : rc < 0 ? rc : 0;
    }
    return has_content(place, member, member->before.size,
                       member->before.hashed ? &member->before.hash : NULL, &stat);
}

int witness_is_before(const struct slot_member *member, const struct place *place,
                      struct state *state)
{
    struct inplace_view first = {.journal = OS_NONE}, then = {.journal = OS_NONE};
    if (!member->in_place)
        return is_the_old_file(member, place);
    int rc = inplace_look(place, state, &first);
    inplace_view_close(&first);
    if (rc < 0 || first.active)
        return rc < 0 ? rc : untorn_hash_equal(&first.old_hash, &member->before.hash);
    int before = is_the_old_file(member, place);
    rc = inplace_look(place, state, &then);
    inplace_view_close(&then);
    if (rc == 0 && (then.active || then.sequence != first.sequence))
        rc = -ESTALE;
    return rc < 0 ? rc : before;
}

/* Where only the mode is changed the content proves nothing, but another inode does; of a file that
 * keeps its inode it is the other way round. */
int witness_is_made(const struct slot_member *member, const struct place *place)
{
    struct os_stat stat;
    if (member->kind == SLOT_REMOVE)
        return 0;
    int rc = has_content(place, NULL, member->after.size, &member->after.hash, &stat);
    bool proves = member->kind == SLOT_CREATE ||
                  (member->in_place ? !untorn_hash_equal(&member->before.hash, &member->after.hash)
                                    : rc == 1 && !is_old_inode(member, &stat));
    return rc == 1 ? proves : rc;
}

/* By the files alone, but where those stay the same: one that somebody else rewrote is no sign of
 * the commit. */
int witness_is_untouched(const struct slot *slot, const struct place *directory,
                         struct state *state)
{
    struct place place = *directory;
    struct os_stat stat;
    for (uint32_t i = 0; i < slot->member_count; i++) {
        const struct slot_member *member = &slot->members[i];
        strcpy(place.name, member->name);
        int rc = member->in_place ? witness_is_before(member, &place, state)
                                  : os_stat(place.dir, place.name, &stat);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        bool same = member->in_place              ? rc == 1
                    : member->kind == SLOT_CREATE ? rc == -ENOENT
                                                  : rc == 0 && is_old_inode(member, &stat);
        if (!same)
            return 0;
    }
    return 1;
}
