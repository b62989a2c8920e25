/* set_storm: many processes commit overlapping sets of files in different orders, update single
 * members, and read the sets, while they are killed and stopped; then the history is judged.
 *
 *     set_storm [--scheme transaction|one-by-one] [--writers 12] [--readers 4] [--operations 2000]
 *               [--seconds 5] [--kill-us N] [--stop-us N] [--claim-edited 0]
 *
 * Works in the current directory. `one-by-one` writes the members of a set one after the other: the
 * judge must catch it, and with --claim-edited 1 readers who call every set edited. Prints the
 * figures; ends with 0 if nothing is wrong, 1 if something is.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <untorn.h>

#include "set_history.h"

enum { WORKERS = 64, WAIT_MS = 60000 };

struct storm {
    bool one_by_one;
    long writers, readers, operations, seconds, kill_us, stop_us, claim_edited;
    struct history *history;
    struct set_operation *sets; /* beside each operation; shared */
    atomic_long *acknowledged;  /* by each worker; shared */
    pid_t pids[WORKERS];
    long kills, stops;
};

static struct storm storm;

static void nap(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void tell(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "%s\n", untorn_describe(error, text, sizeof text));
}

/* ---- writers ---- */

static int add_token(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    long number = *(long *)context;
    size_t size = old ? old->size : 0;
    char *list = malloc(size + TOKEN_SIZE + 1);
    if (!list)
        return 1;
    if (size > 0)
        memcpy(list, old->data, size);
    snprintf(list + size, TOKEN_SIZE + 1, "%08ld\n", number);
    untorn_change_give(change, list, size + TOKEN_SIZE);
    return 0;
}

static int commit(int set, long number, uint64_t order, struct untorn_error *error)
{
    struct untorn_options options = {.wait_ms = WAIT_MS};
    struct untorn_transaction *transaction = NULL;
    int rc = untorn_transaction_begin(&options, &transaction, error);
    for (int i = 0; rc == 0 && i < SET_MEMBERS; i++) {
        const char *path =
            set_files[set_members[set][(i + (int)(order % SET_MEMBERS)) % SET_MEMBERS]];
        rc = untorn_transaction_change(transaction, path, add_token, &number, &options, error);
    }
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, error);
    untorn_transaction_free(transaction);
    return rc;
}

static int update(int file, long number, struct untorn_error *error)
{
    struct untorn_options options = {.wait_ms = WAIT_MS};
    return untorn_update(set_files[file], add_token, &number, &options, error);
}

static int commit_one_by_one(int set, long number, struct untorn_error *error)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < SET_MEMBERS; i++)
        rc = update(set_members[set][i], number, error);
    return rc;
}

static void write_on(long worker, uint64_t state)
{
    long number;
    while ((number = history_begin(storm.history, false, (uint32_t)worker)) >= 0) {
        struct set_operation *operation = &storm.sets[number];
        struct untorn_error error;
        uint64_t random = random_next(&state);
        operation->set = (int)(random % 5) < 4 ? (int)(random % 5) % SETS : -1;
        operation->file = (int)(random / 8 % SET_FILES);
        int rc = operation->set < 0 ? update(operation->file, number, &error)
                 : storm.one_by_one ? commit_one_by_one(operation->set, number, &error)
                                    : commit(operation->set, number, random / 64, &error);
        if (rc < 0)
            tell(&error);
        history_end(storm.history, number, rc == 0 ? ACKNOWLEDGED : rc < 0 ? FAILED : UNSETTLED);
        if (rc == 0)
            atomic_fetch_add(&storm.acknowledged[worker], 1);
    }
}

/* ---- readers ---- */

static int read_set(int set, struct set_operation *operation)
{
    const char *paths[SET_MEMBERS];
    struct untorn_content contents[SET_MEMBERS];
    struct untorn_error error;
    struct untorn_options options = {.wait_ms = WAIT_MS};
    for (int i = 0; i < SET_MEMBERS; i++)
        paths[i] = set_files[set_members[set][i]];
    int rc = untorn_read_set(paths, SET_MEMBERS, &options, contents, &error);
    if (rc != 0)
        tell(&error);
    operation->edited = storm.claim_edited || error.flags & UNTORN_FLAG_EDITED;
    for (int i = 0; i < SET_MEMBERS; i++) {
        operation->sizes[i] = contents[i].size;
        operation->hashes[i] = history_hash(contents[i].data, contents[i].size);
        untorn_content_free(&contents[i]);
    }
    return rc;
}

static void read_on(long worker, uint64_t state)
{
    long number;
    while ((number = history_begin(storm.history, true, (uint32_t)worker)) >= 0) {
        int set = (int)(random_next(&state) % SETS);
        storm.sets[number].set = set;
        int rc = read_set(set, &storm.sets[number]);
        history_end(storm.history, number, rc == 0 ? ACKNOWLEDGED : FAILED);
        nap(500);
    }
}

/* ---- weather ---- */

