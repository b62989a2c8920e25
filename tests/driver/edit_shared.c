#include "edit_shared.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "place.h"

const char *const edit_kind_names[EDIT_KINDS] = {
    [EDIT_INSERT] = "insert",     [EDIT_SET] = "set",
    [EDIT_PATCH] = "patch",       [EDIT_SEVERAL] = "several",
    [EDIT_LARGE] = "large",       [EDIT_MADE_AND_UNSET] = "made-and-unset",
    [EDIT_FUNCTION] = "function", [EDIT_BAD_VALUE] = "bad-value",
    [EDIT_BAD_TYPE] = "bad-type", [EDIT_BAD_TEST] = "bad-test",
    [EDIT_BAD_KEY] = "bad-key",   [EDIT_BAD_HASH] = "bad-hash",
    [EDIT_READ] = "read",
};

const char *const edit_fault_names[EDIT_FAULTS] = {
    [FAULT_NONE] = "none",
    [FAULT_FORGET] = "forget",
    [FAULT_TWICE] = "twice",
    [FAULT_LATE] = "late",
    [FAULT_OTHER_PAST] = "other-past",
    [FAULT_SWAP] = "swap",
    [FAULT_TEAR] = "tear",
    [FAULT_OLD_READ] = "old-read",
    [FAULT_SHARED_FATE] = "shared-fate",
    [FAULT_IMPATIENT] = "impatient",
    [FAULT_NEEDLESS] = "needless",
    [FAULT_HALF] = "half",
    [FAULT_LITTER] = "litter",
    [FAULT_HANG] = "hang",
    [FAULT_CRASH] = "crash",
    [FAULT_REPEAT] = "repeat",
    [FAULT_TRUST] = "trust",
    [FAULT_FORESTALL] = "forestall",
    [FAULT_TURN_AWAY] = "turn-away",
};

/* ---- memory ---- */

static size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

static size_t size_of_file(const struct edit_orders *orders)
{
    return aligned(history_size(orders->limit)) +
           aligned((size_t)orders->limit * sizeof(struct edit_operation));
}

static struct edit_shared *map(int fd, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        place_die("cannot map", "the history");
    return memory;
}

struct edit_shared *edit_shared_make(const struct edit_orders *orders, int *ret_fd)
{
    size_t size =
        aligned(sizeof(struct edit_shared)) + (size_t)orders->files * size_of_file(orders);
    *ret_fd = memfd_create("history", 0);
    if (*ret_fd < 0 || ftruncate(*ret_fd, (off_t)size) != 0)
        place_die("cannot make", "the history");
    struct edit_shared *shared = map(*ret_fd, size);
    shared->orders = *orders;
    return shared;
}

struct edit_shared *edit_shared_open(int fd)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        place_die("cannot open", "the history");
    return map(fd, (size_t)about.st_size);
}

struct history *edit_history(struct edit_shared *shared, long file)
{
    char *memory = (char *)shared + aligned(sizeof *shared);
    return (struct history *)(void *)(memory + (size_t)file * size_of_file(&shared->orders));
}

struct edit_operation *edit_operations(struct edit_shared *shared, long file)
{
    char *memory = (char *)edit_history(shared, file) + aligned(history_size(shared->orders.limit));
    return (struct edit_operation *)(void *)memory;
}

void edit_histories_reset(struct edit_shared *shared)
{
    for (long i = 0; i < shared->orders.files; i++) {
        memset(edit_history(shared, i), 0, size_of_file(&shared->orders));
        history_reset(edit_history(shared, i), shared->orders.limit);
        atomic_store(&shared->intends[i], false);
    }
    for (long i = 0; i < EDIT_WORKERS * EDIT_SEATS; i++)
        atomic_store(&shared->letters[i].state, LETTER_NONE);
}

bool edit_histories_full(struct edit_shared *shared)
{
    for (long i = 0; i < shared->orders.files; i++)
        if (atomic_load(&edit_history(shared, i)->used) < shared->orders.limit)
            return false;
    return true;
}

void edit_histories_close(struct edit_shared *shared)
{
    for (long i = 0; i < shared->orders.files; i++)
        atomic_fetch_add(&edit_history(shared, i)->used, shared->orders.limit);
}

const char *edit_file_name(long epoch, long file, char name[EDIT_NAME])
{
    snprintf(name, EDIT_NAME, "list-%ld-%ld.%s", epoch, file,
             (epoch + file) % 3 == 2 ? "toml" : "json");
    return name;
}

/* ---- chance ---- */

/* splitmix64 */
static uint64_t random_next(struct edit_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct edit_random edit_random_of(uint64_t seed, uint64_t who, uint64_t incarnation)
{
    struct edit_random random = {seed};
    random.state = random_next(&random) ^ who;
    random.state = random_next(&random) ^ incarnation;
    return random;
}

uint64_t edit_random_below(struct edit_random *random, uint64_t limit)
{
    return random_next(random) % limit;
}

void edit_nap(long microseconds)
{
    nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
}
