/* To be preloaded: the N-th allocation fails, or every one from the N-th on. FAIL_AT is N,
 * FAIL_FOR_EVER makes it stay so, FAIL_MARK names a file that is made when it fails. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long made;
static long fail_at;
static int for_ever, ready;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_AT");
    fail_at = text == NULL ? 0 : atol(text);
    for_ever = getenv("FAIL_FOR_EVER") != NULL;
    unsetenv("LD_PRELOAD"); /* not for programs that are started */
    ready = 1;
}

static void leave_mark(void)
{
    const char *path = getenv("FAIL_MARK");
    int fd = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

static int is_due(void)
{
    if (!ready)
        return 0;
    long count = atomic_fetch_add(&made, 1) + 1;
    if (fail_at == 0 || !(count == fail_at || (for_ever && count > fail_at)))
        return 0;
    if (count == fail_at)
        leave_mark();
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return is_due() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_due() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return is_due() ? NULL : __libc_realloc(old, size);
}
