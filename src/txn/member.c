#include "txn/member.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/read.h"
#include "file/remove.h"

/* ---- what is to be done ---- */

bool member_set_options(struct member *member, const struct untorn_options *options,
                        const struct untorn_options *all)
{
    struct owned_options fresh;
    struct untorn_options merged = options ? *options : (struct untorn_options){0};
    merged.level = all->level;
    merged.wait_ms = all->wait_ms;
    merged.strict = all->strict;
    merged.keep = all->keep;
    merged.state_dir = all->state_dir;
    merged.lock_file = NULL;
    if (!options_own(&fresh, member->given.path, &merged)) {
        options_free(&fresh);
        return false;
    }
    options_free(&member->given);
    member->given = fresh;
    if (merged.if_match)
        member->given.options.if_match = &member->given.if_match;
    return true;
}

static bool contradict(const struct untorn_options *one, const struct untorn_options *other)
{
    if (one->exclusive || other->exclusive)
        return one->if_match || other->if_match;
    return one->if_match && other->if_match && !untorn_hash_equal(one->if_match, other->if_match);
}

int member_go_on(const struct member *member, struct untorn_options *options,
                 struct untorn_error *error)
{
    const struct untorn_options *before = &member->given.options;
    if (contradict(before, options)) {
        error_detail(error, "an earlier change in this transaction expects another version");
        return error_fail(error, UNTORN_CHANGED, NULL);
    }
    if (!options->if_match)
        options->if_match = before->if_match;
    if (options->mode == 0)
        options->mode = before->mode;
    if (options->symlink == UNTORN_FOLLOW)
        options->symlink = before->symlink;
    options->exclusive = options->exclusive || before->exclusive;
    options->if_changed = options->if_changed || before->if_changed;
    options->keep_inode = options->keep_inode || before->keep_inode;
    options->parents = options->parents || before->parents;
    return 0;
}

static void begin_attempt(struct member *member)
{
    member->now.stage = (struct stage)STAGE_CLOSED;
    member->now.past = (struct past)PAST_CLOSED;
}

struct member *member_new(const char *path, const struct untorn_options *options,
                          const struct untorn_options *all)
{
    struct member *member = calloc(1, sizeof *member);
    if (!member)
        return NULL;
    begin_attempt(member);
    member->given.path = malloc(strlen(path) + 1);
    if (member->given.path)
        path_add(member->given.path, path);
    if (!member->given.path || !member_set_options(member, options, all)) {
        member_free(member);
        return NULL;
    }
    return member;
}

void member_forget(struct member *member)
{
    operation_free(member->operations);
    member->operations = NULL;
}

void member_free(struct member *member)
{
    member_close(member);
    member_forget(member);
    options_free(&member->given);
    free(member);
}

void member_add(struct member *member, struct operation *operation)
{
    struct operation **link = &member->operations;
    while (*link)
        link = &(*link)->next;
    *link = operation;
}

/* ---- opening ---- */

static size_t length_of_directory(const char *path)
{
    return (size_t)(path_last(path) - path);
}

/* Whether the seat of `neighbour` is this one's too: both paths name the same directory, what has
 * the name is no link, and of the same owner, whose the seat is where the directory is sticky. */
static bool sits_beside(struct member *member, const struct member *neighbour,
                        struct place *ret_place)
{
    char directory[LIMIT_PATH];
    const char *path = member->given.path;
    size_t length = length_of_directory(path);
    if (!neighbour || neighbour->now.target.place.followed ||
        length != length_of_directory(neighbour->given.path) ||
        memcmp(path, neighbour->given.path, length) != 0)
        return false;
    const struct seat *seat = neighbour->now.seat;
    *ret_place = seat->place;
    ret_place->followed = false;
    if (path_split(path, directory, ret_place->name) < 0 || path_leads_into_own_folder(path))
        return false;
    int rc = place_look(ret_place);
    if (rc == 0)
        return ret_place->target.kind == OS_REGULAR && ret_place->target.owner == seat->owner;
    return rc == -ENOENT && os_user() == seat->owner;
}

