/* Names in a directory: looking at them, making, renaming, removing and listing them. */
#include "os/win/holders.h"
#include "os/win/replace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <winioctl.h>

#include "base/pathtext.h"

/* Not in every winternl.h. */
NTSYSAPI NTSTATUS NTAPI NtSetInformationFile(HANDLE file, PIO_STATUS_BLOCK outcome, PVOID data,
                                             ULONG size, FILE_INFORMATION_CLASS what);
NTSYSAPI NTSTATUS NTAPI NtQueryDirectoryFile(HANDLE file, HANDLE event, PIO_APC_ROUTINE routine,
                                             PVOID context, PIO_STATUS_BLOCK outcome, PVOID data,
                                             ULONG size, FILE_INFORMATION_CLASS what,
                                             BOOLEAN single, PUNICODE_STRING name, BOOLEAN restart);

enum {
    SET_RENAME = 10,
    SET_LINK = 11,
    SET_DISPOSITION = 13,
    SET_DISPOSITION_EX = 64,
    SET_RENAME_EX = 65,
    LIST_NAMES = 12,

    RENAME_REPLACES = 1,
    RENAME_POSIX = 2, /* also what somebody has open; he keeps what he opened */
    DELETES = 1,
    DELETE_POSIX = 2,
    DELETE_READ_ONLY = 16,

    PATH_ASIDE = 1024,
};

static int set(HANDLE file, int what, void *data, size_t size)
{
    IO_STATUS_BLOCK outcome;
    return win_status(
        NtSetInformationFile(file, &outcome, data, (ULONG)size, (FILE_INFORMATION_CLASS)what));
}

/* This system, or this file system, cannot do it. */
static bool is_not_there(int rc)
{
    return rc == -ENOSYS || rc == -EINVAL || rc == -ENOTSUP;
}

/* ---- looking ---- */

static enum os_kind kind_of(HANDLE handle, DWORD attributes)
{
    if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) && win_is_link(handle))
        return OS_SYMLINK;
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? OS_DIRECTORY : OS_REGULAR;
}

/* Who may list a folder may enter it. */
static unsigned mode_of(DWORD attributes, unsigned mode)
{
    if (attributes & FILE_ATTRIBUTE_DIRECTORY)
        return mode | (mode & 0444) >> 2;
    return attributes & FILE_ATTRIBUTE_READONLY ? mode & 0444 : mode;
}

/* Groups are all the same here: see access.c. No birth is told: the number of a file counts how
 * often its entry was used, so that it does not come again, and the time is that of an earlier file
 * of the same name if that went a moment ago. */
static int look_at(HANDLE handle, struct os_stat *ret_stat)
{
    BY_HANDLE_FILE_INFORMATION what;
    struct win_access access;
    if (!GetFileInformationByHandle(handle, &what))
        return win_last_failure();
    win_access_of(handle, &access);
    *ret_stat = (struct os_stat){
        .kind = kind_of(handle, what.dwFileAttributes),
        .device = what.dwVolumeSerialNumber,
        .inode = (uint64_t)what.nFileIndexHigh << 32 | what.nFileIndexLow,
        .size = (uint64_t)what.nFileSizeHigh << 32 | what.nFileSizeLow,
        .mode = mode_of(what.dwFileAttributes, access.mode),
        .links = what.nNumberOfLinks,
        .owner = access.owner,
        .group = 1,
    };
    return 0;
}

int os_stat(os_fd at, const char *name, struct os_stat *ret_stat)
{
    HANDLE handle;
    if (!name)
        return look_at(win_handle(at), ret_stat);
    int rc = win_open(at, name, 0, FILE_OPEN, 0, 0, &handle);
    if (rc < 0)
        return rc == -ENOTDIR || rc == -EINVAL ? -ENOENT : rc; /* what cannot be is not there */
    rc = look_at(handle, ret_stat);
    CloseHandle(handle);
    return rc;
}

