/* untorn/check.h: looking for what dead writers left, and finishing it. What concerns single files
 * is found in file/check.c. */
#include "file/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/kept.h"
#include "txn/record.h"
#include "txn/recover.h"
#include "txn/standing.h"
#include "txn/witness.h"

static const char slot_entry[] = "slot";

/* ---- the slot ---- */

static bool concerns(const struct check *check, const char *name)
{
    return !check->place.name[0] || strcmp(check->place.name, name) == 0;
}

/* A slot whose hashes fit, so that it was made so on purpose, but that is not to be applied: it was
 * copied here, or names what no slot of ours can name. Its members, as far as they can be read. 1,
 * 0, or a negative errno value. */
static int is_foreign(const struct view *view, struct slot *ret_slot)
{
    struct untorn_hash hash;
    *ret_slot = (struct slot){0};
    int rc = slot_read_head(view->file.fd, ret_slot);
    if (rc == 0 && slot_is_active(ret_slot))
        rc = io_hash(view->file.fd, SLOT_HEAD, ret_slot->body_size, &hash);
    else
        return rc == -ENODATA ? 0 : rc;
    if (rc < 0 || !untorn_hash_equal(&hash, &ret_slot->body_hash))
        return rc == -ESTALE ? 0 : rc;
    struct os_stat maker = {.inode = ret_slot->own_inode, .born = ret_slot->own_born};
    rc = slot_read(view->file.fd, &maker, NULL, ret_slot);
    if (rc < 0)
        *ret_slot = (struct slot){0};
    if (rc < 0 && rc != -ENODATA)
        return rc;
    return view->verdict == VIEW_FOREIGN || !ret_slot->members;
}

/* Moves the slot to kept/, under its lock: whoever waits for that starts over. Where it counts
 * those that wait for its answer have that before. [RECOVER-9] */
static bool set_aside(struct check *check, struct view *view, const char *name)
{
    struct untorn_error local;
    error_begin(&local, NULL, name);
    struct slot now;
    int rc = slot_file_lock(&view->file, &check->state, os_clock_ns() + LIMIT_ONCE_NS);
    bool same = rc == 0 && slot_read_head(view->file.fd, &now) == 0 &&
                now.state == view->mark.own.state &&
                memcmp(now.id, view->mark.own.id, SLOT_ID) == 0;
    if (rc == 0 && !same)
        return false; /* somebody finished it meanwhile, and may have begun another */
    if (rc == 0 && view->slot.members)
        rc = recover_leave_answers(&check->place, &check->state);
    if (rc == 0)
        rc = kept_move(&check->state, "givenup", name, FOLDER_JOURNAL, slot_entry, check->spared);
    if (rc < 0 && check->worst == 0) {
        check->worst = error_os(&local, rc, "set an unfinished commit aside");
        *check->error = local;
    }
    return rc == 0;
}

/* The first member that is asked for; NULL if none is. */
static const struct slot_member *first_concerned(const struct check *check, const struct slot *slot)
{
    for (uint32_t i = 0; slot->members && i < slot->member_count; i++)
        if (concerns(check, slot->members[i].name))
            return &slot->members[i];
    return NULL;
}

static void report_foreign(struct check *check, struct view *view, const struct slot *slot)
{
    const struct slot_member *member = first_concerned(check, slot);
    const char *name = member ? member->name : ".";
    uint64_t size = view->file.stat.size;
    if (!member && slot->members)
        return;
    bool repaired = check->what->repair && check->what->abandon && set_aside(check, view, name);
    check_report(check, UNTORN_FOUND_FOREIGN, name, FOLDER_JOURNAL, slot_entry, size, repaired);
}

/* [VIEW-2] The maker must be somebody who may change that file anyway. */
static bool is_trusted(const struct check *check, const struct view *view,
                       const struct slot_member *member)
{
    struct os_stat stat;
    bool is_there = os_stat(check->place.dir, member->name, &stat) == 0;
    return slot_file_is_trusted(&view->file, &check->place, member, is_there ? &stat : NULL);
}

static enum untorn_finding_kind kind_of(const struct check *check, const struct view *view,
                                        const struct slot_member *member)
{
    if (!is_trusted(check, view, member))
        return UNTORN_FOUND_FOREIGN;
    return view->verdict == VIEW_IN_DOUBT ? UNTORN_FOUND_IN_DOUBT : UNTORN_FOUND_SET;
}