static int find_seat(struct member *member, struct seats *seats, struct place *ret_place,
                     struct untorn_error *error)
{
    struct untorn_options options = member->given.options;
    struct place place = PLACE_CLOSED;
    struct state state = STATE_CLOSED;
    if (member->operations->kind == OPERATION_REMOVE) /* where no directory is there is no file */
        options.parents = false;
    int rc = place_resolve(member->given.path, &options, &place, error);
    if (rc == 0)
        rc = state_open(&place, &options, STATE_CREATE, &state, error);
    if (rc != 0) {
        place_close(&place);
        return rc;
    }
    *ret_place = place;
    member->now.seat = seats_take(seats, &place, &state);
    if (!member->now.seat)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    ret_place->dir = member->now.seat->place.dir;
    return 0;
}

int member_open(struct member *member, const struct member *neighbour, struct seats *seats,
                struct untorn_error *error)
{
    struct place place;
    struct target *target = &member->now.target;
    bool beside = sits_beside(member, neighbour, &place);
    int rc = beside ? 0 : find_seat(member, seats, &place, error);
    if (rc != 0)
        return rc;
    if (beside)
        member->now.seat = neighbour->now.seat;
    rc = target_open_found(target, &place, &member->now.seat->state, &member->given.options, error);
    member->now.opened = rc == 0;
    target->path = member->given.path;
    target->stages_under_lock = true;
    target->keeps = member->keeps;
    return rc;
}

/* ---- what it is to become ---- */

static bool is_file(const struct target *target)
{
    return target->exists && target->stat.kind == OS_REGULAR;
}

static int read_old(struct target *target, struct content *content, struct untorn_error *error)
{
    struct untorn_content old;
    target->was_read = true;
    if (!is_file(target))
        return 0;
    int rc = target->readable ? read_open_file(target->hold, &old) : -EACCES;
    if (rc < 0)
        return error_os(error, rc, "read it");
    target->hash = old.hash;
    target->hash_known = true;
    content->exists = content->as_found = true;
    content->data = content->made = old.data;
    content->size = old.size;
    return old.size == target->stat.size ? 0 : AGAIN; /* somebody writes it this very moment */
}

/* Its mode may have changed while functions ran. */
static void look_at_mode(struct target *target)
{
    uint64_t size = target->stat.size;
    if (is_file(target))
        (void)os_stat(target->hold, NULL, &target->stat);
    target->stat.size = size;
}

/* The same content may still have to have a mode, or to be a certain version. */
static bool needs_more_than_content(const struct target *target)
{
    const struct untorn_options *options = target->options;
    return options->if_match || (options->mode && options->mode != target->stat.mode);
}

static int note_hash(struct target *target, struct untorn_error *error)
{
    if (target->hash_known || !is_file(target) || !target->readable)
        return 0;
    int rc = io_hash(target->hold, 0, target->stat.size, &target->hash);
    target->hash_known = rc == 0;
    if (rc == -ESTALE)
        return AGAIN;
    return rc < 0 ? error_os(error, rc, "read it") : 0;
}

int member_evaluate(struct member *member, struct untorn_error *error)
{
    struct target *target = &member->now.target;
    struct content content = {.exists = target->exists};
    bool reads = operation_needs_content(member->operations);
    if (reads)
        content.exists = false;
    int rc = reads ? read_old(target, &content, error) : 0;
    if (rc == 0)
        rc = operation_run(member->operations, &content, error);
    member->now.made = content.made;
    if (reads)
        look_at_mode(target);
    if (rc == 0)
        rc = note_hash(target, error);
    if (rc != 0)
        return rc;
    member->now.data = content.data;
    member->now.size = content.size;
    if (content.data)
        member->now.hash = untorn_hash(content.data, content.size);
    member->now.removes = !content.exists && target->exists;
    if (reads) /* what a function leaves as it is stays untouched */
        member->given.options.if_changed = true;
    member->now.unchanged = (content.as_found && !needs_more_than_content(target)) ||
                            (!content.exists && !target->exists);
    return member->now.removes ? remove_prepare(target, error) : 0;
}

