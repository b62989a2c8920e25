/* edit_storm: many unrelated processes make declarative updates of the same documents at once
 * (untorn_edit, `untorn set` and `apply`), mixed with functions, bad updates, impatient ones and
 * readers, while they are killed, stopped, kept out by foreign locks, and have untorn's folder
 * removed under them; then the histories are judged (edit_judge.h).
 *
 *     edit_storm [--scheme library] [--seed N] [--processes 8] [--threads 1] [--readers 1]
 *                [--files 1] [--operations 4000] [--kills 0] [--epoch 1500] [--seconds 60]
 *                [--bad 10] [--functions 10] [--impatient 10] [--forks 0]
 *                [--level cache|ordered|durable|mixed] [--kill-us N] [--stop-us N]
 *                [--foreign N] [--rinse COMMAND] [--fault NAME] [--untorn PATH]
 *                [--wait-ms 30000] [--grace-ms 20000]
 *
 * Works in the current directory, which is empty, until there were so many updates and kills, or
 * the seconds are over. --epoch: operations on a file before all begin
 * with new files. --bad, --functions, --impatient: percent; --forks: of a thousand operations.
 * --kill-us, --stop-us: mean time between two. --foreign: processes that take the lock file as
 * flock(1) does. Kills hit a process with its forked child or without, half of them whoever holds
 * a lock, and now and then all at once. --wait-ms: of updates that are not impatient; --grace-ms:
 * how much later than its wait an operation may return. Every choice comes from the seed, which is
 * printed; what the scheduler does with it is not repeated.
 *
 * --fault makes the scheme separate-lock misbehave (edit_shared.h) and, as the broken schemes, has
 * to be caught. Prints the figures; ends with 0 if nothing is wrong, 1 if a rule is broken.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edit_judge.h"
#include "edit_scheme.h"
#include "edit_work.h"

enum { HELPERS = 16, HOLDERS = 64, STEP_US = 1000, ALL_ONE_IN = 100, WATCH_NS = 20000000 };

struct worker {
    pid_t pid;
    uint64_t stopped_until, continued; /* 0: it is not, it was not */
};

struct storm {
    struct edit_orders orders;
    struct edit_shared *shared;
    int fd;
    long operations, wanted_kills, seconds, kill_us, stop_us, foreign;
    const char *rinse;
    struct worker workers[EDIT_WORKERS];
    pid_t helpers[HELPERS];
    long helper_count;
    long last_slots[EDIT_FILES]; /* of the update that comes last */
    struct edit_random random;
    uint64_t incarnations, begun, watched, next_kill, next_stop;
    long kills, kills_of_holders, stops;
    struct edit_verdict verdict;
};

static struct storm storm;

static long all_workers(void)
{
    return storm.orders.processes + storm.orders.readers;
}

/* ---- workers ---- */

static void start(long worker)
{
    char number[24], incarnation[24], fd[24];
    long seats = worker < storm.orders.processes ? storm.orders.threads : 1;
    for (long i = 0; i < seats; i++) {
        struct edit_seat *seat = &storm.shared->seats[worker][i];
        atomic_store(&seat->busy_since, 0);
        atomic_store(&seat->parked, 0);
        atomic_store(&seat->taken, true);
    }
    snprintf(number, sizeof number, "%ld", worker);
    snprintf(incarnation, sizeof incarnation, "%llu", (unsigned long long)++storm.incarnations);
    snprintf(fd, sizeof fd, "%d", storm.fd);
    pid_t pid = fork();
    storm.workers[worker] = (struct worker){.pid = pid};
    /* Each is a group of its own; set on both sides, whoever comes first. */
    (void)setpgid(pid, 0);
    if (pid != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl("/proc/self/exe", "edit_storm", "--history", fd, "--incarnation", incarnation, "--worker",
          number, (char *)NULL);
    _exit(125);
}

static void broke(const char *what, long worker, long detail)
{
    fprintf(stderr, "rule 10: worker %ld %s %ld\n", worker, what, detail);
    storm.verdict.broken[10]++;
}

/* Whoever ended without having been killed by us. */
static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        long worker = 0;
        while (worker < all_workers() && storm.workers[worker].pid != pid)
            worker++;
        bool is_orphan = worker == all_workers();
        if (!is_orphan)
            storm.workers[worker].pid = 0;
        if (!is_orphan || status != 0)
            broke("ended by itself with", is_orphan ? -1 : worker, status);
    }
}

