/* Opening, closing and the bytes of a file. */
#include "os/win/win.h"

#include <errno.h>
#include <string.h>

/* ---- paths ---- */

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* What a path from the root begins with, in the system's words; the rest is behind *path. Ours and
 * what users write: /C:/a, C:/a, C:\a, //server/share, \\?\C:\a. */
static const wchar_t *root_of(const char **path, wchar_t drive[4])
{
    if (strncmp(*path, "\\\\?\\", 4) == 0)
        *path += 4;
    const char *text = *path + is_separator(**path);
    bool letter = (text[0] | 32) >= 'a' && (text[0] | 32) <= 'z';
    if (letter && text[1] == ':' && (is_separator(text[2]) || !text[2])) {
        memcpy(drive, L"X:\\", 4 * sizeof *drive);
        drive[0] = (wchar_t)text[0];
        *path = text + 2 + is_separator(text[2]);
        return drive;
    }
    text = *path;
    if (is_separator(text[0]) && is_separator(text[1])) {
        *path += 2;
        return L"\\\\";
    }
    return L"";
}

static bool has_dots(const char *path)
{
    for (;; path++) {
        size_t size = strcspn(path, "/\\");
        if ((size == 1 && path[0] == '.') || (size == 2 && strncmp(path, "..", 2) == 0))
            return true;
        path += size;
        if (!*path)
            return false;
    }
}

/* \\?\C:\... of a directory. */
static int path_of(os_fd dir, wchar_t path[WIN_PATH])
{
    DWORD count = GetFinalPathNameByHandleW(win_handle(dir), path, WIN_PATH, 0);
    if (count == 0)
        return win_last_failure();
    return count < WIN_PATH ? (int)count : -ENAMETOOLONG;
}

int win_full_path(os_fd dir, const char *name, wchar_t path[WIN_PATH])
{
    static const wchar_t mark[] = L"\\\\?\\", unc[] = L"\\\\?\\UNC\\";
    static _Thread_local wchar_t given[WIN_PATH];
    wchar_t drive[4];
    const wchar_t *root = dir == OS_NONE ? root_of(&name, drive) : L"";
    size_t used = wcslen(root);
    wcscpy(given, root);
    if (dir != OS_NONE) {
        int count = path_of(dir, given);
        if (count < 0)
            return count;
        used = (size_t)count;
        given[used++] = L'\\';
    }
    int count = win_wide(name, given + used, WIN_PATH - used);
    if (count < 0)
        return count;
    if (used + (size_t)count == 0)
        return -ENOENT;
    /* Makes it absolute, and takes . and .. out. */
    const size_t room = sizeof unc / sizeof *unc;
    bool marked = wcsncmp(given, mark, 4) == 0;
    wchar_t *start = marked ? path : path + room;
    DWORD size = GetFullPathNameW(given, (DWORD)(WIN_PATH - room), start, NULL);
    if (size == 0 || size >= WIN_PATH - room)
        return size == 0 ? win_last_failure() : -ENAMETOOLONG;
    if (marked || wcsncmp(start, mark, 4) == 0) {
        memmove(path, start, (size + 1) * sizeof *path);
        return (int)size;
    }
    bool share = wcsncmp(start, L"\\\\", 2) == 0;
    const wchar_t *prefix = share ? unc : mark;
    size_t skipped = share ? 2 : 0, length = wcslen(prefix);
    memmove(path + length, start + skipped, (size + 1 - skipped) * sizeof *path);
    memcpy(path, prefix, length * sizeof *path);
    return (int)(size - skipped + length);
}

/* ---- opening ---- */

struct opening {
    ACCESS_MASK access;
    ULONG disposition, options, attributes;
    PSECURITY_DESCRIPTOR security; /* NULL: what the folder passes on */
};

static int open_name(HANDLE root, wchar_t *name, size_t count, const struct opening *how,
                     HANDLE *ret_handle)
{
    UNICODE_STRING text = {.Buffer = name,
                           .Length = (USHORT)(count * sizeof *name),
                           .MaximumLength = (USHORT)(count * sizeof *name)};
    OBJECT_ATTRIBUTES object;
    IO_STATUS_BLOCK outcome;
    if (count * sizeof *name > 0xFFFE)
        return -ENAMETOOLONG;
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE, root, how->security);
    return win_status(NtCreateFile(ret_handle, how->access | SYNCHRONIZE | FILE_READ_ATTRIBUTES,
                                   &object, &outcome, NULL, how->attributes, WIN_SHARE,
                                   how->disposition,
                                   how->options | FILE_SYNCHRONOUS_IO_NONALERT |
                                       FILE_OPEN_FOR_BACKUP_INTENT | FILE_OPEN_REPARSE_POINT,
                                   NULL, 0));
}

