/* Memory that processes share. Each sees it at an address of its own, as real ones do, so that a
 * pointer kept in it leads nowhere in another process; who left sees it no more at all.
 *
 * The memory itself is kept from machine to machine: tests that run many of them would otherwise
 * ask the real system for it each time.
 */
#define _GNU_SOURCE
#include "os/sim/world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STORES = 16, FIRST_HANDLE = 50000, HANDLES_EACH = 1000, PIECE = 1024 };

static struct store {
    struct sim_area *area; /* NULL: free */
    int file;
    size_t size; /* 0: never used */
    char *views[SIM_PROCESSES];
    bool shown[SIM_PROCESSES];
    char *hashed; /* as it was when its hash was last asked for */
    uint64_t hash;
} stores[STORES];

struct member {
    struct member *next;
    int process;
    os_fd handle;
};

/* Who last wrote a word, as his history was then: that history decided what else he had written
 * before, and whoever reads the word may now read that. */
struct word {
    struct word *next;
    size_t offset;
    uint64_t writer;
};

struct sim_area {
    struct sim_area *next;
    struct store *store; /* NULL: all have left */
    size_t size;
    uint64_t number;
    uint32_t user;
    struct member *members;
    struct word *words;
};

/* ---- the real memory ---- */

static int new_file(size_t size)
{
    int file = memfd_create("simulated area", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size) < 0)
        sim_panic("no memory for an area");
    return file;
}

static char *new_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        sim_panic("no memory for an area");
    return memory;
}

static void give_up(struct store *store)
{
    munmap(store->hashed, store->size);
    for (int i = 0; i < SIM_PROCESSES; i++)
        if (store->views[i])
            munmap(store->views[i], store->size);
    close(store->file);
    *store = (struct store){0};
}

static struct store *find_store(size_t size)
{
    struct store *any = NULL;
    for (int i = 0; i < STORES; i++) {
        if (!stores[i].area && stores[i].size == size)
            return &stores[i];
        if (!stores[i].area && (!any || stores[i].size == 0))
            any = &stores[i];
    }
    if (!any)
        sim_panic("too many areas");
    if (any->size)
        give_up(any);
    any->size = size;
    any->file = new_file(size);
    any->hashed = new_memory(size);
    return any;
}

static void show(struct store *store, int process, bool shown)
{
    char **view = &store->views[process];
    if (!*view)
        *view = mmap(NULL, store->size, PROT_READ | PROT_WRITE, MAP_SHARED, store->file, 0);
    else if (store->shown[process] != shown)
        mprotect(*view, store->size, shown ? PROT_READ | PROT_WRITE : PROT_NONE);
    if (*view == MAP_FAILED)
        sim_panic("no memory for an area");
    store->shown[process] = shown;
}

/* ---- who has it ---- */

static void add_member(struct sim_area *area, struct os_area *ret_area)
{
    struct sim_process *process = &sim->processes[sim->process];
    struct member *member = sim_alloc(sizeof *member);
    member->process = sim->process;
    member->handle = sim->first_handle + FIRST_HANDLE + (os_fd)sim->process * HANDLES_EACH +
                     process->areas++ % HANDLES_EACH;
    member->next = area->members;
    area->members = member;
    show(area->store, sim->process, true);
    *ret_area = (struct os_area){.memory = area->store->views[sim->process],
                                 .size = area->size,
                                 .handle = member->handle,
                                 .number = area->number};
}

static struct member **find_member(struct sim_area *area, int process, os_fd handle)
{
    struct member **link = &area->members;
    while (*link && ((*link)->process != process || (*link)->handle != handle))
        link = &(*link)->next;
    return link;
}

static void end_area(struct sim_area *area)
{
    for (int i = 0; i < SIM_PROCESSES; i++)
        if (area->store->views[i])
            show(area->store, i, false);
    area->store->area = NULL;
    area->store = NULL;
    area->members = NULL;
}

static void remove_member(struct sim_area *area, struct member **link)
{
    int process = (*link)->process;
    *link = (*link)->next;
    bool has_it = false;
    for (const struct member *member = area->members; member; member = member->next)
        has_it |= member->process == process;
    if (!has_it)
        show(area->store, process, false);
    if (!area->members)
        end_area(area);
}

void sim_areas_leave(int process)
{
    for (struct sim_area *area = sim->areas; area; area = area->next) {
        struct member **link = &area->members;
        while (area->store && *link) {
            if ((*link)->process == process)
                remove_member(area, link);
            else
                link = &(*link)->next;
        }
    }
}

void sim_areas_end(void)
{
    for (struct sim_area *area = sim->areas; area; area = area->next)
        if (area->store)
            end_area(area);
    sim->areas = NULL;
}

/* A sum over pieces, of which mostly few have changed since; 0 for zeros. */
static uint64_t hash_of(const struct sim_area *area)
{
    struct store *store = area->store;
    const char *view = store->views[area->members->process];
    for (size_t at = 0; at < area->size; at += PIECE) {
        size_t size = area->size - at < PIECE ? area->size - at : PIECE;
        if (memcmp(view + at, store->hashed + at, size) == 0)
            continue;
        store->hash -= sim_mix_bytes(at + 1, store->hashed + at, size);
        store->hash += sim_mix_bytes(at + 1, view + at, size);
        memcpy(store->hashed + at, view + at, size);
    }
    return sim_mix(area->number, store->hash);
}

uint64_t sim_areas_hash(void)
{
    uint64_t hash = 0;
    for (const struct sim_area *area = sim->areas; area; area = area->next)
        if (area->store)
            hash += hash_of(area);
    return hash;
}

/* ---- the verbs ---- */

