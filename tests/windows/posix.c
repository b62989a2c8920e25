/* What tests/windows/posix declares. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <dirent.h>
#include <sddl.h>
#include <stdbool.h>

#include <ftw.h>
#include <sys/mman.h>

__attribute__((constructor)) static void translate_nothing(void)
{
    _fmode = _O_BINARY;
}

/* In nanoseconds since 1970. */
static struct timespec time_of(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (struct timespec){(time_t)(ticks / 10000000 - 11644473600),
                             (long)(ticks % 10000000 * 100)};
}

static int look_at(HANDLE handle, struct posix_stat *ret_stat)
{
    BY_HANDLE_FILE_INFORMATION what;
    if (!GetFileInformationByHandle(handle, &what)) {
        errno = EIO;
        return -1;
    }
    bool directory = what.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    struct os_stat seen = {0};
    (void)os_stat((os_fd)handle, NULL, &seen); /* whose words windows/access_test.c looks into */
    *ret_stat = (struct posix_stat){
        .st_dev = what.dwVolumeSerialNumber,
        .st_ino = (uint64_t)what.nFileIndexHigh << 32 | what.nFileIndexLow,
        .st_mode = (directory ? S_IFDIR : S_IFREG) | seen.mode,
        .st_nlink = what.nNumberOfLinks,
        .st_uid = (uid_t)seen.owner,
        .st_gid = getgid(),
        .st_size = (int64_t)((uint64_t)what.nFileSizeHigh << 32 | what.nFileSizeLow),
        .st_mtim = time_of(what.ftLastWriteTime),
        .st_ctim = time_of(what.ftLastWriteTime),
    };
    ret_stat->st_mtime = ret_stat->st_mtim.tv_sec;
    return 0;
}

static int set_errno(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        errno = ENOENT;
        break;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
        errno = EEXIST;
        break;
    default:
        errno = EACCES;
    }
    return -1;
}

int posix_stat(const char *path, struct posix_stat *ret_stat)
{
    HANDLE handle = CreateFileA(path, FILE_READ_ATTRIBUTES | READ_CONTROL, 7, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return set_errno();
    int rc = look_at(handle, ret_stat);
    CloseHandle(handle);
    return rc;
}

int posix_fstat(int file, struct posix_stat *ret_stat)
{
    return look_at((HANDLE)_get_osfhandle(file), ret_stat);
}

int posix_truncate(const char *path, int64_t size)
{
    int file = open(path, O_WRONLY), rc = file < 0 ? -1 : ftruncate(file, size);
    close(file);
    return rc;
}

int posix_run_here(const char *name, const char *directory)
{
    char program[MAX_PATH], line[2 * MAX_PATH];
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION process;
    DWORD status = 1;
    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(line, sizeof line, "\"%s\" --here %s", program, name);
    if (!CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, directory, &start, &process))
        return -1;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &status);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    return (int)status;
}

char *posix_getcwd(char *path, size_t size)
{
    if (size < 2 || !_getcwd(path + 1, (int)size - 1))
        return NULL;
    path[0] = '/';
    for (char *c = path; *c; c++)
        if (*c == '\\')
            *c = '/';
    return path;
}

int posix_open_handles(void)
{
    DWORD count = 0;
    if (!GetProcessHandleCount(GetCurrentProcess(), &count) || count == 0)
        harness_skip("needs to count the handles of a process");
    return (int)count;
}

int posix_rename(const char *from, const char *to)
{
    wchar_t old_path[1024], new_path[1024];
    MultiByteToWideChar(CP_ACP, 0, to, -1, old_path, 1024);
    MultiByteToWideChar(CP_ACP, 0, from, -1, new_path, 1024);
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ||
        ReplaceFileW(old_path, new_path, NULL, 0, NULL, NULL)) /* it may be open */
        return 0;
    return set_errno();
}

int posix_remove(const char *path)
{
    DWORD attributes = GetFileAttributesA(path);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return set_errno();
    bool done = attributes & FILE_ATTRIBUTE_DIRECTORY ? RemoveDirectoryA(path) : DeleteFileA(path);
    return done ? 0 : set_errno();
}

