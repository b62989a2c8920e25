#include "file/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/registry.h"

enum { FORMAT = 1, STICKY = 01000 };

static const char BESIDE[] = ".untorn";

static const char *const folder_names[FOLDER_COUNT] = {
    [FOLDER_LOCK] = "lock",       [FOLDER_INNER] = "inner", [FOLDER_STAGE] = "stage",
    [FOLDER_INPLACE] = "inplace", [FOLDER_KEPT] = "kept",   [FOLDER_JOURNAL] = "journal",
    [FOLDER_HISTORY] = "history", [FOLDER_SET] = "set",
};

const char *state_folder_name(enum folder folder)
{
    return folder_names[folder];
}

void state_rest(struct state *state)
{
    for (int i = 0; i < FOLDER_COUNT; i++) {
        os_close(state->folders[i]);
        state->folders[i] = OS_NONE;
    }
    os_close(state->root);
    state->root = OS_NONE;
}

void state_close(struct state *state)
{
    state_rest(state);
    state->present = false;
    if (state->outside && !state->borrowed)
        os_close(state->parent);
    state->parent = OS_NONE;
}

void state_borrow(const struct state *state, struct state *ret_state)
{
    *ret_state = *state;
    ret_state->borrowed = true;
    ret_state->root = OS_NONE;
    for (int i = 0; i < FOLDER_COUNT; i++)
        ret_state->folders[i] = OS_NONE;
}

/* [STATE-1] */
static bool has_trusted_owner(const struct os_stat *folder, const struct os_stat *parent,
                              uint32_t user, const uint32_t *private_owner)
{
    if (folder->kind != OS_DIRECTORY || folder->device != parent->device)
        return false;
    if (private_owner)
        return folder->owner == *private_owner || folder->owner == 0;
    if (parent->mode & 022)
        return true; /* whoever made it could as well replace the user's file itself */
    return folder->owner == user || folder->owner == 0 || folder->owner == parent->owner;
}

/* Nobody may write it who may not write the parent. */
static bool is_too_open(const struct os_stat *folder, const struct os_stat *parent)
{
    return (folder->mode & 002) && !(parent->mode & 002);
}

/* One that is longer than what is to be written may be somebody's, who does not want the rest of it
 * to be read by others: it makes room. */
static int open_text(const struct state *state, const char *name, size_t size, os_fd *ret_file)
{
    struct os_stat stat;
    int rc = io_open_own(state->root, name, OS_WRITE | OS_CREATE, ret_file, &stat);
    if (rc < 0 || stat.size <= size)
        return rc;
    os_close(*ret_file);
    rc = os_remove(state->root, name, false);
    return rc < 0 ? rc
                  : io_open_own(state->root, name, OS_WRITE | OS_CREATE | OS_EXCLUSIVE, ret_file,
                                NULL);
}

/* A short file, made once, readable for who may read the folder. Two processes may make it at once:
 * the bytes are the same. */
static int put_text(const struct state *state, const char *name, const char *text)
{
    os_fd file;
    int rc = open_text(state, name, strlen(text), &file);
    if (rc == -EEXIST)
        return 0; /* another one is about to write it */
    if (rc < 0)
        return rc;
    rc = io_write(file, text, strlen(text), 0);
    if (rc == 0)
        rc = os_share(file, state->root, NULL);
    if (rc == 0)
        rc = os_new_meta(state->root, file, 0600 | (state->wanted_mode & 0666));
    os_close(file);
    return rc;
}

/* 0 is a folder that a crash left half made: whoever may write completes it. */
static int read_format(os_fd root, unsigned long *ret_format)
{
    char text[32] = "";
    os_fd file;
    *ret_format = 0;
    int rc = io_open(root, "format", OS_READ, 0, &file);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return rc;
    int64_t n = os_read_at(file, text, sizeof text - 1, 0);
    os_close(file);
    if (n < 0)
        return (int)n;
    *ret_format = strtoul(text, NULL, 10);
    return 0;
}

static int fail_open(struct state *state, int rc, struct untorn_error *error)
{
    if (rc == -ELOOP || rc == -ENOTDIR) {
        error_detail(error, "%s is not a folder", state->name);
        return error_fail(error, UNTORN_UNTRUSTED, NULL);
    }
    if (rc == -EACCES || rc == -EPERM || rc == -EROFS) {
        error_fail(error, UNTORN_NO_STATE, NULL);
        error->os_error = -rc;
        return -UNTORN_NO_STATE;
    }
    if (rc == -EINVAL) {
        error_detail(error, "it lies where untorn keeps its own files");
        return error_fail(error, UNTORN_NAME, NULL);
    }
    if (rc == -ENOENT)
        return AGAIN; /* the directory itself was removed under us */
    return error_os(error, rc, "open the folder for its lock");
}