int os_look(const char *path, struct os_version *ret_version)
{
    static _Thread_local wchar_t full[WIN_PATH];
    FILE_BASIC_INFO times;
    struct os_stat stat;
    int rc = win_full_path(OS_NONE, path, full);
    if (rc < 0)
        return rc;
    HANDLE handle = CreateFileW(full, FILE_READ_ATTRIBUTES, WIN_SHARE, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return win_last_failure();
    rc = look_at(handle, &stat);
    if (rc == 0 && !GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times))
        rc = win_last_failure();
    CloseHandle(handle);
    if (rc == 0)
        *ret_version = (struct os_version){stat.device, stat.inode, stat.born, stat.size,
                                           (uint64_t)win_since_1970(times.ChangeTime)};
    return rc;
}

/* What FSCTL_GET_REPARSE_POINT gives of a link or a junction. */
struct reparse {
    ULONG tag;
    USHORT size, reserved;
    USHORT target_at, target_size, shown_at, shown_size; /* bytes of `text`, of a link behind
                                                            `flags` */
    union {
        struct {
            ULONG flags;
            WCHAR text[1];
        } link;
        WCHAR junction[1];
    };
};

int os_read_link(os_fd dir, const char *name, char *text, size_t size)
{
    _Alignas(struct reparse) char data[16 * 1024];
    const struct reparse *reparse = (const struct reparse *)data;
    HANDLE handle;
    DWORD count;
    int rc = win_open(dir, name, 0, FILE_OPEN, 0, 0, &handle);
    if (rc < 0)
        return rc;
    if (!DeviceIoControl(handle, FSCTL_GET_REPARSE_POINT, NULL, 0, data, sizeof data, &count, NULL))
        rc = GetLastError() == ERROR_NOT_A_REPARSE_POINT ? -EINVAL : win_last_failure();
    CloseHandle(handle);
    if (rc < 0)
        return rc;
    bool link = reparse->tag == IO_REPARSE_TAG_SYMLINK;
    if (!link && reparse->tag != IO_REPARSE_TAG_MOUNT_POINT)
        return -EINVAL;
    const WCHAR *words =
        (link ? reparse->link.text : reparse->junction) + reparse->target_at / sizeof(WCHAR);
    size_t length = reparse->target_size / sizeof(WCHAR);
    bool absolute = length > 4 && wcsncmp(words, L"\\??\\", 4) == 0;
    if (absolute) { /* \??\C:\x is /C:/x */
        words += 3;
        length -= 3;
    }
    rc = win_narrow(words, length, text, size);
    return rc < 0 ? rc : 0;
}

/* ---- making and removing ---- */

/* Ours are hidden, as a leading dot says elsewhere. */
int os_make_dir(os_fd dir, const char *name, unsigned mode)
{
    HANDLE handle;
    bool ours = strncmp(name, ".untorn", 7) == 0;
    int rc =
        win_create(dir, name, 0, FILE_CREATE, FILE_DIRECTORY_FILE,
                   ours ? FILE_ATTRIBUTE_HIDDEN : FILE_ATTRIBUTE_NORMAL, !(mode & 077), &handle);
    if (rc == 0)
        CloseHandle(handle);
    return rc;
}

/* A single name in an open directory. */
struct spot {
    os_fd dir;
    const char *name;
    bool opened;
};

/* Where the last name of a path below `at` lies. The system follows links on the way, so the folder
 * is opened step by step. */
static int enter(os_fd at, const char *path, struct spot *ret_spot)
{
    char folder[4 * (LIMIT_NAME + 1)];
    const char *slash = strrchr(path, '/');
    *ret_spot = (struct spot){at, path, false};
    if (!slash)
        return 0;
    size_t size = (size_t)(slash - path);
    if (size >= sizeof folder)
        return -ENAMETOOLONG;
    memcpy(folder, path, size);
    folder[size] = '\0';
    os_fd dir;
    int rc = os_open_dir(at, folder, true, &dir);
    if (rc == 0)
        *ret_spot = (struct spot){dir, slash + 1, true};
    return rc;
}