static void start(long worker)
{
    static uint64_t seed = 0x9e3779b97f4a7c15u;
    uint64_t state = random_next(&seed);
    storm.pids[worker] = fork();
    if (storm.pids[worker] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (worker < storm.writers)
        write_on(worker, state);
    else
        read_on(worker, state);
    _exit(0);
}

static void end(long worker)
{
    while (waitpid(storm.pids[worker], NULL, 0) < 0 && errno == EINTR) {}
}

static void rage(void)
{
    uint64_t state = 0x2545f4914f6cdd1du;
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        nap(storm.kill_us > 0 ? storm.kill_us : 1000);
        long worker = (long)(random_next(&state) % (uint64_t)storm.writers);
        if (storm.kill_us > 0) {
            kill(storm.pids[worker], SIGKILL);
            end(worker);
            storm.kills++;
            start(worker);
        }
        if (storm.stop_us > 0) {
            worker = (long)(random_next(&state) % (uint64_t)storm.writers);
            kill(storm.pids[worker], SIGSTOP);
            nap(storm.stop_us);
            kill(storm.pids[worker], SIGCONT);
            storm.stops++;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (atomic_load(&storm.history->used) < storm.operations &&
             now.tv_sec - begin.tv_sec < storm.seconds);
    atomic_fetch_add(&storm.history->used, storm.operations); /* nobody begins another */
}

static bool judge(void)
{
    struct set_verdict v;
    struct untorn_content contents[SET_FILES];
    struct untorn_error error;
    char *data[SET_FILES];
    size_t sizes[SET_FILES];
    if (untorn_read_set(set_files, SET_FILES, NULL, contents, &error) != 0) {
        tell(&error);
        return false;
    }
    for (int i = 0; i < SET_FILES; i++) {
        data[i] = contents[i].data;
        sizes[i] = contents[i].size;
    }
    bool good = set_history_judge(storm.history, storm.sets, data, sizes, &v);
    long idle = 0;
    for (long i = 0; i < storm.writers; i++)
        idle += atomic_load(&storm.acknowledged[i]) == 0;
    printf("    %ld commits, %ld updates (%ld acknowledged, %ld failed, %ld in doubt of which %ld "
           "applied), %ld reads, %ld kills, %ld stops\n",
           v.commits, v.updates, v.acknowledged, v.failed, v.in_doubt, v.in_doubt_applied, v.reads,
           storm.kills, storm.stops);
    printf("    lost %ld, torn sets %ld, doubled %ld, phantoms %ld, out of order %ld, mixed reads "
           "%ld, stale reads %ld, failed reads %ld, edited reads %ld, falsely %ld, starved writers "
           "%ld\n",
           v.lost, v.torn_sets, v.doubled, v.phantoms, v.out_of_order, v.mixed_reads, v.stale_reads,
           v.failed_reads, v.edited_reads, v.falsely_edited, idle);
    if (!storm.one_by_one && storm.claim_edited == 0)
        history_tally(v.commits + v.updates, storm.kills);
    for (int i = 0; i < SET_FILES; i++)
        untorn_content_free(&contents[i]);
    return good && idle == 0 && v.failed == 0 && v.acknowledged > 0;
}

/* ---- the command line ---- */

static const struct option options[] = {
    {"scheme", required_argument, NULL, 's'},
    {"writers", required_argument, NULL, 'w'},
    {"readers", required_argument, NULL, 'r'},
    {"operations", required_argument, NULL, 'o'},
    {"seconds", required_argument, NULL, 'd'},
    {"kill-us", required_argument, NULL, 'k'},
    {"stop-us", required_argument, NULL, 'z'},
    {"claim-edited", required_argument, NULL, 'e'},
    {NULL, 0, NULL, 0},
};

static void take(int code, const char *value)
{
    long *numbers[] = {
        ['w'] = &storm.writers,     ['r'] = &storm.readers, ['o'] = &storm.operations,
        ['d'] = &storm.seconds,     ['k'] = &storm.kill_us, ['z'] = &storm.stop_us,
        ['e'] = &storm.claim_edited};
    if (code == 's')
        storm.one_by_one = strcmp(value, "one-by-one") == 0;
    else if (code == '?')
        exit(125);
    else
        *numbers[code] = atol(value);
}

static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(125);
    return memory;
}

int main(int count, char **values)
{
    storm = (struct storm){.writers = 12, .readers = 4, .operations = 2000, .seconds = 5};
    int code;
    while ((code = getopt_long(count, values, "", options, NULL)) != -1)
        take(code, optarg);
    if (storm.writers < 1 || storm.writers + storm.readers > WORKERS)
        return 125;
    if ((mkdir("one", 0777) != 0 || mkdir("two", 0777) != 0) && errno != EEXIST)
        return 125;
    storm.history = history_make(storm.operations);
    storm.sets = share((size_t)storm.operations * sizeof *storm.sets);
    storm.acknowledged = share(WORKERS * sizeof *storm.acknowledged);
    fflush(NULL);
    for (long i = 0; i < storm.writers + storm.readers; i++)
        start(i);
    rage();
    for (long i = 0; i < storm.writers + storm.readers; i++)
        end(i);
    return judge() ? 0 : 1;
}