/* With the right to see who may do what, if we have it. */
static int open_seeing(HANDLE root, wchar_t *name, size_t count, const struct opening *how,
                       HANDLE *ret_handle)
{
    struct opening seeing = *how;
    seeing.access |= READ_CONTROL;
    int rc = open_name(root, name, count, &seeing, ret_handle);
    return rc == -EACCES ? open_name(root, name, count, how, ret_handle) : rc;
}

static int open_as(os_fd dir, const char *name, const struct opening *how, HANDLE *ret_handle)
{
    static _Thread_local wchar_t wide[WIN_PATH];
    bool same = dir != OS_NONE && strcmp(name, ".") == 0; /* no name at all: the directory again */
    bool whole = !same && (dir == OS_NONE || has_dots(name));
    int count = whole ? win_full_path(dir, name, wide) : win_wide(same ? "" : name, wide, WIN_PATH);
    if (count < 0)
        return count;
    if (count == 0 && !same)
        return -ENOENT;
    if (whole)
        memcpy(wide, L"\\??\\", 4 * sizeof *wide); /* how the system itself says \\?\ */
    return open_seeing(whole ? NULL : win_handle(dir), wide, (size_t)count, how, ret_handle);
}

int win_open(os_fd dir, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
             ULONG attributes, HANDLE *ret_handle)
{
    struct opening how = {access, disposition, options, attributes, NULL};
    return open_as(dir, name, &how, ret_handle);
}

int win_create(os_fd dir, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
               ULONG attributes, bool is_private, HANDLE *ret_handle)
{
    struct opening how = {access, disposition, options, attributes, NULL};
    if (is_private && !win_private_descriptor(&how.security))
        return win_last_failure();
    int rc = open_as(dir, name, &how, ret_handle);
    LocalFree(how.security);
    return rc;
}

bool win_is_link(HANDLE handle)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           IsReparseTagNameSurrogate(tag.ReparseTag);
}

static int refuse_link(HANDLE handle)
{
    if (!win_is_link(handle))
        return 0;
    CloseHandle(handle);
    return -ELOOP;
}

/* One step after the other, none of them through a link. */
static int open_below(os_fd dir, const char *path, ACCESS_MASK access, ULONG disposition,
                      ULONG options, bool is_private, HANDLE *ret_handle)
{
    char name[1024];
    os_fd here = dir;
    int rc = 0;
    for (size_t size; rc == 0 && path[size = strcspn(path, "/")] == '/'; path += size + 1) {
        HANDLE next;
        if (size >= sizeof name)
            rc = -ENAMETOOLONG;
        if (rc == 0) {
            memcpy(name, path, size);
            name[size] = '\0';
            rc = win_open(here, name, FILE_LIST_DIRECTORY | FILE_TRAVERSE, FILE_OPEN,
                          FILE_DIRECTORY_FILE, 0, &next);
        }
        if (rc == 0)
            rc = refuse_link(next);
        if (here != dir)
            os_close(here);
        here = rc == 0 ? (os_fd)next : dir;
    }
    if (rc == 0)
        rc = win_create(here, path, access, disposition, options, 0, is_private, ret_handle);
    if (here != dir)
        os_close(here);
    return rc == 0 ? refuse_link(*ret_handle) : rc;
}