int os_area_make(size_t size, struct os_area *ret_area)
{
    int rc = sim_begin(SIM_AREA_MAKE, (struct sim_place){OS_NONE, NULL});
    sim_this_call()->size = size;
    if (rc == 0 && sim->options.no_areas)
        rc = -ENOSYS;
    if (rc == 0 && size == 0)
        rc = -EINVAL;
    if (rc < 0)
        return (int)sim_end(rc);
    struct sim_area *area = sim_alloc(sizeof *area);
    *area = (struct sim_area){.next = sim->areas,
                              .store = find_store(size),
                              .size = size,
                              .number = ++sim->area_numbers,
                              .user = sim->processes[sim->process].user};
    area->store->area = area;
    sim->areas = area;
    add_member(area, ret_area);
    memset(ret_area->memory, 0, size);
    sim_observe_number(area->number);
    return (int)sim_end(0);
}

int os_area_join(int64_t pid, os_fd handle, uint64_t number, size_t size, struct os_area *ret_area)
{
    int rc = sim_begin(SIM_AREA_JOIN, (struct sim_place){OS_NONE, NULL});
    struct sim_area *area = sim->areas;
    while (area && !*find_member(area, (int)pid - 1000, handle))
        area = area->next;
    if (rc == 0 && (!area || area->number != number || area->size != size ||
                    area->user != sim->processes[sim->process].user))
        rc = -ENOENT;
    if (rc == 0) {
        add_member(area, ret_area);
        sim_observe_number(hash_of(area));
    }
    return (int)sim_end(rc);
}

void os_area_leave(struct os_area *left)
{
    if (left->memory) {
        (void)sim_begin(SIM_AREA_LEAVE, (struct sim_place){OS_NONE, NULL});
        struct sim_area *area = sim->areas;
        while (area && !*find_member(area, sim->process, left->handle))
            area = area->next;
        if (area)
            remove_member(area, find_member(area, sim->process, left->handle));
        else
            sim_misused("leaving an area that this process does not have");
        sim_end(0);
    }
    *left = (struct os_area){.handle = OS_NONE};
}

/* ---- words ---- */

struct spot {
    struct sim_area *area;
    size_t offset;
};

static struct spot spot_of(const uint32_t *word)
{
    for (struct sim_area *area = sim->areas; area; area = area->next) {
        const char *view = area->store ? area->store->views[sim->process] : NULL;
        size_t offset = (size_t)((const char *)word - view);
        if (view && area->store->shown[sim->process] && (const char *)word >= view &&
            offset + sizeof *word <= area->size)
            return (struct spot){area, offset};
    }
    sim_panic("a word that is in no area of this process");
}

static uint64_t *writer_of(struct spot spot)
{
    struct word *word = spot.area->words;
    while (word && word->offset != spot.offset)
        word = word->next;
    if (!word) {
        word = sim_alloc(sizeof *word);
        *word = (struct word){spot.area->words, spot.offset, 0};
        spot.area->words = word;
    }
    return &word->writer;
}

/* Others may go on first. */
static struct spot reach(const uint32_t *word)
{
    struct spot spot = spot_of(word);
    if (sim->turns)
        sim->turns->reach(
            &(struct sim_point){.kind = SIM_POINT_WORD, .area = spot.area, .offset = spot.offset});
    return spot;
}

static void observe(struct spot spot, uint64_t seen)
{
    sim_observe_number(seen);
    sim->processes[sim->process].looks++;
    if (sim->turns)
        sim_observe_number(*writer_of(spot));
}

static void sign(struct spot spot)
{
    sim->processes[sim->process].looks = 0;
    sim_observe_number(1); /* what it writes after this is another thing */
    if (sim->turns)
        *writer_of(spot) = sim->processes[sim->process].history;
}

__attribute__((format(printf, 2, 3))) static void tell(struct spot spot, const char *format, ...)
{
    char what[100], text[200];
    va_list arguments;
    if (!sim->telling)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "[process %d] word %zu of area %llu: %s", sim->process,
             spot.offset / sizeof(uint32_t), (unsigned long long)spot.area->number, what);
    sim_note(text);
}

uint32_t os_load(const uint32_t *word)
{
    struct spot spot = reach(word);
    uint32_t value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    observe(spot, value);
    tell(spot, "load gives %u", (unsigned)value);
    return value;
}

void os_store(uint32_t *word, uint32_t value)
{
    struct spot spot = reach(word);
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    sign(spot);
    tell(spot, "store %u", (unsigned)value);
}

bool os_swap(uint32_t *word, uint32_t from, uint32_t to)
{
    struct spot spot = reach(word);
    uint32_t was = from;
    bool done =
        __atomic_compare_exchange_n(word, &was, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    observe(spot, done);
    if (done)
        sign(spot);
    tell(spot, "swap %u for %u%s", (unsigned)from, (unsigned)to, done ? "" : " fails");
    return done;
}

void os_wait(const uint32_t *word, uint32_t value, uint64_t duration_ns)
{
    struct spot spot = reach(word);
    bool waits = __atomic_load_n(word, __ATOMIC_SEQ_CST) == value;
    observe(spot, waits);
    tell(spot, waits ? "wait while it is %u" : "no wait: it is not %u", (unsigned)value);
    if (!waits)
        return;
    if (!sim->turns) {
        os_sleep_ns(duration_ns);
        return;
    }
    sim->turns->reach(&(struct sim_point){.kind = SIM_POINT_SLEEP,
                                          .until = sim_time_in(duration_ns),
                                          .area = spot.area,
                                          .offset = spot.offset});
}

void os_wake(uint32_t *word)
{
    struct spot spot = reach(word);
    tell(spot, "wake all who wait");
    if (sim->turns)
        sim->turns->wake(spot.area, spot.offset);
}