/* A place kept for a forked child that died, or was never born. */
static void clear_seat_of_child(long worker)
{
    struct edit_seat *seat = &storm.shared->seats[worker][EDIT_THREADS];
    pid_t group = atomic_load(&seat->group);
    if (group == 0 || kill(-group, 0) != 0) {
        atomic_store(&seat->busy_since, 0);
        atomic_store(&seat->taken, false);
    }
}

static void end(long worker, bool with_child)
{
    pid_t pid = storm.workers[worker].pid;
    kill(with_child ? -pid : pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
    while (with_child && (waitpid(-pid, NULL, 0) > 0 || errno == EINTR)) {}
    /* A child that stays is not to stay stopped, also one that was only just being born. */
    kill(-pid, SIGCONT);
    clear_seat_of_child(worker);
}

/* ---- nobody hangs ---- */

static bool hangs(const struct edit_seat *seat, const struct worker *worker, uint64_t now)
{
    uint64_t since = atomic_load(&seat->busy_since);
    if (!atomic_load(&seat->taken) || since == 0 || worker->stopped_until > 0)
        return false;
    if (since < worker->continued)
        since = worker->continued;
    long patience = atomic_load(&seat->patience_ms);
    uint64_t allowed = (uint64_t)((patience > 0 ? patience : 0) + storm.orders.grace_ms) * 1000000;
    return now > since && now - since > allowed;
}

/* A child born while its group is stopped and continued can miss the latter. */
static void continue_children(void)
{
    for (long i = 0; i < storm.orders.processes; i++) {
        struct edit_seat *seat = &storm.shared->seats[i][EDIT_THREADS];
        pid_t group = atomic_load(&seat->group);
        if (atomic_load(&seat->taken) && group > 0 && storm.workers[i].stopped_until == 0)
            kill(-group, SIGCONT);
    }
}

static void watch(void)
{
    uint64_t now = history_now();
    if (now - storm.watched < WATCH_NS)
        return;
    storm.watched = now;
    reap();
    continue_children();
    for (long i = 0; i < all_workers(); i++)
        for (long k = 0; k < EDIT_SEATS; k++) {
            struct edit_seat *seat = &storm.shared->seats[i][k];
            if (!hangs(seat, &storm.workers[i], now))
                continue;
            broke("hangs in operation", i, atomic_load(&seat->number));
            fprintf(stderr, "    seat %ld, file %ld, wait of %ld ms\n", k, atomic_load(&seat->file),
                    atomic_load(&seat->patience_ms));
        }
}

/* The first worker of which somebody is not parked; -1: all are. */
static long find_unparked(void)
{
    long epoch = atomic_load(&storm.shared->epoch);
    for (long i = 0; i < all_workers(); i++)
        for (long k = 0; k < EDIT_SEATS; k++) {
            struct edit_seat *seat = &storm.shared->seats[i][k];
            if (atomic_load(&seat->taken) && atomic_load(&seat->parked) != epoch)
                return i;
        }
    return -1;
}

/* Who is busy has the time that hangs() gives; who is not has no reason to stay away. */
static void wait_until_parked(void)
{
    uint64_t begun = history_now();
    uint64_t limit = (uint64_t)(storm.orders.wait_ms + 2 * storm.orders.grace_ms) * 1000000;
    while (find_unparked() >= 0 && edit_verdict_is_good(&storm.verdict)) {
        if (history_now() - begun > limit)
            broke("never came to rest in epoch", find_unparked(),
                  atomic_load(&storm.shared->epoch));
        watch();
        edit_nap(STEP_US / 5);
    }
}

/* ---- weather ---- */

static long random_worker(void)
{
    return (long)edit_random_below(&storm.random, (uint64_t)storm.orders.processes);
}

/* Half of the time one that holds a lock just now, as the kernel's table says. */
static long find_victim(bool *ret_holds)
{
    long found[HOLDERS], count = 0;
    *ret_holds = false;
    FILE *table = edit_random_below(&storm.random, 2) == 0 ? fopen("/proc/locks", "re") : NULL;
    char line[256];
    while (table && fgets(line, sizeof line, table)) {
        const char *flock = strstr(line, "FLOCK");
        long pid = 0;
        if (strstr(line, "->") || !flock || sscanf(flock, "FLOCK ADVISORY WRITE %ld", &pid) != 1)
            continue;
        pid_t group = getpgid((pid_t)pid); /* a command, or a forked child, holds it as well */
        for (long i = 0; i < storm.orders.processes && count < HOLDERS; i++)
            if (storm.workers[i].pid == group)
                found[count++] = i;
    }
    if (table)
        fclose(table);
    *ret_holds = count > 0;
    return count > 0 ? found[edit_random_below(&storm.random, (uint64_t)count)] : random_worker();
}

static uint64_t some_time_from(uint64_t now, long mean_us)
{
    return now + edit_random_below(&storm.random, (uint64_t)mean_us * 2) * 1000;
}

/* Nobody is left who knows what was under way. */
static void kill_all(void)
{
    for (long i = 0; i < storm.orders.processes; i++)
        kill(-storm.workers[i].pid, SIGKILL);
    for (long i = 0; i < storm.orders.processes; i++)
        end(i, true);
    for (long i = 0; i < storm.orders.processes; i++)
        start(i);
    storm.kills += storm.orders.processes;
}

static void kill_one(void)
{
    bool holds;
    long worker = find_victim(&holds);
    bool with_child = holds || storm.orders.fork_permille == 0 ||
                      edit_schemes[storm.orders.scheme].runs_commands ||
                      edit_random_below(&storm.random, 2) == 0;
    end(worker, with_child);
    storm.kills++;
    storm.kills_of_holders += holds;
    start(worker);
}

static void stop_one(uint64_t now)
{
    struct worker *worker = &storm.workers[random_worker()];
    if (worker->stopped_until > 0)
        return;
    kill(-worker->pid, SIGSTOP);
    worker->stopped_until = some_time_from(now, storm.stop_us * 2) + 1;
    storm.stops++;
}

/* All of them, if `all`. */
static void continue_those_due(bool all)
{
    uint64_t now = history_now();
    for (long i = 0; i < storm.orders.processes; i++) {
        struct worker *worker = &storm.workers[i];
        if (worker->stopped_until == 0 || (worker->stopped_until > now && !all))
            continue;
        kill(-worker->pid, SIGCONT);
        worker->stopped_until = 0;
        worker->continued = now;
    }
}

static bool is_broken(void)
{
    return !edit_verdict_is_good(&storm.verdict);
}

static bool time_is_up(void)
{
    return history_now() - storm.begun > (uint64_t)storm.seconds * 1000000000u;
}

static void rage(void)
{
    while (!edit_histories_full(storm.shared) && !time_is_up() && !is_broken()) {
        uint64_t now = history_now();
        if (storm.kill_us > 0 && now >= storm.next_kill) {
            if (edit_random_below(&storm.random, ALL_ONE_IN) == 0)
                kill_all();
            else
                kill_one();
            storm.next_kill = some_time_from(now, storm.kill_us);
        }
        if (storm.stop_us > 0 && now >= storm.next_stop) {
            stop_one(now);
            storm.next_stop = some_time_from(now, storm.stop_us);
        }
        continue_those_due(false);
        watch();
        edit_nap(storm.kill_us > 0 && storm.kill_us < STEP_US ? storm.kill_us : STEP_US);
    }
    edit_histories_close(storm.shared);
    continue_those_due(true);
    wait_until_parked();
}

/* ---- those who only disturb ---- */

static void disturb_by_locks(struct edit_random random)
{
    for (;;) {
        char name[EDIT_NAME], path[EDIT_NAME + 32];
        long file = (long)edit_random_below(&random, (uint64_t)storm.orders.files);
        snprintf(path, sizeof path, ".untorn/lock/%s",
                 edit_file_name(atomic_load(&storm.shared->epoch), file, name));
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd >= 0) {
            if (flock(fd, LOCK_EX) == 0)
                edit_nap((long)edit_random_below(&random, 5000));
            close(fd);
        }
        edit_nap((long)edit_random_below(&random, 10000));
    }
}