/* ---- staging ---- */

static int begin_stage(struct member *member)
{
    struct stage *stage = &member->now.stage;
    struct target *target = &member->now.target;
    bool for_slot = member->now.stays_open && member->now.size <= LIMIT_INLINE;
    int rc = for_slot ? replace_begin_content(target, member->now.data, member->now.size,
                                              &member->now.past, stage)
                      : replace_begin(target, stage);
    if (rc == 0)
        stage_lend(stage, &target->state);
    return rc < 0 ? rc : stage_write(stage, member->now.data, member->now.size);
}

static int look_at_stage(struct member *member)
{
    struct stage *stage = &member->now.stage;
    const struct replacement *replacement = &member->now.replacement;
    int rc = 0;
    member->now.staged = replacement->staged;
    member->now.plain = replacement->needs_nothing;
    if (!replacement->needs_nothing) {
        rc = os_stat(stage->file, NULL, &member->now.staged);
        member->now.plain = os_is_plain(stage->file);
    }
    stage->inode = member->now.staged.inode;
    return rc;
}

/* What the version has that comes back. */
static int open_version(struct member *member, os_fd *ret_file)
{
    struct target *target = &member->now.target;
    struct versions versions;
    *ret_file = OS_NONE;
    if (!member->comes_back || target->exists)
        return 0;
    int rc = versions_open(&versions, &target->state, target->place.name, false);
    if (rc == 0)
        rc = versions_find(&versions, &member->now.hash, ret_file);
    versions_close(&versions);
    return rc;
}

static int prepare(struct member *member, struct untorn_error *error)
{
    struct target *target = &member->now.target;
    os_fd version;
    int rc = open_version(member, &version);
    if (rc < 0 && rc != -ENOENT)
        return error_os(error, rc, "look for its earlier version");
    if (rc < 0) {
        error_detail(error, "what it was before the commit is no longer kept");
        return error_fail(error, UNTORN_NO_VERSION, NULL);
    }
    target->meta_of = version == OS_NONE ? NULL : &version;
    rc = replace_prepare(&member->now.replacement, error);
    target->meta_of = NULL;
    os_close(version);
    return rc;
}

static int foresee_removal(const struct member *member, struct untorn_error *error)
{
    const struct target *target = &member->now.target;
    int rc = place_foresee(&target->place, &target->stat, member->now.beside);
    return rc < 0 ? place_fail_foreseen(&target->place, rc, "remove it", error) : 0;
}

/* [TXN-8] What stays as it is has no version. [PAST-3] */
static int foresee(struct member *member, struct untorn_error *error)
{
    struct target *target = &member->now.target;
    int rc = member->now.removes
                 ? foresee_removal(member, error)
                 : replace_foresee(&member->now.replacement, member->now.beside, error);
    bool same = !member->now.removes && target->hash_known &&
                untorn_hash_equal(&target->hash, &member->now.hash);
    return rc == 0 && !same ? past_foresee(&member->now.past, target, error) : rc;
}

int member_stage(struct member *member, struct untorn_error *error)
{
    struct stage *stage = &member->now.stage;
    struct target *target = &member->now.target;
    if (member->now.unchanged || member->now.removes)
        return member->now.unchanged ? 0 : foresee(member, error);
    int rc = begin_stage(member);
    if (rc < 0)
        return rc == -ENOENT ? AGAIN : error_os(error, rc, "stage the new version");
    member->now.replacement = (struct replacement){
        .target = target,
        .stage = stage,
        .past = member->now.stays_open ? &member->now.past : NULL,
    };
    rc = prepare(member, error);
    if (rc == REPLACE_UNCHANGED) {
        stage_close(stage);
        past_close(&member->now.past);
        member->now.unchanged = true;
        return 0;
    }
    if (rc == 0)
        rc = foresee(member, error);
    if (rc != 0)
        return rc;
    stage_lend(stage, &target->state); /* it may be another one now */
    rc = look_at_stage(member);
    if (rc < 0)
        return error_os(error, rc, "look at the new version");
    if (!member->now.stays_open)
        member_flush_soon(member);
    return 0;
}

