/* Attributes, the ACL and streams. */
#include "os/win/win.h"

#include <errno.h>
#include <string.h>

enum {
    KEPT_ATTRIBUTES = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_ARCHIVE |
                      FILE_ATTRIBUTE_NOT_CONTENT_INDEXED | FILE_ATTRIBUTE_READONLY,
    STREAM_MOST = 64 * 1024,
};

static int get_basic(HANDLE file, FILE_BASIC_INFO *ret_basic)
{
    if (GetFileInformationByHandleEx(file, FileBasicInfo, ret_basic, sizeof *ret_basic))
        return 0;
    return win_last_failure();
}

/* Times of 0 stay as they are. The handle that writes content may not set attributes of a file that
 * others made; then it is told that they are lost. */
static int set_attributes(HANDLE file, DWORD attributes)
{
    FILE_BASIC_INFO basic = {.FileAttributes = attributes ? attributes : FILE_ATTRIBUTE_NORMAL};
    if (SetFileInformationByHandle(file, FileBasicInfo, &basic, sizeof basic))
        return 0;
    return win_last_failure();
}

static DWORD with_mode(DWORD attributes, unsigned mode)
{
    attributes &= ~(DWORD)FILE_ATTRIBUTE_READONLY;
    return mode & 0200 ? attributes : attributes | FILE_ATTRIBUTE_READONLY;
}

/* ---- streams: where a file came from, the Mark of the Web ---- */

static bool copy_stream(const wchar_t *from, const wchar_t *to, uint64_t size)
{
    static _Thread_local char data[STREAM_MOST];
    DWORD count, written = 0;
    HANDLE in, out;
    if (size > sizeof data)
        return false;
    in = CreateFileW(from, GENERIC_READ, WIN_SHARE, NULL, OPEN_EXISTING, 0, NULL);
    if (in == INVALID_HANDLE_VALUE)
        return false;
    bool read = ReadFile(in, data, (DWORD)size, &count, NULL);
    CloseHandle(in);
    out = read ? CreateFileW(to, GENERIC_WRITE, WIN_SHARE, NULL, CREATE_ALWAYS, 0, NULL)
               : INVALID_HANDLE_VALUE;
    if (out == INVALID_HANDLE_VALUE)
        return false;
    bool done = WriteFile(out, data, count, &written, NULL) && written == count;
    CloseHandle(out);
    return done;
}

static int final_path(os_fd file, wchar_t path[WIN_PATH])
{
    DWORD count = GetFinalPathNameByHandleW(win_handle(file), path, WIN_PATH, 0);
    return count > 0 && count < WIN_PATH ? (int)count : -ENAMETOOLONG;
}

static bool append_stream(wchar_t *path, int count, const wchar_t *name)
{
    if ((size_t)count + wcslen(name) >= WIN_PATH)
        return false;
    wcscpy(path + count, name);
    return true;
}

static void copy_streams(os_fd from, os_fd to, unsigned *ret_result)
{
    static _Thread_local wchar_t old_path[WIN_PATH], new_path[WIN_PATH];
    WIN32_FIND_STREAM_DATA stream;
    int old_count = final_path(from, old_path), new_count = final_path(to, new_path);
    if (old_count < 0 || new_count < 0)
        return;
    HANDLE listing = FindFirstStreamW(old_path, FindStreamInfoStandard, &stream, 0);
    if (listing == INVALID_HANDLE_VALUE)
        return;
    do {
        if (wcscmp(stream.cStreamName, L"::$DATA") == 0)
            continue;
        if (!append_stream(old_path, old_count, stream.cStreamName) ||
            !append_stream(new_path, new_count, stream.cStreamName) ||
            !copy_stream(old_path, new_path, (uint64_t)stream.StreamSize.QuadPart))
            *ret_result |= OS_META_LOST;
    } while (FindNextStreamW(listing, &stream));
    FindClose(listing);
}

/* ---- the verbs ---- */

void os_attributes(os_fd file, bool *ret_attributes, bool *ret_acl)
{
    DWORD flags = 0;
    (void)GetVolumeInformationByHandleW(win_handle(file), NULL, 0, NULL, NULL, &flags, NULL, 0);
    *ret_attributes = (flags & FILE_NAMED_STREAMS) != 0;
    *ret_acl = (flags & FILE_PERSISTENT_ACLS) != 0;
}

/* Streams say nothing of who may read it. */
bool os_is_plain(os_fd file)
{
    struct win_access access;
    win_access_of(win_handle(file), &access);
    return access.plain;
}

