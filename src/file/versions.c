#include "file/versions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"

/* ---- names ---- */

void version_name(const struct version *version, char name[VERSION_NAME_SIZE])
{
    char hash[UNTORN_HASH_TEXT_SIZE];
    path_digits(version->sequence, name);
    char *end = path_add(name + 16, ".");
    end = path_add(path_add(end, untorn_hash_format(&version->hash, hash)), ".");
    path_digits(version->inode, end);
    if (version->set[0])
        path_add(path_add(end + 16, "."), version->set);
}

/* Only the digits that version_name writes: an entry has one name. */
static bool has_digits(const char *text, size_t count)
{
    return strspn(text, "0123456789abcdef") >= count;
}

static bool parse_number(const char *text, uint64_t *ret_number)
{
    uint64_t number = 0;
    if (!has_digits(text, 16))
        return false;
    for (int i = 0; i < 16; i++)
        number = number << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    *ret_number = number;
    return true;
}

bool version_parse(const char *name, struct version *ret_version)
{
    enum { HASH = 17, INODE = 50, SET = 66, END = SET + 1 + VERSION_SET };
    char hash[UNTORN_HASH_TEXT_SIZE] = "";
    size_t size = strlen(name);
    *ret_version = (struct version){0};
    if ((size != SET && size != END) || name[HASH - 1] != '.' || name[INODE - 1] != '.' ||
        !parse_number(name, &ret_version->sequence) ||
        !parse_number(name + INODE, &ret_version->inode) || !has_digits(name + HASH, 32))
        return false;
    memcpy(hash, name + HASH, sizeof hash - 1);
    if (size == END && (name[SET] != '.' || !has_digits(name + SET + 1, VERSION_SET)))
        return false;
    if (size == END)
        strcpy(ret_version->set, name + SET + 1);
    return untorn_hash_parse(hash, &ret_version->hash);
}

/* ---- the folder ---- */

struct listing {
    struct versions *versions;
    size_t room, looked;
};

static int visit(void *context, const char *name)
{
    struct listing *listing = context;
    struct versions *versions = listing->versions;
    struct version version;
    if (++listing->looked > LIMIT_LISTING)
        return 1;
    if (!version_parse(name, &version))
        return 0;
    if (versions->count == listing->room) {
        listing->room = listing->room ? 2 * listing->room : 4;
        struct version *list = realloc(versions->list, listing->room * sizeof *list);
        if (!list)
            return -ENOMEM;
        versions->list = list;
    }
    versions->list[versions->count++] = version;
    return 0;
}

static int newer_first(const void *one, const void *other)
{
    const struct version *a = one, *b = other;
    return a->sequence < b->sequence ? 1 : a->sequence > b->sequence ? -1 : 0;
}

/* By its path, where our folder is known to be as it should: one call. Who renames into a folder
 * that took the place of the one we know has [LOCK-2] looked at before anything comes of it. */
static int open_folder(struct state *state, const char *own_name, os_fd *ret_folder)
{
    char path[STATE_PATH_SIZE];
    if (!state->present)
        return -ENOENT;
    state_path(state, FOLDER_HISTORY, own_name, path);
    int rc = os_open_dir(state->parent, path, true, ret_folder);
    return rc == -ELOOP || rc == -ENOTDIR ? -EMLINK : rc; /* not a folder of ours */
}

static int make_folder(struct state *state, const char *own_name, os_fd *ret_folder)
{
    os_fd history;
    int rc = state_folder(state, FOLDER_HISTORY, true, &history);
    if (rc == 0)
        rc = os_make_dir(history, own_name, 0700);
    if (rc == 0 || rc == -EEXIST)
        rc = os_open_dir(history, own_name, true, ret_folder);
    if (rc == 0)
        (void)os_share(*ret_folder, history, NULL); /* who is kept out is told so when he tries */
    return rc;
}

/* [VERSIONS-3] A folder whose names could not be flushed goes again: asked a second time the system
 * would only say that they were. */
