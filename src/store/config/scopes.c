#include "store/config/scopes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/pathtext.h"
#include "os/os.h"

static const char *const names[UNTORN_SCOPES] = {"default", "global",      "project",
                                                 "local",   "environment", "override"};

const char *untorn_scope_name(enum untorn_scope scope)
{
    return scope >= 0 && scope < UNTORN_SCOPES ? names[scope] : NULL;
}

enum untorn_scope untorn_scope_by_name(const char *name)
{
    int scope = 0;
    while (scope < UNTORN_SCOPES && strcmp(names[scope], name) != 0)
        scope++;
    return (enum untorn_scope)scope;
}

/* ---- texts ---- */

static int no_memory(struct untorn_error *error)
{
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

/* Joins texts, NULL behind the last. */
static const char *join(struct arena *arena, const char *const *texts)
{
    size_t size = 0;
    for (size_t i = 0; texts[i]; i++)
        size += strlen(texts[i]);
    char *joined = arena_take(arena, size + 1), *end = joined;
    for (size_t i = 0; joined && texts[i]; i++) {
        size_t part = strlen(texts[i]);
        memcpy(end, texts[i], part);
        end += part;
    }
    if (joined)
        *end = '\0';
    return joined;
}
#define JOIN(arena, ...) join(arena, (const char *const[]){__VA_ARGS__, NULL})

const char *scopes_variable(const char *const *environment, const char *name)
{
    size_t size = strlen(name);
    if (!environment)
        return os_variable(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
            return *environment + size + 1;
    return NULL;
}

/* ---- whose is it ---- */

bool scopes_is_ours(const char *path, uint32_t *ret_owner)
{
    struct os_stat stat;
    *ret_owner = 0;
    if (os_stat(OS_NONE, path, &stat) < 0)
        return true;
    *ret_owner = stat.owner;
    return stat.owner == 0 || stat.owner == os_user();
}

bool scopes_ignore(struct scopes *scopes, const char *path, uint32_t owner)
{
    char whose[80];
    const char **grown = realloc(scopes->ignored, (scopes->ignored_count + 2) * sizeof *grown);
    if (!grown)
        return false;
    scopes->ignored = grown;
    grown[scopes->ignored_count] = NULL;
    snprintf(whose, sizeof whose, ": belongs to user %lu, not to us or root; it is not read",
             (unsigned long)owner);
    const char *note = JOIN(&scopes->arena, path, whose);
    for (size_t i = 0; note && i < scopes->ignored_count; i++)
        if (strcmp(grown[i], note) == 0)
            return true;
    if (note)
        grown[scopes->ignored_count++] = note;
    grown[scopes->ignored_count] = NULL;
    return note;
}

/* ---- the global file ---- */

/* The XDG specification: a relative path is to be ignored. */
static const char *absolute(const char *const *environment, const char *name)
{
    const char *value = scopes_variable(environment, name);
    return value && path_root_size(value) > 0 ? value : NULL;
}

/* Where the platform keeps such files, if the variables do not say. */
static const char *usual_folder(struct scopes *scopes)
{
    char path[LIMIT_PATH];
    return os_config_folder(path, sizeof path) < 0 ? NULL : JOIN(&scopes->arena, path);
}

static int find_global(struct scopes *scopes, const struct untorn_config_setup *setup,
                       const char *ending, struct untorn_error *error)
{
    const char *folder = absolute(setup->environment, "XDG_CONFIG_HOME"), *below = "";
    const char **path = &scopes->paths[UNTORN_SCOPE_GLOBAL];
    if (!folder && (folder = absolute(setup->environment, "HOME"))) {
        below = "/.config";
        folder = scopes->home = JOIN(&scopes->arena, folder);
        if (!folder)
            return no_memory(error);
    }
    if (!folder)
        folder = usual_folder(scopes);
    if (!folder) {
        scopes->missing[UNTORN_SCOPE_GLOBAL] =
            "neither XDG_CONFIG_HOME nor HOME is an absolute path; set one, or name the file";
        return 0;
    }
    *path = JOIN(&scopes->arena, folder, below, "/", setup->app, "/config", ending);
    return *path ? 0 : no_memory(error);
}

/* ---- the project's file ---- */

static bool is_kind(const char *path, enum os_kind kind)
{
    struct os_stat stat;
    struct os_version there;
    int rc = os_stat(OS_NONE, path, &stat);
    if (rc == 0 && stat.kind == OS_SYMLINK && kind == OS_DIRECTORY) {
        os_fd dir;
        rc = os_open_dir(OS_NONE, path, false, &dir);
        if (rc == 0)
            os_close(dir);
        return rc == 0;
    }
    if (rc == 0 && stat.kind == OS_SYMLINK)
        return os_look(path, &there) == 0; /* a file, or the reading says what it is */
    return rc == 0 && stat.kind == kind;
}

/* 1: it is there and ours. 0: not. -UNTORN_NO_MEMORY. */
static int is_there(struct scopes *scopes, const char *path, enum os_kind kind)
{
    uint32_t owner;
    if (!path)
        return -UNTORN_NO_MEMORY;
    if (!is_kind(path, kind))
        return 0;
    if (scopes_is_ours(path, &owner))
        return 1;
    return scopes_ignore(scopes, path, owner) ? 0 : -UNTORN_NO_MEMORY;
}

/* In one directory: .APP/config.toml, else APP.toml, else the folder .APP alone, in which the file
 * is made when it is first written. 1 if there is one. */
static int look_here(struct scopes *scopes, const char *directory, const char *app,
                     const char *ending)
{
    struct arena *arena = &scopes->arena;
    const char *folder = JOIN(arena, directory, "/.", app);
    const char *in_folder = JOIN(arena, directory, "/.", app, "/config", ending);
    const char *beside = JOIN(arena, directory, "/", app, ending);
    if (!folder || !in_folder || !beside)
        return -UNTORN_NO_MEMORY;
    int has_folder = is_there(scopes, folder, OS_DIRECTORY);
    int found = has_folder == 1 ? is_there(scopes, in_folder, OS_REGULAR) : has_folder;
    const char *path = in_folder;
    if (found == 0) {
        found = is_there(scopes, beside, OS_REGULAR);
        path = beside;
    }
    if (found == 0 && has_folder) {
        uint32_t owner;
        found = scopes_is_ours(in_folder, &owner);
        path = in_folder;
    }
    if (found == 1)
        scopes->paths[UNTORN_SCOPE_PROJECT] = path;
    return found;
}

static int physical(const char *directory, char path[LIMIT_PATH])
{
    os_fd dir;
    int rc = os_open_dir(OS_NONE, directory ? directory : ".", false, &dir);
    if (rc < 0)
        return rc;
    rc = os_dir_path(dir, path, LIMIT_PATH);
    os_close(dir);
    return rc;
}

/* [SCOPES-1] */
static int find_project(struct scopes *scopes, const struct untorn_config_setup *setup,
                        const char *ending, struct untorn_error *error)
{
    char directory[LIMIT_PATH];
    const char **missing = &scopes->missing[UNTORN_SCOPE_PROJECT];
    int rc = physical(setup->directory, directory);
    if (rc < 0 && setup->directory) {
        error_begin(error, NULL, setup->directory);
        return error_os(error, rc, "look for the project's file");
    }
    if (rc < 0) {
        *missing = "the working directory cannot be looked at";
        return 0;
    }
    scopes->searched = true;
    if (strcmp(directory, "/") == 0)
        directory[0] = '\0'; /* the last one below is the root, as an empty text */
    /* Of a drive without the slash that only the seam writes before it; up to the share of a
     * server. */
    size_t root = path_root_size(directory), drive = root > 1 && directory[1] != '/';
    char *least = directory + (root > 1 ? root - 1 : 0);
    for (char *end = directory; rc == 0 && end;) {
        rc = look_here(scopes, directory + drive, setup->app, ending);
        end = strrchr(directory + drive, '/');
        if (end && end < least)
            end = NULL;
        if (end)
            *end = '\0';
    }
    if (rc < 0)
        return no_memory(error);
    if (rc == 0)
        *missing = JOIN(&scopes->arena, "no project here or above; make one: mkdir .", setup->app);
    return rc == 1 || *missing ? 0 : no_memory(error);
}

/* config.toml becomes config.local.toml. */
static int find_local(struct scopes *scopes, struct untorn_error *error)
{
    const char *project = scopes->paths[UNTORN_SCOPE_PROJECT];
    const char **path = &scopes->paths[UNTORN_SCOPE_LOCAL];
    uint32_t owner;
    if (!project) {
        scopes->missing[UNTORN_SCOPE_LOCAL] = scopes->missing[UNTORN_SCOPE_PROJECT];
        return 0;
    }
    const char *name = strrchr(project, '/'), *dot = strrchr(name ? name : project, '.');
    size_t front = dot ? (size_t)(dot - project) : strlen(project);
    const char *before = arena_copy(&scopes->arena, project, front);
    *path = before ? JOIN(&scopes->arena, before, ".local", dot ? dot : "") : NULL;
    if (!*path)
        return no_memory(error);
    if (scopes->searched && !scopes_is_ours(*path, &owner)) {
        if (!scopes_ignore(scopes, *path, owner))
            return no_memory(error);
        *path = NULL;
        scopes->missing[UNTORN_SCOPE_LOCAL] = "its file belongs to somebody else";
    }
    return 0;
}

/* ---- all of them ---- */

static int check_app(const struct untorn_config_setup *setup, struct untorn_error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const char *app = setup->app;
    size_t size = app ? strlen(app) : 0;
    if (size > 0 && size <= LIMIT_NAME / 2 && app[0] != '.' && app[0] != '-' &&
        strspn(app, allowed) == size)
        return 0;
    error_begin(error, NULL, app ? app : "");
    error_detail(error, "the name of an application has letters, digits, '-', '_' and '.'");
    return error_fail(error, UNTORN_INVALID, NULL);
}

int scopes_find(struct scopes *scopes, const struct untorn_config_setup *setup,
                struct untorn_error *error)
{
    const char *ending = setup->format == UNTORN_JSON ? ".json" : ".toml";
    int rc = check_app(setup, error);
    if (rc == 0 && setup->state_dir &&
        !(scopes->state_dir = JOIN(&scopes->arena, setup->state_dir)))
        rc = no_memory(error);
    for (int scope = 0; rc == 0 && scope < UNTORN_SCOPES; scope++) {
        const char *given = setup->paths[scope];
        scopes->paths[scope] = given ? arena_copy(&scopes->arena, given, strlen(given)) : NULL;
        scopes->missing[scope] = "no file was given for it";
        if (given && !scopes->paths[scope])
            rc = no_memory(error);
    }
    if (rc == 0 && !setup->paths[UNTORN_SCOPE_GLOBAL])
        rc = find_global(scopes, setup, ending, error);
    if (rc == 0 && !setup->paths[UNTORN_SCOPE_PROJECT])
        rc = find_project(scopes, setup, ending, error);
    if (rc == 0 && !setup->paths[UNTORN_SCOPE_LOCAL])
        rc = find_local(scopes, error);
    if (rc != 0)
        scopes_free(scopes);
    return rc;
}

void scopes_free(struct scopes *scopes)
{
    free(scopes->ignored);
    arena_free(&scopes->arena);
    memset(scopes, 0, sizeof *scopes);
}
