#include "tracee.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void read_text(pid_t pid, uint64_t address, char *text, size_t size)
{
    size_t have = 0;
    while (have + 1 < size) {
        size_t step = 256 - (address + have) % 256; /* never across the end of a page */
        if (step > size - 1 - have)
            step = size - 1 - have;
        struct iovec local = {text + have, step};
        struct iovec remote = {(void *)(uintptr_t)(address + have), step};
        ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (got <= 0)
            break;
        have += (size_t)got;
        if (memchr(text + have - (size_t)got, 0, (size_t)got) != NULL)
            return;
    }
    text[have] = 0;
}

static void read_handle(pid_t pid, int fd, char *text, size_t size)
{
    char link[64];
    if (fd == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)pid);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
    ssize_t length = readlink(link, text, size - 1);
    text[length < 0 ? 0 : length] = 0;
}

static void read_path(pid_t pid, int directory, uint64_t address, char *text, size_t size)
{
    char path[PATH_MAX] = "";
    if (address != 0)
        read_text(pid, address, path, sizeof path);
    if (path[0] == '/') {
        snprintf(text, size, "%s", path);
        return;
    }
    read_handle(pid, directory, text, size);
    size_t used = strlen(text);
    if (path[0] != 0 && used + 1 < size)
        snprintf(text + used, size - used, "/%s", path);
}

void tracee_path(pid_t pid, const struct call *call, const uint64_t args[6], char *text,
                 size_t size)
{
    text[0] = 0;
    if (call->kind == CALL_PATH_0)
        read_path(pid, AT_FDCWD, args[0], text, size);
    else if (call->kind == CALL_PATH_1)
        read_path(pid, (int)args[0], args[1], text, size);
    else if (call->kind == CALL_HANDLE)
        read_handle(pid, (int)args[0], text, size);
    for (char *c = text; *c != 0; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
}

/* The argument that tells most, in the form a person would write it. */
static void describe_argument(pid_t pid, const struct call *call, const uint64_t args[6],
                              char *text, size_t size)
{
    switch (call->number) {
    case SYS_openat:
        if (args[2] & O_CREAT)
            snprintf(text, size, "0x%llx,create,0%llo", (unsigned long long)args[2],
                     (unsigned long long)args[3]);
        else
            snprintf(text, size, "0x%llx", (unsigned long long)args[2]);
        break;
    case SYS_fchmod:
#ifdef SYS_mkdir
    case SYS_mkdir:
#endif
        snprintf(text, size, "0%llo", (unsigned long long)args[1]);
        break;
    case SYS_mkdirat:
    case SYS_fchmodat:
        snprintf(text, size, "0%llo", (unsigned long long)args[2]);
        break;
#ifdef SYS_rename
    case SYS_rename:
        read_path(pid, AT_FDCWD, args[1], text, size);
        break;
#endif
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_linkat:
        read_path(pid, (int)args[2], args[3], text, size);
        break;
    case SYS_fsetxattr:
    case SYS_fgetxattr:
    case SYS_fremovexattr:
        read_text(pid, args[1], text, size);
        break;
    case SYS_fchown:
        snprintf(text, size, "%d:%d", (int)args[1], (int)args[2]);
        break;
    case SYS_flock:
    case SYS_umask:
    case SYS_fcntl:
        snprintf(text, size, "%llu", (unsigned long long)args[call->number != SYS_umask]);
        break;
    default:
        snprintf(text, size, "%llu", (unsigned long long)args[2]);
    }
}

void tracee_call(pid_t pid, const struct call *call, const uint64_t args[6], char *text,
                 size_t size)
{
    char path[PATH_MAX], argument[PATH_MAX] = "";
    tracee_path(pid, call, args, path, sizeof path);
    describe_argument(pid, call, args, argument, sizeof argument);
    snprintf(text, size, "%s\t%s\t%s", call->name, path, argument);
}

bool tracee_identify(pid_t pid, int fd, struct identity *ret, bool *ret_regular)
{
    char link[64];
    struct stat about;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
    if (stat(link, &about) != 0)
        return false;
    *ret = (struct identity){about.st_dev, about.st_ino};
    *ret_regular = S_ISREG(about.st_mode);
    return true;
}

static uint64_t loader_base(pid_t pid)
{
    char path[64];
    Elf64_auxv_t entry;
    uint64_t base = 0;
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fread(&entry, sizeof entry, 1, file) == 1)
        if (entry.a_type == AT_BASE)
            base = entry.a_un.a_val;
    if (file != NULL)
        fclose(file);
    return base;
}

void tracee_loader(pid_t pid, uint64_t *ret_low, uint64_t *ret_high)
{
    char path[64], line[PATH_MAX + 128], name[PATH_MAX] = "";
    *ret_low = loader_base(pid);
    *ret_high = *ret_low;
    if (*ret_low == 0)
        return;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long low, high;
        char mapped[PATH_MAX] = "";
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095s", &low, &high, mapped) < 2)
            continue;
        if (low == *ret_low)
            snprintf(name, sizeof name, "%s", mapped);
        if (name[0] != 0 && strcmp(name, mapped) == 0)
            *ret_high = high;
    }
    if (file != NULL)
        fclose(file);
}