static int flush_names(struct state *state, const char *own_name)
{
    os_fd history;
    int rc = state_folder(state, FOLDER_HISTORY, true, &history);
    if (rc < 0)
        return rc;
    rc = state_flush_names(state, FOLDER_HISTORY);
    if (rc < 0)
        (void)os_remove(history, own_name, true);
    return rc < 0 ? rc - VERSIONS_UNFLUSHED : 0;
}

int versions_open(struct versions *versions, struct state *state, const char *name, bool create)
{
    char own_name[LIMIT_NAME + 1];
    struct listing listing = {.versions = versions};
    *versions = (struct versions)VERSIONS_CLOSED;
    path_own_name(name, 0, own_name);
    int rc = open_folder(state, own_name, &versions->folder);
    if (create && (rc == -ENOENT || rc == -EACCES || (rc == 0 && state->reshared))) {
        os_close(versions->folder);
        versions->folder = OS_NONE;
        rc = make_folder(state, own_name, &versions->folder);
    }
    if (rc == 0)
        rc = os_list(versions->folder, visit, &listing);
    rc = rc > 0 ? 0 : rc;
    if (rc == 0 && create && versions->count == 0)
        rc = flush_names(state, own_name);
    if (rc < 0)
        versions_close(versions);
    else if (versions->count > 1)
        qsort(versions->list, versions->count, sizeof *versions->list, newer_first);
    return rc;
}

void versions_close(struct versions *versions)
{
    os_close(versions->folder);
    free(versions->list);
    *versions = (struct versions)VERSIONS_CLOSED;
}

int version_remove(const struct versions *versions, const struct version *version)
{
    char name[VERSION_NAME_SIZE];
    version_name(version, name);
    return os_remove(versions->folder, name, false);
}

/* ---- looking ---- */

static int has_content(os_fd file, uint64_t size, const struct untorn_hash *hash, bool *ret_has)
{
    struct untorn_hash found;
    int rc = io_hash(file, 0, size, &found);
    *ret_has = rc == 0 && untorn_hash_equal(&found, hash);
    return rc == -ESTALE ? 0 : rc; /* cut while it was read: then it is not what it was */
}

int version_look(const struct versions *versions, const struct version *version,
                 const struct os_stat *live, bool thorough, os_fd *ret_file,
                 struct os_stat *ret_stat, enum version_verdict *ret_verdict)
{
    char name[VERSION_NAME_SIZE];
    bool has = true;
    version_name(version, name);
    int rc = io_open(versions->folder, name, OS_READ, 0, ret_file);
    if (rc < 0)
        return rc;
    rc = os_stat(*ret_file, NULL, ret_stat);
    bool named = rc == 0 && ret_stat->inode == version->inode;
    bool second_name = rc == 0 && live && os_same_file(ret_stat, live);
    if (rc == 0 && !second_name && (thorough || !named))
        rc = has_content(*ret_file, ret_stat->size, &version->hash, &has);
    *ret_verdict = second_name || (!has && !named) ? VERSION_LITTER
                   : has                           ? VERSION_WHOLE
                                                   : VERSION_DAMAGED;
    if (rc < 0)
        os_close(*ret_file);
    return rc;
}

/* Denied to us it is still a version, for others. */
static int look_denied(const struct versions *versions, const struct version *version,
                       struct version_found *found)
{
    char name[VERSION_NAME_SIZE];
    version_name(version, name);
    found->file = OS_NONE;
    found->verdict = VERSION_DAMAGED;
    return os_stat(versions->folder, name, &found->stat);
}

int versions_at(const struct versions *versions, const struct os_stat *live, size_t number,
                struct version_found *ret_found)
{
    for (size_t i = 0; i < versions->count; i++) {
        struct version_found found = {.version = versions->list[i], .file = OS_NONE};
        int rc = version_look(versions, &found.version, live, number == 1, &found.file, &found.stat,
                              &found.verdict);
        if (rc == -EACCES || rc == -EPERM)
            rc = look_denied(versions, &found.version, &found);
        if (rc == 0 && found.verdict != VERSION_LITTER && --number == 0) {
            *ret_found = found;
            return 0;
        }
        if (rc < 0 && rc != -ENOENT) /* gone: removed since it was listed */
            return rc;
        if (rc == 0)
            os_close(found.file);
    }
    return -ENOENT;
}