/* Opens a folder of ours, made if missing. Closed to us is one that another user is just making; if
 * it stays so he died before he could share it, and whoever may write the parent can remove it, for
 * it is empty. */
static int open_or_make(os_fd parent, const char *name, bool create, os_fd *ret_folder,
                        bool *ret_made)
{
    *ret_made = false;
    for (int i = 0;; i++) {
        int rc = os_open_dir(parent, name, true, ret_folder);
        if (rc == -ENOENT && create) {
            rc = os_make_dir(parent, name, 0700);
            *ret_made = rc == 0;
            if (rc < 0 && rc != -EEXIST)
                return rc;
            rc = os_open_dir(parent, name, true, ret_folder);
        }
        if (!create || (rc != -EACCES && rc != -ENOENT) || i > LIMIT_TRIES)
            return rc;
        if (i == LIMIT_TRIES)
            (void)os_remove(parent, name, true);
        else
            os_sleep_ns(LIMIT_POLL_NS);
    }
}

int state_root(struct state *state, os_fd *ret_root)
{
    struct os_stat now;
    bool made;
    int rc = 0;
    if (state->root == OS_NONE) {
        rc = open_or_make(state->parent, state->name, state->create, &state->root, &made);
        if (rc == 0)
            rc = os_stat(state->root, NULL, &now);
        if (rc == 0 && !os_still_same(&now, &state->stat))
            rc = -ENOENT;
        if (rc < 0) {
            os_close(state->root);
            state->root = OS_NONE;
        }
    }
    *ret_root = state->root;
    return rc;
}

/* [STATE-2] Who only wants to look at the folder looks at the format too. */
static int check_format(struct state *state, enum state_use use, struct untorn_error *error)
{
    char text[32];
    unsigned long format;
    os_fd root;
    if (use != STATE_IF_PRESENT && registry_knows_folder(&state->stat))
        return 0;
    int rc = state_root(state, &root);
    if (rc < 0)
        return fail_open(state, rc, error);
    rc = read_format(root, &format);
    if (rc == 0 && format == FORMAT)
        registry_note_folder(&state->stat);
    if (rc == 0 && format > FORMAT) {
        error_detail(error, "its %s has format %lu, this untorn knows %d", state->name, format,
                     FORMAT);
        return error_fail(error, UNTORN_NEWER_FORMAT, NULL);
    }
    if (rc == 0 && format == 0 && use == STATE_CREATE) {
        snprintf(text, sizeof text, "%d\n", FORMAT);
        rc = put_text(state, ".gitignore", "*\n");
        if (rc == 0)
            rc = put_text(state, "format", text);
        if (rc == -ENOENT)
            rc = 0; /* removed again this very moment: noticed when the lock is looked at */
    }
    return rc < 0 ? error_os(error, rc, "prepare the folder for its lock") : 0;
}

/* Which names of ours are in a folder. */
struct own_names {
    size_t count; /* of all names */
    bool ignore, format, folders[FOLDER_COUNT];
};

static int note_name(void *context, const char *name)
{
    enum { MOST = 64 };
    struct own_names *names = context;
    names->ignore |= strcmp(name, ".gitignore") == 0;
    names->format |= strcmp(name, "format") == 0;
    for (int i = 0; i < FOLDER_COUNT; i++)
        names->folders[i] |= strcmp(name, folder_names[i]) == 0;
    return ++names->count == MOST;
}

/* What we put there, or less. What goes this very moment was ours: who may only rename a folder
 * that he may not look into cannot remove what is in it. */
static bool is_own_text(os_fd root, const char *name)
{
    enum { SHORT = 2 };
    unsigned long format;
    struct os_stat stat;
    int rc = os_stat(root, name, &stat);
    return rc == -ENOENT || (rc == 0 && stat.size <= SHORT) ||
           (strcmp(name, "format") == 0 && read_format(root, &format) == 0 && format > 0);
}

static bool is_own_folder(os_fd root, const char *name)
{
    struct os_stat stat;
    int rc = os_stat(root, name, &stat);
    return rc == -ENOENT || (rc == 0 && stat.kind == OS_DIRECTORY);
}

/* Who may write the parent may give our name to a folder that he may not look into. One of ours is
 * empty, or has what ours have; while it is made, removed, or after a crash, not all of it: then
 * what one listing has says so. 1, 0, or a negative errno value. */
static int looks_ours(os_fd root)
{
    struct own_names names = {0};
    int rc = os_list(root, note_name, &names);
    if (rc < 0)
        return rc;
    bool ours = names.count == 0 || (names.ignore && is_own_text(root, ".gitignore")) ||
                (names.format && is_own_text(root, "format"));
    for (int i = 0; i < FOLDER_COUNT; i++)
        ours |= names.folders[i] && is_own_folder(root, folder_names[i]);
    return ours;
}