static void leave(const struct spot *spot)
{
    if (spot->opened)
        os_close(spot->dir);
}

/* The same of two; after a failure neither is to be left. */
static int enter_both(os_fd from_dir, const char *from, os_fd to_dir, const char *to,
                      struct spot *ret_from, struct spot *ret_to)
{
    int rc = enter(from_dir, from, ret_from);
    if (rc < 0)
        return rc;
    rc = enter(to_dir, to, ret_to);
    if (rc < 0)
        leave(ret_from);
    return rc;
}

static int rename_to(HANDLE file, os_fd to_dir, const char *to, int what, ULONG flags);

/* A name that nothing has, in the folder of `name`. -ENAMETOOLONG. */
static int name_aside(const char *name, char path[PATH_ASIDE])
{
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash + 1 - name) : 0;
    uint64_t number;
    int rc = os_random(&number, sizeof number);
    if (rc < 0 || length + 64 > PATH_ASIDE)
        return rc < 0 ? rc : -ENAMETOOLONG;
    memcpy(path, name, length);
    snprintf(path + length, 64, ".untorn-gone-%016llx", (unsigned long long)number);
    return 0;
}

/* Where a name only goes when the last who has it open lets go: it is moved out of the way first.
 * The handle removes the file when it is closed, also by our death. */
static int remove_file(os_fd dir, const char *name)
{
    char aside[PATH_ASIDE];
    HANDLE handle;
    int rc = win_open(dir, name, DELETE, FILE_OPEN, FILE_NON_DIRECTORY_FILE | FILE_DELETE_ON_CLOSE,
                      0, &handle);
    if (rc < 0)
        return rc;
    if (name_aside(name, aside) == 0)
        (void)rename_to(handle, dir, aside, SET_RENAME, 0); /* else it goes a little later */
    return CloseHandle(handle) ? 0 : win_last_failure();
}

static int remove_directory(HANDLE handle)
{
    BOOLEAN deletes = TRUE;
    return set(handle, SET_DISPOSITION, &deletes, sizeof deletes);
}

static int remove_once(os_fd dir, const char *name, bool directory)
{
    ULONG flags = DELETES | DELETE_POSIX | DELETE_READ_ONLY;
    HANDLE handle;
    ULONG kind = directory ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE;
    int rc = win_open(dir, name, DELETE, FILE_OPEN, kind, 0, &handle);
    if (rc < 0)
        return rc;
    rc = set(handle, SET_DISPOSITION_EX, &flags, sizeof flags);
    bool lower = is_not_there(rc);
    if (lower && directory)
        rc = remove_directory(handle);
    CloseHandle(handle);
    return lower && !directory ? remove_file(dir, name) : rc;
}

int os_remove(os_fd dir, const char *name, bool directory)
{
    struct spot spot;
    int rc = enter(dir, name, &spot);
    if (rc < 0)
        return rc;
    rc = remove_once(spot.dir, spot.name, directory);
    for (int i = 0; rc == -EBUSY && win_pause(i); i++)
        rc = remove_once(spot.dir, spot.name, directory);
    leave(&spot);
    return win_busy(rc);
}

/* ---- renaming ---- */

/* As the system has them: for renames (one byte of flags, or four) and for links. */
struct new_name {
    ULONG flags;
    HANDLE root;
    ULONG size;
    WCHAR name[WIN_PATH];
};

static int rename_to(HANDLE file, os_fd to_dir, const char *to, int what, ULONG flags)
{
    static _Thread_local struct new_name new;
    int count = win_wide(to, new.name, WIN_PATH);
    if (count < 0)
        return count;
    new.flags = flags;
    new.root = win_handle(to_dir);
    new.size = (ULONG)count * sizeof *new.name;
    return set(file, what, &new, offsetof(struct new_name, name) + new.size + sizeof *new.name);
}

