#include "file/place.h"

#include <errno.h>
#include <string.h>

#include "base/pathtext.h"

void place_close(struct place *place)
{
    if (!place->borrowed)
        os_close(place->dir);
    place->dir = OS_NONE;
}

int place_look(struct place *place)
{
    os_own_name(place->dir, place->name, sizeof place->name);
    int rc = os_stat(place->dir, place->name, &place->target);
    place->exists = rc == 0;
    return rc;
}

int place_fail(const struct place *place, int rc, const char *step, struct untorn_error *error)
{
    char holders[UNTORN_DETAIL_SIZE - 16];
    if (rc == -ETXTBSY && os_holders(place->dir, place->name, holders, sizeof holders) == 0)
        error_detail(error, "open in %s", holders);
    return error_os(error, rc, step);
}

const char *place_kind_text(enum os_kind kind)
{
    switch (kind) {
    case OS_DIRECTORY:
        return "it is a directory";
    case OS_SYMLINK:
        return "it is a symbolic link";
    default:
        return "it is a device, a pipe or a socket";
    }
}

/* One step down, made if missing. A failed flush of a directory that cannot be flushed at all is
 * reported by the caller's own flush later. */
static int step_down(os_fd at, const char *name, unsigned mode, bool flush, os_fd *ret_dir)
{
    int rc = os_open_dir(at, name, false, ret_dir);
    if (rc != -ENOENT)
        return rc;
    rc = os_make_dir(at, name, mode);
    if (rc < 0 && rc != -EEXIST)
        return rc;
    if (rc == 0 && flush) {
        rc = os_flush_dir(at);
        if (rc < 0 && rc != -EINVAL)
            return rc;
    }
    return os_open_dir(at, name, false, ret_dir);
}

int place_make_directories(os_fd at, const char *path, unsigned mode, bool flush, os_fd *ret_dir)
{
    char name[LIMIT_NAME + 1], root[LIMIT_PATH];
    size_t length = path_root_size(path);
    os_fd here;
    if (length >= sizeof root)
        return -ENAMETOOLONG;
    memcpy(root, path, length);
    strcpy(root + length, length ? "" : ".");
    path += length;
    int rc = os_open_dir(at, root, false, &here);
    if (rc < 0)
        return rc;
    while (*(path += strspn(path, path_separators))) {
        size_t size = strcspn(path, path_separators);
        os_fd next = OS_NONE;
        if (size > LIMIT_NAME) {
            os_close(here);
            return -ENAMETOOLONG;
        }
        memcpy(name, path, size);
        name[size] = '\0';
        rc = step_down(here, name, mode, flush, &next);
        os_close(here);
        if (rc < 0)
            return rc;
        here = next;
        path += size;
    }
    *ret_dir = here;
    return 0;
}

static int open_directory(os_fd at, const char *path, const struct untorn_options *options,
                          os_fd *ret_dir)
{
    int rc = os_open_dir(at, path, false, ret_dir);
    if (rc != -ENOENT || !options->parents)
        return rc;
    unsigned mode = options->mode && !(options->mode & 077) ? 0700 : 0777;
    return place_make_directories(at, path, mode, options->level == UNTORN_DURABLE, ret_dir);
}

static int fail_split(struct untorn_error *error, int rc, const char *path)
{
    if (rc == -ENOENT) {
        error_detail(error, "the path is empty");
        return error_fail(error, UNTORN_INVALID, NULL);
    }
    if (rc == -EISDIR) {
        error_detail(error, "%s names a directory", path);
        return error_fail(error, UNTORN_NOT_A_FILE, NULL);
    }
    return error_os(error, rc, "resolve the path");
}

static int look(struct place *place, struct untorn_error *error)
{
    int rc = place_look(place);
    return rc < 0 && rc != -ENOENT ? error_os(error, rc, "look at it") : 0;
}

