/* run: plain */
#include "heap.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* So that the compiler does not know them, and leaves nothing out. */
static void *(*volatile allocate)(size_t) = malloc;
static void *(*volatile allocate_more)(void *, size_t) = realloc;

TEST(the_allocation_that_was_named_fails_and_no_other)
{
    heap_needed();
    heap_fail(2);
    void *first = allocate(1), *second = allocate(1), *third = allocate(1);
    CHECK(first && !second && third);
    CHECK(heap_failed());
    heap_fail(1);
    CHECK(!allocate_more(first, 2)); /* and what was there is there still */
    CHECK(heap_failed());
    heap_fail(1);
    CHECK(!heap_failed()); /* it was not met */
    heap_fail(1);
    CHECK(!pages_take(PAGES_LARGE));
    CHECK(heap_failed());
    void *fourth = allocate(1);
    CHECK(fourth);
    free(first);
    free(third);
    free(fourth);
}

TEST(what_is_allocated_and_freed_is_counted)
{
    heap_needed();
    long before = heap.live;
    void *memory = allocate(1);
    CHECK_INT(heap.live, before + 1);
    memory = allocate_more(memory, 100);
    CHECK_INT(heap.live, before + 1);
    free(memory);
    CHECK_INT(heap.live, before);
}

static bool always(void)
{
    return true;
}

TEST(somebody_else_may_decide)
{
    heap_needed();
    heap.decides = always;
    void *memory = allocate(1);
    heap.decides = NULL;
    CHECK(!memory);
}

static bool honest(void)
{
    void *one = allocate(1), *other = allocate(1);
    bool whole = one && other;
    free(one);
    free(other);
    return whole;
}

static bool leaks(void)
{
    return allocate(1) != NULL;
}

static bool lies(void)
{
    free(allocate(1));
    return true;
}

static bool gives_up(void)
{
    free(allocate(1));
    return false;
}

static int status_of_walk(bool (*call)(void))
{
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        int quiet = open("/dev/null", O_WRONLY);
        CHECK(dup2(quiet, STDOUT_FILENO) >= 0 && dup2(quiet, STDERR_FILENO) >= 0);
        _exit(heap_walk(call));
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_walk_counts_the_allocations_and_notices_leaks_and_lies)
{
    heap_needed();
    CHECK_INT(status_of_walk(honest), 2);
    CHECK_INT(status_of_walk(leaks), HARNESS_FAILED);
    CHECK_INT(status_of_walk(lies), HARNESS_FAILED);
    CHECK_INT(status_of_walk(gives_up), HARNESS_FAILED);
}
