#include "history/together.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/transaction.h>

#include "file/read.h"
#include "history/restore.h"
#include "txn/slotfile.h"
#include "txn/transaction.h"
#include "txn/view.h"

/* ---- which commit ---- */

static bool parse_id(const char *text, unsigned char id[RECORD_ID])
{
    struct untorn_hash digits; /* as many of them */
    bool parsed = untorn_hash_parse(text, &digits);
    memcpy(id, digits.bytes, RECORD_ID);
    return parsed;
}

/* A record that lies in another directory, of which this one's slot tells. */
static int find_elsewhere(const struct slot *slot, const unsigned char id[RECORD_ID],
                          struct record *ret_record)
{
    struct place place = PLACE_CLOSED;
    struct state state = STATE_CLOSED;
    struct untorn_error unseen;
    const struct slot_directory *directory = slot->directories;
    struct untorn_options options = {.state_dir = directory->state_dir ? directory->state_dir : ""};
    error_begin(&unseen, NULL, NULL);
    int rc = os_open_dir(OS_NONE, directory->path, false, &place.dir);
    if (rc == 0)
        rc = os_stat(place.dir, NULL, &place.dir_stat);
    if (rc == 0 &&
        (place.dir_stat.inode != directory->inode || place.dir_stat.born != directory->born))
        rc = -ENOENT;
    if (rc == 0 && state_open(&place, &options, STATE_IF_USABLE, &state, &unseen) != 0)
        rc = -ENOENT;
    if (rc == 0)
        rc = record_find(&state, place.dir, id, ret_record);
    state_close(&state);
    place_close(&place);
    return rc;
}

/* The record of the last commit here, or of that with the id, if another directory has it: one that
 * changed other files may have come after it. 0 or -ENOENT, ... */
static int find_by_slot(struct look *look, const unsigned char id[RECORD_ID],
                        struct record *ret_record)
{
    struct slot slot = {0};
    int rc = view_last_slot(&look->state, false, &slot);
    bool fits = rc == 0 && slot.participant && slot.directory_count > 0;
    rc = rc < 0 || !fits ? -ENOENT : find_elsewhere(&slot, id ? id : slot.id, ret_record);
    slot_free(&slot);
    return rc;
}

static const struct record_member *member_of(const struct record *record, const char *directory,
                                             const char *name)
{
    for (size_t i = 0; i < record->count; i++)
        if (strcmp(record->members[i].name, name) == 0 &&
            strcmp(record->members[i].directory, directory) == 0)
            return &record->members[i];
    return NULL;
}

/* What the file is now, to be compared with records. */
struct present {
    char directory[LIMIT_PATH];
    const char *name;
    struct untorn_hash hash;
    bool exists;
    const struct version_found *previous;
    int64_t previous_time;
};

static bool has_id(const char *set, const unsigned char id[RECORD_ID])
{
    unsigned char parsed[RECORD_ID];
    return *set && parse_id(set, parsed) && memcmp(parsed, id, RECORD_ID) == 0;
}

/* [TOGETHER-1] A created file has no version by which to know the commit; what it had before it was
 * created is older than that. */
static bool made_it(const struct record *record, const struct present *present)
{
    const struct record_member *member = member_of(record, present->directory, present->name);
    const struct version_found *previous = present->previous;
    if (!member || record_match(member, present->exists ? &present->hash : NULL) != RECORD_AFTER)
        return false;
    if (member->was)
        return previous && has_id(previous->version.set, record->id);
    return !previous || present->previous_time <= record->time ||
           untorn_hash_equal(&previous->version.hash, &present->hash);
}

static bool take_newest(struct record_list *list, const struct present *present,
                        struct record *ret_record)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct record_member *member =
            member_of(&list->records[i], present->directory, present->name);
        if (!member || !record_changes(member)) /* [REMEMBER-4] */
            continue;
        if (!made_it(&list->records[i], present))
            return false;
        *ret_record = list->records[i];
        list->records[i] = (struct record){0};
        return true;
    }
    return false;
}

