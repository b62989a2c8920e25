#include "edit_work.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edit_scheme.h"

enum {
    MISBEHAVE_ONE_IN = 40,
    PARKED_US = 200,
    READER_US = 300,
    MOST_IMPATIENT_MS = 20,
    FAULTY_WAIT_MS = 5,
    STRANGE_CHILD = 99,
    MOST_OF_A_CHILD = 40,
};

struct sitter {
    struct edit_shared *shared;
    long worker, place;
    struct edit_seat *seat;
    struct edit_random random;
    pid_t child;    /* that this one forked; 0: none */
    long remaining; /* operations of this one, if it is such a child; -1: it is not */
};

static struct sitter sit_down(struct edit_shared *shared, long worker, long place,
                              uint64_t incarnation)
{
    uint64_t who = (uint64_t)(worker * EDIT_SEATS + place);
    return (struct sitter){.shared = shared,
                           .worker = worker,
                           .place = place,
                           .seat = &shared->seats[worker][place],
                           .remaining = -1,
                           .random = edit_random_of(shared->orders.seed, who, incarnation)};
}

static bool by_chance(struct sitter *sitter, long percent)
{
    return (long)edit_random_below(&sitter->random, 100) < percent;
}

/* ---- one operation ---- */

static enum edit_kind choose_kind(struct sitter *sitter)
{
    const struct edit_orders *orders = &sitter->shared->orders;
    if (by_chance(sitter, orders->bad_percent)) {
        uint64_t bad = edit_random_below(&sitter->random, EDIT_BAD_HASH - EDIT_BAD_VALUE + 1);
        return (enum edit_kind)(EDIT_BAD_VALUE + (int)bad);
    }
    if (by_chance(sitter, orders->function_percent))
        return EDIT_FUNCTION;
    return (enum edit_kind)edit_random_below(&sitter->random, EDIT_FUNCTION);
}

static void choose_options(struct sitter *sitter, struct untorn_options *options)
{
    static const int keeps[] = {0, 0, 0, 0, 0, 0, 2, UNTORN_KEEP_NONE};
    static const enum untorn_level levels[] = {UNTORN_CACHE, UNTORN_CACHE, UNTORN_ORDERED,
                                               UNTORN_DURABLE};
    const struct edit_orders *orders = &sitter->shared->orders;
    *options = (struct untorn_options){.wait_ms = (int)orders->wait_ms};
    if (by_chance(sitter, orders->impatient_percent)) {
        uint64_t ms = edit_random_below(&sitter->random, MOST_IMPATIENT_MS + 1);
        options->wait_ms = ms == 0 ? UNTORN_TRY_ONCE : (int)ms;
    }
    options->keep = keeps[edit_random_below(&sitter->random, 8)];
    uint64_t level = edit_random_below(&sitter->random, 4);
    options->level = orders->level < 0 ? levels[level] : (enum untorn_level)orders->level;
}

/* Only an update that can show it misbehaves. */
static bool choose_to_misbehave(struct sitter *sitter, struct edit_job *job)
{
    int fault = sitter->shared->orders.fault;
    bool chosen = edit_random_below(&sitter->random, MISBEHAVE_ONE_IN) == 0;
    if (!chosen || fault == FAULT_NONE || (fault == FAULT_OLD_READ) != (job->kind == EDIT_READ))
        return false;
    if (fault == FAULT_HALF)
        job->kind = EDIT_SEVERAL;
    else if (fault == FAULT_OTHER_PAST)
        job->kind = EDIT_FUNCTION;
    else if (job->kind > EDIT_FUNCTION && job->kind != EDIT_READ)
        return false;
    if (fault == FAULT_LATE || fault == FAULT_IMPATIENT)
        job->options.wait_ms = FAULTY_WAIT_MS;
    return true;
}

/* One file has many names; who knows it by another must not miss the others' updates. */
static void choose_path(struct sitter *sitter, struct edit_job *job)
{
    char here[EDIT_PATH / 2] = "";
    uint64_t choice = edit_random_below(&sitter->random, 8);
    if (choice == 0 && getcwd(here, sizeof here))
        snprintf(job->path, sizeof job->path, "%s/%s", here, job->name);
    else
        snprintf(job->path, sizeof job->path, "%s%s",
                 choice == 1   ? EDIT_DETOUR "/"
                 : choice == 2 ? "./"
                               : "",
                 job->name);
}

static enum outcome outcome_of(int rc)
{
    return rc == 0 ? ACKNOWLEDGED : rc < 0 ? FAILED : UNSETTLED;
}

static void carry_out(struct edit_job *job)
{
    static const struct untorn_hash no_hash;
    struct edit_operation *operation = &edit_operations(job->shared, job->file)[job->number];
    if (job->kind == EDIT_BAD_HASH)
        job->options.if_match = &no_hash;
    operation->kind = (int)job->kind;
    operation->wait_ms = job->options.wait_ms;
    operation->status = edit_scheme_update(job);
    history_end(edit_history(job->shared, job->file), job->number, outcome_of(operation->status));
}

static void look(struct edit_job *job)
{
    struct edit_list list = {0};
    struct history *history = edit_history(job->shared, job->file);
    struct operation *operation = &history->operations[job->number];
    edit_operations(job->shared, job->file)[job->number].kind = EDIT_READ;
    bool good = edit_scheme_read(job, &list);
    edit_operations(job->shared, job->file)[job->number].status = good ? 0 : -UNTORN_FAILED;
    operation->read_count = (long)(list.size / TOKEN_SIZE);
    operation->read_hash = history_hash(list.tokens, list.size);
    edit_operations(job->shared, job->file)[job->number].mixed = list.mixed;
    edit_list_free(&list);
    history_end(history, job->number, good ? ACKNOWLEDGED : FAILED);
}