static int look(struct check *check, struct view *ret_view)
{
    int rc = -ESTALE;
    for (int i = 0; rc == -ESTALE && i < LIMIT_TRIES; i++)
        rc = view_open(&check->place, &check->state, NULL, ret_view);
    return rc;
}

static bool give_up(struct check *check, struct view *view)
{
    return check->what->abandon && set_aside(check, view, view->slot.members[0].name);
}

/* What can be decided is finished or discarded. The rest, and what is not for us to finish, is
 * given up only where that was asked for. */
static bool repair(struct check *check, struct view *view)
{
    struct untorn_error local;
    struct view now;
    int rc = AGAIN;
    error_begin(&local, NULL, view->slot.members[0].name);
    for (int i = 0; rc == AGAIN && i < LIMIT_RESTARTS; i++)
        rc =
            recover_directory(&check->place, &check->state, lock_deadline(&check->options), &local);
    check->abandoned = (rc == -UNTORN_IN_DOUBT || recover_is_lasting(rc)) && give_up(check, view);
    if (rc != 0 && rc != -UNTORN_IN_DOUBT && !check->abandoned && check->worst == 0) {
        check->worst = rc == AGAIN ? error_fail(&local, UNTORN_RESTLESS, NULL) : rc;
        *check->error = local;
    }
    if (check->abandoned || look(check, &now) < 0)
        return check->abandoned;
    bool active = now.verdict != VIEW_CLEAR && slot_same_id(&now.slot, &view->slot);
    view_close(&now);
    return !active;
}

/* What is prepared either never counted, or is done where its coordinator knows it no more. */
static bool is_withdrawn(struct check *check, const struct view *view)
{
    return view->verdict == VIEW_PREPARED && view->vouched &&
           witness_is_untouched(&view->slot, &check->place, &check->state) == 1;
}

static int report_members(struct check *check, struct view *view)
{
    if (!first_concerned(check, &view->slot))
        return 0;
    size_t count = view->slot.member_count;
    enum untorn_finding_kind *kinds = calloc(count + 1, sizeof *kinds);
    if (!kinds)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) /* before anything is repaired */
        kinds[i] = kind_of(check, view, &view->slot.members[i]);
    bool ours = false;
    for (size_t i = 0; i < count; i++)
        ours |= kinds[i] != UNTORN_FOUND_FOREIGN;
    bool withdrawn = is_withdrawn(check, view);
    bool repaired = check->what->repair && (ours ? repair(check, view) : give_up(check, view));
    check->abandoned |= repaired && view->verdict == VIEW_PREPARED && !view->vouched;
    for (size_t i = 0; i < count; i++) {
        const struct slot_member *member = &view->slot.members[i];
        if (!concerns(check, member->name))
            continue;
        bool in_doubt = kinds[i] == UNTORN_FOUND_IN_DOUBT;
        check->directory = in_doubt ? view->slot.directories[0].path : NULL;
        check->withdrawn = withdrawn && kinds[i] == UNTORN_FOUND_SET;
        check_report(check, kinds[i], member->name, FOLDER_JOURNAL, slot_entry, member->after.size,
                     repaired);
    }
    check->directory = NULL;
    check->withdrawn = check->abandoned = false;
    free(kinds);
    return 0;
}

/* Whoever is at work holds the slot's lock. Else it is kept from them for the moment of looking, so
 * that what is seen is what a dead one left. */
static int look_at_rest(struct check *check, struct view *ret_view, bool *ret_at_work)
{
    struct view first;
    int rc = look(check, &first);
    *ret_view = first;
    *ret_at_work = false;
    if (rc < 0 || first.file.fd == OS_NONE)
        return rc;
    rc = os_lock(first.file.fd, OS_LOCK_SHARED);
    *ret_at_work = rc == -EWOULDBLOCK;
    if (rc < 0)
        return *ret_at_work ? 0 : rc;
    rc = look(check, ret_view);
    view_close(&first);
    return rc;
}