static int find_record(struct look *look, const struct present *present, struct record *ret_record)
{
    struct record_list list = {0};
    unsigned char id[RECORD_ID];
    const char *set = present->previous ? present->previous->version.set : "";
    if (find_by_slot(look, NULL, ret_record) == 0) {
        if (made_it(ret_record, present))
            return 1;
        record_free(ret_record);
    }
    int rc = record_load(&look->state, look->place.dir, &list);
    bool found = rc == 0 && take_newest(&list, present, ret_record);
    record_free_list(&list);
    if (rc < 0 || found)
        return rc < 0 && rc != -ENOENT ? rc : found;
    if (!*set || !parse_id(set, id))
        return 0;
    rc = record_find(&look->state, look->place.dir, id, ret_record);
    if (rc == -ENOENT)
        rc = find_by_slot(look, id, ret_record);
    return rc < 0 ? rc : 1;
}

static int see_present(const struct look *look, const char *path,
                       const struct untorn_options *options, struct present *ret_present,
                       struct untorn_error *error)
{
    struct untorn_content content;
    ret_present->name = look->place.name;
    int os_rc = os_dir_path(look->place.dir, ret_present->directory, LIMIT_PATH);
    if (os_rc < 0)
        return error_os(error, os_rc, "find its directory");
    int rc = untorn_read(path, options, &content, error);
    ret_present->exists = rc == 0;
    ret_present->hash = content.hash;
    untorn_content_free(&content);
    if (rc != -UNTORN_MISSING)
        return rc;
    error_begin(error, NULL, path);
    return 0;
}

/* The condition is about the file that was named; the commit is undone only if that is what the
 * commit made of it. [TOGETHER-2] */
static bool meets(const struct record *record, const struct present *present,
                  const struct untorn_options *options)
{
    const struct record_member *member = member_of(record, present->directory, present->name);
    return !options || !options->if_match ||
           (member && member->is && untorn_hash_equal(options->if_match, &member->after));
}

int together_find(struct look *look, const char *path, const struct version_found *previous,
                  const struct untorn_options *options, struct record *ret_record,
                  struct untorn_error *error)
{
    struct present present = {.previous = previous};
    int64_t changed = 0;
    *ret_record = (struct record){0};
    if (!look->state.present)
        return 0;
    int rc = see_present(look, path, options, &present, error);
    if (rc != 0)
        return rc;
    if (previous && previous->file != OS_NONE)
        (void)os_time(previous->file, &changed); /* 0 is older than any commit */
    present.previous_time = changed / OS_SECOND;
    rc = find_record(look, &present, ret_record);
    if (rc == 1 && !meets(ret_record, &present, options)) {
        record_free(ret_record);
        return error_fail(error, UNTORN_CHANGED, NULL);
    }
    if (rc >= 0)
        return rc;
    if (rc != -ENOENT)
        return error_os(error, rc, "look for the commit it was part of");
    error_detail(error, "it was committed with other files, and which is no longer known; untorn "
                        "restore brings this file alone back");
    return error_fail(error, UNTORN_NO_VERSION, NULL);
}

/* ---- what it was before ---- */

static void member_path(const struct record_member *member, char path[LIMIT_PATH + LIMIT_NAME + 2])
{
    bool root = strcmp(member->directory, "/") == 0;
    snprintf(path, LIMIT_PATH + LIMIT_NAME + 2, "%s/%s", root ? "" : member->directory,
             member->name);
}

/* The version with that content, whatever its number; and what it is as a file. */
static int find_before(const struct look *look, const struct untorn_hash *hash,
                       struct untorn_content *ret_content, struct os_stat *ret_stat)
{
    enum version_verdict verdict;
    os_fd file;
    for (size_t i = 0; i < look->versions.count; i++) {
        const struct version *version = &look->versions.list[i];
        if (!untorn_hash_equal(&version->hash, hash) ||
            version_look(&look->versions, version, look->live, false, &file, ret_stat, &verdict) <
                0)
            continue;
        int rc = verdict == VERSION_LITTER ? -ENOENT : read_open_file(file, ret_content);
        os_close(file);
        if (rc == 0 && untorn_hash_equal(&ret_content->hash, hash))
            return 0;
        if (rc == 0)
            untorn_content_free(ret_content);
    }
    return -ENOENT;
}

