/* What the system says of itself: file systems, processes, clocks, random bytes. */
#include "os/unix/unix.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <sys/random.h>
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/sysctl.h>
#endif

#ifdef __linux__

/* Memory: a flush reaches nothing that outlives the power. */
#define TMPFS 0x01021994ul
#define RAMFS 0x858458F6ul

/* Numbers from linux/magic.h and the file systems' own headers. */
static const struct {
    unsigned long type;
    const char *name;
    bool network;
} filesystems[] = {
    {0xEF53, "ext4", false},         {0x58465342, "xfs", false},     {0x9123683E, "btrfs", false},
    {TMPFS, "tmpfs", false},         {0x794C7630, "overlay", false}, {0x4D44, "vfat", false},
    {0x2011BAB0, "exfat", false},    {0x2FC12FC1, "zfs", false},     {0xF2F52010, "f2fs", false},
    {0xCA451A4E, "bcachefs", false}, {0x6969, "nfs", true},          {0xFF534D42, "cifs", true},
    {0xFE534D42, "smb2", true},      {0x517B, "smb", true},          {0x65735546, "fuse", true},
    {0x01021997, "9p", true},        {0x5346414F, "afs", true},      {0x00C36400, "ceph", true},
    {0x01161970, "gfs2", true},      {0x7461636F, "ocfs2", true},    {0x0BD00BD0, "lustre", true},
    {RAMFS, "ramfs", false},         {0x3153464A, "jfs", false},
};

int os_capabilities(os_fd dir, struct os_capabilities *ret_capabilities)
{
    struct statfs s;
    if (fstatfs((int)dir, &s) < 0)
        return -errno;
    *ret_capabilities = (struct os_capabilities){.full_flush = true};
    unsigned long type = (unsigned long)s.f_type & 0xffffffff;
    for (size_t i = 0; i < sizeof filesystems / sizeof *filesystems; i++) {
        if (filesystems[i].type == type) {
            strcpy(ret_capabilities->filesystem, filesystems[i].name);
            ret_capabilities->network = filesystems[i].network;
            ret_capabilities->full_flush = type != TMPFS && type != RAMFS;
            return 0;
        }
    }
    snprintf(ret_capabilities->filesystem, sizeof ret_capabilities->filesystem, "type-0x%lx", type);
    return 0;
}

int os_dir_path(os_fd dir, char *path, size_t size)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", (int)dir);
    return os_read_link(OS_NONE, name, path, size);
}

static size_t read_whole(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return n < 0 ? 0 : (size_t)n;
}

/* Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets. */
static uint64_t start_of(int64_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_whole(path, text, sizeof text);
    char *field = strrchr(text, ')');
    for (int i = 2; field && i < 22; i++)
        field = strchr(field + 1, ' ');
    return field ? strtoull(field, NULL, 10) : 0;
}

static void read_boot(char *boot, size_t size)
{
    read_whole("/proc/sys/kernel/random/boot_id", boot, size);
    boot[strcspn(boot, "\n")] = '\0';
}

static void read_command(char *command, size_t size)
{
    size_t n = read_whole("/proc/self/cmdline", command, size);
    while (n > 0 && command[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (command[i] == '\0')
            command[i] = ' ';
}

#else

int os_capabilities(os_fd dir, struct os_capabilities *ret_capabilities)
{
    struct statfs s;
    if (fstatfs((int)dir, &s) < 0)
        return -errno;
    *ret_capabilities = (struct os_capabilities){.network = !(s.f_flags & MNT_LOCAL)};
    snprintf(ret_capabilities->filesystem, sizeof ret_capabilities->filesystem, "%s",
             s.f_fstypename);
    ret_capabilities->full_flush = fcntl((int)dir, F_FULLFSYNC) == 0;
    return 0;
}

int os_dir_path(os_fd dir, char *path, size_t size)
{
    char text[MAXPATHLEN];
    if (fcntl((int)dir, F_GETPATH, text) < 0)
        return -errno;
    if (strlen(text) >= size)
        return -ENAMETOOLONG;
    strcpy(path, text);
    return 0;
}

static uint64_t start_of(int64_t pid)
{
    struct kinfo_proc info;
    size_t size = sizeof info;
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid};
    if (sysctl(name, 4, &info, &size, NULL, 0) < 0 || size == 0)
        return 0;
    return (uint64_t)info.kp_proc.p_starttime.tv_sec * 1000000u +
           (uint64_t)info.kp_proc.p_starttime.tv_usec;
}

static void read_boot(char *boot, size_t size)
{
    if (sysctlbyname("kern.bootsessionuuid", boot, &size, NULL, 0) < 0)
        boot[0] = '\0';
}

static void read_command(char *command, size_t size)
{
    snprintf(command, size, "%s", getprogname());
}

#endif

void os_self(struct os_process *ret_self)
{
    memset(ret_self, 0, sizeof *ret_self);
    ret_self->pid = getpid();
    ret_self->start = start_of(ret_self->pid);
    read_boot(ret_self->boot, sizeof ret_self->boot);
    if (gethostname(ret_self->host, sizeof ret_self->host - 1) < 0)
        ret_self->host[0] = '\0';
    read_command(ret_self->command, sizeof ret_self->command);
    for (char *c = ret_self->command; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

uint32_t os_user(void)
{
    return (uint32_t)geteuid();
}

bool os_is_alive(const struct os_process *process)
{
    char boot[sizeof process->boot];
    read_boot(boot, sizeof boot);
    if (process->pid <= 0 || strcmp(boot, process->boot) != 0)
        return false;
    if (kill((pid_t)process->pid, 0) < 0 && errno == ESRCH)
        return false;
    return start_of(process->pid) == process->start;
}

uint64_t os_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t os_wall_clock(void)
{
    return (int64_t)time(NULL);
}

void os_sleep_ns(uint64_t duration)
{
    struct timespec pause = {.tv_sec = (time_t)(duration / 1000000000u),
                             .tv_nsec = (long)(duration % 1000000000u)};
    nanosleep(&pause, NULL);
}

int os_random(void *data, size_t size)
{
    return unix_result(getentropy(data, size));
}

const char *os_variable(const char *name)
{
    return getenv(name);
}

int os_config_folder(char *path, size_t size)
{
    (void)path, (void)size;
    return -ENOENT;
}