static HANDLE open_folder_of(os_fd file)
{
    static _Thread_local wchar_t path[WIN_PATH];
    wchar_t *slash = final_path(file, path) < 0 ? NULL : wcsrchr(path, L'\\');
    if (!slash)
        return INVALID_HANDLE_VALUE;
    slash[1] = L'\0';
    return CreateFileW(path, READ_CONTROL, WIN_SHARE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

/* Bits can be taken away from what `like` has or its folder passes on; none can be added. */
static int give_access(os_fd like, os_fd dir, os_fd file, unsigned mode, enum win_names names)
{
    struct win_access access;
    HANDLE own = win_handle(like);
    win_access_of(own, &access);
    if (!(mode & ~access.mode & 066))
        return win_narrow_acl(own, false, win_handle(file), mode, names);
    HANDLE folder = dir == OS_NONE ? open_folder_of(like) : win_handle(dir);
    if (folder == INVALID_HANDLE_VALUE)
        return win_last_failure();
    int rc = win_narrow_acl(folder, true, win_handle(file), mode, names);
    if (dir == OS_NONE)
        CloseHandle(folder);
    return rc;
}

int os_copy_meta(os_fd from, os_fd to, unsigned mode, unsigned *ret_result)
{
    FILE_BASIC_INFO old, new;
    *ret_result = 0;
    int rc = get_basic(win_handle(from), &old);
    if (rc == 0)
        rc = get_basic(win_handle(to), &new);
    if (rc < 0)
        return rc;
    copy_streams(from, to, ret_result);
    rc = mode ? give_access(from, OS_NONE, to, mode, WIN_NAMES_GO)
              : win_copy_acl(win_handle(from), win_handle(to));
    if (mode && rc < 0)
        return rc;
    if (rc < 0 || win_copy_owner(win_handle(from), win_handle(to)) < 0)
        *ret_result |= OS_META_OWNER_DENIED;
    DWORD wanted = (old.FileAttributes & KEPT_ATTRIBUTES) |
                   (new.FileAttributes & ~(DWORD)KEPT_ATTRIBUTES & ~(DWORD)FILE_ATTRIBUTE_NORMAL);
    if (mode)
        wanted = with_mode(wanted, mode);
    if (wanted != new.FileAttributes && set_attributes(win_handle(to), wanted) < 0)
        *ret_result |= OS_META_LOST;
    return 0;
}

/* The folder passes its ACL on by itself. */
int os_new_meta(os_fd dir, os_fd file, unsigned mode)
{
    FILE_BASIC_INFO basic;
    if (mode == 0)
        return 0;
    int rc = get_basic(win_handle(file), &basic);
    if (rc == 0 && with_mode(basic.FileAttributes, mode) != basic.FileAttributes)
        rc = set_attributes(win_handle(file), with_mode(basic.FileAttributes, mode));
    return rc < 0 ? rc : give_access(file, dir, file, mode, WIN_NAMES_STAY);
}

int os_give(os_fd file, uint32_t owner, uint32_t group, unsigned mode)
{
    (void)file, (void)owner, (void)group, (void)mode;
    return -EPERM; /* a file is its maker's */
}

bool os_makes_modes(void)
{
    return false;
}

int os_narrow(os_fd file, unsigned mode)
{
    return win_narrow_acl(win_handle(file), false, win_handle(file), mode, WIN_NAMES_GO);
}

int os_time(os_fd file, int64_t *ret_time)
{
    FILE_BASIC_INFO basic;
    int rc = get_basic(win_handle(file), &basic);
    if (rc == 0)
        *ret_time = win_since_1970(basic.LastWriteTime);
    return rc;
}

int os_copy_time(os_fd from, os_fd to)
{
    FILE_BASIC_INFO basic, time = {0};
    int rc = get_basic(win_handle(from), &basic);
    if (rc < 0)
        return rc;
    time.LastWriteTime = basic.LastWriteTime;
    if (SetFileInformationByHandle(win_handle(to), FileBasicInfo, &time, sizeof time))
        return 0;
    return win_last_failure();
}

/* What a folder passes on may be less than what it allows itself. */
int os_share(os_fd made, os_fd parent, const uint32_t *private_owner)
{
    HANDLE file = win_handle(made), above = win_handle(parent);
    struct win_access like, now;
    struct os_stat stat;
    int rc = os_stat(made, NULL, &stat);
    if (rc < 0)
        return rc;
    if (private_owner)
        return win_narrow_acl(file, false, file, 0, WIN_NAMES_GO);
    rc = win_inherit_acl(file);
    win_access_of(above, &like);
    unsigned writers = like.mode & 0222;
    win_access_of(file, &now);
    if (rc == 0 && now.mode != like.mode)
        rc = win_copy_acl(above, file);
    if (rc == 0 && stat.kind != OS_DIRECTORY)
        rc = win_narrow_acl(file, false, file, writers | writers << 1, WIN_ONLY_WRITERS);
    return rc;
}

/* Owners are not looked into. */
int os_share_as(os_fd made, os_fd parent, unsigned mode, bool keeps_owner)
{
    (void)keeps_owner;
    int rc = os_share(made, parent, NULL);
    return rc < 0 ? rc : os_new_meta(parent, made, mode);
}