/* Gives the folder the access of its parent: at creation, and again where a crash came between or
 * the parent has changed. Only its owner can. False: it is no folder of ours. */
static bool share(struct state *state, const struct os_stat *parent, uint32_t user,
                  const uint32_t *private_owner)
{
    bool fits =
        state->stat.mode == state->wanted_mode &&
        (private_owner ? state->stat.owner == *private_owner : state->stat.group == parent->group);
    if (fits || (state->stat.owner != user && user != 0))
        return true;
    os_fd root;
    int rc = state_root(state, &root);
    int ours = rc == 0 ? looks_ours(root) : rc;
    if (ours == 0)
        return false;
    if (ours == 1) {
        /* Who is kept out by a failure is told so when he tries. */
        (void)os_share(root, state->parent, private_owner);
        (void)os_stat(root, NULL, &state->stat);
    }
    state->reshared = true;
    return true;
}

/* Through a link a path can lead into our folder unnoticed; no folder is made inside it. */
static int check_outside_own(const struct place *place)
{
    char path[LIMIT_PATH];
    int rc = os_dir_path(place->dir, path, sizeof path);
    return rc == 0 && path_leads_into_own_folder(path) ? -EINVAL : 0;
}

static int make_root(struct state *state, const struct place *place)
{
    bool made;
    if (check_outside_own(place) < 0)
        return -EINVAL;
    int rc = open_or_make(state->parent, state->name, true, &state->root, &made);
    return rc < 0 ? rc : os_stat(state->root, NULL, &state->stat);
}

/* The state directory, and in it a name that stands for the physical directory of the file. */
static int find_outside(struct state *state, const struct place *place, const char *directory,
                        bool create)
{
    char path[LIMIT_PATH], text[UNTORN_HASH_TEXT_SIZE];
    int rc = create ? place_make_directories(OS_NONE, directory, 0700, true, &state->parent)
                    : os_open_dir(OS_NONE, directory, false, &state->parent);
    if (rc < 0)
        return rc;
    state->outside = true;
    rc = os_dir_path(place->dir, path, sizeof path);
    if (rc < 0)
        return rc;
    struct untorn_hash hash = untorn_hash(path, strlen(path));
    snprintf(state->name, sizeof state->name, "%s", untorn_hash_format(&hash, text));
    return 0;
}

static int find(struct state *state, const struct place *place, const char *directory, bool create)
{
    if (directory)
        return find_outside(state, place, directory, create);
    state->parent = place->dir;
    strcpy(state->name, BESIDE);
    return 0;
}

static int open_checked(struct state *state, const struct place *place, enum state_use use,
                        struct untorn_error *error)
{
    bool create = use == STATE_CREATE;
    struct os_stat parent = place->dir_stat;
    uint32_t user = os_user(), private_owner = place->exists ? place->target.owner : user;
    int rc = state->outside ? os_stat(state->parent, NULL, &parent) : 0;
    if (rc < 0)
        return error_os(error, rc, "look at the state directory");
    bool private_folder = (parent.mode & STICKY) != 0;
    state->create = create;
    state->wanted_mode = private_folder ? 0700 : (parent.mode & 02777) | 0700;
    if (private_folder) {
        size_t used = strlen(state->name);
        snprintf(state->name + used, sizeof state->name - used, "-%lu",
                 (unsigned long)private_owner);
    }
    /* Made for somebody else it would be of no use to him; only root can give it away. */
    bool may_make = create && (!private_folder || private_owner == user || user == 0);
    rc = os_stat(state->parent, state->name, &state->stat);
    if (rc == -ENOENT && !create)
        return 0;
    if (rc == -ENOENT)
        rc = may_make ? make_root(state, place) : -EACCES;
    if (rc == 0 && state->stat.kind != OS_DIRECTORY)
        rc = -ENOTDIR;
    if (rc < 0)
        return fail_open(state, rc, error);
    const uint32_t *owner = private_folder ? &private_owner : NULL;
    bool trusted = has_trusted_owner(&state->stat, &parent, user, owner);
    if (trusted && create)
        trusted = share(state, &parent, user, owner);
    if (!trusted || is_too_open(&state->stat, &parent)) {
        error_detail(error, "%s belongs to user %lu and has mode %o", state->name,
                     (unsigned long)state->stat.owner, state->stat.mode);
        return error_fail(error, UNTORN_UNTRUSTED, NULL);
    }
    state->present = true;
    return check_format(state, use, error);
}

