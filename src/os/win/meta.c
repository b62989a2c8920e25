/* Attributes, the ACL and streams. */
#include "os/win/win.h"

#include <aclapi.h>
#include <errno.h>
#include <sddl.h>
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

/* The same file with other rights; what our own handle was opened with is not enough. */
static HANDLE open_again(os_fd file, DWORD access)
{
    return ReOpenFile(win_handle(file), access, WIN_SHARE, FILE_FLAG_BACKUP_SEMANTICS);
}

static int set_acl(os_fd file, PACL acl, bool is_protected)
{
    HANDLE again = open_again(file, WRITE_DAC | READ_CONTROL);
    if (again == INVALID_HANDLE_VALUE)
        return win_last_failure();
    SECURITY_INFORMATION what =
        DACL_SECURITY_INFORMATION | (is_protected ? PROTECTED_DACL_SECURITY_INFORMATION
                                                  : UNPROTECTED_DACL_SECURITY_INFORMATION);
    DWORD code = SetSecurityInfo(again, SE_FILE_OBJECT, what, NULL, NULL, acl, NULL);
    CloseHandle(again);
    return code == ERROR_SUCCESS ? 0 : win_failure(code);
}

static int copy_acl(os_fd from, os_fd to)
{
    PSECURITY_DESCRIPTOR descriptor;
    SECURITY_DESCRIPTOR_CONTROL control;
    DWORD revision;
    PACL acl;
    HANDLE again = open_again(from, READ_CONTROL);
    if (again == INVALID_HANDLE_VALUE)
        return win_last_failure();
    DWORD code = GetSecurityInfo(again, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &acl,
                                 NULL, &descriptor);
    CloseHandle(again);
    if (code != ERROR_SUCCESS)
        return win_failure(code);
    bool is_protected = GetSecurityDescriptorControl(descriptor, &control, &revision) &&
                        (control & SE_DACL_PROTECTED);
    int rc = set_acl(to, acl, is_protected);
    LocalFree(descriptor);
    return rc;
}

bool win_private_descriptor(PSECURITY_DESCRIPTOR *ret_descriptor)
{
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(
        L"D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", SDDL_REVISION_1, ret_descriptor,
        NULL);
}

static int make_private(os_fd file)
{
    PSECURITY_DESCRIPTOR descriptor;
    BOOL present, by_default;
    PACL acl;
    if (!win_private_descriptor(&descriptor))
        return win_last_failure();
    int rc = GetSecurityDescriptorDacl(descriptor, &present, &acl, &by_default) && present
                 ? set_acl(file, acl, true)
                 : -EINVAL;
    LocalFree(descriptor);
    return rc;
}

static DWORD with_mode(DWORD attributes, unsigned mode)
{
    attributes &= ~(DWORD)FILE_ATTRIBUTE_READONLY;
    return mode & 0200 ? attributes : attributes | FILE_ATTRIBUTE_READONLY;
}

static int give_mode(os_fd file, unsigned mode)
{
    FILE_BASIC_INFO basic;
    int rc = get_basic(win_handle(file), &basic);
    if (rc == 0 && with_mode(basic.FileAttributes, mode) != basic.FileAttributes)
        rc = set_attributes(win_handle(file), with_mode(basic.FileAttributes, mode));
    return rc == 0 && !(mode & 077) ? make_private(file) : rc;
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

/* Not worth finding out: whoever asks then does it the long way. */
bool os_is_plain(os_fd file)
{
    (void)file;
    return false;
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
    if (mode == 0 && copy_acl(from, to) < 0)
        *ret_result |= OS_META_OWNER_DENIED;
    DWORD wanted = (old.FileAttributes & KEPT_ATTRIBUTES) |
                   (new.FileAttributes & ~(DWORD)KEPT_ATTRIBUTES & ~(DWORD)FILE_ATTRIBUTE_NORMAL);
    if (mode)
        wanted = with_mode(wanted, mode);
    if (wanted != new.FileAttributes && set_attributes(win_handle(to), wanted) < 0)
        *ret_result |= OS_META_LOST;
    return mode && !(mode & 077) ? make_private(to) : 0;
}

/* The folder passes its ACL on by itself. */
int os_new_meta(os_fd dir, os_fd file, unsigned mode)
{
    (void)dir;
    return mode ? give_mode(file, mode) : 0;
}

int os_narrow(os_fd file, unsigned mode)
{
    return mode & 077 ? 0 : make_private(file);
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

int os_share(os_fd made, os_fd parent, const uint32_t *private_owner)
{
    (void)parent;
    return private_owner ? make_private(made) : 0;
}