static bool is_needed(const void *context, const char *stage)
{
    const struct view *view = context;
    for (uint32_t i = 0; view->slot.members && i < view->slot.member_count; i++)
        if (strcmp(view->slot.members[i].stage, stage) == 0)
            return true;
    return false;
}

/* ---- records ---- */

/* The files of one record, compared with all that is known of their commits. */
static int judge_record(struct check *check, const struct record *record,
                        enum set_standing *ret_standings, struct snapshot *ret_snapshot,
                        char **paths)
{
    struct untorn_error unseen;
    error_begin(&unseen, NULL, NULL);
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        paths[i] = malloc(strlen(member->directory) + strlen(member->name) + 2);
        if (!paths[i])
            return -ENOMEM;
        strcpy(paths[i], member->directory);
        strcat(strcat(paths[i], "/"), member->name);
    }
    /* What cannot be read cannot be compared, and is no finding. */
    if (snapshot_take(ret_snapshot, (const char *const *)paths, record->count, &check->options,
                      &unseen) != 0)
        return unseen.status == UNTORN_NO_MEMORY ? -ENOMEM : -ENODATA;
    return standing_judge(ret_snapshot, ret_standings);
}

/* A name that is in several records is told once. */
struct told {
    char **paths;
    size_t count;
};

static void forget_told(struct told *told)
{
    for (size_t i = 0; i < told->count; i++)
        free(told->paths[i]);
    free(told->paths);
}

/* 1 if it was not yet, and *path is given away; 0; or -ENOMEM. */
static int tell_once(struct told *told, char **path)
{
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->paths[i], *path) == 0)
            return 0;
    char **paths = realloc(told->paths, (told->count + 1) * sizeof *paths);
    if (!paths)
        return -ENOMEM;
    told->paths = paths;
    told->paths[told->count++] = *path;
    *path = NULL;
    return 1;
}

/* All of a set are told where one of its files is asked for. */
static bool is_asked(const struct check *check, const struct record *record, const char *directory)
{
    for (size_t i = 0; i < record->count; i++)
        if (strcmp(record->members[i].directory, directory) == 0 &&
            concerns(check, record->members[i].name))
            return true;
    return false;
}

static int report_old(struct check *check, const struct record *record, enum folder folder,
                      const char *entry, const struct snapshot *snapshot,
                      const enum set_standing *standings, char **paths, struct told *told)
{
    char directory[LIMIT_PATH];
    int rc = os_dir_path(check->place.dir, directory, sizeof directory);
    bool asked = rc >= 0 && is_asked(check, record, directory);
    for (size_t i = 0; rc >= 0 && i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        bool here = strcmp(member->directory, directory) == 0;
        rc = standings[i] == STANDING_OLD && asked ? tell_once(told, &paths[i]) : 0;
        if (rc == 1)
            check_report(check, UNTORN_FOUND_MIXED,
                         here ? member->name : told->paths[told->count - 1], folder, entry,
                         snapshot->files[i].content.size, false);
    }
    return rc < 0 ? rc : 0;
}

static int check_record(struct check *check, const struct record *record, enum folder folder,
                        const char *entry, struct told *told)
{
    struct snapshot snapshot = {0};
    enum set_standing *standings = calloc(record->count + 1, sizeof *standings);
    char **paths = calloc(record->count + 1, sizeof *paths);
    int rc =
        standings && paths ? judge_record(check, record, standings, &snapshot, paths) : -ENOMEM;
    if (rc == 0)
        rc = report_old(check, record, folder, entry, &snapshot, standings, paths, told);
    for (size_t i = 0; paths && i < record->count; i++)
        free(paths[i]);
    free(paths);
    free(standings);
    snapshot_free(&snapshot);
    return rc == -ENODATA || rc == -ESTALE ? 0 : rc;
}

static int check_records(struct check *check, struct told *told, struct untorn_error *error)
{
    struct record_list list;
    char entry[LIMIT_NAME + 1];
    int rc = record_load(&check->state, check->place.dir, &list);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        record_entry(&list.records[i], entry);
        rc = check_record(check, &list.records[i], FOLDER_SET, entry, told);
    }
    record_free_list(&list);
    return rc < 0 ? error_os(error, rc, "look at the last commits") : 0;
}

/* ---- both ---- */

/* One that was interrupted and copied here tells what is from before it as a record does, but only
 * until it is given up. */
