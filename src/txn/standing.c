#include "txn/standing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/versions.h"
#include "txn/record.h"

/* What the newest commit that named a file says of it. */
struct evidence {
    bool known;
    bool excused; /* [STANDING-2] */
    unsigned char id[RECORD_ID];
    const struct record *record; /* NULL: a slot says so */
    enum record_match match;
    struct untorn_hash after;
};

struct judging {
    const struct snapshot *snapshot;
    struct record_list *lists; /* of each directory */
    struct evidence *evidence; /* of each file */
};

/* The place and the folder of a directory of the snapshot. */
struct opened {
    struct place place;
    struct state state;
};

static int open_directory(const struct judging *judging, size_t index, struct opened *opened)
{
    const struct snapshot *snapshot = judging->snapshot;
    struct untorn_error unseen;
    *opened = (struct opened){PLACE_CLOSED, STATE_CLOSED};
    error_begin(&unseen, NULL, NULL);
    int rc = place_resolve(snapshot->directories[index].path, &snapshot->options, &opened->place,
                           &unseen);
    if (rc == 0)
        rc = state_open(&opened->place, &snapshot->options, STATE_IF_USABLE, &opened->state,
                        &unseen);
    return rc != 0 ? -ESTALE : 0;
}

static void close_directory(struct opened *opened)
{
    state_close(&opened->state);
    place_close(&opened->place);
}

/* ---- records ---- */

/* They are sorted as strcmp does. */
static const struct record_member *find_member(const struct record *record, const char *directory,
                                               const char *name)
{
    size_t low = 0, high = record->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct record_member *member = &record->members[middle];
        int order = strcmp(directory, member->directory);
        if (order == 0)
            order = strcmp(name, member->name);
        if (order == 0)
            return member;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static const char *directory_of(const struct judging *judging, const struct snapshot_file *file)
{
    return judging->snapshot->directories[file->directory].directory;
}

static const struct untorn_hash *hash_of(const struct snapshot_file *file)
{
    return file->content.data ? &file->content.hash : NULL;
}

/* In one directory the slot's number says which commit is newer, between directories the clock; and
 * where that does not, the file's own: its slot had part in all of its commits. */
static bool is_older(const struct record *record, const struct evidence *than, bool own)
{
    return than->known &&
           (record->time < than->record->time || (record->time == than->record->time && !own));
}

static void find_record(const struct judging *judging, size_t index)
{
    const struct snapshot_file *file = &judging->snapshot->files[index];
    struct evidence *evidence = &judging->evidence[index];
    for (size_t i = 0; file->name && i < judging->snapshot->directory_count; i++) {
        const struct record_list *list = &judging->lists[i];
        const struct record_member *member = NULL;
        size_t j = 0;
        for (; j < list->count; j++) {
            member = find_member(&list->records[j], directory_of(judging, file), file->name);
            if (member)
                break;
        }
        if (!member || is_older(&list->records[j], evidence, i == file->directory))
            continue;
        evidence->known = true;
        evidence->record = &list->records[j];
        evidence->match = record_match(member, hash_of(file));
        evidence->after = member->after;
        memcpy(evidence->id, list->records[j].id, RECORD_ID);
    }
}

static int load_records(const struct judging *judging)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < judging->snapshot->directory_count; i++) {
        struct opened opened;
        rc = open_directory(judging, i, &opened);
        if (rc == 0)
            rc = record_load(&opened.state, opened.place.dir, &judging->lists[i]);
        close_directory(&opened);
    }
    for (size_t i = 0; rc == 0 && i < judging->snapshot->count; i++)
        find_record(judging, i);
    return rc;
}

/* ---- slots ---- */

static struct evidence from_slot(const struct snapshot_file *file, const struct slot *slot)
{
    const struct slot_member *member = slot_find(slot, file->name);
    if (!member)
        return (struct evidence){0};
    struct record_member as_record = {
        .was = member->kind != SLOT_CREATE,
        .is = member->kind != SLOT_REMOVE,
        .before = member->before.hash,
        .after = member->after.hash,
    };
    struct evidence evidence = {
        .known = true, .match = record_match(&as_record, hash_of(file)), .after = as_record.after};
    memcpy(evidence.id, slot->id, RECORD_ID);
    return evidence;
}

static int read_slot(const struct judging *judging, size_t index, struct evidence *slots)
{
    struct opened opened;
    struct slot slot = {0};
    int rc = open_directory(judging, index, &opened);
    if (rc == 0)
        rc = view_last_slot(&opened.state, true, &slot);
    for (size_t i = 0; rc == 0 && i < judging->snapshot->count; i++) {
        const struct snapshot_file *file = &judging->snapshot->files[i];
        if (file->name && file->directory == index)
            slots[i] = from_slot(file, &slot);
    }
    slot_free(&slot);
    close_directory(&opened);
    return rc == -ENODATA ? 0 : rc;
}

/* Whether a file is as that commit made it. One that was given up says nothing. */
static bool has_happened(const struct evidence *slots, size_t count, const unsigned char *id)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i].known && slots[i].match == RECORD_AFTER &&
            memcmp(slots[i].id, id, RECORD_ID) == 0)
            return true;
    return false;
}