static void disturb_by_command(void)
{
    for (;;) {
        if (system(storm.rinse) < 0)
            _exit(125);
        edit_nap(500);
    }
}

static void start_helper(long number)
{
    pid_t pid = fork();
    storm.helpers[storm.helper_count++] = pid;
    if (pid != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (number < 0)
        disturb_by_command();
    else
        disturb_by_locks(edit_random_of(storm.orders.seed, 1000000 + (uint64_t)number, 0));
}

static void start_helpers(void)
{
    for (long i = 0; i < storm.foreign; i++)
        start_helper(i);
    if (storm.rinse)
        start_helper(-1);
}

static void end_helpers(void)
{
    for (long i = 0; i < storm.helper_count; i++) {
        setpgid(storm.helpers[i], 0);
        kill(-storm.helpers[i], SIGKILL);
        while (waitpid(-storm.helpers[i], NULL, 0) > 0 || errno == EINTR) {}
    }
    storm.helper_count = 0;
}

/* ---- epochs ---- */

static void begin_epoch(void)
{
    long epoch = atomic_load(&storm.shared->epoch) + 1;
    char name[EDIT_NAME];
    edit_histories_reset(storm.shared);
    for (long i = 0; i < storm.orders.files; i++) {
        FILE *file = fopen(edit_file_name(epoch, i, name), "we");
        if (!file || fputs(edit_first_text(name), file) < 0 || fclose(file) != 0)
            exit(125);
        storm.last_slots[i] = history_begin(edit_history(storm.shared, i), false, 0);
    }
    atomic_store(&storm.shared->epoch, epoch);
}

static void remove_files(long epoch)
{
    char name[EDIT_NAME], lock[EDIT_NAME + 8];
    for (long i = 0; i < storm.orders.files; i++) {
        snprintf(lock, sizeof lock, "%s.lock", edit_file_name(epoch, i, name));
        unlink(name);
        unlink(lock);
    }
}

static void end_epoch(void)
{
    end_helpers();
    if (is_broken())
        return; /* somebody hangs, perhaps with the lock */
    for (long i = 0; i < storm.orders.files; i++)
        edit_work_last(storm.shared, i, storm.last_slots[i]);
    edit_judge(storm.shared, &storm.verdict);
}

static bool is_enough(void)
{
    return storm.verdict.updates >= storm.operations && storm.kills >= storm.wanted_kills;
}

static void run_epochs(void)
{
    storm.begun = history_now();
    do {
        remove_files(atomic_load(&storm.shared->epoch));
        begin_epoch();
        for (long i = 0; i < all_workers(); i++)
            if (storm.workers[i].pid == 0)
                start(i);
        start_helpers();
        rage();
        end_epoch();
    } while (!is_enough() && !time_is_up() && !is_broken());
    atomic_store(&storm.shared->over, true);
    for (long i = 0; i < all_workers(); i++)
        if (storm.workers[i].pid > 0)
            end(i, true);
}

static int report(void)
{
    const struct edit_verdict *v = &storm.verdict;
    printf("    %s, seed %llu: %ld epochs of %ld files, %ld updates (%ld acknowledged, %ld "
           "refused, %ld late, %ld unsettled, %ld in doubt of which %ld applied), %ld reads, %ld "
           "kills (%ld of a holder), %ld stops, %ld forks\n",
           edit_schemes[storm.orders.scheme].name, (unsigned long long)storm.orders.seed,
           atomic_load(&storm.shared->epoch), storm.orders.files, v->updates, v->acknowledged,
           v->refused, v->late, v->unsettled, v->in_doubt, v->in_doubt_applied, v->reads,
           storm.kills, storm.kills_of_holders, storm.stops, atomic_load(&storm.shared->forks));
    edit_verdict_print(v);
    if (edit_schemes[storm.orders.scheme].ours)
        history_tally(v->updates, storm.kills);
    if (!is_broken() && v->acknowledged <= v->updates / 8) {
        printf("    little was acknowledged: little is proven\n");
        return 1;
    }
    return is_broken() ? 1 : 0;
}

/* ---- the command line ---- */

enum { WORKER = 256, HISTORY, INCARNATION, SCHEME, FAULT, LEVEL, RINSE, UNTORN, SEED };

static const struct option options[] = {
    {"processes", required_argument, NULL, 'p'},
    {"threads", required_argument, NULL, 't'},
    {"readers", required_argument, NULL, 'r'},
    {"files", required_argument, NULL, 'f'},
    {"operations", required_argument, NULL, 'o'},
    {"epoch", required_argument, NULL, 'e'},
    {"seconds", required_argument, NULL, 'd'},
    {"bad", required_argument, NULL, 'b'},
    {"functions", required_argument, NULL, 'c'},
    {"impatient", required_argument, NULL, 'i'},
    {"forks", required_argument, NULL, 'F'},
    {"kill-us", required_argument, NULL, 'k'},
    {"stop-us", required_argument, NULL, 'z'},
    {"foreign", required_argument, NULL, 'l'},
    {"scheme", required_argument, NULL, SCHEME},
    {"fault", required_argument, NULL, FAULT},
    {"level", required_argument, NULL, LEVEL},
    {"rinse", required_argument, NULL, RINSE},
    {"untorn", required_argument, NULL, UNTORN},
    {"seed", required_argument, NULL, SEED},
    {"kills", required_argument, NULL, 'K'},
    {"wait-ms", required_argument, NULL, 'w'},
    {"grace-ms", required_argument, NULL, 'g'},
    {"worker", required_argument, NULL, WORKER},
    {"history", required_argument, NULL, HISTORY},
    {"incarnation", required_argument, NULL, INCARNATION},
    {NULL, 0, NULL, 0},
};

static long *number_option(int code)
{
    struct edit_orders *orders = &storm.orders;
    switch (code) {
    case 'p':
        return &orders->processes;
    case 't':
        return &orders->threads;
    case 'r':
        return &orders->readers;
    case 'f':
        return &orders->files;
    case 'o':
        return &storm.operations;
    case 'K':
        return &storm.wanted_kills;
    case 'e':
        return &orders->limit;
    case 'd':
        return &storm.seconds;
    case 'b':
        return &orders->bad_percent;
    case 'c':
        return &orders->function_percent;
    case 'i':
        return &orders->impatient_percent;
    case 'F':
        return &orders->fork_permille;
    case 'k':
        return &storm.kill_us;
    case 'z':
        return &storm.stop_us;
    case 'l':
        return &storm.foreign;
    case 'w':
        return &orders->wait_ms;
    case 'g':
        return &orders->grace_ms;
    default:
        return NULL;
    }
}

static int one_of(const char *value, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    fprintf(stderr, "edit_storm: what is '%s'?\n", value);
    exit(125);
}

static void take(int code, char *value)
{
    static const char *const levels[] = {"mixed", "durable", "ordered", "cache"};
    long *number = number_option(code);
    if (number)
        *number = atol(value);
    else if (code == SCHEME)
        storm.orders.scheme = edit_scheme_by_name(value);
    else if (code == FAULT)
        storm.orders.fault = one_of(value, edit_fault_names, EDIT_FAULTS);
    else if (code == LEVEL)
        storm.orders.level = one_of(value, levels, 4) - 1;
    else if (code == RINSE)
        storm.rinse = value;
    else if (code == UNTORN)
        snprintf(storm.orders.untorn, sizeof storm.orders.untorn, "%s", value);
    else if (code == SEED)
        storm.orders.seed = strtoull(value, NULL, 10);
    else if (code == HISTORY)
        storm.shared = edit_shared_open(atoi(value));
    else if (code == INCARNATION)
        storm.incarnations = strtoull(value, NULL, 10);
    else if (code == WORKER) {
        edit_work(storm.shared, atol(value), storm.incarnations);
        exit(0);
    } else
        exit(125);
}

int main(int count, char **values)
{
    storm.orders = (struct edit_orders){.processes = 8, .threads = 1, .readers = 1, .files = 1};
    storm.orders.limit = 1500;
    storm.orders.bad_percent = storm.orders.function_percent = 10;
    storm.orders.impatient_percent = 10;
    storm.orders.level = UNTORN_CACHE;
    storm.orders.seed = history_now() % 1000000007;
    storm.orders.wait_ms = 30000;
    storm.orders.grace_ms = 20000;
    storm.operations = 4000;
    storm.seconds = 60;
    int code;
    while ((code = getopt_long(count, values, "", options, NULL)) != -1)
        take(code, optarg);
    storm.orders.rinsed = storm.rinse != NULL;
    if (storm.orders.scheme < 0 || storm.orders.processes < 1 || all_workers() > EDIT_WORKERS ||
        storm.orders.threads > EDIT_THREADS || storm.orders.files > EDIT_FILES ||
        storm.foreign + 1 > HELPERS) {
        fprintf(stderr, "edit_storm: see the head of edit_storm.c\n");
        return 125;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    storm.random = edit_random_of(storm.orders.seed, UINT64_MAX, 0);
    storm.shared = edit_shared_make(&storm.orders, &storm.fd);
    if (symlink(".", EDIT_DETOUR) != 0 && errno != EEXIST)
        return 125;
    fflush(NULL);
    run_epochs();
    return report();
}