void member_flush_soon(struct member *member)
{
    const struct stage *stage = &member->now.stage;
    if (stage->file != OS_NONE && member->now.target.options->level != UNTORN_CACHE)
        os_flush_soon(stage->file, 0, stage->size);
}

int member_flush(struct member *member, struct untorn_error *error)
{
    if (member->now.unchanged || member->now.removes)
        return 0;
    int rc = stage_wake(&member->now.stage);
    if (rc < 0)
        return rc == -ENOENT ? AGAIN : error_os(error, rc, "open the new version again");
    return replace_flush(&member->now.replacement, error);
}

int member_rest(struct member *member)
{
    target_rest(&member->now.target);
    return stage_rest(&member->now.stage);
}

/* ---- publishing ---- */

static int wake(struct member *member, struct untorn_error *error)
{
    int rc = target_wake(&member->now.target);
    if (rc == 0 && !member->now.removes)
        rc = stage_wake(&member->now.stage);
    if (rc == -ESTALE || rc == -ENOENT)
        return AGAIN;
    return rc < 0 ? error_os(error, rc, "open it again") : 0;
}

int member_publish(struct member *member, struct untorn_error *error)
{
    int rc = wake(member, error);
    if (rc != 0)
        return rc;
    rc = member->now.removes ? remove_publish(&member->now.target, error)
                             : replace_publish(&member->now.replacement, error);
    if (rc == 0)
        target_rest(&member->now.target);
    if (rc == 0 && !member->now.removes)
        (void)stage_rest(&member->now.stage); /* it is flushed, and closed in any case */
    return rc;
}

int member_unstage(struct member *member)
{
    return past_unstage(&member->now.past, &member->now.target, &member->now.stage);
}

void member_settle(struct member *member, struct untorn_error *error)
{
    if (!member->now.removes)
        member->now.target.new_hash = &member->now.hash;
    if (member->now.past.open)
        past_settle(&member->now.past, &member->now.target, error);
    else
        past_prune(&member->now.target, error);
    target_rest(&member->now.target);
}

void member_close(struct member *member)
{
    stage_close(&member->now.stage);
    past_close(&member->now.past);
    if (member->now.opened)
        target_close(&member->now.target);
    free(member->now.made);
    memset(&member->now, 0, sizeof member->now);
    begin_attempt(member);
}

void member_describe(const struct member *member, struct slot_member *ret_record)
{
    const struct target *target = &member->now.target;
    *ret_record = (struct slot_member){
        .kind = member->now.removes ? SLOT_REMOVE
                : target->exists    ? SLOT_REPLACE
                                    : SLOT_CREATE,
        .in_place = member->now.replacement.in_place,
    };
    path_add(ret_record->name, target->place.name);
    if (target->exists) {
        ret_record->before.hashed = target->hash_known;
        ret_record->before.inode = target->stat.inode;
        ret_record->before.born = target->stat.born;
        ret_record->before.size = target->stat.size;
        if (target->hash_known)
            ret_record->before.hash = target->hash;
    }
    if (member->now.removes)
        return;
    if (!member->now.past.made_there)
        path_add(ret_record->stage, stage_entry(&member->now.stage));
    ret_record->after.size = member->now.size;
    ret_record->after.hash = member->now.hash;
    const struct os_stat *like =
        member->now.replacement.in_place ? &target->stat : &member->now.staged;
    ret_record->after.mode = like->mode;
    ret_record->after.owner = like->owner;
    ret_record->after.group = like->group;
    if (member->now.replacement.in_place && target->options->mode)
        ret_record->after.mode = target->options->mode;
}