/* Opens the directory that `text` names below place->dir, in its stead, and looks at the name. */
static int enter(struct place *place, const char *text, const struct untorn_options *options,
                 struct untorn_error *error)
{
    char directory[LIMIT_PATH];
    os_fd dir = OS_NONE;
    int rc = path_split(text, directory, place->name);
    if (rc < 0)
        return fail_split(error, rc, text);
    if (path_leads_into_own_folder(text)) {
        error_detail(error, ".untorn is where untorn keeps its own files");
        return error_fail(error, UNTORN_NAME, NULL);
    }
    if (!os_is_name(place->name)) {
        error_detail(error, "the system does not take that for the name of a file");
        return error_fail(error, UNTORN_NAME, NULL);
    }
    rc = open_directory(place->dir, directory, options, &dir);
    if (rc < 0) {
        if (rc == -ENOENT)
            error_detail(error, "the directory %s does not exist", directory);
        else if (rc == -ENOTDIR)
            error_detail(error, "a part of %s is not a directory", directory);
        return error_os(error, rc, "open its directory");
    }
    place_close(place);
    place->dir = dir;
    return look(place, error);
}

/* In a directory where anyone can put a link, one is followed only if we or the directory's owner
 * made it: what Linux does with fs.protected_symlinks, which may be off. */
static int follow(struct place *place, const struct untorn_options *options,
                  struct untorn_error *error)
{
    char text[LIMIT_PATH];
    enum { STICKY_AND_OPEN = 01002 };
    struct os_stat dir;
    int rc = os_stat(place->dir, NULL, &dir);
    if (rc < 0)
        return error_os(error, rc, "look at its directory");
    uint32_t owner = place->target.owner;
    if ((dir.mode & STICKY_AND_OPEN) == STICKY_AND_OPEN && owner != dir.owner &&
        owner != os_user()) {
        error_detail(error, "a link that user %lu put into a shared directory is not followed",
                     (unsigned long)owner);
        return error_fail(error, UNTORN_DENIED, NULL);
    }
    rc = os_read_link(place->dir, place->name, text, sizeof text);
    if (rc == -EINVAL || rc == -ENOENT) /* it was a link a moment ago */
        return look(place, error);
    return rc < 0 ? error_os(error, rc, "follow it") : enter(place, text, options, error);
}

int place_check_marked(const struct place *place, struct untorn_error *error)
{
    if (!place->dir_stat.immutable)
        return 0;
    error_detail(error, "its directory is marked immutable or append-only (see lsattr, chattr)");
    return error_fail(error, UNTORN_DENIED, NULL);
}

/* A new file may be added to a directory that is only marked append-only. Of what the directory
 * itself answers only that is believed which can be: some containers deny the very question, with
 * EPERM. */
int place_foresee(const struct place *place, const struct os_stat *target, bool beside)
{
    enum { STICKY = 01000 };
    const struct os_stat *dir = &place->dir_stat;
    uint32_t user = os_user();
    if (target && dir->immutable)
        return -EPERM;
    if (target && (dir->mode & STICKY) && user != 0 && user != dir->owner && user != target->owner)
        return -EPERM;
    int rc = beside ? 0 : os_may_change(place->dir);
    return rc == -EACCES || rc == -EROFS || (rc == -EPERM && dir->immutable) ? rc : 0;
}

int place_fail_foreseen(const struct place *place, int rc, const char *step,
                        struct untorn_error *error)
{
    int marked = rc == -EPERM ? place_check_marked(place, error) : 0;
    return marked ? marked : error_os(error, rc, step);
}

int place_resolve(const char *path, const struct untorn_options *options, struct place *ret_place,
                  struct untorn_error *error)
{
    struct place place = PLACE_CLOSED;
    int rc = enter(&place, path, options, error);
    for (int links = 0; rc == 0 && place.exists && place.target.kind == OS_SYMLINK; links++) {
        if (options->symlink == UNTORN_REPLACE_LINK)
            break;
        if (options->symlink == UNTORN_REFUSE_LINK) {
            rc = error_fail(error, UNTORN_LINK_REFUSED, NULL);
            break;
        }
        rc = links < LIMIT_LINKS ? follow(&place, options, error)
                                 : error_os(error, -ELOOP, "follow it");
        place.followed = true;
    }
    if (rc == 0 && place.exists && place.target.kind != OS_REGULAR &&
        place.target.kind != OS_SYMLINK) {
        error_detail(error, "%s", place_kind_text(place.target.kind));
        rc = error_fail(error, UNTORN_NOT_A_FILE, NULL);
    }
    if (rc == 0) {
        int os_rc = os_stat(place.dir, NULL, &place.dir_stat);
        rc = os_rc < 0 ? error_os(error, os_rc, "look at its directory") : 0;
    }
    if (rc != 0)
        place_close(&place);
    *ret_place = place;
    return rc;
}