/* Where the old version is for a moment. If that is one of our stages' folders the next writer
 * removes what we leave there by dying. */
static int name_spare(const char *from, char path[PATH_ASIDE])
{
    char name[LIMIT_NAME + 1];
    uint64_t number;
    if (!path_entry_name(from, name))
        return name_aside(from, path);
    int rc = os_random(&number, sizeof number);
    if (rc == 0)
        snprintf(path, PATH_ASIDE, "%s.%016llx", name, (unsigned long long)number);
    return rc;
}

/* The rungs below a POSIX rename, for file systems and systems that have none.
 *
 * The plain rename is one step: the old or the new file, at any time and after a crash. It does not
 * serve while anybody has the old one open, so it is tried for a moment. ReplaceFile serves then,
 * if they all let the file be deleted. Inside it is two renames: for an instant the name is
 * missing, and a crash in it leaves it so; the old version is in history. */
static int replace_by_two(os_fd from_dir, const char *from, os_fd to_dir, const char *to)
{
    static _Thread_local wchar_t old_path[WIN_PATH], new_path[WIN_PATH], spare_path[WIN_PATH];
    static const struct win_replacer call = {ReplaceFileW, MoveFileExW};
    char spare[PATH_ASIDE];
    int rc = name_spare(from, spare);
    if (rc == 0)
        rc = win_full_path(from_dir, spare, spare_path);
    if (rc >= 0)
        rc = win_full_path(from_dir, from, new_path);
    if (rc >= 0)
        rc = win_full_path(to_dir, to, old_path);
    if (rc < 0)
        return rc;
    rc = win_replace(&call, old_path, new_path, spare_path);
    if (rc == 0)
        (void)os_remove(from_dir, spare, false); /* else the next writer does */
    return rc;
}

static int rename_once(os_fd from_dir, const char *from, os_fd to_dir, const char *to, bool replace,
                       bool patient)
{
    HANDLE file;
    struct os_stat old;
    int rc = win_open(from_dir, from, DELETE, FILE_OPEN, FILE_WRITE_THROUGH, 0, &file);
    if (rc < 0)
        return rc;
    rc = replace ? rename_to(file, to_dir, to, SET_RENAME_EX, RENAME_REPLACES | RENAME_POSIX)
                 : rename_to(file, to_dir, to, SET_RENAME, 0);
    bool lower = replace && is_not_there(rc);
    bool there = lower && os_stat(to_dir, to, &old) == 0;
    if (there && old.kind == OS_REGULAR && !(old.mode & 0200))
        rc = -EACCES; /* Wine would replace what is marked read-only */
    else if (lower)
        rc = rename_to(file, to_dir, to, SET_RENAME, RENAME_REPLACES);
    CloseHandle(file);
    if (!lower || rc != -EACCES || !there || !(old.mode & 0200))
        return rc;
    if (old.kind == OS_DIRECTORY)
        return -EISDIR;
    return patient ? -EBUSY : replace_by_two(from_dir, from, to_dir, to);
}

/* Who keeps us from it by having the file open may be a virus scanner, and gone in a moment. */
int os_rename(os_fd from_dir, const char *from, os_fd to_dir, const char *to, enum os_rename how)
{
    if (how == OS_EXCHANGE)
        return -EINVAL;
    struct spot old, new;
    bool replace = how == OS_REPLACE;
    int rc = enter_both(from_dir, from, to_dir, to, &old, &new);
    if (rc < 0)
        return rc;
    rc = rename_once(old.dir, old.name, new.dir, new.name, replace, true);
    for (int i = 0; rc == -EBUSY && win_pause(i); i++)
        rc = rename_once(old.dir, old.name, new.dir, new.name, replace, i < WIN_RETRIES / 3);
    leave(&old);
    leave(&new);
    return win_busy(rc);
}

int os_may_change(os_fd dir)
{
    (void)dir;
    return 0;
}

bool os_is_name(const char *name)
{
    wchar_t wide[1024];
    return win_wide(name, wide, 1024) >= 0;
}