/* [RECORD-2] The slot's commit is the last one there: where the record is of another one, it is
 * older, and says nothing about a file that the last one named. */
static int use_slots(const struct judging *judging)
{
    size_t count = judging->snapshot->count;
    struct evidence *slots = calloc(count + 1, sizeof *slots);
    int rc = slots ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < judging->snapshot->directory_count; i++)
        if (judging->snapshot->directories[i].mark.own.valid)
            rc = read_slot(judging, i, slots);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct evidence *evidence = &judging->evidence[i];
        bool same = evidence->known && memcmp(evidence->id, slots[i].id, RECORD_ID) == 0;
        if (slots[i].known && !same && has_happened(slots, count, slots[i].id))
            *evidence = slots[i];
    }
    free(slots);
    return rc;
}

/* Where the records explain all there is, nobody needs the slots. */
static bool is_explained(const struct judging *judging)
{
    for (size_t i = 0; i < judging->snapshot->count; i++) {
        const struct evidence *evidence = &judging->evidence[i];
        if (!evidence->known || (evidence->match != RECORD_AFTER && evidence->match != RECORD_SAME))
            return false;
    }
    return true;
}

/* ---- history ---- */

/* [STANDING-2] Whether the version that was replaced last, through untorn, is what the commit had
 * made. What a killed writer left is no version. [VERSIONS-1] */
static bool was_replaced_through_us(struct opened *opened, const char *name,
                                    const struct untorn_hash *after)
{
    struct versions versions;
    struct version_found found;
    struct os_stat now;
    bool live = os_stat(opened->place.dir, name, &now) == 0;
    bool known = versions_open(&versions, &opened->state, name, false) == 0 &&
                 versions_at(&versions, live ? &now : NULL, 1, &found) == 0;
    versions_close(&versions);
    if (known)
        os_close(found.file);
    return known && untorn_hash_equal(&found.version.hash, after);
}

static void excuse(const struct judging *judging, size_t index)
{
    const struct snapshot_file *file = &judging->snapshot->files[index];
    struct evidence *evidence = &judging->evidence[index];
    struct opened opened;
    if (open_directory(judging, file->directory, &opened) == 0)
        evidence->excused = was_replaced_through_us(&opened, file->name, &evidence->after);
    close_directory(&opened);
}

/* ---- the verdict ---- */

/* [STANDING-1] Whether file `other` is of the commit that file `index` is from before of, or of a
 * later one. */
static bool is_newer(const struct judging *judging, size_t index, size_t other)
{
    const struct evidence *mine = &judging->evidence[index], *its = &judging->evidence[other];
    const struct snapshot_file *file = &judging->snapshot->files[other];
    if (!its->known)
        return false;
    if (memcmp(mine->id, its->id, RECORD_ID) == 0)
        return its->match == RECORD_AFTER;
    return (its->match == RECORD_AFTER || its->match == RECORD_SAME) && mine->record &&
           find_member(mine->record, directory_of(judging, file), file->name);
}

static enum set_standing judge_before(const struct judging *judging, size_t index)
{
    for (size_t i = 0; i < judging->snapshot->count; i++) {
        if (i == index || !is_newer(judging, index, i))
            continue;
        excuse(judging, index);
        return judging->evidence[index].excused ? STANDING_EDITED : STANDING_OLD;
    }
    return STANDING_WHOLE;
}

static enum set_standing judge(const struct judging *judging, size_t index)
{
    const struct evidence *evidence = &judging->evidence[index];
    if (!evidence->known)
        return STANDING_UNKNOWN;
    if (evidence->match == RECORD_NEITHER)
        return STANDING_EDITED;
    return evidence->match == RECORD_BEFORE ? judge_before(judging, index) : STANDING_WHOLE;
}

static bool is_any_changed(const enum set_standing *standings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (standings[i] == STANDING_OLD || standings[i] == STANDING_EDITED)
            return true;
    return false;
}

int standing_judge(const struct snapshot *snapshot, enum set_standing *ret_standings)
{
    struct judging judging = {
        .snapshot = snapshot,
        .lists = calloc(snapshot->directory_count + 1, sizeof *judging.lists),
        .evidence = calloc(snapshot->count + 1, sizeof *judging.evidence),
    };
    int rc = judging.lists && judging.evidence ? load_records(&judging) : -ENOMEM;
    if (rc == 0 && !is_explained(&judging))
        rc = use_slots(&judging);
    for (size_t i = 0; rc == 0 && i < snapshot->count; i++)
        ret_standings[i] = judge(&judging, i);
    if (rc == 0 && is_any_changed(ret_standings, snapshot->count) && !snapshot_is_current(snapshot))
        rc = -ESTALE; /* [STANDING-3] */
    for (size_t i = 0; judging.lists && i < snapshot->directory_count; i++)
        record_free_list(&judging.lists[i]);
    free(judging.lists);
    free(judging.evidence);
    return rc;
}