static int fail_gone(struct untorn_error *error)
{
    error_detail(error, "what it was before the commit is no longer kept");
    return error_fail(error, UNTORN_NO_VERSION, NULL);
}

static int put_back(struct untorn_transaction *transaction, const struct record_member *member,
                    const struct look *look, const char *path, struct untorn_error *error)
{
    struct untorn_content content;
    struct untorn_options own = {0};
    struct os_stat version;
    if (find_before(look, &member->before, &content, &version) < 0) {
        struct untorn_hash now;
        if (member->is && untorn_hash_file(path, NULL, &now, NULL) == 0 &&
            !untorn_hash_equal(&now, &member->after))
            return -UNTORN_EXISTS; /* another version took its place there */
        return fail_gone(error);
    }
    if (member->is)
        own.if_match = &member->after; /* [TOGETHER-2] */
    else {
        own.exclusive = true;
        own.mode = version.mode;
    }
    int rc = look->live ? restore_check_owner(look->live, &version, error) : 0;
    if (rc == 0)
        rc = untorn_transaction_put(transaction, path, content.data, content.size, &own, error);
    untorn_content_free(&content);
    return rc;
}

/* [TOGETHER-3] */
static int check_maker(const struct record *record, const struct look *look,
                       struct untorn_error *error)
{
    if (slot_maker_is_trusted(&record->made, &look->place, look->live))
        return 0;
    error_detail(error, "that it was committed with other files is said by a user who may not "
                        "change it; untorn restore brings a file alone back");
    return error_fail(error, UNTORN_NO_VERSION, NULL);
}

/* ---- what was committed later ---- */

/* Both may have thousands. */
static const struct record_member *changed_by(const struct record *record,
                                              const struct record_member *member)
{
    const struct record_member *own =
        bsearch(member, record->members, record->count, sizeof *member, record_compare_members);
    return own && record_changes(own) ? own : NULL;
}

/* The first file of a later commit that would go back: it is what both made of it. */
static const struct record_member *find_shared(const struct record *record,
                                               const struct record *later)
{
    for (size_t i = 0; i < later->count; i++) {
        const struct record_member *member = &later->members[i];
        const struct record_member *own = changed_by(record, member);
        if (own && own->is == member->is && untorn_hash_equal(&own->after, &member->after))
            return own;
    }
    return NULL;
}

/* The first one that would not, and is what the later commit made of it. */
static const struct record_member *find_staying(const struct record *record,
                                                const struct record *later,
                                                const struct untorn_options *options)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    struct untorn_error unseen;
    struct untorn_hash hash;
    for (size_t i = 0; i < later->count; i++) {
        const struct record_member *member = &later->members[i];
        if (!record_changes(member) || changed_by(record, member))
            continue;
        member_path(member, path);
        int rc = untorn_hash_file(path, options, &hash, &unseen);
        if ((rc == 0 || rc == -UNTORN_MISSING) &&
            record_match(member, rc == 0 ? &hash : NULL) == RECORD_AFTER)
            return member;
    }
    return NULL;
}

/* [TOGETHER-3] Nor does he keep others from an undo. */
static bool may_have_made(const struct record *later, const struct record_member *member,
                          const struct untorn_options *options)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    struct untorn_error unseen;
    struct look look;
    member_path(member, path);
    error_begin(&unseen, NULL, path);
    int rc = look_open(&look, path, options, &unseen);
    bool may = (rc == 0 || rc == -UNTORN_MISSING) &&
               slot_maker_is_trusted(&later->made, &look.place, look.live);
    look_close(&look);
    return may;
}

