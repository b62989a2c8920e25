/* Shared by the files of this folder: names and failures, as Windows has them and as we do. Windows
 * 10 and later; Wine.
 *
 * Inside, a path is UTF-8 with slashes, and an absolute one begins with one: "/C:/a/b", or
 * "//server/share/a". A name that UTF-16 allows and UTF-8 does not (half a surrogate pair) is
 * written as if it were a character, so that every name there is can be given (WTF-8).
 *
 * Names are opened relative to the handle of their directory by the system's own calls
 * (NtCreateFile), as openat does: what is renamed on the way meanwhile does no harm, and no length
 * limit applies. */
#ifndef UNTORN_OS_WIN_H
#define UNTORN_OS_WIN_H

#define WIN32_LEAN_AND_MEAN
#define UNICODE
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00

#include <windows.h>
#include <winternl.h>

#include "os/os.h"

enum {
    WIN_PATH = 32768, /* the most that the system takes, and a terminator */
    WIN_SHARE = 7,    /* reading, writing and deleting: nobody is kept out by our handles */
    WIN_RETRIES = 60, /* of what a virus scanner or an indexer stands in the way of, with pauses
                         of 1 to 60 ms: 1 to 2 seconds */
};

static inline HANDLE win_handle(os_fd fd)
{
    return (HANDLE)fd;
}

/* How much of it one call reads or writes. */
static inline DWORD win_at_most(size_t size)
{
    return size > 1 << 30 ? 1 << 30 : (DWORD)size;
}

/* Nanoseconds, from the system's hundreds of them since 1601. */
static inline int64_t win_since_1970(LARGE_INTEGER time)
{
    return (time.QuadPart - 116444736000000000) * 100;
}

/* As negative errno values. */
int win_failure(DWORD code);
int win_status(NTSTATUS status);
int win_last_failure(void);

/* Any text to UTF-16, terminated. -EINVAL where it is not WTF-8, -ENAMETOOLONG. Returns the count.
 */
int win_utf16(const char *text, wchar_t *wide, size_t size);

/* And back, terminated. -ENAMETOOLONG. Returns the size. */
int win_utf8(const wchar_t *wide, size_t count, char *text, size_t size);

/* As much of it as fits, which may end within a character, without control characters. */
void win_show(const wchar_t *wide, char *text, size_t size);

/* A name or a relative path, with backslashes, terminated. -EINVAL where Windows would take it for
 * something else than it says: a stream, a device, a name that ends with a dot or a blank, one with
 * a character that no name may have. -ENAMETOOLONG. Returns the count. */
int win_wide(const char *name, wchar_t *wide, size_t size);

/* The other way, terminated, with slashes. -ENAMETOOLONG. Returns the size. */
int win_narrow(const wchar_t *wide, size_t count, char *text, size_t size);

/* The path of a name for calls that take no handle: \\?\..., terminated. */
int win_full_path(os_fd dir, const char *name, wchar_t path[WIN_PATH]);

/* Opens `name`, one name or a path, below `dir` or, for OS_NONE, from the working directory or the
 * root. `options` and `disposition` are NtCreateFile's. A link is opened itself. */
int win_open(os_fd dir, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
             ULONG attributes, HANDLE *ret_handle);

/* The same; what is made is for this user alone, if `is_private`, and else as open as the folder
 * passes on. */
int win_create(os_fd dir, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
               ULONG attributes, bool is_private, HANDLE *ret_handle);

/* For this user, the system and administrators, and passed on to what is made in a folder. To be
 * freed by LocalFree. */
bool win_private_descriptor(PSECURITY_DESCRIPTOR *ret_descriptor);

/* Not 0, which is the one to whom all is allowed elsewhere. */
uint32_t win_user(void);

/* Who owns a file and who may read and write it. See access.c. */
struct win_access {
    uint32_t owner;
    unsigned mode; /* 0600, and what the group and others may do */
    bool plain;    /* the mode tells all */
};
void win_access_of(HANDLE file, struct win_access *ret_access);

int win_copy_acl(HANDLE from, HANDLE to);

/* -EPERM or -EACCES: the owner is another user, and stays so. */
int win_copy_owner(HANDLE from, HANDLE to);

/* Makes it as open as its folder passes on. */
int win_inherit_acl(HANDLE file);

/* Gives a file the ACL of `like`, which may be itself, or what the folder `like` passes on, less
 * what is not in `mode`, in one step. -ENOTSUP: nobody can be kept out here. */
enum win_names { WIN_NAMES_STAY, WIN_NAMES_GO, WIN_ONLY_WRITERS };
int win_narrow_acl(HANDLE like, bool passed_on, HANDLE file, unsigned mode, enum win_names names);

/* A function of a library that need not be loaded, or need not have it; NULL. */
typedef void (*win_function)(void);
static inline win_function win_find_function(HMODULE library, const char *name)
{
    return library ? (win_function)GetProcAddress(library, name) : NULL;
}

/* Whether it is a link or a junction. */
bool win_is_link(HANDLE handle);

/* What somebody still has open after all retries: not EBUSY, which elsewhere says that a name
 * cannot be replaced at all. */
static inline int win_busy(int rc)
{
    return rc == -EBUSY ? -ETXTBSY : rc;
}

/* Waits a little before try `number`; false: that was the last. */
bool win_pause(int number);

#endif