static int check_copy(struct check *check, const struct slot *slot, struct told *told)
{
    char directory[LIMIT_PATH];
    int rc = os_dir_path(check->place.dir, directory, sizeof directory);
    struct record_member *members = calloc(slot->member_count + 1, sizeof *members);
    struct record record = {.members = members};
    if (rc < 0 || !members) {
        free(members);
        return rc < 0 ? rc : -ENOMEM;
    }
    for (uint32_t i = 0; slot->members && i < slot->member_count; i++)
        members[record.count++] =
            (struct record_member){.directory = directory, .name = slot->members[i].name};
    rc = record.count > 0 ? check_record(check, &record, FOLDER_JOURNAL, slot_entry, told) : 0;
    free(members);
    return rc;
}

static int check_slot(struct check *check, struct view *ret_view, struct told *told,
                      struct untorn_error *error)
{
    struct slot foreign = {0};
    bool at_work;
    int rc = look_at_rest(check, ret_view, &at_work);
    if (rc == 0 && !at_work && ret_view->file.fd != OS_NONE)
        rc = is_foreign(ret_view, &foreign);
    bool is_copy = rc == 1;
    if (is_copy)
        rc = check_copy(check, &foreign, told);
    if (is_copy)
        report_foreign(check, ret_view, &foreign);
    else if (rc == 0 && !at_work && ret_view->verdict != VIEW_CLEAR)
        rc = report_members(check, ret_view);
    slot_free(&foreign);
    return rc < 0 ? error_os(error, rc, "look at the last commit") : 0;
}

/* ---- all of it ---- */

static int check_all(struct check *check, struct untorn_error *error)
{
    static const struct view none = VIEW_CLOSED;
    struct view view = VIEW_CLOSED;
    struct told told = {0};
    check->is_needed = is_needed;
    check->needing = &view;
    int rc = check_slot(check, &view, &told, error);
    if (check->spared[0])
        check->needing = &none; /* it was given up, and its stages with it */
    if (rc == 0)
        rc = check_files(check, error);
    if (rc == 0)
        rc = check_records(check, &told, error);
    forget_told(&told);
    check->needing = &none;
    view_close(&view);
    return rc;
}

/* A directory as such, else the place of a file. */
static int find_place(struct check *check, const char *path, struct untorn_error *error)
{
    os_fd dir;
    int rc = os_open_dir(OS_NONE, path, false, &dir);
    if (rc == -ENOTDIR || rc == -ENOENT || rc == -ELOOP)
        return place_resolve(path, &check->options, &check->place, error);
    if (rc < 0)
        return error_os(error, rc, "look at the directory");
    check->place.dir = dir;
    rc = os_stat(dir, NULL, &check->place.dir_stat);
    return rc < 0 ? error_os(error, rc, "look at the directory") : 0;
}

/* What could not be repaired was named as its directory names it. */
static void name_from(struct untorn_error *error, const char *path, bool is_directory)
{
    char name[sizeof error->path];
    size_t size = strlen(path), room = sizeof error->path;
    if (error->path[0] == '/' || strcmp(path, ".") == 0)
        return;
    strcpy(name, error->path);
    if (!is_directory || size + strlen(name) + 2 > room)
        snprintf(error->path, room, "%s", path);
    else
        path_add(path_add(path_add(error->path, path), path[size - 1] == '/' ? "" : "/"), name);
}

int untorn_check(const char *path, const struct untorn_check *what,
                 const struct untorn_options *options, size_t *ret_open,
                 struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct check check = {
        .what = what, .place = PLACE_CLOSED, .state = STATE_CLOSED, .error = error};
    if (options)
        check.options = *options;
    check.options.parents = false;
    *ret_open = 0;
    int rc = find_place(&check, path, error);
    if (rc == 0)
        rc = state_open(&check.place, &check.options, STATE_IF_PRESENT, &check.state, error);
    if (rc == 0 && check.state.present)
        rc = check_all(&check, error);
    if (rc == 0 && check.worst != 0)
        name_from(error, path, !check.place.name[0]);
    state_close(&check.state);
    place_close(&check.place);
    *ret_open = check.open;
    return rc != 0 ? rc : check.worst;
}