/* NULL: beside the file. */
static const char *directory_of(const struct untorn_options *options)
{
    const char *directory =
        options->state_dir ? options->state_dir : os_variable("UNTORN_STATE_DIR");
    return directory && *directory ? directory : NULL;
}

bool state_is_beside(const struct untorn_options *options)
{
    return !directory_of(options);
}

bool state_is_plain(const struct state *state)
{
    return !state->outside && strcmp(state->name, BESIDE) == 0;
}

static int open_found(struct state *state, const struct place *place,
                      const struct untorn_options *options, enum state_use use,
                      struct untorn_error *error)
{
    bool create = use == STATE_CREATE;
    const char *directory = directory_of(options);
    int rc = find(state, place, directory, create);
    if (rc == 0)
        return open_checked(state, place, use, error);
    if (rc == -ENOENT && !create)
        return 0;
    error_detail(error, "the state directory %s", directory);
    if (rc != -ENOTDIR && rc != -ENOENT)
        return error_os(error, rc, "open the folder for its lock");
    error_fail(error, UNTORN_NO_STATE, NULL);
    error->os_error = -rc;
    return -UNTORN_NO_STATE;
}

/* AGAIN is for those who make the folder, who start over. Who only looks looks again: removed
 * meanwhile, it is missing; made anew, it is the new one that counts. */
static int open_found_or_look_again(struct state *state, const struct place *place,
                                    const struct untorn_options *options, enum state_use use,
                                    struct untorn_error *error)
{
    for (int i = 0; i < LIMIT_TRIES; i++) {
        *state = (struct state)STATE_CLOSED;
        int rc = open_found(state, place, options, use, error);
        if (rc != 0)
            state_close(state);
        if (rc != AGAIN || use == STATE_CREATE)
            return rc;
    }
    return error_fail(error, UNTORN_RESTLESS, NULL);
}

int state_open(const struct place *place, const struct untorn_options *options, enum state_use use,
               struct state *ret_state, struct untorn_error *error)
{
    struct state state;
    struct untorn_error unseen;
    error_begin(&unseen, NULL, error->path);
    int rc = open_found_or_look_again(&state, place, options, use,
                                      use == STATE_IF_USABLE ? &unseen : error);
    *ret_state = state;
    if (use != STATE_IF_USABLE || rc == 0)
        return rc;
    if (rc == -UNTORN_UNTRUSTED || rc == -UNTORN_NO_STATE || rc == -UNTORN_DENIED)
        return 0;
    *error = unseen;
    return rc;
}

void state_path(const struct state *state, enum folder folder, const char *entry,
                char path[STATE_PATH_SIZE])
{
    char *end = path_add(path_add(path_add(path, state->name), "/"), folder_names[folder]);
    if (*entry)
        path_add(path_add(end, "/"), entry);
}

static int open_folder(struct state *state, enum folder folder, bool create, os_fd *ret_folder)
{
    os_fd root;
    bool made;
    int rc = state_root(state, &root);
    if (rc == 0)
        rc = open_or_make(root, folder_names[folder], create, ret_folder, &made);
    if (rc == -ELOOP || rc == -ENOTDIR)
        return -EMLINK; /* not a folder of ours */
    if (rc == 0 && (made || state->reshared))
        (void)os_share(*ret_folder, root, NULL); /* else it is removed by who needs it */
    return rc;
}

/* Without opening the root. Only stages may get into a folder that took the place of the one we
 * know: they are told apart by name, and [LOCK-2] is looked at before one is renamed. */
static int open_stage_folder(struct state *state, os_fd *ret_folder)
{
    char path[STATE_PATH_SIZE];
    if (state->reshared || state->root != OS_NONE)
        return -ENOENT;
    state_path(state, FOLDER_STAGE, "", path);
    return os_open_dir(state->parent, path, true, ret_folder);
}

int state_folder(struct state *state, enum folder folder, bool create, os_fd *ret_folder)
{
    int rc = 0;
    if (!state->present)
        return -ENOENT;
    if (state->folders[folder] == OS_NONE) {
        rc = folder == FOLDER_STAGE ? open_stage_folder(state, &state->folders[folder]) : -ENOENT;
        if (rc < 0)
            rc = open_folder(state, folder, create, &state->folders[folder]);
    }
    *ret_folder = state->folders[folder];
    return rc;
}

int state_flush_names(struct state *state, enum folder folder)
{
    os_fd root;
    int rc = state_root(state, &root);
    if (rc < 0)
        return rc;
    os_fd chain[] = {state->folders[folder], root, state->parent};
    for (int i = 0; i < 3; i++) {
        rc = os_flush_dir(chain[i]);
        if (rc < 0 && rc != -EINVAL)
            return rc;
    }
    return 0;
}
