/* update_storm: many processes and threads change one file at once, are killed and stopped while
 * they do, and have untorn's folder removed under them; then the history is judged.
 *
 *     update_storm --scheme library --file F [--processes 16] [--threads 1] [--operations 2000]
 *                  [--seconds 3] [--readers N] [--kill-us N] [--stop-us N] [--rinse COMMAND]
 *                  [--untorn PATH] [--lock-file PATH] [--in-place]
 *
 * --rinse runs a shell command over and over meanwhile (`rm -rf .untorn`). Prints the figures; ends
 * with 0 if nothing is wrong, 1 if something is.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scheme.h"

enum { PROCESSES = 64, THREADS = 16 };

struct storm {
    const struct scheme *scheme;
    struct job job;
    long processes, threads, operations, seconds, readers, kill_us, stop_us;
    const char *rinse;
    pid_t pids[PROCESSES];
    pid_t rinser;
    long kills, stops;
};

static struct storm storm;

static void nap(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* ---- workers ---- */

static void *write_on(void *argument)
{
    uint32_t worker = (uint32_t)(uintptr_t)argument;
    struct job job = storm.job;
    while ((job.number = history_begin(job.history, false, worker)) >= 0)
        history_end(job.history, job.number, storm.scheme->update(&job));
    return NULL;
}

static void read_on(uint32_t worker)
{
    struct history *history = storm.job.history;
    long number;
    while ((number = history_begin(history, true, worker)) >= 0) {
        const char *data;
        size_t size;
        bool done = scheme_read(&storm.job, &data, &size);
        struct operation *operation = &history->operations[number];
        operation->read_count = (long)(size / TOKEN_SIZE);
        operation->read_hash = history_hash(data, size);
        history_end(history, number, done ? ACKNOWLEDGED : FAILED);
        nap(300);
    }
}