bool os_renames_open(void)
{
    return false; /* ReplaceFile wants it for itself */
}

/* The system's FILE_NAMES_INFORMATION. */
struct entry {
    ULONG next, index, size;
    WCHAR name[1];
};

/* A listing is asked for what has that name, and tells the long one. */
void os_own_name(os_fd dir, char *name, size_t size)
{
    _Alignas(struct entry) char data[2048];
    wchar_t wide[300];
    char found[1024];
    IO_STATUS_BLOCK outcome;
    HANDLE own;
    int count = strchr(name, '~') ? win_wide(name, wide, 300) : 0;
    if (count <= 0 ||
        win_open(dir, ".", FILE_LIST_DIRECTORY, FILE_OPEN, FILE_DIRECTORY_FILE, 0, &own) < 0)
        return;
    UNICODE_STRING text = {.Buffer = wide, .Length = (USHORT)(count * (int)sizeof *wide)};
    text.MaximumLength = text.Length;
    NTSTATUS status = NtQueryDirectoryFile(own, NULL, NULL, NULL, &outcome, data, sizeof data,
                                           (FILE_INFORMATION_CLASS)LIST_NAMES, TRUE, &text, TRUE);
    CloseHandle(own);
    const struct entry *entry = (const struct entry *)data;
    if (status >= 0 &&
        win_narrow(entry->name, entry->size / sizeof(WCHAR), found, sizeof found) > 0 &&
        strlen(found) < size)
        strcpy(name, found);
}

int os_holders(os_fd dir, const char *name, char *text, size_t size)
{
    static _Thread_local wchar_t path[WIN_PATH];
    int rc = win_full_path(dir, name, path);
    return rc < 0 ? rc : win_holders(path, text, size);
}

int os_link(os_fd from_dir, const char *from, os_fd to_dir, const char *to)
{
    struct spot old, new;
    HANDLE file;
    int rc = enter_both(from_dir, from, to_dir, to, &old, &new);
    if (rc < 0)
        return rc;
    rc = win_open(old.dir, old.name, FILE_WRITE_ATTRIBUTES, FILE_OPEN, 0, 0, &file);
    if (rc == 0) {
        rc = rename_to(file, new.dir, new.name, SET_LINK, 0);
        CloseHandle(file);
        rc = is_not_there(rc) ? -EPERM : rc;
    }
    leave(&old);
    leave(&new);
    return rc;
}

/* ---- listing ---- */

static int visit_name(const struct entry *entry, int (*visit)(void *context, const char *name),
                      void *context)
{
    char name[1024];
    int rc = win_narrow(entry->name, entry->size / sizeof(WCHAR), name, sizeof name);
    if (rc < 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0; /* no name is as long as that */
    return visit(context, name);
}

int os_list(os_fd dir, int (*visit)(void *context, const char *name), void *context)
{
    _Alignas(struct entry) char data[8192];
    IO_STATUS_BLOCK outcome;
    HANDLE own; /* `visit` may list the same directory */
    int rc = win_open(dir, ".", FILE_LIST_DIRECTORY, FILE_OPEN, FILE_DIRECTORY_FILE, 0, &own);
    if (rc < 0)
        return rc;
    for (bool first = true; rc == 0; first = false) {
        const char *at = data;
        NTSTATUS status =
            NtQueryDirectoryFile(own, NULL, NULL, NULL, &outcome, data, sizeof data,
                                 (FILE_INFORMATION_CLASS)LIST_NAMES, FALSE, NULL, first);
        if (status < 0) {
            rc = win_status(status);
            rc = rc == -ENOENT ? 0 : rc; /* no more, or none at all */
            break;
        }
        for (;; at += ((const struct entry *)at)->next) {
            rc = visit_name((const struct entry *)at, visit, context);
            if (rc != 0 || ((const struct entry *)at)->next == 0)
                break;
        }
    }
    CloseHandle(own);
    return rc;
}