/* The directory that a link leads to. */
static int follow(os_fd at, const char *path, HANDLE *handle)
{
    static _Thread_local wchar_t full[WIN_PATH];
    CloseHandle(*handle);
    int rc = win_full_path(at, path, full);
    if (rc < 0)
        return rc;
    DWORD access = FILE_LIST_DIRECTORY | FILE_TRAVERSE | SYNCHRONIZE;
    *handle = CreateFileW(full, access | READ_CONTROL, WIN_SHARE, NULL, OPEN_EXISTING,
                          FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (*handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_ACCESS_DENIED)
        *handle = CreateFileW(full, access, WIN_SHARE, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (*handle == INVALID_HANDLE_VALUE)
        return win_last_failure();
    BY_HANDLE_FILE_INFORMATION what;
    if (GetFileInformationByHandle(*handle, &what) &&
        (what.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        return 0;
    CloseHandle(*handle);
    return -ENOTDIR;
}

int os_open_dir(os_fd at, const char *path, bool no_follow, os_fd *ret_dir)
{
    HANDLE handle;
    ACCESS_MASK access = FILE_LIST_DIRECTORY | FILE_TRAVERSE;
    int rc = no_follow
                 ? open_below(at, path, access, FILE_OPEN, FILE_DIRECTORY_FILE, false, &handle)
                 : win_open(at, path, access, FILE_OPEN, FILE_DIRECTORY_FILE, 0, &handle);
    if (rc == 0 && !no_follow && win_is_link(handle))
        rc = follow(at, path, &handle);
    if (rc == 0)
        *ret_dir = (os_fd)handle;
    return rc;
}

static ACCESS_MASK access_of(unsigned how)
{
    ACCESS_MASK access = 0;
    if (how & OS_READ)
        access |= FILE_GENERIC_READ;
    if (how & OS_WRITE)
        access |= FILE_GENERIC_WRITE;
    return access;
}

/* A new file is for this user alone, or as open as its folder passes on. */
int os_open(os_fd dir, const char *name, unsigned how, unsigned mode, os_fd *ret_file)
{
    HANDLE handle;
    ULONG disposition = !(how & OS_CREATE)   ? FILE_OPEN
                        : how & OS_EXCLUSIVE ? FILE_CREATE
                                             : FILE_OPEN_IF;
    bool is_private = (how & OS_CREATE) && !(mode & 077);
    int rc = open_below(dir, name, access_of(how), disposition, 0, is_private, &handle);
    for (int i = 0; rc == -EBUSY && win_pause(i); i++)
        rc = open_below(dir, name, access_of(how), disposition, 0, is_private, &handle);
    if (rc == 0)
        *ret_file = (os_fd)handle;
    if (rc == -EINVAL && !(how & OS_CREATE))
        return -ENOENT; /* what cannot be is not there */
    return win_busy(rc);
}

int os_close(os_fd fd)
{
    if (fd == OS_NONE)
        return 0;
    return CloseHandle(win_handle(fd)) ? 0 : win_last_failure();
}

int os_inherit(os_fd fd, bool inherit)
{
    DWORD flag = inherit ? HANDLE_FLAG_INHERIT : 0;
    return SetHandleInformation(win_handle(fd), HANDLE_FLAG_INHERIT, flag) ? 0 : win_last_failure();
}

/* ---- content ---- */

static OVERLAPPED at_offset(uint64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

int64_t os_read_at(os_fd file, void *data, size_t size, uint64_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD count;
    if (ReadFile(win_handle(file), data, win_at_most(size), &count, &at))
        return (int64_t)count;
    DWORD code = GetLastError();
    return code == ERROR_HANDLE_EOF ? 0 : win_failure(code);
}

int64_t os_write_at(os_fd file, const void *data, size_t size, uint64_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD count;
    if (WriteFile(win_handle(file), data, win_at_most(size), &count, &at))
        return (int64_t)count;
    return win_last_failure();
}

int os_resize(os_fd file, uint64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};
    if (SetFileInformationByHandle(win_handle(file), FileEndOfFileInfo, &end, sizeof end))
        return 0;
    return win_last_failure();
}

/* A file that we only read can be flushed by who may write it. */
static int flush_again(os_fd file)
{
    HANDLE again = ReOpenFile(win_handle(file), GENERIC_WRITE, WIN_SHARE, 0);
    if (again == INVALID_HANDLE_VALUE)
        return win_last_failure();
    int rc = FlushFileBuffers(again) ? 0 : win_last_failure();
    CloseHandle(again);
    return rc;
}

/* Content and what the file system notes of the file, through the drive's own cache. */
int os_flush(os_fd file)
{
    if (FlushFileBuffers(win_handle(file)))
        return 0;
    DWORD code = GetLastError();
    return code == ERROR_ACCESS_DENIED ? flush_again(file) : win_failure(code);
}

int os_flush_content(os_fd file)
{
    return os_flush(file);
}

void os_flush_soon(os_fd file, uint64_t offset, uint64_t size)
{
    (void)file, (void)offset, (void)size;
}

/* There is no such thing: NTFS keeps the order of renames in its own log, and writes it out when it
 * likes. A rename that has to be on the disk is written through by os_rename. */
int os_flush_dir(os_fd dir)
{
    (void)dir;
    return -EINVAL;
}
