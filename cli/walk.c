#include "walk.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/document.h>

#include "bytes.h"
#include "limits.h"
#include "system.h"

struct walker {
    const struct walk *walk;
    char path[CLI_PATH]; /* of the directory at hand; empty for the working directory */
    size_t length;
};

/* Names, each with its NUL. */
struct names {
    struct bytes text;
    size_t count;
};

static void tell(struct walker *walker, int os_error)
{
    walker->walk->trouble(walker->walk->context, walker->length ? walker->path : ".", os_error);
}

/* ---- the path ---- */

/* False if it does not fit; then it was told. */
static bool go_to(struct walker *walker, const char *name)
{
    bool slash = walker->length > 0 && !system_is_separator(walker->path[walker->length - 1]);
    size_t size = strlen(name), wanted = walker->length + slash + size;
    if (wanted >= sizeof walker->path) {
        tell(walker, ENAMETOOLONG);
        return false;
    }
    if (slash)
        walker->path[walker->length] = '/';
    memcpy(walker->path + walker->length + slash, name, size + 1);
    walker->length = wanted;
    return true;
}

static void go_back(struct walker *walker, size_t length)
{
    walker->length = length;
    walker->path[length] = '\0';
}

/* ---- names ---- */

static bool add_name(struct names *names, const char *name)
{
    if (!bytes_append(&names->text, name, strlen(name) + 1))
        return false;
    names->count++;
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* New, the names borrowed; NULL: there is none, or no memory. */
static char **sorted(const struct names *names)
{
    char **list = names->count ? malloc(names->count * sizeof *list) : NULL;
    char *name = names->text.data;
    for (size_t i = 0; list && i < names->count; i++, name += strlen(name) + 1)
        list[i] = name;
    if (list)
        qsort(list, names->count, sizeof *list, compare);
    return list;
}

/* Calls `visit` with the path of each, and forgets them. */
static void for_each(struct walker *walker, struct names *names,
                     void (*visit)(struct walker *walker))
{
    size_t length = walker->length;
    char **list = sorted(names);
    if (!list && names->count > 0)
        tell(walker, ENOMEM);
    for (size_t i = 0; list && i < names->count; i++) {
        if (go_to(walker, list[i]))
            visit(walker);
        go_back(walker, length);
    }
    free(list);
    bytes_free(&names->text);
    names->count = 0;
}

/* ---- directories ---- */

/* `.untorn`, or `.untorn-` and a user's number. */
static bool is_own_folder(const char *name)
{
    static const char own[] = ".untorn";
    size_t length = sizeof own - 1;
    if (strncmp(name, own, length) != 0)
        return false;
    return name[length] == '\0' ||
           (name[length] == '-' && name[length + 1] &&
            strspn(name + length + 1, "0123456789") == strlen(name + length + 1));
}

static void visit_document(struct walker *walker)
{
    walker->walk->document(walker->walk->context, walker->path);
}

/* In some folders the path tells more than the name, so that has to be whole. */
static bool is_document(struct walker *walker, const char *name)
{
    size_t length = walker->length;
    bool is = go_to(walker, name) && untorn_format_of_path(walker->path) != UNTORN_FORMAT_UNKNOWN;
    go_back(walker, length);
    return is;
}

/* A directory while it is listed. */
struct listing {
    struct walker *walker;
    struct names documents, folders;
};

static void take_entry(void *context, const char *name, enum system_kind kind)
{
    struct listing *listing = context;
    struct walker *walker = listing->walker;
    bool taken = true;
    if (kind == SYSTEM_DIRECTORY)
        taken = is_own_folder(name) || add_name(&listing->folders, name);
    else if (kind == SYSTEM_FILE && is_document(walker, name))
        taken = add_name(&listing->documents, name);
    if (!taken)
        tell(walker, ENOMEM);
    if (listing->documents.count >= CLI_BATCH)
        for_each(walker, &listing->documents, visit_document);
}

static void walk_below(struct walker *walker);

/* The handle is closed before the walk goes deeper: a deep tree needs no more of them. */
static void walk_directory(struct walker *walker, bool follow)
{
    struct listing listing = {.walker = walker};
    const char *path = walker->length ? walker->path : ".";
    walker->walk->directory(walker->walk->context, path);
    int error = system_list(path, follow, take_entry, &listing);
    if (error != 0)
        tell(walker, error);
    for_each(walker, &listing.documents, visit_document);
    for_each(walker, &listing.folders, walk_below);
}

static void walk_below(struct walker *walker)
{
    walk_directory(walker, false);
}

void walk_tree(const char *path, const struct walk *walk)
{
    struct walker *walker = calloc(1, sizeof *walker);
    if (!walker) {
        walk->trouble(walk->context, path, ENOMEM);
        return;
    }
    walker->walk = walk;
    if (strcmp(path, ".") == 0 || strcmp(path, "./") == 0 || go_to(walker, path))
        walk_directory(walker, true);
    free(walker);
}