static _Noreturn void work(long worker)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (worker >= storm.processes) {
        read_on((uint32_t)worker);
        _exit(0);
    }
    pthread_t threads[THREADS];
    for (long i = 0; i < storm.threads; i++)
        if (pthread_create(&threads[i], NULL, write_on,
                           (void *)(uintptr_t)(worker * THREADS + i)) != 0)
            _exit(125);
    for (long i = 0; i < storm.threads; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

static void start(long worker)
{
    storm.pids[worker] = fork();
    /* Each is a group of its own, so that a kill takes the programs it started along; set on both
     * sides, whoever comes first. */
    (void)setpgid(storm.pids[worker], 0);
    if (storm.pids[worker] == 0)
        work(worker);
}

static void start_rinser(void)
{
    storm.rinser = fork();
    if (storm.rinser != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        if (system(storm.rinse) < 0)
            _exit(125);
        nap(500);
    }
}

/* ---- weather ---- */

static uint64_t random_next(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static bool history_is_full(void)
{
    return atomic_load(&storm.job.history->used) >= storm.operations;
}

static void kill_one(void)
{
    long worker = (long)(random_next() % (uint64_t)storm.processes);
    kill(-storm.pids[worker], SIGKILL);
    while (waitpid(storm.pids[worker], NULL, 0) < 0 && errno == EINTR) {}
    storm.kills++;
    start(worker);
}

static void stop_one(void)
{
    pid_t pid = storm.pids[random_next() % (uint64_t)storm.processes];
    kill(-pid, SIGSTOP);
    nap(storm.stop_us);
    kill(-pid, SIGCONT);
    storm.stops++;
}

static void rage(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        nap(storm.kill_us > 0 ? storm.kill_us : 1000);
        if (storm.kill_us > 0)
            kill_one();
        if (storm.stop_us > 0)
            stop_one();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!history_is_full() && now.tv_sec - begin.tv_sec < storm.seconds);
    atomic_fetch_add(&storm.job.history->used, storm.operations); /* nobody begins another */
}

static bool judge(void)
{
    struct history_verdict v = {0};
    const char *data;
    size_t size;
    bool good =
        scheme_read(&storm.job, &data, &size) && history_judge(storm.job.history, data, size, &v);
    printf("    %s: %ld updates (%ld acknowledged, %ld failed, %ld in doubt of which %ld applied), "
           "%ld reads, %ld kills, %ld stops\n",
           storm.scheme->name, v.writes, v.acknowledged, v.failed, v.in_doubt, v.in_doubt_applied,
           v.reads, storm.kills, storm.stops);
    printf("    lost %ld, doubled %ld, phantoms %ld, wrong predecessor %ld, out of order %ld, "
           "torn reads %ld, stale reads %ld, failed reads %ld\n",
           v.lost, v.doubled, v.phantoms, v.wrong_reads_from, v.out_of_order, v.torn_reads,
           v.stale_reads, v.failed_reads);
    if (storm.scheme->ours)
        history_tally(v.writes, storm.kills);
    if (good && v.acknowledged == 0) {
        printf("    nothing was acknowledged: nothing is proven\n");
        return false;
    }
    return good;
}

/* ---- the command line ---- */

static const struct option options[] = {
    {"scheme", required_argument, NULL, 's'},
    {"file", required_argument, NULL, 'f'},
    {"processes", required_argument, NULL, 'p'},
    {"threads", required_argument, NULL, 't'},
    {"operations", required_argument, NULL, 'o'},
    {"seconds", required_argument, NULL, 'd'},
    {"readers", required_argument, NULL, 'r'},
    {"kill-us", required_argument, NULL, 'k'},
    {"stop-us", required_argument, NULL, 'z'},
    {"rinse", required_argument, NULL, 'R'},
    {"untorn", required_argument, NULL, 'u'},
    {"lock-file", required_argument, NULL, 'l'},
    {"add-token", required_argument, NULL, 'a'},
    {"in-place", no_argument, NULL, 'i'},
    {NULL, 0, NULL, 0},
};

static const struct scheme *find_scheme(const char *name)
{
    for (size_t i = 0; i < all_schemes_count; i++)
        if (strcmp(all_schemes[i].name, name) == 0)
            return &all_schemes[i];
    return NULL;
}

static void take(int code, char *value)
{
    switch (code) {
    case 's':
        storm.scheme = find_scheme(value);
        break;
    case 'f':
        storm.job.file = value;
        break;
    case 'p':
        storm.processes = atol(value);
        break;
    case 't':
        storm.threads = atol(value);
        break;
    case 'o':
        storm.operations = atol(value);
        break;
    case 'd':
        storm.seconds = atol(value);
        break;
    case 'r':
        storm.readers = atol(value);
        break;
    case 'k':
        storm.kill_us = atol(value);
        break;
    case 'z':
        storm.stop_us = atol(value);
        break;
    case 'R':
        storm.rinse = value;
        break;
    case 'u':
        storm.job.command = value;
        break;
    case 'l':
        storm.job.lock_file = value;
        break;
    case 'i':
        storm.job.in_place = true;
        break;
    case 'a':
        exit(scheme_add_token(atol(value)));
    default:
        exit(125);
    }
}

int main(int count, char **values)
{
    storm = (struct storm){.processes = 16, .threads = 1, .operations = 2000, .seconds = 10};
    int code;
    while ((code = getopt_long(count, values, "", options, NULL)) != -1)
        take(code, optarg);
    if (storm.scheme == NULL || storm.job.file == NULL || storm.threads > THREADS ||
        storm.processes + storm.readers > PROCESSES) {
        fprintf(stderr, "update_storm: see the head of update_storm.c\n");
        return 125;
    }
    char self[PATH_MAX] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 125;
    storm.job.self = self;
    storm.job.history = history_make(storm.operations);
    fflush(NULL);
    for (long i = 0; i < storm.processes + storm.readers; i++)
        start(i);
    if (storm.rinse != NULL)
        start_rinser();
    rage();
    for (long i = 0; i < storm.processes + storm.readers; i++)
        while (waitpid(storm.pids[i], NULL, 0) < 0 && errno == EINTR) {}
    if (storm.rinser > 0) {
        kill(storm.rinser, SIGKILL);
        waitpid(storm.rinser, NULL, 0);
    }
    return judge() ? 0 : 1;
}