static int refuse_later(const struct record *record, const struct record *later,
                        const struct untorn_options *options, struct untorn_error *error)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    const struct record_member *staying, *shared = NULL;
    if (memcmp(later->id, record->id, RECORD_ID) != 0 && !record_is_undo(later->id))
        shared = find_shared(record, later);
    staying = shared ? find_staying(record, later, options) : NULL;
    if (!staying || !may_have_made(later, shared, options))
        return 0;
    member_path(shared, path);
    error_begin(error, NULL, path);
    member_path(staying, path);
    error_detail(error, "a later commit has it with other files; untorn undo %s first", path);
    return error_fail(error, UNTORN_CHANGED, NULL);
}

/* The number that the commit has among those of the directory; where its record lies elsewhere
 * alone, the one it has there, which is made of the same clock. */
static uint64_t number_in(const struct record_list *list, const struct record *record)
{
    for (size_t i = 0; i < list->count; i++)
        if (memcmp(list->records[i].id, record->id, RECORD_ID) == 0)
            return list->records[i].sequence;
    return record->sequence;
}

static int check_directory(const struct record *record, struct look *look,
                           const struct untorn_options *options, struct untorn_error *error)
{
    struct record_list list;
    struct record last;
    int os_rc = record_load(&look->state, look->place.dir, &list);
    if (os_rc < 0)
        return error_os(error, os_rc, "look for later commits");
    uint64_t own = number_in(&list, record);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < list.count && list.records[i].sequence > own; i++)
        rc = refuse_later(record, &list.records[i], options, error);
    if (rc == 0 && find_by_slot(look, NULL, &last) == 0) {
        rc = refuse_later(record, &last, options, error);
        record_free(&last);
    }
    record_free_list(&list);
    return rc;
}

/* [TOGETHER-4] For who knows that all files are what the commit made of them. */
struct later_check {
    const struct record *record;
    const struct untorn_options *options;
    bool refused;
};

static int check_member(const struct later_check *check, const struct record_member *member,
                        struct untorn_error *error)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    struct look look;
    member_path(member, path);
    error_begin(error, NULL, path);
    int rc = look_open(&look, path, check->options, error);
    if (rc == 0 || rc == -UNTORN_MISSING) /* nor has it versions, but its directory has records */
        rc = check_directory(check->record, &look, check->options, error);
    look_close(&look);
    return rc;
}

static int check_later(void *context, struct untorn_error *error)
{
    struct later_check *check = context;
    const struct record *record = check->record;
    const char *directory = NULL;
    struct untorn_error own; /* what was told so far stays */
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        if (!record_changes(member) || (directory && strcmp(directory, member->directory) == 0))
            continue;
        directory = member->directory;
        rc = check_member(check, member, &own);
    }
    if (rc != 0)
        *error = own;
    check->refused = rc != 0;
    return rc;
}

/* ---- undoing it ---- */

static int add_member(struct untorn_transaction *transaction, const struct record *record,
                      const struct record_member *member, const struct untorn_options *options,
                      struct untorn_error *error)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    struct untorn_options own = {.if_match = &member->after};
    struct look look;
    member_path(member, path);
    error_begin(error, NULL, path);
    int rc = look_open(&look, path, options, error);
    if (rc == 0)
        rc = check_maker(record, &look, error);
    if (rc == 0)
        rc = member->was ? put_back(transaction, member, &look, path, error)
                         : untorn_transaction_remove(transaction, path, &own, error);
    look_close(&look);
    return rc;
}

/* How many versions to leave. */
static int find_keep(const struct record *record, const struct untorn_options *options)
{
    size_t most = 0;
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    struct untorn_error unseen;
    struct look look;
    for (size_t i = 0; i < record->count; i++) {
        member_path(&record->members[i], path);
        error_begin(&unseen, NULL, path);
        if (look_open(&look, path, options, &unseen) == 0 && look.versions.count > most)
            most = look.versions.count;
        look_close(&look);
    }
    return restore_keep(options, most);
}

