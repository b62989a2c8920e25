/* Memory shared by the processes of one user. */
#include "harness.h"

#include <signal.h>
#include <sys/mman.h>

#include "file/support.h"
#include "os/os.h"

enum { SIZE = 8192 };

static struct os_area make(void)
{
    struct os_area area;
    CHECK_INT(os_area_make(SIZE, &area), 0);
    return area;
}

static int join(const struct os_area *area, struct os_area *ret_joined)
{
    return os_area_join(getppid(), area->handle, area->number, area->size, ret_joined);
}

static void add_one(void *context)
{
    struct os_area joined;
    CHECK_INT(join(context, &joined), 0);
    CHECK_INT(joined.number, ((struct os_area *)context)->number);
    CHECK_INT(joined.size, SIZE);
    uint32_t *word = joined.memory;
    CHECK_INT(os_load(word), 7);
    CHECK(!os_swap(word, 6, 9));
    CHECK(os_swap(word, 7, 8));
    os_store(word + 1, 5);
    os_wake(word);
    os_area_leave(&joined);
    os_area_leave(&joined);
}

TEST(another_process_sees_the_same)
{
    struct os_area area = make();
    uint32_t *word = area.memory;
    CHECK_INT(os_load(word), 0);
    CHECK_INT(os_load(word + SIZE / 4 - 1), 0);
    os_store(word, 7);
    pid_t child = start_child(add_one, &area);
    while (os_load(word) == 7)
        os_wait(word, 7, 1000000000);
    finish_child(child);
    CHECK_INT(os_load(word), 8);
    CHECK_INT(os_load(word + 1), 5);
    os_wait(word, 7, UINT64_MAX); /* it is not 7 */
    os_wait(word, 8, 1000);       /* not for ever */
    os_area_leave(&area);
}

static void is_refused(void *context)
{
    struct os_area joined;
    CHECK_INT(join(context, &joined), -ENOENT);
    CHECK(!joined.memory);
}

TEST(only_what_was_meant_is_joined)
{
    struct os_area area = make(), other = area;
    other.number++;
    in_child(is_refused, &other);
    other = area;
    other.size = SIZE / 2;
    in_child(is_refused, &other);
    other = area;
    other.handle += 100;
    in_child(is_refused, &other);
    os_area_leave(&area);
    in_child(is_refused, &area);
}

TEST(another_user_is_kept_out)
{
    struct os_area area = make();
    need_root();
    in_child_as(ALICE, ALICE, is_refused, &area);
    os_area_leave(&area);
}

static void names_a_descriptor(int file)
{
    struct stat status;
    CHECK_INT(fstat(file, &status), 0);
    struct os_area area = {.handle = file, .number = status.st_ino, .size = SIZE};
    in_child(is_refused, &area);
}

/* Whoever may write the lock file may name any descriptor of any process. */
TEST(no_other_descriptor_is_taken_for_one)
{
    char zeros[SIZE] = "";
    int unsealed = memfd_create("test", 0), pipes[2];
    CHECK_INT(ftruncate(unsealed, SIZE), 0);
    CHECK_INT(fchmod(unsealed, 0600), 0);
    names_a_descriptor(unsealed);
    put_bytes("file", zeros, sizeof zeros);
    CHECK_INT(chmod("file", 0600), 0);
    int file = open("file", O_RDWR);
    names_a_descriptor(file);
    CHECK_INT(pipe(pipes), 0);
    names_a_descriptor(pipes[0]);
    names_a_descriptor(open("/dev/null", O_RDWR));
    close(unsealed);
    close(file);
}

static void writes_behind(void *context)
{
    struct os_area area = make();
    (void)context;
    CHECK(ftruncate((int)area.handle, 0) < 0);
    CHECK(ftruncate((int)area.handle, SIZE * 2) < 0);
    CHECK_INT(((char *)area.memory)[SIZE - 1], 0);
}

TEST(nobody_can_cut_it)
{
    in_child(writes_behind, NULL);
}