/* False if all histories are full. */
static bool begin(struct sitter *sitter, struct edit_job *job, bool is_read)
{
    long files = sitter->shared->orders.files;
    uint32_t who = (uint32_t)(sitter->worker * EDIT_SEATS + sitter->place);
    long first = (long)edit_random_below(&sitter->random, (uint64_t)files);
    job->number = -1;
    for (long i = 0; i < files && job->number < 0; i++) {
        job->file = (first + i) % files;
        job->number = history_begin(edit_history(sitter->shared, job->file), is_read, who);
    }
    return job->number >= 0;
}

static bool operate(struct sitter *sitter, long epoch)
{
    struct edit_job job = {.shared = sitter->shared};
    bool is_reader = sitter->worker >= sitter->shared->orders.processes;
    job.kind = is_reader ? EDIT_READ : choose_kind(sitter);
    choose_options(sitter, &job.options);
    job.misbehave = choose_to_misbehave(sitter, &job);
    atomic_store(&sitter->seat->patience_ms, is_reader ? 0 : job.options.wait_ms);
    atomic_store(&sitter->seat->number, -1);
    atomic_store(&sitter->seat->busy_since, history_now());
    bool begun = begin(sitter, &job, is_reader);
    if (begun) {
        atomic_store(&sitter->seat->file, job.file);
        atomic_store(&sitter->seat->number, job.number);
        edit_file_name(epoch, job.file, job.name);
        choose_path(sitter, &job);
        if (is_reader)
            look(&job);
        else
            carry_out(&job);
    }
    atomic_store(&sitter->seat->busy_since, 0);
    return begun;
}

void edit_work_last(struct edit_shared *shared, long file, long number)
{
    struct edit_job job = {.shared = shared, .file = file, .number = number, .kind = EDIT_SEVERAL};
    job.options.wait_ms = (int)shared->orders.wait_ms;
    job.options.level = UNTORN_CACHE;
    edit_file_name(atomic_load(&shared->epoch), file, job.name);
    snprintf(job.path, sizeof job.path, "%s", job.name);
    edit_history(shared, file)->operations[number].begun = history_now();
    carry_out(&job);
}

/* ---- many ---- */

static void sit(struct sitter *sitter);

/* `flags` WNOHANG: if it has ended. */
static void end_child(struct sitter *sitter, int flags)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(sitter->child, &status, flags)) < 0 && errno == EINTR) {}
    if (ended == 0)
        return;
    sitter->child = 0;
    if (status != 0) {
        fprintf(stderr, "the forked child of worker %ld ended by itself with %d\n", sitter->worker,
                status);
        _exit(STRANGE_CHILD);
    }
}

/* Without exec: parent and child both go on, as the same program in the same state. */
static void fork_child(struct sitter *sitter)
{
    struct edit_seat *seat = &sitter->shared->seats[sitter->worker][EDIT_THREADS];
    uint64_t incarnation = edit_random_below(&sitter->random, UINT64_MAX);
    bool free_seat = false;
    if (!atomic_compare_exchange_strong(&seat->taken, &free_seat, true))
        return; /* by the child of a predecessor that was killed */
    atomic_store(&seat->group, getpgrp());
    pid_t child = fork();
    if (child < 0) {
        atomic_store(&seat->taken, false);
    } else if (child > 0) {
        sitter->child = child;
        atomic_fetch_add(&sitter->shared->forks, 1);
    } else {
        struct sitter self = sit_down(sitter->shared, sitter->worker, EDIT_THREADS, incarnation);
        self.remaining = 1 + (long)edit_random_below(&self.random, MOST_OF_A_CHILD);
        sit(&self);
        atomic_store(&seat->busy_since, 0);
        atomic_store(&seat->taken, false);
        _exit(0);
    }
}

static void park(struct sitter *sitter, long epoch)
{
    if (sitter->child > 0)
        end_child(sitter, 0);
    atomic_store(&sitter->seat->parked, epoch);
    while (atomic_load(&sitter->shared->epoch) == epoch && !atomic_load(&sitter->shared->over))
        edit_nap(PARKED_US);
}

static void sit(struct sitter *sitter)
{
    const struct edit_orders *orders = &sitter->shared->orders;
    while (!atomic_load(&sitter->shared->over) && sitter->remaining != 0) {
        long epoch = atomic_load(&sitter->shared->epoch);
        if (!operate(sitter, epoch)) {
            if (sitter->remaining > 0)
                return;
            park(sitter, epoch);
        } else if (sitter->worker >= orders->processes) {
            edit_nap(READER_US);
        } else if (sitter->remaining > 0) {
            sitter->remaining--;
        } else if (sitter->child > 0) {
            end_child(sitter, WNOHANG);
        } else if (sitter->place == 0 &&
                   (long)edit_random_below(&sitter->random, 1000) < orders->fork_permille) {
            fork_child(sitter);
        }
    }
}

static void *sit_in_thread(void *sitter)
{
    sit(sitter);
    return NULL;
}

void edit_work(struct edit_shared *shared, long worker, uint64_t incarnation)
{
    pthread_t threads[EDIT_THREADS];
    struct sitter sitters[EDIT_THREADS];
    long count = worker < shared->orders.processes ? shared->orders.threads : 1;
    for (long i = 0; i < count; i++) {
        sitters[i] = sit_down(shared, worker, i, incarnation);
        if (i > 0 && pthread_create(&threads[i], NULL, sit_in_thread, &sitters[i]) != 0)
            _exit(125);
    }
    sit(&sitters[0]);
    for (long i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}