/* As an ACL: for the user, and for everyone what the group or others have. */
int chmod(const char *path, int mode)
{
    char text[256], room[256], *user;
    PSECURITY_DESCRIPTOR descriptor;
    DWORD size, attributes = GetFileAttributesA(path);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return set_errno();
    bool directory = attributes & FILE_ATTRIBUTE_DIRECTORY;
    const char *flags = directory ? "OICI" : "";
    GetTokenInformation((HANDLE)(intptr_t)-6, TokenUser, room, sizeof room, &size);
    ConvertSidToStringSidA(((TOKEN_USER *)room)->User.Sid, &user);
    snprintf(text, sizeof text, "D:P(A;%s;FA;;;%s)(A;%s;%s%s;;;WD)", flags, user, flags,
             mode & 044 ? "FRFX" : "", mode & 022 ? "FWSD" : "");
    if (!(mode & 066))
        *(strchr(text, ')') + 1) = '\0';
    ConvertStringSecurityDescriptorToSecurityDescriptorA(text, SDDL_REVISION_1, &descriptor, NULL);
    HANDLE file =
        CreateFileA(path, WRITE_DAC, 7, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    bool done = SetKernelObjectSecurity(file, DACL_SECURITY_INFORMATION, descriptor);
    CloseHandle(file);
    LocalFree(descriptor);
    LocalFree(user);
    attributes &= ~(DWORD)FILE_ATTRIBUTE_READONLY;
    if (!directory)
        SetFileAttributesA(path, mode & 0222 ? attributes : attributes | FILE_ATTRIBUTE_READONLY);
    return done ? 0 : set_errno();
}

int link(const char *from, const char *to)
{
    return CreateHardLinkA(to, from, NULL) ? 0 : set_errno();
}

int gethostname(char *name, size_t size)
{
    DWORD count = (DWORD)size;
    return GetComputerNameExA(ComputerNameDnsHostname, name, &count) ? 0 : -1;
}

static OVERLAPPED at_offset(int64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

int64_t pread(int file, void *data, size_t size, int64_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD count = 0;
    if (ReadFile((HANDLE)_get_osfhandle(file), data, (DWORD)size, &count, &at) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return count;
    return set_errno();
}

int64_t pwrite(int file, const void *data, size_t size, int64_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD count;
    if (WriteFile((HANDLE)_get_osfhandle(file), data, (DWORD)size, &count, &at))
        return count;
    return set_errno();
}

char *realpath(const char *path, char *result)
{
    return _fullpath(result, path, 4096);
}

void *memmem(const void *data, size_t size, const void *part, size_t part_size)
{
    const char *at = data;
    for (; size >= part_size; at++, size--)
        if (memcmp(at, part, part_size) == 0)
            return (void *)at;
    return NULL;
}

/* ---- listing ---- */

struct posix_listing {
    HANDLE handle;
    bool begun;
    WIN32_FIND_DATAW found;
    struct dirent entry;
};

DIR *opendir(const char *path)
{
    wchar_t wide[2048], pattern[2048] = L"\\\\?\\";
    MultiByteToWideChar(CP_ACP, 0, path, -1, wide, 2048);
    DWORD size = GetFullPathNameW(wide, 2040, pattern + 4, NULL);
    DIR *listing = calloc(1, sizeof *listing);
    if (!listing || size == 0 || size >= 2040)
        abort();
    wcscat(pattern, pattern[size + 3] == L'\\' ? L"*" : L"\\*");
    listing->handle = FindFirstFileW(pattern, &listing->found);
    if (listing->handle != INVALID_HANDLE_VALUE)
        return listing;
    free(listing);
    set_errno();
    return NULL;
}

struct dirent *readdir(DIR *listing)
{
    if (listing->begun && !FindNextFileW(listing->handle, &listing->found))
        return NULL;
    listing->begun = true;
    WideCharToMultiByte(CP_ACP, 0, listing->found.cFileName, -1, listing->entry.d_name,
                        sizeof listing->entry.d_name, NULL, NULL);
    return &listing->entry;
}

int closedir(DIR *listing)
{
    FindClose(listing->handle);
    free(listing);
    return 0;
}

/* Depth first, which is all that is asked for. */
int nftw(const char *path,
         int (*visit)(const char *path, const struct posix_stat *status, int type,
                      struct FTW *place),
         int handles, int flags)
{
    struct posix_stat status;
    struct FTW place = {0};
    if (posix_stat(path, &status) != 0)
        return -1;
    bool directory = (status.st_mode & S_IFMT) == S_IFDIR;
    DIR *listing = directory ? opendir(path) : NULL;
    int rc = 0;
    for (struct dirent *entry; rc == 0 && listing && (entry = readdir(listing)) != NULL;) {
        char below[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        rc = nftw(below, visit, handles, flags);
    }
    if (listing)
        closedir(listing);
    SetFileAttributesA(path, directory ? FILE_ATTRIBUTE_DIRECTORY : FILE_ATTRIBUTE_NORMAL);
    return rc == 0 ? visit(path, &status, directory ? FTW_D : FTW_F, &place) : rc;
}

/* ---- memory ---- */

static DWORD protection_of(int protection)
{
    return protection & PROT_WRITE  ? PAGE_READWRITE
           : protection & PROT_READ ? PAGE_READONLY
                                    : PAGE_NOACCESS;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, int64_t offset)
{
    if (at || file >= 0 || offset)
        harness_skip("needs mmap of a file");
    (void)flags;
    void *memory = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, protection_of(protection));
    return memory ? memory : MAP_FAILED;
}

int munmap(void *at, size_t size)
{
    (void)size;
    return VirtualFree(at, 0, MEM_RELEASE) ? 0 : -1;
}

int mprotect(void *at, size_t size, int protection)
{
    DWORD before;
    return VirtualProtect(at, size, protection_of(protection), &before) ? 0 : -1;
}
