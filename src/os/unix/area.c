/* Memory shared by the processes of one user: a sealed memfd that others open through the
 * descriptor of one who has it, in /proc. The kernel lets only processes of the same user (and
 * root) look there. macOS has neither: the lock alone serves.
 *
 * Who names a process and a descriptor to us may be a liar: the descriptor is opened without any
 * effect (O_PATH) and looked at before it is opened for use. */
#include "os/unix/unix.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef __linux__

#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

static int map(int file, size_t size, uint64_t number, struct os_area *ret_area)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return -errno;
    *ret_area = (struct os_area){memory, size, file, number};
    return 0;
}

int os_area_make(size_t size, struct os_area *ret_area)
{
    struct stat stat;
    *ret_area = (struct os_area){.handle = OS_NONE};
    int file = memfd_create("untorn", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -errno;
    int rc = unix_result(fchmod(file, 0600));
    if (rc == 0)
        rc = unix_result(ftruncate(file, (off_t)size));
    if (rc == 0)
        rc = unix_result(fcntl(file, F_ADD_SEALS, SEALS));
    if (rc == 0)
        rc = unix_result(fstat(file, &stat));
    if (rc == 0)
        rc = map(file, size, stat.st_ino, ret_area);
    if (rc < 0)
        close(file);
    return rc;
}

/* Of this user alone, of that size for ever, and the one that was meant. Only memory has seals. */
static int check(int file, uint64_t number, size_t size)
{
    struct stat stat;
    if (fstat(file, &stat) < 0 || !S_ISREG(stat.st_mode) || stat.st_uid != geteuid() ||
        (stat.st_mode & 07777) != 0600 || stat.st_ino != number || stat.st_size != (off_t)size)
        return -ENOENT;
    return 0;
}

int os_area_join(int64_t pid, os_fd handle, uint64_t number, size_t size, struct os_area *ret_area)
{
    char path[64];
    *ret_area = (struct os_area){.handle = OS_NONE};
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)pid, (long long)handle);
    int named = open(path, O_PATH | O_CLOEXEC);
    if (named < 0)
        return -ENOENT;
    int rc = check(named, number, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", named);
    int file = rc == 0 ? open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    close(named);
    if (file < 0)
        return -ENOENT;
    int seals = fcntl(file, F_GET_SEALS);
    rc = seals >= 0 && (seals & SEALS) == SEALS ? map(file, size, number, ret_area) : -ENOENT;
    if (rc < 0)
        close(file);
    return rc;
}

void os_area_leave(struct os_area *area)
{
    if (!area->memory)
        return;
    (void)munmap(area->memory, area->size);
    (void)close((int)area->handle);
    *area = (struct os_area){.handle = OS_NONE};
}

void os_wait(const uint32_t *word, uint32_t value, uint64_t duration_ns)
{
    struct timespec most = {(time_t)(duration_ns / 1000000000), (long)(duration_ns % 1000000000)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0);
}

void os_wake(uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#else

int os_area_make(size_t size, struct os_area *ret_area)
{
    (void)size;
    *ret_area = (struct os_area){.handle = OS_NONE};
    return -ENOSYS;
}

int os_area_join(int64_t pid, os_fd handle, uint64_t number, size_t size, struct os_area *ret_area)
{
    (void)pid, (void)handle, (void)number, (void)size;
    *ret_area = (struct os_area){.handle = OS_NONE};
    return -ENOENT;
}

void os_area_leave(struct os_area *area)
{
    *area = (struct os_area){.handle = OS_NONE};
}

void os_wait(const uint32_t *word, uint32_t value, uint64_t duration_ns)
{
    (void)word, (void)value;
    os_sleep_ns(duration_ns);
}

void os_wake(uint32_t *word)
{
    (void)word;
}

#endif

uint32_t os_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

void os_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

bool os_swap(uint32_t *word, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