static int fail_changed(struct untorn_error *error)
{
    error_detail(error,
                 "it was changed since the commit, of which nothing is undone; untorn restore "
                 "takes a single file back");
    return error_fail(error, UNTORN_CHANGED, NULL);
}

/* A file that came or went is one that was changed since. */
static int fail(int rc, struct untorn_error *error)
{
    bool changed = rc == -UNTORN_EXISTS || rc == -UNTORN_MISSING || rc == -UNTORN_CHANGED;
    return changed ? fail_changed(error) : rc;
}

static void tell(const struct record *record, untorn_undone_function *function, void *context)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    for (size_t i = 0; i < record->count; i++) {
        if (!record_changes(&record->members[i]))
            continue;
        member_path(&record->members[i], path);
        function(context, path);
    }
}

int together_undo(const struct record *record, untorn_undone_function *function, void *context,
                  const struct untorn_options *options, struct untorn_error *error)
{
    struct untorn_options own = options ? *options : (struct untorn_options){0};
    struct untorn_transaction *transaction = NULL;
    struct later_check later = {.record = record, .options = options};
    own.keep = find_keep(record, &own);
    int rc = untorn_transaction_begin(&own, &transaction, error);
    for (size_t i = 0; rc == 0 && i < record->count; i++)
        if (record_changes(&record->members[i]))
            rc = add_member(transaction, record, &record->members[i], &own, error);
    for (size_t i = 0; rc == 0 && i < transaction->count; i++) {
        transaction->members[i]->keeps = true; /* [PAST-9] */
        transaction->members[i]->comes_back = true;
    }
    if (rc == 0) {
        transaction->terms = (struct commit_terms){true, check_later, &later};
        rc = untorn_transaction_commit(transaction, error);
    }
    untorn_transaction_free(transaction);
    if (rc >= 0 && function)
        tell(record, function, context);
    return rc < 0 && !later.refused ? fail(rc, error) : rc;
}

/* ---- showing it ---- */

/* [TOGETHER-2] Whether the file still is what the commit made of it. */
static int look_unchanged(const struct record_member *member, const char *path,
                          const struct untorn_options *options, struct untorn_error *error)
{
    struct untorn_content now;
    int rc = untorn_read(path, options, &now, error);
    bool unchanged = rc == 0 ? member->is && untorn_hash_equal(&now.hash, &member->after)
                             : rc == -UNTORN_MISSING && !member->is;
    untorn_content_free(&now);
    if (rc != 0 && rc != -UNTORN_MISSING)
        return rc;
    return unchanged ? 0 : fail_changed(error);
}

/* Without a function only whether it can be done. */
static int preview_member(const struct record_member *member, untorn_undoing_function *function,
                          void *context, const struct untorn_options *options,
                          struct untorn_error *error)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    struct untorn_content before = {0};
    struct look look;
    struct os_stat version;
    member_path(member, path);
    error_begin(error, NULL, path);
    int rc = look_unchanged(member, path, options, error);
    if (rc == 0 && member->was) {
        rc = look_open(&look, path, options, error);
        if (rc == 0 && find_before(&look, &member->before, &before, &version) < 0)
            rc = fail_gone(error);
        else if (rc == 0 && look.live)
            rc = restore_check_owner(look.live, &version, error);
        look_close(&look);
    }
    if (rc == 0 && function)
        function(context, path, member->was ? &before : NULL);
    untorn_content_free(&before);
    return fail(rc, error);
}

int together_preview(const struct record *record, untorn_undoing_function *function, void *context,
                     const struct untorn_options *options, struct untorn_error *error)
{
    struct later_check later = {.record = record, .options = options};
    int rc = 0;
    for (int shows = 0; rc == 0 && shows < 2; shows++) {
        for (size_t i = 0; rc == 0 && i < record->count; i++)
            if (record_changes(&record->members[i]))
                rc = preview_member(&record->members[i], shows ? function : NULL, context, options,
                                    error);
        if (rc == 0 && !shows)
            rc = check_later(&later, error);
    }
    return rc;
}