int versions_find(const struct versions *versions, const struct untorn_hash *hash, os_fd *ret_file)
{
    enum version_verdict verdict;
    struct os_stat stat;
    int failure = -ENOENT;
    for (size_t i = 0; i < versions->count; i++) {
        const struct version *version = &versions->list[i];
        if (!untorn_hash_equal(&version->hash, hash))
            continue;
        int rc = version_look(versions, version, NULL, true, ret_file, &stat, &verdict);
        if (rc == 0 && verdict == VERSION_WHOLE)
            return 0;
        if (rc == 0)
            os_close(*ret_file);
        else if (rc != -ENOENT)
            failure = rc;
    }
    *ret_file = OS_NONE;
    return failure;
}

static int name_anew(const struct versions *versions, struct version *version,
                     const struct version *fresh)
{
    char old_name[VERSION_NAME_SIZE], new_name[VERSION_NAME_SIZE];
    version_name(version, old_name);
    version_name(fresh, new_name);
    int rc = os_rename(versions->folder, old_name, versions->folder, new_name, OS_REPLACE);
    if (rc == 0)
        *version = *fresh;
    return rc;
}

/* 1 if it stays. What cannot be looked at stays. */
static bool stays(struct versions *versions, struct version *version, const struct os_stat *live)
{
    char name[VERSION_NAME_SIZE];
    enum version_verdict verdict;
    struct os_stat stat;
    os_fd file;
    version_name(version, name);
    int rc = os_stat(versions->folder, name, &stat);
    if (rc == 0)
        version->mode = stat.mode;
    bool is_live = rc == 0 && live && os_same_file(&stat, live);
    if (rc < 0 || (stat.inode == version->inode && !is_live))
        return rc != -ENOENT;
    rc = version_look(versions, version, live, false, &file, &stat, &verdict);
    if (rc < 0)
        return rc != -ENOENT;
    os_close(file);
    if (verdict == VERSION_LITTER)
        return os_remove(versions->folder, name, false) < 0;
    /* A copied folder has other inodes: named anew, the version need not be read each time. */
    struct version fresh = *version;
    fresh.inode = stat.inode;
    (void)name_anew(versions, version, &fresh);
    return true;
}

void versions_sweep(struct versions *versions, const struct os_stat *live)
{
    size_t kept = 0;
    for (size_t i = 0; i < versions->count; i++)
        if (stays(versions, &versions->list[i], live))
            versions->list[kept++] = versions->list[i];
    versions->count = kept;
}

/* ---- numbers ---- */

static uint32_t count_of(const struct version *version)
{
    return (uint32_t)(version->sequence >> 32);
}

/* From the oldest to the newest each gets the next number, or keeps a lower one: none ever passes
 * its neighbour, wherever this ends. */
static int number_anew(struct versions *versions)
{
    uint32_t last = 0;
    int rc = 0;
    for (size_t i = versions->count; rc == 0 && i-- > 0;) {
        struct version *version = &versions->list[i], fresh = *version;
        if (count_of(version) > last + 1) {
            fresh.sequence = (uint64_t)(last + 1) << 32 | (uint32_t)version->sequence;
            rc = name_anew(versions, version, &fresh);
        }
        last = count_of(version);
    }
    if (rc < 0)
        return rc;
    rc = os_flush_dir(versions->folder);
    return rc == 0 || rc == -EINVAL ? 0 : rc - VERSIONS_UNFLUSHED;
}

int versions_next(struct versions *versions, uint32_t *ret_next)
{
    int rc = 0;
    if (versions->count > 0 && count_of(&versions->list[0]) == UINT32_MAX) /* [VERSIONS-4] */
        rc = number_anew(versions);
    *ret_next = versions->count > 0 ? count_of(&versions->list[0]) + 1 : 1;
    return rc;
}
