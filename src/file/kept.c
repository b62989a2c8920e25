#include "file/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"

static void entry_name(const char *kind, const char *name, const char *digits,
                       char entry[LIMIT_NAME + 1])
{
    char own_name[LIMIT_NAME + 1];
    path_own_name(name, KEPT_ROOM, own_name);
    snprintf(entry, LIMIT_NAME + 1, "%s-%.229s.%.16s", kind, own_name, digits);
}

/* Under a name that nobody foresees. */
static int make_entry(os_fd folder, const char *kind, const char *name,
                      char ret_entry[LIMIT_NAME + 1], os_fd *ret_file)
{
    char digits[17];
    uint64_t random;
    int rc = os_random(&random, sizeof random);
    if (rc < 0)
        return rc;
    path_digits(random, digits);
    entry_name(kind, name, digits, ret_entry);
    return io_open_own(folder, ret_entry, OS_WRITE | OS_CREATE | OS_EXCLUSIVE, ret_file, NULL);
}

/* A half-written one of an earlier try is written again: same name, same bytes. But who knows the
 * hash may have put a file of his own there, to read what we write, or one of ours that is longer,
 * to have the rest of it shared. */
static int open_entry(struct state *state, const char *kind, const char *name,
                      const struct untorn_hash *hash, uint64_t size, char ret_entry[LIMIT_NAME + 1],
                      os_fd *ret_file)
{
    char digits[UNTORN_HASH_TEXT_SIZE];
    struct os_stat stat;
    os_fd folder;
    int rc = state_folder(state, FOLDER_KEPT, true, &folder);
    if (rc < 0)
        return rc;
    entry_name(kind, name, untorn_hash_format(hash, digits), ret_entry);
    rc = io_open_own(folder, ret_entry, OS_WRITE | OS_CREATE, ret_file, &stat);
    if (rc == 0 && stat.owner == os_user() && !(stat.mode & 066) && stat.size <= size)
        return 0;
    if (rc == 0)
        os_close(*ret_file);
    *ret_file = OS_NONE;
    return rc == 0 || rc == -EACCES || rc == -EPERM
               ? make_entry(folder, kind, name, ret_entry, ret_file)
               : rc;
}

static int close_entry(struct state *state, os_fd file, int rc)
{
    if (rc == 0)
        rc = os_flush(file);
    os_close(file);
    return rc < 0 ? rc : state_flush_names(state, FOLDER_KEPT);
}

int kept_add(struct state *state, const char *kind, const char *name, os_fd file, uint64_t offset,
             uint64_t size, char ret_entry[LIMIT_NAME + 1])
{
    struct untorn_hash hash;
    os_fd copy = OS_NONE;
    int rc = io_hash(file, offset, size, &hash);
    if (rc == 0)
        rc = open_entry(state, kind, name, &hash, size, ret_entry, &copy);
    if (rc == 0)
        rc = io_copy(file, offset, copy, 0, size, NULL);
    return close_entry(state, copy, rc);
}

/* By an earlier try, or another user. */
static bool is_noted(os_fd folder, const char *entry, const char *text, size_t size,
                     os_fd *ret_file)
{
    char *now = malloc(size + 1);
    bool same = now && io_open_own(folder, entry, OS_READ, ret_file, NULL) == 0 &&
                io_read(*ret_file, now, size + 1, 0) == (int64_t)size &&
                memcmp(now, text, size) == 0;
    free(now);
    if (!same) {
        os_close(*ret_file);
        *ret_file = OS_NONE;
    }
    return same;
}

int kept_note(struct state *state, const char *kind, const char *name, const char *text,
              char ret_entry[LIMIT_NAME + 1])
{
    char digits[UNTORN_HASH_TEXT_SIZE];
    size_t size = strlen(text);
    struct untorn_hash hash = untorn_hash(text, size);
    os_fd copy = OS_NONE;
    os_fd root, folder;
    int rc = state_folder(state, FOLDER_KEPT, true, &folder);
    if (rc < 0)
        return rc;
    entry_name(kind, name, untorn_hash_format(&hash, digits), ret_entry);
    if (is_noted(folder, ret_entry, text, size, &copy))
        return close_entry(state, copy, 0);
    rc = open_entry(state, kind, name, &hash, size, ret_entry, &copy);
    if (rc == 0)
        rc = io_write(copy, text, size, 0);
    if (rc == 0 && state_root(state, &root) == 0)
        (void)os_share(copy, root, NULL); /* for all who are told that it is there */
    return close_entry(state, copy, rc);
}

int kept_add_tail(struct state *state, const char *name, os_fd file, uint64_t offset, uint64_t size,
                  char ret_entry[LIMIT_NAME + 1])
{
    return kept_add(state, "tail", name, file, offset, size, ret_entry);
}

int kept_move(struct state *state, const char *kind, const char *name, enum folder folder,
              const char *entry, char ret_entry[LIMIT_NAME + 1])
{
    char digits[17];
    uint64_t random;
    os_fd from, to;
    int rc = os_random(&random, sizeof random);
    if (rc == 0)
        rc = state_folder(state, folder, false, &from);
    if (rc == 0)
        rc = state_folder(state, FOLDER_KEPT, true, &to);
    if (rc < 0)
        return rc;
    path_digits(random, digits);
    entry_name(kind, name, digits, ret_entry);
    rc = os_rename(from, entry, to, ret_entry, OS_NO_REPLACE);
    /* Not flushed it may come back, and be moved once more: then it is not where this one says. */
    if (rc == 0)
        rc = state_flush_names(state, FOLDER_KEPT); /* UNNOTICED: nothing is lost by it */
    return rc;
}
