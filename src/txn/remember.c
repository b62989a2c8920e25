#include "txn/remember.h"

#include <stdlib.h>
#include <string.h>

#include "txn/narrow.h"
#include "txn/record.h"

/* ---- who may read it ---- */

/* Reading and writing that all members grant by their modes. [RECORD-3] */
struct grant {
    unsigned mode;
    bool known, one_group;
    uint32_t group; /* of all of them */
};

#define GRANT_ALL                                                                                  \
    {                                                                                              \
        .mode = 0666, .one_group = true                                                            \
    }

static void narrow(struct grant *grant, const struct os_stat *stat)
{
    grant->mode &= stat->mode;
    grant->one_group &= !grant->known || grant->group == stat->group;
    grant->group = stat->group;
    grant->known = true;
}

static unsigned granted(const struct grant *grant, const struct seat *seat)
{
    bool group = grant->one_group && grant->group == seat->place.dir_stat.group;
    return group ? grant->mode : grant->mode & ~0070u;
}

/* [REMEMBER-1] */
static void write_records(struct seats *seats, const struct seat *coordinator,
                          struct record *record, const struct grant *grant)
{
    size_t directories = 0;
    for (size_t i = 0; i < seats->count; i++)
        directories += seats->list[i]->takes_part;
    bool everywhere = directories * record->count <= LIMIT_REMEMBERED;
    memcpy(record->id, coordinator->slot.id, sizeof record->id);
    for (size_t i = 0; i < seats->count; i++) {
        struct seat *seat = seats->list[i];
        if (!seat->takes_part || (seat != coordinator && !everywhere))
            continue;
        record->sequence = seat->slot.sequence;
        (void)record_write(&seat->state, seat->place.dir, record, granted(grant, seat));
    }
}

/* ---- a commit that came to its end ---- */

static void narrow_by_member(const struct member *member, struct grant *grant)
{
    bool is_new = !member->now.unchanged && !member->now.removes;
    if (is_new || member->now.target.exists)
        narrow(grant, is_new ? &member->now.staged : &member->now.target.stat);
}

static void fill_by_member(const struct member *member, struct record_member *ret_record)
{
    const struct target *target = &member->now.target;
    *ret_record = (struct record_member){
        .directory = member->now.seat->path,
        .name = target->place.name,
        .was = target->exists,
        .is = member->now.unchanged ? target->exists : !member->now.removes,
    };
    if (target->hash_known)
        ret_record->before = target->hash;
    if (ret_record->is)
        ret_record->after = member->now.unchanged ? ret_record->before : member->now.hash;
}

/* By this commit; or before it, which the folder of its versions tells. */
static bool is_narrowed(const struct member *member)
{
    return !member->now.unchanged && !member->now.removes && member->now.target.exists &&
           ((member->now.target.stat.mode & ~member->now.staged.mode & 0666) != 0 ||
            member->now.past.narrowed);
}

/* [NARROW-1] `record` has room for all members. */
static void narrow_earlier(struct commit *commit, struct record *record)
{
    struct grant grant = GRANT_ALL;
    record->count = 0;
    for (size_t i = 0; i < commit->count; i++) {
        if (!is_narrowed(commit->members[i]))
            continue;
        fill_by_member(commit->members[i], &record->members[record->count++]);
        narrow_by_member(commit->members[i], &grant);
    }
    struct narrowing *narrowing = record->count > 0 ? calloc(1, sizeof *narrowing) : NULL;
    if (!narrowing)
        return;
    narrowing->files = record;
    narrowing->mode = grant.mode;
    narrowing->one_group = grant.one_group;
    narrowing->group = grant.group;
    for (size_t i = 0; i < commit->seats.count; i++)
        if (commit->seats.list[i]->takes_part)
            narrow_directory(narrowing, &commit->seats.list[i]->place,
                             &commit->seats.list[i]->state);
    narrow_elsewhere(narrowing, commit->options->state_dir);
    free(narrowing);
}

void remember_commit(struct commit *commit)
{
    struct grant grant = GRANT_ALL;
    struct record record = {.count = commit->count};
    record.members = calloc(commit->count, sizeof *record.members);
    if (!record.members)
        return;
    for (size_t i = 0; i < commit->count; i++) {
        fill_by_member(commit->members[i], &record.members[i]);
        narrow_by_member(commit->members[i], &grant);
    }
    write_records(&commit->seats, commit->coordinator, &record, &grant);
    narrow_earlier(commit, &record);
    free(record.members);
}

/* ---- one that was recovered ---- */

/* Of a member that is gone nobody knows any more who might read it. */
static void narrow_by_name(const struct seat *seat, const char *name, struct grant *grant)
{
    struct os_stat stat;
    if (os_stat(seat->place.dir, name, &stat) == 0)
        narrow(grant, &stat);
    else
        grant->mode = 0;
}

static void fill_by_slot(const struct seat *seat, const struct slot_member *member,
                         struct record_member *ret_record)
{
    *ret_record = (struct record_member){
        .directory = seat->path,
        .name = member->name,
        .was = member->kind != SLOT_CREATE,
        .is = member->kind != SLOT_REMOVE,
        .before = member->before.hash,
        .after = member->after.hash,
    };
}

/* [REMEMBER-2] The number of members; 0 if not all directories tell theirs. */
static size_t count_members(const struct seats *seats, const struct seat *coordinator)
{
    size_t count = 0, directories = 0;
    for (size_t i = 0; i < seats->count; i++) {
        const struct seat *seat = seats->list[i];
        if (seat->takes_part && slot_same_id(&seat->slot, &coordinator->slot)) {
            count += seat->slot.member_count;
            directories++;
        }
    }
    return directories == (size_t)coordinator->slot.directory_count + 1 ? count : 0;
}

void remember_recovered(struct seats *seats, const struct seat *coordinator)
{
    struct grant grant = GRANT_ALL;
    struct record record = {0};
    size_t count = count_members(seats, coordinator);
    record.members = count > 0 ? calloc(count, sizeof *record.members) : NULL;
    if (!record.members)
        return;
    for (size_t i = 0; i < seats->count; i++) {
        const struct seat *seat = seats->list[i];
        for (uint32_t j = 0; seat->takes_part && j < seat->slot.member_count; j++) {
            fill_by_slot(seat, &seat->slot.members[j], &record.members[record.count++]);
            narrow_by_name(seat, seat->slot.members[j].name, &grant);
        }
    }
    write_records(seats, coordinator, &record, &grant);
    free(record.members);
}
